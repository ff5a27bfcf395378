"""What was checked before is not checked again, and changes nothing that is found."""

from pathlib import Path

import pytest

import vsalang
from vsalang.guard import Guard
from vsalang.language.semantics import Loaded, inference, load, rule_cache
from vsalang.language.syntax import cache, parser

APP = 'app shop package "com.shop" "A shop"\nview Item { name: Text }\naction Buy(name: Text)\n'
RULES = (
    'update Item(name = ?t) when Node(id = "name", text = ?t).\n'
    'recognize Buy(name = ?n) when tap(id = "buy") with Item(name = ?n).\n'
)
SPEC = 'spec {name} "Buy tea"\nimport shop\nallow Buy(name = "Tea") when Item(name = "Tea").\ndone when Buy earlier.\n'


GOODS = 'app goods package "com.goods" "Goods"\nview Offer {{ of: {} }}\n'
DEFINED = "define Sold(what = ?w) when goods.Offer(of = ?w).\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rule_cache._RULES.clear()
    rule_cache._TYPES.clear()
    (tmp_path / "shop.vsa").write_text(APP + RULES)
    for name in ("one", "two"):
        (tmp_path / f"{name}.vsa").write_text(SPEC.format(name=name))
    return tmp_path


def test_specs_of_one_app_share_its_checked_rules(folder: Path) -> None:
    one, two = (load(folder / f"{name}.vsa").checked() for name in ("one", "two"))
    shared = [rule for rule in one.rules if rule.module == "shop" and rule.span is not None]
    assert shared
    assert all(any(rule is other for other in two.rules) for rule in shared)


def test_a_changed_app_is_checked_again(folder: Path) -> None:
    load(folder / "one.vsa").checked()
    (folder / "shop.vsa").write_text(APP + RULES.replace('"buy"', '"order"'))
    again = load(folder / "two.vsa").checked()
    assert "order" in repr([rule.body for rule in again.rules if rule.module == "shop"])


def test_findings_do_not_depend_on_earlier_checks(folder: Path) -> None:
    (folder / "shop.vsa").write_text(APP + RULES + 'update Item(name = 7) when Node(id = "x").\n')

    def found(name: str) -> list[tuple[str, str]]:
        loaded: Loaded = load(folder / f"{name}.vsa")
        return [(item.code, item.message) for item in loaded.diagnostics]

    first = found("one")
    assert first
    assert found("two") == found("one") == first


def test_types_are_inferred_once_for_the_same_imports(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And again where an import of the module has other types, though its own text is the same."""
    app = APP.replace("\nview", "\nimport goods\nview")
    (folder / "shop.vsa").write_text(app + RULES + DEFINED)
    typed: list[str] = []
    step = inference._step
    monkeypatch.setattr(inference, "_step", lambda scope, of: typed.append(of.name) or step(scope, of))

    def kind(name: str) -> str:
        loaded = load(folder / f"{name}.vsa")
        assert loaded.program is not None, loaded.diagnostics
        (attr,) = loaded.program.relations["shop.Sold"].attrs
        return attr.type.kind

    (folder / "goods.vsa").write_text(GOODS.format("Text"))
    assert (kind("one"), kind("two"), typed) == ("Text", "Text", ["shop.Sold"])
    (folder / "goods.vsa").write_text(GOODS.format("Number"))
    assert (kind("one"), kind("two"), typed) == ("Number", "Number", ["shop.Sold"] * 2)


def test_an_id_that_the_spec_takes_too_is_reported(folder: Path) -> None:
    (folder / "shop.vsa").write_text(APP + RULES.replace("recognize", '@id("B-1") recognize'))
    assert load(folder / "one.vsa").ok
    (folder / "two.vsa").write_text(SPEC.format(name="two").replace("allow", '@id("B-1") allow'))
    assert "E0205" in [item.code for item in load(folder / "two.vsa").diagnostics]


# ---------------------------------------------------------------- the disk


def test_only_tools_load_from_the_disk() -> None:
    """`from_cache=True` is for check, lint, test and the language server: nothing that decides about a phone."""
    root = Path(vsalang.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if "from_cache=True" in path.read_text(encoding="utf-8")
    }
    assert found == {
        "tools/cli/fixing.py",
        "tools/lsp/analysis.py",
        "tools/lsp/renaming.py",
        "tools/lsp/snapshot.py",
        "tools/testing/running.py",
        "tools/testing/pytest_plugin.py",
    }


def test_a_guard_does_not_believe_a_forged_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of the same user once swapped "R" for "Q" in the cache, and the guard allowed Q."""
    monkeypatch.setenv("VSALANG_CACHE", str(folder / "cache"))
    path = folder / "one.vsa"
    load(path, from_cache=True)
    source = next(s for s in load(path).sources.values() if s.path == path)
    (key,) = (folder / "cache").rglob("key")
    entry = key.with_name(f"{source.digest}.json")
    body = entry.read_bytes().partition(b"\n")[2].replace(b'"Tea"', b'"Gin"')
    entry.write_bytes(cache._seal(key.read_bytes(), source.digest, body) + b"\n" + body)
    parser._TREES.clear()
    assert "Gin" in _licensed(load(path, from_cache=True))
    guard = Guard(load(path).checked())
    assert "Gin" not in _licensed(load(path))
    assert "Gin" not in repr(guard.program.rules)


def _licensed(loaded: Loaded) -> str:
    return repr([rule.head for rule in loaded.checked().rules if rule.module == "one"])
