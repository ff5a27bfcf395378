"""Judges one recorded walk under policies, and says at which steps they object: before an action, or by its outcome."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, Literal

from vsalang.agents.walks import Label, Stage, Walk, WalkError, WalkStep, stages
from vsalang.agents.walks.recorded_walk import StepSource
from vsalang.base.records import dataclass
from vsalang.guard import GuardFailed, Settings
from vsalang.guard.courses import Courses
from vsalang.guard.judge.evidence import Evidence
from vsalang.guard.say.verdict import HOLDING, Reason
from vsalang.program.ir import Program
from vsalang.program.text import line
from vsalang.screen.secrets import Kind, Lexicon, Redactor

Level = Literal["flag", "warn", "confirm", "block"]
LEVELS: Final[tuple[Level, ...]] = ("flag", "warn", "confirm", "block")
"""From the mildest on."""
VIOLATED: Final[Level] = "confirm"
"""What a policy's expectation that was not met counts as: it is too late to block, and a person should know."""
ENDS: Final = frozenset({"finish", "give_up"})
UNJUDGED: Final = frozenset(
    {"claim", "doubtful", "error", "finished", "no_screen", "running", "unanswered", "unresolved"}
)
"""Reasons that say that an action could not be judged, wholly or in part."""
_TEXTS, _TEXT = 12, 80

