"""A question of a guard, answered at the console: by the server that was named, about what was shown, once, in time.

Each row of the table of refusals is a no on the guard's side, no matter what the server did.
"""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.tools.fleet_live.fleet import EXAMPLES, Fleet, Person, written
from vsalang.agents.session import SessionOptions, open_guarded
from vsalang.guard import NotAllowed
from vsalang.guard.journal import read_session
from vsalang.guard.user.answering import hash_of
from vsalang.program.action import Action
from vsalang.tools.fleet.live.guarding_link import FleetPlace, GuardLink
from vsalang.tools.fleet.live.questions import OpenQuestion


class Phone:
    """A guarded phone on which an action is proposed that must be confirmed, with its link to the server."""

    def __init__(self, fleet: Fleet, folder: Path, seconds: float = 20.0) -> None:
        token = folder / "token"
        token.write_text(fleet.tokens["phone1"])
        token.chmod(0o600)
        self.notes: list[str] = []
        self.link = GuardLink(
            FleetPlace(fleet.server.url, token, folder / "spool", asks=True), self.notes.append
        )
        assert self.link.answering is not None
        self.answering = self.link.answering
        self.answering.limit = seconds
        self.journal = folder / "run.jsonl"
        self.ended: list[str] = []
        self.answer: list[object] = []

    @contextlib.contextmanager
    def asking(self) -> Iterator["Phone"]:
        """It has asked, and waits for an answer in a thread of its own."""
        options = SessionOptions(
            journal=self.journal, app="org.example.settings", policies=(EXAMPLES / "careful.vsa",)
        )
        try:
            with open_guarded(EXAMPLES / "quiet_evening.vsa", "sim:settings", options) as session:
                session.recorder.answered_by(self.answering.about)
                self.session = session
                self.link.begin(self.journal, self._end)
                session.step(Action("scroll", {"direction": "down"}))
                session.step(Action("tap", {"text": "Reset"}))
                guard = session.guard
                self.verdict = guard.propose(Action("tap", {"text": "Erase all data"}))
                assert self.verdict.level == "confirm"
                thread = threading.Thread(target=self._ask, daemon=True)
                thread.start()
                yield self
                thread.join(30)
                assert not thread.is_alive()
        finally:
            self.link.close()

    def _end(self, why: str) -> None:
        self.session.guard.close()
        self.ended.append(why)

    def _ask(self) -> None:
        try:
            agreed = self.answering.ask(self.verdict, lambda: float("inf"))
        except Exception as error:
            self.answer.append(error)
            return
        self.session.recorder.answered(agreed is True, "yes" if agreed else "no", self.verdict)
        try:
            self.session.guard.commit(self.verdict, approved=agreed is True)
            self.answer.append(True)
        except NotAllowed:
            self.answer.append(False)


def waits(read: Any, seconds: float = 20.0) -> Any:
    end = time.monotonic() + seconds
    while not (value := read()):
        assert time.monotonic() < end, "it does not come to be"
        time.sleep(0.02)
    return value


def asked(fleet: Fleet) -> Any:
    return waits(lambda: next((each for each in fleet.server.questions.all("main") if each.open), None))


