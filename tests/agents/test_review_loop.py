"""The loop does what was judged, once, and only with a yes."""

from pathlib import Path
from typing import Any

import pytest

from vsalang.agents import Proposed, run_agent
from vsalang.agents.proposed import read_proposal
from vsalang.guard import Guard
from vsalang.guard.journal import Journal, Recorder, read_journal
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.vocabulary import VOCABULARY

APP = """app shop package "com.shop" "A shop"
screen Home "The bill" when Node(id = "pay").
"""


class Phone:
    """Shows one screen and keeps what it was asked to do."""

    info: Any = None

    def __init__(self) -> None:
        screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.other"})
        self.screen = screen.seen(VOCABULARY["Node"], {"node": 1, "id": "pay", "package": "com.other"})
        self.done: list[tuple[Action, dict[str, Any]]] = []

    def observe(self) -> FactScreen:
        return self.screen

    def perform(self, action: Action, target: Any) -> None:
        self.done.append((action, {**action.args, **target}))


@pytest.fixture
def made(tmp_path: Path) -> Program:
    (tmp_path / "shop.vsa").write_text(APP)
    spec = 'spec s "x"\nimport shop\nallow shell(command = "echo \'x\'").\ndone when shell earlier.\n'
    loaded = load_text(spec, path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def test_an_allowed_command_runs_as_it_was_judged(made: Program) -> None:
    phone = Phone()
    proposed = Proposed(Action("shell", {"command": "echo \u2018x\u2019"}))
    steps = list(run_agent(Guard(made), phone, [proposed]))  # type: ignore[arg-type]
    assert [step.performed for step in steps] == [True]
    assert [cells["command"] for _, cells in phone.done] == ["echo 'x'"]


@pytest.mark.parametrize("said", ["no", 1, object()])
def test_only_true_is_a_yes(made: Program, said: Any) -> None:
    phone = Phone()
    tap = Proposed(Action("tap", {"id": "pay"}))
    steps = list(run_agent(Guard(made), phone, [tap], confirm=lambda *_: said))  # type: ignore[arg-type]
    assert [step.verdict.level for step in steps] == ["confirm"]
    assert phone.done == []
    steps = list(run_agent(Guard(made), phone, [tap], confirm=lambda *_: True))  # type: ignore[arg-type]
    assert len(phone.done) == 1


def test_a_note_that_is_no_text_ends_no_run(made: Program, tmp_path: Path) -> None:
    line = r'{"action": "tap", "id": "pay", "note": "\ud800", "claims": ["\ud800"]}'
    proposed = read_proposal(line, made, "line 1")
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        recorder = Recorder(journal)
        guard = Guard(made, recorder=recorder)
        steps = list(run_agent(guard, Phone(), [proposed], recorder=recorder))  # type: ignore[arg-type]
    assert [step.verdict.level for step in steps] == ["block"]
    assert [r.kind for r in read_journal(path)] == ["session", "screen", "observe", "propose"]
