"""What `vsac check`, `lint` and `test` said about a file counts until something that they read changes."""

from pathlib import Path

import pytest

from vsalang.language.semantics import load
from vsalang.language.semantics.kept_results import KeptResults, inputs_of

APP = 'app shop package "s" "S"\nstate Cart { total: Number }\n'
SPEC = 'spec a "Say yes"\nimport shop\nallow answer(text = "yes").\ndone when answer earlier.\n'


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VSALANG_CACHE", str(tmp_path / "cache"))
    (tmp_path / "project" / "lib").mkdir(parents=True)
    (tmp_path / "project" / "vsac.toml").write_text('search = ["lib"]\n', "utf-8")
    (tmp_path / "project" / "lib" / "shop.vsa").write_text(APP, "utf-8")
    path = tmp_path / "project" / "a.vsa"
    path.write_text(SPEC, "utf-8")
    return path


def keep(spec: Path) -> None:
    results = KeptResults("check")
    results.put(str(spec), inputs_of(load(spec, search=[spec.parent / "lib"])), ["fine"])
    results.save()


def kept(spec: Path, command: str = "check") -> object:
    return KeptResults(command).get(str(spec))


def test_a_result_counts_while_nothing_changes(spec: Path) -> None:
    assert kept(spec) is None
    keep(spec)
    assert kept(spec) == ["fine"]
    assert kept(spec, "test") is None


@pytest.mark.parametrize("change", ["text", "import", "config", "nearer", "gone"])
def test_any_change_of_what_was_read_ends_it(spec: Path, change: str) -> None:
    keep(spec)
    if change == "text":
        spec.write_text(SPEC + "\n", "utf-8")
    elif change == "import":
        (spec.parent / "lib" / "shop.vsa").write_text(APP.replace("Cart", "Tray"), "utf-8")
    elif change == "config":
        (spec.parent / "vsac.toml").write_text('search = ["lib"]\n\n', "utf-8")
    elif change == "nearer":  # an import is found in another place now
        (spec.parent / "shop.vsa").write_text(APP, "utf-8")
    else:
        spec.unlink()
    assert kept(spec) is None


def test_what_others_write_is_not_believed(spec: Path) -> None:
    keep(spec)
    (file,) = (spec.parents[1] / "cache").rglob("*.results")
    file.write_bytes(file.read_bytes().replace(b"fine", b"good"))
    assert kept(spec) is None
    file.write_bytes(b"")
    assert kept(spec) is None


def test_commands_say_the_same_twice(spec: Path, vsac, monkeypatch: pytest.MonkeyPatch) -> None:
    (spec.parent / "lib" / "shop.vsa").unlink()
    text = SPEC.replace("import shop\n", "") + 'test "yes" {\n  attempt answer(text = "yes") => allow.\n}\n'
    spec.write_text(text, "utf-8")
    for command in (("check", str(spec)), ("test", str(spec), "--format", "json")):
        first, second = vsac(*command), vsac(*command)
        assert first.stdout == second.stdout and first.returncode == second.returncode == 0
    spec.write_text(text.replace("=> allow", "=> block"), "utf-8")
    assert vsac("test", str(spec)).returncode == 1
    assert vsac("test", str(spec)).returncode == 1


def test_the_linter_looks_again_where_it_found_something(spec: Path, vsac) -> None:
    (spec.parent / "lib" / "shop.vsa").unlink()
    text = SPEC.replace("import shop\n", "")
    spec.write_text(text, "utf-8")
    assert [vsac("lint", str(spec)).returncode for _ in range(2)] == [0, 0]
    spec.write_text(text + "// lint: ignore L0001\n", "utf-8")
    told = [vsac("lint", str(spec)).stdout for _ in range(2)]
    assert told[0] == told[1] and "L0058" in told[0]
    # another question is another answer
    spec.write_text(text, "utf-8")
    assert vsac("lint", str(spec), "--strict").returncode == 0
    (spec.parent / "vsac.toml").write_text('[lint]\nselect = ["L0999"]\n', "utf-8")
    assert vsac("lint", str(spec)).returncode == 2
