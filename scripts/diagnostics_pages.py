"""The pages of docs/reference/diagnostics/ from the registry of codes (see `scripts/generate.py`)."""

import textwrap

from vsalang.base.diagnostics import Severity
from vsalang.base.diagnostics.code import Code, example_files
from vsalang.base.diagnostics.codes import CODES

STAGES = {
    "00": "Files",
    "01": "Syntax",
    "02": "Modules, imports, names",
    "03": "Types",
    "04": "Rules, safety, stratification",
    "05": "Authority, licences",
    "06": "Tests",
}
_SOLVER = "What the solver found"
_WEIGHT = {Severity.ERROR: "An error", Severity.WARNING: "A warning", Severity.INFO: "A note"}
_LANGUAGES = {
    **dict.fromkeys(("E0001", "E0003", "E0004"), "sh"),
    **dict.fromkeys(("E0010", "E0011", "E0012"), "json"),
    **dict.fromkeys(("E0013", "E0014"), "text"),
    **dict.fromkeys(("E0020", "E0021", "E0022", "E0023"), "toml"),
}
"""The languages of the examples that are not `.vsa`."""
_INDEX = """\
# Codes

<!-- Written by scripts/generate.py from the registry of codes. Do not edit: run python -m scripts.generate. -->

Every finding has a code that never changes its meaning. `vsac explain CODE` says the same as its page. The letter says
how much it weighs: `E` an error, `W` a warning, `V` what [the solver](../../commands/prove.md) found; the first two
digits say which stage found it. The codes of the linter (`L`) have [pages of their own](../lint/index.md).

The examples are run by the tests: the first one gives the finding, the second one does not.
"""


def stage(entry: Code) -> str:
    """The heading under which a code is listed."""
    return _SOLVER if entry.code[0] == "V" else STAGES[entry.code[1:3]]


def page(entry: Code) -> str:
    """The page of one code."""
    parts = [
        f"# {entry.code}: {entry.title}",
        f"{_WEIGHT[entry.severity]}. [All codes](index.md)",
        textwrap.fill(entry.explanation, 120, break_long_words=False, break_on_hyphens=False),
    ]
    for title, example in (("This gives it", entry.example_bad), ("Instead", entry.example_good)):
        if example:
            parts += [f"## {title}", *_blocks(entry, example)]
    return "\n\n".join(parts) + "\n"


def _blocks(entry: Code, example: str) -> list[str]:
    """An example, each of its files in a block of its own."""
    language = _LANGUAGES.get(entry.code, "vsa")
    parts: list[str] = []
    for name, text in example_files(example, "").items():
        parts += [f"`{name}`:"] if name else []
        fence = "```" if "```" not in text else "````"
        parts.append(f"{fence}{language}\n{text.rstrip()}\n{fence}")
    return parts


def index() -> str:
    """The list of all codes, by stage."""
    parts = [_INDEX]
    for title in (*STAGES.values(), _SOLVER):
        entries = [entry for entry in CODES.values() if stage(entry) == title]
        if entries:
            rows = [f"| [{entry.code}]({entry.code}.md) | {_cell(entry.title)} |" for entry in entries]
            parts.append("\n".join((f"## {title}", "", "| code | meaning |", "|---|---|", *rows)) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
