"""Exports two graphs for Graphviz: what rules read and write, and how gestures lead from screen to screen."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from vsalang.language.notations.out.exported import ExportResult, Omission
from vsalang.program import ir
from vsalang.program.screen_rules import is_screen_rule, screen_of
from vsalang.program.show import short_name, source, title
from vsalang.program.transitions import others, starts, triggers
from vsalang.program.walk import Use, parts, rewrite, rule_uses, variables

_SHAPES: Final[Mapping[str, str]] = {
    "state": 'shape=cylinder, fillcolor="#dbeafe"',
    "view": 'shape=box, style="rounded,filled", fillcolor="#dcfce7"',
    "list": 'shape=folder, fillcolor="#dcfce7"',
    "observed": 'shape=ellipse, fillcolor="#f3f4f6"',
    "gesture": 'shape=cds, fillcolor="#fef9c3"',
    "action": 'shape=octagon, fillcolor="#fee2e2"',
    "derived": 'shape=ellipse, fillcolor="#ffffff"',
    "screen": 'shape=tab, fillcolor="#ede9fe"',
}
_LONGEST: Final = 60


def quoted(text: str) -> str:
    """A text as a quoted string of the DOT language: no character of it is read as an escape or ends the string."""
    printable = "".join(
        char if char.isprintable() or char == "\n" else f"<U+{ord(char):04X}>" for char in text
    )
    escaped = printable.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def rule_graph(program: ir.Program, *, main_only: bool = False) -> ExportResult:
    """The dependency graph: relations, and a small box for each rule between what it reads and what it writes.

    A dashed red edge is a negation, a dotted one asks the past, a bold one proposes an action or a gesture.
    """
    rules = [
        rule
        for rule in program.rules
        if not is_screen_rule(rule.id) and (not main_only or rule.module == program.main)
    ]
    lines = [f"digraph {quoted(program.main)} {{", *_style("LR")]
    edges: list[str] = []
    used: dict[str, None] = {}
    for rule in rules:
        node = quoted(f"rule {rule.id}")
        lines.append(
            f"  {node} [shape=note, fillcolor=white, fontsize=9, label={quoted(f'{title(rule)}{chr(10)}{rule.id}')}];"
        )
        for name, kinds in _reads(rule).items():
            used[name] = None
            edges.append(f"  {quoted(name)} -> {node}{_edge(program.relation(name), kinds)};")
        written = _writes(rule)
        if written:
            used[written] = None
            edges.append(f"  {node} -> {quoted(written)};")
    for name in used:
        each = program.relation(name)
        if each.sort == "action":
            edges += [
                f"  {quoted(name)} -> {quoted(o)} [style=dashed, label=over];" for o in each.over if o in used
            ]
        if each.refines is not None and each.refines.action in used:
            edges.append(f"  {quoted(name)} -> {quoted(each.refines.action)} [label=refines];")
    for module, names in _by_module(program, used):
        lines.append(f"  subgraph {quoted(f'cluster {module}')} {{")
        lines.append(f"    label={quoted(module)}; color=gray80; fontcolor=gray40;")
        for name in names:
            shape = _SHAPES[program.relation(name).sort]
            lines.append(f"    {quoted(name)} [{shape}, label={quoted(short_name(name))}];")
        lines.append("  }")
    return ExportResult("\n".join([*lines, *edges, "}"]) + "\n", len(rules))


def screen_graph(program: ir.Program, *, main_only: bool = False) -> ExportResult:
    """The transition graph: the screens of the apps, and an edge for each `goto`, labelled with its gesture.

    A `goto` that names no screen leads from any screen of its app. A dashed edge without an arrow means that a screen
    may cover another; a double border marks a `closed` screen.
    """
    lines = [f"digraph {quoted(program.main)} {{", *_style("TB")]
    edges: list[str] = []
    omissions: list[Omission] = []
    screens = {
        name: each
        for name, each in program.relations.items()
        if each.sort == "screen" and (not main_only or each.module == program.main)
    }
    any_of: dict[str, None] = {}
    count = 0
    for rule in program.rules:
        if not isinstance(rule.head, ir.Goto) or rule.head.screen not in screens:
            continue
        count += 1
        module = rule.module
        sources = [name for name in starts(rule, program) if name in screens]
        if not sources:
            any_of[module] = None
        label = "\n".join(map(_atom_label, triggers(rule, program))) or "(no gesture)"
        if conditions := [_atom_label(each) for each in others(rule, program)]:
            label += "\nif " + "\n".join(conditions)
        for start in sources or [f"any screen of {module}"]:
            edges.append(f"  {quoted(start)} -> {quoted(rule.head.screen)} [label={quoted(label)}];")
    for module in dict.fromkeys(each.module for each in screens.values()):
        lines.append(f"  subgraph {quoted(f'cluster {module}')} {{")
        lines.append(f"    label={quoted(module)}; color=gray80; fontcolor=gray40;")
        for name, each in screens.items():
            if each.module == module:
                more = ", peripheries=2" if each.closed else ""
                tip = f", tooltip={quoted(each.doc)}" if each.doc else ""
                lines.append(
                    f"    {quoted(name)} [{_SHAPES['screen']}, label={quoted(short_name(name))}{more}{tip}];"
                )
        if module in any_of:
            label = quoted("any screen")
            lines.append(
                f'    {quoted(f"any screen of {module}")} [shape=plaintext, style="", label={label}];'
            )
        lines.append("  }")
    for name, each in screens.items():
        edges += [
            f'  {quoted(name)} -> {quoted(below)} [style=dashed, color=gray60, arrowhead=none, label="over"];'
            for below in each.over
            if below in screens
        ]
    return ExportResult("\n".join([*lines, *edges, "}"]) + "\n", count, tuple(omissions))


def _style(direction: str) -> list[str]:
    return [
        f"  rankdir={direction};",
        '  node [fontname="Helvetica", fontsize=11, style=filled];',
        '  edge [fontname="Helvetica", fontsize=9, color=gray30];',
    ]


# ---- what rules read and write ---------------------------------------------------------------------


def _edge_styles(use: Use) -> frozenset[str]:
    """The ways in which an atom is asked: ``not``, ``past``."""
    return frozenset({"not"} if use.negated else ()) | ({"past"} if use.past or use.done else frozenset())


def _reads(rule: ir.Rule) -> dict[str, frozenset[str]]:
    """The relations that a rule reads, each with the ways in which it does."""
    reads: dict[str, frozenset[str]] = {}
    asked = [(use.atom.relation, _edge_styles(use)) for use in rule_uses(rule)]
    asked += [(each.relation, frozenset({"past"})) for each in parts(rule) if isinstance(each, ir.Spent)]
    for name, kinds in asked:
        reads[screen_of(name)] = reads.get(screen_of(name), frozenset()) | kinds
    if isinstance(rule.head, ir.License):
        name = rule.head.atom.relation
        reads[name] = reads.get(name, frozenset()) | {"proposed"}
    return reads


def _writes(rule: ir.Rule) -> str:
    match rule.head:
        case ir.Derive() | ir.Recognize() | ir.Mark() | ir.Write():
            return screen_of(rule.head.atom.relation)
        case ir.Goto():
            return rule.head.screen
        case _:
            return ""


def _edge(relation: ir.Relation, kinds: Iterable[str]) -> str:
    ways = set(kinds)
    if "not" in ways:
        return ' [style=dashed, color="#b91c1c"]'
    if "past" in ways:
        return " [style=dotted]"
    if "proposed" in ways or relation.sort == "gesture":
        return " [style=bold]"
    return ""


def _by_module(program: ir.Program, names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(program.relation(name).module or "device", []).append(name)
    yield from sorted(groups.items())


# ---- what leads to a screen ------------------------------------------------------------------------


def _atom_label(item: ir.Atom | ir.Literal) -> str:
    """A gesture, an action or a condition as people write it, shortened; what is said with variables is left out."""
    text = " ".join(source(rewrite(item, _without_variables)).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 2] + ".."


def _without_variables(part: Any) -> Any:
    if not isinstance(part, ir.Atom):
        return part
    return replace(part, constraints=tuple(each for each in part.constraints if not variables(each)))
