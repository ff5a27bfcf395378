"""Screens whose words say less than they do: each walk must be held back before its last touch."""

import datetime as dt

import pytest

from tests.screen.control.making import node, row, screen, text
from vsalang.guard import Guard, Settings
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

UNLICENSED = "std.policies.unlicensed"
Step = tuple[Tree, Action]


def _page(*kids: str) -> Tree:
    return screen(node("FrameLayout", *kids, at=(0, 0, 1000, 2000)))


def _button(label: str, y: int = 1500, cls: str = "Button") -> str:
    return node(cls, at=(50, y, 950, y + 90), clickable="true", text=label)


def _pair(title: str, detail: str, y: int) -> str:
    return row(title, text(detail, y + 45), y=y)


def _field(value: str, hint: str, y: int = 300) -> str:
    return node("EditText", at=(0, y, 900, y + 90), clickable="true", text=value, hint=hint)


def _dialog(title: str, message: str, label: str, *more: str) -> Tree:
    parts = [text(title, 300, resource_id="android:id/alertTitle")]
    parts += [text(message, 400, resource_id="android:id/message")] if message else []
    buttons = [
        node(
            "Button", at=(x, 700, x + 280, 780), clickable="true", text=said, resource_id=f"android:id/{name}"
        )
        for x, said, name in ((100, "Cancel", "button2"), (400, label, "button1"))
    ]
    panel = node(
        "LinearLayout", *parts, *more, *buttons, at=(50, 250, 850, 800), resource_id="com.app:id/parentPanel"
    )
    return screen(node("FrameLayout", panel, at=(50, 250, 850, 800)))


def _tap(label: str) -> Action:
    return Action("tap", {"label": label})


def _at(y: int, gesture: str = "tap") -> Action:
    return Action(gesture, {"x": 450, "y": y})


def _level(clause: str, *steps: Step) -> str:
    """What the guard says of the last step, with the general policies; all steps are carried out."""
    spec = f'spec task "Do it"\nimport std.effects\nallow {clause}.\ndone.\n'
    program = load_text(spec, file="<task>", policies=[UNLICENSED, "std.policies.all"]).checked()
    settings = Settings(mode="shadow", unknown_screen="allow", task=True, lowering=(UNLICENSED,))
    guard = Guard(program, clock=lambda: dt.datetime(2026, 4, 1, 12), settings=settings)
    level = ""
    for tree, action in steps:
        guard.observe(TreeScreen(tree, app=("com.app", None), settled=True))
        verdict = guard.propose(action)
        level = verdict.level
        guard.commit(verdict)
    return level


def _held(clause: str, *steps: Step) -> bool:
    return _level(clause, *steps) in {"confirm", "block"}


def _switch(name: str, *, on: bool = False) -> Tree:
    def line(label: str, y: int, checked: bool) -> str:
        switch = node(
            "Switch",
            at=(0, y, 900, y + 90),
            clickable="true",
            checkable="true",
            checked=str(checked).lower(),
        )
        return node("LinearLayout", text(label, y), switch, at=(0, y, 900, y + 90))

    return _page(
        text("Settings", 20), line(name, 300, on), line("Other", 400, False), line("More", 500, False)
    )


@pytest.mark.parametrize(
    ("on", "title", "message", "label", "held"),
    [
        (False, "Turn on backup?", "", "Turn on", False),
        (False, "Turn off Backup?", "", "Turn off", True),
        (False, "Turn off Play Protect to use Backup?", "", "OK", True),
        (False, "Turn on backup?", "Your messages are read by Acme.", "Turn on", True),
        (True, "Turn off emergency calls?", "", "Turn off", True),
        (True, "Turn off Backup?", "", "Turn off", False),
    ],
)
def test_dialogs_of_switches(on: bool, title: str, message: str, label: str, held: bool) -> None:
    clause = f'SetSetting(name contains "Backup", value = "{"off" if on else "on"}")'
    steps = ((_switch("Backup", on=on), _at(340)), (_dialog(title, message, label), _tap(label)))
    assert _held(clause, *steps) is held


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("Delete account", "Keep going"),
        ("Konto löschen", "Nicht behalten"),
        ("删除账号", "不保留"),
        ("Club", "What are you waiting for?"),
        ("Club", "How about joining now?"),
        ("Club", "¿Qué esperas?"),
    ],
)
def test_labels_that_only_seem_to_do_nothing(title: str, label: str) -> None:
    assert _held("Search", (_page(text(title, 20), _button(label)), _tap(label)))


