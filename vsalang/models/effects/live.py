"""What is kept of unknown controls, in a guarded session: an `vsalang.guard.judge.evidence.Evidence`.

Its rows are those of ``Answered``. They stand in the journal with the screen, so a replay reads them there.
"""

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from vsalang.base.records import dataclass
from vsalang.base.source.database import StoreError
from vsalang.guard.say.verdict import Doubt, Proposal
from vsalang.models.effects.answer import OUTCOME, Answer, NoAnswer
from vsalang.models.effects.asking import Asker
from vsalang.models.effects.control import ASKED, ControlKey, words_around
from vsalang.models.effects.kept import AnswerFile, KeptAnswer
from vsalang.models.effects.outcome import contradicts, outcome
from vsalang.models.effects.place import Place
from vsalang.models.effects.shown import question_about
from vsalang.models.effects.told import hash_for, is_exact, row_of_answer, rows_of_arguments, with_places
from vsalang.models.effects.way import TOUCHES, TYPING, Step, page_words, way_to
from vsalang.program.screen import Cells, Screen, UnresolvedTarget, in_front
from vsalang.program.text import line
from vsalang.screen.screen import TreeScreen
from vsalang.screen.secrets import Redactor
from vsalang.screen.tree import Node

RELATION: Final = "Answered"
ARGUMENT: Final = "AnsweredArgument"
_LONGEST: Final = 300
_WAITS: Final = "wait"
"""What does nothing, and so leads to no other screen."""
_TAP: Final = "tap"
_MOST_TOUCHES: Final = 50
"""So many of the newest touches of a session are remembered."""
_FAMILIES: Final = (
    frozenset({"Delete", "Erase"}),
    frozenset({"Pay", "Order"}),
    frozenset({"Send", "Share", "Post"}),
    frozenset({"SetSetting", "SetSecurity", "Edit", "Create"}),
)
"""The kinds as which one act may be read."""
_MOST_LOOKS: Final = 2
"""About so many earlier touches a model is asked at one proposal."""


@dataclass(frozen=True, slots=True)
class _Touch:
    """A touch that was carried out, or is about to be.

    Attributes:
        key: of its proposal.
        open: what it does was not known, or is by an answer.
        kinds: the critical actions that it was read as, by their short names.
        place: what takes it, with the steps that led there.
        after: what showed next; None: nothing has yet.
    """

    key: object
    open: bool
    kinds: frozenset[str]
    place: Place
    after: TreeScreen | None = None


