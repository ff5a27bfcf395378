"""The linter: reports what is allowed but probably not meant, in a checked program.

>>> from vsalang.language.semantics import load_text
>>> from vsalang.language.lint import lint
>>> loaded = load_text('spec a "Say yes"\\nallow answer.\\ndone when answer earlier.')
>>> [finding.code for finding in lint(loaded)]
['L0004']
"""

from collections.abc import Mapping

from vsalang.base.diagnostics.code import Code
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.rules import RULES
from vsalang.language.lint.run import lint, warning_codes, warnings_of_check

__all__ = ["CODES", "RULES", "Context", "Rule", "codes", "lint", "warning_codes", "warnings_of_check"]


def codes() -> tuple[Code, ...]:
    """Every lint code with its explanation, as in the registry of diagnostics."""
    return tuple(rule.as_code for rule in RULES)


CODES: Mapping[str, Code] = {entry.code: entry for entry in codes()}
"""The lint codes by code, as `vsac explain` shows them."""
