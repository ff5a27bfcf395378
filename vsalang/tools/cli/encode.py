"""``vsac encode INSTRUCTION``: has a language model write a spec, until the checker accepts it."""

import datetime as dt
import os
from dataclasses import MISSING
from functools import partial
from pathlib import Path
from typing import Final

import click

from vsalang.base.config import config_for
from vsalang.base.diagnostics.display import safe_lines
from vsalang.base.options import argument, flag, group, option
from vsalang.base.records import dataclass
from vsalang.base.report import Result
from vsalang.models.encode import (
    Formalization,
    InputError,
    Ledger,
    ModelError,
    ModelOptions,
    Moment,
    MomentError,
    PriceError,
    Prices,
    PromptError,
    Reader,
    Settings,
    Task,
    Trace,
    TraceError,
    encode,
    spec_name,
)
from vsalang.models.encode.charter import is_charter
from vsalang.models.encode.joining import NotJoined, charter_of
from vsalang.models.encode.own_tests import rewritten, run_tests, with_tests
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.provenance import Provenance, answered_by
from vsalang.models.encode.report import as_data, as_text
from vsalang.models.encode.review import Reviewing
from vsalang.models.encode.sampling import sampled, voted
from vsalang.tools.cli import frame
from vsalang.tools.cli.app_actions import ActionOptions, with_modules
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, render, require, version
from vsalang.tools.cli.encode_listener import Listener, response_format, say, show
from vsalang.tools.cli.encode_options import SpendingOptions, WritingOptions, require_client
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import ask_if_meant, write_new, write_text
from vsalang.tools.cli.progress import teller
from vsalang.tools.cli.remembering import MemoryOptions

EXIT_NEEDS_A_LOOK: Final = 3
"""The spec was written, and there is a doubt about its meaning."""


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """Which spec is written, by which model, and where."""

    instruction: str = argument("INSTRUCTION")
    apps: tuple[str, ...] = option(
        "--app",
        default=MISSING,
        required=True,
        metavar="APP",
        help="An app the spec may use: a .vsa file, a module's name, or a JSON state schema (imported); repeatable.",
    )
    output: str = option(
        "-o", "--output", required=True, default=MISSING, metavar="FILE.vsa", help="Where to write the spec."
    )
    actions: ActionOptions = group(ActionOptions)
    model: ModelOptions = group(ModelOptions)
    spending: SpendingOptions = group(SpendingOptions)
    writing: WritingOptions = group(WritingOptions)
    today: str | None = option(
        "--today",
        metavar="DATE[THH:MM]",
        help="When the instruction was given: the spec's `today`. Now if left out.",
    )
    zone: str | None = option("--zone", metavar="NAME", help="The user's time zone, such as Europe/Berlin.")
    locale: str | None = option(
        "--locale", metavar="NAME", help="The user's language and country, such as en_US."
    )
    name: str | None = option("--name", help="The spec's name. That of the output file if left out.")
    samples: int = option(
        "--samples",
        least=1,
        most=20,
        default=1,
        help="How many specs are asked for; those that decide alike vote together.",
    )
    interactive: bool = flag("--interactive", help="Ask here where samples disagree.", needs="--samples")
    stream: bool = flag("--stream", help="Show each answer while it arrives.", excludes="--endpoint-dir")
    memory: MemoryOptions = group(MemoryOptions)
    tests: bool = flag("--tests", help="Add tests of what the reader found to be meant.")
    provenance: bool = flag(
        "--provenance/--no-provenance",
        default=True,
        help="Say above the spec who made it, how, and what was checked.",
    )
    trace: str | None = option("--trace", metavar="DIR", help="Write each request and answer to this folder.")
    keep: bool = flag("--keep", help="Save an attempt that is not accepted, as FILE.rejected.vsa.")
    force: bool = flag("--force", help="Replace the output file if it exists.")


