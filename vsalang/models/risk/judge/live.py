"""A judge in a guarded session: it is asked before each action, or after it for the next one."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Final

from vsalang.guard.say.verdict import Proposal
from vsalang.models.risk.judge.answer import NoJudgement, Opinion
from vsalang.models.risk.judge.asking import Judge
from vsalang.models.risk.judge.question import Mode, Moment, Question, When, chosen, moment_of
from vsalang.models.risk.judge.rows import rows_of
from vsalang.program.action import OFF_SCREEN
from vsalang.program.screen import Cells, Screen
from vsalang.screen.secrets import Redactor

_MOST: Final = 200
"""So many moments are remembered."""


class LiveJudge:
    """What a judge says in one session; a `vsalang.guard.judge.evidence.Evidence`.

    Args:
        judge: is asked.
        instruction: what the user asked the agent for.
        mode: which moments it is shown.
        when: when it is asked.
        picture: takes a picture of the screen; None: it is asked with words only.
        about: the actions at which alone it is asked; None: at all that the phone sees. Not with ``after``.

    Raises:
        ValueError: it is asked after some actions only.
    """

    def __init__(
        self,
        judge: Judge,
        instruction: str,
        *,
        mode: Mode = "step",
        when: When = "before",
        picture: Callable[[], bytes] | None = None,
        about: frozenset[str] | None = None,
    ) -> None:
        if about is not None and when == "after":
            raise ValueError(
                "which action was done is not told: a judge is asked before some actions, or after all"
            )
        self.judge = judge
        self.about = about
        self._instruction = instruction
        self._mode: Mode = mode
        self._when: When = when
        self._picture = picture
        self._redactor: Redactor | None = None
        self._moments: list[Moment] = []
        self._shot: tuple[str, bytes] = ("", b"")
        self._committed: Moment | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._answer: Future[Opinion | NoJudgement] | None = None

    def hide(self, redactor: Redactor) -> bool:
        """Show the judge no secrets from now on; False: its pictures would show them."""
        self._redactor = redactor
        return self._picture is None

    def rows(self, screen: Screen, proposal: Proposal) -> Mapping[str, tuple[Cells, ...]]:
        """What is said of this proposal, or of what was done before it; see `vsalang.guard.judge.evidence.Evidence`."""
        if self._when == "after":
            return rows_of(self._answer.result() if self._answer is not None else None)
        if not _on_phone(proposal):
            return rows_of(None)
        moments = chosen([*self._moments, self._moment(screen, proposal)], self._mode)
        return rows_of(self.judge.ask(self._question(moments)))

    def committed(self, screen: Screen | None, proposal: Proposal) -> None:
        """An action is under way. What was said of the one before it says nothing of it."""
        self._committed = None
        if not _on_phone(proposal):
            return
        if self._when == "after":
            self._answer = Future()
            self._answer.set_result(NoJudgement("the judge could not be asked about the last action"))
        self._committed = self._moment(screen, proposal)

    def observed(self, screen: Screen | None) -> None:
        """The outcome of the action that was under way, or a look in between."""
        if self._committed is None:
            return
        self._moments = [*self._moments, self._committed][-_MOST:]
        self._committed = None
        if self._when == "after":
            moments = (*chosen(self._moments, self._mode), self._moment(screen, None))
            if self._pool is None:
                self._pool = ThreadPoolExecutor(1, "judge")
            self._answer = self._pool.submit(self.judge.ask, self._question(moments, done=True))

    def close(self) -> None:
        """The session is over: nobody waits for an answer any more."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _question(self, moments: tuple[Moment, ...], done: bool = False) -> Question:
        redactor = self._redactor
        return Question(redactor.text(self._instruction) if redactor else self._instruction, moments, done)

    def _moment(self, screen: Screen | None, proposal: Proposal | None) -> Moment:
        moment = moment_of(screen, proposal, self._pictured(screen))
        if self._redactor is None:
            return moment
        if screen is not None:
            self._redactor.learn_screen(screen)
        if proposal is not None:
            self._redactor.learn_typed(proposal.gesture, screen)
            self._redactor.text(str(proposal))  # how its secrets are written, for where it is cut
        *lines, action = self._redactor.texts([*moment.screen.split("\n"), moment.action])
        return replace(moment, screen="\n".join(lines), action=action)

    def _pictured(self, screen: Screen | None) -> bytes:
        """A picture of this screen: taken once, for as long as it shows the same."""
        if self._picture is None or screen is None:
            return b""
        if self._shot[0] != screen.fingerprint:
            self._shot = (screen.fingerprint, self._picture())
        return self._shot[1]


def _on_phone(proposal: Proposal) -> bool:
    """Whether the phone sees it: the end of a task and answers to the user are not judged."""
    return proposal.gesture is not None or any(each.name not in OFF_SCREEN for each in proposal.attempts)
