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
from vsalang.models.effects.answer import Answer, NoAnswer
from vsalang.models.effects.asking import Asker
from vsalang.models.effects.control import ControlKey, control_key, words_around
from vsalang.models.effects.kept import AnswerFile, KeptAnswer
from vsalang.models.effects.outcome import contradicts, outcome
from vsalang.models.effects.places import spot_of
from vsalang.models.effects.prompt import Question
from vsalang.models.effects.told import (
    hash_for,
    is_exact,
    row_of_answer,
    rows_of_arguments,
    with_places,
)
from vsalang.models.risk.judge.question import screen_lines
from vsalang.program.screen import Cells, Screen, UnresolvedTarget, in_front
from vsalang.program.text import line
from vsalang.screen.control import controls
from vsalang.screen.screen import TreeScreen
from vsalang.screen.secrets import Redactor
from vsalang.screen.tree import Node

RELATION: Final = "Answered"
ARGUMENT: Final = "AnsweredArgument"
_TOUCHES: Final = frozenset({"tap", "double_tap", "long_press"})
_TAP: Final = "tap"
"""A model is asked what this does; of other touches it says nothing."""
_LONGEST: Final = 300
_MOST_TOUCHES: Final = 50
"""So many of the newest touches of a session are remembered."""
_MOST_LOOKS: Final = 2
"""About so many earlier touches a model is asked at one proposal."""


