"""Touches that lead on, on real trees, and those of which nobody knows that."""

import pytest

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
from vsalang.program.action import Action
from vsalang.screen.tree import Tree


@pytest.mark.parametrize("label", ["Share", "Teilen", "Compartir", "Поделиться", "共有", "分享", "공유"])
def test_share_opens_the_list_of_apps(label: str) -> None:
    icon = node("ImageButton", at=(820, 20, 980, 120), clickable="true", content_desc=label)
    assert read_of(window_with(text("A photo", 20), icon), label) == "leads on"


def test_a_message_that_only_informs_leads_on() -> None:
    assert read_of(dialog("Version 2", "What is new", "OK"), "OK") == "leads on"
    assert read_of(dialog("Privacy notice", "We collect data.", "Got it"), "Got it") == "Accept"


def test_a_verb_may_be_a_name() -> None:
    tree = window_with(row("Downloads", y=300), row("Call history", y=400), row("Sent", y=500))
    assert {read_of(tree, label) for label in ("Downloads", "Call history", "Sent")} == {"leads on"}


def test_two_verbs_are_not_clear() -> None:
    button = node("Button", at=(0, 300, 500, 400), clickable="true", text="Clear call history")
    assert read_of(window_with(button), "Clear call history") == "unclear"


@pytest.mark.parametrize("label", ["Delete", "Löschen", "删除", "Frobnicate", "Sesame"])
def test_what_may_ask_first_is_unclear(label: str) -> None:
    icon = node("Button", at=(0, 300, 500, 400), clickable="true", text=label)
    assert read_of(window_with(icon), label) == "unclear"


def test_a_control_without_any_label_is_unclear() -> None:
    icon = node("ImageView", at=(400, 900, 500, 1000), clickable="true")
    guard = guard_at(window_with(text("Title", 20), icon))
    verdict = guard.propose(Action("tap", {"x": 450, "y": 950}))
    assert any(reason.rule == "UNCLEAR" for reason in verdict.reasons)


def test_a_label_that_was_not_read_never_leads_on() -> None:
    """Without its text the button may say anything, so what depends on words is asked about."""
    plain = node("Button", at=(0, 300, 500, 400), clickable="true", text="Menu")
    assert read_of(window_with(plain), "Menu") == "leads on"
    unread = plain.replace(" text='Menu'", "").replace(' text="Menu"', "")
    guard = guard_at(window_with(text("Title", 20), unread))
    verdict = guard.propose(Action("tap", {"x": 250, "y": 350}))
    assert verdict.level == "confirm"


def test_next_on_a_page_commits_nothing() -> None:
    field = node("EditText", at=(0, 200, 900, 300), clickable="true", text="20")
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text="Continue")
    assert read_of(window_with(text("Pay", 20), field, button), "Continue") != "Pay"


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
    assert read_of(window_with(text("Total $20.00", 20), button), label) in ("Pay", "unclear")


@pytest.mark.parametrize("label", ["Pay now", "Delete forever"])
def test_what_says_a_verb_may_take_touches_unsaid(label: str) -> None:
    """Some apps listen to touches of views that are not declared to take any."""
    drawn = node("TextView", at=(0, 600, 900, 700), clickable="false", text=label)
    assert read_of(window_with(text("Total $20.00", 20), drawn), label) != "leads on"


def test_a_sentence_with_dots_at_its_end_opens_nothing() -> None:
    label = "Buy this item now with one click…"
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text=label)
    assert read_of(window_with(button), label) == "unclear"
    more = node("Button", at=(0, 600, 900, 700), clickable="true", text="Options…")
    assert read_of(window_with(more), "Options…") == "leads on"


def test_a_dialog_about_a_view_may_ask_for_more() -> None:
    assert read_of(dialog("Sort by", "", "Cancel", "OK"), "OK") == "leads on"
    assert read_of(dialog("Sort by", "By pressing OK you pay $20", "Cancel", "OK"), "OK") == "unclear"


