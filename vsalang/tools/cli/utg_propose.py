"""``vsac map propose``: a draft of an app module, learnt from recordings."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from vsalang.agents.maps import Reader, UTGError
from vsalang.agents.maps.draft import HEAD, module
from vsalang.agents.maps.drafted import Draft
from vsalang.agents.maps.learning import learn
from vsalang.agents.maps.naming import named_by
from vsalang.agents.maps.programs import ids_read
from vsalang.agents.maps.samples import Samples, read_samples
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, group, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.language.notations.into.naming import IDENTIFIER
from vsalang.language.semantics import load_text
from vsalang.models.encode import ModelError, ModelOptions, PromptError
from vsalang.program.ir import Program
from vsalang.program.text import line
from vsalang.tools.cli import frame, utg_sources
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, render
from vsalang.tools.cli.encode_options import require_client
from vsalang.tools.cli.output import echo, refuse_to_replace, write_text
from vsalang.tools.cli.progress import telling
from vsalang.tools.cli.utg_sources import program_of

_MOST_NOTES = 20


@dataclass(frozen=True, slots=True)
class ProposeOptions:
    """From which recordings a module is drafted, and where it goes."""

    recordings: tuple[str, ...] = argument("RECORDING")
    output: str | None = option(
        "-o", "--output", metavar="FILE.vsa", help="Where to write the draft. Standard output if left out."
    )
    force: bool = flag("--force", help="Replace the output file, if it is a draft.")
    package: str = option(
        "--package",
        default="",
        metavar="PACKAGE",
        help="The app.",
        default_text="the one that was opened, or seen most of the time",
    )
    app: str | None = utg_sources.app()
    model: ModelOptions | None = group(
        ModelOptions,
        when="--model or --base-url or --endpoint-dir",
        name="Also ask a model for names of screens, views and lists; the key is read from OPENAI_API_KEY.",
    )


@frame.as_command("text", "json")
def propose(options: ProposeOptions) -> Report:
    """Draft an app module from RECORDINGs: screens, where gestures lead, cells that change, lists.

    A RECORDING is a journal, walks of any format that `vsac record --walk` reads (a folder of DroidBot, a file of
    DroidTask, ..), or a dump of one screen (.xml). The draft is a module without errors. Each rule says how often it
    was seen; read it before you use it. With --app only what MODULE does not have yet is proposed.

    A model that is named with --model gives names and descriptions; rules are never changed by it.

    Exit status: 0 something is proposed, 1 nothing is, 2 a file cannot be used.
    """
    refuse_to_replace(options.output, options.force)
    _refuse_to_lose(options.output)
    name = _name(options.output)
    require_client(options.model)
    program = program_of(options.app) if options.app else None
    samples = _samples(options.recordings, options.package, program)
    known = samples.packages()
    if not known:
        raise Failure("the recordings do not say which app they show", "name it: --package PACKAGE")
    if options.package and options.package not in known:
        raise Failure(f"{options.package} was not seen", f"the recordings show {', '.join(list(known)[:8])}")
    package = options.package or _chosen(samples, program)
    taken = {each.rpartition(":")[2] for each in program.relations} if program else set()
    draft = learn(samples, package, taken=taken, known=ids_read(program) if program else None)
    if options.model is not None:
        draft = _named(options.model, draft, taken)
    imported = program.main if program else None
    text = module(
        draft, name=name, source=", ".join(Path(each).name for each in options.recordings), imported=imported
    )
    _valid(text, options.output or f"{name}.vsa", imported)
    new = [kind for kind in draft.kinds if kind.signature is not None]
    empty = not (new or draft.ways or any(kind.fields or kind.rows for kind in draft.kinds))
    if options.output is not None and not empty:
        write_text(Path(options.output), text)
    screens, steps = count(len(new), "screen"), count(len(draft.ways), "step")
    where = f", written to {options.output}" if options.output is not None and not empty else ""
    notes = [
        f"{package}: {screens}, {steps} between screens proposed; "
        f"{draft.named} of {draft.looks} looks have a screen{where}"
    ]
    if others := [each for each in known if each != package]:
        notes.append(f"also seen: {', '.join(others[:8])}: --package takes one of these")
    printed = [text.removesuffix("\n")] if options.output is None and not empty else []
    return Result(
        lambda: _data(draft, options.output, text),
        lambda style: printed,
        EXIT_FINDINGS if empty else EXIT_OK,
        notes,
    )


def _refuse_to_lose(output: str | None) -> None:
    """Stop before an output takes the place of a file that is not a draft.

    Raises:
        Failure: it would.
    """
    if output is None or not Path(output).exists():
        return
    try:
        with Path(output).open(encoding="utf-8") as file:
            draft = file.readline(len(HEAD) + 8).startswith(HEAD)
    except (OSError, UnicodeDecodeError):
        draft = False
    if not draft:
        raise Failure(
            f"{output} is not a draft: nothing is written over it", "name another file for the output"
        )


def _name(output: str | None) -> str:
    stem = Path(output).stem if output is not None else "draft"
    if output is not None and (not output.endswith(".vsa") or not IDENTIFIER.fullmatch(stem)):
        raise Failure(f"{output} cannot name a module", "call it NAME.vsa, of letters, digits and _")
    return stem


def _named(models: ModelOptions, draft: Draft, taken: set[str]) -> Draft:
    """The draft with the names that a model gives."""
    try:
        model = models.model()
        if model.exposes_key:
            echo(f"warning: the API key travels unencrypted to {safe(model.endpoint)}", err=True)
        echo(f"asking {safe(model.name)} at {safe(model.endpoint)} ...", err=True)
        draft_named = named_by(model, draft, taken=taken)
    except ModelError as error:
        raise Failure(str(error), error.hint) from error
    except PromptError as error:
        raise Failure(str(error)) from error
    for note in draft_named.notes[:_MOST_NOTES]:
        echo(f"  {note}", err=True)
    if len(draft_named.notes) > _MOST_NOTES:
        echo(f"  and {len(draft_named.notes) - _MOST_NOTES} more", err=True)
    echo(f"{draft_named.named} of {draft_named.asked} named by {safe(model.name)}", err=True)
    return draft_named.draft


def _chosen(samples: Samples, program: Program | None) -> str:
    """The app that is meant: one of the module's, else the one that the recordings are about.

    Raises:
        Failure: they are about several.
    """
    known = samples.packages()
    own = {each for one in program.modules.values() for each in one.packages} if program else set()
    name = next((each for each in known if each in own), samples.meant())
    if not name:
        seen = ", ".join(f"{line(each, 80)} ({number} looks)" for each, number in list(known.items())[:8])
        raise Failure(
            f"the recordings show several apps: {seen}", "name the one that is meant: --package PACKAGE"
        )
    return name


def _samples(recordings: Sequence[str], package: str, program: Program | None) -> Samples:
    for path in recordings:
        if not Path(path).exists():
            raise Failure(f"there is no {path}", "name a recording")
    try:
        with telling() as tell:
            reader = Reader(program) if program is not None else None
            return read_samples(
                [Path(each) for each in recordings], package=package, reader=reader, tell=tell
            )
    except UTGError as error:
        raise Failure(str(error), error.hint) from error
    except OSError as error:
        raise Failure(f"cannot read {error.filename}: {(error.strerror or str(error)).lower()}") from error


def _valid(text: str, file: str, imported: str | None) -> None:
    loaded = load_text(text, file=file, path=Path(file).absolute())
    if not loaded.ok:
        click.echo(render(loaded.errors, loaded.sources, "text"), nl=False, err=True)
        hint = f"write it next to the module {imported}, which it imports" if imported else ""
        raise Failure("what was learnt is not a valid module; nothing was written", hint)


def _data(draft: Draft, output: str | None, text: str) -> dict[str, Any]:
    return {
        "version": 1,
        "package": draft.package,
        "looks": draft.looks,
        "looks_named": draft.named,
        "steps": draft.tries,
        "unsettled": draft.unsettled,
        "screens": [
            {
                "name": kind.name,
                "named_by_model": asdict(kind.label) if kind.label is not None else None,
                "declared": kind.signature is None,
                "over": list(kind.over),
                "seen": kind.seen,
                "places": list(kind.places),
                "cells": [{"id": each.id, "values": each.values} for each in kind.fields],
                "lists": [
                    {"id": each.list, "parts": [asdict(part) for part in each.parts]} for each in kind.rows
                ],
            }
            for kind in draft.kinds
        ],
        "ways": [
            {
                "source": way.source,
                "gesture": way.gesture,
                "control": {key: value for key, value in asdict(way.control).items() if value}
                if way.control
                else {},
                "when": asdict(way.when) if way.when else None,
                "target": way.target,
                "tried": way.tried,
                "worked": way.worked,
                "places": list(way.places),
            }
            for way in draft.ways
        ],
        **({"file": output} if output is not None else {"module": text}),
    }
