"""Compiled programs, shared by all sessions of a program: one kernel each, the latest used are kept.

Many small specs of one app share what is compiled of the app, too. Everything is kept in memory only: a kernel is made
of functions, and functions are not read from files.
"""

import threading
from collections import OrderedDict
from typing import Final

from vsalang.core.ir import Program
from vsalang.engine.compile.program import Compiler, compile_program, shared_part
from vsalang.engine.plan import Kernel

MOST: Final = 64
"""So many kernels are kept; sessions keep theirs alive longer."""

MOST_BASES: Final = 8
"""So many sets of apps are kept compiled; one is a few megabytes."""

_LOCK: Final = threading.Lock()
_KERNELS: "OrderedDict[str, list[Kernel]]" = OrderedDict()
_BASES: list[Compiler] = []
"""The latest used last."""


def kernel_of(program: Program) -> Kernel:
    """The kernel of a program, compiled if no kernel of an equal program is kept.

    Programs are looked up by their hash and then compared: two programs that differ never share a kernel, whatever
    their hashes say. Safe from any thread.

    Raises:
        EngineError: the program is not stratified, or a body is not safe.
    """
    with _LOCK:
        found = _KERNELS.get(program.digest, [])
        for kernel in found:
            if kernel.program is program or kernel.program == program:
                _KERNELS.move_to_end(program.digest)
                return kernel
        kernel = compile_program(program, _base(program))
        kernels = _KERNELS.setdefault(program.digest, [])
        kernels.append(kernel)
        del kernels[:-4]
        _KERNELS.move_to_end(program.digest)
        while len(_KERNELS) > MOST:
            _KERNELS.popitem(last=False)
        return kernel


def _base(program: Program) -> Compiler | None:
    """What is compiled of the apps and modules of a program, shared by all programs in which these are the same."""
    part = shared_part(program)
    if part is None:
        return None
    for number, base in enumerate(_BASES):
        # rule by rule and relation by relation: what is equal by its hash only is not shared
        if base.program.rules == part.rules and base.program.relations == part.relations:
            _BASES.append(_BASES.pop(number))
            return base
    base = Compiler(part).compile_rules()
    _BASES.append(base)
    del _BASES[:-MOST_BASES]
    return base


def forget() -> None:
    """Keep no kernel any longer."""
    with _LOCK:
        _KERNELS.clear()
        _BASES.clear()
