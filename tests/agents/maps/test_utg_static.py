"""Maps from an app's files: decoded by apktool, or an APK itself."""

import importlib.util
from pathlib import Path

import pytest

from tests.agents.maps.making import Element, apk, axml, plain
from vsalang.agents.maps import UTG, UTGError
from vsalang.program.show import source

MANIFEST: Element = (
    "manifest",
    {"package": "a.b"},
    [
        (
            "application",
            {},
            [
                (
                    "activity",
                    {"android:name": ".Main", "android:exported": "true"},
                    [
                        (
                            "intent-filter",
                            {},
                            [
                                ("action", {"android:name": "android.intent.action.MAIN"}, []),
                                ("category", {"android:name": "android.intent.category.LAUNCHER"}, []),
                            ],
                        )
                    ],
                ),
                (
                    "activity",
                    {"android:name": "a.b.ui.Shop"},
                    [
                        (
                            "intent-filter",
                            {},
                            [
                                ("action", {"android:name": "android.intent.action.VIEW"}, []),
                                ("data", {"android:scheme": "https", "android:host": "shop.example"}, []),
                                ("data", {"android:scheme": "https", "android:host": "x; rm -r /"}, []),
                            ],
                        )
                    ],
                ),
            ],
        )
    ],
)
GRAPH: Element = (
    "navigation",
    {"startDestination": "@id/list"},
    [
        (
            "fragment",
            {"android:id": "@+id/list", "android:name": "a.b.ListFragment", "android:label": "All notes"},
            [("action", {"android:id": "@+id/open", "destination": "@+id/note"}, [])],
        ),
        (
            "fragment",
            {"android:id": "@+id/note", "android:name": "a.b.NoteFragment"},
            [("deepLink", {"uri": "notes://open/last"}, []), ("deepLink", {"uri": "notes://open/{id}"}, [])],
        ),
        ("action", {"android:id": "@+id/home", "destination": "@+id/list"}, []),
    ],
)
EDGES = {
    ("*", 'open_app(package = "a.b")', "static:a.b.Main"),
    ("*", 'shell(command = "am start -n a.b/a.b.Main")', "static:a.b.Main"),
    (
        "*",
        'shell(command = "am start -a android.intent.action.VIEW -d https://shop.example")',
        "static:a.b.ui.Shop",
    ),
    ("static:a.b.ListFragment", "tap", "static:a.b.NoteFragment"),
    ("a.b:*", "tap", "static:a.b.ListFragment"),
    (
        "*",
        'shell(command = "am start -a android.intent.action.VIEW -d notes://open/last")',
        "static:a.b.NoteFragment",
    ),
}


def found(utg: UTG) -> set[tuple[str, str, str]]:
    assert all(each.origin == "static" and not each.tried for each in utg.edges)
    return {(each.source, source(each.gesture), each.target) for each in utg.edges}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "res" / "navigation").mkdir(parents=True)
    (tmp_path / "AndroidManifest.xml").write_text(plain(MANIFEST))
    (tmp_path / "res" / "navigation" / "main.xml").write_text(plain(GRAPH))
    return tmp_path


def test_decoded_files_give_activities_links_and_ways(folder: Path):
    """What would be more than one word of a shell is not a link; nor is one with a parameter."""
    utg = UTG.from_static(folder)
    assert found(utg) == EDGES
    assert utg.screens["static:a.b.ListFragment"].texts == ("All notes",)
    assert {each.app for each in utg.screens.values()} == {"a.b"}


def test_an_apk_gives_the_same(tmp_path: Path, folder: Path):
    pytest.importorskip("androguard", reason="androguard (extra apk) is not installed")
    files = {"AndroidManifest.xml": axml(MANIFEST), "res/navigation/main.xml": axml(GRAPH), "res/a.xml": b"x"}
    assert found(UTG.from_static(apk(tmp_path / "a.apk", files))) == EDGES


def test_files_that_are_no_app_are_refused(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UTGError, match=r"holds no AndroidManifest.xml"):
        UTG.from_static(folder / "res")
    (folder / "AndroidManifest.xml").write_text("<manifest")
    with pytest.raises(UTGError, match="is not XML"):
        UTG.from_static(folder)
    (tmp_path / "a.apk").write_bytes(b"PK")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UTGError, match="needs androguard") as raised:
        UTG.from_static(tmp_path / "a.apk")
    assert "vsalang[apk]" in raised.value.hint


def test_a_broken_apk_is_refused(tmp_path: Path):
    pytest.importorskip("androguard", reason="androguard (extra apk) is not installed")
    (tmp_path / "a.apk").write_bytes(b"PK")
    with pytest.raises(UTGError, match="is not an APK"):
        UTG.from_static(tmp_path / "a.apk")
    with pytest.raises(UTGError, match="cannot be decoded"):
        UTG.from_static(apk(tmp_path / "b.apk", {"AndroidManifest.xml": b"\3\0\10\0junk"}))
