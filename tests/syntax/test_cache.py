"""The cache of trees: the same tree as parsing gives, and nothing that lies in its folder can hurt."""

import json

import pytest
from hypothesis import HealthCheck, given, settings

from tests.syntax.strategies import modules
from vsalang.resources import resource_dir
from vsalang.source import Source
from vsalang.syntax import cache, parse, show

FILES = sorted([*resource_dir("app_specs").rglob("*.vsa"), *resource_dir("stdlib").rglob("*.vsa")])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("VSALANG_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_kept_tree_is_the_parsed_one(file, folder):
    source = Source.from_text(file.read_text(encoding="utf-8"), "one.vsa")
    parsed = parse(source)
    assert list(folder.rglob("*.json"))
    assert cache.lookup(source) == parsed.module
    other = cache.lookup(Source.from_text(source.text, "other.vsa"))
    assert other is not None
    assert other.span.file == other.items[0].span.file == "other.vsa" if other.items else True


@given(modules)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_every_tree_comes_back(folder, module):
    source = Source.from_text(show(module), "x.vsa")
    parsed = parse(source)
    if parsed.module is not None and not parsed.diagnostics:
        assert cache._decode(json.loads(json.dumps(cache._encode(parsed.module))), "x.vsa") == parsed.module


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
