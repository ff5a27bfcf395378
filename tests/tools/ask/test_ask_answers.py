"""Rows, proofs of them, and what is missing."""

import datetime as dt

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.engine.generators import apply, random_case
from tests.engine.worlds import TODAY
from tests.snapshots import golden
from tests.tools.ask.places import asked, full, shop, steps
from vsalang.base.source import Source
from vsalang.engine import open_session
from vsalang.engine.explain.match import Facts
from vsalang.engine.explain.terms import Context
from vsalang.program.ir import Atom, Derive, Lit, Relation, Rule
from vsalang.program.similarity import AssumedPairs
from vsalang.tools.ask import Clause, Condition, Situation
from vsalang.tools.ask.engines import Recorder
from vsalang.tools.ask.missing import Missing
from vsalang.tools.ask.probes import probed
from vsalang.tools.ask.proof import ProofWriter
from vsalang.tools.ask.question import Question
from vsalang.tools.ask.render import clause_lines, reply_lines

QUESTIONS = [
    "Item(name = ?n, price > 5)",
    "Dear(name = ?n)",
    "Cheap(name = ?n)",
    'Before(one = ?a, other = "Nut")',
    "count(Item(kind = ?k)) = ?n",
    "sum(price of Item) = ?s, Bill(total = ?t), ?s < ?t",
    "every Item(kind = Fruit) has (price < 10)",
    "first 2 Item(name = ?n, price > 5)",
    "Pay(total = ?t) earlier then Bill(paid = true)",
    "not Bill(paid = false), screen Basket",
    "Item(name = ?n, kind unknown)",
    "Item(name = ?n, price > 100)",
    'Dear(name = "Tea")',
    'Before(one = "Nut", other = ?x)',
    "count(Item) > 3",
    "every Item has (price < 10)",
    "no Item(price = ?p), Bill(total = ?p)",
    'Item(name = ?n), not Item(kind = Fruit), ?n != "Fig"',
    "Pay(total = 31) earlier",
    "Bill(paid = true) within 1s, not Pay earlier",
    'Item(kind != Fruit, name = "Nut")',
    "screen Offer",
    "tap(id = ?i)",
    'Node(id = "basket")',
    "first 3 Item has (price < 10)",
    "Bill(paid = true) then Pay earlier",
    "Item(name = ?n, price = ?p), ?p > ?q, Bill(total = ?q)",
]


def test_what_is_answered_to_people() -> None:
    place = shop()
    situation = full(place)
    found = []
    for body in QUESTIONS:
        reply = asked(place, situation, body)
        lines = reply_lines(reply, place.sources(reply.question.source), explain=2)
        found.append("\n".join([f"==== {body}", *lines, ""]))
    golden("\n".join(found), "ask/answers.txt")


def test_rows_are_sorted_by_value() -> None:
    place = shop()
    reply = asked(place, full(place), "Item(price = ?p)")
    assert reply.rows == ((3,), (6,), (12,))


def test_a_body_without_variables_holds_or_not() -> None:
    place = shop()
    assert asked(place, full(place), "Bill(paid = true)").rows == ((),)
    assert not asked(place, Situation(), "Bill(paid = true)").holds


def test_wide_facts_show_what_was_asked() -> None:
    place = shop()
    seen = steps(
        place, 'observe Node(id = "total", text = "5", clickable = true, enabled = true, left = 1, top = 2).'
    )
    (condition,) = asked(place, seen, "Node(enabled = true)").why(0)
    assert condition.fact == 'Node(node = 1, id = "total", text = "5", label = "5", enabled = true)'


def test_a_proof_names_the_rule_and_its_place() -> None:
    place = shop()
    (condition,) = asked(place, full(place), 'Dear(name = "Nut")').why(0)
    (clause,) = condition.parts
    assert (clause.rule, clause.holds) == ("shop:6", True)
    assert clause.span is not None
    assert place.loaded.sources["shop.vsa"].slice(clause.span).startswith("define Dear")
    assert [c.fact for c in clause.conditions] == ['Item(name = "Nut", price = 12, count = 1, at = 3)']


def test_what_is_absent_names_every_rule_nearest_first() -> None:
    place = shop()
    (condition,) = asked(place, full(place), 'Dear(name = "Tea")').why_not.conditions
    assert [clause.rule for clause in condition.parts] == ["shop:6", "shop:7"]
    first, second = condition.parts
    assert [c.state for c in first.conditions] == ["unmet"]
    assert [c.state for c in second.conditions] == ["met", "unmet"]


