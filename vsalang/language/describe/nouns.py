"""Finds nouns for relations and attributes: from their descriptions if those are nouns, else from their names."""

import re
from collections import Counter
from collections.abc import Iterable

from vsalang.base.records import dataclass
from vsalang.program.ir import Attr, Relation
from vsalang.program.text import line

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_NOUN = re.compile(r"(?:the|an?|its|their|his|her) ([^\W\d_][\w'-]*(?: [\w'-]+){0,3})", re.IGNORECASE)
_ROW = re.compile(r"(?:the|an?) ([^\W\d_][\w'-]*(?: [\w'-]+){0,4})", re.IGNORECASE)
_VERBS = re.compile(r"\b(is|are|was|were|has|have)\b")
# A name that is one of these says nothing as a noun: it is written in quotes.
_NO_NOUNS = frozenset(
    "a an and are as at be before by do during for from how if in into is it no not of off on or out over per so "
    "than that the then there to under until up what when where which who why with without".split()
)
_DEVICE = {
    "Node": "screen element", "Part": "element inside another", "Inside": "pair of nested elements",
    "TextIn": "text inside an element",
    "Next": "pair of neighbours", "Caption": "caption", "Band": "element on the same line",
    "Fits": "element wholly shown",
    "Whole": "row not cut off", "Bounds": "list whose ends are known", "Scrolled": "place in a list",
    "Control": "control", "UnitPart": "part of a control", "Kept": "element that was there before the last action",
    "Delta": "change of an element", "Appeared": "element that is new since the last action",
    "Gone": "element that went with the last action", "Moved": "list that was scrolled",
    "Traced": "part of the trace that was read whole", "Untraced": "part of the trace that was not read",
    "FileChanged": "file that changed", "Network": "network connection", "Setting": "device setting",
}  # fmt: skip
_OF_THE_CLOCK = {"now": "time of day", "today": "date"}
_OF_NODES = {
    "desc": "description", "hint": "prompt", "resource_id": "whole id", "left": "left edge", "top": "top edge",
    "right": "right edge", "bottom": "bottom edge", "value": "typed text", "was": "earlier number",
}  # fmt: skip
_ADJECTIVES = frozenset(
    "active available busy complete dark done empty free frozen full hidden lent missing new off ok old on online open "
    "private public read ready right running sent shown unread urgent valid visible wrong "
    "bought chosen found gone kept known left lost made paid sold taken told won written".split()
)
_LONGEST = 14
"""The most words of a description that is put into a sentence; longer ones are given separately."""
_MORE = re.compile(r"[,;:()]|[.!?](?=\s)")
"""Marks that begin a second thought: a description with one of them is not a simple clause."""
_AN = re.compile(r"(?:[aeio]|u(?!ni|se|sa|su|r[il]|t[ei])|ho(?:ur|ne))", re.IGNORECASE)


def split_name(name: str) -> str:
    """``ReserveResult`` and ``reserve_result`` as people write them: ``reserve result``."""
    words = _WORDS.findall(name) or [name]
    return " ".join(w if w.isupper() and len(w) > 1 else w.lower() for w in words)


def lower_first(text: str) -> str:
    """A sentence as a part of another: ``Log in`` as ``log in``; acronyms and ``I`` stay."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() or first == "I" else text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    """The start of a sentence."""
    return text[:1].upper() + text[1:]


def is_phrase(doc: str) -> bool:
    """Whether a description is short and one clause, so that it can be given in brackets within a sentence."""
    return len(doc.split()) <= _LONGEST and not _MORE.search(doc.strip().rstrip("."))


def bracketed(doc: str) -> str:
    """A description in brackets, to follow a name: `` (open the user's account)``; empty if it is not a phrase."""
    doc = line(doc).strip().rstrip(".")
    return f" ({lower_first(doc)})" if doc and is_phrase(doc) else ""


def named(relation: Relation) -> str:
    """A relation's name in quotes, with its description in brackets: ``"log in" (open the user's account)``."""
    name = split_name(relation.short)
    same = line(relation.doc).strip().rstrip(".").lower() == name
    return f'"{name}"' + ("" if same else bracketed(relation.doc))


def article(noun: str) -> str:
    """``a slot``, ``an answer``."""
    return f"{'an' if _AN.match(noun.lstrip(chr(34))) else 'a'} {noun}"


_IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}


