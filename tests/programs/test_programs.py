"""Programs a user might write: the right ones check and pass their tests, the wrong ones have one error each."""

from pathlib import Path

import pytest

from tests.oracle import engine_of
from tests.programs.files import HERE, RIGHT, WRONG, policies
from tests.snapshots import Pair, golden
from tests.thorough import some
from vsalang.base.diagnostics.terminal import render
from vsalang.base.names import EngineName
from vsalang.guard import run_example
from vsalang.language.semantics import load


@pytest.mark.usefixtures("pydatalog_here")
@pytest.mark.parametrize(
    ("path", "engine"),
    [(path, "incremental") for path in RIGHT]
    + [(path, engine) for path in some(RIGHT, 6) for engine in ("pydatalog", "reference")],
    ids=lambda value: value.stem if isinstance(value, Path) else value,
)
def test_right(path: Path, engine: EngineName) -> None:
    loaded = load(path, policies=policies(path))
    errors = [f"{item.code} {item.message}" for item in loaded.diagnostics if item.severity.value == "error"]
    assert not errors
    assert loaded.program is not None
    for example in loaded.own:
        result = run_example(loaded.program, example, engine=engine_of(engine))
        failure = result.failure
        if failure is not None:
            source = loaded.sources[failure.span.file] if failure.span else None
            line = source.position(failure.span.start).line if source and failure.span else 0
            told = "\n".join(f"  {reason.kind}: {reason.message}" for reason in failure.reasons)
            pytest.fail(f"{path.name}:{line}: {example.name}: {failure.problem}\n{told}", pytrace=False)


@pytest.mark.parametrize("pair", WRONG, ids=lambda pair: pair.name)
def test_wrong(pair: Pair) -> None:
    """One mistake, one error, at the words that are wrong."""
    path = Path(f"{pair.name}.vsa")
    loaded = load(path, overlay={path.resolve(): pair.given}, search=[HERE / "right"])
    errors = [item for item in loaded.diagnostics if item.severity.value == "error"]
    golden(render(errors, loaded.sources, color=False).replace(f"{HERE}/", ""), pair)
    assert len(errors) == 1
    assert loaded.program is None
