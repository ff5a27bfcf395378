"""What benchmarks keep, such as the planted set: right or made again, once, and never where others can write."""

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from benchmarks import kept, planted
from benchmarks.planted import DIGESTS, digests, folder
from benchmarks.planted.make import folders

ROOT = Path(__file__).resolve().parents[2]
PART, CATEGORY = "more", "legal"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Which parts were made. Only one category of them is: the others take as long again."""
    parts: list[str] = []
    build = partial(folders.build, names=[CATEGORY])
    monkeypatch.setattr(folders, "build", lambda part: parts.append(part) or build(part))
    lines = DIGESTS.read_text(encoding="utf-8").splitlines(keepends=True)
    monkeypatch.setattr(planted, "DIGESTS", tmp_path / "digests.txt")
    planted.DIGESTS.write_text("".join(line for line in lines if line.endswith(f"{PART}/{CATEGORY}\n")))
    folder.cache_clear()
    return parts


def again(where: Path) -> Path:
    """As another process asks for the part."""
    folder.cache_clear()
    return folder(PART, where)


def contents(place: Path) -> dict[str, bytes]:
    return {
        path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()
    }


def test_it_is_made_once_and_reused(made: list[str], tmp_path: Path) -> None:
    place = again(tmp_path / "kept")
    found = contents(place)
    assert len(found) > 100 and sum(name.endswith("/trajectory.json") for name in found) == 13
    assert again(tmp_path / "kept") == place and made == [PART]
    assert sorted(path.name for path in place.parent.iterdir()) == ["lock", place.name]


def test_another_packing_is_as_right(made: list[str], tmp_path: Path) -> None:
    """Versions of zlib differ."""
    file = next(again(tmp_path / "kept").rglob("*.xml.gz"))
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()), 1, mtime=1))
    again(tmp_path / "kept")
    assert made == [PART]


def first(place: Path, pattern: str) -> Path:
    return min(place.rglob(pattern))


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda place: first(place, "*.json").write_text("{}"), id="another content"),
        pytest.param(lambda place: first(place, "*.xml.gz").write_bytes(b"no gzip"), id="not packed"),
        pytest.param(lambda place: os.truncate(first(place, "*.xml.gz"), 40), id="cut off"),
        pytest.param(lambda place: first(place, "trajectory.json").unlink(), id="a file is missing"),
        pytest.param(
            lambda place: (place / "safe_legal/01/jsons/x.json").write_text("{}"), id="a file too many"
        ),
        pytest.param(
            lambda place: first(place, "*.xml.gz").with_suffix("").write_text("<hierarchy/>"),
            id="an unpacked screen next to the packed one",
        ),
        pytest.param(lambda place: first(place, "safe_*").rename(place / "safe_other"), id="renamed"),
    ],
)
def test_what_was_spoilt_is_made_anew(
    spoil: Callable[[Path], object], made: list[str], tmp_path: Path
) -> None:
    place = again(tmp_path / "kept")
    right = contents(place)
    spoil(place)
    assert contents(place) != right
    assert again(tmp_path / "kept") == place and contents(place) == right
    assert made == [PART, PART]
    assert sorted(path.name for path in place.parent.iterdir()) == ["lock", place.name]


def test_drift_names_the_scenes_and_the_remedy(made: list[str], tmp_path: Path) -> None:
    digest = planted.DIGESTS.read_text(encoding="utf-8")
    planted.DIGESTS.write_text(f"{digest[::-1][-64:]}  {PART}/{CATEGORY}\n")
    with pytest.raises(kept.DriftError, match=rf"made of {PART}/{CATEGORY}: .* -m benchmarks.planted.make$"):
        again(tmp_path / "kept")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["lock"]


def test_changed_scenes_without_a_digest_are_seen(
    made: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What was kept is right by its digest, but is no longer what the scenes say."""
    again(tmp_path / "kept")
    scenes = tmp_path / "make" / PART / f"{CATEGORY}.txt"
    scenes.parent.mkdir(parents=True)
    text = (folders.HERE / PART / scenes.name).read_text(encoding="utf-8")
    scenes.write_text(text.replace("query: ", "query: Please: ", 1), encoding="utf-8")
    monkeypatch.setattr(folders, "HERE", tmp_path / "make")
    with pytest.raises(kept.DriftError, match=f"made of {PART}/{CATEGORY}: "):
        again(tmp_path / "kept")


