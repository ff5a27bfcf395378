"""Where states are read from: tests, steps, dumps, facts, journals."""

import datetime as dt
import gzip
import json
from pathlib import Path

import pytest

from tests.tools.ask.places import SHOP, asked
from vsalang.language.semantics import load
from vsalang.program.ir import BOOL, DATE, DURATION, NUMBER, TEXT, TIME, Member, Type
from vsalang.program.values import NONE
from vsalang.tools.ask import AskError, Place, Situation, Wrong, read_state
from vsalang.tools.ask.state import value_from_json
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[3]
NODE = (
    '<node index="0" text="{text}" resource-id="com.shop:id/{id}" class="android.widget.TextView" package="com.shop" '
    'content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="false" '
    'focused="false" scrollable="false" long-clickable="false" password="false" selected="false" '
    'bounds="[0,{top}][100,{bottom}]"/>'
)


def dump(**texts: str) -> str:
    """A dump with a node of each id and text."""
    nodes = [
        NODE.format(id=id, text=text, top=10 * n, bottom=10 * n + 10)
        for n, (id, text) in enumerate(texts.items())
    ]
    return (
        "<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\">" + "".join(nodes) + "</hierarchy>"
    )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    file = tmp_path / "shop.vsa"
    file.write_text(SHOP)
    return Place(load(file))


def rows(place: Place, situation: Situation, body: str) -> tuple:
    return asked(place, situation, body).rows


def test_a_test_of_the_file_by_its_name(place: Place) -> None:
    file = place.loaded.file
    for text, name in [(f"{file}::a full basket", ""), (f"{file}::FULL", ""), (file, "full")]:
        situation = read_state(place, text, test=name)
        assert rows(place, situation, "Bill(total = ?t, paid = true)") == ((30,),)
        assert situation.sources == (f'the test "a full basket" of {file}',)


@pytest.mark.parametrize(
    ("step", "body", "found"),
    [
        (0, "Item", False),
        (1, "Item", False),
        (2, "screen Basket", True),
        (2, "Item", False),
        (3, "Item", True),
        (3, "Pay earlier", False),
        (4, "Pay earlier", True),
        (4, "Bill(paid = true)", True),
        (5, "Bill(paid = true)", True),
    ],
)
def test_a_test_up_to_a_step(place: Place, step: int, body: str, found: bool) -> None:
    situation = read_state(place, f"{place.loaded.file}::full", step=step)
    assert asked(place, situation, body).holds is found


def test_a_test_stops_at_the_step_that_fails(place: Place) -> None:
    reply = asked(place, read_state(place, place.loaded.file, test="fails"), "Bill(total = ?t)")
    assert reply.rows == ((1,),)
    assert reply.moment.player.failure is not None
    assert "wanted block" in reply.moment.player.failure.problem


@pytest.mark.parametrize(
    ("text", "test", "step", "message"),
    [
        ("{file}", "", None, "3 tests: name one of"),
        ("{file}::basket", "", None, "2 tests of that name"),
        ("{file}::nothing", "", None, "no test called"),
        ("{file}::empty", "", 9, "has 1 steps, not 9"),
        ("{folder}/no.vsa", "", None, "no.vsa"),
        ("{folder}/no.xml", "", None, "cannot read"),
        ("{folder}/no.json", "", None, "cannot read"),
        ("{folder}/no.jsonl", "", None, "no.jsonl"),
        ("{folder}/broken.xml", "", None, "broken.xml"),
        ("{folder}/broken.json", "", None, "not JSON"),
        ("{folder}/wrong.vsa", "x", None, "has errors"),
        ("{folder}/screen.xml", "x", None, "only .vsa files"),
        ("{folder}/screen.xml", "", 3, "has no steps"),
        ("{folder}/what.txt", "", None, "a state is read from"),
    ],
)
def test_what_cannot_be_read_is_said(
    place: Place, tmp_path: Path, text: str, test: str, step: int | None, message: str
) -> None:
    (tmp_path / "screen.xml").write_text(dump(total="5"))
    (tmp_path / "broken.xml").write_text("<hierarchy><node")
    (tmp_path / "broken.json").write_text("[")
    (tmp_path / "wrong.vsa").write_text("app x when")
    with pytest.raises(AskError, match=message):
        read_state(place, text.format(file=place.loaded.file, folder=tmp_path), test=test, step=step)


