"""The cache of trees: the same tree as parsing gives, and nothing that lies in its folder can hurt."""

import json
import os
from pathlib import Path

import pytest

from vsalang.base.resources import resource_dir
from vsalang.base.source import Source, private
from vsalang.language.syntax import cache, parser
from vsalang.language.syntax.parser import ParseResult

FILES = sorted([*resource_dir("app_specs").rglob("*.vsa"), *resource_dir("stdlib").rglob("*.vsa")])


def parse(source: Source) -> ParseResult:
    """As a tool does that starts now: nothing is in memory, and the disk may be read."""
    parser._TREES.clear()
    return parser.parse(source, from_cache=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("VSALANG_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_kept_tree_is_the_parsed_one(file, folder):
    source = Source.from_text(file.read_text(encoding="utf-8"), "one.vsa")
    parsed = parse(source)
    assert list(folder.rglob("*.json"))
    assert cache.lookup(source) == parsed.module
    other = cache.lookup(Source.from_text(source.text, "other.vsa"))
    assert other is not None
    assert other.span.file == other.items[0].span.file == "other.vsa" if other.items else True


def test_what_has_mistakes_is_not_kept(folder):
    parse(Source.from_text('spec a "x"\nallow', "x.vsa"))
    assert not list(folder.rglob("*.json"))


def test_a_changed_text_is_parsed_anew(folder):
    first = parse(Source.from_text('spec a "x"\nallow answer.\n', "x.vsa"))
    second = parse(Source.from_text('spec b "x"\nallow answer.\n', "x.vsa"))
    assert (first.module.name.text, second.module.name.text) == ("a", "b")


JUNK = [b"", b"{}", b"[]", b"[-1]", b"[99]", b"[3, 1]", b"\xff\xfe", b"[" * 100_000, b'[-4, "no date"]', b"7"]


@pytest.mark.parametrize(
    "junk",
    JUNK,
    ids=repr,
)
def test_junk_in_the_folder_is_no_tree(folder, junk):
    source = Source.from_text('spec a "x"\nallow answer.\n', "x.vsa")
    wanted = parse(source)
    (entry,) = folder.rglob("*.json")
    entry.write_bytes(junk)
    assert parse(source) == wanted


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VSALANG_CACHE", str(tmp_path / "file"))
    assert parse(Source.from_text('spec a "x"\nallow answer.\n', "x.vsa")).module is not None


def test_old_entries_go(folder, monkeypatch):
    monkeypatch.setattr(cache, "ENTRIES", 5)
    for number in range(12):
        parse(Source.from_text(f'spec s{number} "x"\nallow answer.\n', "x.vsa"))
    assert len(list(folder.rglob("*.json"))) <= 6


def test_it_can_be_switched_off(tmp_path, monkeypatch):
    monkeypatch.setenv("VSALANG_CACHE", "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    parse(Source.from_text('spec a "x"\nallow answer.\n', "x.vsa"))
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- who else may write there

RIGHT = Source.from_text('spec a "x"\nallow answer(text = "R").\n', "x.vsa")
FORGED = Source.from_text('spec a "x"\nallow answer(text = "Q").\n', "x.vsa")


@pytest.fixture
def entry(folder) -> Path:
    """The entry of RIGHT."""
    parse(RIGHT)
    (found,) = folder.rglob("*.json")
    return found


def forge(entry: Path, key: bytes) -> None:
    """Write the tree of FORGED where that of RIGHT is kept."""
    module = parser.read(FORGED).module
    assert module is not None
    body = json.dumps(cache._TREES.encode(module)).encode()
    entry.write_bytes(cache._seal(key, RIGHT.digest, body) + b"\n" + body)


def test_an_entry_without_the_key_is_not_believed(entry):
    wanted = parse(RIGHT)
    forge(entry, b"?" * private.KEY_BYTES)
    assert parse(RIGHT) == wanted


def test_a_body_is_bound_to_its_seal(entry):
    wanted = parse(RIGHT)
    entry.write_bytes(entry.read_bytes().replace(b'"R"', b'"Q"'))
    assert parse(RIGHT) == wanted


def test_an_entry_does_not_stand_in_for_another(entry, folder):
    wanted = parse(RIGHT)
    parse(FORGED)
    (other,) = set(folder.rglob("*.json")) - {entry}
    other.replace(entry)
    assert parse(RIGHT) == wanted


@pytest.mark.parametrize("which", ["folder", "key", "entry"])
@pytest.mark.parametrize("mode", [0o020, 0o004])
def test_nothing_is_read_that_others_can_write_or_read(entry, which, mode):
    place = {"folder": entry.parent, "key": entry.parent / "key", "entry": entry}[which]
    assert cache.lookup(RIGHT) is not None
    place.chmod(place.stat().st_mode | mode)
    assert cache.lookup(RIGHT) is None


def test_nothing_is_written_where_others_can(tmp_path, monkeypatch):
    monkeypatch.setenv("VSALANG_CACHE", str(tmp_path))
    place = tmp_path / cache._reader()
    place.mkdir()
    place.chmod(0o777)
    parse(RIGHT)
    assert not list(place.iterdir())


@pytest.mark.parametrize("name", ["key", "entry"])
def test_links_are_not_followed(entry, tmp_path, name):
    place = entry.parent / "key" if name == "key" else entry
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    assert cache.lookup(RIGHT) is None


def test_another_users_files_are_not_read(entry, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.lookup(RIGHT) is None


def test_files_are_the_users_alone(entry):
    assert [place.stat().st_mode & 0o777 for place in (entry.parent, entry.parent / "key", entry)] == [
        0o700,
        0o600,
        0o600,
    ]


def test_who_decides_reads_no_tree_from_the_disk(entry):
    """Not even one with the right seal: what runs as the same user can read the key."""
    forge(entry, (entry.parent / "key").read_bytes())
    assert parse(RIGHT) == parser.read(FORGED)  # a tool believes it, so the test is one
    assert parser.parse(RIGHT) == parser.read(RIGHT)
