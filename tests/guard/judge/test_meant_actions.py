"""Actions over others and refined effects: what is dropped, what takes its place, by which licence it passes."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import REFERENCE, engine_of
from tests.programs.files import HERE, policies
from vsalang.base.names import ENGINES
from vsalang.engine.api import Row
from vsalang.engine.explain.terms import Context
from vsalang.guard import Guard, run_example
from vsalang.guard.judge.meant_actions import MeantActions
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.guard.world.rule_effects import most_specific
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.similarity import DEFAULT
from vsalang.program.vocabulary import VOCABULARY

STORIES = [HERE / "right" / f"{name}.vsa" for name in ("every", "order_by_effect", "reserve_itself")]
NOW = dt.datetime(2026, 1, 5, 9)
CONTEXT = Context(NOW.date(), NOW, DEFAULT)

MODULES = """// file: every.vsa
app every any "Every app"
action Eff(a: Text, b: Text) "an effect"
action Low(x: Text) "a lower effect"
action High(x: Text) over Low "a higher effect"
// file: own.vsa
app own package "com.own" "An app"
import every
action One(p: Text, q: Text) refines every.Eff(a = ?p, b = ?q) "one"
action Two(p: Text) over every.Low refines every.Eff(a = ?p) "two"
action Cover(x: Text) over One "cover"
"""


@pytest.mark.usefixtures("pydatalog_here")
@pytest.mark.parametrize("engine", [*ENGINES, REFERENCE])
@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_every_engine_tells_the_same_stories(path: Path, engine: str) -> None:
    loaded = load(path, policies=policies(path))
    assert loaded.program is not None
    for example in loaded.own:
        result = run_example(loaded.program, example, engine=engine_of(engine))
        assert result.failure is None, (example.name, result.failure.problem)


@pytest.fixture(scope="module")
def meant(tmp_path_factory: pytest.TempPathFactory) -> MeantActions:
    folder = tmp_path_factory.mktemp("meant")
    for part in MODULES.split("// file: ")[1:]:
        name, _, text = part.partition("\n")
        (folder / name).write_text(text, encoding="utf-8")
    found = MeantActions.of(load(folder / "own.vsa").checked())
    assert found is not None
    return found


def test_a_program_without_them_is_asked_nothing() -> None:
    assert MeantActions.of(load(HERE / "right" / "alarm.vsa").checked()) is None


CELLS = st.sampled_from([None, "u", "v"])
ONE, TWO = st.tuples(CELLS), st.tuples(CELLS, CELLS)
FOUND = st.fixed_dictionaries(
    {},
    optional={
        name: st.sets(rows, min_size=1, max_size=3)
        for name, rows in (
            ("every.Eff", TWO),
            ("every.Low", ONE),
            ("every.High", ONE),
            ("own.One", TWO),
            ("own.Two", ONE),
            ("own.Cover", ONE),
        )
    },
)


def every(found: dict[str, set[Row]]) -> set[tuple[str, Row]]:
    return {(name, row) for name, rows in found.items() for row in rows}


def _naive(found: dict[str, set[Row]], package: str | None, hidden: bool) -> dict[str, set[Row]]:
    """What is meant, word for word as the page says it."""
    sure = [name for name in found if not hidden and (name.startswith("every.") or package == "com.own")]
    over = {"every.High": ["every.Low"], "own.Two": ["every.Low"], "own.Cover": ["own.One"]}
    dropped = {below for name in sure for below in over.get(name, ())}
    left = {name: set(rows) for name, rows in found.items() if name not in dropped}
    refined: list[Row] = []
    if "own.One" in left and "own.One" in sure:
        refined += most_specific(left["own.One"])
    if "own.Two" in left and "own.Two" in sure:
        refined += [(row[0], None) for row in most_specific(left["own.Two"])]
    kept = set()
    for row in left.pop("every.Eff", ()):
        says_more = [
            new for new in refined if not any(new[at] is None and row[at] is not None for at in range(2))
        ]
        kept |= set() if says_more else {row}
    return {**left, **({"every.Eff": kept} if kept else {})}


@given(FOUND, st.sampled_from(["com.own", "com.other", None]), st.booleans())
def test_what_is_meant_is_as_the_page_says(
    meant: MeantActions, found: dict[str, set[Row]], package: str | None, hidden: bool
) -> None:
    wanted = _naive(found, package, hidden)
    text = "Le\u200bna" if hidden else "Lena"
    shown = FactScreen().seen(VOCABULARY["Node"], {"node": 1, "text": text})
    now = {name: set(rows) for name, rows in found.items()}
    cells = {"node": 1} if package is None else {"node": 1, "package": package}
    dropped = meant.meant(now, cells, shown, CONTEXT, every(found))
    assert now == wanted
    assert all(dropped.takes(name, row) for name in found for row in found[name] - wanted.get(name, set()))


@given(FOUND)
def test_something_is_always_left(meant: MeantActions, found: dict[str, set[Row]]) -> None:
    """What is dropped is so for something else that stays: a touch that is an action never becomes none."""
    now = {name: set(rows) for name, rows in found.items()}
    meant.meant(now, {"node": 1, "package": "com.own"}, FactScreen(), CONTEXT, every(found))
    assert bool(now) == bool(found)


@given(FOUND)
def test_what_is_not_certain_takes_no_place(meant: MeantActions, found: dict[str, set[Row]]) -> None:
    now = {name: set(rows) for name, rows in found.items()}
    other = meant.meant(now, {"node": 1, "package": "com.own"}, FactScreen(), CONTEXT, set())
    assert now == found and not any(other.takes(name, row) for name in found for row in found[name])


# ---------------------------------------------------------------------- the ledger


SPEC = """spec task "Reserve"
import table
import every
{allows}
done when Order earlier.
"""
TABLE: list[tuple[str, ...]] = [(), ("Reserve",), ("Order",), ("Reserve", "Order")]


def _attempts(folder: Path, allows: tuple[str, ...]) -> Guard:
    clauses = {"Reserve": 'allow Reserve(name = "R").', "Order": 'allow Order(item = "R").'}
    text = SPEC.format(allows="\n".join(clauses[name] for name in allows) or "allow Delete.")
    path = folder / "task.vsa"
    path.write_text(text, encoding="utf-8")
    made = Guard(load(path, search=[HERE / "right"]).checked(), clock=lambda: NOW)
    made.observe(FactScreen())
    return made


def _reserve(made: Guard, price: int) -> str:
    verdict = made.propose(attempts=[Action("table.Reserve", {"name": "R", "price": price})])
    if verdict.level == "allow":
        made.commit(verdict)
        made.observe(FactScreen())
    return verdict.level


@pytest.mark.parametrize("allows", TABLE, ids=lambda names: "_".join(names) or "none")
def test_each_licence_permits_one_act(tmp_path: Path, allows: tuple[str, ...]) -> None:
    if not allows:
        with pytest.raises(Exception, match="E0503"):
            _attempts(tmp_path, allows)
        return
    made = _attempts(tmp_path, allows)
    levels = [_reserve(made, price) for price in (10, 20, 30)]
    assert levels == ["allow"] * len(allows) + ["block"] * (3 - len(allows))
    counted = [entry.grant.relation for entry in made.snapshot.ledger]
    assert counted.count("every.Order") == counted.count("table.Reserve") == len(allows)


@pytest.mark.parametrize("number", [0, 1])
def test_one_act_is_given_back_under_both_names(tmp_path: Path, number: int) -> None:
    made = _attempts(tmp_path, ("Reserve",))
    assert _reserve(made, 10) == "allow" and _reserve(made, 10) == "block"
    made.give_back(number)
    assert all(entry.returned for entry in made.snapshot.ledger)
    assert _reserve(made, 10) == "allow"


def test_a_claim_adds_the_effect(tmp_path: Path) -> None:
    made = _attempts(tmp_path, ("Order",))
    verdict = made.propose(Action("wait"), claims=[Action("table.Reserve", {"name": "S", "price": 10})])
    assert verdict.level == "block" and verdict.because("item")


# ---------------------------------------------------------------------- read certainly


COVERING = """// file: every.vsa
app every any "Every app"
action Delete "Delete something"
recognize Delete when tap(label = "Delete").
// file: own.vsa
app own package "com.own" "An app"
import every
define Calm() when not Node(text = "Warning").
{more}
recognize Hide when tap(id = "row"){condition}.
"""
CONDITIONS = {
    "absent": ', not Node(text = "Warning")',
    "defined": ", Calm",
    "counted": ', count(Node(text = "Warning")) = 0',
    "every": ', every Node(id = "other") has (text != "Warning")',
}
HEADS = {
    "over": 'action Hide over every.Delete "Hide"',
    "refines": 'action Hide refines every.Delete "Hide"',
}


def _touched(folder: Path, condition: str, head: str, text: str) -> str:
    source = COVERING.replace("{condition}", CONDITIONS[condition]).replace("{more}", HEADS[head])
    for part in source.split("// file: ")[1:]:
        name, _, content = part.partition("\n")
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "told.vsa").write_text(
        'spec told "Hide"\nimport own\nimport every\nallow Hide.\ndone when Hide earlier.\n'
        'test "it" {\n  observe Node(node = 1, id = "row", label = "Delete", package = "com.own", clickable = true),'
        f'\n          Node(node = 2, id = "other", text = {text}, '
        'package = "com.own").\n  tap(id = "row").\n}\n',
        encoding="utf-8",
    )
    loaded = load(folder / "told.vsa")
    (example,) = loaded.own
    result = run_example(loaded.checked(), example)
    return "allow" if result.failure is None else str(result.failure.problem)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_takes_the_place_of_another_is_read_certainly(tmp_path: Path, condition: str, head: str) -> None:
    """A warning that nobody could read may be there: then the touch is what it is in every app, too."""
    assert _touched(tmp_path, condition, head, '"fine"') == "allow"
    assert _touched(tmp_path, condition, head, "unknown") != "allow"
    assert _touched(tmp_path, condition, head, '"Warning"') != "allow"
