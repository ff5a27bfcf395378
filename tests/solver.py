"""Z3 begins again with each test: what it finds depends on what its context holds, thus on what ran before."""

import sys
from typing import Any


def forget() -> None:
    """Let the next use of Z3, if there is one, make a new main context (that takes some milliseconds)."""
    z3: Any = sys.modules.get("z3.z3")
    if z3 is None:
        return
    z3._main_ctx = None
    wordings: Any = sys.modules.get("vsalang.proof.solver.wordings")
    if hasattr(wordings, "forget"):
        wordings.forget()
    if z3.main_ctx is not _main_ctx:
        z3.main_ctx = _main_ctx


def _main_ctx() -> Any:
    """The main context as Z3 makes it, with the two constants that `vsalang.proof.solver` keeps."""
    z3: Any = sys.modules["z3.z3"]
    if z3._main_ctx is None:
        z3._main_ctx = z3.Context()
        sorts: Any = sys.modules.get("vsalang.proof.solver.sorts")
        # while that module is imported it has none yet
        for constant in (sorts.TRUE, sorts.FALSE) if hasattr(sorts, "FALSE") else ():
            moved = constant.translate(z3._main_ctx)
            constant.__del__()  # the reference that the old context counts
            constant.__init__(moved.ast, z3._main_ctx)
    return z3._main_ctx
