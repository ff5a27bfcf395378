"""The settings phone and its app module: every page is named, every switch and dialog means what it says."""

from pathlib import Path

import pytest

from vsalang.guard import Guard
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.phone.sim import Phone, load
from vsalang.phone.sim.dump import dump
from vsalang.program.action import Action
from vsalang.program.vocabulary import VOCABULARY
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

PACKAGE = "org.example.settings"
SPECS = Path(__file__).resolve().parents[3] / "app_specs" / "examples"
SPEC = """spec any "Anything at all"
import apps.permissions
import apps.settings

allow 1 Switch(page = "Display", name = "Dark theme", on = true).
done when Toggle(page = "Display", name = "Dark theme", on = true).
"""
PATHS = [
    ((), "apps.settings:Main"),
    (("Network",), "apps.settings:Network"),
    (("Display",), "apps.settings:Display"),
    (("Notifications",), "apps.settings:Notifications"),
    (("Apps",), "apps.settings:Apps"),
    (("Apps", "Mail"), "apps.settings:App"),
    (("Apps", "Mail", "Permissions"), "apps.settings:Permissions"),
    (("Location",), "apps.settings:Location"),
    (("Security",), "apps.settings:Security"),
    (("Display", "Text size"), "apps.settings:Sizes"),
    (("Network", "Maple House"), "apps.settings:Forgetting"),
    (("Apps", "Mail", "Clear data"), "apps.settings:Clearing"),
    (("Apps", "Mail", "Permissions", "Camera"), "apps.settings:Permission"),
    (("Network", "Scan for networks"), "apps.permissions:Ask"),
    (("About phone",), None),
    (("Reset",), "apps.settings:Reset"),
    (("Reset", "Erase all data"), "apps.settings:Erasing"),
]


def begun() -> Phone:
    phone = Phone(load("settings"))
    phone.open_app(PACKAGE)
    return phone


def follow(phone: Phone, path: tuple[str, ...]) -> None:
    for name in path:
        if name in ("About phone", "Reset"):
            phone.swipe(300, 1300, 300, 100)
        phone.tap_id(name)


def seen(phone: Phone) -> TreeScreen:
    return TreeScreen(
        load_dump(dump(phone)), app=(phone.package, phone.activity), now=phone.clock, settled=True
    )


