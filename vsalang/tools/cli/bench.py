"""``vsac bench``: measure what a spec costs: a turn, each rule, a session's memory."""

import time
from typing import Literal

from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.base.source import Span
from vsalang.tools.bench import BenchError, Plan, as_json, as_text, measure
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import Failure, load_in_force
from vsalang.tools.cli.progress import telling
from vsalang.tools.cli.solving import checked


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What is measured, how often, and what is shown of it."""

    file: str = argument("FILE")
    events: int = option(
        "--events", default=200, least=1, most=1_000_000, help="Turns to time in each round, at least."
    )
    source: Literal["tests", "random"] | None = option(
        "--from", help="Where turns come from. Default: the file's tests, invented ones if there are none."
    )
    seed: int = option("--seed", default=0, help="The seed of invented turns.")
    rounds: int = option(
        "--rounds",
        default=5,
        least=1,
        most=100,
        help="How often everything is repeated; the differences between rounds are shown as noise.",
    )
    sessions: int = option(
        "--sessions",
        default=10,
        least=1,
        most=10_000,
        help="How many sessions are open at once while one is measured.",
    )
    top: int = option(
        "--top", default=10, least=0, help="How many rules are listed, the slowest first; 0: all."
    )
    rules: bool = flag("--no-rules", default=True, help="Do not measure single rules: faster.")
    policies: tuple[str, ...] = shared.policies("FILE")


@frame.as_command("text", "json")
def command(options: BenchOptions) -> Report:
    """Measure what FILE costs: a turn of the guard, each rule, a session's memory, compiling.

    Turns are those of the file's tests, else invented from its declarations. Exit status: 0 measured, 1 FILE has
    errors, 2 it could not be read or there is nothing to measure.
    """
    begin = time.perf_counter()
    loaded = load_in_force(options.file, options.policies)
    loading = time.perf_counter() - begin
    program = checked(loaded, status=-1)

    def where(span: Span) -> tuple[str, int]:
        text = loaded.sources.get(span.file)
        return span.file, text.position(span.start).line if text is not None else 0

    plan = Plan(options.events, options.source, options.seed, options.rounds, options.sessions, options.rules)
    try:
        with telling() as tell:
            costs = measure(
                program,
                loaded.own,
                plan,
                load=loading,
                where=where,
                progress=lambda share, what: tell(f"{share:4.0%}  {what}"),
            )
    except BenchError as error:
        raise Failure(f"{options.file}: {error}") from error
    return Result(
        lambda: as_json(costs), lambda style: [as_text(costs, rules=options.top).removesuffix("\n")]
    )