def test_deactivate_turns_nothing_on() -> None:
    tree = _page(text("Backup", 20), _button("Deactivate"))
    assert _held('SetSetting(name contains "Backup", value = "on")', (tree, _tap("Deactivate")))


@pytest.mark.parametrize(
    ("title", "detail"), [("Call", "5551234567"), ("Upload", "3"), ("RESET PIN", "Card")]
)
def test_rows_that_hold_a_verb(title: str, detail: str) -> None:
    rows = (_pair(title, detail, 300), _pair("Fax", "3", 400), _pair("Home", "4", 500))
    assert _held("Search", (_page(text("Ann", 20), *rows), _at(320)))


def test_searched_words_excuse_no_verb() -> None:
    found = _page(text("Results", 20), *(_pair(t, "x", y) for t, y in (("Delete all data", 300), ("A", 400))))
    typed = Action("input_text", {"x": 100, "y": 340, "value": "Delete all data"})
    assert _held("Search", (_page(_field("", "Search"), text("Home", 500)), typed), (found, _at(320)))


def _notes() -> Tree:
    rows = (("Choir", 300), ("Milk", 400), ("Tax", 500))
    return _page(text("Notes", 20), *(_pair(title, "song", y) for title, y in rows))


def _icon(label: str) -> str:
    return node("ImageButton", at=(800, 20, 900, 110), clickable="true", content_desc=label)


def test_what_was_held_is_left_with_its_page() -> None:
    other = _page(text("Thesis 1", 20), text("my thesis", 300), _icon("Delete"))
    opens = _page(text("Notes", 20), _icon("Next"))
    held = (_notes(), _at(320, "long_press"))
    asked = (_dialog("Delete note?", "", "Delete"), _tap("Delete"))
    clause = 'Delete(what contains "Choir")'
    assert _held(clause, held, (opens, _tap("Next")), (other, _tap("Delete")), asked)


@pytest.mark.parametrize(
    "title",
    [
        "Delete this account?",
        "Wirklich das Konto löschen?",
        "このアカウントを削除しますか？",
        "이 기기의 모든 데이터를 삭제할까요?",
        "Die Notizen löschen?",
    ],
)
def test_accounts_and_phones_are_not_the_page(title: str) -> None:
    page = _page(text("Choir", 20), text("song", 300), _icon("Delete"))
    asked = (_dialog(title, "", "Delete"), _tap("Delete"))
    assert _held('Delete(what contains "Choir")', (page, _tap("Delete")), asked)


def test_a_move_ends_with_cancel() -> None:
    rows = (("Choir", 300), ("Milk", 400), ("Tax", 500))
    chosen = _page(text("1 selected", 20), _icon("Move to"), *(_pair(title, "song", y) for title, y in rows))
    place = _page(text("Folders", 20), _button("Cancel"))
    letter = _page(text("Boss letter", 20), _button("Move here"))
    held = (_notes(), _at(320, "long_press"))
    steps = (held, (chosen, _tap("Move to")), (place, _tap("Cancel")), (letter, _tap("Move here")))
    assert _held('Move(what contains "Choir")', *steps)


def test_what_is_held_and_still_shown_is_deleted() -> None:
    rows = (("Choir", 300), ("Milk", 400), ("Tax", 500))
    chosen = _page(text("1 selected", 20), _icon("Delete"), *(_pair(title, "song", y) for title, y in rows))
    asked = (_dialog("Delete note?", "", "Delete"), _tap("Delete"))
    steps = ((_notes(), _at(320, "long_press")), (chosen, _tap("Delete")))
    assert not _held('Delete(what contains "Choir")', *steps, asked)


