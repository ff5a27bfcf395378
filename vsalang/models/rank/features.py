"""What speaks for and against a candidate, as named numbers: words it shares with the task, what was done, what it is.

Screens, tasks and steps that were done are all that is read; no feature names an app. Words are compared by
`vsalang.models.rank.wording`, and count more the fewer candidates of the screen have them.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vsalang.base.records import dataclass
from vsalang.models.rank.candidate import Candidate
from vsalang.models.rank.scorer import Decision
from vsalang.models.rank.situation import PastStep, Situation, place_of, recent
from vsalang.models.rank.wording import TaskWords, alike, listed, plain, shared_words, stem, stems, task_words
from vsalang.program.screen import UnresolvedTarget

Features = Mapping[str, float]
"""Name of a feature -> its value; what is left out is 0."""

_LOOK_BACK: Final = 6
"""So many steps before count as near."""
_ID_WORDS: Final = frozenset(
    stem(word)
    for word in "holder label button fab text view item title layout value image icon wrapper list main top bar"
    " menu toolbar container content field input edit src frame custom panel dialog settings".split()
)
"""Words of ids that say what a control is built as, not what it is for."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a candidate: of its label, its id, its value and its section."""

    label: tuple[str, ...]
    id: tuple[str, ...]
    value: tuple[str, ...]
    section: tuple[str, ...]
    plain: str

    @property
    def own(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.label, *self.id)))


@dataclass(frozen=True, slots=True)
class _Past:
    """What was done so far.

    Attributes:
        steps: that were not taken back.
        words: the stems of all labels and values.
        typed: the values that were typed, folded.
        counts: how often each candidate was done.
        places: of the steps, in order.
        here: the steps since this screen shows, or one that is built alike.
    """

    steps: tuple[PastStep, ...]
    words: frozenset[str]
    typed: tuple[str, ...]
    counts: Mapping[str, int]
    places: tuple[str, ...]
    here: tuple[PastStep, ...]

    @property
    def last(self) -> PastStep | None:
        return self.steps[-1] if self.steps else None


@dataclass(frozen=True, slots=True)
class _Match:
    """How well the words of a candidate fit the task.

    Attributes:
        share: of the task's words that are still open, as far as the candidate says them, by weight.
        stale: the same for the words that earlier steps have said.
        precision: the share of its own words that the task says.
        literal: whether it is called as the task says word by word, and no step has said it.
        phrase: how many of its words stand side by side in the task.
        first: how early the first of them stands in the task, 1 at its beginning.
        section: the share of its section's words that the task says.
        value: the share of its value's words that the task says.
    """

    share: float
    stale: float
    precision: float
    literal: float
    phrase: float
    first: float
    section: float
    value: float

    @property
    def best(self) -> float:
        """All of it as one number."""
        return self.share * (0.4 + 0.6 * self.precision) + 0.5 * self.literal + 0.1 * self.phrase


_NOTHING: Final = _Match(0, 0, 0, 0, 0, 0, 0, 0)


