"""``vsac prove plan``: a shortest run to the end of a task, or one that breaks a policy; each was run by the guard."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.base.diagnostics.display import columns, count
from vsalang.program.text import line as one_line
from vsalang.tools.cli import options, solving
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, complain, format_option, require
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose, refuse_to_replace, write_text
from vsalang.tools.cli.progress import telling

if TYPE_CHECKING:
    from vsalang.agents.maps.pddl import Dropped
    from vsalang.language.semantics import Loaded
    from vsalang.program.example import Turn
    from vsalang.program.ir import Program
    from vsalang.proof.prove.plan import Bounds, Level
    from vsalang.proof.prove.runs import Plan, Planned
    from vsalang.proof.prove.telling import Line


@click.command(name="plan")
@click.argument("spec", metavar="SPEC")
@options.policy
@click.option(
    "--from",
    "state",
    default="",
    metavar="STATE",
    help="Where to start: the name of a test of SPEC, FILE.vsa::NAME, or a file of steps (.vsa). "
    "[default: nothing is known]",
)
@click.option(
    "--step", type=click.IntRange(0), metavar="N", help="With --from: only the first N steps of the test."
)
@click.option(
    "--steps",
    type=click.IntRange(0, 50),
    default=10,
    show_default=True,
    metavar="N",
    help="How many gestures and actions a run may have.",
)
@click.option(
    "--level",
    type=click.Choice(["gestures", "actions"]),
    default="gestures",
    show_default=True,
    help="What a run is made of.",
)
@click.option(
    "--violate", metavar="POLICY", help="Look for runs that break this policy, which is not in force."
)
@click.option(
    "--planner",
    type=click.Choice(["z3", "pddl", "route"]),
    default="z3",
    show_default=True,
    help="Who looks for runs: the solver, Fast Downward (a classical planner), or a search on the map of screens.",
)
@click.option(
    "-k",
    "number",
    type=click.IntRange(1, 100),
    metavar="N",
    help="With --planner route: how many runs to show for each way to end, the shortest first.  [default: 1]",
)
@click.option(
    "--pddl",
    "folder",
    metavar="DIR",
    help="Also write what is planned as PDDL: domain.pddl and problem.pddl; what they do not say is listed.",
)
@solving.timeout()
@solving.limit()
@format_option("text", "test", "dot", "svg", "json")
@click.option("-o", "--output", metavar="OUT", help="Where to write it. Standard output if left out.")
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
def command(
    *,
    spec: str,
    policies: tuple[str, ...],
    state: str,
    step: int | None,
    steps: int,
    violate: str | None,
    level: "Level",
    planner: str,
    number: int | None,
    folder: str | None,
    timeout: float,
    limit: float,
    format: str,
    output: str | None,
    force: bool,
) -> int:
    """Show a shortest run from a state to the end of SPEC's task, for each way in which it can end.

    A run is made of gestures that SPEC's app modules recognise, and of the gestures that lead from screen to screen
    and fill in forms. What the app would have to show on the way is supposed, and said. Each run was made by the guard
    with the policies in force, and is printed as a table, as a `test` that passes, or as a picture (SVG, or a graph
    for Graphviz). With --violate: runs that SPEC allows and that break a `deny` of the policy.

    Exit status: 0 a run was found, 1 none was found within the bound, which is said, 2 a file has errors or cannot be
    read, or what plans is not installed.
    """
    if violate and (planner != "z3" or folder):
        raise click.UsageError("--violate is for the planner z3, and without --pddl.")
    if planner == "route" and level == "actions":
        raise click.UsageError("--planner route plans gestures: --level actions is for z3 and pddl.")
    if number is not None and planner != "route":
        raise click.UsageError("-k is for --planner route: the others find one run for each end.")
    refuse_to_lose(output, (spec, *policies, *([violate] if violate else [])))
    refuse_to_replace(output, force)
    if folder is not None:
        refuse_folder(folder, force)
    loaded = solving.load_file(spec, "a plan is for a file", policies)
    machine = "json" if format == "json" else "text"
    if loaded.program is None:
        return solving.show_errors(loaded, machine)
    program = loaded.program
    if program.modules[program.main].kind != "spec":
        raise Failure(f"{loaded.file} is not a spec, so it has no end to plan for", "name a spec")
    guarded = solving.load_file(spec, "a plan is for a file", (*policies, violate)) if violate else loaded
    if guarded.program is None:
        return solving.show_errors(guarded, machine)
    if violate:
        _must_deny(violate, program, guarded.program)
    from vsalang.proof.prove.plan import Bounds, CannotStart

    bounds = Bounds(steps, level, limit, timeout)
    begin = _start(loaded, state, step)
    try:
        with telling() as tell:
            if folder is not None:
                write_pddl(Path(folder), loaded, begin, bounds)
            if violate:
                found = violation(program, guarded.program, begin, bounds, tell)
            elif number is not None:
                found = route(loaded, begin, bounds, number)
            else:
                found = PLANNERS[planner](loaded, begin, bounds, tell)
    except CannotStart as error:
        raise Failure(
            f"{state or spec}: {error}", "name a state in which the task goes on: --step N"
        ) from error
    shown = _show(guarded, found, format, bounds, planner)
    if output is not None:
        if found.plans or format == "json":
            write_text(Path(output), shown)
    else:
        echo(shown, nl=False)
    beside = list(_beside(guarded, found, bounds, planner)) if format != "json" else []
    inside = format == "text" and output is None  # else standard output has what was asked for only
    if beside and shown and inside:
        echo()
    for line in beside:
        echo(line, err=not inside)
    return EXIT_OK if found.plans else EXIT_FINDINGS


def _must_deny(violate: str, program: "Program", guarded: "Program") -> None:
    from vsalang.program.ir import Judge

    known = {rule.id for rule in program.rules}
    added = [rule for rule in guarded.rules if rule.id not in known]
    if not any(isinstance(rule.head, Judge) and rule.head.level == "deny" for rule in added):
        raise Failure(
            f"{violate} adds no `deny`, so no run can break it",
            "name a policy that forbids something, and that --policy does not put in force",
        )


def _start(loaded: "Loaded", state: str, step: int | None) -> "tuple[Turn, ...]":
    """The steps that lead to the state."""
    if not state:
        if step is not None:
            raise click.UsageError("--step needs --from.")
        return ()
    from vsalang.program.example import Turn
    from vsalang.tools.ask import AskError, Place, Wrong, read_state

    if "::" not in state and not state.lower().endswith(".vsa"):
        state = f"{loaded.file}::{state}"
    try:
        moves = read_state(Place(loaded), state, step=step).moves
    except Wrong as wrong:
        complain(wrong.diagnostics, wrong.sources, machine=False)
        raise Failure(f"{state} has errors", "fix the steps") from wrong
    except AskError as error:
        raise Failure(str(error)) from error
    return tuple(move for move in moves if isinstance(move, Turn))


# ---------------------------------------------------------------- what is said


def _show(loaded: "Loaded", found: "Planned", format: str, asked: "Bounds", planner: str) -> str:
    """What is printed, or written to a file; what was not found is printed next to it."""
    from vsalang.proof.prove.printing import source
    from vsalang.proof.prove.stories import apart
    from vsalang.proof.prove.telling import told

    program = loaded.checked()
    if format == "json":
        return json_text(_data(loaded, found, asked, planner), indent=2) + "\n"
    if format == "test":
        return source(program, apart(plan.story for plan in found.plans)) if found.plans else ""
    runs = [(_title(loaded, plan), told(program, plan)) for plan in found.plans]
    if format == "svg":
        from vsalang.proof.prove.picture import svg

        return svg(runs) if runs else ""
    if format == "dot":
        return graph(program.main, runs)
    tables = []
    for plan, (title, lines) in zip(found.plans, runs, strict=True):
        notes = [f"supposed: {note}" for note in plan.notes]
        tables.append("\n".join([f"{title}:", *table(lines), *notes]) + "\n")
    return "\n".join(tables)


def _beside(loaded: "Loaded", found: "Planned", asked: "Bounds", planner: str) -> Iterator[str]:
    """What was not found, and what was not looked at."""
    bound = f"no run was found {_bound(found, asked, planner)}"
    for rule in found.without:
        yield f"{solving.place_of_rule(loaded, rule)}: {rule}: {bound}; there may be one beyond it"
    for rule in found.undecided:
        yield f"{solving.place_of_rule(loaded, rule)}: {rule}: not decided; {bound}"
    for why in found.open:
        yield f"not decided: {why}"


def _title(loaded: "Loaded", plan: "Plan") -> str:
    return f"{plan.story.name} ({solving.place_of_rule(loaded, plan.rule)})"


def _bound(found: "Planned", asked: "Bounds", planner: str) -> str:
    if found.steps < 0:
        return "in the time that was given"
    if planner != "z3":
        return "on the map of screens" if planner == "route" else "with the values that the rules name"
    from vsalang.proof.prove.proposing import INSTANCES

    what = "gesture" if asked.level == "gestures" else "action"
    rows = f"{count(found.rows, 'row')} of each relation" if found.rows else "no rows"
    return f"with up to {count(found.steps, what)}, {rows} and {INSTANCES} instances of each clause at each point"


def _data(loaded: "Loaded", found: "Planned", asked: "Bounds", planner: str) -> dict[str, Any]:
    from vsalang.proof.prove.printing import source
    from vsalang.proof.prove.proposing import INSTANCES
    from vsalang.proof.prove.telling import told

    program = loaded.checked()
    return {
        "version": 1,
        "spec": loaded.file,
        "level": asked.level,
        "planner": planner,
        "plans": [
            {
                "rule": plan.rule,
                "length": plan.length,
                "steps": [
                    {
                        "if": list(line.facts),
                        "then": line.does,
                        "means": line.means or None,
                        "verdict": line.verdict,
                    }
                    for line in told(program, plan)
                ],
                "supposed": list(plan.notes),
                "test": source(program, [plan.story]),
            }
            for plan in found.plans
        ],
        "without": list(found.without),
        "undecided": list(found.undecided),
        "bound": {
            "asked": asked.steps,
            "steps": found.steps if found.steps >= 0 else None,
            "rows": found.rows if planner == "z3" else None,
            "instances": INSTANCES if planner == "z3" else None,
        },
        "open": list(found.open),
    }


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
        Failure: one is, and `force` is not given; or it is not a folder.
    """
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise Failure(f"{folder} is not a folder", "name a folder for domain.pddl and problem.pddl")
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
    return one_line(f"{named}: {dropped.reason}")


