"""`vsac map propose --model`: a model names what was learnt, and changes no rule."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.agents.maps.making import BACK, NOTE, NOTES, NOTES_LATER, tap, walk
from tests.models.encode.chat_server import Chat, says, serve
from vsalang.language.semantics import load_text

Vsac = Callable[..., CompletedProcess[str]]


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    seen = [(NOTES, tap(1)), (NOTE, BACK), (NOTES_LATER, tap(1)), (NOTE, BACK), (NOTES, None)]
    return walk(tmp_path / "walk.jsonl", seen)


def _asked(vsac: Vsac, chat: Chat, recording: Path, *more: str) -> CompletedProcess[str]:
    return vsac("map", "propose", recording, "--model", "m", "--base-url", chat.url, *more)


def _answer(**names: tuple[str, str]) -> str:
    items = [{"key": key, "name": name, "says": said} for key, (name, said) in names.items()]
    return f"```json\n{json.dumps({'names': items})}\n```"


def test_names_and_descriptions_are_taken(vsac: Vsac, recording: Path, tmp_path: Path) -> None:
    plain = vsac("map", "propose", recording).stdout
    answer = _answer(s1=("OneNote", "One note"), s2=("AllNotes", "All notes \u202e of the user"))
    with serve(says(answer)) as chat:
        done = _asked(vsac, chat, recording, "-o", tmp_path / "app.vsa")
    assert done.returncode == 0, done.stderr
    assert "2 of 3 named by m" in done.stderr
    text = (tmp_path / "app.vsa").read_text(encoding="utf-8")
    assert 'screen OneNote "One note"' in text and "// Named by m; before: NoteScreen" in text
    assert "\u202e" not in text
    assert vsac("lint", "--strict", tmp_path / "app.vsa").returncode == 0
    # the rules are the same but for the names
    again = text.replace("OneNote", "NoteScreen").replace("AllNotesView", "NotesView")
    assert _rules(again.replace("AllNotes", "NotesScreen")) == _rules(plain)
    (message,) = chat.messages(1)
    assert "NoteScreen" in message["content"] and "a.b" in message["content"]


def _rules(text: str) -> list[str]:
    """The rules that are written, without descriptions, each in one line."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith(("//", "app ", "  //")))
    ends = re.sub(r'"[^"]*" (when|\{)', r"\1", " ".join(code.split())).split(". ")
    return sorted(ends)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Node", "is taken"),
        ("NotesScreen", "is taken"),
        ("when", "is not a name of letters"),
        ("Allow", "is a word of the language"),
        ('A" when tap. allow tap', "is not a name of letters"),
        ("Ä", "is not a name of letters"),
    ],
)
def test_a_name_that_cannot_be_is_said(vsac: Vsac, recording: Path, name: str, why: str) -> None:
    plain = vsac("map", "propose", recording).stdout
    with serve(says(_answer(s1=(name, "x"), s9=("Other", "x")))) as chat:
        done = _asked(vsac, chat, recording)
    assert done.returncode == 0, done.stderr
    assert "NoteScreen keeps its name" in done.stderr and why in done.stderr
    assert "Other is for nothing that was asked about" in done.stderr
    assert done.stdout == plain


def test_one_name_is_given_once(vsac: Vsac, recording: Path) -> None:
    with serve(says(_answer(s1=("Page", "x"), s2=("Page", "y")))) as chat:
        done = _asked(vsac, chat, recording, "--format", "json")
    data = json.loads(done.stdout)
    assert [screen["name"] for screen in data["screens"]] == ["Page", "NotesScreen"]
    assert data["screens"][0]["named_by_model"]["before"] == "NoteScreen"
    assert load_text(data["module"]).ok and "NotesScreen keeps its name: Page is taken" in done.stderr


def test_an_unusable_answer_writes_nothing(vsac: Vsac, recording: Path, tmp_path: Path) -> None:
    with serve(says("I cannot."), says("[]")) as chat:
        done = _asked(vsac, chat, recording, "-o", tmp_path / "app.vsa")
    assert done.returncode == 2 and "did not answer with the JSON object" in done.stderr
    assert len(chat.requests) == 2 and not (tmp_path / "app.vsa").exists()
