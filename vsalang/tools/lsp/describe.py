"""The text that an editor shows about a name or a finding, as Markdown or plain text."""

import re
from collections.abc import Sequence

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.diagnostics.display import count, safe
from vsalang.language.describe.values import some_words
from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.scope import RelationSymbol, ScreenSymbol
from vsalang.language.syntax import tree as t
from vsalang.program import ops
from vsalang.program.ir import Regex, Type
from vsalang.program.show import member_source, pattern_source
from vsalang.program.text import quote
from vsalang.tools.lsp.keywords import KEYWORDS
from vsalang.tools.lsp.names import (
    AliasSymbol,
    AttributeSymbol,
    EnumSymbol,
    MemberSymbol,
    RuleSymbol,
    Symbol,
    VariableSymbol,
    declaration,
)

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-!|<>~&])")
_LONGEST = 1000
_MOST_WORDS = 30


def describe(symbol: Symbol, *, markdown: bool, words: Sequence[str] = ()) -> str:
    """A declaration as source text, and its description; of a list of words the first `words`."""
    match symbol:
        case RelationSymbol():
            return _page(_relation(symbol), _relation_doc(symbol), markdown)
        case AttributeSymbol(relation=relation, name=name):
            text = f"{relation.short}.{name}{_colon(relation.types[name])}"
            return _page(text, relation.docs.get(name, ""), markdown)
        case ScreenSymbol():
            doc = next((rule.doc.value for rule in symbol.rules if rule.doc), "")
            return _page(f"screen {symbol.name.rpartition(':')[2]}", doc, markdown)
        case EnumSymbol(type=type_):
            members = ", ".join(member_source(member.name) for member in type_.members)
            return _page(f"enum {type_.name.rpartition('.')[2]} {{{members}}}", "", markdown)
        case MemberSymbol(name=name, type=type_):
            also = next((each.spellings for each in type_.members if each.name == name), ())
            spellings = f"also: {', '.join(map(quote, also))}" if also else ""
            return _page(f"{member_source(name)}: {type_}", spellings, markdown)
        case VariableSymbol(name=name, type=type_):
            return _page(f"?{name}{_colon(type_)}", "", markdown)
        case RuleSymbol(id=name, item=item):
            return _page(f"{item.kind} {quote(name)}", item.doc.value if item.doc else "", markdown)
        case AliasSymbol(unit=unit):
            return describe(unit, markdown=markdown)
        case ops.Function(name=name, signatures=signatures, doc=doc):
            lines = [f"{name}({', '.join(each.arguments)}): {each.result}" for each in signatures]
            return _page("\n".join(lines), doc, markdown)
        case t.Let(name=let):
            return _page(f"let {let.text} = {_value(symbol.value)}", some_words(words, _MOST_WORDS), markdown)
        case Unit(tree=tree):
            return _page(f"{tree.kind} {tree.name.text}", tree.doc.value if tree.doc else "", markdown)


def keyword(word: str, *, markdown: bool = True) -> str:
    """What a word of the language means; empty for other words."""
    text = KEYWORDS.get(word, "")
    return text if markdown else text.replace("`", "")


def explain(finding: Diagnostic) -> str:
    """The explanation of a finding's code, for text and Markdown; empty without a code."""
    from vsalang.base.diagnostics.codes import CODES
    from vsalang.language.lint import CODES as LINT_CODES

    entry = CODES.get(finding.code) or LINT_CODES.get(finding.code)
    return f"{entry.code}: {entry.title}\n\n{entry.explanation}" if entry else ""


def _page(signature: str, doc: str, markdown: bool) -> str:
    text = "\n".join(safe(line, _LONGEST) for line in signature.split("\n"))
    doc = safe(" ".join(doc.split()), _LONGEST)
    if not markdown:
        return f"{text}\n\n{doc}" if doc else text
    fence = "```"
    while fence in text:
        fence += "`"
    # a description stays plain text: no links, pictures or markup
    return f"{fence}vsa\n{text}\n{fence}" + ("\n\n" + _MARKUP.sub(r"\\\1", doc) if doc else "")


def _relation(symbol: RelationSymbol) -> str:
    """The declaration, with the description of each attribute after it."""
    item = declaration(symbol)
    head = f"{'define' if symbol.sort == 'derived' else symbol.sort} {symbol.short}"
    if isinstance(item, t.Relation):
        head += f" on {', '.join(name.text for name in item.on)}" if item.on else ""
        head += f" in ({', '.join(name.text for name in item.within)})" if item.within else ""
        head += f" key ({', '.join(name.text for name in item.key)})" if item.key else ""
    attrs = [(name, type_) for name, type_ in symbol.types.items() if symbol.sort != "list" or name != "at"]
    if not attrs:
        return head
    docs = {name: " ".join(symbol.docs.get(name, "").split()) for name, _ in attrs}
    lines = [
        f"  {name}{_colon(type_)}" + (f'  "{docs[name]}"' if docs[name] else "") for name, type_ in attrs
    ]
    return head + " {\n" + "\n".join(lines) + "\n}"


def _relation_doc(symbol: RelationSymbol) -> str:
    item = declaration(symbol)
    if item is not None:
        return item.doc.value if item.doc else ""
    if symbol.rules:
        return next((rule.doc.value for rule in symbol.rules if rule.doc), "")
    return symbol.relation.doc if symbol.relation else ""


def _colon(type_: Type | None) -> str:
    """``: Type``; empty if the type of a derived attribute is not known."""
    return f": {type_}" if type_ is not None else ""


def _value(value: t.Expr) -> str:
    match value:
        case t.Text(value=text):
            return quote(text)
        case t.Scalar(raw=raw):
            return raw
        case t.Ref(name=name):
            return name
        case t.Regex(source=source, flags=flags):
            return pattern_source(Regex(source, flags))
        case t.WordsOf(entries=entries, file=file):
            return (
                f"words {quote(file.value)}"
                if file is not None
                else f"words, {count(len(entries), 'entry', 'entries')}"
            )
        case t.SetOf(items=items):
            return "{" + ", ".join(_value(item) for item in items) + "}"
        case t.Negate(operand=operand):
            return f"-{_value(operand)}"
        case t.Binary(op=op, left=left, right=right):
            return f"{_value(left)} {op} {_value(right)}"
        case t.Paren(inner=inner):
            return f"({_value(inner)})"
        case _:
            return ".."
