"""A fast matcher for files that are expected to have no mistake: it gives Arpeggio's parse tree in half the time.

Arpeggio stores for every rule that does not match what an error message would need, and signals failure by exceptions.
Here each parsing expression of the compiled grammar becomes a function that returns how far it matched, or -1. A text
that does not match is given to Arpeggio, which finds out why. The expressions are plain data: what textX makes of the
grammar is kept in a file, and textX is needed for mistakes only.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

Run: TypeAlias = Callable[[str, int, list[Any]], int]
"""Matches at an offset that is not a blank, and appends the nodes; returns the offset after the match and the blanks
that follow, or -1. If it returns -1, nodes of a part that matched may have been appended: the caller removes them."""

PIECES: Final = ("Item", "Import", "Header")
"""The rules of which a file consists."""

_BLANKS = re.compile(r"[ \t\r\n]*+")


class Rule:
    """What builders ask of the rule of a node; the names are those of textX."""

    __slots__ = ("_attr_name", "rule_name")

    def __init__(self, rule_name: str, attr: str) -> None:
        self.rule_name = rule_name
        self._attr_name = attr


class Leaf:
    """A token, with the attributes of Arpeggio's Terminal that builders use."""

    __slots__ = ("position", "position_end", "rule", "rule_name", "value")

    def __init__(self, rule: Rule, position: int, position_end: int, value: str) -> None:
        self.rule = rule
        self.rule_name = rule.rule_name
        self.position = position
        self.position_end = position_end
        self.value = value


class Branch(list[Any]):
    """A node with at least one child, with the attributes of Arpeggio's NonTerminal that builders use."""

    __slots__ = ("position", "position_end", "rule", "rule_name")

    def __init__(self, rule: Rule, children: list[Any]) -> None:
        super().__init__(children)
        self.rule = rule
        self.rule_name = rule.rule_name
        self.position: int = children[0].position
        self.position_end: int = children[-1].position_end


class UnknownExpression(Exception):
    """The grammar has a parsing expression that this module cannot run."""


class Expression(NamedTuple):
    """A parsing expression as plain data.

    Attributes:
        kind: a key of `_KINDS`, or ``text`` or ``pattern``.
        rule: the name of the rule; it has nodes of its own where `root` is true.
        attr: the name of what an assignment assigns.
        root: see `rule`.
        parts: the places of the expressions inside; of a repetition with a separator, that is the second.
        text: the text, or the regular expression.
        flags: of the regular expression.
    """

    kind: str
    rule: str
    attr: str
    root: bool
    parts: list[int]
    text: str
    flags: int


def described(rule: Any) -> list[Expression]:
    """The expressions that a rule of Arpeggio consists of, itself first.

    Raises:
        UnknownExpression: the grammar has a parsing expression that cannot be run here.
    """
    import arpeggio as a

    kinds = {
        a.Sequence: "sequence", a.OrderedChoice: "choice", a.Optional: "optional", a.ZeroOrMore: "many",
        a.OneOrMore: "some", a.And: "ahead", a.StrMatch: "text",
    }  # fmt: skip
    rules, places = [rule], {id(rule): 0}
    table = []
    for node in rules:
        kind = "pattern" if isinstance(node, a.RegExMatch) else kinds.get(type(node), "")
        odd = [name for name in ("suppress", "eolterm", "ws", "skipws") if getattr(node, name, None)]
        if odd or not kind or (kind == "text" and node.ignore_case):
            raise UnknownExpression(f"{node.name}: {odd[0] if odd else type(node).__name__}")
        leaf = kind in ("text", "pattern")
        separator = getattr(node, "sep", None)
        parts = [] if leaf else [*node.nodes, separator] if separator else node.nodes
        for part in parts:
            if id(part) not in places:
                places[id(part)] = len(rules)
                rules.append(part)
        table.append(
            Expression(
                kind,
                node.rule_name,
                getattr(node, "_attr_name", ""),
                bool(node.root),
                [places[id(part)] for part in parts],
                (node.regex.pattern if kind == "pattern" else node.to_match) if leaf else "",
                node.regex.flags if kind == "pattern" else 0,
            )
        )
    return table


