"""``vsac phone trace``: says what of a phone's system rules can see, and records what changes by itself."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count
from vsalang.program.text import line
from vsalang.tools.cli import options
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, color_option, format_option
from vsalang.tools.cli.output import echo, json_text, refuse_to_replace, write_text

if TYPE_CHECKING:
    from vsalang.base.config import Config
    from vsalang.phone.traced import Sight, System

_MOST_LOOKS = 10_000
_device = click.option(
    "--device", metavar="NAME", help="A device's serial number, or sim:NAME for a simulated phone."
)


@click.group(name="trace")
def command() -> None:
    """Look at the trace of a phone's system: files, permissions, connections, settings.

    What is read is what --trace or vsac.toml says; where neither says anything, all of it.
    """


@command.command(name="baseline")
@_device
@click.option(
    "--looks", type=click.IntRange(1, _MOST_LOOKS), metavar="N", help="How many looks. [default: 10]"
)
@click.option("--seconds", type=options.Numbers(1, 86_400), metavar="N", help="For how long, instead.")
@click.option(
    "-o", "--output", metavar="OUT", help="Where to write the list, for [trace] ignore. [default: printed]"
)
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@options.trace
@format_option("text", "json")
@color_option
def baseline(
    *,
    device: str | None,
    looks: int | None,
    seconds: float | None,
    output: str | None,
    force: bool,
    format: str,
) -> int:
    """Record which files change without any action, and write them as a list to ignore.

    Leave the phone alone meanwhile. Exit status: 0 the list is whole, 1 a part of the folders was not read, 2 the
    device cannot be used.
    """
    from vsalang.phone.traced import baseline as compared

    if device is None:
        raise click.UsageError("--device is needed.")
    if looks is not None and seconds is not None:
        raise click.UsageError("--looks and --seconds are two ways to say how long: give one.")
    if output is not None:
        refuse_to_replace(output, force)
    number = looks if looks is not None else None if seconds is not None else 10
    found = compared(_looks(device, number, seconds, only="files"))
    text = found.toml(device)
    if output is not None:
        write_text(Path(output), text)
    if format == "json":
        click.echo(json_text({**found.to_json(), "device": device, "file": output}, indent=1))
    elif output is None:
        echo(text, nl=False)
    else:
        echo(f"{output} written: {count(len(found.times), 'file')} changed in {count(found.looks, 'look')}")
    if format != "json":
        for (within, why), times in sorted(found.unread.items()):
            echo(
                f"not read in {count(times, 'look')}: {line(within, 200) or 'all'}: {line(why, 80)}", err=True
            )
    return EXIT_FINDINGS if found.unread or not found.looks else EXIT_OK


@command.command(name="show")
@click.argument("journal", required=False, default=None)
@_device
@options.trace
@format_option("text", "json")
@color_option
def show(*, journal: str | None, device: str | None, format: str) -> int:
    """Say what rules can see of a phone's system and what not, or what changed with each action of a JOURNAL.

    Exit status: 0 all was read whole that can be, 1 a part was not read, 2 the device or the journal cannot be used.
    """
    from vsalang.phone.traced import sights

    if (journal is None) == (device is None):
        raise click.UsageError("Give a JOURNAL, or a device with --device.")
    if journal is not None:
        return _show_journal(journal, format)
    assert device is not None
    *_, system = _looks(device, 1, None)
    found = sights(system)
    if format == "json":
        data = {"version": 1, "device": device, "relations": [each.to_json() for each in found]}
        click.echo(json_text(data, indent=1))
    else:
        for sight in found:
            _print(sight)
    return EXIT_FINDINGS if any(not each.read for each in found) or _lacks(found) else EXIT_OK


def _show_journal(journal: str, format: str) -> int:
    from vsalang.guard.journal import JournalError
    from vsalang.guard.journal.traced_steps import traced_steps
    from vsalang.phone.traced import changed, sights

    try:
        steps = list(traced_steps(journal))
    except JournalError as error:
        raise Failure(str(error), "`vsac journal show` says more of a journal") from error
    lacking = 0
    data: list[dict[str, Any]] = []
    for step in steps:
        found = sights(step.system)
        lacking += not step.system or _lacks(found)
        data.append(
            {
                "step": step.number,
                "action": step.action,
                "read": bool(step.system),
                "changed": list(changed(step.system)),
                "relations": [each.to_json() for each in found],
            }
        )
        if format == "json":
            continue
        echo(f"{step.number}. {line(step.action, 80)}: {_summary(step.system)}")
        for path in changed(step.system):
            echo(f"    changed: {line(path, 200)}")
        for sight in found:
            for within, why in sight.unread:
                echo(f"    {sight.relation} not read: {line(within, 200) or 'all'}: {line(why, 80)}")
    if format == "json":
        click.echo(json_text({"version": 1, "journal": journal, "lacking": lacking, "steps": data}, indent=1))
    elif not steps:
        echo("No action was carried out.")
    elif lacking:
        echo(f"Not all was read after {lacking} of {count(len(steps), 'action')}: what was not is unknown.")
    return EXIT_FINDINGS if lacking else EXIT_OK


def _summary(system: "System") -> str:
    from vsalang.phone.traced import changed

    if not system:
        return "no trace was read"
    if "FileChanged" not in system:
        return "it is not known which files changed"
    return f"{count(len(changed(system)), 'file')} changed"


def _lacks(found: "tuple[Sight, ...]") -> bool:
    return any(why for each in found if each.relation != "Network" for _, why in each.unread)


def _print(sight: "Sight") -> None:
    echo(f"{sight.relation}: {count(sight.rows, 'row') if sight.read else 'not read'}")
    for within in sight.whole:
        echo(f"    whole: {line(within, 200)}")
    for within, why in sight.unread:
        echo(f"    not whole: {line(within, 200) or 'all'}: {line(why, 80)}")


def _looks(name: str, number: int | None, seconds: float | None, only: str = "all") -> Iterator["System"]:
    """The trace of a first look and of those after it.

    Raises:
        Failure: the device cannot be used.
    """
    from vsalang.phone import DeviceError
    from vsalang.tools.cli.progress import telling

    with options.open_device(name, _configured(only)) as phone, telling() as tell:
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


def _configured(only: str) -> "Config":
    """The configuration in force here; what is not said is read, and nothing is ignored."""
    from dataclasses import replace

    from vsalang.base.config import config_in_force
    from vsalang.phone.uiautomator import KINDS

    config = config_in_force("trace.vsa")
    kinds = ("files",) if only == "files" else (*config.device.trace, *config.trace.kinds) or KINDS
    device = replace(config.device, trace=())
    return replace(config, device=device, trace=replace(config.trace, kinds=tuple(kinds), ignore=()))
