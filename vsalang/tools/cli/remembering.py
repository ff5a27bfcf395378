"""What commands do with the memory of `vsac encode`: find its file, and add a spec that somebody vouches for."""

import shlex
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from vsalang.base.records import dataclass
from vsalang.tools.cli.common import EXIT_OK, F, Failure, render, unread
from vsalang.tools.cli.output import ask_if_meant, echo

if TYPE_CHECKING:
    from vsalang.language.semantics import Loaded
    from vsalang.models.encode import Experience
    from vsalang.models.encode.memory import Memory

SHORT: Final = "`vsac memory list` lists them"


class NotVouched(Failure):
    """A spec is not remembered, because it has errors, or nothing shows that it is right."""


def memory_option(help: str) -> Callable[[F], F]:
    """The option ``--memory FILE`` (parameter `memory_file`)."""
    return click.option("--memory", "memory_file", metavar="FILE", help=help)


def memory_at(file: str | None) -> "Memory":
    """The memory in a file; without one, that which the user's configuration names, else the usual one.

    Raises:
        Failure: there is no place for it.
        SourceError: the user's configuration cannot be used.
    """
    from vsalang.base.config import users_config
    from vsalang.base.source.database import StoreError
    from vsalang.models.encode.memory import Memory, usual_place

    try:
        return Memory(Path(file) if file is not None else users_config().encode.memory or usual_place())
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


def entries_of(memory: "Memory") -> "tuple[Experience, ...]":
    """All entries. Raises `Failure`."""
    from vsalang.base.source.database import StoreError

    try:
        return memory.entries()
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


def by_first_digits(ids: Iterable[str], known: Collection[str], file: Path, hint: str) -> list[str]:
    """The ids of entries that are named by their first digits, each once.

    Args:
        hint: how to find them.

    Raises:
        Failure: there is none, or there are several.
    """
    from vsalang.base.source.suggest import did_you_mean

    found: dict[str, None] = {}
    for name in ids:
        fits = [each for each in known if name and each.startswith(name.lower())]
        if not fits:
            raise Failure(f"no entry {name!r} is in {file}", did_you_mean(name, known) or hint)
        if len(fits) > 1:
            raise Failure(f"{name!r} may be each of {', '.join(fits)}", "give more digits")
        found[fits[0]] = None
    return list(found)


def remember(
    spec: Path, memory: "Memory", *, journal: str | None = None, model: str = ""
) -> "tuple[Experience, tuple[str, ...]]":
    """Add the spec in a file to the memory; the entry, and the ids of those that made room for it.

    Args:
        spec: the file.
        memory: where to.
        journal: the journal of a session that completed its task; None: the user vouches for the spec.
        model: the model that wrote it; if empty, what the spec's own comments say.

    Raises:
        NotVouched: it has errors, its tests fail, or the journal does not show that the task was completed.
        Failure: the memory or a file cannot be used.
        SourceError: the configuration of the spec's project cannot be used.
    """
    from vsalang.base.config import config_for
    from vsalang.base.source.database import StoreError
    from vsalang.guard.journal import JournalError
    from vsalang.language.semantics import load
    from vsalang.models.encode import NotRemembered
    from vsalang.models.encode.experience import experience
    from vsalang.models.encode.provenance import writer_of
    from vsalang.models.encode.witness import witnessed

    loaded = load(spec, search=config_for(spec).search)
    try:
        entry = experience(loaded, confirmed="user" if journal is None else "completed")
        _tests_pass(loaded)
        shown_by = witnessed(loaded, journal) if journal is not None else ""
        entry = replace(entry, journal=shown_by, model=model or writer_of(entry.spec))
        return entry, memory.add(entry)
    except NotRemembered as error:
        if error.diagnostics:
            click.echo(render(error.diagnostics, error.sources, "text"), nl=False, err=True)
        if unread(error.diagnostics):
            raise Failure(str(error), error.hint) from error
        raise NotVouched(str(error), error.hint) from error
    except StoreError as error:
        raise Failure(str(error), error.hint) from error
    except JournalError as error:
        raise Failure(str(error), "`vsac run` writes journals, `vsac journal show` reads them") from error


def _tests_pass(loaded: "Loaded") -> None:
    """Make sure that the tests of a spec pass. Raises `NotVouched`."""
    from vsalang.models.encode.own_tests import run_tests

    failed = run_tests(loaded)
    if failed:
        raise NotVouched(f"{loaded.file} is not remembered: {failed[0].message}", "`vsac test` says more")


