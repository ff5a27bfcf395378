"""Under which key a gesture is remembered: what counts as the same screen, the same control, the same gesture."""

from tests.screen.control.making import listed, node, page, text
from vsalang.guard.memory.certificate_keys import Key, key_of, screen_hash
from vsalang.guard.memory.expecting import agreed, useless
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

TOUCH = {"clickable": "true"}


def form(checked: str = "false", *, shift: int = 0, title: str = "Profile") -> Tree:
    box = node(
        "CheckBox",
        at=(0, 200 + shift, 900, 290 + shift),
        text="Agree",
        checked=checked,
        checkable="true",
        **TOUCH,
    )
    save = node("Button", at=(0, 400 + shift, 900, 490 + shift), text="Save", **TOUCH)
    return page(text(title, shift), box, save)


def key(tree: Tree, label: str, gesture: str = "tap", **more: int) -> Key:
    (found,) = [each for each in tree.nodes if each.text == label]
    made = key_of(TreeScreen(tree), Action(gesture, {"node": found.node, **more}))
    assert made is not None
    return made


def test_places_and_texts_are_no_part_of_it() -> None:
    assert key(form(), "Save") == key(form(shift=300, title="Your profile"), "Save")


def test_states_and_names_are_part_of_it() -> None:
    assert key(form(), "Save").screen != key(form("true"), "Save").screen
    assert key(form(), "Agree").control != key(form("true"), "Agree").control
    assert key(form(), "Save").control != key(form(), "Agree").control
    assert key(form(), "Save").gesture != key(form(), "Save", "long_press").gesture


def test_a_list_with_more_rows_is_the_same_screen() -> None:
    short, long = (page(listed(*(f"Row {n}" for n in range(count)))) for count in (2, 5))
    assert screen_hash(short) == screen_hash(long)


def test_a_gesture_without_target_has_a_key() -> None:
    made = key_of(TreeScreen(form()), Action("back"))
    assert made is not None and (made.control, made.gesture) == ("", "back")


def test_where_a_finger_moves_is_part_of_it() -> None:
    tree = form()
    moved = [key(tree, "Save", "swipe", x2=450, y2=end).gesture for end in (10, 900)]
    told = key_of(TreeScreen(tree), Action("scroll", {"x": 5, "y": 5, "direction": "down"}))
    assert moved == ["swipe up", "swipe down"] and told is not None and told.gesture == "scroll down"


def test_what_is_not_found_has_no_key() -> None:
    assert key_of(TreeScreen(form()), Action("tap", {"node": 999})) is None
    assert key_of(TreeScreen(form()), Action("tap", {"x": -5, "y": 5})) is None


def test_a_contradiction_lowers_what_is_told() -> None:
    assert useless({"NoChange": 2}, {"NoChange": 2}) is True
    assert useless({"NoChange": 2, "NewPage": 1}, {"NoChange": 20, "NewPage": 1}) is None
    assert useless({"NewPage": 3}, {"NewPage": 3}) is False
    assert useless({}, {}) is None
    assert (
        agreed({"NoChange": 9, "NewPage": 1}) == "NoChange" and agreed({"NoChange": 8, "NewPage": 2}) is None
    )


def test_other_screens_count_until_two_memories_of_this_one() -> None:
    elsewhere = {"NewPage": 30, "NoChange": 1}
    assert useless({"NoChange": 1}, elsewhere) is False
    assert useless({"NoChange": 2}, elsewhere) is True
