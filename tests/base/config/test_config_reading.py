"""Finding and reading vsac.toml and [tool.vsac]: what is understood, and what every mistake is answered with."""

import datetime as dt
import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import vsac
from vsalang.agents.session import guard_settings
from vsalang.base.config import Config, ConfigError, config_for, read_config
from vsalang.base.diagnostics import Severity
from vsalang.base.diagnostics.codes import CODES
from vsalang.base.source import SourceError
from vsalang.base.source.toml import line_of
from vsalang.engine.pydatalog.backend import PyDatalogEvaluator
from vsalang.guard import Settings
from vsalang.language.lint import CODES as LINT

FULL = """\
search = ["lib", "lib"]
policies = ["own.vsa"]

[lint]
select = ["L0001", "L0004"]
ignore = ["L0008"]
levels = { L0004 = "error", L0001 = "off", L0002 = "hint", L0003 = "warning" }

[similarity]
backend = "folded"
threshold = 0.8

[guard]
overrides = 0
verdict_life = 2.5
unknown_screen = "block"
unknown_touch = "block"
look_age = 0.25

[budget]
rows = 10
bindings = 20
steps = 30
seconds = 1.5
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "own.vsa").write_text('policy own "x"\n')
    (tmp_path / "tasks" / "deep").mkdir(parents=True)
    return tmp_path


def write(project: Path, text: str, name: str = "vsac.toml") -> Path:
    (project / name).write_text(text, encoding="utf-8")
    return project / name


def failure(project: Path, text: str, name: str = "vsac.toml") -> SourceError:
    write(project, text, name)
    with pytest.raises(SourceError) as caught:
        config_for(project / "a.vsa", lint_codes=LINT)
    assert caught.value.code in CODES
    return caught.value


def check_full(config: Config, project: Path) -> None:
    assert config.search == ((project / "lib").resolve(),)
    assert config.policies == ((project / "own.vsa").resolve(),)
    assert config.lint.select == {"L0001", "L0004"}
    assert config.lint.ignore == {"L0008"}
    assert config.lint.levels == {
        "L0004": Severity.ERROR,
        "L0001": None,
        "L0002": Severity.INFO,
        "L0003": Severity.WARNING,
    }
    assert (config.similarity.backend, config.similarity.threshold) == ("folded", 0.8)
    settings = guard_settings(config)
    assert settings.overrides == 0
    assert settings.verdict_life == dt.timedelta(seconds=2.5)
    assert settings.look_age == dt.timedelta(seconds=0.25)
    assert settings.unknown_screen == "block" == settings.unknown_touch
    assert (settings.budget.rows, settings.budget.bindings, settings.budget.steps) == (10, 20, 30)
    assert settings.budget.seconds == 1.5
    assert settings.screens_count and settings.task


def test_everything(project: Path) -> None:
    write(project, FULL)
    check_full(config_for(project / "a.vsa", lint_codes=LINT), project)


def test_everything_in_pyproject(project: Path) -> None:
    top, _, tables = FULL.partition("\n[")
    text = "[project]\nname = 'x'\n[tool.vsac]\n" + top + ("\n[" + tables).replace("\n[", "\n[tool.vsac.")
    write(project, text, "pyproject.toml")
    check_full(config_for(project / "a.vsa", lint_codes=LINT), project)


def test_nothing_said_is_the_default(tmp_path: Path) -> None:
    assert config_for(tmp_path / "a.vsa") == Config()
    assert guard_settings(Config()) == Settings()
    file = write(tmp_path, "")
    assert config_for(tmp_path / "a.vsa") == Config(file, files=((file, hashlib.sha256(b"").hexdigest()),))
    assert read_config(write(tmp_path, "[tool.other]\n", "pyproject.toml")) == Config(
        tmp_path / "pyproject.toml"
    )


def test_the_first_upwards_counts(project: Path) -> None:
    outer = write(project, "[guard]\noverrides = 1\n")
    assert config_for(project / "tasks" / "deep" / "a.vsa").file == outer
    # a pyproject.toml that says nothing of vsac is passed by
    write(project / "tasks", "[project]\nname = 'x'\n", "pyproject.toml")
    assert config_for(project / "tasks" / "deep" / "a.vsa").file == outer
    inner = write(project / "tasks", "[tool.vsac]\n", "pyproject.toml")
    config = config_for(project / "tasks" / "deep" / "a.vsa")
    assert config.file == inner
    assert config.guard.overrides is None  # nothing is taken over from the outer one
    assert config_for(project / "missing" / "folder" / "a.vsa").file == outer


def test_paths_are_seen_from_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project / "tasks", 'search = ["../lib", "deep"]')
    monkeypatch.chdir(project / "lib")
    config = config_for(project / "tasks" / "deep" / "a.vsa")
    assert config.search == ((project / "lib").resolve(), (project / "tasks" / "deep").resolve())


def test_two_in_one_folder(project: Path) -> None:
    write(project, "[tool.vsac]\n", "pyproject.toml")
    error = failure(project, "")
    assert error.code == "E0023"
    write(project, "[project]\nname = 'x'\n", "pyproject.toml")
    assert config_for(project / "a.vsa").file == project / "vsac.toml"


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        ("search = lib", "E0020", None, "line 1"),
        ('\nserch = ["lib"]', "E0021", 2, "`search`"),
        ("[gaurd]\n", "E0021", 1, "`guard`"),
        ("[guard]\n# note\noveride = 3", "E0021", 3, "`overrides`"),
        ("[guard]\nzzz = 3", "E0021", 2, "verdict_life"),
        ("guard.zzz = 3", "E0021", 1, "verdict_life"),
        ('guard = "strict"', "E0022", 1, "a table, not a text"),
        ("search = 'lib'", "E0022", 1, "a list of texts, not a text"),
        ("search = [\n  'lib',\n  3]", "E0022", 1, "not a number"),
        ("search = ['']", "E0022", 1, "empty"),
        ("search = ['nowhere']", "E0022", 1, "no folder `nowhere`"),
        ("search = ['own.vsa']", "E0022", 1, "no folder"),
        ("policies = ['lib']", "E0022", 1, "no file `lib`"),
        ("[guard]\noverrides = true", "E0022", 2, "a whole number, not true or false"),
        ("[guard]\noverrides = 1.5", "E0022", 2, "a whole number"),
        ("[guard]\noverrides = -1", "E0022", 2, "from 0"),
        ("[guard]\noverrides = 1" + "0" * 4000, "E0022", 2, "from 0"),
        ("[guard]\noverrides = 1" + "0" * 5000, "E0020", None, "limit"),
        ("[guard]\nverdict_life = 0", "E0022", 2, "from 0.1"),
        ("[guard]\nverdict_life = inf", "E0022", 2, "3600"),
        ("[guard]\nlook_age = -1", "E0022", 2, "from 0"),
        ("[guard]\nlook_age = true", "E0022", 2, "a number"),
        ("[guard]\nverdict_life = nan", "E0022", 2, "3600"),
        ("[guard]\nverdict_life = '5s'", "E0022", 2, "a number, not a text"),
        ("[guard]\nunknown_screen = 'allow'", "E0022", 2, '"confirm"'),
        ("[guard]\nunknown_touch = 'allow'", "E0022", 2, '"confirm"'),
        ("[guard]\nunknown_screen = 1979-05-27", "E0022", 2, "a date"),
        ("[budget]\nsteps = 0", "E0022", 2, "from 1"),
        ("[budget]\nseconds = 0", "E0022", 2, "from 0.01"),
        ("engine = 'prolog'", "E0022", 1, '"pydatalog"'),
        ("[similarity]\nbackend = 'embedding'", "E0022", 2, '"folded"'),
        ("[similarity]\nspelling = 2", "E0022", 2, "from 0 to 1"),
        ("[similarity]\nendpoint = 'localhost'", "E0022", 2, "http://localhost:11434/v1"),
        ("[similarity]\nmodel = ''", "E0022", 2, "empty"),
        ("[similarity]\nmodel = 3", "E0022", 2, "a text"),
        ("[similarity]\ntimeout = 60", "E0022", 2, "from 0.1 to 30"),
        ("[similarity]\nthreshold = 1.1", "E0022", 2, "from 0 to 1"),
        ("[lint]\nselect = []", "E0022", 2, "names no code"),
        ("[lint]\nignore = ['L9999']", "E0022", 2, "no lint rule `L9999`"),
        ("[lint]\nignore = ['E0201']", "E0022", 2, "codes look like"),
        ("[lint.levels]\nL0001 = 'off'\nL0004 = 'fatal'", "E0022", 3, '"error"'),
        ("[lint.levels]\nL0001 = 'off'\nL9999 = 'off'", "E0022", 3, "`L9999`"),
        ("[lint]\nlevels = 'error'", "E0022", 2, "a table"),
    ],
)
def test_mistakes(project: Path, text: str, code: str, line: int | None, words: str) -> None:
    for name, document, offset in (
        ("vsac.toml", text, 0),
        ("pyproject.toml", _in_pyproject(text), 2 if not text.startswith("[") else 1),
    ):
        (project / "vsac.toml").unlink(missing_ok=True)
        error = failure(project, document, name)
        assert error.code == code
        if name == "vsac.toml":
            assert words in error.message + error.hint
            if line is not None:
                assert error.message.startswith(f"{project / name}:{line}: ")
        elif line is not None:
            assert error.message.startswith(f"{project / name}:{line + offset}: ")
        (project / name).unlink()


def _in_pyproject(text: str) -> str:
    if text.startswith("["):
        return "\n" + text.replace("[", "[tool.vsac.", 1)
    return "\n[tool.vsac]\n" + text


def test_what_cannot_be_read(project: Path) -> None:
    (project / "vsac.toml").mkdir()
    with pytest.raises(SourceError):
        config_for(project / "a.vsa")
    (project / "vsac.toml").rmdir()
    (project / "vsac.toml").write_bytes(b"search = '\xff'")
    with pytest.raises(SourceError) as caught:
        config_for(project / "a.vsa")
    assert caught.value.code == "E0003"
    # a pyproject.toml that cannot be read may hold a configuration
    (project / "vsac.toml").unlink()
    assert failure(project, "[tool.vsac\n", "pyproject.toml").code == "E0020"
    assert failure(project, "tool.vsac = 3\n", "pyproject.toml").code == "E0022"
    assert failure(project, "x = " + "[" * 5000, "pyproject.toml").code == "E0020"


def test_nothing_in_a_message_steers_the_terminal(project: Path) -> None:
    error = failure(project, '"\\u001b[2J" = 1')
    assert "\x1b" not in error.message


@pytest.mark.slow
def test_the_line_of_a_key() -> None:
    text = 'a = """\nb = 1\n"""\n\n# b\n[t]\nb = [\n 1,\n]\nc.d = 1\n'
    assert line_of(text, ("a",)) == 1
    assert line_of(text, ("b",)) is None
    assert line_of(text, ("t",)) == 6
    assert line_of(text, ("t", "b")) == 7
    assert line_of(text, ("t", "c", "d")) == 10
    assert line_of("\n" * 3000 + "a = 1", ("a",)) is None


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_the_line_is_right_wherever_the_key_stands(gaps: list[int]) -> None:
    lines: list[str] = []
    places: dict[str, int] = {}
    for number, gap in enumerate(gaps):
        lines += ["# note"] * gap
        places[f"k{number}"] = len(lines) + 1
        lines.append(f"k{number} = {number}")
    for key, line in places.items():
        assert line_of("\n".join(lines), (key,)) == line


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    file = folder / "vsac.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        config_for(folder / "a.vsa")
    except SourceError as error:
        assert error.code in CODES
    finally:
        file.unlink()


@pytest.mark.parametrize("code", ["E0020", "E0021", "E0022"])
def test_examples_of_the_codes(tmp_path: Path, code: str) -> None:
    file = write(tmp_path, CODES[code].example_bad)
    with pytest.raises(ConfigError) as caught:
        read_config(file, lint_codes=LINT)
    assert caught.value.code == code
    file.write_text(CODES[code].example_good)
    read_config(file, lint_codes=LINT)


def test_the_engine_that_the_project_names_decides(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    class Told(PyDatalogEvaluator):
        def __init__(self, *args: Any, **options: Any) -> None:
            opened.append("pydatalog")
            super().__init__(*args, **options)

    import vsalang.tools.ask.engines  # noqa: F401  # it knows the class by its own name, and must not get to know this one

    monkeypatch.setattr("vsalang.engine.pydatalog.worker.PyDatalogWorker", Told)
    write(project, "engine = 'pydatalog'\n")
    spec = 'spec s "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'
    (project / "s.vsa").write_text(spec + 'test "t" { attempt answer(text = "yes"). finish. }\n')
    for arguments in (["test", "s.vsa"], ["query", "s.vsa", "?x in {1, 2}"]):
        assert vsac(*arguments, cwd=project).returncode == 0
        assert opened
        opened.clear()
