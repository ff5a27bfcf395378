"""What `std.effects` says of touches on real trees: which acts, which leads on, and which nobody knows."""

from functools import cache

import pytest

from benchmarks.effects.reading import POLICY, program
from tests.screen.control.making import node, row, screen, text
from vsalang.guard import Guard, Settings
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

APP = ("com.app", None)


@cache
def _policy() -> Program:
    return program()


def _dialog(title: str, message: str, *buttons: str, package: str = "com.app") -> Tree:
    """A dialog of Android's toolkit; the last button is its positive one."""
    ids = ["android:id/button2", "android:id/button1"][-len(buttons) :]
    made = [
        node(
            "Button",
            at=(100 + 300 * n, 700, 380 + 300 * n, 780),
            clickable="true",
            text=label,
            resource_id=name,
        )
        for n, (label, name) in enumerate(zip(buttons, ids, strict=True))
    ]
    parts = [text(title, 300, resource_id="android:id/alertTitle")] if title else []
    parts += [text(message, 400, resource_id="android:id/message")] if message else []
    panel = node("LinearLayout", *parts, *made, at=(50, 250, 850, 800), resource_id="com.app:id/parentPanel")
    return screen(
        node("FrameLayout", panel, at=(50, 250, 850, 800)).replace(
            'package="com.app"', f'package="{package}"'
        )
    )


def _page(*kids: str) -> Tree:
    return screen(node("FrameLayout", *kids, at=(0, 0, 1000, 2000)))


def _read(tree: Tree, label: str, gesture: str = "tap", *, at: tuple[int, int] | None = None) -> str:
    """The kinds of the touch of what has a label, or of a point, ``leads on``, or ``unclear``."""
    guard = Guard(_policy(), settings=Settings(overrides=None, unknown_screen="allow"))
    guard.observe(TreeScreen(tree, app=APP, settled=True))
    touched = {"label": label} if at is None else {"x": at[0], "y": at[1]}
    verdict = guard.propose(Action(gesture, touched))
    assert not any(reason.kind == "unresolved" for reason in verdict.reasons)
    kinds = sorted(flag.message for flag in verdict.flags if flag.rule == "ACTS")
    if kinds:
        return " ".join(kinds)
    return "unclear" if any(reason.rule.startswith("UNCLEAR") for reason in verdict.reasons) else "leads on"


ASKED = [
    ("en", "Delete note?", "OK", "Delete"),
    ("de", "Notiz löschen?", "Ja", "Delete"),
    ("es", "¿Eliminar la nota?", "Sí", "Delete"),
    ("fr", "Supprimer la note ?", "Oui", "Delete"),
    ("pt", "Excluir a nota?", "Sim", "Delete"),
    ("it", "Vuoi eliminare la nota?", "Conferma", "Delete"),
    ("nl", "Notitie verwijderen?", "Ja", "Delete"),
    ("pl", "Usunąć notatkę?", "Tak", "Delete"),
    ("ru", "Удалить заметку?", "Да", "Delete"),
    ("tr", "Not silinsin mi?", "Evet", "Delete"),
    ("ja", "メモを削除しますか？", "はい", "Delete"),
    ("zh", "删除笔记？", "确定", "Delete"),
    ("ko", "메모를 삭제할까요?", "확인", "Delete"),
    ("ar", "حذف الملاحظة؟", "موافق", "Delete"),
]


@pytest.mark.parametrize(("language", "title", "agrees", "kind"), ASKED, ids=[case[0] for case in ASKED])
def test_a_button_that_agrees_does_what_the_dialog_asks(
    language: str, title: str, agrees: str, kind: str
) -> None:
    assert _read(_dialog(title, "", "Cancel", agrees), agrees) == kind
    assert _read(_dialog(title, "", "Cancel", agrees), "Cancel") == "leads on"


SENDS = [
    "Send",
    "Senden",
    "Enviar",
    "Envoyer",
    "Invia",
    "Verzenden",
    "Wyślij",
    "Отправить",
    "Gönder",
    "送信",
    "发送",
    "보내기",
    "إرسال",
]


@pytest.mark.parametrize("label", SENDS)
def test_a_send_button_next_to_a_field_sends(label: str) -> None:
    field = node("EditText", at=(0, 1800, 800, 1900), clickable="true", text="hi there")
    button = node("ImageButton", at=(820, 1800, 980, 1900), clickable="true", content_desc=label)
    assert _read(_page(text("Ann", 20), field, button), label) == "Send"


