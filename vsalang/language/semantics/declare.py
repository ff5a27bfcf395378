"""Collects the declarations of a module: enums, relations, screens and constants; checks every name."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Edit, Fix, Label
from vsalang.base.source import Span
from vsalang.language.semantics.annotations import read_annotations
from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import BASIC, RelationSymbol, Scope, ScreenSymbol
from vsalang.language.semantics.wording import a
from vsalang.language.syntax import tree as t
from vsalang.program.ir import NUMBER, Attr, Member, Relation, Type
from vsalang.program.text import canonical
from vsalang.program.vocabulary import ANDROID

_DECLARED = re.compile(r"\b(?:state|view|list|action)\s+([A-Za-z_]\w*)")


def declare(unit: Unit, scopes: dict[int, Scope], report: Report) -> Scope:
    """The scope of a unit whose imports have scopes already; reports repeated and shadowing declarations."""
    words = frozenset(re.findall(r"\w+", unit.lost_text)) if unit.broken else frozenset()
    scope = Scope(unit, lost=words, lost_relations=frozenset(_DECLARED.findall(unit.lost_text)))
    for alias, imported in unit.imports.items():
        if id(imported) in scopes:
            scope.imports[alias] = scopes[id(imported)]
    _declare_enums(scope, report)
    for item in unit.tree.items:
        if isinstance(item, t.Let):
            if item.name.text in scope.lets:
                _twice(report, "constant", item.name, scope.lets[item.name.text].name.span)
            else:
                scope.lets[item.name.text] = item
        elif isinstance(item, t.Relation | t.Action):
            _declare_relation(scope, item, report)
        elif isinstance(item, t.Rule) and isinstance(item.head, t.ScreenHead):
            name = item.head.name
            symbol = scope.screens.setdefault(
                name.text, ScreenSymbol(f"{scope.name}:{name.text}", name.span, scope)
            )
            symbol.rules.append(item)
            _capital(report, "screen", name)
    for item in unit.tree.items:
        if isinstance(item, t.Rule) and item.kind == "define" and isinstance(item.head, t.AtomHead):
            _declare_define(scope, item, item.head, report)
    return scope


def _declare_enums(scope: Scope, report: Report) -> None:
    for item in scope.unit.tree.items:
        if not isinstance(item, t.Enum):
            continue
        if item.name.text in scope.enums:
            _twice(report, "enum", item.name, scope.enum_spans[item.name.text])
            continue
        if item.name.text in BASIC or item.name.text == "Weekday":
            report.error(
                "E0205",
                item.name.span,
                f"`{item.name.text}` is a type of the language",
                help="rename the enum",
            )
            continue
        members = resolve_members(item.members, report)
        scope.enums[item.name.text] = Type("enum", f"{scope.name}.{item.name.text}", members)
        scope.enum_spans[item.name.text] = item.name.span


def resolve_members(members: Iterable[t.Member], report: Report) -> tuple[Member, ...]:
    """The members of an enum; a member or spelling that occurs twice is an error."""
    spans: dict[str, Span] = {}
    result: list[Member] = []
    for member in members:
        name = canonical(member.name.text)
        if name in spans:
            _twice(report, "member", member.name, spans[name])
            continue
        spans[name] = member.name.span
        result.append(Member(name, tuple(canonical(text.value) for text in member.spellings)))
    return tuple(result)


def _declare_relation(scope: Scope, item: t.Relation | t.Action, report: Report) -> None:
    name = item.name
    what = "action" if isinstance(item, t.Action) else item.sort
    if name.text in scope.relations:
        _twice(report, "relation", name, scope.relations[name.text].span)
        return
    if not _may_declare(scope, what, name, report):
        return
    _capital(report, what, name)
    types: dict[str, Type | None] = {}
    docs: dict[str, str] = {}
    spans: dict[str, Span] = {}
    for attr in item.params if isinstance(item, t.Action) else item.attrs:
        if attr.name.text in types:
            kind = "parameter" if isinstance(item, t.Action) else "attribute"
            _twice(report, kind, attr.name, spans[attr.name.text])
            continue
        spans[attr.name.text] = attr.name.span
        types[attr.name.text] = resolve_type(scope, attr.type, report)
        docs[attr.name.text] = attr.doc.value if attr.doc else ""
    scope.relations[name.text] = RelationSymbol(
        f"{scope.name}.{name.text}", what, types, docs, None, scope, name.span
    )


def _may_declare(scope: Scope, what: str, name: t.Name, report: Report) -> bool:
    for module in scope.imports.values():
        if name.text in module.relations:
            other = module.relations[name.text]
            report.error(
                "E0205",
                name.span,
                f"`{name.text}` is declared by the imported module `{module.name}`",
                help="use it as it is, or choose another name",
                labels=[Label(other.span, "declared here")] if other.span else [],
            )
            return False
    device = ANDROID.get(name.text)
    if device is not None and device.sort in ("gesture", "action"):
        kind = "a gesture" if device.sort == "gesture" else "an action"
        report.error(
            "E0205",
            name.span,
            f"`{name.text}` is {kind} of the device",
            help=f"choose another name for this {what}",
        )
        return False
    return True


def _declare_define(scope: Scope, rule: t.Rule, head: t.AtomHead, report: Report) -> None:
    name = head.atom.name
    existing = scope.relations.get(name.text)
    if "." in name.text and name.text.rpartition(".")[0] != scope.name:
        report.error(
            "E0502",
            name.span,
            f"`{name.text}` belongs to another module",
            help="a relation gets rules only from the module that declares it: choose a name of your own",
        )
        return
    attrs = [arg.attr.text for arg in head.atom.args]
    if existing is None:
        if not _may_declare(scope, "relation", name, report):
            return
        _capital(report, "relation", name)
        existing = RelationSymbol(
            f"{scope.name}.{name.text}", "derived", dict.fromkeys(attrs), {}, None, scope, name.span
        )
        scope.relations[name.text] = existing
    elif existing.sort != "derived":
        help_text = f"write `update {name.text}(..)` for what is remembered, or choose another name"
        if existing.sort == "action":
            help_text = f"write `recognize {name.text}(..)` for when it happens, or choose another name"
        report.error(
            "E0205",
            name.span,
            f"`{name.text}` is {a(existing.sort)}: `define` cannot derive it",
            help=help_text,
            labels=[Label(existing.span, "declared here")] if existing.span else [],
        )
        return
    elif set(existing.types) != set(attrs):
        wanted = ", ".join(existing.types) or "none"
        report.error(
            "E0216",
            head.span,
            f"the rules of `{name.text}` name different attributes",
            label=f"the first rule has: {wanted}",
            labels=[Label(existing.span, "the first rule")] if existing.span else [],
            help="every rule of one relation names the same attributes",
        )
        return
    existing.rules.append(rule)


def resolve_type(scope: Scope, ref: t.TypeRef, report: Report) -> Type | None:
    """The type that is written; None after reporting an unknown one."""
    if ref.members is not None:
        return Type("enum", "", resolve_members(ref.members, report))
    if ref.elem is not None:
        elem = resolve_type(scope, ref.elem, report)
        if elem is None:
            return None
        if elem.kind not in ("Text", "enum"):
            report.error(
                "E0208", ref.elem.span, f"there is no set of {elem}", help="sets are of Text or of an enum"
            )
            return None
        return Type("set", elem=elem)
    if ref.name is None:
        return None
    name = ref.name.text
    if name in BASIC:
        return BASIC[name]
    types = scope.find_enum(name)
    if len(types) == 1:
        return types[0]
    if types:
        report.error("E0207", ref.name.span, f"two imports declare `{name}`", help="qualify it: module.Name")
    elif not scope.silent(name):
        _unknown_type(scope, ref.name, report)
    return None


_FOREIGN_TYPES = {
    "string": "Text",
    "str": "Text",
    "varchar": "Text",
    "char": "Text",
    "int": "Number",
    "integer": "Number",
    "float": "Number",
    "double": "Number",
    "decimal": "Number",
    "long": "Number",
    "boolean": "Bool",
    "datetime": "Date",
    "timestamp": "Date",
}


def _unknown_type(scope: Scope, name: t.Name, report: Report) -> None:
    foreign = _FOREIGN_TYPES.get(name.text.lower())
    if foreign:
        fix = Fix(f"write `{foreign}`", (Edit(name.span, foreign),))
        report.error(
            "E0208",
            name.span,
            f"unknown type `{name.text}`",
            label=f"here it is called `{foreign}`",
            fixes=[fix],
        )
        return
    enums = [*BASIC, "Weekday", *scope.enums, *(n for m in scope.imports.values() for n in m.enums)]
    report.unknown_name("E0208", name.span, "type", name.text, enums)


def _twice(report: Report, what: str, name: t.Name, first: Span | None) -> None:
    report.error(
        "E0205",
        name.span,
        f"the {what} `{name.text}` is declared twice",
        label="declared again here",
        labels=[Label(first, "first declared here")] if first else [],
        help="rename one or delete it",
    )


def _capital(report: Report, what: str, name: t.Name) -> None:
    if name.text[:1].islower():
        wanted = name.text[0].upper() + name.text[1:]
        report.warning(
            "W0202",
            name.span,
            f"the name of {a(what)} begins with a capital letter: `{wanted}`",
        )


def finish(scope: Scope, report: Report) -> None:
    """Make the relations of a scope's state, view, list and action declarations; checks their `on`, `in` and `key`."""
    for item in scope.unit.tree.items:
        if not isinstance(item, t.Relation | t.Action):
            continue
        symbol = scope.relations.get(item.name.text)
        if symbol is None or symbol.span != item.name.span:
            continue
        if isinstance(item, t.Relation) and item.sort == "list":
            if "at" in symbol.types or "row" in symbol.types:
                word = "at" if "at" in symbol.types else "row"
                report.error(
                    "E0205",
                    item.name.span,
                    f"`{word}` is an attribute that every list has",
                    help="rename yours",
                )
            symbol.types["at"] = NUMBER
            symbol.docs.setdefault("at", "the position in the list")
        on: list[str] = []
        key: tuple[str, ...] = ()
        within: tuple[str, ...] = ()
        if isinstance(item, t.Relation):
            own = [a.name.text for a in item.attrs]
            key = _columns(symbol, item.key, own, "key", report)
            within = _columns(symbol, item.within, own, "in", report)
            for name in item.on:
                screens = scope.find_screen(name.text)
                if screens:
                    on.append(screens[0].name)
                elif not scope.silent(name.text):
                    report.unknown_name("E0211", name.span, "screen", name.text, scope.screen_names())
        attrs = tuple(
            Attr(n, type_, symbol.docs.get(n, "")) for n, type_ in symbol.types.items() if type_ is not None
        )
        if len(attrs) < len(symbol.types):
            continue  # a type is unknown: that was reported
        symbol.relation = Relation(
            name=symbol.name,
            sort=symbol.sort,  # type: ignore[arg-type]
            attrs=attrs,
            key=key,
            within=within,
            on=tuple(on),
            doc=item.doc.value if item.doc else "",
            module=scope.name,
            packages=tuple(p.value for p in scope.unit.tree.packages),
            annotations=read_annotations(item.annotations, report),
            span=item.name.span,
        )


def _columns(
    symbol: RelationSymbol, names: tuple[t.Name, ...], own: list[str], what: str, report: Report
) -> tuple[str, ...]:
    result: list[str] = []
    for name in names:
        if name.text not in own:
            report.unknown_name("E0206", name.span, "attribute", name.text, own, context=symbol.short)
        elif name.text in result:
            report.error(
                "E0205", name.span, f"`{name.text}` is given twice in `{what}`", help="once is enough"
            )
        else:
            result.append(name.text)
    return tuple(result)