def test_an_approval_lets_exactly_this_happen(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    with Phone(fleet, tmp_path).asking() as phone:
        question = asked(fleet)
        assert question.screen == phone.verdict.fingerprint
        shown = ana.get(f"/api/question/main/{question.hash}")[1]
        assert len(shown["drawing"]["boxes"]) > 5 and shown["target"]["text"].startswith("Erase all data")
        assert "really destroy it?" in shown["message"]
        status, data = ana.answer(question, "yes")
        assert status == 200, data
        assert ana.answer(question, "yes")[0] == 409  # once
    assert phone.answer == [True]
    answers = [record.data for record in read_session(phone.journal).records if record.kind == "answer"]
    assert answers[-1]["approved"] is True and answers[-1]["question"] == question.hash
    assert answers[-1]["by"].startswith("the fleet server http://127.0.0.1")
    row = fleet.console.trail.newest("main")[0]
    assert (row["kind"], row["by"], row["question"], row["answer"]) == ("answer", "ana", question.hash, "yes")


def test_a_refusal_is_a_no(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    with Phone(fleet, tmp_path).asking() as phone:
        assert ana.answer(asked(fleet), "no")[0] == 200
    assert phone.answer == [False]


def test_what_nobody_answers_is_a_no(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    with Phone(fleet, tmp_path, seconds=0.8).asking() as phone:
        question = asked(fleet)
    assert phone.answer == [False]
    status, data = ana.answer(question, "yes")
    assert status == 409 and data["error"]["code"] == "late"
    assert [row for row in fleet.console.trail.newest("main") if row["kind"] == "answer"] == []


def test_an_answer_to_another_screen_does_not_count(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    with Phone(fleet, tmp_path, seconds=3.0).asking() as phone:
        question = asked(fleet)
        status, data = ana.answer(question, "yes", screen="f" * 64)
        assert status == 409 and data["error"]["code"] == "other_screen"
        assert ana.answer(question, "no")[0] == 200
    assert phone.answer == [False]


def test_nobody_approves_a_screen_that_did_not_arrive(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    with Phone(fleet, tmp_path, seconds=3.0).asking() as phone:
        question = asked(fleet)
        fleet.server.intake.sessions["main", question.session].fingerprint = "another"
        status, data = ana.answer(question, "yes")
        assert status == 409 and data["error"]["code"] == "unseen"
        assert ana.answer(question, "no")[0] == 200
    assert phone.answer == [False]


def question_of(fleet: Fleet, session: str, number: int, **more: Any) -> OpenQuestion:
    """A question that a guard might ask, put at the server."""
    document = {"kind": "question", "seconds": 20.0, "message": "Let it?", "number": number, **more}
    document |= {"hash": hash_of(document)}
    return fleet.server.questions.ask("main", session, "phone1", document)


def test_a_question_without_a_screen_is_only_refused(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    path = written(tmp_path / "dark.jsonl", [("session", {"settings": {}})])
    question = question_of(fleet, fleet.send(path).session, 1, screen="")
    data = {"tenant": "main", "question": question.hash, "screen": ""}
    assert ana.post("/api/answer", {**data, "answer": "yes"})[0] == 409 and question.outcome == ""
    assert ana.post("/api/answer", {**data, "answer": "no"})[0] == 200


def test_a_question_shows_no_text_otherwise_than_it_is(fleet: Fleet, ana: Person, unfinished: Path) -> None:
    """Texts of screens stand in reasons: they must not turn around what is read before the answer."""
    reasons = [{"level": "confirm", "rule": "r", "message": "pay \u202e01 to Ana\u200b"}, 7, {"rule": [[]]}]
    session = fleet.send(unfinished).session
    question = question_of(
        fleet, session, 1, screen="f", message="Pay\n\u202e01?", verdict={"reasons": reasons}
    )
    status, shown = ana.get(f"/api/question/main/{question.hash}")
    text = json.dumps(shown, ensure_ascii=False)
    assert status == 200 and "\u202e" not in text and "\u200b" not in text
    assert shown["message"] == "Pay\n<U+202E>01?"
    assert shown["reasons"][0]["message"] == "pay <U+202E>01 to Ana<U+200B>"
    assert [reason["level"] for reason in shown["reasons"]] == ["confirm", ""]


def test_questions_of_a_device_do_not_pile_up(fleet: Fleet, unfinished: Path) -> None:
    session = fleet.send(unfinished).session
    for number in range(200):
        question_of(fleet, session, number, seconds=0)
    assert len(list(fleet.server.questions.all("main"))) < 60


def test_what_cannot_be_recorded_is_not_answered(
    fleet: Fleet, ana: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vsalang.guard.journal import JournalError

    def full(*_: object) -> None:
        raise JournalError("the disk is full")

    with Phone(fleet, tmp_path, seconds=3.0).asking() as phone:
        question = asked(fleet)
        monkeypatch.setattr(fleet.console.trail, "write", full)
        assert ana.answer(question, "yes")[0] == 503
        assert question.outcome == ""
    assert phone.answer == [False]


def test_only_who_may_approve_answers(fleet: Fleet, tmp_path: Path) -> None:
    """Not one who may only look, another tenant's administrator, or a device."""
    with Phone(fleet, tmp_path, seconds=2.0).asking() as phone:
        question = asked(fleet)
        statuses = [fleet.person(name).answer(question, "yes")[0] for name in ("sam", "eve", "phone1")]
        assert statuses == [403, 404, 401]
    assert phone.answer == [False]


def test_a_server_that_is_away_is_a_no(fleet: Fleet, tmp_path: Path) -> None:
    phone = Phone(fleet, tmp_path, seconds=1.0)
    phone.link._place = FleetPlace("http://127.0.0.1:9", tmp_path / "token", tmp_path / "spool", asks=True)
    with phone.asking():
        pass
    assert phone.answer == [False] and any("cannot be reached" in note for note in phone.notes)


def test_ending_a_session_withdraws_its_question(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    with Phone(fleet, tmp_path).asking() as phone:
        question = asked(fleet)
        assert ana.end(question.session, "wrong phone")[0] == 200
        assert ana.answer(question, "yes")[0] == 409
        waits(lambda: phone.ended)
        assert phone.session.guard.propose(Action("back")).level == "block"
    assert phone.ended == ["ana: wrong phone"] and phone.answer != [True]
    summary = fleet.server.intake.sessions["main", question.session]
    assert summary.state in ("closed", "not completed")


def document(**more: Any) -> dict[str, Any]:
    question: dict[str, Any] = {
        "kind": "question", "version": 1, "number": 1, "nonce": "a", "seconds": 5.0, "screen": "s", "message": "m",
        "verdict": {}, **more,
    }  # fmt: skip
    return {**question, "hash": hash_of(question)}


@pytest.mark.parametrize(
    "change",
    [
        {"message": "other"},
        {"seconds": 1e9},
        {"screen": "t"},
        {"hash": "0" * 64},
        {"kind": "yes"},
        {"message": 5},
    ],
)
def test_a_question_that_its_hash_does_not_say(fleet: Fleet, journal: Path, change: dict[str, Any]) -> None:
    session = fleet.send(journal).session
    body = json.dumps({"question": {**document(), **change}, "left": 5})
    status, data, _ = fleet.request("POST", f"/v1/ask/{session}", body, **fleet.bearer("phone1"))
    assert status == 400 and data["error"]["code"] == "invalid"  # type: ignore[index]
    assert list(fleet.server.questions.all("*")) == []


def test_an_answer_is_given_out_once(fleet: Fleet, unfinished: Path) -> None:
    """The connection broke after the answer was sent: asked again, there is none."""
    session = fleet.send(unfinished).session
    asking = document()
    answers: list[Any] = []

    def ask() -> None:
        answers.append(fleet.client().post(f"/v1/ask/{session}", {"question": asking, "left": 5}, 30))

    first = threading.Thread(target=ask)
    first.start()
    question = asked(fleet)
    fleet.on_loop(lambda: fleet.server.questions.answer(question, True, "ana"))
    first.join(20)
    ask()
    assert [answer["answer"] for answer in answers] == ["yes", "gone"]


def test_a_device_asks_a_few_questions_at_once(fleet: Fleet, journal: Path) -> None:
    from vsalang.tools.fleet.live.questions import MOST_OF_A_DEVICE

    session = fleet.send(journal).session
    for number in range(MOST_OF_A_DEVICE):
        fleet.on_loop(
            lambda number=number: fleet.server.questions.ask(
                "main", session, "phone1", document(number=number)
            )
        )
    body = json.dumps({"question": document(number=99), "left": 5})
    status, _, _ = fleet.request("POST", f"/v1/ask/{session}", body, **fleet.bearer("phone1"))
    assert status == 429


def test_two_people_cannot_both_answer(fleet: Fleet, journal: Path) -> None:
    session = fleet.send(journal).session
    fleet.on_loop(lambda: fleet.server.questions.ask("main", session, "phone1", document(seconds=60.0)))
    question = asked(fleet)
    fleet.server.intake.sessions["main", session].fingerprint = "s"
    results: list[int] = []

    def say(who: str, word: str) -> None:
        results.append(fleet.person(who).answer(question, word)[0])

    said = (("ana", "no"), ("ada", "yes"), ("ops", "yes"))
    threads = [threading.Thread(target=say, args=each) for each in said]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(results) == [200, 409, 409]
    answers = [row for row in fleet.console.trail.newest("main") if row["kind"] == "answer"]
    assert len(answers) == 1 and question.by == answers[0]["by"] and question.outcome == answers[0]["answer"]


def started(fleet: Fleet, folder: Path, *words: object) -> processes.Process:
    """A command with a guarded session of its own."""
    token = folder / "token"
    token.write_text(fleet.tokens["phone1"])
    token.chmod(0o600)
    session = ("--device", "sim:settings", "--open", "org.example.settings", "--policy", EXAMPLES / "careful.vsa",
               "--journal", folder / "run.jsonl", "--fleet", fleet.server.url, "--fleet-token-file", token)  # fmt: skip
    command = [words[0], EXAMPLES / "quiet_evening.vsa", *session, *words[1:]]
    return processes.Process(["-m", "vsalang.tools.cli.main", *command], cwd=folder, text=True)


@pytest.mark.slow
def test_a_run_asks_the_server_that_it_names(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    agent = tmp_path / "agent.jsonl"
    lines = (EXAMPLES / "quiet_evening.agent.jsonl").read_text().splitlines()
    agent.write_text(
        "\n".join(line for line in lines if any(word in line for word in ("scroll", "Reset", "Erase")))
    )
    policy = tmp_path / "cards.vsa"
    policy.write_text(
        'policy cards "Say which card pays"\nimport std.risk\n'
        'confirm "{?t} is paid by 4111 1111 1111 1111" when Destructive(text = ?t).\n'
    )
    words = ("run", "--agent", agent, "--policy", policy, "--redact", "--on-confirm", "fleet")
    with started(fleet, tmp_path, *words) as process:
        question = asked(fleet)
        said = json.dumps(question.document)
        assert "is paid by \\u00abcard 1\\u00bb" in said and "1111" not in said
        assert ana.answer(question, "no")[0] == 200
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "Erase all data" in out, err
    (answer,) = [
        record.data for record in read_session(tmp_path / "run.jsonl").records if record.kind == "answer"
    ]
    assert answer["approved"] is False and answer["question"] == question.hash
    assert "the fleet server" in answer["by"]


@pytest.mark.slow
def test_a_guarded_program_is_ended(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    with started(fleet, tmp_path, "guard", "--", "sleep", "60") as process:
        session = waits(lambda: next(iter(fleet.server.intake.sessions), None))[1]
        waits(lambda: fleet.server.intake.sessions["main", session].screen)
        assert ana.end(session, "enough")[0] == 200
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2  # the program did not use the phone, which a run says, however it ends
    assert "ends the session: ana: enough" in err and "ended by signal 15" in err
    assert read_session(tmp_path / "run.jsonl").closed
    assert fleet.server.intake.sessions["main", session].over
