"""``vsac map propose``: a draft of an app module, learnt from recordings."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count
from vsalang.program.text import line
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, render
from vsalang.tools.cli.encode_options import optional_model
from vsalang.tools.cli.output import echo, json_text, refuse_to_replace, write_text
from vsalang.tools.cli.progress import telling
from vsalang.tools.cli.utg_sources import app_option, program_of

if TYPE_CHECKING:
    from vsalang.agents.maps.drafted import Draft
    from vsalang.agents.maps.samples import Samples
    from vsalang.models.encode import ModelOptions
    from vsalang.program.ir import Program

_MOST_NOTES = 20


@click.command(name="propose")
@click.argument("recordings", metavar="RECORDING...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="FILE.vsa", help="Where to write the draft. Standard output if left out."
)
@click.option("--force", is_flag=True, help="Replace the output file, if it is a draft.")
@click.option(
    "--package",
    default="",
    metavar="PACKAGE",
    help="The app. [default: the one that was opened, or seen most of the time]",
)
@app_option
@optional_model("for names of screens, views and lists; the key is read from OPENAI_API_KEY")
@format_option("text", "json")
def propose(
    *,
    recordings: tuple[str, ...],
    output: str | None,
    force: bool,
    package: str,
    app: str | None,
    models: "ModelOptions | None",
    format: str,
) -> int:
    """Draft an app module from RECORDINGs: screens, where gestures lead, cells that change, lists.

    A RECORDING is a journal, walks of any format that `vsac record --walk` reads (a folder of DroidBot, a file of
    DroidTask, ..), or a dump of one screen (.xml). The draft is a module without errors. Each rule says how often it
    was seen; read it before you use it. With --app only what MODULE does not have yet is proposed.

    A model that is named with --model gives names and descriptions; rules are never changed by it.

    Exit status: 0 something is proposed, 1 nothing is, 2 a file cannot be used.
    """
    from vsalang.agents.maps.draft import module
    from vsalang.agents.maps.learning import learn
    from vsalang.agents.maps.programs import ids_read

    refuse_to_replace(output, force)
    _refuse_to_lose(output)
    name = _name(output)
    machine = format == "json"
    program = program_of(app, machine=machine) if app else None
    samples = _samples(recordings, package, program)
    known = samples.packages()
    if not known:
        raise Failure("the recordings do not say which app they show", "name it: --package PACKAGE")
    if package and package not in known:
        raise Failure(f"{package} was not seen", f"the recordings show {', '.join(list(known)[:8])}")
    package = package or _chosen(samples, program)
    taken = {each.rpartition(":")[2] for each in program.relations} if program else set()
    draft = learn(samples, package, taken=taken, known=ids_read(program) if program else None)
    if models is not None:
        draft = _named(models, draft, taken)
    imported = program.main if program else None
    text = module(
        draft, name=name, source=", ".join(Path(each).name for each in recordings), imported=imported
    )
    _valid(text, output or f"{name}.vsa", imported)
    new = [kind for kind in draft.kinds if kind.signature is not None]
    empty = not (new or draft.ways or any(kind.fields or kind.rows for kind in draft.kinds))
    if output is not None and not empty:
        write_text(Path(output), text)
    if machine:
        click.echo(json_text(_data(draft, output, text), indent=1))
    elif output is None and not empty:
        click.echo(text, nl=False)
    said = f"{count(len(new), 'screen')}, {count(len(draft.ways), 'step')} between screens"
    where = f", written to {output}" if output is not None and not empty else ""
    echo(f"{package}: {said} proposed; {draft.named} of {draft.looks} looks have a screen{where}", err=True)
    others = [each for each in known if each != package]
    if others:
        echo(f"also seen: {', '.join(others[:8])}: --package takes one of these", err=True)
    return EXIT_FINDINGS if empty else EXIT_OK


def _refuse_to_lose(output: str | None) -> None:
    """Stop before an output takes the place of a file that is not a draft.

    Raises:
        Failure: it would.
    """
    from vsalang.agents.maps.draft import HEAD

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
    from vsalang.language.notations.into.naming import IDENTIFIER

    stem = Path(output).stem if output is not None else "draft"
    if output is not None and (not output.endswith(".vsa") or not IDENTIFIER.fullmatch(stem)):
        raise Failure(f"{output} cannot name a module", "call it NAME.vsa, of letters, digits and _")
    return stem


def _named(models: "ModelOptions", draft: "Draft", taken: "set[str]") -> "Draft":
    """The draft with the names that a model gives."""
    from vsalang.agents.maps.naming import named_by
    from vsalang.base.diagnostics.display import safe
    from vsalang.models.encode import ModelError, PromptError

    try:
        model = models.model()
        if model.exposes_key:
            echo(f"warning: the API key travels unencrypted to {safe(model.endpoint)}", err=True)
        echo(f"asking {safe(model.name)} at {safe(model.endpoint)} ...", err=True)
        found = named_by(model, draft, taken=taken)
    except ModelError as error:
        raise Failure(str(error), error.hint) from error
    except PromptError as error:
        raise Failure(str(error)) from error
    for note in found.notes[:_MOST_NOTES]:
        echo(f"  {note}", err=True)
    if len(found.notes) > _MOST_NOTES:
        echo(f"  and {len(found.notes) - _MOST_NOTES} more", err=True)
    echo(f"{found.given} of {found.asked} named by {safe(model.name)}", err=True)
    return found.draft


def _chosen(samples: "Samples", program: "Program | None") -> str:
    """The app that is meant: one of the module's, else the one that the recordings are about.

    Raises:
        Failure: they are about several.
    """
    known = samples.packages()
    own = {each for one in program.modules.values() for each in one.packages} if program else set()
    found = next((each for each in known if each in own), samples.meant())
    if not found:
        seen = ", ".join(f"{line(each, 80)} ({number} looks)" for each, number in list(known.items())[:8])
        raise Failure(
            f"the recordings show several apps: {seen}", "name the one that is meant: --package PACKAGE"
        )
    return found


def _samples(recordings: Sequence[str], package: str, program: "Program | None") -> "Samples":
    from vsalang.agents.maps import Reader, UTGError
    from vsalang.agents.maps.samples import read_samples

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
    from vsalang.language.semantics import load_text

    loaded = load_text(text, file=file, path=Path(file).absolute())
    if not loaded.ok:
        click.echo(render(loaded.errors, loaded.sources, "text"), nl=False, err=True)
        hint = f"write it next to the module {imported}, which it imports" if imported else ""
        raise Failure("what was learnt is not a valid module; nothing was written", hint)


def _data(draft: "Draft", output: str | None, text: str) -> dict[str, Any]:
    from dataclasses import asdict

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