_AFTER_HEAD = re.compile(r" (?:of|that|which|in|on|with|for|from|to|the|a|an|waiting|shown|being) ")
"""Before it stands the head of a noun phrase: ``app`` in ``app that asks``."""


def plural(noun: str) -> str:
    """The plural of a noun; of ``list of tasks`` it is ``lists of tasks``."""
    head, word, rest = noun, "", ""
    match = _AFTER_HEAD.search(noun)
    if match is not None:
        head, word, rest = noun[: match.start()], match.group(), noun[match.end() :]
    before, blank, last = head.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif re.search(r"(?:s|x|z|ch|sh)$", last):
        last += "" if is_plural(last) else "es"
    elif re.search(r"[^aeiou]y$", last):
        last = last[:-1] + "ies"
    else:
        last += "s"
    return before + blank + last + word + rest


def is_plural(noun: str) -> bool:
    """Whether a noun, or the head of a noun phrase, looks like a plural."""
    head = _AFTER_HEAD.split(noun, maxsplit=1)[0]
    return (
        len(head) > 3
        and bool(re.search(r"[^su]s$", head))
        and not re.search(r"(?:is|news|address|status|class)$", head)
    )


def _singular(noun: str) -> str:
    if not is_plural(noun):
        return noun
    return noun[:-3] + "y" if noun.endswith("ies") and len(noun) > 4 else noun[:-1]


@dataclass(frozen=True, slots=True)
class Truth:
    """The clauses for a Bool: `yes` and `no`; if `it` is set they begin with ``it``, which is the row."""

    yes: str
    no: str
    was_yes: str
    was_no: str

    def say(self, value: bool, was: bool) -> str:
        """The clause for a value, of now or of the past."""
        if was:
            return self.was_yes if value else self.was_no
        return self.yes if value else self.no


def truth(attr: Attr) -> Truth | None:
    """The clauses for a Bool attribute, from ``whether a table is free``, ``switch 1 is on`` or its name; else None."""
    doc = line(attr.doc).strip().rstrip(".")
    if doc.startswith("Whether "):
        doc = lower_first(doc)
    clause = ""
    if doc.startswith("whether ") and is_phrase(doc):
        clause = doc.removeprefix("whether ")
    elif re.fullmatch(r".+ (?:is|are) .+", doc) and len(doc.split()) <= 8 and is_phrase(doc):
        clause = lower_first(doc)
    if clause:
        return _clause(clause)
    name = split_name(attr.name)
    if name in _ADJECTIVES or (" " not in name and re.search(r"(?:[^e]ed|able|ible)$", name)):
        return _clause(f"it is {name}")
    if name.split(" ")[0] in ("is", "has", "can") and " " in name:
        return _clause(f"it {name}")
    return None


def _clause(clause: str) -> Truth:
    match = re.search(r" (is|are|can) ", clause)
    before = clause[: match.start()] if match else ""
    if clause.startswith("something ") and match is None:
        nothing = "nothing" + clause.removeprefix("something")
        return Truth(clause, nothing, f"it was so that {clause}", f"it was so that {nothing}")
    if re.match(r"it [a-z]+s (?:what|who|where|when) ", clause):
        match = None  # the `is` belongs to what follows
    if match is None and (plain := _does_not(clause)):
        return Truth(clause, plain, f"it was so that {clause}", f"it was not so that {clause}")
    if match is None or re.search(r"\b(that|which|who|what|when|where|if|whose|not|no)\b", before):
        return Truth(
            clause,
            f"it is not true that {clause}",
            f"it was so that {clause}",
            f"it was not so that {clause}",
        )
    verb, rest = match.group(1), clause[match.end() :]
    past = {"is": "was", "are": "were", "can": "could"}[verb]
    single = re.match(r"an? ", before)
    if single:
        none = f"no {before[single.end() :]}"
        no, was_no = f"{none} {verb} {rest}", f"{none} {past} {rest}"
    else:
        no, was_no = f"{before} {verb} not {rest}", f"{before} {past} not {rest}"
    return Truth(clause, no.replace("can not", "cannot"), f"{before} {past} {rest}", was_no)


