"""No code decides by an English sentence of the project: whoever improves a sentence would break the code."""

import ast
import re
from collections.abc import Iterator

from tests.house import nodes, trees

_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_ASKS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "find", "index"}
_SENTENCES = "message help hint label seen wanted said why reason problem error became".split()
_OF_OTHERS = {"phone/gate/adbserver.py: connected to", "screen/tree/source.py: xcessive depth"}
"""What programs of others say, and say in no other way."""


def _texts(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name) and node.func.id == "str":
        node = node.args[0]
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _decisions(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """What is asked of which text, and where: ``message.startswith("there is no")``, ``why == "not shown"``."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ASKS:
            asked, texts = node.func.value, [text for arg in node.args for text in _texts(arg)]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            asked, texts = node.comparators[0], list(_texts(node.left))
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            asked, texts = node.left, list(_texts(node.comparators[0]))
        else:
            continue
        for text in texts:
            if _WORDS.search(text):
                yield _name(asked), text, node.lineno


def test_no_decision_by_a_sentence() -> None:
    found = {
        f"{place}: {text}": line
        for place, tree in trees().items()
        for name, text, line in _decisions(tree)
        if name in _SENTENCES
    }
    assert found.keys() == _OF_OTHERS, found
