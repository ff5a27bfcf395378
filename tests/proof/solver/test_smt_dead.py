"""Planted dead rules are found with the conditions that clash; live rules are not reported."""

from pathlib import Path

import pytest

from tests.oracle import engine_of
from tests.proof.solver.smt_programs import APP, ask, clause, policy, program
from vsalang.language.semantics import load
from vsalang.proof.solver import Alive, Dead, OpenPoint
from vsalang.proof.solver.dead import Queries, analysed, dead_rule
from vsalang.proof.solver.scan import Size, size
from vsalang.proof.worlds import interpreter

DEAD = {
    "numbers": ("Flag(n < 3, n > 5)", {"n < 3", "n > 5"}),
    "number and its bounds": ("Flag(n = ?x), ?x in 1..2, ?x not in 0..9", {"?x in 1..2", "?x not in 0..9"}),
    "exact decimals": ("Flag(n = ?x), ?x + 0.2 = 0.4, ?x != 0.2", {"?x + 0.2 = 0.4", "?x != 0.2"}),
    "two values": ("Flag(on = true, on = false)", {"on = true", "on = false"}),
    "unknown and a value": ("Flag(n unknown, n = 1)", {"n unknown", "n = 1"}),
    "none has no order": ("Flag(n = none, n < 3)", {"n = none", "n < 3"}),
    "enum exhausted": ("Page(c not in {Red, Blue}, c != none)", {"c not in {Red, Blue}", "c != none"}),
    "time range": ("Event(start in 10:00..11:00, start > 11:00)", {"start in 10:00..11:00", "start > 11:00"}),
    "time past midnight": ("Event(start = ?s), ?s > 23:00, Event(start = ?s, start = 01:00)", None),
    "no such sum of times": ("Event(start = ?s), ?s + 2h < 01:00", {"?s + 2h < 01:00"}),
    "dates": ("Event(day = ?d), ?d > 2026-02-01, ?d + 1d < 2026-02-01", None),
    "month": ("Event(day in 2026-02-01..2026-02-28, day = ?d), month(?d) = 3", None),
    "day of the month": ("Event(day = ?d), day(?d) > 31", {"day(?d) > 31"}),
    "weekday": ("Event(day = 2026-01-05, day = ?d), weekday(?d) != Mon", None),
    "durations": ("Event(span = ?s), ?s * 2 > 3h, ?s < 1h", None),
    "texts": ('Page(t = "a", t != "a")', {'t = "a"', 't != "a"'}),
    "text = and contains": ('Page(t = "apple", t contains "pear")', {'t = "apple"', 't contains "pear"'}),
    "contains folds case": ('Page(t contains "APPLE", t not contains "apple")', None),
    "contains folds more than case": ('Page(t contains "ß", t not contains "ss")', None),
    "matches": ("Page(t matches /^[0-9]+$/, t matches /[a-z]/)", None),
    "matches and contains": ('Page(t matches /^ab*$/, t contains "c")', None),
    "sets of an enum": (
        "Page(tags subset {Red}, tags contains Blue)",
        {"tags subset {Red}", "tags contains Blue"},
    ),
    "sets of texts": ('Page(words = {"a"}, words contains "b")', {'words = {"a"}', 'words contains "b"'}),
    "join of numbers": ("Flag(n = ?x), Item(k = ?x), ?x < 1, ?x > 1", {"?x < 1", "?x > 1"}),
    "join of one row": ("Item(k = 1, b = true), Item(k = 1, b = false)", None),
    "join across relations": ("Flag(n = ?x, n < 2), Item(k = ?x, k > 2)", {"n < 2", "k = ?x", "k > 2"}),
    "negation of the same": ("Flag(n = 1), not Flag", {"Flag(n = 1)", "not Flag"}),
    "negation of a definition": ("Item(k = 2), not Small(k = 2)", None),
    "definition": ("Small(k = ?k), ?k > 5", {"?k < 3", "?k > 5"}),
    "count": ("count(Item(b = true)) > 1, count(Item) < 2", None),
    "count of a keyless state": ("count(Flag) = 2", {"count(Flag) = 2"}),
    "sum and min": ("min(p of L(g = 1)) > 5, L(g = 1, p = 3)", None),
    "max": ("max(k of Item) < 2, Item(k = 4)", None),
    "every": ("every Item has (k < 2), Item(k = 3)", None),
    "first": ("first 1 L(g = 1, p = 1), L(g = 1, at = 1, p = 1), L(g = 1, at = 1, p = 2)", None),
    "two gestures": ("tap(id = ?i), tap(id = ?j), ?i != ?j", None),
    "past and its window": ("Act(n = 1) earlier, not Act earlier", None),
    "flip": ("Flag(on = ?b), flip(?b) = ?c, ?b = true, ?c = true", None),
}

