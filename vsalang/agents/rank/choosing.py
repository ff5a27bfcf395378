"""Chooses what to do next: logic leaves out what may not be done, completes and recommends; a scorer orders the rest.

The order of a choice:

1. enumerate the candidates of the screen (`vsalang.models.rank.candidates`);
2. have the guard judge all of them at once, and leave out what it blocks. ``finish`` is left if `done` holds, and then
   nothing else counts;
3. complete what needs a text, an app or an answer by what the clauses demand, and judge again. A tap that was left
   out for what nobody completes, or for what did nothing here, is judged in its place;
4. score. What a clause permits now, what makes a cell as a clause demands it, and what is the next step on a map get
   fixed numbers in addition, no matter who scores;
5. warned actions come last.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

from vsalang.agents.rank.completing import Completer, Completion
from vsalang.agents.rank.demanded import Demands
from vsalang.agents.rank.planning import Planner, nobody_plans, planned
from vsalang.base.records import dataclass
from vsalang.guard import Guard, Verdict
from vsalang.guard.say.feedback import Leg, roadmap
from vsalang.models.rank import (
    AppChoice,
    Candidate,
    Decision,
    DroppedAction,
    Fallback,
    PastStep,
    Scorer,
    ScorerError,
    Situation,
    rank,
)
from vsalang.models.rank.enumerating import candidates
from vsalang.models.rank.judging import JudgedCandidates, allowed, spared
from vsalang.models.rank.scorer import probabilities
from vsalang.program.text import line
from vsalang.screen.screen import TreeScreen

PERMITTED: Final = 6.0
"""What a candidate gains that is an action which a clause of the task permits now, in log-odds."""
PREPARES: Final = 4.0
"""What a candidate gains that makes a cell as a clause asks it."""
PLANNED: Final = 1.5
"""What a candidate gains that is the next step on a map."""
WARNED: Final = -20.0
"""What a candidate loses of which the guard warns: it is off the task's way."""
MAX_NOTE: Final = 1500
"""Characters of the note on a choice."""
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Logic:
    """What logic says for a candidate.

    Attributes:
        permits: the clauses that permit the action that it is.
        prepares: the clauses for which it makes a cell as they ask it.
        planned: whether it is the next step on a map.
    """

    permits: tuple[str, ...] = ()
    prepares: tuple[str, ...] = ()
    planned: bool = False

    @property
    def words(self) -> str:
        """The same in words; empty: nothing."""
        parts = [f"the task permits it ({', '.join(self.permits)})"] if self.permits else []
        parts += [f"it prepares what {', '.join(self.prepares)} asks"] if self.prepares else []
        parts += ["it is the next step on the map"] if self.planned else []
        return ", ".join(parts)

    @property
    def bonus(self) -> float:
        """What it adds to a score."""
        return PERMITTED * bool(self.permits) + PREPARES * bool(self.prepares) + PLANNED * self.planned


