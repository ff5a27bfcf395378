"""Look: where the tree leaves open whether an action came out as expected, somebody who sees pictures may be asked.

    looking = Looking(look, "model name")           # look: what `Look` asks for
    device = looking.watching(device)               # keeps a picture of each look
    ...                                             # a guarded step on that device
    for looked in looking.after(action, acted_on, shown, observed.contracts):
        looked.rule, looked.outcome                 # met, violated or inconclusive: by a model

What is asked is one expected condition in plain words (`vsalang.models.look.control_names`), about the part of the
screen where the action was done, as it was and as it is. Only a contract that the guard found *inconclusive* is asked
about, and only if that part still shows or nothing changed: else there is nothing to look at.

**It permits nothing.** The guard has settled its accounts by evidence before anybody looks, and is never told the
result: no licence comes back, nothing counts as done or as not done, no rule reads it. It is recorded and shown, and a
plan of several actions goes on or ends by it (`resolved`), each action judged as always.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, cast
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.guard import Contract, ExpectedCondition
from vsalang.models.look.control_names import Names
from vsalang.phone.errors import DeviceError
from vsalang.phone.protocol import Device
from vsalang.program.action import POINTING, Action
from vsalang.program.screen import Cells, Screen, UnresolvedTarget
from vsalang.program.text import line
from vsalang.screen.control import delta
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node

_SCROLLS: Final = frozenset({"scroll", "swipe"})
_AROUND: Final = 48
"""Pixels around a control that are shown with it."""
_ABOUT_CHANGE: Final = frozenset(
    {"Changed", "no Transition(kind = NoChange)", "not Transition(kind = NoChange)"}
)
"""Conditions that say no more than that something changed."""
_LONGEST: Final = 400
"""Characters of a condition, and of a problem."""
MAX_PICTURE: Final = 32 * 1024 * 1024
"""A picture with more bytes is not opened."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the screen, in pixels; right and bottom are not part of it any more."""

    left: int
    top: int
    right: int
    bottom: int


class Look(Protocol):
    """Somebody who sees pictures."""

    def __call__(self, before: bytes, after: bytes, region: Region, question: str) -> bool | None:
        """Whether what is expected shows.

        Args:
            before, after: that part of the screen before and after the action, as PNG.
            region: where it is on the new screen.
            question: what is expected, as one sentence. It may hold words of the screen, in quotes.

        Returns:
            None: that cannot be told. What it raises counts as that.
        """
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """A contract to look for.

    Attributes:
        rule: its id.
        conditions: what is expected, in words, each to be asked for alone.
        before, after: where to look, on the screen before and the one after; None: all of it.
        whole: all that is open can be asked. Else it cannot be seen to be met.
        refutable: what is seen can speak against it. Else it cannot be seen to be violated: nothing moves at the end of
            a list.
    """

    rule: str
    conditions: tuple[str, ...]
    before: Region | None
    after: Region | None
    whole: bool
    refutable: bool


@dataclass(frozen=True, slots=True)
class LookAnswer:
    """The result of a look.

    Attributes:
        rule: the id of the contract.
        question: what was asked, in words.
        outcome: ``inconclusive`` if it could not be told.
        by: who looked, such as ``model gpt-4o``.
        problem: why it could not be told; empty: the one who looked was not sure, or it was told.
    """

    rule: str
    question: str
    outcome: OneOf["met", "violated", "inconclusive"]
    by: str
    problem: str = ""


def questions(
    action: Action | None, acted_on: Screen | None, screen: Screen | None, contracts: Iterable[Contract]
) -> tuple[Question, ...]:
    """What there is to look for after an action: nothing, where the tree was evidence enough.

    Args:
        action: the gesture that was made.
        acted_on: the screen on which it was.
        screen: the one that was observed after it.
        contracts: what the guard says of the action.
    """
    open_ = [each for each in contracts if each.outcome == "inconclusive"]
    if (
        not open_
        or action is None
        or not (isinstance(acted_on, TreeScreen) and isinstance(screen, TreeScreen))
    ):
        return ()
    difference = delta(acted_on.tree, screen.tree, scrolled=action.name in _SCROLLS)
    node = _touched(action, acted_on)
    if node is not None and node.password:
        return ()  # what hides its text is not sent to anybody
    now = next((after for before, after in difference.matched if before is node), None)
    if now is None and difference.transition != "NoChange":
        return ()
    where = _region(node, acted_on) if node is not None else None
    there = _region(now, screen) if now is not None else where
    # that something changed the trees show, though where they are cut off that is not evidence
    rules = _ABOUT_CHANGE if difference.transition != "NoChange" else frozenset()
    names = Names(acted_on.tree, node, scrolled=action.name in _SCROLLS)
    asked = []
    for each in open_:
        wanted = [one for one in _unseen(each) if one.text not in rules]
        words = [names.condition(one) for one in wanted]
        texts = tuple(dict.fromkeys(line(one, _LONGEST) for one in words if one is not None))
        refutable = any(one.refutable for one in each.expected)
        whole = None not in words
        if texts and (whole or refutable):
            asked.append(Question(each.rule, texts, where, there, whole, refutable))
    return tuple(asked)


def _touched(action: Action, screen: TreeScreen) -> Node | None:
    if action.name not in POINTING:
        return None
    try:
        number = screen.target(action.name, action.args).get("node")
    except UnresolvedTarget:
        return None
    return screen.tree.by_number.get(number) if isinstance(number, int) else None


