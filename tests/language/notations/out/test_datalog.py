"""Datalog: a grounder reads it, and on random worlds it gives what the reference evaluator gives."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle import open_session
from tests.programs.files import ALONE, HERE
from tests.thorough import times
from vsalang.language.notations.out import export
from vsalang.language.notations.out.datalog_terms import NoCounterpart, Predicates, Variables, constant
from vsalang.language.semantics import load, load_text
from vsalang.program.ir import Derive, Judge, Program
from vsalang.program.values import NONE, Value

try:
    import clingo
except ImportError:
    clingo = None
needs_clingo = pytest.mark.skipif(clingo is None, reason="clingo, which reads the Datalog, is not installed")

ROOT = Path(__file__).resolve().parents[4]
FILES = sorted(
    [
        *ROOT.glob("app_specs/**/*.vsa"),
        *ROOT.glob("stdlib/**/*.vsa"),
        *ALONE,
    ]
)
TODAY = dt.date(2026, 4, 1)

WORLD = """\
app world package "org.example.world"
state Pet key (name) { name: Text  kind: enum {Cat, "Big dog"}  age: Number  tame: Bool }
state Fed { pet: Text  at_time: Time  on: Date }
view Now { pet: Text  least: Number }
define Old(name = ?n) when Pet(name = ?n, age > 3).
define Mid(name = ?n, age = ?a) when Pet(name = ?n, age = ?a, age in 1..4), ?a != 2.
define Odd(name = ?n) when Pet(name = ?n, age not in {1, 3}, kind = Cat).
define Few(name = ?n) when Pet(name = ?n, age in {1, 3, 5}, kind in {Cat, "Big dog"}).
define Out(name = ?n) when Pet(name = ?n, age not in 2..3).
define Blank(name = ?n) when Pet(name = ?n, age unknown, tame known).
define Void(name = ?n) when Pet(name = ?n, age = none).
define Lone(name = ?n) when Pet(name = ?n), not Fed(pet = ?n).
define Late(name = ?n) when Pet(name = ?n), not Fed(pet = ?n, at_time < 12:00).
define Strict(name = ?n) when Pet(name = ?n), not Fed(pet = ?n, at_time known, on in {2026-04-01, today}).
define Twin(a = ?a, b = ?b) when Pet(name = ?a, age = ?x), Pet(name = ?b, age = ?x), ?a != ?b.
define Kin(a = ?a, b = ?b) when Twin(a = ?a, b = ?b).
define Kin(a = ?a, b = ?c) when Kin(a = ?a, b = ?b), Twin(a = ?b, b = ?c).
define Same when Now(pet = ?p, least = ?l), Pet(name = ?p, age >= ?l).
define NoneLeft when no Pet(tame = true).
define Bad(name = ?n) when Pet(name = ?n), not Old(name = ?n), not Mid(name = ?n, age = 4).
define Fresh(name = ?n) when Fed(pet = ?n, on = today), not Fed(pet = ?n, on < today).
define Either(name = ?n) when Pet(name = ?n, kind != Cat, tame = ?t), Now(pet = ?n, least != 2), ?t = true.
deny "wild" when Pet(name = ?n, tame = false), Now(pet = ?n).
warn "nobody" when not Now(pet = _).
"""


def _program(text: str) -> Program:
    loaded = load_text(text)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


PROGRAM = _program(WORLD)
DATALOG = export(PROGRAM, "datalog")


def _model(datalog: str, facts: str) -> set[str]:
    """All that follows, as text."""
    control = clingo.Control(["--warn=none"])
    control.add("base", [], datalog + facts)
    control.ground([("base", [])])
    found: list[set[str]] = []
    control.solve(on_model=lambda model: found.append({str(each) for each in model.symbols(atoms=True)}))
    assert len(found) == 1
    return found[0]


def _atom(predicate: str, row: tuple[Value | None, ...]) -> str:
    cells = ["unknown" if cell is None else constant(cell) for cell in row]
    return f"{predicate}({','.join(cells)})" if cells else predicate


def _cells(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from([None, *values])


NAMES = ("a", "b", 'c"\\d')
pets = st.lists(
    st.tuples(
        st.sampled_from(NAMES), _cells("Cat", "Big dog"), _cells(0, 1, 2, 3, 4, 5, NONE), _cells(True, False)
    ),
    max_size=3,
    unique_by=lambda row: row[0],
)
fed = st.lists(
    st.tuples(_cells(*NAMES), _cells(dt.time(9), dt.time(19)), _cells(TODAY, dt.date(2026, 3, 31))),
    max_size=1,
)
now = st.lists(st.tuples(_cells(*NAMES), _cells(1, 2, NONE)), max_size=1)


def test_all_of_the_world_is_expressed() -> None:
    assert DATALOG.omissions == ()
    assert DATALOG.rules == len(PROGRAM.rules)


@pytest.mark.slow
@needs_clingo
@settings(max_examples=times(50, 150), suppress_health_check=[HealthCheck.too_slow])
@given(pets, fed, now)
def test_it_gives_what_the_reference_gives(
    pet_rows: list[Any], fed_rows: list[Any], now_rows: list[Any]
) -> None:
    slots = {"world.Pet": pet_rows, "world.Fed": fed_rows, "world.Now": now_rows}
    slots = {PROGRAM.relation(each.name).name: rows for each, rows in _relations(slots)}
    session = open_session(PROGRAM, engine="reference", today=TODAY)
    names = Predicates()
    facts = [f"today({constant(TODAY)})."]
    for relation, rows in slots.items():
        session.assign(relation, rows)
        facts += [f"{_atom(names.name(relation), row)}." for row in rows]
    model = _model(DATALOG.text, "\n".join(facts))
    derived = {rule.head.atom.relation for rule in PROGRAM.rules if isinstance(rule.head, Derive)}
    for relation in derived:
        wanted = {_atom(names.name(relation), row) for row in session.rows(relation)}
        got = {each for each in model if each.split("(")[0] == names.name(relation)}
        assert got == wanted, relation
    for rule in PROGRAM.rules:
        if isinstance(rule.head, Judge):
            holds = f'judge_{rule.head.level}("{rule.id}")' in model
            assert holds == bool(session.answers(rule.id)), rule.id


def _relations(slots: dict[str, list[Any]]) -> list[tuple[Any, list[Any]]]:
    return [(PROGRAM.relation(name), rows) for name, rows in slots.items()]


@pytest.mark.sampled(5)
@pytest.mark.slow
@needs_clingo
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_files_are_read(shipped: Callable[[Path], Program], path: Path) -> None:
    program = shipped(path)
    exported = export(program, "datalog")
    omitted = [item for item in exported.omissions if not item.what.startswith("action ")]
    assert exported.rules + len(omitted) == len(program.rules)
    _model(exported.text, "today(20260401).")
    assert [rule.id for rule in program.rules if f"({rule.id})" not in exported.text] == []


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ('define A when R(t contains "x").', "`contains`"),
        ("define A when R(t matches /x/).", "`matches`|a regular expression"),
        ("define A(n = ?n) when R(n = ?m), ?n = ?m + 1.", "a function"),
        ("define A when R(n = 0.5).", "a number that is not whole"),
        ("define A when R(n = 3000000000).", "31 bits"),
        ('define A when R(t = "\\u0007").', "control characters"),
        ("define A when count(R) > 2.", "an aggregate"),
        ("define A when every R has (n > 1).", "`every`"),
        ("define A when R then R(n = 2).", "`then`"),
        ("define A when R within 5s.", "`within`"),
        ("define A when R(n = ?n), not R(n < ?n).", "a negation that compares"),
        ('update R(n = 1) when tap(id = "a").', "`update`"),
        ('expect R when tap(id = "a").', "`expect`"),
    ],
)
def test_what_has_no_counterpart_is_said(rule: str, reason: str) -> None:
    import re

    program = _program(f'app a package "org.example.a"\nstate R {{ t: Text n: Number }}\n{rule}\n')
    exported = export(program, "datalog")
    (omission,) = exported.omissions
    assert re.search(reason, omission.reason), omission.reason
    assert omission.span is not None
    assert f"% not expressed: {omission.what} ({omission.rule}): {omission.reason}" in exported.text


@needs_clingo
def test_half_a_relation_is_never_written() -> None:
    text = """\