@pytest.mark.parametrize("label", ["Share", "Teilen", "Compartir", "Поделиться", "共有", "分享", "공유"])
def test_share_opens_the_list_of_apps(label: str) -> None:
    icon = node("ImageButton", at=(820, 20, 980, 120), clickable="true", content_desc=label)
    assert _read(_page(text("A photo", 20), icon), label) == "leads on"


def test_switches_act_where_no_button_sends_them() -> None:
    switch = node("Switch", at=(0, 400, 900, 500), clickable="true", checkable="true", text="Sound")
    assert _read(_page(switch), "Sound") == "SetSetting"
    field = node("EditText", at=(0, 200, 900, 300), clickable="true", text="Ann")
    save = node("Button", at=(0, 600, 900, 700), clickable="true", text="Save")
    assert _read(_page(field, switch, save), "Sound") == "leads on"


def test_a_message_that_only_informs_leads_on() -> None:
    assert _read(_dialog("Version 2", "What is new", "OK"), "OK") == "leads on"
    assert _read(_dialog("Privacy notice", "We collect data.", "Got it"), "Got it") == "Accept"


def test_what_is_asked_is_read_from_the_message_too() -> None:
    assert _read(_dialog("", 'Do you want to delete "a.txt"?', "No", "Yes"), "Yes") == "Delete"
    assert _read(_dialog("", 'File "a.txt" already exists. Overwrite?', "No", "Yes"), "Yes") == "Edit"
    assert _read(_dialog("", "Leave without saving?", "Stay", "Yes"), "Yes") in ("leads on", "unclear")


def test_a_verb_may_be_a_name() -> None:
    tree = _page(row("Downloads", y=300), row("Call history", y=400), row("Sent", y=500))
    assert {_read(tree, label) for label in ("Downloads", "Call history", "Sent")} == {"leads on"}


def test_two_verbs_are_not_clear() -> None:
    button = node("Button", at=(0, 300, 500, 400), clickable="true", text="Clear call history")
    assert _read(_page(button), "Clear call history") == "unclear"


@pytest.mark.parametrize("label", ["Delete", "Löschen", "删除", "Frobnicate", "Sesame"])
def test_what_may_ask_first_is_unclear(label: str) -> None:
    icon = node("Button", at=(0, 300, 500, 400), clickable="true", text=label)
    assert _read(_page(icon), label) == "unclear"


def test_a_control_without_any_label_is_unclear() -> None:
    guard = Guard(_policy(), settings=Settings(overrides=None, unknown_screen="allow"))
    icon = node("ImageView", at=(400, 900, 500, 1000), clickable="true")
    guard.observe(TreeScreen(_page(text("Title", 20), icon), app=APP, settled=True))
    verdict = guard.propose(Action("tap", {"x": 450, "y": 950}))
    assert any(reason.rule == "UNCLEAR" for reason in verdict.reasons)


def test_a_label_that_was_not_read_never_leads_on() -> None:
    """Without its text the button may say anything, so what depends on words is asked about."""
    plain = node("Button", at=(0, 300, 500, 400), clickable="true", text="Menu")
    assert _read(_page(plain), "Menu") == "leads on"
    unread = plain.replace(" text='Menu'", "").replace(' text="Menu"', "")
    guard = Guard(_policy(), settings=Settings(overrides=None, unknown_screen="allow"))
    guard.observe(TreeScreen(_page(text("Title", 20), unread), app=APP, settled=True))
    verdict = guard.propose(Action("tap", {"x": 250, "y": 350}))
    assert verdict.level == "confirm"


def test_next_on_a_page_commits_nothing() -> None:
    field = node("EditText", at=(0, 200, 900, 300), clickable="true", text="20")
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text="Continue")
    assert _read(_page(text("Pay", 20), field, button), "Continue") != "Pay"


@pytest.mark.parametrize(("label", "name"), [
    ("Pay now", "tab_pay"),
    ("Pay now", "tab_last"),
    ("Delete", "tab_last"),
    ("Close all tabs", "close_all_tabs"),
])  # fmt: skip
def test_a_tab_in_an_id_does_not_excuse(label: str, name: str) -> None:
    button = node(
        "Button",
        at=(0, 600, 900, 700),
        clickable="true",
        text=label,
        resource_id=f"com.app:id/{name}",
    )
    assert _read(_page(text("Total $20.00", 20), button), label) in ("Pay", "unclear")


