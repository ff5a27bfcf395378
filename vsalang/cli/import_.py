"""``vsac import FILE.json``: an app module from a JSON state schema, and a list of what a person must confirm."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, read, report

if TYPE_CHECKING:
    from vsalang.importers import Imported


@click.command(name="import")
@click.argument("file")
@click.option(
    "-o", "--output", metavar="FILE.vsa", help="Where to write the module. Standard output if left out."
)
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@click.option("--name", help="The module's name. That of the output or input file if left out.")
@click.option("--package", help="The app's Android package, such as com.example.app.")
@format_option("text", "json")
def command(
    file: str, output: str | None, force: bool, name: str | None, package: str | None, format: str
) -> int:
    """Make an app module of FILE, a JSON state schema (`-` for standard input).

    What the schema does not say is guessed; names that the language does not take are changed. Every such decision
    is listed in a comment at the top of the module and in the command's report, for a person to confirm.
    """
    from vsalang.importers import ImportFailed, import_schema

    source = read(file)
    if output is not None and Path(output).exists() and not force:
        raise Failure(f"{output} exists already", "choose another name, or replace it with --force")
    try:
        imported = import_schema(source, module=name or _name_for(output), package=package or "")
    except ImportFailed as failed:
        report(failed.diagnostics, {source.file: source}, format)
        return EXIT_FINDINGS
    except ValueError as error:
        raise Failure(str(error)) from error
    if output is not None:
        _write(Path(output), imported.text)
    if format == "json":
        click.echo(_json(source.file, imported, output))
    else:
        if output is None:
            click.echo(imported.text, nl=False)
        click.echo(_text(source.file, imported, output), nl=False, err=True)
    return EXIT_OK


def _name_for(output: str | None) -> str:
    """The module's name that an output file asks for: imports find a module by its file's name."""
    from vsalang.importers.naming import IDENTIFIER

    if output is None or not output.endswith(".vsa"):
        return ""
    stem = Path(output).stem
    if not IDENTIFIER.fullmatch(stem):
        raise Failure(
            f"{output} cannot name a module", "use letters, digits and _ in the file's name, or give --name"
        )
    return stem


def _write(path: Path, text: str) -> None:
    """Write a file in one piece: whoever looks sees the old one or the whole new one."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _text(file: str, imported: "Imported", output: str | None) -> str:
    from vsalang.diagnostics.display import safe

    where = f" in {safe(output)}" if output else ""
    count = f"{imported.relations} relation{'s' if imported.relations != 1 else ''}"
    lines = [f"Imported {count} from {safe(file)} as `{imported.module}`{where}."]
    if imported.notes:
        lines.append("Please confirm:")
    for note in imported.notes:
        place = f"{safe(file)}:{note.line}: " if note.line else ""
        about = f"{safe(note.where)}: " if note.where else ""
        lines.append(f"  {place}{note.kind}: {about}{safe(note.text)}")
    return "\n".join(lines) + "\n"


def _json(file: str, imported: "Imported", output: str | None) -> str:
    import json

    data = {
        "version": 1,
        "file": file,
        "module": imported.module,
        "package": imported.package,
        "relations": imported.relations,
        "output": output,
        "text": imported.text if output is None else None,
        "notes": [
            {"kind": note.kind, "where": note.where, "line": note.line or None, "text": note.text}
            for note in imported.notes
        ],
    }
    return json.dumps(data, indent=2)
