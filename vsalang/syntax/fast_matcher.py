"""A fast matcher for files that are expected to have no mistake: it gives Arpeggio's parse tree in half the time.

Arpeggio stores for every rule that does not match what an error message would need, and signals failure by exceptions.
Here each parsing expression of the compiled grammar becomes a function that returns how far it matched, or -1. A text
that does not match is given to Arpeggio, which finds out why.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Run: TypeAlias = Callable[[str, int, list[Any]], int]
"""Matches at an offset that is no blank, and appends the nodes; returns the offset after the match and the blanks that
follow, or -1. If it returns -1, nodes of a part that matched may have been appended: the caller removes them."""

_BLANKS = re.compile(r"[ \t\r\n]*+")


class Leaf:
    """A token, with the attributes of Arpeggio's Terminal that builders use."""

    __slots__ = ("position", "position_end", "rule", "rule_name", "value")

    def __init__(self, rule: Any, position: int, position_end: int, value: str) -> None:
        self.rule = rule
        self.rule_name: str = rule.rule_name
        self.position = position
        self.position_end = position_end
        self.value = value


class Branch(list[Any]):
    """A node with at least one child, with the attributes of Arpeggio's NonTerminal that builders use."""

    __slots__ = ("position", "position_end", "rule", "rule_name")

    def __init__(self, rule: Any, children: list[Any]) -> None:
        super().__init__(children)
        self.rule = rule
        self.rule_name: str = rule.rule_name
        self.position: int = children[0].position
        self.position_end: int = children[-1].position_end


def compiled(rule: Any) -> Callable[[str], Any]:
    """A function that gives the node of a rule for a whole text without comments; None where it does not match.

    Raises:
        UnknownExpression: the grammar has a parsing expression that cannot be run here.
    """
    run = _Compiler().run(rule)

    def parse(text: str) -> Any:
        found: list[Any] = []
        start = _BLANKS.match(text).end()  # type: ignore[union-attr]
        return found[0] if run(text, start, found) == len(text) and found else None

    return parse


class UnknownExpression(Exception):
    """The grammar has a parsing expression that this module cannot run."""


class _Compiler:
    """Makes the function of each parsing expression once; rules refer to each other in circles."""

    def __init__(self) -> None:
        self.done: dict[int, Run] = {}

    def run(self, node: Any) -> Run:
        """The function of a parsing expression."""
        known = self.done.get(id(node))
        if known is not None:
            return known
        made: list[Run] = []

        def later(text: str, at: int, out: list[Any]) -> int:
            return made[0](text, at, out)

        self.done[id(node)] = later
        made.append(self._made(node))
        self.done[id(node)] = made[0]
        return made[0]

    def _made(self, node: Any) -> Run:
        import arpeggio as a

        odd = [name for name in ("suppress", "eolterm", "ws", "skipws") if getattr(node, name, None)]
        if odd:
            raise UnknownExpression(f"{node.name}: {odd[0]}")
        if isinstance(node, a.RegExMatch):
            return _leaf(node, node.regex)
        if type(node) is a.StrMatch and not node.ignore_case:
            return _leaf(node, re.compile(re.escape(node.to_match)))
        parts = [self.run(part) for part in node.nodes]
        kind = type(node)
        if kind is a.Sequence:
            run = _sequence(parts)
        elif kind is a.OrderedChoice:
            run = _choice(parts)
        elif kind is a.Optional:
            run = _optional(parts[0])
        elif kind in (a.ZeroOrMore, a.OneOrMore):
            run = _repetition(parts[0], self.run(node.sep) if node.sep else None, kind is a.OneOrMore)
        elif kind is a.And:
            run = _ahead(_sequence(parts))
        else:
            raise UnknownExpression(f"{node.name}: {kind.__name__}")
        return _rule(node, run) if node.root else run


def _leaf(rule: Any, regex: re.Pattern[str]) -> Run:
    match, blanks = regex.match, _BLANKS.match

    def run(text: str, at: int, out: list[Any]) -> int:
        found = match(text, at)
        if found is None:
            return -1
        end = found.end()
        if end == at:
            return at
        out.append(Leaf(rule, at, end, found.group()))
        return blanks(text, end).end()  # type: ignore[union-attr]

    return run


def _rule(rule: Any, inner: Run) -> Run:
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


def _optional(part: Run) -> Run:
    def run(text: str, at: int, out: list[Any]) -> int:
        size = len(out)
        end = part(text, at, out)
        if end >= 0:
            return end
        del out[size:]
        return at

    return run


def _repetition(part: Run, separator: Run | None, once: bool) -> Run:
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


def _ahead(part: Run) -> Run:
    def run(text: str, at: int, out: list[Any]) -> int:
        return at if part(text, at, []) >= 0 else -1

    return run
