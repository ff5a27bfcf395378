"""Draws the touches that people label, by lot and from a seed: ``python -m benchmarks.effects.sample > touches.tsv``.

A lot decides which vendors are closed (their apps are not looked at while rules are written), which screens of an app
are taken, and which controls of a screen. Kinds of controls are told by their structure only, so that all kinds come
up; words play no part in it. What is in the repository was drawn once, on 2026-11-28, and is labelled: controls whose
structure is read better since then would change the draw, so the list is not made again.
"""

import argparse
import hashlib
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.effects.screens import DATA, DROIDTASK, UNKNOWN, Recorded, read_screens, readable
from benchmarks.effects.touches import COLUMNS, Touch
from vsalang.screen.tree import Node, Tree, hit

SEED: Final = 20_261_128
MOST: Final = 40
"""No app gives more touches."""
SHARE: Final = 14
SHARE_OF_DROIDTASK: Final = 20
"""An app gives so many touches, if it has them."""
MOST_OF_SCREEN: Final = 4
_NUMBERS: Final = range(1, MOST_OF_SCREEN + 1)
CLOSED_OF_FIVE: Final = 4
"""Of five vendors other than DroidTask's so many are closed."""
LARGE: Final = 0.5
"""A control that takes a greater part of the screen is a background."""

LANGUAGES: Final[Mapping[str, str]] = {
    "com.MyTokoBaju": "id",
    "com.actemendes.zeon": "ru",
    "com.android.vending": "zh",
    "com.anonymous.gagyebunative": "ko",
    "com.audiometry.threshold": "pt",
    "com.bagus.toko_baju_uas": "id",
    "com.biffi.savepoint": "ja",
    "com.carassistant": "zh",
    "com.example.mobile": "vi",
    "com.example.nuolipapp": "ar",
    "com.example.photovault": "tr",
    "com.example.studyapp": "zh",
    "com.huawei.calendar": "zh",
    "com.lingji.app": "zh",
    "com.melodyflow.app": "zh",
    "com.nexus.app": "uk",
    "com.photon.startup.app": "zh",
    "com.pinspot.pinspot": "ko",
    "com.tencent.qqmusic": "zh",
    "com.ticktick.task": "ru",
    "com.viwa.android": "ru",
    "com.willpower.tracker.lab1": "ru",
    "com.willpower.tracker.lab2": "ru",
    "com.willpower.tracker.lab4": "ru",
    "com.willpower.tracker.lab6": "ru",
    "com.willpower.tracker.lab7": "ru",
    "com.zeon.hiddify": "ru",
    "indi.dmzz_yyhyy.lightnovelreader.debug": "zh",
}
"""The language of an app whose screens are not English, as a person saw."""

