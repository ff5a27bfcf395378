"""Completion at the prompt: commands, files and tests, relations, attributes, members, variables."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from vsalang.base.names import ENGINES
from vsalang.base.records import dataclass
from vsalang.program.action import GESTURES
from vsalang.program.ir import Type
from vsalang.program.show import member_source
from vsalang.program.text import line, safe
from vsalang.tools.ask.console import COMMANDS, Console
from vsalang.tools.ask.question import Place

_WORDS = (
    "not",
    "no",
    "screen",
    "every",
    "first",
    "count",
    "sum",
    "min",
    "max",
    "set",
    "before",
    "true",
    "false",
    "today",
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*$")
_VALUE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*(?:!=|=|in|not in)\s*\{?[^(){}]*?([A-Za-z_][A-Za-z0-9_]*)?$")
_ABOUT = frozenset({"rows", "rules", "describe"})
_FREE = frozenset({"why", "whynot", "set", "unset", "propose", "do"})
_STEPS = (
    "attempt ",
    "observe ",
    "observe no ",
    "observe complete ",
    "observe screen ",
    "finish",
    "update ",
    "delete ",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible completion.

    Attributes:
        text: replaces the last `length` characters.
        length: how many characters it replaces.
        meta: its meaning.
    """

    text: str
    length: int
    meta: str = ""


def completions(console: Console, before: str) -> list[Choice]:
    """The completions of a text; sorted, none twice."""
    choices = {choice.text: choice for choice in _choices(console, before)}
    return [choices[text] for text in sorted(choices, key=lambda text: (text.casefold(), text))]


def _choices(console: Console, before: str) -> Iterator[Choice]:
    text = before.lstrip()
    if text.startswith(":"):
        name, blank, rest = text[1:].partition(" ")
        if not blank:
            for command, function in {**COMMANDS, "quit": None}.items():
                if command.startswith(name):
                    meta = (function.__doc__ or "").partition(" -- ")[2] if function is not None else "end"
                    yield Choice(f":{command}", len(name) + 1, line(meta))
            return
        yield from _argument(console, name, rest)
    else:
        yield from _body(console.place, text)


def _argument(console: Console, command: str, rest: str) -> Iterator[Choice]:
    if command == "engine":
        yield from (Choice(n, len(rest)) for n in ENGINES if n.startswith(rest))
    elif command == "load":
        yield from _files(rest.rpartition(" ")[2], (".vsa",))
    elif command == "state":
        yield from _files(rest, (".vsa", ".xml", ".xml.gz", ".json", ".jsonl"))
        if console.place is not None:
            for example in console.place.loaded.own:
                if example.name.casefold().startswith(rest.casefold()):
                    yield Choice(example.name, len(rest), "test")
    elif command in _ABOUT and console.place is not None:
        yield from _names(console.place, rest)
    elif command in _FREE:
        if command == "do":
            yield from (Choice(step, len(rest)) for step in _STEPS if step.startswith(rest))
        if command in ("do", "propose"):
            yield from (
                Choice(f"{name}(", len(rest), "gesture") for name in sorted(GESTURES) if name.startswith(rest)
            )
        yield from _body(console.place, rest)


def _files(rest: str, endings: tuple[str, ...]) -> Iterator[Choice]:
    """Files and folders that begin with the text."""
    folder, _, name = rest.rpartition("/")
    base = Path(f"{folder}/" if rest.startswith("/") or folder else ".")
    try:
        entries = sorted(base.iterdir())[:2000]
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith(name) or (entry.name.startswith(".") and not name):
            continue
        if entry.is_dir():
            yield Choice(f"{entry.name}/", len(name))
        elif entry.name.endswith(endings):
            yield Choice(entry.name, len(name))


def _body(place: Place | None, text: str) -> Iterator[Choice]:
    if place is None or _inside_text(text):
        return
    variable = re.search(r"\?([A-Za-z0-9_]*)$", text)
    if variable is not None:
        known = dict.fromkeys(re.findall(r"\?([A-Za-z_][A-Za-z0-9_]*)", text[: variable.start()]))
        yield from (Choice(f"?{name}", len(variable[0])) for name in known if name.startswith(variable[1]))
        return
    relation = _open_relation(text)
    if relation is not None:
        yield from _attributes(place, relation, text)
        return
    word = _WORD.search(text)
    begun = word[0] if word else ""
    if re.search(r"\bscreen\s+[A-Za-z0-9_.]*$", text):
        yield from (
            Choice(n, len(begun), "screen") for n in place.scope.screen_names() if n.startswith(begun)
        )
        return
    yield from _names(place, begun)
    yield from (Choice(w, len(begun)) for w in _WORDS if begun and w.startswith(begun))


def _names(place: Place, begun: str) -> Iterator[Choice]:
    for name in place.scope.relation_names():
        if name.startswith(begun) and ("." not in name or "." in begun):
            symbols = place.scope.find_relation(name)
            relation = place.program.relations.get(symbols[0].name) if symbols else None
            if relation is not None:
                yield Choice(name, len(begun), f"{relation.sort}  {line(relation.doc)}".rstrip())


def _open_relation(text: str) -> str | None:
    """The relation whose constraints are being written: the last `Name(` that is not closed."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] == ")":
            depth += 1
        elif text[at] == "(":
            if depth == 0:
                name = _WORD.search(text[:at])
                return (
                    name[0] if name and name[0] not in ("count", "sum", "min", "max", "set", "has") else None
                )
            depth -= 1
    return None


def _attributes(place: Place, relation: str, text: str) -> Iterator[Choice]:
    symbols = place.scope.find_relation(relation)
    if len(symbols) != 1:
        return
    inner = text[text.rindex("(") + 1 :]
    part = inner.rpartition(",")[2]
    value = _VALUE.search(part)
    if value is not None:
        type_ = symbols[0].types.get(value[1])
        begun = value[2] or ""
        yield from (Choice(m, len(begun)) for m in _members(type_) if m.startswith(begun))
        return
    word = _WORD.search(part)
    begun = word[0] if word else ""
    if part.strip() != begun:
        return
    used = set(re.findall(r"([A-Za-z_][A-Za-z0-9_]*)\s*=", inner))
    for name, attr_type in symbols[0].types.items():
        if name.startswith(begun) and name not in used:
            yield Choice(
                name, len(begun), f"{attr_type or ''}  {line(symbols[0].docs.get(name, ''))}".strip()
            )


def _members(type_: Type | None) -> Iterable[str]:
    if type_ is None:
        return ()
    enum = type_.elem if type_.kind == "set" else type_
    if enum is not None and enum.kind == "enum":
        return [member_source(member.name, safe) for member in enum.members]
    return {"Bool": ("true", "false"), "Date": ("today",)}.get(type_.kind, ())


def _inside_text(text: str) -> bool:
    """Whether the end is inside a text in quotes."""
    return len(re.findall(r'(?<!\\)"', text)) % 2 == 1
