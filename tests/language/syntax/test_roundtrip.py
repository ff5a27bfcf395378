"""What the parser built prints as source that is read as the same tree; of all trees: `test_generated`."""

from tests.language.syntax.printer import show
from tests.language.syntax.strategies import NOWHERE
from vsalang.base.diagnostics.terminal import render
from vsalang.base.source import Source
from vsalang.language.syntax import parse, tree


def read(text: str) -> tree.Module:
    source = Source.from_text(text, "shown.vsa")
    parsed = parse(source)
    assert not parsed.diagnostics, render(parsed.diagnostics, {"shown.vsa": source}, color=False)
    assert parsed.module is not None
    return parsed.module


def test_operands_get_the_parentheses_they_need() -> None:
    one, two, three = (tree.Var(name, NOWHERE) for name in "abc")
    total = tree.Binary("+", one, two, NOWHERE)
    assert show(tree.Binary("*", total, three, NOWHERE)) == "(?a + ?b) * ?c"
    assert show(tree.Binary("-", three, total, NOWHERE)) == "?c - (?a + ?b)"
    assert show(tree.Binary("+", total, three, NOWHERE)) == "?a + ?b + ?c"
    assert show(tree.Negate(total, NOWHERE)) == "-(?a + ?b)"
