"""An app module over the real dumps of its app: the screens, cells read by hand, and walks under the guard."""

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from tests.oracle import engine_of
from vsalang.base.names import EngineName
from vsalang.base.resources import resource_dir
from vsalang.engine.explain.match import known_cells
from vsalang.guard import Guard, ObservationResult, Verdict, run_example
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import read_dump

PACKAGE = "com.example.trusttest"
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "app-chapters.md"
NOW = dt.datetime(2026, 4, 1, 9)
OFF = {"first": False, "second": False, "third": False}
FIRST = {**OFF, "first": True}


def _items(*numbers: int) -> dict[str, list[dict[str, object]]]:
    return {"Item": [{"name": f"Item {number}"} for number in numbers]}


def _login(username: str, password_given: bool, **more: str) -> dict[str, list[dict[str, object]]]:
    return {"LoginForm": [{"username": username, "password_given": password_given, **more}]}


def _switches(now: str, saved: str) -> dict[str, list[dict[str, object]]]:
    def cells(word: str) -> dict[str, object]:
        return {name: mark == "1" for name, mark in zip(("first", "second", "third"), word, strict=True)}

    return {"Panel": [cells(now)], "Saved": [cells(saved)]}


def _conversion(
    asset: str, rate: str, change: str, amount: int | None = None, value: str = "", shown: str = ""
) -> dict[str, list[dict[str, object]]]:
    cells: dict[str, object] = {"asset": asset, "rate": Decimal(rate), "change": Decimal(change)}
    if amount is not None:
        cells["amount"] = amount
    if shown:
        cells |= {"value": Decimal(value), "shown": shown}
    return {"Conversion": [{"network": "BNB Smart Chain", **cells}]}


# Read by hand from the dumps: the screen, and every row that the module says it reads there.
SEEN: Mapping[str, tuple[str, Mapping[str, list[dict[str, object]]]]] = {
    "147": ("Buttons", {}),
    # The menu of a field is all that this dump holds: which field it is, only the tap before it told.
    "148": ("Choices", {}),
    "149": (
        "Converter",
        _conversion("BNB", "587.61", "-16.63", amount=5, value="2938.04", shown="$2 938,04"),
    ),
    "150": ("Converter", _conversion("TWT", "0.83", "-99.88", amount=5, value="4.14", shown="$4,14")),
    "151": ("Converter", _conversion("TWT", "0.83", "0.58")),  # "Enter amount" is a prompt, no amount
    "152": ("Converter", _conversion("TWT", "0.83", "0.58", amount=0, value="0", shown="$0,00")),
    "153": ("Converter", _conversion("TWT", "0.85", "11.85", amount=-5, value="-4.27", shown="$-4,27")),
    "154": ("Converter", _conversion("TWT", "0.76", "-3.78", amount=-5, value="-3.82", shown="$-3,82")),
    "155": ("Converter", _conversion("TWT", "0.88", "-0.34")),  # "-" is not an amount
    "156": ("Login", _login("", False, error="Incoorect credentials. Please try again.")),
    "157": ("Login", _login("", False)),
    "158": ("Converter", _conversion("BNB", "651", "0", amount=1)),
    "159": ("Converter", _conversion("TWT", "0.84", "2.09", amount=-2, value="-1.67", shown="$-1,67")),
    "160": ("Login", _login("admin", True)),
    "161": ("Switches", _switches("100", "000")),
    "162": ("Switches", _switches("111", "000")),
    "163": ("Switches", _switches("100", "100")),
    "164": ("Switches", _switches("110", "110")),
    "165": ("Switches", _switches("111", "110")),
    "166": ("Switches", _switches("011", "110")),
    "167": ("Switches", _switches("001", "001")),
    "168": ("Login", _login("admin", True)),
    "169": ("Converter", _conversion("TWT", "0.79", "-4.22", amount=-5, value="-3.95", shown="$-3,95")),
    "170": ("Items", _items(1, 2, 3, 4, 5, 6, 7, 8, 9)),
    "171": ("Items", _items(12, 13, 14, 15, 16, 17, 18, 20, 19)),  # in this order
    "172": ("Login", _login("admin", False)),
    "173": ("Login", _login("admin", True)),
    "174": ("Login", _login("admin", True, error="Incorrect password. Please try again.")),
    "175": ("Switches", _switches("000", "000")),
}


@pytest.fixture(scope="session")
def dumps(shared_data: Path) -> Mapping[str, TreeScreen]:
    """The app's dumps by their number."""
    found = sorted((shared_data / "ui_dumps").glob(f"*_{PACKAGE}.xml.gz"))
    return {
        path.name.partition("_")[0]: TreeScreen(read_dump(path), app=(PACKAGE, None), now=NOW, settled=True)
        for path in found
    }


@pytest.fixture(scope="session")
def program() -> Program:
    return _program("examples/switch_one.vsa")


def _program(name: str) -> Program:
    loaded = load(resource_dir("app_specs") / name)
    assert loaded.program is not None, loaded.diagnostics
    assert not loaded.diagnostics
    return loaded.program


