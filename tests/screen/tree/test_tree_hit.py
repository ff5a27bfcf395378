"""What a tap really hits, case by case; and against an oracle that hands a touch down as Android does."""

import json
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, hit, load_dump, load_tree
from vsalang.screen.tree.hit import is_keyboard, stacked

APP, KEYS, SYSTEM = "com.app", "com.google.android.inputmethod.latin", "com.android.systemui"


def node(bounds: str, *kids: str, package: str = APP, **attrs: str) -> str:
    left, top, right, bottom = bounds.split(",")
    values = {"clickable": "false", "long-clickable": "false", "scrollable": "false", "enabled": "true"}
    values |= {"package": package, "bounds": f"[{left},{top}][{right},{bottom}]"}
    values |= {name.replace("_", "-"): value for name, value in attrs.items()}
    said = " ".join(f"{name}={quoteattr(value)}" for name, value in values.items())
    return f"<node {said}>{''.join(kids)}</node>"


def button(bounds: str, text: str, **attrs: str) -> str:
    return node(bounds, text=text, clickable="true", **attrs)


def screen(*windows: str, rotation: int = 0) -> TreeScreen:
    return TreeScreen(load_dump(f'<hierarchy rotation="{rotation}">{"".join(windows)}</hierarchy>'))


def at(made: TreeScreen, x: int, y: int) -> tuple:
    cells = made.target("tap", {"x": x, "y": y})
    return cells.get("text"), cells["covered"]


PAGE = node("0,0,1080,2400", button("0,2200,1080,2300", "Pay"), button("0,500,1080,600", "Next"))


def test_the_nearest_clickable_node_around_takes_the_touch() -> None:
    row = button("0,0,1080,100", "row", enabled="true")
    made = screen(
        node("0,0,1080,2400", row.replace("></node>", f">{node('0,0,99,99', text='title')}</node>"))
    )
    assert at(made, 50, 50) == ("row", False)


def test_a_disabled_button_swallows_the_touch() -> None:
    made = screen(
        button("0,0,1080,2400", "page").replace(
            "></node>", f">{button('0,0,9,9', 'off', enabled='false')}</node>"
        )
    )
    assert at(made, 5, 5) == ("off", False)


def test_a_point_off_the_screen_hits_nothing() -> None:
    for x, y in ((-1, 5), (1080, 5), (5, 2400), (10**6, 10**6)):
        with pytest.raises(UnresolvedTarget, match="no window"):
            screen(PAGE).target("tap", {"x": x, "y": y})


def test_left_and_top_bounds_belong_to_a_node() -> None:
    made = screen(PAGE)
    assert at(made, 0, 500)[0] == at(made, 1079, 599)[0] == "Next"
    assert at(made, 0, 499)[0] is at(made, 0, 600)[0] is None


def test_what_lies_outside_its_parent_is_not_touched_there() -> None:
    made = screen(node("0,0,1080,2400", node("0,0,500,500", button("400,400,900,900", "half"))))
    assert at(made, 450, 450) == ("half", False)
    assert at(made, 600, 600) == (None, False)
    assert made.target("tap", {"text": "half"})["x"] == 450  # the middle of what shows of it


def test_what_lies_outside_its_window_is_not_touched() -> None:
    made = screen(node("0,0,1080,2400", button("-50,2350,50,2450", "corner")))
    assert at(made, 10, 2390) == ("corner", False)
    assert made.target("tap", {"text": "corner"})["y"] == 2375


def test_a_node_without_area_takes_no_touch() -> None:
    made = screen(
        node(
            "0,0,1080,2400",
            button("5,5,5,500", "thin"),
            button("9,9,3,3", "turned"),
            button("0,0,99,99", "real"),
        )
    )
    assert at(made, 5, 50) == ("real", False)
    with pytest.raises(UnresolvedTarget, match="no node that shows"):
        made.target("tap", {"text": "thin"})


def test_later_siblings_lie_above_unless_the_drawing_order_differs() -> None:
    def two(first: str, second: str) -> TreeScreen:
        one = button("0,0,99,99", "one", **({"drawing_order": first} if first else {}))
        other = button("0,0,99,99", "other", **({"drawing_order": second} if second else {}))
        return screen(node("0,0,1080,2400", one, other))

    assert at(two("", ""), 5, 5)[0] == at(two("1", "2"), 5, 5)[0] == at(two("2", ""), 5, 5)[0] == "other"
    assert at(two("2", "1"), 5, 5)[0] == "one"


def test_a_picture_over_a_button_leaves_it_open() -> None:
    made = screen(node("0,0,1080,2400", button("0,0,99,99", "under"), node("0,0,500,500", text="picture")))
    assert at(made, 5, 5) == ("under", True)


@pytest.mark.parametrize("above", [True, False])
def test_a_key_takes_touches_wherever_its_window_is_listed(above: bool) -> None:
    keys = node("0,1600,1080,2400", button("0,2200,108,2300", "q", package=KEYS), package=KEYS)
    made = screen(*([keys, PAGE] if above else [PAGE, keys]))
    assert at(made, 50, 2250) == ("q", False)
    assert at(made, 50, 550) == ("Next", False)  # a keyboard does not take what is next to it
    assert made.target("tap", {"text": "Pay"}) | {} == {**made.target("tap", {"x": 540, "y": 2250})}


