"""``vsac prove conflicts``: what a task asks for that policies forbid or ask about, each case as a test."""

from vsalang.base.options import argument
from vsalang.base.records import dataclass
from vsalang.base.report import Report
from vsalang.proof.prove.conflicts_report import Conflicts
from vsalang.proof.prove.results import Conflict, Idle, LoweredLevel, OpenConflict, SkippedRule
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, require
from vsalang.tools.cli.progress import telling
from vsalang.tools.cli.solving import checked, load_file, spec_of


@dataclass(frozen=True, slots=True)
class ConflictsOptions:
    """Which task is compared with which policies."""

    spec: str = argument("SPEC")
    policies: tuple[str, ...] = argument("POLICY")
    timeout: float = shared.solver_timeout()
    limit: float = shared.solver_limit()


@frame.as_command("text", "json")
def command(options: ConflictsOptions) -> Report:
    """Say what SPEC asks for that a POLICY forbids, asks about or warns about: always, or in some states.

    Each clause of SPEC is compared with each rule of the policies. Where they meet, a state is shown as a test, which
    was run with the policies in force. Rules that cannot apply while SPEC is done are named, with the reason.

    Exit status: 0 no rule speaks against what SPEC asks for, 1 one does or something could not be decided, 2 a file has
    errors or cannot be read, or Z3 is not installed.
    """
    alone = load_file(options.spec, "SPEC is a file")
    guarded = load_file(options.spec, "SPEC is a file", options.policies)
    program = checked(guarded)
    task = spec_of(alone, "it asks for nothing", "name a spec first, then policies")
    require("z3", "smt")
    from vsalang.proof.prove.conflicts import conflicts  # imports Z3

    with telling() as tell:
        answers = list(conflicts(task, program, seconds=options.limit, each=options.timeout, progress=tell))
    against = [each for each in answers if isinstance(each, Conflict)]
    undecided = [each for each in answers if isinstance(each, OpenConflict)]
    return Conflicts(
        guarded,
        options.policies,
        against,
        [each for each in answers if isinstance(each, Idle)],
        [each for each in answers if isinstance(each, SkippedRule)],
        [each for each in answers if isinstance(each, LoweredLevel)],
        undecided,
        EXIT_FINDINGS if against or undecided else EXIT_OK,
    )