Facts = Callable[[Walk], Evidence]
"""Who adds facts to each step of a walk, such as a model that judges it (`vsalang.guard.judge.evidence`)."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """One rule that objects at one step.

    Attributes:
        step: from 1.
        when: ``before`` the action; ``after`` it: its outcome is not as expected; ``screen``: whatever is done.
        level: ``block``, ``confirm``, ``warn`` or ``flag``.
        categories: as the rule's ``@risk`` says.
        action: what was to be done.
        screen: the first texts of the screen.
    """

    step: int
    when: Literal["before", "after", "screen"]
    level: Level
    rule: str
    module: str
    categories: tuple[str, ...]
    severity: str
    reason: str
    action: str
    screen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WalkAudit:
    """One walk that was judged.

    Attributes:
        steps: how many of its steps were judged; a step that only ends the task is none.
        alarms: of the level asked for and above, in order.
        milder: how many there are below that level.
        unjudged: steps whose action could not be judged, wholly or in part, and why.
        problem: why the walk could not be judged at all; then there are no alarms, and it is not safe either.
    """

    name: str
    place: str
    task: str
    label: Label | None
    steps: int
    alarms: tuple[Alarm, ...] = ()
    milder: int = 0
    unjudged: tuple[tuple[int, str], ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """How walks are judged.

    Attributes:
        program: the policies, and the spec if there is one.
        level: the mildest that counts as an alarm.
        package: of the app, where a walk does not say it.
        states: judge each distinct screen alone, not what is done.
        benign: a walk without a label is safe.
        lexicon: the user's words that count as secrets.
        redact: which secrets are replaced in what is said of a walk.
    """

    program: Program
    level: Level = "confirm"
    package: str = ""
    states: bool = False
    benign: bool = False
    lexicon: tuple[str, ...] = ()
    redact: tuple[Kind, ...] = ()


def settings_of(options: Options) -> Settings:
    """The settings of a guard that audits: nothing is held back, and without a spec there is no task."""
    settings = Settings(mode="shadow", lexicon=options.lexicon)
    if any(module.kind == "spec" for module in options.program.modules.values()):
        return settings
    return replace(settings, task=False, unknown_screen="allow")


def audit(
    walk: Walk, options: Options, facts: Facts | None = None, courses: Courses | None = None
) -> WalkAudit:
    """Judge a walk. Never raises for what a walk holds: what cannot be read or judged is its `problem`.

    Args:
        facts: who adds facts to each step of the walk.
        courses: the outcomes of the same in walks that were judged before this one.
    """
    label = walk.label or (Label(False) if options.benign else None)
    name, task = line(walk.name, 200), line(walk.task, 2000)
    steps = 0
    alarms: list[Alarm] = []
    milder = 0
    unjudged: list[tuple[int, str]] = []
    evidence = facts(walk) if facts is not None else None
    redactor = Redactor(options.redact, Lexicon(options.lexicon)) if options.redact else None

    def shown_walk(audit: WalkAudit) -> WalkAudit:
        return audit if redactor is None else _redacted(audit, redactor)

    try:
        parts = alone(walk, options.package) if options.states else [(walk, 0)]
        for part, before in parts:
            settings = settings_of(options)
            followed = stages(
                part, options.program, settings, package=options.package, evidence=evidence, courses=courses
            )
            for stage in followed:
                if redactor is not None:
                    _learn(redactor, stage)
                if stage.turns and all(turn.action.name in ENDS for turn in stage.turns):
                    continue
                steps += 1
                number = before + stage.index + 1
                all_alarms = list(_alarms(stage, number, options.program))
                loud = [a for a in all_alarms if LEVELS.index(a.level) >= LEVELS.index(options.level)]
                alarms += loud
                milder += len(all_alarms) - len(loud)
                why = _unjudged(stage)
                if why.startswith("error: "):
                    raise _JudgingFailure(f"step {number}: {why}")
                if why:
                    unjudged.append((number, why))
    except (WalkError, GuardFailed, _JudgingFailure) as error:
        return shown_walk(WalkAudit(name, walk.place, task, label, 0, problem=line(str(error), 1000)))
    return shown_walk(WalkAudit(name, walk.place, task, label, steps, tuple(alarms), milder, tuple(unjudged)))


def _learn(redactor: Redactor, stage: Stage) -> None:
    """Learn the secrets that a step shows and types."""
    taken = stage.taken
    for screen in (taken.screen, taken.ended):
        if screen is not None:
            redactor.learn_screen(screen)
    for turn in stage.turns:
        redactor.learn_typed(turn.action, taken.screen)


def _redacted(audit: WalkAudit, redactor: Redactor) -> WalkAudit:
    """What is said of a walk without its secrets; names of files stay."""
    hide = redactor.text
    alarms = (
        replace(
            alarm,
            reason=hide(alarm.reason),
            action=hide(alarm.action),
            screen=tuple(redactor.texts(list(alarm.screen))),
        )
        for alarm in audit.alarms
    )
    return replace(
        audit,
        task=hide(audit.task),
        alarms=tuple(alarms),
        unjudged=tuple((step, hide(why)) for step, why in audit.unjudged),
        problem=hide(audit.problem),
    )


class _JudgingFailure(Exception):
    """The guard could not judge a step, because of an internal error."""


def alone(walk: Walk, package: str = "") -> Iterator[tuple[Walk, int]]:
    """Each distinct screen of a walk as a walk of its own, on which nothing is done, with its index.

    Raises:
        WalkError: a step is not understood.
    """
    known = set()
    for index in range(len(walk.steps)):
        taken = walk.taken(index, package)
        for screen in (taken.screen, taken.ended):
            if screen is None or screen.fingerprint in known:
                continue
            known.add(screen.fingerprint)
            yield replace(walk, steps=(StepSource(_same(WalkStep(screen))),)), index


def _same(taken: WalkStep) -> Callable[[str], WalkStep]:
    return lambda package: taken


def _unjudged(stage: Stage) -> str:
    """Why an action of a step could not be judged; empty if it could."""
    if not stage.turns and stage.taken.screen is None:
        return "no_screen: the walk does not say what showed"
    for turn in stage.turns:
        if turn.action.name in ENDS:
            continue
        for reason in turn.verdict.reasons:
            if reason.kind in UNJUDGED:
                return f"{reason.kind}: {line(reason.message, 300)}"
        if turn.problem:
            return line(turn.problem, 300)
    return ""


def _alarms(stage: Stage, number: int, program: Program) -> Iterator[Alarm]:
    """What rules of policies say of a step; each rule and message once."""
    reported: set[tuple[str, str]] = set()

    def made(
        reasons: Iterable[Reason], when: Literal["before", "after", "screen"], action: str
    ) -> Iterator[Alarm]:
        for reason in reasons:
            key = (reason.rule, reason.message)
            module = program.modules.get(reason.module)
            if key in reported or module is None or module.kind != "policy":
                continue
            reported.add(key)
            yield _alarm(reason, number, when, action, texts)

    texts = tuple(_texts(stage.taken))
    for turn in stage.turns:
        done = line(str(turn.action), 300)
        holding = (r for r in (*turn.verdict.reasons, *turn.verdict.flags) if r.kind in HOLDING)
        yield from made(holding, "before", done)
        contracts = turn.observed.contracts if turn.observed is not None else ()
        violated = (c.reason for c in contracts if c.outcome == "violated")
        yield from made(violated, "after", done)
    # also where the action could not be judged, or there was none
    yield from made(stage.seen.recorded, "screen", "")


def _alarm(
    reason: Reason,
    step: int,
    when: Literal["before", "after", "screen"],
    action: str,
    texts: tuple[str, ...],
) -> Alarm:
    level: Level = "flag" if reason.kind == "flag" else VIOLATED
    if reason.kind in HOLDING and reason.kind != "flag":
        level = "block" if reason.kind == "deny" else reason.kind  # type: ignore[assignment]
    return Alarm(
        step,
        when,
        level,
        reason.rule,
        reason.module,
        tuple(str(value) for value in reason.annotations.get("risk", ())),
        "".join(str(value) for value in reason.annotations.get("severity", ())[:1]),
        line(reason.message, 500),
        action,
        texts,
    )


def _texts(taken: WalkStep) -> Iterator[str]:
    if taken.screen is None:
        return
    texts: dict[str, None] = {}
    for node in taken.screen.tree.nodes:
        text = node.text or node.desc
        if text:
            texts.setdefault(line(text, _TEXT))
        if len(texts) == _TEXTS:
            break
    yield from texts


# ---------------------------------------------------------------- as JSON data


def as_data(audited: WalkAudit) -> dict[str, Any]:
    """As JSON data; `from_data` reads it."""
    label = audited.label
    return {
        "name": audited.name,
        "place": audited.place,
        "task": audited.task,
        "label": None
        if label is None
        else {"unsafe": label.unsafe, "step": label.step, "categories": list(label.categories)},
        "steps": audited.steps,
        "alarms": [
            {
                "step": alarm.step,
                "when": alarm.when,
                "level": alarm.level,
                "rule": alarm.rule,
                "module": alarm.module,
                "categories": list(alarm.categories),
                "severity": alarm.severity,
                "reason": alarm.reason,
                "action": alarm.action,
                "screen": list(alarm.screen),
            }
            for alarm in audited.alarms
        ],
        "milder": audited.milder,
        "unjudged": [{"step": step, "why": why} for step, why in audited.unjudged],
        "problem": audited.problem,
    }


def from_data(data: Any) -> WalkAudit:
    """What `as_data` wrote.

    Raises:
        ValueError, TypeError, KeyError: it is something else.
    """
    label = data["label"]
    if label is not None:
        label = Label(bool(label["unsafe"]), label["step"], tuple(label["categories"]))
    alarms = [
        Alarm(**{**a, "categories": tuple(a["categories"]), "screen": tuple(a["screen"])})
        for a in data["alarms"]
    ]
    return WalkAudit(
        data["name"],
        data["place"],
        data["task"],
        label,
        data["steps"],
        tuple(alarms),
        data["milder"],
        tuple((each["step"], each["why"]) for each in data["unjudged"]),
        data["problem"],
    )
