"""A judge that is asked at some actions only: where a text leaves, with all that was read before."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.models.risk.test_judge import Canned
from vsalang.agents.session import SessionOptions
from vsalang.agents.session.opening import _consult
from vsalang.guard import Guard, Settings
from vsalang.guard.judge.evidence import Evidence
from vsalang.guard.say.verdict import Proposal
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.models.risk.judge import Judge, LiveJudge, Moment, chosen
from vsalang.models.risk.judge.question import READ
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen

MODULES = {
    "every.vsa": """app every any "What apps do"
import std.answers
action Send(app: Text) "Send a text"
recognize Send(app = ?p) when tap(label = "Send", package = ?p).
recognize Send(app = ?p)
  when tap(node = ?n, package = ?p), Answered(node = ?n, means = "acts", kind = "Send").
action Look(app: Text) "Look at something"
recognize Look(app = ?p) when tap(label = "Look", package = ?p).
""",
    "chat.vsa": """app chat package "com.chat" "A chat"
import every
screen Chat when Node(id = "chat").
action Shout(app: Text) refines every.Send(app = ?app) "Say it to all"
recognize Shout(app = ?p) when tap(label = "Shout", package = ?p).
""",
}
SPEC = """spec s "Tell Ann hello."
import every
import chat
allow each Send.
allow each Look.
allow each Shout.
done.
"""
SEND = frozenset({"every.Send"})


class Phone:
    """A phone whose screen names how often it was touched."""

    def __init__(self) -> None:
        self.number = 1

    def observe(self) -> Screen:
        texts = ("chat", f"read {self.number}", "Send", "Look", "Shout")
        return FactScreen().with_rows({"App": ({"package": "com.chat"},), "Node": tuple(
            {"node": n, "id": text, "text": text, "label": text, "package": "com.chat", "clickable": True, "window": 1}
            for n, text in enumerate(texts)
        )})  # fmt: skip

    def perform(self, action: Action, target: Cells) -> None:
        self.number += 1


def guarded(tmp_path: Path, *asked: Evidence) -> Guard:
    for name, text in MODULES.items():
        (tmp_path / name).write_text(text)
    program = load_text(SPEC, path=tmp_path / "s.vsa", policies=["std.policies.judge"]).checked()
    guard = Guard(program, Phone(), settings=Settings(unknown_screen="allow"))
    for each in asked:
        guard.consult(each)
    return guard


def tap(label: str) -> Action:
    return Action("tap", {"label": label})


def live(model: Canned, **more: Any) -> LiveJudge:
    return LiveJudge(Judge(model), "Tell Ann hello.", about=SEND, **more)


def test_it_is_asked_only_where_a_text_leaves(tmp_path: Path) -> None:
    model = Canned("Privacy Violations")
    guard = guarded(tmp_path, live(model))
    found = [guard.step(tap(each)).verdict for each in ("Look", "Send", "chat")]
    assert [each.level for each in found] == ["allow", "confirm", "allow"]
    assert len(model.asked) == 1


def test_what_an_app_refines_is_the_effect(tmp_path: Path) -> None:
    model = Canned("Privacy Violations")
    assert guarded(tmp_path, live(model)).step(tap("Shout")).verdict.level == "confirm"
    assert len(model.asked) == 1


class Named:
    """Says that the first control of the screen sends something."""

    def rows(self, screen: Screen, proposal: Proposal) -> dict[str, tuple[Cells, ...]]:
        row: Cells = {"node": 0, "means": "acts", "kind": "Send", "accepted": False, "by": "m"}
        return {"Answered": (row,)}

    def committed(self, screen: Screen | None, proposal: Proposal) -> None:
        """Does nothing."""

    def observed(self, screen: Screen | None) -> None:
        """Does nothing."""


def test_what_an_answer_names_is_shown_to_the_judge(tmp_path: Path) -> None:
    """That the touch sends a text is known only by an answer that came in the same step."""
    model = Canned("Privacy Violations")
    guard = guarded(tmp_path, Named(), live(model))
    assert guard.step(tap("chat")).verdict.level == "confirm"
    assert len(model.asked) == 1


def test_a_touch_is_asked_about_before_the_judge(tmp_path: Path) -> None:
    judge, named = live(Canned()), Named()
    options = SessionOptions(consult=lambda program, device: judge, answers=lambda guard, device: named)
    guard = guarded(tmp_path)
    with ExitStack() as stack:
        _consult(stack, guard, None, options)
        assert list(vars(guard)["_evidence"]) == [named, judge]


def test_what_cannot_be_judged_is_shown_to_the_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Canned()
    guard = guarded(tmp_path, live(model))
    monkeypatch.setattr(guard.machine, "actions_of", lambda proposal: None)
    guard.step(tap("Look"))
    assert len(model.asked) == 1


def test_it_is_shown_what_was_read_before(tmp_path: Path) -> None:
    model = Canned()
    guard = guarded(tmp_path, live(model, mode="read"))
    for each in ("Look", "chat", "Send"):
        guard.step(tap(each), approved=True)
    said = model.asked[-1][-1].content
    assert [text in said for text in ("read 1", "read 2", "read 3")] == [True] * 3 and "Screen 3 of 3" in said


def test_after_some_actions_nobody_can_be_asked() -> None:
    with pytest.raises(ValueError, match="before some actions"):
        live(Canned(), when="after")


def test_what_was_read_is_shown_once() -> None:
    moments = [Moment("- a\n- b", "x"), Moment("- b\n- c", "y"), Moment("- b", "z"), Moment("- a\n- d", "w")]
    shown = chosen(moments, "read")
    assert [each.screen for each in shown] == ["- a\n- b", "- c", "(nothing new)", "- a\n- d"]
    assert [each.action for each in shown] == ["x", "y", "z", "w"]
    many = [Moment(f"- {n}") for n in range(100)]
    assert [each.screen for each in chosen(many, "read")] == [f"- {n}" for n in range(100 - READ, 100)]