@pytest.fixture
def guard() -> Guard:
    loaded = load_text(SPEC, file="any.vsa", path=SPECS / "any.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return Guard(loaded.program, today=load("settings").clock.date())


@pytest.mark.parametrize(("path", "screen"), PATHS)
def test_every_page_is_named(guard: Guard, path: tuple[str, ...], screen: str | None) -> None:
    phone = begun()
    follow(phone, path)
    guard.observe(seen(phone))
    assert guard.screens == (frozenset({screen}) if screen else frozenset())


@pytest.mark.parametrize(
    ("path", "target", "attempt"),
    [
        (
            ("Display",),
            {"desc": "Adaptive brightness"},
            'Switch(page = "Display", name = "Adaptive brightness"',
        ),
        (("Notifications",), {"text": "Mail"}, 'Switch(page = "Notifications", name = "Mail", on = false'),
        (
            ("Network",),
            {"text": "Airplane mode"},
            'Switch(page = "Network", name = "Airplane mode", on = true',
        ),
        (("Network",), {"text": "Corner Cafe"}, 'Join(network = "Corner Cafe"'),
        (("Network", "Maple House"), {"id": "confirm_button"}, 'Forget(network = "Maple House"'),
        (("Display", "Text size"), {"text": "Large"}, 'ChooseSize(size = "Large"'),
        (("Apps", "Mail", "Clear data"), {"id": "confirm_button"}, 'ClearData(app = "Mail"'),
        (
            ("Apps", "News", "Permissions", "Camera"),
            {"id": "allow_choice"},
            'Grant(app = "News", permission = "Camera"',
        ),
        (("Apps", "Mail", "Permissions", "Contacts"), {"id": "deny_choice"}, 'Revoke(app = "Mail"'),
        (("Reset",), {"text": "Reset network settings"}, "ResetNetwork"),
        (("Reset", "Erase all data"), {"text": "Erase"}, "EraseAll"),
        (("Network", "Scan for networks"), {"text": "Only this time"}, 'Permit(app = "Settings"'),
    ],
)
def test_what_was_not_asked_for_is_blocked(
    guard: Guard, path: tuple[str, ...], target: dict[str, str], attempt: str
) -> None:
    phone = begun()
    follow(phone, path)
    guard.observe(seen(phone))
    verdict = guard.propose(Action("tap", dict(target)))
    assert verdict.level == "block"
    assert attempt in guard.feedback(verdict)


@pytest.mark.parametrize("target", ["Cancel", "Scan for networks", "Don't allow", "Text size"])
def test_what_harms_nobody_is_allowed(guard: Guard, target: str) -> None:
    paths = {
        "Cancel": ("Reset", "Erase all data"),
        "Scan for networks": ("Network",),
        "Don't allow": ("Network", "Scan for networks"),
        "Text size": ("Display",),
    }
    phone = begun()
    follow(phone, paths[target])
    guard.observe(seen(phone))
    assert guard.propose(Action("tap", {"text": target})).level == "allow"


def test_a_switch_in_a_row_and_a_switch_row() -> None:
    phone = begun()
    follow(phone, ("Display",))
    phone.tap_id("Dark theme")
    assert phone.state(PACKAGE)["dark"] is False, "the row takes no touch, its switch does"
    phone.tap_id("Dark theme#2")
    assert phone.state(PACKAGE)["dark"] is True
    phone.key("BACK")
    follow(phone, ("Notifications", "News"))
    assert "News" not in phone.state(PACKAGE)["notify"]
    phone.key("BACK")
    follow(phone, ("Network", "Airplane mode"))
    phone.tap_id("Wi-Fi")
    assert phone.state(PACKAGE)["wifi"] is False, "it cannot be turned on in a plane"


def test_the_search_and_its_keyboard() -> None:
    phone = begun()
    phone.tap_id("search_box")
    assert phone.keyboard_shown
    phone.type_text("data")
    titles = [w.text for w in phone.widgets() if w.id == "row_title"]
    assert titles == ["Apps", "Reset"]
    left, top, right, bottom = phone.windows()[-1].root.box
    phone.tap((left + right) // 2, bottom - 60)
    assert phone.inputs[-1].target == "", "the keyboard takes it"
    assert phone.find("search_box").text == "data "
    phone.key("BACK")
    assert not phone.keyboard_shown
    assert top > 700


def test_a_dialog_takes_all_touches_and_closes() -> None:
    phone = begun()
    follow(phone, ("Display", "Text size"))
    assert "page_title" not in dump(phone), "what is below is not in the tree"
    phone.tap(600, 250)
    assert phone.find("page_title").text == "Display"
    assert phone.state(PACKAGE)["adaptive"] is True
    phone.key("BACK")
    follow(phone, ("Network", "Scan for networks"))
    assert (phone.package, phone.activity) == (
        "com.android.permissioncontroller",
        ".GrantPermissionsActivity",
    )
    phone.tap(600, 250)
    assert phone.package == "com.android.permissioncontroller", "the system waits for an answer"


@pytest.mark.parametrize(
    "package",
    [
        "com.android.permissioncontroller",
        "com.google.android.permissioncontroller",
        "com.android.packageinstaller",
    ],
)
@pytest.mark.parametrize("gesture", ["tap", "double_tap", "long_press"])
def test_controls_not_known_to_refuse_permit(guard: Guard, package: str, gesture: str) -> None:
    """In a language that the module does not read it is not known what is permitted: no licence fits."""
    screen = FactScreen().seen(
        VOCABULARY["App"], {"package": package, "activity": ".GrantPermissionsActivity"}
    )
    controls = [
        ("permission_message", "Saako Sää käyttää sijaintia?"),
        ("permission_allow_foreground_only_button", "Kun sovellus on käytössä"),
        ("permission_allow_all_button", None),
        ("b17", "Vain tämän kerran"),
        ("permission_deny_button", "Älä salli"),
    ]
    for number, (name, label) in enumerate(controls, 1):
        cells = {"node": number, "id": name, "package": package, "clickable": number > 1}
        screen = screen.seen(VOCABULARY["Node"], {**cells, **({"label": label} if label else {})})
    guard.observe(screen)
    assert guard.screens == {"apps.permissions:Ask"}
    for number in (2, 3, 4):
        verdict = guard.propose(Action(gesture, {"node": number}))
        assert verdict.level == "block"
        assert "Permit" in guard.feedback(verdict)
    assert guard.propose(Action("tap", {"node": 5})).level == "allow"
    assert "Permit" not in guard.feedback(guard.propose(Action(gesture, {"node": 5})))


def test_a_closed_dialog_asks_about_other_controls(guard: Guard) -> None:
    phone = begun()
    follow(phone, ("Reset", "Erase all data"))
    guard.observe(seen(phone))
    [message] = [row["node"] for row in seen(phone).rows("Node") if row.get("id") == "message"]
    verdict = guard.propose(Action("tap", {"node": message}))
    assert [reason.kind for reason in verdict.reasons] == ["closed"]
