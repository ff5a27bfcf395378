"""The entry of a code such as ``E0201``: its meaning and an example."""

import re

from vsalang.base.diagnostics.diagnostic import Severity
from vsalang.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One entry of the registry.

    Attributes:
        code: a letter for the severity (``L`` for lint rules) and four digits; never used for anything else.
        title: what is wrong, in a few words.
        explanation: why it is wrong and what to do about it, in plain sentences.
        example_bad: text that gives this finding; may be empty if no text shows it. If it needs several files, each
            begins with a line ``// file: NAME`` (``# file: NAME``), the one that is checked first.
        example_good: the same, corrected.
        severity: error, warning or info.
    """

    code: str
    title: str
    explanation: str
    example_bad: str = ""
    example_good: str = ""
    severity: Severity = Severity.ERROR


_FILE = re.compile(r"^(?://|#) file: (\S+)\n", re.MULTILINE)


def example_files(example: str, name: str) -> dict[str, str]:
    """The files of an example: name -> text, the one that is checked first.

    >>> example_files("// file: a.vsa\\nimport b\\n// file: b.vsa\\n", "")
    {'a.vsa': 'import b\\n', 'b.vsa': ''}

    Args:
        example: one of a code's examples.
        name: the name of its file if there is only one.
    """
    first, *parts = _FILE.split(example)
    if not parts:
        return {name: first}
    return dict(zip(parts[::2], parts[1::2], strict=True))
