"""``vsac check``: report the errors and warnings of .vsa files."""

from collections.abc import Callable, Sequence

import click

from vsalang.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    files_meant,
    format_option,
    render,
    use_color,
)
from vsalang.cli.mending import loader, mend_file, refuse_stdin, told
from vsalang.cli.progress import Progress


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE]...")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="FILE",
    help="A policy that is in force beside each FILE; repeatable.",
)
@click.option("--fix", is_flag=True, help="Write into FILEs the fixes that need no choice, then check again.")
@click.option("--diff", is_flag=True, help="Show what --fix would write, and write nothing.")
@click.option("-q", "--quiet", is_flag=True, help="Show errors only, and nothing where there are none.")
@format_option()
def command(
    paths: tuple[str, ...], policies: tuple[str, ...], fix: bool, diff: bool, quiet: bool, format: str
) -> int:
    """Parse FILEs, resolve their imports, and check names, types, rules and authority.

    A FILE may be a folder: every .vsa file in it and below is meant, but for hidden ones and those that `exclude` of
    vsac.toml names. Without any, the working folder is meant. A FILE of - is standard input.

    A fix is applied if the finding is gone with it and nothing else is wrong; what is imported is never written.

    Exit status: 0 no errors (warnings do not count), 1 errors were found, 2 a FILE could not be read.
    With --diff it is 1 too if something would be written; the findings that are left are shown after the difference.
    """
    import sys

    from vsalang.diagnostics import Diagnostic, Severity, has_errors
    from vsalang.semantics import Loaded
    from vsalang.source import Source

    files = [found.file for found in files_meant(paths)]
    refuse_stdin(files, fix and not diff)
    results: list[Loaded] = []
    mended = 0
    for file in Progress(len(files), "files").over(files):
        load = loader(file, policies)
        result = load(None)
        source = result.sources.get(result.file)
        if (fix or diff) and source is not None:

            def look(text: str, load: "Callable[[str | None], Loaded]" = load) -> "Sequence[Diagnostic]":
                return load(text).diagnostics

            after = mend_file(source, look, write=not diff, show=format == "text")
            mended += len(after.applied)
            if not diff:
                result = load(None)
            elif after.applied and format == "text":
                result = load(after.text)  # the difference is shown, and what it leaves
        results.append(result)
    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    for result in results:
        found.extend(item for item in result.diagnostics if item not in found)
        sources.update(result.sources)
    shown = [item for item in found if not quiet or item.severity is Severity.ERROR]
    if shown or format != "text":
        click.echo(render(shown, sources, format, color=use_color(sys.stdout)), nl=False, color=True)
    if format == "text" and not quiet and not diff and not has_errors(found):
        count = "1 file" if len(files) == 1 else f"{len(files)} files"
        click.echo(f"checked {count}: no errors")
    if format == "text" and fix and not quiet and not diff:
        left = sum(bool(item.fixes) for item in found)
        if said := told(mended, left):
            click.echo(said)
    if any(item.code.startswith("E000") for item in found):
        return EXIT_FAILED
    return EXIT_FINDINGS if has_errors(found) or (diff and mended) else EXIT_OK
