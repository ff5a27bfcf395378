"""The worker process of pyDatalog: it answers as the in-process session does, and can hang or harm nobody."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import processes
from tests.engine.agreeing import told
from tests.engine.generators import apply, random_case
from tests.engine.worlds import NOON, TODAY, ask, cmp, expect, p, program
from vsalang.engine import open_session
from vsalang.engine.api import Answer, Budget, BudgetExceeded, Commit, EngineError, TimedRow
from vsalang.engine.pydatalog import worker as pydatalog_worker
from vsalang.engine.pydatalog.backend import PyDatalogEvaluator
from vsalang.engine.pydatalog.worker import PyDatalogWorker
from vsalang.program.ir import Program
from vsalang.program.values import NONE

MADE = program(
    ask(p("Flag", n="?n")),
    ask(p("Flag", n="?n"), rule="hang"),
    ask(p("Flag", n="?n"), rule="die"),
    ask(p("Flag", n="?n"), rule="eat"),
    ask(p("Flag", n="?n"), rule="raise"),
)


class Hanging(PyDatalogWorker):
    """A worker that can be made to hang: see `tests.engine.pydatalog_hanging`."""

    module = "tests.engine.pydatalog_hanging"


def alive(pid: int) -> bool:
    """Whether the process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
    except OSError:
        return subprocess.run(["kill", "-0", str(pid)], check=False, capture_output=True).returncode == 0


def ends(pid: int, within: float = 30.0) -> bool:
    """Whether the process ends by itself; waits for it."""
    until = time.monotonic() + within
    while alive(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def worker() -> Iterator[Hanging]:
    with Hanging(MADE, today=TODAY) as session:
        session.now(NOON)
        session.assign("Flag", [(True, 1, "a")])
        yield session


def short(worker: PyDatalogWorker) -> None:
    """From now on a call may take half a second."""
    worker._seconds = 0.5


# ---------------------------------------------------------------- it answers


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_it_answers_as_the_session_in_process_does(seed: int) -> None:
    made, steps = random_case(seed)
    inside = PyDatalogEvaluator(made, today=TODAY)
    savepoints: tuple[list[int], list[int]] = ([], [])
    with PyDatalogWorker(made, today=TODAY) as outside:
        for step in [("now", NOON, NOON), *steps]:
            apply(inside, step, savepoints[0])
            apply(outside, step, savepoints[1])
            said = told(inside, made, [])  # type: ignore[arg-type]
            assert told(outside, made, []) == said  # type: ignore[arg-type]


def test_users_get_the_worker() -> None:
    session = open_session(MADE, engine="pydatalog", today=TODAY)
    assert isinstance(session, PyDatalogWorker)
    session.assign("Flag", [(None, 7, None)])
    assert session.answers("ask") == {Answer((7,))}
    assert session.variables("ask") == ("n",)
    session.close()


def test_every_row_and_question_goes_over_the_pipe() -> None:
    made = program(
        ask(p("Item", k="?k", t="?t", b="?b")),
        expect((p("Flag", n="?n"),), p("Item", k="?n")),
    )
    texts = ["True", "?x", "\ud800 alone", "\0", "é" * 10_000, '{"$": "none"}']
    with PyDatalogWorker(made, today=TODAY) as session:
        session.assign("Item", [(number, True, text, None) for number, text in enumerate(texts)])
        session.assign(
            "Item", [*session.rows("Item"), (10**30, False, "", None), (Decimal("0.1"), NONE, NONE, NONE)]
        )
        session.assign("commits Pay", [Commit(1, 1, ("a", None))])
        session.assign("timestamps Item", [TimedRow((1, True, "?x", None), (0, 1, 2, 0))])
        found = {answer.values for answer in session.answers("ask")}
        assert {(True, number, text) for number, text in enumerate(texts)} < found
        assert (NONE, Decimal("0.1"), NONE) in found and any(value[0] is True for value in found)
        session.assign("Flag", [(None, 3, None)])
        assert session.expected("expect", Answer((3,))) and not session.expected("expect", Answer((4,)))


def test_errors_of_the_caller_leave_the_session(worker: Hanging) -> None:
    for wrong in (
        lambda: worker.answers("nothing"),
        lambda: worker.assign("Flag", [(1,)]),
        lambda: worker.rollback(7),
        lambda: worker.assign("Flag", [(object(), None, None)]),  # type: ignore[list-item]
        lambda: worker.rows("Nothing"),
    ):
        with pytest.raises(EngineError):
            wrong()
        assert worker.answers("ask") == {Answer((1,))}


def test_a_budget_is_kept_and_the_session_goes_on() -> None:
    made = program(ask(p("Item", k="?a"), p("Item", n="?b")))
    with PyDatalogWorker(made, today=TODAY, budget=Budget(steps=100)) as session:
        session.assign("Item", [(n, None, None, n) for n in range(30)])
        with pytest.raises(BudgetExceeded, match="derivation steps"):
            session.answers("ask")
        session.assign("Item", [])
        assert session.answers("ask") == frozenset()


def test_an_impossible_program_is_refused_without_a_process() -> None:
    from tests.engine.worlds import define, no
    from vsalang.program.ir import NUMBER

    made = program(define("D", p("Item", k="?x"), no("D", x="?x"), x="?x"), derived={"D": {"x": NUMBER}})
    before = children()
    with pytest.raises(EngineError, match="not stratified"):
        PyDatalogWorker(made, today=TODAY)
    assert children() <= before


def children() -> set[int]:
    """The worker processes that this process has."""
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    ).stdout
    return {int(line.split()[0]) for line in found.splitlines() if "pydatalog" in line}


