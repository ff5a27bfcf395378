"""Has a model write the specs of many instructions, and scores them against gold specs and tests."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from benchmarks.measure.encode_report import as_data, as_text
from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    render,
    use_color,
)
from vsalang.tools.cli.encode_listener import response_format, say
from vsalang.tools.cli.encode_options import model_options, spending_options, writing_options
from vsalang.tools.cli.encode_review import Reviewing
from vsalang.tools.cli.options import Numbers
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose, write_text
from vsalang.tools.cli.progress import Progress

if TYPE_CHECKING:
    from benchmarks.measure.encode import Case, Encoded, Encoder, Fault
    from benchmarks.measure.encode.gold import Counting
    from benchmarks.measure.encode.measuring import Part
    from vsalang.base.source.results import Results
    from vsalang.models.client.recorded import Recording
    from vsalang.models.encode import (
        Backend,
        Budget,
        Form,
        Ledger,
        Meaning,
        Model,
        ModelOptions,
        ResponseFormat,
    )

_RESULTS: Final = "eval-encode.jsonl"
_PERCENT: Final = Numbers(0, 100)
_MOST_FAULTS: Final = 50


@click.command(name="encode")
@click.argument("places", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Only check the folders and that the gold does what it says.")
@click.option(
    "--deadlines",
    type=click.Choice(["turns", "proposals", "statements"]),
    default="turns",
    show_default=True,
    help="Which steps of a run its deadline counts.",
)
@click.option("--keep-going", is_flag=True, help="Leave out cases with mistakes.")
@click.option("-k", "filter_", metavar="TEXT", default="", help="Only cases whose name contains TEXT.")
@model_options
@spending_options
@writing_options
@click.option(
    "--replay",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Ask nobody: the answers are in this folder, which --endpoint-dir or --trace wrote.",
)
@click.option(
    "--samples",
    type=click.IntRange(1, 99),
    default=1,
    show_default=True,
    help="How many specs are asked for of each instruction; the majority counts.",
)
@click.option(
    "--memory",
    type=click.Choice(["none", "leave-one-out"]),
    default="none",
    show_default=True,
    help="Ask a second time with what proved right for the other cases.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 256),
    default=4,
    show_default=True,
    metavar="N",
    help="How many specs are asked for at once.",
)
@click.option(
    "--results",
    metavar="FILE.jsonl",
    type=click.Path(path_type=Path),
    help=f"The result of each spec; a run goes on from it. [default: {_RESULTS}; none with --replay]",
)
@click.option(
    "--trace",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write every request and answer to this empty folder.",
)
@click.option("--restart", is_flag=True, help="Forget what the file of results holds.")
@click.option("--plot", metavar="FILE.svg", type=click.Path(path_type=Path), help="Also draw the figures.")
@click.option("--min-accuracy", type=_PERCENT, metavar="PERCENT", help="Status 1 below this accuracy.")
@click.option("--min-accepted", type=_PERCENT, metavar="PERCENT", help="The same for right runs accepted.")
@click.option("--min-caught", type=_PERCENT, metavar="PERCENT", help="The same for contradictions caught.")
@click.option("--min-tests", type=_PERCENT, metavar="PERCENT", help="The same for gold tests by level.")
@click.option("-v", "--verbose", is_flag=True, help="Also show each gold test that fails, and why.")
@format_option("text", "json")
def encode(
    *,
    places: tuple[Path, ...],
    check: bool,
    deadlines: "Counting",
    keep_going: bool,
    filter_: str,
    models: "ModelOptions",
    budget: "Budget",
    prices: Path | None,
    replay: Path | None,
    samples: int,
    memory: str,
    jobs: int,
    max_rounds: int,
    answer: "Form",
    review: bool,
    reviewer: str | None,
    prompts: Path | None,
    results: Path | None,
    trace: Path | None,
    restart: bool,
    plot: Path | None,
    min_accuracy: float | None,
    min_accepted: float | None,
    min_caught: float | None,
    min_tests: float | None,
    verbose: bool,
    format: str,
) -> int:
    """Have a model write the specs of many instructions, and score them against gold specs and tests.

    DIR is a folder with meta.json, spec1.vsa and spec2.vsa, or holds such folders. The model sees the instructions and
    the apps, never the gold. What it answered is kept, so an interrupted run goes on where it stopped.

    Exit status: 0 measured, 1 a figure is below its --min, 2 the folders cannot be used or the model did not answer
    all.
    """
    from benchmarks.measure.encode import META, open_results
    from benchmarks.measure.encode.measuring import measured
    from vsalang.base.config import config_for
    from vsalang.base.source.results import ResultsError
    from vsalang.models.client.recorded import Recording
    from vsalang.models.encode import InputError, ModelError, PriceError, PromptError, TraceError

    cases = _cases(places, filter_, deadlines, keep_going=keep_going)
    if check:
        data = {"version": 1, "cases": [case.name for case in cases]}
        text = f"{count(len(cases), 'case')}, {2 * len(cases)} gold specs: all do what they say"
        echo(json_text(data, indent=2) if format == "json" else text)
        return EXIT_OK
    if replay is not None and models.endpoint_dir is not None:
        raise click.UsageError("--replay asks nobody: it goes without --endpoint-dir")
    refuse_to_lose(str(plot) if plot is not None else None, [case.folder / META for case in cases])
    if plot is not None and not plot.parent.is_dir():
        raise Failure(f"{plot.parent} is not a folder", "make it first")
    if results is None and replay is None:
        results = Path(_RESULTS)
    warm = memory != "none"
    progress = Progress(2 * len(cases) * samples * (1 + warm), "specs")
    known: Results[Encoded] | None = None
    try:
        recording = Recording.read(replay) if replay is not None else None
        asked = _Asked(models, reviewer, recording, response_format() if answer == "json" else None)
        ledger = asked.ledger(budget, prices or config_for(places[0]).encode.prices, trace, review)
        known = open_results(results, restart=restart) if results is not None else None
        parts = measured(
            cases,
            asked.encoder(ledger, known, max_rounds, prompts, review=review),
            samples=samples,
            jobs=jobs,
            warm=warm,
            heard=lambda encoded: _heard(encoded, known, progress),
        )
    except InputError as error:
        if error.diagnostics:
            click.echo(render(error.diagnostics, error.sources, "text"), nl=False, err=True)
        raise Failure(str(error), error.hint) from error
    except (ModelError, PriceError, PromptError, ResultsError, TraceError) as error:
        raise Failure(str(error), getattr(error, "hint", "")) from error
    except KeyboardInterrupt:
        progress.clear()
        if known is not None:
            say(f"{count(len(known), 'spec')} kept in {known.place}: the same command goes on from there")
        raise
    finally:
        progress.clear()
        if known is not None:
            known.close()
    if plot is not None:
        from benchmarks.measure.encode.plot import picture

        write_text(plot, picture(parts))
    below = _below(
        parts[-1], accuracy=min_accuracy, accepted=min_accepted, caught=min_caught, tests=min_tests
    )
    if format == "json":
        echo(json_text(as_data(parts, below), indent=2))
    else:
        echo(as_text(parts, verbose=verbose, color=use_color()), nl=False, color=True)
        for line in below:
            say(line)
    if not all(part.whole for part in parts):
        return EXIT_FAILED
    return EXIT_FINDINGS if below else EXIT_OK


def _cases(
    places: tuple[Path, ...], filter_: str, counting: "Counting", *, keep_going: bool
) -> "tuple[Case, ...]":
    """The cases whose name contains the text; their gold does what it says.

    Raises:
        Failure: there is none, or a mistake in the folders; `keep_going`: each case with one is left out.
    """
    from benchmarks.measure.encode import FoldersError, check_gold, read_cases

    faults: list[Fault] = []
    try:
        cases = read_cases(places, counting)
    except FoldersError as error:
        cases = error.rest
        faults += error.faults
    cases = tuple(case for case in cases if filter_.casefold() in case.name.casefold())
    try:
        check_gold(cases)
    except FoldersError as error:
        cases = error.rest
        faults += error.faults
    for fault in faults[:_MOST_FAULTS]:
        Failure(str(fault), fault.help).show()
    if faults and not keep_going:
        more = len(faults) - _MOST_FAULTS
        told = f"{count(len(faults), 'mistake')} in the folders" + (f", {more} not shown" if more > 0 else "")
        raise Failure(told, "--keep-going leaves out the cases with mistakes" if cases else "")
    if not cases:
        raise Failure(f"no case has a name that contains {filter_!r}" if filter_ else "there is no case")
    return cases


def _heard(encoded: "Encoded", known: "Results[Encoded] | None", progress: Progress) -> None:
    if known is not None:
        known.add(encoded.key, encoded)
    progress.step()


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who is asked: models, or what they answered in an earlier run."""

    models: "ModelOptions"
    reviewer: str | None
    replay: "Recording | None"
    form: "ResponseFormat | None"

    def model(self, sample: int, *, reads: bool) -> "Backend":
        """The model for a conversation: that writes, or that reads."""
        if self.replay is not None:
            return self.replay.model(sample)
        if reads:
            return self.models.named(self.reviewer).model(sample)
        return self.models.model(sample, form=self.form)

    def ledger(self, budget: "Budget", prices: Path | None, trace: Path | None, review: bool) -> "Ledger":
        """Counts what is spent, and makes sure that somebody can be asked before much is done.

        Raises:
            ModelError, PriceError, TraceError: nobody can be asked so.
        """
        from vsalang.models.encode import Ledger, Prices, Trace

        backends = [self.model(1, reads=reads) for reads in (False, True)[: 1 + review]]
        if any(backend.exposes_key for backend in backends):
            say(f"warning: the API key travels unencrypted to {backends[0].endpoint}")
        written = Trace(trace, backends[0].redact) if trace is not None else None
        ledger = Ledger(budget, Prices.read(prices), written)
        for backend in backends:
            ledger.needs_price(backend)
        return ledger

    def encoder(
        self,
        ledger: "Ledger",
        known: "Results[Encoded] | None",
        rounds: int,
        prompts: Path | None,
        *,
        review: bool,
    ) -> "Encoder":
        """Asks for one spec after the other, unless its result is known."""
        from benchmarks.measure.encode import Encoder, Order
        from vsalang.models.encode import Reader
        from vsalang.models.encode.prompting import Prompts

        if review and not Reviewing("", None).solves:
            say("the solver does not look at the specs: Z3 is not installed (pip install 'vsalang[smt]')")

        def meaning(order: Order, reads: "Model") -> "Meaning":
            return Reviewing(order.instruction, Reader(reads, order.case.moment, Prompts(prompts)))

        models = self.models
        where = self.replay.folder.resolve() if self.replay is not None else models.base_url or ""
        return Encoder(
            lambda order, reads: self.model(order.sample, reads=reads),
            f"{models.name} {self.reviewer} {where} {models.temperature} {models.seed}",
            ledger,
            rounds,
            prompts,
            meaning if review else None,
            known.get if known is not None else lambda key: None,
            "json" if self.form is not None else "vsa",
        )


def _below(part: "Part", **least: float | None) -> list[str]:
    """The figures that are lower than they may be, as sentences."""
    figures = part.figures()
    shares = {
        "accuracy": ("the accuracy", figures.confusion.accuracy),
        "accepted": ("the share of right runs accepted", figures.confusion.accepted),
        "caught": ("the share of contradictions caught", figures.confusion.recall),
        "tests": ("the share of gold tests passed by level", figures.level),
    }
    found = []
    for name, limit in least.items():
        words, share = shares[name]
        if limit is not None and (share.value is None or 100 * share.value < limit):
            value = "not known" if share.value is None else f"{100 * share.value:.1f} %"
            found.append(f"{words} ({part.mode}) is {value}, less than {limit:g} %")
    return found
