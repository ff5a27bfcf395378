"""Conditions and states as they stand in `.vsa` source."""

import datetime as dt
from collections.abc import Iterable

from vsalang.core import ir
from vsalang.core.ir import Atom, Choice, Const, Constraint, Fn, Program, Regex, Relation, Term, Type, Var
from vsalang.core.values import Value, show
from vsalang.smt.results import Row, World


def term(item: Term | None) -> str:
    """A term as it is written."""
    match item:
        case None:
            return "unknown"
        case Var():
            return f"?{item.name}"
        case Const():
            return value(item.value, item.type)
        case Choice():
            return "{" + ", ".join(term(part) for part in item.items) + "}"
        case Regex():
            return f"/{item.source}/{item.flags}"
        case Fn():
            if item.name in ("+", "-", "*"):
                return f" {item.name} ".join(term(arg) for arg in item.args)
            if item.name == "neg":
                return f"-{term(item.args[0])}"
            return item.name if not item.args else f"{item.name}({', '.join(map(term, item.args))})"


def value(item: Value | None, kind: Type, today: dt.date | None = None) -> str:
    """A value as it is written; dates near `today` by it, members of enums bare where they are words."""
    if isinstance(item, dt.date) and today is not None:
        days = (item - today).days
        if abs(days) <= 31:
            return "today" if days == 0 else f"today {'+' if days > 0 else '-'} {abs(days)}d"
    if kind.kind == "enum" and isinstance(item, str) and item.isidentifier():
        return item
    if kind.kind == "set" and kind.elem is not None and isinstance(item, frozenset):
        return "{" + ", ".join(value(part, kind.elem) for part in sorted(item)) + "}"
    return show(item)


def constraint(item: Constraint) -> str:
    """A constraint as it is written."""
    if item.op in ("known", "unknown"):
        return f"{item.attr} {item.op}"
    if item.hi is not None:
        return f"{item.attr} {item.op} {term(item.term)}..{term(item.hi)}".strip()
    return f"{item.attr} {item.op} {term(item.term)}".strip()


def short(name: str) -> str:
    """A relation's name without its module."""
    return name.rpartition(".")[2].rpartition(":")[2]


def atom(item: Atom) -> str:
    """An atom as it is written, its relation without the module."""
    inner = ", ".join(constraint(c) for c in item.constraints if c.span is not None or c.attr != "package")
    return ("before " if item.before else "") + short(item.relation) + (f"({inner})" if inner else "")


def condition(item: object) -> str:
    """A literal or constraint as it is written."""
    match item:
        case Constraint():
            return constraint(item)
        case ir.Lit():
            past = ""
            if item.past is not None:
                past = f" {item.past.op}"
                if item.past.duration is not None:
                    past += f" {term(item.past.duration)}"
                if item.past.other is not None:
                    past += f" {atom(item.past.other)}"
            return ("not " if item.neg else "") + atom(item.atom) + past
        case ir.Compare():
            return f"{term(item.left)} {constraint(Constraint('', item.op, item.right, item.hi))}"
        case ir.Aggregate():
            of = f"{item.attr} of " if item.attr else ""
            end = constraint(Constraint("", item.op, item.right, item.hi))
            return f"{item.fn}({of}{condition(item.lit)}) {end}"
        case ir.Every():
            return f"every {atom(item.atom)} has ({', '.join(map(constraint, item.has))})"
        case ir.First():
            has = f" has ({', '.join(map(constraint, item.has))})" if item.has is not None else ""
            return f"first {item.n} {atom(item.atom)}{has}"
        case ir.Then():
            groups = [
                "(" + ", ".join(map(condition, p)) + ")" if len(p) > 1 else condition(p[0])
                for p in item.parts
            ]
            return " then ".join(groups)
        case ir.Spent():
            return f"all {short(item.relation)}"
    return str(item)


def head(rule: ir.Rule) -> str:
    """What a rule does, as people call it: ``allow Reserve``, ``done``, ``deny``."""
    match rule.head:
        case ir.License():
            return (
                "done" if rule.head.atom.relation == "finish" else f"allow {short(rule.head.atom.relation)}"
            )
        case ir.Judge():
            return rule.head.level
        case ir.Derive():
            name = rule.head.atom.relation
            return f"screen {short(name)}" if ":" in name else f"define {short(name)}"
        case ir.Recognize():
            return f"recognize {short(rule.head.atom.relation)}"
        case ir.Mark():
            return f"{rule.head.kind} {short(rule.head.atom.relation)}"
        case ir.Write():
            return f"{'delete' if rule.head.delete else 'update'} {short(rule.head.atom.relation)}"
        case ir.Goto():
            return f"goto {short(rule.head.screen)}"
        case ir.Expect():
            return "expect"


# ---------------------------------------------------------------- states


def fact(rel: Relation, row: Row, today: dt.date) -> str:
    """A row as a fact; cells that are unknown are left out."""
    cells = [
        f"{attr.name} = {value(cell, attr.type, today)}"
        for attr, cell in zip(rel.attrs, row, strict=True)
        if cell is not None
    ]
    return rel.short + (f"({', '.join(cells)})" if cells else "")


def state(program: Program, world: World) -> tuple[str, ...]:
    """A state as the steps of a test: what was done, what is believed, what is seen."""
    lines: list[str] = []
    for name, commits in sorted(world.commits.items()):
        lines += [f"attempt {fact(program.relation(name), commit.row, world.today)}." for commit in commits]
    lines += [f"observe screen {short(name)}." for name in sorted(world.screens)]
    for name, rows in sorted(world.rows.items()):
        rel = program.relation(name)
        believed = rel.sort in ("state", "view", "list", "observed", "derived")
        word = "given" if rel.sort == "state" else "observe" if believed else "attempt"
        lines += [f"{word} {text}." for text in _facts(rel, rows, world.today)]
    for name, rows in sorted(world.before.items()):
        lines += [f"before: {text}." for text in _facts(program.relation(name), rows, world.today)]
    for name, rows in sorted(world.complete.items()):
        if any(set(row) == {None} for row in rows):
            lines.append(f"// all of {short(name)} was seen")
            continue
        lines += [f"observe complete {text}." for text in _facts(program.relation(name), rows, world.today)]
    lines += [
        f"assume {show(text)} {'~=' if answer else '!~='} {show(constant)}."
        for text, constant, answer in world.similar
    ]
    return tuple(lines)


def _facts(rel: Relation, rows: Iterable[Row], today: dt.date) -> list[str]:
    return sorted(fact(rel, row, today) for row in rows)