_SHARED: Final = frozenset({"com.example", "com.anonymous"})
"""Names that tools give; each package below them has a vendor of its own."""
_SAME: Final[Mapping[str, str]] = {
    "android": "google",
    "com.android": "google",
    "com.google": "google",
    "org.chromium": "google",
    "com.MyTokoBaju": "com.bagus",
    "com.zeon": "com.actemendes",
}
_WEIGHTS: Final[Mapping[str, float]] = {
    "recorded": 12,
    "dialog": 4,
    "switch": 3,
    "button": 4,
    "icon": 3,
    "row": 2,
    "tab": 1,
    "field": 0.5,
    "other": 1,
}
_TAB: Final = re.compile(r"tab|navigation|bottom_nav|nav_bar", re.IGNORECASE)
_SWITCH: Final = re.compile(r"Switch|CheckBox|RadioButton|ToggleButton|CheckedTextView")
_DIALOG: Final = re.compile(r"button[123]|alertTitle|buttonPanel|permission_.*_button")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A control that a finger could touch.

    Attributes:
        touched: the node under the finger: the control, or a part of it.
        control: the node that takes the touch.
        kind: the kind of control, by its structure.
        key: equal for controls that look the same.
    """

    touched: Node
    control: Node
    kind: str
    key: tuple[str | None, ...]


def vendor(package: str) -> str:
    """Who made an app, as far as its package says it."""
    if package.startswith(DROIDTASK) or package.startswith(("com.simplemobiletools", "org.mozilla")):
        return DROIDTASK
    start = ".".join(package.split(".")[:2])
    return package if start in _SHARED else _SAME.get(start, start)


def candidates(tree: Tree, screen: Recorded, lot: random.Random) -> dict[str, list[Candidate]]:
    """The controls of a screen, by the app that they belong to."""
    found: dict[str, list[Candidate]] = defaultdict(list)
    area = max((w.right - w.left) * (w.bottom - w.top) for w in tree.windows) if tree.windows else 1
    dialog = any(_DIALOG.fullmatch(node.id or "") for node in tree.nodes)
    wide = max((node.right for node in tree.nodes), default=1)
    for node in tree.nodes:
        box = (node.right - node.left) * (node.bottom - node.top)
        if not node.clickable or node.enabled is False or box < 1:
            continue
        package = screen.package(node)
        if "inputmethod" in package or (screen.kind != "html" and box > LARGE * area):
            continue
        if screen.kind != "html":
            reached = hit(tree, *node.centre)
            if reached is None or reached.taker is not node:
                continue
        parts = [part for part in tree.inside(node)[1:] if part.label and not part.takes_touch]
        touched = lot.choice(parts) if parts and lot.random() < 0.25 else node
        recorded = bool({part.place for part in tree.inside(node)} & screen.next.keys())
        kind = (
            "recorded" if recorded and screen.kind == "html" else _kind(tree, node, dialog=dialog, wide=wide)
        )
        label = re.sub(r"\d+", "0", node.label or "")
        found[package].append(Candidate(touched, node, kind, (node.cls, node.id, label)))
    return found


def _kind(tree: Tree, node: Node, *, dialog: bool, wide: int) -> str:
    """The kind of a control by its structure."""
    inside = tree.inside(node)
    around = tuple(tree.around(node))
    if _DIALOG.fullmatch(node.id or ""):
        return "dialog"
    if node.editable or (node.cls or "").endswith("EditText"):
        return "field"
    if node.checkable or any(part.checkable or _SWITCH.search(part.cls or "") for part in inside):
        return "switch"
    if any(_TAB.search(f"{near.cls} {near.id}") for near in (node, *around)):
        return "tab"
    if not any(part.text for part in inside):
        return "icon"
    if node.right - node.left >= 0.8 * wide and any(near.scrollable for near in around):
        return "row"
    return "dialog" if dialog else ("button" if len(inside) <= 4 else "other")


@dataclass(frozen=True, slots=True)
class _Offer:
    """What a screen offers of one app."""

    screen: Recorded
    controls: Sequence[Candidate]


def _by_lot(offers: Iterable[_Offer], lot: random.Random) -> list[_Offer]:
    """The screens of an app in an order by lot; those that look like an earlier one come later."""
    alike: dict[frozenset[tuple[str | None, ...]], list[_Offer]] = defaultdict(list)
    for offer in offers:
        alike[frozenset(control.key[:2] for control in offer.controls)].append(offer)
    groups = list(alike.values())
    lot.shuffle(groups)
    for group in groups:
        lot.shuffle(group)
    longest = max(map(len, groups))
    return [group[turn] for turn in range(longest) for group in groups if turn < len(group)]


def drawn(offers: Sequence[_Offer], share: int, lot: random.Random) -> list[tuple[Recorded, Candidate]]:
    """The touches of an app: on each screen one to four controls, no two that look the same."""
    seen: set[tuple[str | None, ...]] = set()
    kinds: Counter[str] = Counter()
    found: list[tuple[Recorded, Candidate]] = []
    ordered = _by_lot(offers, lot)
    for left, offer in zip(range(len(ordered), 0, -1), ordered, strict=True):
        needed = -(-(share - len(found)) // left)
        (drawn_number,) = lot.choices(_NUMBERS, _NUMBERS)
        number = min(MOST_OF_SCREEN, max(drawn_number, needed), share - len(found))
        if any(control.kind == "recorded" for control in offer.controls):
            number = min(2, number)
        for _ in range(number):
            fresh = [control for control in offer.controls if control.key not in seen]
            if not fresh:
                break
            weights = [
                _WEIGHTS[control.kind]
                / (1 + kinds[control.kind] / 2)
                / sum(c.kind == control.kind for c in fresh)
                for control in fresh
            ]
            (control,) = lot.choices(fresh, weights)
            seen.add(control.key)
            kinds[control.kind] += 1
            found.append((offer.screen, control))
    return found


def closed_vendors(apps: Iterable[str], lot: random.Random) -> frozenset[str]:
    """The vendors that are closed: drawn apart among those with apps that are not English, and the others."""
    foreign = {vendor(app) for app in apps if app in LANGUAGES}
    others = {vendor(app) for app in apps} - foreign
    chosen: set[str] = set()
    for group in (foreign, others):
        names = sorted(group - {DROIDTASK})
        lot.shuffle(names)
        chosen.update(names[: round(len(names) * CLOSED_OF_FIVE / 5)])
    return frozenset(chosen)


def list_digest(apps: Iterable[str]) -> str:
    """The SHA-256 of a list of packages: sorted, each with a line break behind it."""
    return hashlib.sha256("".join(f"{app}\n" for app in sorted(apps)).encode()).hexdigest()


def sample(
    screens: Mapping[str, Recorded], seed: int = SEED, share: int = SHARE
) -> tuple[list[str], list[Touch]]:
    """The head of the list, a line each, and the touches.

    Args:
        screens: the recorded screens, by digest.
        seed: of the lot.
        share: an app gives so many touches, if it has them.
    """
    offers: dict[str, list[_Offer]] = defaultdict(list)
    for digest, screen in sorted(screens.items()):
        tree = readable(screen)
        if tree is not None:
            found = candidates(tree, screen, random.Random(f"{seed} {digest}"))
            for app, controls in found.items():
                if app != UNKNOWN:
                    offers[app].append(_Offer(screen, controls))
    closed = closed_vendors(offers, random.Random(f"{seed} vendors"))
    touches: list[Touch] = []
    for app in sorted(offers):
        most = min(MOST, max(share, SHARE_OF_DROIDTASK) if app.startswith(DROIDTASK) else share)
        chosen = drawn(offers[app], most, random.Random(f"{seed} {app}"))
        order = {digest: place for place, digest in enumerate(dict.fromkeys(s.digest for s, _ in chosen))}
        for screen, one in sorted(chosen, key=lambda pair: (order[pair[0].digest], pair[1].touched.place)):
            places = (one.touched.place, one.control.place)
            after = next((screen.next[place] for place in places if screen.next.get(place)), "-")
            node = one.touched
            touches.append(
                Touch(
                    touch=len(touches) + 1,
                    split="closed" if vendor(app) in closed else "open",
                    app=app,
                    language=LANGUAGES.get(app, "en"),
                    screen=screen.digest,
                    place=node.place,
                    control=one.control.place,
                    cls=node.cls or "-",
                    id=node.id or "-",
                    bounds="[{},{}][{},{}]".format(*node.box),
                    kind=one.kind,
                    next=after,
                )
            )
    packages = {split: sorted({t.app for t in touches if t.split == split}) for split in ("closed", "open")}
    head = [f"seed {seed}, {len(touches)} touches; {len(packages['closed'])} apps are closed"]
    head += [f"{split} sha256:{list_digest(names)} {' '.join(names)}" for split, names in packages.items()]
    return head, touches


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of recordings")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--share", type=int, default=SHARE, help=f"touches of an app [default: {SHARE}]")
    options = parser.parse_args(arguments)
    head, touches = sample(read_screens(options.data), options.seed, options.share)
    sys.stdout.write("".join(f"# {line}\n" for line in head))
    sys.stdout.write("\t".join(COLUMNS) + "\n" + "".join(touch.line() + "\n" for touch in touches))
    return 0


if __name__ == "__main__":
    sys.exit(main())
