"""Options, checks and errors that the commands with a guarded session share: run, serve, mcp and record."""

import contextlib
import datetime as dt
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from vsalang.tools.cli import options
from vsalang.tools.cli.certified import certificates_at
from vsalang.tools.cli.common import Failure

if TYPE_CHECKING:
    from vsalang.agents.session import SessionOptions
    from vsalang.base.config import Config
    from vsalang.screen.secrets import Kind, Redactor

_RECORDED = {
    "SPEC": "spec",
    "--policy": "policies",
    "--journal": "journal_file",
    "--today": "today",
    "--engine": "engine",
    "--mode": "mode",
    "--ask-timeout": "ask_timeout",
    "--instruction": "instruction",
}
"""Options that the journal decides when a session is resumed, with the parameter of the command."""


def spec_or_journal() -> None:
    """Refuse a command line without a spec and a session to resume, or with an option that the journal decides.

    Raises:
        UsageError: it is one of these.
    """
    given = click.get_current_context().params
    if given["resume_file"] is None:
        if given["head"] is not None:
            raise click.UsageError("--head needs --resume.")
        if given["spec"] is None:
            raise click.UsageError("Missing argument 'SPEC'.")
        return
    if given.get("certificates"):
        raise click.UsageError(
            "--certificates cannot be given with --resume: when the session is over, "
            "`vsac memory certificates add JOURNAL` remembers it."
        )
    if options.contracts_refused():
        raise click.UsageError("--no-contracts cannot be given with --resume: the journal says it.")
    if options.redacting():
        raise click.UsageError("--redact cannot be given with --resume: the journal says it.")
    for name, parameter in _RECORDED.items():
        if given.get(parameter) not in (None, (), False):
            raise click.UsageError(f"{name} cannot be given with --resume: the journal says it.")


def chosen(**own: Any) -> "SessionOptions":
    """The options of the session, from the parameters that all these commands have under the same names.

    Args:
        own: further options of this command, or other values.
    """
    from vsalang.agents.session import SessionOptions

    given = click.get_current_context().params
    today, seconds = given.get("today"), given.get("ask_timeout")
    said: dict[str, Any] = {
        "policies": given["policies"],
        "journal": given.get("journal_file"),
        "sync": given["sync"],
        "head": given.get("head"),
        "today": today.date() if today else None,
        "engine": given.get("engine"),
        "mode": given["mode"],
        "instruction": given.get("instruction"),
        "ask_timeout": dt.timedelta(seconds=seconds) if seconds is not None else None,
        "app": given.get("package"),
        "connect": options.open_device,
        "certificates": certificates_at() if given.get("certificates") else None,
        "redact": options.redacting(),
        "redacted": redact_output,
    }
    return SessionOptions(**(said | own))


def secrets_in_force(config: "Config") -> "tuple[tuple[str, ...], tuple[Kind, ...]]":
    """The words that count as secrets, and the kinds that are replaced: by the configuration and ``--redact``.

    Raises:
        Failure: the lexicon cannot be read.
    """
    from vsalang.agents.session.options import guard_settings
    from vsalang.screen.secrets import KINDS, LexiconError

    try:
        lexicon = guard_settings(config).lexicon
    except LexiconError as error:
        raise Failure(
            str(error), "[secrets] lexicon names a text file with one word or phrase a line"
        ) from error
    given = config.secrets.redact or ()
    return lexicon, tuple(kind for kind in KINDS if options.redacting() or kind in given)


def redact_early(spec: str | None, redact: "Callable[[Redactor], None] | None" = None) -> None:
    """Replace secrets also in what is printed before there is a session: errors in the spec, and in the agent's file.

    Args:
        spec: the file, by which the configuration is found; None: a session is resumed, and the journal says it.
        redact: as `redact_output`, which is the default.

    Raises:
        Failure: the lexicon cannot be read.
    """
    from vsalang.base.config import config_in_force
    from vsalang.screen.secrets import Lexicon, Redactor

    if spec is None:
        return
    lexicon, kinds = secrets_in_force(config_in_force(spec))
    if kinds:
        (redact or redact_output)(Redactor(kinds, Lexicon(lexicon)))


def redact_errors(redactor: "Redactor") -> None:
    """Replace secrets in what this command prints to standard error; standard output is a protocol."""
    _redact_output(("stderr",), redactor)


def redact_output(redactor: "Redactor") -> None:
    """Replace secrets in all that this command prints from now on."""
    _redact_output(("stdout", "stderr"), redactor)


def _redact_output(names: tuple[str, ...], redactor: "Redactor") -> None:
    """Replace secrets in all that this command prints from now on, its errors included."""
    from vsalang.screen.secrets import RedactedStream

    root = click.get_current_context().find_root()
    for name in names:
        stream = getattr(sys, name)
        if isinstance(stream, RedactedStream):
            stream.redactor = redactor  # the session's own takes the place of that before it
            continue
        setattr(sys, name, RedactedStream(stream, redactor))
        root.call_on_close(partial(setattr, sys, name, stream))


@contextlib.contextmanager
def failing(*more: type[Exception]) -> Iterator[None]:
    """Turn the errors of a session into a failure of the command, with message and remedy.

    Args:
        more: further errors of this command.

    Raises:
        Failure: of each of these errors.
    """
    from vsalang.agents import AgentError
    from vsalang.agents.session import SessionError
    from vsalang.guard import GuardFailed
    from vsalang.guard.journal import JournalError
    from vsalang.phone import DeviceError

    known: tuple[type[Exception], ...] = (AgentError, DeviceError, GuardFailed, JournalError, *more)
    try:
        yield
    except SessionError as error:
        raise Failure(str(error), error.hint) from error
    except known as error:
        raise Failure(str(error)) from error
