"""Checks what the rules of an app read and write: recognition, absence on the screen, contradictory writes."""

from collections.abc import Iterable, Mapping

from vsalang.base.diagnostics import Label
from vsalang.base.source import Span
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.strata import label, reads
from vsalang.program import ir
from vsalang.program.extent import TRACED, constant, covered
from vsalang.program.values import same
from vsalang.program.vocabulary import NATIVE
from vsalang.program.walk import present, uses

_ABSENCE = ("Node", "Part", "Found", "FoundPage", *NATIVE["std.control"], *NATIVE["std.forms"])
_SHOWN = ("Whole", "Fits")


Whole = frozenset[tuple[str, str]]
"""What `Traced` conditions say was read whole: the relation, and within what."""


def _asked_relation(item: ir.Literal) -> tuple[str, bool] | None:
    """The relation that a condition asks for, and whether the condition holds if that has no row."""
    match item:
        case ir.Lit():
            return item.atom.relation, item.neg
        case ir.Quantified():
            return item.atom.relation, False
        case ir.Aggregate():
            nothing = isinstance(item.right, ir.Const) and item.right.value == 0
            few = item.fn == "count" and (item.op in ("<", "<=") or (item.op == "=" and nothing))
            return item.lit.atom.relation, few != item.lit.neg
        case _:
            return None


class Effects:
    """Checks over all rules of a program."""

    def __init__(
        self, rules: Iterable[ir.Rule], relations: Mapping[str, ir.Relation], report: Report
    ) -> None:
        self.rules = list(rules)
        self.relations = relations
        self.report = report
        self.derived: dict[str, list[ir.Rule]] = {}
        self._reported: set[Span | None] = set()
        # relations that were searched without finding anything: they need not be searched again
        self._seen_only: set[str] = set()
        self._present: set[tuple[str, bool]] = set()
        for rule in self.rules:
            if isinstance(rule.head, ir.Derive):
                self.derived.setdefault(rule.head.atom.relation, []).append(rule)

    def check(self) -> None:
        """Report everything that is wrong."""
        for rule in self.rules:
            if isinstance(rule.head, ir.Recognize):
                self._recognize(rule)
            elif isinstance(rule.head, ir.Write | ir.Mark) and rule.trigger != "consequence":
                self._absence(rule)
        self._conflicts()

    # ------------------------------------------------------------ recognition

    def _recognize(self, rule: ir.Rule) -> None:
        for literal in rule.body:
            for name, _, span in reads(literal):
                believed = self._believed(name)
                if believed:
                    self.report.error(
                        "E0406",
                        span,
                        f"what a tap is must not depend on what is believed: `{label(believed)}` is before `with`",
                        help="before `with` are only the gesture and the screen; write `with` and put this after it",
                    )
        for literal in rule.extra:
            if isinstance(literal, ir.Lit) and self.relations[literal.atom.relation].sort == "gesture":
                self.report.error("E0406", literal.span, "the gesture is written before `with`")

    def _believed(self, name: str) -> str:
        """A believed relation or an action that a relation depends on; empty if there is none."""
        if name in self._seen_only:
            return ""
        opened = {name}
        todo = [name]
        while todo:
            name = todo.pop()
            relation = self.relations.get(name)
            if relation is not None and relation.sort in ("state", "view", "list", "action"):
                return name
            for rule in self.derived.get(name, ()):
                for literal in rule.body:
                    for inner, _, _ in reads(literal):
                        if inner not in opened and inner not in self._seen_only:
                            opened.add(inner)
                            todo.append(inner)
        self._seen_only |= opened
        return ""

    # ------------------------------------------------------------ absence

    def _absence(self, rule: ir.Rule) -> None:
        shows, whole = self._guarded(rule), _read_whole(rule)
        for literal in rule.body:
            where, cause = self._absent(literal, whole, shows=shows)
            if where:
                place = cause.span or literal.span
                if place in self._reported:
                    return
                self._reported.add(place)
                if where in TRACED:
                    self._untraced(where, place)
                    return
                self.report.error(
                    "E0407",
                    place,
                    f"that there is no `{where}` may only mean that it is cut off",
                    label="absence on the screen",
                    labels=[Label(literal.span, "asked for here")]
                    if literal.span and literal.span != place
                    else [],
                    help="add Whole(node = ?r) for a row or Fits(node = ?l) for a list that the absence is about "
                    "(import std.lists)",
                )
                return

    def _untraced(self, where: str, place: Span | None) -> None:
        attr, folders = TRACED[where]
        part = "the folder, with / at the end" if folders else f"the {attr}"
        self.report.error(
            "E0407",
            place,
            f"that there is no `{where}` may only mean that it was not read",
            label="absence in the trace of the system",
            help=f'add Traced(relation = "{where}", within = ..) with {part}, and say in the same words in '
            f"`{where}` which {attr} it is about"
            if attr
            else "it is never read whole: a connection may come and go between two looks",
        )

    def _guarded(self, rule: ir.Rule) -> bool:
        return any(
            isinstance(item, ir.Lit) and not item.neg and item.atom.relation in _SHOWN for item in rule.body
        )

    def _absent(self, literal: ir.Literal, whole: Whole, *, shows: bool) -> tuple[str, ir.Literal]:
        """A relation of the screen whose absence a condition depends on, and the condition that asks for it.

        Definitions are expanded with the sign with which they are used.

        Args:
            whole: what of the system's trace was read whole.
            shows: whether it is known that what the screen does not show is absent.
        """
        opened: set[tuple[str, bool, bool, Whole]] = set()
        todo = [(literal, False, shows, whole)]
        while todo:
            item, negated, shows, whole = todo.pop()
            if isinstance(item, ir.Then):
                todo.extend((inner, negated, shows, whole) for part in item.parts for inner in part)
                continue
            asked_cell = _asked_relation(item)
            if asked_cell is None:
                continue
            name, turned = asked_cell
            negative = negated != turned
            if name in _ABSENCE:
                if negative and not shows:
                    return name, item
            elif name in TRACED:
                if negative and not _covers(item, whole):
                    return name, item
            elif (
                name in self.derived
                and self.relations[name].sort != "screen"
                and (name, negative, shows, whole) not in opened
                and (name, negative) not in self._present
            ):
                opened.add((name, negative, shows, whole))
                for rule in self.derived[name]:
                    known, here = whole | _read_whole(rule), shows or self._guarded(rule)
                    todo.extend((inner, negative, here, known) for inner in rule.body)
        self._present |= {(name, negative) for name, negative, shows, whole in opened if not (shows or whole)}
        return "", literal

    # ------------------------------------------------------------ writes

    def _conflicts(self) -> None:
        """Report two rules that write different constants to one cell on one trigger."""
        groups: dict[tuple[str, str], list[ir.Rule]] = {}
        for rule in self.rules:
            if isinstance(rule.head, ir.Write) and not rule.head.delete:
                groups.setdefault((rule.head.atom.relation, rule.trigger), []).append(rule)
        for (name, trigger), rules in groups.items():
            relation = self.relations[name]
            for i, first in enumerate(rules):
                for second in rules[i + 1 :]:
                    self._pair(relation, trigger, first, second)

    def _pair(self, relation: ir.Relation, trigger: str, first: ir.Rule, second: ir.Rule) -> None:
        assert isinstance(first.head, ir.Write) and isinstance(second.head, ir.Write)
        left = {c.attr: c for c in first.head.atom.constraints}
        right = {c.attr: c for c in second.head.atom.constraints}
        for attr in relation.identity:
            if attr in left and attr in right and not _same_constant(left[attr].term, right[attr].term):
                return
        clash = [
            attr
            for attr in left
            if attr in right
            and attr not in relation.identity
            and attr != "row"
            and _different(left[attr].term, right[attr].term)
        ]
        if not clash:
            return
        together = _together(first, second, self.relations)
        if together == "no":
            return
        emit = self.report.error if together == "same" and trigger != "observation" else self.report.warning
        code = "E0412" if emit == self.report.error else "W0404"
        emit(
            code,
            second.head_span,
            f"two rules write different values to `{relation.short}.{clash[0]}` on the same occasion",
            label="this rule writes another value",
            labels=[Label(first.head_span, "this rule writes one value")] if first.head_span else [],
            help="add a condition that distinguishes the two cases",
        )


