"""The words of names by which actions are found: verbs of things that users ask for, their forms, and filling words."""

from typing import Final

PLAIN: Final = frozenset(
    "accept activate add agree apply approve archive ask buy confirm connect copy create deactivate decline "
    "delete discard disconnect dislike donate download downvote empty erase follow forward hide install invite "
    "join leave like mute pair pause pay play publish purchase react record register reject remove rename "
    "reply repost request reserve reset restore resume retweet save schedule send share snooze start stop "
    "submit subscribe switch thank transfer unblock unfollow uninstall unlike unmute unpin unsave unsend "
    "unsubscribe upload upvote withdraw".split()
)
"""Verbs that, as the first word of a button, say what it does. Those that only lead to another screen (open, view, go,
edit, manage, ..), sort or filter are left out."""

WEAK: Final = frozenset(
    "answer block book bookmark call cancel clear comment complete contact mark message move order pin post "
    "print report review star tag translate update vote".split()
)
"""Verbs that are as often nouns, or that mean little without an object: alone they are not evidence."""

ACTS: Final = PLAIN | WEAK

HARMFUL: Final = frozenset("clear close deactivate delete empty erase log remove request reset sign".split())
"""Verbs of buttons, no switches, even among settings: what is done cannot be taken back, or leaves the account."""

PHRASES: Final = frozenset(
    {("log", "out"), ("sign", "out"), ("check", "in"), ("check", "out"), ("close", "account"), ("log", "off")}
)
"""Two words that mean an act where the first alone does not."""

PREPOSITIONS: Final = frozenset("as at by for from if in into of off on over to using via when with".split())

GENERIC: Final = frozenset(
    "a account action actions active after alert an and are available bar box button buttons check clicked "
    "compose composing composition content control controls create created creating creation current currently "
    "detail details dialog displayed done edit editing enter entered for form home in info information input "
    "interaction interactions interactive interface is list main management menu more my new now of on option "
    "options or overview page prompt quick result results schedule scheduled screen search searched section "
    "select selected setting settings shown single social specific start state status submit submitted tab "
    "tapped the top upper view writing your".split()
)
"""Words of a relation's name that do not say what it is about."""

_IRREGULAR: Final = {
    "buy": ("bought",), "hide": ("hidden", "hid"), "leave": ("left",), "pay": ("paid",), "reset": ("reset",),
    "send": ("sent",), "unsend": ("unsent",), "withdraw": ("withdrawn", "withdrew"),
}  # fmt: skip
_DOUBLED: Final = frozenset("pin reset star stop submit tag transfer unpin".split())


def _forms(verb: str) -> tuple[str, ...]:
    """The past participle, the simple past and the gerund."""
    if verb.endswith("ee"):
        return (f"{verb}d", f"{verb}ing")
    stem = verb + verb[-1] if verb in _DOUBLED else verb.removesuffix("e")
    past = stem[:-1] + "ied" if stem[-1] == "y" and stem[-2] not in "aeo" else stem + "ed"
    return (*_IRREGULAR.get(verb, (past,)), stem + "ing")


BASE: Final = {form: verb for verb in sorted(ACTS) for form in _forms(verb)}
"""The verb of each of its other forms: ``sent`` and ``sending`` are of ``send``."""

PAST: Final = {form: verb for form, verb in BASE.items() if not form.endswith("ing")}

QUALITIES: Final = frozenset(
    "available current currently main more my new quick selected single social specific top upper your".split()
)
"""Words at the beginning of a relation's name that no thing is called by."""

DEEDS: Final = {
    "confirmation": "confirm",
    "submission": "submit",
    "reservation": "reserve",
    "registration": "register",
}
"""What is called after a verb: a ``ConfirmationButton`` confirms."""


def begins_with_act(words: list[str]) -> bool:
    """Whether the first word, or the first two together, say that something is done."""
    return bool(words) and (words[0] in ACTS or tuple(words[:2]) in PHRASES)


def subject(words: list[str]) -> list[str]:
    """What a name is about, without generic words and verbs: ``post`` of ``PostInteractionOptions``."""
    known = GENERIC | PLAIN | BASE.keys() | DEEDS.keys()
    kept = [word for word in words if word not in known]
    if not kept and len(words) > 1 and words[0] not in QUALITIES | PLAIN | BASE.keys() | DEEDS.keys():
        kept = [words[0]]
    if (
        kept
        and len(kept[-1]) > 3
        and kept[-1].endswith("s")
        and not kept[-1].endswith(("ss", "us", "is", "ews"))
    ):
        kept[-1] = kept[-1][:-1]
    return kept
