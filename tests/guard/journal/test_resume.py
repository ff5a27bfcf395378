"""A guard that died and was resumed goes on as if nothing had happened; what was committed is done, and once."""

import datetime as dt
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guard.journal.conftest import kept
from tests.guard.journal.walks import PAGES, PATH, PROGRAM, PROPOSALS, WALKS, Walker, walker
from tests.guard.programs import R, booking
from tests.thorough import times
from vsalang.base.names import Mode
from vsalang.guard import Guard, NotAllowed
from vsalang.guard.journal import Journal, JournalError, Recorder, read_session, replay, resume
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.program.action import Action
from vsalang.program.example import LEVELS

SOME = settings(
    max_examples=int(os.environ.get("VSALANG_WALKS", times(10, 60))),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "walk.jsonl"


def fresh(path: Path) -> Path:
    path.unlink(missing_ok=True)
    return path


@pytest.mark.slow
@SOME
@given(walk=WALKS, cut=st.integers(0, 30), again=st.integers(0, 30))
def test_a_resumed_guard_judges_as_the_uninterrupted_one(path: Path, walk: Any, cut: int, again: int) -> None:
    """Cut at any place, twice: every verdict, refusal and observation after it is the same."""
    cut_and_resume(path, walk, cut, again, "enforce")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["shadow", "ask"])
@settings(SOME, max_examples=times(5, 25))
@given(walk=WALKS, cut=st.integers(0, 30), again=st.integers(0, 30))
def test_so_does_one_that_only_watches_or_asks_itself(
    path: Path, walk: Any, cut: int, again: int, mode: Mode
) -> None:
    cut_and_resume(path, walk, cut, again, mode)


def cut_and_resume(path: Path, walk: Any, cut: int, again: int, mode: Mode) -> None:
    whole = walker(mode=mode)
    with Journal(fresh(path), sync="none") as journal:
        part = walker(journal, mode=mode)
        cuts = {cut % (len(walk) + 1), again % (len(walk) + 1)}
        held: Any = None
        orphan = False
        for number, op in enumerate(walk):
            if number in cuts:
                (held or journal).close()
                held = resume(
                    path, program=PROGRAM, clock=part.watch, sync="none", ask=lambda _, now=part: now.says
                )
                assert (held.in_flight is not None) == whole.guard.running
                part = Walker(held.guard, part.watch)
                orphan = whole.guard.running
            if op[0] == "observe":
                asked = op
                if orphan:
                    op = (*op[:2], None)  # nobody is left who could know whether it arrived, whatever is said
                orphan = False
                told = whole.step(op)
                assert part.step(asked) == told
            else:
                assert part.step(op) == whole.step(op)
            assert part.guard.snapshot == whole.guard.snapshot
            assert part.guard.running == whole.guard.running
            assert part.guard.finished == whole.guard.finished
        if held is not None:
            held.close()
    session = read_session(path)
    assert [s for s in replay(session, PROGRAM).judgements if s.flipped or s.moved] == []


@pytest.mark.slow
@SOME
@given(walk=WALKS, data=st.data())
def test_the_session_goes_on_from_the_last_whole_line(path: Path, walk: Any, data: Any) -> None:
    """As if the process had died while it wrote, at any byte."""
    ends: list[tuple[int, Any, bool]] = []
    with Journal(fresh(path), sync="none") as journal:
        part = walker(journal)
        ends.append((path.stat().st_size, part.guard.snapshot, False))
        for op in walk:
            if op[0] == "act":  # the commit alone is a place to die at
                part.step(("propose", op[1]))
                ends.append((path.stat().st_size, part.guard.snapshot, part.guard.running))
            part.step(op)
            ends.append((path.stat().st_size, part.guard.snapshot, part.guard.running))
    content = path.read_bytes()
    size = data.draw(st.integers(ends[0][0], len(content)))
    rest = data.draw(st.sampled_from((b"", b"\0", b"\0" * 5000)))
    path.write_bytes(content[:size] + rest)
    whole = content[:size].rfind(b"\n") + 1
    kept(path)
    with resume(path, program=PROGRAM, clock=part.watch, sync="none") as resumed:
        if whole in {end for end, _, _ in ends}:
            snapshot, running = next(found[1:] for found in ends if found[0] == whole)
            assert (resumed.guard.snapshot, resumed.guard.running) == (snapshot, running)
        last = [record.kind for record in resumed.session.records if record.kind in ("commit", "observe")]
        assert resumed.guard.running == (last[-1:] == ["commit"])
        assert len(resumed.session.torn) == size - whole + len(rest)
    assert path.read_bytes().startswith(content[:whole])
    assert [s.number for s in read_session(path).records] == list(
        range(1, len(read_session(path).records) + 1)
    )


def begun(path: Path, ops: Any = PATH) -> Walker:
    journal = Journal(path)
    made = walker(journal)
    for op in ops:
        made.step(op)
    journal.close()
    return made


