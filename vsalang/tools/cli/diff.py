"""``vsac prove diff``: what a new version of a spec or policy decides otherwise, with tests that show it."""

from typing import Literal

from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report
from vsalang.proof.prove import NotComparable, diff
from vsalang.proof.prove.diff_report import Comparison
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, require
from vsalang.tools.cli.frame import Unusable
from vsalang.tools.cli.solving import load_file


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """What is compared, and whether only tests are printed."""

    old: str = argument("OLD")
    new: str = argument("NEW")
    emit_tests: Literal["old", "new"] | None = option(
        "--emit-tests",
        help="Print only tests: those that pass with OLD and fail with NEW, or those that pass with NEW and fail with "
        "OLD.",
        excludes="--format json",
    )
    timeout: float = shared.solver_timeout()
    limit: float = shared.solver_limit()


@frame.as_command("text", "json")
def command(options: DiffOptions) -> Report:
    """Say what NEW decides otherwise than OLD. Both are specs, or both are policies.

    For each head (an action that is allowed, done, deny, confirm, warn) NEW is equal, stricter, looser, or here
    stricter and there looser. Each difference is a state as a test, which was run against both. Order, names of
    variables and definitions, and where a definition is written out make no difference.

    Exit status: 0 they decide the same, 1 there is a difference or something could not be decided, 2 a file has errors
    or cannot be read, they cannot be compared, or Z3 is not installed.
    """
    files = options.old, options.new
    old, new = (load_file(file, "two files are compared") for file in files)
    if broken := [side for side in (old, new) if side.program is None]:
        raise Unusable((item for side in broken for item in side.diagnostics), {**old.sources, **new.sources})
    require("z3", "smt")
    try:
        comparison = diff(old.checked(), new.checked(), seconds=options.limit, each=options.timeout)
    except NotComparable as error:
        raise Failure(str(error), "name two versions of a spec, or of a policy") from None
    status = EXIT_OK if comparison.outcome == "equal" else EXIT_FINDINGS
    return Comparison(comparison, old, new, files, options.emit_tests, status)