def test_missing_or_extra_digests_are_drift(made: list[str], tmp_path: Path) -> None:
    line = planted.DIGESTS.read_text(encoding="utf-8")
    for text in ("", line + line.replace(CATEGORY, "other")):
        planted.DIGESTS.write_text(text)
        with pytest.raises(kept.DriftError):
            again(tmp_path / "kept")


def test_digest_of_a_category_counts_names_and_contents() -> None:
    one = digests("open", {"safe_legal/01/a": b"x", "unsafe_legal/01/b": b"y"})
    assert one.keys() == {"open/legal"}
    assert one != digests("open", {"safe_legal/01/a": b"x", "unsafe_legal/02/b": b"y"})
    assert one != digests("open", {"safe_legal/01/a": b"x", "unsafe_legal/01/b": b"z"})


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no modes here")
def test_a_folder_that_others_can_use_is_none(made: list[str], tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o770)
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    for name in ("open", "link"):
        with pytest.raises(PermissionError, match="not a folder of this user alone"):
            again(tmp_path / name)
    assert made == []


# ---- things that are kept in general


def test_it_lies_in_the_environment_or_with_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "prefix", str(kept.ROOT / ".venv"))
    assert kept.place("x") == (kept.ROOT / ".venv").resolve() / "var" / "vsalang" / "x"
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert kept.place("x") == tmp_path / "cache" / "vsalang" / "x"


def test_failures_and_killed_processes_leave_nothing(tmp_path: Path) -> None:
    def half(path: Path) -> None:
        path.write_text("half")
        raise KeyError("no")

    with pytest.raises(KeyError):
        kept.kept(tmp_path / "k", "a-1", Path.exists, half)
    assert [path.name for path in (tmp_path / "k").iterdir()] == ["lock"]
    (tmp_path / "k" / "new.killed").mkdir()
    (tmp_path / "k" / "new.killed" / "made").write_text("half")
    kept.kept(tmp_path / "k", "a-1", Path.exists, lambda path: path.write_text("whole"))
    assert sorted(path.name for path in (tmp_path / "k").iterdir()) == ["a-1", "lock"]


def test_few_versions_are_kept(tmp_path: Path) -> None:
    for number in range(5):
        for thing in ("a", "b"):
            path = kept.kept(tmp_path / "k", f"{thing}-{number}", Path.exists, Path.mkdir)
            os.utime(path, (number, number))
    names = sorted(path.name for path in (tmp_path / "k").iterdir())
    assert names == ["a-2", "a-3", "a-4", "b-2", "b-3", "b-4", "lock"]


MAKER = """
import sys, time
from pathlib import Path
from benchmarks.kept import kept

folder, log, go = map(Path, sys.argv[1:])

def make(path):
    with log.open("a") as file:
        file.write("made\\n")
    print("making", flush=True)
    while not go.exists():
        time.sleep(0.02)
    path.mkdir()

print(kept(folder, "a-1", Path.is_dir, make))
"""


def test_of_two_processes_one_makes_it(tmp_path: Path) -> None:
    words = [sys.executable, "-c", MAKER, *(str(tmp_path / name) for name in ("kept", "log", "go"))]

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    with start() as one:
        assert one.stdout is not None and one.stdout.readline() == "making\n"
        with start() as two:
            try:
                assert two.stderr is not None and "waiting" in two.stderr.readline()
            finally:
                (tmp_path / "go").touch()
            assert two.stdout is not None and two.stdout.read().strip() == str(tmp_path / "kept" / "a-1")
        assert one.stdout.read().strip() == str(tmp_path / "kept" / "a-1")
    assert (one.returncode, two.returncode) == (0, 0)
    assert (tmp_path / "log").read_text() == "made\n"