def _read_whole(rule: ir.Rule) -> Whole:
    """What a rule asks to have been read whole of the system's trace."""
    attributes = set()
    for item in present(rule.body):
        if item.atom.relation == "Traced":
            named = {
                each.attr: constant(each.term)
                for each in item.atom.constraints
                if each.op == "=" and each.term
            }
            relation, within = named.get("relation"), named.get("within")
            if isinstance(relation, str) and isinstance(within, str):
                attributes.add((relation, within))
    return frozenset(attributes)


def _covers(item: ir.Literal, whole: Whole) -> bool:
    """Whether what was read whole includes all that a condition on the system's trace is about."""
    asked = [use for use in uses((item,)) if use.atom.relation in TRACED]
    return all(
        use.past is None
        and covered(
            use.atom.relation,
            use.atom.constraints,
            {within for relation, within in whole if relation == use.atom.relation},
        )
        for use in asked
    )


def _different(left: ir.Term | None, right: ir.Term | None) -> bool:
    return isinstance(left, ir.Const) and isinstance(right, ir.Const) and not same(left.value, right.value)


def _same_constant(left: ir.Term | None, right: ir.Term | None) -> bool:
    return not _different(left, right)


def _together(first: ir.Rule, second: ir.Rule, relations: Mapping[str, ir.Relation]) -> str:
    """Whether two rules can fire at once: ``no``, ``same`` (their triggers ask about the same things), ``maybe``."""
    left, right = triggers(first, relations), triggers(second, relations)
    if first.trigger == "observation":
        mine = {_plain(item) for item in first.body}
        theirs = {_plain(item) for item in second.body}
        if mine == theirs:
            return "same"
        apart = any(_exclude(a, b, relations) for a in first.body for b in second.body)
        # with a common part and a part of its own each: the author distinguishes two cases
        apart = apart or bool(mine & theirs and mine - theirs and theirs - mine)
        return "no" if apart or not mine or not theirs else "maybe"
    if not left or not right or left.atom.relation != right.atom.relation:
        return "no"
    if any(_contradict(a, b) for a in first.body for b in second.body):
        return "no"
    a = {c.attr: c for c in left.atom.constraints}
    b = {c.attr: c for c in right.atom.constraints}
    for attr in a:
        if attr in b and a[attr].op == b[attr].op == "=" and _different(a[attr].term, b[attr].term):
            return "no"
    others = len(first.body) > 1 or len(second.body) > 1
    return "maybe" if set(a) != set(b) or others else "same"


