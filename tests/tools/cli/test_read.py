"""``vsac screen read``: what a module reads from screens, why, and whether it is what is expected; what a tap is."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import commands

APP = """app shop package "com.shop" "A shop"
screen Offers when Node(id = "offers").
screen Cart when Node(id = "cart").
list Offer "What is offered" { name: Text  price: Number }
view Total on Cart { amount: Number }
state Seen { title: Text }
@risk(financial)
action Buy(name: Text)
define Row(row = ?r) when Node(id = "offers", node = ?l), Node(parent = ?l, node = ?r, id = "row").
update Offer(row = ?r, name = ?t) when Row(row = ?r), Node(parent = ?r, id = "name", text = ?t).
update Offer(row = ?r, price = number(?p)) when Row(row = ?r), Node(parent = ?r, id = "price", text = ?p).
top Offer when Node(id = "heading").
update Total(amount = number(?t)) when Node(id = "total", text = ?t).
update Seen(title = ?t) when Node(id = "title", text = ?t).
recognize Buy(name = ?n) when tap(id = "row", node = ?r) with Node(parent = ?r, id = "name", text = ?n).
update Seen(title = "?") when tap(id = "row").
goto Cart when tap(id = "row").
"""
SPEC = 'spec one "Buy tea"\nimport shop\nallow Buy(name = "Tea").\ndone when Buy earlier.\n'


def dump(
    *names: str, heading: bool = True, title: tuple[str, ...] = ("Shop",), screen: str = "offers"
) -> str:
    def node(bounds: str, inside: str = "", kind: str = "a.View", **attrs: str) -> str:
        read = dict.fromkeys(("resource_id", "text", "content_desc"), "")
        attrs = {**read, "scrollable": "false", "clickable": "false", **attrs}
        more = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in attrs.items())
        return (
            f'<node package="com.shop" class="{kind}" enabled="true" bounds="{bounds}" {more}>{inside}</node>'
        )

    rows = ""
    for number, item in enumerate(names):
        name, _, price = item.partition(" ")
        top = 150 + 100 * number
        parts = node(f"[0,{top}][300,{top + 90}]", text=name, resource_id="com.shop:id/name")
        parts += node(f"[300,{top}][500,{top + 90}]", text=price, resource_id="com.shop:id/price")
        rows += node(f"[0,{top}][500,{top + 90}]", parts, clickable="true", resource_id="com.shop:id/row")
    inner = "".join(node("[0,0][500,50]", text=t, resource_id="com.shop:id/title") for t in title)
    inner += node("[0,60][500,90]", text="Offers", resource_id="com.shop:id/heading") if heading else ""
    inner += node(
        "[0,100][500,900]", rows, "a.ListView", scrollable="true", resource_id=f"com.shop:id/{screen}"
    )

    return f"<hierarchy>{node('[0,0][500,1000]', inner)}</hierarchy>"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.vsa").write_text(APP)
    (tmp_path / "one.vsa").write_text(SPEC)
    (tmp_path / "a.xml").write_text(dump("Tea 3", "Gin 20", "Cod 7", "Bun x"))
    (tmp_path / "b.xml").write_text(dump("Gin 20", "Cod 7", "Bun x", "Dip 5", heading=False))
    return tmp_path


@dataclass
class Ran:
    stdout: str
    output: str


def vsac(*args: str, status: int = 0, input: str | None = None) -> Ran:
    ran = commands.vsac(*args, cwd=Path.cwd(), input=input)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return Ran(ran.stdout, ran.stdout + ran.stderr)


def read(*args: str) -> list[dict]:
    return json.loads(vsac("screen", "read", *args, "--format", "json").stdout)["screens"]


def test_the_screen_and_its_rows_in_order(folder: Path) -> None:
    (found,) = read("shop.vsa", "a.xml")
    assert found["screen"] == "Offers"
    assert found["rows"]["Offer"] == [
        {"name": "Tea", "price": 3, "at": 1},
        {"name": "Gin", "price": 20, "at": 2},
        {"name": "Cod", "price": 7, "at": 3},
        {"name": "Bun", "at": 4},
    ]
    assert found["rows"]["Seen"] == [{"title": "Shop"}]
    assert found["silent"] == ["Total"]
    assert not found["conflicts"]


def test_for_people(folder: Path) -> None:
    text = vsac("screen", "read", "shop.vsa", "a.xml").output
    assert "screen Offers\n" in text
    assert re.search(r'"Tea" +3 +1\n +"Gin" +20 +2\n', text)
    assert "nothing read of Total" in text


def test_each_dump_by_itself_or_all_as_one_session(folder: Path) -> None:
    assert [row.get("at") for row in read("shop.vsa", "a.xml", "b.xml")[1]["rows"]["Offer"]] == [None] * 4
    last = read("shop.vsa", "a.xml", "b.xml", "--scrolled", "down")[1]["rows"]["Offer"]
    assert [(row["name"], row["at"]) for row in last] == [
        ("Tea", 1),
        ("Gin", 2),
        ("Cod", 3),
        ("Bun", 4),
        ("Dip", 5),
    ]


def test_two_values_for_one_cell_are_told(folder: Path) -> None:
    (folder / "c.xml").write_text(dump("Tea 3", title=("Shop", "Store")))
    (found,) = read("shop.vsa", "c.xml")
    assert len(found["conflicts"]) == 1
    assert "Shop" in found["conflicts"][0]
    assert "Store" in found["conflicts"][0]
    assert "conflict: " in vsac("screen", "read", "shop.vsa", "c.xml").output


def test_no_screen_and_several_screens_at_once(folder: Path) -> None:
    (folder / "d.xml").write_text(dump("Tea 3", screen="other"))
    assert read("shop.vsa", "d.xml")[0]["screen"] is None
    app = APP.replace('screen Cart when Node(id = "cart").', 'screen Cart when Node(id = "heading").')
    (folder / "shop.vsa").write_text(app)
    assert "match at once" in vsac("screen", "read", "shop.vsa", "a.xml").output


# ---------------------------------------------------------------- expectations


def test_expectations_are_written_and_compared(folder: Path) -> None:
    (folder / "tests").mkdir()
    vsac("screen", "read", "shop.vsa", "a.xml", "b.xml", "--scrolled", "down", "--expect", "tests/shop.json")
    data = json.loads((folder / "tests/shop.json").read_text())
    assert (data["module"], data["scrolled"]) == ("../shop.vsa", "down")
    assert [screen["dump"] for screen in data["screens"]] == ["../a.xml", "../b.xml"]
    assert "2 screens read as expected" in vsac("screen", "read", "--check", "tests/shop.json").output


def test_a_difference_is_named_and_updated(folder: Path) -> None:
    vsac("screen", "read", "shop.vsa", "a.xml", "--expect", "shop.json")
    (folder / "a.xml").write_text(dump("Tea 4", "Gin 20", "Cod 7"))
    result = vsac("screen", "read", "--check", "shop.json", status=1)
    assert "rows.Offer[1].price: expected 3, read 4" in result.output
    assert 'rows.Offer[4]: expected {"name": "Bun", "at": 4}, read nothing' in result.output
    found = json.loads(vsac("screen", "read", "--check", "shop.json", "--format", "json", status=1).stdout)
    assert [item["dump"] for item in found["differences"]] == ["a.xml"]
    vsac("screen", "read", "--check", "shop.json", "--update")
    vsac("screen", "read", "--check", "shop.json")


def test_what_the_expectations_leave_out_is_not_compared(folder: Path) -> None:
    wanted = {"version": 1, "module": "shop.vsa", "screens": [{"dump": "a.xml", "screen": "Offers"}]}
    (folder / "shop.json").write_text(json.dumps(wanted))
    vsac("screen", "read", "--check", "shop.json")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 1, "module": "shop.vsa", "screens": []}',
        '{"version": 1, "module": "shop.vsa", "screens": [{"dump": "a.xml", "screens": 1}]}',
    ],
)
def test_files_that_are_no_expectations_are_refused(folder: Path, text: str) -> None:
    (folder / "shop.json").write_text(text)
    assert "shop.json" in vsac("screen", "read", "--check", "shop.json", status=2).output


def test_expectations_are_not_written_over(folder: Path) -> None:
    vsac("screen", "read", "shop.vsa", "a.xml", "--expect", "shop.json")
    assert (
        "is there already"
        in vsac("screen", "read", "shop.vsa", "a.xml", "--expect", "shop.json", status=2).output
    )
    vsac("screen", "read", "shop.vsa", "a.xml", "--expect", "one.vsa", status=2)


def test_exit_statuses(folder: Path) -> None:
    (folder / "broken.xml").write_text("<hierarchy>")
    vsac("screen", "read", "shop.vsa", "broken.xml", status=1)
    vsac("screen", "read", "shop.vsa", "missing.xml", status=2)
    (folder / "wrong.vsa").write_text("app wrong")
    vsac("screen", "read", "wrong.vsa", "a.xml", status=2)
    vsac("screen", "read", "shop.vsa", status=2)


def test_shipped_modules_read_real_screens(shared_data: Path) -> None:
    dumps = shared_data / "ui_dumps"
    names = ["149_com.example.trusttest.xml.gz", "156_com.example.trusttest.xml.gz"]
    found = read("apps.trusttest", *(str(dumps / name) for name in names))
    assert [screen["screen"] for screen in found] == ["Converter", "Login"]
    assert found[0]["rows"]["Conversion"][0]["value"] == "2938.04"


# ---------------------------------------------------------------- why


def test_why_names_the_rule_and_the_node(folder: Path) -> None:
    text = vsac("screen", "read", "shop.vsa", "a.xml", "--why", "Offer.price").output
    assert "price = 3" in text
    assert "price = unknown (the value cannot be read)" in text
    assert 'text = "20"' in text
    assert re.findall(r"    by (shop:\d+) ", text)[0] == "shop:5"  # not the rule that reads the name
    assert "written: name" not in text


def test_why_not_names_the_condition_that_failed(folder: Path) -> None:
    found = read("shop.vsa", "a.xml", "--why", "Total")[0]["why"][0]
    assert found["needs_screen"] == ["Cart"]
    assert not found["written"]
    (clause,) = found["not_written_by"]
    assert [item["state"] for item in clause["conditions"]] == ["unmet"]
    assert 'id = "total"' in clause["conditions"][0]["condition"]


def test_query_goes_on_into_the_rules_that_read(folder: Path) -> None:
    holds = vsac("query", "shop.vsa", 'Offer(name = "Gin", price = ?p)', "--state", "a.xml").output
    assert "how Offer was read" in holds
    assert "price = 20" in holds
    assert "price = 3" not in holds
    missing = vsac("query", "shop.vsa", "Total(amount = ?a)", "--state", "a.xml", status=1).output
    assert "run only while screen Cart shows" in missing
    assert 'Node(id = "total"' in missing


@pytest.mark.parametrize("asked", ["Offre", "Offer.prize", "Row"])
def test_what_cannot_be_asked_is_refused(folder: Path, asked: str) -> None:
    vsac("screen", "read", "shop.vsa", "a.xml", "--why", asked, status=2)


# ---------------------------------------------------------------- what a tap is


def test_a_tap_is_recognised_and_judged(folder: Path) -> None:
    text = vsac("screen", "facts", "a.xml", "--tap", "100,320", "--app", "one.vsa").output
    assert 'recognised as  Buy(name = "Gin")' in text
    assert "leads to       screen Cart" in text
    assert re.search(r'predicts +Seen\(title = "\?"\), before: Seen\(title = "Shop"\)', text)
    assert re.search(r"verdict +block\n", text)
    assert "wanted" in text


def test_a_tap_without_a_spec(folder: Path) -> None:
    result = vsac("screen", "facts", "a.xml", "--tap", "100,220", "--app", "shop.vsa", "--format", "json")
    (found,) = json.loads(result.stdout)
    assert found["meaning"]["recognised"] == [{"action": "Buy", "args": {"name": "Tea"}}]
    assert found["meaning"]["leads_to"] == ["Cart"]
    assert found["meaning"]["spec"] is False
    assert found["tap"]["id"] == "row"


def test_app_needs_a_tap(folder: Path) -> None:
    vsac("screen", "facts", "a.xml", "--app", "shop.vsa", status=2)


def test_the_dialogue_says_what_a_tap_is(folder: Path) -> None:
    asked = ":propose tap(x = 100, y = 220)\n:why Offer(at = 1)\n"
    said = vsac("query", "-i", "one.vsa", "--state", "a.xml", input=asked).output
    assert 'recognised as  Buy(name = "Tea")' in said
    assert "leads to       screen Cart" in said
    assert "\nallow\n" in said
    assert "how Offer was read" in said