class LiveAnswers:
    """The answers of one session.

    An answer that a person has accepted counts. Of the others those count that say that a control acts, and those that
    say that it leads on if they were given in this session; whether structure excludes an act, rules decide.

    Args:
        kinds: the names of the effects; what is kept of others does not count.
        doubt: what would hold a proposal back, judged by what is seen now. A model is asked about each such touch, as
            what it does may have been misread, and about earlier touches of the session that were read as such an act.
        file: where answers are kept; None: only in this session.
        asker: is asked about a control that is touched, once; None: nobody is.
        version_of: the version of an app, by its package; empty or an error: not known, and nothing is kept of it.
        now: the time.

    Attributes:
        answered: the controls about which a model gave an answer that can be used, in this session.
        unanswered: why others stay unknown about which it was asked.
        dropped: the controls whose answers were dropped, because what came contradicts them.
        problem: why answers are not kept in the file any more; empty if they are.

    Raises:
        StoreError: the file cannot be read.
    """

    def __init__(
        self,
        kinds: Collection[str],
        doubt: Callable[[Proposal], Doubt],
        *,
        file: AnswerFile | None = None,
        asker: Asker | None = None,
        version_of: Callable[[str], str] = lambda package: "",
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self.answered: list[ControlKey] = []
        self.unanswered: list[str] = []
        self.dropped: list[ControlKey] = []
        self.problem = ""
        self._kinds = frozenset(kinds)
        self._doubt = doubt
        self._file = file
        self._asker = asker
        self._version_of = version_of
        self._now = now
        self._versions: dict[str, str] = {}
        self._in_front: str | None = None
        self._redactor: Redactor | None = None
        self._known = dict(file.answers()) if file is not None else {}
        self._in_session: dict[ControlKey, Answer | NoAnswer] = {}
        self._judged: _Touch | None = None
        self._running: _Touch | None = None
        self._touches: list[_Touch] = []
        self._looked_back: set[ControlKey] = set()
        self._steps: list[Step] = []
        self._left = False

    def hide(self, redactor: Redactor) -> bool:
        """Show the model no secrets from now on. True: it is shown no pictures."""
        self._redactor = redactor
        return True

    # ------------------------------------------------------------------ as evidence

    def rows(self, screen: Screen, proposal: Proposal) -> Mapping[str, tuple[Cells, ...]]:
        """The rows of ``Answered`` of all controls of a screen of which an answer counts."""
        self._judged = None
        if not isinstance(screen, TreeScreen):
            return {}
        front = in_front(screen)
        if front != self._in_front:  # what was not in front may be another version now
            self._in_front, self._versions = front, {}
        node = _touched(screen, proposal)
        place = None
        if node is not None and proposal.gesture is not None:
            place = self._place(screen, node, proposal.gesture.name)
            kept = self._counting(place)
            known = kept is not None and kept.key.gesture == place.gesture
            doubt = self._doubt(proposal) if not known or self._asker is not None else Doubt()
            asks = doubt.held and place.gesture in ASKED
            if asks and not known:
                self._without_error(lambda: self._ask(place))
            now = self._counting(place)
            kinds = {name.rpartition(".")[2] for name in doubt.actions}
            kinds |= {now.answer.kind} if now is not None and now.answer.kind else set()
            if asks:
                self._without_error(lambda: self._look_back(kinds))
            self._judged = _Touch(proposal.key(), kept is not None or doubt.unknown, frozenset(kinds), place)
        places = [
            self._place(screen, each) for each in screen.tree.nodes if each.takes_touch and each is not node
        ]
        places += [] if place is None else [place]
        counts = [(each, kept) for each in places if (kept := self._counting(each)) is not None]
        arguments = next((self._exact_arguments(each, kept) for each, kept in counts if each is place), None)
        return {
            name: rows
            for name, rows in {
                RELATION: tuple(
                    row_of_answer(each, kept, each is place and arguments is not None)
                    for each, kept in counts
                ),
                ARGUMENT: arguments or (),
            }.items()
            if rows or name in screen.relations()
        }

    def _without_error(self, ask: Callable[[], object]) -> None:
        """Ask a model; what goes wrong loses nothing of what is known."""
        try:
            ask()
        except Exception as error:
            self.unanswered.append(line(f"{type(error).__name__}: {error}", _LONGEST))

    def _exact_arguments(self, place: Place, kept: KeptAnswer) -> tuple[Cells, ...] | None:
        """The rows of ``AnsweredArgument`` of an exact answer; None: it is not, or nobody can tell."""
        try:
            return tuple(rows_of_arguments(place, kept.answer)) if is_exact(place, kept) else None
        except Exception as error:  # then it only adds duty, and is not lost
            self.unanswered.append(line(f"{type(error).__name__}: {error}", _LONGEST))
            return None

    def failed(self, why: str) -> Mapping[str, tuple[Cells, ...]]:
        """The rows that say that there is no answer."""
        return {RELATION: (), ARGUMENT: ()}

    def committed(self, screen: Screen | None, proposal: Proposal) -> None:
        """A proposal was committed: its outcome may say what an unknown touch did."""
        self._running = None
        self._note(screen, proposal)
        if self._judged is not None and self._judged.key == proposal.key():
            self._running = self._judged
        self._judged = None

    def doubted(self) -> None:
        """The last step may not have reached what it was judged on: then nobody knows what led to what shows next."""
        if self._steps:
            self._steps[-1] = Step(screen=self._steps[-1].screen)

    def observed(self, screen: Screen | None) -> None:
        """The outcome of what was committed: it may add that a control acts, and drop an answer."""
        running, self._running = self._running, None
        try:
            self._note_look(screen)
        except Exception:  # then nobody knows what led to what shows next
            self._steps.append(Step())
        if running is None or not isinstance(screen, TreeScreen):
            return
        self._touches = [*self._touches, replace(running, after=screen)][-_MOST_TOUCHES:]
        place = running.place
        key = place.key
        if key is not None and _may_be_told(self._in_session.get(key)):
            self._without_error(lambda: self._ask_again(self._touches[-1]))
        seen = outcome(place.screen, place.node, screen)
        if seen is None or key is None or not running.open or key.gesture not in ASKED:
            return
        kept = self._answer_about(key)
        if kept is None:
            self._keep(key, seen, place)
        elif contradicts(seen, kept.answer):
            self._drop(key, accepted=True)

    # ------------------------------------------------------------------ answers

    def _counting(self, place: Place) -> KeptAnswer | None:
        """The answer about a control, if it counts now. Another touch than a tap may do what a tap does."""
        if not (self._known or self._in_session):
            return None
        keys = (place.key, replace(place, gesture=_TAP).key)
        candidates = [
            kept for key in keys if key is not None and (kept := self._answer_about(key)) is not None
        ]
        # what a tap does is told of a long press, too, until a person has accepted what that does
        acts = [kept for kept in candidates if kept.accepted or kept.answer.means == "acts"]
        kept = next(iter([*acts, *candidates]), None)
        if kept is None or (kept.answer.kind and kept.answer.kind not in self._kinds):
            return None
        counts = (
            kept.answer.means == "acts" or kept.accepted or isinstance(self._in_session.get(kept.key), Answer)
        )
        return kept if counts else None

    def _answer_about(self, key: ControlKey) -> KeptAnswer | None:
        known = self._known.get(key)
        if known is not None and known.accepted:
            return known
        answer = self._in_session.get(key)
        if isinstance(answer, Answer):
            return KeptAnswer(key, answer)
        return None if isinstance(answer, NoAnswer) else known

    def _ask(self, place: Place) -> None:
        """Ask about a control of which nothing counts, unless it was asked about in this session."""
        key = place.key
        if self._asker is None or key is None or key in self._in_session:
            return
        answer = self._asker.ask(question_about(place, redactor=self._redactor))
        known = self._known.get(key)
        if isinstance(answer, Answer) and known is not None and known.answer.means != answer.means:
            self._drop(key, accepted=False)  # the same question had another answer in an earlier session
        else:
            self._take(key, answer, place)

    def _look_back(self, kinds: Collection[str]) -> None:
        """Ask about earlier touches that were read as acts of the same kind as one that is held back now.

        What showed next tells whether they only led on to what does the act. What is said is for a person to accept: it
        counts in no session before, and is kept in addition to what else is said of the control.
        """
        asked = 0
        alike = set(kinds).union(*(family for family in _FAMILIES if not family.isdisjoint(kinds)))
        for touch in reversed(self._touches):
            if asked < _MOST_LOOKS and not touch.kinds.isdisjoint(alike):
                asked += self._ask_again(touch)

    def _ask_again(self, touch: _Touch) -> bool:
        """Ask what an earlier touch did, by what came after it, once; whether it was asked about now."""
        key, after = touch.place.key, touch.after
        if self._asker is None or key is None or after is None or not self._is_kept(key):
            return False
        known = self._known.get(key)
        if key in self._looked_back or key in self.dropped or (known is not None and known.accepted):
            return False
        self._looked_back.add(key)
        if self._shows(after, touch.place, key):
            return False
        answer = self._asker.ask(question_about(touch.place, after, self._redactor))
        before = self._in_session.get(key)
        if isinstance(answer, NoAnswer):
            self.unanswered.append(answer.why)
        elif not isinstance(before, Answer) or (before.means, before.kind) != (answer.means, answer.kind):
            self.answered.append(key)
            self._write(key, with_places(answer, touch.place), touch.place, hindsight=True)
        return True

    def _shows(self, screen: TreeScreen, place: Place, key: ControlKey) -> bool:
        """Whether a screen has a control as it was: then what came after a touch of it tells nothing."""
        before = (place.node.checked, place.node.selected)
        nodes = (node for node in screen.tree.nodes if node.takes_touch and node.package == key.package)
        return any(
            (node.checked, node.selected) == before and self._place(screen, node, key.gesture).key == key
            for node in nodes
        )

    def _take(self, key: ControlKey, answer: Answer | NoAnswer, place: Place) -> None:
        """Keep what a model said of a control."""
        if isinstance(answer, NoAnswer):
            self._in_session[key] = answer
            self.unanswered.append(answer.why)
            return
        self.answered.append(key)
        self._keep(key, with_places(answer, place), place)

    def _place(self, screen: TreeScreen, node: Node, gesture: str = _TAP) -> Place:
        """Where a control is touched, and what led there in this session."""
        version = "" if node.package is None else self._version(node.package)
        return Place(screen, node, version, gesture, way_to(in_front(screen), self._steps))

    def _note(self, screen: Screen | None, proposal: Proposal) -> None:
        """Remember a step that is carried out now."""
        gesture = proposal.gesture
        if gesture is not None and gesture.name == _WAITS:
            return
        self._left = False
        newest = screen if isinstance(screen, TreeScreen) else None
        self._steps = [*self._steps, Step(screen=newest)][-_MOST_TOUCHES:]
        node = None if newest is None else _target(newest, proposal)
        if gesture is not None and node is not None:
            self._steps[-1] = Step(gesture.name, newest, node)

    def _note_look(self, screen: Screen | None) -> None:
        """Remember that a page came back by itself, or another app in front: then no step led to what shows next."""
        if not self._steps or (last := self._steps[-1]).node is None:
            return
        if not isinstance(screen, TreeScreen) or last.screen is None:
            self._steps.append(Step())
            return
        here = page_words(screen) == page_words(last.screen)
        if in_front(screen) != in_front(last.screen) or (here and self._left):
            self._steps.append(Step(screen=screen))
        self._left = self._left or not here

    def _keep(self, key: ControlKey, answer: Answer, place: Place) -> None:
        self._in_session[key] = answer
        self._write(key, answer, place)

    def _is_kept(self, key: ControlKey) -> bool:
        """Whether answers about a control are kept in the file."""
        return bool(self._file is not None and not self.problem and key.version and self._redactor is None)

    def _write(self, key: ControlKey, answer: Answer, place: Place, *, hindsight: bool = False) -> None:
        """Keep an answer in the file."""
        if self._file is None or not self._is_kept(key):
            return
        try:
            exact = hash_for(answer, place) or ""
            words = words_around(place.tree, place.node)
            self._file.add(KeptAnswer(key, answer, False, words, self._now(), exact, hindsight))
        except StoreError as error:
            self.problem = line(str(error), _LONGEST)

    def _drop(self, key: ControlKey, *, accepted: bool) -> None:
        """Forget what is said of a control, also if a person has accepted it meanwhile or only if nobody has."""
        self.dropped.append(key)
        self._known.pop(key, None)
        self._in_session[key] = NoAnswer("answers about it contradict each other")
        if self._file is None or self.problem:
            return
        try:
            self._file.drop([key.ref], accepted=accepted)
        except StoreError as error:
            self.problem = line(str(error), _LONGEST)

    def _version(self, package: str) -> str:
        """The version of an app; empty: not known."""
        if package not in self._versions:
            try:
                version = self._version_of(package)
            except Exception:
                version = ""
            self._versions[package] = line(version, _LONGEST)
        return self._versions[package]


def _may_be_told(answer: Answer | NoAnswer | None) -> bool:
    """Whether what came after a touch may tell more than a model said before: that it acts, or that it cannot tell."""
    if isinstance(answer, NoAnswer):
        return answer.unsure
    return answer is not None and answer.means == "acts" and answer.by != OUTCOME


def _touched(screen: TreeScreen, proposal: Proposal) -> Node | None:
    """The node that takes the touch of a proposal; None: it is not a touch, or none is known to."""
    gesture = proposal.gesture
    return None if gesture is None or gesture.name not in TOUCHES else _target(screen, proposal)


def _target(screen: TreeScreen, proposal: Proposal) -> Node | None:
    """The node that takes a touch, or what is typed; None: the proposal is neither, or none is known to."""
    gesture = proposal.gesture
    if gesture is None or gesture.name not in TOUCHES | TYPING:
        return None
    try:
        number = screen.target(gesture.name, gesture.args).get("node")
    except UnresolvedTarget:
        return None
    return screen.tree.by_number.get(number) if isinstance(number, int) else None
