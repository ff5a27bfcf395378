"""L0034: a capture inside an aggregate that has the name of a variable outside."""

from collections.abc import Iterable, Iterator
from typing import Any

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes, variables
from vsalang.language.syntax import tree as t


def find(context: Context) -> Iterable[Diagnostic]:
    """Named groups of patterns inside `count(..)`, `every ..` and the like that the rest of the rule names, too."""
    for rule in context.tree_rules():
        ranging = [range_of for item in nodes(rule) for range_of in _ranging(item)]
        outside = _outside(rule, [inner for inner, _ in ranging])
        for inner, word in ranging:
            for pattern in (node for node in nodes(inner) if isinstance(node, t.Regex)):
                for name in dict.fromkeys(name for name, _ in variables(pattern)):
                    if name not in outside:
                        continue
                    place = outside[name]
                    yield warning(
                        RULE.code,
                        pattern.span,
                        f"what is captured as `{name}` here is the `?{name}` outside: `{word}` looks at no other rows",
                        label="only rows with just this text count",
                        labels=(Label(place.span, f"`?{name}` outside"),) if place is not None else (),
                        help="give the capture a name of its own, or none: `(..)`",
                    )


def _ranging(item: Any) -> Iterator[tuple[Any, str]]:
    """The part over which an aggregate ranges, and the aggregate's word."""
    if isinstance(item, t.Aggregate):
        yield item.lit, item.fn.text
    elif isinstance(item, t.Quantified) and not isinstance(item, t.First):
        yield (item.atom, item.has), item.word


def _outside(rule: t.Rule, ranging: list[Any]) -> dict[str, t.Var | None]:
    """The variables that a rule mentions outside its aggregates, each with its place if it has one."""
    within = {id(node) for inner in ranging for node in nodes(inner)}
    places: dict[str, t.Var | None] = {}
    for node in nodes(rule):
        if id(node) not in within and isinstance(node, t.Var | t.Regex | t.JudgeHead):
            for name, place in variables(node):
                places[name] = places.get(name) or place
    return places


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'state Total key (room) "What a room costs" {\n  room: Text "the room"\n  rows: Number "how many rows"\n}\n'
    "update Total(room = ?room, rows = ?n)\n"
    '  when Node(id = "room", text = ?room), count(Node(text matches /^(?<{name}>\\w+) - /)) = ?n.\n'
)
RULE = Rule(
    "L0034",
    "joined-capture",
    "capture inside an aggregate that has the name of a variable outside",
    "A variable of an aggregate that is bound outside, too, groups: only rows that agree with it are looked at. For "
    "`a = ?x` one sees that; the named group of a pattern looks as if it only read something. If all rows are meant, "
    "give the group another name or none; if those that agree are meant, ignore this.",
    _APP.replace("{name}", "room"),
    _APP.replace("(?<{name}>\\w+)", "\\w+"),
    find,
    fix="none: all rows, or those that agree",
)