@pytest.mark.parametrize("label", ["Pay now", "Delete forever"])
def test_what_says_a_verb_may_take_touches_unsaid(label: str) -> None:
    """Some apps listen to touches of views that are not declared to take any."""
    drawn = node("TextView", at=(0, 600, 900, 700), clickable="false", text=label)
    assert _read(_page(text("Total $20.00", 20), drawn), label) != "leads on"


def test_a_sentence_with_dots_at_its_end_opens_nothing() -> None:
    label = "Buy this item now with one click…"
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text=label)
    assert _read(_page(button), label) == "unclear"
    more = node("Button", at=(0, 600, 900, 700), clickable="true", text="Options…")
    assert _read(_page(more), "Options…") == "leads on"


def test_a_dialog_about_a_view_may_ask_for_more() -> None:
    assert _read(_dialog("Sort by", "", "Cancel", "OK"), "OK") == "leads on"
    assert _read(_dialog("Sort by", "By pressing OK you pay $20", "Cancel", "OK"), "OK") == "unclear"


@pytest.mark.parametrize("label", ["Change password", "Edit profile"])
def test_what_changes_something_opens_a_form_where_none_shows(label: str) -> None:
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text=label)
    field = node("EditText", at=(0, 200, 900, 300), clickable="true", text="hunter2")
    assert _read(_page(button), label) == "leads on"
    assert _read(_page(field, button), label) != "leads on"


@pytest.mark.parametrize("label", ["Update", "Upd\u0430te"])
def test_an_update_may_install(label: str) -> None:
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text=label)
    assert _read(_page(text("A game", 20), button), label) == "unclear"


def test_to_continue_may_pay_a_sum_due() -> None:
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text="Continue")
    assert _read(_page(text("Checkout", 20), button), "Continue") == "leads on"
    assert _read(_page(text("Total $20.00", 20), button), "Continue") == "unclear"


def _form(*icons: str) -> Tree:
    """A form of an app: a field, a day, and icons that are only described."""
    made = [
        node("ImageButton", at=(500 + 150 * n, 20, 600 + 150 * n, 120), clickable="true", content_desc=icon)
        for n, icon in enumerate(icons)
    ]
    field = node("EditText", at=(0, 300, 900, 400), clickable="true", text="Bob")
    day = node("Button", at=(0, 500, 900, 600), clickable="true", text="July 1 (Sat)")
    return _page(*made, field, day)


def test_a_form_with_delete_changes_what_is_there() -> None:
    assert _read(_form("Save"), "Save") == "Create"
    assert _read(_form("Save", "Delete"), "Save") == "Edit"


def test_a_day_of_a_form_is_filled_in() -> None:
    assert _read(_form("Save"), "July 1 (Sat)") == "leads on"


def test_send_sms_opens_a_message() -> None:
    button = node("Button", at=(0, 300, 500, 400), clickable="true", text="Send SMS")
    assert _read(_page(text("Bob", 20), button), "Send SMS") == "leads on"
    assert _read(_page(node("EditText", at=(0, 100, 900, 200), text="Hi"), button), "Send SMS") == "Send"


def test_a_long_press_of_a_row_leads_on() -> None:
    assert (
        _read(_page(row("Milk", y=300), row("Bread", y=400), row("Tea", y=500)), "Milk", "long_press")
        == "leads on"
    )


def _button(label: str, **attrs: str) -> str:
    return node("Button", at=(0, 300, 500, 400), clickable="true", text=label, **attrs)


@pytest.mark.parametrize("label", ["Move to", "Share with", "Verschieben nach", "Compartir con"])
def test_a_verb_without_its_end_asks_for_it(label: str) -> None:
    assert _read(_page(_button(label)), label) == "leads on"


@pytest.mark.parametrize("label", ["Move to trash", "Sign in to pay", "Move"])
def test_a_verb_with_an_end_is_not_excused(label: str) -> None:
    assert _read(_page(_button(label)), label) != "leads on"


def test_the_modes_of_a_camera_are_tabs() -> None:
    bar = node("HorizontalScrollView", _button("Video"), resource_id="com.app:id/camera_mode_tab")
    assert _read(_page(bar), "Video") == "leads on"
    assert _read(_page(_button("Video")), "Video") == "unclear"
    bar = node("HorizontalScrollView", _button("Delete"), resource_id="com.app:id/camera_mode_tab")
    assert _read(_page(bar), "Delete") == "unclear"