# ---------------------------------------------------------------- what is similar is asked here


class Backend:
    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.fault: Exception | None = None

    def similar(self, text: str, constant: str) -> bool | None:
        self.asked.append((text, constant))
        if self.fault is not None:
            raise self.fault
        return True


def test_similarity_is_answered_by_the_owner() -> None:
    backend = Backend()
    made = program(ask(p("Flag", who="?w"), cmp("?w", "~=", "friend")))
    with PyDatalogWorker(made, today=TODAY, similarity=backend) as session:
        session.assign("Flag", [(None, None, "pal")])
        assert session.answers("ask") == {Answer(("pal",))}
        assert backend.asked == [("pal", "friend")]
        backend.fault = KeyError("no model")
        session.assign("Flag", [(None, None, "chum")])
        with pytest.raises(KeyError, match="no model"):
            session.answers("ask")
        backend.fault = None
        assert session.answers("ask") == {Answer(("chum",))}


def test_the_time_of_who_answers_is_not_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0.0

    class Slow(Backend):
        def similar(self, text: str, constant: str) -> bool | None:
            nonlocal passed
            passed += 1000.0
            return True

    monkeypatch.setattr(
        pydatalog_worker, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + passed)
    )

    made = program(ask(p("Flag", who="?w"), cmp("?w", "~=", "friend")))
    with PyDatalogWorker(made, today=TODAY, similarity=Slow()) as session:
        session._seconds = 900.0
        session.assign("Flag", [(None, None, "pal")])
        assert session.answers("ask") == {Answer(("pal",))}
        assert passed == 1000.0


def test_who_answers_may_not_ask_the_session() -> None:
    made = program(ask(p("Flag", who="?w"), cmp("?w", "~=", "friend")))

    class Asking(Backend):
        def similar(self, text: str, constant: str) -> bool | None:
            session.answers("ask")
            return True

    with PyDatalogWorker(made, today=TODAY, similarity=Asking()) as session:
        session.assign("Flag", [(None, None, "pal")])
        with pytest.raises(EngineError, match="answers ~= for it"):
            session.answers("ask")


# ---------------------------------------------------------------- it hangs nobody


