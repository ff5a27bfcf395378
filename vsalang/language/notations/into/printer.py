"""Prints declarations in the language's syntax."""

from collections.abc import Iterable

from vsalang.base.records import dataclass
from vsalang.program.show import member_source
from vsalang.program.text import quote


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute to declare; `members` are those of an inline enum."""

    name: str
    type: str
    doc: str = ""
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """An action to declare; `remarks` are printed as comments above it."""

    name: str
    parameters: tuple[Attribute, ...]
    doc: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A state or view to declare; `remarks` are printed as comments above it."""

    kind: str
    name: str
    attributes: tuple[Attribute, ...]
    key: tuple[str, ...] = ()
    doc: str = ""
    remarks: tuple[str, ...] = ()


def attribute(item: Attribute) -> str:
    """One line of a declaration's braces."""
    kind = f"enum {{{', '.join(map(member_source, item.members))}}}" if item.members else item.type
    return f"{item.name}: {kind}{f' {quote(item.doc)}' if item.doc else ''}"


def relation(item: Relation) -> str:
    """A declaration with its comments."""
    key = f" key ({', '.join(item.key)})" if item.key else ""
    doc = f" {quote(item.doc)}" if item.doc else ""
    lines = [f"// {remark}" for remark in item.remarks]
    lines.append(f"{item.kind} {item.name}{key}{doc} {{")
    lines += [f"  {attribute(each)}" for each in item.attributes]
    return "\n".join([*lines, "}"])


def action(item: Action) -> str:
    """The declaration of an action in one line, without its comments."""
    parameters = f"({', '.join(map(attribute, item.parameters))})" if item.parameters else ""
    return f"action {item.name}{parameters}{f' {quote(item.doc)}' if item.doc else ''}"


def module(name: str, package: str, doc: str, preamble: Iterable[str], relations: Iterable[Relation]) -> str:
    """A whole app module; `preamble` are the lines of the comment at its top."""
    comment = "\n".join(f"// {line}".rstrip() for line in preamble)
    header = f"app {name} package {quote(package)} {quote(doc)}"
    return "\n\n".join([f"{comment}\n{header}", *map(relation, relations)]) + "\n"