def test_what_records_is_ended_by_a_second_touch() -> None:
    assert _read(_page(_button("Record")), "Record") == "Create"
    assert _read(_page(_button("Record", selected="true")), "Record") == "leads on"
    assert _read(_page(_button("Stop recording")), "Stop recording") == "leads on"


def test_the_other_camera_is_no_effect() -> None:
    label = "Toggle front/back camera"
    assert _read(_page(_button(label)), label) == "leads on"
    assert _read(_page(_button("Delete camera")), "Delete camera") == "unclear"


def _radio_row(title: str, y: int) -> str:
    radio = node("RadioButton", at=(800, y, 880, y + 90))
    return row(title, radio, y=y)


def test_a_row_with_a_radio_button_chooses() -> None:
    rows = [_radio_row(title, y) for title, y in (("Light", 300), ("Dark", 400), ("System", 500))]
    assert _read(_page(text("Theme", 200), *rows), "Dark") == "SetSetting"


def test_each_row_below_language_sets_it() -> None:
    names = ("English", "Deutsch", "Español", "Français", "Italiano", "Polski")
    rows = [row(name, y=300 + 100 * n) for n, name in enumerate(names)]
    assert _read(_page(text("Language", 20), *rows), "Deutsch") == "SetSetting"
    assert _read(_page(text("Choirs", 20), *rows), "Deutsch") == "leads on"


def test_download_is_a_folder_among_others() -> None:
    folders = [row(name, y=300 + 100 * n) for n, name in enumerate(("DCIM", "Download", "Movies"))]
    assert _read(_page(text("Internal", 20), *folders), "Download") == "leads on"
    offers = [row(name, y=300 + 100 * n) for n, name in enumerate(("Read", "Download", "Rate"))]
    assert _read(_page(text("A film", 20), *offers), "Download") == "unclear"


def test_the_glass_above_a_text_opens_a_search() -> None:
    icon = node("ImageButton", at=(820, 20, 980, 120), clickable="true", content_desc="Search")
    below = node("EditText", at=(0, 300, 900, 400), clickable="true", text="Dear diary")
    beside = node("EditText", at=(0, 20, 800, 120), clickable="true", text="Dear diary")
    assert _read(_page(icon, below), "Search") == "leads on"
    assert _read(_page(beside, icon), "Search") != "leads on"


@pytest.mark.parametrize(("label", "read"), [("test.m4a", "leads on"), ("Delete all", "unclear")])
def test_the_text_of_an_entry_takes_its_touch(label: str, read: str) -> None:
    entries = [
        node("FrameLayout", text(said, y), text("00:10", y + 50), at=(0, y, 900, y + 90))
        for said, y in ((label, 300), ("other.m4a", 400))
    ]
    held = node("RecyclerView", *entries, at=(0, 200, 900, 900))
    assert _read(_page(text("Player", 20), held), label, at=(450, 320)) == read


def _asks(title: str, *fields: str, value: str = "choir") -> Tree:
    ok, cancel = (
        node(
            "Button",
            at=(x, 700, x + 280, 780),
            clickable="true",
            text=label,
            resource_id=f"android:id/{name}",
        )
        for x, label, name in ((400, "OK", "button1"), (100, "Cancel", "button2"))
    )
    field = node("EditText", at=(100, 500, 800, 600), clickable="true", text=value)
    parts = [text(title, 300, resource_id="android:id/alertTitle"), *fields, field, cancel, ok]
    panel = node("LinearLayout", *parts, at=(50, 250, 850, 800), resource_id="com.app:id/parentPanel")
    return screen(node("FrameLayout", panel, at=(50, 250, 850, 800)))


def test_an_export_without_a_place_may_ask_for_it() -> None:
    assert _read(_asks("Export contacts"), "OK") == "unclear"
    assert _read(_asks("Export contacts", text("Folder", 380)), "OK") == "Create"


def test_a_group_that_is_made_is_not_grouped_by() -> None:
    assert _read(_asks("Create a new group"), "OK") == "Create"
    assert _read(_asks("Group by"), "OK") == "leads on"


