"""``vsac describe``: describes a spec in plain words."""

import click

from vsalang.tools.cli import options
from vsalang.tools.cli.common import complain, format_option


@click.command(name="describe")
@click.argument("spec", metavar="SPEC")
@options.policy_beside("SPEC")
@format_option("text", "markdown", "json")
def command(spec: str, policies: tuple[str, ...], format: str) -> int:
    """Say in plain words what SPEC permits, when its task is finished, and what is blocked.

    For a spec, the policies that the project's vsac.toml puts in force are described too. SPEC may also be a policy, an
    app module or another module, or the name of a shipped one (apps.settings); - is standard input. No language model
    is used: the same file always gives the same words. Exit status: 0; 1 SPEC has
    errors; 2 it could not be read.
    """
    import json
    from pathlib import Path

    from vsalang.base.config import config_in_force, policy_files
    from vsalang.language.describe import describe, to_data, to_markdown, to_text
    from vsalang.language.semantics import Loaded, load, load_text
    from vsalang.tools.cli.common import Failure, module_file, read

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
        return complain(loaded.errors, loaded.sources, machine=format == "json")
    description = describe(loaded.program, loaded.units)
    if format == "json":
        text = json.dumps(to_data(description, loaded.sources), indent=2) + "\n"
    else:
        text = to_markdown(description) if format == "markdown" else to_text(description)
    click.echo(text, nl=False)
    return 0