@dataclass(frozen=True, slots=True)
class _Touch:
    """A touch that was carried out, or is about to be.

    Attributes:
        key: of its proposal.
        screen: what it was judged on.
        node: takes it.
        open: what it does was not known, or is by an answer.
        kinds: the critical actions that it was read as, by their short names.
        after: what showed next; None: nothing has yet.
    """

    key: object
    screen: TreeScreen
    node: Node
    open: bool
    kinds: frozenset[str]
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
        counting = None if node is None else self._counting(screen, node)
        if node is not None:
            known = counting is not None
            doubt = self._doubt(proposal) if not known or self._asker is not None else Doubt()
            asks = doubt.held and proposal.gesture is not None and proposal.gesture.name == _TAP
            if asks and not known:
                self._ask(screen, node)
            now = self._counting(screen, node)
            kinds = {name.rpartition(".")[2] for name in doubt.actions}
            kinds |= {now.answer.kind} if now is not None and now.answer.kind else set()
            if asks:
                try:
                    self._look_back(kinds)
                except Exception as error:  # else what is known of the control would be lost with it
                    self.unanswered.append(line(f"{type(error).__name__}: {error}", _LONGEST))
            self._judged = _Touch(proposal.key(), screen, node, known or doubt.unknown, frozenset(kinds))
        counts = [
            (each, kept)
            for each in screen.tree.nodes
            if (each.takes_touch or each is node) and (kept := self._counting(screen, each)) is not None
        ]
        arguments = next(
            (self._exact_arguments(screen, each, kept) for each, kept in counts if each is node), None
        )
        exact = {node.node} if node is not None and arguments is not None else set()
        return {
            name: rows
            for name, rows in {
                RELATION: tuple(
                    row_of_answer(screen.tree, each, kept, each.node in exact) for each, kept in counts
                ),
                ARGUMENT: arguments or (),
            }.items()
            if rows or name in screen.relations()
        }

    def _exact_arguments(self, screen: TreeScreen, node: Node, kept: KeptAnswer) -> tuple[Cells, ...] | None:
        """The rows of ``AnsweredArgument`` of an exact answer; None: it is not, or nobody can tell."""
        try:
            exact = is_exact(screen, node, kept)
            return tuple(rows_of_arguments(screen.tree, node, kept.answer)) if exact else None
        except Exception as error:  # then it only adds duty, and is not lost
            self.unanswered.append(line(f"{type(error).__name__}: {error}", _LONGEST))
            return None

    def failed(self, why: str) -> Mapping[str, tuple[Cells, ...]]:
        """The rows that say that there is no answer."""
        return {RELATION: (), ARGUMENT: ()}

    def committed(self, screen: Screen | None, proposal: Proposal) -> None:
        """A proposal was committed: its outcome may say what an unknown touch did."""
        self._running = None
        if self._judged is not None and self._judged.key == proposal.key():
            self._running = self._judged
        self._judged = None

    def observed(self, screen: Screen | None) -> None:
        """The outcome of what was committed: it may add that a control acts, and drop an answer."""
        running, self._running = self._running, None
        if running is None or not isinstance(screen, TreeScreen):
            return
        self._touches = [*self._touches, replace(running, after=screen)][-_MOST_TOUCHES:]
        before, node = running.screen, running.node
        seen = outcome(before, node, screen)
        key = self._key(before, node)
        if seen is None or key is None or not running.open:
            return
        kept = self._answer_about(key)
        if kept is None:
            self._keep(key, seen, before, node)
        elif contradicts(seen, kept.answer):
            self._drop(key, accepted=True)

    # ------------------------------------------------------------------ answers

    def _counting(self, screen: TreeScreen, node: Node) -> KeptAnswer | None:
        """The answer about a control, if it counts now."""
        if not (self._known or self._in_session):
            return None
        key = self._key(screen, node)
        kept = None if key is None else self._answer_about(key)
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

    def _ask(self, screen: TreeScreen, node: Node) -> None:
        """Ask about a control of which nothing counts, unless it was asked about in this session."""
        key = self._key(screen, node)
        if self._asker is None or key is None or key in self._in_session:
            return
        answer = self._asker.ask(self._question(screen, node))
        known = self._known.get(key)
        if isinstance(answer, Answer) and known is not None and known.answer.means != answer.means:
            self._drop(key, accepted=False)  # the same question had another answer in an earlier session
        else:
            self._take(key, answer, screen, node)

    def _look_back(self, kinds: Collection[str]) -> None:
        """Ask about earlier touches that were read as acts of the same kind as one that is held back now.

        What showed next tells whether they only led on to what does the act. What is said is for a person to accept: it
        counts in no session before, and is kept in addition to what else is said of the control.
        """
        asked = 0
        for touch in reversed(self._touches):
            key = self._key(touch.screen, touch.node)
            if key is None or touch.after is None or touch.kinds.isdisjoint(kinds) or not self._is_kept(key):
                continue
            known = self._known.get(key)
            if key in self._looked_back or key in self.dropped or (known is not None and known.accepted):
                continue
            if self._asker is None or asked == _MOST_LOOKS:
                return
            self._looked_back.add(key)
            if self._shows(touch.after, key):
                continue
            asked += 1
            answer = self._asker.ask(self._question(touch.screen, touch.node, touch.after))
            if isinstance(answer, NoAnswer):
                self.unanswered.append(answer.why)
                return
            self.answered.append(key)
            placed = with_places(answer, touch.screen.tree, touch.node)
            self._write(key, placed, touch.screen, touch.node, hindsight=True)

    def _shows(self, screen: TreeScreen, key: ControlKey) -> bool:
        """Whether a screen has a control: then what came after a touch of it tells nothing."""
        nodes = (node for node in screen.tree.nodes if node.takes_touch and node.package == key.package)
        return any(self._key(screen, node) == key for node in nodes)

    def _take(self, key: ControlKey, answer: Answer | NoAnswer, screen: TreeScreen, node: Node) -> None:
        """Keep what a model said of a control."""
        if isinstance(answer, NoAnswer):
            self._in_session[key] = answer
            self.unanswered.append(answer.why)
            return
        self.answered.append(key)
        self._keep(key, with_places(answer, screen.tree, node), screen, node)

    def _question(self, screen: TreeScreen, node: Node, after: TreeScreen | None = None) -> Question:
        kind = next((unit.kind for unit in controls(screen.tree) if unit.taker.node == node.node), "")
        known = {"label": node.label, "id": node.id, "class": node.cls, "kind": kind}
        control = {name: value for name, value in known.items() if value}
        lines = screen_lines(screen)
        texts = [text for text, _ in lines]
        later = [text for text, _ in screen_lines(after)] if after is not None else []
        if self._redactor is not None:
            for each in filter(None, (screen, after)):
                self._redactor.learn_screen(each)
            later = self._redactor.texts(later)
            *texts, label = self._redactor.texts([*texts, control.get("label", "")])
            control = {**control, **({"label": label} if label else {})}
        line_nodes = (
            screen.tree.by_number.get(number) if number is not None else None for _, number in lines
        )
        spots = tuple(None if each is None else spot_of(screen.tree, each) for each in line_nodes)
        return Question(node.package or "", control, "\n".join(texts), spots, "\n".join(later))

    def _keep(self, key: ControlKey, answer: Answer, screen: TreeScreen, node: Node) -> None:
        self._in_session[key] = answer
        self._write(key, answer, screen, node)

    def _is_kept(self, key: ControlKey) -> bool:
        """Whether answers about a control are kept in the file."""
        return bool(self._file is not None and not self.problem and key.version and self._redactor is None)

    def _write(
        self, key: ControlKey, answer: Answer, screen: TreeScreen, node: Node, *, hindsight: bool = False
    ) -> None:
        """Keep an answer in the file."""
        if self._file is None or not self._is_kept(key):
            return
        try:
            exact = hash_for(answer, screen, node) or ""
            words = words_around(screen.tree, node)
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

    def _key(self, screen: TreeScreen, node: Node) -> ControlKey | None:
        if node.package is None:
            return None
        if node.package not in self._versions:
            try:
                version = self._version_of(node.package)
            except Exception:
                version = ""
            self._versions[node.package] = line(version, _LONGEST)
        return control_key(screen.tree, node, self._versions[node.package])


def _touched(screen: TreeScreen, proposal: Proposal) -> Node | None:
    """The node that takes the touch of a proposal; None: it is not a touch, or none is known to."""
    gesture = proposal.gesture
    if gesture is None or gesture.name not in _TOUCHES:
        return None
    try:
        number = screen.target(gesture.name, gesture.args).get("node")
    except UnresolvedTarget:
        return None
    return screen.tree.by_number.get(number) if isinstance(number, int) else None
