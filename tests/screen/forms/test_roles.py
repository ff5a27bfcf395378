"""What closes what, and what a control is where it stands."""

import pytest

from tests.screen.control.making import node
from tests.screen.forms.shapes import (
    MIDDLE,
    Box,
    button,
    closes,
    composed,
    described,
    field,
    kinds,
    roles,
    said,
    window,
)

LEFT: Box = (500, 1300, 700, 1400)
RIGHT: Box = (720, 1300, 920, 1400)


def asking(*buttons: str) -> str:
    return said("The note is not kept.", (100, 900, 980, 960)) + "".join(buttons)


@pytest.mark.parametrize(
    ("no", "yes"),
    [
        ("Cancel", "Delete"),
        ("Abbrechen", "Löschen"),
        ("Cancelar", "Eliminar"),
        ("Annuler", "Supprimer"),
        ("Não", "Apagar"),
        ("Annulla", "Elimina"),
        ("Annuleren", "Verwijderen"),
        ("Anuluj", "Usuń"),
        ("Отмена", "Удалить"),
        ("İptal", "Sil"),
        ("キャンセル", "削除"),
        ("取消", "删除"),
        ("취소", "삭제"),
        ("Batal", "Hapus"),
    ],
)
def test_the_button_next_to_a_negative_one_is_positive(no: str, yes: str) -> None:
    """In fourteen languages, without an id, and whatever the positive one says."""
    tree = window(asking(composed(no, LEFT), composed(yes, RIGHT)), at=MIDDLE)
    assert closes(tree) == {no: ("dialog", "cancel"), yes: ("dialog", "commit")}
    above = window(
        asking(composed(yes, (200, 1150, 920, 1250)), composed(no, (700, 1270, 920, 1370))), at=MIDDLE
    )
    assert closes(above) == {no: ("dialog", "cancel"), yes: ("dialog", "commit")}


def test_two_buttons_of_which_nothing_is_known_only_close() -> None:
    tree = window(asking(button("KEEP", LEFT), button("TRASH", RIGHT)), at=MIDDLE)
    assert closes(tree) == {"KEEP": ("dialog", "other"), "TRASH": ("dialog", "other")}
    assert roles(tree) == {"KEEP": "button", "TRASH": "button"}


def test_a_third_button_closes_in_its_way() -> None:
    ids = {"Later on": "android:id/button3", "Drop": "android:id/button2", "Keep": "android:id/button1"}
    buttons = [
        button(name, (100 + 300 * n, 1300, 300 + 300 * n, 1400), resource_id=known)
        for n, (name, known) in enumerate(ids.items())
    ]
    assert roles(window(asking(*buttons), at=MIDDLE)) == {
        "Later on": "button",
        "Drop": "cancel",
        "Keep": "commit",
    }


@pytest.mark.parametrize(
    ("message", "more", "role"),
    [
        ("The note is kept.", "", "acknowledge"),
        ("Delete all?", "", "commit"),
        ("The note is called", field("Tea", (100, 1000, 900, 1100)), "commit"),
    ],
)
def test_the_only_button_of_a_dialog(message: str, more: str, role: str) -> None:
    tree = window(said(message, (100, 900, 980, 960)), more, button("OK", RIGHT), at=MIDDLE)
    assert roles(tree)["OK"] == role


def test_a_cross_and_one_button() -> None:
    cross = node("ImageView", at=(900, 870, 1000, 970), clickable="true", content_desc="Schließen")
    tree = window(asking(cross, composed("Abonnieren", (100, 1280, 980, 1400))), at=MIDDLE)
    assert roles(tree) == {"Schließen": "cancel", "Abonnieren": "commit"}


def test_a_no_of_dialogs_is_a_name_on_pages() -> None:
    chips = [
        composed(name, (40 + 200 * n, 900, 220 + 200 * n, 990)) for n, name in enumerate(("Idea", "Later"))
    ]
    tree = window(field("Tea", (40, 600, 1040, 700)), *chips, composed("Capture", (40, 2200, 1040, 2330)))
    assert closes(tree) == {"Capture": ("form", "commit")}


