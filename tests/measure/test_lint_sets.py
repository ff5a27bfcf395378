"""The programs with mistakes and the right ones: they are as they were frozen, and the linter finds what it found."""

from pathlib import Path

import pytest

from benchmarks.measure.lint_command import SETS, digest, measured

FOLDERS = [SETS, SETS / "second", SETS / "closed"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_sets_are_as_frozen(folder: Path) -> None:
    """Nobody changes a program so that a rule finds it, or no longer does."""
    assert digest(folder) == (folder / "digest.txt").read_text(encoding="utf-8").strip()


def test_mistakes_found_right_programs_left_alone() -> None:
    """All mistakes are found, and only the import that is unused indeed is an alarm."""
    finds = measured()
    assert finds.mistakes == 40
    assert finds.missed == ()
    assert finds.alarms == {"bank": ("L0048",)}


def test_second_set() -> None:
    """All mistakes of the second set are found, and only the end after the first of two letters is an alarm."""
    finds = measured(SETS / "second")
    assert finds.mistakes == 42
    assert finds.missed == ()
    assert finds.alarms == {"two_of_shoply": ("L0016",)}


def test_mistake_without_description_refused(tmp_path: Path) -> None:
    """A program that nobody described is not left out unseen."""
    (tmp_path / "mistakes").mkdir()
    (tmp_path / "mistakes" / "one.vsa").write_text('spec one "One"\n', encoding="utf-8")
    (tmp_path / "mistakes.toml").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="one"):
        measured(tmp_path)
