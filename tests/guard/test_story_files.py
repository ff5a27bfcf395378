"""The stories of tests/guard/stories, each a `.vsa` file with tests of one part of the step semantics."""

from pathlib import Path

import pytest

from tests.oracle import engine_of
from vsalang.base.names import EngineName
from vsalang.guard import run_example
from vsalang.language.semantics import load

FOLDER = Path(__file__).parent / "stories"
FILES = ("buy.vsa", "firsts.vsa", "write.vsa", "pick.vsa", "chores.vsa", "gap.vsa", "house.vsa")


def _cases() -> list[tuple[str, str]]:
    found = []
    for name in FILES:
        loaded = load(FOLDER / name)
        found += [(name, example.name) for example in loaded.own] or [(name, "")]
    return found


@pytest.mark.parametrize("engine", ["incremental", "reference"])
@pytest.mark.parametrize(("name", "title"), _cases())
def test_story(name: str, title: str, engine: EngineName) -> None:
    loaded = load(FOLDER / name)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    example = next(example for example in loaded.own if example.name == title)
    result = run_example(loaded.program, example, engine=engine_of(engine))
    failure = result.failure
    if failure is not None:
        source = loaded.sources[failure.span.file] if failure.span else None
        line = source.position(failure.span.start).line if source and failure.span else 0
        told = "\n".join(f"  {reason.kind}: {reason.message}" for reason in failure.reasons)
        pytest.fail(f"{name}:{line}: {failure.problem}\n{told}", pytrace=False)
