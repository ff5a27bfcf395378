"""The layout of items, tests and whole files."""

from collections.abc import Callable, Sequence
from typing import Final

from vsalang.language.syntax import tree
from vsalang.language.syntax.formatting.bodies import BodyWriter
from vsalang.language.syntax.formatting.doc import (
    Concat,
    Doc,
    Hard,
    IfFlat,
    Line,
    attempt,
    concat,
    fill,
    group,
    nest,
    render,
)
from vsalang.language.syntax.formatting.writer import (
    EMPTY,
    END,
    FIRST,
    LAST,
    LINE,
    NEXT,
    SOFT,
    SOFT_LAST,
    SPACE,
    START,
)
from vsalang.program.word_lists import tidy

MOST: Final = 8192
"""The layouts of so many items are remembered."""
_KNOWN: Final[dict[str, tuple[str, tuple[str, ...], str]]] = {}
"""By an item's text: its layout, its comments, and its last token."""


def _breaks(gap: Doc) -> bool:
    """Whether what follows a gap between items begins a line."""
    last = gap.parts[-1] if isinstance(gap, Concat) else gap
    return isinstance(last, Line | Hard)


class FileWriter(BodyWriter):
    """Lays out a file while it reads the text once from beginning to end."""

    def module(self, node: tree.Module) -> Doc:
        """A file."""
        parts: list[Doc] = [self.gap(START)]
        header = [self.token(node.kind), self.gap(SPACE), self.raw(node.name.span)]
        if node.packages:
            header.append(self.token("package", SPACE))
            for text in node.packages:
                header += [self.gap(SPACE), self.raw(text.span)]
                header += [self.token(",")] if text is not node.packages[-1] else []
        if node.generic:
            header.append(self.token("any", SPACE))
        if node.doc is not None:  # however long it is
            header += [self.gap(SPACE), self.raw(node.doc.span)]
        parts.append(nest(2, *header))
        for child in (*node.imports, *node.items):
            gap = self.gap(NEXT)
            parts.append(gap)
            if isinstance(child, tree.Import):
                parts.append(self.import_(child))
            elif _breaks(gap) and self._ends_its_line(child):
                parts.append(self._alone(child))
            else:
                parts.append(self.item(child))
        parts.append(self.gap(END))
        return concat(parts)

    def _ends_its_line(self, item: tree.Item) -> bool:
        """Whether nothing that takes room follows an item on its line."""
        end = self.text.find("\n", item.span.end)
        rest = self.text[item.span.end : len(self.text) if end < 0 else end].lstrip(" \t")
        return not rest or rest.startswith("//")

    def _alone(self, item: tree.Item) -> Doc:
        """An item that begins its line and ends it, as text: it depends on nothing around it."""
        text = self.text[item.span.start : item.span.end]
        known = _KNOWN.get(text)
        if known is None:
            count = len(self.comments)
            layout = render(self.item(item))
            known = _KNOWN[text] = (layout, tuple(self.comments[count:]), self.last)
            while len(_KNOWN) > MOST:
                del _KNOWN[next(iter(_KNOWN))]
        else:
            self.at = item.span.end
            self.comments += known[1]
            self.last = known[2]
        return known[0]

    def doc(self, doc: tree.Text | None) -> Doc:
        """A description, on the next line where it fits only there."""
        return "" if doc is None else attempt(self.gap(LINE), self.raw(doc.span))

    def import_(self, node: tree.Import) -> Doc:
        """``import name as alias``"""
        parts = [self.token("import"), self.gap(SPACE), self.raw(node.name.span)]
        if node.alias is not None:
            parts += [self.token("as", SPACE), self.gap(SPACE), self.raw(node.alias.span)]
        return nest(2, *parts)

    def item(self, node: tree.Item) -> Doc:
        """An item: its annotations on lines of their own, then the rest."""
        parts: list[Doc] = []
        for annotation in node.annotations:
            if parts:
                parts.append(self.gap(LINE))
            parts.append(self.annotation(annotation))
        before: list[Doc] = []
        if parts:
            gap = self.gap(LINE)
            before = [nest(2, fill(parts)), Hard() if isinstance(gap, Line) else gap]
        if isinstance(node, tree.Let):
            return concat([*before, self.let(node)])
        if isinstance(node, tree.Enum):
            return concat([*before, self.enum(node)])
        if isinstance(node, tree.Relation):
            return concat([*before, self.relation(node)])
        if isinstance(node, tree.Action):
            return concat([*before, self.action(node)])
        if isinstance(node, tree.Rule):
            return concat([*before, self.rule(node)])
        return concat([*before, self.test(node)])

    def annotation(self, node: tree.Annotation) -> Doc:
        """``@name(args)``"""
        parts = [self.token("@"), self.raw(node.name.span)]
        if node.args or self.peek("("):
            parts.append(self.exprs("(", node.args, ")"))
        return concat(parts)

    # ------------------------------------------------------------ declarations

    def let(self, node: tree.Let) -> Doc:
        """``let Name = value.``"""
        parts = [self.token("let"), self.gap(SPACE), self.raw(node.name.span), self.token("=", SPACE)]
        if isinstance(node.value, tree.WordsOf):
            head = nest(2, *parts, self.token("words", SPACE))
            entries = self.word_list(node.value)
            return concat([head, entries, self.token(".")])
        return nest(2, *parts, self.expr(node.value, SPACE), self.token("."))

    def word_list(self, node: tree.WordsOf) -> Doc:
        """The name of a file, or the entries, one a line, with their comments, in their order."""
        gap = self.gap(SPACE)
        if node.file is not None:
            return concat([gap, self.raw(node.file.span)])
        quotes = '"""'
        begin = self.at + len(quotes)
        end = self.text.index(quotes, begin)
        self.at = end + len(quotes)
        entries = tidy(self.text[begin:end])
        return concat(
            [gap, quotes + "\n" + "".join(f"  {line}".rstrip() + "\n" for line in entries) + quotes]
        )

    def enum(self, node: tree.Enum) -> Doc:
        """``enum Name "doc" {members}``"""
        head = [self.token("enum"), self.gap(SPACE), self.raw(node.name.span), self.doc(node.doc)]
        return concat([nest(2, *head), self.gap(SPACE), self.members(node.members)])

    def members(self, members: tuple[tree.Member, ...]) -> Doc:
        """``{A, B as ("b")}``: on one line, or filled; with spellings each on its own line."""
        before = self.token("{")
        gap = self.gap(SOFT)
        parts = self.listed([lambda member=member: self.member(member) for member in members])  # type: ignore[misc]
        spelt = any(member.spellings for member in members)
        inner = nest(2, gap, concat(parts) if spelt else fill(parts))
        return group(before, inner, self.gap(SOFT_LAST), self.token("}"))

    def member(self, node: tree.Member) -> Doc:
        """``Mon as ("Monday", "Lun")``"""
        parts = [self.raw(node.name.span)]
        if node.spellings:
            parts += [self.token("as", SPACE), self.gap(SPACE), self.exprs("(", node.spellings, ")")]
        return concat(parts)

    def relation(self, node: tree.Relation) -> Doc:
        """``state``, ``view`` or ``list``"""
        head = [self.token(node.sort), self.gap(SPACE), self.raw(node.name.span)]
        if node.on:
            head += [self.gap(SPACE), self.token("on"), self.gap(SPACE), self.names(node.on)]
        for word, names in (("in", node.within), ("key", node.key)):
            if names:
                items = [lambda name=name: self.raw(name.span) for name in names]
                head += [self.gap(SPACE), self.token(word), self.gap(SPACE), self.bracketed("(", items, ")")]
        head.append(self.doc(node.doc))
        front = concat([nest(2, *head), self.gap(SPACE), self.token("{")])
        if not node.attrs:
            return concat([front, self.gap(EMPTY), self.token("}")])
        body = nest(2, self.gap(FIRST), *self.attrs(node.attrs))
        described = any(attr.doc for attr in node.attrs)
        return concat([front, group(body, self.gap(LAST), self.token("}"), broken=described)])

    def attrs(self, attrs: Sequence[tree.AttrDecl]) -> list[Doc]:
        """Declarations, with commas where they are on one line."""
        parts: list[Doc] = []
        for attr in attrs:
            if parts:
                parts += [IfFlat(","), self.gap(NEXT, commas=True)]
            head = [self.raw(attr.name.span), self.token(":"), self.gap(SPACE), self.type(attr.type)]
            parts.append(nest(2, *head, self.doc(attr.doc)))
        return parts

    def type(self, node: tree.TypeRef) -> Doc:
        """The name of a type, or ``set of`` one."""
        if node.elem is not None:
            parts = [self.token("set"), self.token("of", SPACE), self.gap(SPACE), self.type(node.elem)]
            return concat(parts)
        if node.members is not None:
            return concat([self.token("enum"), self.gap(SPACE), self.members(node.members)])
        return self.raw(node.span)

    def action(self, node: tree.Action) -> Doc:
        """``action Name(params) over A refines E(a = ?x) "doc"``"""
        parts = [self.token("action"), self.gap(SPACE), self.raw(node.name.span)]
        if node.params:
            before = self.token("(")
            body = nest(2, self.gap(SOFT), *self.attrs(node.params))
            parts.append(group(before, body, self.gap(SOFT_LAST), self.token(")")))
        elif self.peek("("):
            parts += [self.token("("), self.token(")")]
        if node.over:
            parts += [self.token("over", SPACE), self.gap(SPACE), self.names(node.over)]
        if node.refines is not None:
            before = self.gap(LINE)
            refined = concat([self.token("refines"), self.gap(SPACE), self.atom(node.refines)])
            parts.append(nest(2, attempt(before, refined)))
        return concat([*parts, nest(2, self.doc(node.doc))])

    # ------------------------------------------------------------ rules

    def rule(self, node: tree.Rule) -> Doc:
        """``Head when body with extra.``: on one line, or each clause on its own."""
        parts = [self.token(node.kind), self.head(node.kind, node.head), self.doc(node.doc)]
        for word, literals in (("when", node.body), ("with", node.extra)):
            if literals:
                parts.append(self.gap(LINE))
                spelt = ":-" if word == "when" and self.peek(":-") else word
                parts.append(self.token(spelt, comment=word))
                parts.append(self.conditions(len(word) + 1, literals))
        return group(nest(2, *parts, self.token(".")))

    def head(self, kind: str, node: tree.RuleHead) -> Doc:
        """The head after its keyword."""
        if isinstance(node, tree.DoneHead):
            return ""
        if isinstance(node, tree.ExpectHead):
            return self.conditions(len(kind) - 1, node.literals)
        parts = [self.gap(SPACE)]
        if isinstance(node, tree.AtomHead):
            if isinstance(node.quota, str):
                parts += [self.token(node.quota), self.gap(SPACE)] if node.quota else []
            else:
                parts += [self.expr(node.quota), self.gap(SPACE)]
            parts.append(self.atom(node.atom, keep=node.keep))
        elif isinstance(node, tree.GotoHead):
            parts.append(self.raw(node.screen.span))
        elif isinstance(node, tree.JudgeHead):
            parts.append(self.raw(node.message.span))
        else:
            parts.append(self.raw(node.name.span))
            if node.closed:
                parts.append(self.token("closed", SPACE))
            if node.over:
                parts += [self.token("over", SPACE), self.gap(SPACE), self.names(node.over)]
        return concat(parts)

    # ------------------------------------------------------------ tests

    def test(self, node: tree.Test) -> Doc:
        """``test "name" for target { steps }``"""
        parts = [self.token("test"), self.gap(SPACE), self.raw(node.name.span)]
        if node.target is not None:
            parts += [self.token("for", SPACE), self.gap(SPACE), self.raw(node.target.span)]
        return concat([nest(2, *parts), self.gap(SPACE), self.block(node.steps)])

    def block(self, steps: Sequence[tree.Step]) -> Doc:
        """``{ steps }``, each on a line of its own."""
        before = self.token("{")
        if not steps:
            return concat([before, self.gap(EMPTY), self.token("}")])
        parts: list[Doc] = []
        for step in steps:
            parts.append(self.gap(NEXT if parts else FIRST))
            parts.append(self.step(step))
        return group(before, nest(2, *parts), self.gap(LAST), self.token("}"), broken=True)

    def step(self, node: tree.Step) -> Doc:
        if node.kind == "step":
            parts = [self.token("step"), self.gap(SPACE), self.block(node.parts)]
            if node.verdict is not None:
                parts += [self.gap(SPACE), self.verdict(node.verdict)]
            return concat([*parts, self.token(".")])
        parts = []
        if node.kind == "clock" and node.clock is not None:
            parts.append(self.token("clock"))
            parts += [self.expr(part, SPACE) for part in node.clock if part is not None]
        elif node.assumed is not None:
            left, op, right = node.assumed
            parts += [self.token("assume"), self.expr(left, SPACE), self.gap(LINE)]
            parts += [self.token(op), self.expr(right, SPACE)]
        elif node.kind == "gesture":
            parts.append(self.atom(node.atoms[0]))
        elif node.atoms:
            items: list[Callable[[], Doc]] = [
                lambda atom=atom, keep=at in node.keep: self.atom(atom, keep=keep)  # type: ignore[misc]
                for at, atom in enumerate(node.atoms)
            ]
            parts.append(self.words(node.kind))
            parts.append(nest(len(node.kind) + 1, self.gap(SPACE), group(*self.listed(items))))
        else:
            parts.append(self.token(node.kind))
            if self.peek("("):
                parts += [self.token("("), self.token(")")]
        if node.verdict is not None:
            parts.append(nest(2, self.gap(LINE), self.verdict(node.verdict)))
        return group(*parts, nest(2, self.token(".")))

    def verdict(self, node: tree.Verdict) -> Doc:
        """``=> allow or warn because a``"""
        parts = [self.token("=>")]
        for index, level in enumerate(node.levels):
            if index:
                parts.append(self.token("or", SPACE))
            parts.append(self.words(level.text, SPACE))
        if node.because:
            parts += [self.token("because", SPACE), self.gap(SPACE), self.names(node.because)]
        return concat(parts)
