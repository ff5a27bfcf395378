"""`UTG.nearest`: the screen of a map that a look nearly is."""

from vsalang.agents.maps import UTG, Screen, Widget


def _screen(name: str, *ids: str, app: str = "a.b", activity: str = "") -> Screen:
    widgets = tuple(Widget("Button", id, ("click",)) for id in ids)
    return Screen(name, "unnamed", app, activity, widgets)


def _map(*screens: Screen) -> UTG:
    return UTG({screen.name: screen for screen in screens}, ())


def test_one_widget_of_five_may_come_or_go() -> None:
    known = _screen("k", "a", "b", "c", "d")
    assert _map(known).nearest(_screen("x", "a", "b", "c", "d", "save")) == known
    assert _map(known).nearest(_screen("x", "a", "b", "c", "save")) is None
    assert _map(_screen("k", "a", "b", "c", "d", "e")).nearest(_screen("x", "a", "b", "c", "d")) is not None


def test_a_known_screen_is_itself() -> None:
    known, other = _screen("k", "a"), _screen("o", "a")
    assert _map(other, known).nearest(known) is known


def test_two_equally_near_are_none() -> None:
    look = _screen("x", "a", "b", "c", "d", "e", "f")
    one, other = _screen("1", "a", "b", "c", "d", "e"), _screen("2", "b", "c", "d", "e", "f")
    assert _map(one).nearest(look) == one
    assert _map(one, other).nearest(look) is None


def test_another_app_or_activity_is_not_near() -> None:
    look = _screen("x", "a", "b", "c", "d", "e", activity="Main")
    known = ("a", "b", "c", "d")
    assert _map(_screen("k", *known, app="other")).nearest(look) is None
    assert _map(_screen("k", *known, activity="Help")).nearest(look) is None
    assert _map(_screen("k", *known)).nearest(look) is not None


def test_screens_without_widgets_are_not_near() -> None:
    assert _map(_screen("k")).nearest(_screen("x")) is None
