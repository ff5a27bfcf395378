"""``vsac phone trace``: says what of a phone's system rules can see, and records what changes by itself."""

import time
from collections.abc import Iterator
from dataclasses import MISSING, replace
from itertools import chain
from pathlib import Path
from typing import Any

from vsalang.base.config import Config, config_in_force
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.guard.journal import JournalError
from vsalang.guard.journal.traced_steps import traced_steps
from vsalang.phone import DeviceError
from vsalang.phone.traced import Baseline, Sight, System, changed, sights
from vsalang.phone.traced import baseline as compared
from vsalang.phone.uiautomator import KINDS
from vsalang.program.text import line
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.output import refuse_to_replace, write_text
from vsalang.tools.cli.phones import device_option, open_device
from vsalang.tools.cli.progress import telling

_MOST_LOOKS = 10_000


def _trace() -> Any:
    return option(
        "--trace",
        metavar="KINDS",
        help="Which events of the phone's system are read: files, permissions, connections, settings, or all; "
        "separated by commas.",
        default_text="what vsac.toml says, else all",
    )


@dataclass(frozen=True, slots=True)
class BaselineOptions:
    """How long files are watched, and where the list goes."""

    device: str = device_option(default=MISSING, required=True)
    looks: int | None = option(
        "--looks", least=1, most=_MOST_LOOKS, metavar="N", help="How many looks.", default_text="10"
    )
    seconds: float | None = option(
        "--seconds", least=1, most=86_400, metavar="N", help="For how long, instead.", excludes="--looks"
    )
    output: str | None = option(
        "-o",
        "--output",
        metavar="OUT",
        help="Where to write the list, for [trace] ignore.",
        default_text="printed",
    )
    force: bool = flag("--force", help="Replace the output file if it exists.")
    trace: str | None = _trace()


@frame.as_command("text", "json")
def baseline(options: BaselineOptions) -> Report:
    """Record which files change without any action, and write them as a list to ignore.

    Leave the phone alone meanwhile. Exit status: 0 the list is whole, 1 a part of the folders was not read, 2 the
    device cannot be used.
    """
    if options.output is not None:
        refuse_to_replace(options.output, options.force)
    number = options.looks if options.looks is not None else None if options.seconds is not None else 10
    baseline = compared(_looks(options.device, options.trace, number, options.seconds, only="files"))
    if options.output is not None:
        write_text(Path(options.output), baseline.toml(options.device))
    return Changes(baseline, options)


