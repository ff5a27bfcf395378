"""Proposes critical actions for an app module from the names, members and descriptions of a schema's relations.

A schema says what can be seen, not what can be done. That shows in its buttons (members of an enum such as ``Send``,
flags such as ``reserve_clicked`` and ``is_liked``), in its forms (``PostCreationDetails``) and in its descriptions
("whether the user sent the message"). Each proposal names its evidence; a person has to confirm it.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

from vsalang.base.records import dataclass
from vsalang.language.notations.into import naming
from vsalang.language.notations.into.printer import Action, Attribute, Relation, action
from vsalang.language.notations.into.verbs import (
    ACTS,
    BASE,
    DEEDS,
    HARMFUL,
    PAST,
    PHRASES,
    PLAIN,
    PREPOSITIONS,
    begins_with_act,
    subject,
)
from vsalang.program.reserved_words import RESERVED
from vsalang.program.text import comment

_PRESSED: Final = frozenset(
    "action button click clicked confirm confirmed done option press pressed sent submit submitted tap tapped".split()
)
"""Words at the end of a flag or a relation that make it a button or what it does."""
_FINISHED: Final = _PRESSED - {"action", "option"}
"""Those of a button at the end of a form: what it does concerns all that was entered."""
_BUTTONS: Final = frozenset("action actions button buttons control controls interaction".split())
_MENUS: Final = frozenset("choices manage management menu method option options".split()) | _BUTTONS
_NO_BUTTONS: Final = frozenset("filter frequency mode sort sorting status theme type".split())
_SETTINGS: Final = frozenset("preference preferences privacy setting settings".split())
_PLACES: Final = frozenset("navigation shortcut shortcuts tab tabs".split())
_FORM: Final = frozenset("compose composing composition create creating creation".split())
_EDITED: Final = _FORM | frozenset("edit editing input".split())
_MESSAGES: Final = frozenset("email mail message".split())
_WRITTEN: Final = frozenset("answer comment post question reply review".split())
_NAMES: Final = frozenset("headline id label name subject title topic username".split())
_COUNTED: Final = frozenset("availability count num number rank total".split())
_NO_OBJECT: Final = frozenset("access count list options preferences requests search settings".split())
"""After a verb these make a noun of it, or a way to another screen."""
_ENDINGS: Final = _PRESSED | {"result", "status"}
_ENTERED: Final = re.compile(
    r"\b(?:typed|entered) in\b|\b(?:currently|now) (?:writing|composing)\b|\bbeing composed\b"
)
_DONE: Final = re.compile(
    r"(?:^|\b(?:after|if|once|that|when|whether)\s+)(?:the\s+)?(?:user|you|i)\s+(?:has\s+|have\s+|just\s+|already\s+)*"
    r"([a-z]+)\b(?:\s+(?:a|an|the|this|their|your|my))?(?:\s+([a-z]+))?",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"\b(?:available for|of) the (?:current|selected|displayed) ([a-z]+)", re.IGNORECASE
)
_LEAST_SHARE: Final = 0.4
"""Of an enum's members so many must be verbs before one word alone counts."""
_MOST_NAMES: Final = 3


_CONFIRMED: Final = "// Actions that a person confirmed, when the schema was imported."
_PROPOSED: Final = """\
// Proposed actions. None of them is declared: a person must confirm that the app has it, and that it is critical.
// Take away the slashes before the line that declares it, or import the schema again with --accept NAME."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An action that the app probably has.

    Attributes:
        name: its name in the language.
        parameters: with the types of the attributes that they are.
        doc: what it does.
        concerns: the relation whose attributes the parameters are.
        evidence: what in the schema speaks for it, a sentence each.
    """

    name: str
    parameters: tuple[Attribute, ...]
    doc: str
    concerns: str
    evidence: tuple[str, ...]

    @property
    def declaration(self) -> str:
        """The line that declares it in a module."""
        return action(Action(self.name, self.parameters, self.doc))


def with_actions(text: str, proposals: Sequence[Proposal], accepted: Set[str], *, listed: bool) -> str:
    """A module's text with the accepted actions declared, and, if `listed`, the others in comments."""
    blocks = [text.rstrip("\n")]
    confirmed = [each for each in proposals if each.name in accepted]
    others = [each for each in proposals if each.name not in accepted] if listed else []
    if confirmed:
        blocks += [_CONFIRMED, *(f"{_evidence(each)}\n{each.declaration}" for each in confirmed)]
    if others:
        blocks += [_PROPOSED, *(f"{_evidence(each)}\n// {each.declaration}" for each in others)]
    return "\n\n".join(blocks) + "\n"


def _evidence(proposal: Proposal) -> str:
    return "\n".join(f"// {comment(each)}" for each in proposal.evidence)


def propose(relations: Sequence[Relation]) -> tuple[Proposal, ...]:
    """The actions that the relations speak for, in their order; one that several speak for is there once."""
    taken = {relation.name for relation in relations}
    proposals: dict[str, Proposal] = {}
    for relation in relations:
        for each in _of(relation, relations):
            if (
                each.name in taken
                or each.name.lower() in RESERVED
                or not naming.IDENTIFIER.fullmatch(each.name)
            ):
                continue
            earlier = proposals.get(each.name)
            proposals[each.name] = each if earlier is None else _together(earlier, each)
    return tuple(proposals.values())


