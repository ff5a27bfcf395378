"""Nothing that comes from screens, agents, journals and names of files steers a terminal or turns a line around."""

import json
import re
from pathlib import Path

import pytest

from vsalang.base.diagnostics.display import unsteered
from vsalang.base.resources import resource_dir
from vsalang.base.source.printable import must_escape
from vsalang.tools.cli.main import run
from vsalang.tools.cli.output import echo, json_text

SPEC = resource_dir("app_specs") / "examples" / "reserve_r.vsa"
EVIL = "a\x1b]0;title\x07\x1b[8mb\u202ec\x9b31md\u2066e\x7ff\u200bg"
DUMP = f"""<hierarchy><node text="{EVIL.replace(chr(0x1B), "").replace(chr(7), "")}" resource-id="x:id/\u202ey"
  package="com.\u202eevil" class="android.widget.Button" content-desc="\u202e\x9b" bounds="[0,0][9,9]" /></hierarchy>"""


def raw(text: str) -> set[str]:
    """The characters that must not be there; our own styles may."""
    text = re.sub(r"\x1b\[(?:[0-79]|[1-9]\d)(?:;\d+)*m", "", text)
    return {f"U+{ord(char):04X}" for char in text if char not in "\n\t" and must_escape(char)}


@pytest.fixture
def told(capfd: pytest.CaptureFixture[str]) -> object:
    def told(*args: object) -> str:
        capfd.readouterr()
        run([str(arg) for arg in args])
        out, err = capfd.readouterr()
        assert out + err, args
        assert (raw(out), raw(err)) == (set(), set()), args
        return out + err

    return told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose name is not a name."""
    found = tmp_path / "x\x1b]0;t\x07\u202e\x9b"
    found.mkdir()
    return found


def test_a_session_with_an_evil_agent(told, folder: Path) -> None:
    lines = [
        {"action": "open_app", "package": EVIL, "note": EVIL},
        {"action": "input_text", "text": EVIL, "note": EVIL},
        {"action": "tap", "id": EVIL},
        {"action": "answer", "text": EVIL},
        {"action": "finish"},
    ]
    agent, journal, page = folder / "a.jsonl", folder / "j.jsonl", folder / "p.html"
    agent.write_text("".join(json.dumps(each) + "\n" for each in lines))
    spec = folder / "s\u202e.vsa"
    text = SPEC.read_text(encoding="utf-8")
    spec.write_text(text, encoding="utf-8")
    told("check", spec)
    common = ("--device", "sim:restaurant", "--agent", agent)
    said = told("run", SPEC, *common, "--journal", journal)
    assert "U+202E" in said or "\\u202e" in said.lower()
    told("run", SPEC, *common, "--journal", folder / "k.jsonl", "--format", "json")
    told("journal", "show", journal)
    told("journal", "show", journal, "--format", "json")
    told("journal", "replay", journal)
    told("journal", "replay", journal, "--format", "json")
    told("journal", "show", journal, "--html", page)
    assert raw(page.read_text(encoding="utf-8")) == set()
    told("journal", "show", folder / "none.jsonl")
    told("phone", "sim", "screenshot", "restaurant", "-o", folder / "shot.png")
    told("run", SPEC, "--device", f"sim:{EVIL}", "--agent", agent, "--journal", folder / "l.jsonl")


@pytest.mark.parametrize("format", ["text", "json"])
def test_an_evil_screen(format: str, told, folder: Path) -> None:
    dump = folder / "d.xml"
    dump.write_text(DUMP, encoding="utf-8")
    told("screen", "facts", dump, "--format", format)


def test_an_evil_program(told, folder: Path) -> None:
    spec = folder / "s.vsa"
    for text in (f'spec s "{EVIL}"\n', f"spec s{EVIL}\n", f'spec s "x"\nallow tap(text = "{EVIL}").\n'):
        spec.write_text(text, encoding="utf-8")
        for command in ("check", "lint", "describe"):
            told(command, spec)
        told("check", spec, "--format", "json")


def test_json_stays_the_same_data() -> None:
    data = {"text": EVIL, "more": ["ä", "\U000e0001", "日本", "\ud800"]}
    text = json_text(data, indent=1)
    assert json.loads(text) == data and raw(text) == set() and "日本" in text


def test_our_own_styles_stay(capsys: pytest.CaptureFixture[str]) -> None:
    echo(f"\x1b[31m\x1b[1mbad\x1b[0m {EVIL}", color=True)
    out = capsys.readouterr().out
    assert out.startswith(
        "\x1b[31m\x1b[1mbad\x1b[0m a<U+001B>]0;title<U+0007><U+001B>[8mb<U+202E>c<U+009B>31md"
    )
    assert unsteered("ä\n\tb – 日本") == "ä\n\tb – 日本"
