"""The options that commands which guard a session have in common, and how such a command loads its spec."""

from typing import TYPE_CHECKING, Final

import click

from vsalang.cli.common import Failure, policy_files

if TYPE_CHECKING:
    from vsalang.semantics import Loaded

policy: Final = click.option(
    "--policy", "policies", multiple=True, metavar="FILE", help="A policy that is in force; repeatable."
)
journal: Final = click.option(
    "--journal",
    "journal_file",
    metavar="FILE",
    help="Where to write the journal. [default: SPEC-DATE-TIME.jsonl]",
)
sync: Final = click.option(
    "--journal-sync",
    "sync",
    type=click.Choice(["effects", "all", "none"]),
    default="effects",
    show_default=True,
    help="Which records are forced to the disk before the session goes on.",
)
today: Final = click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The day of the instruction. [default: the device's day]",
)


def load_spec(spec: str, policies: tuple[str, ...], remedy: str) -> "Loaded":
    """A spec with the policies of its project and those named; errors in it are in what is loaded.

    Raises:
        Failure: the file is no spec; `remedy` says what needs one.
    """
    from vsalang.config import config_for
    from vsalang.semantics import load

    config = config_for(spec)
    loaded = load(spec, policies=policy_files(config, policies), search=config.search)
    program = loaded.program
    if program is not None and program.modules[program.main].kind != "spec":
        raise Failure(f"{spec} is not a spec: it is {program.modules[program.main].kind}", remedy)
    return loaded
