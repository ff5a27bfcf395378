"""The documented shape of a verdict is that of real verdicts: of every test program, of runs, errors and blocks."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.commands import vsac
from tests.guard.phones import details, guard, receipt, screen
from tests.thorough import some
from vsalang.base.names import LANGUAGES
from vsalang.guard import Proposal, Verdict, run_example
from vsalang.guard.say.verdict_document import VERSION, document
from vsalang.language.semantics import Loaded, load
from vsalang.program.action import Action
from vsalang.program.example import Fact

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "reference" / "verdict.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
PROGRAMS = [
    *sorted((ROOT / "tests" / "programs" / "right").glob("*.vsa")),
    *sorted((ROOT / "app_specs").rglob("*.vsa")),
]
R = "opentable."


def checked(data: dict[str, Any]) -> dict[str, Any]:
    again: dict[str, Any] = json.loads(json.dumps(data))
    assert [f"{list(error.instance_path)}: {error.message}" for error in VALIDATOR.iter_errors(again)] == []
    return again


def verdicts(path: Path) -> Iterator[tuple[Loaded, Verdict]]:
    text = path.read_text(encoding="utf-8-sig")
    first = text.partition("\n")[0]
    names = first.removeprefix("// with ").split() if first.startswith("// with ") else []
    loaded = load(path, policies=[path.parent / name for name in names])
    assert loaded.program is not None
    for example in loaded.own:
        for step in run_example(loaded.program, example).steps:
            if step.verdict is not None:
                yield loaded, step.verdict


def test_the_schema_is_one() -> None:
    jsonschema_rs.meta.validate(SCHEMA)
    assert SCHEMA["$defs"]["verdict"]["properties"]["version"] == {"const": VERSION}


@pytest.mark.slow
@pytest.mark.parametrize("path", some(PROGRAMS, 3), ids=lambda path: path.stem)
def test_every_program(path: Path) -> None:
    for loaded, verdict in verdicts(path):
        data = checked(document(verdict, sources=loaded.sources))
        for reason in (*data["reasons"], *data["licensed"], *data["flags"]):
            if reason["rule"]:  # its place is the rule's own
                span = reason["span"]
                source = loaded.sources[span["file"]]
                assert source.position(span["start"]).line == span["line"] >= 1
                assert span["end_line"] is not None and span["column"] >= 1
        if verdict.actions and verdict.level == "allow" and loaded.program:
            licensed = {name for r in verdict.licensed for name in r.names}
            refined = (each.refines for each in loaded.program.relations.values() if each.name in licensed)
            licensed |= {effect.action for effect in refined if effect is not None}  # one act under two names
            assert all(action.name in licensed for action in verdict.actions) or not any(
                module.kind == "spec" for module in loaded.program.modules.values()
            )


def test_an_allowed_action_says_what_licenses_it() -> None:
    for loaded, verdict in verdicts(ROOT / "app_specs" / "examples" / "reserve_r.vsa"):
        data = checked(document(verdict, sources=loaded.sources))
        if data["level"] == "allow" and any("Reserve" in action for action in data["actions"]):
            break
    else:
        pytest.fail("no Reserve is allowed")
    [clause] = data["licensed"]
    assert clause["rule"] == "reserve_r:1" and clause["message"].endswith("is allowed by this rule")
    found = {why["text"] for why in clause["whys"]}
    assert {why["state"] for why in clause["whys"]} == {"met"}
    assert any("(Reserve.time): seen 18:30, wanted < 19:00" in text for text in found), found
    assert any("(Slot.available): seen true, wanted = true" in text for text in found), found
    assert any(why["span"] and why["span"]["line"] == clause["span"]["line"] + 1 for why in clause["whys"])


def test_a_blocked_action_says_what_is_met() -> None:
    session = guard()
    session.observe(details(("18:30", True), ("20:00", True), name="Q"))
    session.commit(session.propose(Action("tap", {"node": 10})))
    session.observe(details(("18:30", True), name="Q"))
    data = checked(document(session.propose(Action("tap", {"id": "reserve_button"}))))
    assert data["level"] == "block" and data["licensed"] == []
    unmet = {(why["relation"], why["attr"]) for why in data["reasons"][0]["whys"]}
    met = {(why["relation"], why["attr"]) for why in data["reasons"][0]["met"]}
    assert (f"{R}Reserve", "restaurant") in unmet and (f"{R}Reserve", "time") in met
    assert not unmet & met


@pytest.mark.parametrize("language", LANGUAGES)
def test_errors_and_blocks(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = guard()
    found = [session.propose(Action("finish"))]  # no screen yet
    session.observe(details(("18:30", True)))
    odd: Any = object()
    for proposal in (
        Proposal(),
        odd,
        Action("tap", {"id": "nowhere"}),
        Action("tap", {"id": 3}),
        Action("tap", {"text": odd}),
        Action("tap", {"text": 1.5}),
        Action("fly"),
        Proposal(writes=(Fact("Nothing", {}),)),
        Proposal(writes=(Fact(f"{R}Booking", {"restaurant": "Q", "date": dt.date(2026, 1, 1)}),)),
        Proposal(deletes=(Fact(f"{R}Slot", {}),)),
        Proposal(None, (Action("finish"),), (Action("Nonsense"), Action("finish", {"x": frozenset({"a"})}))),
        Action("back"),
    ):
        found.append(session.propose(proposal))
    session.observe(screen({"id": "x"}, app="com.other"))
    found.append(session.propose(Action("tap", {"id": "x"})))
    session.observe(receipt())
    session.commit(session.propose(Action("wait")))
    found.append(session.propose(Action("wait")))  # one is under way
    session.observe(receipt())
    monkeypatch.setattr(session.session.parts.judging, "judge", lambda *_, **__: 1 / 0)
    found.append(session.propose(Action("wait")))
    kinds = {reason["kind"] for v in found for reason in checked(document(v, language=language))["reasons"]}
    assert {"no_screen", "unresolved", "claim", "unknown_screen", "running", "error"} <= kinds


@pytest.mark.slow
def test_what_a_run_prints(tmp_path: Path) -> None:
    spec = ROOT / "app_specs" / "examples"
    args = [str(spec / "reserve_r.vsa"), "--agent", str(spec / "reserve_r.agent.jsonl")]
    args += ["--policy", str(spec / "payments.vsa"), "--device", "sim:restaurant", "--format", "json"]
    args += ["--open", "com.opentable", "--journal", str(tmp_path / "j.jsonl"), "--on-confirm", "no"]
    result = vsac("run", *args)
    assert not result.stderr, result.stderr
    steps = [json.loads(line) for line in result.stdout.splitlines()]
    shown = [checked(step["verdict"]) for step in steps if step["kind"] == "step"]
    assert {data["level"] for data in shown} >= {"allow", "warn", "block"}
    assert all(data["timing"]["seconds"] > 0 and data["fingerprint"] for data in shown)
    spans = [reason["span"] for data in shown for reason in data["reasons"] if reason["rule"]]
    assert spans and all(span["line"] for span in spans)
