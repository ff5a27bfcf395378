"""`vsac fleet audit`: the same answers as a replay of each journal, by one process or several, in any batches."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.fleet.journals import LABELS, record
from vsalang.base.source.results import ResultsError
from vsalang.guard.journal import other_program, read_session, replay
from vsalang.tools.fleet.auditing import AuditTask, PartAudit, local, open_results, rows_of_batches, run
from vsalang.tools.fleet.judging import READ, Auditor, Policies, SessionAudit, sessions_of
from vsalang.tools.fleet.rows import read_rows
from vsalang.tools.fleet.schema import VERSION, StoreError
from vsalang.tools.fleet.spark import Worker
from vsalang.tools.fleet.store import Part, Store
from vsalang.tools.fleet.summary import Summary, as_data, from_data, summary_of

Vsac = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def store(journals: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The three journals in three parts."""
    made = Store(tmp_path_factory.mktemp("store") / "s")
    for path in sorted(journals.glob("*.jsonl")):
        made.add([read_rows(path)])
    return made


@pytest.fixture(scope="module")
def new(journals: Path) -> Policies:
    return Policies((str(journals / "rules" / "new.vsa"),))


@pytest.fixture(scope="module")
def auditor(new: Policies) -> Auditor:
    """The new policy, compared with what was recorded."""
    return Auditor(new, Policies(None))


@pytest.fixture(scope="module")
def by_replay(journals: Path) -> dict[str, list[tuple[int, str, str]]]:
    """Step, level then and level now of each flip, by the session's first hash, as `vsac journal replay` finds them."""
    flips = {}
    for path in journals.glob("*.jsonl"):
        session = read_session(path)
        program = other_program(session, None, [str(journals / "rules" / "new.vsa")]).checked()
        found = replay(session, program)
        flips[session.records[0].hash] = [
            (each.step.number, each.step.level, str(each.now and each.now["level"])) for each in found.flipped
        ]
    return flips


def flips_of(audits: Sequence[SessionAudit]) -> dict[str, list[tuple[int, str, str]]]:
    return {each.key[1]: [(one.step, one.before, one.now) for one in each.changes] for each in audits}


def rows_in(store: Store) -> list[dict[str, object]]:
    return [row for part in store.parts for row in store.table(part, READ).to_pylist()]


@pytest.fixture(scope="module")
def audits(store: Store, auditor: Auditor) -> list[SessionAudit]:
    return [auditor.audit(rows) for rows in sessions_of(rows_in(store))]


def test_each_flip_is_that_of_a_replay(audits: list[SessionAudit], by_replay: object):
    assert not [each.problem for each in audits if each.problem]
    assert flips_of(audits) == by_replay
    assert sum(len(flips) for flips in flips_of(audits).values()) >= 3


@settings(max_examples=8)
@given(st.integers(1, 40), st.randoms(use_true_random=False))
def test_no_border_of_a_batch_changes_an_answer(
    store: Store, auditor: Auditor, by_replay: object, size: int, draw: random.Random
):
    """Whatever the borders, the rows of a session come together; what Spark hands over is such batches."""
    table = pa.concat_tables([store.table(part, READ) for part in store.parts])
    batches, at = [], 0
    while at < table.num_rows:
        length = draw.randint(1, size)
        batches += table.slice(at, length).to_batches()
        at += length
    audits = [auditor.audit(rows) for rows in sessions_of(rows_of_batches(batches))]
    assert flips_of(audits) == by_replay


def test_what_a_worker_of_spark_runs(store: Store, new: Policies, auditor: Auditor):
    task = AuditTask(str(store.folder), new, Policies(None))
    batches = []
    for part in store.parts:
        table = store.table(part, READ)
        names = pa.array([part.name] * table.num_rows)
        batches += table.append_column("file_name", names).to_batches(max_chunksize=5)
    told = {row["part"]: row["summary"] for batch in Worker(task)(batches) for row in batch.to_pylist()}
    wanted = dict(run(store, task, "1", local(1)))
    assert {name: from_data(json.loads(text)) for name, text in told.items()} == {
        part.name: summary for part, summary in wanted.items()
    }


def test_missing_rows_are_an_error(store: Store):
    rows = rows_in(store)
    with pytest.raises(StoreError, match="is not whole: 2 of"):
        list(sessions_of(rows[:2]))
    with pytest.raises(StoreError, match="is not whole"):
        list(sessions_of([*rows[:3], *rows[4:]]))


@given(st.randoms(use_true_random=False))
def test_summaries_add_up_in_any_order(audits: list[SessionAudit], draw: random.Random):
    audits = audits + [SessionAudit(("", f"{n}", "", ""), problem=f"why {n % 3}") for n in range(5)]
    whole = summary_of(audits)
    draw.shuffle(audits)
    cut = draw.randint(0, len(audits))
    assert summary_of(audits[:cut]) + summary_of(audits[cut:]) == whole
    assert from_data(json.loads(json.dumps(as_data(whole)))) == whole


def test_many_kinds_are_bounded_and_add_up(monkeypatch: pytest.MonkeyPatch):
    from vsalang.tools.fleet import summary

    monkeypatch.setattr(summary, "MOST", 3)
    audits = [SessionAudit(("", f"{n}", "", ""), problem=f"why {n % 7}") for n in range(30)]
    whole = summary_of(audits)
    assert len(whole.problems) == 3 and whole.unjudged == 30
    assert summary_of(audits[::2]) + summary_of(audits[1::2]) == whole == summary_of(reversed(audits))


# ---------------------------------------------------------------- what is known is not done again