@dataclass(frozen=True, slots=True)
class Remembering:
    """What `vsac encode` has of the memory, by its options.

    Attributes:
        memory: None if it is not needed.
        shown: whether the model is shown what is in it.
        ask: whether the user is asked to confirm the new spec.
    """

    memory: "Memory | None"
    shown: bool
    ask: bool

    def entries(self) -> "tuple[Experience, ...]":
        """What the model may be shown. Raises `Failure`."""
        return entries_of(self.memory) if self.memory is not None and self.shown else ()

    def keep_if_meant(self, spec: Path, model: str) -> None:
        """Ask the user whether the spec that was written says what was meant; if so, remember it.

        What keeps it from that is said; the spec is written anyway.
        """
        if self.memory is None or not self.ask:
            return
        try:
            if not _meant(spec):
                later = f"when you have read it: vsac memory add {shlex.quote(str(spec))} --confirmed"
                tell(f"not remembered: nobody confirmed it\n  {later}")
                return
            entry, _ = remember(spec, self.memory, model=model)
            tell(f"remembered as {entry.id}")
        except Failure as error:
            error.show()


def memory_options(function: F) -> F:
    """The options of `vsac encode` for the memory (parameter `remembering`)."""

    @wraps(function)
    def call(*args: Any, memory_file: str | None, no_memory: bool, remember: bool, **more: Any) -> Any:
        if no_memory and memory_file is not None:
            raise click.UsageError("--memory and --no-memory exclude each other.")
        memory = memory_at(memory_file) if remember or not no_memory else None
        return function(*args, remembering=Remembering(memory, not no_memory, remember), **more)

    remembers = click.option(
        "--remember", is_flag=True, help="Ask whether the spec is what you meant; if so, remember it."
    )
    without = click.option("--no-memory", is_flag=True, help="Show the model no specs of earlier tasks.")
    file = memory_option("The file with specs of earlier tasks; see `vsac memory`.")
    return cast(F, file(without(remembers(call))))


@dataclass(frozen=True, slots=True)
class RememberingRun:
    """What `vsac run` does with the memory: `memory` is None without --remember."""

    memory: "Memory | None"

    def check(self, resumed: str | None) -> None:
        """Refuse --remember for a session that is resumed: the journal names no file. Raises `UsageError`."""
        if self.memory is not None and resumed is not None:
            raise click.UsageError(
                "--remember cannot be given with --resume: when the task is completed, "
                "`vsac memory add SPEC --journal JOURNAL` remembers it."
            )

    def keep(self, spec: str, journal: Path, status: int) -> None:
        """Remember the spec of a run that is over, if the task was completed; say what keeps it from that."""
        if self.memory is None:
            return
        if status != EXIT_OK:
            tell("not remembered: the task was not completed")
            return
        try:
            entry, _ = remember(Path(spec), self.memory, journal=str(journal))
            tell(f"remembered as {entry.id}")
        except Failure as error:
            error.show()


def remember_run(function: F) -> F:
    """The options of `vsac run` for the memory (parameter `remembering`)."""

    @wraps(function)
    def call(*args: Any, memory_file: str | None, remember: bool, **more: Any) -> Any:
        if memory_file is not None and not remember:
            raise click.UsageError("--memory needs --remember.")
        memory = memory_at(memory_file) if remember else None
        if memory is not None:
            entries_of(memory)  # what cannot be used is said before anything happens
        return function(*args, remembering=RememberingRun(memory), **more)

    remembers = click.option(
        "--remember",
        is_flag=True,
        help="If the task is completed, keep SPEC as an example for `vsac encode`.",
    )
    return cast(F, memory_option("The file for --remember; see `vsac memory`.")(remembers(call)))


def _meant(spec: Path) -> bool:
    """Whether the user says that a spec means what they meant; not if nobody is there."""
    from vsalang.base.config import config_for
    from vsalang.language.describe import describe, to_text
    from vsalang.language.semantics import load

    program = load(spec, search=config_for(spec).search).checked()
    try:
        return ask_if_meant(f"\n{to_text(describe(program)).rstrip()}\n\nIs this what you meant?") is True
    except click.Abort:  # nobody is there
        tell("")
        return False


def tell(text: str) -> None:
    """A message on standard error."""
    echo(text, err=True)
