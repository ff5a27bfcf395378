"""A program answers in place of the user: one exact answer to one question is a yes, and everything else is a no."""

import contextlib
import datetime as dt
import itertools
import json
import math
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vsalang.guard import Proposal, Reason, Verdict
from vsalang.guard.user.answering import (
    MOST_OF_AN_ANSWER,
    MOST_UNASKED,
    AnsweringProgram,
    NoSocket,
    hash_of,
    taken_over,
)
from vsalang.guard.user.terminal import NobodyThere
from vsalang.program.action import Action

NOON = dt.datetime(2026, 4, 1, 12)
REASON = Reason("confirm", "confirm", "that costs money", rule="careful:2")
VERDICT = Verdict("confirm", (REASON,), Proposal(Action("tap", {"id": "pay"})), 7, NOON, fingerprint="9a0e")
Answers = Callable[[dict[str, Any]], list[bytes]]


class Asked:
    """A question that was asked, with what the program was told of its answer."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.theirs.settimeout(10)
        self.told: list[str] = []
        self.program = AnsweringProgram(self.ours, "the program on fd 3", self.told.append, limit=0.4)
        self.lines = self.theirs.makefile("rb")
        self.results: list[dict[str, Any]] = []
        self.questions: list[dict[str, Any]] = []

    def ask(self, answers: Answers, verdict: Verdict = VERDICT, seconds: float = math.inf) -> bool | None:
        """Ask; the other end sends what `answers` gives for the question."""

        def other_end() -> None:
            question = json.loads(self.lines.readline())
            self.questions.append(question)
            with contextlib.suppress(OSError):
                for data in answers(question):
                    self.theirs.sendall(data)

        thread = threading.Thread(target=other_end, daemon=True)
        thread.start()
        until = time.monotonic() + seconds
        try:
            agreed = self.program.ask(verdict, lambda: until - time.monotonic())
        finally:
            thread.join(5)
        with contextlib.suppress(ConnectionError):
            self.results += [json.loads(line) for line in [self.lines.readline()] if line]
        return agreed

    def close(self) -> None:
        self.program.close()
        self.lines.close()
        self.theirs.close()


@pytest.fixture
def asked() -> Iterator[Asked]:
    found = Asked()
    yield found
    found.close()


def said(question: dict[str, Any], word: object = "yes", **more: object) -> bytes:
    return json.dumps({"hash": question["hash"], "answer": word, **more}).encode() + b"\n"


def test_a_yes_to_the_question_is_a_yes(asked: Asked) -> None:
    assert asked.ask(lambda question: [said(question)]) is True
    assert asked.results == [
        {"kind": "result", "hash": asked.questions[0]["hash"], "agreed": True, "reason": ""}
    ]
    assert asked.program.about(VERDICT) == {
        "by": "the program on fd 3",
        "question": asked.questions[0]["hash"],
    }
    assert asked.told == []


def test_a_no_needs_no_reason(asked: Asked) -> None:
    assert asked.ask(lambda question: [said(question, "no")]) is False
    assert asked.results[0]["agreed"] is False and asked.told == []
    assert "reason" not in asked.program.about(VERDICT)


def test_the_question_says_all_that_is_agreed_to(asked: Asked) -> None:
    asked.ask(lambda question: [said(question)])
    (question,) = asked.questions
    assert question["kind"] == "question" and question["screen"] == "9a0e" and 0 < question["seconds"] <= 0.4
    assert "that costs money" in question["message"] and 'tap(id = "pay")' in question["message"]
    assert question["verdict"]["level"] == "confirm"
    assert question["hash"] == hash_of(question)


@pytest.mark.parametrize("name", ["screen", "verdict", "message", "nonce", "number", "seconds"])
def test_the_hash_is_of_each_part(asked: Asked, name: str) -> None:
    asked.ask(lambda question: [said(question)])
    (question,) = asked.questions
    assert hash_of({**question, name: "another"}) != question["hash"]


def test_equal_questions_have_different_hashes(asked: Asked) -> None:
    for _ in range(2):
        assert asked.ask(lambda question: [said(question)]) is True
    first, second = asked.questions
    assert first["verdict"] == second["verdict"] and first["hash"] != second["hash"]


REFUSED: dict[str, tuple[Answers, str]] = {
    "another hash": (lambda q: [said({"hash": "0" * 64})], "another question"),
    "a part of the hash": (lambda q: [said({"hash": q["hash"][:-1]})], "another question"),
    "the hash in capitals": (lambda q: [said({"hash": q["hash"].upper()})], "another question"),
    "no hash": (lambda q: [b'{"answer": "yes"}\n'], "cannot be read"),
    "a bare yes": (lambda q: [b"yes\n"], "cannot be read"),
    "an empty line": (lambda q: [b"\n"], "cannot be read"),
    "more than is asked": (lambda q: [said(q, more=1)], "cannot be read"),
    "a list": (lambda q: [b"[" + said(q).strip() + b"]\n"], "cannot be read"),
    "two answers in one": (lambda q: [said(q).replace(b"}", b', "answer": "yes"}')], "cannot be read"),
    "no UTF-8": (lambda q: [b"\xff" + said(q)], "cannot be read"),
    "true": (lambda q: [said(q, True)], "neither yes nor no"),
    "YES": (lambda q: [said(q, "YES")], "neither yes nor no"),
    "a list of yes": (lambda q: [said(q, ["yes"])], "neither yes nor no"),
    "twice": (lambda q: [said(q) + said(q)], "more than one answer"),
    "yes, then no": (lambda q: [said(q) + said(q, "no")], "more than one answer"),
    "too long": (lambda q: [b" " * MOST_OF_AN_ANSWER + said(q)], "bytes"),
    "no end": (lambda q: [b"x" * (MOST_OF_AN_ANSWER + 1)], "bytes"),
    "nested without end": (lambda q: [b"[" * (MOST_OF_AN_ANSWER - 1) + b"\n"], "cannot be read"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_anything_else_is_a_no(asked: Asked, kind: str) -> None:
    answers, reason = REFUSED[kind]
    assert asked.ask(answers) is False
    assert reason in asked.told[0] and "The answer is no." in asked.told[0]
    assert reason in asked.program.about(VERDICT)["reason"]
    if kind not in ("too long", "no end"):
        assert asked.results[0]["agreed"] is False and reason in asked.results[0]["reason"]


def test_people_read_the_text_that_cannot_be_read(asked: Asked) -> None:
    asked.ask(lambda question: [b'yes, "do" it\xff\x1b[2J\n'])
    reason = asked.program.about(VERDICT)["reason"]
    assert reason == 'its answer cannot be read: "yes, \\"do\\" it\ufffd\\u{001B}[2J"'


@settings(max_examples=60)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=60).map(str.encode)))
@example(b"{}")
def test_no_bytes_are_a_yes_by_chance(data: bytes) -> None:
    """Whatever is sent in one line, before or behind the answer, inside it or in place of it."""
    for place in range(3):
        asked = Asked()
        try:

            def answers(question: dict[str, Any], place: int = place) -> list[bytes]:
                right = said(question)
                half = len(right) // 2
                return [(data + right, right[:half] + data + right[half:], data + b"\n")[place]]

            agreed = asked.ask(answers)
            line = answers(asked.questions[0])[0]
            assert agreed is not True or json.loads(line) == json.loads(said(asked.questions[0]))
        finally:
            asked.close()


@settings(max_examples=25)
@given(st.lists(st.integers(1, 90), max_size=4), st.sampled_from(["yes", "no"]))
def test_an_answer_may_come_in_pieces(cuts: list[int], word: str) -> None:
    asked = Asked()
    try:

        def pieces(question: dict[str, Any]) -> list[bytes]:
            data, places = said(question, word), [0, *sorted(set(cuts)), 10_000]
            return [data[low:high] for low, high in itertools.pairwise(places)]

        assert asked.ask(pieces) is (word == "yes")
    finally:
        asked.close()


def test_a_late_answer_counts_for_nothing(asked: Asked) -> None:
    assert asked.ask(lambda question: [], seconds=0.2) is None
    assert "did not answer in time" in asked.told[0]
    asked.theirs.sendall(said(asked.questions[0]))
    assert asked.ask(lambda question: [said(question, "no")]) is False
    assert "too late, or twice" in asked.told[1]


def test_an_answer_before_the_question_counts_for_nothing(asked: Asked) -> None:
    asked.theirs.sendall(b'{"hash": "", "answer": "yes"}\n' * 3)
    assert asked.ask(lambda question: [said(question)]) is True  # what was said before is thrown away
    assert "it does not count" in asked.told[0]


def test_an_answer_is_good_once(asked: Asked) -> None:
    assert asked.ask(lambda question: [said(question)]) is True
    again = said(asked.questions[0])
    assert asked.ask(lambda question: [again]) is False
    assert "names another question" in asked.told[0]


def test_the_answer_to_an_open_question_only(asked: Asked) -> None:
    """The user's time is over, or something else came in between: `left` says so, whatever is answered then."""
    over = threading.Event()

    def answers(question: dict[str, Any]) -> list[bytes]:
        over.set()
        time.sleep(0.3)
        return [said(question)]

    assert asked.program.limit == 0.4
    thread_left: Callable[[], float] = lambda: 0.0 if over.is_set() else 5.0  # noqa: E731
    other = threading.Thread(target=lambda: answers(json.loads(asked.lines.readline())), daemon=True)
    other.start()
    assert asked.program.ask(VERDICT, thread_left) is None


