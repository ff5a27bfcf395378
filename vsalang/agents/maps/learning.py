"""Learns a draft of an app from samples: its screens, where gestures lead and on what that depends, cells and lists.

Screens are kinds of looks (`vsalang.agents.maps.signatures`). All of it is a proposal with its counts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from vsalang.agents.maps.drafted import Draft, Kind
from vsalang.agents.maps.leading import ways
from vsalang.agents.maps.samples import Look, Samples, Try
from vsalang.agents.maps.signatures import Face, Signature, face_of, signatures
from vsalang.agents.maps.varying import fields, lists, texts
from vsalang.language.notations.into.naming import relation_name

_DIALOG: Final = re.compile(
    r"^(alertTitle|alert_title|parentPanel|buttonPanel|contentPanel|button1|button2|button3|touch_outside)$|_dialog$"
)


class Recogniser:
    """Says which proposed screen a look is."""

    def __init__(self, package: str, kinds: Mapping[str, Signature]) -> None:
        self.package = package
        self.kinds = kinds
        self._known: dict[Face, str] = {}

    def __call__(self, look: Look) -> str:
        """Its name; empty: it has none."""
        if look.declared:
            return look.declared
        face = face_of(look.screen)
        if face not in self._known:
            names = [name for name, signature in self.kinds.items() if signature.fits(face)]
            self._known[face] = names[0] if len(names) == 1 else ""
        return self._known[face]


def learn(
    samples: Samples,
    package: str,
    *,
    taken: Iterable[str] = (),
    known: Mapping[str, frozenset[str]] | None = None,
) -> Draft:
    """The draft of one app.

    Args:
        taken: names that are not to be given.
        known: ids that a module reads already, by screen (`vsalang.agents.maps.programs.ids_read`).
    """
    looks = [look for look in samples.looks if look.screen.app and look.screen.app[0] == package]
    kinds = _signatures(looks, package, frozenset(taken))
    which = Recogniser(package, kinds)
    by_name: dict[str, list[Look]] = {}
    for look in looks:
        if name := which(look):
            by_name.setdefault(name, []).append(look)
    tries = [
        each for each in samples.tries if each.before.screen.app and each.before.screen.app[0] == package
    ]
    over = _over(tries, which, by_name)

    def without(name: str) -> frozenset[str]:
        return (known or {}).get(name, frozenset()) | (known or {}).get("", frozenset())

    return Draft(
        package,
        tuple(
            Kind(
                name,
                kinds.get(name),
                over.get(name, ()),
                len(group_looks),
                tuple(look.place for look in group_looks[:3]),
                texts(group_looks),
                tuple(each for each in fields(group_looks) if each.id not in without(name)),
                tuple(each for each in lists(group_looks) if each.list not in without(name)),
            )
            for name, group_looks in sorted(by_name.items())
        ),
        tuple(ways(tries, which)),
        len(looks),
        sum(len(group_looks) for group_looks in by_name.values()),
        len(tries),
        samples.unsettled,
    )


def _signatures(looks: Sequence[Look], package: str, taken: frozenset[str]) -> Mapping[str, Signature]:
    """Signatures of the kinds of which no look is declared, with their names."""
    faces = [face_of(look.screen) for look in looks]
    declared = {face_of(look.screen) for look in looks if look.declared}
    new_signatures = [
        each for each in signatures(faces, package, least=2) if not any(each.fits(face) for face in declared)
    ]
    kinds: dict[str, Signature] = {}
    alone = Counter(each.activity for each in new_signatures)
    several = len(alone) > 1
    for signature in sorted(new_signatures, key=lambda each: repr(each)):
        activity = (signature.activity or package).rpartition(".")[2].removesuffix("Activity")
        title = signature.title[1] if signature.title else next(iter(signature.present), "")
        lone = alone[signature.activity] == 1
        parts = [activity if several or not title else "", "" if lone and activity and several else title]
        stem = f"{''.join(relation_name(part) for part in parts)[:40] or 'Unnamed'}Screen"
        name, number = stem, 1
        while name in taken or name in kinds:
            number += 1
            name = f"{stem}{number}"
        kinds[name] = signature
    return kinds


# ---------------------------------------------------------------- dialogs


def _over(
    tries: Sequence[Try], which: Recogniser, by_name: Mapping[str, Sequence[Look]]
) -> Mapping[str, tuple[str, ...]]:
    """Dialogs, and what they lie over: the screens from which they came up and that showed again after them."""
    dialogs = {
        name
        for name, looks in by_name.items()
        if all(any(_DIALOG.search(id) for id in face_of(look.screen).ids) for look in looks)
    }
    inserted: dict[str, set[str]] = {}
    left: dict[str, set[str]] = {}
    for each in tries:
        source, target = which(each.before), which(each.after)
        if source and target in dialogs:
            inserted.setdefault(target, set()).add(source)
        if target and source in dialogs:
            left.setdefault(source, set()).add(target)
    ways = {
        name: tuple(sorted((inserted.get(name, set()) & left.get(name, set())) - dialogs)) for name in dialogs
    }
    return {name: under for name, under in ways.items() if under}
