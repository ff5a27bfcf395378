"""What an editor offers where a list of words is written: lists and patterns in scope, and files of words."""

import re
from collections.abc import Iterator
from pathlib import Path

from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.language.describe.values import some_words
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.scope import Scope
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Regex
from vsalang.program.show import pattern_source
from vsalang.program.text import line
from vsalang.program.word_lists import SUFFIX
from vsalang.tools.lsp.names import main_unit, scope_of

_BEFORE = 500
"""So many characters before the cursor are looked at."""
_NAME = re.compile(r"\b(?P<op>matches|in)[ \t\r\n]+(?P<begun>(?:[A-Za-z_][\w.]*)?)\Z")
_FILE = re.compile(r'\bwords[ \t\r\n]*"(?!"")(?P<begun>[^"\n]*)\Z')
_MOST = 200
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Offer:
    """What may stand there, and what it holds."""

    text: str
    detail: str = ""
    is_file: bool = False


def completions(loaded: Loaded, source: Source, offset: int) -> tuple[int, list[Offer]]:
    """Where the begun name starts, and what may stand there: lists after `matches` and `in`, files after `words`.

    Args:
        source: the main file.
        offset: of the cursor in it.
    """
    first = max(0, offset - _BEFORE)
    before = source.text[first:offset]
    unit = main_unit(loaded)
    if unit is None:
        return offset, []
    if match := _NAME.search(before):
        offers = list(_lists(scope_of(loaded, unit), patterns=match["op"] == "matches"))
    elif (match := _FILE.search(before)) and source.path is not None:
        offers = [Offer(name, is_file=True) for name in _files(source.path.parent)]
    else:
        return offset, []
    begun = match["begun"].lower()
    return first + match.start("begun"), [offer for offer in offers if offer.text.lower().startswith(begun)][
        :_MOST
    ]


def _lists(scope: Scope, *, patterns: bool) -> Iterator[Offer]:
    """The lists of words, and the patterns, of a module and its imports, under the names that mean them."""
    for owner in (scope, *scope.imports.values()):
        for item in owner.unit.tree.items:
            if not isinstance(item, t.Let):
                continue
            if isinstance(item.value, t.WordsOf):
                detail = some_words(owner.unit.forms(item.value))
            elif patterns and isinstance(item.value, t.Regex):
                detail = line(pattern_source(Regex(item.value.source, item.value.flags)), _LONGEST)
            else:
                continue
            short = item.name.text
            names = [short, *(f"{name}.{short}" for name, one in scope.imports.items() if one is owner)]
            for name in names:
                if [let for _, let in scope.find_let(name)] == [item]:
                    yield Offer(name, detail)
                    break


def _files(folder: Path) -> Iterator[str]:
    """The files of words in a folder and in those directly in it, hidden ones and links aside."""
    for pattern in (f"*{SUFFIX}", f"*/*{SUFFIX}"):
        for place in sorted(folder.glob(pattern)):
            name = place.relative_to(folder).as_posix()
            if not any(part.startswith(".") for part in name.split("/")) and not place.is_symlink():
                yield name