def test_a_call_that_never_answers_ends_the_session(worker: Hanging) -> None:
    short(worker)
    with pytest.raises(BudgetExceeded, match=r"did not answer within 0.5 s.*use the engine incremental"):
        worker.answers("hang")
    assert not alive(worker.pid)
    for call in (
        lambda: worker.answers("ask"),
        lambda: worker.assign("Flag", []),
        lambda: worker.now(NOON),
        lambda: worker.point(1),
        worker.savepoint,
        lambda: worker.rollback(1),
        lambda: worker.rows("Flag"),
    ):
        with pytest.raises(EngineError, match=r"has ended: it did not answer within 0.5 s; begin a new one"):
            call()


def test_other_threads_run_while_it_hangs(worker: Hanging) -> None:
    def end_it() -> None:
        while not worker._busy:
            time.sleep(0.01)
        os.kill(worker.pid, signal.SIGKILL)

    thread = threading.Thread(target=end_it)
    thread.start()
    with pytest.raises(EngineError, match="ended unexpectedly"):
        worker.answers("hang")
    thread.join()


def test_who_waits_for_a_hanging_thread_is_refused(worker: Hanging) -> None:
    short(worker)
    found: list[Any] = []

    def work() -> None:
        try:
            worker.answers("ask")
        except EngineError as error:
            found.append(str(error))

    def hang() -> None:
        with pytest.raises(BudgetExceeded):
            worker.answers("hang")

    first = threading.Thread(target=hang)
    first.start()
    while not worker._busy:
        time.sleep(0.01)
    second = threading.Thread(target=work)
    second.start()
    first.join()
    second.join()
    assert len(found) == 1 and "has ended" in found[0]


def test_a_worker_that_is_killed_in_mid_call(worker: Hanging) -> None:
    with pytest.raises(EngineError, match="ended unexpectedly"):
        worker.answers("die")
    with pytest.raises(EngineError, match="has ended"):
        worker.answers("ask")


def test_a_worker_that_is_killed_between_calls(worker: Hanging) -> None:
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(EngineError, match="ended unexpectedly"):
        worker.answers("ask")


def test_a_worker_that_is_stopped_takes_nothing(worker: Hanging) -> None:
    short(worker)
    os.kill(worker.pid, signal.SIGSTOP)
    with pytest.raises(BudgetExceeded):
        worker.assign("Item", [(n, None, "x" * 1000, None) for n in range(5000)])  # more than a pipe holds
    assert not alive(worker.pid)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process")
def test_memory_is_bounded() -> None:
    with Hanging(MADE, today=TODAY, memory=1 << 29) as session:
        with pytest.raises(EngineError, match=r"failed: MemoryError|ended unexpectedly"):
            session.answers("eat")
        assert not alive(session.pid)


def test_a_fault_of_the_engine_ends_the_session(worker: Hanging) -> None:
    with pytest.raises(EngineError, match="failed: ZeroDivisionError: a fault of the engine"):
        worker.answers("raise")
    with pytest.raises(EngineError, match="has ended"):
        worker.answers("ask")
    assert not alive(worker.pid)


def test_a_call_that_is_broken_off_ends_the_session(worker: Hanging) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            worker.answers("hang")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not alive(worker.pid)
    with pytest.raises(EngineError, match="a call was broken off"):
        worker.answers("ask")


# ---------------------------------------------------------------- no orphans


def test_closing_ends_the_process_and_may_be_repeated() -> None:
    session = PyDatalogWorker(MADE, today=TODAY)
    session.close()
    session.close()
    assert not alive(session.pid)
    with pytest.raises(EngineError, match="it was closed"):
        session.answers("ask")


def test_a_forgotten_session_takes_its_process_with_it() -> None:
    session = PyDatalogWorker(MADE, today=TODAY)
    pid = session.pid
    del session
    assert ends(pid)


OWNER = """
import os, signal, sys, threading
from tests.engine.test_pydatalog_worker import MADE, NOON, TODAY, Hanging

session = Hanging(MADE, today=TODAY)
print(session.pid, flush=True)
how = sys.argv[1]
if how == "killed idle":
    os.kill(os.getpid(), signal.SIGKILL)
if how == "killed in mid call":
    session._seconds = 2
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
    session.answers("hang")
if how == "killed, with a child that was forked":
    if os.fork() == 0:
        os.close(1)
        signal.pause()
    os.kill(os.getpid(), signal.SIGKILL)
if how == "raises":
    raise SystemExit(3)
"""


