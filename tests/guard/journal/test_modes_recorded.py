"""What stands in the journal of a guard that only watches, or that asks itself; and what readers are shown of it."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests import processes
from tests.guard.journal.conftest import AGENT, SPEC, vsac
from tests.guard.journal.test_schema import problems
from tests.guard.journal.walks import PROGRAM, WALKS, walker
from tests.guard.phones import Watch, details, no_time_left, receipt, screen
from vsalang.guard import AnswerRefused, Guard, NotAllowed, Settings
from vsalang.guard.journal import Journal, JournalError, Recorder, read_journal, read_session, replay, resume
from vsalang.guard.journal.session_page import render
from vsalang.guard.journal.timeline import timeline, to_json
from vsalang.guard.user.questions import Question
from vsalang.program.action import Action

LATE = details(("20:00", True))
ELSEWHERE = screen({"id": "x", "clickable": True}, app="com.other")
UNKNOWN = Action("tap", {"id": "x"})
SLOT = Action("tap", {"node": 10})
BOOK = Action("tap", {"id": "reserve_button"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def lines(path: Path) -> list[Any]:
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]


def shadowed(path: Path) -> Guard:
    """A session in which a table was booked that the task does not allow."""
    with Journal(path, sync="none") as journal:
        guard = Guard(
            PROGRAM, clock=Watch(), settings=Settings(mode="shadow"), recorder=Recorder(journal, spec="s")
        )
        guard.observe(LATE)
        for action, after in ((SLOT, LATE), (BOOK, receipt())):
            guard.commit(guard.propose(action, note="on"))
            guard.observe(after)
        return guard


def test_every_line_of_a_shadow_session_says_so(path: Path) -> None:
    shadowed(path)
    found = lines(path)
    assert {line["mode"] for line in found} == {"shadow"}
    assert found[0]["settings"]["mode"] == "shadow"
    assert {line["verdict"]["mode"] for line in found if line["kind"] == "propose"} == {"shadow"}
    assert problems(path) == []


def test_no_line_of_another_session_does(path: Path) -> None:
    with Journal(path, sync="none") as journal:
        made = walker(journal)
        made.guard.observe(LATE)
        made.guard.propose(BOOK)
    assert all("mode" not in line for line in lines(path))


def test_a_shadow_session_is_resumed_with_all_that_ran(path: Path) -> None:
    guard = shadowed(path)
    with resume(path, program=PROGRAM, clock=Watch()) as resumed:
        assert resumed.guard.snapshot == guard.snapshot
        assert resumed.guard.settings.mode == "shadow"
        assert [grant.clauses for grant, _ in resumed.guard.snapshot.commits] == [frozenset({"*"})]
        resumed.guard.propose(BOOK)
    assert {line["mode"] for line in lines(path)} == {"shadow"}


def test_a_shadow_session_cannot_be_made_another_one(path: Path) -> None:
    shadowed(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"mode": "shadow"', '"mode": "enforce"'), encoding="utf-8")
    with pytest.raises(JournalError, match="changed"):
        read_session(path)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(walk=WALKS)
def test_shadow_walks_are_judged_again_as_they_were(path: Path, walk: Any) -> None:
    path.unlink(missing_ok=True)
    with Journal(path, sync="none") as journal:
        made = walker(journal, mode="shadow")
        for op in walk:
            made.step(op)
    assert problems(path) == []
    assert [j for j in replay(read_session(path), PROGRAM).judgements if j.flipped or j.moved] == []


def test_readers_are_told(path: Path) -> None:
    shadowed(path)
    session = read_session(path)
    assert session.mode == "shadow" and [step.passed for step in session.steps] == [True, True]
    assert [step.level for step in session.steps] == ["warn", "block"]
    shown = timeline(session)
    assert to_json(shown)["mode"] == "shadow"
    assert [event.outcome_text for event in shown.events if event.step is not None] == [
        "not held back (shadow), carried out",
        "not held back (shadow), carried out, and it came out as expected",
    ]
    page = render(shown)
    assert "held nothing back" in page and "would be blocked" in page and "would be warned" in page


def test_a_resumed_shadow_session_cut_at_a_commit(path: Path) -> None:
    with Journal(path, sync="none") as journal:
        guard = Guard(
            PROGRAM, clock=Watch(), settings=Settings(mode="shadow"), recorder=Recorder(journal, spec="s")
        )
        guard.observe(LATE)
        guard.commit(guard.propose(BOOK))
    with resume(path, program=PROGRAM, clock=Watch()) as resumed:
        assert resumed.in_flight is not None and resumed.guard.running
        assert not resumed.guard.propose(BOOK).allowed


# ---------------------------------------------------------------- questions


def asked(path: Path, answers: list[bool | None]) -> Guard:
    """A session that asks; None: nobody answers."""
    journal = Journal(path, sync="none")
    said = iter(answers)

    def user(question: Question) -> bool | None:
        answer = next(said)
        if answer is None:
            no_time_left(question)
        return answer

    guard = Guard(
        PROGRAM,
        clock=Watch(),
        settings=Settings(mode="ask", ask_timeout=dt.timedelta(minutes=10)),
        recorder=Recorder(journal, spec="s"),
        ask=user,
    )
    guard.observe(ELSEWHERE)
    for answer in answers:
        try:
            guard.commit(guard.propose(UNKNOWN))
        except NotAllowed:
            assert answer is not True
        else:
            assert answer is True
            guard.observe(ELSEWHERE)
    journal.close()
    return guard


def test_questions_and_answers_are_recorded(path: Path) -> None:
    asked(path, [True, False, None])
    found = [record.data for record in read_journal(path) if record.kind == "answer"]
    assert [(data["approved"], data["how"]) for data in found] == [
        (True, "yes"),
        (False, "no"),
        (False, "timeout"),
    ]
    assert problems(path) == []
    session = read_session(path)
    assert [step.answer for step in session.steps] == [True, False, False]
    assert [bool(step.commit) for step in session.steps] == [True, False, False]


def test_answers_that_do_not_count_are_recorded_as_such(path: Path) -> None:
    journal = Journal(path, sync="none")
    guard = Guard(
        PROGRAM,
        clock=Watch(),
        settings=Settings(mode="ask", ask_timeout=dt.timedelta(milliseconds=50)),
        recorder=Recorder(journal, spec="s"),
    )
    guard.observe(ELSEWHERE)
    with pytest.raises(NotAllowed):
        guard.commit(guard.propose(UNKNOWN))
    for _ in range(2):
        with pytest.raises(AnswerRefused):
            guard.answer(True)
    journal.close()
    assert problems(path) == []
    found = [record.data for record in read_journal(path) if record.kind == "answer"]
    assert [(data["approved"], data.get("refused")) for data in found] == [
        (False, None),
        (True, "the answer came too late"),
        (True, "the answer came too late"),
    ]
    (step,) = read_session(path).steps
    assert step.answer is False and not step.commit


def test_the_user_is_not_asked_again_after_resuming(path: Path) -> None:
    guard = asked(path, [True, False])
    new: list[object] = []

    def ask(question: object) -> bool:
        new.append(question)
        return True

    with resume(path, program=guard.program, clock=Watch(), ask=ask) as resumed:
        assert resumed.guard.snapshot == guard.snapshot and not new
        resumed.guard.commit(resumed.guard.propose(UNKNOWN))
        assert len(new) == 1


# ---------------------------------------------------------------- the command line

DEVICE = ("--device", "sim:restaurant", "--open", "com.opentable")


@pytest.mark.slow
def test_run_in_shadow(path: Path) -> None:
    result = vsac(
        "run", SPEC, *DEVICE, "--agent", AGENT, *("--policy", "app_specs/examples/payments.vsa"),
        *("--journal", path, "--mode", "shadow"),
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "SHADOW: the guard holds nothing back" in result.stdout
    assert "SHADOW: nothing was held back; 4 of these" in result.stdout
    assert result.stdout.count("would be BLOCKED") == 2
    shown = vsac("journal", "show", path).stdout
    assert "SHADOW: the guard held nothing back" in shown and shown.count("would be BLOCKED") == 2
    again = vsac("journal", "replay", path)
    assert again.returncode == 0 and "ran in SHADOW" in again.stdout and "0 flipped" in again.stdout
    assert json.loads(vsac("journal", "replay", path, "--json").stdout)["mode"] == "shadow"


@pytest.mark.slow
def test_run_in_shadow_for_machines(path: Path) -> None:
    result = vsac(
        "run", SPEC, *DEVICE, "--agent", AGENT, "--journal", path, "--mode", "shadow", "--format", "json"
    )
    _, begin, *steps, end = map(json.loads, result.stdout.splitlines())
    assert begin["mode"] == end["mode"] == "shadow"
    assert {step["verdict"]["mode"] for step in steps} == {"shadow"}
    assert all(step["performed"] for step in steps)


def test_a_finish_that_only_passed_completes_nothing(path: Path, tmp_path: Path) -> None:
    agent = tmp_path / "agent.jsonl"
    agent.write_text('{"action": "finish"}\n')
    result = vsac("run", SPEC, *DEVICE, "--agent", agent, "--journal", path, "--mode", "shadow")
    assert result.returncode == 1 and "The task was not completed" in result.stdout
    assert read_session(path).completed is False


@pytest.mark.parametrize(("typed", "done"), [("y\n", True), ("n\n", False), (None, False)])
def test_run_asks(typed: str | None, done: bool, path: Path, tmp_path: Path) -> None:
    agent = tmp_path / "agent.jsonl"
    agent.write_text('{"action": "tap", "x": 360, "y": 900}\n')
    command = ["-m", "vsalang.tools.cli.main", "run", SPEC, "--device", "sim:restaurant"]
    command += ["--agent", str(agent), "--journal", str(path), "--mode", "ask", "--ask-timeout", "1"]
    command += ["--on-confirm", "stdin"]
    run = processes.Process(command, stdin=processes.PIPE, text=True)
    assert run.stdin is not None
    if typed is not None:
        run.stdin.write(typed)
        run.stdin.flush()
    run.wait(120)
    assert run.stderr is not None and run.stdout is not None
    said, out = run.stderr.read(), run.stdout.read()
    for stream in (run.stdin, run.stdout, run.stderr):
        stream.close()
    assert "Let the agent do it" in said, out
    assert ("Nobody answered in time" in said) is (typed is None)
    (step,) = read_session(path).steps
    assert step.level == "confirm" and step.answer is done and bool(step.commit) is done


def test_resuming_does_not_change_the_mode(path: Path) -> None:
    shadowed(path)
    result = vsac("run", "--resume", path, "--agent", AGENT, "--mode", "enforce")
    assert result.returncode == 2 and "--mode and --resume exclude each other" in result.stderr


def test_the_projects_mode(tmp_path: Path, path: Path) -> None:
    from vsalang.agents.session import guard_settings
    from vsalang.base.config import config_for

    (tmp_path / "vsac.toml").write_text('[guard]\nmode = "ask"\nask_timeout = 12.5\n')
    settings = guard_settings(config_for(tmp_path / "x.vsa"))
    assert settings.mode == "ask" and settings.ask_timeout == dt.timedelta(seconds=12.5)
