"""Functions that commands share: exit statuses, reading files, rendering findings, failing with a message.

Imports stand in functions: `vsac --help` needs this module, and imports nothing but click.
"""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from vsalang.base.config import CommandFile
    from vsalang.base.diagnostics import Diagnostic
    from vsalang.base.source import Source, SourceError
    from vsalang.language.semantics import Loaded
    from vsalang.program.similarity import Similarity

EXIT_OK: Final = 0
"""Everything is fine."""
EXIT_FINDINGS: Final = 1
"""The command did its work and found errors: in files, in tests, in a task that was not completed."""
EXIT_FAILED: Final = 2
"""The command could not do its work: usage, an unreadable file, a missing extra, an internal error."""
EXIT_INTERRUPTED: Final = 130
"""The user interrupted it."""

FORMATS: Final = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")
"""How findings can be printed."""


class Failure(click.ClickException):
    """The command cannot do its work: a message, and a hint at the remedy. Exit status 2."""

    exit_code = EXIT_FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: Any = None) -> None:
        """Print it on standard error; nothing in it can steer the terminal."""
        from vsalang.base.diagnostics.display import safe

        prefix = click.style("error", fg="red", bold=True) if use_color(sys.stderr) else "error"
        click.echo(f"{prefix}: {safe(self.message)}", file=file, err=True, color=True)
        if self.hint:
            click.echo(f"  help: {safe(self.hint)}", file=file, err=True)