def test_between_keys_a_keyboard_covers_what_is_under_it() -> None:
    keys = node(
        "0,1600,1080,2400", button("0,2200,108,2300", "q", package=KEYS), package=KEYS, text="keyboard"
    )
    made = screen(PAGE, keys)
    cells = made.target("tap", {"text": "Pay"})
    assert cells["covered"] is True
    assert made.tree.by_number[cells["leaf"]].text == "keyboard"
    assert at(made, 540, 1700)[1] is False  # nothing of the app is there
    assert made.target("tap", {"x": 540, "y": 1700})["text"] == "keyboard"


def test_an_app_that_makes_room_is_not_covered() -> None:
    small = node("0,0,1080,1600", button("0,1500,1080,1600", "Pay"))
    made = screen(node("0,1600,1080,2400", button("0,1600,108,1700", "q", package=KEYS), package=KEYS), small)
    assert at(made, 540, 1550) == ("Pay", False)


@pytest.mark.parametrize(
    ("package", "kind", "keyboard"),
    [
        (KEYS, None, True),
        ("com.samsung.android.honeyboard", None, True),
        ("com.touchtype.swiftkey", None, True),
        ("com.android.adbkeyboard", None, True),
        ("com.app.ime", None, True),
        ("com.time.app", None, False),
        ("com.app", "input method", True),
        (KEYS, "application", False),
        (None, None, False),
    ],
)
def test_which_windows_are_keyboards(package: str | None, kind: str | None, keyboard: bool) -> None:
    window = {"window_type": {"input method": 2, "application": 1, None: 0}[kind], "layer": 1}
    box = {"bounds_in_screen": {"right": 9, "bottom": 9}}
    tree = load_tree(json.dumps({"windows": [window | {"tree": {"nodes": [box | {"package_name": package or "",
                     "is_visible_to_user": True}]}}]}))  # fmt: skip
    assert is_keyboard(tree.windows[0]) is keyboard


def test_a_dialog_may_take_the_touch_beside_it() -> None:
    dialog = node("100,800,980,1600", button("100,1500,980,1600", "OK"))
    made = screen(dialog, PAGE)
    assert at(made, 500, 1550) == ("OK", False)
    assert at(made, 540, 550) == ("Next", True)
    whole = node("0,0,1080,2400", node("100,800,980,1600", button("100,1500,980,1600", "OK")))
    assert at(screen(whole, PAGE), 540, 550) == (
        "Next",
        True,
    )  # the same, dimmed by a window of the screen's size


def test_bars_and_windows_without_focus_take_nothing_beside_them() -> None:
    status = node("0,0,1080,63", button("900,0,1080,63", "clock", package=SYSTEM), package=SYSTEM)
    navigation = node("0,2274,1080,2400", button("400,2274,680,2400", "Home", package=SYSTEM), package=SYSTEM)
    made = screen(status, navigation, PAGE)
    assert at(made, 540, 550) == ("Next", False)
    assert at(made, 950, 30) == ("clock", False)
    assert at(made, 540, 2290) == ("Pay", True) or at(made, 540, 2290) == ("Home", True)
    box = {"bounds_in_screen": {"left": 5, "top": 5, "right": 9, "bottom": 9}}
    page = {"bounds_in_screen": {"right": 90, "bottom": 90}}
    seen = {"is_visible_to_user": True, "is_clickable": True}
    for focused, covered in ((True, True), (False, False)):
        bubble = {"layer": 2, "is_focused": focused, "window_type": 1, "tree": {"nodes": [box | seen]}}
        app = {
            "layer": 1,
            "is_focused": not focused,
            "window_type": 1,
            "tree": {"nodes": [page | seen | {"text": "app"}]},
        }
        assert at(TreeScreen(load_tree({"windows": [bubble, app]})), 50, 50) == ("app", covered)


def test_two_apps_side_by_side_take_their_own_touches() -> None:
    upper, lower = (
        node("0,0,1080,1200", button("0,0,99,99", "up")),
        node("0,1200,1080,2400", button("0,1200,99,1300", "down")),
    )
    made = screen(upper, lower)
    assert at(made, 5, 5) == ("up", False)
    assert at(made, 5, 1250) == ("down", False)


def test_a_rotated_screen_has_the_points_of_its_rotation() -> None:
    made = screen(node("0,0,2400,1080", button("2200,0,2400,1080", "side")), rotation=1)
    assert at(made, 2300, 500) == ("side", False)
    with pytest.raises(UnresolvedTarget):
        made.target("tap", {"x": 500, "y": 2300})


# ---------------------------------------------------------------------- an oracle

FLAG = st.sampled_from(["true", "false", "false"])
EDGE = st.integers(-3, 20)


