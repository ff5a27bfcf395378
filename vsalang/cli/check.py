"""``vsac check``: report the errors and warnings of .vsa files."""

import click

from vsalang.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, format_option, render, use_color


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="FILE",
    help="A policy that is in force beside each FILE; repeatable.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show errors only, and nothing where there are none.")
@format_option()
def command(files: tuple[str, ...], policies: tuple[str, ...], quiet: bool, format: str) -> int:
    """Parse FILEs, resolve their imports, and check names, types, rules and authority.

    A FILE of - is standard input. Exit status: 0 no errors (warnings do not count), 1 errors were found, 2 a FILE
    could not be read.
    """
    import sys
    from pathlib import Path

    from vsalang.cli.common import read
    from vsalang.config import config_for
    from vsalang.diagnostics import Diagnostic, Severity, has_errors
    from vsalang.semantics import Loaded, load, load_text
    from vsalang.source import Source

    results: list[Loaded] = []
    for file in files:
        if file == "-":
            place = Path.cwd() / "<stdin>"
            search = config_for(place).search
            results.append(load_text(read("-").text, file="<stdin>", path=place, search=search))
        else:
            results.append(load(file, policies=policies, search=config_for(file).search))
    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    for result in results:
        found.extend(item for item in result.diagnostics if item not in found)
        sources.update(result.sources)
    shown = [item for item in found if not quiet or item.severity is Severity.ERROR]
    if shown or format != "text":
        click.echo(render(shown, sources, format, color=use_color(sys.stdout)), nl=False, color=True)
    if format == "text" and not quiet and not has_errors(found):
        count = "1 file" if len(files) == 1 else f"{len(files)} files"
        click.echo(f"checked {count}: no errors")
    if any(item.code.startswith("E000") for item in found):
        return EXIT_FAILED
    return EXIT_FINDINGS if has_errors(found) else EXIT_OK
