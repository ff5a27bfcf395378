"""The vocabulary of an app for specs, as declarations: made from the core program, never from the file's text."""

from collections.abc import Iterable, Iterator, Sequence

from vsalang.models.encode.charter import EFFECTS
from vsalang.program.ir import Program, Relation, Type
from vsalang.program.screen_rules import is_match
from vsalang.program.show import member_source
from vsalang.program.text import quote

_SORTS = (("action", "action"), ("state", "state"), ("view", "view"), ("list", "list"), ("derived", "define"))


def vocabulary(program: Program, modules: Iterable[str], *, first: Sequence[str] = ()) -> str:
    """The enums, actions, states, views, lists, derived relations and screens that `modules` declare.

    Args:
        program: a program that imports them.
        modules: their names.
        first: the qualified names of relations that come first in their modules, in this order.
    """
    return "\n\n".join(_module(program, name, first) for name in modules)


def device_actions(program: Program) -> str:
    """The critical actions that every phone has, without those that end a task."""
    relations = [r for r in program.relations.values() if r.sort == "action" and r.module == "std.android"]
    return "\n".join(_declaration("action", r) for r in relations if r.name not in ("finish", "give_up"))


def _module(program: Program, name: str, first: Sequence[str]) -> str:
    info = program.modules[name]
    mine = [r for r in program.relations.values() if r.module == name and not is_match(r.name)]
    lines = [f"{info.kind} {name}{_doc(info.doc)}"]
    lines += [f"  {line}" for line in _enums(mine)]
    named = [relation for each in first if (relation := program.relation(each)) in mine]
    lines += [f"  {_declaration(dict(_SORTS)[r.sort], r)}" for r in named]
    # a charter is about effects; how a touch is read is not
    for sort, word in _SORTS[:1] if name == EFFECTS else _SORTS:
        lines += [f"  {_declaration(word, r)}" for r in mine if r.sort == sort and r not in named]
    screens = [r for r in program.relations.values() if r.sort == "screen" and r.name.startswith(f"{name}:")]
    lines += [f"  screen {screen.name.rpartition(':')[2]}{_doc(screen.doc)}" for screen in screens]
    return "\n".join(lines)


def _enums(relations: Iterable[Relation]) -> Iterator[str]:
    """The named enums that the relations use."""
    seen: dict[str, Type] = {}
    for relation in relations:
        for attr in relation.attrs:
            kind = attr.type.elem if attr.type.kind == "set" and attr.type.elem else attr.type
            if kind.kind == "enum" and kind.name:
                seen.setdefault(kind.name, kind)
    for kind in seen.values():
        yield f"enum {kind} {_members(kind)}"


def _members(kind: Type) -> str:
    return "{" + ", ".join(member_source(member.name) for member in kind.members) + "}"


def _type(kind: Type) -> str:
    if kind.kind == "set" and kind.elem is not None:
        return f"set of {_type(kind.elem)}"
    if kind.kind == "enum" and not kind.name:
        return f"enum {_members(kind)}"
    return str(kind)


def _doc(doc: str) -> str:
    return f" {quote(doc)}" if doc else ""


def _declaration(word: str, relation: Relation) -> str:
    attrs = [a for a in relation.attrs if not (relation.sort == "list" and a.name == "at")]
    inner = ", ".join(f"{a.name}: {_type(a.type)}{_doc(a.doc)}" for a in attrs)
    if relation.sort in ("action", "derived"):
        return f"{word} {relation.short}({inner}){_doc(relation.doc)}"
    within = f" in ({', '.join(relation.within)})" if relation.within else ""
    key = f" key ({', '.join(relation.key)})" if relation.key else ""
    on = f" on {', '.join(name.rpartition(':')[2] for name in relation.on)}" if relation.on else ""
    return f"{word} {relation.short}{on}{within}{key}{_doc(relation.doc)} {{ {inner} }}"
