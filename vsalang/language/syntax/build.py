"""From the parser's tree of nodes to the syntax tree: values, conditions, bodies. (Items are in `build_items`.)"""

import re
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from vsalang.base.diagnostics.diagnostic import Diagnostic, Edit, Fix, error
from vsalang.base.source import Span
from vsalang.language.syntax import tokens, tree
from vsalang.language.syntax.scan import one_blank
from vsalang.program.reserved_words import AGGREGATES, RESERVED

Node: TypeAlias = Any
"""A node of Arpeggio's parse tree, which has no types: `rule_name`, `position`, `position_end`, children."""

MAX_CHAIN: Final = 200
"""The most operands of one sum or product, and the most parts of one chain of ``then``."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
_ARG = re.compile(
    rf"[ \t\r\n,]*+(?P<attr>{_NAME})[ \t\r\n]*+(?P<op>!=|!~=|<=|>=|~=|=|<|>|not[ \t\r\n]++contains|contains)"
    r'[ \t\r\n]*+(?P<value>"(?:[^"\\\n]|\\.)*+"|[^ \t\r\n,)]++)'
)
_NEGATION = re.compile(r"(not|no)[ \t\r\n]+")
_ATOM_NAME = re.compile(rf"{_NAME}(?:\.{_NAME})*+")
_EARLIER = re.compile(r"earlier\Z")


class BuildError(Exception):
    """Text that the grammar allows and the language does not; carries the finding."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def fields(node: Node) -> dict[str, Node]:
    """The assignments of a node by name (``name=QName`` is ``name``)."""
    return {child.rule._attr_name: child for child in node if child.rule_name[:6] == "__asgn"}


def elements(node: Node | None) -> Iterable[Node]:
    """The elements of an assignment of several, without the separators."""
    return () if node is None else (child for child in node if child.rule_name not in _MARKS)


def op_text(raw: str) -> str:
    """An operator with single blanks and without comments."""
    return one_blank(raw) if raw[0] == "n" else raw


