"""No modules import each other in a circle; imports inside functions and for the type checker count, too."""

import ast
from collections.abc import Collection, Iterator, Mapping

from tests.house import statements, trees


def named(place: str) -> str:
    """The name of the module that stands at a place such as ``guard/step.py``."""
    return ".".join(("vsalang", *place.removesuffix(".py").split("/"))).removesuffix(".__init__")


def imported(tree: ast.Module, known: Collection[str]) -> set[str]:
    """The modules among those known that a module imports anywhere."""
    found: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{each.name}" for each in node.names]
            found.update(name if name in known else node.module for name in names)
    return found & set(known)


def graph_of(modules: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Which of these modules imports which."""
    return {name: imported(tree, modules.keys()) for name, tree in modules.items()}


def circles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """The groups of modules each of which can be reached from each other one (R. Tarjan, 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> Iterator[list[str]]:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in graph[name]:
            if other not in number:
                yield from visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            at = stack.index(name)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1 or name in graph[name]:
                yield sorted(group)

    for name in sorted(graph):
        if name not in number:
            yield from visit(name)


def test_no_import_circles() -> None:
    assert list(circles(graph_of({named(place): tree for place, tree in trees().items()}))) == []


def test_a_circle_is_found() -> None:
    """Also one that is closed by an import inside a function, or for the type checker only."""
    house = {
        "vsalang.a": "from vsalang import b",
        "vsalang.b": "def later():\n    import vsalang.c",
        "vsalang.c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from vsalang.a import A",
        "vsalang.d": "from vsalang import a",
    }
    graph = graph_of({name: ast.parse(text) for name, text in house.items()})
    assert list(circles(graph)) == [["vsalang.a", "vsalang.b", "vsalang.c"]]


def test_modules_have_their_names() -> None:
    assert named("guard/step.py") == "vsalang.guard.step"
    assert named("guard/__init__.py") == "vsalang.guard"
    assert named("__init__.py") == "vsalang"