def _together(one: Proposal, other: Proposal) -> Proposal:
    """Two proposals of one name: that with more parameters, and the evidence of both."""
    best = max((one, other), key=lambda each: len(each.parameters))
    return replace(best, evidence=tuple(dict.fromkeys((*one.evidence, *other.evidence))))


def _of(relation: Relation, relations: Sequence[Relation]) -> Iterator[Proposal]:
    form = _form(relation)
    if form is not None:
        yield form
    yield from _members(relation, relations)
    yield from _flags(relation, relations, form)
    yield from _described(relation)


# ---- buttons as members of an enum --------------------------------------------------------------------


def _members(relation: Relation, relations: Sequence[Relation]) -> Iterator[Proposal]:
    about = set(naming.words(relation.name))
    concerned: Relation | None = None
    for attribute in relation.attributes:
        own = set(naming.words(attribute.name))
        strong = bool(own & _BUTTONS) or len(attribute.members) == 1
        if not strong and ((own | about) & (_NO_BUTTONS | _PLACES | _EDITED - _FORM) or "section" in own):
            continue
        if not (strong or (own | about) & _MENUS):
            continue
        spelled = {member: naming.words(member) for member in attribute.members}
        acts = [words for words in spelled.values() if _button(words)]
        alone = len(acts) >= _LEAST_SHARE * len(spelled) and any(
            words[0] in PLAIN or len(words) > 1 for words in acts
        )
        for member, words in spelled.items():
            if not _button(words) or (len(words) == 1 and not alone):
                continue
            if about & _SETTINGS and words[0] not in HARMFUL:
                continue
            concerned = concerned or _concerned(
                relation, relations
            )  # looks at all the others: once is enough
            yield _made(
                words,
                relation,
                _identifying(concerned, but=attribute.name),
                concerned.name,
                f'{relation.name}.{attribute.name} has the member "{member}"',
            )


def _button(words: list[str]) -> bool:
    return begins_with_act(words) and words[-1] not in _NO_OBJECT and words != ["cancel"]


def _concerned(relation: Relation, relations: Sequence[Relation]) -> Relation:
    """The relation that says to what the buttons of `relation` belong: itself, or one about the same thing."""
    if _identifying(relation):
        return relation
    own = naming.words(relation.name)
    about = subject(own)
    others = [
        (-len(set(own) & set(words)), len(each.name), number)
        for number, each in enumerate(relations)
        if about
        and subject(words := naming.words(each.name)) == about
        and not set(words) & (_EDITED | _SETTINGS) - set(own)
        and _identifying(each)
    ]
    return relations[min(others)[-1]] if others else relation


# ---- buttons and what they did as flags ----------------------------------------------------------------


def _flags(relation: Relation, relations: Sequence[Relation], form: Proposal | None) -> Iterator[Proposal]:
    about = set(naming.words(relation.name))
    settings = bool(about & _SETTINGS) or relation.doc.lower().startswith(
        ("settings", "represents the settings")
    )
    whose: Relation | None = None
    for attribute in relation.attributes:
        of_name = naming.words(attribute.name)
        if attribute.type != "Bool" or not of_name:
            continue
        words = list(of_name)
        while len(words) > 1 and words[-1] in _ENDINGS:
            words.pop()
        pressed = bool(set(of_name[len(words) :]) & _PRESSED)
        finished = bool(set(of_name[len(words) :]) & _FINISHED)
        whose = whose or (relation if settings else _concerned(relation, relations))
        is_ = words[0] in ("is", "was", "has") and len(words) > 1
        words = words[1:] if is_ else words
        if len(words) == 1 and (words[0] in PAST or (is_ and words[0] in PLAIN)):
            if not settings:
                verb = PAST.get(words[0], words[0])
                yield _flag([verb], relation, attribute, whose)
            continue
        if len(words) > 1 and words[0] in PAST:
            continue  # it says of what: `saved_device`
        words = _ordered([BASE.get(words[0], words[0]), *words[1:]])
        if not _button(words) or not (pressed or words[0] in PLAIN | HARMFUL):
            continue
        switch = settings or about & _EDITED or set(words) & PREPOSITIONS
        if not pressed and switch and words[0] not in HARMFUL:
            continue  # it says what holds, not what is done
        button = _flag(words, relation, attribute, whose)
        if finished:  # it is about all that was entered, and if that is a form, it does what the form is for
            whole = replace(button, parameters=_entered(relation), concerns=relation.name)
            button = whole if form is None else replace(form, evidence=button.evidence)
        yield button


def _flag(words: list[str], relation: Relation, attribute: Attribute, whose: Relation) -> Proposal:
    evidence = f"{relation.name} has the flag {attribute.name}"
    settings = set(naming.words(whose.name)) & _SETTINGS
    parameters = () if settings else _identifying(whose, but=attribute.name)
    return _made(words, relation, parameters, whose.name, evidence)