def test_what_was_under_way_counts_as_done(path: Path) -> None:
    begun(path, PATH[:4])
    with resume(path, program=PROGRAM, clock=walker().watch) as resumed:
        assert resumed.in_flight is not None
        assert resumed.in_flight.proposed == PROPOSALS[0]
        guard = resumed.guard
        assert guard.running
        assert guard.propose(PROPOSALS[0]).because("running")
        guard.observe(PAGES[5])
        assert [grant.relation for grant, _ in guard.snapshot.commits] == [f"{R}Reserve"]
        again = guard.propose(PROPOSALS[9])  # the same reservation
        assert again.level == "block" and again.because("licence")
    assert [r.data["delivered"] for r in read_session(path).records if r.kind == "observe"][-1] is None


@pytest.mark.parametrize(("left", "said", "commits"), [(False, True, 0), (True, False, 1), (None, False, 1)])
def test_word_that_was_left_of_the_delivery(path: Path, left: Any, said: bool, commits: int) -> None:
    journal = Journal(path)
    made = walker(journal)
    for op in PATH[:4]:
        made.step(op)
    if left is not None:
        made.guard.recorder.delivered(left)  # type: ignore[union-attr]
    journal.close()
    with resume(path, program=PROGRAM, clock=made.watch) as resumed:
        assert resumed.in_flight is not None and resumed.in_flight.delivered is left
        resumed.guard.observe(PAGES[5], said)
        assert len(resumed.guard.snapshot.commits) == commits
        ledger = resumed.guard.ledger
    with resume(path, program=PROGRAM, clock=made.watch) as again:
        assert again.guard.ledger == ledger  # the word counts whenever the journal is read


@pytest.mark.parametrize("change", [{"propose": 1}, {"propose": None}, {}])
def test_word_of_another_action_is_none(path: Path, change: Any) -> None:
    begun(path, PATH[:4])
    journal, records, _ = Journal.reopen(path)
    journal.write("outcome", {"at": records[-1].data["at"], "delivered": False, "problem": "", **change})
    journal.close()
    with resume(path, program=PROGRAM, clock=walker().watch) as resumed:
        assert resumed.in_flight is not None and resumed.in_flight.delivered is None
        resumed.guard.observe(PAGES[5])
        assert len(resumed.guard.snapshot.commits) == 1


def test_a_session_that_is_over_stays_over(path: Path) -> None:
    begun(path, [*PATH, ("observe", PAGES[5], True)])
    with resume(path, program=PROGRAM, clock=walker().watch) as resumed:
        assert resumed.guard.finished
        assert resumed.guard.propose(Action("back")).because("finished")


def test_two_guards_cannot_go_on_with_one_session(path: Path) -> None:
    begun(path)
    with resume(path, program=PROGRAM), pytest.raises(JournalError, match="another process"):
        resume(path, program=PROGRAM)
    resume(path, program=PROGRAM).close()


def test_another_program_is_refused(path: Path) -> None:
    begun(path)
    other = replace(PROGRAM, digest="another")
    with pytest.raises(JournalError, match="another program"):
        resume(path, program=other)
    with Journal(path.with_name("x")) as free:
        assert free.number == 0  # nothing is held by a resume that failed
    Journal.reopen(path)[0].close()


def test_without_texts_the_program_must_be_given(path: Path) -> None:
    begun(path)
    with pytest.raises(JournalError, match="does not hold the program's text"):
        resume(path)


def test_a_verdict_that_is_not_reached_again_is_refused(path: Path) -> None:
    """Who rewrites a verdict and the whole chain after it is found out by judging again."""
    begun(path, PATH[:3])
    records = list(read_session(path).records)
    forged = path.with_name("forged.jsonl")
    with Journal(forged) as journal:
        for record in records:
            data = dict(record.data)
            if record.kind == "propose":
                data["verdict"] = {**data["verdict"], "level": "block"}
            journal.write(record.kind, data)
    with pytest.raises(JournalError, match=r"line 4: judged again the proposal is allow, and block"):
        resume(forged, program=PROGRAM)


def test_a_commit_that_was_not_allowed_is_refused(path: Path) -> None:
    begun(path, [("observe", PAGES[1], True), ("propose", PROPOSALS[0])])
    session = read_session(path)
    propose = next(r for r in session.records if r.kind == "propose")
    journal, _, _ = Journal.reopen(path)
    said = {"propose": propose.number, "clock": propose.data["clock"], "approved": True, "screen": None}
    journal.write("commit", said)
    journal.close()
    with pytest.raises(JournalError, match="what was committed may not be"):
        resume(path, program=PROGRAM)


class Broken(FactScreen):
    """A screen that fails when it is looked at."""

    def relations(self) -> Any:
        raise RuntimeError("gone")


def test_a_guard_that_failed_can_be_resumed(path: Path) -> None:
    """An internal error ends the guard, not the session: what had been committed is still known."""
    journal = Journal(path)
    made = walker(journal)
    for op in PATH[:4]:
        made.step(op)
    with pytest.raises(Exception, match="gone"):
        made.guard.observe(Broken())
    assert made.guard.propose(Action("back")).because("error")
    journal.close()
    with resume(path, program=PROGRAM, clock=made.watch) as resumed:
        assert resumed.guard.running and not resumed.guard.failed
        resumed.guard.observe(PAGES[5])
        assert len(resumed.guard.snapshot.commits) == 1
    told = [record.kind for record in read_session(path).records]
    assert [kind for kind in told if kind in ("failed", "resume")] == ["failed", "resume"]