class Matcher:
    """Matches texts without comments by a table of expressions. Needs no lock: nothing changes once it is made."""

    def __init__(self, table: Sequence[Expression]) -> None:
        compiler = _Compiler(table)
        self._whole = compiler.run(0)
        rules = {node.rule: place for place, node in reversed([*enumerate(table)]) if node.root}
        self._pieces = _repetition([_choice([compiler.run(rules[name]) for name in PIECES])])

    def whole(self, text: str) -> Any:
        """The node of the first expression for a whole text; None where it does not match."""
        nodes, end = _all(self._whole, text)
        return nodes[0] if end == len(text) and nodes else None

    def pieces(self, text: str) -> tuple[list[Any], int]:
        """The nodes of the `PIECES` at the beginning of a text, as many as match, and where what follows begins."""
        return _all(self._pieces, text)


def _all(run: Run, text: str) -> tuple[list[Any], int]:
    nodes: list[Any] = []
    return nodes, run(text, _BLANKS.match(text).end(), nodes)  # type: ignore[union-attr]


class _Compiler:
    """Makes the function of each parsing expression once; rules refer to each other in circles."""

    def __init__(self, table: Sequence[Expression]) -> None:
        self.table = table
        self.done: dict[int, Run] = {}

    def run(self, place: int) -> Run:
        """The function of a parsing expression."""
        known = self.done.get(place)
        if known is not None:
            return known
        made: list[Run] = []

        def later(text: str, at: int, out: list[Any]) -> int:
            return made[0](text, at, out)

        self.done[place] = later
        made.append(self._made(self.table[place]))
        self.done[place] = made[0]
        return made[0]

    def _made(self, node: Expression) -> Run:
        rule = Rule(node.rule, node.attr)
        if node.kind in ("text", "pattern"):
            return _leaf(
                rule, re.compile(re.escape(node.text) if node.kind == "text" else node.text, node.flags)
            )
        run = _KINDS[node.kind]([self.run(part) for part in node.parts])
        return _rule(rule, run) if node.root else run


def _leaf(rule: Rule, regex: re.Pattern[str]) -> Run:
    match, blanks = regex.match, _BLANKS.match

    def run(text: str, at: int, out: list[Any]) -> int:
        leaf_match = match(text, at)
        if leaf_match is None:
            return -1
        end = leaf_match.end()
        if end == at:
            return at
        out.append(Leaf(rule, at, end, leaf_match.group()))
        return blanks(text, end).end()  # type: ignore[union-attr]

    return run


def _rule(rule: Rule, inner: Run) -> Run:
    def run(text: str, at: int, out: list[Any]) -> int:
        children: list[Any] = []
        at = inner(text, at, children)
        if at >= 0 and children:
            out.append(Branch(rule, children))
        return at

    return run


def _sequence(parts: Sequence[Run]) -> Run:
    if len(parts) == 1:
        return parts[0]

    def run(text: str, at: int, out: list[Any]) -> int:
        for part in parts:
            at = part(text, at, out)
            if at < 0:
                return -1
        return at

    return run


def _choice(parts: Sequence[Run]) -> Run:
    def run(text: str, at: int, out: list[Any]) -> int:
        size = len(out)
        for part in parts:
            end = part(text, at, out)
            if end >= 0 and len(out) > size:
                return end
            del out[size:]
        return -1

    return run


def _optional(parts: Sequence[Run]) -> Run:
    (part,) = parts

    def run(text: str, at: int, out: list[Any]) -> int:
        size = len(out)
        end = part(text, at, out)
        if end >= 0:
            return end
        del out[size:]
        return at

    return run


def _repetition(parts: Sequence[Run], once: bool = False) -> Run:
    part, separator = parts[0], parts[1] if len(parts) > 1 else None

    def run(text: str, at: int, out: list[Any]) -> int:
        first = True
        while True:
            here = at
            if separator is not None and not first:
                here = separator(text, at, out)
                if here < 0:
                    return at
            # a separator that nothing follows stays among the nodes, as in Arpeggio: their ends must be the same
            size = len(out)
            end = part(text, here, out)
            if end < 0 or len(out) == size:
                del out[size:]
                return -1 if first and once and end < 0 else at
            at, first = end, False

    return run


def _ahead(parts: Sequence[Run]) -> Run:
    part = _sequence(parts)

    def run(text: str, at: int, out: list[Any]) -> int:
        return at if part(text, at, []) >= 0 else -1

    return run


_KINDS: Final[dict[str, Callable[[Sequence[Run]], Run]]] = {
    "sequence": _sequence,
    "choice": _choice,
    "optional": _optional,
    "many": _repetition,
    "some": partial(_repetition, once=True),
    "ahead": _ahead,
}