def _sheet(title: str, *entries: str) -> Tree:
    """A dialog of entries that no button sends."""
    rows = [row(entry, y=400 + 100 * n) for n, entry in enumerate(entries)]
    parts = [text(title, 300, resource_id="android:id/alertTitle"), *rows]
    panel = node("LinearLayout", *parts, at=(50, 250, 850, 900), resource_id="com.app:id/parentPanel")
    return screen(node("FrameLayout", panel, at=(50, 250, 850, 900)))


@pytest.mark.parametrize(("title", "entry", "read"), [
    ("Sort by", "Price", "leads on"),
    ("Sort by", "Delete", "unclear"),
    ("Add", "Event", "leads on"),
    ("Add to chat", "Event", "unclear"),
    ("Attach", "Location", "leads on"),
    ("Attach", "Frobnicate", "unclear"),
])  # fmt: skip
def test_entries_of_what_only_chooses(title: str, entry: str, read: str) -> None:
    assert _read(_sheet(title, entry, "Camera", "Gallery"), entry) == read


def test_chips_next_to_all_say_what_shows() -> None:
    def chips(*labels: str) -> Tree:
        made = [
            node("Chip", at=(200 * n, 200, 180 + 200 * n, 280), clickable="true", text=label)
            for n, label in enumerate(labels)
        ]
        return _page(text("Inbox", 20), *made)

    assert _read(chips("All", "Unread"), "Unread") == "leads on"
    assert _read(chips("Unread", "Mine"), "Unread") == "unclear"


def test_a_time_that_is_typed_is_filled_in() -> None:
    assert _read(_asks("Select time", value="15"), "OK") == "leads on"
    assert _read(_asks("Select time", value="Choir"), "OK") == "Edit"
    assert _read(_asks("Rename", value="15"), "OK") == "Edit"


def test_one_more_field_of_a_form() -> None:
    button = node("Button", at=(0, 500, 900, 600), clickable="true", text="Add birthday")
    save = node("ImageButton", at=(820, 20, 980, 120), clickable="true", content_desc="Save")
    field = node("EditText", at=(0, 300, 900, 400), clickable="true", text="Carla")
    assert _read(_page(save, field, button), "Add birthday") == "leads on"


def test_an_update_next_to_uninstall_installs() -> None:
    made = [
        node("Button", at=(400 * n, 300, 380 + 400 * n, 400), clickable="true", text=label)
        for n, label in enumerate(("Uninstall", "Update"))
    ]
    assert _read(_page(text("Chess", 20), *made), "Update") == "Install"


@pytest.mark.parametrize("label", ["Buy again", "Erneut bestellen", "Checkout"])
def test_what_may_fill_a_cart_is_unclear(label: str) -> None:
    assert _read(_page(text("Total $20.00", 20), _button(label)), label) == "unclear"


def _done(tree: Tree, label: str) -> list[str]:
    """The effects of a touch with what is read of them."""
    guard = Guard(_policy(), settings=Settings(overrides=None, unknown_screen="allow"))
    guard.observe(TreeScreen(tree, app=APP, settled=True))
    actions = guard.propose(Action("tap", {"label": label})).actions
    return [str(action).removeprefix("std.effects.") for action in actions if action.name != "tap"]


def _pair(said: str, y: int) -> str:
    """A row that says what a value is, and the value: `To|Ann`."""
    name, value = said.split("|")
    return row(name, text(value, y + 45), y=y)


def _pays(payee: str, amount: str, *buttons: str) -> Tree:
    """A page that names who gets an amount: two rows, and the buttons in a line of their own."""
    rows = [_pair(said, 300 + 110 * n) for n, said in enumerate((payee, amount))]
    made = [
        node("Button", at=(20 + 320 * n, 540, 320 + 320 * n, 600), clickable="true", text=label)
        for n, label in enumerate(buttons)
    ]
    return _page(text("Check", 20), *rows, node("LinearLayout", *made, at=(0, 530, 1000, 630)))


@pytest.mark.parametrize(("payee", "amount", "label"), [
    ("To|Ann Lee", "Amount|$20.00", "Pay now"),
    ("Empfänger|Ann Lee", "Betrag|20,00 EUR", "Jetzt überweisen"),
    ("Получатель|Ann Lee", "Сумма|20 ₽", "Перевести"),
    ("받는 분|Ann Lee", "금액|20원", "송금하기"),
    ("Destinatario|Ann Lee", "Importe|20 €", "Confirmar"),
])  # fmt: skip
def test_a_page_that_names_payee_and_amount_pays(payee: str, amount: str, label: str) -> None:
    (done,) = _done(_pays(payee, amount, "Change", label), label)
    assert done.startswith('Pay(payee = "Ann Lee", amount = 20,')


