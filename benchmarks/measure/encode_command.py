"""Has a model write the specs of many instructions, and scores them against gold specs and tests."""

from pathlib import Path
from typing import Final, Literal

import click

from benchmarks.measure.encode import (
    META,
    Case,
    Encoder,
    EncodingResult,
    Fault,
    FoldersError,
    Order,
    check_gold,
    open_results,
    read_cases,
)
from benchmarks.measure.encode.gold import Counting
from benchmarks.measure.encode.measuring import Part, measured
from benchmarks.measure.encode.plot import picture
from benchmarks.measure.encode_report import as_data, as_text
from vsalang.base.config import config_for
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, group, option
from vsalang.base.records import dataclass
from vsalang.base.source.results import Results, ResultsError
from vsalang.models.client.recorded import Recording
from vsalang.models.encode import (
    Backend,
    Budget,
    InputError,
    Ledger,
    Meaning,
    Model,
    ModelError,
    ModelOptions,
    PriceError,
    Prices,
    PromptError,
    Reader,
    ResponseFormat,
    Trace,
    TraceError,
)
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.review import Reviewing
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    render,
    use_color,
)
from vsalang.tools.cli.encode_listener import response_format, say
from vsalang.tools.cli.encode_options import SpendingOptions, WritingOptions, require_client
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import echo, json_text, refuse_to_lose, write_text
from vsalang.tools.cli.progress import Progress

_RESULTS: Final = "eval-encode.jsonl"
_MOST_FAULTS: Final = 50


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """Which cases are measured, how, and where the results go."""

    places: tuple[Path, ...] = argument("DIR")
    check: bool = flag("--check", help="Only check the folders and that the gold does what it says.")
    deadlines: Literal["turns", "proposals", "statements"] = option(
        "--deadlines", default="turns", help="Which steps of a run its deadline counts."
    )
    keep_going: bool = flag("--keep-going", help="Leave out cases with mistakes.")
    only: str = option("-k", default="", metavar="TEXT", help="Only cases whose name contains TEXT.")
    model: ModelOptions = group(ModelOptions)
    spending: SpendingOptions = group(SpendingOptions)
    writing: WritingOptions = group(WritingOptions)
    replay: Path | None = option(
        "--replay",
        metavar="DIR",
        help="Ask nobody: the answers are in this folder, which --endpoint-dir or --trace wrote.",
        excludes="--endpoint-dir",
    )
    samples: int = option(
        "--samples",
        least=1,
        most=99,
        default=1,
        help="How many specs are asked for of each instruction; the majority counts.",
    )
    memory: Literal["none", "leave-one-out"] = option(
        "--memory", default="none", help="Ask a second time with what proved right for the other cases."
    )
    jobs: int = option(
        "-j",
        "--jobs",
        least=1,
        most=256,
        default=4,
        metavar="N",
        help="How many specs are asked for at once.",
    )
    results: Path | None = option(
        "--results",
        metavar="FILE.jsonl",
        help=f"The result of each spec; a run goes on from it. [default: {_RESULTS}; none with --replay]",
    )
    trace: Path | None = option(
        "--trace", metavar="DIR", help="Write every request and answer to this empty folder."
    )
    restart: bool = flag("--restart", help="Forget what the file of results holds.")
    plot: Path | None = option("--plot", metavar="FILE.svg", help="Also draw the figures.")
    min_accuracy: float | None = option(
        "--min-accuracy", least=0, most=100, metavar="PERCENT", help="Status 1 below this accuracy."
    )
    min_accepted: float | None = option(
        "--min-accepted", least=0, most=100, metavar="PERCENT", help="The same for right runs accepted."
    )
    min_caught: float | None = option(
        "--min-caught", least=0, most=100, metavar="PERCENT", help="The same for contradictions caught."
    )
    min_tests: float | None = option(
        "--min-tests", least=0, most=100, metavar="PERCENT", help="The same for gold tests by level."
    )
    verbose: bool = flag("-v", "--verbose", help="Also show each gold test that fails, and why.")