def _set_color(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value == "auto":
        ctx.find_root().color = None
    elif value is not None:
        ctx.find_root().color = value == "always"


def color_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option ``--color auto|always|never``; `use_color` reads its value."""
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        expose_value=False,
        callback=_set_color,
        help="When to use colours. `auto`: on a terminal, unless NO_COLOR is set, and where FORCE_COLOR is set.",
    )(function)


def use_color(stream: Any = None) -> bool:
    """Whether to colour output to `stream` (standard output if left out)."""
    context = click.get_current_context(silent=True)
    chosen = context.find_root().color if context else None
    if chosen is not None:
        return chosen
    # https://no-color.org, https://force-color.org: set to any text that is not empty; NO_COLOR wins
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("TERM") == "dumb":
        return False
    stream = stream or sys.stdout
    return stream is not None and bool(stream.isatty())


def version() -> str:
    """The installed version of vsalang."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("vsalang")
    except PackageNotFoundError:
        return "(not installed)"


def read(path: str) -> "Source":
    """Read a source file; ``-`` is standard input.

    Raises:
        SourceError: it cannot be read (the caller, or `vsalang.tools.cli.main`, turns it into a message and status 2).
    """
    from vsalang.base.source import Source, SourceError, read_source
    from vsalang.base.source.files import MAX_BYTES, decode

    if path != "-":
        return read_source(path)
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise SourceError("E0002", "<stdin>", "standard input is too large", "give a file below 4 MiB")
    return Source.from_text(decode(data, "<stdin>"), "<stdin>")


def shipped_modules() -> dict[str, Path]:
    """The modules that come with vsalang: their files, by name (``apps.settings``)."""
    from vsalang.base.resources import resource_dir

    paths: dict[str, Path] = {}
    for folder in (resource_dir("stdlib"), resource_dir("app_specs")):
        for file in folder.rglob("*.vsa"):
            paths.setdefault(".".join(file.relative_to(folder).with_suffix("").parts), file)
    return {name: file for name, file in paths.items() if name.startswith(("apps.", "std."))}


def module_file(name: str) -> str:
    """The file that a command line means: a file, or the name of a module that comes with vsalang (``apps.settings``).

    Raises:
        Failure: it is neither; with the names that are near.
    """
    if name == "-" or name.endswith(".vsa") or Path(name).exists():
        return name
    from vsalang.base.source.suggest import nearest

    modules = shipped_modules()
    if name in modules:
        return str(modules[name])
    if any(mark in name for mark in "/\\"):
        return name
    short = {known.partition(".")[2]: known for known in modules}
    near = nearest(name, modules) or [short[each] for each in (name, *nearest(name, short)) if each in short]
    raise Failure(
        f"there is no file {name}, and no module of that name comes with vsalang",
        f"did you mean {near[0]}?" if near else f"modules that come with it: {', '.join(sorted(modules))}",
    )


def unreadable(error: "SourceError | OSError") -> Failure:
    """A file that cannot be read or used, as a failure of the command."""
    from vsalang.base.source import SourceError

    if isinstance(error, SourceError):
        return Failure(f"[{error.code}] {error.message}", error.hint)
    reason = (error.strerror or str(error)).lower()
    return Failure(f"{os.fsdecode(error.filename)}: {reason}" if error.filename is not None else reason)


def files_meant(paths: Iterable[str], endings: tuple[str, ...] = (".vsa",)) -> "list[CommandFile]":
    """The files of a command line: those named, and those below named folders; without paths, below the working folder.

    A name of a module that comes with vsalang (``std.policies.privacy``) is its file.

    Raises:
        Failure: there is none in a folder.
        SourceError: a configuration cannot be used.
    """
    from vsalang.base.config import find_files

    files_by_name: dict[str, CommandFile] = {}
    for path in list(paths) or ["."]:
        here = find_files([path], endings)
        if not here:
            where = "here" if path == "." else f"in {path}"
            hint = "name a file, or the folder that holds them; what `exclude` of vsac.toml names is left out"
            raise Failure(f"there is no .vsa file {where}", hint)
        for item in here:
            files_by_name.setdefault(item.file, item)
    return list(files_by_name.values())


def load_in_force(file: str, policies: Iterable[str] = (), *, contracts: bool = False) -> "Loaded":
    """Load a file with the policies of its project and those named on the command line.

    Args:
        contracts: it is for a session: `std.contracts` is in force, too, unless the configuration says otherwise.
    """
    from vsalang.base.config import config_in_force, policy_files, standard_in_force
    from vsalang.language.semantics import load

    config = config_in_force(file)
    return load(
        file,
        policies=policy_files(config, policies),
        standard=standard_in_force(config, contracts),
        search=config.search,
    )


def similarity_in_force(file: str) -> "Similarity":
    """Who answers ``~=`` for a file, as its configurations say.

    Raises:
        Failure: that backend cannot be asked.
    """
    from vsalang.base.config import config_in_force
    from vsalang.guard import Settings
    from vsalang.guard.patience import patient
    from vsalang.models.similarity import SimilarityError, backend_of
    from vsalang.program.similarity import DEFAULT

    try:
        backend = backend_of(config_in_force(file).similarity)
    except SimilarityError as error:
        raise Failure(str(error), error.hint) from error
    return DEFAULT if backend is None else patient(backend, Settings().budget.seconds)


def require(module: str, extra: str) -> None:
    """Make sure that an optional library is installed.

    Raises:
        Failure: it is not; the message says how to install it.
    """
    if importlib.util.find_spec(module) is None:
        from vsalang.base.installing import install_extra

        raise Failure(f"this needs {module}, which is not installed", install_extra(extra))


def missing_extra(error: ModuleNotFoundError) -> Exception:
    """The failure of a command whose module needs a library of an extra; the error itself if it is another one."""
    from vsalang.base.installing import EXTRA_OF, install_extra

    library = (error.name or "").partition(".")[0]
    if library not in EXTRA_OF:
        return error
    return Failure(f"this needs {library}, which is not installed", install_extra(EXTRA_OF[library]))


def render(
    diagnostics: Iterable["Diagnostic"],
    sources: Mapping[str, "Source"],
    format: str,
    *,
    color: bool = False,
    errors_first: bool = False,
) -> str:
    """The findings in one of `FORMATS`, sorted by place.

    Args:
        color: whether a text has colours.
        errors_first: whether a text has errors first, so that a single one is not lost among many findings.

    Raises:
        ValueError: an unknown format.
    """
    from vsalang.base.diagnostics import Severity, in_order

    items = list(in_order(diagnostics))
    if format == "text":
        from vsalang.base.diagnostics import terminal

        if errors_first:
            items.sort(key=lambda item: item.severity is not Severity.ERROR)
        return terminal.render(items, sources, color=color)
    if format == "json":
        from vsalang.base.diagnostics import jsonout

        return jsonout.render(items, sources)
    if format == "concise":
        from vsalang.base.diagnostics import concise

        return concise.render(items, sources)
    # services know files by their names from the root of the repository
    from vsalang.base.diagnostics.places import repository, seen_from

    root = repository(Path.cwd())
    items, sources = seen_from(items, sources, root)
    if format == "sarif":
        from vsalang.base.diagnostics import codes, sarif
        from vsalang.base.project import page_of, published
        from vsalang.language.lint import CODES as LINT

        return sarif.render(
            items,
            sources,
            version=version(),
            codes={**codes.CODES, **LINT},
            page=(lambda code: published(page_of(code))) if published() else None,
            information=published(),
            base=root,
        )
    if format == "gitlab":
        from vsalang.base.diagnostics import gitlab

        return gitlab.render(items, sources)
    if format == "junit":
        from vsalang.base.diagnostics import junit

        return junit.render(items, sources)
    if format == "github":
        from vsalang.base.diagnostics import github

        return github.render(items, sources)
    raise ValueError(f"no format is called {format!r}")


def unread(diagnostics: Iterable["Diagnostic"]) -> bool:
    """Whether one of these findings is that a file could not be read."""
    return any(item.code.startswith("E000") for item in diagnostics)