def _ordered(words: list[str]) -> list[str]:
    """The words with the verb first: ``bio_submit`` is ``submit bio``, ``post_create`` is ``create post``."""
    verb = next((word for word in words if word in PLAIN), words[0])
    if words[0] in PLAIN or verb not in (words[-1], "create"):
        return words
    return [verb, *(word for word in words if word != verb)]


# ---- forms --------------------------------------------------------------------------------------------


def _form(relation: Relation) -> Proposal | None:
    """What is done with what the relation's attributes hold, if they are a form's."""
    words = naming.words(relation.name)
    spelled = set(words)
    entered = _entered(relation)
    if words[-1] in _FINISHED or (words[-1] in PAST and len(words) > 1):
        return _event(relation, words, entered)
    if not any(each.type == "Text" for each in entered) or (spelled & _SETTINGS and not spelled & _FORM):
        return None
    about = subject(words)
    described = _ENTERED.search(relation.doc.lower())
    verb = ""
    if set(about) & _MESSAGES and (spelled & _FORM or described):
        verb, about = "send", [word for word in about if word in _MESSAGES]
    elif spelled & _FORM:
        verb = "create"
    elif described and spelled & _WRITTEN:
        verb, about = "publish", [word for word in words if word in _WRITTEN]
    elif spelled & (_MENUS | {"prompt", "interface"}):
        verb = next((word for word in words if word in PLAIN), "")
    if not verb or not about:
        return None
    evidence = f'{relation.name}: "{described[0]}"' if described else f"{relation.name} is a form"
    return _made([verb, *about], relation, entered, relation.name, evidence)


def _event(relation: Relation, words: list[str], entered: tuple[Attribute, ...]) -> Proposal | None:
    """What a relation such as ``SaveButton`` or ``MessageSent`` says was done."""
    rest = [PAST[words[-1]], *words[:-1]] if words[-1] in PAST else words
    while len(rest) > 1 and rest[-1] in _PRESSED:
        rest = rest[:-1]
    rest = _ordered(["create" if word == "creation" else DEEDS.get(word, word) for word in rest])
    if rest[0] not in ACTS:
        return None
    attributes = tuple(each for each in entered if each.type != "Bool")
    return _made(rest, relation, attributes, relation.name, f"the name of {relation.name}")


# ---- descriptions --------------------------------------------------------------------------------------


def _described(relation: Relation) -> Iterator[Proposal]:
    if set(naming.words(relation.name)) & _SETTINGS:
        return
    places = [
        (relation.name, relation.doc),
        *((f"{relation.name}.{each.name}", each.doc) for each in relation.attributes),
    ]
    for place, doc in places:
        for match in _DONE.finditer(doc):
            verb = PAST.get(match[1].lower())
            if verb is None:
                continue
            thing = (match[2] or "").lower()
            words = [verb, thing] if thing and thing not in PREPOSITIONS | {"it", "them"} else [verb]
            text = " ".join(match[0].split())
            yield _made(words, relation, _identifying(relation), relation.name, f'{place}: "{text}"')


# ---- names and parameters --------------------------------------------------------------------------------


def _made(
    words: list[str], relation: Relation, parameters: tuple[Attribute, ...], concerns: str, evidence: str
) -> Proposal:
    """A proposal; a verb alone gets its object from the relation's name."""
    while len(words) > 1 and words[-1] in PREPOSITIONS and tuple(words[-2:]) not in PHRASES:
        words = words[:-1]
    if len(words) == 1:
        about = subject(naming.words(relation.name))
        match = _ABOUT.search(relation.doc) if not about else None
        words = [*words, *(naming.words(match[1]) if match else about)]
    words = list(dict.fromkeys(words))
    name = "".join(word.capitalize() for word in words)
    return Proposal(name, parameters, " ".join(words).capitalize(), concerns, (evidence,))


def _entered(relation: Relation) -> tuple[Attribute, ...]:
    """What is entered in a form: all but its buttons and what is counted."""
    return tuple(
        each
        for each in relation.attributes
        if not set(naming.words(each.name)) & (_COUNTED - {"number"} | {"options"}) and not _is_button(each)
    )


def _identifying(relation: Relation, but: str = "") -> tuple[Attribute, ...]:
    """The attributes that say which one a row is about: its key, else its names, else all that are not flags."""
    attributes = [
        each
        for each in relation.attributes
        if each.name != but and not _is_button(each) and "password" not in naming.words(each.name)
    ]
    if relation.key:
        return tuple(each for each in attributes if each.name in relation.key)
    named = [
        each
        for each in attributes
        if each.type in ("Text", "Number") and _NAMES & set(naming.words(each.name)[-1:])
    ]
    if named:
        return tuple(named[:_MOST_NAMES])
    plain = [
        each
        for each in attributes
        if each.type not in ("Bool", "Enum") and not set(naming.words(each.name)) & _COUNTED
    ]
    return tuple(plain[:_MOST_NAMES])


def _is_button(attribute: Attribute) -> bool:
    words = set(naming.words(attribute.name))
    if attribute.type == "Bool":
        return bool(words & _PRESSED)
    return bool(attribute.members) and bool(words & _BUTTONS)
