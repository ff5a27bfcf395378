"""Whatever tree the parser can build prints as source that is read as the same tree."""

from hypothesis import HealthCheck, given, settings

from tests.syntax.printer import show
from tests.syntax.strategies import NOWHERE, items, modules, without_spans
from vsalang.diagnostics.terminal import render
from vsalang.source import Source
from vsalang.syntax import parse, tree

SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def read(text: str) -> tree.Module:
    source = Source.from_text(text, "shown.vsa")
    parsed = parse(source)
    assert not parsed.diagnostics, render(parsed.diagnostics, {"shown.vsa": source}, color=False)
    assert parsed.module is not None
    return parsed.module


@SETTINGS
@given(modules)
def test_module(module: tree.Module) -> None:
    assert without_spans(read(show(module))) == module


@SETTINGS
@given(items)
def test_item(item: tree.Item) -> None:
    module = read("spec s\n" + show(item))
    assert without_spans(module.items) == (item,)
    assert show(module.items[0]) == show(item)


def test_operands_get_the_parentheses_they_need() -> None:
    one, two, three = (tree.Var(name, NOWHERE) for name in "abc")
    total = tree.Binary("+", one, two, NOWHERE)
    assert show(tree.Binary("*", total, three, NOWHERE)) == "(?a + ?b) * ?c"
    assert show(tree.Binary("-", three, total, NOWHERE)) == "?c - (?a + ?b)"
    assert show(tree.Binary("+", total, three, NOWHERE)) == "?a + ?b + ?c"
    assert show(tree.Negate(total, NOWHERE)) == "-(?a + ?b)"
