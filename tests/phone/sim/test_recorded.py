"""Phones made of dumps and walks: they show what was recorded, and go where the record went."""

import datetime as dt
import gzip
import io
import logging
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thorough import some
from vsalang.phone.sim import Phone, PhoneSpecError, load
from vsalang.phone.sim.dump import dump
from vsalang.phone.sim.make import RecordedMove, RecordedScreen, Recording, merged, quoted, write_phone
from vsalang.screen.tree import load_dump
from vsalang.screen.tree.hit import hit
from vsalang.screen.tree.source import decode, read_bytes


def node(text: str, bounds: str, inside: str = "", **more: str) -> str:
    attributes = {"text": text, "class": "android.widget.TextView", "package": "org.example.notes", **more}
    pairs = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<node {pairs} bounds="{bounds}">{inside}</node>'


def screen(*nodes: str) -> str:
    inside = "".join(nodes)
    return f'<?xml version="1.0"?><hierarchy rotation="0">{node("", "[0,0][400,800]", inside)}</hierarchy>'


BUTTON = {"clickable": "true", "enabled": "true"}
LIST = screen(
    node("Notes", "[0,0][400,60]"),
    node("", "[0,100][400,180]", node("Milk", "[20,120][200,160]"), **BUTTON),
    node("", "[0,200][400,280]", node("Bread", "[20,220][200,260]"), **BUTTON),
    node("Off", "[0,300][400,380]", clickable="true", enabled="false"),
    node("", "[0,400][400,800]", scrollable="true", **{"class": "android.widget.ListView"}),
)
EDIT = screen(
    node("", "[0,0][60,60]", content_desc="Back", **BUTTON),
    node("Milk", "[0,100][400,180]", **BUTTON, **{"class": "android.widget.EditText"}),
)
DONE = screen(node("Saved", "[0,100][400,180]"))


def phone_of(folder: Path, *led: RecordedMove, screens: tuple[tuple[str, str], ...] = ()) -> Phone:
    named = screens or (("list", LIST), ("edit", EDIT), ("done", DONE))
    write_phone(folder, Recording(tuple(RecordedScreen(name, xml) for name, xml in named), led))
    phone = Phone(load(str(folder)))
    phone.open_app("org.example.notes")
    return phone


def shown(phone: Phone) -> str:
    return phone.screens("org.example.notes")[-1]


def test_taps_lead_where_the_table_says(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    # 4 is the text in the row that 3 is: the row takes the touch
    phone = phone_of(
        tmp_path / "p",
        RecordedMove(0, 1, "tap", 4),
        RecordedMove(1, 0, "tap", 2),
        RecordedMove(1, 2, "text", 3),
    )
    assert dump(phone) == LIST
    with caplog.at_level(logging.INFO):
        phone.tap(300, 240)
    assert (shown(phone), phone.inputs[-1].fate) == ("list", "unanswered")
    assert "no move is known for tap" in caplog.text
    phone.tap(300, 140)
    assert (shown(phone), phone.inputs[-1].fate) == ("edit", "")
    assert dump(phone) == EDIT
    phone.tap_id("Back")
    assert shown(phone) == "list"
    phone.tap(300, 140)
    phone.key("BACK")
    assert shown(phone) == "list", "without a rule, back returns to the screen before"


def test_what_is_typed_shows_in_its_field_alone(tmp_path: Path) -> None:
    phone = phone_of(tmp_path / "p", RecordedMove(0, 1, "tap", 4), RecordedMove(1, 2, "text", 3))
    phone.tap(300, 140)
    phone.tap_id("Milk")
    field = load_dump(dump(phone)).nodes[2]
    assert (field.text, field.focused) == ("Milk", True)
    assert not phone.keyboard_shown
    phone.type_text("x")
    assert shown(phone) == "done"
    phone.key("BACK")
    assert [n.text for n in load_dump(dump(phone)).nodes] == [None, None, "Milkx"]


def test_swipes_and_back(tmp_path: Path) -> None:
    phone = phone_of(
        tmp_path / "p",
        RecordedMove(0, 1, "swipe", 8, "up"),
        RecordedMove(0, 2, "swipe", None, "left"),
        RecordedMove(1, 2, "back"),
    )
    phone.swipe(200, 500, 200, 700)
    assert (shown(phone), phone.inputs[-1].fate) == ("list", "unanswered")
    phone.swipe(200, 700, 200, 500)
    assert shown(phone) == "edit"
    phone.key("BACK")
    assert shown(phone) == "done"
    phone.key("BACK")
    assert shown(phone) == "edit"
    phone.stop_app("org.example.notes")
    phone.open_app("org.example.notes")
    phone.swipe(300, 700, 100, 700)
    assert shown(phone) == "done"


def test_a_disabled_button_does_nothing(tmp_path: Path) -> None:
    phone = phone_of(tmp_path / "p", RecordedMove(0, 1, "tap", 7))
    phone.tap(200, 340)
    assert (shown(phone), phone.inputs[-1].fate) == ("list", "unanswered")


def test_equal_screens_become_one_unless_they_lead_elsewhere() -> None:
    seen = (
        RecordedScreen("a", LIST),
        RecordedScreen("b", EDIT),
        RecordedScreen("c", LIST),
        RecordedScreen("d", DONE),
        RecordedScreen("e", LIST),
    )
    same = merged(
        Recording(
            seen,
            (
                RecordedMove(0, 1, "tap", 4),
                RecordedMove(1, 2, "back"),
                RecordedMove(2, 3, "tap", 6),
                RecordedMove(3, 4, "back"),
            ),
        )
    )
    assert [s.name for s in same.screens] == ["a", "b", "d"]
    assert {(led.start, led.end, led.node) for led in same.led} == {
        (0, 1, 4),
        (1, 0, None),
        (0, 2, 6),
        (2, 0, None),
    }
    other = merged(
        Recording(
            seen, (RecordedMove(0, 1, "tap", 4), RecordedMove(1, 2, "back"), RecordedMove(2, 3, "tap", 4))
        )
    )
    walked, place = ["a"], 0
    for key in (("tap", 4, ""), ("back", None, ""), ("tap", 4, "")):
        place = next(led.end for led in other.led if led.start == place and led.key == key)
        walked.append(other.screens[place].name)
    assert [w for w in walked if w in "bd"] == ["b", "d"], "the record can be followed to its end"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2])), min_size=1, max_size=12))
