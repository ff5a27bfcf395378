"""Writes the pages of ``docs/reference/lint``, one for each rule, from the rules themselves.

python -m vsalang.language.lint.pages docs/reference/lint
"""

import sys
import textwrap
from pathlib import Path

from vsalang.base.diagnostics import Severity
from vsalang.language.lint.model import Rule
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
        f"## Silence\n\n{silence}\n"
    )


def table() -> str:
    """The table of all rules, for the index."""
    lines = ["| code | name | finds |", "|---|---|---|"]
    lines += [f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.title} |" for rule in RULES]
    return "\n".join(lines) + "\n"


def write(folder: Path) -> None:
    """Write every page, and the table between the marks of ``index.md``."""
    for rule in RULES:
        (folder / f"{rule.code}.md").write_text(page(rule), encoding="utf-8")
    index = folder / "index.md"
    before, start, rest = index.read_text(encoding="utf-8").partition("<!-- rules -->\n")
    _, end, after = rest.partition("<!-- end of rules -->\n")
    if not start or not end:
        raise ValueError(f"{index} has no marks for the table of rules")
    index.write_text(before + start + table() + end + after, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
