"""docs/reference/config.md says what is so."""

import dataclasses
import re
from pathlib import Path

from tests import processes
from vsalang.agents.session import guard_settings
from vsalang.base.config import Budget, Config, Device, Encode, Guard, Lint, Similarity, Trace, config_for
from vsalang.base.config.configuration import Secrets
from vsalang.base.config.inforce import USUAL
from vsalang.guard import Settings
from vsalang.models.similarity import THRESHOLD, backend_of
from vsalang.models.similarity.chosen import MODEL, TIMEOUT
from vsalang.program.similarity import DEFAULT

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "reference" / "config.md").read_text(encoding="utf-8")


def rows() -> dict[str, str]:
    """Key -> default, of the table of keys."""
    found = re.findall(r"^\| `([a-z_.]+)` \| (?:.*) \| (.*?) \| (?:`\w+`(?:, )?)+ \|$", PAGE, re.MULTILINE)
    return dict(found)


def test_the_table_has_every_key() -> None:
    wanted = {"search", "policies", "exclude", "engine", "language", "certificates.file"}
    for name, part in (
        ("lint", Lint),
        ("similarity", Similarity),
        ("guard", Guard),
        ("budget", Budget),
        ("device", Device),
        ("trace", Trace),
        ("encode", Encode),
        ("secrets", Secrets),
    ):
        wanted |= {f"{name}.{field.name}" for field in dataclasses.fields(part)}
    assert set(rows()) == wanted


def test_the_defaults_are_those_of_the_guard() -> None:
    settings = guard_settings(Config())
    assert settings == Settings()
    said = rows()
    assert said["guard.overrides"] == str(settings.overrides)
    assert settings.verdict_life is not None
    assert float(said["guard.verdict_life"]) == settings.verdict_life.total_seconds()
    assert settings.look_age is not None
    assert float(said["guard.look_age"]) == settings.look_age.total_seconds()
    assert said["guard.unknown_screen"] == f'`"{settings.unknown_screen}"`'
    assert said["guard.unknown_touch"] == f'`"{settings.unknown_touch}"`'
    for name in ("rows", "bindings", "steps"):
        assert said[f"budget.{name}"] == f"{getattr(settings.budget, name):,}"
    assert settings.budget.seconds is not None
    assert float(said["budget.seconds"]) == settings.budget.seconds
    usual = USUAL.similarity
    assert said["similarity.backend"] == f'`"{usual.backend}"`' == f'`"{DEFAULT.name}"`'
    assert backend_of(usual) is None is backend_of(Similarity())
    assert (said["similarity.spelling"], said["similarity.threshold"]) == ("0", f"{THRESHOLD}")
    assert (usual.spelling, usual.threshold) == (0, THRESHOLD)
    assert said["similarity.model"] == f'`"{MODEL}"`'
    assert float(said["similarity.timeout"]) == TIMEOUT


def test_the_example_is_read(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "shared" / "modules").mkdir(parents=True)
    (tmp_path / "policies").mkdir()
    (tmp_path / "names.txt").write_text("Alder\n")
    (tmp_path / "policies" / "house_rules.vsa").write_text('policy house_rules "x"\n')
    (tmp_path / "vsac.toml").write_text(text)
    config = config_for(tmp_path / "specs" / "a.vsa")
    assert config.guard.overrides == 1
    assert config.lint.levels["L0010"] is None
    assert guard_settings(config).budget.rows == 50_000


def test_the_mistake_is_answered_as_shown(tmp_path: Path) -> None:
    (output,) = re.findall(r"^\$ vsac check specs/say_hello.vsa\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "vsac.toml").write_text('polices = ["policies/house_rules.vsa"]\n')
    result = processes.run(
        ["-m", "vsalang.tools.cli.main", "check", "specs/say_hello.vsa"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    assert result.returncode == 2
    assert result.stderr == output
