"""``vsac memory``: lists, shows, adds, exports and deletes the specs that `vsac encode` learns from."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from vsalang.base.diagnostics.display import count, safe, safe_lines
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.base.source.database import StoreError
from vsalang.base.source.private import write_out
from vsalang.models.encode import Experience
from vsalang.models.encode.experience import expired
from vsalang.models.encode.memory import Memory
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.output import json_text, refuse_to_lose, refuse_to_replace
from vsalang.tools.cli.remembering import (
    SHORT,
    NotVouched,
    by_first_digits,
    entries_of,
    memory_at,
    memory_file,
    remember,
    tell,
)

_file = memory_file(
    "The file.", default_text="that of your vsac.toml, else ~/.local/share/vsalang/memory.sqlite"
)


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Which entries are listed."""

    apps: tuple[str, ...] = option(
        "--app", default=(), metavar="APP", help="Only entries that use this app. Repeatable."
    )
    file: str | None = _file


@frame.as_command("text", "json")
def list_(options: ListOptions) -> Report | int:
    """List what is remembered, the newest first."""
    memory = memory_at(options.file)
    chosen = [
        entry
        for entry in entries_of(memory)
        if not options.apps or {app.name for app in entry.apps} & {*options.apps}
    ]
    reasons = expired(chosen)

    def values() -> dict[str, Any]:
        data = [_data(entry, reasons[entry.id], whole=False) for entry in chosen]
        return {"version": 1, "file": str(memory.path), "entries": data}

    def text(style: Style) -> Iterator[str]:
        for entry in chosen:
            names = ", ".join(app.name for app in entry.apps)
            how = "completed" if entry.confirmed == "completed" else "by user"
            task = safe(entry.instruction, 100)
            yield f"{style(entry.id, fg='cyan')}  {entry.added:%Y-%m-%d}  {how:9}  {safe(names)}  {task}"
            if reasons[entry.id]:
                yield style(f"{'':14}expired: {safe(reasons[entry.id])}", fg="yellow")
        gone = sum(1 for reason in reasons.values() if reason)
        number = count(len(chosen), "spec") if chosen else "nothing"
        yield f"{number} remembered in {safe(str(memory.path))}{f', {gone} expired' if gone else ''}"

    return Result(values, text)


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """Which entry is shown."""

    id: str = argument("ID")
    file: str | None = _file


@frame.as_command("text", "json")
def show(options: ShowOptions) -> Report | int:
    """Show an entry whole. ID may be its first digits."""
    memory = memory_at(options.file)
    (entry,) = _chosen(memory, [options.id])
    reason = expired([entry])[entry.id]
    return Result(lambda: {"version": 1, **_data(entry, reason, whole=True)}, partial(_lines, entry, reason))


def _lines(entry: Experience, reason: str, style: Style) -> Iterator[str]:
    confirmed = (
        "by you" if entry.confirmed == "user" else f"by a completed task, journal {safe(entry.journal)}"
    )
    yield style(entry.id, fg="cyan", bold=True)
    for name, value in (
        ("instruction", safe(entry.instruction)),
        ("apps", safe(", ".join(app.name for app in entry.apps))),
        ("relations", safe(", ".join(entry.relations))),
        ("confirmed", confirmed),
        ("model", safe(entry.model) or "not known"),
        ("added", f"{entry.added:%Y-%m-%d %H:%M} UTC"),
        ("state", style(f"expired: {safe(reason)}", fg="yellow") if reason else "in use"),
    ):
        yield f"  {name:12} {value}"
    yield ""
    yield from safe_lines(entry.spec.rstrip())


@dataclass(frozen=True, slots=True)
class AddOptions:
    """What is remembered, and who vouches for it."""

    spec: str = argument("SPEC")
    journal: str | None = option(
        "--journal", metavar="JOURNAL", help="The journal of a session that completed the task of SPEC."
    )
    confirmed: bool = flag(
        "--confirmed",
        help="You have read SPEC, and it says what the instruction means.",
        excludes="--journal",
    )
    model: str = option("--model", default="", metavar="NAME", help="The model that wrote it, if one did.")
    file: str | None = _file


