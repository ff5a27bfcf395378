"""A phone's folder: what is wrong with it is told with file and place; layout and picture of small screens."""

import io
from pathlib import Path

import pytest

from vsalang.phone.sim import Phone, PhoneSpecError, load, shipped
from vsalang.phone.sim.dump import dump
from vsalang.phone.sim.kept import RecentItems
from vsalang.phone.sim.layout import lay_out
from vsalang.phone.sim.text import cut, text_width, wrap
from vsalang.phone.sim.widgets import Widget, read_widgets

TOML = """
[phone]
clock = 2030-01-02T03:04:05
[[app]]
package = "org.example.notes"
label = "Notes"
start = "list"
[app.state]
note = ""
done = false
presses = 0
[[app.screen]]
name = "list"
template = "list.xml"
[[app.on]]
event = "add"
when = "note != ''"
set = { note = "''", presses = "presses + 1" }
toast = "added {{ text }}{{ value }}"
[[app.on]]
event = "held"
set = { presses = "presses + 10" }
[[app.on]]
event = "twice"
set = { presses = "presses + 100" }
[[app.on]]
event = "quit"
close = true
"""
XML = """
<column width="fill" height="fill" align="fill">
  <edit id="field" text="{{ note }}" hint="A note" bind="note" enter="add" value="7"/>
  <button id="add" text="Add" tap="add" long="held" value="b"/>
  <button id="twice" text="{{ presses }}" double="twice"/>
  <button id="done" text="Done" checkable="true" checked="{{ done }}" bind="done"/>
  <button id="quit" text="Quit &amp; leave" tap="quit"/>
  <edit id="secret" text="abc" password="true"/>
</column>
"""


def folder(path: Path, toml: str = TOML, xml: str = XML) -> Path:
    (path / "phone.toml").write_text(toml)
    (path / "list.xml").write_text(xml)
    return path


@pytest.fixture
def phone(tmp_path: Path) -> Phone:
    phone = Phone(load(str(folder(tmp_path))))
    phone.open_app("org.example.notes")
    return phone


def state(phone: Phone) -> dict[str, object]:
    return phone.state("org.example.notes")


def test_shipped_phones_load() -> None:
    assert "restaurant" in shipped()
    for name in shipped():
        spec = load(name)
        for scenario in ("", *spec.scenarios):
            Phone(spec, scenario)


def test_fields_conditions_and_toasts(phone: Phone) -> None:
    phone.tap_id("add")
    assert phone.last_toast is None, "the rule asks for a note"
    phone.tap_id("field")
    phone.type_text("milk")
    phone.key("ENTER")
    assert not phone.keyboard_shown
    assert phone.last_toast == "added milk7"
    assert state(phone) == {"note": "", "done": False, "presses": 1}


def test_text_that_xml_cannot_hold_is_replaced(phone: Phone) -> None:
    phone.tap_id("field")
    phone.type_text("a\x00\x01\ud800<&\"'>\ufffe")
    assert state(phone)["note"] == "a...<&\"'>."
    assert "a...&lt;&amp;" in dump(phone)
    assert phone.find("field").text == "a...<&\"'>."


def test_templates_cannot_be_injected(phone: Phone) -> None:
    phone.tap_id("field")
    phone.type_text('"/><button text="{{ 7 * 7 }}" tap="quit')
    assert [w.id for w in phone.widgets() if w.tag == "button" and w.package.startswith("org")] == [
        "add", "twice", "done", "quit",
    ]  # fmt: skip
    assert phone.find("field").text == '"/><button text="{{ 7 * 7 }}" tap="quit'


def test_long_press_double_tap_check_and_close(phone: Phone) -> None:
    left, top, *_ = phone.find("add").box
    phone.long_press(left + 5, top + 5)
    assert state(phone)["presses"] == 10
    phone.tap_id("twice")
    assert state(phone)["presses"] == 10
    phone.tap_id("twice")
    assert state(phone)["presses"] == 110
    phone.tap_id("done")
    assert state(phone)["done"] is True
    assert phone.find("done").flag("checked")
    phone.tap_id("quit")
    assert phone.package == "com.android.launcher3"


