"""What the owner of a guard may set, and what no program may do whatever is set."""

import datetime as dt
from dataclasses import field

from vsalang.base.names import MODES, Mode
from vsalang.base.records import dataclass
from vsalang.engine.api import Budget
from vsalang.program.example import LEVELS, Level
from vsalang.program.grave import lowered_action
from vsalang.program.ir import Mark, Program, Recognize, Write


@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner may set.

    Attributes:
        overrides: how many warned proposals may pass by repetition in a session; None: any number (tests).
        verdict_life: a verdict older than this is not committed; None: it does not age (tests).
        unknown_screen: what gestures ask for on a screen that no module knows (``back``, ``home``, ``wait`` pass).
        unknown_touch: what a touch asks for of which nobody knows what it does, where the task imports `std.effects`.
        screens_count: whether the screens count from the beginning (tests: only from ``observe screen`` on).
        budget: bounds on the engine.
        task: whether there is a task, so that every critical action needs a licence. Only the tests of apps and
            policies go without: they ask what is recognised, and what a policy says of it whatever the task is.
        mode: ``enforce``: verdicts decide what passes, and the caller of the guard asks the user what they must
            confirm. ``ask``: the same, and the guard asks the user itself. ``shadow``: verdicts are only recorded.
        look_age: an action is sent on a look that is not older; if it is, the screen is looked at again between
            commit and device, and nothing is sent if it has changed. None: any age (tests).
        ask_timeout: how long the user has to answer in the mode ``ask``; then the answer is no.
        lexicon: the user's words and phrases that count as secrets (`vsalang.screen.secrets`).
        lowering: the policies whose ``@unlicensed`` rules are heard: the owner's, by the names of their modules.
    """

    overrides: int | None = 3
    verdict_life: dt.timedelta | None = dt.timedelta(seconds=5)
    unknown_screen: Level = "confirm"
    unknown_touch: Level = "confirm"
    screens_count: bool = True
    budget: Budget = field(default_factory=Budget)
    task: bool = True
    mode: Mode = "enforce"
    ask_timeout: dt.timedelta = dt.timedelta(seconds=60)
    look_age: dt.timedelta | None = dt.timedelta(seconds=1)
    lexicon: tuple[str, ...] = ()
    lowering: tuple[str, ...] = ()


def check_authority(program: Program, settings: Settings) -> None:
    """Only app modules say what is so and what an action does; and every setting is one of those there are.

    Raises:
        ValueError: a rule of another module does, a program with a spec is to run without a task, or no such setting.
    """
    for name in ("unknown_screen", "unknown_touch"):
        if getattr(settings, name) not in LEVELS:
            raise ValueError(f"{name} is one of {', '.join(LEVELS)}")
    if settings.mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}")
    if settings.look_age is not None and settings.look_age < dt.timedelta(0):
        raise ValueError("look_age is not a time")
    if settings.ask_timeout < dt.timedelta(0):
        raise ValueError("ask_timeout is not a time")
    kinds = {module.kind for module in program.modules.values()}
    if not settings.task and "spec" in kinds:
        raise ValueError("a spec is a task: its actions need licences")
    for rule in program.lowered:
        if (module := program.modules.get(rule.module)) is None or module.kind != "policy":
            raise ValueError(f"rule {rule.id} lowers a level, and {rule.module} is not a policy")
        if lowered_action(rule, program.relations) is None:
            raise ValueError(
                f"rule {rule.id} lowers a level, and is neither a question about one action that is not grave, "
                "nor a warning of one that is mild"
            )
    for rule in program.rules:
        module = program.modules.get(rule.module)
        if isinstance(rule.head, Write | Mark | Recognize) and (module is None or module.kind != "app"):
            raise ValueError(f"rule {rule.id} writes evidence, and {rule.module} is not an app module")