_HEADS = ("", "if the app shows", "do", "meaning", "verdict")
_WIDEST = (3, 46, 28, 36, 20)


def table(lines: Sequence["Line"]) -> list[str]:
    """The lines of a table with one row for each step; what is long is broken."""
    rows = [
        [
            _cell([f"{number}."], _WIDEST[0]),
            _cell(line.shows, _WIDEST[1]),
            _cell([line.does], _WIDEST[2]),
            _cell([line.means], _WIDEST[3]),
            _cell([line.verdict], _WIDEST[4]),
        ]
        for number, line in enumerate(lines, 1)
    ]
    used = [index for index in range(len(_HEADS)) if index == 0 or any(row[index] for row in rows)]
    widths = {
        index: max(columns(text) for text in [_HEADS[index], *(part for row in rows for part in row[index])])
        for index in used
    }
    found = [_joined([_HEADS[index] for index in used], [widths[index] for index in used])]
    found.append("  ".join("-" * widths[index] for index in used))
    for row in rows:
        for height in range(max(len(cell) for cell in row)):
            parts = [row[index][height] if height < len(row[index]) else "" for index in used]
            found.append(_joined(parts, [widths[index] for index in used]))
    return [f"  {line}".rstrip() for line in found]


def _cell(texts: Sequence[str], width: int) -> list[str]:
    return [part for text in texts if text for part in _broken(text, width)]