def test_dump_of_a_password_shows_dots_only(phone: Phone) -> None:
    assert "abc" not in dump(phone)
    assert "\u2022\u2022\u2022" in dump(phone)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("", "'phone' is missing"),
        ("[phone", "not TOML"),
        (TOML.replace("clock = 2030-01-02T03:04:05", "clock = 5"), "'clock' must be datetime"),
        (TOML.replace("T03:04:05", "T03:04:05Z"), "leave the offset out"),
        (TOML.replace("[phone]", "[phone]\nwidth = 0"), "'width' must be from 1 to 4096"),
        (TOML.replace("[phone]", "[phone]\nwidht = 5"), "unknown: widht"),
        (TOML.replace("[phone]", '[phone]\nserial = "a b"'), "'serial' must be ASCII"),
        (TOML.replace('start = "list"', 'start = "lost"'), "names the screen 'lost'"),
        (TOML.replace('template = "list.xml"', 'template = "../list.xml"'), "is not in the folder"),
        (TOML.replace('presses = "presses + 1"', 'presse = "1"'), "sets 'presse'"),
        (TOML.replace("close = true", 'goto = "away"'), "there is no screen 'away'"),
        (TOML.replace("note != ''", "note !="), "event 'add'"),
        (TOML + "[scenario.x]\nother = 1\n", r"phone\.toml:30: \[scenario.x\]: may set only variables"),
    ],
)
def test_what_is_wrong_in_phone_toml_is_named(tmp_path: Path, toml: str, message: str) -> None:
    with pytest.raises(PhoneSpecError, match=message) as raised:
        Phone(load(str(folder(tmp_path, toml))))
    assert "phone.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<column>", "not well formed"),
        ("<colum/>", "there is no widget <colum>"),
        ('<text txet="a"/>', "<text> has no attribute 'txet'"),
        ('<text width="wide"/>', "width='wide' is not a length"),
        ('<text enabled="perhaps"/>', "must be true or false"),
        ('<column align="middle"/>', "must be one of start, center, end, fill"),
        ("<text><text/></text>", "cannot hold widgets"),
        ('<text text="{{ absent }}"/>', "'absent' is undefined"),
        ('<text text="{{ note.__class__.__mro__ }}"/>', "list.xml"),
        ("{% if %}<text/>", "list.xml"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><text text="&e;"/>', "not well formed"),
    ],
)
def test_what_is_wrong_in_a_template_is_named(tmp_path: Path, xml: str, message: str) -> None:
    spec = load(str(folder(tmp_path, xml=xml)))
    with pytest.raises(PhoneSpecError, match=message) as raised:
        phone = Phone(spec)
        phone.open_app("org.example.notes")
        phone.windows()
    assert "list.xml" in str(raised.value)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(PhoneSpecError, match=r"nor a folder with a phone\.toml"):
        load(str(tmp_path))


# ---- layout ----------------------------------------------------------------------------------------------


def laid_out(xml: str, width: int = 200, height: int = 400) -> dict[str, Widget]:
    root = read_widgets(xml, "p", 1.0, "test")
    lay_out(root, (0, 0, width, height), 1.0)
    return {widget.id: widget for widget in root.walk() if widget.id}


def test_rows_share_the_rest_by_weight() -> None:
    boxes = laid_out(
        '<row width="fill" height="fill" gap="10" padding="5" align="start"><spacer id="a" width="30" height="7"/>'
        '<spacer id="b" weight="1" height="7"/><spacer id="c" weight="2" height="7"/></row>'
    )
    assert boxes["a"].box == (5, 5, 35, 12)
    assert boxes["b"].box == (45, 5, 91, 12)
    assert boxes["c"].box[0] == 101


def test_columns_stack_gaps_and_fill() -> None:
    boxes = laid_out(
        '<column width="fill" height="fill" gap="4" align="fill"><text id="a" text="x" size="20"/>'
        '<column id="b" weight="1" width="fill"/><spacer id="c" height="40" width="fill"/></column>'
    )
    assert boxes["a"].box == (0, 0, 200, 27)
    assert boxes["b"].box == (0, 31, 200, 356)
    assert boxes["c"].box == (0, 360, 200, 400)


def test_what_scrolled_away_is_not_seen() -> None:
    rows = "".join(f'<spacer id="r{n}" height="100" width="fill"/>' for n in range(6))
    root = read_widgets(f'<scroll id="s" width="fill" height="fill">{rows}</scroll>', "p", 1.0, "test")
    root.offset = 250
    lay_out(root, (0, 0, 200, 400), 1.0)
    boxes = {widget.id: widget for widget in root.walk()}
    assert (root.offset, root.content) == (200, 600)
    assert boxes["r1"].seen is None
    assert boxes["r2"].seen == (0, 0, 200, 100)
    assert boxes["r5"].seen == (0, 300, 200, 400)


def test_text_is_wrapped_and_cut() -> None:
    assert wrap("one two three", 10, text_width("one two", 10), 3) == ("one two", "three")
    assert wrap("one two three four", 10, text_width("one two", 10), 1) == (
        cut("one two...", 10, text_width("one two", 10)),
    )
    assert cut("abcdef", 10, 20).endswith("...")
    assert cut("ab", 10, 100) == "ab"


# ---- the picture -----------------------------------------------------------------------------------------


def test_the_picture_is_deterministic_and_shows_the_state(phone: Phone) -> None:
    pillow = pytest.importorskip("PIL.Image")
    from vsalang.phone.sim import paint
    from vsalang.phone.sim.paint import jpeg, png

    first = png(phone)
    assert png(phone) == first
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paint, "_PICTURES", RecentItems(1))  # it is drawn again
        assert png(phone) == first
    assert pillow.open(io.BytesIO(first)).size == (720, 1520)
    assert pillow.open(io.BytesIO(jpeg(phone, 0.5, 80))).size == (360, 760)
    phone.tap_id("field")
    assert png(phone) != first
    phone.key("POWER")
    dark = pillow.open(io.BytesIO(png(phone)))
    assert dark.getextrema() == ((0, 0), (0, 0), (0, 0))


def test_a_colour_that_is_none_is_named(tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image")
    from vsalang.phone.sim.paint import png

    phone = Phone(load(str(folder(tmp_path, xml='<column width="fill" height="fill" bg="reddish"/>'))))
    phone.open_app("org.example.notes")
    with pytest.raises(PhoneSpecError, match="'reddish' is not a colour"):
        png(phone)
