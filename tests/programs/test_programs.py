"""Programs a user might write: the right ones check and pass their tests, the wrong ones have the error they name."""

import json
from pathlib import Path

import pytest

from tests.programs.files import HERE, RIGHT, WRONG, policies
from tests.thorough import some
from vsalang.base.names import EngineName
from vsalang.guard import run_example
from vsalang.language.semantics import load


@pytest.mark.usefixtures("pydatalog_here")
@pytest.mark.parametrize(
    ("path", "engine"),
    [(path, "incremental") for path in RIGHT]
    + [(path, engine) for path in some(RIGHT, 3, by_hand=8) for engine in ("pydatalog", "reference")],
    ids=lambda value: value.stem if isinstance(value, Path) else value,
)
def test_right(path: Path, engine: EngineName) -> None:
    loaded = load(path, policies=policies(path))
    errors = [f"{item.code} {item.message}" for item in loaded.diagnostics if item.severity.value == "error"]
    assert not errors
    assert loaded.program is not None
    for example in loaded.own:
        result = run_example(loaded.program, example, engine=engine)
        failure = result.failure
        if failure is not None:
            source = loaded.sources[failure.span.file] if failure.span else None
            line = source.position(failure.span.start).line if source and failure.span else 0
            told = "\n".join(f"  {reason.kind}: {reason.message}" for reason in failure.reasons)
            pytest.fail(f"{path.name}:{line}: {example.name}: {failure.problem}\n{told}", pytrace=False)


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_wrong(path: Path) -> None:
    """One mistake, one error, at the words that are wrong."""
    text = path.read_text(encoding="utf-8")
    marker, code, underlined = text.partition("\n")[0].removeprefix("// ").split(" ", 2)
    assert marker == "expect"
    loaded = load(path, search=[HERE / "right"])
    found = [
        (item.code, text[item.span.start : item.span.end] if item.span else "")
        for item in loaded.diagnostics
        if item.severity.value == "error"
    ]
    assert found == [(code, json.loads(underlined))]
    assert loaded.program is None
