"""``vsac prove verify``: checks a spec or policy in all states with a solver; states that are shown were replayed."""

from typing import Final

from vsalang.base.diagnostics import Diagnostic, Severity, has_errors, in_order
from vsalang.base.diagnostics.display import safe
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report
from vsalang.base.source import Source
from vsalang.engine import EngineError
from vsalang.program.ir import Program
from vsalang.proof.findings import finding, lowered, summary
from vsalang.proof.solver import Alive, Disagreement, Result, analyse
from vsalang.proof.solver.show import state
from vsalang.proof.worlds import interpreter
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    FORMATS,
    Failure,
    files_meant,
    load_in_force,
    require,
    unread,
)
from vsalang.tools.cli.frame import Findings
from vsalang.tools.cli.progress import telling

SECONDS: Final = 10.0
"""How long the solver may take for each question, if the command line does not say."""


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What is verified, and how long."""

    specs: tuple[str, ...] = argument("SPEC", default=())
    policies: tuple[str, ...] = shared.policies("each SPEC")
    rows: int | None = option(
        "--rows",
        least=1,
        most=20,
        help="How many rows a relation may have. Default: as many as each rule needs, up to 5.",
    )
    timeout: float = shared.solver_timeout(SECONDS)
    strict: bool = flag("--strict", help="Exit with status 1 if there is a warning.")


@frame.as_command(*FORMATS)
def command(options: VerifyOptions) -> Report:
    """Look for rules of SPECs that can never hold, and for states in which no rule applies.

    A SPEC may be a folder: every .vsa file in it and below is meant, except hidden ones and those that `exclude` of
    vsac.toml names. Without a SPEC, the working folder is meant.

    The rules of each SPEC itself and of the policies are checked. What was not analysed is reported. Findings are
    warnings. Exit status, as of `vsac check`: 0 no errors, 1 a SPEC has errors, or with --strict there is a warning, 2
    a SPEC cannot be read, Z3 is not installed, or the solver and the interpreter disagree.
    """
    findings: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    lines: list[str] = []
    errors: list[Diagnostic] = []
    for item in files_meant(options.specs):
        loaded = load_in_force(item.file, options.policies)
        program = loaded.program
        if program is None:
            findings += loaded.diagnostics
            errors += loaded.errors
            lines.append(f"{safe(item.file)} is not verified: its errors come first")
        else:
            results = _results(program, options.rows or 0, options.timeout)
            findings += [finding(program, result) for result in results if not isinstance(result, Alive)]
            findings += lowered(program)
            lines.append(summary(program, results))
        sources.update(loaded.sources)
    warned = options.strict and any(item.severity is Severity.WARNING for item in findings)
    status = EXIT_FAILED if unread(errors) else EXIT_FINDINGS if warned or has_errors(findings) else EXIT_OK
    return Findings(findings, sources, ("",) * bool(findings) + tuple(lines), status)


def findings_of(program: Program) -> list[Diagnostic]:
    """The findings of the solver about a program, in the order of its text.

    A question that was not decided gives a hint: no finding would look like a proof.

    Raises:
        Failure: as of `_results`.
    """
    results = _results(program, 0, SECONDS)
    return list(in_order(finding(program, result) for result in results if not isinstance(result, Alive)))


def _results(program: Program, rows: int, timeout: float) -> list[Result]:
    """The results of the solver for a program.

    Raises:
        Failure: Z3 is not installed, or the solver and the interpreter disagree.
    """
    require("z3", "smt")
    try:
        with telling() as tell:
            return list(analyse(program, interpreter(program), rows=rows, timeout=timeout, progress=tell))
    except EngineError as error:
        raise Failure(f"a state of the solver's could not be replayed: {error}") from None
    except Disagreement as error:
        facts = "\n".join(f"    {line}" for line in state(program, error.world))
        raise Failure(
            f"the solver and the interpreter disagree, so nothing can be said: {error}\n{facts}",
            "please report it with the files; nothing is said about them",
        ) from None
