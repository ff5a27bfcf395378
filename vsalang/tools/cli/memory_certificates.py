"""``vsac memory certificates``: lists, shows, adds, exports and deletes what is remembered of actions."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.base.source.database import StoreError
from vsalang.base.source.private import write_out
from vsalang.guard.memory import did, document, long, short
from vsalang.guard.memory.certificate_store import CertificateStore, Entry
from vsalang.guard.memory.certifying import RECORDED
from vsalang.tools.cli import frame
from vsalang.tools.cli.certified import certificates_at, remembered
from vsalang.tools.cli.certify import certificates_of
from vsalang.tools.cli.common import EXIT_OK, Failure
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose, refuse_to_replace
from vsalang.tools.cli.remembering import by_first_digits, memory_file

_file = memory_file(
    "The file.", default_text="that of your vsac.toml, else ~/.local/share/vsalang/certificates.sqlite"
)
_app = option("--app", default=(), metavar="PACKAGE", help="Those of this app. Repeatable.")


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Which certificates are listed."""

    apps: tuple[str, ...] = _app
    file: str | None = _file


@frame.as_command("text", "json")
def list_(options: ListOptions) -> Report | int:
    """List what is remembered, the newest first."""
    store = certificates_at(options.file)
    chosen = _of(_entries(store), options.apps)

    def values() -> dict[str, Any]:
        data = [_data(entry, whole=False) for entry in chosen]
        return {"version": 1, "file": str(store.path), "entries": data}

    def text(style: Style) -> Iterator[str]:
        for entry in chosen:
            one = entry.certificate
            assert one.key is not None
            effect = f"{one.effect.transition or '':13}"
            name = style(entry.id, fg="cyan")
            yield f"{name}  {entry.added:%Y-%m-%d}  {effect}  {safe(one.key.package, 60)}  {did(one)}"
            if one.effect.doubt:
                yield f"{'':14}{one.effect.doubt}"
            if entry.expired:
                yield style(f"{'':14}expired: {entry.expired}", fg="yellow")
        gone = sum(bool(entry.expired) for entry in chosen)
        number = count(len(chosen), "certificate") if chosen else "nothing"
        yield f"{number} remembered in {safe(str(store.path))}{f', {gone} expired' if gone else ''}"

    return Result(values, text)


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """Which certificate is shown."""

    id: str = argument("ID")
    file: str | None = _file


@frame.as_command("text", "json")
def show(options: ShowOptions) -> Report | int:
    """Show a certificate whole. ID may be its first digits."""
    (entry,) = _chosen(certificates_at(options.file), [options.id])

    def text(style: Style) -> Iterator[str]:
        state = f"expired: {entry.expired}" if entry.expired else "in use"
        name = style(entry.id, fg="cyan", bold=True)
        yield f"{name}  {state}, added {entry.added:%Y-%m-%d %H:%M} UTC"
        yield long(entry.certificate)

    return Result(lambda: {"version": 1, **_data(entry, whole=True)}, text)


@dataclass(frozen=True, slots=True)
class AddOptions:
    """Which journal is remembered."""

    journal: str = argument("JOURNAL")
    recorded: bool = flag(
        "--recorded",
        help="Keep also what a walk shows, though nobody knows whether its screens were at rest.",
    )
    file: str | None = _file


@frame.as_command("text", "json")
def add(options: AddOptions) -> Report | int:
    """Remember the actions of a recorded session; of a walk with --recorded.

    Kept is what certainly had its effect; adding the same journal again changes nothing.
    """
    store = certificates_at(options.file)
    new: list[str] = []
    known: list[str] = []
    walked = left = 0
    with _usable():
        for number, one in certificates_of(options.journal):
            added = store.add(one, number, recorded=options.recorded)
            if added is not None:
                (new if added.new else known).append(added.id)
            elif one.key is not None and one.effect.doubt == RECORDED:
                walked += 1
            else:
                left += 1
    lines = [remembered(len(new), len(known), store.path)]
    if left:
        lines.append(f"{left} left out: no gesture with a certain effect")
    if walked:
        lines.append(
            f"{walked} left out: nobody knows whether the screens of a walk were at rest; --recorded keeps them"
        )
    data = {"version": 1, "ids": new, "known": known, "left_out": left + walked}
    return Result(lambda: data, lambda style: lines)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Which certificates are written, and where."""

    ids: tuple[str, ...] = argument("ID", default=())
    apps: tuple[str, ...] = _app
    output: str | None = option(
        "-o", "--output", metavar="FILE", help="Write to this file, readable only by you."
    )
    force: bool = flag("--force", help="Replace the file if it exists.")
    file: str | None = _file


@frame.as_command()
def export(options: ExportOptions) -> int:
    """Write certificates whole, as JSON: those named, else all."""
    store = certificates_at(options.file)
    chosen = _of(_chosen(store, options.ids) if options.ids else _entries(store), options.apps)
    text = (
        json_text({"version": 1, "entries": [_data(entry, whole=True) for entry in chosen]}, indent=2) + "\n"
    )
    if options.output is None:
        click.echo(text, nl=False)
        return EXIT_OK
    refuse_to_replace(options.output, options.force)
    refuse_to_lose(options.output, [store.path])
    write_out(Path(options.output), text)
    echo(f"{count(len(chosen), 'certificate')} written to {options.output}", err=True)
    return EXIT_OK


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """Which certificates are forgotten."""

    ids: tuple[str, ...] = argument("ID", default=())
    apps: tuple[str, ...] = _app
    old: bool = flag("--expired", help="Delete all entries that have expired.")
    file: str | None = _file


@frame.as_command("text", "json", one_of=("ID", "--app", "--expired"))
def delete(options: DeleteOptions) -> Report | int:
    """Forget the entries with these IDs, those of an app, or those that have expired."""
    store = certificates_at(options.file)
    chosen = {entry.id for entry in _chosen(store, options.ids)}
    entries = _entries(store)
    if options.apps:
        chosen |= {entry.id for entry in _of(entries, options.apps)}
    if options.old:
        chosen |= {entry.id for entry in entries if entry.expired}
    with _usable():
        store.forget(chosen)
    message = f"{count(len(chosen), 'certificate')} deleted" if chosen else "nothing to delete"
    return Result(lambda: {"version": 1, "deleted": sorted(chosen)}, lambda style: [message])


# ---------------------------------------------------------------- entries


@contextmanager
def _usable() -> Iterator[None]:
    """Turn a file that cannot be used into a failure of the command."""
    try:
        yield
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


def _entries(store: CertificateStore) -> tuple[Entry, ...]:
    with _usable():
        return store.entries()


def _of(entries: Sequence[Entry], apps: Sequence[str]) -> list[Entry]:
    return [
        entry
        for entry in entries
        if not apps or (entry.certificate.key is not None and entry.certificate.key.package in apps)
    ]


def _chosen(store: CertificateStore, ids: Sequence[str]) -> list[Entry]:
    """The entries with these ids, or first digits of ids, each once. Raises `Failure`."""
    known = {entry.id: entry for entry in _entries(store)}
    hint = "`vsac memory certificates list` lists them"
    return [known[name] for name in by_first_digits(ids, known, store.path, hint)]


def _data(entry: Entry, *, whole: bool) -> dict[str, Any]:
    """An entry as JSON data; not `whole`: in one line instead of its document."""
    one = entry.certificate
    data = {"certificate": document(one)} if whole else {"short": short(one)}
    return {
        "id": entry.id,
        "added": entry.added.isoformat(),
        "expired": entry.expired or None,
        "package": one.key.package if one.key is not None else None,
        **data,
    }
