"""Writes what was learnt of an app as a module for a person to read. Words of screens are quoted and cut."""

from collections.abc import Iterator, Sequence
from typing import Final

from vsalang.agents.maps.drafted import Condition, Draft, Field, Kind, Label, Part, Rows, Way
from vsalang.agents.maps.mined_module import conditions, gesture
from vsalang.agents.maps.signatures import Signature
from vsalang.base.source import Source
from vsalang.language.notations.into.naming import attribute_name
from vsalang.language.syntax.formatting import format_source
from vsalang.program.shares import Share
from vsalang.program.text import line, quote, safe

HEAD = "// A draft:"
"""The beginning of each draft."""
_HEAD = (
    "A draft: every rule of it was learnt from recordings, and says how often it was seen. Nobody knows whether it",
    "always holds. Read each, give the screens better names, and delete what is wrong or says nothing.",
)


_READ: Final = {"tree": "Part(", "lists": "Fits("}
"""The modules that a draft imports where it reads their relations."""


def module(draft: Draft, *, name: str, source: str, imported: str | None = None) -> str:
    """The text of a module that holds the draft, in the one style.

    Args:
        name: of the module.
        source: what it was learnt from, in words.
        imported: the app module that declares the other screens.
    """
    package = line(draft.package, 100)
    unknown = draft.looks - draft.named
    lines = [
        *(f"// {text}" for text in _HEAD),
        f"// Learnt from {line(source, 200)}: {draft.looks} screens and {draft.tries} steps of {package}.",
        *_left_out(draft, unknown),
        f"app {name} package {quote(draft.package)} {quote(f'Draft of {package}')}",
        *([f"import {imported}"] if imported else []),
    ]
    new = [kind for kind in draft.kinds if kind.signature is not None]
    lonely = _lonely(new, draft)
    screens: list[str] = []
    for kind in new:
        assert kind.signature is not None
        screens += ["", *_screen(kind, kind.signature, draft.package, lonely=kind.name == lonely)]
    ways = [text for way in draft.ways for text in ("", *_way(way))]
    names = {short(kind.name) for kind in draft.kinds} | set(labels(draft))
    cells: list[str] = []
    for kind in draft.kinds:
        cells += _view(kind, names)
        for rows in kind.rows:
            cells += _list(kind, rows, names)
    lines += [f"import std.{name}" for name, read in _READ.items() if any(read in each for each in cells)]
    for title, part in (
        ("screens", screens),
        ("where gestures lead", ways),
        ("cells that were seen to change", cells),
    ):
        lines += ["", f"// ---- {title} ----", *part] if part else []
    return format_source(Source.from_text("\n".join(lines).rstrip("\n") + "\n"))


def _left_out(draft: Draft, unknown: int) -> Iterator[str]:
    if unknown:
        yield f"// {unknown} of the screens are not described: no few ids tell them apart, or they were not seen again."
    if draft.unsettled:
        yield f"// {draft.unsettled} steps are left out: the screen went on changing by itself."


def short(name: str) -> str:
    """A screen's name without its module."""
    return name.rpartition(":")[2]


def labels(draft: Draft) -> Iterator[str]:
    """The names that a model gave to views and lists."""
    for kind in draft.kinds:
        yield from (label.name for label in (kind.view, *(rows.label for rows in kind.rows)) if label)


def view_name(kind: Kind) -> str:
    """The name of a screen's view, if no model gives one."""
    return f"{short(kind.name).removesuffix('Screen')}View"


def list_name(kind: Kind) -> str:
    """The name of a screen's list, if no model gives one; several get numbers."""
    return f"{short(kind.name).removesuffix('Screen')}Row"


def _named(label: Label | None) -> Iterator[str]:
    if label is not None:
        yield f"// Named by {line(label.by, 60)}; before: {label.before}"


def _lonely(new: Sequence[Kind], draft: Draft) -> str:
    """The one screen to which no proposed step leads; empty: none, or several. The linter would name it (L0032)."""
    reached = {way.target for way in draft.ways}
    left = [kind.name for kind in new[1:] if kind.name not in reached and not kind.over]
    return left[0] if len(left) == 1 and len(reached) > 1 else ""


def _screen(kind: Kind, signature: Signature, package: str, *, lonely: bool) -> Iterator[str]:
    words = ", ".join(safe(text, 24) for text in kind.texts[:4])
    yield f"// Proposed: seen {kind.seen} times, first in {', '.join(kind.places)}"
    if words:
        yield f"// It said {line(words, 100)}"
    if lonely:
        yield "// No recorded step led here."
        yield "// lint: ignore L0032"
    over = f" over {', '.join(short(each) for each in kind.over)}" if kind.over else ""
    yield from _named(kind.label)
    about = f"{line(signature.activity or package, 80)}, as it was recorded"
    about = kind.label.doc if kind.label is not None and kind.label.doc else about
    yield f"screen {kind.name}{over} {quote(about)} when {', '.join(conditions(signature))}."