app a package "org.example.a"
state R { t: Text n: Number }
define A(n = ?n) when R(n = ?n).
define A(n = ?n) when R(n = ?n, t contains "x").
define B(n = ?n) when R(n = ?n), not A(n = ?n).
"""
    exported = export(_program(text), "datalog")
    assert [item.rule for item in exported.omissions] == ["a:1", "a:2"]
    assert "%   a_A(n)   derived" in exported.text
    model = _model(exported.text, 'a_R("x", 1). a_R("y", 2). a_A(1).')
    assert "a_B(2)" in model and "a_B(1)" not in model


def test_permission_is_never_read_from_what_was_not_seen() -> None:
    text = """\
spec s "Book if nothing is booked"
import apps.opentable
define Free when not Booking(restaurant = "R", date = today).
define Twice when Free.
allow Reserve when Twice.
done when Reserve earlier.
"""
    loaded = load_text(text, path=ROOT / "app_specs" / "s.vsa")
    if loaded.program is None:  # the checker may already ask for a completeness rule
        assert any(item.code.startswith("E0") for item in loaded.diagnostics)
        return
    exported = export(loaded.program, "datalog")
    (omission,) = [item for item in exported.omissions if item.what == "allow Reserve"]
    assert "certainly" in omission.reason


def test_names_never_meet() -> None:
    names = Predicates()
    made = [names.name(each) for each in ("a.B", "a_B", "A.B", "match a:B", "not", "_x", "today", "unknown")]
    assert len(set(made)) == len(made) and names.name("a.B") == made[0]
    assert all(each[0].islower() for each in made)
    from vsalang.program.ir import Var

    variables = Variables()
    assert [variables.of(Var(each)) for each in ("a", "A", "_", "a")] == ["A", "A_2", "V_", "A"]
    assert variables.fresh("a") == "A_3"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ('a"b\\c\n', '"a\\"b\\\\c\\n"'),
        (True, "true"),
        (-7, "-7"),
        (dt.date(2026, 4, 1), "20260401"),
        (dt.time(19, 0, 5), "68405"),
        (dt.timedelta(minutes=-2), "-120"),
        (NONE, "none"),
    ],
)
def test_constants(value: Value, written: str) -> None:
    assert constant(value) == written


def test_values_without_a_constant() -> None:
    with pytest.raises(NoCounterpart):
        constant(frozenset({"a"}))


@pytest.mark.parametrize(("main_only", "said"), [(False, 3), (True, 2)])
def test_what_actions_say_of_others_is_told(main_only: bool, said: int) -> None:
    exported = export(load(HERE / "right" / "table.vsa").checked(), "datalog", main_only=main_only)
    told = [item.what for item in exported.omissions if item.what.startswith("action ")]
    assert len(told) == said and {"action Reserve", "action Hide"} <= set(told)
    assert "% not expressed: action Reserve: it refines Order: what is done is Order, too" in exported.text
