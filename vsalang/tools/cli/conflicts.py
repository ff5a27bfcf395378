"""``vsac prove conflicts``: what a task asks for that policies forbid or ask about, each case as a test."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from vsalang.tools.cli import solving
from vsalang.tools.cli.common import (
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    require,
)
from vsalang.tools.cli.output import echo, json_text
from vsalang.tools.cli.progress import telling

if TYPE_CHECKING:
    from vsalang.language.semantics import Loaded
    from vsalang.proof.prove.conflicts import Conflict

_WORDS = {"deny": "forbids it", "confirm": "asks about it", "warn": "warns about it"}


@click.command(name="conflicts")
@click.argument("spec", metavar="SPEC")
@click.argument("policies", nargs=-1, required=True, metavar="POLICY...")
@solving.timeout()
@solving.limit()
@format_option("text", "json")
def command(spec: str, policies: tuple[str, ...], timeout: float, limit: float, format: str) -> int:
    """Say what SPEC asks for that a POLICY forbids, asks about or warns about: always, or in some states.

    Each clause of SPEC is compared with each rule of the policies. Where they meet, a state is shown as a test, which
    was run with the policies in force. Rules that cannot apply while SPEC is done are named, with the reason.

    Exit status: 0 no rule speaks against what SPEC asks for, 1 one does or something could not be decided, 2 a file has
    errors or cannot be read, or Z3 is not installed.
    """
    alone = solving.load_file(spec, "SPEC is a file")
    guarded = solving.load_file(spec, "SPEC is a file", policies)
    spec = alone.file
    if alone.program is None or guarded.program is None:
        return solving.show_errors(guarded, format)
    if alone.program.modules[alone.program.main].kind != "spec":
        raise Failure(f"{spec} is not a spec, so it asks for nothing", "name a spec first, then policies")
    require("z3", "smt")
    from vsalang.proof.prove.conflicts import Conflict, Idle, Unasked, Undecided, conflicts

    with telling() as tell:
        found = list(conflicts(alone.program, guarded.program, seconds=limit, each=timeout, progress=tell))
    met = [item for item in found if isinstance(item, Conflict)]
    left = [item for item in found if isinstance(item, Undecided)]
    idle = [(item.rule, item.why) for item in found if isinstance(item, Idle)]
    unasked = [(item.rule, item.why) for item in found if isinstance(item, Unasked)]
    if format == "json":
        data = {
            "version": 1,
            "spec": spec,
            "policies": list(policies),
            "conflicts": [_data(guarded, item) for item in met],
            "idle": [{"rule": rule, "why": why} for rule, why in idle],
            "unasked": [{"rule": rule, "why": why} for rule, why in unasked],
            "open": [{"clause": item.clause, "rule": item.rule, "why": item.why} for item in left],
        }
        click.echo(json_text(data, indent=2))
    else:
        _text(guarded, met)
        for rule, why in idle:
            echo(f"{solving.place_of_rule(guarded, rule)}: {rule} cannot apply: {why}")
        for rule, why in unasked:
            echo(f"{solving.place_of_rule(guarded, rule)}: {rule} was not compared: {why}")
        for item in left:
            clause = solving.place_of_rule(guarded, item.clause)
            echo(f"{solving.place_of_rule(guarded, item.rule)}: not decided for {clause}: {item.why}")
        if not (met or left):
            echo(f"no rule speaks against what {spec} asks for")
    return EXIT_FINDINGS if met or left else EXIT_OK


def _text(guarded: "Loaded", met: "Sequence[Conflict]") -> None:
    from vsalang.program.show import title
    from vsalang.proof.prove.printing import source

    program = guarded.checked()
    rules = {rule.id: rule for rule in program.rules}
    last = ""
    for item in met:
        if item.clause != last:
            echo(f"{solving.place_of_rule(guarded, item.clause)}: {title(rules[item.clause])}")
            last = item.clause
        echo(f"  {item.rule} {_how(item)} ({solving.place_of_rule(guarded, item.rule)}):")
        for line in source(program, [item.story]).rstrip("\n").split("\n"):
            echo(f"    {line}")


def _how(item: "Conflict") -> str:
    if item.how == "sometimes":
        return f"{_WORDS[item.level]} in some states"
    bound = "" if item.bound is None else f", with up to {item.bound} rows per relation"
    return f"always {_WORDS[item.level]}{bound}"


def _data(guarded: "Loaded", item: "Conflict") -> dict[str, Any]:
    from vsalang.proof.prove.printing import source

    return {
        "clause": item.clause,
        "rule": item.rule,
        "level": item.level,
        "how": item.how,
        "bound": item.bound,
        "test": source(guarded.checked(), [item.story]),
    }
