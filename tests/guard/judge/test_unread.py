"""What nobody read adds duty: an attribute that is left out may have any value, one that is given empty has none."""

import datetime as dt
import json
from pathlib import Path

import pytest

from vsalang.guard import Guard, Settings
from vsalang.guard.journal.screens_json import read_screen, screen_json
from vsalang.guard.say.verdict import Verdict
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

APP = """app shop package "com.shop" "A shop"
action Pay(to: Text "whom") "Pay"
view Order "The order" { total: Number "to pay" }
screen Checkout "Checkout" when Node(id = "checkout").
update Order(total = number(?t)) when Node(id = "total", text = ?t).
"""
WHOLE = {
    "index": "0",
    "text": "",
    "resource-id": "",
    "class": "android.view.View",
    "package": "com.shop",
    "content-desc": "",
    "checkable": "false",
    "checked": "false",
    "clickable": "false",
    "enabled": "true",
    "focused": "false",
    "scrollable": "false",
    "long-clickable": "false",
    "password": "false",
    "selected": "false",
}


def node(bounds: str, *kids: str, without: str = "", **attributes: str) -> str:
    given = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    if "id" in given:
        given["resource-id"] = f"com.shop:id/{given.pop('id')}"
    box = "[{},{}][{},{}]".format(*bounds.split(","))
    values = {**WHOLE, **given, "bounds": box}
    values = {name: value for name, value in values.items() if name not in without.split()}
    said = " ".join(f'{name}="{value}"' for name, value in values.items())
    return f"<node {said}>{''.join(kids)}</node>"


def page(*kids: str, app: tuple[str, str | None] | None = ("com.shop", ".Main")) -> TreeScreen:
    """A page at which nothing is missing but what the given nodes leave out."""
    title = node("0,0,1000,100", id="checkout")
    return TreeScreen(
        load_dump(f"<hierarchy>{node('0,0,1000,2000', title, *kids)}</hierarchy>"), app=app, settled=True
    )