def choices(ticked: int) -> list[str]:
    return [
        node("CheckedTextView", at=(60, 900 + 100 * n, 1020, 1000 + 100 * n), text=name, clickable="true",
             checkable="true", checked=str(n == ticked).lower())
        for n, name in enumerate(("Light", "Dark", "System"))
    ]  # fmt: skip


def test_a_choice_acts_unless_a_button_sends_it() -> None:
    title, no, yes = said("Theme", (100, 870, 900, 890)), button("Cancel", LEFT), button("OK", RIGHT)
    listed = node("ListView", *choices(0), at=(60, 900, 1020, 1200))
    assert roles(window(title, listed, no, at=MIDDLE))["Dark"] == "choice"
    assert roles(window(title, listed, no, yes, at=MIDDLE))["Dark"] == "box"
    assert roles(window(title, listed, yes, at=MIDDLE))["Dark"] == "choice", (
        "one cannot leave it: it may act at once"
    )


def test_forms_of_pages() -> None:
    logs_in = window(
        field("lena@x.org", (40, 500, 1040, 620)),
        field("", (40, 660, 1040, 780), password="true"),
        node("TextView", at=(600, 800, 1040, 860), text="Forgot password?", clickable="true"),
        button("LOG IN", (40, 900, 1040, 1020)),
        node("TextView", at=(300, 1100, 800, 1160), text="Sign up", clickable="true"),
    )
    assert closes(logs_in) == {"LOG IN": ("form", "commit")}
    chat = window(
        field("Hi there", (150, 2200, 850, 2340)),
        node("ImageView", at=(0, 2200, 140, 2340), clickable="true"),
        node("View", at=(900, 2200, 1060, 2340), clickable="true"),
    )
    assert roles(chat) == {"Hi there": "field", "View": "commit", "ImageView": "icon"}
    empty = window(
        field("", (150, 2200, 850, 2340)), node("View", at=(900, 2200, 1060, 2340), clickable="true")
    )
    assert closes(empty) == {}, "an empty line has nothing to send: the icon may record sound"
    searched = window(
        field("shoes", (140, 400, 1000, 500), resource_id="a:id/search_src_text"),
        button("More", (40, 600, 1040, 700)),
    )
    assert closes(searched) == {}


def test_a_form_in_a_bar() -> None:
    bar = node("ViewGroup", node("ImageButton", at=(0, 60, 140, 200), clickable="true", content_desc="Close"),
               said("Event", (200, 80, 700, 160)), button("Save", (880, 60, 1060, 200)),
               at=(0, 40, 1080, 220))  # fmt: skip
    day = node("View", said("All day", (40, 760, 300, 820)), node("Switch", at=(900, 740, 1040, 840), checkable="true"),
               at=(0, 740, 1080, 860), clickable="true")  # fmt: skip
    assert roles(window(bar, field("Dentist", (40, 400, 1040, 520)), day)) == {
        "Close": "back",
        "Save": "commit",
        "Dentist": "field",
        "All day": "box",
    }
    assert roles(window(bar))["Save"] == "commit"
    assert closes(window(said("Photo", (200, 80, 700, 160)), button("Save", (40, 2000, 1040, 2100)))) == {}


