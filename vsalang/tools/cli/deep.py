"""``vsac lint --deep``: asks the solver about each linted file what ``vsac verify`` asks. Only this loads Z3."""

from typing import TYPE_CHECKING

from vsalang.tools.cli.common import Failure, require

if TYPE_CHECKING:
    from collections.abc import Collection

    from vsalang.base.diagnostics import Diagnostic
    from vsalang.language.semantics import Loaded

SECONDS = 10.0
"""How long the solver may take for each question, if the command line does not say."""


def codes() -> frozenset[str]:
    """The codes that only `--deep` finds."""
    from vsalang.base.diagnostics.codes import CODES

    return frozenset(code for code in CODES if code.startswith("V"))


def deep_findings(
    loaded: "Loaded", *, select: "Collection[str] | None", ignore: "Collection[str]", timeout: float = SECONDS
) -> "list[Diagnostic]":
    """The findings of the solver in the main module of a program without errors, in the order of its text.

    A question that was not decided gives a hint: no finding would look like a proof.

    Raises:
        Failure: Z3 is not installed, or the solver and the interpreter disagree.
    """
    if loaded.program is None:
        return []
    require("z3", "smt")
    from vsalang.base.diagnostics import in_order
    from vsalang.engine import EngineError
    from vsalang.language.lint.ignores import read_ignores
    from vsalang.language.lint.run import known_codes
    from vsalang.proof.solver import Alive, Disagreement, analyse
    from vsalang.tools.cli.verify import diagnostic
    from vsalang.tools.testing.worlds import interpreter

    program = loaded.program
    try:
        results = list(analyse(program, interpreter(program), timeout=timeout))
    except Disagreement as error:
        raise Failure(
            f"the solver and the interpreter disagree, so nothing can be said: {error}",
            "please report it with the files; nothing is said about them",
        ) from None
    except EngineError as error:
        raise Failure(f"a state of the solver's could not be replayed: {error}") from None
    source = loaded.sources[loaded.file]
    ignores = read_ignores(source, known_codes())
    found = []
    for result in results:
        if isinstance(result, Alive):
            continue
        finding = diagnostic(program, result)
        wanted = (select is None or finding.code in select) and finding.code not in ignore
        inside = finding.span is not None and finding.span.file == loaded.file
        if wanted and inside and not ignores.hides(finding, source):
            found.append(finding)
    return list(in_order(found))
