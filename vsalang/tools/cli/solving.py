"""What the commands that ask the solver share: the loading of files, and the places of rules."""

from vsalang.base.config import config_in_force
from vsalang.language.semantics import Loaded, load
from vsalang.program.ir import Program
from vsalang.tools.cli.common import EXIT_FAILED, Failure, module_file
from vsalang.tools.cli.frame import Unusable


def load_file(file: str, why: str, policies: tuple[str, ...] = ()) -> Loaded:
    """Load a file with these policies alone, not those of its project.

    Raises:
        Failure: it is standard input; `why` says why that is impossible.
    """
    file = module_file(file)
    if file == "-":
        raise Failure(f"{why}: standard input is none", "save it, and name the file")
    return load(file, policies=policies, search=config_in_force(file).search)


def checked(loaded: Loaded, status: int = EXIT_FAILED) -> Program:
    """The program of a file without errors.

    Args:
        status: the exit status if there are errors; negative: 1, or 2 if a file could not be read.

    Raises:
        Unusable: it has errors.
    """
    if loaded.program is None:
        raise Unusable(loaded.diagnostics, loaded.sources, status)
    return loaded.program


def spec_of(loaded: Loaded, lack: str, hint: str = "name a spec") -> Program:
    """The program of a spec.

    Args:
        lack: why another module will not do.

    Raises:
        Unusable: it has errors.
        Failure: it is not a spec.
    """
    program = checked(loaded)
    if program.modules[program.main].kind != "spec":
        raise Failure(f"{loaded.file} is not a spec, so {lack}", hint)
    return program
