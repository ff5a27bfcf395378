"""The labels in the repository: each reader gave one to every touch."""

from pathlib import Path

import pytest

from benchmarks.effects.labels import read_labels
from benchmarks.effects.touches import LIST, read_touches

_FILES = sorted(LIST.parent.glob("labels-*.tsv"))


def test_first_reader_is_there() -> None:
    assert "labels-1.tsv" in [file.name for file in _FILES]


@pytest.mark.parametrize("file", _FILES, ids=lambda file: file.stem)
def test_every_touch_has_a_label(file: Path) -> None:
    assert sorted(read_labels(file)) == [touch.touch for touch in read_touches()]