def _region(node: Node, screen: TreeScreen) -> Region:
    wide = max((window.right for window in screen.tree.windows), default=node.right)
    high = max((window.bottom for window in screen.tree.windows), default=node.bottom)
    return Region(
        max(node.left - _AROUND, 0),
        max(node.top - _AROUND, 0),
        max(min(node.right + _AROUND, wide), node.right),
        max(min(node.bottom + _AROUND, high), node.bottom),
    )


def _unseen(contract: Contract) -> Sequence[ExpectedCondition]:
    """The conditions that were not seen to hold; of one that holds, and of which nothing new was seen, all."""
    unseen = {why.literal for why in contract.reason.whys if why.literal}
    if not unseen <= {each.text for each in contract.expected}:
        return contract.expected
    return [each for each in contract.expected if each.text in unseen] or contract.expected


def resolved(contracts: Iterable[Contract], looked: Iterable[LookAnswer]) -> tuple[Contract, ...]:
    """The contracts as they are with what was seen by looking: one that was open is met or violated.

    This is for who decides whether a plan goes on. It is not for the guard, which judges what comes next anyway.
    """
    outcomes = {each.rule: each.outcome for each in looked}
    return tuple(
        replace(each, outcome=outcomes[each.rule])
        if each.outcome == "inconclusive" and each.rule in outcomes
        else each
        for each in contracts
    )


class Looking:
    """Asks who sees pictures, about what they can settle, and says the result.

    Args:
        look: sees pictures.
        name: of who that is, such as ``model gpt-4o``.
        record: is called with the result of each look, before anybody else is. What it raises is raised.
    """

    def __init__(
        self, look: Look, name: str, *, record: Callable[[LookAnswer], None] = lambda looked: None
    ) -> None:
        self.name = line(name, 100)
        self._look = look
        self._record = record
        self._newest: bytes | None = None
        self._before: bytes | None = None
        self._device: Device | None = None

    def watching(self, device: Device) -> Device:
        """The device, of whose looks pictures are kept."""
        self._device = device
        return cast(Device, _PicturedDevice(device, self))

    def keep(self, picture: bytes | None) -> None:
        """Keep the picture of a look; None: there is none."""
        self._newest = picture

    def acting(self) -> None:
        """The action is sent now: the newest picture is the one before it."""
        self._before = self._newest

    def after(
        self,
        action: Action | None,
        acted_on: Screen | None,
        screen: Screen | None,
        contracts: Iterable[Contract],
    ) -> tuple[LookAnswer, ...]:
        """What a look says of the contracts of an action that the guard could not tell; see `questions`."""
        asked = questions(action, acted_on, screen, contracts)
        if not asked:
            return ()
        before, after, problem = self._before, b"", "no picture was taken before"
        if before is not None:
            problem = ""
            try:
                assert self._device is not None
                after = self._device.screenshot()
            except DeviceError as error:
                problem = f"no picture was taken: {error}"
        answers = []
        for each in asked:
            if problem or before is None:
                looked = LookAnswer(
                    each.rule, "; ".join(each.conditions), "inconclusive", self.name, line(problem)
                )
            else:
                looked = self._asked(each, before, after)
            self._record(looked)
            answers.append(looked)
        return tuple(answers)

    def _asked(self, question: Question, before: bytes, after: bytes) -> LookAnswer:
        """All conditions must show; one that does not is a violation, if something can be."""
        answers: list[bool | None] = []
        problem = ""
        try:
            old, _ = cropped(before, question.before)
            new, region = cropped(after, question.after)
            for condition in question.conditions:
                answer = self._look(old, new, region, condition)
                answers.append(answer if isinstance(answer, bool) else None)
        except Exception as error:  # the one who looks is not trusted: an error there says nothing
            problem = line(str(error), _LONGEST) or "the look failed"
        outcome: OneOf["met", "violated", "inconclusive"] = "inconclusive"
        if not problem and False in answers:
            outcome = "violated" if question.refutable else "inconclusive"
        elif not problem and question.whole and None not in answers:
            outcome = "met"
        return LookAnswer(question.rule, "; ".join(question.conditions), outcome, self.name, problem)


def cropped(picture: bytes, region: Region | None) -> tuple[bytes, Region]:
    """A part of a picture as PNG, and where it is; None: all of it.

    Raises:
        ValueError: it is not a picture, too large, or has no such part.
    """
    import io

    from PIL import Image, UnidentifiedImageError

    if len(picture) > MAX_PICTURE:
        raise ValueError("the picture is too large")
    try:
        with Image.open(io.BytesIO(picture), formats=("PNG",)) as image:
            part = region or Region(0, 0, *image.size)
            right, bottom = min(part.right, image.width), min(part.bottom, image.height)
            box = (max(part.left, 0), max(part.top, 0), right, bottom)
            if box[0] >= box[2] or box[1] >= box[3]:
                raise ValueError("that part lies outside of the picture")
            out = io.BytesIO()
            image.convert("RGB").crop(box).save(out, "PNG")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, SyntaxError) as error:
        raise ValueError(f"it is not a picture: {error}") from error
    return out.getvalue(), Region(*box)


class _PicturedDevice:
    """A device of whose looks pictures are kept. The picture comes first, so that no look is older for it."""

    def __init__(self, device: Device, looking: Looking) -> None:
        self._pictured = device
        self._looking = looking

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pictured, name)

    def observe(self) -> Screen:
        try:
            self._looking.keep(self._pictured.screenshot())
        except DeviceError:
            self._looking.keep(None)  # without a picture nobody is asked
        return self._pictured.observe()

    def perform(self, action: Action, target: Cells) -> None:
        self._looking.acting()
        self._pictured.perform(action, target)
