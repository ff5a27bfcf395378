"""``vsac prove tests``: tests that show each clause and each condition of a spec or policy at work."""

from pathlib import Path

from vsalang.base.options import argument, flag
from vsalang.base.records import dataclass
from vsalang.base.report import Report
from vsalang.proof.prove.results import EditTest, UntestedEdit
from vsalang.proof.prove.testgen_report import GeneratedTests
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, require
from vsalang.tools.cli.output import append_text
from vsalang.tools.cli.progress import telling
from vsalang.tools.cli.solving import checked, load_file
from vsalang.tools.testing.coverage import shown_by


@dataclass(frozen=True, slots=True)
class TestgenOptions:
    """For what tests are made, and where they go."""

    spec: str = argument("SPEC")
    missing: bool = flag("--missing", help="Only what the tests of SPEC itself do not show yet.")
    write: bool = flag("--write", help="Append the tests to SPEC instead of printing them.")
    timeout: float = shared.solver_timeout()
    limit: float = shared.solver_limit(300.0, "what has no test then is said")


@frame.as_command("text", "json")
def command(options: TestgenOptions) -> Report:
    """Write tests for SPEC, a spec or a policy: each clause at work, and each condition as the one that decides.

    A test is a state in which the verdict would be another if a condition were left out, an edge (`<` or `<=`) moved,
    a clause left out, or an action allowed without end. Each was run before it is printed. They say what SPEC does,
    not what was meant: read them.

    Exit status: 0 there is a test for everything that decides something, 1 for something none was found, 2 SPEC has
    errors or cannot be read, or Z3 is not installed.
    """
    loaded = load_file(options.spec, "tests belong to a file")
    program = checked(loaded)
    if program.modules[program.main].kind not in ("spec", "policy"):
        raise Failure(
            f"{loaded.file} is neither a spec nor a policy, so nothing in it decides", "name one that is"
        )
    require("z3", "smt")
    from vsalang.proof.prove.testgen import generated  # imports Z3

    known = loaded.own if options.missing or options.write else ()
    with telling() as tell:
        results = list(
            generated(program, seconds=options.limit, each=options.timeout, known=known, progress=tell)
        )
    tests = [each for each in results if isinstance(each, EditTest)]
    lacks = [each for each in results if isinstance(each, UntestedEdit)]
    stories = [*known, *(each.story for each in tests)]
    report = GeneratedTests(
        loaded,
        tests,
        lacks,
        shown_by(program, loaded.file, loaded.sources, stories),
        written=options.write and bool(tests),
        status=EXIT_FINDINGS if any(each.open for each in lacks) else EXIT_OK,
    )
    if report.written:
        append_text(Path(loaded.file), report.text())
    return report