def _does_not(clause: str) -> str:
    """The negation of ``it runs``, ``others see it``; empty for clauses of other shapes."""
    match = re.fullmatch(r"(it|others|they|the [a-z]+|[a-z]+s) ([a-z]+)( .*)?", clause)
    if match is None or match.group(2) in ("can", "will", "may", "must", "was", "were", "had", "did"):
        return ""
    who, verb, rest = match.group(1), match.group(2), match.group(3) or ""
    if who in ("others", "they") or (not who.startswith(("it", "the ")) and not verb.endswith("s")):
        return f"{who} do not {verb}{rest}"
    if not verb.endswith("s") or verb.endswith("ss"):
        return ""
    base = {"has": "have", "does": "do", "goes": "go"}.get(verb) or (
        verb[:-3] + "y" if verb.endswith("ies") else re.sub(r"(?<=sh|ch|ss|zz)es$|(?<=x)es$|s$", "", verb)
    )
    return f"{who} does not {base}{rest}"


class Nouns:
    """The nouns of a program's relations and attributes: different things have different nouns.

    Args:
        relations: all of the program; those with the same description keep their names.

    Attributes:
        used: the relations and attributes that were looked up, with the words for the attributes.
    """

    def __init__(self, relations: Iterable[Relation]) -> None:
        descriptions = [
            (r, _described(r)) for r in relations if r.sort in ("state", "view", "list", "observed")
        ]
        count = Counter(noun for _, noun in descriptions if noun)
        self._rows = {r.name: noun for r, noun in descriptions if noun and count[noun] == 1}
        names = Counter(split_name(r.short) for r, _ in descriptions)
        self._names = names
        self._attrs: dict[str, dict[str, str]] = {}
        self.used: dict[str, dict[str, str]] = {}

    def row(self, relation: Relation) -> str:
        """The noun for one row: ``slot``, ``song that plays``; without an article."""
        self.used.setdefault(relation.name, {})
        return self._row(relation)

    def _row(self, relation: Relation) -> str:
        noun = self._rows.get(relation.name)
        if noun is not None:
            return noun
        name = split_name(relation.short)
        if relation.identity:
            before, blank, last = name.rpartition(" ")
            name = before + blank + _singular(last)
        if name in _ADJECTIVES or re.search(r"(?:[^e]ed|able|ible)$", name):
            name = f'"{name}" entry'
        if self._names[split_name(relation.short)] > 1 and relation.module:
            return f"{name} of {relation.module.rpartition('.')[2]}"
        return name

    def attr(self, relation: Relation, name: str) -> str:
        """The noun for an attribute: ``restaurant``; without an article."""
        nouns = self._attrs.get(relation.name)
        if nouns is None:
            row = self._row(relation) if relation.sort not in ("action", "gesture") else ""
            nouns = self._attrs[relation.name] = _attrs(relation, row)
        self.used.setdefault(relation.name, {})[name] = nouns.get(name) or _named(name)
        return self.used[relation.name][name]


def _named(name: str) -> str:
    text = "position" if name == "at" else split_name(name)
    return f'"{text}"' if text in _NO_NOUNS or text in _ADJECTIVES or len(text) == 1 else text


def _attrs(relation: Relation, row: str) -> dict[str, str]:
    node = any(attr.name == "resource_id" for attr in relation.attrs)  # people know them by their short names
    names: dict[str, str] = {}
    for attr in relation.attrs:
        match = None if attr.name == "at" or node else _NOUN.fullmatch(line(attr.doc).strip())
        plain = match is not None and not _VERBS.search(match.group(1)) and attr.type.kind != "Bool"
        plain = plain and match is not None and match.group(1) not in row.split(" ")
        names[attr.name] = match.group(1) if match is not None and plain else _named(attr.name)
    if node:
        names |= {name: text for name, text in _OF_NODES.items() if name in names}
    if relation.name == "Clock":
        names |= _OF_THE_CLOCK
    count = Counter(names.values())
    return {name: noun if count[noun] == 1 else _named(name) for name, noun in names.items()}


def _described(relation: Relation) -> str:
    if relation.module.startswith("std.") and relation.sort == "observed":
        return _DEVICE.get(relation.short, split_name(relation.short))
    match = _ROW.fullmatch(line(relation.doc).strip())
    if match is None:
        return ""
    noun = match.group(1)
    single = relation.doc[:1] in "Aa"
    return noun if single == bool(relation.identity) and not is_plural(noun.split(" ")[0]) else ""
