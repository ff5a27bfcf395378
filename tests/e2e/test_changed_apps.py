"""An agent that follows hints on a phone whose app is no longer as the map says, through the real client."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.planning.phones import hinted
from vsalang.agents.maps import UTG, Navigator, Reader
from vsalang.agents.session import GuardedSession, SessionOptions, open_guarded
from vsalang.agents.session.step_hints import Hints
from vsalang.guard import StepOutcome
from vsalang.program.action import Action

pytest.importorskip("uiautomator2")

PACKAGE = "org.example.shop"
SPEC = 'spec look "Look at the orders"\nallow answer(text = "seen").\ndone when answer earlier.\n'
PAGES: Mapping[str, tuple[str, ...]] = {
    "home": ("account", "offers"),
    "account": ("orders", "help"),
    "orders": ("refund",),
    "offers": ("back_home",),
    "help": ("call",),
}
"""The buttons of each page; each leads to the page of its name."""
MOST = 20


def phone(
    folder: Path,
    pages: Mapping[str, tuple[str, ...]] = PAGES,
    leads: Mapping[str, str] | None = None,
    more: str = "",
) -> Path:
    """A phone with a shop; `leads`: where a button leads if not to the page of its name."""
    folder.mkdir()
    leads = {"back_home": "home", "refund": "help", "call": "help", **(leads or {})}
    buttons = sorted({button for row in pages.values() for button in row})
    toml = [
        '[phone]\ntitle = "A shop"\nclock = 2026-04-01T12:00:00',
        f'[[app]]\npackage = "{PACKAGE}"\nlabel = "Shop"\nstart = "home"',
        "[app.state]\nsigned_in = false",
        *(f'[[app.screen]]\nname = "{name}"' for name in pages),
        more,
        *(f'[[app.on]]\nevent = "{each}"\ngoto = "{leads.get(each, each)}"' for each in buttons),
    ]
    (folder / "phone.toml").write_text("\n".join(toml))
    for name, row in pages.items():
        inside = "".join(f'<button id="{each}_button" text="{each}" tap="{each}"/>' for each in row)
        (folder / f"{name}.xml").write_text(
            f'<column width="fill" height="fill"><text id="{name}_title" text="{name} page"/>{inside}</column>'
        )
    return folder


class Follower:
    """Does what the hint says; without one taps what it has not tapped on that page yet, else goes back."""

    def __init__(self, session: GuardedSession, hints: Hints | None = None) -> None:
        self.session = session
        self.hints = hints
        self.made: list[str] = []
        self.hinted_names: list[str] = []
        self._tried: set[tuple[str, str]] = set()

    def act(self, action: Action) -> StepOutcome:
        self.made.append(str(action.args.get("id", action.name)))
        return self.session.step(action, approved=True)

    @property
    def page(self) -> str:
        """The page that shows, by its title; empty: something lies over it."""
        ids = {str(row.get("id")) for row in self.session.look().rows("Node")}
        return next((each.removesuffix("_title") for each in sorted(ids) if each.endswith("_title")), "")

    def hinted(self) -> Action | None:
        assert self.hints is not None
        action = hinted(self.session, self.hints)
        if action is None:
            return None
        self.hinted_names.append(str(action.args.get("id", action.name)))
        return action

    def own(self) -> Action:
        page = self.page
        for row in self.session.look().rows("Node"):
            name = str(row.get("id"))
            if row.get("clickable") is True and row.get("enabled") and (page, name) not in self._tried:
                self._tried.add((page, name))
                return Action("tap", {"id": name})
        return Action("back")

    def go(self, goal: str) -> bool:
        for _ in range(MOST):
            if self.page == goal:
                return True
            self.act(self.hinted() or self.own())
        return self.page == goal


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> UTG:
    """A map of the app as it was, learnt from a session on it."""
    folder = tmp_path_factory.mktemp("old")
    (folder / "look.vsa").write_text(SPEC)
    journal = folder / "old.jsonl"
    chosen = SessionOptions(app=PACKAGE, journal=journal)
    with open_guarded(folder / "look.vsa", f"sim:{phone(folder / 'shop')}", chosen) as session:
        follower = Follower(session)
        for name in ("account", "orders", "back", "back", "offers", "back_home"):
            follower.act(Action("back") if name == "back" else Action("tap", {"id": f"{name}_button"}))
    return UTG.from_log(journal, Reader())


def title(utg: UTG, page: str) -> str:
    """The name of the screen of a page on the map: the one that was seen with its title."""
    (name,) = [name for name, screen in utg.screens.items() if f"{page} page" in screen.texts]
    return name


def led(
    known: UTG, folder: Path, shop: Path, goal: str = "orders", agent: type[Follower] = Follower
) -> tuple[bool, Follower, UTG]:
    (folder / "look.vsa").write_text(SPEC)
    hints = Hints(Navigator(known, [title(known, goal)]))
    chosen = SessionOptions(app=PACKAGE, journal=folder / "new.jsonl", hints=hints)
    with open_guarded(folder / "look.vsa", f"sim:{shop}", chosen) as session:
        session.guard.observe(session.first)
        follower = agent(session, hints)
        reached = follower.go(goal)
        assert not hints.problem
        return reached, follower, hints.corrected()


def test_an_app_that_is_as_it_was(known: UTG, tmp_path: Path) -> None:
    reached, follower, _ = led(known, tmp_path, phone(tmp_path / "shop"))
    assert reached and follower.made == ["account_button", "orders_button"]


@pytest.mark.slow
def test_a_stale_map(known: UTG, tmp_path: Path) -> None:
    """The account is behind the offers now, and the old button leads to help."""
    pages = {**PAGES, "offers": ("account_new", "back_home"), "help": ("call",)}
    shop = phone(tmp_path / "shop", pages, {"account": "help", "account_new": "account"})
    reached, first, corrected = led(known, tmp_path, shop)
    assert reached
    assert first.hinted_names.count("account_button") <= 2
    # with what was learnt it is shorter
    (tmp_path / "again").mkdir()
    reached, second, _ = led(corrected, tmp_path / "again", shop)
    assert reached and len(second.made) < len(first.made)


def test_a_button_that_moved_on_its_page(known: UTG, tmp_path: Path) -> None:
    pages = {**PAGES, "account": ("help", "orders"), "home": ("offers", "account")}
    reached, follower, _ = led(known, tmp_path, phone(tmp_path / "shop", pages))
    assert reached and follower.made == ["account_button", "orders_button"]


@pytest.mark.slow
def test_a_button_that_moved_to_another_page(known: UTG, tmp_path: Path) -> None:
    pages = {**PAGES, "account": ("help",), "offers": ("back_home", "orders")}
    reached, follower, _ = led(known, tmp_path, phone(tmp_path / "shop", pages))
    assert reached
    assert "orders_button" in follower.made


@pytest.mark.parametrize("dialog", ["update", "call"])
def test_a_dialog_that_pops_up(known: UTG, tmp_path: Path, dialog: str) -> None:
    more = f"""[scenario]
