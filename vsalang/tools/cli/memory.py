"""``vsac memory``: lists, shows, adds, exports and deletes the specs that `vsac encode` learns from."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count, safe, safe_lines
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, use_color
from vsalang.tools.cli.memory_certificates import group
from vsalang.tools.cli.output import echo, json_text
from vsalang.tools.cli.remembering import (
    SHORT,
    NotVouched,
    by_first_digits,
    entries_of,
    memory_at,
    memory_option,
    remember,
    tell,
)

if TYPE_CHECKING:
    from vsalang.models.encode import Experience
    from vsalang.models.encode.memory import Memory

_file = memory_option(
    "The file. [default: that of your vsac.toml, else ~/.local/share/vsalang/memory.sqlite]"
)


@click.group(name="memory")
def command() -> None:
    """Look after the specs of earlier tasks that `vsac encode` shows to the model, and what is remembered of actions.

    Only specs that proved right are remembered: a task was completed under them, or you confirmed them.
    """


command.add_command(group)


@command.command(name="list")
@click.option(
    "--app", "apps", multiple=True, metavar="APP", help="Only entries that use this app. Repeatable."
)
@_file
@format_option("text", "json")
def list_(apps: tuple[str, ...], memory_file: str | None, format: str) -> int:
    """List what is remembered, the newest first."""
    memory = memory_at(memory_file)
    chosen = [entry for entry in entries_of(memory) if not apps or {app.name for app in entry.apps} & {*apps}]
    expired = _expired(chosen)
    if format == "json":
        data = [_data(entry, expired[entry.id], whole=False) for entry in chosen]
        click.echo(json_text({"version": 1, "file": str(memory.path), "entries": data}, indent=2))
        return EXIT_OK
    for entry in chosen:
        names = ", ".join(app.name for app in entry.apps)
        how = "completed" if entry.confirmed == "completed" else "by user"
        said = safe(entry.instruction, 100)
        echo(f"{_style(entry.id, fg='cyan')}  {entry.added:%Y-%m-%d}  {how:9}  {safe(names)}  {said}")
        if expired[entry.id]:
            echo(_style(f"{'':14}expired: {safe(expired[entry.id])}", fg="yellow"))
    gone = sum(1 for reason in expired.values() if reason)
    number = count(len(chosen), "spec") if chosen else "nothing"
    echo(f"{number} remembered in {safe(str(memory.path))}{f', {gone} expired' if gone else ''}")
    return EXIT_OK


@command.command(name="show")
@click.argument("id")
@_file
@format_option("text", "json")
def show(id: str, memory_file: str | None, format: str) -> int:
    """Show an entry whole. ID may be its first digits."""
    memory = memory_at(memory_file)
    (entry,) = _chosen(memory, [id])
    reason = _expired([entry])[entry.id]
    if format == "json":
        click.echo(json_text({"version": 1, **_data(entry, reason, whole=True)}, indent=2))
        return EXIT_OK
    confirmed = (
        "by you" if entry.confirmed == "user" else f"by a completed task, journal {safe(entry.journal)}"
    )
    state = _style(f"expired: {safe(reason)}", fg="yellow") if reason else "in use"
    echo(_style(entry.id, fg="cyan", bold=True))
    for name, value in (
        ("instruction", safe(entry.instruction)),
        ("apps", safe(", ".join(app.name for app in entry.apps))),
        ("relations", safe(", ".join(entry.relations))),
        ("confirmed", confirmed),
        ("model", safe(entry.model) or "not known"),
        ("added", f"{entry.added:%Y-%m-%d %H:%M} UTC"),
        ("state", state),
    ):
        echo(f"  {name:12} {value}")
    echo()
    echo("\n".join(safe_lines(entry.spec.rstrip())))
    return EXIT_OK


@command.command(name="add")
@click.argument("spec")
@click.option(
    "--journal", metavar="JOURNAL", help="The journal of a session that completed the task of SPEC."
)
@click.option("--confirmed", is_flag=True, help="You have read SPEC, and it says what the instruction means.")
@click.option("--model", default="", metavar="NAME", help="The model that wrote it, if one did.")
@_file
@format_option("text", "json")
def add(
    *, spec: str, journal: str | None, confirmed: bool, model: str, memory_file: str | None, format: str
) -> int:
    """Remember a spec that proved right, by a journal or because you say so.

    The journal must have been recorded under the same text of SPEC and its apps, with an end that the guard allowed.

    Exit status: 0 it is remembered, 1 it is not (it has errors, or the journal does not show it), 2 a file could not
    be used.
    """
    if (journal is None) is not confirmed:
        raise click.UsageError("Give --journal JOURNAL or --confirmed: who vouches for SPEC? (one of them)")
    memory = memory_at(memory_file)
    try:
        entry, removed = remember(Path(spec), memory, journal=journal, model=model)
    except NotVouched as error:
        error.show()
        return EXIT_FINDINGS
    if format == "json":
        click.echo(json_text({"version": 1, "id": entry.id, "removed": list(removed)}, indent=2))
    else:
        echo(f"remembered as {entry.id} in {safe(str(memory.path))}")
        if removed:
            echo(
                f"{count(len(removed), 'spec')} removed to make room, the oldest first: {', '.join(removed)}"
            )
    return EXIT_OK


@command.command(name="export")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("-o", "--output", metavar="FILE", help="Write to this file, readable only by you.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@_file
def export(ids: tuple[str, ...], output: str | None, force: bool, memory_file: str | None) -> int:
    """Write entries whole, as JSON: those named, else all."""
    from vsalang.base.source.private import write_out
    from vsalang.tools.cli.output import refuse_to_lose, refuse_to_replace

    memory = memory_at(memory_file)
    chosen = _chosen(memory, ids) if ids else list(entries_of(memory))
    expired = _expired(chosen)
    data = [_data(entry, expired[entry.id], whole=True) for entry in chosen]
    text = json_text({"version": 1, "entries": data}, indent=2) + "\n"
    if output is None:
        click.echo(text, nl=False)
        return EXIT_OK
    refuse_to_replace(output, force)
    refuse_to_lose(output, [memory.path])
    write_out(Path(output), text)
    tell(f"{count(len(chosen), 'spec')} written to {output}")
    return EXIT_OK


@command.command(name="delete")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--expired", "old", is_flag=True, help="Delete all entries that have expired.")
@_file
@format_option("text", "json")
def delete(ids: tuple[str, ...], old: bool, memory_file: str | None, format: str) -> int:
    """Forget the entries with these IDs, or those that have expired."""
    from vsalang.base.source.database import StoreError

    if not ids and not old:
        raise click.UsageError("Name an ID, or give --expired.")
    memory = memory_at(memory_file)
    chosen = {entry.id for entry in _chosen(memory, ids)}
    if old:
        chosen |= {name for name, reason in _expired(entries_of(memory)).items() if reason}
    try:
        memory.delete(chosen)
    except StoreError as error:
        raise Failure(str(error), error.hint) from error
    if format == "json":
        click.echo(json_text({"version": 1, "deleted": sorted(chosen)}, indent=2))
    else:
        echo(f"{count(len(chosen), 'spec')} deleted" if chosen else "nothing has expired")
    return EXIT_OK


# ---------------------------------------------------------------- entries


def _chosen(memory: "Memory", ids: Sequence[str]) -> "list[Experience]":
    """The entries with these ids, or first digits of ids, each once.

    Raises:
        Failure: there is none, or there are several.
    """
    known = {entry.id: entry for entry in entries_of(memory)}
    return [known[name] for name in by_first_digits(ids, known, memory.path, SHORT)]


def _expired(entries: "Sequence[Experience]") -> dict[str, str]:
    """For each entry why it has expired; empty if it has not."""
    from vsalang.models.encode.experience import expired

    return expired(entries)


def _data(entry: "Experience", expired: str, *, whole: bool) -> dict[str, Any]:
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
        "expired": expired or None,
        **({"spec": entry.spec} if whole else {}),
    }


def _style(text: str, **how: Any) -> str:
    return click.style(text, **how) if use_color() else text
