"""``vsac query``: rows, reasons, JSON, and what cannot be asked."""

import json
from pathlib import Path

import pytest

from tests.snapshots import golden
from tests.tools.ask.places import SHOP
from tests.tools.ask.test_ask_states import dump
from vsalang.base.names import ENGINES
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the shop and a screen of it."""
    (tmp_path / "shop.vsa").write_text(SHOP)
    (tmp_path / "screen.xml").write_text(dump(basket="Basket", total="30"))
    monkeypatch.chdir(tmp_path)


def test_rows_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "shop.vsa", "Dear(name = ?n)", "--test", "full"]) == 0
    golden(capsys.readouterr().out, "ask/query.txt")


def test_no_row_and_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "shop.vsa", "Dear(name = ?n)", "--state", "screen.xml"]) == 1
    golden(capsys.readouterr().out, "ask/query-none.txt")


def _shelf(rows: int) -> str:
    """A module whose test observes a list of so many things."""
    things = [f'Thing(at = {n}, name = "thing {n}", price = {n})' for n in range(1, rows + 1)]
    observed = f"  observe {', '.join(things)}.\n" if things else "  observe Sum(all = 1).\n"
    return (
        'app shelf package "com.shelf" "A shelf"\nlist Thing "On it" { name: Text  price: Number }\n'
        'view Sum "All" { all: Number }\ndefine Dear(name = ?n) when Thing(name = ?n, price > 100).\n'
        f'test "full" {{\n{observed}}}\n'
    )


@pytest.mark.parametrize(
    ("rows", "heading", "last"),
    [
        (0, "no rows of Thing are known", "no rows of Thing are known"),
        (1, "the only row of Thing:", '  "thing 1"      1   1'),
        (3, "the 3 rows of Thing:", '  "thing 3"      3   3'),
        (10, "the 10 rows of Thing:", '  "thing 10"     10  10'),
        (20, "the 20 rows of Thing:", "  10 more"),
    ],
)
def test_no_row_shows_those_that_are_there(
    rows: int, heading: str, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("shelf.vsa").write_text(_shelf(rows))
    assert run(["query", "shelf.vsa", "Thing(price > 100)", "--test", "full"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert heading in lines
    assert lines[-1] == last


def test_of_many_rows_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    Path("shelf.vsa").write_text(_shelf(40))
    asked = ["query", "shelf.vsa", 'Thing(name = "thing 37", price > 100)', "--test", "full"]
    assert run(asked) == 1
    golden(capsys.readouterr().out, "ask/query-rows.txt")
    assert run([*asked, "--json"]) == 1
    (things,) = json.loads(capsys.readouterr().out)["why_not"]["rows"]
    assert (things["relation"], things["count"], len(things["rows"])) == ("Thing", 40, 10)
    assert {"name": "thing 37", "price": 37, "at": 37} in things["rows"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("count(Thing) = 4", ["the 3 rows of Thing:"]),
        ("no Thing(price = 2)", ["the 3 rows of Thing:"]),
        ("Dear(name = ?n)", []),
        ("Sum(all = ?s), Thing(price = ?s)", ["no rows of Sum are known", "the 3 rows of Thing:"]),
        ("Thing(price = 9) earlier", []),
    ],
)
def test_rows_asked_of_now_only(body: str, told: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("shelf.vsa").write_text(_shelf(3))
    assert run(["query", "shelf.vsa", body, "--test", "full"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [text for text in shown if "of Thing" in text or "of Sum" in text or "of Dear" in text] == told


def test_json_says_all(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["query", "shop.vsa", "Dear(name = ?n), Item(name = ?n, price = ?p)", "--test", "full"]
    assert run([*asked, "--json"]) == 0
    first = capsys.readouterr().out
    assert run([*asked, "--format", "json"]) == 0
    assert capsys.readouterr().out == first
    data = json.loads(first)
    assert data["variables"] == [{"name": "n", "type": "Text"}, {"name": "p", "type": "Number"}]
    assert [row["values"] for row in data["rows"]] == [{"n": "Fig", "p": 6}, {"n": "Nut", "p": 12}]
    assert data["state"] == {
        "from": ['the test "a full basket" of shop.vsa'],
        "clock": "2026-04-01T12:00",
        "stopped": None,
    }
    (dear, item) = data["rows"][0]["why"]
    assert dear["place"] == {"file": "<question>", "line": 1, "column": 1}
    assert dear["rules"][0]["rule"] == "shop:7"
    assert dear["rules"][0]["place"]["file"] == "shop.vsa"
    assert item["fact"] == 'Item(name = "Fig", kind = Fruit, price = 6, count = 2, at = 2)'
    assert data["why_not"] is None


def test_json_of_what_is_absent(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "shop.vsa", "Item(price > 99)", "--test", "full", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["holds"], data["count"], data["rows"]) == (False, 0, [])
    (condition,) = data["why_not"]["conditions"]
    assert (condition["state"], condition["found"]) == ("unmet", "price is 6, wanted > 99")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["query", "shop.vsa", "Cheap(name = ?n)", "--test", "full", "--engine", engine, "--why", "0"])
        == 0
    )
    assert capsys.readouterr().out.splitlines()[1:] == ["?n", '"Tea"', "1 row"]


def test_limits(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "shop.vsa", "Item(name = ?n)", "--test", "full", "--limit", "2", "--why", "1"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[1:5] == ["?n", '"Fig"', '"Nut"', "3 rows, 2 shown"]
    assert out[-1] == "the other 2 rows likewise: --why explains more"


def test_a_test_that_fails_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "shop.vsa", "Bill(total = 1)", "--test", "fails"]) == 0
    assert "note: the test stops at a step with another result: wanted block" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["no.vsa", "Item"], "cannot read no.vsa"),
        (["shop.vsa", "Itm"], "unknown relation `Itm`"),
        (["shop.vsa", "Item", "--state", "no.xml"], "cannot read no.xml"),
        (["shop.vsa", "Item", "--step", "1"], "--step needs a test"),
        (["shop.vsa", "Item", "--test", "nothing"], 'no test called "nothing"'),
        (["shop.vsa"], "FILE needs BODY or -i: -i asks line by line."),
        ([], "Give FILE or -i."),
        (["-i", "shop.vsa", "Item"], "--interactive and BODY exclude each other: it is asked line by line."),
        (["-i", "shop.vsa", "--json"], "--interactive and --json exclude each other."),
        (["shop.vsa", "Item", "--history", "off"], "--history needs -i."),
        (["shop.vsa", "Item", "--engine", "quick"], "'quick' is not one of"),
        (
            ["shop.vsa", "Before", "--test", "full", "--engine", "pydatalog", "--timeout", "0.000001"],
            "no answer",
        ),
    ],
)
def test_what_cannot_be_asked(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", *args]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_a_file_with_errors_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "wrong.vsa").write_text('app x package "x" "x"\ndefine A when B.\n')
    assert run(["query", "wrong.vsa", "A"]) == 2
    assert "unknown relation `B`" in capsys.readouterr().err


def test_colours(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--color", "always", "query", "shop.vsa", "Item", "--test", "full"]) == 0
    assert "\x1b[32m✓\x1b[0m" in capsys.readouterr().out


def test_texts_of_screens_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "evil.xml").write_text(dump(basket="a\u202eb&#10;c&#9;d"), encoding="utf-8")
    for more in ([], ["--json"]):
        assert run(["query", "shop.vsa", "Node(text = ?t)", "--state", "evil.xml", *more]) == 0
        out = capsys.readouterr().out
        assert not any(line.startswith("c") for line in out.splitlines())
        assert more or "\u202e" not in out


def test_the_shipped_example(capsys: pytest.CaptureFixture[str]) -> None:
    spec = ROOT / "app_specs" / "examples" / "reserve_r.vsa"
    assert run(["query", str(spec), "Slot(time = ?t, available = true), ?t < 19:00", "--test", "once"]) == 0
    assert "?t = 18:30, because" in capsys.readouterr().out


@pytest.mark.parametrize("file", ["shop.vsa", "missing.vsa"])
def test_errors_are_json_for_programs(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", file, "Itme(name = ?n)", "--json"]) == 2
    shown = capsys.readouterr()
    assert json.loads(shown.out)["counts"]["error"] == 1
    assert shown.err == ""
