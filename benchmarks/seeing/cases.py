"""The cases, each made of nothing but its number and the seed: screens, what is proposed, and what is left out.

Frozen before the guard was first fixed: a fix of the guard does not change what is drawn here. `digest.txt` holds
a digest of the cases that need no other data, and a test compares it.
"""

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Final, Literal, TypeAlias

from benchmarks.seeing import pages
from benchmarks.seeing.changes import LISTS, Change, Kind, changed, draw, lists, other_value
from benchmarks.seeing.pages import Session
from benchmarks.seeing.trees import ROOT, Format, Page, printed
from vsalang.program.action import Action
from vsalang.program.values import Value

SEED: Final = 30
IN_CI: Final = 2_000
RELEASE: Final = 20_000

Source: TypeAlias = Literal["own", "shared"]
Mode: TypeAlias = Literal["one", "again", "next"]
"""One look; a look, the same screen with other values, then the proposal; a look, what was done, the next look."""

GROUP: Final = 4
"""So many cases differ in nothing but what is left out."""
_TURNS: Final[tuple[Kind, ...]] = (*"aaaaaaaabbbbccddeeff",)  # type: ignore[assignment]
_SLOW: Final = frozenset({"packs", "places"})
_EVERYWHERE: Final = ("touches", "names", "states", "fields", "places", "without", "anyapp_task", "packs")
_WEIGHTS: Final = (4, 4, 4, 3, 3, 3, 4, 1)
_FAMILIES: Final = {
    "shop": ("shop_task", "shop_check", "shop_card"),
    "restaurant": ("reserve_r",),
    "settings": ("quiet_evening",),
    "any": (),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One case.

    Attributes:
        number: it is the only thing, with the seed, that the case depends on.
        pages: what is seen, one look or two, with nothing left out.
        action: what is done between the two; None: nothing.
        proposal: is judged on the last look.
        program: the rules, by name (`benchmarks.seeing.judge`).
        form: how the source of the screens prints them.
        changes: the changes of each look.
    """

    number: int
    kind: Kind
    source: Source
    mode: Mode
    pages: tuple[Page, ...]
    action: Action | None
    proposal: Action
    program: str
    form: Format
    changes: tuple[tuple[Change, ...], ...]

    def texts(self, changes: Sequence[Sequence[Change]]) -> tuple[str, ...]:
        """What the source gives for each look, after these changes."""
        return tuple(
            printed(changed(page, each), self.form) for page, each in zip(self.pages, changes, strict=True)
        )

    def digest(self) -> str:
        """SHA-256 (hexadecimal) of all that is in the case."""
        parts = (
            self.number, self.kind, self.source, self.mode, self.action, self.proposal, self.program, self.form,
            *self.texts([()] * len(self.pages)), *self.texts(self.changes), *[(p.app, p.now) for p in self.pages],
            [[(c.cause, c.role) for c in each] for each in self.changes],
        )  # fmt: skip
        return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def source_of(number: int) -> Source:
    """Whether a case needs the shared data: half of them do, fewer where rows are left out of lists that rules know."""
    turn, group = divmod(number // GROUP, len(_TURNS) // GROUP)
    if _TURNS[group * GROUP] in "cd":
        return "shared" if turn % 5 == 0 else "own"
    return "shared" if (turn + group) % 2 else "own"


def case(number: int, seed: int = SEED) -> Case | None:
    """The case of a number; None: it needs the shared data, which is not there."""
    if source_of(number) == "shared" and not pages.there():
        return None
    return _group(number // GROUP, seed)[number % GROUP]


@lru_cache(maxsize=2)
def _group(group: int, seed: int) -> tuple[Case, ...]:
    """Cases that differ in nothing but what is left out, so that what is whole is judged once."""
    first = group * GROUP
    for attempt in count():
        made = _base(random.Random(f"{seed}/{group}/{attempt}"), first)
        if made is None:
            continue
        cases = [
            _changed(made, number, random.Random(f"{seed}/{group}/{attempt}/{number}"))
            for number in range(first, first + GROUP)
        ]
        found = tuple(each for each in cases if each is not None)
        if len(found) == GROUP:
            return found
    raise AssertionError("nothing can be changed")


@dataclass(frozen=True, slots=True)
class _Base:
    """What the cases of a group share.

    Attributes:
        case: without changes.
        touched: the node that the proposal is about; `ROOT`: none.
        prefer: nodes and attributes that differ from the look before.
    """

    case: Case
    touched: int
    prefer: tuple[tuple[int, str], ...]


def _base(rng: random.Random, number: int) -> _Base | None:
    source, kind = source_of(number), _TURNS[number % len(_TURNS)]
    mode: Mode = rng.choices(("one", "again", "next"), (6, 2, 2))[0]
    session = _session(rng, source, mode, number)
    if mode == "next":
        steps = [at for at, action in enumerate(session.actions) if action is not None]
        if not steps:
            return None
        at = rng.choice(steps)
        looks: tuple[Page, ...] = session.pages[at : at + 2]
        action = session.actions[at]
    else:
        at = rng.randrange(len(session.pages))
        looks, action = (session.pages[at],), None
    prefer: tuple[tuple[int, str], ...] = ()
    form: Format = rng.choices(("dump", "portal", "views"), (7, 2, 1))[0]
    page = looks[-1]
    if form == "portal" and any(sum(p == ROOT for p in each.parents) != 1 for each in looks):
        form = "dump"
    if kind in "cd" and session.family == "settings" and rng.random() < 0.7:
        return None  # none of its lists is ever complete
    if kind in "cd" and source == "own" and not any(page.short_id(at) in LISTS for at in lists(page)):
        return None
    program = _program(rng, session.family, kind, mode)
    if program == "fields" and not any("EditText" in each.get("class", "") for each in page.attrs):
        return None
    if program == "packs" and not any(map(_harms, page.attrs)):
        return None
    if program in _SLOW and any(len(look.attrs) > 60 for look in looks):
        return None
    touched = _touched(rng, page, program)
    if mode == "again":
        drawn = (other_value(rng, page, node, telling=True) for node in _near(rng, page, touched))
        edits = [edit for edit in drawn if edit is not None]
        if not edits:
            return None
        page = changed(page, [Change("", "other", tuple(edits))])
        looks = (looks[0], page)
        prefer = tuple((edit.at, edit.attr) for edit in edits)
    nexts = session.actions[at] if mode != "next" and at < len(session.actions) else None
    proposal = _proposal(rng, page, touched, program, nexts, kind)
    if proposal.name in ("finish", "answer"):
        touched = ROOT
    elif proposal.name in ("back", "press_key"):
        touched = _focused(page)
    elif proposal is nexts:
        touched = _at(page, proposal)
    none = tuple(() for _ in looks)
    return _Base(
        Case(number, kind, source, mode, looks, action, proposal, program, form, none), touched, prefer
    )


def _changed(base: _Base, number: int, rng: random.Random) -> Case | None:
    case, kind = base.case, _TURNS[number % len(_TURNS)]
    for _ in range(8):
        which = [len(case.pages) - 1]
        if len(case.pages) == 2 and rng.random() < 0.35:
            which = [0] if rng.random() < 0.6 else [0, 1]
        changes: list[tuple[Change, ...]] = [() for _ in case.pages]
        for nth in which:
            look, touched = case.pages[nth], base.touched
            if nth == 0 and case.action is not None:
                touched = _at(look, case.action)
            changes[nth] = draw(kind, rng, look, touched, case.form, base.prefer)
        if all(changes[nth] for nth in which):
            return replace(case, number=number, kind=kind, changes=tuple(changes))
    return None


def _session(rng: random.Random, source: Source, mode: Mode, number: int) -> Session:
    if source == "own":
        return rng.choice(pages.own())
    first = number < IN_CI
    if mode == "next" or rng.random() < 0.25:
        return rng.choice(pages.walks(pages.FEW_PAIRS if first else pages.MANY_PAIRS))
    return rng.choice(pages.dumps()[: pages.FEW] if first else pages.dumps())


def _program(rng: random.Random, family: str, kind: Kind, mode: Mode) -> str:
    own = _FAMILIES[family]
    if own and rng.random() < (0.95 if kind in "cd" else 0.75 if mode == "again" else 0.5):
        return rng.choice(own)
    return rng.choices(_EVERYWHERE, _WEIGHTS)[0]


def _touched(rng: random.Random, page: Page, program: str) -> int:
    """A node that shows, mostly one that does something; `ROOT`: nothing shows."""
    shown = [at for at in range(len(page.attrs)) if page.seen(at) is not None]
    if not shown:
        return ROOT
    does = [
        at
        for at in shown
        if "true"
        in (
            page.attrs[at].get("clickable"),
            page.attrs[at].get("checkable"),
            page.attrs[at].get("scrollable"),
        )
    ]
    says = [at for at in shown if page.attrs[at].get("text") or page.attrs[at].get("content-desc")]
    pool = does if does and rng.random() < 0.75 else says or shown
    fields = [at for at in shown if "EditText" in page.attrs[at].get("class", "")]
    if fields and rng.random() < (0.9 if program == "fields" else 0.15):
        pool = fields
    harmful = [at for at in shown if _harms(page.attrs[at])]
    if harmful and rng.random() < (0.9 if program == "packs" else 0.1):
        pool = harmful
    return rng.choice(pool)


def _focused(page: Page) -> int:
    return next((at for at, has in enumerate(page.attrs) if has.get("focused") == "true"), ROOT)


_HARM: Final = re.compile(
    r"delete|erase|remove|reset|clear|allow|grant|permission|install|pay|buy|book|send|password|account|agree|accept|sign|log",
    re.IGNORECASE,
)


def _harms(attrs: Mapping[str, str]) -> bool:
    """Whether a node says what policies of harm may object to."""
    return bool(_HARM.search(attrs.get("text", "")) or _HARM.search(attrs.get("content-desc", "")))


def _near(rng: random.Random, page: Page, touched: int) -> list[int]:
    pool = [touched, *page.inside(touched)] if touched != ROOT else []
    pool += [at for at, has in enumerate(page.attrs) if has.get("text") or has.get("checkable") == "true"]
    pool = pool or list(range(len(page.attrs)))
    return list(dict.fromkeys(rng.choices(pool, k=rng.randint(1, 3))))


def _at(page: Page, action: Action) -> int:
    """The deepest node at the point of an action, or with its id."""
    x, y = action.args.get("x"), action.args.get("y")
    if isinstance(x, int) and isinstance(y, int):
        for at in reversed(range(len(page.attrs))):
            box = page.seen(at)
            if box is not None and box[0] <= x < box[2] and box[1] <= y < box[3]:
                return at
    for at in range(len(page.attrs)):
        if page.short_id(at) and page.short_id(at) == action.args.get("id"):
            return at
    return ROOT


_ANSWERS: Final = {"shop_check": "yes", "shop_card": "not kept", "anyapp_task": "seen"}


def _proposal(
    rng: random.Random, page: Page, touched: int, program: str, nexts: Action | None, kind: Kind
) -> Action:
    specs = {name for names in _FAMILIES.values() for name in names}
    if program in specs and rng.random() < (0.75 if kind in "cd" else 0.3):
        if program in _ANSWERS and rng.random() < 0.4:
            return Action("answer", {"text": _ANSWERS[program]})
        return Action("finish")
    if nexts is not None and rng.random() < (0.5 if program in specs else 0.1):
        return nexts
    keys = 0.05 if _focused(page) == ROOT else 0.5 if program in ("fields", "without") else 0.15
    if touched == ROOT or rng.random() < keys:
        key = rng.choice(("ENTER", "ENTER", "DPAD_CENTER", "SPACE", "back"))
        return Action("back") if key == "back" else Action("press_key", {"key": key})
    has = page.attrs[touched]
    editable = "EditText" in has.get("class", "") or has.get("editable") == "true"
    names = ["tap"] * 14 + ["long_press", "long_press", "double_tap"]
    if editable:
        names += ["input_text"] * 14 + ["clear_text"] * 4
    if has.get("scrollable") == "true":
        names += ["scroll"] * 6
    name = rng.choice(names)
    left, top, right, bottom = page.seen(touched) or (0, 0, 0, 0)
    args: dict[str, Value] = {"x": (left + right) // 2, "y": (top + bottom) // 2}
    said = {"id": page.short_id(touched), "text": has.get("text", ""), "desc": has.get("content-desc", "")}
    usable = {key: value for key, value in said.items() if value}
    if usable and rng.random() < 0.3:
        key = rng.choice(sorted(usable))
        args = {key: usable[key]}
    if name == "input_text":
        if has.get("focused") == "true" and rng.random() < 0.4:
            args = {}
        args["value"] = rng.choice(("Lena", "hello", "12"))
    if name == "scroll":
        args["direction"] = "down"
    return Action(name, args)


def digest(many: int = IN_CI, seed: int = SEED) -> str:
    """SHA-256 (hexadecimal) of the cases below a number that need no other data."""
    whole = hashlib.sha256()
    for number in range(many):
        if source_of(number) == "own":
            made = case(number, seed)
            assert made is not None
            whole.update(made.digest().encode())
    return whole.hexdigest()
