"""What the project asks of its own text, and neither ruff nor import-linter can say."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import grimp
import networkx
import pytest

from tests.house import nodes, trees
from vsalang.base import names

ROOT = Path(__file__).resolve().parents[2]


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions and for the type checker count, and so does what a folder's `__init__` imports."""
    graph = grimp.build_graph("vsalang", cache_dir=None)
    imports = networkx.DiGraph(
        (name, other) for name in graph.modules for other in graph.find_modules_directly_imported_by(name)
    )
    assert len(imports) > 500
    assert [
        sorted(group) for group in networkx.strongly_connected_components(imports) if len(group) > 1
    ] == []


def wing(module: str) -> str:
    return module.split(".")[1]


def passed_on(place: str, tree: ast.Module) -> set[str]:
    """The names that a module takes from another wing and offers as its own: by `__all__`, or without a use."""
    here = wing(f"vsalang.{place.replace('/', '.')}")
    froms = [node for node in nodes(tree) if isinstance(node, ast.ImportFrom) and node.module]
    foreign = [node for node in froms if node.module.startswith("vsalang.") and wing(node.module) != here]
    taken = {each.asname or each.name: each.asname for node in foreign for each in node.names}
    offered = {
        name
        for node in tree.body
        if isinstance(node, ast.Assign) and "__all__" in map(name_of, node.targets)
        for name in texts(node.value)
    }
    used = {node.id for node in nodes(tree) if isinstance(node, ast.Name)}
    return {name for name, alias in taken.items() if name in offered or (name == alias and name not in used)}


def test_no_wing_offers_names_of_another() -> None:
    """Each has one place; `vsalang` itself offers users what they import."""
    found = {place: passed_on(place, tree) for place, tree in trees().items() if place != "__init__.py"}
    assert {place: names for place, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("from vsalang.base.names import MODES\n__all__ = ['MODES']", {"MODES"}),
        ("from vsalang.base.names import MODES as MODES", {"MODES"}),
        ("from vsalang.base.names import MODES\nprint(MODES)", set()),
        ("from vsalang.guard.step import Turn\n__all__ = ['Turn']", set()),
        ("if TYPE_CHECKING:\n    from vsalang.screen import tree as tree", {"tree"}),
    ],
)
def test_what_counts_as_offered(text: str, offered: set[str]) -> None:
    assert passed_on("guard/__init__.py", ast.parse(text)) == offered


def test_names_of_tests_have_at_most_nine_words() -> None:
    """A failure shows at once what is tested; the docstring says the rest."""
    defined = re.compile(r"^ *(?:async )?def test_(\w+)", re.MULTILINE)
    found = {
        f"{path.relative_to(ROOT)}: test_{name}": len(name.split("_"))
        for path in sorted(ROOT.glob("tests/**/*.py"))
        for name in defined.findall(path.read_text(encoding="utf-8"))
    }
    assert len(found) > 1000
    assert [place for place, words in found.items() if words > 9] == []


# ---- what users choose by name is listed once: `vsalang.base.names` -----------------------------------

LISTS = [names.ENGINES, names.MODES, names.LANGUAGES, names.SYNCS]


@pytest.mark.parametrize("listed", LISTS, ids=lambda listed: listed[0])
def test_no_other_module_writes_a_list_of_names(listed: tuple[str, ...]) -> None:
    found = [
        f"{place}:{node.lineno}"
        for place, tree in trees(f'"{min(listed)}"').items()
        if Path(place).name != "names.py"
        for node in nodes(tree)
        if isinstance(node, ast.List | ast.Tuple | ast.Set)
        and {each.value for each in node.elts if isinstance(each, ast.Constant)} >= set(listed)
    ]
    assert found == []


# ---- no code decides by an English sentence: to improve it would break the code ------------

WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
ASKS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "find", "index"}
SENTENCES = "message help hint label seen wanted said why reason problem error became".split()
OF_OTHERS = {"adbserver.py: connected to", "source.py: xcessive depth"}
"""What programs of others say, and say in no other way."""


def texts(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name) and node.func.id == "str":
        node = node.args[0]
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def decisions(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """What is asked of which text, and where: ``message.startswith("there is no")``, ``why == "not shown"``."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKS:
            asked, said = node.func.value, [text for arg in node.args for text in texts(arg)]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            asked, said = node.comparators[0], list(texts(node.left))
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            asked, said = node.left, list(texts(node.comparators[0]))
        else:
            continue
        for text in said:
            if WORDS.search(text):
                yield name_of(asked), text, node.lineno


def test_no_decision_by_a_sentence() -> None:
    found = {
        f"{Path(place).name}: {text}": f"{place}:{line}"
        for place, tree in trees().items()
        for name, text, line in decisions(tree)
        if name in SENTENCES
    }
    assert found.keys() == OF_OTHERS, found