def test_a_closed_end_is_a_no_from_then_on(asked: Asked) -> None:
    asked.lines.close()
    asked.theirs.close()
    for _ in range(2):
        with pytest.raises(NobodyThere, match=r"closed its end|cannot be reached"):
            asked.program.ask(VERDICT, lambda: math.inf)
    assert asked.program.about(VERDICT)["reason"]


def test_who_talks_without_end_is_not_asked(asked: Asked) -> None:
    asked.theirs.setblocking(False)
    sent = 0
    while sent <= MOST_UNASKED:
        sent += asked.theirs.send(b"x" * 4096)
    with pytest.raises(NobodyThere, match="without being asked"):
        asked.program.ask(VERDICT, lambda: math.inf)


def test_who_does_not_read_is_not_waited_for(asked: Asked) -> None:
    """A question that is longer than what the socket holds, and that nobody reads."""
    asked.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
    long = replace(VERDICT, reasons=tuple(replace(REASON, message=f"{n} " + "x" * 300) for n in range(200)))
    begun = time.monotonic()
    with pytest.raises(NobodyThere, match="did not read"):
        asked.program.ask(long, lambda: math.inf)
    assert time.monotonic() - begun < 5
    with pytest.raises(NobodyThere):
        asked.program.ask(VERDICT, lambda: math.inf)


