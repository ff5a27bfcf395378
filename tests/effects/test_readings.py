"""What `std.effects` says of touches that act, on real trees."""

import pytest

from benchmarks.effects.reading import POLICY
from tests.effects.touches import (
    asks,
    button,
    dialog,
    form,
    guard_at,
    pair,
    read_of,
    window_with,
)
from tests.screen.control.making import node, row, screen, text
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.screen.tree import Tree

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
    assert read_of(dialog(title, "", "Cancel", agrees), agrees) == kind
    assert read_of(dialog(title, "", "Cancel", agrees), "Cancel") == "leads on"


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
    assert read_of(window_with(text("Ann", 20), field, button), label) == "Send"


def test_switches_act_where_no_button_sends_them() -> None:
    switch = node("Switch", at=(0, 400, 900, 500), clickable="true", checkable="true", text="Sound")
    assert read_of(window_with(switch), "Sound") == "SetSetting"
    field = node("EditText", at=(0, 200, 900, 300), clickable="true", text="Ann")
    save = node("Button", at=(0, 600, 900, 700), clickable="true", text="Save")
    assert read_of(window_with(field, switch, save), "Sound") == "leads on"


def test_what_is_asked_is_read_from_the_message_too() -> None:
    assert read_of(dialog("", 'Do you want to delete "a.txt"?', "No", "Yes"), "Yes") == "Delete"
    assert read_of(dialog("", 'File "a.txt" already exists. Overwrite?', "No", "Yes"), "Yes") == "Edit"
    assert read_of(dialog("", "Leave without saving?", "Stay", "Yes"), "Yes") in ("leads on", "unclear")


def test_a_form_with_delete_changes_what_is_there() -> None:
    assert read_of(form("Save"), "Save") == "Create"
    assert read_of(form("Save", "Delete"), "Save") == "Edit"


def test_what_records_is_ended_by_a_second_touch() -> None:
    assert read_of(window_with(button("Record")), "Record") == "Create"
    assert read_of(window_with(button("Record", selected="true")), "Record") == "leads on"
    assert read_of(window_with(button("Stop recording")), "Stop recording") == "leads on"


def _radio_row(title: str, y: int) -> str:
    radio = node("RadioButton", at=(800, y, 880, y + 90))
    return row(title, radio, y=y)


def test_a_row_with_a_radio_button_chooses() -> None:
    rows = [_radio_row(title, y) for title, y in (("Light", 300), ("Dark", 400), ("System", 500))]
    assert read_of(window_with(text("Theme", 200), *rows), "Dark") == "SetSetting"


def test_each_row_below_language_sets_it() -> None:
    names = ("English", "Deutsch", "Español", "Français", "Italiano", "Polski")
    rows = [row(name, y=300 + 100 * n) for n, name in enumerate(names)]
    assert read_of(window_with(text("Language", 20), *rows), "Deutsch") == "SetSetting"
    assert read_of(window_with(text("Choirs", 20), *rows), "Deutsch") == "leads on"


def test_a_group_that_is_made_is_not_grouped_by() -> None:
    assert read_of(asks("Create a new group"), "OK") == "Create"
    assert read_of(asks("Group by"), "OK") == "leads on"


def test_an_update_next_to_uninstall_installs() -> None:
    made = [
        node("Button", at=(400 * n, 300, 380 + 400 * n, 400), clickable="true", text=label)
        for n, label in enumerate(("Uninstall", "Update"))
    ]
    assert read_of(window_with(text("Chess", 20), *made), "Update") == "Install"


def _done(tree: Tree, label: str) -> list[str]:
    """The effects of a touch with what is read of them."""
    guard = guard_at(tree)
    actions = guard.propose(Action("tap", {"label": label})).actions
    return [str(action).removeprefix("std.effects.") for action in actions if action.name != "tap"]


def _pays(payee: str, amount: str, *buttons: str) -> Tree:
    """A page that names who gets an amount: two rows, and the buttons in a line of their own."""
    rows = [pair(said, 300 + 110 * n) for n, said in enumerate((payee, amount))]
    made = [
        node("Button", at=(20 + 320 * n, 540, 320 + 320 * n, 600), clickable="true", text=label)
        for n, label in enumerate(buttons)
    ]
    return window_with(text("Check", 20), *rows, node("LinearLayout", *made, at=(0, 530, 1000, 630)))


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
    tree = dialog("Pop", message, "Cancel", "OK", package="com.android.packageinstaller")
    assert read_of(tree, "OK") == kinds


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
    page = window_with(
        *_choices("Microphone permission", "Allow while using the app", "Allow all the time", "Don't allow")
    )
    assert read_of(page, label) == kind


def test_a_year_is_not_who_gets_it() -> None:
    (done,) = _done(
        dialog("Share the file?", "Lease 2024.pdf goes to your folder", "Cancel", "Share"), "Share"
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
    assert read_of(window_with(text("Check", 20), pair(said, 150), button(label)), label) == kind


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
    assert read_of(window_with(text("Harbour walk", 20), field, button(label)), label) == kind


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
    tree = window_with(text("Welcome", 20), name, field, button(label), other)
    assert read_of(tree, label) == kind
    assert label != "Log in" or read_of(tree, "Sign up") != "SignIn"


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
    (done,) = _done(dialog(title, "", "Deny", "Allow", package=package), "Allow")
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
    assert "to = " not in _done(window_with(text("Re: Boiler", 20), icon, field), "Send")[0]
    told = window_with(text("Re: Boiler", 20), icon, text("To: Ann Lee", 200), field)
    assert "to = " not in _done(told, "Send")[0]  # a message in a chat could say so
    assert 'to = "Ann Lee"' in _done(window_with(text("Ann Lee", 20), icon, field), "Send")[0]


def test_the_policy_that_measures_has_no_errors() -> None:
    loaded = load(POLICY)
    assert loaded.ok and not loaded.diagnostics


def test_transfer_below_an_amount_pays_or_shows_it_again() -> None:
    field = node("EditText", at=(20, 300, 980, 400), clickable="true", text="50", hint="Amount")
    button = node("Button", at=(20, 900, 980, 1000), clickable="true", text="Transfer")
    assert read_of(window_with(text("Ann", 20), field, button), "Transfer") == "unclear"
    bare = node("EditText", at=(20, 300, 980, 400), clickable="true", text="50", hint="Number")
    assert read_of(window_with(text("Ann", 20), bare, button), "Transfer") == "Pay"


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
    assert read_of(window_with(text("Groceries", 20), button, field), label) == read


def test_the_one_field_of_a_message_is_sent() -> None:
    def page(hint: str) -> Tree:
        field = node("EditText", at=(20, 300, 980, 400), clickable="true", text="Hi", hint=hint)
        return window_with(
            text("Ann", 20), field, node("Button", at=(20, 500, 980, 600), clickable="true", text="Hop")
        )

    assert read_of(page("Text message"), "Hop") == "Send"
    assert read_of(page("Title"), "Hop") == "Edit"