class Asked:
    """A similarity backend that counts."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked = 0

    def similar(self, text: str, constant: str) -> bool:
        self.asked += 1
        return self.answer


def test_what_was_similar_is_not_asked_again(path: Path, tmp_path: Path) -> None:
    from vsalang.language.semantics import load_text
    from vsalang.program.vocabulary import VOCABULARY

    (tmp_path / "shop.vsa").write_text(
        'app shop package "com.shop" "A shop"\nscreen Home "Home" when Node(id = "pay").\n'
    )
    text = 'spec s "x"\nimport shop\nallow shell(command ~= "list the files") .\ndone when shell earlier.\n'
    loaded = load_text(text, file="s.vsa", path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    page = FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"})
    backend = Asked(True)
    with Journal(path) as journal:
        recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file)
        guard = Guard(loaded.program, recorder=recorder, similarity=backend)
        guard.observe(page)
        verdict = guard.propose(Action("shell", {"command": "show files"}))
        assert verdict.allowed
        guard.commit(verdict)
    assert backend.asked == 1
    other = Asked(False)
    with resume(path, similarity=other) as resumed:
        assert other.asked == 0
        assert resumed.in_flight is not None
    (tmp_path / "shop.vsa").unlink()  # the journal holds what is needed
    session = read_session(path)
    assert [j.flipped for j in replay(session, loaded.program).judgements] == [False]


def test_without_a_backend_two_texts_are_never_undecided(path: Path, tmp_path: Path) -> None:
    """`!~=` holds of texts that differ, in the session and when it is judged again."""
    from vsalang.language.semantics import load_text
    from vsalang.program.vocabulary import VOCABULARY

    text = (
        'spec s "x"\nimport shop\nallow shell.\ndeny "no" when shell(command !~= "list files").\n'
        "done when shell earlier.\n"
    )
    (tmp_path / "shop.vsa").write_text('app shop package "com.shop" "A shop"\n')
    loaded = load_text(text, file="s.vsa", path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    with Journal(path) as journal:
        guard = Guard(loaded.program, recorder=Recorder(journal, sources=loaded.sources, spec=loaded.file))
        guard.observe(FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"}))
        assert guard.propose(Action("shell", {"command": "erase files"})).because("deny")
    (judgement,) = replay(read_session(path), loaded.program).judgements
    assert not judgement.flipped and not judgement.moved
    resume(path).close()
    with pytest.raises(JournalError, match="without a backend"):
        resume(path, similarity=Asked(True))


def test_a_clock_of_screens_goes_on(path: Path) -> None:
    """Without a clock of the caller's the day of the instruction is the first screen's, then and after."""
    from vsalang.program.vocabulary import VOCABULARY

    page = PAGES[1].seen(VOCABULARY["Clock"], {"today": dt.date(2026, 4, 1), "now": dt.time(12)})  # type: ignore[union-attr]
    with Journal(path) as journal:
        guard = Guard(PROGRAM, recorder=Recorder(journal))
        guard.observe(page)
        assert guard.today == dt.date(2026, 4, 1)
    with resume(path, program=PROGRAM) as resumed:
        assert resumed.guard.today == dt.date(2026, 4, 1)
        assert resumed.guard.propose(Action("back")).at.date() == dt.date(2026, 4, 1)


def test_a_refusal_is_recorded_and_enacted(path: Path) -> None:
    with Journal(path) as journal:
        made = walker(journal)
        made.step(PATH[0])
        verdict = made.guard.propose(Action("back"))
        with pytest.raises(NotAllowed, match="the screen has changed"):
            made.guard.commit(verdict, screen=PAGES[0])
        with pytest.raises(NotAllowed, match="no fresh verdict"):
            made.guard.commit(verdict)
    refused = [r.data["propose"] for r in read_session(path).records if r.kind == "refused"]
    assert len(refused) == 2 and refused[0] is not None and refused[1] is None
    resume(path, program=PROGRAM, clock=made.watch).close()


@pytest.mark.slow
@SOME
@given(walk=WALKS)
def test_other_policies_judge_a_session_to_its_end(path: Path, walk: Any) -> None:
    """Commits that the other program would have refused happened anyway; nothing stumbles over them."""
    loose = booking(policy=False).program()
    with Journal(fresh(path), sync="none") as journal:
        made = walker(journal, loose)
        for op in walk:
            made.step(op)
    session = read_session(path)
    judged = replay(session, PROGRAM)
    assert not judged.same_program
    assert len(judged.judgements) == len(session.steps)
    for judgement in judged.judgements:
        assert judgement.now is not None
        levels = [LEVELS.index(verdict["level"]) for verdict in (judgement.step.verdict, judgement.now)]
        repeated = judgement.now["overridden"] or judgement.step.verdict["overridden"]
        assert repeated or levels[0] <= levels[1]  # a policy never lowers a verdict
    assert replay(session, loose).flipped == []
