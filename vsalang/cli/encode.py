"""``vsac encode INSTRUCTION``: has a language model write a spec, until the checker accepts it."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from vsalang.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, count, format_option, render, require
from vsalang.cli.encode_report import as_json, as_text, problem_data
from vsalang.cli.encode_review import Reviewing
from vsalang.cli.encode_samples import sampled, voted
from vsalang.cli.options import Numbers
from vsalang.cli.output import write_new, write_text

if TYPE_CHECKING:
    from vsalang.formalize import Answered, Asking, FileModel, Formalized, OpenAIModel, Problem, Reviewed
    from vsalang.guard import ExampleResult
    from vsalang.semantics import Loaded

_MOST_TESTS: Final = 50
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
    help="An app the spec may use: a .vsa file, or a module's name. Repeatable.",
)
@click.option("-o", "--output", required=True, metavar="FILE.vsa", help="Where to write the spec.")
@click.option(
    "--model",
    default="gpt-4o",
    show_default=True,
    envvar="OPENAI_MODEL",
    metavar="NAME",
    help="The model to ask (or OPENAI_MODEL).",
)
@click.option("--base-url", metavar="URL", help="The endpoint (or OPENAI_BASE_URL); OpenAI's if left out.")
@click.option(
    "--endpoint-dir",
    metavar="DIR",
    help="Ask by files in this folder: each request is one, and waits for its answer's.",
)
@click.option(
    "--max-rounds",
    type=click.IntRange(1, 20),
    default=4,
    show_default=True,
    help="How often the model is asked at most.",
)
@click.option(
    "--today",
    metavar="DATE[THH:MM]",
    help="When the instruction was given: the spec's `today`. Now if left out.",
)
@click.option("--zone", metavar="NAME", help="The user's time zone, such as Europe/Berlin.")
@click.option("--locale", metavar="NAME", help="The user's language and country, such as en_US.")
@click.option("--name", help="The spec's name. That of the output file if left out.")
@click.option("--temperature", type=Numbers(0, 2), help="The model's temperature; not sent if left out.")
@click.option("--seed", type=int, help="The model's seed; not sent if left out.")
@click.option(
    "--timeout",
    type=Numbers(0, 3600, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="How long one request may take.",
)
@click.option(
    "--retries",
    type=click.IntRange(0, 10),
    default=2,
    show_default=True,
    help="How often a request is sent again after a busy server or a lost connection.",
)
@click.option(
    "--review/--no-review",
    default=True,
    show_default=True,
    help="Have the meaning of a spec that checks looked at.",
)
@click.option(
    "--reviewer", metavar="NAME", help="The model that reads for --review; that of --model if left out."
)
@click.option(
    "--samples",
    type=click.IntRange(1, 20),
    default=1,
    show_default=True,
    help="How many specs are asked for; those that decide alike vote together.",
)
@click.option("--interactive", is_flag=True, help="Ask here where samples disagree.")
@click.option("--stream", is_flag=True, help="Show each answer while it arrives.")
@click.option(
    "--prompts", metavar="DIR", help="A folder whose templates and examples take the place of ours."
)
@click.option("--transcript", metavar="FILE.jsonl", help="Write the whole conversation to this file.")
@click.option("--keep", is_flag=True, help="Save an attempt that is not accepted, as FILE.rejected.vsa.")
@click.option("--force", is_flag=True, help="Replace the output file and the transcript if they exist.")
@format_option("text", "json")
def command(
    *,
    instruction: str,
    apps: tuple[str, ...],
    output: str,
    model: str,
    base_url: str | None,
    endpoint_dir: str | None,
    max_rounds: int,
    today: str | None,
    zone: str | None,
    locale: str | None,
    name: str | None,
    temperature: float | None,
    seed: int | None,
    timeout: float,
    retries: int,
    review: bool,
    reviewer: str | None,
    samples: int,
    interactive: bool,
    stream: bool,
    prompts: str | None,
    transcript: str | None,
    keep: bool,
    force: bool,
    format: str,
) -> int:
    """Have a language model write the spec of INSTRUCTION, until it checks and its tests pass.

    Then its meaning is looked at: a model compares INSTRUCTION with a description of the spec, and the linter and the
    solver search for what is probably not meant. The writer hears the doubts once: it mends the spec or says why not.

    The key is read from OPENAI_API_KEY. Nothing can show that the spec means what INSTRUCTION says: read it before you
    use it. Exit status: 0 the spec was written, 1 no attempt was accepted, 2 the model or a file could not be used,
    3 the spec was written and needs a look: a doubt is left.
    """
    from vsalang.config import config_for
    from vsalang.formalize import (
        FileModel,
        InputError,
        ModelError,
        Moment,
        MomentError,
        OpenAIModel,
        PromptError,
        Reader,
        formalize,
    )
    from vsalang.formalize.prompting import Prompts

    try:
        moment = Moment.of(today, zone, locale)
    except MomentError as error:
        raise Failure(str(error)) from error
    place = Path(output)
    search = config_for(place).search
    _writable(place, force)
    if endpoint_dir is not None and (base_url or stream or temperature is not None or seed is not None):
        raise click.UsageError(
            "--endpoint-dir goes with none of --base-url, --stream, --temperature and --seed"
        )
    if interactive and samples == 1:
        raise click.UsageError("--interactive asks where samples disagree: give --samples")
    if transcript is not None:
        _usable_transcript(Path(transcript), place, force)
    if endpoint_dir is None:
        require("openai", "formalize")
    if samples > 1:
        require("z3", "smt")

    def server(name: str, number: int) -> "OpenAIModel | FileModel":
        if endpoint_dir is not None:
            return FileModel(Path(endpoint_dir), name=name, timeout=timeout)
        return OpenAIModel(
            name,
            base_url=base_url,
            temperature=temperature,
            seed=None if seed is None else seed + number - 1,
            timeout=timeout,
            retries=retries,
            show=_show if stream and name == model else None,
        )

    try:
        asked, reads = server(model, 1), server(reviewer or model, 1)
    except ModelError as error:
        raise Failure(str(error), error.hint) from error
    if asked.exposes_key:
        _say(f"warning: the API key travels unencrypted to {asked.endpoint}")
    reviewing = None
    if review:
        texts = Prompts(Path(prompts) if prompts is not None else None)
        reviewing = Reviewing(instruction, Reader(reads, moment, texts))
        if not reviewing.solves:
            _say("the solver does not look at the spec: Z3 is not installed (pip install 'vsalang[smt]')")
    listener = _Listener(
        asked, Path(transcript) if transcript is not None else None, force=force, streams=stream
    )

    def once(number: int) -> "Formalized":
        return formalize(
            instruction,
            apps,
            # by files one asks for all samples: another would find the answers to the first one's requests
            asked if endpoint_dir is not None else server(model, number),
            name=name or _name_of(place),
            place=place,
            max_rounds=max_rounds,
            check=run_tests,
            prompts=Path(prompts) if prompts is not None else None,
            listen=listener,
            search=search,
            moment=moment,
            meaning=reviewing,
        )

    try:
        results = sampled(samples, once, _say)
        result, vote = voted(results, interactive, _say) if samples > 1 else (results[-1], None)
    except InputError as error:
        if error.diagnostics:
            click.echo(render(error.diagnostics, error.sources, "text"), nl=False, err=True)
        raise Failure(str(error), error.hint) from error
    except (ModelError, PromptError, KeyboardInterrupt) as error:
        listener.failed(str(error) or "interrupted")
        if keep and listener.last:
            _say(f"the last attempt is kept in {_keep(place, listener.last)}")
        if isinstance(error, KeyboardInterrupt):
            raise
        raise Failure(str(error), error.hint if isinstance(error, ModelError) else "") from error
    finally:
        listener.close()

    kept: Path | None = None
    if result.accepted:
        (write_text if force else write_new)(place, result.text)
    elif keep and listener.last:
        kept = _keep(place, listener.last)
    if format == "json":
        click.echo(as_json(result, instruction, asked, place, kept, vote))
    else:
        click.echo(as_text(result, place, kept), nl=False)
    if not result.accepted:
        return EXIT_FINDINGS
    return EXIT_NEEDS_A_LOOK if result.doubts else EXIT_OK


# ---------------------------------------------------------------- tests of the spec


def run_tests(loaded: "Loaded") -> "Sequence[Problem]":
    """Run the tests of a spec without errors; return the failures as problems."""
    from vsalang.formalize import Problem
    from vsalang.guard import run_example

    assert loaded.program is not None
    if len(loaded.own) > _MOST_TESTS:
        return [Problem.of("test", f"the spec holds more than {_MOST_TESTS} tests", "a few are enough")]
    results = [run_example(loaded.program, example) for example in loaded.own]
    return [_failed(result, loaded) for result in results if not result.passed]


def _failed(result: "ExampleResult", loaded: "Loaded") -> "Problem":
    from vsalang.diagnostics.display import safe
    from vsalang.formalize import Problem

    step = result.failure
    assert step is not None
    message = f'the test "{safe(result.example.name, 200)}" fails'
    lines = [f"error: {message}"]
    source = loaded.sources.get(step.span.file) if step.span else None
    number: int | None = None
    if step.span is not None and source is not None:
        number = source.position(step.span.start).line
        last = source.position(max(step.span.start, step.span.end - 1)).line
        lines.append(f" --> {source.file}:{number}")
        lines += [f"  | {safe(source.line(n))}" for n in range(number, min(last, number + 9) + 1)]
    lines.append(f"  {safe(step.problem)}")
    if step.wanted:
        lines.append(f"  = wanted: {safe(step.wanted)}")
    if step.got:
        lines.append(f"  = got: {safe(step.got)}")
    for reason in step.reasons:
        lines.append(f"  = why: {reason.kind}: {safe(reason.message)}")
        lines += [f"      {safe(text)}" for text in reason.texts()]
    return Problem("test", "", message, "\n".join(lines), number)


# ---------------------------------------------------------------- progress and the transcript


def _say(text: str) -> None:
    from vsalang.diagnostics.display import safe

    click.echo(safe(text), err=True)


def _show(piece: str) -> None:
    """A piece of an answer, as it arrives."""
    from vsalang.diagnostics.display import safe_lines

    click.echo("\n".join(safe_lines(piece)), nl=False, err=True)


class _Listener:
    """Reports progress on standard error, and writes the transcript line by line."""

    def __init__(
        self, model: "OpenAIModel | FileModel", transcript: Path | None, *, force: bool, streams: bool
    ) -> None:
        self.model = model
        self.streams = streams
        self.last = ""
        self._transcript = transcript
        self._force = force
        self._stream: TextIO | None = None

    def __call__(self, event: "Asking | Answered | Reviewed") -> None:
        from vsalang.formalize import Asking, Reviewed

        prefix = f"round {event.number} of {event.of}"
        if isinstance(event, Reviewed):
            self._reviewed(prefix, event)
            return
        if isinstance(event, Asking):
            _say(f"{prefix}: asking {self.model.name} at {self.model.endpoint} ...")
            messages = [{"role": m.role, "content": m.content} for m in event.messages]
            self._record(
                "request",
                round=event.number,
                model=self.model.name,
                endpoint=self.model.endpoint,
                messages=messages,
            )
            return
        this = event.round
        if self.streams:
            click.echo(err=True)
        self.last = this.text or self.last
        what = count(len(this.problems), "error") if this.problems else "accepted"
        if this.fixed:
            what += f" ({count(len(this.fixed), 'mistake')} mended)"
        _say(f"{prefix}: {what}{', asking again' if event.again else ''}")
        self._record(
            "answer",
            round=event.number,
            model=this.answer.model,
            content=this.answer.text,
            usage=dict(this.answer.usage),
            text=this.text,
            fixed=[{"code": item.code, "message": item.message} for item in this.fixed],
            problems=[problem_data(problem) for problem in this.problems],
            accepted=not this.problems,
        )

    def _reviewed(self, prefix: str, event: "Reviewed") -> None:
        doubts = event.review.doubts
        _say(f"{prefix}: reviewed: {count(len(doubts), 'doubt') if doubts else 'no doubt'}")
        self._record(
            "review",
            round=event.number,
            exchanges=[
                {
                    "messages": [{"role": m.role, "content": m.content} for m in each.messages],
                    "content": each.answer,
                }
                for each in event.review.exchanges
            ],
            doubts=[{"kind": d.kind, "message": d.message, "quote": d.quote or None} for d in doubts],
        )

    def failed(self, message: str) -> None:
        """Record that the conversation ended with an error."""
        self._record("error", message=message)

    def close(self) -> None:
        """Close the transcript."""
        if self._stream is not None:
            self._stream.close()

    def _record(self, kind: str, **data: Any) -> None:
        if self._transcript is None:
            return
        if self._stream is None:
            # The instruction is private: only the user may read it.
            flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if self._force else os.O_EXCL)
            self._stream = os.fdopen(
                os.open(self._transcript, flags, 0o600), "w", encoding="utf-8", newline="\n"
            )
        self._stream.write(self.model.redact(json.dumps({"event": kind, **data}, ensure_ascii=False)) + "\n")
        self._stream.flush()


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


def _usable_transcript(transcript: Path, place: Path, force: bool) -> None:
    if transcript.resolve() in (place.resolve(), _rejected(place).resolve()) or transcript.suffix == ".vsa":
        raise Failure(f"{transcript} cannot be the transcript", "give another file, such as transcript.jsonl")
    if not transcript.parent.is_dir():
        raise Failure(f"{transcript.parent} is not a folder", "make it first")
    if os.path.lexists(transcript) and not force:
        raise Failure(f"{transcript} exists already", "choose another name, or replace it with --force")


def _name_of(place: Path) -> str:
    from vsalang.formalize import InputError, spec_name

    try:
        return spec_name(place.stem)
    except InputError as error:
        raise Failure(f"{place.name} cannot name a spec", f"give --name: {error.hint}") from error


def _rejected(place: Path) -> Path:
    return place.with_name(f"{place.stem}.rejected.vsa")


def _keep(place: Path, text: str) -> Path:
    """Save an attempt that was not accepted; an earlier one is replaced."""
    rejected = _rejected(place)
    write_text(rejected, text)
    return rejected
