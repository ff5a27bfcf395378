"""What stands behind a code such as ``E0201``: its meaning and an example."""

from dataclasses import dataclass

from vsalang.diagnostics.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """One entry of the registry.

    Attributes:
        code: a letter for the severity (``L`` for lint rules) and four digits; never used for anything else.
        title: what is wrong, in a few words.
        explanation: why it is wrong and what to do about it, in plain sentences.
        example_bad: text that gives this finding; may be empty where no text shows it.
        example_good: the same, mended.
        severity: how much it weighs.
    """

    code: str
    title: str
    explanation: str
    example_bad: str = ""
    example_good: str = ""
    severity: Severity = Severity.ERROR
