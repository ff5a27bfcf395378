"""Generic modules add actions and duty, and take none away: screens, tracks, and what belongs to one app."""

from pathlib import Path

import pytest

from tests.guard.phones import guard, screen
from vsalang.guard import Guard
from vsalang.guard.say.verdict import Verdict
from vsalang.guard.world.beliefs import EMPTY, World
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.guard.world.views_by_app import ViewsByApp, without_views
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.values import Value

EVERY = """app every any "Every app"
screen Sheet "a sheet" when Node(id = "sheet").
screen Box closed "a box" when Node(id = "box").
{more}
view Typed "what was typed" {{ text: Text "the text" }}
update Typed(text = ?t) when tap(id = "name", text = ?t).
view Page on Sheet "what a sheet shows" {{ text: Text "the text" }}
update Page(text = ?t) when tap(id = "name", text = ?t).
action Send(text: Text "the text") "Send"
recognize Send(text = ?t) when tap(id = "send") with Typed(text = ?t).
"""
SHOP = """app shop package "com.shop" "A shop"
{imports}
screen Shelf "a shelf" when Node(id = "shelf").
screen Menu closed "the menu" when Node(id = "menu").
state Chosen "what is chosen" {{ name: Text "its name" }}
update Chosen(name = ?t) when tap(id = "row", text = ?t).
"""
SPEC = """spec task "Choose tea and send it."
{imports}
allow Send(text = "tea").
done when {done}.
"""


def program(
    folder: Path, *, shop: bool = True, every: bool = True, more: str = "", done: str = ""
) -> Program:
    (folder / "every.vsa").write_text(EVERY.format(more=more), encoding="utf-8")
    (folder / "shop.vsa").write_text(SHOP.format(imports=""), encoding="utf-8")
    imports = "import shop\n" * shop + "import every\n" * every
    goal = done or ('Chosen(name = "tea")' if shop else "Send earlier")
    text = SPEC.format(imports=imports, done=goal)
    text = text if every else text.replace('allow Send(text = "tea").\n', "")
    (folder / "task.vsa").write_text(text, encoding="utf-8")
    return load(folder / "task.vsa").checked()


def tap(made: Guard, **target: Value) -> Verdict:
    return made.propose(Action("tap", target))


def kinds(verdict: Verdict) -> set[str]:
    return {reason.kind for reason in verdict.reasons}


def seen(folder: Path, *nodes: dict[str, Value], app: str = "com.shop", **options: bool | str) -> Guard:
    made = guard(program(folder, **options))  # type: ignore[arg-type]
    made.observe(screen(*nodes, app=app))
    return made


@pytest.mark.parametrize("shop", [True, False])
def test_no_screen_is_known_by_it(tmp_path: Path, shop: bool) -> None:
    nodes: tuple[dict[str, Value], ...] = ({"id": "sheet"}, {"id": "ok", "clickable": True})
    for app in ("com.shop", "com.other"):
        made = seen(tmp_path, *nodes, app=app, shop=shop)
        assert "unknown_screen" in kinds(tap(made, id="ok"))


def test_no_app_in_front_is_known_by_it(tmp_path: Path) -> None:
    made = guard(program(tmp_path))
    shown = screen({"id": "sheet", "package": None}, {"id": "ok", "package": None, "clickable": True})
    facts = {name: rows for name, rows in shown.facts.items() if name != "App"}
    made.observe(type(shown)(facts))
    assert "unknown_screen" in kinds(tap(made, id="ok"))


def test_a_known_screen_stays_known(tmp_path: Path) -> None:
    made = seen(tmp_path, {"id": "sheet"}, {"id": "shelf"}, {"id": "ok", "clickable": True})
    assert tap(made, id="ok").level == "allow"


def test_two_of_its_screens_at_once_ask(tmp_path: Path) -> None:
    nodes: tuple[dict[str, Value], ...] = ({"id": "sheet"}, {"id": "shelf"}, {"id": "ok", "clickable": True})
    more = 'screen Form "a form" when Node(id = "sheet").'
    verdict = tap(seen(tmp_path, *nodes, more=more), id="ok")
    assert kinds(verdict) == {"unknown_screen"} and "Form" in verdict.reasons[0].message


def test_it_opens_no_closed_screen_of_an_app(tmp_path: Path) -> None:
    nodes: tuple[dict[str, Value], ...] = ({"id": "menu"}, {"id": "name", "text": "tea", "clickable": True})
    assert kinds(tap(seen(tmp_path, *nodes), id="name")) == {"closed"}
    row = seen(tmp_path, {"id": "menu"}, {"id": "row", "text": "tea", "clickable": True})
    assert tap(row, id="row").level == "allow"


def test_its_own_closed_screens_ask_in_every_app(tmp_path: Path) -> None:
    nodes: tuple[dict[str, Value], ...] = ({"id": "shelf"}, {"id": "box"})
    other = seen(tmp_path, *nodes, {"id": "ok", "clickable": True})
    assert kinds(tap(other, id="ok")) == {"closed"}
    own = seen(tmp_path, *nodes, {"id": "name", "text": "tea", "clickable": True})
    assert tap(own, id="name").level == "allow"


def test_what_it_recognises_keeps_the_warning_off_the_track(tmp_path: Path) -> None:
    more = 'action Pick(text: Text "the text") "Pick"\nrecognize Pick when tap(id = "row").\n'
    spec = program(tmp_path, more=more)
    text = (
        (tmp_path / "task.vsa").read_text(encoding="utf-8").replace("allow Send", "allow Pick.\nallow Send")
    )
    (tmp_path / "task.vsa").write_text(text, encoding="utf-8")
    spec = load(tmp_path / "task.vsa").checked()
    made = guard(spec)
    made.observe(screen({"id": "shelf"}, {"id": "row", "text": "oil", "clickable": True}, app="com.shop"))
    assert kinds(tap(made, id="row")) == {"frontier"}


