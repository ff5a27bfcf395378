"""What is left out since another candidate does the same: it may be done where that one cannot."""

import pytest

from tests.agents.rank.form import APP, form, program
from tests.models.rank.screens import node, screen_of
from vsalang.agents.rank import RankAgent, RankOptions
from vsalang.agents.rank.choosing import Choice, Chooser
from vsalang.agents.rank.completing import Completer
from vsalang.agents.rank.demanded import Demands
from vsalang.guard import Guard
from vsalang.guard.settings import Settings
from vsalang.models.rank import Candidate, PastStep
from vsalang.models.rank.linear import LinearScorer

TAP, UP = 'tap "Search"', 'press "Navigate up"'


def chosen(bars: str, *, asks: bool, holds: str = "", typed: str = "") -> Choice:
    """The choice on a page with an arrow and a field, where these kinds of candidates are not tried again."""
    up = node("ImageButton", "[0,0][50,50]", content_desc="Navigate up", clickable="true")
    title = node("TextView", "[60,0][400,50]", text="Trees")
    field = node(
        "EditText",
        "[0,300][400,400]",
        text=holds,
        content_desc="Search",
        clickable="true",
        long_clickable="true",
    )
    guard = Guard(program(), settings=Settings(unknown_screen="allow", unknown_touch="confirm"))
    guard.observe(screen_of(up, title, field, app=(APP, None)))
    demands = Demands(guard.program)
    model = ("small", lambda question: "elm") if asks else None
    chooser = Chooser(guard, (LinearScorer(),), demands, Completer(demands, guard, model), "Find the elm")

    def barred(candidate: Candidate) -> str:
        return "it changed nothing here" if candidate.kind in bars.split() else ""

    found = chooser.choose((), (), barred)
    assert isinstance(found, Choice)
    if typed:
        (typing,) = (
            each for one in found.dropped if (each := one.candidate) is not None and each.kind == "type"
        )
        found = chooser.choose((PastStep(typing.key, "type", typing.text, value=typed),), (), barred)
        assert isinstance(found, Choice)
    return found


@pytest.mark.parametrize(
    "bars, asks, holds, typed, back",
    [
        ("", True, "oak", "", set()),
        ("", False, "", "", {TAP}),
        ("", False, "oak", "", {TAP}),
        ("type", True, "oak", "", {TAP}),
        ("type", True, "oak", "ash", {TAP}),
        ("type", True, "oak", "oak", set()),
        ("", False, "oak", "oak", set()),
        ("back", True, "", "", {UP}),
        ("type back", True, "", "", {TAP, UP}),
        ("type tap", True, "", "", set()),
    ],
)
def test_a_tap_comes_back_for_what_cannot_be_done(
    bars: str, asks: bool, holds: str, typed: str, back: set[str]
) -> None:
    found = chosen(bars, asks=asks, holds=holds, typed=typed)
    options, dropped = ([one.text for one in each] for each in (found.options, found.dropped))
    assert {TAP, UP} & set(options) == back
    assert {TAP, UP} & set(dropped) == {TAP, UP} - back
    assert len(set(dropped)) == len(dropped)
    assert 'clear "Search"' in dropped


def test_a_field_that_is_filled_is_left_alone() -> None:
    with form() as found:
        found.do("input_text", id="name", value="Bob")
        agent = RankAgent(Guard(program(), found.device), found.device, options=RankOptions(most=1))
        (step,) = agent.run()
    assert step.choice is not None
    options = [one.text for one in step.choice.options]
    assert any(text.startswith('tap "A note"') for text in options)
    assert not any('"Your name"' in text for text in options)
