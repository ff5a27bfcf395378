"""Makes an app module from a JSON state schema: names, types, kinds and keys, with notes on every decision."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, error
from vsalang.base.source import Source
from vsalang.language.notations.into import guesses, jsontext, naming, printer
from vsalang.language.notations.into.imported import ImportFailed, ImportResult, Note
from vsalang.language.notations.into.shape import RawAttribute, RawRelation, Reader
from vsalang.program.text import comment, quote

_HEADINGS = {
    "guess": "Guessed, because the schema does not say it",
    "renamed": "Renamed, because the language does not take the name",
    "read as": "Written in another way in the schema",
    "left out": "Left out",
}
_EXPLAINED = {
    "guess": (
        "  (a view is what the screen shows now, replaced as a whole: say where, `view X on S`; a state lasts)",
    )
}
_MARK = "a guess"


def import_schema(source: Source, *, module: str = "", package: str = "") -> ImportResult:
    """Make an app module of a JSON state schema.

    Args:
        source: the JSON text; its file's name gives the module's name, and the package if it looks like one.
        module: the module's name, if not that of the file.
        package: the Android package.

    Raises:
        ImportFailed: not JSON, not a schema, or a name that occurs twice.
        ValueError: `module` is not a name, or `package` not a package.
    """
    if module and not all(naming.IDENTIFIER.fullmatch(part) for part in module.split(".")):
        raise ValueError(
            f"{module!r} is not a module name: letters, digits and _ only, not beginning with a digit"
        )
    if package and not naming.PACKAGE.fullmatch(package):
        raise ValueError(f"{package!r} is not an Android package name such as com.example.app")
    root = jsontext.load(source)
    reader = Reader(source)
    raw = reader.schema(root)
    names = _rename(reader, raw)
    relations = [_relation(reader, each, names) for each in raw]
    if reader.diagnostics:
        raise ImportFailed(_in_place(reader.diagnostics))
    name = module or naming.module_name(source.file)
    chosen, package_notes = _package(source.file, name, package)
    notes = [*package_notes, *sorted(reader.notes, key=lambda note: note.line)]
    doc = f"Imported from {reader.app}" if reader.app else f"Imported from {naming.file_name(source.file)}"
    text = printer.module(name, chosen, doc, _preamble(source.file, notes), relations)
    return ImportResult(name, chosen, text, tuple(relations), tuple(notes))


def _in_place(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return sorted(
        dict.fromkeys(diagnostics), key=lambda item: (item.span.start if item.span else -1, item.code)
    )


def _package(file: str, module: str, name: str) -> tuple[str, list[Note]]:
    if name:
        return name, []
    if naming.is_package_file(file):
        return naming.package_of(file), [Note("guess", "", "the package, which is the file's name")]
    placeholder = f"com.example.{module.rpartition('.')[2]}"
    text = (
        f"the package is not known: {placeholder} is in its place; rules fit no screen until it is replaced"
    )
    return placeholder, [Note("guess", "", text)]


# ---- names -----------------------------------------------------------------------------------------


def _rename(reader: Reader, raw: list[RawRelation]) -> dict[str, str]:
    """The name of each relation in the language."""
    names: dict[str, str] = {}
    first: dict[str, RawRelation] = {}
    for each in raw:
        name = naming.relation_name(each.name)
        if not name:
            reader.diagnostics.append(_unnameable(each))
            continue
        if name in first:
            earlier = first[name]
            what = (
                f"the relation `{name}`"
                if each.name == earlier.name
                else _both(each.name, earlier.name, name)
            )
            # a repeated key of one object was reported already
            if not _reported(reader, each):
                reader.duplicate(each.span, earlier.span, what, "")
            continue
        first[name] = each
        names[each.name] = name
        if name != each.name:
            reader.note("renamed", name, f"relation {quote(each.name)} is {name}", each.span)
    return names


def _both(one: str, other: str, name: str) -> str:
    return f"the name `{name}` (from `{other}` and `{one}`)"


def _reported(reader: Reader, item: RawRelation | RawAttribute) -> bool:
    return any(
        diagnostic.code == "E0012" and diagnostic.span == item.span for diagnostic in reader.diagnostics
    )


def _unnameable(item: RawRelation | RawAttribute) -> Diagnostic:
    return error(
        "E0011",
        item.span,
        f"no name can be made of `{item.name}`",
        label="holds no letter or digit of ASCII",
        help="give it a name of Latin letters and digits",
    )


def _attributes(reader: Reader, raw: RawRelation) -> dict[str, RawAttribute]:
    """The attributes by their names in the language."""
    attributes: dict[str, RawAttribute] = {}
    for each in raw.attributes:
        name = naming.attribute_name(each.name)
        if not name:
            reader.diagnostics.append(_unnameable(each))
        elif name in attributes:
            earlier = attributes[name]
            same = each.name == earlier.name
            what = f"the attribute `{name}`" if same else _both(each.name, earlier.name, name)
            if not _reported(reader, each):
                reader.duplicate(each.span, earlier.span, what, raw.name)
        else:
            attributes[name] = each
            if name != each.name:
                where = f"{raw.name}.{name}"
                reader.note("renamed", where, f"attribute {quote(each.name)} is {name}", each.span)
    return attributes


# ---- one relation ------------------------------------------------------------------------------------


def _relation(reader: Reader, raw: RawRelation, names: dict[str, str]) -> printer.Relation:
    attributes = _attributes(reader, raw)
    name = names.get(raw.name, raw.name)
    remarks: list[str] = []
    key = tuple(new for new, each in attributes.items() if each.name in raw.key)
    kind = "state"
    if not key:
        kind = "view" if guesses.is_view(raw.name, raw.doc) else "state"
        other = "state" if kind == "view" else "view"
        reader.note("guess", name, f"{kind}, not {other}", raw.span)
        remarks.append(f"{_MARK}: {kind}, not {other}")
        guessed = guesses.key(raw.name, [(new, each.type) for new, each in attributes.items()])
        if kind == "state" and guessed:
            key = (guessed,)
            reader.note("guess", name, f"key ({guessed}): one row for each", raw.span)
            remarks.append(f"{_MARK}: key ({guessed})")
    declared = tuple(
        printer.Attribute(new, each.type, each.doc, each.members) for new, each in attributes.items()
    )
    return printer.Relation(kind, name, declared, key, raw.doc, tuple(remarks))


# ---- the comment at the top -----------------------------------------------------------------------------


def _preamble(file: str, notes: list[Note]) -> list[str]:
    lines = [
        f"Made by `vsac import` from {quote(naming.file_name(file))}. Before it is used, a person must confirm:"
    ]
    if not notes:
        lines[0] = (
            f"Made by `vsac import` from {quote(naming.file_name(file))}; every name, type and key is the schema's."
        )
    for kind, heading in _HEADINGS.items():
        chosen = [note for note in notes if note.kind == kind]
        if chosen:
            lines += ["", f"{heading}:", *_EXPLAINED.get(kind, ())]
            lines += [
                f"  {f'{comment(note.where)}: ' if note.where else ''}{comment(note.text)}" for note in chosen
            ]
    return lines
