"""CONTRIBUTING.md shows the wings and files that exist."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WINGS = GUIDE.partition("## The wings")[2].partition("\n## ")[0]
FOLDERS = {path.parent.name for path in ROOT.glob("vsalang/*/__init__.py")}


def contract() -> list[str]:
    """The wings as `lint-imports` orders them, what all others may import first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (order,) = [each for each in settings["tool"]["importlinter"]["contracts"] if each["id"] == "wings"]
    return [layer.removeprefix("vsalang.") for layer in reversed(order["layers"])]


def test_the_table_has_the_wings_in_their_order() -> None:
    table = re.findall(r"^\| `(\w+)` \|.*\|.*\|$", WINGS.partition("The folders of `guard`")[0], re.MULTILINE)
    assert table == contract()
    assert set(table) == FOLDERS


def test_the_table_has_all_folders_of_a_wing() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| ([^|]*) \|$", WINGS, re.MULTILINE))
    for wing, cell in rows.items():
        folders = {path.parent.name for path in (ROOT / "vsalang" / wing).glob("*/__init__.py")}
        if wing != "guard" and wing in FOLDERS:
            assert set(re.findall(r"`(\w+)`", cell)) == folders, wing


def test_the_table_of_the_guard_has_all_its_folders() -> None:
    cells = re.findall(
        r"^\| (`[^|]*`) \| [^|]* \|$", WINGS.partition("The folders of `guard`")[2], re.MULTILINE
    )
    named = set(re.findall(r"`(\w+)`", " ".join(cells)))
    assert named == {path.parent.name for path in (ROOT / "vsalang" / "guard").glob("*/__init__.py")}


def test_the_picture_has_wings_only() -> None:
    picture = WINGS.partition("\n    ")[2].partition("\n\n")[0]
    named = set(re.findall(r"\w+", picture)) - {"text", "facts", "answers", "verdict", "proposal"}
    assert {"language", "engine", "guard"} <= named <= FOLDERS


def test_files_that_are_named_exist() -> None:
    named = set(re.findall(r"`((?:vsalang|tests|benchmarks|scripts|docs|grammars|stdlib)/[\w./]+)`", GUIDE))
    assert len(named) > 20
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
