"""Where it is not settled which node takes a touch, the other one is judged, too; lists are in the screen's order."""

from vsalang.guard.judge.resolve import covering
from vsalang.guard.world.list_windows import Arrangement
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump, load_tree, track

CLICK = 'clickable="true" long-clickable="false" scrollable="false"'
QUIET = 'clickable="false" long-clickable="false" scrollable="false"'


def screen(body: str) -> TreeScreen:
    return TreeScreen(load_dump(f"<hierarchy>{body}</hierarchy>"))


def other(made: TreeScreen, x: int, y: int) -> tuple:
    cells = made.target("tap", {"x": x, "y": y})
    assert cells["covered"] is True
    found = covering(made, cells)
    assert (found["x"], found["y"]) == (x, y)
    return cells.get("text"), found.get("text")


def test_what_is_drawn_over_may_take_the_touch() -> None:
    kids = f'<node text="under" bounds="[0,0][9,9]" {CLICK}/><node text="over" bounds="[0,0][9,9]" {QUIET}/>'
    assert other(screen(f'<node bounds="[0,0][9,9]" {QUIET}>{kids}</node>'), 1, 1) == ("under", "over")


def test_what_is_drawn_later_may_stand_earlier() -> None:
    over = f'<node text="over" bounds="[0,0][9,9]" drawing-order="2" {QUIET}/>'
    under = f'<node text="under" bounds="[0,0][9,9]" drawing-order="1" {CLICK}/>'
    made = screen(f'<node bounds="[0,0][9,9]" {QUIET}>{over}{under}</node>')
    assert other(made, 1, 1) == ("under", "over")


def test_a_window_above_stands_earlier() -> None:
    over = f'<node text="dialog" bounds="[0,0][9,9]" {QUIET}/>'
    under = f'<node bounds="[0,0][9,9]" {QUIET}><node text="Pay" bounds="[0,0][9,9]" {CLICK}/></node>'
    assert other(screen(over + under), 1, 1) == ("Pay", "dialog")
    both = f'<node text="dialog" bounds="[0,0][9,9]" {CLICK}/>'
    assert other(screen(both + under), 1, 1) == ("dialog", "Pay")


def test_an_unsaid_clickable_may_take_the_touch() -> None:
    kid = '<node text="unknown" bounds="[0,0][9,9]" long-clickable="false" scrollable="false"/>'
    made = screen(f'<node text="row" bounds="[0,0][9,9]" {CLICK}>{kid}</node>')
    assert other(made, 1, 1) == ("row", "unknown")


def test_elements_without_their_tree_are_judged_themselves() -> None:
    box = {"x_min": 0, "x_max": 9, "y_min": 0, "y_max": 9}
    made = TreeScreen(load_tree([{"text": "Pay", "is_clickable": False, "bbox_pixels": box}]))
    assert other(made, 1, 1) == (None, "Pay")


def test_rows_stand_in_the_order_of_the_screen() -> None:
    def page(*titles: str) -> str:
        rows = "".join(f'<node text="{t}" class="Row" bounds="[0,0][9,9]" {CLICK}/>' for t in titles)
        title = '<node text="Page" bounds="[0,0][9,9]"/>'
        return f'<hierarchy><node bounds="[0,0][9,9]" {QUIET}>{rows}{title}</node></hierarchy>'

    before = load_dump(page("B", "C"))
    after = track(before, load_dump(page("A", "B", "C")))
    numbers = {n.text: n.node for n in after.nodes}
    assert numbers["A"] > numbers["C"] > numbers["B"]
    made = TreeScreen(after)
    assert Arrangement.of(made).in_order({numbers["C"], numbers["A"], numbers["B"], 999}) == (
        numbers["A"],
        numbers["B"],
        numbers["C"],
        999,
    )
    assert Arrangement.of(None).in_order({3, 1}) == (1, 3)