def program(folder: Path, rules: str, spec: str = "done when Order(total = 1).", app: str = APP) -> Program:
    (folder / "shop.vsa").write_text(app + rules)
    loaded = load_text(f'spec s "Look"\nimport shop\n{spec}\n', path=folder / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def judged(made: Program, screen: TreeScreen, action: Action) -> Verdict:
    guard = Guard(made, clock=lambda: dt.datetime(2026, 4, 1, 12), settings=Settings(unknown_screen="allow"))
    guard.observe(screen)
    return guard.propose(action)


def tap(x: int = 500, y: int = 500) -> Action:
    return Action("tap", {"x": x, "y": y})


BUTTON = {"class_": "android.widget.Button", "clickable": "true"}


@pytest.mark.parametrize(
    ("asked", "given", "left_out"),
    [
        ('id = "pay"', {"id": "pay"}, "resource-id"),
        ('class = "Button"', {}, "class"),
        ('text = "Pay"', {"text": "Pay"}, "text"),
        ('desc = "Pay"', {"content_desc": "Pay"}, "content-desc"),
        ('label = "Pay"', {"content_desc": "Pay", "text": "12.00"}, "content-desc"),
        ("checked = true", {"checked": "true"}, "checked"),
        ("enabled = true", {}, "enabled"),
        ("clickable = true", {}, "clickable"),
        ("password = true", {"password": "true"}, "password"),
        ('package = "com.shop"', {}, "package"),
    ],
)
def test_an_action_is_recognised_without_an_attribute(
    tmp_path: Path, asked: str, given: dict[str, str], left_out: str
) -> None:
    made = program(tmp_path, f"recognize Pay when tap({asked}).\n")
    whole = judged(made, page(node("0,400,1000,600", **BUTTON, **given)), tap())
    assert whole.level == "block"
    assert "may be" not in whole.reasons[0].message
    screen = page(node("0,400,1000,600", without=left_out, **BUTTON, **given))
    verdict = judged(made, screen, tap())
    assert verdict.level == "block"
    assert all(reason.kind != "error" for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("asked", "given", "left_out"),
    [
        ('hint = "Pin"', {"hint": "Pin"}, "hint"),
        ('label = "Pin"', {"hint": "Pin"}, "hint"),
        ("text unknown", {"hint": "Pin", "text": "Pin"}, "hint"),
        ("length = 0", {"hint": "Pin", "text": "Pin"}, "hint"),
        ("index = 2", {"index": "2"}, "index"),
        ("long_clickable = true", {"long_clickable": "true"}, "long-clickable"),
    ],
)
def test_what_other_nodes_give_was_left_out(
    tmp_path: Path, asked: str, given: dict[str, str], left_out: str
) -> None:
    """A hint and an index are in some sources only; one that gives none leaves none out."""
    made = program(tmp_path, f"recognize Pay when tap({asked}).\n")
    beside = node("0,700,1000,800", hint="")
    field = {"class_": "android.widget.EditText", "clickable": "true", **given}
    assert judged(made, page(beside, node("0,400,1000,600", **field)), tap()).level == "block"
    less = page(beside, node("0,400,1000,600", without=left_out, **field))
    assert judged(made, less, tap()).level == "block"
    other = program(tmp_path, 'recognize Pay when tap(id = "pay").\n')
    assert judged(other, less, tap()).level == "allow"


def test_what_a_source_never_gives_is_not_supposed(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when input_text(hint = "Pin").\n')
    typed = Action("input_text", {"x": 500, "y": 500, "value": "1"})
    field = {"class_": "android.widget.EditText", "clickable": "true", "text": "Pin"}
    assert judged(made, page(node("0,400,1000,600", **field)), typed).level == "allow"
    told = page(node("0,400,1000,600", **field), node("0,700,1000,800", hint=""))
    assert judged(made, told, typed).level == "block"


def test_no_licence_by_what_may_be_a_prompt(tmp_path: Path) -> None:
    made = program(
        tmp_path,
        'recognize Pay when tap(id = "pay").\n',
        'allow Pay when Node(id = "to", text = "Ann").\ndone when Pay earlier.',
    )

    def shown(without: str = "") -> TreeScreen:
        to = node("0,700,1000,800", id="to", text="Ann", hint="Whom", without=without, **FIELD)
        return page(node("0,400,1000,600", id="pay", hint="", **BUTTON), to)

    assert judged(made, shown(), tap()).level == "allow"
    assert judged(made, shown("hint"), tap()).level == "block"


def test_a_short_scroll_may_be_a_touch(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when tap(id = "pay").\n')

    def shown(scrollable: str, without: str = "") -> TreeScreen:
        return page(node("0,400,1000,420", id="pay", scrollable=scrollable, without=without))

    scroll = Action("scroll", {"id": "pay", "direction": "down"})
    assert judged(made, shown("true"), scroll).level == "block"
    assert judged(made, shown("true", "scrollable"), scroll).level == "block"
    assert judged(made, shown("false"), scroll).level == "allow"


def test_what_may_take_a_long_press_takes_touches(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when tap(id = "pay").\n')

    def shown(**inside: str) -> TreeScreen:
        return page(node("0,400,1000,600", node("0,450,1000,550", id="pay", **inside), **BUTTON))

    assert judged(made, shown(long_clickable="true"), tap()).level == "block"
    assert judged(made, shown(without="long-clickable"), tap()).level == "block"
    assert judged(made, shown(), tap()).level == "allow"


def test_a_label_without_what_may_take_touches(tmp_path: Path) -> None:
    """What takes touches of its own is not a part of the label of what is around it."""
    made = program(tmp_path, 'recognize Pay when tap(label = "Pay").\n')

    def shown(without: str = "", clickable: str = "true") -> TreeScreen:
        more = node("700,400,1000,600", text="More", clickable=clickable, without=without)
        return page(node("0,400,1000,600", node("0,400,600,600", text="Pay"), more, **BUTTON))

    assert judged(made, shown(), tap(300)).level == "block"
    assert judged(made, shown("clickable"), tap(300)).level == "block"
    assert judged(made, shown(clickable="false"), tap(300)).level == "allow"


def test_the_verdict_says_what_was_not_read(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when tap(id = "pay").\n')
    screen = page(node("0,400,1000,600", without="resource-id", text="Go on", **BUTTON))
    verdict = judged(made, screen, tap())
    assert verdict.because("Pay")
    assert [reason.message for reason in verdict.reasons] == [
        "this may be Pay, and nothing allows what is not known to be it: "
        'id of node 3 Button "Go on" was not read; a look that gives it settles it'
    ]


PAYING = 'recognize Pay(to = ?t) when tap(id = "pay"), Node(id = "payee", text = ?t).\n'
SLOTS = """list Slot key (time) "A time" { time: Text  seats: Number }
update Slot(row = ?r, time = ?t, seats = number(?s))
  when Node(id = "slot", node = ?r, text = ?t), Node(parent = ?r, id = "seats", text = ?s).
"""


@pytest.mark.parametrize(
    ("rules", "kids", "told"),
    [
        (  # the parameter of an action that the touch may be
            PAYING + 'deny "not Bob" when Pay(to = "Bob").\n',
            (node("0,100,1000,200", without="text", id="payee"), node("0,400,1000,600", id="pay", **BUTTON)),
            'not Bob (this may be so: text of node 3 View "payee" was not read; a look that gives it settles it)',
        ),
        (  # a label, of the words of the control itself
            'deny "no" when tap(label = "Pay").\n',
            (node("0,400,1000,600", without="content-desc", text="Go", **BUTTON),),
            'no (this may be so: label of node 3 Button "Go" depends on its desc, which was not read; a look that '
            "gives it settles it)",
        ),
        (  # and of those of a node inside
            'deny "no" when tap(label = "Pay").\n',
            (node("0,400,1000,600", node("0,400,1000,500", without="text", id="word"), **BUTTON),),
            'no (this may be so: label of node 3 Button depends on text of node 4 View "word", which was not read; a '
            "look that gives it settles it)",
        ),
        (  # which row
            SLOTS + 'deny "many" when tap, Slot(seats > 4).\n',
            (
                node(
                    "0,100,1000,200",
                    node("0,100,99,200", without="text", id="seats"),
                    id="slot",
                    text="18:30",
                ),
                node("0,400,1000,600", **BUTTON),
            ),
            'many (this may be so: Slot.seats (time = "18:30") is not known; a look that shows it settles it)',
        ),
        (  # a closed screen
            'screen Danger closed over Checkout "the danger" when Node(id = "danger").\n',
            (
                node("0,100,1000,200", without="resource-id", text="Erase"),
                node("0,400,1000,600", id="go", **BUTTON),
            ),
            "on the danger every control must be known; no rule mentions this one (this may be so: id of node 3 View "
            '"Erase" was not read; a look that gives it settles it)',
        ),
    ],
    ids=["parameter", "own words", "words inside", "row", "closed"],
)
def test_which_attribute_of_which_control_was_not_read(
    tmp_path: Path, rules: str, kids: tuple[str, ...], told: str
) -> None:
    verdict = judged(program(tmp_path, rules), page(*kids), tap())
    assert told in [reason.message for reason in verdict.reasons]


def test_an_attempt_may_name_what_is_not_known(tmp_path: Path) -> None:
    made = program(tmp_path, PAYING + 'deny "not Bob" when Pay(to = "Bob").\n')
    verdict = judged(made, page(), Action("Pay"))
    assert any("an attempt that names it" in reason.message for reason in verdict.reasons)


def test_what_is_given_as_empty_was_read(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when tap(id = "pay", text = "Pay", desc = "Pay").\n')
    assert judged(made, page(node("0,400,1000,600", **BUTTON)), tap()).level == "allow"


def test_known_attributes_refute_what_is_not_read(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when tap(id = "pay", text = "Pay").\n')
    screen = page(node("0,400,1000,600", without="resource-id", text="Back", **BUTTON))
    assert judged(made, screen, tap()).level == "allow"


def test_no_licence_fits_what_may_be_an_action(tmp_path: Path) -> None:
    made = program(
        tmp_path,
        'recognize Pay when tap(id = "pay").\n',
        "allow each Pay.\ndone when Pay earlier, Order(total = 1).",
    )
    assert judged(made, page(node("0,400,1000,600", id="pay", **BUTTON)), tap()).level == "allow"
    screen = page(node("0,400,1000,600", without="resource-id", **BUTTON))
    assert judged(made, screen, tap()).level == "block"


def test_what_may_be_an_action_is_denied(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when tap(id = "pay").\ndeny "no payments" when Pay.\n')
    screen = page(node("0,400,1000,600", without="resource-id", **BUTTON))
    assert {reason.kind for reason in judged(made, screen, tap()).reasons} == {"deny", "unlicensed"}


def test_definitions_and_screens_read_as_their_reader(tmp_path: Path) -> None:
    made = program(
        tmp_path,
        'define Sum(node = ?n) when Node(id = "sum", node = ?n, password = false).\n'
        'screen Last over Checkout when Node(id = "last").\n'
        'recognize Pay when tap(id = "pay"), Sum.\n'
        'recognize Pay when tap(id = "send"), screen Last.\n',
    )
    for button, other in (("pay", "sum"), ("send", "last")):
        at = node("0,400,1000,600", id=button, **BUTTON)
        assert judged(made, page(at, node("0,700,1000,800")), tap()).level == "allow"
        assert judged(made, page(at, node("0,700,1000,800", id=other)), tap()).level == "block"
        unread = page(at, node("0,700,1000,800", without="resource-id"))
        assert judged(made, unread, tap()).level == "block", button


def test_a_negation_holds_unless_it_certainly_does_not(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when tap(id = "pay"), not Node(id = "draft", checked = true).\n')
    at = node("0,400,1000,600", id="pay", **BUTTON)
    assert judged(made, page(at, node("0,700,1000,800", id="draft", checked="true")), tap()).level == "allow"
    unread = page(at, node("0,700,1000,800", without="checked", id="draft", checked="true"))
    assert judged(made, unread, tap()).level == "block"


@pytest.mark.parametrize("left_out", ["", "resource-id", "text"])
@pytest.mark.parametrize("others", [0, 1])
def test_every_row_may_fit(tmp_path: Path, left_out: str, others: int) -> None:
    rule = 'every Node(id = "total") has (text = "9")'
    made = program(tmp_path, f'recognize Pay when tap(id = "pay"), {rule}.\n')
    at = node("0,400,1000,600", id="pay", **BUTTON)
    sure = [node("0,650,1000,700", id="total", text="9")] * others
    last = "0,700,1000,800"
    assert judged(made, page(at, *sure, node(last, id="total", text="8")), tap()).level == "allow"
    given = {"id": "total", "text": "8" if left_out == "resource-id" and others else "9"}
    assert judged(made, page(at, *sure, node(last, without=left_out, **given)), tap()).level == "block"
    # a text that was read and is not there fits nothing
    empty = node("0,650,1000,700", id="total")
    assert judged(made, page(at, empty, node(last, without=left_out, **given)), tap()).level == "allow"


@pytest.mark.parametrize(
    ("asked", "open_"),
    [
        ('TextIn(of = ?n, text = "9")', "text of node 4"),
        ('TextIn(of = ?n, nth = 2, text = "8")', "nth of node 5"),
        ('every TextIn(of = ?n, nth = 1) has (text = "9")', "text of node 4"),
    ],
)
def test_a_text_in_a_node_may_be_another(tmp_path: Path, asked: str, open_: str) -> None:
    app = APP.replace('"A shop"\n', '"A shop"\nimport std.tree\n')
    made = program(tmp_path, f'recognize Pay when tap(id = "pay", node = ?n), {asked}.\n', app=app)

    def shown(*kids: str, beside: str = "") -> TreeScreen:
        return page(node("0,400,1000,600", *kids, id="pay", **BUTTON), node("0,700,1000,800", without=beside))

    two = node("0,400,500,600", text="9"), node("500,400,1000,600", text="8")
    assert judged(made, shown(*two), tap()).level == "block"
    unread = node("0,400,500,600", without="text"), two[1]
    verdict = judged(made, shown(*unread), tap())
    assert verdict.level == "block" and open_ in verdict.reasons[0].message
    # what is not inside is not asked about
    assert judged(made, shown(beside="text"), tap()).level == "allow"


FIELD = {"class_": "android.widget.EditText", "clickable": "true"}


@pytest.mark.parametrize(
    ("left_out", "rule", "action"),
    [
        ("focused", 'tap(id = "go")', Action("press_key", {"key": "ENTER"})),
        (
            "focused",
            'press_key(key = "ENTER"), Node(id = "go", focused = true)',
            Action("press_key", {"key": "ENTER"}),
        ),
        ("focused", 'input_text(id = "go")', Action("press_key", {"key": "A"})),
        ("class", 'input_text(id = "go")', Action("press_key", {"key": "A"})),
        ("class", 'clear_text(id = "go")', Action("press_key", {"key": "DEL"})),
        ("focused", 'input_text(id = "go")', Action("input_text", {"value": "x"})),
    ],
)
def test_an_unread_control_may_have_the_focus(
    tmp_path: Path, left_out: str, rule: str, action: Action
) -> None:
    made = program(tmp_path, f"recognize Pay when {rule}.\n")
    around = node("0,300,1000,400", id="around", focused="true" if action.name == "input_text" else "false")
    whole = page(around, node("0,400,1000,600", id="go", focused="true", **FIELD))
    assert judged(made, whole, action).level == "block"
    unread = page(around, node("0,400,1000,600", id="go", without=left_out, focused="true", **FIELD))
    assert judged(made, unread, action).level == "block"
    other = page(around, node("0,400,1000,600", id="go", **FIELD))
    if action.name == "press_key":
        assert judged(made, other, action).level == "allow"


def test_what_is_not_known_not_to_scroll_may_scroll(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when scroll(id = "wheel", direction = down).\n')
    up = Action("swipe", {"x": 500, "y": 580, "x2": 500, "y2": 410})
    for left_out, level in (("", "block"), ("scrollable", "block")):
        screen = page(node("0,400,1000,600", id="wheel", without=left_out, scrollable="true"))
        assert judged(made, screen, up).level == level


@pytest.mark.parametrize("key", ["DPAD_RIGHT", "PLUS", "MINUS", "B", "DEL", "MEDIA_PLAY_PAUSE"])
def test_a_key_may_be_any_gesture_on_a_control(tmp_path: Path, key: str) -> None:
    made = program(
        tmp_path,
        'recognize Pay when swipe(id = "amount", direction = right).\nrecognize Pay when tap(id = "amount").\n',
    )
    press = Action("press_key", {"key": key})
    slider = page(node("0,400,1000,600", id="amount", class_="android.widget.SeekBar", focused="true"))
    assert judged(made, slider, press).level == "block"
    field = page(node("0,400,1000,600", id="amount", focused="true", **FIELD))
    assert judged(made, field, press).level == "allow"
    assert judged(made, slider, Action("press_key", {"key": "VOLUME_UP"})).level == "allow"


@pytest.mark.parametrize(("key", "way"), [("DPAD_DOWN", "down"), ("SPACE", "down"), ("DPAD_UP", "up")])
def test_arrows_and_space_scroll_what_scrolls(tmp_path: Path, key: str, way: str) -> None:
    made = program(tmp_path, f'recognize Pay when scroll(id = "hours", direction = {way}).\n')
    picker = page(node("0,400,1000,600", id="hours", scrollable="true"))
    press = Action("press_key", {"key": key})
    assert judged(made, picker, press).level == "block"
    typing = page(
        node("0,400,1000,600", id="hours", scrollable="true"),
        node("0,700,1000,800", id="note", focused="true", **FIELD),
    )
    assert judged(made, typing, press).level == "allow"


@pytest.mark.parametrize(
    "button", [{"text": "Paste from clipboard"}, {"id": "btn_paste"}, {"content_desc": "Paste"}]
)
def test_an_apps_own_button_pastes_what_nobody_read(tmp_path: Path, button: dict[str, str]) -> None:
    made = program(tmp_path, 'recognize Pay when input_text(id = "to", value contains "IBAN").\n')
    to = node("0,400,1000,600", id="to", focused="true", **FIELD)
    assert judged(made, page(to, node("0,700,1000,800", **BUTTON, **button)), tap(500, 750)).level == "block"
    copy = node("0,700,1000,800", text="Copy to clipboard", **BUTTON)
    assert judged(made, page(to, copy), tap(500, 750)).level == "allow"


@pytest.mark.parametrize(
    ("button", "left_out", "level"),
    [
        ({"text": "Paste"}, "text", "block"),
        ({"content_desc": "Paste"}, "content-desc", "block"),
        ({"content_desc": "Paste", "text": "12"}, "content-desc", "block"),
        ({"id": "btn_paste"}, "resource-id", "block"),
        ({"text": "Copy"}, "resource-id", "allow"),
    ],
)
def test_a_button_that_says_nothing_may_paste(
    tmp_path: Path, button: dict[str, str], left_out: str, level: str
) -> None:
    made = program(tmp_path, 'recognize Pay when input_text(id = "to", value contains "IBAN").\n')
    to = node("0,400,1000,600", id="to", focused="true", **FIELD)
    silent = node("0,700,1000,800", without=left_out, **BUTTON, **button)
    assert judged(made, page(to, silent), tap(500, 750)).level == level


def test_each_node_that_may_take_a_touch_counts(tmp_path: Path) -> None:
    made = program(tmp_path, 'recognize Pay when tap(id = "pay").\n')
    inner = node("0,450,1000,550", node("0,460,1000,540", id="face"), id="row", without="clickable")
    screen = page(
        node("0,400,1000,600", inner, id="pay", without="clickable", class_="android.widget.Button")
    )
    assert judged(made, screen, tap()).level == "block"


def test_a_recorded_look_knows_what_was_unread() -> None:
    screen = page(node("0,400,1000,600", without="resource-id checked", **BUTTON))
    shown = screen_json(screen)
    body, look = json.loads(json.dumps([shown.body, shown.look]))
    again = read_screen(shown.form, body, look)
    assert again.unread == screen.unread == {3: frozenset({"id", "resource_id", "checked"})}
    assert again.fingerprint == screen.fingerprint
    assert "unread" not in screen_json(page()).body


def asked_about(made: Program, screen: TreeScreen, action: Action) -> set[str]:
    guard = Guard(made, clock=lambda: dt.datetime(2026, 4, 1, 12))
    guard.observe(screen)
    return {reason.kind for reason in guard.propose(action).reasons}


def test_the_app_of_the_touched_node_counts(tmp_path: Path) -> None:
    made = program(tmp_path, "")
    own = node("0,0,1000,2000", node("0,0,1000,100", id="checkout"), node("0,400,1000,600", **BUTTON))

    def beside(without: str = "") -> TreeScreen:
        over = node("0,1000,1000,1200", package="com.wallet", clickable="true", without=without)
        return TreeScreen(
            load_dump(f"<hierarchy>{over}{own}</hierarchy>"), app=("com.shop", ".Main"), settled=True
        )

    assert asked_about(made, beside(), tap()) == set()
    assert asked_about(made, beside(), tap(500, 1100)) == {"unknown_screen"}
    assert asked_about(made, beside("package"), tap(500, 1100)) == {"unknown_screen"}


def test_a_closed_screen_may_show(tmp_path: Path) -> None:
    made = program(tmp_path, 'screen Menu closed over Checkout when Node(id = "menu").\n')
    at = node("0,400,1000,600", **BUTTON)
    assert asked_about(made, page(at, node("0,700,1000,800")), tap()) == set()
    assert asked_about(made, page(at, node("0,700,1000,800", id="menu")), tap()) == {"closed"}
    unread = page(at, node("0,700,1000,800", without="resource-id"))
    assert asked_about(made, unread, tap()) == {"closed"}


@pytest.mark.parametrize(
    ("asked", "given", "level"),
    [
        ('not Node(id = "total", text = ?t)', {"text": "7"}, "block"),
        ('not Node(id = "total", text = ?t)', {"text": "5"}, "allow"),
        ('not Node(id = "total", text = ?t)', {"without": "text"}, "block"),
        ('count(Node(id = "total", text = ?t)) < 1', {"text": "5"}, "allow"),
        ('count(Node(id = "total", text = ?t)) < 1', {"without": "text"}, "block"),
        ('every Node(id = "total", text = ?t) has (checked = false)', {"text": "7"}, "allow"),
        ('every Node(id = "total", text = ?t) has (checked = false)', {"without": "text"}, "block"),
    ],
)
def test_a_text_not_read_may_be_another(
    tmp_path: Path, asked: str, given: dict[str, str], level: str
) -> None:
    made = program(tmp_path, f'recognize Pay when tap(id = "pay", text = ?t), {asked}.\n')
    total = node("0,100,1000,200", id="total", text="5")
    assert (
        judged(made, page(total, node("0,400,1000,600", id="pay", **BUTTON, **given)), tap()).level == level
    )


@pytest.mark.parametrize(
    ("rows", "level"),
    [
        ((("0", "Tea"), ("1", "Soup"), ("2", "Salad")), "allow"),
        ((("0", "Tea"), ("2", "Salad")), "block"),  # the second one is counted, and not given
    ],
)
def test_a_touch_where_a_node_is_missing(
    tmp_path: Path, rows: tuple[tuple[str, str], ...], level: str
) -> None:
    """Whatever the source counts and does not give may take it, if nothing is known to."""
    made = program(tmp_path, 'recognize Pay when tap(id = "pay").\n')
    kids = [
        node(f"0,{300 + 200 * int(at)},1000,{500 + 200 * int(at)}", index=at, text=text, **BUTTON)
        for at, text in rows
    ]
    screen = page(node("0,300,1000,900", *kids, id="menu"))
    assert judged(made, screen, tap(500, 600)).level == level
    assert judged(made, screen, tap(500, 400)).level == "allow"
    inside = page(node("0,300,1000,900", *kids, id="menu", **BUTTON))
    assert judged(made, inside, tap(500, 600)).level == "allow"


def test_two_screens_that_may_match_at_once(tmp_path: Path) -> None:
    """What is asked about a screen that is known to be unclear is asked, too, if it may be so."""
    made = program(tmp_path, 'screen Basket "the basket" when Node(id = "basket").\n')

    def asked(**kind: str) -> set[str]:
        screen = page(node("0,100,1000,200", text="Tea", **kind), node("0,400,1000,600", id="go", **BUTTON))
        guard = Guard(made, clock=lambda: dt.datetime(2026, 4, 1, 12))
        guard.observe(screen)
        return {reason.kind for reason in guard.propose(tap()).reasons}

    assert asked(id="row") == set()
    assert asked(id="basket") == {"unknown_screen"}
    assert asked(without="resource-id") == {"unknown_screen"}