@pytest.mark.parametrize("label", ["Change password", "Edit profile"])
def test_what_changes_something_opens_a_form_where_none_shows(label: str) -> None:
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text=label)
    field = node("EditText", at=(0, 200, 900, 300), clickable="true", text="hunter2")
    assert read_of(window_with(button), label) == "leads on"
    assert read_of(window_with(field, button), label) != "leads on"


@pytest.mark.parametrize("label", ["Update", "Upd\u0430te"])
def test_an_update_may_install(label: str) -> None:
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text=label)
    assert read_of(window_with(text("A game", 20), button), label) == "unclear"


def test_to_continue_may_pay_a_sum_due() -> None:
    button = node("Button", at=(0, 600, 900, 700), clickable="true", text="Continue")
    assert read_of(window_with(text("Checkout", 20), button), "Continue") == "leads on"
    assert read_of(window_with(text("Total $20.00", 20), button), "Continue") == "unclear"


def test_a_day_of_a_form_is_filled_in() -> None:
    assert read_of(form("Save"), "July 1 (Sat)") == "leads on"


def test_send_sms_opens_a_message() -> None:
    button = node("Button", at=(0, 300, 500, 400), clickable="true", text="Send SMS")
    assert read_of(window_with(text("Bob", 20), button), "Send SMS") == "leads on"
    assert (
        read_of(window_with(node("EditText", at=(0, 100, 900, 200), text="Hi"), button), "Send SMS") == "Send"
    )


def test_a_long_press_of_a_row_leads_on() -> None:
    assert (
        read_of(window_with(row("Milk", y=300), row("Bread", y=400), row("Tea", y=500)), "Milk", "long_press")
        == "leads on"
    )


@pytest.mark.parametrize("label", ["Move to", "Share with", "Verschieben nach", "Compartir con"])
def test_a_verb_without_its_end_asks_for_it(label: str) -> None:
    assert read_of(window_with(button(label)), label) == "leads on"


@pytest.mark.parametrize("label", ["Move to trash", "Sign in to pay", "Move"])
def test_a_verb_with_an_end_is_not_excused(label: str) -> None:
    assert read_of(window_with(button(label)), label) != "leads on"


def test_the_modes_of_a_camera_are_tabs() -> None:
    bar = node("HorizontalScrollView", button("Video"), resource_id="com.app:id/camera_mode_tab")
    assert read_of(window_with(bar), "Video") == "leads on"
    assert read_of(window_with(button("Video")), "Video") == "unclear"
    bar = node("HorizontalScrollView", button("Delete"), resource_id="com.app:id/camera_mode_tab")
    assert read_of(window_with(bar), "Delete") == "unclear"


def test_the_other_camera_is_no_effect() -> None:
    label = "Toggle front/back camera"
    assert read_of(window_with(button(label)), label) == "leads on"
    assert read_of(window_with(button("Delete camera")), "Delete camera") == "unclear"


def test_download_is_a_folder_among_others() -> None:
    folders = [row(name, y=300 + 100 * n) for n, name in enumerate(("DCIM", "Download", "Movies"))]
    assert read_of(window_with(text("Internal", 20), *folders), "Download") == "leads on"
    offers = [row(name, y=300 + 100 * n) for n, name in enumerate(("Read", "Download", "Rate"))]
    assert read_of(window_with(text("A film", 20), *offers), "Download") == "unclear"


def test_the_glass_above_a_text_opens_a_search() -> None:
    icon = node("ImageButton", at=(820, 20, 980, 120), clickable="true", content_desc="Search")
    below = node("EditText", at=(0, 300, 900, 400), clickable="true", text="Dear diary")
    beside = node("EditText", at=(0, 20, 800, 120), clickable="true", text="Dear diary")
    assert read_of(window_with(icon, below), "Search") == "leads on"
    assert read_of(window_with(beside, icon), "Search") != "leads on"


