"""Options that several commands declare alike, as fields of their dataclasses (`vsalang.base.options`)."""

from dataclasses import MISSING
from typing import Any, Final

from vsalang.base.frameworks import ACTIONS
from vsalang.base.names import ENGINES, LANGUAGES, engine_named
from vsalang.base.options import option


def policies(what: str = "") -> Any:
    """The option ``--policy`` (`tuple[str, ...]`).

    Args:
        what: of a command that takes files: what the policies are in force in addition to.
    """
    addition = f" in addition to {what}" if what else ""
    return option(
        "--policy", default=(), metavar="FILE", help=f"A policy that is in force{addition}; repeatable."
    )


def output(metavar: str, help: str, default: Any = MISSING) -> Any:
    """The option ``--output`` of commands that need it (`Path` or `str`).

    Args:
        metavar: what the documentation calls it.
        help: what it is for.
        default: stands in where fields before it have one; it is never used.
    """
    return option("-o", "--output", required=True, default=default, metavar=metavar, help=help)


def jobs(what: str, **limits: Any) -> Any:
    """The option ``--jobs`` (`int`), whose value does not change the result.

    Args:
        what: is done in processes.
        limits: further arguments of `option`.
    """
    help = f"{what} in N processes; 0: as many as there are processors. The result is the same."
    return option("-j", "--jobs", default=1, least=0, metavar="N", help=help, **limits)


def engine(
    what: str = "Which evaluator decides.", default: str = "what vsac.toml says, else incremental"
) -> Any:
    """The option ``--engine`` (`EngineName | None`)."""
    return option("--engine", read=engine_named, choices=ENGINES, help=what, default_text=default)


def language(what: str = "reasons and the roadmap") -> Any:
    """The option ``--language`` (`str | None`)."""
    default = "what vsac.toml says, else en"
    return option(
        "--language", choices=LANGUAGES, help=f"In which language {what} are said.", default_text=default
    )


def pydatalog_timeout() -> Any:
    """The option ``--timeout`` of commands that ask an engine (`float`)."""
    return option(
        "--timeout", default=30.0, least=0, above=True, help="Seconds after which pydatalog is stopped."
    )


def solver_timeout(default: float = 5.0) -> Any:
    """The option ``--timeout`` of commands that ask the solver (`float`)."""
    return option(
        "--timeout",
        default=default,
        least=0.01,
        most=3600,
        metavar="SECONDS",
        help="How long the solver may work at each question; on a busy machine that takes longer.",
    )


def solver_limit(default: float = 120.0, rest: str = "what is not decided by then is said") -> Any:
    """The option ``--limit`` of commands that ask the solver (`float`)."""
    return option(
        "--limit",
        default=default,
        least=0.1,
        most=86400,
        metavar="SECONDS",
        help=f"How long all questions may take together; {rest}.",
    )


_OWN_FORMATS: Final = (
    "adb",
    "androidworld",
    "autoglm",
    "droidtask",
    "m3a",
    "mobile-use",
    "ui-tars",
    "uiautomator2",
    "verisafe",
)
AGENT_FORMATS: Final = ("auto", "vsalang", *sorted((*_OWN_FORMATS, *ACTIONS)))
"""As `vsalang.agents.script.CHOICES`, which would load all that reads them; a test compares."""


def agent_format() -> Any:
    """The option ``--agent-format`` (`str`)."""
    help = "The format of the proposals; auto: each line says."
    return option("--agent-format", default=AGENT_FORMATS[0], choices=AGENT_FORMATS, help=help)