@pytest.mark.parametrize(
    "how", ["returns", "raises", "killed idle", "killed in mid call", "killed, with a child that was forked"]
)
def test_the_process_ends_with_its_owner(how: str) -> None:
    owner = processes.Process(["-c", OWNER, how], stderr=None, text=True, session=True)
    try:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.wait(timeout=60)
        assert ends(pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(owner.pid, signal.SIGKILL)  # the child that was forked
        owner.stdout.close()


def _use(session: PyDatalogWorker, queue: Any) -> None:
    try:
        session.answers("ask")
        queue.put("answered")
    except EngineError as error:
        queue.put(str(error))
    session.close()


def test_a_forked_process_cannot_use_the_session(worker: Hanging) -> None:
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_use, args=(worker, queue))
    child.start()
    said = queue.get(timeout=60)
    child.join()
    assert "belongs to process" in said
    assert worker.answers("ask") == {Answer((1,))}


@pytest.mark.slow
def test_sessions_from_many_threads_do_not_mix() -> None:
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        with PyDatalogWorker(MADE, today=TODAY) as session:
            for round_ in range(5):
                session.assign("Flag", [(None, number * 10 + round_, None)])
                found[number * 10 + round_] = session.answers("ask")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n * 10 + r: {Answer((n * 10 + r,))} for n in range(4) for r in range(5)}


def test_one_session_answers_many_threads_in_turn(worker: Hanging) -> None:
    found: list[Any] = []

    def work() -> None:
        for _ in range(20):
            found.append(worker.answers("ask"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [frozenset({Answer((1,))})] * 80


def test_nothing_is_imported_from_the_users_directory(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "socket.py").write_text("raise SystemExit('not this one')")
    (tmp_path / "pyDatalog.py").write_text("raise SystemExit('nor this one')")
    monkeypatch.chdir(tmp_path)
    with PyDatalogWorker(MADE, today=TODAY) as session:
        assert session.answers("ask") == frozenset()


# ---------------------------------------------------------------- the guard


def test_a_guard_whose_engine_hangs_blocks_from_then_on() -> None:
    from tests.guard.phones import Watch, details
    from tests.guard.programs import booking
    from vsalang.guard import Guard, GuardFailed
    from vsalang.program.action import Action

    class HangsOnARule(Hanging):
        hangs = False

        def answers(self, rule: str) -> frozenset[Answer]:
            return super().answers("hang" if self.hangs else rule)

    opened: list[HangsOnARule] = []
    with ExitStack() as stack:

        def engine(program: Program, **_: object) -> HangsOnARule:
            opened.append(stack.enter_context(HangsOnARule(program, today=TODAY)))
            return opened[-1]

        session = Guard(booking().program(), clock=Watch(), engine=engine)
        (evaluator,) = opened
        session.observe(details(("18:30", True)))
        tap = Action("tap", {"node": 12})
        assert not session.propose(tap).because("error")
        short(evaluator)
        evaluator.hangs = True
        verdict = session.propose(tap)
        assert verdict.level == "block" and "did not answer within 0.5 s" in verdict.reasons[0].message
        evaluator.hangs = False
        assert session.failed
        assert session.propose(tap).level == "block" and session.propose(Action("back")).level == "block"
        with pytest.raises(GuardFailed):
            session.observe(details(("18:30", True)))


def test_a_guard_with_the_worker_decides_the_same() -> None:
    from tests.guard.phones import Watch, details
    from tests.guard.programs import booking
    from vsalang.guard import Guard
    from vsalang.program.action import Action

    said = []
    for engine in ("incremental", "pydatalog"):
        session = Guard(booking().program(), clock=Watch(), engine=engine)  # type: ignore[arg-type]
        session.observe(details(("18:30", True)))
        verdicts = [session.propose(Action("tap", {"node": node})) for node in (12, 3)]
        said.append([(verdict.level, [str(reason) for reason in verdict.reasons]) for verdict in verdicts])
    assert said[0] == said[1]
