"""``vsac prove plan``: a shortest run to the end of a task, or one that breaks a policy; each was run by the guard."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from vsalang.base.installing import install_extra
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.places import place, place_of_rule
from vsalang.program.example import Turn
from vsalang.program.ir import Judge, Program
from vsalang.program.text import line as one_line
from vsalang.proof.prove.bounds import STEPS, Bounds, CannotStart, Level
from vsalang.proof.prove.plan_report import Planner, Plans
from vsalang.proof.prove.runs import PlanSearchResult
from vsalang.tools.ask import AskError, Place, Wrong, read_state
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, require
from vsalang.tools.cli.frame import Output, Unusable
from vsalang.tools.cli.output import echo, refuse_to_lose, refuse_to_replace, write_text
from vsalang.tools.cli.progress import telling
from vsalang.tools.cli.solving import checked, load_file, spec_of

Tell = Callable[[str], None]
_MOST_CLAUSES: Final = 20
_ONLY_Z3: Final = "only z3 looks for runs that break a policy"


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """From where to where is planned, by whom and how far, and where the runs are written."""

    spec: str = argument("SPEC")
    policies: tuple[str, ...] = shared.policies()
    state: str = option(
        "--from",
        default="",
        metavar="STATE",
        help="Where to start: the name of a test of SPEC, FILE.vsa::NAME, or a file of steps (.vsa).",
        default_text="nothing is known",
    )
    step: int | None = option(
        "--step", least=0, metavar="N", help="Only the first N steps of the test.", needs="--from"
    )
    steps: int = option(
        "--steps",
        default=STEPS,
        least=0,
        most=50,
        metavar="N",
        help="How many gestures and actions a run may have.",
    )
    level: Level = option("--level", default="gestures", help="What a run is made of.")
    violate: str | None = option(
        "--violate",
        metavar="POLICY",
        help="Look for runs that break this policy, which is not in force.",
        excludes={"--planner pddl": _ONLY_Z3, "--planner route": _ONLY_Z3, "--pddl": ""},
    )
    planner: Planner = option(
        "--planner",
        default="z3",
        help="Who looks for runs: the solver, Fast Downward (a classical planner), or a search on the map of screens.",
        excludes={"route": {"--level actions": "it plans gestures"}},
    )
    number: int | None = option(
        "-k",
        least=1,
        most=100,
        metavar="N",
        help="How many runs to show for each way to end, the shortest first.",
        default_text="1",
        needs={"--planner route": "the others find one run for each end"},
    )
    folder: str | None = option(
        "--pddl",
        metavar="DIR",
        help="Also write what is planned as PDDL: domain.pddl and problem.pddl; what they do not say is listed.",
    )
    timeout: float = shared.solver_timeout()
    limit: float = shared.solver_limit()
    output: str | None = option(
        "-o", "--output", metavar="OUT", help="Where to write it. Standard output if left out."
    )
    force: bool = flag("--force", help="Replace the output file if it exists.")

    def bounds(self) -> Bounds:
        """How far to look."""
        return Bounds(self.steps, self.level, self.limit, self.timeout)


@frame.as_command("text", "test", "dot", "svg", "json")
def command(options: PlanOptions, output: Output) -> int:
    """Show a shortest run from a state to the end of SPEC's task, for each way in which it can end.

    A run is made of gestures that SPEC's app modules recognise, and of the gestures that lead from screen to screen
    and fill in forms. What the app would have to show on the way is supposed, and said. Each run was made by the guard
    with the policies in force, and is printed as a table, as a `test` that passes, or as a picture (SVG, or a graph
    for Graphviz). With --violate: runs that SPEC allows and that break a `deny` of the policy.

    Exit status: 0 a run was found, 1 none was found within the bound, which is said, 2 a file has errors or cannot be
    read, or what plans is not installed.
    """
    violated = (options.violate,) if options.violate else ()
    refuse_to_lose(options.output, (options.spec, *options.policies, *violated))
    refuse_to_replace(options.output, options.force)
    if options.folder is not None:
        _refuse_folder(options.folder, options.force)
    loaded = load_file(options.spec, "a plan is for a file", options.policies)
    program = spec_of(loaded, "it has no end to plan for")
    guarded = loaded
    if options.violate:
        guarded = load_file(options.spec, "a plan is for a file", (*options.policies, *violated))
        _must_deny(options.violate, program, checked(guarded))
    require("z3", "smt")
    bounds, start = options.bounds(), _start(loaded, options.state, options.step)
    try:
        with telling() as tell:
            if options.folder is not None:
                _write_pddl(Path(options.folder), loaded, start, bounds)
            if options.violate:
                plan = _violation(program, guarded.checked(), start, bounds, tell)
            elif options.planner == "route":
                plan = _route(program, start, bounds, options.number or 1)
            elif options.planner == "pddl":
                plan = _pddl(loaded, start, bounds, tell)
            else:
                plan = _z3(program, start, bounds, tell)
    except CannotStart as error:
        raise Failure(
            f"{options.state or options.spec}: {error}", "name a state in which the task goes on: --step N"
        ) from error
    notes_apart = None if output.format == "json" else output.format != "text" or options.output is not None
    status = EXIT_OK if plan.plans else EXIT_FINDINGS
    return output.print(Plans(guarded, plan, bounds, options.planner, notes_apart, status), options.output)


def _must_deny(violate: str, program: Program, guarded: Program) -> None:
    known = {rule.id for rule in program.rules}
    added = [rule for rule in guarded.rules if rule.id not in known]
    if not any(isinstance(rule.head, Judge) and rule.head.level == "deny" for rule in added):
        raise Failure(
            f"{violate} adds no `deny`, so no run can break it",
            "name a policy that forbids something, and that --policy does not put in force",
        )


def _start(loaded: Loaded, state: str, step: int | None) -> tuple[Turn, ...]:
    """The steps that lead to the state."""
    if not state:
        return ()
    if "::" not in state and not state.lower().endswith(".vsa"):
        state = f"{loaded.file}::{state}"
    try:
        moves = read_state(Place(loaded), state, step=step).moves
    except Wrong as wrong:
        raise Unusable(wrong.diagnostics, wrong.sources) from wrong
    except AskError as error:
        raise Failure(str(error)) from error
    return tuple(move for move in moves if isinstance(move, Turn))


# ---------------------------------------------------------------- who plans


def _z3(program: Program, start: tuple[Turn, ...], bounds: Bounds, tell: Tell) -> PlanSearchResult:
    from vsalang.proof.prove.plan import plan  # imports Z3, as all planners do

    return plan(program, start=start, bounds=bounds, progress=tell)


def _violation(
    program: Program, guarded: Program, start: tuple[Turn, ...], bounds: Bounds, tell: Tell
) -> PlanSearchResult:
    """Runs that break a policy, by the solver."""
    from vsalang.proof.prove.plan import violation  # imports Z3

    return violation(program, guarded, start=start, bounds=bounds, progress=tell)


def _route(program: Program, start: tuple[Turn, ...], bounds: Bounds, number: int) -> PlanSearchResult:
    """The shortest runs on the map of screens, so many for each `done` clause at most."""
    from vsalang.agents.maps.routed import plan  # imports Z3

    return plan(program, start=start, bounds=bounds, k=number)


def _pddl(loaded: Loaded, start: tuple[Turn, ...], bounds: Bounds, tell: Tell) -> PlanSearchResult:
    # what plans by PDDL may not be installed
    from vsalang.agents.maps.pddl import NotInstalled, plan
    from vsalang.agents.maps.pddl.downward import installed

    try:
        installed()
        solution = plan(loaded.checked(), start=start, bounds=bounds, progress=tell)
    except NotInstalled as error:
        raise Failure(f"this needs {error}, which is not installed", install_extra("pddl")) from error
    dropped = tuple(_dropped_line(loaded, each.span, each.what, each.reason) for each in solution.dropped)
    planned = solution.planned
    return replace(planned, open=planned.open + dropped) if planned.without or planned.undecided else planned


# ---------------------------------------------------------------- files of PDDL


def _refuse_folder(folder: str, force: bool) -> None:
    """Stop before any work if files of PDDL are there.

    Raises:
        Failure: one is, and `force` is not given; or it is not a folder.
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise Failure(f"{folder} is not a folder", "name a folder for domain.pddl and problem.pddl")
    tails = ["", *(f"-{number}" for number in range(1, _MOST_CLAUSES + 1))]
    for name in (f"{kind}{tail}.pddl" for kind in ("domain", "problem") for tail in tails):
        refuse_to_replace(str(path / name), force)


