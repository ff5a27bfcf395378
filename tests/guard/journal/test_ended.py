"""Sessions that are over: how each end is recorded, that it is told, and that nothing is added to them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.guard.journal.conftest import AGENT, vsac
from tests.guard.journal.test_schema import problems
from tests.guard.journal.walks import PAGES, PATH, PROGRAM, walker
from vsalang.agents.loop import nobody, run_agent
from vsalang.agents.proposed import Proposed
from vsalang.guard import Guard, Settings
from vsalang.guard.journal import Recorder, read_session, replay, resume
from vsalang.guard.journal.file import Journal, JournalError
from vsalang.guard.journal.screens_json import read_screen, screen_json
from vsalang.guard.journal.timeline import timeline
from vsalang.guard.user.questions import Question
from vsalang.guard.user.terminal import terminal
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump
from vsalang.screen.tree.node import Node


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "j.jsonl"


def begun(path: Path, *, close: bool) -> None:
    with Journal(path, sync="none") as journal:
        made = walker(journal)
        for op in PATH[:4]:
            made.step(op)
        made.step(("observe", PAGES[5], True))
        if close:
            made.guard.close()
            made.guard.close()
            assert made.guard.propose(Action("back")).because("finished")


# ---------------------------------------------------------------------- a guard that was closed


def test_closing_is_recorded_once_and_replayed(path: Path):
    begun(path, close=True)
    session = read_session(path)
    kinds = [record.kind for record in session.records]
    assert kinds.count("close") == 1 and kinds[-1] == "propose"
    assert session.closed and session.ended and session.completed is None
    assert problems(path) == []
    assert not replay(session, PROGRAM).flipped
    shown = timeline(session)
    assert shown.outcome == "ended"
    assert [event.text for event in shown.events if event.kind == "close"] == [
        "The session was closed: everything is blocked from here on."
    ]


def test_a_guards_context_closes_it(path: Path):
    with Journal(path) as journal, Guard(PROGRAM, recorder=Recorder(journal)) as guard:
        guard.observe(PAGES[0])
    assert read_session(path).records[-1].kind == "close"


def test_a_guard_closes_although_that_cannot_be_recorded(path: Path):
    journal = Journal(path)
    with Guard(PROGRAM, recorder=Recorder(journal)) as guard:
        guard.observe(PAGES[0])
        journal.close()
    assert guard.finished and not read_session(path).ended


@pytest.mark.parametrize("torn", [b"", b'{"half'])
def test_what_was_closed_is_not_resumed(path: Path, torn: bytes):
    begun(path, close=True)
    path.write_bytes(path.read_bytes() + torn)
    data = path.read_bytes()
    with resume(path, program=PROGRAM, clock=walker().watch) as resumed:
        assert resumed.over == f"the session of {path} is over: it was closed"
        assert resumed.guard.finished
    assert path.read_bytes() == data
    # who goes on anyway is on the record, and blocked
    with resume(path, program=PROGRAM, clock=walker().watch) as resumed:
        assert resumed.guard.propose(Action("back")).because("finished")
    assert [record.kind for record in read_session(path).records[-2:]] == ["resume", "propose"]
    assert not replay(read_session(path), PROGRAM).flipped


def test_what_goes_on_is_not_over(path: Path):
    begun(path, close=False)
    with resume(path, program=PROGRAM, clock=walker().watch) as resumed:
        assert resumed.over == ""
    assert read_session(path).records[-1].kind == "resume"


def test_the_command_leaves_a_session_that_is_over_alone(demo: Path):
    data = demo.read_bytes()
    over = vsac("run", "--resume", demo, "--agent", AGENT)
    assert over.returncode == 2 and "is over: the agent ended it" in over.stderr
    assert demo.read_bytes() == data


# ---------------------------------------------------------------------- no task


@pytest.mark.parametrize(
    ("completed", "outcome", "words"),
    [
        (True, "completed", "The task was completed."),
        (False, "not completed", "The session ended; the task was not completed."),
        (None, "ended", "The session ended."),
    ],
)
def test_how_a_session_ended(path: Path, completed: bool | None, outcome: str, words: str):
    with Journal(path) as journal:
        recorder = Recorder(journal)
        Guard(PROGRAM, recorder=recorder).observe(PAGES[0])
        recorder.end(completed=completed)
    shown = timeline(read_session(path))
    assert (shown.outcome, shown.events[-1].text) == (outcome, words)
    assert read_session(path).completed is completed and problems(path) == []


def test_a_session_without_an_end_is_unfinished(path: Path):
    with Journal(path) as journal:
        Guard(PROGRAM, recorder=Recorder(journal)).observe(PAGES[0])
    assert timeline(read_session(path)).outcome == "unfinished"


# ---------------------------------------------------------------------- nobody there, or a no


ASKS = load_text(
    'spec s "x"\nallow shell.\nconfirm "sure?" when shell.\ndone when shell earlier.\n', file="s.vsa"
)


class Still:
    """A device on which nothing happens."""

    def observe(self) -> TreeScreen:
        return TreeScreen(load_dump('<hierarchy><node bounds="[0,0][9,9]"/></hierarchy>'), settled=True)

    def perform(self, action: Action, target: Any) -> None:
        raise AssertionError("nobody agreed")


@pytest.mark.parametrize(
    ("confirm", "how"),
    [
        (nobody, "unasked"),
        (lambda proposed, verdict: None, "unasked"),
        (lambda proposed, verdict: False, "no"),
        (lambda proposed, verdict: 1, "no"),
    ],
)
def test_nobody_there_is_not_a_no_that_was_said(path: Path, confirm: Any, how: str):
    assert ASKS.program is not None, ASKS.diagnostics
    device: Any = Still()
    with Journal(path) as journal:
        recorder = Recorder(journal)
        guard = Guard(ASKS.program, recorder=recorder)
        proposed = Proposed(Action("shell", {"command": "ls"}))
        (step,) = run_agent(guard, device, [proposed], recorder=recorder, confirm=confirm)
        assert not step.performed
    (answer,) = (record.data for record in read_session(path).records if record.kind == "answer")
    assert (answer["approved"], answer["how"]) == (False, how) and problems(path) == []
    became = timeline(read_session(path)).events[-1].outcome_text
    assert became == {"unasked": "nobody could be asked", "no": "the user said no"}[how]


def asked(path: Path, asker: Any) -> str:
    assert ASKS.program is not None
    with Journal(path) as journal:
        guard = Guard(ASKS.program, recorder=Recorder(journal), settings=Settings(mode="ask"), ask=asker)
        guard.observe(Still().observe())
        assert guard.ask(guard.propose(Action("shell", {"command": "ls"}))) is False
    (answer,) = (record.data for record in read_session(path).records if record.kind == "answer")
    return str(answer["how"])


def broken(question: Question) -> bool:
    raise OSError("there is no bell")


@pytest.mark.parametrize(
    ("asker", "how"),
    [
        (Question.unasked, "unasked"),
        (broken, "unasked"),
        (lambda question: False, "no"),
        (terminal, "unasked"),
    ],
)
def test_who_asks_says_that_nobody_is_there(
    path: Path, asker: Any, how: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(
        "vsalang.guard.user.terminal.TERMINAL", "/dev/null"
    )  # no terminal: nobody types anything
    assert asked(path, asker) == how
    assert problems(path) == []


def test_a_run_without_terminal_says_nobody_was_there(tmp_path: Path):
    (tmp_path / "s.vsa").write_text(
        'spec s "x"\nallow shell.\nconfirm "?" when shell.\ndone when shell earlier.\n'
    )
    (tmp_path / "a.jsonl").write_text('{"action": "shell", "command": "ls"}\n')
    for number, options in enumerate(((), ("--on-confirm", "no"), ("--mode", "ask", "--on-confirm", "no"))):
        journal = tmp_path / f"{number}.jsonl"
        vsac(
            *("run", tmp_path / "s.vsa", "--device", "sim:restaurant", "--agent", tmp_path / "a.jsonl"),
            *("--journal", journal, *options),
        )
        (answer,) = (record.data for record in read_session(journal).records if record.kind == "answer")
        assert (answer["approved"], answer["how"]) == (False, "unasked"), options


# ---------------------------------------------------------------------- numbers of nodes


def test_a_screen_with_own_numbers_is_recorded_once(path: Path):
    from dataclasses import replace

    xml = '<hierarchy><node bounds="[0,0][9,9]"><node text="a" bounds="[0,0][9,5]"/></node></hierarchy>'
    tree = load_dump(xml)

    def numbered(first: int) -> TreeScreen:
        nodes: list[Node] = []
        for node in tree.nodes:
            parent = None if node.parent is None else node.parent + first
            nodes.append(replace(node, node=node.node + first, parent=parent))
        return TreeScreen(replace(tree, nodes=tuple(nodes), highest=first + 2))

    screens = [TreeScreen(tree), numbered(10), numbered(20)]
    shown = [screen_json(screen) for screen in screens]
    assert len({found.id for found in shown}) == 1
    assert [found.look.get("numbers") for found in shown] == [None, [11, 12], [21, 22]]
    for screen, found in zip(screens, shown, strict=True):
        again = read_screen(found.form, *json.loads(json.dumps([found.body, found.look])))
        assert isinstance(again, TreeScreen)
        assert (again.tree.nodes, again.tree.highest) == (screen.tree.nodes, screen.tree.highest)
        assert again.fingerprint == screen.fingerprint
        assert list(again.rows("Node")) == list(screen.rows("Node"))
    with Journal(path) as journal:
        guard = Guard(PROGRAM, recorder=Recorder(journal))
        for screen in screens:
            guard.observe(screen)
    assert [record.kind for record in read_session(path).records].count("screen") == 1
    assert problems(path) == []


@pytest.mark.parametrize("numbers", [[1], [1, 1], "12", [1, "2"], [1, True]])
def test_numbers_that_are_none_are_refused(numbers: Any):
    tree = load_dump('<hierarchy><node bounds="[0,0][9,9]"/><node bounds="[0,0][9,9]"/></hierarchy>')
    found = screen_json(TreeScreen(tree))
    with pytest.raises(JournalError):
        read_screen(found.form, json.loads(json.dumps(found.body)), {**found.look, "numbers": numbers})


def test_no_record_after_the_end_lacks_its_resume(path: Path, monkeypatch: pytest.MonkeyPatch):
    begun(path, close=True)
    with resume(path, program=PROGRAM, clock=walker().watch) as resumed:
        real = Journal._append

        def full(self: Journal, line: bytes) -> None:
            raise JournalError("the disk is full")

        monkeypatch.setattr(Journal, "_append", full)
        assert resumed.guard.propose(Action("back")).because("error")
        monkeypatch.setattr(Journal, "_append", real)
        assert resumed.guard.propose(Action("back")).because("finished")
    assert [record.kind for record in read_session(path).records[-2:]] == ["resume", "propose"]
