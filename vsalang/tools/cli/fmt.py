"""``vsac fmt``: write .vsa files in the one style."""

import sys
from pathlib import Path

import click

from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    files_meant,
    read,
    render,
    use_color,
)
from vsalang.tools.cli.output import print_diff, replace_file


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--check", is_flag=True, help="Write nothing; say which files would change (status 1).")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def command(files: tuple[str, ...], check: bool, diff: bool, quiet: bool) -> int:
    """Write FILEs in the one style. Comments and meaning stay as they are.

    A FILE may be a folder: every .vsa file in it and below is meant, except hidden ones and those that `exclude` of
    vsac.toml names. Without a FILE, the working folder is meant. A FILE of - is standard input; the result goes to
    standard output. A file that does not parse is left as it is, and its errors are shown.

    Exit status: 0 fine, 1 with --check: a file would change, 2 a FILE could not be formatted (the others are).
    """
    from vsalang.base.diagnostics.display import safe
    from vsalang.base.source import SourceError
    from vsalang.language.syntax.formatting import FormatFault, NotFormatted, format_source

    failed = False
    changed: list[str] = []
    for file in (found.file for found in files_meant(files)):
        try:
            source = read(file)
            text = format_source(source)
        except SourceError as error:
            _complain(f"[{error.code}] {error.message}", error.hint)
            failed = True
            continue
        except NotFormatted as error:
            findings = render(error.diagnostics, {source.file: source}, "text", color=use_color(sys.stderr))
            click.echo(findings, nl=False, err=True, color=True)
            _complain(f"{source.file} is left as it is: it does not parse")
            failed = True
            continue
        except FormatFault as error:
            _complain(
                f"{source.file} is left as it is: {error}",
                "if it is not an unusually long condition, this is a mistake in vsac: please report it",
            )
            failed = True
            continue
        differs = text != source.text
        if diff:
            if differs:
                print_diff(source.file, source.text, text, "formatted")
        elif file == "-" and not check:
            sys.stdout.buffer.write(text.encode("utf-8"))
        elif differs and not check:
            try:
                replace_file(Path(file), text.encode("utf-8"))
            except OSError as error:
                _complain(f"cannot write {file}: {(error.strerror or str(error)).lower()}")
                failed = True
                continue
        if differs:
            changed.append(file)
            if not quiet and (check or (file != "-" and not diff)):
                click.echo(f"{'would reformat' if check else 'reformatted'} {safe(source.file)}", err=True)
    if failed:
        return EXIT_FAILED
    return EXIT_FINDINGS if check and changed else EXIT_OK


def _complain(message: str, hint: str = "") -> None:
    Failure(message, hint).show()
