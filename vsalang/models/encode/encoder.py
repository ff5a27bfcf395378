"""The encoder: asks a model for a spec, checks it, and reports problems back, for a limited number of rounds."""

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.records import dataclass
from vsalang.language.semantics import Loaded
from vsalang.models.client.language_model import Answer, Message, Model, ModelError, UnusableAnswer
from vsalang.models.client.ledger import BudgetUsedUp
from vsalang.models.encode.answer_form import AnswerContent, Form, echo, find
from vsalang.models.encode.attempt import Check, CheckedAttempt, Rules, judge
from vsalang.models.encode.charter import (
    InstructionJudgement,
    is_charter,
    joined_judgement,
    judgement_in,
    missing_problem,
)
from vsalang.models.encode.experience import Experience
from vsalang.models.encode.json_answer import fields
from vsalang.models.encode.meaning import Doubt, Review
from vsalang.models.encode.moment import Moment
from vsalang.models.encode.problem import Problem
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.recall import Recollection, recall
from vsalang.models.encode.reference import functions, operators
from vsalang.models.encode.task import Settings, Task
from vsalang.models.encode.vocabulary import device_actions, vocabulary
from vsalang.program import risks
from vsalang.program.ir import Program

_MOST_PROBLEMS: Final = 20
_LONGEST_FEEDBACK: Final = 12_000
_LONGEST_ECHO: Final = 4_000


@dataclass(frozen=True, slots=True)
class Round:
    """One turn of the conversation.

    Attributes:
        messages: the messages to the model.
        answer: its answer.
        text: the module in the answer, with our header; empty if there is none.
        problems: why it was not accepted; empty if it was.
        fixed: mistakes with one certain remedy, which were fixed in `text`.
        judgement: of a charter what the answer says of the instruction.
    """

    messages: tuple[Message, ...]
    answer: Answer
    text: str
    problems: tuple[Problem, ...]
    fixed: tuple[Diagnostic, ...] = ()
    judgement: InstructionJudgement | None = None


@dataclass(frozen=True)
class Formalization:
    """The result of asking a model.

    Attributes:
        text: the last attempt; the spec, if accepted.
        rounds: all turns, in order.
        accepted: whether `text` passed all checks. It does not show that the spec says what the user meant: only a
            person can judge that.
        problems: of the last attempt.
        warnings: the checker's warnings about an accepted spec.
        loaded: the accepted spec's program, tests and sources; None if it was not accepted.
        doubts: about the meaning of an accepted spec. With one, a person has to look at it.
        reply: what the model said about the doubts that it was told; empty if there were none.
        recalled: what the memory had for the instruction; the model was shown it.
        checks: what was looked at in addition to the checker's findings and its tests, for people.
        tests: `test` blocks of states whose decision is known to be meant; they are not in `text`.
        stopped: why no further round was held though rounds were left: a budget was used up; empty otherwise.
        refused: why the model says that no spec can be written safely; empty if it does not.
        judgement: of a charter what was said of the instruction in all rounds.
    """

    text: str
    rounds: tuple[Round, ...]
    accepted: bool
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    loaded: Loaded | None = field(default=None, repr=False)
    doubts: tuple[Doubt, ...] = ()
    reply: str = ""
    recalled: Recollection = Recollection()
    checks: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    stopped: str = ""
    refused: str = ""
    judgement: InstructionJudgement | None = None


@dataclass(frozen=True, slots=True)
class RoundStart:
    """The event before the model is asked in round `number` (from 1) of at most `of`."""

    number: int
    of: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """The event after round `number` was checked; `again`: the model will be asked once more."""

    number: int
    of: int
    round: Round
    again: bool


@dataclass(frozen=True, slots=True)
class ReviewEnd:
    """The event after the meaning of the accepted spec of round `number` was looked at."""

    number: int
    of: int
    review: Review


Listener = Callable[[RoundStart | RoundEnd | ReviewEnd], None]


def formalize(
    instruction: str,
    apps: Sequence[str | Path],
    model: Model,
    *,
    name: str = "task",
    place: Path | None = None,
    max_rounds: int = 4,
    check: Check | None = None,
    memory: Sequence[Experience] = (),
) -> Formalization:
    """Have a model write the spec of an instruction: `encode` for what most callers need.

    Raises:
        InputError, ModelError, PromptError: as `encode`.
    """
    return encode(
        Task(instruction, tuple(apps), name, place), model, Settings(max_rounds, check, memory=tuple(memory))
    )


