"""From the parser's tree of nodes to the syntax tree: the header, imports, declarations, rules and tests."""

from collections.abc import Iterable, Iterator
from typing import Final

from vsalang.base.diagnostics.diagnostic import Diagnostic, error
from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.base.source.suggest import nearest
from vsalang.language.syntax import tree
from vsalang.language.syntax.build import Builder, BuildError, Node, elements, fields, node_children
from vsalang.language.syntax.hints.synonyms import VERDICT_SYNONYMS
from vsalang.language.syntax.scan import one_blank
from vsalang.program.reserved_words import RESERVED, VERDICTS
from vsalang.program.word_lists import Flaw, read_entries

_WRAPPERS: Final = frozenset({"__asgn_plain", "LetValue"})
_MAY_HAVE: Final = {"state": ("key",), "view": ("on",), "list": ("within", "key")}
_CLAUSE: Final = {"on": "on", "within": "in", "key": "key"}
_PROPOSALS: Final = frozenset(
    {"update", "delete", "attempt", "finish", "gesture", "claim", "step", "approve"}
)
_PARTS: Final = frozenset(
    {
        "update",
        "delete",
        "attempt",
        "finish",
        "gesture",
        "claim",
        "observe",
        "observe no",
        "observe complete",
        "observe screen",
    }
)


