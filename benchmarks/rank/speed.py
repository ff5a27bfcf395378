"""Measures what it takes to enumerate the candidates of a screen and have the guard judge them: processor time.

.venv/bin/python -m benchmarks.rank.speed

The screens are those of the simulated phones of the demonstrations, and the apps are those of the specs. ``first`` is
the first time in the process, when the code of rules is made; ``new`` the median, and the least, of guards that meet
the screen for the first time after that; ``again`` the median of a second look at the same. Wanted are 10 ms.
"""

import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Final

from vsalang import Guard, load, open_device
from vsalang.models.rank import Situation
from vsalang.models.rank.enumerating import apps_of, candidates
from vsalang.models.rank.judging import allowed
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Screen

RUNS: Final = 15
DEMONSTRATIONS: Final = (
    ("app_specs/examples/reserve_r.vsa", "sim:restaurant", "com.opentable", ("R",)),
    ("app_specs/examples/quiet_evening.vsa", "sim:settings", "org.example.settings", ("Notifications",)),
)
"""Spec, phone, app, and what is tapped one after the other."""


def main() -> None:
    print(f"{'spec':20} {'candidates':>10} {'first ms':>9} {'new ms':>7} {'least ms':>8} {'again ms':>9}")
    for spec, phone, package, taps in DEMONSTRATIONS:
        program = load(spec).checked()
        runs = [list(times(program, screens(phone, package, taps))) for _ in range(RUNS)]
        for nth, (count, first, _) in enumerate(runs[0]):
            new = [run[nth][1] for run in runs[1:]]
            again = statistics.median(run[nth][2] for run in runs)
            print(
                f"{spec.rpartition('/')[2]:20} {count:10} {first:9.1f} {statistics.median(new):7.1f} {min(new):8.1f} "
                f"{again:9.1f}"
            )


def times(program: Program, shown: Sequence[Screen]) -> Iterator[tuple[int, float, float]]:
    """Of each screen the number of candidates, and milliseconds for the first and the second time."""
    guard = Guard(program)
    for screen in shown:
        guard.observe(screen)
        situation = Situation("", screen, apps=apps_of(program))  # type: ignore[arg-type]
        spent = []
        for _ in range(2):
            begun = time.process_time()
            enumeration = candidates(situation)
            allowed(guard.judge_all, program, enumeration)
            spent.append(1000 * (time.process_time() - begun))
        yield len(enumeration.candidates), spent[0], spent[1]


def screens(phone: str, package: str, taps: tuple[str, ...]) -> list[Screen]:
    """The first screen of an app, and those after each tap."""
    with open_device(phone) as device:
        found = device.observe()
        acts = [Action("open_app", {"package": package}), *(Action("tap", {"text": text}) for text in taps)]
        seen = []
        for act in acts:
            device.perform(act, found.target(act.name, act.args))
            found = device.observe()
            seen.append(found)
        return seen


if __name__ == "__main__":
    main()
