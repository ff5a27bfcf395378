"""``vsac encode INSTRUCTION``: has a language model write a spec, until the checker accepts it."""

import datetime as dt
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from vsalang.tools.cli.app_actions import Confirming, action_options, with_modules
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, render, require, version
from vsalang.tools.cli.encode_listener import Listener, response_format, say, show
from vsalang.tools.cli.encode_options import model_options, spending_options, writing_options
from vsalang.tools.cli.encode_report import as_json, as_text
from vsalang.tools.cli.encode_review import Reviewing
from vsalang.tools.cli.encode_samples import sampled, voted
from vsalang.tools.cli.output import write_new, write_text
from vsalang.tools.cli.progress import teller
from vsalang.tools.cli.remembering import memory_options

if TYPE_CHECKING:
    from vsalang.models.encode import Budget, Form, Formalized, ModelOptions
    from vsalang.tools.cli.remembering import Remembering

EXIT_NEEDS_A_LOOK: Final = 3
"""The spec was written, and there is a doubt about its meaning."""


@click.command()
@click.argument("instruction")
@click.option(
    "--app",
    "apps",
    multiple=True,
    required=True,
    metavar="APP",
    help="An app the spec may use: a .vsa file, a module's name, or a JSON state schema (imported); repeatable.",
)
@action_options
@click.option("-o", "--output", required=True, metavar="FILE.vsa", help="Where to write the spec.")
@model_options
@spending_options
@writing_options
@click.option(
    "--today",
    metavar="DATE[THH:MM]",
    help="When the instruction was given: the spec's `today`. Now if left out.",
)
@click.option("--zone", metavar="NAME", help="The user's time zone, such as Europe/Berlin.")
@click.option("--locale", metavar="NAME", help="The user's language and country, such as en_US.")
@click.option("--name", help="The spec's name. That of the output file if left out.")
@click.option(
    "--samples",
    type=click.IntRange(1, 20),
    default=1,
    show_default=True,
    help="How many specs are asked for; those that decide alike vote together.",
)
@click.option("--interactive", is_flag=True, help="Ask here where samples disagree.")
@click.option("--stream", is_flag=True, help="Show each answer while it arrives.")
@memory_options
@click.option("--tests", is_flag=True, help="Add tests of what the reader found to be meant.")
@click.option(
    "--provenance/--no-provenance",
    default=True,
    show_default=True,
    help="Say above the spec who made it, how, and what was checked.",
)
@click.option("--trace", metavar="DIR", help="Write each request and answer to this folder.")
@click.option("--keep", is_flag=True, help="Save an attempt that is not accepted, as FILE.rejected.vsa.")
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@format_option("text", "json")
def command(
    *,
    instruction: str,
    apps: tuple[str, ...],
    confirming: Confirming,
    output: str,
    models: "ModelOptions",
    budget: "Budget",
    prices: Path | None,
    max_rounds: int,
    today: str | None,
    zone: str | None,
    locale: str | None,
    name: str | None,
    answer: "Form",
    review: bool,
    reviewer: str | None,
    samples: int,
    interactive: bool,
    stream: bool,
    prompts: Path | None,
    remembering: "Remembering",
    tests: bool,
    provenance: bool,
    trace: str | None,
    keep: bool,
    force: bool,
    format: str,
) -> int:
    """Have a language model write the spec of INSTRUCTION, until it checks and its tests pass.

    Then its meaning is looked at: a model compares INSTRUCTION with a description of the spec, and the linter and the
    solver search for what is probably not meant. The writer hears the doubts once: it fixes the spec or says why not.

    The key is read from OPENAI_API_KEY. Nothing can show that the spec means what INSTRUCTION says: read it before you
    use it. Exit status: 0 the spec was written, 1 no attempt was accepted, 2 the model or a file could not be used,
    3 the spec was written and needs a look: a doubt is left.
    """
    from vsalang.base.config import config_for
    from vsalang.models.encode import (
        InputError,
        Ledger,
        ModelError,
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
    )
    from vsalang.models.encode.own_tests import rewritten, run_tests, with_tests
    from vsalang.models.encode.prompting import Prompts
    from vsalang.models.encode.provenance import Made

    try:
        moment = Moment.of(today, zone, locale)
    except MomentError as error:
        raise Failure(str(error)) from error
    place = Path(output)
    _writable(place, force)
    if models.endpoint_dir is not None and stream:
        raise click.UsageError("--endpoint-dir does not go with --stream")
    if interactive and samples == 1:
        raise click.UsageError("--interactive asks where samples disagree: give --samples")
    if samples > 1:
        require("z3", "smt")
    config = config_for(place)
    try:
        asked, reads = models.model(), models.named(reviewer).model(tell=say)
        written = Trace(Path(trace), asked.redact) if trace is not None else None
        ledger = Ledger(budget, Prices.read(prices or config.encode.prices), written)
        for each in (asked, reads) if review else (asked,):
            ledger.needs_price(each)
    except (ModelError, PriceError, TraceError) as error:
        raise Failure(str(error), error.hint if isinstance(error, ModelError) else "") from error
    if asked.exposes_key:
        say(f"warning: the API key travels unencrypted to {asked.endpoint}")
    reviewing = None
    tell = teller()
    if review:
        reader = Reader(ledger.watch(reads, "reader"), moment, Prompts(prompts))
        reviewing = Reviewing(instruction, reader, tell)
        if not reviewing.solves:
            say("the solver does not look at the spec: Z3 is not installed (pip install 'vsalang[smt]')")
    listener = Listener(asked, written, streams=stream, reviews=review)
    apps = with_modules(apps, place.parent, confirming)
    task = Task(instruction, apps, name or _name_of(place), place, config.search, moment)
    settings = Settings(max_rounds, run_tests, prompts, reviewing, remembering.entries(), answer)
    form = response_format() if answer == "json" else None

    def once(number: int) -> "Formalized":
        model = models.model(number, show=show if stream else None, form=form, tell=say)
        listener.sample = number
        return encode(task, ledger.watch(model, "writer", number), settings, listener)

    try:
        results = sampled(samples, once, say)
        result, vote = voted(results, interactive, say) if samples > 1 else (results[1], None)
    except InputError as error:
        if error.diagnostics:
            click.echo(render(error.diagnostics, error.sources, "text"), nl=False, err=True)
        raise Failure(str(error), error.hint) from error
    except (ModelError, PromptError, KeyboardInterrupt) as error:
        if written is not None:
            written.event("error", message=str(error) or "interrupted")
        if keep and listener.last:
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
        if tests:
            result = with_tests(result, task)
        if provenance:
            made = Made(version(), dt.date.today(), moment, asked, spent, samples)
            result = rewritten(result, made.above(result), task)
        (write_text if force else write_new)(place, result.text)
    elif keep and listener.last:
        kept = _keep(place, listener.last)
    if format == "json":
        click.echo(as_json(result, instruction, asked, place, kept, vote=vote, spent=spent))
    else:
        click.echo(as_text(result, place, kept, spent), nl=False)
    if not result.accepted:
        return EXIT_FINDINGS
    remembering.keep_if_meant(place, result.rounds[-1].answer.model or asked.name)
    return EXIT_NEEDS_A_LOOK if result.doubts else EXIT_OK


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
    from vsalang.models.encode import InputError, spec_name

    try:
        return spec_name(place.stem)
    except InputError as error:
        raise Failure(f"{place.name} cannot name a spec", f"give --name: {error.hint}") from error


def _rejected(place: Path) -> Path:
    return place.with_name(f"{place.stem}.rejected.vsa")


def _keep(place: Path, text: str) -> Path:
    """Save an attempt that was not accepted; an earlier one is replaced. Nothing in it can steer a terminal."""
    from vsalang.base.diagnostics.display import safe_lines

    rejected = _rejected(place)
    write_text(rejected, "\n".join(safe_lines(text, len(text))))
    return rejected
