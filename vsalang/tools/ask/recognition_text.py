"""Why screens are, or are not, recognised: as text for people and as JSON data for machines."""

from collections.abc import Mapping
from typing import Any

from vsalang.base.diagnostics.display import some
from vsalang.base.source import Source
from vsalang.program.text import line
from vsalang.tools.ask.recognition import Recognition, UnrecognisedScreen
from vsalang.tools.ask.render import Style, clause_data, clause_lines, plain

_MOST = 10


def unrecognised_lines(
    item: UnrecognisedScreen, sources: Mapping[str, Source], style: Style = plain
) -> list[str]:
    """What was seen of a screen that is not recognised, and the nearest rule with what it lacks."""
    lines = []
    own = some(item.expected) if item.expected else ""
    if not item.packages:
        package = item.expected[0] if len(item.expected) == 1 else "PACKAGE"
        whose = f"if it is of {own}" if own else "if you know it"
        lines.append(f"  the dump does not say of which app its nodes are; {whose}, give it: --app {package}")
    elif item.other_app:
        lines.append(f"  the dump is of {line(some(item.packages), 1000)}; the module is of {own}")
    if item.nearest is None:
        return [*lines, "  the module names no screens"]
    lines.append(f"  nearest is screen {item.nearest.screen}:")
    for clause in item.nearest.clauses:
        lines += clause_lines(clause, sources, style, 4)
    ids = line(some(item.ids, _MOST), 1000) if item.ids else "no ids"
    lines.append(style(f"  on the screen: {ids}", "dim"))
    if item.others:
        lines.append(style(f"  --why SCREEN explains the others: {', '.join(item.others)}", "dim"))
    return lines


def recognition_lines(item: Recognition, sources: Mapping[str, Source], style: Style = plain) -> list[str]:
    """Why a screen shows, or what each of its rules lacks."""
    how = "is recognised" if item.shows else "is not recognised"
    lines = [style(f"why screen {item.screen} {how}", "head")]
    for clause in item.clauses:
        lines += clause_lines(clause, sources, style)
    return lines


def unrecognised_data(item: UnrecognisedScreen, sources: Mapping[str, Source]) -> dict[str, Any]:
    """The same facts as JSON data."""
    return {
        "packages": list(item.packages),
        "module_packages": list(item.expected),
        "ids": list(item.ids),
        "nearest": recognition_data(item.nearest, sources) if item.nearest is not None else None,
        "others": list(item.others),
    }


def recognition_data(item: Recognition, sources: Mapping[str, Source]) -> dict[str, Any]:
    """Why a screen shows, or not, as JSON data."""
    return {
        "relation": item.screen,
        "shows": item.shows,
        "rules": [clause_data(clause, sources) for clause in item.clauses],
    }