def _broken(text: str, width: int) -> list[str]:
    """The text in lines of a width; wide characters count twice."""
    room = width if columns(text) == len(text) else width // 2
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    return wrap(text, room, subsequent_indent=indent, break_on_hyphens=False)


def _joined(parts: Sequence[str], widths: Sequence[int]) -> str:
    padded = (part + " " * (width - columns(part)) for part, width in zip(parts, widths, strict=True))
    return "  ".join(padded).rstrip()


def graph(name: str, runs: Sequence[tuple[str, Sequence["Line"]]]) -> str:
    """The runs as one graph for Graphviz: from the start, by what is done if the app shows something, to an end."""
    from vsalang.language.notations.out.dot import quoted

    return "\n".join([f"digraph {quoted(name)} {{", *_graph(runs), "}"]) + "\n"


def _graph(runs: Sequence[tuple[str, Sequence["Line"]]]) -> Iterator[str]:
    from vsalang.language.notations.out.dot import quoted

    yield "  rankdir=TB; node [shape=box, fontsize=10]; edge [fontsize=9];"
    yield '  "start" [shape=circle, label="start"];'
    for number, (_, lines) in enumerate(runs, 1):
        before = "start"
        for step, line in enumerate(lines, 1):
            node = f"{number}.{step}"
            last = ", peripheries=2" if step == len(lines) else ""
            said = [line.does, *([line.means] if line.means else []), line.verdict]
            shows = ["if the app shows:", *line.shows] if line.shows else []
            text = "\n".join(said)
            yield f"  {quoted(node)} [label={quoted(text)}{last}];"
            beside = "\n".join(shows)
            yield f"  {quoted(before)} -> {quoted(node)} [label={quoted(beside)}];"
            before = node
