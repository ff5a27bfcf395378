"""CONTRIBUTING.md shows the rooms and files that exist."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROOMS = GUIDE.partition("## The rooms")[2].partition("\n## ")[0]
FOLDERS = {path.parent.name for path in ROOT.glob("vsalang/*/__init__.py")}


def layers() -> list[set[str]]:
    """The rooms that may not import each other, what all others may import last."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (order,) = [each for each in settings["tool"]["importlinter"]["contracts"] if each["id"] == "order"]
    return [set(re.findall(r"vsalang\.(\w+)", layer)) & FOLDERS for layer in order["layers"]]


def table() -> list[set[str]]:
    """The rooms of each row."""
    rows = re.findall(r"^\| (`.*?`) \|", ROOMS, re.MULTILINE)
    return [set(re.findall(r"`(\w+)`", row)) for row in rows]


def test_the_table_has_the_rooms_in_their_order() -> None:
    """As the contract of `lint-imports` orders them, which knows every folder."""
    assert set().union(*layers()) == FOLDERS
    assert table() == [layer for layer in layers()[::-1] if layer]


def test_the_picture_has_rooms_only() -> None:
    picture = ROOMS.partition("\n    ")[2].partition("\n\n")[0]
    named = set(re.findall(r"\w+", picture)) - {"text", "tree", "typed"}
    assert {"core", "engine", "guard"} <= named <= FOLDERS


def test_files_that_are_named_exist() -> None:
    named = set(re.findall(r"`((?:vsalang|tests|benchmarks|scripts|docs|grammars|stdlib)/[\w./]+)`", GUIDE))
    assert len(named) > 20
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
