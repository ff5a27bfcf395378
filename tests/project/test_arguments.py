"""No function takes a long row of arguments that only their order tells apart."""

import ast

from tests.house import nodes, trees

MOST = 6


def positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many arguments may be given by position, without the object itself."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def test_no_function_takes_many_arguments_by_position() -> None:
    long = [
        f"{name}:{node.lineno} {node.name} takes {positional(node)}"
        for name, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and positional(node) > MOST
    ]
    assert not long, "let the last ones be given by name (`*,`), or make a dataclass of them"