@dataclass(frozen=True, slots=True)
class Option:
    """A candidate that may be chosen.

    Attributes:
        candidate: what would be proposed; it may still need something.
        verdict: on it, as it is.
        completed: who said what it needed; None: nobody had to.
        logic: what logic says for it.
        score: of the scorer, with what logic adds; None: there is none.
        why: what counted in the score.
        probability: its share of the softmax over all scores.
    """

    candidate: Candidate
    verdict: Verdict
    completed: Completion | None = None
    logic: Logic = Logic()
    score: float | None = None
    why: str = ""
    probability: float = 0.0

    @property
    def text(self) -> str:
        """The candidate in words."""
        if self.completed is None:
            return self.candidate.text
        return f'{self.candidate.text}: "{line(self.completed.value, 60)}"'

    def to_json(self) -> dict[str, Any]:
        """The option as JSON values."""
        data = {
            **self.candidate.to_json(),
            "level": self.verdict.level,
            "score": None if self.score is None else round(self.score, 4),
            "probability": round(self.probability, 4),
            "why": self.why,
            "permits": list(self.logic.permits),
            "prepares": list(self.logic.prepares),
            "planned": self.logic.planned,
        }
        if self.completed is not None:
            data["value"] = {"source": self.completed.source, "by": self.completed.by}
        return data


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, and why.

    Attributes:
        situation: in which.
        options: what may be done, the best first.
        dropped: what may not, or would do nothing, and why.
        scorer: who ordered the options; empty: nobody had to.
        fallbacks: who was asked before, and gave no scores.
        chosen: the number of the option that is proposed; None: none is.
        by_user: the user picked it.
        problem: why none is proposed, or what went wrong on the way; may be empty.
    """

    situation: Situation
    options: tuple[Option, ...] = ()
    dropped: tuple[DroppedAction, ...] = ()
    scorer: str = ""
    fallbacks: tuple[Fallback, ...] = ()
    chosen: int | None = None
    by_user: bool = False
    problem: str = ""

    @property
    def best(self) -> Option | None:
        """What is proposed; None: nothing."""
        return None if self.chosen is None else self.options[self.chosen]

    @property
    def margin(self) -> float:
        """By how much the first is more probable than the second: 0 (a tie) to 1; 1 if there is no other."""
        if len(self.options) < 2:
            return 1.0
        first, second = self.options[:2]
        return 0.0 if first.score is None else first.probability - second.probability

    @property
    def runner_up(self) -> Option | None:
        """The best that was not chosen."""
        return next((one for number, one in enumerate(self.options) if number != self.chosen), None)

    @property
    def blocked(self) -> tuple[DroppedAction, ...]:
        """What the guard's rules left out."""
        return tuple(one for one in self.dropped if one.rule in ("blocked", "not allowed", "not done"))

    def lines(self) -> list[str]:
        """Why this was chosen, for people."""
        best, other = self.best, self.runner_up
        lines = [
            f"{one.scorer} gave no scores: {one.why}" + (f" ({one.hint})" if one.hint else "")
            for one in self.fallbacks
        ]
        if best is not None:
            by = "the user picked it" if self.by_user else _scored(best, self.scorer)
            parts = [by, best.logic.words, _completed(best), best.why]
            lines.append("; ".join(text for text in parts if text))
        if other is not None and best is not None and best.candidate.kind != "finish":
            lines.append(f"next best: {other.text} ({other.probability:.0%})")
        if self.blocked:
            listed = "; ".join(
                line(f"{one.text}: {one.why or one.rule}", 160) for one in self.blocked[:_SHOWN]
            )
            more = f"; {len(self.blocked) - _SHOWN} more" if len(self.blocked) > _SHOWN else ""
            lines.append(f"left out by rules: {listed}{more}")
        return [*lines, *([self.problem] if self.problem else [])]

    @property
    def note(self) -> str:
        """The same as the note of the proposal."""
        return line(". ".join(text.rstrip(".") for text in self.lines()), MAX_NOTE)

    def to_json(self) -> dict[str, Any]:
        """The choice as JSON values."""
        return {
            "chosen": self.best.to_json() if self.best is not None else None,
            "runner_up": self.runner_up.to_json() if self.runner_up is not None else None,
            "options": len(self.options),
            "margin": round(self.margin, 4),
            "scorer": self.scorer,
            "fallbacks": [{"scorer": f.scorer, "why": f.why, "hint": f.hint} for f in self.fallbacks],
            "by_user": self.by_user,
            "dropped": [one.to_json() for one in self.dropped],
            "problem": self.problem,
        }


def _scored(best: Option, scorer: str) -> str:
    if not scorer:
        return "the task is done" if best.candidate.kind == "finish" else "there is nothing else"
    return (
        f"score {best.score:.2f} by {scorer}, {best.probability:.0%}"
        if best.score is not None
        else "no score"
    )


