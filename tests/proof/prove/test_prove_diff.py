"""Two versions of a spec: the direction is right, each difference is a test that tells them apart, copies are equal."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.proof.prove.prove_programs import EXAMPLES, SHIPPED, own, program
from tests.thorough import some
from vsalang.guard import run_example
from vsalang.language.semantics import load, load_text
from vsalang.program.example import Example
from vsalang.program.ir import Judge, Program
from vsalang.proof.prove import Diff, NotComparable, diff, equivalent
from vsalang.proof.prove.edits import Edit, edits
from vsalang.proof.prove.printing import source
from vsalang.proof.prove.stories import expecting

WAYS = {
    "weaker": {"looser", "equal"},
    "stronger": {"stricter", "equal"},
    "other": {"looser", "stricter", "incomparable", "equal"},
}


def passes(made: Program, story: Example) -> bool:
    return run_example(made, replace(story, target=made.main)).passed


def check_tests(old: Program, new: Program, found: Diff) -> None:
    """Each difference passes on one side and fails on the other, whichever it is written for."""
    for item in found.differences:
        assert passes(old, item.story)
        assert not passes(new, item.story)
        turned = expecting(item.story, item.new)
        assert passes(new, turned)
        assert not passes(old, turned)


def test_days_beside_today_are_decided() -> None:
    old, new = (
        program("reserve_r", ("date = today, time = ?t, available", f"date >= {day}, time = ?t, available"))
        for day in ("today", "today - 1d")
    )
    found = diff(old, new)
    assert [(head.name, head.outcome) for head in found.heads] == [
        ("allow Reserve", "looser"),
        ("done", "equal"),
    ]


@pytest.mark.parametrize(
    ("changes", "head", "outcome"),
    [
        ([("time < 19:00)", "time <= 19:00)")], "allow Reserve", "looser"),
        ([("time < 19:00)", "time < 18:00)")], "allow Reserve", "stricter"),
        ([('restaurant = "R", date', "date")], "allow Reserve", "looser"),
        ([("time = ?t, available = true", "time = ?t")], "allow Reserve", "looser"),
        ([("available = true", "available = false")], "allow Reserve", "incomparable"),
        ([("success = true", "success known")], "done", "looser"),
        ([(", ReserveResult(success = true)", "")], "done", "looser"),
        ([("allow Reserve", "allow 2 Reserve")], "allow Reserve", "looser"),
        ([("allow Reserve", "allow each Reserve")], "allow Reserve", "looser"),
        ([("done when no", 'deny "early" when Reserve(time < 12:00).\ndone when no')], "deny", "stricter"),
        ([("available = true).\n\ntest", "available = false).\n\ntest")], "done", "incomparable"),
    ],
)
def test_a_change_has_its_direction_and_a_test(
    changes: list[tuple[str, str]], head: str, outcome: str
) -> None:
    old, new = program("reserve_r"), program("reserve_r", *changes)
    found = diff(old, new)
    assert {h.name: h.outcome for h in found.heads if h.outcome != "equal"} == {head: outcome}
    assert found.differences
    check_tests(old, new, found)


def test_what_is_committed_first_stands_in_the_test() -> None:
    old, new = program("reserve_r"), program("reserve_r", (", ReserveResult(success = true)", ""))
    (item,) = diff(old, new).differences
    text = source(old, [item.story])
    assert re.search(r"attempt Reserve\(.*\)\.\n  finish => block\.", text), text


def test_a_rule_more_or_less() -> None:
    one, two = (
        program("payments"),
        program("payments", ("deny", 'deny "x" when Reserve(restaurant = "Q").\ndeny')),
    )
    found = diff(one, two)
    assert found.outcome == "stricter"
    check_tests(one, two, found)
    back = diff(two, one)
    assert back.outcome == "looser"
    check_tests(two, one, back)


FREE = 'define Free(at = ?x) when Slot(restaurant = "R", date = today, time = ?x, available = true).'
HEAD = 'restaurant = "R", date = today, time = ?t, time < 19:00'
COPIES = {
    "reordered": [
        (HEAD, 'time < 19:00, date = today, time = ?t, restaurant = "R"'),
        ("Reserve earlier, ReserveResult(success = true)", "ReserveResult(success = true), Reserve earlier"),
    ],
    "renamed": [
        ("time = ?t, time < 19:00", "time = ?when, time < 19:00"),
        ("time = ?t, available", "time = ?when, available"),
    ],
    "a definition for a condition": [
        ("allow Reserve", f"{FREE}\nallow Reserve"),
        ('when Slot(restaurant = "R", date = today, time = ?t, available = true)', "when Free(at = ?t)"),
    ],
    "a comparison for a constraint": [
        (", time < 19:00)", ")"),
        ("time = ?t, available = true)", "time = ?t, available = true), ?t < 19:00"),
    ],
    "a clause twice": [
        ("done when no", "done when ReserveResult(success = true), Reserve earlier.\ndone when no")
    ],
    "a clause that another covers": [
        (
            "done when no",
            'done when Reserve(restaurant = "R") earlier, ReserveResult(success = true).\ndone when no',
        )
    ],
}


@pytest.mark.parametrize("copy", COPIES)
def test_copies_that_mean_the_same_are_equal(copy: str) -> None:
    old, new = program("reserve_r"), program("reserve_r", *COPIES[copy])
    assert diff(old, new).outcome == "equal"
    assert diff(new, old).outcome == "equal"
    assert diff(old, new).bound is None


def test_definitions_may_have_another_name() -> None:
    text = """define A(n = ?x) when Slot(time = ?x, available = true).