@dataclass
class Made:
    """A view as it was made up. `order` is given for all siblings or for none of them."""

    bounds: tuple[int, int, int, int]
    clickable: str
    long_clickable: str
    enabled: str
    visible: bool
    order: int | None
    kids: list["Made"] = field(default_factory=list)
    number: int = 0

    def xml(self, package: str) -> str:
        order = "" if self.order is None else f' drawing-order="{self.order}"'
        left, top, right, bottom = self.bounds
        return (
            f'<node package="{package}" bounds="[{left},{top}][{right},{bottom}]" clickable="{self.clickable}" '
            f'long-clickable="{self.long_clickable}" enabled="{self.enabled}" scrollable="false"'
            f"{'' if self.visible else ' visible-to-user=' + chr(34) + 'false' + chr(34)}{order}>"
            f"{''.join(kid.xml(package) for kid in self.kids)}</node>"
        )


def views(kids: st.SearchStrategy[list[Made]]) -> st.SearchStrategy[Made]:
    boxes = st.tuples(EDGE, EDGE, EDGE, EDGE)
    return st.builds(
        Made,
        boxes,
        FLAG,
        FLAG,
        FLAG,
        st.sampled_from([True, True, True, False]),
        st.none() | st.integers(0, 2),
        kids,
    )


TREES = st.recursive(views(st.just([])), lambda kids: views(st.lists(kids, max_size=4)), max_leaves=10)
WINDOWS = st.lists(
    st.tuples(st.sampled_from([APP, "com.other", KEYS, SYSTEM]), TREES), min_size=1, max_size=3
)


def number_all(windows: list[tuple[str, Made]]) -> Tree:
    count = 0
    pending = [made for _, made in reversed(windows)]
    while pending:
        made = pending.pop()
        count += 1
        made.number = count
        pending.extend(reversed(made.kids))
    return load_dump(f"<hierarchy>{''.join(made.xml(package) for package, made in windows)}</hierarchy>")


def dispatch(
    view: Made, x: int, y: int, path: tuple[int, ...], seen: list[tuple[int, ...]]
) -> tuple[int, ...] | None:
    """Hand a touch down: children from the one drawn last, then the view itself. The path to the one that takes it.

    Args:
        seen: gets the path of each view that holds the point and shows, the topmost first.
    """
    left, top, right, bottom = view.bounds
    if not (left <= x < right and top <= y < bottom):
        return None
    path = (*path, view.number)
    kids = list(view.kids)
    if all(kid.order is not None for kid in kids):
        kids.sort(key=lambda kid: kid.order or 0)
    taken = None
    for kid in reversed(kids):
        inner = dispatch(kid, x, y, path, seen)
        taken = taken or inner
    if view.visible:
        seen.append(path)
        if taken is None and "true" in (view.clickable, view.long_clickable):
            taken = path
    return taken


@pytest.mark.slow
@given(WINDOWS, st.integers(-4, 21), st.integers(-4, 21))
def test_hits_agree_with_an_oracle_that_hands_touches_down(
    windows: list[tuple[str, Made]], x: int, y: int
) -> None:
    tree = number_all(windows)
    found = hit(tree, x, y)
    stack = [number + 1 for number in range(len(windows))]
    for number in list(stack):  # keyboards above all but other keyboards and the system
        if windows[number - 1][0] == KEYS:
            stack.remove(number)
            place = number - 1
            while place and windows[stack[place - 1] - 1][0] not in (KEYS, SYSTEM):
                place -= 1
            stack.insert(place, number)
    shown = {w.window: w for w in tree.windows}
    assert [w.window for w in stacked(tree)] == [n for n in stack if n in shown]
    here: list[tuple[int, tuple[int, ...] | None, list[tuple[int, ...]]]] = []
    for number in stack:
        seen: list[tuple[int, ...]] = []
        box = windows[number - 1][1].bounds
        taken = dispatch(windows[number - 1][1], x, y, (), seen)
        if number in shown and box[0] <= x < box[2] and box[1] <= y < box[3]:
            here.append((number, taken, seen))
    if not here:
        assert found is None
        return
    assert found is not None
    top, taken, seen = here[0]
    leaf = seen[0] if seen else None
    assert (found.leaf.node if found.leaf else None) == (leaf[-1] if leaf else None)
    first = next((path for _, path, _ in here if path is not None), None)
    assert (found.taker.node if found.taker else None) == (first[-1] if first else None)
    beside = taken is not None and (leaf is None or leaf[: len(taken)] != taken)
    key = taken is not None and windows[top - 1][0] == KEYS
    below = any(path is not None for _, path, _ in here[1:])
    if key or beside or below:
        assert found.covered == (beside or not key)
    elif found.covered:
        # Then only a dialog above can be the reason: it lies in the window, and is neither keyboard nor system.
        above = [shown[n] for n in stack[: stack.index(top)] if n in shown]
        under = shown[top]
        assert any(
            w.package not in (KEYS, SYSTEM)
            and under.left <= w.left <= w.right <= under.right
            and under.top <= w.top <= w.bottom <= under.bottom
            for w in above
        )
