"""L0045: two texts that differ by case or blanks alone."""

from collections import Counter
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.program.text import fold_case

_SEEN = frozenset({"text", "label", "desc", "hint", "title"})
"""Attributes of what a screen shows: apps write one word in several ways, so case alone says nothing there."""


def find(context: Context) -> Iterable[Diagnostic]:
    """Texts that one attribute is compared with, and that differ from a more frequent one by case or blanks alone."""
    doc = context.unit.tree.doc if context.kind == "spec" else None
    seen = _SEEN - {"title"} if context.kind == "spec" else _SEEN  # the app's own words, not the screen's
    places: dict[tuple[str, str], dict[str, list[Span]]] = {}
    for name, node in _texts(context):
        folded = " ".join(node.value.split())
        folded = folded if name in seen else fold_case(folded)
        places.setdefault((name, folded), {}).setdefault(node.value, []).append(node.span)
    for (name, _), spellings in places.items():
        if len(spellings) < 2:
            continue
        counts = Counter({text: len(spans) for text, spans in spellings.items()})
        meant = [text for text in counts if doc and text in doc.value]
        (usual, frequency), *others = sorted(
            counts.items(), key=lambda item: (meant != [item[0]], -item[1], spellings[item[0]][0].start)
        )
        for text, times in others:
            fix = Fix(f'write "{safe(usual, 60)}"', (Edit(spellings[text][0], _quoted(usual)),))
            # the instruction says which one is meant; else most of the rules do, if only blanks differ
            certain = meant == [usual] or (frequency > times == 1 and text.split() == usual.split())
            yield warning(
                RULE.code,
                spellings[text][0],
                f'"{safe(text, 60)}" differs from "{safe(usual, 60)}" by {_how(text, usual)} alone',
                label=f"`{name}` is never both",
                labels=(Label(spellings[usual][0], "written otherwise here"),),
                help="texts are compared exactly: write one of the two in both places",
                fixes=(fix,) if certain and times == 1 else (),
            )


def _how(one: str, other: str) -> str:
    if one.split() == other.split():
        return "blanks"
    return "case" if fold_case(one) == fold_case(other) else "case and blanks"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _texts(context: Context) -> Iterator[tuple[str, t.Text]]:
    """The texts that rules ask an attribute to be, with its name; several in one set are meant to differ."""
    for rule in context.tree_rules():
        head = rule.head if isinstance(rule.head, t.AtomHead) else ()
        for node in nodes((head, rule.body, rule.extra or ())):
            if isinstance(node, t.Arg) and node.op in ("=", "!=") and isinstance(node.value, t.Text):
                yield node.attr.text, node.value


_SPEC = (
    'spec book "Book a table at Chez Ann for today at 18:30"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "Chez Ann", date = today, time = 18:30)\n'
    '  when Slot(restaurant = "{name}", date = today, time = 18:30).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0045",
    "two-spellings",
    "two texts that differ by case or blanks alone",
    "Texts are compared exactly: `Chez Ann` is not `chez ann`, and a blank at the end counts. Where one attribute is "
    "compared with two such texts, one of the conditions does not hold. Of what a screen shows (texts, labels) only "
    "blanks count here, because apps write one word in several ways.",
    _SPEC.replace("{name}", "chez ann"),
    _SPEC.replace("{name}", "Chez Ann"),
    find,
    fix="writes the spelling of the others",
)