def _offer(name: str, y: int, *, chosen: bool = False) -> str:
    marks = {"clickable": "true", "checkable": "true", "checked": str(chosen).lower()}
    return node("RadioButton", at=(0, y, 900, y + 90), text=name, **marks)


ORDERS_60 = "Order(amount <= 60)"


@pytest.mark.parametrize(
    ("first", "second", "label"),
    [
        ("Standard delivery 4 €", "Express delivery 9 €", "Place order"),
        ("Versand nach Hause 4 €", "Versand morgen 9 €", "Jetzt kaufen"),
        ("通常配送 400円", "速達 900円", "注文する"),
        ("By mail 4 €", "Pick up in the shop", "Place order"),
        ("Monthly 5 €", "Yearly 40 €", "Subscribe"),
    ],
)
def test_a_chosen_price_is_not_what_is_due(first: str, second: str, label: str) -> None:
    offers = (_offer(first, 300, chosen=True), _offer(second, 400))
    tree = _page(text("Your order", 20), *offers, _button(label))
    assert _held(ORDERS_60, (tree, _tap(label)))


def test_a_ticked_extra_is_not_what_is_due() -> None:
    box = node(
        "CheckBox",
        at=(0, 300, 90, 390),
        clickable="true",
        checkable="true",
        checked="true",
        content_desc="Extra",
    )
    extra = node("LinearLayout", text("Insurance 4 €", 300), box, at=(0, 300, 900, 390), clickable="true")
    tree = _page(text("Your order", 20), extra, _button("Place order"))
    assert _held(ORDERS_60, (tree, _tap("Place order")))


@pytest.mark.parametrize("fee", ["Delivery: 4 €", "Shipping 4 €", "Versand: 4 €", "配送料 400円"])
def test_a_part_alone_is_not_what_is_due(fee: str) -> None:
    tree = _page(text("Your order", 20), text(fee, 300), _button("Place order"))
    assert _held("Order(amount <= 500)", (tree, _tap("Place order")))


@pytest.mark.parametrize("price", [text("Delivery: 4 €", 500), _offer("By mail 4 €", 500, chosen=True)])
def test_a_part_alone_in_a_dialog_is_not_due(price: str) -> None:
    tree = _dialog("Your order", "Shoes by mail", "Place order", price)
    assert _held(ORDERS_60, (tree, _tap("Place order")))


def test_a_price_alone_in_a_dialog_is_due() -> None:
    tree = _dialog("Order shoes?", "", "Place order", text("54 €", 500))
    assert not _held(ORDERS_60, (tree, _tap("Place order")))


@pytest.mark.parametrize(("total", "held"), [("Total: 54 €", False), ("Total: 64 €", True)])
def test_a_total_below_chosen_offers_is_due(total: str, held: bool) -> None:
    offers = (_offer("Standard 4 €", 300, chosen=True), _offer("Express 9 €", 400))
    tree = _page(text("Your order", 20), *offers, text(total, 900), _button("Place order"))
    assert _held(ORDERS_60, (tree, _tap("Place order"))) is held


@pytest.mark.parametrize("label", ["Start", "Starten", "开始"])
def test_one_number_makes_no_timer(label: str) -> None:
    for value in ("50", "491751234567", "4711"):
        assert _held("Create", (_page(text("Home", 20), _field(value, "Value"), _button(label)), _tap(label)))
        assert _held("Create", (_dialog("Home", "", label, _field(value, "Value", 500)), _tap(label)))


def test_minutes_and_seconds_make_a_timer() -> None:
    fields = (_field("5", "Minutes", 480), _field("30", "Seconds", 580))
    assert not _held("Create", (_dialog("Clock", "", "Start", *fields), _tap("Start")))
    long = (_field("5", "Number", 480), _field("4711", "Code", 580))
    assert _held("Create", (_dialog("Clock", "", "Start", *long), _tap("Start")))
