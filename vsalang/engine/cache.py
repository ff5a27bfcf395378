"""Compiled programs, shared by all sessions of a program: one kernel each, the latest used are kept."""

import threading
from collections import OrderedDict
from typing import Final

from vsalang.core.ir import Program
from vsalang.engine.compile import compile_program
from vsalang.engine.kernel import Kernel

MOST: Final = 64
"""So many kernels are kept; sessions keep theirs alive longer."""

_LOCK: Final = threading.Lock()
_KERNELS: "OrderedDict[str, list[Kernel]]" = OrderedDict()


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
        kernel = compile_program(program)
        kernels = _KERNELS.setdefault(program.digest, [])
        kernels.append(kernel)
        del kernels[:-4]
        _KERNELS.move_to_end(program.digest)
        while len(_KERNELS) > MOST:
            _KERNELS.popitem(last=False)
        return kernel


def forget() -> None:
    """Keep no kernel any longer."""
    with _LOCK:
        _KERNELS.clear()
