"""What rules that add duty hold of, if what nobody read is so (`language.md#readings`)."""

from collections.abc import Iterable, Mapping, Sequence

from vsalang.engine.api import Row
from vsalang.engine.explain.finding import Finding
from vsalang.engine.explain.match import known_cells
from vsalang.engine.explain.open_rows import Unread
from vsalang.engine.explain.supposing import Supposing, Supposition
from vsalang.guard.judge.judgement import MayBe, NameJudgement
from vsalang.guard.say.verdict import Why
from vsalang.guard.say.why_writer import WhyWriter
from vsalang.guard.world.beliefs import row_of
from vsalang.guard.world.rule_effects import every_instance, head_cells
from vsalang.program.ir import Compare, Recognize, Rule
from vsalang.program.phrases import joined, say
from vsalang.program.polarity import Polarity, polarity
from vsalang.program.show import quoted
from vsalang.program.text import safe
from vsalang.program.values import Value

_OF_NODES = frozenset({"Node", "Part", "TextIn"})
_WORDS = ("desc", "text", "hint")
"""What a label is put together from."""
_SHOWN = 3


def supposing(judgement: NameJudgement) -> Supposing:
    """Who answers what possibly holds in the moment that is assigned."""
    facts, known = judgement.explained(), judgement.supposing
    if known is not None and known.facts is facts:
        known.steps = 0  # each question may compare as many rows
        return known
    screen = judgement.whole.state.screen
    if screen is None:
        unread = Unread({}, judgement.unread)
    else:
        unread = Unread(screen.unread, judgement.unread, screen.forest)
    judgement.supposing = Supposing(facts, unread, judgement.whole.tools.book.definitions)
    return judgement.supposing


def supposed(asked: Supposing, rule: Rule) -> list[Supposition]:
    """The ways in which a rule holds only if something is supposed; none for a rule that adds no duty."""
    if polarity(rule) is not Polarity.ADDS_DUTY:
        return []
    suppositions = asked.ways(rule.body)
    if isinstance(rule.head, Recognize) and rule.extra:
        for body in asked.definitions.sources[rule.id]:
            suppositions += asked.ways(body)
    return suppositions


def may_be(judgement: NameJudgement) -> list[MayBe]:
    """The actions that a proposal may be in the moment that is assigned, and is not known to be."""
    tools, context = judgement.whole.tools, judgement.whole.context
    candidates: dict[tuple[str, Row], MayBe] = {}
    rules = tools.book.firing.rules("recognize", judgement.there)
    if not rules:
        return []
    asked = supposing(judgement)
    for rule in asked.in_doubt(rules, ("recognize", judgement.there)):
        ways = supposed(asked, rule)
        if not ways:
            continue
        assert isinstance(rule.head, Recognize)
        action = rule.head.atom.relation
        known = every_instance(tools.answers, rule, context, tools.program)
        for way in ways:
            row = row_of(tools.program.relation(action), head_cells(rule, way.binding, context))
            if row not in known and (action, row) not in candidates:
                whys, words = doubts_told(asked, way.doubts)
                candidates[action, row] = MayBe(action, row, rule, whys, words)
    return list(candidates.values())


# ---------------------------------------------------------------------- in words


def supposing_least(ways: Iterable[Supposition]) -> Supposition:
    """The way that supposes least, which is told; there must be one."""
    return min(ways, key=lambda way: len(way.doubts))


def doubts_told(
    asked: Supposing, doubts: Iterable[Finding], actions: Sequence[MayBe] = ()
) -> tuple[tuple[Why, ...], str]:
    """What is not known, as data, and as a sentence that also says what would settle it.

    Args:
        asked: what was asked of.
        doubts: what is not known.
        actions: what the proposal may be: their parameters are not known for what they say.
    """
    unread = {(each.action, each.row): each.words for each in actions}
    words = WhyWriter(asked.facts)
    each = tuple(dict.fromkeys(map(words.why_of, doubts)))
    texts = list(dict.fromkeys(_cell_text(asked, doubt, unread) for doubt in doubts))
    if len(texts) > _SHOWN:
        texts = [*texts[:_SHOWN], say("reason.unread_more", count=len(texts) - _SHOWN)]
    return each, joined("; ", texts)


def _cell_text(asked: Supposing, doubt: Finding, unread: Mapping[tuple[str, Row], str]) -> str:
    assert doubt.literal is not None
    if isinstance(doubt.literal, Compare):
        return say("reason.hidden_text", text=safe(str(doubt.value), 40))
    relation = asked.program.relation(doubt.literal.atom.relation)  # type: ignore[union-attr]
    if doubt.failure is None or doubt.row is None:
        return say("reason.unread_relation", relation=relation.short)
    attr = doubt.failure.constraint.attr
    if doubt.failure.cell is not None:
        return say("reason.hidden_text", text=safe(str(doubt.failure.cell), 40))
    if relation.sort == "gesture" or relation.name in _OF_NODES:
        cells = known_cells(relation, doubt.row)
        return (_label_text(asked, cells) if attr == "label" else "") or say(
            "reason.unread_node", attr=attr, control=_control(cells)
        )
    cell = f"{relation.short}.{attr}"
    if relation.sort == "action":
        return unread.get((relation.name, doubt.row)) or say("reason.unread_parameter", cell=cell)
    keys = [
        f"{name} = {quoted(value)}"
        for name, value in known_cells(relation, doubt.row).items()
        if name in relation.key and name != attr
    ]
    return say("reason.unread_cell", cell=f"{cell} ({', '.join(keys)})" if keys else cell)


def _label_text(asked: Supposing, cells: Mapping[str, Value]) -> str:
    """Which attribute of those that make up a label was not read; empty if that is not known."""
    forest, unread, node = asked.unread.forest, asked.unread.nodes, cells.get("node")
    if forest is None or not isinstance(node, int):
        return ""
    for inner in forest.inside(node):
        lacks = unread.get(inner, frozenset())
        for attr in _WORDS if inner == node else (*_WORDS, "clickable"):
            if attr in lacks:
                if inner == node:
                    return say("reason.unread_own_words", control=_control(cells), attr=attr)
                rows = (known_cells(asked.program.relation("Node"), row) for row in asked.facts.rows("Node"))
                within = next((row for row in rows if row.get("node") == inner), {"node": inner})
                return say("reason.unread_words", control=_control(cells), attr=attr, inner=_control(within))
    return ""


def _control(cells: Mapping[str, Value]) -> str:
    if "node" not in cells:
        return say("reason.some_field")
    names = [str(cells["class"])] if "class" in cells else []
    names += [safe(str(cells[name]), 40) for name in ("label", "text", "desc", "id") if name in cells][:1]
    return " ".join(["node", str(cells["node"]), *names])