@frame.as_command("text", "json")
def command(options: EncodeOptions, output: Output) -> int:
    """Have a language model write the spec of INSTRUCTION, until it checks and its tests pass.

    Then its meaning is looked at: a model compares INSTRUCTION with a description of the spec, and the linter and the
    solver search for what is probably not meant. The writer hears the doubts once: it fixes the spec or says why not.

    The key is read from OPENAI_API_KEY. Nothing can show that the spec means what INSTRUCTION says: read it before you
    use it. Exit status: 0 the spec was written, 1 no attempt was accepted, 2 the model or a file could not be used,
    3 the spec was written and needs a look: a doubt is left.
    """
    try:
        moment = Moment.of(options.today, options.zone, options.locale)
    except MomentError as error:
        raise Failure(str(error)) from error
    place = Path(options.output)
    _writable(place, options.force)
    confirming = options.actions.confirming()
    require_client(options.model)
    models, writing = options.model, options.writing
    if is_charter(options.apps) and options.interactive:
        raise Failure(
            "--interactive asks where samples vote, and charters do not vote: they are joined",
            "leave it out; `vsac run --instruction` shows the charter, and asks you",
        )
    if options.samples > 1 and not is_charter(options.apps):
        require("z3", "smt")
    config = config_for(place)
    try:
        asked, reads = models.model(), models.named(writing.reviewer).model(tell=say)
        written = Trace(Path(options.trace), asked.redact) if options.trace is not None else None
        ledger = Ledger(
            options.spending.budget, Prices.read(options.spending.prices or config.encode.prices), written
        )
        for each in (asked, reads) if writing.review else (asked,):
            ledger.needs_price(each)
    except (ModelError, PriceError, TraceError) as error:
        raise Failure(str(error), error.hint if isinstance(error, ModelError) else "") from error
    if asked.exposes_key:
        say(f"warning: the API key travels unencrypted to {asked.endpoint}")
    reviewing = None
    tell = teller()
    if writing.review:
        charter = is_charter(options.apps)
        reader = Reader(ledger.watch(reads, "reader"), moment, Prompts(writing.prompts), charter)
        reviewing = Reviewing(options.instruction, reader, tell)
        if not reviewing.solves:
            say("the solver does not look at the spec: Z3 is not installed (pip install 'vsalang[smt]')")
    listener = Listener(asked, written, streams=options.stream, reviews=writing.review)
    apps = with_modules(options.apps, place.parent, confirming)
    task = Task(options.instruction, apps, options.name or _name_of(place), place, config.search, moment)
    settings = Settings(
        writing.rounds, run_tests, writing.prompts, reviewing, options.memory.entries(), writing.answer
    )
    form = response_format() if writing.answer == "json" else None

    def once(number: int) -> Formalization:
        model = models.model(number, show=show if options.stream else None, form=form, tell=say)
        listener.sample = number
        return encode(task, ledger.watch(model, "writer", number), settings, listener)

    try:
        results = sampled(options.samples, once, say)
        ask = _ask if options.interactive else None
        if any(each.judgement is not None for each in results.values()):  # whatever the module was called by
            result, vote = charter_of(results, options.samples, task), None
        else:
            result, vote = voted(results, ask, say) if options.samples > 1 else (results[1], None)
    except InputError as error:
        if error.diagnostics:
            click.echo(render(error.diagnostics, error.sources, "text"), nl=False, err=True)
        raise Failure(str(error), error.hint) from error
    except NotJoined as error:
        raise Failure(str(error), "ask again, or for fewer samples") from error
    except (ModelError, PromptError, KeyboardInterrupt) as error:
        if written is not None:
            written.event("error", message=str(error) or "interrupted")
        if options.keep and listener.last:
            say(f"the last attempt is kept in {_keep(place, listener.last)}")
        if isinstance(error, KeyboardInterrupt):
            raise
        raise Failure(str(error), error.hint if isinstance(error, ModelError) else "") from error
    finally:
        if written is not None:
            written.close()

    kept: Path | None = None
    spent = ledger.spent
    if result.accepted:
        if options.tests:
            result = with_tests(result, task)
        if options.provenance:
            made = Provenance(version(), dt.date.today(), moment, asked, spent, options.samples)
            result = rewritten(result, made.above(result), task)
        (write_text if options.force else write_new)(place, result.text)
    elif options.keep and listener.last:
        kept = _keep(place, listener.last)
    status = output.print(
        Result(
            partial(as_data, result, options.instruction, asked, place, kept, vote=vote, spent=spent),
            lambda style: as_text(result, place, kept, spent, asked.name).removesuffix("\n").split("\n"),
            EXIT_FINDINGS if not result.accepted else EXIT_NEEDS_A_LOOK if result.doubts else EXIT_OK,
        )
    )
    if result.accepted:
        options.memory.keep_if_meant(place, ", ".join(answered_by(result)))
    return status


def _ask(question: str) -> bool | None:
    try:
        return ask_if_meant(question)
    except click.Abort:
        return None  # nobody is there: the specs that were paid for are not lost


# ---------------------------------------------------------------- files


def _writable(place: Path, force: bool) -> None:
    if place.suffix != ".vsa":
        raise Failure(f"{place} is not the name of a spec's file", "give a name that ends in .vsa")
    if not place.parent.is_dir():
        raise Failure(f"{place.parent} is not a folder", "make it first")
    if place.is_dir():
        raise Failure(f"{place} is a folder")
    if not os.access(place.parent, os.W_OK):
        raise Failure(f"{place.parent} may not be written to")
    if os.path.lexists(place) and not force:
        raise Failure(f"{place} exists already", "choose another name, or replace it with --force")


def _name_of(place: Path) -> str:
    try:
        return spec_name(place.stem)
    except InputError as error:
        raise Failure(f"{place.name} cannot name a spec", f"give --name: {error.hint}") from error


def _rejected(place: Path) -> Path:
    return place.with_name(f"{place.stem}.rejected.vsa")


def _keep(place: Path, text: str) -> Path:
    """Save an attempt that was not accepted; an earlier one is replaced. Nothing in it can steer a terminal."""
    rejected = _rejected(place)
    write_text(rejected, "\n".join(safe_lines(text, len(text))))
    return rejected