def _look(made: Guard, app: str) -> None:
    made.observe(
        screen(
            {"id": "shelf"},
            {"id": "sheet"},
            {"id": "name", "text": "tea", "clickable": True},
            {"id": "send", "clickable": True},
            app=app,
        )
    )


def _typed(made: Guard, app: str) -> None:
    made.commit(tap(made, id="name"), approved=True)
    _look(made, app)


def test_a_view_belongs_to_the_app_in_front(tmp_path: Path) -> None:
    made = guard(program(tmp_path), unknown_screen="allow")
    _look(made, "com.shop")
    _typed(made, "com.shop")
    assert tap(made, id="send").level == "allow"
    _look(made, "com.other")
    assert kinds(tap(made, id="send")) == {"unlicensed"}
    _typed(made, "com.other")
    assert tap(made, id="send").level == "allow"
    _look(made, "com.shop")
    assert tap(made, id="send").level == "allow"


def _without_app(shown: FactScreen) -> FactScreen:
    return FactScreen({name: rows for name, rows in shown.facts.items() if name != "App"})


@pytest.mark.parametrize("typed_in", [None, "com.shop"])
@pytest.mark.parametrize("sent_in", [None, "com.shop", "com.other"])
def test_no_view_is_carried_through_an_unknown_app(
    tmp_path: Path, typed_in: str | None, sent_in: str | None
) -> None:
    """What is typed is believed only while one app is in front for certain; it comes back with that app alone."""
    made = guard(program(tmp_path), unknown_screen="allow")
    nodes: tuple[dict[str, Value], ...] = ({"id": "name", "text": "tea", "clickable": True}, {"id": "send"})
    told = screen(*nodes, app=typed_in or "com.shop")
    made.observe(told if typed_in else _without_app(told))
    made.commit(tap(made, id="name"), approved=True)
    made.observe(told if typed_in else _without_app(told))
    for app in ("com.third", sent_in):
        shown = screen({"id": "send", "clickable": True}, app=app or "com.evil")
        made.observe(shown if app else _without_app(shown))
    same = typed_in is not None and typed_in == sent_in
    assert (tap(made, id="send").level == "allow") is same
    assert same or "unlicensed" in kinds(tap(made, id="send"))


@pytest.mark.parametrize(("package", "level"), [("com.shop", "allow"), ("com.evil", "block")])
def test_a_view_says_nothing_of_another_apps_window(tmp_path: Path, package: str, level: str) -> None:
    """A window of another app lies over the app in front: what was typed there is not what it sends."""
    made = guard(program(tmp_path), unknown_screen="allow")
    made.observe(screen({"id": "name", "text": "tea", "clickable": True}, app="com.shop"))
    made.commit(tap(made, id="name"), approved=True)
    made.observe(screen({"id": "send", "clickable": True, "package": package}, app="com.shop"))
    assert tap(made, id="send").level == level


def test_of_many_apps_the_oldest_are_forgotten(tmp_path: Path) -> None:
    made = program(tmp_path)
    views = ViewsByApp(made)
    world, aside = World(), {}
    for number in range(100):
        world = world.put("every.Typed", EMPTY)
        world, aside = views.change(world, aside, f"com.a{number}", f"com.a{number + 1}")  # type: ignore[assignment]
    assert len(aside) == 64 and "com.a99" in aside and "com.a0" not in aside
    assert not any(without_views(aside, ["every.Typed"]).values())


def test_views_of_an_app_are_not_among_them(tmp_path: Path) -> None:
    assert ViewsByApp(program(tmp_path)) and not ViewsByApp(program(tmp_path, every=False))


def test_a_view_with_screens_goes(tmp_path: Path) -> None:
    made = ViewsByApp(program(tmp_path))
    world = World().put("every.Page", EMPTY).put("every.Typed", EMPTY).put("shop.Chosen", EMPTY)
    _, aside = made.change(world, {}, "com.a", "com.b")
    assert dict(aside) == {"com.a": {"every.Typed": EMPTY}}


POLICY = """policy careful "Ask"
import every
confirm "send?" when Send, not Licensed.
"""


@pytest.mark.parametrize("imports", ["", "import every\n"])
def test_what_only_a_policy_imports_needs_no_licence(tmp_path: Path, imports: str) -> None:
    """A policy asks about the actions of every app; the task is about them only if it imports their module."""
    (tmp_path / "every.vsa").write_text(EVERY.format(more=""), encoding="utf-8")
    (tmp_path / "shop.vsa").write_text(
        SHOP.format(imports=imports) + 'action Take "take it"\nrecognize Take when tap(id = "take").\n'
        'recognize Take when tap(id = "send", label = "take").\n',
        encoding="utf-8",
    )
    (tmp_path / "careful.vsa").write_text(POLICY, encoding="utf-8")
    (tmp_path / "task.vsa").write_text(
        'spec task "Take it"\nimport shop\nallow Take.\ndone when Take earlier.\n', encoding="utf-8"
    )
    made = guard(load(tmp_path / "task.vsa", policies=[tmp_path / "careful.vsa"]).checked())
    buttons = ({"id": "shelf"}, {"id": "send", "clickable": True}, {"id": "take", "clickable": True})
    made.observe(screen(*buttons, app="com.shop"))
    assert kinds(tap(made, id="send")) == ({"unlicensed", "confirm"} if imports else {"confirm"})
    assert tap(made, id="take").level == "allow"
    both = {"id": "send", "label": "take", "clickable": True}
    made.observe(screen({"id": "shelf"}, both, app="com.shop"))
    assert kinds(tap(made, id="send")) == ({"unlicensed", "confirm"} if imports else set())