def test_bars_and_pads() -> None:
    items = [
        composed(name, (216 * n, 2250, 216 * n + 216, 2400))
        for n, name in enumerate("Start Suche Neu Chat Ich".split())
    ]
    bar = node("View", *items, at=(0, 2250, 1080, 2400))
    assert set(roles(window(bar)).values()) == {"tab"}
    keys = [
        composed(key, (40 + n % 3 * 330, 900 + n // 3 * 200, 340 + n % 3 * 330, 1050 + n // 3 * 200))
        for n, key in enumerate("123456789*0#")
    ]
    pad = window(*keys, described("Call", (300, 1900, 780, 2100)))
    assert roles(pad).pop("Call") == "button"
    assert {role for name, role in roles(pad).items() if name != "Call"} == {"key"}


@pytest.mark.parametrize("word", ["OK", "确定", "はい", "Да"])
def test_button_of_dialog_is_not_a_key(word: str) -> None:
    """Short words, in buttons whose ids have numbers, above the digits of a keyboard that is open."""
    dialog = node(
        "FrameLayout",
        said("Rename", (100, 600, 900, 680)),
        field("Plan", (100, 700, 900, 800)),
        button("No", (300, 900, 500, 1000), resource_id="android:id/button2"),
        button(word, (600, 900, 700, 1000), resource_id="android:id/button1"),
        at=(60, 560, 1020, 1040),
    )
    keys = [button(key, (100 * n, 1800, 100 * n + 100, 1900)) for n, key in enumerate("1234567890")]
    of = roles(window(dialog, node("FrameLayout", *keys, at=(0, 1700, 1080, 2400))))
    assert "key" not in (of.get(word), of.get("No"))
    assert of["5"] == "key"


def test_the_way_back_is_at_the_top_left() -> None:
    arrow = node("ImageView", at=(0, 60, 140, 180), clickable="true")
    title = said("Lena", (200, 80, 600, 160))
    assert roles(window(arrow, title)) == {"ImageView": "back"}
    assert roles(window(arrow)) == {"ImageView": "icon"}
    low = node("ImageView", at=(0, 1060, 140, 1180), clickable="true")
    assert roles(window(low, title)) == {"ImageView": "icon"}


def test_rows_are_selected() -> None:
    rows = [
        node("LinearLayout", said(f"Mail {n}", (150, 300 + n * 200, 900, 380 + n * 200)),
             node("CheckBox", at=(0, 300 + n * 200, 120, 400 + n * 200), checkable="true", checked="true"),
             at=(0, 280 + n * 200, 1080, 480 + n * 200), clickable="true")
        for n in range(3)
    ]  # fmt: skip
    listed = node("RecyclerView", *rows, at=(0, 280, 1080, 2300), scrollable="true")
    selection = window(said("2 ausgewählt", (200, 80, 700, 160)), listed)
    assert kinds(selection) == ["selection"]
    assert set(roles(selection).values()) == {"box"}
    assert set(roles(window(said("To do", (200, 80, 700, 160)), listed)).values()) == {"switch"}


def test_what_goes_on_is_not_a_commit() -> None:
    tree = window(field("20", (40, 400, 1040, 520)), button("Continue", (40, 2200, 1040, 2330)))
    assert closes(tree) == {"Continue": ("form", "other")}
    asks = window(asking(composed("Cancel", LEFT), composed("Continue", RIGHT)), at=MIDDLE)
    assert closes(asks)["Continue"] == ("dialog", "commit")


def test_a_row_of_two_texts_that_take_touches() -> None:
    rows = [
        node("RelativeLayout", button(name, (40, y, 1040, y + 60)), button(size, (40, y + 70, 1040, y + 130)),
             at=(0, y, 1080, y + 150))
        for name, size, y in (("a.txt", "1 kB", 300), ("b.txt", "2 kB", 500), ("c.txt", "3 kB", 700))
    ]  # fmt: skip
    assert set(roles(window(node("RecyclerView", *rows, at=(0, 280, 1080, 2300)))).values()) == {"row"}


def test_what_does_something_is_not_a_tab() -> None:
    """A bar of a photo: who takes its buttons for tabs would believe that they only lead on."""
    names = ("Teilen", "Bearbeiten", "Zuschneiden", "Löschen")
    items = [composed(name, (270 * n, 2250, 270 * n + 270, 2400)) for n, name in enumerate(names)]
    assert set(roles(window(node("View", *items, at=(0, 2250, 1080, 2400)))).values()) == {"button"}


def test_a_negative_button_without_a_no() -> None:
    ids = {"Cancel": "android:id/button3", "Delete": "android:id/button2", "Archive": "android:id/button1"}
    buttons = [
        button(name, (100 + 300 * n, 1300, 300 + 300 * n, 1400), resource_id=known)
        for n, (name, known) in enumerate(ids.items())
    ]
    assert closes(window(asking(*buttons), at=MIDDLE)) == {
        "Cancel": ("dialog", "cancel"),
        "Delete": ("dialog", "other"),
        "Archive": ("dialog", "commit"),
    }


def test_the_only_button_that_says_more() -> None:
    tree = window(
        said("Your photo is removed for good.", (100, 900, 980, 960)), button("DELETE", RIGHT), at=MIDDLE
    )
    assert roles(tree) == {"DELETE": "commit"}
    terms = window(
        said("These are our terms of use.", (100, 900, 980, 960)), button("I agree", RIGHT), at=MIDDLE
    )
    assert roles(terms) == {"I agree": "commit"}


def test_ticks_of_a_growing_list_act_at_once() -> None:
    tasks = [
        node("View", said(name, (150, y, 900, y + 80)), node("CheckBox", at=(0, y, 120, y + 80), checkable="true"),
             at=(0, y, 1080, y + 90), clickable="true")
        for name, y in (("Milk", 400), ("Bread", 500))
    ]  # fmt: skip
    listed = node("View", *tasks, at=(0, 400, 1080, 2000), scrollable="true")
    tree = window(listed, field("Tea", (40, 2100, 800, 2200)), button("Save", (820, 2100, 1040, 2200)))
    assert roles(tree) == {"Milk": "switch", "Bread": "switch", "Tea": "field", "Save": "commit"}
    sent = window(
        node("View", tasks[0], at=(0, 400, 1080, 500)),
        field("Tea", (40, 2100, 800, 2200)),
        button("Save", (820, 2100, 1040, 2200)),
    )
    assert roles(sent)["Milk"] == "box"


def test_long_keys_may_send() -> None:
    keys = window(button("a", (0, 1800, 100, 1900)), button("Enter", (900, 1800, 1080, 1900)),
                  at=(0, 1700, 1080, 2400), package="com.google.android.inputmethod.latin")  # fmt: skip
    assert roles(keys) == {"a": "key", "Enter": "button"}


def test_a_small_button_does_not_send_the_form() -> None:
    tree = window(
        field("lena@x.org", (40, 500, 1040, 620)),
        button("Forgot password?", (640, 660, 1040, 760)),
        button("LOG IN", (40, 900, 1040, 1020)),
    )
    assert closes(tree) == {"LOG IN": ("form", "commit")}


@pytest.mark.parametrize(("taken", "found"), [(True, "button"), (False, "row")])
def test_a_line_of_buttons_below_rows(taken: bool, found: str) -> None:
    """Rows that take touches end before it; where each line holds what takes them, it is one more line."""

    def pair(y: int, *labels: str) -> str:
        boxes = [(20 + 500 * n, y, 500 + 500 * n, y + 100) for n in range(2)]
        made = (
            said(label, at) if len(labels) and taken and y < 800 else button(label, at)
            for label, at in zip(labels, boxes, strict=True)
        )
        touched = str(taken and y < 800).lower()
        return node("LinearLayout", *made, at=(0, y, 1080, y + 110), clickable=touched)

    tree = window(pair(400, "To", "Ann") + pair(600, "Sum", "20") + pair(800, "Change", "Go"))
    assert roles(tree)["Go"] == found


def test_two_entries_of_two_lines_are_rows() -> None:
    """A field above them does not make the first one its button."""

    def entry(y: int, *lines: str) -> str:
        made = (said(line, (20, y + 40 * n, 900, y + 40 * n + 40)) for n, line in enumerate(lines))
        return node("LinearLayout", *made, at=(0, y, 1080, y + 110), clickable="true")

    two = window(
        field("Where to?", (40, 200, 1040, 320)),
        entry(400, "Airport", "24 min"),
        entry(520, "Office", "11 min"),
    )
    assert {roles(two)[each] for each in ("Airport", "Office")} == {"row"}
    lone = window(entry(400, "Airport", "24 min"))
    assert roles(lone) == {"Airport": "card"}


def test_a_button_between_rows_is_a_button() -> None:
    def entry(y: int, *labels: str, cls: str = "TextView") -> str:
        made = (
            node(
                cls,
                at=(20 + 300 * n, y, 300 + 300 * n, y + 100),
                text=label,
                clickable=str(cls == "Button").lower(),
            )
            for n, label in enumerate(labels)
        )
        return node("LinearLayout", *made, at=(0, y, 1080, y + 110), clickable=str(cls != "Button").lower())

    rows = [entry(400, "To", "Ann"), entry(520, "Sum", "20")]
    listed = node(
        "RecyclerView", *rows, entry(640, "Send money", "Change", cls="Button"), at=(0, 400, 1080, 800)
    )
    found = roles(window(listed))
    assert found["Send money"] == "button" and found["To"] == "row"
