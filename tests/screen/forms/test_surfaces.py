"""Surfaces: what stands in front of a page, whichever toolkit drew it."""

import pytest

from tests.screen.control.making import node
from tests.screen.forms.shapes import (
    MIDDLE,
    SCREEN,
    Box,
    button,
    composed,
    described,
    kinds,
    roles,
    said,
    window,
)
from vsalang.screen.forms import forms
from vsalang.screen.tree import Tree

ASKS = said("Delete note?", (100, 900, 980, 960))
NO: Box = (400, 1300, 600, 1400)
YES: Box = (650, 1300, 900, 1400)


def flutter(*behind: str) -> Tree:
    inner = node(
        "View",
        node("View", at=(150, 900, 950, 960), content_desc="Delete note?"),
        described("CANCEL", NO),
        described("DELETE", YES),
        at=(100, 860, 980, 1440),
        content_desc="Alert",
    )
    return window(node("View", *behind, inner, at=SCREEN))


DIALOGS = {
    "Android": window(
        ASKS,
        button("Cancel", NO, resource_id="android:id/button2"),
        button("Delete", YES, resource_id="android:id/button1"),
        at=MIDDLE,
    ),
    "Compose": window(ASKS, composed("Cancel", NO), composed("Delete", YES), at=MIDDLE),
    "Flutter": flutter(described("Dismiss", SCREEN, "View")),
    "Flutter, with nothing said behind it": flutter(node("View", at=SCREEN, clickable="true")),
    "React Native": window(
        node(
            "ViewGroup",
            node("ViewGroup", ASKS, composed("Cancel", NO), composed("Delete", YES), at=MIDDLE),
            at=SCREEN,
            clickable="true",
        )
    ),
    "web": window(
        node(
            "WebView", node("Dialog", ASKS, button("Cancel", NO), button("Delete", YES), at=MIDDLE), at=SCREEN
        )
    ),
}


@pytest.mark.parametrize("toolkit", DIALOGS)
def test_a_dialog_is_found_in_each_toolkit(toolkit: str) -> None:
    tree = DIALOGS[toolkit]
    (dialog,) = [surface for surface in forms(tree).on.all if surface.kind == "dialog"]
    assert dialog.title == "Delete note?"
    ways = {name.lower(): role for name, role in roles(tree).items()}
    assert (ways["cancel"], ways["delete"]) == ("cancel", "commit")


def test_a_film_or_map_is_not_a_dimmed_page() -> None:
    controls = node("View", described("Play", (400, 2000, 600, 2200)), at=(0, 1900, 1080, 2300))
    assert kinds(window(node("View", at=SCREEN, clickable="true"), controls)) == ["page"]


def test_a_page_that_takes_touches_itself_is_not_dimmed() -> None:
    """React Native puts pages into a view that closes the keyboard."""
    whole = node(
        "ViewGroup", said("Notes", (40, 80, 900, 160)), composed("Add", (40, 2200, 1040, 2340)), at=SCREEN
    )
    assert kinds(window(node("ViewGroup", whole, at=SCREEN, clickable="true"))) == ["page"]


def test_sheets_and_drawers() -> None:
    entries = [
        composed(name, (0, 1500 + 150 * n, 1080, 1650 + 150 * n))
        for n, name in enumerate(("Share", "Mute", "Hide"))
    ]
    sheet = window(
        said("Inbox", (40, 100, 400, 160)),
        described("Close sheet", SCREEN, "View"),
        node("View", *entries, at=(0, 1400, 1080, 2400)),
    )
    assert kinds(sheet) == ["page", "sheet"]
    assert roles(sheet) == {
        "Close sheet": "cancel",
        "Share": "menu_item",
        "Mute": "menu_item",
        "Hide": "menu_item",
    }
    places = [
        composed(name, (0, 300 + 120 * n, 800, 420 + 120 * n)) for n, name in enumerate(("Sent", "Spam"))
    ]
    drawer = window(
        button("Compose", (800, 2200, 1040, 2340)),
        described("Navigationsmenü schließen", SCREEN, "View"),
        node("View", *places, at=(0, 0, 800, 2400)),
    )
    assert kinds(drawer) == ["page", "menu"]
    assert roles(drawer)["Compose"] == "button"
    assert roles(drawer)["Spam"] == "menu_item"


