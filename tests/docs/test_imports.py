"""What pages import: from `vsalang` or the room that a page is about; all that `vsalang` exports is there."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import vsalang

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

ROOMS = {
    "vsalang.agents.adapters": "an adapter, which needs its framework",
    "vsalang.agents.driver": "an adapter, which needs its framework",
    "vsalang.agents.maps": "maps: what mines, plans and asks them has names that say little elsewhere",
    "vsalang.agents.rank": "the agent that chooses, and what is made of its runs",
    "vsalang.agents.reporting": "the library of developers whose apps report",
    "vsalang.agents.walks": "formats of walks",
    "vsalang.engine": "the engines themselves: snapshots, scripts of pyDatalog",
    "vsalang.guard.graph": "what is made of the graph of a screen",
    "vsalang.guard.memory": "what is made of certificates",
    "vsalang.guard.world.clock": "clocks, for who makes a guard of parts",
    "vsalang.models": "models, for who brings one",
    "vsalang.phone": "phones, services and streams of adb, for who brings a device",
    "vsalang.screen.control": "what is made of controls",
    "vsalang.tools.audit": "audits: their names say little elsewhere",
    "vsalang.tools.fleet": "rules over devices for streams of one's own",
}
"""Rooms that pages may import from, with those below them, and why."""


def imports(page: Path) -> Iterator[tuple[str, str]]:
    """The modules and names that the Python blocks of a page import of vsalang."""
    for text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "vsalang":
                yield from ((node.module, each.name) for each in node.names)
            elif isinstance(node, ast.Import):
                yield from (("", each.name) for each in node.names if each.name.startswith("vsalang."))


WITH_IMPORTS = [page for page in PAGES if "vsalang" in "".join(_BLOCK.findall(page.read_text("utf-8")))]


@pytest.mark.parametrize("page", WITH_IMPORTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_import_from_vsalang_or_their_room(page: Path) -> None:
    for module, name in imports(page):
        if module.startswith("pyspark") or "streaming" in f"{module}.{name}":
            pytest.importorskip("pyspark", reason="the extra spark is not installed")
        found = getattr(importlib.import_module(module), name)  # it is there
        if module != "vsalang":
            assert any(f"{module}.".startswith(f"{room}.") for room in ROOMS), (module, name)
            assert found is not exported(name), f"{name} is exported by vsalang"


def exported(name: str) -> object:
    return getattr(vsalang, name) if name in vsalang._EXPORTS else None


def test_every_room_of_the_list_is_used() -> None:
    modules = {module for page in PAGES for module, _ in imports(page)}
    assert [r for r in ROOMS if not any(f"{module}.".startswith(f"{r}.") for module in modules)] == []


def test_what_types_say_is_exported() -> None:
    """The type checker reads imports, and Python a table: both have the same names from the same places."""
    tree = ast.parse((ROOT / "vsalang" / "__init__.py").read_text(encoding="utf-8"))
    typed = {
        each.asname or each.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    assert typed == vsalang._EXPORTS
    assert list(vsalang._EXPORTS) == sorted(vsalang._EXPORTS)
    assert {*vsalang.__all__} == vsalang._EXPORTS.keys() - {"GuardedDevice"}


_BARE = """
import importlib.abc, sys
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in sys.argv[1:]:
            raise ImportError(f"{name} is not installed")
sys.meta_path.insert(0, Missing())
from vsalang import *
"""


def test_all_can_be_imported_without_extras() -> None:
    extras = (
        "uiautomator2",
        "PIL",
        "h11",
        "z3",
        "openai",
        "aiohttp",
        "mcp",
        "pygls",
        "pyDatalog",
        "wordllama",
    )
    done = subprocess.run([sys.executable, "-c", _BARE, *extras], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