def test_every_record_can_be_followed_to_its_end(steps: list[tuple[str, int]]) -> None:
    """Whatever the screens and inputs were: the same inputs lead through the same screens again."""
    screens = tuple(RecordedScreen(f"s{number}", text) for number, (text, _) in enumerate(steps))
    led = tuple(RecordedMove(n, n + 1, "tap", node) for n, (_, node) in enumerate(steps[:-1]))
    made = merged(Recording(screens, led))
    place = 0
    assert made.screens[place].xml == steps[0][0]
    for (_, node), (following, _) in pairwise(steps):
        (place,) = {one.end for one in made.led if one.start == place and one.node == node}
        assert made.screens[place].xml == following
    assert len(made.screens) <= len(steps)


def test_a_move_to_a_missing_node_is_named(tmp_path: Path) -> None:
    phone_of(tmp_path / "p")
    toml = tmp_path / "p" / "phone.toml"
    text = toml.read_text().replace('dump = "screens/list.xml"', 'dump = "screens/list.xml"\n{}', 1)
    row = '[[app.screen.on]]\ntext = "Butter"\ngoto = "edit"'
    toml.write_text(text.format(row))
    with pytest.raises(
        PhoneSpecError, match=r"list\.xml: screen 'list': no node is what a move to 'edit' names"
    ):
        phone = Phone(load(str(tmp_path / "p")))
        phone.open_app("org.example.notes")
        phone.windows()
    for wrong, message in (
        ('[[app.screen.on]]\ntext = "Milk"\ngoto = "away"', r"phone\.toml:\d+: .*there is no screen 'away'"),
        ('[[app.screen.on]]\ngoto = "edit"', r"phone\.toml:\d+: .*says no node: give node = NUMBER"),
        ('[[app.screen.on]]\ntext = "Milk"', r"phone\.toml:\d+: .*says nothing of where it leads"),
        (
            '[[app.screen.on]]\ntext = "Milk"\nopen = "a.b"',
            r"phone\.toml:\d+: .*'open' names the package 'a\.b'",
        ),
        ('picture = "none.png"', r"phone\.toml:\d+: .*the picture 'none\.png' is not in the folder"),
        ('picture = "../x.png"', r"phone\.toml:\d+: .*'picture' must be a file inside the folder"),
    ):
        toml.write_text(text.format(wrong))
        with pytest.raises(PhoneSpecError, match=message):
            load(str(tmp_path / "p"))