def without_answers(steps: Iterable[tree.Step | None]) -> Iterator[tree.Step]:
    """The steps that could be read, without the answers to a step that could not: alone they would be mistakes."""
    lost = False
    for step in steps:
        lost = step is None or (lost and step.kind in ("approve", "refuse"))
        if step is not None and not lost:
            yield step


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a file."""

    kind: str
    name: tree.Name
    packages: tuple[tree.Text, ...]
    doc: tree.Text | None
    span: Span
    generic: bool = False


def flawed(flaw: Flaw, span: Span) -> Diagnostic:
    """The finding about a flaw of a list of words."""
    return error("E0152", span, flaw.message, help=flaw.help)


class ItemBuilder(Builder):
    """Builds items.

    Attributes:
        findings: mistakes in steps of tests; such a step is left out of its test.
        lost: the text of these steps.
    """

    def __init__(self, file: str, base: int = 0) -> None:
        super().__init__(file, base)
        self.findings: list[Diagnostic] = []
        self.lost: list[Span] = []

    def header(self, node: Node) -> Header:
        """``app name package ".." ".."``, ``app name any ".."``"""
        parts = fields(node)
        doc = self.text(parts["doc"]) if "doc" in parts else None
        return Header(
            parts["kind"][0].value,
            self.name(parts["name"]),
            self.texts(parts.get("packages")),
            doc,
            self.of(node),
            "generic" in parts,
        )

    def import_(self, node: Node) -> tree.Import:
        """``import name as alias``"""
        parts = fields(node)
        alias = self.name(parts["alias"]) if "alias" in parts else None
        return tree.Import(self.name(parts["name"]), alias, self.of(node))

    def item(self, node: Node) -> tree.Item:
        """An item with its annotations."""
        parts = fields(node)
        annotations = tuple(self.annotation(child) for child in elements(parts.get("annotations")))
        body = parts["body"][0][0]
        span = self.of(node)
        kind = body.rule_name
        inner = fields(body)
        if kind == "Rule":
            return self.rule(inner, annotations, span)
        if kind == "Relation":
            return self.relation(inner, annotations, span)
        if kind == "Action":
            params = tuple(self.attr(child) for child in self.decls(inner.get("params")))
            return tree.Action(
                self.name(inner["name"]),
                params,
                self.doc(inner),
                annotations,
                span,
                self.names(inner.get("over")),
                self.refined(inner["refines"][0]) if "refines" in inner else None,
            )
        if kind == "Enum":
            members = self.members(inner["members"][0])
            return tree.Enum(self.name(inner["name"]), self.doc(inner), members, annotations, span)
        if kind == "Let":
            name = self.name(inner["name"])
            if name.text in RESERVED:
                raise self.fail("E0115", name.span, f"`{name.text}` is a keyword and cannot name a constant")
            return tree.Let(name, self.let_value(inner["value"]), annotations, span)
        assert kind == "Test"
        target = self.name(inner["target"]) if "target" in inner else None
        title = self.text(inner["name"])
        steps = self.steps(list(elements(inner.get("steps"))))
        kept = tuple(without_answers(steps))
        if steps and not kept:  # a test without steps would be a second mistake
            self.lost.pop()
            raise BuildError(self.findings.pop())
        return tree.Test(title, target, kept, annotations, span)

    def let_value(self, node: Node) -> tree.Expr:
        """The value of a constant: an expression or a list of words."""
        while node.rule_name in _WRAPPERS:
            node = node[0]
        if node.rule_name != "WordList":
            return self.expr(node)
        leaf = fields(node)["text"]
        while node_children(leaf):
            leaf = leaf[0]
        if not leaf.value.startswith('"""'):
            return tree.WordsOf((), self.text(leaf), self.of(node))
        start = leaf.position + 3
        entries, flaws = read_entries(leaf.value[3:-3])
        if flaws:
            *others, last = (flawed(flaw, self.span(start + flaw.start, start + flaw.end)) for flaw in flaws)
            self.findings.extend(others)
            raise BuildError(last)
        made = [tree.WordEntry(one.forms, self.span(start + one.start, start + one.end)) for one in entries]
        return tree.WordsOf(tuple(made), None, self.of(node))

    def doc(self, parts: dict[str, Node]) -> tree.Text | None:
        """The description, if there is one."""
        return self.text(parts["doc"]) if "doc" in parts else None

    def annotation(self, node: Node) -> tree.Annotation:
        """``@name(args)``"""
        parts = fields(node)
        args = tuple(self.expr(child) for child in elements(parts.get("args")))
        return tree.Annotation(self.name(parts["name"]), args, self.of(node))

    # ------------------------------------------------------------ declarations

    def members(self, node: Node) -> tuple[tree.Member, ...]:
        """The members of an enum."""
        return tuple(self.member(child) for child in elements(fields(node)["items"]))

    def member(self, node: Node) -> tree.Member:
        """A member with its spellings."""
        parts = fields(node)
        token = parts["name"][0][0]
        span = self.of(token)
        if token.rule_name == "QuotedMember":
            name = tree.Name(self.string(token.value, token.position).value, span, True)
        else:
            if token.value in RESERVED:
                raise self.fail(
                    "E0115",
                    span,
                    f"`{token.value}` is a keyword",
                    help=f'a member of an enum that is called so is written in quotes: "{token.value}"',
                    instead=f'"{token.value}"',
                )
            name = tree.Name(token.value, span)
        return tree.Member(name, self.texts(parts.get("spellings")), self.of(node))

    def relation(
        self, parts: dict[str, Node], annotations: tuple[tree.Annotation, ...], span: Span
    ) -> tree.Relation:
        """``state``, ``view`` or ``list``"""
        sort = parts["sort"][0].value
        for clause, word in _CLAUSE.items():
            if clause in parts and clause not in _MAY_HAVE[sort]:
                owners = " and ".join(f"a {other}" for other, may in _MAY_HAVE.items() if clause in may)
                raise self.fail(
                    "E0118", self.of(parts[clause]), f"a {sort} has no `{word}`", help=f"{owners} may have it"
                )
        return tree.Relation(
            sort,
            self.name(parts["name"]),
            self.names(parts.get("on")),
            self.names(parts.get("within")),
            self.names(parts.get("key")),
            self.doc(parts),
            tuple(self.attr(child) for child in self.decls(parts.get("attrs"))),
            annotations,
            span,
        )

    def decls(self, node: Node | None) -> list[Node]:
        """Attribute declarations without the optional commas between them."""
        return [child for child in elements(node) if child.rule_name == "AttrDecl"]

    def attr(self, node: Node) -> tree.AttrDecl:
        """``name: Type ".."``"""
        parts = fields(node)
        return tree.AttrDecl(
            self.name(parts["name"]), self.type(parts["type"][0]), self.doc(parts), self.of(node)
        )

    def type(self, node: Node) -> tree.TypeRef:
        """A type as written. The scanner's limit on nesting bounds sets of sets of sets."""
        inner = node[0]
        span = self.of(node)
        if inner.rule_name == "SetType":
            return tree.TypeRef(span, elem=self.type(fields(inner)["elem"][0]))
        if inner.rule_name == "EnumType":
            return tree.TypeRef(span, members=self.members(fields(inner)["members"][0]))
        return tree.TypeRef(span, name=tree.Name(inner.value, span))

    def refined(self, node: Node) -> tree.Atom:
        """What an action refines: ``E(a = ?x)``"""
        atom, keep = self.head_atom(node)
        if keep is not None:
            raise self.fail("E0116", keep, "`..` keeps the other cells in the head of `update` only")
        return atom

    # ------------------------------------------------------------ rules

    def rule(self, parts: dict[str, Node], annotations: tuple[tree.Annotation, ...], span: Span) -> tree.Rule:
        """``Head when Body.``"""
        node = parts["head"][0][0]
        head = fields(node)
        kind = head["kind"][0].value
        doc = self.doc(parts)
        if doc is not None and kind in ("deny", "confirm", "warn", "flag", "expect"):
            raise self.fail("E0116", doc.span, f"`{kind}` takes no description")
        extra = self.literals(parts["extra"]) if "extra" in parts else None
        if extra is not None and kind != "recognize":
            raise self.fail("E0116", extra[0].span, f"`with` belongs to `recognize`, not to `{kind}`")
        body = self.literals(parts.get("body"))
        return tree.Rule(kind, self.head(kind, node, head), body, extra, doc, annotations, span)

    def head(self, kind: str, node: Node, parts: dict[str, Node]) -> tree.RuleHead:
        """The head of a rule."""
        span = self.of(node)
        if "atom" in parts:
            atom, keep = self.head_atom(parts["atom"][0])
            if keep is not None and kind != "update":
                raise self.fail("E0116", keep, "`..` keeps the other cells in the head of `update` only")
            quota: str | tree.Expr = ""
            if "quota" in parts:
                token = parts["quota"][0][0]
                quota = token.value if token.rule_name == "QuotaWord" else self.constant(token)
            return tree.AtomHead(atom, span, quota, keep is not None)
        if kind == "screen":
            return tree.ScreenHead(
                self.name(parts["name"]), self.names(parts.get("over")), "closed" in parts, span
            )
        if kind == "goto":
            return tree.GotoHead(self.name(parts["screen"]), span)
        if kind == "done":
            return tree.DoneHead(span)
        if kind == "expect":
            return tree.ExpectHead(self.literals(parts["literals"]), span)
        return tree.JudgeHead(self.text(parts["message"]), span)

    def head_atom(self, node: Node) -> tuple[tree.Atom, Span | None]:
        """The atom of a head, and the place of ``..``."""
        parts = fields(node)
        keep = self.of(parts["keep"]) if "keep" in parts else None
        return self.atom(node), keep

    # ------------------------------------------------------------ tests

    def steps(self, nodes: list[Node]) -> list[tree.Step | None]:
        """The steps of a test; None for each with a mistake, which is in `findings`."""
        result: list[tree.Step | None] = []
        for node in nodes:
            try:
                result.append(self.step(node, "test"))
            except BuildError as problem:
                result.append(None)
                self.findings.append(problem.diagnostic)
                self.lost.append(self.of(node))
        return result

    def step(self, node: Node, where: str) -> tree.Step:
        """A step of a test, or (`where` is ``step``) a part of one."""
        inner = node[0]
        parts = fields(inner)
        span = self.of(node)
        verdict = self.verdict(parts["verdict"][0]) if "verdict" in parts else None
        step = self.bare_step(inner.rule_name, parts, span, verdict)
        word = (
            self.span(node.position, node.position + len(step.kind.split()[0]))
            if step.kind != "gesture"
            else span
        )
        if where == "step":
            if step.kind not in _PARTS:
                raise self.fail("E0119", word, f"`{step.kind}` cannot be written inside `step {{ }}`")
            if verdict is not None:
                raise self.fail(
                    "E0119",
                    verdict.span,
                    "what is expected of a `step { }` is written after its closing brace",
                    help="write step { .. } => block.",
                )
        elif verdict is not None and step.kind not in _PROPOSALS:
            raise self.fail(
                "E0119", verdict.span, f"`{step.kind}` proposes nothing, so no verdict is expected of it"
            )
        return step

    def bare_step(
        self, rule: str, parts: dict[str, Node], span: Span, verdict: tree.Verdict | None
    ) -> tree.Step:
        """The step that a grammar rule matched, before it is checked."""
        if rule == "FactStep":
            kind = one_blank(parts["kind"][0].value)
            pairs = [self.head_atom(child) for child in elements(parts["atoms"])]
            dots = next((keep for _, keep in pairs if keep is not None), None)
            if dots is not None and kind != "update":
                raise self.fail("E0116", dots, "`..` keeps the other cells in `update` only")
            kept = tuple(at for at, (_, keep) in enumerate(pairs) if keep is not None)
            return tree.Step(kind, span, tuple(atom for atom, _ in pairs), kept, verdict=verdict)
        if rule == "Gesture":
            return tree.Step("gesture", span, (self.atom(parts["atom"][0]),), verdict=verdict)
        if rule == "Block":
            steps = tuple(self.step(child, "step") for child in elements(parts.get("parts")))
            return tree.Step("step", span, parts=steps, verdict=verdict)
        if rule == "Plain":
            return tree.Step(parts["kind"][0].value, span, verdict=verdict)
        if rule == "Assume":
            left, right = self.constant(parts["left"]), self.constant(parts["right"])
            assert isinstance(left, tree.Text | tree.Ref) and isinstance(right, tree.Text | tree.Ref)
            return tree.Step("assume", span, assumed=(left, parts["op"][0].value, right))
        assert rule == "ClockStep"
        day = self.constant(parts["date"]) if "date" in parts else None
        now = self.constant(parts["time"])
        assert isinstance(day, tree.Scalar | tree.Ref | None) and isinstance(now, tree.Scalar | tree.Ref)
        return tree.Step("clock", span, clock=(day, now))

    def verdict(self, node: Node) -> tree.Verdict:
        """``=> allow or warn because a, b``"""
        parts = fields(node)
        levels: list[tree.Name] = []
        for token in elements(parts["levels"]):
            name = tree.Name(one_blank(token.value), self.of(token))
            if name.text not in VERDICTS:
                close = [VERDICT_SYNONYMS.get(name.text, "")]
                close = close if close[0] else nearest(name.text, VERDICTS, 1)
                raise self.fail(
                    "E0120",
                    name.span,
                    f"`{name.text}` is not a verdict" + (f"; did you mean `{close[0]}`?" if close else ""),
                    help="the verdicts are allow, warn, confirm, block and not allow",
                    instead=close[0] if close else None,
                )
            levels.append(name)
        return tree.Verdict(
            tuple(levels), tuple(map(self.reason, elements(parts.get("because")))), self.of(node)
        )

    def reason(self, node: Node) -> tree.Name:
        """One name after ``because``."""
        token = node[0] if node_children(node) else node
        if token.rule_name == "String":
            return tree.Name(self.string(token.value, token.position).value, self.of(token), True)
        return tree.Name(token.value, self.of(token))
