"""``vsac explain CODE``: explains the code of a finding, with an example."""

import textwrap
from collections.abc import Iterator

from vsalang.base.diagnostics import codes
from vsalang.base.diagnostics.code import Code
from vsalang.base.options import argument
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source.suggest import did_you_mean
from vsalang.language.lint import CODES as LINT
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """What is explained."""

    code: str | None = argument("CODE", required=False)


@dataclass(frozen=True, slots=True)
class Explanations(Report):
    """Codes that are listed, or one that is explained."""

    entries: tuple[Code, ...]
    alone: bool

    def data(self) -> list[dict[str, str]]:
        """Each code with its texts."""
        return [_data(entry) for entry in self.entries]

    def lines(self, style: Style) -> Iterator[str]:
        """A line for each code, or the page of the only one."""
        if self.alone:
            yield page(self.entries[0]).removesuffix("\n")
            return
        for entry in self.entries:
            yield f"{entry.code}  {entry.severity.value:7}  {entry.title}"


@frame.as_command("text", "json")
def command(options: ExplainOptions) -> Report:
    """Say what CODE (such as E0003) means, with an example and how to fix it.

    Without CODE, list all codes.
    """
    known = {**codes.CODES, **LINT}
    if options.code is None:
        return Explanations(tuple(known.values()), alone=False)
    entry = known.get(options.code.strip().upper())
    if entry is None:
        hint = did_you_mean(options.code, known) or "`vsac explain` lists all codes"
        raise Failure(f"there is no code `{options.code}`", hint)
    return Explanations((entry,), alone=True)


def page(entry: "Code") -> str:
    """The explanation of a code as text of at most 88 columns."""
    parts = [f"{entry.severity.value}[{entry.code}]: {entry.title}", textwrap.fill(entry.explanation, 88)]
    if entry.example_bad:
        parts.append("This gives it:\n\n" + textwrap.indent(entry.example_bad, "    "))
    if entry.example_good:
        parts.append("Instead:\n\n" + textwrap.indent(entry.example_good, "    "))
    return "\n\n".join(parts) + "\n"


def _data(entry: "Code") -> dict[str, str]:
    return {
        "code": entry.code,
        "severity": entry.severity.value,
        "title": entry.title,
        "explanation": entry.explanation,
        "example_bad": entry.example_bad,
        "example_good": entry.example_good,
    }