def test_dumps_that_are_none_are_named(tmp_path: Path) -> None:
    phone_of(tmp_path / "p")
    (tmp_path / "p" / "screens" / "edit.xml").write_text("<hierarchy><node></hierarchy>")
    with pytest.raises(PhoneSpecError, match=r"edit\.xml"):
        phone = Phone(load(str(tmp_path / "p")))
        phone.preview("org.example.notes", "edit")
    (tmp_path / "p" / "screens" / "edit.xml").unlink()
    with pytest.raises(PhoneSpecError, match=r"edit\.xml: cannot be read"):
        load(str(tmp_path / "p"))


def test_the_folder_is_new_and_its_names_are_safe(tmp_path: Path) -> None:
    names = ["../../evil", "A b/c", "", "A b c", "ünï"]
    files = write_phone(
        tmp_path / "p", Recording(tuple(RecordedScreen(n, LIST, source='"]\n[x]') for n in names))
    )
    assert all(file.is_relative_to(tmp_path / "p") for file in files)
    spec = load(str(tmp_path / "p"))
    assert list(spec.apps[0].screens) == ["evil", "a-b-c", "screen", "a-b-c-2", "n"]
    with pytest.raises(PhoneSpecError, match="holds something already"):
        write_phone(tmp_path / "p", Recording((RecordedScreen("a", LIST),)))
    with pytest.raises(PhoneSpecError, match="no screen to make a phone of"):
        write_phone(tmp_path / "q", Recording(()))
    import tomllib

    for text in ('a"b', "\\", "\n\x00\x7f", "😀"):
        assert tomllib.loads(f"x = {quoted(text)}")["x"] == text


def test_a_screenshot_that_was_taken_is_shown(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    from vsalang.phone.sim.paint import png

    out = io.BytesIO()
    pillow.new("RGB", (400, 800), (10, 200, 30)).save(out, "PNG")
    write_phone(
        tmp_path / "p",
        Recording(
            (RecordedScreen("list", LIST, picture=out.getvalue()), RecordedScreen("edit", EDIT)),
            clock=dt.datetime(2030, 1, 1),
        ),
    )
    phone = Phone(load(str(tmp_path / "p")))
    phone.open_app("org.example.notes")
    picture = pillow.open(io.BytesIO(png(phone)))
    assert picture.size == (400, 800)
    assert picture.getpixel((200, 400)) == (10, 200, 30)
    assert phone.clock.year == 2030
    (tmp_path / "p" / "screens" / "list.png").write_bytes(b"no picture")
    with pytest.raises(PhoneSpecError, match=r"list\.png: is not a picture"):
        png(phone)


def test_the_shipped_phone_is_walked_through() -> None:
    phone = Phone(load("editor"))
    assert phone.package == "com.google.android.apps.nexuslauncher"
    phone.tap_id("PocketIDE")
    assert phone.package == "com.pocketide"
    for name in ("Settings", "Back", "Settings"):
        phone.tap_id(name)
    assert phone.screens("com.pocketide") == ("explorer", "settings")
    phone.key("HOME")
    assert phone.package == "com.google.android.apps.nexuslauncher"
    assert {item.fate for item in phone.inputs} == {""}


@pytest.mark.slow
def test_facts_of_the_real_dumps_stay_what_they_are(shared_data: Path, tmp_path: Path) -> None:
    """Every dump of the corpus becomes a screen whose dump has the same facts, and takes touches where ours says."""
    files = some(sorted((shared_data / "ui_dumps").glob("*.xml.gz")), 3)
    texts = {file.name: decode(read_bytes(file), file.name) for file in files}
    write_phone(tmp_path / "p", Recording(tuple(RecordedScreen(name, text) for name, text in texts.items())))
    phone = Phone(load(str(tmp_path / "p")))
    places = {
        int(name[:3]): (app.package, name) for app in phone.spec.apps for name in app.screens
    }  # the files begin with a number
    agree = total = 0
    for file in files:
        original = load_dump(gzip.decompress(file.read_bytes()), name="dump")
        phone.show(*places[int(file.name[:3])])
        again = load_dump(dump(phone), name="dump")
        assert (again.nodes, again.windows) == (original.nodes, original.windows), file.name
        for node in original.nodes:
            at = hit(original, *node.centre) if node.clickable and node.enabled else None
            if at is not None and not at.covered:
                taker = phone.taker(*node.centre)
                total += 1
                agree += (
                    at.taker is not None and taker is not None and taker.name("node") == str(at.taker.node)
                )
    assert total > 600
    assert agree / total > 0.99
