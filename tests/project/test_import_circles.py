"""No modules import each other in a circle; imports inside functions and for the type checker count, too."""

import ast
from collections.abc import Iterator
from pathlib import Path

import vsalang

HOUSE = Path(vsalang.__file__).parent


def modules(root: Path) -> dict[str, Path]:
    """The modules of a package, by their names."""
    found: dict[str, Path] = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(source: str, known: dict[str, Path]) -> set[str]:
    """The modules among those known that a source imports anywhere."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                name = f"{node.module}.{each.name}"
                found.add(name if name in known else node.module)
    return found & known.keys()


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


def graph_of(root: Path) -> dict[str, set[str]]:
    """Which module of a package imports which."""
    known = modules(root)
    return {name: imported(path.read_text(encoding="utf-8"), known) for name, path in known.items()}


def test_no_import_circles() -> None:
    assert list(circles(graph_of(HOUSE))) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    """Also one that is closed by an import inside a function, or for the type checker only."""
    house = tmp_path / "house"
    house.mkdir()
    (house / "__init__.py").write_text("")
    (house / "a.py").write_text("from house import b\n")
    (house / "b.py").write_text("def later():\n    import house.c\n")
    (house / "c.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.a import A\n"
    )
    (house / "d.py").write_text("from house import a\n")
    assert list(circles(graph_of(house))) == [["house.a", "house.b", "house.c"]]