LIVE = [
    "Flag(n > 3, n < 4)",
    "Flag(n != 3)",
    "Flag(n = none)",
    "Flag(n known, on unknown)",
    "Page(c not in {Red})",
    'Page(t contains "apple", t contains "pear")',
    'Page(t contains "ss", t not contains "SSs")',
    "Page(t matches /^[a-c]{2,3}$/i, t not matches /b/)",
    'Page(t matches /x\\d|^y$/, t != "y")',
    "Page(tags contains Red, tags not subset {Red})",
    'Page(words != {"a"}, words contains "a")',
    "Event(day = ?d), month(?d) = 2, day(?d) = 29",
    "Event(day = ?d, start = ?s), weekday(?d) = Sun, ?s + 2h > 20:00",
    "Event(span = ?s), ?s * 2.5 = 1h",
    "Item(k = ?a), Item(k = ?b), ?a < ?b",
    "Item(k = 1, b = true), not Item(b = false)",
    "Item(k = 5), not Small",
    "Small(k = ?k), not Item(k = ?k, b = true)",
    "count(Item) = 3, count(Item(b = true)) = 1",
    "sum(k of Item) = 7, count(Item) = 2",
    "min(k of Item) = ?m, max(k of Item) = ?n, ?m < ?n",
    "every Item has (b = true), Item(k > 4)",
    "first 2 L(g = 1, p > 3), L(g = 1, at = 1, p = 1)",
    "L(g = 1, at = 1, p = 5), L(g = 1, at = 2, p = 5)",
    "tap(id = ?i), not Flag(on = true)",
    "Act(n = ?n) within 30s, not Act(n = 2) earlier",
    "set(c of Page) = {Red}",
    "Event(day = today), Event(day = today + 3d)",
]


@pytest.mark.parametrize("name", DEAD)
def test_dead_bodies_are_found(name: str, tmp_path: Path) -> None:
    body, clashes = DEAD[name]
    found = ask(body, tmp_path, rows=3)
    assert isinstance(found, Dead), found
    assert found.clashes
    if clashes is not None:
        assert {clash.text for clash in found.clashes} == clashes
    assert all(clash.span is not None for clash in found.clashes)


@pytest.mark.parametrize("holds", [False, True])
def test_rules_that_share_what_they_read(holds: bool, tmp_path: Path) -> None:
    """As `verify` asks: about many rules in one query, first in states with few rows."""
    bodies = LIVE if holds else [body for body, _ in DEAD.values()]
    denies = "\n".join(f'deny "no" when {body}.' for body in bodies)
    made = program(f'policy p "p"\nimport m\n{denies}\n', tmp_path)
    rules = analysed(made, frozenset({"p"}))
    queries, replay = Queries(made, rules, 10_000), interpreter(made)
    found = [dead_rule(made, rule, rows=3, replay=replay, queries=queries) for rule in rules]
    assert len(found) == len(bodies)
    wanted = Alive if holds else Dead
    assert [body for body, one in zip(bodies, found, strict=True) if not isinstance(one, wanted)] == []


@pytest.mark.parametrize("body", LIVE)
def test_live_bodies_have_a_state_the_interpreter_accepts(body: str, tmp_path: Path) -> None:
    made = policy(body, tmp_path)
    rule = next(rule for rule in made.rules if rule.module == "p")
    found = dead_rule(made, rule, witness=True)
    assert isinstance(found, Alive), found
    assert found.world is not None
    for engine in ("reference", "incremental"):
        assert interpreter(made, engine_of(engine))(found.world, (rule.id,)) == {rule.id}, engine