def test_unknown_is_told_from_unmet() -> None:
    place = shop()
    (condition,) = asked(place, full(place), 'Item(name = "Nut", kind = Fruit)').why_not.conditions
    assert condition.state == "unknown"
    (condition,) = asked(place, full(place), 'Item(name = "Fig", kind = "Dry goods")').why_not.conditions
    assert condition.state == "unmet"
    assert condition.said == 'kind is Fruit, wanted = "Dry goods"'


def facts_of(made, session: Recorder) -> Facts:
    """What can be asked of a session outside the engine: derived rows of the engine, others as they were assigned."""
    slots = {what: list(rows) for kind, what, rows in session.moments() if kind == "assign"}
    last = [what for kind, what, _ in session.moments() if kind == "now"]

    def rows(name: str) -> list:
        return sorted(session.rows(name), key=repr)

    return Facts(
        made,
        Context(TODAY, last[-1] if last else dt.datetime.combine(TODAY, dt.time(12)), AssumedPairs(())),
        rows,
        lambda name: slots.get(f"before {name}", []),
        lambda name: slots.get(f"complete {name}", []),
        lambda name: [commit.row for commit in slots.get(f"commits {name}", [])],
        lambda name: bool(slots.get(f"spent {name}")),
    )


def check_proof(clause: Clause, above: frozenset[str] = frozenset()) -> int:
    """No proof depends on itself, and all of it is met. Gives the number of its conditions."""
    assert clause.holds
    found = 0
    for condition in clause.conditions:
        assert condition.state == "met"
        found += 1
        for part in condition.parts:
            assert condition.fact not in above
            found += check_proof(part, above | {condition.fact})
    return found


def check_random(seed: int) -> int:
    """On a random program, in random moments: every derived row has a proof, and what is absent is explained."""
    made, stream = random_case(seed)
    asks = [
        Question(
            name,
            (),
            Rule(f"q{n}", Derive(Atom(f"q{n}")), (Lit(Atom(name)),)),
            Relation(f"q{n}", "derived", ()),
            Source("", ""),
        )
        for n, name in enumerate(
            sorted({r.head.atom.relation for r in made.rules if isinstance(r.head, Derive)})
        )
    ]
    if not asks:
        return 0
    probes = probed(made, asks)
    session = Recorder(open_session(probes.program, today=TODAY), TODAY, AssumedPairs(()))
    bare = open_session(made, today=TODAY)
    found = 0
    marks: list[int] = []
    others: list[int] = []
    for step in stream:
        apply(session, step, marks)
        apply(bare, step, others)
    facts = facts_of(probes.program, session)
    prover = ProofWriter(probes, session, facts)
    missing = Missing(probes, session, facts, prover)
    for question in asks:
        name = question.text
        rows = session.rows(name)
        assert rows == bare.rows(name)
        assert bool(rows) == (() in session.rows(question.relation.name))
        for row in sorted(rows, key=repr):
            clause = prover.why(name, row)
            if clause is None:
                # a screen that is given needs no rule
                assert made.relations[name].sort == "screen"
            else:
                found += check_proof(clause)
        for clause in missing.rules(name, {}) if not rows else ():
            assert not clause.holds
            assert clause.conditions
            assert clause_lines(clause, {})
    return found


@pytest.mark.slow
@settings(max_examples=60)
@example(6720)  # a commit compared with another condition's variable
@given(st.integers(0, 1_000_000))
def test_every_row_of_a_random_program_has_a_proof(seed: int) -> None:
    check_random(seed)


@pytest.mark.slow
def test_random_programs_have_rows_to_prove() -> None:
    assert sum(check_random(seed) for seed in range(40)) > 50


@pytest.mark.parametrize("n", [2, 30])
def test_a_circle_is_proved_without_circles(n: int) -> None:
    from vsalang.language.semantics import load_text
    from vsalang.tools.ask import Place

    facts = " ".join(f"define Edge(a = {i}, b = {(i + 1) % n})." for i in range(n))
    text = (
        f'module circle "x" {facts}\n'
        "define Path(a = ?a, b = ?b) when Edge(a = ?a, b = ?b).\n"
        "define Path(a = ?a, b = ?c) when Path(a = ?a, b = ?b), Edge(a = ?b, b = ?c)."
    )
    place = Place(load_text(text, file="circle.vsa"))
    reply = asked(place, Situation(), "Path(a = 0, b = ?x)")
    assert len(reply.rows) == n
    depths = []
    for number in range(n):
        (condition,) = reply.why(number)
        (clause,) = condition.parts
        check_proof(clause)
        depths.append(_depth(condition))
    # 0 is reached last, all the way round
    assert depths[0] == max(depths) == n


def _depth(condition: Condition) -> int:
    return max((1 + _depth(c) for clause in condition.parts for c in clause.conditions), default=0)
