"""L0016: `done` that holds after the first commit of an action that may be done several times."""

from collections import Counter
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.records import dataclass
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program import ir, ops
from vsalang.program.walk import literals, mentions, variables


@dataclass(frozen=True, slots=True)
class _Early:
    """A condition that one commit of an action meets.

    Attributes:
        item: the condition of the body that was asked about.
        atom: the action.
        free: its variables that nothing else reads.
        inside: the definition that contains the action, if there is one.
    """

    item: ir.Literal
    atom: ir.Atom
    free: frozenset[str]
    inside: ir.Literal | None = None


def find(context: Context) -> Iterable[Diagnostic]:
    """Conditions of `done` that the first of several commits meets."""
    heads: dict[str, list[tuple[ir.Rule, ir.License]]] = {}
    for rule, head in context.licences():
        heads.setdefault(head.atom.relation, []).append((rule, head))
    for rule in context.dones():
        reported: set[tuple[int, str]] = set()
        for early in _early(context.program, rule.body, ()):
            relation = early.atom.relation
            allowed = [one for one in heads.get(relation, ()) if _together(one[1].atom, early.atom)]
            count = _times([head for _, head in allowed], early)
            if count == 1 or (id(early.item), relation) in reported:
                continue
            reported.add((id(early.item), relation))
            name = context.relation(early.atom).short
            times = f"{count} times" if count else "any number of times"
            help_text = f"write `all {name}`, or `count({name} earlier) = {count}`"
            if not count:
                help_text = "ask for what shows that none is left: `no Row(..)` or `every Row has (..)`"
            yield warning(
                RULE.code,
                early.item.span,
                f"`{name}` is allowed {times}, and this holds after the first",
                labels=tuple(_labels(allowed, early, f"allowed {times}")),
                help=help_text,
                fixes=_all(context, rule, early) if count else (),
            )


def _all(context: Context, rule: ir.Rule, early: _Early) -> tuple[Fix, ...]:
    """The fix that asks whether all was done, for a condition that asks nothing else: the task then ends later."""
    item = early.item
    if early.inside is not None or not isinstance(item, ir.Lit) or item.atom.constraints or item.span is None:
        return ()
    if item.past is None or item.past.op != "earlier":
        return ()
    tree = next((each for each in context.tree_of(rule).body if each.span == item.span), None)
    if not isinstance(tree, t.Lit):
        return ()
    text = f"all {tree.atom.name.text}"
    return (Fix(f"write `{text}`", (Edit(item.span, text),)),)


def _labels(allowed: list[tuple[ir.Rule, ir.License]], early: _Early, how_often: str) -> Iterator[Label]:
    alone = len(allowed) == 1
    for rule, _ in allowed:
        if rule.head_span:
            yield Label(rule.head_span, how_often if alone else "allowed here")
    place = early.inside.span if early.inside is not None else None
    if place and early.item.span and place.file == early.item.span.file:
        yield Label(place, "by this")


def _times(heads: list[ir.License], early: _Early) -> int:
    """How often the permissions allow the action of the condition; 0: any number of times."""
    times = 0
    for head in heads:
        constraints = {
            (each.attr, each.op, each.term, each.hi) for each in head.atom.constraints if not variables(each)
        }
        narrow = any(
            (each.attr, each.op, each.term, each.hi) not in constraints
            for each in early.atom.constraints
            if not _says_nothing(each, early.free)
        )
        if head.quota.kind == "each" and not narrow:
            return 0
        if head.quota.kind != "either":
            times += 1 if narrow or head.quota.kind == "each" else head.quota.n
    return max(times + any(head.quota.kind == "either" for head in heads), 1)


def _together(head: ir.Atom, atom: ir.Atom) -> bool:
    """Whether a permission and a condition may mean the same action: no constants in them differ."""
    constants = {
        each.attr: each.term
        for each in head.constraints
        if each.op == "=" and isinstance(each.term, ir.Const)
    }
    return all(
        constants.get(each.attr, each.term) == each.term
        for each in atom.constraints
        if each.op == "=" and isinstance(each.term, ir.Const)
    )