def test_a_bound_is_named_only_where_it_matters(tmp_path: Path) -> None:
    exact = ask("Flag(n < 3, n > 5)", tmp_path)
    bounded = ask("Item(k = ?k, b = true), not Item(k = ?k)", tmp_path)
    assert isinstance(exact, Dead)
    assert exact.bound is None
    assert isinstance(bounded, Dead)
    assert bounded.bound is not None


def test_keys_that_are_named_count_as_rows(tmp_path: Path) -> None:
    """Each key of `in {..}` is a row that must be there: with fewer rows than keys nothing could hold."""
    found = clause("done when every Item(k in {1, 2, 3, 4}) has (b = true).", tmp_path)
    assert isinstance(found, Alive)
    made = program(
        'spec s "s"\nimport m\ndone when every Item(k in {1, 2, 3, 4}) has (b = true).\n', tmp_path
    )
    assert size(made, made.rules[-1]) == Size(4, True)
    exact = clause("done when every Item(k in {1, 2}) has (b = true), Item(k = 1, b = false).", tmp_path)
    assert isinstance(exact, Dead)
    assert exact.bound is None
    fewer = clause("done when every Item(k in {1, 2, 3}) has (b = true), count(Item) > 2.", tmp_path, rows=2)
    assert isinstance(fewer, Dead)
    assert fewer.bound == 2  # and it is said


@pytest.mark.parametrize(
    "body",
    [
        "count(Item) not in 0..3",
        "count(Item(b = true)) not in {0, 1, 2}",
        "count(Item) = ?n, ?n > 3",
        "count(Item) = ?n, ?n not in 0..3",
    ],
)
def test_all_numbers_compared_with_a_count_are_rows(body: str, tmp_path: Path) -> None:
    assert isinstance(ask(body, tmp_path), Alive)


def test_what_was_seen_to_be_gone_is_known(tmp_path: Path) -> None:
    """Also of relations that no `complete` rule is about: a deleted row, one that was seen to be gone."""
    assert isinstance(clause("done when no Flag.", tmp_path), Alive)
    assert isinstance(clause("done when no L(g = 1).", tmp_path), Alive)
    assert isinstance(clause('done when no Page(t = "a").', tmp_path), Alive)


def test_all_licences_of_an_action(tmp_path: Path) -> None:
    both = "allow 7 Act(n = 1).\nallow 1 Act(n = 2).\n"
    found = clause(both + "done when all Act.", tmp_path, 2)
    assert isinstance(found, Alive)
    assert found.world is not None
    assert len(found.world.commits["m.Act"]) >= 8
    assert isinstance(clause(both + "done when all Act, not Act earlier.", tmp_path, 2), Dead)


def test_a_commit_that_was_taken_back_is_charged(tmp_path: Path) -> None:
    """A violated contract takes the success back, never the licence: all licences may be used up and nothing done."""
    app = APP + "expect Flag(on = true) when Act.\n"
    made = program('spec s "s"\nimport m\nallow Act.\ndone when all Act, not Act earlier.\n', tmp_path, app)
    assert isinstance(dead_rule(made, made.rules[-1]), Alive)


def test_texts_of_heads_that_only_all_asks_for(tmp_path: Path) -> None:
    """``all A`` looks at what was done, and that at the heads of the clauses with their texts and sets."""
    app = APP + 'action Say(t: Text, words: set of Text) "Say"\n'
    text = 'allow either Say(t = "x", words = {"y"}).\nallow either Say(t = "z").\ndone when all Say.'
    made = program(f'spec s "s"\nimport m\n{text}\n', tmp_path, app)
    assert isinstance(dead_rule(made, made.rules[-1]), Alive)


def test_the_core_is_minimal(tmp_path: Path) -> None:
    found = ask("Flag(on = true, n > 0, n < 3, n > 5), Item(k = 1, b = true)", tmp_path)
    assert isinstance(found, Dead)
    assert {clash.text for clash in found.clashes} == {"n < 3", "n > 5"}


def test_clauses_are_read_certainly(tmp_path: Path) -> None:
    assert isinstance(clause("done when no Item(b = true), Item(k = 1, b = true).", tmp_path), Dead)
    alive = clause("done when no Item(b = true), Item(k = 1, b = false).", tmp_path)
    assert isinstance(alive, Alive)
    assert alive.world is not None
    assert alive.world.complete  # an item that was not seen could be marked


