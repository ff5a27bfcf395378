"""What users choose by name is listed once: `vsalang.base.names`."""

import ast
import subprocess
import sys

import pytest

from tests.house import nodes, trees
from vsalang.base import names
from vsalang.guard.say.texts import catalogue

LISTS = {
    "engines": frozenset(names.ENGINES),
    "modes": frozenset(names.MODES),
    "languages": frozenset(names.LANGUAGES),
    "syncs": frozenset(names.SYNCS),
}


def written(node: ast.AST) -> frozenset[str]:
    """The texts of a list, tuple or set that is written out."""
    if not isinstance(node, ast.List | ast.Tuple | ast.Set):
        return frozenset()
    return frozenset(e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str))


@pytest.mark.parametrize("what", LISTS)
def test_no_other_module_writes_the_list(what: str) -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, tree in trees(f'"{min(LISTS[what])}"').items()
        if name.rpartition("/")[2] != "names.py"
        for node in nodes(tree)
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and written(node) >= LISTS[what]
    ]
    assert not found


def test_every_language_has_a_catalogue() -> None:
    assert {language: bool(catalogue(language)) for language in names.LANGUAGES} == {"en": True, "de": True}


def test_the_names_load_nothing_else() -> None:
    said = "import sys, vsalang.base.names; print([m for m in sys.modules if m.startswith('vsalang.')])"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['vsalang.base.names']"