def features(decision: Decision) -> tuple[Features, ...]:
    """The features of each candidate of a decision."""
    situation = decision.situation
    task = task_words(situation.task)
    past = _past(situation)
    texts = [_words(one) for one in decision.candidates]
    common = Counter(word for each in texts for word in set(each.own))
    matches = [
        _match(task, past, each, common) if one.unit is not None else _NOTHING
        for one, each in zip(decision.candidates, texts, strict=True)
    ]
    page = _page(situation, decision, task, past, matches)
    return tuple(
        dict(_of(page, one, each, match))
        for one, each, match in zip(decision.candidates, texts, matches, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """What holds for all candidates of a screen.

    Attributes:
        best: the greatest match of a candidate.
        roles: number of a node -> what it is to what is around it (`vsalang.screen.forms`).
        surface: the kind of the surface in front: dialog, menu, page ..; empty: not known.
        hinted: the numbers of the nodes, and the names of the gestures, that a planner would use next.
        open: the share of the task's words that no step has said.
        literals: those of the task that no step has typed or said.
        fields: how many fields there are.
        commits: how many controls commit something.
        count: how many candidates there are; `controls`: how many of them are done on a control.
        more: whether something opens a menu; `prefs`: whether something opens the settings.
        unfilled: whether there are fields and a commit, nothing was typed here, and a literal of the task is left.
        acted: whether something was typed, chosen, switched or committed before.
    """

    situation: Situation
    task: TaskWords
    past: _Past
    best: float
    roles: Mapping[int, str]
    surface: str
    hinted: frozenset[int | str]
    open: float
    literals: tuple[str, ...]
    fields: int
    commits: int
    count: int
    controls: int
    order: Mapping[str, int]
    more: bool
    prefs: bool
    unfilled: bool
    acted: bool


def _page(
    situation: Situation, decision: Decision, task: TaskWords, past: _Past, matches: Sequence[_Match]
) -> _Page:
    roles = {
        int(str(row["node"])): str(row["kind"])
        for row in situation.screen.rows("Role")
        if "node" in row and "kind" in row
    }
    kinds = [one.control for one in decision.candidates]
    labels = [stems(one.unit.label or "") for one in decision.candidates if one.unit is not None]
    open_literals = tuple(one for one in task.literals if not _done_literal(one, past))
    fields = sum(1 for one in decision.candidates if one.kind == "type")
    commits = sum(1 for role in roles.values() if role == "commit")
    surfaces = [str(row["kind"]) for row in situation.screen.rows("Surface") if "kind" in row]
    return _Page(
        situation,
        task,
        past,
        max((match.best for match in matches), default=0.0),
        roles,
        surfaces[-1] if surfaces else "",
        _hinted(situation),
        1 - len(shared_words(task.stems, past.words)) / max(1, len(task.stems)),
        open_literals,
        fields,
        commits,
        len(decision.candidates),
        sum(one.unit is not None for one in decision.candidates),
        {one.key: nth for nth, one in enumerate(decision.candidates)},
        "opener" in kinds,
        any(label[:1] == (stem("settings"),) and len(label) == 1 for label in labels),
        bool(fields and commits and open_literals) and not any(step.kind == "type" for step in past.here),
        any(_acts(step) for step in past.steps),
    )


def _hinted(situation: Situation) -> frozenset[int | str]:
    hinted: set[int | str] = set()
    for action in situation.next_steps:
        try:
            node = situation.screen.target(action.name, action.args).get("node")
        except UnresolvedTarget:
            continue
        hinted.add(node if isinstance(node, int) else action.name)
    return frozenset(hinted)


def _done_literal(literal: str, past: _Past) -> bool:
    folded = plain(literal)
    return any(folded == one or one in folded or folded in one for one in past.typed if one)


def _past(situation: Situation) -> _Past:
    steps = recent(situation.history)
    place = place_of(situation.screen)
    here: list[PastStep] = []
    for step in reversed(steps):
        if step.place != place:
            break
        here.insert(0, step)
    return _Past(
        steps,
        frozenset(word for step in steps for word in (*stems(step.label), *stems(step.value))),
        tuple(plain(step.value) for step in steps if step.value),
        Counter(step.key for step in steps),
        tuple(step.place for step in steps),
        tuple(here),
    )


def _words(candidate: Candidate) -> _Words:
    unit = candidate.unit
    if unit is None:
        return _Words((), (), (), (), "")
    ids = tuple(word for word in stems(unit.node.id or "") if word not in _ID_WORDS)
    return _Words(
        stems(unit.label or ""),
        ids,
        stems(unit.value or "") if unit.kind not in ("toggle", "choice", "tab") else (),
        stems(unit.section or ""),
        plain(unit.label or ""),
    )


def _match(task: TaskWords, past: _Past, words: _Words, common: Counter[str]) -> _Match:
    used = set(shared_words(task.stems, past.words))
    fresh_total = sum(1.0 for word in task.stems if word not in used) or 1.0
    share = stale = 0.0
    first = 0.0
    own = words.own
    for nth, word in enumerate(task.stems):
        mine = [one for one in own if alike(word, one)]
        if not mine:
            continue
        weight = 1 / (1 + math.log(max(1, min(common[one] for one in mine))))
        if word in used:
            stale += weight / max(1, len(used))
        else:
            share += weight / fresh_total
            first = first or 1 - nth / len(task.stems)
    label = words.label or words.id
    folded = words.plain
    literal = 0.0
    for one in task.literals:
        value = plain(one)
        if value and folded and (value == folded or (len(value) > 2 and value in folded)):
            literal = max(literal, 1.0 if value == folded else 0.7)
    if literal and any(folded == plain(step.label) for step in past.steps):
        literal = 0.0
    return _Match(
        share,
        stale,
        len(shared_words(label, task.stems)) / max(1, len(label)),
        literal,
        float(len(folded.split())) if folded and f" {folded} " in f" {task.plain} " else 0.0,
        first,
        len(shared_words(words.section, task.stems)) / max(1, len(words.section)),
        len(shared_words(words.value, task.stems)) / max(1, len(words.value)),
    )


# ---------------------------------------------------------------- the features of one candidate


def _of(page: _Page, candidate: Candidate, words: _Words, match: _Match) -> Iterator[tuple[str, float]]:
    name = candidate.kind if candidate.unit is None else f"{candidate.kind} {candidate.control}"
    yield f"is {name}", 1.0
    if page.hinted and (candidate.node in page.hinted or candidate.action.name in page.hinted):
        yield "planner's next step", 1.0
    if candidate.unit is None:
        yield from _of_phone(page, candidate)
        return
    yield from _matching(page, candidate, words, match)
    yield from _repeating(page, candidate)
    role = page.roles.get(candidate.unit.taker.node, page.roles.get(candidate.unit.node.node, ""))
    if candidate.kind == "type":
        yield from _typing(page, candidate, words, match)
    elif candidate.kind == "scroll":
        yield from _scrolling(page, candidate)
    elif candidate.kind in ("tap", "long_press"):
        yield from _touching(page, candidate, words, match, role)
    if (
        page.past.last is not None
        and page.past.last.offered
        and candidate.unit.key not in page.past.last.offered
    ):
        yield "is new", 1.0
    yield "place on the screen", page.order[candidate.key] / page.count


def _matching(page: _Page, candidate: Candidate, words: _Words, match: _Match) -> Iterator[tuple[str, float]]:
    kind = "field" if candidate.control == "field" else "other"
    yield f"share {kind}", match.share
    yield "stale", match.stale
    yield "precision", match.precision if match.share else 0.0
    yield "stale precision", match.precision if not match.share else 0.0
    yield f"literal {kind}", match.literal
    yield "phrase", min(3.0, match.phrase)
    yield "first", match.first
    yield "section", match.section
    yield "value", match.value
    if page.best > 0:
        yield "best match", 1.0 if match.best == page.best else 0.0
        yield "of the best", match.best / page.best
    else:
        yield "nothing matches", 1.0
    yield "wanted", max((_fits(words.plain, one) for one in page.situation.wanted), default=0.0)
    yield "no name", 0.0 if words.label else 1.0
    yield "long name", min(1.0, len(words.label) / 10)


def _fits(folded: str, value: str) -> float:
    wanted = plain(value)
    if not wanted or not folded:
        return 0.0
    return 1.0 if wanted == folded else 0.5 if f" {wanted} " in f" {folded} " else 0.0


def _repeating(page: _Page, candidate: Candidate) -> Iterator[tuple[str, float]]:
    done = page.past.counts.get(candidate.key, 0)
    last = page.past.last
    scrolls = candidate.kind == "scroll"
    if done and not scrolls:
        yield "done before", 1.0
        yield "done often", min(3.0, done - 1.0)
        if any(step.key == candidate.key for step in page.past.here):
            yield "done here", 1.0
    if last is not None and last.key == candidate.key and not scrolls:
        yield "done last", 1.0
        if last.effect == "NoChange":
            yield "did nothing last", 1.0


def _typing(page: _Page, candidate: Candidate, words: _Words, match: _Match) -> Iterator[tuple[str, float]]:
    unit = candidate.unit
    assert unit is not None
    yield "type with a literal left", 1.0 if page.literals else 0.0
    yield "type without", 0.0 if page.literals else 1.0
    typed = any(step.kind == "type" and step.key == candidate.key for step in page.past.steps)
    yield "typed already", 1.0 if typed else 0.0
    value = plain(unit.value or "")
    if value and any(value == one or one == f"{value}" for one in page.past.typed):
        yield "holds what was typed", 1.0
    if value and any(value == plain(one) for one in page.task.literals):
        yield "holds a literal", 1.0
    yield "field of an empty form", 1.0 if page.unfilled and not typed else 0.0
    yield "focused", 1.0 if unit.node.focused is True else 0.0
    if page.fields == 1:
        yield "only field", 1.0
        yield "only field with a literal left", 1.0 if page.literals else 0.0
    last = page.past.last
    if last is not None and last.kind == "type" and not typed:
        yield "next field", 1.0
        yield "next field with a literal left", 1.0 if page.literals else 0.0
    if last is not None and last.control == "field" and last.kind == "tap" and last.key.startswith(unit.key):
        yield "field was tapped", 1.0
    fields = sorted(key for key in page.order if key.endswith(".type"))
    first = min((page.order[key] for key in fields), default=0)
    yield "first field", 1.0 if page.order[candidate.key] == first else 0.0
    if not any(step.kind == "type" for step in page.past.here):
        yield "first field of a new form", 1.0 if page.order[candidate.key] == first else 0.0
    yield "field while better matches", max(0.0, page.best - match.best)


def _scrolling(page: _Page, candidate: Candidate) -> Iterator[tuple[str, float]]:
    way = candidate.key.rpartition(".")[2]
    yield f"scroll {way}", 1.0
    if way not in ("down", "right"):
        return
    yield "scroll while matches", min(1.0, page.best)
    yield "scroll while nothing matches", 1.0 if page.best < _WEAK else 0.0
    last = page.past.last
    if last is not None and last.key == candidate.key:
        yield "scroll again", 1.0
        yield "scroll again while nothing matches", 1.0 if page.best < _WEAK else 0.0
    if any(
        step.kind in ("type", "tap") and step.control in ("choice", "toggle", "field")
        for step in page.past.here
    ):
        yield "scroll after a change", 1.0
    yield "scroll with much open", page.open
    yield "scroll of settings", 1.0 if page.surface == "settings" and page.best < _WEAK else 0.0


_WEAK: Final = 0.35
"""A match below this is weak."""


def _touching(
    page: _Page, candidate: Candidate, words: _Words, match: _Match, role: str
) -> Iterator[tuple[str, float]]:
    unit = candidate.unit
    assert unit is not None
    last = page.past.last
    weak = max(0.0, 1 - page.best)
    if role:
        yield f"role {role}", 1.0
    if page.acted and last is not None and _acts(last):
        yield "match after an act", match.share
        if match.share == 0 and role not in ("commit", "field", "choice"):
            yield "no match after an act", 1.0
        if unit.kind == "opener" or words.label == (stem("settings"),):
            yield "a new way after an act", 1.0
    if unit.kind == "opener":
        yield "menu while nothing matches", weak
        yield "menu next to settings", 1.0 if page.prefs and page.task.about_settings else 0.0
        yield "menu for settings", 1.0 if page.task.about_settings and not page.prefs else 0.0
        yield (
            "menu for settings, nothing matches",
            weak if page.task.about_settings and not page.prefs else 0.0,
        )
        yield "menu after a step", 1.0 if last is not None else 0.0
    if words.label == (stem("settings"),):
        yield "settings", 1.0
        yield "settings while nothing matches", weak
        yield "settings for settings", 1.0 if page.task.about_settings else 0.0
        yield "settings for settings, nothing matches", weak if page.task.about_settings else 0.0
    if unit.kind == "toggle":
        yield from _toggling(page, unit.value, match)
    if unit.kind in ("choice", "tab") and unit.value == "on":
        yield "chosen already", 1.0
        yield "chosen already and matches", match.best
    if unit.kind == "choice":
        yield "choice that matches", match.best
    commits = role == "commit" or (len(words.label) == 1 and words.label[0] in listed("commit"))
    if commits:
        yield from _committing(page, words, match)
    if role in ("cancel", "back"):
        yield "leaves after a change", 1.0 if _changed_here(page.past) else 0.0
    if unit.kind == "field":
        yield "tap of a field", 1.0
        yield "tap of a field with a literal left", 1.0 if page.literals else 0.0
    if candidate.kind == "long_press":
        yield "long press that matches", match.best
    if last is not None and last.offered and unit.key not in last.offered:
        yield "is new and matches", match.best
        yield "is new after a menu", 1.0 if last.control == "opener" else 0.0


def _toggling(page: _Page, value: str | None, match: _Match) -> Iterator[tuple[str, float]]:
    want = page.task.wants
    yield "switch that matches", match.best
    if not want or value not in ("on", "off") or not match.best:
        return
    right = (want > 0) == (value == "on")
    yield "switch stands right", match.best if right else 0.0
    yield "switch stands wrong", 0.0 if right else match.best


def _changed_here(past: _Past) -> bool:
    """Whether something was typed, chosen, switched or slid on this screen."""
    return any(_acts(step) for step in past.here)


def _acts(step: PastStep) -> bool:
    """Whether a step did more than to lead on."""
    return step.kind in ("type", "clear", "swipe") or _family(step) in (
        "a commit",
        "choice",
        "toggle",
        "slider",
    )


def _committing(page: _Page, words: _Words, match: _Match) -> Iterator[tuple[str, float]]:
    last = page.past.last
    yield "commit", 1.0
    yield "commit after a change here", 1.0 if _changed_here(page.past) else 0.0
    yield "commit on arrival", 1.0 if not page.past.here else 0.0
    if last is not None:
        yield f"commit after {_family(last)}", 1.0
        came = bool(last.offered) and not page.past.here
        yield "commit of a new dialog", 1.0 if came and page.controls <= _DIALOG else 0.0
        chose = last.control == "choice" and not page.past.here
        yield "commit after a choice led here", 1.0 if chose else 0.0
    else:
        yield "commit at the beginning", 1.0
    yield "commit while better matches", max(0.0, page.best - match.best)
    changed = _changed_here(page.past)
    yield "commit that matches before a change", 0.0 if changed else match.best
    yield "commit of an empty form", 1.0 if page.unfilled else 0.0
    yield "commit with literals left", min(1.0, len(page.literals) / 2) if page.fields else 0.0
    if page.commits == 1:
        yield "only commit", 1.0
    if page.controls <= _DIALOG:
        yield "commit of a dialog", 1.0


_DIALOG: Final = 5
"""A screen with at most so many candidates on controls asks one thing."""


def _family(step: PastStep) -> str:
    if step.kind != "tap":
        return step.kind
    label = stems(step.label)
    if len(label) == 1 and label[0] in listed("commit"):
        return "a commit"
    return step.control or "tap"


def _of_phone(page: _Page, candidate: Candidate) -> Iterator[tuple[str, float]]:
    if candidate.kind == "finish":
        yield from _finishing(page)
        return
    last = page.past.last
    weak = max(0.0, 1 - page.best)
    yield f"{candidate.kind} while nothing matches", weak
    if last is not None and last.kind == candidate.kind:
        yield f"{candidate.kind} again", 1.0
    if candidate.kind == "answer":
        yield "answer to a question", 1.0 if page.task.asks else 0.0
    if candidate.kind == "back" and last is not None:
        yield "back while nothing is new", 1.0 if last.effect == "NoChange" else 0.0
        yield "back after a commit", 1.0 if _family(last) == "a commit" else 0.0


def _finishing(page: _Page) -> Iterator[tuple[str, float]]:
    past, last = page.past, page.past.last
    done = page.situation.done
    if last is None:
        yield "finish at the beginning", 1.0
        return
    weak = max(0.0, 1 - page.best)
    yield "finish", 1.0
    yield "finish while nothing matches", weak
    yield "finish with all said", 1 - page.open
    yield "finish with literals left", min(1.0, len(page.literals) / 2)
    yield "finish with no literal left", 1.0 if page.task.literals and not page.literals else 0.0
    yield f"finish after {_family(last)}", 1.0
    yield "finish steps", min(1.0, len(past.steps) / _LOOK_BACK)
    back = place_of(page.situation.screen) in past.places[:-1]
    yield "finish on a page seen before", 1.0 if back and not past.here else 0.0
    yield "finish on the same page", 1.0 if past.here else 0.0
    yield "finish without an act", 0.0 if page.acted else 1.0
    if page.task.about_settings:
        yield "finish of settings without an act", 0.0 if page.acted else 1.0
        yield "finish of settings after an act", 1.0 if _acts(last) else 0.0
    yield "finish of an empty form", 1.0 if page.unfilled else 0.0
    yield "finish with much open", page.open if page.best > _WEAK else 0.0
    yield "finish with a commit to press", 1.0 if page.commits else 0.0
    if page.commits and _changed_here(past):
        yield "finish with a change not saved", 1.0
    mine = stems(last.label)
    yield "finish after a match", len(shared_words(mine, page.task.stems)) / max(1, len(mine))
    if last.control in ("toggle", "choice"):
        yield (
            "finish after a matching switch or choice",
            len(shared_words(mine, page.task.stems)) / max(1, len(mine)),
        )
    yield "finish in a dialog", 1.0 if page.controls <= _DIALOG else 0.0
    if last.effect == "NoChange":
        yield "finish after nothing", 1.0
    if done is True:
        yield "finish is allowed", 1.0
        yield "finish is allowed after an act", 1.0 if _acts(last) else 0.0
        yield "finish is allowed while nothing matches", weak