def test_of_another_verdict_only_who_is_asked_is_known(asked: Asked) -> None:
    asked.ask(lambda question: [said(question)])
    assert asked.program.about(replace(VERDICT, token=8)) == {"by": "the program on fd 3"}


# ---------------------------------------------------------------- the descriptor


def test_the_descriptor_is_moved_and_not_inherited() -> None:
    ours, theirs = socket.socketpair()
    number = ours.detach()
    os.set_inheritable(number, True)
    end = taken_over(number)
    with end, theirs:
        with pytest.raises(OSError):
            os.fstat(number)
        assert end.fileno() != number and not os.get_inheritable(end.fileno())
        end.send(b"x")
        assert theirs.recv(1) == b"x"


def test_what_is_no_socket_is_refused() -> None:
    read, write = os.pipe()
    unconnected = socket.socket(socket.AF_UNIX)
    inet = socket.socket(socket.AF_INET)
    datagrams, others = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        for number, words in [
            (0, "standard streams"),
            (2, "standard streams"),
            (read, "not a socket"),
            (write, "not a socket"),
            (unconnected.fileno(), "not connected"),
            (inet.fileno(), "not a UNIX stream socket"),
            (datagrams.fileno(), "not a UNIX stream socket"),
            (9999, "not open"),
            (10**12, "not open"),
        ]:
            with pytest.raises(NoSocket, match=words):
                taken_over(number)
    finally:
        os.close(read)
        os.close(write)
        for each in (unconnected, inet, datagrams, others):
            each.close()
