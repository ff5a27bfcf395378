"""Mining: which control of which screen leads where, from what was recorded.

Counted is what a single tap did: the kind of screen that showed before (`vsalang.agents.maps.signatures`, or the
screens that an app module declares), the control, by its id and its words, and what showed next. A control is
described as
generally as the figures allow: by its id alone if what it does does not depend on its words. What leads to different
screens is left out, and so is what leads to the same screen again, and what a screen picked by chance would often fit.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from vsalang.agents.maps.signatures import Face, Signature, face_of, signatures
from vsalang.base.records import dataclass
from vsalang.program.action import Action
from vsalang.program.screen import UnresolvedTarget
from vsalang.program.shares import Share
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node
from vsalang.screen.tree.relations import texts

_LONGEST: Final = 80
"""Words of a control that are longer are not what it is called."""


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """One recorded step: a screen, the one thing that was done on it, and the next screen."""

    before: TreeScreen
    action: Action
    after: TreeScreen


@dataclass(frozen=True, slots=True, order=True)
class Control:
    """What is tapped: a node with this id, and with these words.

    Attributes:
        id: of the node; empty: any.
        where: what the words are: its ``desc``, its ``text``, or the first text ``within``; empty: any words.
        words: what it says.
    """

    id: str = ""
    where: str = ""
    words: str = ""

    @property
    def general(self) -> int:
        """0: its id alone; 1: its id and words; 2: words alone."""
        return 0 if not self.words else 1 if self.id else 2


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """Where a tap leads: to a screen of the app, or to another app."""

    screen: str = ""
    package: str = ""


@dataclass(frozen=True, slots=True)
class MinedContract:
    """A contract that is proposed: this control on this screen leads there.

    Attributes:
        screen: the screen that the control is on.
        share: how often it did, of how often it was tapped.
        chance: the share of all screens that were seen to which this contract would fit as well.
    """

    screen: str
    control: Control
    target: Target
    share: Share
    chance: Share


@dataclass(frozen=True, slots=True)
class Least:
    """What a contract needs to be proposed.

    Attributes:
        support: how often the control was tapped.
        confidence: the share of it that led to the same screen, from 0 to 1.
        chance: the greatest share of all screens seen that the contract may fit, from 0 to 1.
    """

    support: int = 3
    confidence: float = 0.8
    chance: float = 0.3


class Screens:
    """The screens of an app by their names, and which of them shows.

    Args:
        package: of the app.
        named: the screens.
        declared: which screen an app module says that shows (None: none, or more than one); left out: `named` says.
    """

    def __init__(
        self,
        package: str,
        named: Mapping[str, Signature],
        declared: Callable[[TreeScreen], str | None] | None = None,
    ) -> None:
        self.package = package
        self.named = named
        self._declared = declared
        self._known: dict[Face, str | None] = {}

    @property
    def invented(self) -> bool:
        """Whether no app module declares them."""
        return self._declared is None

    def name_of(self, screen: TreeScreen) -> str | None:
        """The screen that shows; None: none that has a name, or several fit."""
        if self._declared is not None:
            return self._declared(screen)
        face = face_of(screen)
        if face not in self._known:
            names = [name for name, signature in self.named.items() if signature.fits(face)]
            self._known[face] = names[0] if len(names) == 1 else None
        return self._known[face]

    def led_to(self, screen: TreeScreen) -> Target | None:
        """Where somebody is who sees that screen; None: that has no name."""
        package = screen.app[0] if screen.app is not None else None
        if package is None:
            return None
        if package != self.package:
            return Target(package=package)
        name = self.name_of(screen)
        return Target(screen=name) if name is not None else None


@dataclass(frozen=True, slots=True, eq=False)
class Mining:
    """What was mined of one app.

    Attributes:
        screens: its screens.
        contracts: in the order of their screens and controls.
        passed: how many steps were read that began in the app.
        taps: how many of these were taps on a node.
    """

    screens: Screens
    contracts: tuple[MinedContract, ...]
    passed: int
    taps: int


def mine(
    passed: Sequence[Passage],
    package: str,
    least: Least,
    *,
    declared: Callable[[TreeScreen], str | None] | None = None,
    seen: Iterable[TreeScreen] = (),
) -> Mining:
    """Mine the contracts of one app.

    Args:
        passed: what was recorded, of this app and others.
        package: of the app.
        declared: says which of an app module's screens shows; left out: screens are told apart by signatures.
        seen: more screens that were seen.
    """
    shots = [*seen, *(screen for step in passed for screen in (step.before, step.after))]
    if declared is None:
        named = _named(signatures([face_of(each) for each in shots], package, least=least.support))
        screens = Screens(package, named)
    else:
        screens = Screens(package, {}, declared)
    here = [step for step in passed if step.before.app is not None and step.before.app[0] == package]
    table: dict[tuple[str, Control], _Taps] = {}
    taps = 0
    for number, step in enumerate(here):
        node = tapped(step)
        taps += node is not None
        source = screens.name_of(step.before)
        if source is not None and node is not None:
            target = screens.led_to(step.after)
            for control in controls_of(step.before, node):
                table.setdefault((source, control), _Taps()).add(number, target, node)
    pool = Counter(screens.led_to(each) for each in distinct(shots))
    return Mining(screens, tuple(_chosen(table, least, pool)), len(here), taps)


class _Taps:
    """The taps on a control that a description fits."""

    def __init__(self) -> None:
        self.numbers: set[int] = set()
        self.led: Counter[Target | None] = Counter()
        self.typed = False

    def add(self, number: int, target: Target | None, node: Node) -> None:
        self.numbers.add(number)
        self.led[target] += 1
        self.typed = self.typed or node.editable is True


def distinct(screens: Iterable[TreeScreen]) -> list[TreeScreen]:
    """Each screen once: those that show the same are one."""
    by_tree: dict[tuple[int, object], TreeScreen] = {}
    for screen in screens:
        by_tree.setdefault((id(screen.tree), screen.app), screen)
    return list({screen.fingerprint: screen for screen in by_tree.values()}.values())


def tapped(step: Passage) -> Node | None:
    """The node that a step tapped; None: it was not a tap, or it is not known what took it."""
    if step.action.name != "tap":
        return None
    try:
        number = step.before.target("tap", step.action.args).get("node")
    except UnresolvedTarget:
        return None
    return step.before.tree.by_number.get(number) if isinstance(number, int) else None


def controls_of(screen: TreeScreen, node: Node) -> Iterator[Control]:
    """All descriptions that fit a node."""
    first = next((inner.text for _, inner in texts(screen.tree.inside(node))), None)
    sources = (("desc", node.desc), ("text", node.text), ("within", first))
    descriptions = [(where, words) for where, words in sources if words]
    if node.id:
        yield Control(node.id)
    for id in (node.id, "") if node.id else ("",):
        yield from (Control(id, where, words) for where, words in descriptions)


def _chosen(
    table: Mapping[tuple[str, Control], _Taps], least: Least, pool: Counter[Target | None]
) -> Iterator[MinedContract]:
    """The contracts that are often enough right, the general ones first; none that says nothing more than those."""
    settled: set[int] = set()
    contracts = []
    for (screen, control), taps in sorted(table.items(), key=lambda item: (item[0][1].general, item[0])):
        target, hits = min(
            taps.led.items(), key=lambda item: (-item[1], item[0] is None, item[0] or Target())
        )
        share = Share(hits, taps.led.total())
        if taps.numbers <= settled or share.of < least.support or hits < least.confidence * share.of:
            continue
        if len(control.words) > _LONGEST or (taps.typed and control.words):
            continue
        settled |= taps.numbers
        chance = Share(pool[target], pool.total())
        if target is None or target.screen == screen or chance.hits > least.chance * chance.of:
            continue
        contracts.append(MinedContract(screen, control, target, share, chance))
    yield from sorted(contracts, key=lambda mined: (mined.screen, mined.control))


def _named(signatures: Iterable[Signature]) -> Mapping[str, Signature]:
    """A name for each signature: after its title, activity, or the first id that it asks for."""
    from vsalang.language.notations.into.naming import relation_name

    ordered = sorted(signatures, key=lambda s: (s.activity or "", s.title or ("", ""), s.present, s.absent))
    names: dict[str, Signature] = {}
    for signature in ordered:
        activity = (signature.activity or "").rpartition(".")[2]
        parts = (activity.removesuffix("Activity"), signature.title[1] if signature.title else "")
        stem = "".join(relation_name(part) for part in parts) or relation_name(
            "_".join(signature.present[:1])
        )
        stem = f"{stem[:40]}Screen"
        name, number = stem, 1
        while name in names:
            number += 1
            name = f"{stem}{number}"
        names[name] = signature
    return names


def packages(passed: Iterable[Passage]) -> tuple[str, ...]:
    """The packages in which taps were recorded, the one with most of them first."""
    count = Counter(package_of(step) for step in passed if step.action.name == "tap")
    named = [(-number, package) for package, number in count.items() if package is not None]
    return tuple(package for _, package in sorted(named))


def package_of(step: Passage) -> str | None:
    """The package of the screen before a step, if it is known."""
    return step.before.app[0] if step.before.app is not None else None