def encode(
    task: Task, model: Model, settings: Settings | None = None, listen: Listener | None = None
) -> Formalization:
    """Have a model write the spec of a task, and accept only what the checker accepts.

    Args:
        task: what is asked for.
        model: the model that is asked.
        settings: how it is asked.
        listen: called before and after each round.

    Raises:
        InputError: the instruction, the name, or an app cannot be used.
        ModelError: the model gave no usable answer.
        PromptError: a template or an example is wrong.
    """
    settings = settings or Settings()
    settings.checked()
    texts = Prompts(settings.prompts)
    texts.check()
    rules, loaded = task.prepared(settings.check)
    program = loaded.checked()
    recalled = recall(settings.memory, loaded, rules)
    charter = is_charter(rules.apps)
    opening = (
        Message(
            "system",
            texts.render(
                "system",
                {
                    "examples": texts.charters() if charter else texts.examples(),
                    "charter": charter,
                    "harms": risks.MEANINGS.items(),
                    "device": device_actions(program),
                    "operators": operators(),
                    "functions": functions(),
                    "form": settings.form,
                    "fields": fields() if settings.form == "json" else (),
                },
            ),
        ),
        Message(
            "user",
            texts.render(
                "request",
                {
                    "instruction": task.instruction,
                    "header": rules.header,
                    "name": task.name,
                    "apps": rules.apps,
                    "vocabulary": vocabulary(program, rules.apps, first=recalled.relations),
                    "moment": task.moment or Moment.of(),
                    "recalled": recalled,
                    "form": settings.form,
                },
            ),
        ),
    )
    conversation = _Conversation(rules, program, model, texts, settings, listen or (lambda event: None))
    result = replace(conversation.held(opening), recalled=recalled)
    if charter:
        judgements = [each.judgement for each in result.rounds if each.judgement is not None]
        result = replace(result, judgement=joined_judgement(judgements))
    return result


def _better(
    before: tuple[CheckedAttempt, Review], after: tuple[CheckedAttempt, Review]
) -> tuple[CheckedAttempt, Review]:
    """The accepted attempt that stays: one whose task can be finished, then that with fewer doubts, then the new one.

    Where the new one cannot be finished, that is a doubt about the doubts that it was changed for.
    """
    proof = after[1].unfinishable
    if proof and not before[1].unfinishable:
        message = (
            f"changed as the doubts say, the task could never be finished: {proof}; so it was not changed"
        )
        doubts = (*before[1].doubts, Doubt("verify", message, message))
        return before[0], replace(before[1], doubts=doubts)
    if before[1].unfinishable and not proof:
        return after
    return min(after, before, key=lambda each: len(each[1].doubts))


