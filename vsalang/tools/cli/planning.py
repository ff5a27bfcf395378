"""The planners of ``vsac plan``, and the folder into which it writes PDDL."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vsalang.program.text import line
from vsalang.tools.cli import solving
from vsalang.tools.cli.common import Failure, require
from vsalang.tools.cli.output import echo, refuse_to_lose, refuse_to_replace, write_text

if TYPE_CHECKING:
    from vsalang.agents.maps.pddl import Dropped
    from vsalang.language.semantics import Loaded
    from vsalang.program.example import Turn
    from vsalang.program.ir import Program
    from vsalang.proof.prove.plan import Bounds
    from vsalang.proof.prove.runs import Planned

Tell = Callable[[str], None]
_MOST_CLAUSES: Final = 20


def _z3(loaded: "Loaded", begin: "tuple[Turn, ...]", bounds: "Bounds", tell: Tell) -> "Planned":
    require("z3", "smt")
    from vsalang.proof.prove.plan import plan

    return plan(loaded.checked(), start=begin, bounds=bounds, progress=tell)


def route(loaded: "Loaded", begin: "tuple[Turn, ...]", bounds: "Bounds", number: int) -> "Planned":
    """The shortest runs on the map of screens, so many for each `done` clause at most."""
    from vsalang.agents.maps.routed import plan

    return plan(loaded.checked(), start=begin, bounds=bounds, k=number)


def _pddl(loaded: "Loaded", begin: "tuple[Turn, ...]", bounds: "Bounds", tell: Tell) -> "Planned":
    from dataclasses import replace

    from vsalang.agents.maps.pddl import NotInstalled, plan
    from vsalang.agents.maps.pddl.downward import installed
    from vsalang.base.installing import install_extra

    try:
        installed()
        found = plan(loaded.checked(), start=begin, bounds=bounds, progress=tell)
    except NotInstalled as error:
        raise Failure(f"this needs {error}, which is not installed", install_extra("pddl")) from error
    said = [dropped_line(loaded, each) for each in found.dropped]
    if not said or not (found.planned.without or found.planned.undecided):
        return found.planned
    return replace(found.planned, open=(*found.planned.open, *said))


PLANNERS: "Final[Mapping[str, Callable[[Loaded, tuple[Turn, ...], Bounds, Tell], Planned]]]" = {
    "z3": _z3,
    "pddl": _pddl,
    "route": lambda loaded, begin, bounds, tell: route(loaded, begin, bounds, 1),
}


def violation(
    program: "Program", guarded: "Program", begin: "tuple[Turn, ...]", bounds: "Bounds", tell: Tell
) -> "Planned":
    """Runs that break a policy, by the solver.

    Raises:
        Failure: Z3 is not installed.
    """
    require("z3", "smt")
    from vsalang.proof.prove.plan import violation as violating

    return violating(program, guarded, start=begin, bounds=bounds, progress=tell)


# ---------------------------------------------------------------- files


def refuse_folder(folder: str, force: bool) -> None:
    """Stop before any work if files of PDDL are there.

    Raises:
        Failure: one is, and `force` is not given; or the folder is none.
    """
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise Failure(f"{folder} is no folder", "name a folder for domain.pddl and problem.pddl")
    names = [f"problem-{number}.pddl" for number in range(1, _MOST_CLAUSES + 1)]
    for name in (
        "domain.pddl",
        "problem.pddl",
        *(f"domain-{n}.pddl" for n in range(1, _MOST_CLAUSES + 1)),
        *names,
    ):
        refuse_to_replace(str(place / name), force)


def write_pddl(folder: Path, loaded: "Loaded", begin: "tuple[Turn, ...]", bounds: "Bounds") -> None:
    """Write the planning problem of each `done` clause, and say what it does not say on standard error.

    Raises:
        Failure: there is no `done` clause, or the folder cannot be made.
        CannotStart: there is no such state, or the task is over in it.
    """
    from vsalang.agents.maps.pddl import problems

    made = problems(loaded.checked(), start=begin, bounds=bounds)
    if not made:
        raise Failure(f"{loaded.file} has no `done`, so there is nothing to plan", "add one")
    if len(made) > _MOST_CLAUSES:
        raise Failure(f"{loaded.file} has more than {_MOST_CLAUSES} `done` clauses", "leave --pddl out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"{folder} cannot be made: {error.strerror}", "name another folder") from error
    for number, (rule, problem) in enumerate(made, 1):
        tail = f"-{number}" if len(made) > 1 else ""
        for name, text in ((f"domain{tail}.pddl", problem.domain), (f"problem{tail}.pddl", problem.problem)):
            refuse_to_lose(str(folder / name), ())
            write_text(folder / name, text)
        echo(
            f"{folder / f'domain{tail}.pddl'}, problem{tail}.pddl: {solving.place_of_rule(loaded, rule)}",
            err=True,
        )
    for said in dict.fromkeys(dropped_line(loaded, each) for _, problem in made for each in problem.dropped):
        echo(f"not in the PDDL: {said}", err=True)


def dropped_line(loaded: "Loaded", dropped: "Dropped") -> str:
    """What PDDL does not say, with its place."""
    where = solving.place(loaded, dropped.span, dropped.what)
    named = dropped.what if where == dropped.what else f"{where}: {dropped.what}"
    return line(f"{named}: {dropped.reason}")