_FLAGS = ("selected", "checked", "focused")


def _exclude(left: ir.Literal, right: ir.Literal, relations: Mapping[str, ir.Relation]) -> bool:
    """Whether two conditions of observations cannot hold at once.

    One of several nodes is selected, one screen shows, and one node has one value of an attribute.
    """
    if not isinstance(left, ir.Lit) or not isinstance(right, ir.Lit) or left.past or right.past:
        return False
    a, b = left.atom, right.atom
    sorts = [relations[name].sort if name in relations else "" for name in (a.relation, b.relation)]
    if sorts == ["screen", "screen"] and a.relation != b.relation and not (left.neg or right.neg):
        return True
    if a.relation != b.relation:
        return False
    if left.neg != right.neg:
        return True
    if left.neg:
        return False
    relation = relations.get(a.relation)
    if relation is not None and not relation.identity and relation.name != "Node":
        return _contradict(left, right)
    if same_control(a, b) and (_apart(a, b) or _opposite(a, b)):
        return True
    return any(_constant(a, flag) is True and _constant(b, flag) is True for flag in _FLAGS)


_OPPOSITE = {("=", "!="), ("!=", "="), ("known", "unknown"), ("unknown", "known")}


def _opposite(left: ir.Atom, right: ir.Atom) -> bool:
    """Whether one atom asks for the opposite of what the other asks for."""
    return any(
        a.attr == b.attr and (a.op, b.op) in _OPPOSITE and a.term == b.term
        for a in left.constraints
        for b in right.constraints
    )


def _constant(atom: ir.Atom, attr: str) -> object:
    """The constant that an atom gives an attribute by ``=``; None if there is none."""
    for c in atom.constraints:
        if c.attr == attr and c.op == "=" and isinstance(c.term, ir.Const):
            return c.term.value
    return None


def _apart(left: ir.Atom, right: ir.Atom) -> bool:
    """Whether the constants of two atoms show that they match different rows."""
    return any(
        a.attr == b.attr and a.op == b.op == "=" and _different(a.term, b.term)
        for a in left.constraints
        for b in right.constraints
    )


_NAMES = ("id", "resource_id", "text", "desc", "label")


def same_control(left: ir.Atom, right: ir.Atom) -> bool:
    """Whether two atoms mean one node: the same gesture or relation, and the same name in both."""
    if left.relation != right.relation:
        return False
    names = {name: _constant(left, name) for name in _NAMES}
    alike = any(value is not None and value == _constant(right, name) for name, value in names.items())
    told_apart = any(
        value is not None and _constant(right, name) is not None and value != _constant(right, name)
        for name, value in names.items()
    )
    return alike and not told_apart


def _plain(item: ir.Literal) -> str:
    if isinstance(item, ir.Lit):
        tests = sorted(f"{c.attr}{c.op}{c.term}{c.hi}" for c in item.atom.constraints)
        return f"{item.neg}{item.atom.relation}{tests}{item.past}"
    return str(item)


def _contradict(left: ir.Literal, right: ir.Literal) -> bool:
    """Whether two conditions on one keyless relation exclude each other by constants, or one negates the other."""
    if (
        not isinstance(left, ir.Lit)
        or not isinstance(right, ir.Lit)
        or left.atom.relation != right.atom.relation
    ):
        return False
    if left.neg != right.neg:
        return True
    for a in left.atom.constraints:
        for b in right.atom.constraints:
            if a.attr == b.attr and a.op == b.op == "=" and _different(a.term, b.term):
                return True
            if a.attr == b.attr and {a.op, b.op} == {"known", "unknown"}:
                return True
    return False


def triggers(rule: ir.Rule, relations: Mapping[str, ir.Relation]) -> ir.Lit | None:
    """The gesture or critical action that triggers a rule; None if there is none."""
    for item in present(rule.body):
        relation = relations.get(item.atom.relation)
        if relation is not None and relation.sort in ("gesture", "action"):
            return item
    return None