@pytest.mark.parametrize(("label", "read"), [("test.m4a", "leads on"), ("Delete all", "unclear")])
def test_the_text_of_an_entry_takes_its_touch(label: str, read: str) -> None:
    entries = [
        node("FrameLayout", text(said, y), text("00:10", y + 50), at=(0, y, 900, y + 90))
        for said, y in ((label, 300), ("other.m4a", 400))
    ]
    held = node("RecyclerView", *entries, at=(0, 200, 900, 900))
    assert read_of(window_with(text("Player", 20), held), label, at=(450, 320)) == read


def test_an_export_without_a_place_may_ask_for_it() -> None:
    assert read_of(asks("Export contacts"), "OK") == "unclear"
    assert read_of(asks("Export contacts", text("Folder", 380)), "OK") == "Create"


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
    assert read_of(_sheet(title, entry, "Camera", "Gallery"), entry) == read


def test_chips_next_to_all_say_what_shows() -> None:
    def chips(*labels: str) -> Tree:
        made = [
            node("Chip", at=(200 * n, 200, 180 + 200 * n, 280), clickable="true", text=label)
            for n, label in enumerate(labels)
        ]
        return window_with(text("Inbox", 20), *made)

    assert read_of(chips("All", "Unread"), "Unread") == "leads on"
    assert read_of(chips("Unread", "Mine"), "Unread") == "unclear"


def test_a_time_that_is_typed_is_filled_in() -> None:
    assert read_of(asks("Select time", value="15"), "OK") == "leads on"
    assert read_of(asks("Select time", value="Choir"), "OK") == "Edit"
    assert read_of(asks("Rename", value="15"), "OK") == "Edit"


def test_one_more_field_of_a_form() -> None:
    button = node("Button", at=(0, 500, 900, 600), clickable="true", text="Add birthday")
    save = node("ImageButton", at=(820, 20, 980, 120), clickable="true", content_desc="Save")
    field = node("EditText", at=(0, 300, 900, 400), clickable="true", text="Carla")
    assert read_of(window_with(save, field, button), "Add birthday") == "leads on"


@pytest.mark.parametrize("label", ["Buy again", "Erneut bestellen", "Checkout"])
def test_what_may_fill_a_cart_is_unclear(label: str) -> None:
    assert read_of(window_with(text("Total $20.00", 20), button(label)), label) == "unclear"


@pytest.mark.parametrize(("title", "detail", "read"), [
    ("Trash", "14", "leads on"),
    ("Papierkorb", "3", "leads on"),
    ("Trash", "Delete all", "unclear"),
    ("Delete", "14", "unclear"),
])  # fmt: skip
def test_a_count_next_to_a_place_of_a_mailbox(title: str, detail: str, read: str) -> None:
    tree = window_with(
        *(pair(said, y) for said, y in (("Inbox|3", 300), ("Sent|120", 400), (f"{title}|{detail}", 500)))
    )
    assert read_of(tree, title, at=(500, 540)) == read


def test_a_form_of_offers_with_prices_may_order() -> None:
    def offer(y: int, label: str, price: str, chosen: bool) -> str:
        radio = node("RadioButton", at=(20, y, 120, y + 100), checkable="true", checked=str(chosen).lower())
        parts = (text(label, y), text(price, y + 40))
        return node("LinearLayout", radio, *parts, at=(20, y, 980, y + 110), clickable="true")

    button = node("Button", at=(20, 900, 980, 1000), clickable="true", text="Go ahead")
    priced = window_with(
        text("Plan", 20), offer(200, "Every month", "9 €", True), offer(320, "Once", "12 €", False), button
    )
    assert read_of(priced, "Go ahead") == "unclear"


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
    assert read_of(window_with(*parts), label) == read


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
    assert read_of(window_with(text(title, 20), *parts, button), label) == read


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
    assert read_of(window_with(text("May", 20), text(said, 100), *rows), "", at=(500, 350)) == read
