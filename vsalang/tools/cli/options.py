"""The options that commands which guard a session have in common, and how such a command loads its spec."""

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.base.frameworks import ACTIONS
from vsalang.base.names import ENGINES, FORMER_ENGINES, LANGUAGES, SYNCS
from vsalang.tools.cli.common import F, Failure, load_in_force

if TYPE_CHECKING:
    from vsalang.base.config import Config
    from vsalang.language.semantics import Loaded
    from vsalang.phone import DeviceError
    from vsalang.phone.open.simulated import SimulatedDevice
    from vsalang.phone.uiautomator import UiAutomatorDevice

_TRACE: Final = "vsalang.trace"
_REDACT: Final = "vsalang.redact"
_NO_CONTRACTS: Final = "vsalang.no_contracts"
_OWN_FORMATS: Final = ("adb", "androidworld", "droidtask", "m3a", "mobile-use", "uiautomator2", "verisafe")
AGENT_FORMATS: Final = ("auto", "vsalang", *sorted((*_OWN_FORMATS, *ACTIONS)))
"""As `vsalang.agents.script.CHOICES`, which would load all that reads them; a test compares."""


class Numbers(click.FloatRange):
    """Numbers in a range; `nan` is in none, though click takes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that was written."""
        found = float(super().convert(value, param, ctx))
        if found != found:
            self.fail(f"{value} is not a number.", param, ctx)
        return found