@dataclass(frozen=True, slots=True)
class Changes(Report):
    """The files that changed by themselves."""

    baseline: Baseline
    options: BaselineOptions

    @property
    def status(self) -> int:  # type: ignore[override]
        """1 if something was not read."""
        return EXIT_FINDINGS if self.baseline.unread or not self.baseline.looks else EXIT_OK

    def data(self) -> dict[str, Any]:
        """What changed how often, and what was not read."""
        return {**self.baseline.to_json(), "device": self.options.device, "file": self.options.output}

    def lines(self, style: Style) -> Iterator[str]:
        """The list, or where it was written."""
        baseline, file = self.baseline, self.options.output
        if file is None:
            yield baseline.toml(self.options.device).removesuffix("\n")
        else:
            files, looks = count(len(baseline.times), "file"), count(baseline.looks, "look")
            yield f"{file} written: {files} changed in {looks}"

    def notes(self, style: Style) -> Iterator[str]:
        """What was not read."""
        for (within, why), times in sorted(self.baseline.unread.items()):
            yield f"not read in {count(times, 'look')}: {line(within, 200) or 'all'}: {line(why, 80)}"


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What is shown: a device, or a recorded session."""

    journal: str | None = argument("JOURNAL", required=False)
    device: str | None = device_option(excludes="JOURNAL")
    trace: str | None = _trace()


@frame.as_command("text", "json", one_of=("JOURNAL", "--device"))
def show(options: ShowOptions) -> Report:
    """Say what rules can see of a phone's system and what not, or what changed with each action of a JOURNAL.

    Exit status: 0 all was read whole that can be, 1 a part was not read, 2 the device or the journal cannot be used.
    """
    if options.journal is not None:
        return _of_journal(options.journal)
    assert options.device is not None
    *_, system = _looks(options.device, options.trace, 1, None)
    system_sights = sights(system)
    relations = [each.to_json() for each in system_sights]
    lacking = any(not each.read for each in system_sights) or _lacks(system_sights)
    return Result(
        lambda: {"version": 1, "device": options.device, "relations": relations},
        lambda style: chain.from_iterable(map(_sight, system_sights)),
        EXIT_FINDINGS if lacking else EXIT_OK,
    )


def _of_journal(journal: str) -> Report:
    """What each action of a recorded session changed in the system."""
    try:
        steps = list(traced_steps(journal))
    except JournalError as error:
        raise Failure(str(error), "`vsac journal show` says more of a journal") from error
    seen = [(step, sights(step.system)) for step in steps]
    lacking = sum(not step.system or _lacks(observations) for step, observations in seen)

    def values() -> dict[str, Any]:
        data = [
            {
                "step": step.number,
                "action": step.action,
                "read": bool(step.system),
                "changed": list(changed(step.system)),
                "relations": [each.to_json() for each in observations],
            }
            for step, observations in seen
        ]
        return {"version": 1, "journal": journal, "lacking": lacking, "steps": data}

    def text(style: Style) -> Iterator[str]:
        for step, observations in seen:
            yield f"{step.number}. {line(step.action, 80)}: {_summary(step.system)}"
            yield from (f"    changed: {line(path, 200)}" for path in changed(step.system))
            for sight in observations:
                for within, why in sight.unread:
                    yield f"    {sight.relation} not read: {line(within, 200) or 'all'}: {line(why, 80)}"
        if not steps:
            yield "No action was carried out."
        elif lacking:
            yield f"Not all was read after {lacking} of {count(len(steps), 'action')}: what was not is unknown."

    return Result(values, text, EXIT_FINDINGS if lacking else EXIT_OK)


def _summary(system: System) -> str:
    if not system:
        return "no trace was read"
    if "FileChanged" not in system:
        return "it is not known which files changed"
    return f"{count(len(changed(system)), 'file')} changed"


def _lacks(sights: tuple[Sight, ...]) -> bool:
    return any(why for each in sights if each.relation != "Network" for _, why in each.unread)


def _sight(sight: Sight) -> Iterator[str]:
    yield (f"{sight.relation}: {count(sight.rows, 'row') if sight.read else 'not read'}")
    for within in sight.whole:
        yield (f"    whole: {line(within, 200)}")
    for within, why in sight.unread:
        yield (f"    not whole: {line(within, 200) or 'all'}: {line(why, 80)}")


def _looks(
    name: str, kinds: str | None, number: int | None, seconds: float | None, only: str = "all"
) -> Iterator[System]:
    """The trace of a first look and of those after it.

    Raises:
        Failure: the device cannot be used.
    """
    with open_device(name, _configured(only), kinds) as phone, telling() as tell:
        until = None if seconds is None else time.monotonic() + seconds
        done = 0
        try:
            while True:
                tell(f"look {done}" + (f" of {number}" if number is not None else ""))
                yield getattr(phone.observe(), "system", {})
                if (number is not None and done >= number) or (
                    until is not None and time.monotonic() >= until
                ):
                    return
                done += 1
        except DeviceError as error:
            raise Failure(
                str(error), "`vsac phone doctor --device NAME` says what is wrong with a device"
            ) from error


def _configured(only: str) -> Config:
    """The configuration in force here; what is not said is read, and nothing is ignored."""
    config = config_in_force("trace.vsa")
    kinds = ("files",) if only == "files" else (*config.device.trace, *config.trace.kinds) or KINDS
    device = replace(config.device, trace=())
    return replace(config, device=device, trace=replace(config.trace, kinds=tuple(kinds), ignore=()))