def test_a_head_clashes_with_its_body(tmp_path: Path) -> None:
    found = clause("allow Act(n = ?n, n < 3) when Item(k = ?n, k > 3).", tmp_path)
    assert isinstance(found, Dead)
    assert {"n < 3", "k > 3"} <= {clash.text for clash in found.clashes}


def test_a_head_may_use_what_the_body_binds(tmp_path: Path) -> None:
    assert isinstance(clause("allow Act(n < ?m) when Flag(n = ?m).", tmp_path), Alive)


def test_what_was_done_was_allowed(tmp_path: Path) -> None:
    found = clause("allow Act(n = 1).\ndone when Act(n = 2) earlier.", tmp_path, 1)
    assert isinstance(found, Dead)
    assert any("only allowed as" in clash.text for clash in found.clashes)
    assert isinstance(clause("allow Act(n = 1).\ndone when Act(n = 1) earlier.", tmp_path, 1), Alive)
    made = program('spec s "s"\nimport m\nallow Act(n = 1).\ndone when Act(n = 2) earlier.\n', tmp_path)
    rules = analysed(made, frozenset({"s"}))  # also where nobody wants to see the state
    assert [type(dead_rule(made, rule, replay=interpreter(made))) for rule in rules] == [Alive, Dead]


def test_an_action_that_no_clause_allows(tmp_path: Path) -> None:
    found = clause(
        'allow Act(n = 1).\ndeny "x" when Act, Other earlier.\ndone when Act earlier.', tmp_path, 1
    )
    assert isinstance(found, Dead)
    assert "no clause allows `Other`" in {clash.display for clash in found.clashes}


def test_recursion_is_unrolled_and_proves_nothing(tmp_path: Path) -> None:
    assert isinstance(ask("Up(k = 3)", tmp_path), Alive)
    found = ask("Up(k = ?k), ?k > 3, ?k < 2", tmp_path)
    assert isinstance(found, OpenPoint)
    assert "recursive" in found.detail


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("Page(t matches /\\p{Greek} word/)", "pattern"),
        ("Page(words = ?w, t = ?t), ?w contains ?t", "a variable text"),
        ("Page(words = ?w), Page(words != ?w)", "sets of texts"),
    ],
)
def test_what_has_no_encoding_is_said(body: str, named: str, tmp_path: Path) -> None:
    found = ask(body, tmp_path)
    assert isinstance(found, OpenPoint)
    assert found.reason == "unsupported"
    assert named in found.detail


def test_the_interpreter_decides_what_is_not_exact(tmp_path: Path) -> None:
    """A rule is alive if a state of the solver's holds by the interpreter; if no answer could save it, it is dead."""
    bodies = {
        "Flag(n = ?x), Item(k = ?y), ?x * ?y > 2": Alive,
        "Page(t = ?t, u = ?u), ?t contains ?u": Alive,
        'Page(t = "apple", u = "pear", t = ?t, u = ?u), ?t contains ?u': Dead,
        "Page(t matches /\\bword\\b/), Flag(n < 1, n > 2)": Dead,
        'Page(t matches /\\bword\\b/, t = "sword")': Dead,
        'Page(t matches /\\bword\\b/, t in {"sword", "a word"})': Alive,
        "Page(t matches /(?<a>[0-9]+) of (?<b>[0-9]+)/), number(?a) < number(?b)": Alive,
    }
    for body, kind in bodies.items():
        made = policy(body, tmp_path)
        assert isinstance(dead_rule(made, made.rules[-1], replay=interpreter(made)), kind), body


def test_free_functions_never_make_a_rule_dead(tmp_path: Path) -> None:
    assert isinstance(ask("Page(t = ?t), number(?t) > 3, time(?t) < 10:00", tmp_path), Alive)
    assert isinstance(ask('Page(t = ?t, t = "7"), number(?t) > 8', tmp_path), Dead)
    assert isinstance(ask('Page(t = ?t, t = "a  b"), line(?t) = "a  b"', tmp_path), Dead)
    assert isinstance(ask('Page(t ~= "a walk", t !~= "a stroll")', tmp_path), Alive)
    assert isinstance(ask('Page(t ~= "a walk", t !~= "a walk")', tmp_path), Dead)
    assert isinstance(ask("Marked earlier, not Marked", tmp_path), Alive)
    assert isinstance(ask("Act then Flag(on = true)", tmp_path), Alive)


