"""L0000: a comment that is meant to ignore findings and ignores none."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic
from vsalang.language.lint.ignores import CODE
from vsalang.language.lint.lint_rule import Context, Rule


def find(context: Context) -> Iterable[Diagnostic]:
    """The problems that were found while the comments were read."""
    return context.ignores.problems


RULE = Rule(
    CODE,
    "ignore-comment",
    "comment that ignores nothing",
    "A comment `// lint: ignore L0003` switches a finding off. One that names no code, or a code that "
    "does not exist, "
    "switches off nothing, and its author believes otherwise. Only lint rules can be ignored, "
    "errors and "
    "warnings of `vsac check` cannot; and this finding cannot.",
    'spec greet "Say yes"\nallow answer(text = "yes"). // lint: ignore L9999\ndone when answer earlier.\n',
    'spec greet "Say yes"\n// lint: ignore L0004\nallow answer.\ndone when answer earlier.\n',
    find,
    fix="none: which code was meant is not known",
)