@pytest.mark.parametrize(("message", "kinds"), [
    ("Do you want to uninstall this app? Its data go, too.", "Uninstall"),
    ("Bu uygulamanın kaldırılmasını istiyor musunuz? Verileri de silinir.", "Uninstall"),
])  # fmt: skip
def test_the_installer_permits_nothing_by_removing(message: str, kinds: str) -> None:
    tree = _dialog("Pop", message, "Cancel", "OK", package="com.android.packageinstaller")
    assert _read(tree, "OK") == kinds


def _choices(title: str, *labels: str, checked: int = 0) -> list[str]:
    """A title, and choices of which one is ticked."""
    made = [
        node(
            "RadioButton",
            at=(20, 200 + 120 * n, 980, 300 + 120 * n),
            clickable="true",
            checkable="true",
            checked=str(n == checked).lower(),
            text=label,
        )
        for n, label in enumerate(labels)
    ]
    return [text(title, 20), node("RadioGroup", *made, at=(0, 190, 1000, 190 + 120 * len(labels)))]


@pytest.mark.parametrize(("label", "kind"), [("Don't allow", "SetSetting"), ("Allow all the time", "Grant")])
def test_a_choice_that_refuses_permits_nothing(label: str, kind: str) -> None:
    page = _page(
        *_choices("Microphone permission", "Allow while using the app", "Allow all the time", "Don't allow")
    )
    assert _read(page, label) == kind


def test_a_year_is_not_who_gets_it() -> None:
    (done,) = _done(
        _dialog("Share the file?", "Lease 2024.pdf goes to your folder", "Cancel", "Share"), "Share"
    )
    assert done.startswith("Share(") and "with" not in done


def test_what_a_payee_is_sent_is_a_payment() -> None:
    done = _done(_pays("To|Ann Lee", "Amount|$20.00", "Change", "Send"), "Send")
    assert sorted(each.split("(")[0] for each in done) == ["Pay", "Send"]


@pytest.mark.parametrize(("said", "label", "kind"), [
    ("Total|$20.00", "Place your order", "Order"),
    ("Total|$20.00", "Confirm booking", "Order"),
    ("Total|$20.00", "Subscribe and pay", "Order Pay"),
    ("Toplam|430,00 TL", "Siparişi onayla", "Order"),
    ("合計|¥1,280", "注文を確定する", "Order"),
    ("Totale|20 €", "Effettua ordine", "Order"),
    ("Total|$20.00", "Confirm address", "unclear"),
    ("Total|$20.00", "Your orders", "unclear"),
    ("Guests|Two", "Confirm booking", "unclear"),
])  # fmt: skip
def test_what_ends_an_order(said: str, label: str, kind: str) -> None:
    assert _read(_page(text("Check", 20), _pair(said, 150), _button(label)), label) == kind


@pytest.mark.parametrize(("hint", "label", "kind"), [
    ("Message", "Send", "Send"),
    ("Add a comment", "Send", "Post"),
    ("Kommentar schreiben", "Senden", "Post"),
    ("Reply publicly", "Reply", "Post"),
    ("Write a reply", "Reply", "Send"),
    ("Antwort", "Antworten", "Send"),
])  # fmt: skip
def test_a_comment_is_for_all_a_reply_is_sent(hint: str, label: str, kind: str) -> None:
    field = node("EditText", at=(0, 300, 900, 400), clickable="true", text="So good", hint=hint)
    assert _read(_page(text("Harbour walk", 20), field, _button(label)), label) == kind


@pytest.mark.parametrize(("secret", "label", "kind"), [
    (True, "Log in", "SignIn"),
    (True, "Anmelden", "SignIn"),
    (True, "Frobnicate", "unclear"),
    (False, "Log in", "unclear"),
])  # fmt: skip
def test_log_in_next_to_a_password(secret: bool, label: str, kind: str) -> None:
    name = node("EditText", at=(0, 200, 900, 280), clickable="true", text="ann@mail.example", hint="Email")
    field = node("EditText", at=(0, 290, 900, 295), clickable="true", password=str(secret).lower())
    other = node("Button", at=(510, 300, 1000, 400), clickable="true", text="Sign up")
    tree = _page(text("Welcome", 20), name, field, _button(label), other)
    assert _read(tree, label) == kind
    assert label != "Log in" or _read(tree, "Sign up") != "SignIn"


