"""Prints syntax trees for property tests: ``parse(show(tree))`` is the tree again, except for spans and comments."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from vsalang.language.syntax import tree
from vsalang.program import values
from vsalang.program.text import quote

Node: TypeAlias = (
    tree.Module
    | tree.Import
    | tree.Item
    | tree.RuleHead
    | tree.Step
    | tree.Verdict
    | tree.Annotation
    | tree.Member
    | tree.TypeRef
    | tree.AttrDecl
    | tree.Literal
    | tree.Past
    | tree.Atom
    | tree.Arg
    | tree.Expr
    | tree.Name
)

_WIDTH = 100
_STRENGTH = {"+": 1, "-": 1, "*": 2}


def show(node: Node) -> str:
    """The source text of a node, without a final line break."""
    if isinstance(node, tree.Module):
        return _module(node)
    if isinstance(node, tree.Import):
        return f"import {node.name.text}" + (f" as {node.alias.text}" if node.alias else "")
    if isinstance(node, tree.Let | tree.Enum | tree.Relation | tree.Action | tree.Rule | tree.Test):
        return _annotated(node)
    if isinstance(node, tree.Step):
        return _step(node, "")
    if isinstance(node, tree.Verdict):
        return _verdict(node)
    if isinstance(node, tree.Annotation):
        return f"@{node.name.text}" + (f"({_list(node.args)})" if node.args else "")
    if isinstance(node, tree.Member):
        return _name(node.name) + (f" as ({_list(node.spellings)})" if node.spellings else "")
    if isinstance(node, tree.TypeRef):
        return _type(node)
    if isinstance(node, tree.AttrDecl):
        return f"{node.name.text}: {_type(node.type)}" + _doc(node.doc)
    if isinstance(node, tree.Name):
        return _name(node)
    if isinstance(
        node,
        tree.AtomHead | tree.ScreenHead | tree.GotoHead | tree.DoneHead | tree.JudgeHead | tree.ExpectHead,
    ):
        return _head(node)
    if isinstance(
        node,
        tree.Lit | tree.Compare | tree.Aggregate | tree.Every | tree.First | tree.Spent | tree.Then,
    ):
        return _literal(node)
    if isinstance(node, tree.Atom):
        return _atom(node)
    if isinstance(node, tree.Past):
        return _past(node)
    if isinstance(node, tree.Arg):
        return node.attr.text + _comparison(node.op, node.value, node.hi)
    return _expr(node)


def _list(nodes: Iterable[Node]) -> str:
    return ", ".join(map(show, nodes))


def _names(names: Iterable[tree.Name]) -> str:
    return ", ".join(name.text for name in names)


def _name(name: tree.Name) -> str:
    return quote(name.text) if name.quoted else name.text


def _doc(doc: tree.Text | None) -> str:
    return f" {_expr(doc)}" if doc else ""


# ---------------------------------------------------------------- values


def _expr(node: tree.Expr) -> str:
    if isinstance(node, tree.Text):
        return _text(node)
    if isinstance(node, tree.Scalar):
        return node.raw or values.show(node.value)
    if isinstance(node, tree.Var):
        return f"?{node.name}"
    if isinstance(node, tree.Ref):
        return node.name
    if isinstance(node, tree.Wildcard):
        return "_"
    if isinstance(node, tree.Unknown):
        return "unknown"
    if isinstance(node, tree.Call):
        return f"{node.name.text}({_list(node.args)})"
    if isinstance(node, tree.Binary):
        return f"{_operand(node.left, node.op, False)} {node.op} {_operand(node.right, node.op, True)}"
    if isinstance(node, tree.Negate):
        inner = _expr(node.operand)
        if isinstance(node.operand, tree.Binary | tree.Negate):
            inner = f"({inner})"
        return "- " + inner if inner[0] in "-0123456789" else "-" + inner
    if isinstance(node, tree.Paren):
        return f"({_expr(node.inner)})"
    if isinstance(node, tree.SetOf):
        return "{" + _list(node.items) + "}"
    if isinstance(node, tree.WordsOf):
        lines = "".join(f"\n{', '.join(entry.forms)}" for entry in node.entries)
        return f'words """{lines}\n"""' if node.file is None else f"words {_text(node.file)}"
    source = re.sub(
        r"\\.|/", lambda match: "\\/" if match[0] == "/" else match[0], node.source, flags=re.DOTALL
    )
    return f"/{source}/{node.flags}"


def _operand(node: tree.Expr, op: str, right: bool) -> str:
    """An operand, in parentheses where the tree could not be read back without them."""
    text = _expr(node)
    if isinstance(node, tree.Binary):
        mine, its = _STRENGTH[op], _STRENGTH[node.op]
        if its < mine or (right and its == mine):
            return f"({text})"
    return text


def _text(node: tree.Text) -> str:
    value = node.value
    if not node.block or re.search(r"[\n\r]|\A[ \t]|[ \t]\Z", value):
        return quote(value)
    body = value.replace('"""', '\\"""')
    gap = " " if body[-1:] in ('"', "\\") else ""
    return f'"""{body}{gap}"""'


# ---------------------------------------------------------------- conditions


def _comparison(op: str, value: tree.Expr | None, hi: tree.Expr | None) -> str:
    if value is None:
        return f" {op}"
    return f" {op} {_expr(value)}" + (f"..{_expr(hi)}" if hi is not None else "")


def _atom(node: tree.Atom, keep: bool = False) -> str:
    place = f"{node.place} " if node.place else ""
    args = [show(arg) for arg in node.args] + [".."] * keep
    inner = f"({', '.join(args)})" if args or node.parens else ""
    return place + node.name.text + inner


def _past(node: tree.Past) -> str:
    if node.other is not None:
        return f"{node.op} {_atom(node.other)}"
    return node.op + (f" {_expr(node.duration)}" if node.duration is not None else "")


def _front(neg: str, before: bool) -> str:
    return (f"{neg} " if neg else "") + ("before " if before else "")


def _lit(node: tree.Lit) -> str:
    return _front(node.neg, node.before) + _atom(node.atom) + (f" {_past(node.past)}" if node.past else "")


def _literal(node: tree.Literal) -> str:
    if isinstance(node, tree.Lit):
        return _lit(node)
    if isinstance(node, tree.Compare):
        return _expr(node.left) + _comparison(node.op, node.right, node.hi)
    if isinstance(node, tree.Aggregate):
        of = f"{node.attr.text} of " if node.attr else ""
        return f"{node.fn.text}({of}{_lit(node.lit)})" + _comparison(node.op, node.right, node.hi)
    if isinstance(node, tree.Every):
        return f"{_front(node.neg, node.before)}every {_atom(node.atom)} has ({_list(node.has)})"
    if isinstance(node, tree.First):
        has = f" has ({_list(node.has)})" if node.has is not None else ""
        return f"{_front(node.neg, node.before)}first {_expr(node.n)} {_atom(node.atom)}{has}"
    if isinstance(node, tree.Spent):
        return f"all {node.action.text}"
    return " then ".join(map(_group, node.parts))


def _group(part: tuple[tree.Literal, ...]) -> str:
    text = _list(part)
    return text if len(part) == 1 and not isinstance(part[0], tree.Then) else f"({text})"


# ---------------------------------------------------------------- items


def _module(node: tree.Module) -> str:
    header = f"{node.kind} {node.name.text}"
    if node.packages:
        header += f" package {_list(node.packages)}"
    if node.generic:
        header += " any"
    lines = [header + _doc(node.doc)]
    lines += map(show, node.imports)
    for item in node.items:
        lines += ["", show(item)]
    return "\n".join(lines)


def _annotated(node: tree.Item) -> str:
    line = " ".join(map(show, node.annotations))
    return (line + "\n" if line else "") + _item(node)


def _item(node: tree.Item) -> str:
    if isinstance(node, tree.Let):
        return f"let {node.name.text} = {_expr(node.value)}."
    if isinstance(node, tree.Enum):
        return f"enum {node.name.text}{_doc(node.doc)} {{{_list(node.members)}}}"
    if isinstance(node, tree.Relation):
        return _relation(node)
    if isinstance(node, tree.Action):
        params = f"({_list(node.params)})" if node.params else ""
        over = f" over {_names(node.over)}" if node.over else ""
        refines = f" refines {_atom(node.refines)}" if node.refines is not None else ""
        return f"action {node.name.text}{params}{over}{refines}{_doc(node.doc)}"
    if isinstance(node, tree.Rule):
        return _rule(node)
    target = f" for {node.target.text}" if node.target else ""
    steps = "".join(f"  {_step(step, '  ')}\n" for step in node.steps)
    return f"test {_expr(node.name)}{target} {{\n{steps}}}"


def _type(node: tree.TypeRef) -> str:
    if node.elem is not None:
        return f"set of {_type(node.elem)}"
    if node.members is not None:
        return f"enum {{{_list(node.members)}}}"
    return node.name.text if node.name else ""


def _relation(node: tree.Relation) -> str:
    head = f"{node.sort} {node.name.text}"
    if node.on:
        head += f" on {_names(node.on)}"
    if node.within:
        head += f" in ({_names(node.within)})"
    if node.key:
        head += f" key ({_names(node.key)})"
    attrs = "".join(f"  {show(attr)}\n" for attr in node.attrs)
    return f"{head}{_doc(node.doc)} {{\n{attrs}}}" if attrs else f"{head}{_doc(node.doc)} {{}}"


def _rule(node: tree.Rule) -> str:
    if isinstance(node.head, tree.JudgeHead | tree.ExpectHead | tree.DoneHead):
        head = (
            f"{node.kind} {_head(node.head)}".rstrip()
            if not isinstance(node.head, tree.DoneHead)
            else node.kind
        )
    else:
        head = f"{node.kind} {_head(node.head)}"
    head += _doc(node.doc)
    text = head
    for word, part in (("when", node.body), ("with", node.extra)):
        if part:
            literals = [_literal(literal) for literal in part]
            flat = f" {word} " + ", ".join(literals)
            if len(text) + len(flat) <= _WIDTH and "\n" not in text:
                text += flat
            else:
                text += f"\n  {word} " + ",\n       ".join(literals)
    return text + "."


def _head(node: tree.RuleHead) -> str:
    """The head without its keyword, which the rule knows."""
    if isinstance(node, tree.AtomHead):
        quota = node.quota if isinstance(node.quota, str) else _expr(node.quota)
        return (f"{quota} " if quota else "") + _atom(node.atom, node.keep)
    if isinstance(node, tree.ScreenHead):
        over = f" over {_names(node.over)}" if node.over else ""
        return node.name.text + (" closed" if node.closed else "") + over
    if isinstance(node, tree.GotoHead):
        return node.screen.text
    if isinstance(node, tree.JudgeHead):
        return _expr(node.message)
    if isinstance(node, tree.ExpectHead):
        return _list(node.literals)
    return "done"


# ---------------------------------------------------------------- tests


def _step(node: tree.Step, indent: str) -> str:
    verdict = f" {_verdict(node.verdict)}" if node.verdict else ""
    if node.kind == "step":
        parts = "".join(f"{indent}  {_step(part, indent + '  ')}\n" for part in node.parts)
        return f"step {{\n{parts}{indent}}}{verdict}."
    if node.kind == "clock" and node.clock is not None:
        date, time = node.clock
        return "clock " + (f"{_expr(date)} " if date else "") + f"{_expr(time)}."
    if node.kind == "assume" and node.assumed is not None:
        left, op, right = node.assumed
        return f"assume {_expr(left)} {op} {_expr(right)}."
    word = "" if node.kind == "gesture" else node.kind + (" " if node.atoms else "")
    return f"{word}{', '.join(_atom(atom, at in node.keep) for at, atom in enumerate(node.atoms))}{verdict}."


def _verdict(node: tree.Verdict) -> str:
    because = f" because {_list(node.because)}" if node.because else ""
    return "=> " + " or ".join(level.text for level in node.levels) + because
