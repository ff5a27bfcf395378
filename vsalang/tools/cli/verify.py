"""``vsac prove verify``: checks a spec or policy in all states with a solver; states that are shown were replayed."""

import sys
from typing import TYPE_CHECKING, Any

import click

from vsalang.tools.cli import options, solving
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    files_meant,
    format_option,
    load_in_force,
    render,
    require,
    use_color,
)
from vsalang.tools.cli.progress import telling

if TYPE_CHECKING:
    from vsalang.program.ir import Program
    from vsalang.proof.solver import (
        Result,
    )


@click.command()
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@options.policy_beside("each SPEC")
@click.option(
    "--rows",
    type=click.IntRange(1, 20),
    default=None,
    help="How many rows a relation may have. Default: as many as each rule needs, up to 5.",
)
@solving.timeout(10.0)
@click.option("--strict", is_flag=True, help="Exit with status 1 if there is a warning.")
@format_option()
def command(
    specs: tuple[str, ...],
    policies: tuple[str, ...],
    rows: int | None,
    timeout: float,
    strict: bool,
    format: str,
) -> int:
    """Look for rules of SPECs that can never hold, and for states in which no rule applies.

    A SPEC may be a folder: every .vsa file in it and below is meant, except hidden ones and those that `exclude` of
    vsac.toml names. Without a SPEC, the working folder is meant.

    The rules of each SPEC itself and of the policies are checked. What was not analysed is reported. Findings are
    warnings. Exit status: 0 verified, whatever was found, 1 with --strict: there is a warning, 2 a SPEC has errors (as
    `vsac check` shows them) or cannot be read, Z3 is not installed, or the solver and the interpreter disagree.
    """
    from vsalang.base.diagnostics import Diagnostic, Severity, has_errors
    from vsalang.base.diagnostics.display import safe
    from vsalang.base.source import Source
    from vsalang.proof.findings import finding, summary
    from vsalang.proof.solver import Alive

    findings: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    lines: list[str] = []
    failed = False
    for item in files_meant(specs):
        loaded = load_in_force(item.file, policies)
        program = loaded.program
        if program is None:
            findings += loaded.diagnostics
            lines.append(f"{safe(item.file)} is not verified: its errors come first")
            failed = True
        else:
            results = _results(program, rows or 0, timeout)
            findings += [finding(program, result) for result in results if not isinstance(result, Alive)]
            lines.append(summary(program, results))
        sources.update(loaded.sources)
    click.echo(render(findings, sources, format, color=use_color(sys.stdout)), nl=False, color=True)
    if format == "text":
        click.echo(("\n" if findings else "") + "\n".join(lines))
    if failed:
        return EXIT_FAILED
    warned = strict and any(item.severity is Severity.WARNING for item in findings)
    return EXIT_FINDINGS if warned or has_errors(findings) else EXIT_OK


def _results(program: "Program", rows: int, timeout: float) -> "list[Result]":
    """The results of the solver for a program.

    Raises:
        Failure: Z3 is not installed, or the solver and the interpreter disagree.
    """
    require("z3", "smt")
    from vsalang.engine import EngineError
    from vsalang.proof.solver import Disagreement, analyse
    from vsalang.tools.testing.worlds import interpreter

    try:
        with telling() as tell:
            return list(analyse(program, interpreter(program), rows=rows, timeout=timeout, progress=tell))
    except EngineError as error:
        raise Failure(f"a state of the solver's could not be replayed: {error}") from None
    except Disagreement as error:
        raise Failure(
            _disagreement(program, error), "please report it with the files; nothing is said about them"
        ) from None


def _disagreement(program: "Program", error: Any) -> str:
    from vsalang.proof.solver.show import state

    facts = "\n".join(f"    {line}" for line in state(program, error.world))
    return f"the solver and the interpreter disagree, so nothing can be said: {error}\n{facts}"
