"""The layout of values and conditions."""

from collections.abc import Callable, Iterable, Sequence

from vsalang.language.syntax import tree
from vsalang.language.syntax.formatting.doc import Doc, align, concat, fill, group, nest
from vsalang.language.syntax.formatting.writer import LINE, NOTHING, SPACE, Between, Writer


class BodyWriter(Writer):
    """Lays out values, atoms and conditions while it reads the text token by token."""

    def listed(self, items: Sequence[Callable[[], Doc]]) -> list[Doc]:
        """Elements with their commas, alternating with the separators."""
        parts: list[Doc] = []
        for index, item in enumerate(items):
            if index:
                parts.append(self.gap(LINE))
            doc = item()
            parts.append(doc if index == len(items) - 1 else concat([doc, self.token(",")]))
        return parts

    def bracketed(self, opening: str, items: Sequence[Callable[[], Doc]], closing: str) -> Doc:
        """Elements in brackets, as many on a line as fit, aligned."""
        before = self.token(opening)
        inner = align(self.gap(NOTHING), fill(self.listed(items)) if items else "", self.gap(NOTHING))
        return concat([before, inner, self.token(closing)])

    def names(self, names: Iterable[tree.Name]) -> Doc:
        return align(fill(self.listed([lambda name=name: self.raw(name.span) for name in names])))  # type: ignore[misc]

    # ------------------------------------------------------------ values

    def expr(self, node: tree.Expr, between: Between = NOTHING) -> Doc:
        """A value."""
        before = self.gap(between)
        if isinstance(node, tree.Call):
            return concat([before, self.raw(node.name.span), self.exprs("(", node.args, ")")])
        if isinstance(node, tree.Binary):
            return concat([before, self.chain(node)])
        if isinstance(node, tree.Negate):
            minus = self.token("-")
            # `-4` would be read as a number
            apart = SPACE if isinstance(node.operand, tree.Scalar) else NOTHING
            return concat([before, minus, self.expr(node.operand, apart)])
        if isinstance(node, tree.Paren):
            return concat([before, self.exprs("(", (node.inner,), ")")])
        if isinstance(node, tree.SetOf):
            return concat([before, self.exprs("{", node.items, "}")])
        return concat([before, self.raw(node.span)])

    def exprs(self, opening: str, nodes: Iterable[tree.Expr], closing: str) -> Doc:
        return self.bracketed(opening, [lambda node=node: self.expr(node) for node in nodes], closing)  # type: ignore[misc]

    def chain(self, node: tree.Expr) -> Doc:
        """Operands joined by operators; a line may be broken before an operator."""
        tail: list[tuple[str, tree.Expr]] = []
        while isinstance(node, tree.Binary):
            tail.append((node.op, node.right))
            node = node.left
        parts = [self.expr(node)]
        for op, operand in reversed(tail):
            parts.append(self.gap(LINE))
            parts.append(concat([self.token(op), self.expr(operand, SPACE)]))
        return align(fill(parts))

    # ------------------------------------------------------------ atoms and conditions

    def comparison(self, op: str, value: tree.Expr | None, hi: tree.Expr | None) -> Doc:
        """An operator and its right side."""
        parts = [self.words(op, SPACE)]
        if value is not None:
            parts.append(self.expr(value, SPACE))
        if hi is not None:
            parts += [self.token(".."), self.expr(hi)]
        return concat(parts)

    def arg(self, node: tree.Arg) -> Doc:
        """``attr op value``"""
        return concat([self.raw(node.attr.span), self.comparison(node.op, node.value, node.hi)])

    def args(self, nodes: Iterable[tree.Arg], keep: bool = False) -> Doc:
        """Constraints in parentheses."""
        items: list[Callable[[], Doc]] = [lambda node=node: self.arg(node) for node in nodes]  # type: ignore[misc]
        if keep:
            items.append(lambda: self.token(".."))
        return self.bracketed("(", items, ")")

    def atom(self, node: tree.Atom, between: Between = NOTHING, keep: bool = False) -> Doc:
        """``Name(constraints)``"""
        parts = [self.gap(between)]
        if node.place:
            parts += [self.token(node.place), self.gap(SPACE)]
        parts.append(self.raw(node.name.span))
        if node.args or keep or self.peek("("):
            parts.append(self.args(node.args, keep))
        return concat(parts)

    def front(self, node: tree.Lit | tree.Quantified) -> Doc:
        """``not before``"""
        words = [node.neg] * bool(node.neg) + ["before"] * node.before
        return concat(part for word in words for part in (self.token(word), self.gap(SPACE)))

    def lit(self, node: tree.Lit) -> Doc:
        """``not before Atom earlier``"""
        parts: list[Doc] = [concat([self.front(node), self.atom(node.atom)])]
        past = node.past
        if past is not None and past.other is not None:
            parts += [self.gap(LINE), concat([self.token(past.op), self.atom(past.other, SPACE)])]
        elif past is not None:
            parts += [self.gap(LINE), self.token(past.op)]
            if past.duration is not None:
                parts[-1] = concat([parts[-1], self.expr(past.duration, SPACE)])
        return nest(2, fill(parts))

    def has(self, nodes: tuple[tree.Arg, ...]) -> Doc:
        """``has (constraints)``"""
        return concat([self.token("has"), self.gap(SPACE), self.args(nodes)])

    def literal(self, node: tree.Literal) -> Doc:
        """A condition."""
        if isinstance(node, tree.Lit):
            return self.lit(node)
        if isinstance(node, tree.Compare):
            return concat([self.expr(node.left), self.comparison(node.op, node.right, node.hi)])
        if isinstance(node, tree.Aggregate):
            parts = [self.raw(node.fn.span), self.token("("), self.gap(NOTHING)]
            if node.attr is not None:
                parts += [self.raw(node.attr.span), self.token("of", SPACE), self.gap(SPACE)]
            parts += [align(self.lit(node.lit)), self.token(")")]
            return concat([*parts, self.comparison(node.op, node.right, node.hi)])
        if isinstance(node, tree.Quantified):
            begin = [self.front(node), self.token(node.word)]
            if node.n is not None:
                begin.append(self.expr(node.n, SPACE))
            parts = [concat([*begin, self.atom(node.atom, SPACE)])]
            if node.has is not None:
                parts += [self.gap(LINE), self.has(node.has)]
            return nest(2, fill(parts))
        if isinstance(node, tree.Spent):
            return concat([self.token("all"), self.gap(SPACE), self.raw(node.action.span)])
        parts = [self.part(node.parts[0])]
        for part in node.parts[1:]:
            parts += [self.gap(LINE), self.token("then"), self.gap(SPACE), self.part(part)]
        return nest(2, group(*parts))

    def part(self, literals: tuple[tree.Literal, ...]) -> Doc:
        """One side of ``then``: a condition, or several in parentheses."""
        if len(literals) == 1 and not self.is_group(literals[0]):
            return self.literal(literals[0])
        items = [lambda node=node: self.literal(node) for node in literals]
        before = self.token("(")
        inner = align(self.gap(NOTHING), group(*self.listed(items)), self.gap(NOTHING))
        return concat([before, inner, self.token(")")])

    def is_group(self, literal: tree.Literal) -> bool:
        """Whether the parenthesis here is not the condition's own."""
        return self.peek("(") and (
            isinstance(literal, tree.Then) or not self.text.startswith("(", literal.span.start)
        )

    def conditions(self, indent: int, literals: Iterable[tree.Literal]) -> Doc:
        """Conditions after a word that takes `indent` columns: on one line, or each on its own, aligned."""
        items = [lambda node=node: self.literal(node) for node in literals]
        return nest(indent, self.gap(SPACE), group(*self.listed(items)))
