"""What a release needs: every job of CI is described and is part of it, and the changelog is about this version."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def jobs() -> set[str]:
    """The jobs that have a name, as the message about a wrong one says them."""
    (named,) = re.findall(r'^jobs="([^"]*)"$', CI, re.M)
    return set(named.split(", "))


def test_every_job_is_described() -> None:
    assert {"packages", "site", "release"} < jobs()
    assert set(re.findall(r"^\| `\.ci/run (\w+)(?: \[SECONDS\])?` \|", GUIDE, re.M)) == jobs()
    assert set(re.findall(r"^#   \.ci/run (\w+) ", CI, re.M)) == jobs()


def test_release_runs_every_job() -> None:
    body = CI.partition("\nrelease() {")[2].partition("\n}")[0]
    assert set(re.findall(r"^  \(?([a-z]+)(?: \d+)?\)?$", body, re.M)) == jobs() - {"release"} | {"change"}


def test_newest_entry_of_the_changelog() -> None:
    newest = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[0]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert newest in ("Unreleased", version)
