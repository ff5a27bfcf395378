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

    The policies that the project's vsac.toml has in force are described too, where SPEC is a spec. SPEC may be a
    policy, an app module or another module too, also the name of a shipped one (apps.settings); - is standard input.
    Nothing is asked of a language model: the same file always gives the same words. Exit status: 0; 1 SPEC has
    errors; 2 it could not be read.
    """
    import json
    from pathlib import Path

    from vsalang.cli.common import Failure, module_file, policy_files, read
    from vsalang.config import config_in_force
    from vsalang.describe import describe, to_data, to_markdown, to_text
    from vsalang.diagnostics import Severity
    from vsalang.semantics import Loaded, load, load_text

    spec = module_file(spec)
    place = Path.cwd() / "<stdin>" if spec == "-" else Path(spec)
    given = read("-").text if spec == "-" else ""
    config = config_in_force(place)

    def loaded_with(policies: tuple[str, ...]) -> Loaded:
        if spec == "-":
            return load_text(given, file="<stdin>", path=place, search=config.search, policies=policies)
        return load(spec, policies=policies, search=config.search)

    if spec == "-" and policies:
        raise Failure("policies need SPEC to be a file", "save it, and name the file")
    loaded = loaded_with(policies)
    program = loaded.program
    if config.policies and program is not None and program.modules[program.main].kind == "spec":
        loaded = loaded_with(policy_files(config, policies))
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
