"""Prints the charter of an item as a spec over `std.effects`."""

import re
from functools import cache

from benchmarks.fresh.make.source import Charter, Item
from vsalang.language.semantics import check_text

EFFECTS = "std.effects"
NAMES = re.compile(r"\bnames\b(?= \")")


@cache
def has_names() -> bool:
    """Whether the language has the operator ``names``; without it a charter says ``contains``."""
    probe = 'policy a "b"\ndeny "c" when Clipboard(text names "d").\n'
    return not any(item.code.startswith(("E00", "E01")) for item in check_text(probe).errors)


def text_of(item: Item) -> str:
    """The spec that permits what the instruction asks for."""
    charter, imported = item.charter, f"import {EFFECTS}\n"
    lines = [f"spec {item.name} {_quoted(item.query)}\n{imported}"]
    lines += [f"allow {_said(clause)}." for clause in _marked(charter)]
    lines += [f"confirm {_quoted('You asked to be asked first.')} when {_said(ask)}." for ask in charter.asks]
    lines.append("done.")
    return "\n".join(lines) + "\n"


def _marked(charter: Charter) -> list[str]:
    """The clauses; of two for one action each has a mark, as the language asks."""
    names = [_action(clause) for clause in charter.clauses]
    return [
        clause if names.count(name) == 1 or re.match(r"each |\d+ |either ", clause) else f"1 {clause}"
        for name, clause in zip(names, charter.clauses, strict=True)
    ]


def _action(clause: str) -> str:
    return re.sub(r"^(?:each|either|\d+) ", "", clause).partition("(")[0]


def _said(text: str) -> str:
    return text if has_names() else NAMES.sub("contains", text)


def _quoted(text: str) -> str:
    said = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{said}"'
