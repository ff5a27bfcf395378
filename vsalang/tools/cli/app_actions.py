"""App modules from state schemas, and which of the actions that are proposed for them a person confirms."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal as OneOf
from typing import Protocol

import click

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import option
from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.base.source.suggest import did_you_mean
from vsalang.language.notations.into import (
    ImportFailed,
    ImportResult,
    Proposal,
    import_schema,
    propose,
    with_actions,
)
from vsalang.tools.cli.common import Failure, read, render
from vsalang.tools.cli.output import ask_if_meant, echo, write_new

Mode = OneOf["list", "ask", "all", "none"]


class NamedProposal(Protocol):
    """What is proposed to a person: an action, a contract."""

    @property
    def name(self) -> str:
        """By which it is accepted."""

    @property
    def declaration(self) -> str:
        """What would be written."""

    @property
    def evidence(self) -> tuple[str, ...]:
        """What speaks for it, a sentence each."""


@dataclass(frozen=True, slots=True)
class Confirming:
    """What a person says about what is proposed.

    Attributes:
        mode: what to do with those that are not named: they are listed in comments, asked about, declared, or left out.
        accept: the names of those to declare.
        what: is proposed, in one word.
        option: has everything asked about.
        question: is asked about each.
    """

    mode: Mode = "list"
    accept: frozenset[str] = frozenset()
    what: str = "action"
    option: str = "--actions ask"
    question: str = "Does the app have this action, and is it critical?"

    @property
    def listed(self) -> bool:
        """Whether those that are not accepted stand in the module as comments."""
        return self.mode != "none"

    def ready(self) -> None:
        """Stop before any work if there is nobody to ask.

        Raises:
            Failure: there is not.
        """
        if self.mode == "ask" and not sys.stdin.isatty():
            raise Failure(f"{self.option} needs a terminal", f"name the {self.what}s instead: --accept NAME")

    def accepted(self, proposals: Sequence[NamedProposal]) -> frozenset[str]:
        """The names of those to declare.

        Raises:
            Failure: one is named that is not proposed, or who is asked interrupts.
        """
        names = [each.name for each in proposals]
        for name in sorted(self.accept.difference(names)):
            raise Failure(f"no {self.what} `{name}` is proposed", _remedy(name, names))
        if self.mode == "all":
            return frozenset(names)
        if self.mode != "ask":
            return self.accept
        open_ = [each for each in proposals if each.name not in self.accept]
        return self.accept | {
            each.name
            for number, each in enumerate(open_, 1)
            if _ask(each, self.question, f"{number} of {len(open_)}")
        }


def _remedy(name: str, names: Sequence[str]) -> str:
    proposed = f"the proposed ones are {', '.join(names)}" if names else "none is"
    return did_you_mean(name, names) or proposed


def _ask(proposal: NamedProposal, question: str, place: str) -> bool:
    echo(f"[{place}] {safe(proposal.declaration, 1000)}", err=True)
    for line in proposal.evidence:
        echo(f"   {safe(line)}", err=True)
    try:
        return ask_if_meant(f"   {question}") is True
    except click.Abort as error:
        raise Failure("interrupted: nothing was written") from error


@dataclass(frozen=True, slots=True)
class ActionOptions:
    """What a person says about the actions that are proposed for a schema.

    Attributes:
        mode: what happens to those that are not named.
        accept: the names of those to declare.
    """

    mode: Mode = option(
        "--actions",
        default="list",
        help="What happens to the actions proposed for a schema: listed in comments, asked about here, all declared, "
        "or left out.",
    )
    accept: tuple[str, ...] = option(
        "--accept", default=(), metavar="NAME", help="Declare this proposed action; repeatable."
    )

    def confirming(self) -> Confirming:
        """The same as what is asked. Raises `Failure`: there is nobody to ask."""
        confirming = Confirming(self.mode, frozenset(self.accept))
        confirming.ready()
        return confirming


# ---------------------------------------------------------------- modules made on the way


@dataclass(frozen=True, slots=True)
class Module:
    """The app module of a schema that a command was given in its place.

    Attributes:
        schema: the schema's file.
        path: the module's file.
        text: what is to be written there; None if it is there already.
        proposals: the actions that were proposed.
        accepted: the names of those that are declared.
    """

    schema: str
    path: Path
    text: str | None
    proposals: tuple[Proposal, ...]
    accepted: frozenset[str]

    @property
    def about_actions(self) -> str:
        """How many actions are proposed and declared, in words."""
        return about_actions(self.proposals, self.accepted)

    def write(self) -> bool:
        """Write the file, if it is not there; return whether it was written. Nothing is replaced."""
        if self.text is None:
            return False
        write_new(self.path, self.text)
        return True


def about_actions(proposals: Sequence[Proposal], accepted: Iterable[str]) -> str:
    """How many actions are proposed and declared, in words."""
    declared = len(set(accepted))
    return f"{count(len(proposals), 'action')} proposed, {declared or 'none'} declared"


def is_schema(app: str) -> bool:
    """Whether an app is given as a JSON state schema."""
    return app.lower().endswith(".json")


def modules_of(
    schemas: Iterable[str], folder: Path, confirming: Confirming, sources: dict[str, Source]
) -> dict[str, Module]:
    """The module of each schema, as it is to stand in a folder. Nothing is written.

    Args:
        sources: gets the texts of the schemas.

    Raises:
        ImportFailed: one is not a schema.
        Failure: a file of a module's name is there and holds something else; an action is named that nobody proposes.
    """
    made: list[tuple[str, ImportResult, tuple[Proposal, ...]]] = []
    for file in dict.fromkeys(schemas):
        source = read(file)
        sources[source.file] = source
        imported = import_schema(source)
        made.append((file, imported, propose(imported.declared)))
    accepted = confirming.accepted([each for _, _, proposals in made for each in proposals])
    return {
        file: _module(file, imported, proposals, folder, (confirming, accepted))
        for file, imported, proposals in made
    }


def with_modules(apps: Sequence[str], folder: Path, confirming: Confirming) -> tuple[str, ...]:
    """The apps with the module of each schema in its place, which is written to the folder if it is not there.

    Raises:
        Failure: as `modules_of`, or one is not a schema.
    """
    sources: dict[str, Source] = {}
    try:
        made = modules_of(filter(is_schema, apps), folder, confirming, sources)
    except ImportFailed as failed:
        click.echo(render(failed.diagnostics, sources, "text"), nl=False, err=True)
        raise Failure("an app's schema has errors", "fix them first") from failed
    for each in made.values():
        what = f"the app module {safe(str(each.path))} from {safe(each.schema)}: {each.about_actions}"
        if each.write():
            echo(f"wrote {what}; confirm what it says at its top and its end", err=True)
        else:
            echo(f"using {what}", err=True)
    return tuple(str(made[app].path) if app in made else app for app in apps)


def _module(
    file: str,
    imported: ImportResult,
    proposals: tuple[Proposal, ...],
    folder: Path,
    asking: tuple[Confirming, frozenset[str]],
) -> Module:
    confirming, accepted = asking
    mine = accepted & {each.name for each in proposals}
    text = with_actions(imported.text, proposals, mine, listed=confirming.listed)
    path = folder / f"{imported.module}.vsa"
    if not path.exists():
        return Module(file, path, text, proposals, mine)
    if read(str(path)).text == text:
        return Module(file, path, None, proposals, mine)
    raise Failure(
        f"{path} exists and is not what {file} gives", f"if it is the app's module, say --app {path}"
    )
