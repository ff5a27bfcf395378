"""``vsac check``: report the errors and warnings of .vsa files."""

from collections.abc import Callable, Sequence

import click

from vsalang.base.diagnostics.display import count
from vsalang.tools.cli import options
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    files_meant,
    format_option,
    render,
    unread,
    use_color,
)
from vsalang.tools.cli.fixing import fix_file, fix_summary, loader, refuse_stdin
from vsalang.tools.cli.progress import Progress


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE]...")
@options.policy_beside("each FILE")
@click.option("--fix", is_flag=True, help="Write into FILEs the fixes that need no choice, then check again.")
@click.option("--diff", is_flag=True, help="Show what --fix would write, and write nothing.")
@click.option("-q", "--quiet", is_flag=True, help="Show errors only, and nothing where there are none.")
@format_option()
def command(
    paths: tuple[str, ...], policies: tuple[str, ...], fix: bool, diff: bool, quiet: bool, format: str
) -> int:
    """Parse FILEs, resolve their imports, and check names, types, rules and authority.

    A FILE may be a folder: every .vsa file in it and below is meant, except hidden ones and those that `exclude` of
    vsac.toml names. Without a FILE, the working folder is meant. A FILE of - is standard input.

    A fix is applied if it removes the finding and causes no other; imported files are never changed.

    Exit status: 0 no errors (warnings do not count), 1 errors were found, 2 a FILE could not be read.
    With --diff it is also 1 if something would be written; the remaining findings are shown after the difference.
    """
    import sys

    from vsalang.base.diagnostics import Diagnostic, Severity, has_errors
    from vsalang.base.source import Source
    from vsalang.language.semantics import Loaded

    files = [found.file for found in files_meant(paths)]
    refuse_stdin(files, fix and not diff)
    results: list[Loaded] = []
    fixed = 0
    for file in Progress(len(files), "files").over(files):
        load = loader(file, policies)
        result = load(None)
        source = result.sources.get(result.file)
        if (fix or diff) and source is not None:

            def look(text: str, load: "Callable[[str | None], Loaded]" = load) -> "Sequence[Diagnostic]":
                return load(text).diagnostics

            after = fix_file(source, look, write=not diff, show=format == "text")
            fixed += len(after.applied)
            if not diff:
                result = load(None)
            elif after.applied and format == "text":
                result = load(after.text)  # show the findings that remain after the difference
        results.append(result)
    sources: dict[str, Source] = {}
    for result in results:
        sources.update(result.sources)
    found = list(dict.fromkeys(item for result in results for item in result.diagnostics))
    shown = [item for item in found if not quiet or item.severity is Severity.ERROR]
    if shown or format != "text":
        click.echo(render(shown, sources, format, color=use_color(sys.stdout)), nl=False, color=True)
    if format == "text" and not quiet and not diff and not has_errors(found):
        click.echo(f"checked {count(len(files), 'file')}: no errors")
    if format == "text" and fix and not quiet and not diff:
        left = sum(bool(item.fixes) for item in found)
        if said := fix_summary(fixed, left):
            click.echo(said)
    if unread(found):
        return EXIT_FAILED
    return EXIT_FINDINGS if has_errors(found) or (diff and fixed) else EXIT_OK