def _says_nothing(each: ir.Constraint, free: frozenset[str]) -> bool:
    return each.op == "known" or (each.op == "=" and isinstance(each.term, ir.Var) and each.term.name in free)


def _early(
    program: ir.Program,
    body: tuple[ir.Literal, ...],
    head: tuple[ir.Constraint, ...],
    inside: tuple[str, ...] = (),
) -> Iterator[_Early]:
    """The conditions of a body that one commit meets, if no other condition shows that all was done.

    Args:
        head: the constraints of the definition's head that are asked for.
        inside: the definitions around it.
    """
    if any(_shows_the_end(program, item) for item in literals(body)):
        return
    free = frozenset(name for name, count in Counter(mentions((head, body))).items() if count == 1)
    spent = {item.relation for item in literals(body) if isinstance(item, ir.Spent)}
    for outer in body:
        chain = Counter(
            item.atom.relation for item in literals((outer,)) if isinstance(item, ir.Lit) and not item.neg
        )
        for item in literals((outer,)):
            lit = item.lit if isinstance(item, ir.Aggregate) else item
            if not isinstance(lit, ir.Lit) or lit.neg or (lit.past is not None and lit.past.op != "earlier"):
                continue
            relation = program.relations[lit.atom.relation]
            if relation.sort == "action" and relation.name not in spent and chain[relation.name] < 2:
                yield _Early(item, lit.atom, free)
            elif relation.sort == "derived" and isinstance(item, ir.Lit) and relation.name not in inside:
                asked = {each.attr for each in lit.atom.constraints if not _says_nothing(each, free)}
                yield from _defined(program, item, asked, (*inside, relation.name))


def _defined(program: ir.Program, item: ir.Lit, asked: set[str], inside: tuple[str, ...]) -> Iterator[_Early]:
    for rule in program.rules:
        if isinstance(rule.head, ir.Derive) and rule.head.atom.relation == item.atom.relation:
            head = tuple(each for each in rule.head.atom.constraints if each.attr in asked)
            for early in _early(program, rule.body, head, inside):
                yield _Early(item, early.atom, early.free, early.inside or early.item)


def _shows_the_end(program: ir.Program, item: ir.Literal) -> bool:
    """Whether a condition can distinguish the first commit from the last: it asks about all rows, or about absence."""
    if isinstance(item, ir.Aggregate):
        counted = program.relations[item.lit.atom.relation].sort == "action"
        return not (counted and item.fn == "count" and _holds_of_one(item))
    if isinstance(item, ir.Quantified):
        return not isinstance(item, ir.First)
    return isinstance(item, ir.Lit) and item.neg and item.past is None


def _holds_of_one(item: ir.Aggregate) -> bool:
    ends = [each.value for each in (item.right, item.hi) if isinstance(each, ir.Const)]
    wanted = 1 if item.hi is None else 2
    return len(ends) == wanted and ops.holds(item.op, 1, *ends) and not ops.holds(item.op, 0, *ends)


_SPEC = (
    'spec pair "Book two tables at R for today"\nimport apps.opentable\n'
    'allow 2 Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
    "done when {done}, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0016",
    "done-after-the-first",
    "`done` that holds after the first of several",
    "`A earlier` holds as soon as A was done once. Where A is allowed several times (`allow 3 A`, `allow each A`, "
    "several rules with licences of their own), the task could be finished after the first; so it is with `A then B`, "
    "with `count(A earlier) >= 1` and with what a `define` says of these. `all A` holds when every licence is used up; "
    "for `allow each`, ask the app what is left. What can distinguish the first from the last (`no Row(..)`, "
    "`every Row has (..)`, another aggregate) keeps the rule quiet.",
    _SPEC.replace("{done}", "Reserve earlier"),
    _SPEC.replace("{done}", "all Reserve"),
    find,
    fix="writes `all A`",
)
