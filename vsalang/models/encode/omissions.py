"""What a spec leaves out: given relations that it does not mention, and what its writer says that it guessed."""

import re
from collections.abc import Iterator
from typing import Final

from vsalang.base.source import Source
from vsalang.language.semantics import Loaded
from vsalang.models.encode.meaning import Omissions
from vsalang.models.encode.prompting import apps_of
from vsalang.program.ir import Program
from vsalang.program.screen_rules import is_match
from vsalang.program.show import short_name
from vsalang.program.walk import relations

_SORTS: Final = ("action", "state", "view", "list", "derived", "screen")
_GUESS: Final = re.compile(r"//+\s*(?:open|not said)\s*:", re.IGNORECASE)
_MOST: Final = 60
_MOST_GUESSES: Final = 12
_LONGEST: Final = 300


def omissions(loaded: Loaded, apps: Program) -> Omissions:
    """What a spec leaves out of what was given, and the guesses that its writer admits.

    Args:
        loaded: the spec, without errors.
        apps: a program that imports all that the spec may use.
    """
    program = loaded.checked()
    modules = set(apps_of(apps.modules[apps.main].imports))
    used = {name for rule in program.rules if rule.module == program.main for name in relations(rule)}
    unused = [
        short_name(rel.name)
        for rel in apps.relations.values()
        if rel.module in modules and rel.sort in _SORTS and not is_match(rel.name) and rel.name not in used
    ]
    return Omissions(
        tuple(dict.fromkeys(unused))[:_MOST], tuple(_guesses(loaded.sources[loaded.file]))[:_MOST_GUESSES]
    )


def _guesses(source: Source) -> Iterator[str]:
    """The comments that say what is open or not said; one may go on in the comment lines below it."""
    guess = ""
    for line in source.text.splitlines():
        code, mark, comment = line.partition("//")
        begun = _GUESS.match(f"{mark}{comment}")
        if guess and (begun or code.strip() or not mark or comment.lstrip().startswith("lint:")):
            yield guess[:_LONGEST]
            guess = ""
        if begun:
            guess = comment.strip(" /")
        elif guess:
            guess = f"{guess} {comment.strip(' /')}"
    if guess:
        yield guess[:_LONGEST]
