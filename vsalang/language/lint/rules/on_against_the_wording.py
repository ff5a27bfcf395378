"""L0050: `on = true` where the instruction says "turn off", and the reverse."""

import re
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.language.lint.instruction import place
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.wording import spaced, stem, unquoted
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.text import words

_TURN = re.compile(
    r"\b(?:turn|switch|put|shut)\s+(?:(?!off\b|on\b|and\b|then\b)[\w'’-]+\s+){0,6}?(?P<which>off|on)\b",
    re.IGNORECASE,
)
_SAID = (
    (False, re.compile(r"\b(?:disable|deactivate)\b", re.I)),
    (True, re.compile(r"\b(?:enable|activate)\b", re.I)),
)
_ON = frozenset({"on", "enabled", "active", "activated"})


def find(context: Context) -> Iterable[Diagnostic]:
    """Parameters that say whether something is on, which no `allow` gives the only value that the instruction names."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    text = unquoted(doc.value)
    phrase: dict[bool, re.Match[str]] = {}
    for match in _TURN.finditer(text):
        phrase.setdefault(match["which"].lower() == "on", match)
    for value, pattern in _SAID:
        if named := pattern.search(text):
            phrase.setdefault(value, named)
    values: dict[tuple[str, str], list[tuple[ir.Constraint, bool]]] = {}
    for _, head in context.licences():
        for constraint in head.atom.constraints:
            if (
                constraint.op == "="
                and isinstance(constraint.term, ir.Const)
                and isinstance(constraint.term.value, bool)
            ):
                key = (head.atom.relation, constraint.attr)
                values.setdefault(key, []).append((constraint, constraint.term.value))
    switched: list[tuple[ir.Constraint, bool]] = []
    for (action, name), written in values.items():
        relation = context.program.relations[action]
        attr = relation.attr(name)
        if phrase and _says_on(attr):
            switched += written
        elif not phrase and (asked := _asked(text, relation, attr)) is not None:
            yield from _wrong(context, doc, written, *asked)
    if len(phrase) == 1:
        ((wanted, match),) = phrase.items()
        yield from _wrong(context, doc, switched, wanted, match)


def _asked(text: str, action: ir.Relation, attr: ir.Attr) -> tuple[bool, re.Match[str]] | None:
    """What the instruction says of a truth value by the word that its description has: “give it a star”."""
    keys = {
        word.folded
        for word in words(f"{'' if attr.name in _ON else spaced(attr.name)} {attr.doc}")
        if word.folded not in _FILL and len(word.folded) > 2
    }
    if len(keys) > 1:  # “whether the letter has a star”: another parameter is about letters
        others = {
            word.folded
            for other in action.attrs
            if other.name != attr.name
            for word in words(f"{spaced(other.name)} {other.doc}")
        }
        keys -= others
    if len(keys) != 1:
        return None  # not certain which of the words it is about
    (key,) = keys
    if key.startswith(("un", "dis", "in")):
        return None
    root = re.escape(stem(key))
    form = rf"{root}(?:e|y|s|es|ed|ing|(?P<double>\w)?(?:ed|ing))?"
    gift = re.search(rf"{_BEGIN}(?:give|add|put|set|mark|make|flag)\b{_WITHIN}\b{form}\b(?! off)", text, re.I)
    act = re.search(rf"{_BEGIN}{form}\b(?!\s+(?:off|from|of|is|has|that)\b)", text, re.I)
    taken = re.search(rf"{_BEGIN}(?:take|remove|delete|clear|drop)\b{_WITHIN}\b{form}\b", text, re.I)
    undone = re.search(rf"\b(?:un|dis|de){form}\b", text, re.I)
    if opposite := _OPPOSITES.get(stem(key)):
        undone = undone or re.search(rf"{_BEGIN}(?:{opposite})\b", text, re.I)
    no = re.search(rf"\b(?:no|not|n['’]t|never|without|nor|{_WITHOUT})\b", text, re.I)
    positive, negative = gift or act, taken or undone
    if no or bool(positive) == bool(negative):
        return None
    match = positive or negative
    assert match is not None
    return positive is not None, match


_OPPOSITES = {
    "open": "close|shut",
    "clos": "open",
    "start": "stop|end",
    "runn": "stop|pause",
    "run": "stop|pause",
    "play": "pause|stop",
    "paus": "resume|continue|play",
    "shown": "hide",
    "visibl": "hide",
    "hidden": "show|unhide",
    "connect": "disconnect",
    "finish": "reopen",
    "don": "reopen",
    "archiv": "restore",
    "block": "allow",
}
"""By the stem of a word the verbs that ask for the opposite."""
_WITHOUT = "if|unless|whether|otherwise|else|instead|except|but"
_BEGIN = r"(?:^|[.;!]\s+|,\s*|\b(?:and|then|please|you|to)\s+)(?:(?:please|kindly|also|then|now)\s+)*\b"
_WITHIN = r"(?:\s+(?!(?:and|then|from|if|that|which)\b)[\w'’-]+|[\s“”\"'‘’„«»]+)*?"
_FILL = frozenset(
    "whether it is has have had be been are was its the a an this that afterwards after afterward then now shall "
    "should will would on off true false or not if one there to of for in by with set state value new got "
    "gets get".split()
)


def _wrong(
    context: Context,
    doc: t.Text,
    values: list[tuple[ir.Constraint, bool]],
    wanted: bool,
    match: re.Match[str],
) -> Iterator[Diagnostic]:
    """The findings of values of which none is the wanted one."""
    if any(value is wanted for _, value in values):
        return
    for constraint, value in values:
        right = f"{constraint.attr} = {'true' if wanted else 'false'}"
        yield warning(
            RULE.code,
            constraint.span,
            f"the instruction says “{' '.join(match.group().split())}”, "
            f"and this is `{constraint.attr} = {str(value).lower()}`",
            label="the opposite is permitted",
            labels=(
                Label(place(doc, context.unit.source, doc.value, match.start(), match.end()), "said here"),
            ),
            help=f"write `{right}`",
            fixes=(Fix(f"write `{right}`", (Edit(constraint.span, right),)),) if constraint.span else (),
        )


def _says_on(attr: ir.Attr) -> bool:
    return attr.name in _ON or bool(_ON & {word.folded for word in words(attr.doc)})


_SPEC = (
    'spec dark "Turn off the dark theme of the display"\nimport apps.settings\n'
    'allow Switch(page = "Display", name = "Dark theme", on = {on}).\n'
    'done when Toggle(page = "Display", name = "Dark theme", on = {on}).\n'
)
RULE = Rule(
    "L0050",
    "on-against-the-wording",
    "on where the instruction says off",
    "“Turn off” is `on = false`: the value says what is so afterwards. So is what an instruction says in the word of a "
    "parameter: “give it a star”, “take its star”, “unlock”. Where the instruction asks for turning things "
    "off alone, an `allow` that turns one on permits the opposite of what was asked for.",
    _SPEC.replace("{on}", "true"),
    _SPEC.replace("{on}", "false"),
    find,
    fix="writes the other truth value",
)
