"""P5 with a spec: is the screen named on which the guard saw the task's action done on a simulated phone?"""

import datetime as dt
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from benchmarks.crawl import crawl
from benchmarks.planning.rows import Row, share, tell
from vsalang.agents.maps import UTG, exact, select
from vsalang.agents.walks import read_walks
from vsalang.guard import Guard, Settings
from vsalang.guard.world.clock import ScreenClock
from vsalang.language.semantics import load, load_text
from vsalang.program.ir import Program
from vsalang.program.text import quote

APPS: Final = Path(__file__).resolve().parents[2] / "app_specs" / "apps"
PHONES: Final = (
    ("settings", "apps.settings", "org.example.settings"),
    ("restaurant", "apps.opentable", "com.opentable"),
)
"""Phone, its module, its package."""
STEPS: Final = 400
WALKS: Final = 3

Done = tuple[str, str]
"""An action, and its values, as a spec writes them."""


def module(name: str) -> Program:
    return load(APPS / f"{name.rpartition('.')[2]}.vsa").checked()


def by_spec() -> Iterator[Row]:
    right = wrong = silent = ruled = 0
    kinds: set[str] = set()
    unsure: list[str] = []
    for phone, app, package in PHONES:
        program = module(app)
        utg = UTG.from_program(program)
        for (action, values), screens in sorted(_done(phone, program, package).items()):
            doc = program.relation(f"{app}.{action}").doc
            spec = load_text(
                f"spec task {quote(f'{doc}: {values}')}\nimport {app}\n"
                f"allow {action}({values}).\ndone when {action} earlier.\n",
                file="task.vsa",
            ).checked()
            found = select(spec.modules[spec.main].doc, utg, spec)
            kinds.add(action)
            ruled += bool(exact(spec))
            if not found:
                silent += 1
                unsure.append(action)
            elif found[0].screen in screens:
                right += 1
            else:
                wrong += 1
                tell(
                    f"P5: {action}({values}): {found[0].screen}, and it was done on {', '.join(sorted(screens))}"
                )
    spoken = right + wrong
    asked = (
        f"the screen by the spec: {spoken + silent} actions of {len(kinds)} kinds that the guard saw done on simulated "
        "phones, each as a spec: first, of those it names"
    )
    kept = ", ".join(sorted(set(unsure)))
    said = f"{share(right, spoken)}, {ruled} of them by rules, the others by words"
    measured = f"{said}; silent on {silent}{f' ({kept})' if kept else ''}"
    yield Row("P5", asked, "95 %, else silent", measured, right >= 0.95 * spoken)


def _done(phone: str, program: Program, package: str) -> Mapping[Done, set[str]]:
    """The critical actions that a guard recognised while the phone was walked, with the screens that showed then."""
    found: dict[Done, set[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, WALKS + 1):
            tell(f"P5: walk {seed} of {WALKS} on {phone}")
            path = Path(folder) / f"{seed}.jsonl"
            crawl(phone, package, STEPS, seed, path)
            (walk,) = read_walks(path)
            clock = ScreenClock(live=False)
            today = dt.date(2026, 4, 1)
            guard = Guard(program, today=today, clock=clock, settings=Settings(mode="shadow"))
            for index in range(len(walk.steps)):
                taken = walk.taken(index)
                if taken.screen is None:
                    continue
                guard.observe(taken.screen)
                shown = {name for name in guard.screens if program.relation(name).module == program.main}
                for action in taken.actions:
                    for each in guard.propose(action).actions:
                        values = ", ".join(f"{name} = {_written(value)}" for name, value in each.args.items())
                        name = each.name.rpartition(".")[2]
                        if len(shown) == 1 and each.name.startswith(f"{program.main}."):
                            found.setdefault((name, values), set()).update(shown)
    return found


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote(value) if isinstance(value, str) else str(value)
