"""A test that draws its examples draws the same ones in each run, whatever ran before."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[Any]:
    found: list[Any] = []

    @settings(max_examples=300)
    @given(st.integers(0, 10**6), st.text(max_size=8))
    def draws(number: int, text: str) -> None:
        found.append((number, text))

    draws()
    return found


def test_examples_do_not_depend_on_the_modules_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis takes literals from the modules that are imported, which differ from worker to worker."""
    before = drawn()
    file = tmp_path / "known.py"
    file.write_text("".join(f"n{n} = {n}\ns{n} = 'w{n}'\n" for n in range(700, 900)), encoding="utf-8")
    module = ModuleType("known")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "known", module)
    assert drawn() == before
