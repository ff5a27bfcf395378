"""``vsac describe``: what was understood of a spec, in plain words."""

import sys

import click

from vsalang.cli.common import EXIT_FAILED, EXIT_FINDINGS, format_option, render, use_color


@click.command(name="describe")
@click.argument("spec", metavar="SPEC")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="FILE",
    help="A policy that is in force beside SPEC; repeatable.",
)
@format_option("text", "markdown", "json")
def command(spec: str, policies: tuple[str, ...], format: str) -> int:
    """Say in plain words what SPEC permits, when its task is finished, and what is blocked.

    SPEC may be a policy, an app module or another module too; - is standard input. Nothing is asked of a language
    model: the same file always gives the same words. Exit status: 0; 1 SPEC has errors; 2 it could not be read.
    """
    import json
    from pathlib import Path

    from vsalang.cli.common import Failure, read
    from vsalang.config import config_for
    from vsalang.describe import describe, to_data, to_markdown, to_text
    from vsalang.diagnostics import Severity
    from vsalang.semantics import load, load_text

    if spec == "-":
        if policies:
            raise Failure("policies need SPEC to be a file", "save it, and name the file")
        place = Path.cwd() / "<stdin>"
        loaded = load_text(read("-").text, file="<stdin>", path=place, search=config_for(place).search)
    else:
        loaded = load(spec, policies=policies, search=config_for(spec).search)
    if loaded.program is None:
        errors = [item for item in loaded.diagnostics if item.severity is Severity.ERROR]
        shown = render(
            errors, loaded.sources, "json" if format == "json" else "text", color=use_color(sys.stderr)
        )
        click.echo(shown, nl=False, err=format != "json", color=True)
        return EXIT_FAILED if any(item.code.startswith("E000") for item in errors) else EXIT_FINDINGS
    description = describe(loaded.program, loaded.units)
    if format == "json":
        text = json.dumps(to_data(description, loaded.sources), indent=2) + "\n"
    else:
        text = to_markdown(description) if format == "markdown" else to_text(description)
    click.echo(text, nl=False)
    return 0