deny "x" when A(n = ?t), not A(n = 12:00), ?t > 09:00.
@id"""
    old = program("payments", ("@id", text))
    new = program("payments", ("@id", text.replace("A(", "Free(").replace("?x", "?time")))
    assert diff(old, new).outcome == "equal"


def changed(name: str) -> list[tuple[Program, Edit]]:
    made = program(name)
    return [(made, edit) for edit in edits(made, own(made))]


def check_edit(made: Program, edit: Edit) -> None:
    rule = next(rule for rule in own(made) if rule.id == edit.rule)
    found = diff(made, edit.program, seconds=300, each=60)
    way = edit.way
    if isinstance(rule.head, Judge) and way != "other":
        way = "stronger" if way == "weaker" else "weaker"
    assert found.outcome in WAYS[way], edit.text
    assert (found.outcome == "equal") == (not found.differences)
    check_tests(made, edit.program, found)


SOME = [(name, index) for name in SHIPPED for index in range(0, 60, 13)]


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(("name", "index"), SOME)
def test_planted_edits_are_found_in_their_direction(name: str, index: int) -> None:
    planted = changed(name)
    check_edit(*planted[index % len(planted)])


@pytest.mark.soak
@pytest.mark.parametrize("name", SHIPPED)
def test_every_planted_edit_is_found_in_its_direction(name: str) -> None:
    """One in three of them; before a release all."""
    for made, edit in some(changed(name), 3, 1):
        check_edit(made, edit)


@given(st.permutations(range(6)), st.permutations(range(3)))
@settings(max_examples=10, deadline=None)
def test_any_order_is_equal(rules: list[int], conditions: list[int]) -> None:
    def text(order: list[int], inner: list[int]) -> str:
        body = [
            "Slot(available = true, time = ?t, restaurant = ?r)",
            "?t < 19:00",
            "RestaurantInfo(name = ?r)",
        ]
        items = [
            'deny "a" when Reserve(time = ?t), Slot(time = ?t, available = false).',
            f'deny "b" when {", ".join(body[i] for i in inner)}, Reserve(restaurant = ?r).',
            'confirm "c" when Reserve(date > today + 3d).',
            'confirm "d" when Reserve(date = ?d), not Booking(date = ?d).',
            'warn "e" when Reserve(time in 01:00..02:00).',
            'flag "f" when Reserve(restaurant ~= "Da Mario").',
        ]
        return "\n".join(['policy p "p"', "import apps.opentable", *(items[i] for i in order)]) + "\n"

    place = EXAMPLES / "p.vsa"
    one = load_text(text(list(range(6)), [0, 1, 2]), file="p.vsa", path=place).checked()
    other = load_text(text(rules, conditions), file="p.vsa", path=place).checked()
    assert diff(one, other).outcome == "equal"


def test_equivalence_in_one_word() -> None:
    old = program("reserve_r")
    looser = program("reserve_r", ("time < 19:00)", "time <= 19:00)"))
    both = program("reserve_r", ("time < 19:00)", "time > 18:00)"))
    assert equivalent(old, program("reserve_r")).word == "equal"
    found = equivalent(old, looser, seconds=60)
    assert found.word == "looser"
    assert found.witness is not None
    assert (found.witness.old, found.witness.new) == ("block", "allow")
    assert equivalent(looser, old, seconds=60).word == "stricter"
    assert equivalent(old, both, seconds=60).word == "differs"


def test_an_action_that_was_done_with_none_is_told() -> None:
    text = 'spec s "x"\nallow answer(text = none).\ndone when answer(text = none) earlier.\n'
    old = load_text(text, file="s.vsa").checked()
    new = load_text(text.replace("earlier.", 'earlier, App(package = "p").'), file="s.vsa").checked()
    found = diff(old, new)
    assert found.outcome == "stricter"
    check_tests(old, new, found)


@pytest.mark.slow
def test_what_cannot_be_decided_is_said() -> None:
    pattern = 'deny "no" when Reserve(restaurant matches /\\p{Greek}R/).\n@id'
    old = program("payments", ("@id", pattern))
    new = program("payments", ("@id", pattern.replace("}R", "}Q")))
    head = next(h for h in diff(old, new).heads if h.name == "deny")
    assert head.outcome == "unknown"
    assert all(left.why for left in head.open)
    assert equivalent(old, new).word == "unknown"


PAST = {
    "the same row": (
        "Slot(time = ?t, available = true) earlier, {}",
        "?t > 12:00",
        "?t >= 12:00",
        "stricter",
    ),
    "another row": ("Slot(time = ?s) earlier, {}", "?s > 12:00", "?s >= 12:00", "stricter"),
    "another form": ("Slot(time = ?s) earlier, {}", "?s > 12:00", "12:00 < ?s", "equal"),
    "two rows": ("Slot(time = ?s) earlier, Slot(time = ?u) earlier, {}", "?s < ?u", "?u > ?s", "equal"),
    "never": ("not Slot(time = ?t) earlier, {}", "?t > 12:00", "?t >= 12:00", "stricter"),
    "since": (
        "Slot(time = ?t) since Slot(time = ?t, available = true), {}",
        "?t > 12:00",
        "12:00 < ?t",
        "equal",
    ),
}


@pytest.mark.parametrize("name", PAST)
def test_past_conditions_of_both_sides_are_one(name: str) -> None:
    asked, one, other, outcome = PAST[name]
    old, new = (
        program("payments", ("@id", f'deny "x" when Reserve(time = ?t), {asked.format(text)}.\n@id'))
        for text in (one, other)
    )
    found = diff(old, new)
    assert found.outcome == outcome
    check_tests(old, new, found)


@pytest.mark.parametrize(("other", "outcome"), [("12:00 < ?t", "equal"), ("?t >= 12:00", "stricter")])
def test_order_is_compared_with_the_same_order(other: str, outcome: str) -> None:
    rule = 'deny "x" when Slot(available = true) then Reserve(time = ?t), {}.\n@id'
    old, new = (program("payments", ("@id", rule.format(text))) for text in ("?t > 12:00", other))
    found = diff(old, new)
    assert found.outcome == outcome
    check_tests(old, new, found)


def test_two_rows_of_the_past_may_differ() -> None:
    """What two conditions of one rule found need not be one row."""
    rule = 'deny "x" when Reserve, Slot(time = ?s) earlier, Slot(time = ?u) earlier, {}.\n@id'
    old, new = (program("payments", ("@id", rule.format(text))) for text in ("?s < ?u", "?s < ?s"))
    assert diff(old, new).outcome != "equal"


INJECTION, PRIVACY = 'Sign(kind = "injection", text = ?t).', "when Privacy(text = ?t)."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "old", "new", "outcome"),
    [
        (
            "Destructive(text = ?t).",
            "Destructive(text = ?t).",
            'Destructive(text = ?t), ?t != "Erase all data".',
            "looser",
        ),
        (INJECTION, INJECTION, "Injection(text = ?t), Touched.", "equal"),
        (PRIVACY, "when Evasion(text = ?t).", 'when Evasion(text = ?t), ?t contains "a".', "looser"),
        (PRIVACY, 'when Evasion(text = ?t), ?t contains "a".', "when Evasion(text = ?t).", "stricter"),
        pytest.param(INJECTION, INJECTION, "Sign(text = ?t).", "stricter", marks=pytest.mark.soak),
        pytest.param(PRIVACY, PRIVACY, f'{PRIVACY[:-1]}, ?t contains "a".', "looser", marks=pytest.mark.soak),
    ],
)
def test_patterns_with_word_boundaries_are_compared(piece: str, old: str, new: str, outcome: str) -> None:
    one, other = program("careful", (piece, old)), program("careful", (piece, new))
    found = diff(one, other)
    assert found.outcome == outcome
    check_tests(one, other, found)


@pytest.mark.slow
def test_one_word_is_another() -> None:
    rule = 'deny "no" when Reserve(restaurant matches /{}/).\n@id'
    one, two, same = (
        program("payments", ("@id", rule.format(p))) for p in ("\\bR\\b", "\\bQ\\b", "(^|\\W)R\\b")
    )
    assert diff(one, same).outcome == "equal"
    assert diff(one, two).outcome == "incomparable"


def test_without_time_nothing_is_claimed() -> None:
    old, new = program("reserve_r"), program("reserve_r", ("time < 19:00)", "time <= 19:00)"))
    found = diff(old, new, seconds=1e-9)
    assert found.outcome == "unknown"
    assert [left.why for head in found.heads for left in head.open] == ["the time was not enough"] * 2


def test_a_bound_is_said_where_more_rows_could_differ() -> None:
    rule = 'deny "x" when Reserve(restaurant = ?r), not Booking(restaurant = ?r), {}.\n@id'
    old = program("payments", ("@id", rule.format("Slot(restaurant = ?r)")))
    new = program("payments", ("@id", rule.format("Slot(restaurant = ?q), ?q = ?r")))
    found = diff(old, new)
    assert found.outcome == "equal"
    assert found.bound is not None


def test_contracts_are_compared_as_written() -> None:
    old = program("payments", ("@id", "expect Booking(restaurant = ?r) when Reserve(restaurant = ?r).\n@id"))
    new = program("payments", ("@id", "expect Booking(date = ?r) when Reserve(date = ?r).\n@id"))
    assert diff(old, old).outcome == "equal"
    (head,) = [h for h in diff(old, new).heads if h.name == "expect"]
    assert head.outcome == "unknown"


def test_other_modules_are_not_compared() -> None:
    with pytest.raises(NotComparable, match="not a spec and a policy"):
        diff(program("reserve_r"), program("payments"))


LOWERED = {
    "none": "",
    "all": '@unlicensed confirm "Share it?" when Share(with = ?w).',
    "renamed": '@unlicensed confirm "Share it with {?who}?" when Share(with = ?who).',
    "some": '@unlicensed confirm "Share it?" when Share(with = "Bob").',
    "warned": '@unlicensed @near(Buy) warn "Share it?" when Share.',
    "warned more": '@unlicensed @near(Buy, Look) warn "Share it?" when Share.',
}


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        ("none", "all", "looser"),
        ("all", "none", "stricter"),
        ("all", "renamed", "equal"),
        ("some", "all", "unknown"),
        ("none", "none", "equal"),
        ("none", "warned", "looser"),
        ("warned", "warned more", "unknown"),
    ],
)
def test_what_is_asked_instead_of_blocked_is_compared(
    tmp_path: Path, old: str, new: str, outcome: str
) -> None:
    """A policy that lowers a level never decides the same as one that does not."""
    (tmp_path / "shop.vsa").write_text(
        'app shop package "com.shop" "A shop"\n@severity(low) action Share(with: Text "to whom") "Share"\n'
        'action Buy "Buy"\nrecognize Buy when tap(id = "buy").\n'
        'action Look "Look"\nrecognize Look when tap(id = "look").\n'
        'recognize Share(with = ?w) when tap(id = "share", label = ?w).\n'
    )
    sides = []
    for word in (old, new):
        text = f'policy asked "Asked"\nimport shop\nwarn "slowly" when wait.\n{LOWERED[word]}\n'
        (tmp_path / "asked.vsa").write_text(text)
        sides.append(load(tmp_path / "asked.vsa").checked())
    assert diff(*sides).outcome == outcome
