"""``vsac fmt``: write .vsa files, and files of words, in the one style."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.base.diagnostics import error as error_at
from vsalang.base.diagnostics.display import safe
from vsalang.base.options import argument, flag
from vsalang.base.records import dataclass
from vsalang.base.report import Report
from vsalang.base.source import Source, SourceError, Span
from vsalang.base.source.files import real_path
from vsalang.language.semantics.kept_results import Inputs, KeptResults
from vsalang.language.syntax.formatting import FormatFault, NotFormatted, format_source, format_words
from vsalang.program.word_lists import SUFFIX
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    FORMATS,
    Failure,
    files_meant,
    read,
    render,
    use_color,
)
from vsalang.tools.cli.frame import Findings, Output
from vsalang.tools.cli.output import print_diff, replace_file


@dataclass(frozen=True, slots=True)
class FmtOptions:
    """Which files are formatted, and whether they are written."""

    files: tuple[str, ...] = argument("FILE", default=())
    check: bool = flag("--check", help="Write nothing; say which files would change (status 1).")
    diff: bool = flag("--diff", help="Write nothing; show what would change.")
    quiet: bool = flag("-q", "--quiet", help="Print errors only.")


@frame.as_command(*FORMATS)
def command(options: FmtOptions, output: Output) -> Report | int:
    """Write FILEs in the one style. Comments and meaning stay as they are.

    A FILE may be a folder: every .vsa and .words file in it and below is meant, except hidden ones and those that
    `exclude` of vsac.toml names. Without a FILE, the working folder is meant. A FILE of - is standard input; the result
    goes to standard output. A file that does not parse is left as it is, and its errors are shown.

    With --check, --format prints what would change as findings (W0101), as `vsac check` prints its own.

    Exit status: 0 fine, 1 with --check: a file would change, 2 a FILE could not be formatted (the others are).
    """
    if output.machine:
        if not options.check:
            raise click.UsageError(
                "--format needs --check: otherwise files are written, and nothing is reported"
            )
        return _report(options)
    changes: list[bool] = []
    failed = False
    kept = KeptResults("fmt") if options.check and not options.diff else None
    for each in files_meant(options.files, (".vsa", SUFFIX)):
        try:
            changes.append(_format(each.file, options, kept))
        except Failure as failure:
            failure.show()
            failed = True
    if kept is not None:
        kept.save()
    if failed:
        return EXIT_FAILED
    return EXIT_FINDINGS if options.check and any(changes) else EXIT_OK


def _report(options: FmtOptions) -> Findings:
    """What would change, and what does not parse, as findings."""
    findings: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    failed = False
    for each in files_meant(options.files, (".vsa", SUFFIX)):
        try:
            source = read(each.file)
            sources[source.file] = source
            text = (format_words if each.file.endswith(SUFFIX) else format_source)(source)
        except SourceError as error:
            findings.append(error_at(error.code, None, error.message, help=error.hint, file=each.file))
            failed = True
        except NotFormatted as error:
            findings += error.diagnostics
            failed = True
        except FormatFault as error:
            raise Failure(f"{each.file} is left as it is: {error}") from error
        else:
            findings += _unformatted(source, text)
    status = EXIT_FAILED if failed else EXIT_FINDINGS if findings else EXIT_OK
    return Findings(findings, sources, status=status)


def _unformatted(source: Source, text: str) -> Iterator[Diagnostic]:
    """The finding of a file that is not in the one style, at the first line that would change."""
    if text == source.text:
        return
    pairs = zip(source.text, text, strict=False)
    same = next(
        (at for at, (one, other) in enumerate(pairs) if one != other), min(len(source.text), len(text))
    )
    start = source.text.rfind("\n", 0, same) + 1
    end = source.text.find("\n", start)
    span = Span(source.file, start, len(source.text) if end < 0 else max(end, start))
    yield warning("W0101", span, "this is not in the one style", help="`vsac fmt` writes it so")


def _format(file: str, options: FmtOptions, kept: KeptResults | None = None) -> bool:
    """Format a file; whether it changes. What is kept to be in the one style does not.

    Raises:
        Failure: it cannot be read or written, or is left as it is.
    """
    if kept is not None and file != "-" and kept.get(file):
        return False
    try:
        source = read(file)
        text = (format_words if file.endswith(SUFFIX) else format_source)(source)
    except SourceError as error:
        raise Failure(f"[{error.code}] {error.message}", error.hint) from error
    except NotFormatted as error:
        findings = render(error.diagnostics, {source.file: source}, "text", color=use_color(sys.stderr))
        click.echo(findings, nl=False, err=True, color=True)
        raise Failure(f"{source.file} is left as it is: it does not parse") from error
    except FormatFault as error:
        raise Failure(
            f"{source.file} is left as it is: {error}",
            "unless a condition is unusually long, this is a mistake in vsac: please report it",
        ) from error
    differs = text != source.text
    if kept is not None and file != "-" and not differs:
        kept.put(file, Inputs(((str(real_path(file)), source.digest),), ()), True)
    writes = not options.check and not options.diff
    if options.diff and differs:
        print_diff(source.file, source.text, text, "formatted")
    elif writes and file == "-":
        sys.stdout.buffer.write(text.encode("utf-8"))
    elif writes and differs:
        try:
            replace_file(Path(file), text.encode("utf-8"))
        except OSError as error:
            raise Failure(f"cannot write {file}: {(error.strerror or str(error)).lower()}") from error
    if differs and not options.quiet and (options.check or (file != "-" and not options.diff)):
        click.echo(f"{'would reformat' if options.check else 'reformatted'} {safe(source.file)}", err=True)
    return differs
