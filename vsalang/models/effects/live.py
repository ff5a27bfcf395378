"""What is kept of unknown controls, in a guarded session: an `vsalang.guard.judge.evidence.Evidence`.

Its rows are those of ``Answered``. They stand in the journal with the screen, so a replay reads them there.
"""

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from typing import Final

from vsalang.base.source.database import StoreError
from vsalang.guard.say.verdict import Proposal
from vsalang.models.effects.answer import Answer, NoAnswer
from vsalang.models.effects.asking import Asker
from vsalang.models.effects.control import ControlKey, control_key, words_around
from vsalang.models.effects.kept import AnswerFile, KeptAnswer
from vsalang.models.effects.outcome import contradicts, outcome
from vsalang.models.effects.prompt import Question
from vsalang.models.risk.judge.question import screen_text
from vsalang.program.screen import Cells, Screen, UnresolvedTarget
from vsalang.program.text import line
from vsalang.screen.control import controls
from vsalang.screen.screen import TreeScreen
from vsalang.screen.secrets import Redactor
from vsalang.screen.tree import Node

RELATION: Final = "Answered"
_TOUCHES: Final = frozenset({"tap", "double_tap", "long_press"})
_LONGEST: Final = 300


class LiveAnswers:
    """The answers of one session.

    An answer that a person has accepted counts. Of the others those count that say that a control acts, and those that
    say that it leads on if they were given in this session; whether structure excludes an act, rules decide.

    Args:
        kinds: the names of the effects; what is kept of others does not count.
        unclear: whether nobody knows what the touch of a proposal does, judged by what is seen now.
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
        unclear: Callable[[Proposal], bool],
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
        self._unclear = unclear
        self._file = file
        self._asker = asker
        self._version_of = version_of
        self._now = now
        self._versions: dict[str, str] = {}
        self._redactor: Redactor | None = None
        self._known = dict(file.answers()) if file is not None else {}
        self._given: dict[ControlKey, Answer | NoAnswer] = {}
        self._open: tuple[object, TreeScreen, Node] | None = None
        self._running: tuple[TreeScreen, Node] | None = None

    def hide(self, redactor: Redactor) -> bool:
        """Show the model no secrets from now on. True: it is shown no pictures."""
        self._redactor = redactor
        return True

    # ------------------------------------------------------------------ as evidence

    def rows(self, screen: Screen, proposal: Proposal) -> Mapping[str, tuple[Cells, ...]]:
        """The rows of ``Answered`` of all controls of a screen of which an answer counts."""
        self._open = None
        if not isinstance(screen, TreeScreen):
            return {}
        node = _touched(screen, proposal)
        if (
            node is not None
            and (counting := self._counting(screen, node)) is None
            and self._unclear(proposal)
        ):
            self._open = (proposal.key(), screen, node)
            self._ask(screen, node)
        elif node is not None and counting is not None:
            self._open = (proposal.key(), screen, node)
        rows = tuple(
            _row(screen, each, kept)
            for each in screen.tree.nodes
            if (each.takes_touch or each is node) and (kept := self._counting(screen, each)) is not None
        )
        return {RELATION: rows} if rows or RELATION in screen.relations() else {}

    def failed(self, why: str) -> Mapping[str, tuple[Cells, ...]]:
        """The rows that say that there is no answer."""
        return {RELATION: ()}

    def committed(self, screen: Screen | None, proposal: Proposal) -> None:
        """A proposal was committed: its outcome may say what an unknown touch did."""
        self._running = None
        if self._open is not None and self._open[0] == proposal.key():
            self._running = self._open[1:]
        self._open = None

    def observed(self, screen: Screen | None) -> None:
        """The outcome of what was committed: it may add that a control acts, and drop an answer."""
        running, self._running = self._running, None
        if running is None or not isinstance(screen, TreeScreen):
            return
        before, node = running
        seen = outcome(before, node, screen)
        key = self._key(before, node)
        if seen is None or key is None:
            return
        said = self._said(key)
        if said is None:
            self._keep(key, seen, words_around(before.tree, node))
        elif contradicts(seen, said.answer):
            self._drop(key)

    # ------------------------------------------------------------------ answers

    def _counting(self, screen: TreeScreen, node: Node) -> KeptAnswer | None:
        """The answer about a control, if it counts now."""
        if not (self._known or self._given):
            return None
        key = self._key(screen, node)
        said = None if key is None else self._said(key)
        if said is None or (said.answer.kind and said.answer.kind not in self._kinds):
            return None
        given = said.answer.means == "acts" or said.accepted or isinstance(self._given.get(said.key), Answer)
        return said if given else None

    def _said(self, key: ControlKey) -> KeptAnswer | None:
        known = self._known.get(key)
        if known is not None and known.accepted:
            return known
        given = self._given.get(key)
        if isinstance(given, Answer):
            return KeptAnswer(key, given)
        return None if isinstance(given, NoAnswer) else known

    def _ask(self, screen: TreeScreen, node: Node) -> None:
        """Ask about a control of which nothing counts, unless it was asked about in this session."""
        key = self._key(screen, node)
        if self._asker is None or key is None or key in self._given:
            return
        answer = self._asker.ask(self._question(screen, node))
        known = self._known.get(key)
        if isinstance(answer, Answer) and known is not None and known.answer.means != answer.means:
            self._drop(key)  # the same question had another answer in an earlier session
        elif isinstance(answer, Answer):
            self.answered.append(key)
            self._keep(key, answer, words_around(screen.tree, node))
        else:
            self._given[key] = answer
            self.unanswered.append(answer.why)

    def _question(self, screen: TreeScreen, node: Node) -> Question:
        kind = next((unit.kind for unit in controls(screen.tree) if unit.taker.node == node.node), "")
        known = {"label": node.label, "id": node.id, "class": node.cls, "kind": kind}
        control = {name: value for name, value in known.items() if value}
        shown = screen_text(screen)
        if self._redactor is not None:
            self._redactor.learn_screen(screen)
            *lines, label = self._redactor.texts([*shown.split("\n"), control.get("label", "")])
            shown, control = "\n".join(lines), {**control, **({"label": label} if label else {})}
        return Question(node.package or "", control, shown)

    def _keep(self, key: ControlKey, answer: Answer, words: tuple[str, ...]) -> None:
        self._given[key] = answer
        if self._file is None or self.problem or not key.version or self._redactor is not None:
            return
        try:
            self._file.add(KeptAnswer(key, answer, False, words, self._now()))
        except StoreError as error:
            self.problem = line(str(error), _LONGEST)

    def _drop(self, key: ControlKey) -> None:
        self.dropped.append(key)
        self._known.pop(key, None)
        self._given[key] = NoAnswer("answers about it contradict each other")
        if self._file is None or self.problem:
            return
        try:
            self._file.drop([key.ref])
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


def _row(screen: TreeScreen, node: Node, kept: KeptAnswer) -> Cells:
    """The row of a control; its argument is what the screen shows now."""
    answer = kept.answer
    argument = node.label if answer.argument == "label" else None
    if answer.argument == "section":
        units = (unit for unit in controls(screen.tree) if unit.taker.node == node.node)
        argument = next((unit.section for unit in units), None)
    row: dict[str, str | int | bool] = {
        "node": node.node,
        "means": answer.means,
        "accepted": kept.accepted,
        "by": answer.by,
    }
    if answer.kind:
        row["kind"] = answer.kind
    if argument:
        row["argument"] = argument
    return row
