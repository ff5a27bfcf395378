"""Which candidates the next step on a map means."""

from types import SimpleNamespace

import pytest

from tests.models.rank.screens import button, node, screen_of
from vsalang.agents.maps.ways import Step
from vsalang.agents.rank.planning import planned
from vsalang.models.rank import Situation
from vsalang.models.rank.enumerating import candidates
from vsalang.program.ir import TEXT, Atom, Const, Constraint


@pytest.mark.parametrize(
    "wanted, meant", [("up", ["back"]), ("save", ["tap"]), ("search", ["input_text"]), ("other", [])]
)
def test_a_tap_means_what_stands_for_it(wanted: str, meant: list[str]) -> None:
    arrow = node(
        "ImageButton", "[0,0][50,50]", content_desc="Navigate up", clickable="true", resource_id="a:id/up"
    )
    title = node("TextView", "[60,0][400,50]", text="New")
    field = node(
        "EditText", "[0,100][400,200]", clickable="true", long_clickable="true", resource_id="a:id/search"
    )
    screen = screen_of(arrow, title, field, button("Save", 300, resource_id="a:id/save"))
    gesture = Atom("tap", (Constraint("id", "=", Const(wanted, TEXT)),))
    step = Step("New", SimpleNamespace(gesture=gesture, target="Main"))  # type: ignore[arg-type]
    judged = [(one, SimpleNamespace(screens=())) for one in candidates(Situation("", screen)).candidates]
    assert [each.name for each in planned([step], judged, screen)] == meant  # type: ignore[arg-type]