class Walk:
    """A session on recorded screens: the test says which one each action that runs leads to."""

    def __init__(
        self,
        program: Program,
        dumps: Mapping[str, TreeScreen],
        first: str,
        engine: EngineName = "incremental",
    ) -> None:
        self.program = program
        self.dumps = dumps
        self.guard = Guard(program, today=NOW.date(), clock=lambda: NOW, engine=engine_of(engine))
        self.guard.observe(dumps[first])

    def propose(self, name: str, **args: str | int) -> Verdict:
        return self.guard.propose(Action(name, args))

    def refused(self, level: str, because: str, name: str, **args: str | int) -> None:
        verdict = self.propose(name, **args)
        assert (verdict.level, verdict.because(because)) == (level, True), verdict.reasons

    def go(self, to: str, name: str, **args: str | int) -> ObservationResult:
        verdict = self.propose(name, **args)
        assert verdict.allowed, verdict.reasons
        self.guard.commit(verdict, screen=self.guard.snapshot.screen)
        return self.guard.observe(self.dumps[to])

    def screens(self) -> list[str]:
        return [name.partition(":")[2] for name in self.guard.snapshot.screens]

    def rows(self) -> dict[str, list[dict[str, object]]]:
        world = self.guard.snapshot.world
        return {
            name.rpartition(".")[2]: [
                dict(known_cells(self.program.relation(name), entry.cells)) for entry in table.rows.values()
            ]
            for name, table in world.tables.items()
            if table.rows
        }


def test_the_table_speaks_of_every_dump(dumps: Mapping[str, TreeScreen]) -> None:
    assert set(SEEN) == set(dumps)


@pytest.mark.parametrize("number", sorted(SEEN))
def test_what_a_dump_says(number: str, dumps: Mapping[str, TreeScreen]) -> None:
    screen, rows = SEEN[number]
    program = _program("apps/trusttest.vsa")
    walk = Walk(program, dumps, number)
    assert walk.screens() == [screen]
    assert walk.rows() == rows


def test_passwords_stay_out_of_the_facts(program: Program, dumps: Mapping[str, TreeScreen]) -> None:
    shown = [row.get("text") for row in dumps["160"].rows("Node")]
    assert "password66" in shown  # the field of this app does not say that it is one for passwords
    walk = Walk(program, dumps, "160")
    assert "password66" not in repr(walk.guard.snapshot.world)


@pytest.mark.parametrize("engine", ["incremental", "reference"])
def test_the_task(program: Program, dumps: Mapping[str, TreeScreen], engine: EngineName) -> None:
    """From the login to the saved switches, with wrong turns on the way."""
    walk = Walk(program, dumps, "157", engine)
    walk.refused("block", "finish", "finish")
    walk.refused("block", "LogIn.username", "tap", id="buttonSubmit")
    walk.refused("warn", "LoginForm.username", "input_text", id="editTextUsername", value="root")
    walk.go("172", "input_text", id="editTextUsername", value="admin")
    walk.refused("block", "LoginForm.password_given", "tap", id="buttonSubmit")
    walk.go("168", "input_text", id="editTextPassword", value="password")

    verdict = walk.propose("tap", x=540, y=1180)
    assert verdict.actions == (Action("apps.trusttest.LogIn", {"username": "admin"}),)
    assert verdict.screens == ("apps.trusttest:Items",)
    assert [c.outcome for c in walk.go("170", "tap", x=540, y=1180).contracts] == ["met"]

    assert walk.propose("tap", x=680, y=336).screens == ("apps.trusttest:Switches",)
    walk.go("175", "tap", node=22)
    walk.refused("block", "SaveSwitches.first", "tap", id="saveButton")
    walk.refused("warn", "Panel.third", "tap", id="switch3")
    walk.go("161", "tap", x=640, y=910)  # next to the words of the switch
    walk.refused("warn", "Panel.first", "tap", id="switch1")
    walk.refused("block", "SaveSwitches", "finish")

    by_id, by_point = walk.propose("tap", id="saveButton"), walk.propose("tap", x=410, y=1114)
    assert by_id.actions == by_point.actions == (Action("apps.trusttest.SaveSwitches", FIRST),)
    assert [c.outcome for c in walk.go("163", "tap", id="saveButton").contracts] == ["met"]
    walk.refused("block", "licence", "tap", id="saveButton")

    verdict = walk.propose("finish")
    assert verdict.allowed, verdict.reasons
    walk.guard.commit(verdict)
    assert walk.guard.finished


def test_a_failed_login_is_taken_back(program: Program, dumps: Mapping[str, TreeScreen]) -> None:
    walk = Walk(program, dumps, "172")
    walk.go("173", "input_text", id="editTextPassword", value="password\n")
    observed = walk.go("174", "tap", id="buttonSubmit")
    assert [c.outcome for c in observed.contracts] == ["violated"]
    assert observed.taken_back == (Action("apps.trusttest.LogIn", {"username": "admin"}),)
    walk.go("168", "input_text", id="editTextPassword", value="password")
    observed = walk.go("170", "tap", id="buttonSubmit")
    assert [c.outcome for c in observed.contracts] == ["met"] and observed.taken_back == ()


