"""Reads the relations and attributes of a state schema in any of its forms; nothing is renamed here.

Three forms are known (the VeriSafe Agent authors' predicate files, their library's messages, and lists of states):

    {"Name": {"description": "..", "variables": [..], "key_arg_name": ".."}}
    {"type": "defineState", "appName": "..", "state": [{"name": "Name", "description": "..", "variables": [..]}]}
    [{"name": "Name", "description": "..", "variables": [..]}]

A relation's name may be under ``name``, ``Predicate`` or ``stateName``, its attributes under ``variables`` or
``arguments``; an attribute is ``{"name": .., "type": ..}`` or ``{attribute: type}``.
"""

from collections.abc import Iterator
from dataclasses import field

from vsalang.base.diagnostics import Diagnostic, Label, error
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.base.source.suggest import did_you_mean
from vsalang.language.notations.into.imported import Note
from vsalang.language.notations.into.jsontext import Json, Members
from vsalang.program.text import canonical

TYPES = {
    "boolean": "Bool",
    "bool": "Bool",
    "text": "Text",
    "string": "Text",
    "str": "Text",
    "number": "Number",
    "integer": "Number",
    "int": "Number",
    "long": "Number",
    "float": "Number",
    "double": "Number",
    "date": "Date",
    "time": "Time",
    "duration": "Duration",
    "enum": "Enum",
}
"""The type of the language for each type of a schema, in lower case."""

_USUAL = frozenset({"Boolean", "Text", "Number", "Date", "Time", "Enum", "Duration"})
_NAMES = ("name", "Predicate", "stateName")
_VARIABLES = ("variables", "arguments")
_RELATION_KEYS = frozenset({*_NAMES, *_VARIABLES, "description", "key_arg_name"})
_VARIABLE_KEYS = frozenset({"name", "type", "enum_values", "detail", "description", "is_key"})
_QUOTES = " \t\r\n\"'"


@dataclass(frozen=True, slots=True)
class RawAttribute:
    """An attribute as the schema gives it; `type` is one of the language's, or ``Enum`` with `members`."""

    name: str
    span: Span
    type: str
    doc: str = ""
    members: tuple[str, ...] = ()
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class RawRelation:
    """A relation as the schema gives it; `key` names attributes of it."""

    name: str
    span: Span
    doc: str
    attributes: tuple[RawAttribute, ...]
    key: tuple[str, ...] = ()


