"""``vsac plan``: a shortest run to the end of a task, or one that breaks a policy; each was run by the guard."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from vsalang.cli import options, solving
from vsalang.cli.common import (
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    complain,
    count,
    format_option,
    require,
)
from vsalang.cli.output import echo, json_text
from vsalang.cli.progress import telling

if TYPE_CHECKING:
    from vsalang.core.example import Part, Turn
    from vsalang.core.ir import Program
    from vsalang.prove.plan import Plan, Planned
    from vsalang.semantics import Loaded


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
    default=6,
    show_default=True,
    metavar="N",
    help="How many actions a run may have.",
)
@click.option(
    "--violate", metavar="POLICY", help="Look for runs that break this policy, which is not in force."
)
@solving.timeout()
@solving.limit()
@format_option("text", "test", "dot", "json")
def command(
    *,
    spec: str,
    policies: tuple[str, ...],
    state: str,
    step: int | None,
    steps: int,
    violate: str | None,
    timeout: float,
    limit: float,
    format: str,
) -> int:
    """Show a shortest run from a state to the end of SPEC's task, for each way in which it can end.

    What the app would have to show on the way is supposed, and said. Each run was made by the guard with the policies
    in force, and is printed as text, as a `test` that passes, or as a graph for Graphviz. With --violate: runs that
    SPEC allows and that break a `deny` of the policy.

    Exit status: 0 a run was found, 1 none was found within the bound, which is said, 2 a file has errors or cannot be
    read, or Z3 is not installed.
    """
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
    require("z3", "smt")
    from vsalang.prove.plan import CannotStart, plan, violation

    start = _start(loaded, state, step)
    given: dict[str, Any] = {"start": start, "steps": steps, "seconds": limit, "each": timeout}
    try:
        with telling() as tell:
            if violate:
                found = violation(program, guarded.program, progress=tell, **given)
            else:
                found = plan(program, progress=tell, **given)
    except CannotStart as error:
        raise Failure(
            f"{state or spec}: {error}", "name a state in which the task goes on: --step N"
        ) from error
    _show(guarded, found, format, steps)
    return EXIT_OK if found.plans else EXIT_FINDINGS


def _must_deny(violate: str, program: "Program", guarded: "Program") -> None:
    from vsalang.core.ir import Judge

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
    from vsalang.ask import AskError, Place, Wrong, read_state
    from vsalang.core.example import Turn

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


def _show(loaded: "Loaded", found: "Planned", format: str, steps: int) -> None:
    if format == "json":
        click.echo(json_text(_data(loaded, found, steps), indent=2))
        return
    if format == "test" and found.plans:
        from vsalang.prove.printing import source
        from vsalang.prove.stories import apart

        echo(source(loaded.checked(), apart(plan.story for plan in found.plans)), nl=False)
    elif format == "dot":
        echo(_graph(loaded, found), nl=False)
    elif format == "text":
        for number, plan in enumerate(found.plans):
            echo(("\n" if number else "") + "\n".join(_lines(loaded, plan)))
    beside = format != "text"  # standard output has what was asked for only
    for rule in found.without:
        place = solving.place_of_rule(loaded, rule)
        echo(f"{place}: {rule}: no run was found {_bound(found)}; there may be one beyond it", err=beside)
    for why in found.open:
        echo(f"not decided: {why}", err=beside)


def _bound(found: "Planned") -> str:
    if found.steps < 0:
        return "in the time that was given"
    from vsalang.prove.plan import INSTANCES

    rows = f"{count(found.rows, 'row')} of each relation" if found.rows else "no rows"
    return f"with up to {count(found.steps, 'action')}, {rows} and {INSTANCES} instances of each clause at each point"


def _lines(loaded: "Loaded", plan: "Plan") -> Iterator[str]:
    yield f"{plan.story.name} ({solving.place_of_rule(loaded, plan.rule)}):"
    for number, (shows, does) in enumerate(_rows(loaded, plan), 1):
        lead = f"  {number}. "
        for index, shown in enumerate(shows):
            yield f"{lead if index == 0 else ' ' * len(lead)}{'if' if index == 0 else 'and'} {shown}"
        yield f"{' ' * len(lead) if shows else lead}{does}"


def _rows(loaded: "Loaded", plan: "Plan") -> Iterator[tuple[list[str], str]]:
    """For each action what must be so before it, and the action."""
    shows: list[str] = []
    does = ""
    for turn in plan.steps:
        if turn.kind == "approve":
            does += ", which must be approved"
            continue
        if does:
            yield shows, does
            shows, does = [], ""
        if turn.kind == "clock" and turn.clock is not None:
            shows.append(f"it is {turn.clock:%Y-%m-%d %H:%M}")
        elif turn.kind == "assume" and turn.assumed is not None:
            one, other, alike = turn.assumed
            shows.append(f'"{one}" {"means" if alike else "does not mean"} "{other}"')
        for part in turn.parts:
            if part.kind.startswith("observe"):
                shows.append(_seen(loaded, part))
            else:
                does = _done(loaded, part) + _outcome(turn)
    if does:
        yield shows, does


def _seen(loaded: "Loaded", part: "Part") -> str:
    from vsalang.prove.printing import fact

    words = {"observe no": "no ", "observe complete": "all rows of ", "observe screen": "the screen "}
    return f"the app shows {words.get(part.kind, '')}{fact(loaded.checked(), part.fact)}"


def _done(loaded: "Loaded", part: "Part") -> str:
    from vsalang.prove.printing import fact

    return "finish" if part.fact.relation == "finish" else f"do {fact(loaded.checked(), part.fact)}"


def _outcome(turn: "Turn") -> str:
    return f": denied by {', '.join(turn.expected.because)}" if turn.expected.levels == ("block",) else ""


def _data(loaded: "Loaded", found: "Planned", steps: int) -> dict[str, Any]:
    from vsalang.prove.plan import INSTANCES
    from vsalang.prove.printing import source

    return {
        "version": 1,
        "spec": loaded.file,
        "plans": [
            {
                "rule": plan.rule,
                "actions": plan.actions,
                "steps": [{"if": shows, "then": does} for shows, does in _rows(loaded, plan)],
                "test": source(loaded.checked(), [plan.story]),
            }
            for plan in found.plans
        ],
        "without": list(found.without),
        "bound": {
            "asked": steps,
            "actions": found.steps if found.steps >= 0 else None,
            "rows": found.rows,
            "instances": INSTANCES,
        },
        "open": list(found.open),
    }


def _graph(loaded: "Loaded", found: "Planned") -> str:
    """The runs as one graph for Graphviz: from the start, by what is done if the app shows something, to an end."""
    from vsalang.exporters.dot import quoted

    lines = [f"digraph {quoted(loaded.checked().main)} {{", "  rankdir=TB; node [shape=box, fontsize=10];"]
    lines.append('  "start" [shape=circle, label="start"];')
    for number, plan in enumerate(found.plans, 1):
        before = "start"
        rows = list(_rows(loaded, plan))
        for step, (shows, does) in enumerate(rows, 1):
            node = f"{number}.{step}"
            shape = ", shape=doublecircle" if step == len(rows) else ""
            label = "\n".join(f"{'and' if index else 'if'} {shown}" for index, shown in enumerate(shows))
            lines.append(f"  {quoted(node)} [label={quoted(does)}{shape}];")
            lines.append(f"  {quoted(before)} -> {quoted(node)} [label={quoted(label)}];")
            before = node
    return "\n".join([*lines, "}"]) + "\n"