@frame.as_command("text", "json")
def encode(options: EncodeOptions, output: Output) -> int:
    """Have a model write the specs of many instructions, and score them against gold specs and tests.

    DIR is a folder with meta.json, spec1.vsa and spec2.vsa, or holds such folders. The model sees the instructions and
    the apps, never the gold. What it answered is kept, so an interrupted run goes on where it stopped.

    Exit status: 0 measured, 1 a figure is below its --min, 2 the folders cannot be used or the model did not answer
    all.
    """
    cases = _cases(options.places, options.only, options.deadlines, keep_going=options.keep_going)
    if options.check:
        data = {"version": 1, "cases": [case.name for case in cases]}
        text = f"{count(len(cases), 'case')}, {2 * len(cases)} gold specs: all do what they say"
        echo(json_text(data, indent=2) if output.format == "json" else text)
        return EXIT_OK
    models, writing = options.model, options.writing
    if options.replay is None:
        require_client(models)
    refuse_to_lose(
        str(options.plot) if options.plot is not None else None, [case.folder / META for case in cases]
    )
    if options.plot is not None and not options.plot.parent.is_dir():
        raise Failure(f"{options.plot.parent} is not a folder", "make it first")
    results = options.results
    if results is None and options.replay is None:
        results = Path(_RESULTS)
    warm = options.memory != "none"
    progress = Progress(2 * len(cases) * options.samples * (1 + warm), "specs")
    known: Results[EncodingResult] | None = None
    try:
        recording = Recording.read(options.replay) if options.replay is not None else None
        asked = _ModelSource(
            models, writing.reviewer, recording, response_format() if writing.answer == "json" else None
        )
        prices = options.spending.prices or config_for(options.places[0]).encode.prices
        ledger = asked.ledger(options.spending.budget, prices, options.trace, writing.review)
        known = open_results(results, restart=options.restart) if results is not None else None
        parts = measured(
            cases,
            asked.encoder(ledger, known, writing.rounds, writing.prompts, review=writing.review),
            samples=options.samples,
            jobs=options.jobs,
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
    if options.plot is not None:
        write_text(options.plot, picture(parts))
    below = _below(
        parts[-1],
        accuracy=options.min_accuracy,
        accepted=options.min_accepted,
        caught=options.min_caught,
        tests=options.min_tests,
    )
    if output.format == "json":
        echo(json_text(as_data(parts, below), indent=2))
    else:
        echo(as_text(parts, verbose=options.verbose, color=use_color()), nl=False, color=True)
        for line in below:
            say(line)
    if not all(part.whole for part in parts):
        return EXIT_FAILED
    return EXIT_FINDINGS if below else EXIT_OK


def _cases(
    places: tuple[Path, ...], filter_: str, counting: Counting, *, keep_going: bool
) -> tuple[Case, ...]:
    """The cases whose name contains the text; their gold does what it says.

    Raises:
        Failure: there is none, or a mistake in the folders; `keep_going`: each case with one is left out.
    """
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


def _heard(encoded: EncodingResult, known: Results[EncodingResult] | None, progress: Progress) -> None:
    if known is not None:
        known.add(encoded.key, encoded)
    progress.step()


@dataclass(frozen=True, slots=True)
class _ModelSource:
    """Who is asked: models, or what they answered in an earlier run."""

    models: ModelOptions
    reviewer: str | None
    replay: Recording | None
    form: ResponseFormat | None

    def model(self, sample: int, *, reads: bool) -> Backend:
        """The model for a conversation: that writes, or that reads."""
        if self.replay is not None:
            return self.replay.model(sample)
        if reads:
            return self.models.named(self.reviewer).model(sample)
        return self.models.model(sample, form=self.form)

    def ledger(self, budget: Budget, prices: Path | None, trace: Path | None, review: bool) -> Ledger:
        """Counts what is spent, and makes sure that somebody can be asked before much is done.

        Raises:
            ModelError, PriceError, TraceError: nobody can be asked so.
        """
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
        ledger: Ledger,
        known: Results[EncodingResult] | None,
        rounds: int,
        prompts: Path | None,
        *,
        review: bool,
    ) -> Encoder:
        """Asks for one spec after the other, unless its result is known."""
        if review and not Reviewing("", None).solves:
            say("the solver does not look at the specs: Z3 is not installed (pip install 'vsalang[smt]')")

        def meaning(order: Order, reads: Model) -> Meaning:
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


def _below(part: Part, **least: float | None) -> list[str]:
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
