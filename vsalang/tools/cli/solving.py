"""What the commands that ask the solver share: limits of time, the loading of files, and the places of rules."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from vsalang.tools.cli.common import EXIT_FAILED, F, Failure, module_file, report
from vsalang.tools.cli.options import Numbers

if TYPE_CHECKING:
    from vsalang.base.source import Span
    from vsalang.language.semantics import Loaded


def timeout(default: float = 5.0) -> Callable[[F], F]:
    """The option ``--timeout``."""
    return click.option(
        "--timeout",
        type=Numbers(0.01, 3600),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help="How long the solver may work at each question; on a busy machine that takes longer.",
    )


def limit(default: float = 120.0, rest: str = "what is not decided by then is said") -> Callable[[F], F]:
    """The option ``--limit``."""
    return click.option(
        "--limit",
        type=Numbers(0.1, 86400),
        default=default,
        show_default=True,
        metavar="SECONDS",
        help=f"How long all questions may take together; {rest}.",
    )


def load_file(file: str, why: str, policies: tuple[str, ...] = ()) -> "Loaded":
    """Load a file with these policies alone, not those of its project.

    Raises:
        Failure: it is standard input; `why` says why that is impossible.
    """
    from vsalang.base.config import config_in_force
    from vsalang.language.semantics import load

    file = module_file(file)
    if file == "-":
        raise Failure(f"{why}: standard input is none", "save it, and name the file")
    return load(file, policies=policies, search=config_in_force(file).search)


def show_errors(loaded: "Loaded", format: str) -> int:
    """Print the errors of a program, and return the exit status 2."""
    report(loaded.diagnostics, loaded.sources, format)
    return EXIT_FAILED


def place(loaded: "Loaded", span: "Span | None", name: str) -> str:
    """The file and line of a span; without one the name of what was there."""
    if span is None:
        return name
    return f"{span.file}:{loaded.sources[span.file].position(span.start).line}"


def place_of_rule(loaded: "Loaded", name: str) -> str:
    """The file and line of the rule with this id."""
    rule = next(rule for rule in loaded.checked().rules if rule.id == name)
    return place(loaded, rule.head_span or rule.span, name)