def test_time_runs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    from vsalang.proof.solver import query

    monkeypatch.setattr(query, "_solver_answer", lambda *_: z3.unknown)
    monkeypatch.setattr(z3.Solver, "reason_unknown", lambda _: "timeout")
    made = policy("Flag(n < 3)", tmp_path)
    found = dead_rule(made, made.rules[-1], timeout=10)
    assert isinstance(found, OpenPoint)
    assert found.reason == "time"


def test_a_state_that_nobody_sees_need_not_be_nice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a nice one sought; a caller that asks for the state gets one."""
    from vsalang.proof.solver.query import Query

    made = policy("Page(t = ?t, u = ?u), ?t contains ?u", tmp_path)
    shown = dead_rule(made, made.rules[-1], witness=True, replay=interpreter(made))
    assert isinstance(shown, Alive) and shown.world is not None

    def sought(self: Query, *_: object) -> None:
        raise AssertionError("a nice state was sought")

    monkeypatch.setattr(Query, "liked", sought)
    assert dead_rule(made, made.rules[-1], replay=interpreter(made)) == Alive(made.rules[-1].id, None)
    with pytest.raises(AssertionError, match="sought"):
        dead_rule(made, made.rules[-1], witness=True, replay=interpreter(made))


def test_screens_exclude_each_other(tmp_path: Path) -> None:
    app = 'app m package "com.m" "m"\nscreen A when Node(id = "a").\nscreen B when Node(id = "b").\n'
    made = program(
        'policy p "p"\nimport m\ndeny "no" when screen A, screen B.\ndeny "b" when screen A.\n', tmp_path, app
    )
    both, one = (rule for rule in made.rules if rule.module == "p")
    assert isinstance(dead_rule(made, both), Dead)
    found = dead_rule(made, one, witness=True)
    assert isinstance(found, Alive)
    assert found.world is not None
    assert interpreter(made)(found.world, (one.id,)) == {one.id}


def test_a_screen_that_asks_for_screens_under_others(tmp_path: Path) -> None:
    """Each of them is one condition: looked at in all its ways in every way of the others, this took minutes."""
    (tmp_path / "shop.vsa").write_text("""app shop package "com.shop" "A shop"
screen Half "Half of it" when Node(id = "cart").
screen Full over Half "All is there" when Node(id = "cart"), Node(id = "row").
screen Bare over Half "Bare" when Node(id = "cart"), Node(id = "bare"), not screen Full.
screen Big over Full, Half "Big" when Node(id = "big"), Node(id = "cart").
screen Small "Small" when Node(id = "small"), Screen(name = "Full").
screen Never "Never" when Node(id = "cart"), Node(id = "big"), screen Full.
""")
    loaded = load(tmp_path / "shop.vsa")
    assert loaded.program is not None, loaded.diagnostics
    found = {
        rule.id: dead_rule(loaded.program, rule) for rule in loaded.program.rules if "shop:" in rule.id[:5]
    }
    assert [name for name, result in found.items() if isinstance(result, Dead)] == ["shop:6"]


def test_sources_that_never_hold_together_are_not_dead(tmp_path: Path) -> None:
    (tmp_path / "shop.vsa").write_text("""app shop package "com.shop" "A shop"
view Page "The page" { c: enum {Red, Blue}  n: Number  t: Text }
action Act(n: Number, t: Text) "Act"
recognize Act(n = ?n, t = ?t) when tap(id = "a") with Page(c = Red, n = ?n), Page(c = Blue, t = ?t).
recognize Act(n = ?n, t = ?t) when tap(id = "b") with Page(c = Red, n = ?n), Page(c = Blue, t = ?t, n = ?n).
""")
    loaded = load(tmp_path / "shop.vsa")
    assert loaded.program is not None, loaded.diagnostics
    found = [dead_rule(loaded.program, rule) for rule in loaded.program.rules if rule.id[:5] == "shop:"]
    assert [type(result) for result in found] == [Alive, Dead]
