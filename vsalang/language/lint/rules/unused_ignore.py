"""L0058: a comment that ignores a finding which is not there."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.language.lint.lint_rule import Context, Rule

CODE = "L0058"


def find(context: Context) -> Iterable[Diagnostic]:
    """The codes of ignore comments whose rules looked at the module and found nothing there. It runs last."""
    for entry in context.ignores.entries:
        if entry.code == CODE or entry.code not in context.looked_for or context.ignores.used(entry):
            continue
        yield warning(
            CODE,
            entry.span,
            f"this ignores `{entry.code}`, and there is no such finding",
            label="a finding that comes later would be hidden",
            help="remove it",
            fixes=(Fix("remove the comment", (Edit(entry.comment, ""),)),) if entry.alone else (),
        )


RULE = Rule(
    CODE,
    "unused-ignore",
    "comment that ignores a finding which is not there",
    "A comment that ignores a rule hides what this rule finds there later, too. Where the rule finds nothing any "
    "more, the comment is left over. Rules that were not asked (`--select`, `--ignore`, the solver's) are left alone.",
    'spec greet "Say yes"\nallow answer(text = "yes"). // lint: ignore L0004\ndone when answer earlier.\n',
    'spec greet "Say yes"\nallow answer. // lint: ignore L0004\ndone when answer earlier.\n',
    find,
    fix="removes the comment, or the code in it",
)
