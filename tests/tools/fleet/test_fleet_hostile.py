"""Journals whose chain fits and whose contents nobody can trust: nothing breaks, nothing steers a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.thorough import times
from tests.tools.fleet.journals import record
from vsalang.guard.journal import JournalError
from vsalang.guard.journal.file import Journal, read_journal
from vsalang.tools.fleet.judging import READ, Auditor, Policies, sessions_of
from vsalang.tools.fleet.questions import NAMES, ask
from vsalang.tools.fleet.rows import read_rows
from vsalang.tools.fleet.store import Store
from vsalang.tools.fleet.views import connect

Vsac = Callable[..., CompletedProcess[str]]
EVIL = "a\x1b]0;title\x07\u202e'); DROP VIEW records; --"
KEYS = st.sampled_from(["kind", "rule", "risk", "id"])
SINGLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SINGLE | st.sampled_from(["", EVIL]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
PLACES = [
    ("session", "device"), ("session", "sources"), ("session", "settings"), ("session", "policies"),
    ("propose", "verdict"), ("propose", "proposal"), ("propose", "at"), ("observe", "contracts"),
    ("observe", "recorded"), ("observe", "shown"), ("observe", "screen"), ("screen", "app"), ("screen", "nodes"),
]  # fmt: skip
IN_VERDICT = ["level", "reasons", "flags", "actions", "proposal", "mode", "fingerprint"]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("good") / "a.jsonl", ["Next", "Pay 900", "Pay 5"])


def rewritten(good: Path, to: Path, change: Callable[[str, dict[str, Any]], dict[str, Any]]) -> Path:
    """The journal with other contents, and a chain that fits."""
    to.unlink(missing_ok=True)
    with Journal(to, sync="none", resumable=False) as journal:
        for each in read_journal(good):
            journal.write(each.kind, change(each.kind, json.loads(json.dumps(each.data))))
    return to


@settings(max_examples=times(12, 300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), inner=st.sampled_from(IN_VERDICT), value=VALUES)
def test_any_value_is_refused_or_judged(
    good: Path, tmp_path: Path, place: tuple[str, str], inner: str, value: object
):
    kind, name = place

    def change(of: str, data: dict[str, Any]) -> dict[str, Any]:
        if of == kind and name == "verdict":
            data["verdict"][inner] = value
        elif of == kind:
            data[name] = value
        return data

    try:
        rows = read_rows(rewritten(good, tmp_path / "b.jsonl", change))
    except JournalError as error:
        assert "b.jsonl" in str(error)
        return
    store = Store(tmp_path / rows.head)
    assert store.add([rows]) in (("new",), ("known",))
    (judged,) = (
        Auditor(Policies((str(good.parent / "rules" / "new.vsa"),)), Policies(None)).audit(session)
        for session in sessions_of({**dict.fromkeys(READ), **row} for row in rows.rows)
    )
    assert judged.problem or judged.steps <= 3
    assert not judged.problem.startswith("internal error"), judged.problem
    connection = connect(store)
    for question in NAMES:
        ask(connection, question, 7)


def test_texts_of_journals_steer_nothing(good: Path, tmp_path: Path, vsac: Vsac):
    def change(of: str, data: dict[str, Any]) -> dict[str, Any]:
        if of == "session":
            data["device"] = EVIL
        if of == "propose":
            data["verdict"]["proposal"] = EVIL
            for reason in data["verdict"]["reasons"]:
                reason |= {"rule": EVIL, "message": EVIL}
        return data

    store = tmp_path / "s"
    rewritten(good, tmp_path / "b.jsonl", change)
    told = [vsac("fleet", "import", tmp_path / "b.jsonl", "--store", store)]
    asked = [(name,) for name in NAMES] + [("alarms", "--json"), ("alarms", "--format", "chart")]
    told += [vsac("fleet", "query", *words, "--store", store) for words in asked]
    told += [vsac("fleet", "audit", "--policy", good.parent / "rules" / "new.vsa", "--store", store)]
    for done in told:
        assert done.returncode == 0, done.stderr
        assert not {"\x1b", "\x07", "\u202e"} & {*done.stdout, *done.stderr}, done.args
    assert (
        "DROP VIEW" in told[1].stdout and vsac("fleet", "query", "alarms", "--store", store).returncode == 0
    )


def test_a_store_changes_no_verdict(good: Path, tmp_path: Path, vsac: Vsac):
    """The same session is judged with a store at hand that says it was blocked, and without one."""

    def change(of: str, data: dict[str, Any]) -> dict[str, Any]:
        if of == "propose":
            data["verdict"]["level"] = "allow"
        return data

    forged = rewritten(good, tmp_path / "b.jsonl", change)
    alone = vsac("journal", "replay", good, "--json", cwd=tmp_path)
    vsac("fleet", "import", forged, cwd=tmp_path)
    assert vsac("journal", "replay", good, "--json", cwd=tmp_path).stdout == alone.stdout
    done = vsac("fleet", "audit", "--policy", good.parent / "rules" / "old.vsa", "--json", cwd=tmp_path)
    assert [each["now"] for each in json.loads(done.stdout)["changes"]] == ["block"], (
        "judged again, not believed"
    )
