"""The documented shape of a journal is that of real journals."""

import json
from functools import cache
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.guard.journal.walks import WALKS, walker
from vsalang.guard.journal import Recorder
from vsalang.guard.journal.file import VERSION, Journal, read_journal
from vsalang.guard.recorder import Recorder as Told

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[3] / "docs" / "reference" / "journal.schema.json").read_text()
)
KINDS = {
    kind
    for kind, body in SCHEMA["$defs"].items()
    if "kind" in body.get("properties", {}) and kind != "reason"
}


@cache
def validator(kind):
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]})


VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)


def problems(path):
    found = []
    for text in path.read_text(encoding="utf-8").splitlines():
        data = json.loads(text)
        mine = [f"{data['kind']}: {error.message}" for error in validator(data["kind"]).iter_errors(data)]
        assert VALIDATOR.is_valid(data) == (not mine)
        found += mine
    return found


def test_the_schema_is_one():
    jsonschema_rs.meta.validate(SCHEMA)
    assert {"$ref": "#/$defs/commit"} in SCHEMA["oneOf"]
    assert {item["$ref"].rpartition("/")[2] for item in SCHEMA["oneOf"]} == KINDS
    assert SCHEMA["$defs"]["commit"]["properties"]["v"] == {"const": VERSION}


def test_a_run_is_as_documented(recorded):
    assert problems(recorded) == []
    assert {"session", "screen", "observe", "propose", "commit", "outcome", "end"} <= {
        record.kind for record in read_journal(recorded)
    }


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(walk=WALKS)
def test_walks_are_as_documented(tmp_path, walk):
    path = tmp_path / "walk.jsonl"
    path.unlink(missing_ok=True)
    with Journal(path, sync="none") as journal:
        made = walker(journal)
        for op in walk:
            made.step(op)
        recorder = made.guard.recorder
        recorder.answered(False)
        recorder.delivered(None, "perhaps")
        recorder.turned_away("shell:x\n", "why")
        recorder.looked("a:1", "Node(id = 1)", "met", "model m")
        recorder.failed("x")
        recorder.end(completed=False)
    assert problems(path) == []


def test_the_recorder_does_what_the_guard_asks_of_one():
    asked = {name for name in vars(Told) if not name.startswith("_")}
    assert asked <= set(vars(Recorder))


@pytest.mark.parametrize("value", [{"date": "2026-4-1"}, {"when": "x"}, 1.5])
def test_the_schema_refuses_what_is_no_value(value):
    assert not validator("value").is_valid(value)
