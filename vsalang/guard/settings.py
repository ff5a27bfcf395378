"""What the owner of a guard may set, and what no program may do whatever is set."""

import datetime as dt
from dataclasses import dataclass, field

from vsalang.core.example import Level
from vsalang.core.ir import Mark, Program, Recognize, Write
from vsalang.engine.api import Budget


@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner may set.

    Attributes:
        overrides: how many warned proposals may pass by repetition in a session; None: any number (tests).
        verdict_life: a verdict older than this is not committed; None: it does not age (tests).
        unknown_screen: what gestures ask for on a screen that no module knows (``back``, ``home``, ``wait`` pass).
        screens_count: whether the screens count from the beginning (tests: only from ``observe screen`` on).
        budget: bounds on the engine.
        task: whether there is a task, so that every critical action needs a licence. Only the tests of apps and
            policies go without: they ask what is recognised, and what a policy says of it whatever the task is.
    """

    overrides: int | None = 3
    verdict_life: dt.timedelta | None = dt.timedelta(seconds=5)
    unknown_screen: Level = "confirm"
    screens_count: bool = True
    budget: Budget = field(default_factory=Budget)
    task: bool = True


def check_authority(program: Program, settings: Settings) -> None:
    """Only app modules say what is so and what an action does.

    Raises:
        ValueError: a rule of another module does, or a program with a spec is to run without a task.
    """
    kinds = {module.kind for module in program.modules.values()}
    if not settings.task and "spec" in kinds:
        raise ValueError("a spec is a task: its actions need licences")
    for rule in program.rules:
        module = program.modules.get(rule.module)
        if isinstance(rule.head, Write | Mark | Recognize) and (module is None or module.kind != "app"):
            raise ValueError(f"rule {rule.id} writes evidence, and {rule.module} is no app module")