@dataclass(frozen=True)
class _Conversation:
    """What a conversation with the model needs.

    Attributes:
        program: imports the apps.
    """

    rules: Rules
    program: Program
    model: Model
    texts: Prompts
    settings: Settings
    listen: Listener

    @property
    def most(self) -> int:
        """How often the model is asked at most."""
        return self.settings.rounds

    @property
    def form(self) -> Form:
        """In which form the model writes the spec."""
        return self.settings.form

    def held(self, opening: tuple[Message, ...]) -> Formalization:
        """The result of asking until a spec is accepted and the model has answered the doubts about it."""
        rounds: list[Round] = []
        messages = opening
        accepted: tuple[CheckedAttempt, Review] | None = None
        reply = stopped = ""
        for number in range(1, self.most + 1):
            try:
                this, judged, content = self._round(
                    number,
                    messages,
                    last=number == self.most and accepted is None,
                    unjudged=all(each.judgement is None or each.judgement.missing for each in rounds),
                )
                remarks, refused = content.remarks, content.refusal
            except ModelError as error:
                if isinstance(error, BudgetUsedUp) and rounds:
                    stopped = str(error)
                    break
                if accepted is None:
                    raise
                reply = f"(no answer: {error})"
                break
            rounds.append(this)
            if refused:
                return Formalization("", tuple(rounds), False, refused=refused)
            if judged.problems:
                feedback = self._feedback(this)
            else:
                before, accepted = accepted, (judged, self._review(number, judged, accepted))
                if before is not None:
                    reply = remarks[:_LONGEST_ECHO]
                    accepted = _better(before, accepted)
                if before is not None or not accepted[1].doubts:
                    break
                feedback = self._doubts(accepted[1])
            # only the last attempt is shown again: earlier ones cost space and invite the same mistakes
            messages = (
                *opening,
                Message("assistant", echo(this.answer.text, this.text, self.form)),
                Message("user", feedback),
            )
        if accepted is None:
            return Formalization(judged.text, tuple(rounds), False, judged.problems, stopped=stopped)
        judged, review = accepted
        return Formalization(
            judged.text,
            tuple(rounds),
            True,
            (),
            judged.warnings,
            judged.loaded,
            review.doubts,
            reply,
            checks=review.checks,
            tests=review.tests,
            stopped=stopped,
        )

    def _round(
        self, number: int, messages: tuple[Message, ...], *, last: bool, unjudged: bool
    ) -> tuple[Round, CheckedAttempt, AnswerContent]:
        """One turn; what was judged, and what was found in the answer.

        Args:
            unjudged: no answer so far has judged the instruction.
        """
        self.listen(RoundStart(number, self.most, messages))
        answer, content = self._asked(messages, last=last)
        if content.problems or content.refusal:
            judged = CheckedAttempt("", content.problems)
        else:
            judged = judge(content.text, self.rules)
        judgement: InstructionJudgement | None = None
        if is_charter(self.rules.apps):
            judgement = judgement_in(content.remarks if self.form == "json" else answer.text)
            if judgement.missing and unjudged and not content.refusal and number < self.most:
                judged = replace(judged, problems=(*judged.problems, missing_problem(judgement)))
        this = Round(messages, answer, judged.text, judged.problems, judged.fixed, judgement)
        self.listen(RoundEnd(number, self.most, this, bool(judged.problems) and number < self.most))
        return this, judged, content

    def _asked(self, messages: tuple[Message, ...], *, last: bool) -> tuple[Answer, AnswerContent]:
        """The model's answer, and the spec in it. One that cannot be used is a problem, in the last round an error.

        Raises:
            ModelError: there is no answer, or none that can be used in the last round.
        """
        try:
            answer = self.model.ask(messages)
        except UnusableAnswer as error:
            if last:
                raise
            problem = Problem.of("answer", str(error), "send the spec only, and the whole spec")
            return Answer("", usage=error.usage), AnswerContent("", (problem,))
        return answer, find(answer.text, self.form, self.rules.header, self.program)

    def _review(
        self, number: int, judged: CheckedAttempt, before: tuple[CheckedAttempt, Review] | None
    ) -> Review:
        if self.settings.meaning is None or judged.loaded is None:
            return Review()
        if before is not None and before[0].text == judged.text:
            return replace(before[1], exchanges=())  # the same spec has the same doubts
        review = self.settings.meaning(judged.loaded, self.program)
        self.listen(ReviewEnd(number, self.most, review))
        return review

    def _doubts(self, review: Review) -> str:
        texts = [doubt.text[:_LONGEST_ECHO] for doubt in review.doubts[:_MOST_PROBLEMS]]
        data = {"doubts": texts, "header": self.rules.header, "form": self.form}
        return self.texts.render("doubts", data)

    def _feedback(self, last: Round) -> str:
        lines: list[str] = []
        room = _LONGEST_FEEDBACK
        for problem in last.problems[:_MOST_PROBLEMS]:
            if lines and len(problem.text) > room:
                break
            lines.append(problem.text[:_LONGEST_FEEDBACK])
            room -= len(lines[-1])
        return self.texts.render(
            "feedback",
            {
                "problems": lines,
                "more": len(last.problems) - len(lines),
                "header": self.rules.header,
                "apps": self.rules.apps,
                "fixed": len(last.fixed),
                "kinds": sorted({problem.kind for problem in last.problems}),
                "form": self.form,
                "text": last.text.strip(),
            },
        )
