"""What the commands with a guarded session share: run, guard, serve, mcp and record."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import click

from vsalang.agents import AgentError
from vsalang.agents.session import SessionError, SessionOptions
from vsalang.agents.session.options import guard_settings
from vsalang.base.config import Config, config_in_force
from vsalang.base.options import argument, flag, option
from vsalang.guard import GuardFailed
from vsalang.guard.journal import JournalError
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.wording import a
from vsalang.phone import DeviceError
from vsalang.screen.secrets import KINDS, Kind, Lexicon, LexiconError, RedactedStream, Redactor
from vsalang.tools.cli.certified import certificates_at
from vsalang.tools.cli.common import Failure, load_in_force
from vsalang.tools.cli.frame import Unusable
from vsalang.tools.cli.phones import open_device


def spec(needs: str = "--device") -> Any:
    """The argument SPEC of a session (`str | None`)."""
    return argument("SPEC", required=False, needs=needs)


def resume() -> Any:
    """The option ``--resume`` of a session (`str | None`)."""
    return option(
        "--resume",
        metavar="JOURNAL",
        help="Continue the session of a journal, instead of SPEC: its program, policies, settings and day.",
        excludes={"SPEC": "the journal says it"},
    )


def certificates() -> Any:
    """The option ``--certificates`` of a session (`bool`)."""
    return flag(
        "--certificates",
        help="Remember what each action does, and tell rules what was tried on a screen before (Tried).",
        excludes={
            "--resume": "when the session is over, `vsac memory certificates add JOURNAL` remembers it"
        },
    )


def begun(options: SessionOptions, *, certificates: bool = False, **more: Any) -> SessionOptions:
    """The options of a session that a command opens.

    Args:
        certificates: whether it remembers what actions did.
        more: other values of the options.
    """
    store = certificates_at() if certificates else None
    more = {"connect": open_device, "redacted": redact_output, "certificates": store, **more}
    return replace(options, **more)


def load_spec(spec: str, options: SessionOptions, remedy: str) -> Loaded:
    """A spec for a session, with the policies of its project and those of the options.

    Args:
        remedy: what a file that is not a spec lacks.

    Raises:
        Failure: the file is not a spec.
        Unusable: it has errors.
    """
    loaded = load_in_force(spec, map(str, options.policies), contracts=options.contracts)
    if loaded.program is None:
        raise Unusable.of(loaded)
    kind = loaded.program.modules[loaded.program.main].kind
    if kind != "spec":
        raise Failure(f"{spec} is not a spec: it is {a(kind)}", remedy)
    return loaded


def secrets_in_force(config: Config, redact: bool) -> tuple[tuple[str, ...], tuple[Kind, ...]]:
    """The words that count as secrets, and the kinds that are replaced: by the configuration, or all by `redact`.

    Raises:
        Failure: the lexicon cannot be read.
    """
    try:
        lexicon = guard_settings(config).lexicon
    except LexiconError as error:
        raise Failure(
            str(error), "[secrets] lexicon names a text file with one word or phrase a line"
        ) from error
    redacted = config.secrets.redact or ()
    return lexicon, tuple(kind for kind in KINDS if redact or kind in redacted)


def redact_early(
    spec: str | None, options: SessionOptions, redact: Callable[[Redactor], None] | None = None
) -> None:
    """Replace secrets also in what is printed before there is a session: errors in the spec, and in the agent's file.

    Args:
        spec: the file, by which the configuration is found; None: a session is resumed, and the journal says it.
        options: whether secrets are replaced at all.
        redact: as `redact_output`, which is the default.

    Raises:
        Failure: the lexicon cannot be read.
    """
    if spec is None:
        return
    lexicon, kinds = secrets_in_force(config_in_force(spec), options.redact)
    if kinds:
        (redact or redact_output)(Redactor(kinds, Lexicon(lexicon)))


def redact_errors(redactor: Redactor) -> None:
    """Replace secrets in what this command prints to standard error; standard output is a protocol."""
    _redact_output(("stderr",), redactor)


def redact_output(redactor: Redactor) -> None:
    """Replace secrets in all that this command prints from now on."""
    _redact_output(("stdout", "stderr"), redactor)


def _redact_output(names: tuple[str, ...], redactor: Redactor) -> None:
    """Replace secrets in all that this command prints from now on, its errors included."""
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
    known: tuple[type[Exception], ...] = (AgentError, DeviceError, GuardFailed, JournalError, *more)
    try:
        yield
    except SessionError as error:
        raise Failure(str(error), error.hint) from error
    except known as error:
        raise Failure(str(error)) from error
