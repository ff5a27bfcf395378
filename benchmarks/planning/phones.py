"""P6 on simulated phones: guarded sessions (`open_guarded`) of an agent that follows hints, and of one that does any
gesture that the screen offers."""

import random
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.crawl import crawl
from benchmarks.planning.rows import Row, tell
from benchmarks.planning.specs import PHONES, module
from vsalang.agents.maps import UTG, Navigator, Reader
from vsalang.agents.session import GuardedSession, SessionOptions, open_guarded
from vsalang.agents.session.step_hints import Hints
from vsalang.program.action import Action
from vsalang.program.ir import Const
from vsalang.program.screen import UnresolvedTarget

MOST_STEPS: Final = 30
STEPS: Final = 400
RUNS: Final = 3
"""With each goal: what the agents do by chance differs."""


def guarded() -> Iterator[Row]:
    """The goals are all screens with a name that the walks came to, from where the app begins."""
    tapped: list[int | None] = []
    led: list[int | None] = []
    targets = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for phone, app, package in PHONES:
            utg = walked(folder, phone, app, package)
            goals = sorted(
                name for name, each in utg.screens.items() if each.app == app and each.kind == "screen"
            )
            spec = folder / f"{phone}.vsa"
            spec.write_text(
                f'spec look "Look at a screen"\nimport {app}\nallow answer(text = "seen").\ndone when answer earlier.\n'
            )
            for goal in goals:
                tell(f"P6: {goal} on {phone}")
                runs = [_run(folder, spec, phone, package, goal, utg=None, seed=seed) for seed in range(RUNS)]
                if None not in runs and max(step or 0 for step in runs) < 2:
                    continue  # it is there at the start, or a step away
                targets += 1
                tapped += runs
                led += [_run(folder, spec, phone, package, goal, utg=utg, seed=seed) for seed in range(RUNS)]
    means = [statistics.mean(MOST_STEPS if each is None else each for each in runs) for runs in (tapped, led)]
    reached = [sum(each is not None for each in runs) for runs in (tapped, led)]
    fewer = 100 * (1 - means[1] / means[0])
    asked = (
        f"guarded sessions on {len(PHONES)} simulated phones, map of a walk of {STEPS} steps, {targets} goals, "
        f"{RUNS} runs each, at most {MOST_STEPS} steps: hints"
    )
    measured = (
        f"−{fewer:.0f} %: {means[1]:.1f} steps on average, {reached[1]} of {len(led)} reached; any gesture: "
        f"{means[0]:.1f} steps, {reached[0]} reached"
    )
    yield Row("P6", asked, "−50 %, no fewer reached", measured, fewer >= 50 and reached[1] >= reached[0])


def walked(folder: Path, phone: str, app: str, package: str) -> UTG:
    """The map of a walk."""
    path = folder / f"{phone}.jsonl"
    crawl(phone, package, STEPS, 1, path)
    return UTG.from_log(path, Reader(module(app)))


def _run(
    folder: Path, spec: Path, phone: str, package: str, goal: str, *, utg: UTG | None, seed: int
) -> int | None:
    """How many steps the agent needs to the goal, with hints if there is a map; None: too many."""
    rng = random.Random(f"{goal} {seed}")
    hints = Hints(Navigator(utg, [goal])) if utg is not None else None
    journal = folder / "journal.jsonl"
    journal.unlink(missing_ok=True)
    options = SessionOptions(app=package, journal=journal, hints=hints)
    with open_guarded(spec, f"sim:{phone}", options) as session:
        session.guard.observe(session.first)
        for number in range(MOST_STEPS + 1):
            if goal in session.guard.screens:
                return number
            action = hinted(session, hints) if hints is not None else None
            session.step(action or _any(session, rng), approved=True)
    return None


def hinted(session: GuardedSession, hints: Hints) -> Action | None:
    """The gesture that the hint names; None: there is none, or no such widget."""
    hint = hints.hint()
    assert not hints.problem, hints.problem
    steps = hints.navigator.hint(hint.screen).steps if hint is not None else ()
    if not steps:
        return None
    gesture = steps[0].edge.gesture
    known = {each.attr: each.term.value for each in gesture.constraints if isinstance(each.term, Const)}
    action = Action(gesture.relation, known)
    try:
        session.look().target(action.name, action.args)
    except UnresolvedTarget:
        session.step(action, approved=True)  # the guard says that there is no such widget
        return None
    return action


def _any(session: GuardedSession, rng: random.Random) -> Action:
    """A tap on anything that can be tapped, or `back`."""
    rows = [
        row
        for row in session.look().rows("Node")
        if row.get("clickable") is True and row.get("enabled") is True
    ]
    chosen = rng.randrange(len(rows) + 1)
    if chosen == len(rows):
        return Action("back")
    row = rows[chosen]
    across, down = (
        (int(str(row[one])) + int(str(row[other]))) // 2
        for one, other in (("left", "right"), ("top", "bottom"))
    )
    return Action("tap", {"x": across, "y": down})