def _way(way: Way) -> Iterator[str]:
    share = Share(way.worked, way.tried)
    sure = "" if way.worked == way.tried else "; unsure: it also led elsewhere"
    many = "; any of several alike" if way.many and way.control is not None and not way.control.words else ""
    yield (
        f"// Proposed: worked {way.worked} of {way.tried} times (at least {100 * share.low:.0f} % is likely)"
        f"{sure}{many}; {', '.join(way.places)}"
    )
    where = way.places[0].rpartition("#")[0] if way.places else "recordings"
    yield f"@source({quote(f'{where}, {way.worked} of {way.tried}')})"
    made = gesture(way.control, way.gesture) if way.control is not None else way.gesture
    body = [made, f"screen {short(way.source)}", *([_condition(way.when)] if way.when else [])]
    yield f"goto {short(way.target)} when {', '.join(body)}."


def _condition(condition: Condition) -> str:
    cells = [f"id = {quote(condition.id)}"]
    if condition.text:
        cells.append(f"text = {quote(condition.text)}")
    if condition.checked is not None:
        cells.append(f"checked = {'true' if condition.checked else 'false'}")
    return f"{'no ' if condition.absent else ''}Node({', '.join(cells)})"


def _free(stem: str, names: set[str]) -> str:
    name, number = stem, 1
    while name in names:
        number += 1
        name = f"{stem}{number}"
    names.add(name)
    return name


def _cells(ids: Sequence[str]) -> list[str]:
    """Names of cells for ids: valid, and each once."""
    names = {"row", "at"}
    return [_free(attribute_name(id)[:40] or "cell", names) for id in ids]


def _view(kind: Kind, names: set[str]) -> Iterator[str]:
    if not kind.fields:
        return
    label = kind.view
    name = label.name if label is not None else _free(view_name(kind), names)
    cells = _cells([field.id for field in kind.fields])
    yield ""
    yield f"// Proposed: {', '.join(f'{_plain(field)}' for field in kind.fields)}"
    yield from _named(label)
    about = label.doc if label is not None and label.doc else f"What {short(kind.name)} says"
    yield f"view {name} on {short(kind.name)} {quote(about)} {{"
    for cell, field in zip(cells, kind.fields, strict=True):
        what = "Bool" if field.kind == "checked" else "Text"
        yield f"  {cell}: {what} {quote(f'what {line(field.id, 60)} shows')}"
    yield "}"
    for cell, field in zip(cells, kind.fields, strict=True):
        yield (
            f"update {name}({cell} = ?v) when screen {short(kind.name)}, "
            f"Node(id = {quote(field.id)}, {field.kind} = ?v)."
        )


def _plain(field: Field) -> str:
    return f"{line(field.id, 40)} had {field.values} value{'s' * (field.values != 1)} on {field.seen} looks"


def _list(kind: Kind, rows: Rows, names: set[str]) -> Iterator[str]:
    label = rows.label
    name = label.name if label is not None else _free(list_name(kind), names)
    node = _free(f"{name if label is not None else list_name(kind)}Node", names)
    screen = f"screen {short(kind.name)}"
    cells = _cells([_cell(part) for part in rows.parts])
    yield ""
    yield f"// Proposed: {line(rows.list, 60)} held rows on {rows.seen} looks, {rows.most} at most"
    held = f"Node(id = {quote(rows.list)}, node = ?l)"
    yield f"define {node}(row = ?r) when {screen}, {held}, Node(parent = ?l, node = ?r)."
    yield from _named(label)
    about = label.doc if label is not None and label.doc else f"The rows of {line(rows.list, 60)}"
    yield f"list {name} {quote(about)} {{"
    for cell, part in zip(cells, rows.parts, strict=True):
        what = "Text" if part.attribute == "text" else "Bool"
        yield f"  {cell}: {what} {quote(_says(part))}"
    yield "}"
    for cell, part in zip(cells, rows.parts, strict=True):
        condition = f"Part(of = ?r, id = {quote(part.id)}" if part.id else "Node(node = ?r"
        yield f"update {name}(row = ?r, {cell} = ?v) when {node}(row = ?r), {condition}, {part.attribute} = ?v)."
    if rows.filtered:
        yield "// Not proposed: `complete`. A field, a tab, a chip or a spinner may choose which rows show. They are"
        yield "// all for that value only: declare it (`in`), and read it in `complete`."
    else:
        yield f"complete {name} when {screen}, {held}, Fits(node = ?l)."


def _cell(part: Part) -> str:
    stem = part.id or "row"
    return stem if part.id and part.attribute == "text" else f"{stem}_{part.attribute}"


def _says(part: Part) -> str:
    of = line(part.id, 60) or "the row"
    return f"what {of} says" if part.attribute == "text" else f"whether {of} is {part.attribute}"