def _set_trace(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    ctx.meta[_TRACE] = value


def _set_redact(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[_REDACT] = value


def redacting() -> bool:
    """Whether ``--redact`` was given."""
    return bool(click.get_current_context().meta.get(_REDACT))


def _set_no_contracts(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[_NO_CONTRACTS] = value


def policy_option(what: str = "A policy that is in force") -> Callable[[F], F]:
    """The option ``--policy`` (parameter `policies`)."""
    return click.option("--policy", "policies", multiple=True, metavar="FILE", help=f"{what}; repeatable.")


def policy_beside(what: str) -> Callable[[F], F]:
    """The option ``--policy`` of a command that takes files."""
    return policy_option(f"A policy that is in force in addition to {what}")


class Engine(click.Choice[str]):
    """The name of an engine; of one that was in an earlier version it is said where it is now."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name that was written."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if value not in FORMER_ENGINES:
                raise
            former = FORMER_ENGINES[value]
            self.fail(f"{error.message} {former[:1].upper()}{former[1:]}.", param, ctx)


def engine(
    what: str = "Which evaluator decides.", default: str = "what vsac.toml says, else incremental"
) -> Callable[[F], F]:
    """The option ``--engine``."""
    return click.option("--engine", type=Engine(ENGINES), help=f"{what} [default: {default}]")


def language(what: str = "reasons and the roadmap") -> Callable[[F], F]:
    """The option ``--language``."""
    help = f"In which language {what} are said. [default: what vsac.toml says, else en]"
    return click.option("--language", type=click.Choice(LANGUAGES), help=help)


policy: Final = policy_option()
timeout: Final = click.option(
    "--timeout",
    type=Numbers(0, min_open=True),
    default=30.0,
    show_default=True,
    help="Seconds after which pydatalog is stopped.",
)
agent_format: Final = click.option(
    "--agent-format",
    type=click.Choice(AGENT_FORMATS),
    default=AGENT_FORMATS[0],
    show_default=True,
    help="The format of the proposals; auto: each line says.",
)
open_app: Final = click.option(
    "--open", "package", metavar="PACKAGE", help="Open this app first, on the user's behalf."
)
resume: Final = click.option(
    "--resume",
    "resume_file",
    metavar="JOURNAL",
    help="Continue the session of a journal, instead of SPEC: its program, policies, settings and day.",
)
no_contracts: Final = click.option(
    "--no-contracts",
    is_flag=True,
    expose_value=False,
    callback=_set_no_contracts,
    help="Expect of gestures only what SPEC and the policies say, not what std.contracts does.",
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
    type=click.Choice(SYNCS),
    default=SYNCS[0],
    show_default=True,
    help="Which records are forced to the disk before the session goes on.",
)
redact: Final = click.option(
    "--redact",
    is_flag=True,
    expose_value=False,
    callback=_set_redact,
    help="Replace secrets (cards, codes, passwords ..) in the journal and in what is printed.",
)
today: Final = click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The day of the instruction. [default: the device's day]",
)
trace: Final = click.option(
    "--trace",
    metavar="KINDS",
    expose_value=False,
    callback=_set_trace,
    help="Which events of the phone's system rules can read: files, permissions, connections, settings, or all; "
    "separated by commas. [default: what vsac.toml says, else nothing]",
)
"""`open_device` reads its value."""


def _users(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[int, ...]:
    from vsalang.phone.wire.peers import user_named

    try:
        return tuple(user_named(value) for value in values)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None


allow_user: Final = click.option(
    "--allow-user",
    "users",
    multiple=True,
    metavar="USER",
    callback=_users,
    help="Another user of this machine, by name or number, who may connect to the ports without a token; repeatable. "
    "[default: only who started this]",
)


def warn_of_strangers(ports: str) -> str:
    """The warning for systems that do not say which user connects; else empty."""
    from vsalang.phone.wire import peers

    if peers.CAN_TELL:
        return ""
    return (
        f"Every user of this machine can connect to {ports}: this system does not say which user opened a connection. "
        "Run this where nobody else has an account, or in a container or virtual machine on Linux."
    )


head: Final = click.option(
    "--head",
    "head",
    metavar="HASH",
    help="With --resume: you confirm that this is the journal's last line. For a journal that was moved here: the hash "
    "is said at the end of each run, and by `vsac journal show`. [default: what is kept of the journal here]",
)


def open_device(name: str, config: "Config | None" = None) -> "UiAutomatorDevice | SimulatedDevice":
    """Connect to a device, with the trace that the option ``--trace`` asks for, or else the project's configuration.

    Raises:
        Failure: there is no such trace or device, or it does not answer; with what to do about it.
    """
    from vsalang.agents.session.options import tracing
    from vsalang.phone import DeviceError
    from vsalang.phone.open import open_device as connect

    context = click.get_current_context(silent=True)
    given = context.meta.get(_TRACE) if context is not None else None
    try:
        asked = tracing(config, given)
    except DeviceError as error:
        raise Failure(str(error)) from error
    named_device(name)
    try:
        return connect(name, trace=asked)
    except DeviceError as error:
        raise Failure(str(error), _remedy(name, error)) from error


def named_device(name: str) -> None:
    """Refuse a blank name.

    Raises:
        UsageError: it is blank.
    """
    if not name.strip():
        raise click.UsageError(
            "--device names no device: give sim:NAME or a serial; `vsac phone list` lists them."
        )


def _remedy(name: str, error: "DeviceError") -> str:
    """What to do about a device that cannot be opened."""
    from vsalang.base.source.suggest import did_you_mean
    from vsalang.phone import NotConnected
    from vsalang.phone.sim import shipped

    if name.startswith("sim:"):
        return "`vsac phone list` lists the simulated phones and their scenarios"
    if name in shipped():
        return f"the simulated phone is called `sim:{name}`"
    near = did_you_mean(name, _serials())
    if near:
        return near
    if isinstance(error, NotConnected):
        return ""  # its message says so
    return f"`vsac phone doctor --device {shlex.quote(name)}` says what is missing"


def _serials() -> list[str]:
    """The phones of the adb server; none if it cannot be asked."""
    from vsalang.phone.uiautomator import adb_client

    try:
        return [str(info.serial) for info in adb_client().list()]
    except Exception:  # no adb server answers there
        return []


def trace_given() -> bool:
    """Whether the option ``--trace`` was given."""
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(_TRACE) is not None


def contracts_refused() -> bool:
    """Whether the option ``--no-contracts`` was given."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_NO_CONTRACTS))


def load_spec(spec: str, policies: tuple[str, ...], remedy: str) -> "Loaded":
    """A spec for a session, with the policies of its project and those named; errors in it are in what is loaded.

    `std.contracts` is in force, unless ``--no-contracts`` or the configuration says otherwise.

    Raises:
        Failure: the file is not a spec; `remedy` says what needs one.
    """
    from vsalang.language.semantics.wording import a

    loaded = load_in_force(spec, policies, contracts=not contracts_refused())
    program = loaded.program
    if program is not None and program.modules[program.main].kind != "spec":
        raise Failure(f"{spec} is not a spec: it is {a(program.modules[program.main].kind)}", remedy)
    return loaded
