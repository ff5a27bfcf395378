"""L0055: a test in which nothing is judged."""

from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t

_SHOWN = frozenset({"clock", "given", "observe", "assume"})


def find(context: Context) -> Iterable[Diagnostic]:
    """Tests whose steps only say what is given and what is seen."""
    for item in context.unit.tree.items:
        if isinstance(item, t.Test) and all(step.kind in _SHOWN for step in _steps(item.steps)):
            yield warning(
                RULE.code,
                item.name.span,
                "this test asks nothing: it passes whatever the rules say",
                help="write what is tried, and what is expected: `finish => block because ..`",
            )


def _steps(steps: Iterable[t.Step]) -> Iterator[t.Step]:
    for step in steps:
        if step.kind == "step":
            yield from _steps(step.parts)
        else:
            yield step


_SPEC = (
    'spec say "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'
    'test "it says yes" {\n  clock 2026-04-01 12:00.\n{step}}\n'
)
RULE = Rule(
    "L0055",
    "test-of-nothing",
    "test in which nothing is judged",
    "What a test expects stands at its proposals: `attempt A(..) => block because ..`, `finish`, a gesture. One that "
    "only says what is given and seen passes with any rules.",
    _SPEC.replace("{step}", ""),
    _SPEC.replace("{step}", '  attempt answer(text = "yes").\n'),
    find,
    fix="none: what is tried is not known",
)