def _write_pddl(folder: Path, loaded: Loaded, start: tuple[Turn, ...], bounds: Bounds) -> None:
    """Write the planning problem of each `done` clause, and say what it does not say on standard error.

    Raises:
        Failure: there is no `done` clause, or the folder cannot be made.
        CannotStart: there is no such state, or the task is over in it.
    """
    from vsalang.agents.maps.pddl import problems  # imports Z3

    by_rule = problems(loaded.checked(), start=start, bounds=bounds)
    if not by_rule:
        raise Failure(f"{loaded.file} has no `done`, so there is nothing to plan", "add one")
    if len(by_rule) > _MOST_CLAUSES:
        raise Failure(f"{loaded.file} has more than {_MOST_CLAUSES} `done` clauses", "leave --pddl out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"{folder} cannot be made: {error.strerror}", "name another folder") from error
    for number, (rule, problem) in enumerate(by_rule, 1):
        tail = f"-{number}" if len(by_rule) > 1 else ""
        domain, goal = f"domain{tail}.pddl", f"problem{tail}.pddl"
        for name, text in ((domain, problem.domain), (goal, problem.problem)):
            refuse_to_lose(str(folder / name), ())
            write_text(folder / name, text)
        echo(f"{folder / domain}, {goal}: {place_of_rule(loaded, rule)}", err=True)
    dropped = [each for _, problem in by_rule for each in problem.dropped]
    for line in dict.fromkeys(_dropped_line(loaded, each.span, each.what, each.reason) for each in dropped):
        echo(f"not in the PDDL: {line}", err=True)


def _dropped_line(loaded: Loaded, span: Span | None, what: str, reason: str) -> str:
    """What PDDL does not say, with its place."""
    where = place(loaded, span, what)
    name = what if where == what else f"{where}: {what}"
    return one_line(f"{name}: {reason}")