@frame.as_command("text", "json", one_of=("--journal", "--confirmed"))
def add(options: AddOptions) -> Report | int:
    """Remember a spec that proved right, by a journal or because you say so.

    The journal must have been recorded under the same text of SPEC and its apps, with an end that the guard allowed.

    Exit status: 0 it is remembered, 1 it is not (it has errors, or the journal does not show it), 2 a file could not
    be used.
    """
    memory = memory_at(options.file)
    try:
        entry, removed = remember(Path(options.spec), memory, journal=options.journal, model=options.model)
    except NotVouched as error:
        error.show()
        return EXIT_FINDINGS
    lines = [f"remembered as {entry.id} in {safe(str(memory.path))}"]
    if removed:
        lines.append(
            f"{count(len(removed), 'spec')} removed to make room, the oldest first: {', '.join(removed)}"
        )
    return Result(lambda: {"version": 1, "id": entry.id, "removed": list(removed)}, lambda style: lines)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Which entries are written, and where."""

    ids: tuple[str, ...] = argument("ID", default=())
    output: str | None = option(
        "-o", "--output", metavar="FILE", help="Write to this file, readable only by you."
    )
    force: bool = flag("--force", help="Replace the file if it exists.")
    file: str | None = _file


@frame.as_command()
def export(options: ExportOptions) -> int:
    """Write entries whole, as JSON: those named, else all."""
    memory = memory_at(options.file)
    chosen = _chosen(memory, options.ids) if options.ids else list(entries_of(memory))
    reasons = expired(chosen)
    data = [_data(entry, reasons[entry.id], whole=True) for entry in chosen]
    text = json_text({"version": 1, "entries": data}, indent=2) + "\n"
    if options.output is None:
        click.echo(text, nl=False)
        return EXIT_OK
    refuse_to_replace(options.output, options.force)
    refuse_to_lose(options.output, [memory.path])
    write_out(Path(options.output), text)
    tell(f"{count(len(chosen), 'spec')} written to {options.output}")
    return EXIT_OK


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """Which entries are forgotten."""

    ids: tuple[str, ...] = argument("ID", default=())
    old: bool = flag("--expired", help="Delete all entries that have expired.")
    file: str | None = _file


@frame.as_command("text", "json", one_of=("ID", "--expired"))
def delete(options: DeleteOptions) -> Report | int:
    """Forget the entries with these IDs, or those that have expired."""
    memory = memory_at(options.file)
    chosen = {entry.id for entry in _chosen(memory, options.ids)}
    if options.old:
        chosen |= {name for name, reason in expired(entries_of(memory)).items() if reason}
    try:
        memory.delete(chosen)
    except StoreError as error:
        raise Failure(str(error), error.hint) from error
    message = f"{count(len(chosen), 'spec')} deleted" if chosen else "nothing has expired"
    return Result(lambda: {"version": 1, "deleted": sorted(chosen)}, lambda style: [message])


# ---------------------------------------------------------------- entries


def _chosen(memory: Memory, ids: Sequence[str]) -> list[Experience]:
    """The entries with these ids, or first digits of ids, each once.

    Raises:
        Failure: there is none, or there are several.
    """
    known = {entry.id: entry for entry in entries_of(memory)}
    return [known[name] for name in by_first_digits(ids, known, memory.path, SHORT)]


def _data(entry: Experience, reason: str, *, whole: bool) -> dict[str, Any]:
    """An entry as JSON data; not `whole`: without the text of the spec."""
    return {
        "id": entry.id,
        "instruction": entry.instruction,
        "apps": [{"name": app.name, "digest": app.digest, "file": app.file or None} for app in entry.apps],
        "relations": list(entry.relations),
        "confirmed": entry.confirmed,
        "journal": entry.journal or None,
        "model": entry.model or None,
        "added": entry.added.isoformat(),
        "expired": reason or None,
        **({"spec": entry.spec} if whole else {}),
    }
