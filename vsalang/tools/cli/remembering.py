"""What commands do with the memory of `vsac encode`: find its file, and add a spec that somebody vouches for."""

import shlex
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from vsalang.base.config import config_for, users_config
from vsalang.base.options import flag, option
from vsalang.base.records import dataclass
from vsalang.base.source.database import StoreError
from vsalang.base.source.suggest import did_you_mean
from vsalang.guard.journal import JournalError
from vsalang.language.describe import describe, to_text
from vsalang.language.semantics import Loaded, load
from vsalang.models.encode import Experience, NotRemembered
from vsalang.models.encode.experience import experience
from vsalang.models.encode.memory import Memory, usual_place
from vsalang.models.encode.own_tests import run_tests
from vsalang.models.encode.provenance import writer_of
from vsalang.models.encode.witness import witnessed
from vsalang.tools.cli.common import EXIT_OK, Failure, render, unread
from vsalang.tools.cli.output import ask_if_meant, echo

SHORT: Final = "`vsac memory list` lists them"


class NotVouched(Failure):
    """A spec is not remembered, because it has errors, or nothing shows that it is right."""


def memory_file(help: str, **more: Any) -> Any:
    """The option ``--memory`` (`str | None`)."""
    return option("--memory", metavar="FILE", help=help, **more)


def memory_at(file: str | None) -> Memory:
    """The memory in a file; without one, that which the user's configuration names, else the usual one.

    Raises:
        Failure: there is no place for it.
        SourceError: the user's configuration cannot be used.
    """

    try:
        return Memory(Path(file) if file is not None else users_config().encode.memory or usual_place())
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


def entries_of(memory: Memory) -> tuple[Experience, ...]:
    """All entries. Raises `Failure`."""

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

    names: dict[str, None] = {}
    for name in ids:
        fits = [each for each in known if name and each.startswith(name.lower())]
        if not fits:
            raise Failure(f"no entry {name!r} is in {file}", did_you_mean(name, known) or hint)
        if len(fits) > 1:
            raise Failure(f"{name!r} may be each of {', '.join(fits)}", "give more digits")
        names[fits[0]] = None
    return list(names)


def remember(
    spec: Path, memory: Memory, *, journal: str | None = None, model: str = ""
) -> tuple[Experience, tuple[str, ...]]:
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


def _tests_pass(loaded: Loaded) -> None:
    """Make sure that the tests of a spec pass. Raises `NotVouched`."""

    failed = run_tests(loaded)
    if failed:
        raise NotVouched(f"{loaded.file} is not remembered: {failed[0].message}", "`vsac test` says more")


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """What `vsac encode` does with specs of earlier tasks.

    Attributes:
        file: where they are; None: where the user's configuration says, else the usual place.
        unused: whether the model is shown none of them.
        remember: whether the user is asked to confirm the new spec, which is then kept.
    """

    file: str | None = memory_file("The file with specs of earlier tasks; see `vsac memory`.")
    unused: bool = flag("--no-memory", help="Show the model no specs of earlier tasks.", excludes="--memory")
    remember: bool = flag("--remember", help="Ask whether the spec is what you meant; if so, remember it.")

    def memory(self) -> Memory | None:
        """The memory; None if it is not needed. Raises `Failure`."""
        return memory_at(self.file) if self.remember or not self.unused else None

    def entries(self) -> tuple[Experience, ...]:
        """What the model may be shown. Raises `Failure`."""
        memory = None if self.unused else self.memory()
        return entries_of(memory) if memory is not None else ()

    def keep_if_meant(self, spec: Path, model: str) -> None:
        """Ask the user whether the spec that was written says what was meant; if so, remember it.

        What keeps it from that is said; the spec is written anyway.
        """
        memory = self.memory()
        if memory is None or not self.remember:
            return
        try:
            if not _meant(spec):
                later = f"when you have read it: vsac memory add {shlex.quote(str(spec))} --confirmed"
                tell(f"not remembered: nobody confirmed it\n  {later}")
                return
            entry, _ = remember(spec, memory, model=model)
            tell(f"remembered as {entry.id}")
        except Failure as error:
            error.show()


@dataclass(frozen=True, slots=True)
class RunMemoryOptions:
    """Whether `vsac run` keeps a spec under which a task was completed, and where."""

    remember: bool = flag(
        "--remember",
        help="If the task is completed, keep SPEC as an example for `vsac encode`.",
        excludes={
            "--resume": "when the task is completed, `vsac memory add SPEC --journal JOURNAL` remembers it"
        },
    )
    file: str | None = memory_file("The file for --remember; see `vsac memory`.", needs="--remember")

    def memory(self) -> Memory | None:
        """The memory, if it is wanted. What cannot be used is said before anything happens. Raises `Failure`."""
        if not self.remember:
            return None
        memory = memory_at(self.file)
        entries_of(memory)
        return memory


def keep_spec(memory: Memory | None, spec: str, journal: Path, status: int) -> None:
    """Remember the spec of a run that is over, if the task was completed; say what keeps it from that."""
    if memory is None:
        return
    if status != EXIT_OK:
        tell("not remembered: the task was not completed")
        return
    try:
        entry, _ = remember(Path(spec), memory, journal=str(journal))
        tell(f"remembered as {entry.id}")
    except Failure as error:
        error.show()


def _meant(spec: Path) -> bool:
    """Whether the user says that a spec means what they meant; not if nobody is there."""

    program = load(spec, search=config_for(spec).search).checked()
    try:
        return ask_if_meant(f"\n{to_text(describe(program)).rstrip()}\n\nIs this what you meant?") is True
    except click.Abort:  # nobody is there
        tell("")
        return False


def tell(text: str) -> None:
    """A message on standard error."""
    echo(text, err=True)
