"""The pages of ``docs/reference/lint``, one for each rule, from the rules themselves (see `scripts/generate.py`)."""

import textwrap

from vsalang.base.diagnostics import Severity
from vsalang.language.lint.lint_rule import Rule
from vsalang.language.lint.rules import RULES


def page(rule: Rule) -> str:
    """The page of one rule: what it finds, why that matters, a bad and a good example, how to suppress it."""
    weight = "hint" if rule.severity is Severity.INFO else "warning"
    silence = (
        "This finding cannot be ignored: delete or correct the comment."
        if rule.code == "L0000"
        else f"`// lint: ignore {rule.code}` on the line of the finding, or alone on the line before; or\n"
        f"`vsac lint --ignore {rule.code}`. See [ignoring findings](index.md#ignoring-findings)."
    )
    return (
        f"# {rule.code}: {rule.title}\n\n{rule.name}, a {weight}\n\n## Why\n\n{textwrap.fill(rule.rationale, 120)}\n\n"
        f"## Avoid\n\n```vsa\n{rule.bad.rstrip()}\n```\n\n## Prefer\n\n```vsa\n{rule.good.rstrip()}\n```\n\n"
        f"## Fix\n\n{rule.fix[:1].upper()}{rule.fix[1:]}.\n\n"
        f"## Silence\n\n{silence}\n"
    )


def table() -> str:
    """The table of all rules, for the index."""
    lines = ["| code | name | finds | fix |", "|---|---|---|---|"]
    lines += [
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.title} | {rule.fix} |" for rule in RULES
    ]
    return "\n".join(lines) + "\n"


def index(text: str) -> str:
    """The text of ``index.md`` with the table of all rules between its marks.

    Raises:
        ValueError: it has no marks.
    """
    before, start, rest = text.partition("<!-- rules -->\n")
    _, end, after = rest.partition("<!-- end of rules -->\n")
    if not start or not end:
        raise ValueError("there are no marks for the table of rules")
    return before + start + table() + end + after