class Builder:
    """Builds the nodes of a text that begins at offset `base` of `file`."""

    def __init__(self, file: str, base: int = 0) -> None:
        self.file = file
        self.base = base

    # ------------------------------------------------------------ places and errors

    def span(self, start: int, end: int) -> Span:
        """The span of positions of the parsed text."""
        return Span(self.file, self.base + start, self.base + end)

    def of(self, node: Node) -> Span:
        """The span of a node."""
        return self.span(node.position, node.position_end)

    def fail(
        self, code: str, span: Span, message: str, *, help: str = "", instead: str | None = None
    ) -> BuildError:
        """The exception for a mistake; `instead`: the text that would be right."""
        fixes = () if instead is None else (Fix(f"write `{instead}`", (Edit(span, instead),)),)
        return BuildError(error(code, span, message, help=help, fixes=fixes))

    def refuse(self, problem: tokens.TokenError, position: int) -> BuildError:
        """The exception for a token without meaning at `position`."""
        span = self.span(position + problem.start, position + problem.end)
        return self.fail(
            problem.code, span, problem.message, help=problem.help, instead=problem.instead or None
        )

    # ------------------------------------------------------------ names and texts

    def name(self, node: Node) -> tree.Name:
        """A name token (or an assignment of one)."""
        while node_children(node):
            node = node[0]
        return tree.Name(node.value, self.of(node))

    def names(self, node: Node | None) -> tuple[tree.Name, ...]:
        """The names of a list."""
        return tuple(tree.Name(child.value, self.of(child)) for child in elements(node))

    def text(self, node: Node) -> tree.Text:
        """A string token (or an assignment of one)."""
        while node_children(node):
            node = node[0]
        return self.string(node.value, node.position)

    def constant(self, node: Node) -> tree.Expr:
        """A one-token value, or the name of a constant (or an assignment of one)."""
        while node_children(node):
            node = node[0]
        return self.scalar_token(node.value, node.position)

    def texts(self, node: Node | None) -> tuple[tree.Text, ...]:
        """The strings of a list."""
        return tuple(self.text(child) for child in elements(node))

    def string(self, raw: str, position: int) -> tree.Text:
        """The text node of a string token."""
        try:
            value, block = tokens.decode_string(raw)
        except tokens.TokenError as problem:
            raise self.refuse(problem, position) from problem
        return tree.Text(value, self.span(position, position + len(raw)), block)

    # ------------------------------------------------------------ values

    def scalar_token(self, raw: str, position: int) -> tree.Expr:
        """The value of a one-token expression; its first character says which kind it is."""
        span = self.span(position, position + len(raw))
        first = raw[0]
        if first == '"':
            return self.string(raw, position)
        if first == "?":
            return tree.Var(raw[1:], span)
        if first in "-0123456789":
            return self.literal(raw, position, span)
        return self.word(raw, span)

    def literal(self, raw: str, position: int, span: Span) -> tree.Scalar:
        """A number, duration, date or time."""
        value: tokens.ScalarValue
        try:
            if ":" in raw:
                value = tokens.decode_time(raw)
            elif "-" in raw[1:]:
                value = tokens.decode_date(raw)
            else:
                value = tokens.decode_number(raw)
        except tokens.TokenError as problem:
            raise self.refuse(problem, position) from problem
        return tree.Scalar(value, raw, span)

    def word(self, raw: str, span: Span) -> tree.Expr:
        """A bare word as a value."""
        if raw == "_":
            return tree.Wildcard(span)
        if raw in RESERVED:
            if raw in tokens.WORD_VALUES:
                return tree.Scalar(tokens.WORD_VALUES[raw], raw, span)
            if raw == "unknown":
                return tree.Unknown(span)
            if raw != "today":
                raise self.fail(
                    "E0115",
                    span,
                    f"`{raw}` is a keyword and cannot be used as a value",
                    help=f'a member of an enum that is called so is written in quotes: "{raw}"',
                    instead=f'"{raw}"',
                )
        return tree.Ref(raw, span)

    def expr(self, node: Node) -> tree.Expr:
        """Any expression node."""
        kind = node.rule_name
        while kind in _WRAPPERS:
            node = node[0]
            kind = node.rule_name
        if kind in _TOKENS:
            return self.scalar_token(node.value, node.position)
        if kind == "Regex":
            try:
                source, flags = tokens.decode_regex(node.value)
            except tokens.TokenError as problem:
                raise self.refuse(problem, node.position) from problem
            return tree.Regex(source, flags, self.of(node))
        if kind in ("Sum", "Product"):
            return self.chain(node)
        parts = fields(node)
        span = self.of(node)
        if kind == "Negation":
            return tree.Negate(self.expr(parts["operand"]), span)
        if kind == "Call":
            fn = self.name(parts["fn"])
            if fn.text in AGGREGATES:
                if len(list(elements(parts.get("args")))) > 1:
                    form = "count(A(..))" if fn.text == "count" else f"{fn.text}(a of A(..))"
                    help = f"write {form} with one relation; `define` one that joins the rows of several"
                    raise self.fail("E0116", span, "an aggregate is of one relation", help=help)
                help = f"write {fn.text}(..) = .. with the value on the right"
                raise self.fail(
                    "E0116", span, "an aggregate is written on the left of a comparison", help=help
                )
            return tree.Call(fn, tuple(self.expr(child) for child in elements(parts.get("args"))), span)
        if kind == "Paren":
            return tree.Paren(self.expr(parts["inner"]), span)
        if kind == "Set":
            return tree.SetOf(tuple(self.expr(child) for child in elements(parts.get("items"))), span)
        raise AssertionError(f"no expression is called {kind}")

    def chain(self, node: Node) -> tree.Expr:
        """``a + b - c``, to the left."""
        result = self.expr(node[0])
        operands = node_children(node)[1:]
        if len(operands) // 2 >= MAX_CHAIN:
            raise self.fail("E0117", self.of(node), f"more than {MAX_CHAIN} values are joined by operators")
        for at in range(0, len(operands), 2):
            right = self.expr(operands[at + 1])
            result = tree.Binary(operands[at][0].value, result, right, result.span.cover(right.span))
        return result

    # ------------------------------------------------------------ constraints and atoms

    def args(self, node: Node | None) -> tuple[tree.Arg, ...]:
        """The constraints of a list."""
        return tuple(self.arg(child) for child in elements(node))

    def arg(self, node: Node) -> tree.Arg:
        """One constraint."""
        parts = fields(node)
        quick = parts.get("quick")
        if quick is not None:
            match = _ARG.match(quick[0].value)
            assert match is not None
            return self.quick_arg(match, quick.position)
        known = parts.get("known")
        if known is not None:
            return tree.Arg(
                self.name(parts["attr"]), known[0].value, None, None, self.of(node), self.of(known)
            )
        op, value, hi = self.comparison(parts, "value")
        return tree.Arg(self.name(parts["attr"]), op, value, hi, self.of(node), self.of(parts["op"]))

    def comparison(self, parts: dict[str, Node], side: str) -> tuple[str, tree.Expr, tree.Expr | None]:
        """Operator, value and end of range, checked to go together."""
        op = op_text(parts["op"][0].value)
        value = self.expr(parts[side])
        hi = self.expr(parts["hi"]) if "hi" in parts else None
        if hi is not None and op not in ("in", "not in"):
            span = value.span.cover(hi.span)
            raise self.fail(
                "E0116",
                self.of(parts["op"]) if op in ("=", "!=") else span,
                f"a range is written after `in`, not after `{op}`",
                help="write a in lo..hi",
                instead={"=": "in", "!=": "not in"}.get(op),
            )
        if isinstance(value, tree.Regex) != (op in ("matches", "not matches")) and not isinstance(
            value, tree.Ref | tree.Text
        ):
            if isinstance(value, tree.Regex):
                message = f"a regular expression is written after `matches`, not after `{op}`"
                instead = {"=": "matches", "~=": "matches", "contains": "matches"}.get(op)
                if instead is None and op in ("!=", "!~=", "not contains"):
                    instead = "not matches"
                if instead is not None:
                    fix = Fix(f"write `{instead}`", (Edit(self.of(parts["op"]), instead),))
                    raise BuildError(error("E0116", value.span, message, fixes=(fix,)))
            else:
                message = f"after `{op}` a regular expression is expected"
            raise self.fail("E0116", value.span, message, help="write a matches /.../")
        return op, value, hi

    def quick_arg(self, match: re.Match[str], shift: int) -> tree.Arg:
        """A constraint of a quick token; `shift` is where the token begins."""
        attr_start, attr_end = match.span("attr")
        op_start, op_end = match.span("op")
        value_start, value_end = match.span("value")
        return tree.Arg(
            tree.Name(match["attr"], self.span(shift + attr_start, shift + attr_end)),
            op_text(match["op"]),
            self.scalar_token(match["value"], shift + value_start),
            None,
            self.span(shift + attr_start, shift + value_end),
            self.span(shift + op_start, shift + op_end),
        )

    def quick_atom(self, raw: str, at: int, end: int, shift: int) -> tree.Atom:
        """The atom at ``raw[at:end]``, all of whose constraints are quick."""
        match = _ATOM_NAME.match(raw, at)
        assert match is not None
        name = tree.Name(match.group(), self.span(shift + at, shift + match.end()))
        if match.end() == end:
            return tree.Atom(name, (), name.span)
        args: list[tree.Arg] = []
        place = raw.index("(", match.end()) + 1
        while argument := _ARG.match(raw, place):
            args.append(self.quick_arg(argument, shift))
            place = argument.end()
        return tree.Atom(name, tuple(args), self.span(shift + at, shift + end), "", True)

    def quick_literal(self, node: Node) -> tree.Lit:
        """A condition that is one token."""
        raw, shift = node.value, node.position
        neg, at, end = "", 0, len(raw)
        past = None
        if match := _NEGATION.match(raw):
            neg, at = match[1], match.end()
        if raw[-1] != ")" and (match := _EARLIER.search(raw)) and raw[match.start() - 1] in " \t\r\n":
            past = tree.Past("earlier", self.span(shift + match.start(), shift + end))
            end = len(raw[: match.start()].rstrip())
        atom = self.quick_atom(raw, at, end, shift)
        return tree.Lit(atom, self.of(node), neg, False, past)

    def atom(self, node: Node) -> tree.Atom:
        """``[screen|goto] Name(constraints)``"""
        parts = fields(node)
        if "quick" in parts:
            token = parts["quick"][0]
            return self.quick_atom(token.value, 0, len(token.value), token.position)
        place = parts["place"][0].value if "place" in parts else ""
        name = self.name(parts["name"])
        return tree.Atom(name, self.args(parts.get("args")), self.of(node), place, "close" in parts)

    # ------------------------------------------------------------ literals

    def literals(self, node: Node | None) -> tuple[tree.Literal, ...]:
        """The conditions of a list."""
        return tuple(self.body_literal(child) for child in elements(node))

    def body_literal(self, node: Node) -> tree.Literal:
        """One condition: a quick one, or a chain of one or more parts."""
        inner = node[0]
        if inner.rule_name == "QuickLiteral":
            return self.quick_literal(inner)
        parts = list(elements(inner[0]))
        if len(parts) == 1:
            return self.plain_literal(parts[0][0])
        if len(parts) > MAX_CHAIN:
            raise self.fail("E0117", self.of(inner), f"more than {MAX_CHAIN} parts are joined by `then`")
        groups: list[tuple[tree.Literal, ...]] = []
        for part in parts:
            child = part[0]
            if child.rule_name == "Group":
                groups.append(self.literals(fields(child)["literals"]))
            else:
                groups.append((self.plain_literal(child),))
        return tree.Then(tuple(groups), self.of(inner))

    def plain_literal(self, node: Node) -> tree.Literal:
        """A condition without ``then``."""
        kind = node.rule_name
        parts = fields(node)
        if kind in ("Condition", "BareCondition"):
            return self.condition(node, parts)
        span = self.of(node)
        if kind == "Compare":
            left = self.expr(parts["left"])
            if "known" in parts:
                known = parts["known"]
                return tree.Compare(left, known[0].value, None, None, span, self.of(known))
            op, right, hi = self.comparison(parts, "right")
            return tree.Compare(left, op, right, hi, span, self.of(parts["op"]))
        if kind == "Aggregate":
            op, right, hi = self.comparison(parts, "right")
            attr = self.name(parts["attr"]) if "attr" in parts else None
            lit = self.condition(parts["lit"][0], fields(parts["lit"][0]))
            fn = self.name(parts["fn"])
            if (attr is None) != (fn.text == "count"):
                shape = "count(A)" if attr is not None else f"{fn.text}(attribute of A)"
                place = attr.span if attr is not None else fn.span
                fixes: tuple[Fix, ...] = ()
                if attr is not None:
                    words = Span(attr.span.file, attr.span.start, lit.span.start)
                    fixes = (Fix(f"write `{shape}`", (Edit(words, ""),)),)
                elif (dotted := lit.atom.name.text.rpartition("."))[0] and not lit.atom.args:
                    instead = f"{dotted[2]} of {dotted[0]}"
                    fixes = (Fix(f"write `{instead}`", (Edit(lit.atom.span, instead),)),)
                message = f"`{fn.text}` is written `{shape}`"
                raise BuildError(error("E0116", place, message, fixes=fixes))
            return tree.Aggregate(fn, attr, lit, op, right, hi, span, self.of(parts["op"]))
        if kind == "Quantified":
            return self.quantified(node, parts, span)
        assert kind == "Spent"
        return tree.Spent(self.name(parts["action"]), span)

    def condition(self, node: Node, parts: dict[str, Node]) -> tree.Lit:
        """``[not|no] [before] Atom [past]``"""
        neg = parts["neg"][0].value if "neg" in parts else ""
        past = self.past(parts["past"][0][0]) if "past" in parts else None
        return tree.Lit(self.atom(parts["atom"][0]), self.of(node), neg, "before" in parts, past)

    def past(self, node: Node) -> tree.Past:
        """``earlier``, ``within``, ``for``, ``since``"""
        parts = fields(node)
        word = parts["word"][0].value
        duration = self.expr(parts["duration"]) if "duration" in parts else None
        other = self.atom(parts["atom"][0]) if "atom" in parts else None
        return tree.Past(word, self.of(node), duration, other)

    def quantified(self, node: Node, outer: dict[str, Node], span: Span) -> tree.Quantified:
        """``every A has (..)`` and ``first n A [has (..)]``"""
        neg = outer["neg"][0].value if "neg" in outer else ""
        before = "before" in outer
        inner = next(child for child in node if child.rule_name in tree.QUANTIFIED)
        parts = fields(inner)
        atom = self.atom(parts["atom"][0])
        has = self.args(parts["has"]) if "has" in parts else None
        n = self.constant(parts["n"]) if "n" in parts else None
        return tree.QUANTIFIED[inner.rule_name](n, atom, has, span, neg, before)


def node_children(node: Node) -> list[Node]:
    """The children of a node; none of a token."""
    return node if isinstance(node, list) else []


_MARKS: Final = frozenset({"", "sep"})
_WRAPPERS: Final = frozenset({"__asgn_plain", "Expr", "Element", "Factor", "Operand", "Scalar"})
_TOKENS: Final = frozenset({"QuickValue", "String", "Variable", "Date", "Time", "Number", "Ref"})
