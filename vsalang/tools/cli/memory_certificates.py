"""``vsac memory certificates``: lists, shows, adds, exports and deletes what is remembered of actions."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count, safe
from vsalang.tools.cli.certified import certificates_at, remembered
from vsalang.tools.cli.common import EXIT_OK, Failure, format_option
from vsalang.tools.cli.dumps import styled
from vsalang.tools.cli.output import echo, json_text
from vsalang.tools.cli.remembering import by_first_digits, memory_option

if TYPE_CHECKING:
    from vsalang.guard.memory.certificate_store import CertificateStore, Entry

_file = memory_option(
    "The file. [default: that of your vsac.toml, else ~/.local/share/vsalang/certificates.sqlite]"
)
_app = click.option("--app", "apps", multiple=True, metavar="PACKAGE", help="Those of this app. Repeatable.")


@click.group(name="certificates")
def group() -> None:
    """Look after what is remembered of actions: what was done on which screen, and with which result.

    Sessions remember only with `vsac run --certificates`. A memory permits nothing: it may warn and ask (`Tried`).
    """


@group.command(name="list")
@_app
@_file
@format_option("text", "json")
def list_(apps: tuple[str, ...], memory_file: str | None, format: str) -> int:
    """List what is remembered, the newest first."""
    from vsalang.guard.memory import did

    store = certificates_at(memory_file)
    chosen = _of(_entries(store), apps)
    if format == "json":
        data = [_data(entry, whole=False) for entry in chosen]
        click.echo(json_text({"version": 1, "file": str(store.path), "entries": data}, indent=2))
        return EXIT_OK
    for entry in chosen:
        one = entry.certificate
        assert one.key is not None
        effect = f"{one.effect.transition or '':13}"
        echo(
            f"{styled(entry.id, fg='cyan')}  {entry.added:%Y-%m-%d}  {effect}  {safe(one.key.package, 60)}  {did(one)}"
        )
        if one.effect.doubt:
            echo(f"{'':14}{one.effect.doubt}")
        if entry.expired:
            echo(styled(f"{'':14}expired: {entry.expired}", fg="yellow"))
    gone = sum(bool(entry.expired) for entry in chosen)
    number = count(len(chosen), "certificate") if chosen else "nothing"
    echo(f"{number} remembered in {safe(str(store.path))}{f', {gone} expired' if gone else ''}")
    return EXIT_OK


@group.command(name="show")
@click.argument("id")
@_file
@format_option("text", "json")
def show(id: str, memory_file: str | None, format: str) -> int:
    """Show a certificate whole. ID may be its first digits."""
    from vsalang.guard.memory import long

    (entry,) = _chosen(certificates_at(memory_file), [id])
    if format == "json":
        click.echo(json_text({"version": 1, **_data(entry, whole=True)}, indent=2))
    else:
        state = f"expired: {entry.expired}" if entry.expired else "in use"
        echo(f"{styled(entry.id, fg='cyan', bold=True)}  {state}, added {entry.added:%Y-%m-%d %H:%M} UTC")
        echo(long(entry.certificate))
    return EXIT_OK


@group.command(name="add")
@click.argument("journal", metavar="JOURNAL")
@click.option(
    "--recorded",
    is_flag=True,
    help="Keep also what a walk shows, though nobody knows whether its screens were at rest.",
)
@_file
@format_option("text", "json")
def add(journal: str, recorded: bool, memory_file: str | None, format: str) -> int:
    """Remember the actions of a recorded session; of a walk with --recorded.

    Kept is what certainly had its effect; adding the same journal again changes nothing.
    """
    from vsalang.guard.memory.certifying import RECORDED
    from vsalang.tools.cli.certify import certificates_of

    store = certificates_at(memory_file)
    new: list[str] = []
    known: list[str] = []
    walked = left = 0
    with _usable():
        for number, one in certificates_of(journal):
            added = store.add(one, number, recorded=recorded)
            if added is not None:
                (new if added.new else known).append(added.id)
            elif one.key is not None and one.effect.doubt == RECORDED:
                walked += 1
            else:
                left += 1
    if format == "json":
        data = {"version": 1, "ids": new, "known": known, "left_out": left + walked}
        click.echo(json_text(data, indent=2))
        return EXIT_OK
    echo(remembered(len(new), len(known), store.path))
    if left:
        echo(f"{left} left out: no gesture with a certain effect")
    if walked:
        echo(
            f"{walked} left out: nobody knows whether the screens of a walk were at rest; --recorded keeps them"
        )
    return EXIT_OK


@group.command(name="export")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_app
@click.option("-o", "--output", metavar="FILE", help="Write to this file, readable only by you.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@_file
def export(
    ids: tuple[str, ...], apps: tuple[str, ...], output: str | None, force: bool, memory_file: str | None
) -> int:
    """Write certificates whole, as JSON: those named, else all."""
    from vsalang.base.source.private import write_out
    from vsalang.tools.cli.output import refuse_to_lose, refuse_to_replace

    store = certificates_at(memory_file)
    chosen = _of(_chosen(store, ids) if ids else _entries(store), apps)
    text = (
        json_text({"version": 1, "entries": [_data(entry, whole=True) for entry in chosen]}, indent=2) + "\n"
    )
    if output is None:
        click.echo(text, nl=False)
        return EXIT_OK
    refuse_to_replace(output, force)
    refuse_to_lose(output, [store.path])
    write_out(Path(output), text)
    echo(f"{count(len(chosen), 'certificate')} written to {output}", err=True)
    return EXIT_OK


@group.command(name="delete")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_app
@click.option("--expired", "old", is_flag=True, help="Delete all entries that have expired.")
@_file
@format_option("text", "json")
def delete(
    ids: tuple[str, ...], apps: tuple[str, ...], old: bool, memory_file: str | None, format: str
) -> int:
    """Forget the entries with these IDs, those of an app, or those that have expired."""
    if not ids and not old and not apps:
        raise click.UsageError("Name an ID, or give --app or --expired.")
    store = certificates_at(memory_file)
    chosen = {entry.id for entry in _chosen(store, ids)}
    entries = _entries(store)
    if apps:
        chosen |= {entry.id for entry in _of(entries, apps)}
    if old:
        chosen |= {entry.id for entry in entries if entry.expired}
    with _usable():
        store.forget(chosen)
    if format == "json":
        click.echo(json_text({"version": 1, "deleted": sorted(chosen)}, indent=2))
    else:
        echo(f"{count(len(chosen), 'certificate')} deleted" if chosen else "nothing to delete")
    return EXIT_OK


# ---------------------------------------------------------------- entries


@contextmanager
def _usable() -> Iterator[None]:
    """Turn a file that cannot be used into a failure of the command."""
    from vsalang.base.source.database import StoreError

    try:
        yield
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


def _entries(store: "CertificateStore") -> "tuple[Entry, ...]":
    with _usable():
        return store.entries()


def _of(entries: "Sequence[Entry]", apps: Sequence[str]) -> "list[Entry]":
    return [
        entry
        for entry in entries
        if not apps or (entry.certificate.key is not None and entry.certificate.key.package in apps)
    ]


def _chosen(store: "CertificateStore", ids: Sequence[str]) -> "list[Entry]":
    """The entries with these ids, or first digits of ids, each once. Raises `Failure`."""
    known = {entry.id: entry for entry in _entries(store)}
    hint = "`vsac memory certificates list` lists them"
    return [known[name] for name in by_first_digits(ids, known, store.path, hint)]


def _data(entry: "Entry", *, whole: bool) -> dict[str, Any]:
    """An entry as JSON data; not `whole`: in one line instead of its document."""
    from vsalang.guard.memory import document, short

    one = entry.certificate
    said = {"certificate": document(one)} if whole else {"short": short(one)}
    return {
        "id": entry.id,
        "added": entry.added.isoformat(),
        "expired": entry.expired or None,
        "package": one.key.package if one.key is not None else None,
        **said,
    }