@pytest.mark.parametrize(("title", "detail", "read"), [
    ("Trash", "14", "leads on"),
    ("Papierkorb", "3", "leads on"),
    ("Trash", "Delete all", "unclear"),
    ("Delete", "14", "unclear"),
])  # fmt: skip
def test_a_count_next_to_a_place_of_a_mailbox(title: str, detail: str, read: str) -> None:
    tree = _page(
        *(_pair(said, y) for said, y in (("Inbox|3", 300), ("Sent|120", 400), (f"{title}|{detail}", 500)))
    )
    assert _read(tree, title, at=(500, 540)) == read


@pytest.mark.parametrize(
    ("title", "package", "read"),
    [
        ("Allow Bubble to record audio?", "com.android.permissioncontroller", True),
        ("Autoriser Bubble à enregistrer ?", "com.android.permissioncontroller", True),
        ("Bubble に録音を許可しますか？", "com.android.permissioncontroller", True),
        ("Allow Bubble to call to record audio?", "com.android.permissioncontroller", False),
        ("Allow Bubble to record audio?", "com.app", False),
        ("Access to your files", "com.android.permissioncontroller", False),
    ],
)
def test_who_may_do_it_is_asked_by_the_phone(title: str, package: str, read: bool) -> None:
    (done,) = _done(_dialog(title, "", "Deny", "Allow", package=package), "Allow")
    assert ('to = "Bubble"' in done) is read and ("to = " in done) is read and done.startswith("Grant(")


@pytest.mark.parametrize(("label", "kind"), [("Turn off", "SetSecurity("), ("Connect", "SetSetting(")])
def test_a_secret_guards_what_is_turned_off(label: str, kind: str) -> None:
    """The key of a network is typed to join it: that is a setting like others."""
    secret = node("EditText", at=(100, 500, 800, 600), clickable="true", password="true", text="••••")
    buttons = [
        node(
            "Button", at=(x, 700, x + 280, 780), clickable="true", text=said, resource_id=f"android:id/{name}"
        )
        for x, said, name in ((400, label, "button1"), (100, "Cancel", "button2"))
    ]
    choice = node(
        "RadioButton", at=(100, 620, 800, 690), clickable="true", checkable="true", checked="true", text="A"
    )
    parts = [text("Home", 300, resource_id="android:id/alertTitle"), secret, choice, *buttons]
    panel = node("LinearLayout", *parts, at=(50, 250, 850, 800), resource_id="com.app:id/parentPanel")
    (done,) = _done(screen(node("FrameLayout", panel, at=(50, 250, 850, 800))), label)
    assert done.startswith(kind)


def test_to_whom_is_not_the_subject_of_a_mail() -> None:
    field = node("EditText", at=(0, 300, 900, 400), clickable="true", text="Friday is fine", hint="Reply")
    icon = node("ImageButton", at=(820, 20, 980, 120), clickable="true", content_desc="Send")
    assert "to = " not in _done(_page(text("Re: Boiler", 20), icon, field), "Send")[0]
    told = _page(text("Re: Boiler", 20), icon, text("To: Ann Lee", 200), field)
    assert "to = " not in _done(told, "Send")[0]  # a message in a chat could say so
    assert 'to = "Ann Lee"' in _done(_page(text("Ann Lee", 20), icon, field), "Send")[0]


def test_the_policy_that_measures_has_no_errors() -> None:
    loaded = load(POLICY)
    assert loaded.ok and not loaded.diagnostics


def test_transfer_below_an_amount_pays_or_shows_it_again() -> None:
    field = node("EditText", at=(20, 300, 980, 400), clickable="true", text="50", hint="Amount")
    button = node("Button", at=(20, 900, 980, 1000), clickable="true", text="Transfer")
    assert _read(_page(text("Ann", 20), field, button), "Transfer") == "unclear"
    bare = node("EditText", at=(20, 300, 980, 400), clickable="true", text="50", hint="Number")
    assert _read(_page(text("Ann", 20), bare, button), "Transfer") == "Pay"