def test_an_interrupted_audit_goes_on(store: Store, new: Policies, tmp_path: Path):
    """Who is killed after any part: the next run judges the others, and the whole is the same."""
    task = AuditTask(str(store.folder), new, Policies(None))
    wanted = sum((summary for _, summary in run(store, task, "1", local(1))), Summary())
    for killed in range(len(store.parts) + 1):
        judged: list[str] = []

        def engine(task: AuditTask, parts: Sequence[Part], judged: list[str] = judged) -> Iterator[PartAudit]:
            for part, summary in local(1)(task, parts):
                judged.append(part.name)
                yield part, summary

        place = tmp_path / f"{killed}"
        results = open_results(place)
        for count, _ in enumerate(run(store, task, "1", engine, results), 1):
            if count >= killed:
                break
        results.close()
        with place.open("ab") as file:
            file.write(b'{"fleet audit": 1, "key": "cut o')  # what a killed process leaves
        results = open_results(place)
        total = sum((summary for _, summary in run(store, task, "1", engine, results)), Summary())
        results.close()
        assert total == wanted
        assert sorted(judged) == sorted(part.name for part in store.parts) or killed == 0
    (tmp_path / "other").write_text("text\n")
    with pytest.raises(ResultsError):
        open_results(tmp_path / "other")


def test_another_policy_is_judged_again(store: Store, new: Policies, journals: Path, tmp_path: Path):
    results = open_results(tmp_path / "r")
    for files in (new, Policies((str(journals / "rules" / "old.vsa"),))):
        list(run(store, AuditTask(str(store.folder), files, Policies(None)), "1", local(1), results))
    assert len(results) == 2 * len(store.parts)
    results.close()


# ---------------------------------------------------------------- the command


@pytest.fixture(scope="module")
def folder(journals: Path, store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with the store `fleet` and the policies."""
    made = tmp_path_factory.mktemp("audit")
    (made / "fleet").symlink_to(store.folder)
    for path in (journals / "rules").iterdir():
        (made / path.name).write_text(path.read_text())
    return made


def test_the_audit_as_json(folder: Path, vsac: Vsac):
    done = vsac("fleet", "audit", "--policy", "new.vsa", "--against", "old.vsa", "--json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["sessions"], told["steps"], told["unjudged"]) == (3, 12, [])
    assert {(each["kind"], *each["rules"]): each["steps"] for each in told["changes"]} == {
        ("new blocks", "NEW-1", "NEW-2"): 1,
        ("new questions", "NEW-2"): 1,
        ("questions that go", "OLD-2"): 1,
    }
    example = told["changes"][0]["examples"][0]
    assert len(example["session"]) == 64 and example["step"] > 0
    same = vsac("fleet", "audit", "--policy", "new.vsa", "--json", cwd=folder)
    assert json.loads(same.stdout)["changes"] == told["changes"], "what was recorded is what OLD says"


def test_without_a_difference_nothing_is_listed(folder: Path, vsac: Vsac):
    done = vsac("fleet", "audit", "--policy", "old.vsa", "--fail-on-change", cwd=folder)
    assert done.returncode == 0 and "No verdict is another." in done.stdout
    done = vsac("fleet", "audit", "--policy", "new.vsa", "--fail-on-change", cwd=folder)
    assert done.returncode == 1 and "New blocks" in done.stdout


@pytest.mark.fleet
def test_several_processes_say_the_same(folder: Path, vsac: Vsac):
    told = [
        vsac("fleet", "audit", "--policy", "new.vsa", "--json", "-j", jobs, cwd=folder).stdout
        for jobs in (1, 2)
    ]
    assert told[0] == told[1] and json.loads(told[0])["sessions"] == 3


def test_what_cannot_be_judged_is_told(folder: Path, tmp_path: Path, vsac: Vsac):
    record(tmp_path / "a.jsonl", ["Next"])
    record(tmp_path / "b.jsonl", LABELS[:3])
    vsac("fleet", "import", tmp_path / "a.jsonl", "--store", tmp_path / "s", "--redact")
    vsac("fleet", "import", tmp_path / "b.jsonl", "--store", tmp_path / "s")
    done = vsac("fleet", "audit", "--policy", folder / "new.vsa", "--store", tmp_path / "s")
    assert done.returncode == 2 and "1 session could not be judged" in done.stderr
    assert "its secrets were replaced" in done.stderr and "New blocks" in done.stdout


def test_errors_of_policies_and_stores(folder: Path, tmp_path: Path, vsac: Vsac):
    (tmp_path / "bad.vsa").write_text("policy bad\ndeny when nothing.\n")
    done = vsac("fleet", "audit", "--policy", tmp_path / "bad.vsa", cwd=folder)
    assert done.returncode == 1 and "bad.vsa" in done.stderr
    done = vsac("fleet", "audit", "--policy", "new.vsa", "--store", tmp_path / "none", cwd=folder)
    assert done.returncode == 2 and "is not a store" in done.stderr
    assert vsac("fleet", "audit", cwd=folder).returncode == 2
    part = tmp_path / "s" / "part-x.parquet"
    part.parent.mkdir()
    part.write_bytes(b"PAR1 not")
    listed = {"version": VERSION, "parts": [{"name": part.name, "rows": 1, "sessions": 1, "size": 1}]}
    (part.parent / "fleet.json").write_text(json.dumps(listed))
    done = vsac("fleet", "audit", "--policy", "new.vsa", "--store", part.parent, cwd=folder)
    assert done.returncode == 2 and "cannot read" in done.stderr
