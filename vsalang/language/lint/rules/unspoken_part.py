"""L0044: a part of the instruction of which no rule says anything."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.language.lint.instruction import Quotation, place, quoted_texts
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.mentions import Mentions, mentions_of
from vsalang.language.lint.walk import nodes
from vsalang.language.lint.wording import ACTS, Part, part, parts_of, spaced, stem, unquoted
from vsalang.language.syntax import tree as t
from vsalang.program.text import fold_case, words

_EXCEPT = re.compile(
    r"\b(?:except(?: for)?|apart from|other than|but not|excluding|save for"
    r"|(?:do not|don['’]t|never) (?:take|pick|choose)|(?:all|every|each)\b[^.,;:!?]*?\bbut)\s+",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.,;:!?]")
_NEGATED = re.compile(r"\b(?:not|never|nothing|without|no|\w+n['’]t)\b", re.IGNORECASE)
_ENGLISH = re.compile(
    r"\b(?:the|a|an|to|for|of|at|on|in|with|my|and|all|every|each|but|from)\b", re.IGNORECASE
)


def find(context: Context) -> Iterable[Diagnostic]:
    """Parts of an instruction that ask for an act, or except something, and of which no word is in the rules."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None or not _ENGLISH.search(doc.value) or not context.rules:
        return
    mentions = mentions_of(context)
    quoted = list(quoted_texts(doc.value))
    done = _verbs(context)
    spoken = [
        item
        for item in parts_of(doc.value)
        if (item.verb in ACTS or stem(item.verb) in done) and not _NEGATED.search(item.text)
    ]
    verbs = Counter(item.verb for item in spoken)
    unspoken = [
        item
        for item in spoken
        if item.about
        and (not item.refers or item.verb in _TELLS)
        and not _mentioned(item, mentions)
        and not (stem(item.verb) in done and verbs[item.verb] == 1)
    ]
    if len(unspoken) == len(spoken):  # the rules are in words of their own, or in another language
        unspoken = []
    yield from _excepted(context, doc)
    for item in (*unspoken, *_exceptions(doc.value, mentions)):
        if any(quote.start < item.end and item.start < quote.end for quote in quoted):
            continue  # L0002 says what is quoted
        yield warning(
            RULE.code,
            place(doc, context.unit.source, doc.value, item.start, item.end),
            f"the instruction says “{safe(item.text, 80)}”, and no rule is about it",
            label="nothing keeps the agent to this, and nothing permits it",
            help="write what is permitted and when it is done; if it needs nothing, say so: "
            "`// lint: ignore L0044` on the line before",
        )


_TELLS = frozenset("send tell text message email mail write notify inform let invite share forward".split())
"""Verbs whose part names whom it tells, although what it tells of was named before."""


def _excepted(context: Context, doc: t.Text) -> Iterator[Diagnostic]:
    """Permissions of all that leave out nothing, where the instruction excepts by name what only `done` mentions."""
    licences = [(rule, head) for rule, head in context.licences() if head.quota.kind == "each"]
    if not licences:
        return
    restricting = [item for item in context.tree_rules() if item.kind in ("allow", "deny")]
    named = {
        fold_case(node.value.strip())
        for rule in restricting
        for node in nodes((rule.head if rule.kind == "allow" else (), rule.body, rule.extra or ()))
        if isinstance(node, t.Text)
    }
    everywhere = {
        fold_case(node.value.strip())
        for rule in context.tree_rules()
        for node in nodes(
            (rule.head if isinstance(rule.head, t.AtomHead) else (), rule.body, rule.extra or ())
        )
        if isinstance(node, t.Text)
    }
    if any(
        isinstance(node, t.Arg | t.Compare)
        and any(isinstance(getattr(node, side, None), t.Ref | t.Regex) for side in ("value", "right"))
        for rule in restricting
        for node in nodes((rule.head, rule.body))
    ):
        return  # names in a list of words or a pattern
    for match in _ALL_BUT.finditer(unquoted(doc.value)):
        capital = [
            Quotation(m.group(), *m.span()) for m in _CAPITAL.finditer(unquoted(doc.value), match.end())
        ]
        for quote in (*quoted_texts(doc.value), *capital):
            gap = doc.value[match.end() : quote.start]
            if quote.start < match.end() or not _TO_NAME.fullmatch(gap):
                continue
            name = fold_case(quote.text.strip())
            if name in named or name not in everywhere:
                continue  # L0002 says what no rule mentions
            rule, head = licences[0]
            yield warning(
                RULE.code,
                rule.head_span or head.atom.span,
                f"the instruction excepts “{safe(quote.text, 60)}”, and this permits it, too",
                labels=(
                    Label(place(doc, context.unit.source, doc.value, match.start(), quote.end), "said here"),
                ),
                help=f'leave it out: `?x != "{safe(quote.text, 60)}"` in the rule that permits the others',
            )


