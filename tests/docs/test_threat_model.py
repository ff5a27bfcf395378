"""The threat model names tests that exist; SECURITY.md says which version is supported."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
POLICY = (ROOT / "SECURITY.md").read_text("utf-8")


def attacks() -> list[str]:
    """The rows of the table of attacks."""
    table = PAGE.partition("| attack | what stops it | shown by |\n")[2].partition("\n\n")[0]
    return table.splitlines()[1:]


def test_every_attack_names_its_test() -> None:
    assert len(attacks()) > 30
    for row in attacks():
        cells = row.strip("| ").split(" | ")
        assert len(cells) == 3 and re.match(r"\*\*[^*]+\*\* .", cells[0]), row
        named = re.findall(r"`(tests/[\w/]+\.py)`", cells[2])
        assert named, row
        for name in named:
            assert re.search(r"def test_|TestCase", (ROOT / name).read_text("utf-8")), name


def test_no_attack_is_told_twice() -> None:
    names = [row.split("**")[1] for row in attacks()]
    assert len(names) == len(set(names))


def test_the_supported_version_is_this_one() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"| {'.'.join(version.split('.')[:2])} | yes |" in POLICY


def test_the_promise_is_that_of_the_threat_model() -> None:
    (promise,) = re.findall(r"^\*\*(No critical action .*?)\*\*", PAGE, re.M | re.S)
    assert " ".join(promise.split()) in " ".join(POLICY.split())
