"""The commands ask whom the configuration names."""

import shutil
from pathlib import Path

import pytest

from tests import commands
from tests.models.encode.chat_server import serve
from tests.models.similarity.test_embeddings import vectors
from vsalang.base.config import config_in_force
from vsalang.tools.cli.doctor import _similarity

APP = """app shop package "com.shop" "A shop"
state Note "A note" { text: Text "its text" }
define Found when Note(text ~= "the team calender").
define Place when Note(text ~= "a cheap place to eat").
"""
STATE = 'observe Note(text = "{text}").'
TEST = """
test "the default" for shop {
  given Note(text = "Team calender").
  home() => block because Found.
}
deny "found" when Found.
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own configuration; the working folder is a project."""
    place = tmp_path / "config" / "vsac"
    place.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key-123456")
    project = tmp_path / "project"
    project.mkdir()
    (project / "shop.vsa").write_text(APP)
    monkeypatch.chdir(project)
    return place / "vsac.toml"


def vsac(*args: str) -> tuple[int, str]:
    result = commands.vsac(*args, cwd=Path.cwd())
    return result.returncode, result.stdout + result.stderr


def query(relation: str, text: str) -> tuple[int, str]:
    Path("state.vsa").write_text(STATE.format(text=text))
    return vsac("query", "shop.vsa", relation, "--state", "state.vsa")


def test_a_query_uses_the_spelling_of_the_user(home: Path) -> None:
    assert query("Found", "Team Calendar")[0] == 1
    home.write_text("[similarity]\nspelling = 1\n")
    assert query("Found", "Team Calendar")[0] == 0


def test_a_query_asks_for_embeddings(home: Path) -> None:
    Path("shop.vsa").write_text(APP.replace("the team calender", "budget restaurant"))
    with serve(vectors) as chat:
        home.write_text(f'[similarity]\nbackend = "embeddings"\nendpoint = "{chat.url}"\nmodel = "m"\n')
        assert query("Place", "Budget restaurant")[0] == 0
        assert query("Place", "Car wash")[0] == 1
    assert len(chat.requests) == 2
    status, said = query("Place", "Bike wash")
    assert status == 2 and "`~=` could not be decided (embeddings of m at" in said


def test_tests_take_the_backend_of_the_project(home: Path) -> None:
    home.write_text('[similarity]\nbackend = "embeddings"\n')
    Path("shop.vsa").write_text(APP + TEST)
    status, said = vsac("test", "shop.vsa")
    assert status == 0, said
    Path("vsac.toml").write_text('[similarity]\nbackend = "folded"\n')
    status, said = vsac("test", "shop.vsa")
    assert status == 1 and "the default" in said


def test_the_doctor_looks_for_the_backend(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write_text('[similarity]\nbackend = "embeddings"\nendpoint = "http://localhost:1/v1"\nmodel = "m"\n')
    (check,) = _similarity(config_in_force("a.vsa"))
    assert (check.level, check.message) == (
        "ok",
        "`~=` is answered by embeddings of m at http://localhost:1/v1",
    )
    monkeypatch.setenv("OPENAI_API_KEY", "two words")
    (check,) = _similarity(config_in_force("a.vsa"))
    assert check.level == "fail" and "was it copied whole" in check.fix
    home.write_text("")
    assert _similarity(config_in_force("a.vsa")) == []


def test_a_run_without_a_key_ends_at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    home.write_text('[similarity]\nbackend = "embeddings"\n')
    shutil.copy(commands.ROOT / "app_specs" / "examples" / "reserve_r.vsa", "task.vsa")
    Path("agent.jsonl").write_text('{"action": "home"}\n')
    status, said = vsac("run", "task.vsa", "--device", "sim:restaurant", "--agent", "agent.jsonl")
    assert status == 2
    assert "embeddings cannot be asked for: no API key is set" in said
    assert not [file for file in Path.cwd().glob("*.jsonl") if file.name != "agent.jsonl"]
