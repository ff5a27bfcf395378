"""What is said of a licence that is used up: that it was done, that it may have been, that it was only claimed."""

import pytest

from vsalang.guard import run_example
from vsalang.language.semantics import load_text
from vsalang.program.phrases import read

APP = """app shop package "com.shop" "A shop"
action Go(pick: Text) "Go"
action Sync(on: Bool) "Switch the syncing"
recognize Sync(on = true) when tap(id = "sync").
action Leave() "Leave"
recognize Leave when tap(id = "leave").
"""
TASK = """spec task "Go, sync and leave."
import shop
allow each Go.
allow Sync(on = true).
allow Leave.
done when Go earlier.
"""


def said(steps: str, tmp_path, language: str = "en") -> tuple[str, str]:
    """The message and the reason behind it of the last step, which the licence is against."""
    (tmp_path / "shop.vsa").write_text(APP)
    loaded = load_text(f'{TASK}test "t" {{ {steps} }}\n', path=tmp_path / "task.vsa")
    assert loaded.program is not None, loaded.diagnostics
    (example,) = loaded.own
    failure = run_example(loaded.program, example).failure
    assert failure is not None and failure.turn is example.turns[-1]
    (reason,) = [reason for reason in failure.reasons if reason.kind == "licence"]
    (why,) = reason.whys
    return read(reason.message, language), read(why.seen, language)


def test_the_same_again(tmp_path) -> None:
    message, seen = said('attempt Go(pick = "x"). attempt Go(pick = "x").', tmp_path)
    assert message == 'Go(pick = "x") was done already and may not be done again'
    assert seen == "done before"


@pytest.mark.parametrize(
    ("steps", "shown"),
    [
        ('attempt Go(pick = "x"). attempt Go().', "Go"),
        ('attempt Go(). attempt Go(pick = "x").', 'Go(pick = "x")'),
        ("attempt Go(). attempt Go().", "Go"),
    ],
)
def test_what_is_unknown_may_be_the_same(steps: str, shown: str, tmp_path) -> None:
    message, seen = said(steps, tmp_path)
    assert message == f"{shown} may have been done already and may not be done again"
    assert seen == "possibly done before"
    assert "möglicherweise schon" in said(steps, tmp_path, "de")[0]


def test_a_claim_uses_the_licence_but_is_not_done(tmp_path) -> None:
    steps = "claim Sync(on = true). attempt Sync(on = true)."
    message, seen = said(steps, tmp_path)
    assert message.startswith("Sync(on = true) was claimed already, which uses the licence up")
    assert seen == "claimed before"
    assert "schon behauptet" in said(steps, tmp_path, "de")[0]


def test_a_claim_of_an_action_without_parameters(tmp_path) -> None:
    assert said("claim Leave. attempt Leave.", tmp_path)[0] == (
        "Leave was done or claimed as often as the task allows"
    )
    assert said("attempt Leave. attempt Leave.", tmp_path)[0] == "Leave was done as often as the task allows"


def test_what_was_done_after_its_claim_is_done(tmp_path) -> None:
    """A claim of an action that no rule recognises counts as done."""
    message, _ = said('claim Go(pick = "x"). attempt Go(pick = "x").', tmp_path)
    assert "was done already" in message