[[surprise]]
dialog = "{dialog}"
on = "tap"
at = 1
"""
    shop = phone(tmp_path / "shop")
    (shop / "scenarios").mkdir()
    (shop / "scenarios" / "dialog.toml").write_text(more)
    reached, follower, _ = led(known, tmp_path, Path(f"{shop}#dialog"))
    assert reached
    assert len(follower.made) > 2


WALL = """[[app.screen]]
name = "login"
[[app.on]]
event = "account"
when = "not signed_in"
goto = "login"
[[app.on]]
event = "sign_in"
when = "password == 'open'"
set = { signed_in = "true" }
goto = "account"
"""


def walled(folder: Path) -> Path:
    shop = phone(folder, more=WALL)
    text = (shop / "phone.toml").read_text()
    (shop / "phone.toml").write_text(text.replace("signed_in = false", 'signed_in = false\npassword = ""'))
    (shop / "login.xml").write_text(
        '<column width="fill" height="fill"><text id="login_title" text="login page"/>'
        '<edit id="password" hint="Password" text="{{ password }}" bind="password" password="true"/>'
        '<button id="sign_in_button" text="Sign in" tap="sign_in"/></column>'
    )
    return shop


def test_a_login_wall_that_the_agent_may_pass(known: UTG, tmp_path: Path) -> None:
    class Member(Follower):
        def own(self) -> Action:
            if self.page != "login":
                return super().own()
            self.act(Action("input_text", {"id": "password", "value": "open"}))
            return Action("tap", {"id": "sign_in_button"})

    reached, follower, _ = led(known, tmp_path, walled(tmp_path / "shop"), agent=Member)
    assert reached and follower.made == ["account_button", "password", "sign_in_button", "orders_button"]


@pytest.mark.slow
def test_a_login_wall_ends_the_hints(known: UTG, tmp_path: Path) -> None:
    """Who cannot sign in is not sent to the wall again and again."""
    reached, follower, _ = led(known, tmp_path, walled(tmp_path / "shop"))
    assert not reached
    assert follower.hinted_names.count("account_button") <= 2
