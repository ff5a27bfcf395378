"""Measures what it takes to enumerate the candidates of a screen and have the guard judge them: processor time.

.venv/bin/python -m benchmarks.rank.speed

The screens are those of the simulated phones of the demonstrations. ``first`` is the first time on a screen, with all
that is made of a new screen; ``again`` the median of those after it. Wanted are 10 ms.
"""

import statistics
import time
from typing import Final

from vsalang import Guard, load, open_device
from vsalang.models.rank import Situation
from vsalang.models.rank.enumerating import candidates
from vsalang.models.rank.judging import allowed
from vsalang.program.action import Action
from vsalang.program.screen import Screen

RUNS: Final = 15
DEMONSTRATIONS: Final = (
    ("app_specs/examples/reserve_r.vsa", "sim:restaurant", "com.opentable", ("R",)),
    ("app_specs/examples/quiet_evening.vsa", "sim:settings", "org.example.settings", ("Notifications",)),
)
"""Spec, phone, app, and what is tapped one after the other."""


def main() -> None:
    print(f"{'spec':28} {'candidates':>10} {'first ms':>9} {'again ms':>9}")
    for spec, phone, package, taps in DEMONSTRATIONS:
        program = load(spec).checked()
        guard = Guard(program)
        for screen in screens(phone, package, taps):
            guard.observe(screen)
            situation = Situation("", screen)  # type: ignore[arg-type]
            times = []
            for _ in range(RUNS):
                begun = time.process_time()
                enumeration = candidates(situation)
                allowed(guard.judge_all, program, enumeration)
                times.append(1000 * (time.process_time() - begun))
            again = statistics.median(times[1:])
            print(
                f"{spec.rpartition('/')[2]:28} {len(enumeration.candidates):10} {times[0]:9.1f} {again:9.1f}"
            )


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
