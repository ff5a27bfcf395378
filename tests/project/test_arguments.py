"""No function takes a long row of arguments that only their order tells apart."""

import ast
from pathlib import Path

import vsalang

HOUSE = Path(vsalang.__file__).parent
MOST = 6


def positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many arguments may be given by position, without the object itself."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def test_no_function_takes_many_arguments_by_position() -> None:
    long = [
        f"{path.relative_to(HOUSE)}:{node.lineno} {node.name} takes {positional(node)}"
        for path in sorted(HOUSE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and positional(node) > MOST
    ]
    assert not long, "let the last ones be given by name (`*,`), or make a dataclass of them"