def test_steps_without_a_name(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "given.vsa"
    file.write_text(
        '// two facts\nclock 2026-05-06 07:08. given Item(name = "Tea", price = 3), Bill(total = 3).\n'
    )
    situation = read_state(place, str(file))
    assert rows(place, situation, "Item(name = ?n), Clock(now = ?t, today = ?d)") == (
        ("Tea", dt.time(7, 8), dt.date(2026, 5, 6)),
    )
    file.write_text("given Itm(name = 3).")
    with pytest.raises(Wrong) as raised:
        read_state(place, str(file))
    assert raised.value.diagnostics[0].span is not None
    assert raised.value.diagnostics[0].span.file == str(file)


@pytest.mark.parametrize("ending", ["xml", "xml.gz"])
def test_a_dump_is_observed(place: Place, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"screen.{ending}"
    data = dump(basket="Basket", total="$ 12.50").encode()
    file.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    situation = read_state(place, str(file))
    reply = asked(place, situation, 'screen Basket, Bill(total = ?t), Node(id = "total", node = ?n)')
    assert [str(cell) for cell in reply.rows[0]] == ["12.5", "2"]


def test_states_come_one_after_the_other(place: Place, tmp_path: Path) -> None:
    file, steps = tmp_path / "screen.xml", tmp_path / "more.vsa"
    file.write_text(dump(basket="Basket", total="7"))
    steps.write_text('observe Item(name = "Fig", price = 7).')
    situation = Situation()
    for name in (f"{place.loaded.file}::full", str(file), str(steps)):
        read = read_state(place, name)
        situation = situation.then(read.moves, read.sources[0])
    assert rows(place, situation, "Item(name = ?n, price = 7), Bill(total = ?t), Pay earlier") == (
        ("Fig", 7),
    )


def test_the_nodes_of_a_dump_stay_as_they_are(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "screen.xml"
    file.write_text(dump(basket="Basket"))
    situation = read_state(place, str(file)).then(place.steps('observe Node(id = "x").').turns, "typed")
    with pytest.raises(AskError, match=r"was read from .*screen.xml: Node cannot be changed"):
        asked(place, situation, "Node")


def test_facts_as_the_facts_command_prints_them(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    screen, facts = tmp_path / "screen.xml", tmp_path / "facts.json"
    screen.write_text(dump(basket="Basket", total="9"))
    assert run(["screen", "facts", str(screen), "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    data.append({"relation": "Item", "rows": [{"name": "Tea", "price": 1.5, "kind": "Fruit"}]})
    facts.write_text(json.dumps(data))
    situation = read_state(place, str(facts))
    body = "screen Basket, Bill(total = ?t), Item(name = ?n, kind = Fruit, price < 2)"
    assert rows(place, situation, body) == ((9, "Tea"),)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"x": 1}, "wanted a list"),
        ([{"relation": "Itm", "rows": []}], "there is no screen or relation Itm; did you mean `Item`"),
        ([{"relation": "Item", "rows": {}}], "not a list"),
        ([{"relation": "Item", "rows": [3]}], "row 1 of Item is not an object"),
        ([{"relation": "Item", "rows": [{}, {"nam": 1}]}], "row 2 of Item: Item has no attribute nam"),
        ([{"relation": "Item", "rows": [{"price": "1"}]}], "price is not of type Number"),
        ([{"relation": "Dear", "rows": [{"name": "x"}]}], "not a fact that is seen or believed"),
        ([{"relation": "tap", "rows": [{"id": "x"}]}], "not a fact that is seen or believed"),
    ],
)
def test_facts_that_are_none_are_refused(place: Place, tmp_path: Path, data: object, message: str) -> None:
    file = tmp_path / "facts.json"
    file.write_text(json.dumps(data))
    with pytest.raises(AskError, match=message):
        read_state(place, str(file))


@pytest.mark.parametrize(
    ("data", "type_", "value"),
    [
        (3, NUMBER, 3),
        (True, NUMBER, None),
        (1, BOOL, None),
        (True, BOOL, True),
        ("2026-01-02", DATE, dt.date(2026, 1, 2)),
        ("2026-13-02", DATE, None),
        ("20260102", DATE, None),
        ("2026-W01-5", DATE, None),
        ("19:05", TIME, dt.time(19, 5)),
        ("19:05:00", TIME, dt.time(19, 5)),
        ("19:05:00.5", TIME, None),
        ("19:05:00.500000", TIME, None),
        ("19", TIME, None),
        ("T1905", TIME, None),
        ("5min", DURATION, dt.timedelta(minutes=5)),
        ("none", DATE, NONE),
        ("none", TEXT, "none"),
        (["a"], Type("set", elem=TEXT), frozenset({"a"})),
        ([3], Type("set", elem=TEXT), None),
        ("On", Type("enum", members=(Member("On"),)), "On"),
        ("on", Type("enum", members=(Member("On"),)), None),
        (float("inf"), NUMBER, None),
        ({}, TEXT, None),
    ],
)
def test_values_of_json(data: object, type_: Type, value: object) -> None:
    assert value_from_json(data, type_) == value


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of the shipped example."""
    file = tmp_path_factory.mktemp("journal") / "session.jsonl"
    spec = ROOT / "app_specs" / "examples" / "reserve_r.vsa"
    agent = spec.with_name("reserve_r.agent.jsonl")
    options = ["--open", "com.opentable", "--on-confirm", "no", "--journal", str(file)]
    run(["run", str(spec), "--device", "sim:restaurant", "--agent", str(agent), *options])
    return file


@pytest.mark.slow
def test_a_journal_is_enacted_again(journal: Path) -> None:
    place = Place(load(ROOT / "app_specs" / "examples" / "reserve_r.vsa"))
    last = asked(
        place, read_state(place, str(journal)), "Reserve(time = ?t) earlier, ReserveResult(success = true)"
    )
    assert last.rows == ((dt.time(18, 30),),)
    assert last.moment.player.now.year == 2026
    first = read_state(place, str(journal), step=1)
    assert first.sources == (f"line 1 of the journal {journal}",)
    assert not asked(place, first, "Reserve earlier").holds


def test_a_journal_goes_on_with_steps(journal: Path) -> None:
    place = Place(load(ROOT / "app_specs" / "examples" / "reserve_r.vsa"))
    situation = read_state(place, str(journal))
    more = place.steps(
        'observe Slot(restaurant = "R", date = 2026-04-01, at = 9, time = 23:00, available = true).'
    )
    reply = asked(place, situation.then(more.turns, "more"), "Slot(time = 23:00), Reserve earlier")
    assert reply.holds


def test_a_journal_that_was_changed_is_refused(journal: Path, tmp_path: Path) -> None:
    place = Place(load(ROOT / "app_specs" / "examples" / "reserve_r.vsa"))
    changed = tmp_path / "changed.jsonl"
    changed.write_text(journal.read_text().replace("18:30", "18:45"))
    with pytest.raises(AskError, match="changed"):
        read_state(place, str(changed))
    with pytest.raises(AskError, match="lines, not 9999"):
        read_state(place, str(journal), step=9999)
    situation = Situation().then(place.loaded.own[0].turns, "test")
    later = situation.then(read_state(place, str(journal)).moves, "journal")
    with pytest.raises(AskError, match="where a session begins"):
        asked(place, later, "Reserve earlier")


def test_another_clock_at_the_beginning(place: Place) -> None:
    situation = read_state(place, f"{place.loaded.file}::full").at(dt.datetime(2030, 1, 2, 3, 4))
    assert rows(place, situation, "Clock(now = ?t, today = ?d)") == ((dt.time(3, 4), dt.date(2030, 1, 2)),)
