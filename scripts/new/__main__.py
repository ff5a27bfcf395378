"""``python -m scripts.new``: writes the files of a new thing, and the lines that name it elsewhere."""

import keyword
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import click

from scripts.new import kinds
from scripts.new.plan import Plan, checkout
from vsalang.tools.cli import main
from vsalang.tools.cli.common import color_option

_LONGEST: Final = 40


class Name(click.ParamType[str]):
    """A name in small letters.

    Args:
        words: whether it may have several words, with hyphens between them.
    """

    name = "name"

    def __init__(self, words: bool) -> None:
        self.words = words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name that was typed."""
        text = str(value)
        pattern = r"[a-z][a-z0-9]*" + (r"([-_][a-z0-9]+)*" if self.words else "")
        if not re.fullmatch(pattern, text, re.ASCII):
            form = (
                "words of small letters with hyphens between them"
                if self.words
                else "one word of small letters"
            )
            self.fail(
                f"`{text}` is not a name: {form}, such as {'unused-clause' if self.words else 'count'}.",
                param,
                ctx,
            )
        if len(text) > _LONGEST:
            self.fail(f"`{text[:_LONGEST]}..` is longer than {_LONGEST} characters.", param, ctx)
        if keyword.iskeyword(text) or keyword.issoftkeyword(text):
            self.fail(f"`{text}` is a word of Python, and no module can be called so.", param, ctx)
        return text


class Title(click.ParamType[str]):
    """A title in one line."""

    name = "title"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The title that was typed, without a full stop."""
        text = str(value).strip().rstrip(".")
        if not text or not text.isprintable():
            self.fail("a title is one line of text.", param, ctx)
        if wrong := sorted(set(text) & set('"\\|{}')):
            self.fail(f"a title has no {wrong[0]}: it stands in code and in tables.", param, ctx)
        return text


def _title(help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option("--title", type=Title(), required=True, metavar="TEXT", help=help)


@click.group(no_args_is_help=True, context_settings=main.SETTINGS)
@color_option
def command() -> None:
    """Write what a new rule, command, format or adapter needs, into the checkout of the working folder.

    What only a person can write stands in the files after WRITE THIS, and is listed. The tests that are written fail
    until it is there. If a file exists already, nothing is written.
    """


@command.command()
@click.argument("name", type=Name(words=True))
@_title("What it finds, in a few words: 'clause that another covers'.")
def rule(name: str, title: str) -> None:
    """Add a lint rule NAME, with the next free code."""
    _write(kinds.rule(checkout(Path.cwd()), name, title))


@command.command("command")
@click.argument("name", type=Name(words=False))
@_title("What it does, in a few words: 'Count the rules of a file'.")
@click.option(
    "--in",
    "place",
    type=click.Choice(list(kinds.PLACES)),
    required=True,
    help="The group or family that it is in.",
)
def command_(name: str, title: str, place: str) -> None:
    """Add a command NAME to `vsac`."""
    _write(kinds.command(checkout(Path.cwd()), name, title, place))


@command.command("format")
@click.argument("name", type=Name(words=True))
@_title("Whose walks these are: 'GUI Odyssey'.")
def format_(name: str, title: str) -> None:
    """Add a format NAME of recorded walks. (A format of proposals is part of an adapter.)"""
    _write(kinds.format(checkout(Path.cwd()), name, title), generate=False)


@command.command()
@click.argument("name", type=Name(words=True))
@_title("The framework's name: 'AppAgent'.")
def adapter(name: str, title: str) -> None:
    """Add an adapter NAME of a framework of agents: its driver, and its actions as a format of proposals."""
    _write(kinds.adapter(checkout(Path.cwd()), name, title))


def _write(plan: Plan, *, generate: bool = True) -> None:
    plan.write()
    for place in plan.created:
        click.echo(f"wrote {place}")
    for place in plan.changed:
        click.echo(f"changed {place}")
    for line in plan.generate() if generate else ():
        click.echo(line)
    click.echo("\nLeft to write:")
    for line in plan.left():
        click.echo(f"  {line}")
    more = "`python -m scripts.generate`, and " if generate else ""
    click.echo(f"\nThen run {more}the tests:\n  python -m pytest {' '.join(plan.tests)}")


def run(args: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return its exit status. Nothing is raised."""
    return main.run(args, command, "python -m scripts.new")


if __name__ == "__main__":
    main.leave(run(sys.argv[1:]))
