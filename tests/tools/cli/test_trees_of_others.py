"""A command that decides about a phone believes no tree that lies in the cache, not even one with the right seal."""

import json
import shutil
from pathlib import Path

import pytest

from vsalang.agents.session import SessionOptions
from vsalang.base.source import private
from vsalang.guard.journal import read_session, recorded_program
from vsalang.language.semantics import load
from vsalang.language.syntax import cache, parser
from vsalang.program.ir import Program
from vsalang.tools.cli.main import run
from vsalang.tools.cli.sessions import load_spec

EXAMPLES = Path(__file__).resolve().parents[3] / "app_specs" / "examples"
AGENT = EXAMPLES / "reserve_r.agent.jsonl"
DEVICE = ("--device", "sim:restaurant", "--open", "com.opentable")


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec whose tree in the cache is of another one: it wants the restaurant Q."""
    monkeypatch.setenv("VSALANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    parser._TREES.clear()
    path = Path(shutil.copy(EXAMPLES / "reserve_r.vsa", tmp_path / "reserve_r.vsa"))
    source = load(path, from_cache=True).sources[str(path)]
    other = parser.read(type(source)(source.file, source.text.replace('"R"', '"Q"'), source.path)).module
    assert other is not None
    (entry,) = (tmp_path / "cache").rglob(f"{source.digest}.json")
    key = private.key_of(entry.parent)
    assert key is not None
    body = json.dumps(cache._TREES.encode(other)).encode()
    entry.write_bytes(cache._seal(key, source.digest, body) + b"\n" + body)
    parser._TREES.clear()
    assert wants(load(path, from_cache=True).checked()) == {"Q"}, "a tool believes it, so the test is one"
    return path


def wants(program: Program) -> set[str]:
    """The restaurants that the program's rules name."""
    own = [rule for rule in program.rules if rule.module == program.main]
    return {name for name in "RQ" if any(f"'{name}'" in repr(rule) for rule in own)}


def test_python(spec: Path) -> None:
    assert wants(load(spec).checked()) == {"R"}


def test_what_every_guarded_command_loads(spec: Path) -> None:
    assert wants(load_spec(str(spec), SessionOptions(), "").checked()) == {"R"}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "record"])
def test_sessions_of_commands(spec: Path, command: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The agent books a table at R, as the spec says; under the planted one that would be blocked."""
    journal = ("--journal", "j.jsonl") if command == "run" else ("-o", "j.jsonl", "--mode", "enforce")
    assert run([command, str(spec), *DEVICE, "--agent", str(AGENT), *journal]) == 0
    session = read_session("j.jsonl")
    assert session.completed is True
    assert wants(recorded_program(session).checked()) == {"R"}
    assert run(["journal", "replay", "j.jsonl"]) == 0
    assert run(["journal", "replay", "j.jsonl", "--spec", str(spec)]) == 0
    assert "0 flipped" in capfd.readouterr().out


def test_no_module_that_decides_reads_the_cache() -> None:
    """Who may: tools that report, and the tests of files. Nobody else names the option."""
    root = Path(parser.__file__).parents[2]
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "from_cache=True" in path.read_text(encoding="utf-8")
    }
    assert found == {
        "tools/cli/fixing.py",
        "tools/lsp/analysis.py",
        "tools/lsp/renaming.py",
        "tools/lsp/snapshot.py",
        "tools/testing/pytest_plugin.py",
        "tools/testing/running.py",
    }