@dataclass(slots=True)
class Reader:
    """Collects findings and notes while it reads one schema."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    app: str = ""

    def note(self, kind: str, where: str, text: str, span: Span) -> None:
        """Note a decision for a person to confirm."""
        self.notes.append(Note(kind, where, text, self.source.position(span.start).line))

    def wrong(self, value: Json, where: str, expected: str, help: str = "") -> None:
        """Report a value of the wrong form."""
        place = where or "the schema"
        self.diagnostics.append(
            error(
                "E0011",
                value.span,
                f"{place} is {value.kind}, not {expected}",
                label=f"expected {expected}",
                help=help,
            )
        )

    def schema(self, root: Json) -> list[RawRelation]:
        """All relations of a schema that can be read."""
        relations = [
            each for name, span, body in self._named(root) if (each := self._relation(name, span, body))
        ]
        if not relations and not self.diagnostics:
            self.diagnostics.append(
                error(
                    "E0011",
                    root.span,
                    "the schema holds no relations",
                    help="see `vsac explain E0011` for the shape",
                )
            )
        return relations

    # ---- the three forms ------------------------------------------------------------------------

    def _named(self, root: Json) -> Iterator[tuple[str, Span, Members]]:
        """Name, span and body of each relation, in any form."""
        if isinstance(root.value, Members):
            states = root.value.get("state")
            if states is not None and isinstance(states.value, tuple):
                self._unique(root.value, "")
                app = root.value.get("appName")
                self.app = app.value if app and isinstance(app.value, str) else ""
                self.note(
                    "read as", "", "a `defineState` message; its `state` list holds the relations", root.span
                )
                yield from self._listed(states)
            elif any(isinstance(item.value, tuple) for _, key, item in root.value if key.value in _VARIABLES):
                self.note("read as", "", "one relation, without an object of names around it", root.span)
                yield from self._listed(Json((root,), root.span))
            else:
                self._unique(root.value, "")
                for name, key, body in root.value:
                    if isinstance(body.value, Members):
                        yield name, key.span, body.value
                    else:
                        self.wrong(
                            body, f"`{name}`", "an object", 'such as {"description": "..", "variables": [..]}'
                        )
        elif isinstance(root.value, tuple):
            self.note("read as", "", "a list of relations", root.span)
            yield from self._listed(root)
        else:
            self.wrong(
                root, "", "an object", "a schema maps names of relations to their descriptions and variables"
            )

    def _listed(self, states: Json) -> Iterator[tuple[str, Span, Members]]:
        assert isinstance(states.value, tuple)
        for number, item in enumerate(states.value):
            if not isinstance(item.value, Members):
                self.wrong(item, f"relation {number + 1}", "an object")
                continue
            pairs = [(key, value) for _, key, value in item.value if key.value in _NAMES]
            if not pairs:
                self.diagnostics.append(
                    error("E0011", item.span, f"relation {number + 1} has no name", help='add "name": ".."')
                )
                continue
            key, name = pairs[-1]
            if not isinstance(name.value, str):
                self.wrong(name, f"the name of relation {number + 1}", "a text")
                continue
            if key.value != "name":
                self.note("read as", name.value, f"`{key.value}` is the relation's name", key.span)
            yield name.value, name.span, item.value

    def _unique(self, members: Members, where: str) -> None:
        """Report keys that an object repeats."""
        first: dict[str, Json] = {}
        for name, key, _ in members:
            if name in first:
                self.duplicate(key.span, first[name].span, f"the key `{name}`", where)
            else:
                first[name] = key

    def duplicate(self, span: Span, first: Span, what: str, where: str) -> None:
        """Report a second occurrence of a name."""
        inside = f" in `{where}`" if where else ""
        self.diagnostics.append(
            error(
                "E0012",
                span,
                f"{what} occurs twice{inside}",
                label="again here",
                labels=(Label(first, "first here"),),
                help="rename or remove one of the two",
            )
        )

    def _note_unknown(self, body: Members, known: frozenset[str], where: str) -> None:
        for key, place, _ in body:
            if key not in known:
                hint = did_you_mean(key, known)
                text = f"the key `{key}` means nothing here{f'; {hint}' if hint else ''}"
                self.note("left out", where, text, place.span)

    # ---- one relation -----------------------------------------------------------------------------

    def _relation(self, name: str, span: Span, body: Members) -> RawRelation | None:
        self._unique(body, name)
        self._note_unknown(body, _RELATION_KEYS, name)
        doc = self._text(body, "description", name)
        variables = body.get("variables") or body.get("arguments")
        if variables is None:
            self.diagnostics.append(
                error(
                    "E0011",
                    span,
                    f"`{name}` has no `variables`",
                    help='add "variables": [..], or an empty list',
                )
            )
            return None
        if body.get("variables") is None:
            self.note("read as", name, "`arguments` are its variables", variables.span)
        attributes = self._attributes(name, variables)
        key_names = self._key(name, body.get("key_arg_name"), attributes)
        return RawRelation(name, span, doc, tuple(attributes), key_names)

    def _text(self, members: Members, key: str, where: str) -> str:
        value = members.get(key)
        if value is None or value.value is None:
            return ""
        if not isinstance(value.value, str):
            self.wrong(value, f"`{where}.{key}`", "a text")
            return ""
        return value.value.strip()

    def _key(self, relation: str, data: Json | None, attributes: list[RawAttribute]) -> tuple[str, ...]:
        """The attributes named by ``key_arg_name`` or marked ``is_key``."""
        marked = tuple(each.name for each in attributes if each.is_key)
        if data is None or data.value in ("", None, ()):
            return marked
        parts = data.value if isinstance(data.value, tuple) else (data,)
        names: list[str] = []
        known = [each.name for each in attributes]
        for part in parts:
            if not isinstance(part.value, str):
                self.wrong(part, f"`{relation}.key_arg_name`", "a name or a list of names")
            elif part.value not in known:
                self.diagnostics.append(
                    error(
                        "E0011",
                        part.span,
                        f"`{relation}` has no variable `{part.value}` to be its key",
                        label="not a variable of it",
                        help=did_you_mean(part.value, known)
                        or "name one of its variables, or leave it empty",
                    )
                )
            else:
                names.append(part.value)
        return tuple(dict.fromkeys([*names, *marked]))

    # ---- attributes -------------------------------------------------------------------------------

    def _attributes(self, relation: str, variables: Json) -> list[RawAttribute]:
        if isinstance(variables.value, Members):
            self._unique(variables.value, f"{relation}.variables")
            pairs = [self._short(relation, *each) for each in variables.value]
            return [each for each in pairs if each]
        if not isinstance(variables.value, tuple):
            self.wrong(
                variables, f"`{relation}.variables`", "a list", 'such as [{"name": "title", "type": "Text"}]'
            )
            return []
        attributes: list[RawAttribute] = []
        for number, item in enumerate(variables.value):
            if not isinstance(item.value, Members) or not item.value.pairs:
                self.wrong(item, f"variable {number + 1} of `{relation}`", "an object with `name` and `type`")
                continue
            self._unique(item.value, f"{relation}.variables")
            keys = {key for key, _, _ in item.value}
            if "type" in keys or "enum_values" in keys or (keys != {"name"} and "name" in keys):
                attribute = self._long(relation, number, item, item.value)
                attributes += [attribute] if attribute else []
            else:
                attributes += [each for pair in item.value if (each := self._short(relation, *pair))]
        return attributes

    def _short(self, relation: str, name: str, key: Json, kind: Json) -> RawAttribute | None:
        """The form ``{attribute: type}``."""
        where = f"{relation}.{name}"
        read = self._type(where, kind)
        if read == "Enum":
            self.diagnostics.append(
                error(
                    "E0011",
                    kind.span,
                    f"`{where}` is an enum without members",
                    help='write {"name": "..", "type": "Enum", "enum_values": [..]}',
                )
            )
            return None
        return RawAttribute(name, key.span, read) if read else None

    def _long(self, relation: str, number: int, item: Json, body: Members) -> RawAttribute | None:
        """The form ``{"name": .., "type": ..}``."""
        name, kind = body.get("name"), body.get("type")
        if name is None or kind is None:
            missing = "name" if name is None else "type"
            self.diagnostics.append(
                error(
                    "E0011",
                    item.span,
                    f"variable {number + 1} of `{relation}` has no `{missing}`",
                    help="add it",
                )
            )
            return None
        if not isinstance(name.value, str):
            self.wrong(name, f"the name of variable {number + 1} of `{relation}`", "a text")
            return None
        where = f"{relation}.{name.value}"
        self._note_unknown(body, _VARIABLE_KEYS, where)
        read = self._type(where, kind)
        members = self._members(where, body.get("enum_values"), kind) if read == "Enum" else ()
        if not read or (read == "Enum" and not members):
            return None
        if read != "Enum" and (values := body.get("enum_values")) and values.value not in (None, ()):
            self.note("left out", where, f"`enum_values`, because its type is {read}", values.span)
        return RawAttribute(
            name.value, name.span, read, self._detail(where, body), members, self._is_key(where, body)
        )

    def _detail(self, where: str, body: Members) -> str:
        """The description of an attribute, under either key; a `detail` that only repeats the type is ignored."""
        doc = self._text(body, "description", where)
        detail = self._text(body, "detail", where)
        if detail.lower() in TYPES:
            place = body.get("detail")
            assert place is not None
            self.note("left out", where, f"`detail`, because `{detail}` is not a description", place.span)
            detail = ""
        return " ".join(part for part in (doc, detail) if part)

    def _is_key(self, where: str, body: Members) -> bool:
        value = body.get("is_key")
        if value is None or value.value is None:
            return False
        if not isinstance(value.value, bool):
            self.wrong(value, f"`{where}.is_key`", "true or false")
            return False
        return value.value

    def _type(self, where: str, kind: Json) -> str:
        """The language's type, or an empty text after a finding."""
        if not isinstance(kind.value, str):
            self.wrong(kind, f"the type of `{where}`", "a text", "one of " + ", ".join(sorted(_USUAL)))
            return ""
        name = kind.value.strip()
        read = TYPES.get(name.lower(), "")
        if not read:
            hint = did_you_mean(name, _USUAL) or "the types are " + ", ".join(sorted(_USUAL))
            self.diagnostics.append(
                error(
                    "E0011",
                    kind.span,
                    f"`{where}` has the unknown type `{name}`",
                    label="not a type",
                    help=hint,
                )
            )
        elif kind.value not in _USUAL:
            self.note("read as", where, f"the type `{name}` is {read}", kind.span)
        return read

    def _members(self, where: str, values: Json | None, kind: Json) -> tuple[str, ...]:
        if values is None or values.value == ():
            place = kind.span if values is None else values.span
            self.diagnostics.append(
                error(
                    "E0011",
                    place,
                    f"`{where}` is an enum without members",
                    help='add "enum_values": ["..", ".."]',
                )
            )
            return ()
        if not isinstance(values.value, tuple):
            self.wrong(values, f"`{where}.enum_values`", "a list of texts")
            return ()
        members: dict[str, tuple[str, Span]] = {}
        complete = True
        for item in values.value:
            name = item.value.strip(_QUOTES) if isinstance(item.value, str) else ""
            if not name:
                self.wrong(item, f"a member of `{where}`", "a text that is not empty")
                complete = False
                continue
            if name != item.value:
                self.note(
                    "read as",
                    where,
                    f"the member {item.value!r} without blanks and quotes around it",
                    item.span,
                )
            same = members.setdefault(canonical(name), (name, item.span))
            if same[1] != item.span:
                self.duplicate(item.span, same[1], f"the member `{name}`", where)
        return tuple(name for name, _ in members.values()) if complete else ()
