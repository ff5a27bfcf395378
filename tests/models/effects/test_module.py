"""Answers that a person has accepted, as a module: it is checked, formatted, and says what the answers said."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.effects.unknown import ZORK, Canned, Phone, guarded, program, seen, shown, zork
from tests.thorough import times
from vsalang.base.source import Source
from vsalang.guard import Guard
from vsalang.language.semantics import load, load_text
from vsalang.language.syntax.formatting import format_source
from vsalang.models.effects import Answer, ControlKey
from vsalang.models.effects.answer import WORDED, Argument
from vsalang.models.effects.kept import AnswerFile, KeptAnswer
from vsalang.models.effects.module import module_text
from vsalang.tools.cli.unknown_controls import effects_of

Vsac = Callable[..., CompletedProcess[str]]


def file_with(path: Path, **answer: Any) -> str:
    """A file with one answer about Zork; its id."""
    guard, _ = guarded(Phone(zork()), Canned(**answer), path, kinds=dict(effects_of(program())))
    guard.propose(ZORK)
    (kept,) = AnswerFile(path).answers().values()
    return kept.ref


def judged(folder: Path, module: str, label: str = "Zork", title: str = "A page") -> tuple[str, list[str]]:
    """What is judged of the touch where the module is imported: the level, and the actions."""
    name = module.split()[1]
    (folder / f"{name}.vsa").write_text(module, encoding="utf-8")
    text = f'spec task "Look"\nimport std.effects\nimport {name}\nallow Search.\ndone when Search earlier.\n'
    (folder / "task.vsa").write_text(text, encoding="utf-8")
    guard = Guard(load(folder / "task.vsa").checked())
    guard.observe(seen(zork(label=label, title=title)))
    verdict = guard.propose(ZORK)
    return verdict.level, [str(action) for action in verdict.actions]


def test_what_leads_on_is_explained(tmp_path: Path, vsac: Vsac) -> None:
    ref = file_with(tmp_path / "a")
    made = vsac("answers", "accept", ref, "--answers", tmp_path / "a", "-o", tmp_path / "controls.vsa")
    assert made.returncode == 0, made.stderr
    module = (tmp_path / "controls.vsa").read_text(encoding="utf-8")
    assert vsac("check", tmp_path / "controls.vsa").returncode == 0
    assert vsac("fmt", "--check", tmp_path / "controls.vsa").returncode == 0
    assert judged(tmp_path, module) == ("allow", [])
    assert judged(tmp_path, module, label="Zork!")[0] == "confirm"
    assert judged(tmp_path, module, title="Another page")[0] == "confirm"


def test_what_leads_on_needs_a_named_place(tmp_path: Path) -> None:
    """ "Delete 3 files?" has a number, so the module would say it of each OK of the app."""
    key = ControlKey("com.app", "1.0", "com.app:id/zork", "Button", "Zork", "0" * 32)
    kept = KeptAnswer(key, Answer("leads on", "", (), "canned"), True, ("Delete 3 files?",))
    module = module_text("controls", "com.app", [kept], program())
    assert "OnlyLeadsOn" not in module and "No words tell its screen from others" in module
    assert judged(tmp_path, module)[0] == "confirm"


def test_what_acts_is_recognised(tmp_path: Path, vsac: Vsac) -> None:
    ref = file_with(tmp_path / "a", means="acts", kind="Delete", arguments=shown(what="Zork"))
    made = vsac("answers", "accept", ref[:6], "--answers", tmp_path / "a")
    assert made.returncode == 0 and "1 answer accepted" in made.stderr
    level, actions = judged(tmp_path, made.stdout)
    assert level == "block" and 'Delete1(what = "Zork", app = "com.app")' in " ".join(actions)


def test_answers_are_listed_and_dropped(tmp_path: Path, vsac: Vsac) -> None:
    ref = file_with(tmp_path / "a", means="acts", kind="Delete", arguments=shown(what="Zork"))
    listed = vsac("answers", "list", "--answers", tmp_path / "a")
    assert "acts: Delete" in listed.stdout and "not accepted" in listed.stdout and ref in listed.stdout
    data = json.loads(vsac("answers", "list", "--answers", tmp_path / "a", "--format", "json").stdout)
    assert [(each["id"], each["by"], each["accepted"]) for each in data["answers"]] == [
        (ref, "canned-1", False)
    ]
    assert vsac("answers", "accept", ref, "--answers", tmp_path / "a").returncode == 0
    assert "nothing kept" in vsac("answers", "list", "--waiting", "--answers", tmp_path / "a").stdout
    assert "1 answer dropped" in vsac("answers", "drop", ref, "--answers", tmp_path / "a").stdout
    assert AnswerFile(tmp_path / "a").answers() == {}


@pytest.mark.parametrize("words", [["accept", "abc"], ["drop", "abc"]])
def test_no_such_answer(tmp_path: Path, vsac: Vsac, words: list[str]) -> None:
    file_with(tmp_path / "a")
    refused = vsac("answers", *words, "--answers", tmp_path / "a")
    assert refused.returncode == 2 and "no entry" in refused.stderr


def test_a_file_of_something_else(tmp_path: Path, vsac: Vsac) -> None:
    (tmp_path / "a").write_text("answers", encoding="utf-8")
    (tmp_path / "a").chmod(0o600)
    refused = vsac("answers", "list", "--answers", tmp_path / "a")
    assert refused.returncode == 2 and refused.stderr.startswith("error")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", sorted(effects_of(program())))
@pytest.mark.parametrize("spot", [None, 0, 3])
def test_every_effect_has_a_module(kind: str, spot: int | None) -> None:
    key = ControlKey("com.app", "1", "com.app:id/zork", "Button", "Zork", "0")
    parameters = effects_of(program())[kind].parameters
    words = "" if spot is not None else "noun"
    arguments = tuple(
        Argument(name, spot, words, own=spot == 0)
        for name in parameters
        if spot is not None or name in WORDED
    )
    kept = KeptAnswer(key, Answer("acts", kind, arguments, "m"), True, ("A page",))
    text = module_text("com_app_controls", "com.app", [kept], program())
    loaded = load_text(text)
    assert loaded.program is not None and not loaded.diagnostics, (text, loaded.diagnostics)
    assert format_source(Source.from_text(text)) == text


WORDS = st.text(st.characters(codec="utf-8"), max_size=40)


@given(label=WORDS, id_=WORDS, words=st.lists(WORDS, max_size=3), by=WORDS, acts=st.booleans())
@settings(max_examples=times(8, 20), deadline=None)
def test_words_of_apps_stay_texts(label: str, id_: str, words: list[str], by: str, acts: bool) -> None:
    """A label is one text of the module, whatever stands in it."""
    key = ControlKey("com.app", "1", id_ or "x", "Button", label, "0")
    answer = (
        Answer("acts", "Delete", (Argument("what", 3, own=True),), by)
        if acts
        else Answer("leads on", "", (), by)
    )
    text = module_text(
        "com_app_controls", "com.app", [KeptAnswer(key, answer, True, tuple(words))], program()
    )
    loaded = load_text(text)
    assert loaded.program is not None, (text, loaded.diagnostics)
    own = [rule for rule in loaded.program.rules if rule.module == "com_app_controls"]
    placed = any(word.strip() and not any(map(str.isdigit, word)) for word in words)
    assert len(own) == (1 if acts or placed else 0)