def test_popup_menus_and_lists_in_dialogs() -> None:
    rows = [
        node("LinearLayout", said(name, (400, 40 + 100 * n, 1000, 120 + 100 * n), resource_id="android:id/title"),
             at=(389, 20 + 100 * n, 1068, 120 + 100 * n), clickable="true")
        for n, name in enumerate(("Save", "Share"))
    ]  # fmt: skip
    menu = window(node("ListView", *rows, at=(389, 12, 1068, 300)), at=(389, 12, 1068, 300))
    assert kinds(menu) == ["menu"]
    assert roles(menu) == {"Save": "menu_item", "Share": "menu_item"}
    leaves = node("ListView", *rows, at=(60, 12, 1020, 300))
    asking = window(
        said("Keep it?", (60, 0, 900, 12)),
        leaves,
        button("Cancel", (60, 300, 900, 400)),
        at=(60, 10, 1020, 420),
    )
    assert kinds(asking) == ["dialog"]


def test_systems_and_their_surfaces() -> None:
    asks = said("Allow Maps to see this?", (100, 1000, 980, 1100), resource_id="p:id/permission_message")
    allow = button(
        "Only this time", (100, 1500, 980, 1620), resource_id="p:id/permission_allow_one_time_button"
    )
    deny = button("Don't allow", (100, 1640, 980, 1760), resource_id="p:id/permission_deny_button")
    permission = window(asks, allow, deny, at=(40, 900, 1040, 2000))
    assert kinds(permission) == ["permission"]
    assert roles(permission) == {"Only this time": "commit", "Don't allow": "cancel"}
    store = window(
        said("Premium", (40, 1500, 600, 1560)),
        said("$4.99/month", (600, 1500, 1040, 1560)),
        button("Subscribe", (40, 2200, 1040, 2340)),
        at=(0, 1400, 1080, 2400),
        package="com.android.vending",
    )
    assert kinds(store) == ["payment"]
    assert roles(store) == {"Subscribe": "commit"}
    home = window(described("Phone", (0, 2000, 200, 2200)), package="com.google.android.apps.nexuslauncher")
    assert kinds(home) == ["home"]
    keys = window(
        button("a", (0, 1800, 100, 1900)),
        at=(0, 1700, 1080, 2400),
        package="com.google.android.inputmethod.latin",
    )
    assert kinds(keys) == ["keyboard"]
    assert roles(keys) == {"a": "key"}


def test_a_page_of_settings() -> None:
    rows = [
        node("View", said(name, (40, 300 + 200 * n, 700, 360 + 200 * n)),
             node("Switch", at=(900, 320 + 200 * n, 1040, 400 + 200 * n), checkable="true") if n else "",
             at=(0, 290 + 200 * n, 1080, 480 + 200 * n), clickable="true")
        for n, name in enumerate(("Sprache", "Ton"))
    ]  # fmt: skip
    tree = window(said("Einstellungen", (150, 80, 600, 160)), *rows)
    assert kinds(tree) == ["settings"]
    assert roles(tree) == {"Sprache": "setting", "Ton": "switch"}


def test_a_source_that_leaves_out_what_takes_touches_gives_no_wrong_roles() -> None:
    tree = window(said("Delete", (0, 0, 900, 90), clickable=""), at=SCREEN, clickable="")
    assert forms(tree).roles.of == {}
    assert [surface.kind for surface in forms(tree).on.all] == ["page"]


def test_entries_in_front_of_a_page_without_a_list_around_them() -> None:
    """Compose draws menus into a window of their own, without ids."""
    entries = [
        composed(name, (600, 200 + 120 * n, 1040, 320 + 120 * n)) for n, name in enumerate(("Edit", "Copy"))
    ]
    menu = window(*entries, at=(600, 190, 1040, 450))
    assert kinds(menu) == ["menu"]
    assert roles(menu) == {"Edit": "menu_item", "Copy": "menu_item"}
    options = [
        composed(name, (60, 1000 + 120 * n, 1020, 1120 + 120 * n)) for n, name in enumerate(("A", "B", "C"))
    ]
    asks = window(said("Choose an account", (100, 900, 980, 960)), *options, at=MIDDLE)
    assert kinds(asks) == ["dialog"]
    assert set(roles(asks).values()) == {"menu_item"}
