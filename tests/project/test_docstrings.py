"""A docstring says what the name does not: what is returned, in which unit, what is raised. Else there is none."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest

from tests.house import nodes, trees

Function = ast.FunctionDef | ast.AsyncFunctionDef
Classes = Mapping[str, list[ast.ClassDef]]


def classes_of(modules: Mapping[str, ast.Module]) -> Classes:
    classes = defaultdict(list)
    for tree in modules.values():
        for node in nodes(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(node)
    return classes


def members(found: ast.ClassDef) -> set[str]:
    fields = {
        node.target.id
        for node in found.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    return fields | {node.name for node in found.body if isinstance(node, Function)}


def bases(found: ast.ClassDef) -> list[str]:
    inner = [base.value if isinstance(base, ast.Subscript) else base for base in found.bases]
    return [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in inner]


def is_protocol(found: ast.ClassDef) -> bool:
    return "Protocol" in bases(found)


def protocol_members(classes: Classes) -> set[str]:
    """What protocols declare: a class need not name the protocol that it has the methods of."""
    return {
        name for group in classes.values() for each in group if is_protocol(each) for name in members(each)
    }


def overrides(method: str, found: ast.ClassDef, classes: Classes, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a base class declares the method; a base class of others may declare anything."""
    for base in (
        set(bases(found)) - seen - {"Protocol", "Generic", "object", "NamedTuple", "Enum", "StrEnum", "ABC"}
    ):
        if base not in classes:
            return True
        for each in classes[base]:
            if method in members(each) or overrides(method, each, classes, seen | {base}):
                return True
    return False


def methods(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, Function]]:
    for node in nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from ((node, each) for each in node.body if isinstance(each, Function))


def unexplained(modules: Mapping[str, ast.Module]) -> list[str]:
    """Public methods without a docstring that neither override one nor are a single statement.

    A protocol may leave its methods to the class that has them, if that one explains them.
    """
    classes = classes_of(modules)
    protocols = protocol_members(classes)
    documented = {
        method.name for tree in modules.values() for _, method in methods(tree) if ast.get_docstring(method)
    }
    return [
        f"{place}:{method.lineno}: {found.name}.{method.name}: say what it means and what it returns"
        for place, tree in modules.items()
        for found, method in methods(tree)
        if not (method.name.startswith("_") or found.name.startswith("_"))
        and not ast.get_docstring(method)
        and not any(
            isinstance(each, ast.Attribute) and each.attr == "setter" for each in method.decorator_list
        )
        and (is_protocol(found) or len(method.body) > 1)
        and method.name not in (documented if is_protocol(found) else protocols)
        and not overrides(method.name, found, classes)
    ]


def test_public_methods_say_what_they_mean() -> None:
    assert unexplained(trees()) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("class A:\n def f(self):\n  x = 1\n  return x", 1),
        ("class A:\n def f(self):\n  return 1", 0),
        ("class A:\n def f(self):\n  '''One.'''\n  x = 1\n  return x", 0),
        ("class A:\n def _f(self):\n  x = 1\n  return x", 0),
        ("class B:\n def f(self):\n  '''One.'''\nclass A(B):\n def f(self):\n  x = 1\n  return x", 0),
        ("class A(Protocol):\n def f(self): ...", 1),
        ("class P(Protocol):\n def f(self):\n  '''One.'''\nclass A:\n def f(self):\n  x = 1\n  return x", 0),
    ],
)
def test_which_methods_need_a_docstring(text: str, number: int) -> None:
    assert len(unexplained({"a.py": ast.parse(text)})) == number


POINTER = re.compile(r"See `[^`]+`\.?")
LITTLE = set("a an the its it of all each one this is".split())


def words(text: str) -> set[str]:
    """The words of a name or sentence, without an ending."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace("_", " "))
    return {re.sub(r"(s|ed|'s)$", "", word) for word in re.findall(r"[a-z']+", split.lower())} - LITTLE


def says_nothing(name: str, text: str) -> bool:
    """Whether a docstring only points elsewhere, or has at most four words that the name has, too."""
    short = len(text.split()) <= 4 and "``" not in text
    return POINTER.fullmatch(text) is not None or (short and words(text) <= words(name))


def test_docstrings_say_more_than_the_name() -> None:
    assert [
        f"{place}:{node.lineno}: {node.name}: {text!r}: delete it, or say what is returned"
        for place, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, Function | ast.ClassDef)
        and (text := ast.get_docstring(node))
        and says_nothing(node.name, text)
    ] == []


@pytest.mark.parametrize(
    ("name", "text", "empty"),
    [
        ("look", "See `Device.look`.", True),
        ("journal", "The journal.", True),
        ("add_rows", "Add the rows.", True),
        ("look", "See `Device.look`; it waits.", False),
        ("journal", "The journal; None without one.", False),
        ("concat", "One after the other.", False),
    ],
)
def test_which_docstrings_say_nothing(name: str, text: str, empty: bool) -> None:
    assert says_nothing(name, text) == empty