_CAPITAL = re.compile(r"\b(?!AM\b|PM\b)[A-Z][\w'’]+")
_ALL_BUT = re.compile(
    r"\b(?:all|every|everything|everyone|each|any)\b[^.;:!?]*?\b(?:but(?: not| for)?|except(?: for)?|apart from"
    r"|other than|excluding|besides|save for|not)\b",
    re.IGNORECASE,
)
_TO_NAME = re.compile(
    r"[\s“\"'‘«„]*(?:(?:the|my|a|an|one|ones|from|of|by|called|named|to|with)\s+|[a-z]+\s+){0,3}[\s“\"'‘«„]*"
)


def _verbs(context: Context) -> frozenset[str]:
    """The stems of the verbs of the allowed actions: the first words of their names and descriptions."""
    relations = [context.relation(head.atom) for _, head in context.licences()]
    texts = [text for relation in relations for text in (spaced(relation.short), relation.doc)]
    return frozenset(stem(first.folded) for text in texts for first in list(words(text))[:1])


def _mentioned(item: Part, mentions: Mentions) -> bool:
    return any(word in mentions.stems or any(word in name for name in mentions.names) for word in item.about)


def _exceptions(text: str, mentions: Mentions) -> Iterator[Part]:
    """The parts that except somebody or something by a name which no rule mentions."""
    plain = unquoted(text)
    for match in _EXCEPT.finditer(plain):
        stop = _STOP.search(plain, match.end())
        item = part(plain, match.start(), stop.start() if stop else len(plain))
        phrase = _named(plain[match.end() : item.end])
        if not phrase and not _LOOSELY.match(match.group()):
            phrase = _noun(plain[match.end() : item.end])
        if phrase and not phrase & mentions.stems:
            yield item


def _noun(text: str) -> frozenset[str]:
    """The stem of the noun that a text begins with: “van” of “a van to the opera”; empty if not certain."""
    match = _NOUN.match(text)
    return frozenset({stem(match["noun"].lower())}) if match else frozenset()


_NOUN = re.compile(
    r"(?:a|an|any|the)\s+(?P<noun>[a-z]{3,})(?=\s*(?:$|[.,;:!?]|(?:to|from|for|in|at|on|and|or)\b))"
)
_LOOSELY = re.compile(r"but not", re.IGNORECASE)


def _named(text: str) -> frozenset[str]:
    """The stems of the names in a text, which begin with a capital letter."""
    return frozenset(
        stem(word.lower()) for word in re.findall(r"\b[A-Z][\w'’]+", text) if word not in ("AM", "PM")
    )


_SPEC = (
    'spec book "Book a table at R for today, at 18:30, and tell Ann"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = 18:30).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0044",
    "unspoken-part",
    "part of the instruction of which no rule says anything",
    "An instruction often asks for two things. If no word of one of them is in a rule, or in the description of what "
    "the rules ask about, the agent may not do it, and the task counts as done without it. The same is so for an "
    "exception: who is excepted by name must be in a rule. Parts that only look, open or go somewhere are left alone.",
    _SPEC,
    _SPEC.replace(", and tell Ann", ", and go back"),
    find,
    fix="none: what the part asks of the rules is not known",
)
