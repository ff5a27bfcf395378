"""Screens through somebody else's eyes: two looks that agree, and what cannot be read is an error."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest

from vsalang.agents.looking import Glimpse, screens
from vsalang.guard.world.news import same
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, load_dump


def tree(*texts: str) -> dict[str, Any]:
    """A state as mobilerun's portal gives it."""
    kids = [
        {
            "className": "android.widget.TextView",
            "text": text,
            "boundsInScreen": {"left": 0, "top": 100 * n, "right": 100, "bottom": 100 * n + 90},
        }
        for n, text in enumerate(texts)
    ]
    root = {"className": "android.widget.FrameLayout", "text": ""}
    box = {"left": 0, "top": 0, "right": 100, "bottom": 1000}
    return {
        "a11y_tree": {**root, "boundsInScreen": box, "children": kids},
        "phone_state": {"packageName": "com.shop", "activityName": ".Main"},
    }


def looks(*trees: Any) -> Iterator[Glimpse]:
    for one in trees:
        yield Glimpse(one)
    while True:
        yield Glimpse(trees[-1])


def texts(screen: Any) -> list[str]:
    return [row["text"] for row in screen.rows("Node") if row.get("text")]


def test_it_looks_until_two_looks_agree() -> None:
    seen = looks(tree("a"), tree("a", "b"), tree("a", "b"))
    screen = screens(lambda: next(seen), name="a state", interval=0)()
    assert texts(screen) == ["a", "b"] and screen.settled
    assert screen.app == ("com.shop", ".Main") and screen.now is None


def test_a_screen_that_never_settles_says_so() -> None:
    count = 0

    def glimpse() -> Glimpse:
        nonlocal count
        count += 1
        return Glimpse(tree(str(count)), ("com.other", None), dt.datetime(2026, 4, 1, 12))

    screen = screens(glimpse, name="a state", interval=0, timeout=0)()
    assert count == 2 and not screen.settled and not list(screen.rows("Settled"))
    assert screen.app == ("com.other", None)
    assert list(screen.rows("Clock")) == [{"now": dt.time(12), "today": dt.date(2026, 4, 1)}]


def test_nodes_keep_their_numbers_from_look_to_look() -> None:
    seen = looks(tree("a", "b"), tree("a", "b"), tree("a", "b", "c"))
    take = screens(lambda: next(seen), name="a state", interval=0)
    first, again = (
        {row["text"]: row["node"] for row in take().rows("Node") if row.get("text")} for _ in "12"
    )
    assert first.items() < again.items()


@pytest.mark.parametrize(
    "nonsense", [{"a11y_tree": 7}, {}, None, "", "<hierarchy", {"status": "error", "error": "no service"}]
)
def test_what_is_no_tree_is_an_error(nonsense: Any) -> None:
    with pytest.raises(DumpError):
        screens(lambda: Glimpse(nonsense), name="a state", interval=0)()


def test_an_empty_state_is_partial() -> None:
    screen = screens(lambda: Glimpse([]), name="a state", interval=0)()
    assert screen.partial and not texts(screen)


def look_at(*, toasts: tuple[str, ...] = (), second: int = 0, **system: Any) -> TreeScreen:
    tree = load_dump(
        '<hierarchy rotation="0"><node class="android.view.View" bounds="[0,0][9,9]" /></hierarchy>'
    )
    return TreeScreen(tree, now=dt.datetime(2026, 1, 1, 12, 0, second), toasts=toasts, system=system)


def test_two_looks_say_the_same_but_for_the_time() -> None:
    assert same(look_at(), look_at(second=5))
    assert not same(None, look_at())
    assert not same(look_at(toasts=("a",)), look_at(toasts=("a",)))  # it showed again
    assert same(look_at(toasts=("a",)), look_at())
    on, off = ({"name": "wifi", "value": value} for value in ("1", "0"))
    assert same(look_at(Setting=[on]), look_at(Setting=[on]))
    assert not same(look_at(Setting=[on]), look_at(Setting=[off]))
    assert not same(look_at(Setting=[on]), look_at())
    assert not same(look_at(FileChanged=[]), look_at(FileChanged=[{"path": "/sdcard/a"}]))