def _completed(best: Option) -> str:
    done = best.completed
    if done is None:
        return ""
    return f"the value is of {'the clause ' if done.source == 'clause' else ''}{done.by}"


Picks: TypeAlias = Callable[[Choice], int | None]
"""Asks the user which option is meant: its number, or None if they do not say."""
Barred: TypeAlias = Callable[[Candidate], str]
"""Why a candidate is not tried here again; empty: it may be."""


@dataclass(frozen=True)
class Chooser:
    """Chooses on the screen that a guard has observed last.

    Attributes:
        guard: judges; nothing is committed by it here.
        scorers: order the candidates: the first that gives scores. None of them is trusted.
        completer: fills in what candidates need.
        planner: knows the next steps on a map.
        task: what the user asked for; apps: those that may be opened.
        picks: asks the user; None: nobody can be asked.
        ask_below: the user is asked if the best is more probable than the second by less than this.
    """

    guard: Guard
    scorers: Sequence[Scorer]
    demands: Demands
    completer: Completer
    task: str
    apps: tuple[AppChoice, ...] = ()
    planner: Planner = nobody_plans
    picks: Picks | None = None
    ask_below: float = 0.0

    def choose(
        self, history: Sequence[PastStep], memory: Sequence[str], barred: Barred = lambda candidate: ""
    ) -> Choice | str:
        """What to do next; a text: why nothing can be chosen here at all.

        Raises:
            Exception: what the engine raises; nothing was done.
        """
        screen = self.guard.snapshot.screen
        if not isinstance(screen, TreeScreen):
            return "the screen has no UI tree, so it has no controls to choose from"
        situation = self._situation(screen, tuple(history), tuple(memory))
        judged = allowed(self.guard.judge_all, self.guard.program, candidates(situation))
        options, dropped = self._options(situation, judged, barred)
        finish = next((one for one in options if one.candidate.kind == "finish"), None)
        if finish is not None:
            return Choice(situation, (replace(finish, probability=1.0),), dropped, chosen=0)
        if not options:
            return Choice(situation, (), dropped, problem="nothing is left that may be done here")
        return self._chosen(self._ranked(situation, options, dropped))

    # ------------------------------------------------------------------ what may be done

    def _situation(
        self, screen: TreeScreen, history: tuple[PastStep, ...], memory: tuple[str, ...]
    ) -> Situation:
        guard = self.guard
        legs = roadmap(guard.program, guard.roadmap(), today=guard.today, language=guard.language)
        return Situation(
            self.task,
            screen,
            history,
            memory,
            roadmap=tuple(_leg_text(leg) for leg in legs),
            apps=self.apps,
            wanted=self.demands.wanted(guard.session.context()),
        )

    def _options(
        self, situation: Situation, judged: JudgedCandidates, barred: Barred
    ) -> tuple[list[Option], tuple[DroppedAction, ...]]:
        """What may be done here; a tap that was dropped for a candidate that is left out is judged in its place.

        A field that holds what was to be typed is left alone, and is cleared only where somebody says the empty text.
        """
        options: list[Option] = []
        dropped = judged.dropped
        while judged.kept:
            left_out: list[DroppedAction] = []
            gone: set[str] = set()
            for one in judged.kept:
                candidate = one.candidate
                free, others = self._free(candidate, cast(Verdict, judged.verdicts[candidate.key]), barred)
                options += free
                left_out += others
                if not free and not self.completer.holds(candidate, situation.history):
                    gone.add(candidate.key)
            spare = spared((*judged.dropped, *left_out), gone, ("tap",))
            judged = allowed(self.guard.judge_all, self.guard.program, spare)
            dropped = judged.dropped
        return [replace(one, logic=self._logic(one)) for one in options], dropped

    def _free(
        self, candidate: Candidate, verdict: Verdict, barred: Barred
    ) -> tuple[list[Option], list[DroppedAction]]:
        """The candidate with all that clauses say; and what of it nobody completes, or was tried here."""
        options = [Option(candidate, verdict)]
        if candidate.needs is not None:
            options = self._filled(candidate) or (options if self.completer.asks else [])
        if not options:
            why = "nobody says what: no clause names it, and no model is asked"
            return [], [DroppedAction(candidate.text, "open", why, candidate)]
        free: list[Option] = []
        tried: list[DroppedAction] = []
        for option in options:
            why = barred(option.candidate)
            if why:
                tried.append(DroppedAction(option.text, "tried", why, option.candidate))
            else:
                free.append(option)
        return free, tried

    def _filled(self, candidate: Candidate) -> list[Option]:
        """The candidate with each value that clauses name, as far as the guard neither blocks it nor warns."""
        filled = list(self.completer.by_clauses(candidate))
        verdicts = self.guard.judge_all([one.candidate.proposal for one in filled])
        return [
            Option(one.candidate, verdict, one)
            for one, verdict in zip(filled, verdicts, strict=True)
            if verdict.level in ("allow", "confirm")
        ]

    def _logic(self, option: Option) -> Logic:
        if option.candidate.needs is not None or option.candidate.kind == "finish":
            return Logic()
        permits = tuple(dict.fromkeys(reason.rule for reason in option.verdict.licensed if reason.rule))
        may = option.verdict.level in ("allow", "confirm")
        return Logic(permits, self.demands.prepares(self.guard, option.candidate.proposal) if may else ())

    # ------------------------------------------------------------------ the order

    def _ranked(
        self, situation: Situation, options: Sequence[Option], dropped: tuple[DroppedAction, ...]
    ) -> Choice:
        steps = planned(self.planner(), ((one.candidate, one.verdict) for one in options), situation.screen)
        situation = replace(situation, next_steps=steps)
        marked = [
            replace(one, logic=replace(one.logic, planned=one.candidate.action in steps)) for one in options
        ]
        problem = ""
        scorer = ""
        fallbacks: tuple[Fallback, ...] = ()
        scores: Mapping[int, tuple[float | None, str]] = {}
        try:
            order = rank(Decision(situation, tuple(one.candidate for one in marked)), self.scorers)
            scorer, fallbacks = order.scores.scorer, order.scores.fallbacks
            scores = {id(one.candidate): (one.score.value, one.score.why) for one in order.ranked}
        except ScorerError as error:
            problem = line(str(error), 500)
        scored = [_with_score(one, *scores.get(id(one.candidate), (None, ""))) for one in marked]
        shares = probabilities([one.score for one in scored])
        ordered = sorted(
            (replace(one, probability=share) for one, share in zip(scored, shares, strict=True)),
            key=lambda one: -float("inf") if one.score is None else one.score,
            reverse=True,
        )
        return Choice(situation, tuple(ordered), dropped, scorer, fallbacks, problem=problem)

    def _chosen(self, choice: Choice) -> Choice:
        """The best; where that is not sure, what the user picks."""
        unscored = choice.options[0].score is None
        tie = len(choice.options) > 1 and choice.margin == 0.0
        if self.picks is not None and (unscored or tie or choice.margin < self.ask_below):
            try:
                picked = self.picks(choice)
            except EOFError:
                picked = None
            if isinstance(picked, int) and 0 <= picked < len(choice.options):
                return replace(choice, chosen=picked, by_user=True)
        if unscored:
            return replace(choice, problem=f"{choice.problem}: nobody says what to do".removeprefix(": "))
        return replace(choice, chosen=0)


def _with_score(option: Option, value: float | None, why: str) -> Option:
    if value is None:
        return replace(option, why=why)
    warned = WARNED if option.verdict.level == "warn" else 0.0
    return replace(option, score=value + option.logic.bonus + warned, why=why)


def _leg_text(leg: Leg) -> str:
    needs = "; ".join(need.text for need in leg.needs)
    return f"{leg.title}, {leg.often}" + (f": {needs}" if needs else "")