def test_what_was_saved_is_looked_at(program: Program, dumps: Mapping[str, TreeScreen]) -> None:
    """The button was pressed, and the screen still shows the old state: the task is not done."""
    walk = Walk(program, dumps, "161")
    observed = walk.go("161", "tap", id="saveButton")
    assert [c.outcome for c in observed.contracts] == ["violated"]
    assert walk.rows()["Saved"] == [OFF]
    walk.refused("block", "Saved.first", "finish")
    walk.refused("confirm", "licence", "tap", id="saveButton")  # it may still be saved


def test_other_critical_actions_are_not_part_of_the_task(
    program: Program, dumps: Mapping[str, TreeScreen]
) -> None:
    walk = Walk(program, dumps, "147")
    walk.refused("block", "ResetButtons", "tap", id="resetButton")
    walk.refused("block", "ResetButtons", "tap", x=540, y=1546)


def test_a_menu_belongs_to_the_field_that_opened_it(
    program: Program, dumps: Mapping[str, TreeScreen]
) -> None:
    walk = Walk(program, dumps, "149")
    walk.go("148", "tap", x=750, y=1033)
    rows = walk.rows()
    assert rows["Choosing"] == [{"field": "Asset"}]
    assert sorted(rows["Choice"], key=lambda row: str(row["at"])) == [
        {"field": "Asset", "at": 1, "name": "BNB", "chosen": True},
        {"field": "Asset", "at": 2, "name": "TWT", "chosen": False},
    ]
    assert "Conversion" not in rows  # the page below is not shown any more
    walk.go("149", "back")
    assert "Choosing" not in walk.rows()


def test_rows_that_scrolled_away_are_known_without_their_place(
    program: Program, dumps: Mapping[str, TreeScreen]
) -> None:
    walk = Walk(program, dumps, "170")
    walk.go("171", "scroll", id="recyclerView", direction="down")
    names = sorted(str(row["name"]) for row in walk.rows()["Item"])
    assert names == sorted(f"Item {n}" for n in (*range(1, 10), *range(12, 21)))
    assert all("at" not in row for row in walk.rows()["Item"])
    assert not walk.guard.snapshot.world.table("apps.trusttest.Item").complete


def test_the_question_is_answered_with_what_is_shown(dumps: Mapping[str, TreeScreen]) -> None:
    walk = Walk(_program("examples/dollars_for_five.vsa"), dumps, "158")
    walk.refused("block", "Conversion.amount", "answer", text="$651.00")
    walk.refused("warn", "Conversion.amount", "input_text", id="inputValue", value="50")
    walk.go("149", "input_text", id="inputValue", value="5")
    walk.refused("block", "Conversion.shown", "answer", text="$587.61")
    verdict = walk.propose("answer", text="$2 938,04")
    assert verdict.allowed, verdict.reasons


def test_the_asset_counts(dumps: Mapping[str, TreeScreen]) -> None:
    walk = Walk(_program("examples/dollars_for_five.vsa"), dumps, "150")
    walk.refused("block", "Conversion.asset", "answer", text="$4,14")


@pytest.mark.parametrize("name", ["switch_one", "dollars_for_five"])
def test_the_stories_of_the_tasks(name: str) -> None:
    loaded = load(resource_dir("app_specs") / "examples" / f"{name}.vsa")
    assert loaded.program is not None and loaded.examples
    for example in loaded.examples:
        assert run_example(loaded.program, example).passed, example.name


def test_the_guide_quotes_the_shipped_files() -> None:
    folder = resource_dir("app_specs")
    names = ("apps/trusttest.vsa", "examples/switch_one.vsa")
    shipped = "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
    lines = set(shipped.splitlines())
    quoted = re.findall(r"```vsa\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert quoted
    for block in quoted:
        for line in filter(None, block.splitlines()):
            assert line in lines, line


def test_what_the_guide_says_is_read(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from vsalang.tools.cli.main import run

    text = GUIDE.read_text(encoding="utf-8")
    assert "vsac screen read app_specs/apps/trusttest.vsa dumps/*.xml" in text
    module = str(resource_dir("app_specs") / "apps" / "trusttest.vsa")
    assert run(["screen", "read", module, str(shared_data / "ui_dumps" / f"149_{PACKAGE}.xml.gz")]) == 0
    shown = capsys.readouterr().out
    for value in ("5", "587.61", "2938.04"):
        assert re.search(rf"\b{re.escape(value)}\b", shown)
        assert value in text
    login = str(shared_data / "ui_dumps" / f"156_{PACKAGE}.xml.gz")
    assert "vsac screen facts dumps/login.xml --tap 540,1263 --app" in text
    assert run(["screen", "facts", login, "--tap", "540,1263", "--app", module]) == 0
    assert "recognised as  LogIn" in capsys.readouterr().out