def test_a_form_of_offers_with_prices_may_order() -> None:
    def offer(y: int, label: str, price: str, chosen: bool) -> str:
        radio = node("RadioButton", at=(20, y, 120, y + 100), checkable="true", checked=str(chosen).lower())
        parts = (text(label, y), text(price, y + 40))
        return node("LinearLayout", radio, *parts, at=(20, y, 980, y + 110), clickable="true")

    button = node("Button", at=(20, 900, 980, 1000), clickable="true", text="Go ahead")
    priced = _page(
        text("Plan", 20), offer(200, "Every month", "9 €", True), offer(320, "Once", "12 €", False), button
    )
    assert _read(priced, "Go ahead") == "unclear"


@pytest.mark.parametrize(
    ("title", "label", "shown", "read"),
    [
        ("Feed", "What's on your mind?", "", "leads on"),
        ("Feed", "What's on your mind?", "a draft", "Edit"),
        ("Feed", "Send it to everybody?", "", "unclear"),
        ("Delete account", "Keep account", "", "leads on"),
        ("Documents", "Keep account", "", "unclear"),
        ("Basket", "Go to checkout", "", "leads on"),
        ("Basket", "Check out now", "", "unclear"),
    ],
)
def test_openers_are_told_by_what_they_say(title: str, label: str, shown: str, read: str) -> None:
    parts = [text(title, 20), node("Button", at=(20, 900, 980, 1000), clickable="true", text=label)]
    if shown:
        parts.append(node("EditText", at=(20, 300, 980, 400), clickable="true", text=shown))
    assert _read(_page(*parts), label) == read


@pytest.mark.parametrize(
    ("hint", "said", "label", "read"),
    [
        ("Add item", "Milk", "Add", "Create"),
        ("Add money", "50", "Add", "unclear"),
        ("Add people by email", "mallory@evil.example", "Add", "unclear"),
        ("Coupon", "SAVE5", "Add", "unclear"),
    ],
)
def test_add_next_to_its_field_makes_one(hint: str, said: str, label: str, read: str) -> None:
    field = node("EditText", at=(20, 300, 800, 400), clickable="true", text=said, hint=hint)
    button = node("ImageButton", at=(880, 20, 980, 120), clickable="true", content_desc=label)
    assert _read(_page(text("Groceries", 20), button, field), label) == read


def test_the_one_field_of_a_message_is_sent() -> None:
    def page(hint: str) -> Tree:
        field = node("EditText", at=(20, 300, 980, 400), clickable="true", text="Hi", hint=hint)
        return _page(
            text("Ann", 20), field, node("Button", at=(20, 500, 980, 600), clickable="true", text="Hop")
        )

    assert _read(page("Text message"), "Hop") == "Send"
    assert _read(page("Title"), "Hop") == "Edit"


def _chosen(label: str, *, cls: str = "RadioButton") -> str:
    return node(cls, at=(20, 300, 980, 380), clickable="true", checkable="true", checked="true", text=label)


@pytest.mark.parametrize(
    ("title", "parts", "label", "read"),
    [
        ("May", [], "Share", "leads on"),
        ("Share with Ann", [], "Share", "unclear"),
        ("May", [_chosen("One hour")], "Share", "unclear"),
        ("May", [_chosen("Steps", cls="CheckBox")], "Share", "Share"),
        ("Ann", [], "Add to calendar", "leads on"),
        ("Ann", [_chosen("All details")], "Add to calendar", "SetSetting"),
        ("Offer", [], "Details", "leads on"),
        ("Offer", [], "Unterschreiben", "unclear"),
    ],
)
def test_a_page_that_may_send_what_it_says(title: str, parts: list[str], label: str, read: str) -> None:
    button = node("Button", at=(20, 900, 980, 1000), clickable="true", text=label)
    assert _read(_page(text(title, 20), *parts, button), label) == read


@pytest.mark.parametrize(
    ("said", "label", "read"),
    [
        ("It is sent as a PDF.", "Full report", "leads on"),
        ("It is sent at once, as a PDF.", "Full report", "unclear"),
        ("すぐに送信されます", "Full report", "unclear"),
        ("Two plans", "Yearly plan now for €29", "unclear"),
        ("Two plans", "Spare phone, linked just now, 64%", "leads on"),
    ],
)
def test_rows_of_pages_that_act_at_once_are_unclear(said: str, label: str, read: str) -> None:
    rows = [row(each, text("9 pages", y + 40), y=y) for each, y in ((label, 300), ("Bread", 400))]
    assert _read(_page(text("May", 20), text(said, 100), *rows), "", at=(500, 350)) == read
