"""``vsac answers``: lists, accepts and drops what is kept of controls of which nobody knew what they do."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.base.source.database import StoreError
from vsalang.base.source.private import write_out
from vsalang.language.semantics import load_text
from vsalang.models.effects.answer import Argument
from vsalang.models.effects.kept import AnswerFile, KeptAnswer, usual_place
from vsalang.models.effects.module import EFFECTS, module_text, usual_name
from vsalang.screen.quoting import quoted, short
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_OK, Failure
from vsalang.tools.cli.output import echo, refuse_to_lose, refuse_to_replace
from vsalang.tools.cli.remembering import by_first_digits

_file: Any = option(
    "--answers",
    metavar="FILE",
    help="The file of answers.",
    default_text="~/.local/share/vsalang/answers.sqlite",
)


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Which answers are listed."""

    package: str | None = option("--package", metavar="PACKAGE", help="Only answers about this app.")
    waiting: bool = flag("--waiting", help="Only answers that nobody has accepted.")
    file: str | None = _file


@frame.as_command("text", "json")
def list_(options: ListOptions) -> Report | int:
    """List what is kept of unknown controls, the newest first."""
    file = _answers_at(options.file)
    chosen = [
        kept
        for kept in _kept(file)
        if options.package in (None, kept.key.package) and not (options.waiting and kept.accepted)
    ]

    def values() -> dict[str, Any]:
        return {"version": 1, "file": str(file.path), "answers": [_data(kept) for kept in chosen]}

    def text(style: Style) -> Iterator[str]:
        for kept in chosen:
            yield f"{style(kept.ref, fg='cyan')}  {_line(kept)}"
        number = count(len(chosen), "answer") if chosen else "nothing"
        yield f"{number} kept in {safe(str(file.path))}"

    return Result(values, text)


@dataclass(frozen=True, slots=True)
class AcceptOptions:
    """Which answers are accepted, and where the module is written that says so."""

    ids: tuple[str, ...] = argument("ID")
    output: str | None = option(
        "-o", "--output", metavar="FILE", help="Write the app module to this file, readable only by you."
    )
    force: bool = flag("--force", help="Replace the file if it exists.")
    file: str | None = _file


@frame.as_command()
def accept(options: AcceptOptions) -> int:
    """Accept answers: you have looked, and they are right. IDs may be first digits.

    From now on they count in every session that uses this file. All accepted answers about the app are written as an
    app module, which can be imported and shipped instead.
    """
    file = _answers_at(options.file)
    known = {kept.ref: kept for kept in _kept(file)}
    chosen = [known[ref] for ref in by_first_digits(options.ids, known, file.path, _SHORT)]
    packages = {kept.key.package for kept in chosen}
    if len(packages) > 1:
        raise Failure(f"these are answers about {len(packages)} apps", "accept those of one app at a time")
    if len({kept.key for kept in chosen}) < len(chosen):
        raise Failure("two of these answers are about the same control", "accept one of them")
    (package,) = packages
    refs = {kept.ref for kept in chosen}
    later = {kept.key for kept in chosen if kept.hindsight}
    accepted = [
        kept
        for ref, kept in known.items()
        if kept.key.package == package and (ref in refs or (kept.accepted and kept.key not in later))
    ]
    effects = load_text(f'app effects_alone any "Effects"\nimport {EFFECTS}\n').checked()
    name = usual_name(package) if options.output is None else Path(options.output).stem
    if re.fullmatch(r"[a-z]\w*", name, re.ASCII) is None:
        raise Failure(f"no module can be called {name!r}", f"name a file such as {usual_name(package)}.vsa")
    text = module_text(name, package, accepted, effects)
    if options.output is not None:
        refuse_to_replace(options.output, options.force)
        refuse_to_lose(options.output, [file.path])
    try:
        file.accept(chosen)
    except StoreError as error:
        raise Failure(str(error), error.hint) from error
    if options.output is None:
        click.echo(text, nl=False)
    else:
        write_out(Path(options.output), text)
    echo(f"{count(len(refs), 'answer')} accepted", err=True)
    return EXIT_OK


@dataclass(frozen=True, slots=True)
class DropOptions:
    """Which answers are forgotten."""

    ids: tuple[str, ...] = argument("ID")
    file: str | None = _file


@frame.as_command("text", "json")
def drop(options: DropOptions) -> Report | int:
    """Forget answers: what they are about is unknown again. IDs may be first digits."""
    file = _answers_at(options.file)
    known = {kept.ref: kept for kept in _kept(file)}
    refs = by_first_digits(options.ids, known, file.path, _SHORT)
    try:
        file.forget([known[ref] for ref in refs])
    except StoreError as error:
        raise Failure(str(error), error.hint) from error
    return Result(
        lambda: {"version": 1, "dropped": sorted(refs)},
        lambda style: [f"{count(len(refs), 'answer')} dropped"],
    )


_SHORT = "`vsac answers list` lists them"


def _answers_at(path: str | None) -> AnswerFile:
    """The file of answers; the usual one if none is named. Raises `Failure`."""
    try:
        return AnswerFile(Path(path) if path is not None else usual_place())
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


def _kept(file: AnswerFile) -> Sequence[KeptAnswer]:
    """All answers. Raises `Failure`."""
    try:
        return file.all()
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


def _line(kept: KeptAnswer) -> str:
    key, answer = kept.key, kept.answer
    means = "leads on" if answer.means == "leads on" else f"acts: {answer.kind}"
    by = f"by {short(answer.by)}{', by what came after the touch' if kept.hindsight else ''}"
    places = ", ".join(_place(each) for each in answer.arguments)
    state = "accepted" if kept.accepted else "not accepted"
    where = f" on {short(kept.words[0])}" if kept.words else ""
    version = f" {short(key.version)}" if key.version else ""
    held = "holding " if key.gesture == "long_press" else ""
    return (
        f"{means:16}  {state:12}  {held}{short(key.label or key.id)}{where}, {short(key.package)}{version}, "
        f"{by}" + (f"; {places}" if places else "")
    )


def _place(argument: Argument) -> str:
    """Where an argument stands, as people would say it."""
    parameter = safe(argument.parameter, 40)
    if argument.spot is None:
        return f"{parameter} is {short(argument.words)}"
    if argument.own:
        where = "what was touched" if argument.back else "its own words"
    elif argument.behind:
        where = f"the text behind {short(argument.behind)}"
    else:
        where = "the first text"
    if argument.detail:
        return f"and {where}{_before(argument)}"
    return f"{parameter}: {_part(argument)}{where}{_before(argument)}"


def _before(argument: Argument) -> str:
    """How long ago the screen of an argument showed, and what was touched since; empty: it is this screen."""
    if not argument.back:
        return ""
    names = [each if each == "typing" else short(each) if each else "something" for each in argument.touched]
    since = f" (then {', '.join(names)})" if names else ""
    steps = "1 step" if argument.back == 1 else f"{argument.back} steps"
    return f"{'' if argument.own else ','} {steps} before{since}"


def _part(argument: Argument) -> str:
    """Which part of its place an argument is; empty: all of it."""
    before, after = quoted(argument.before), quoted(argument.after)
    if argument.fixed:
        return "the sum in " if argument.parameter in ("amount", "currency") else "a part of "
    if argument.before and argument.after:
        return f"what is between {before} and {after} in "
    if argument.before:
        return f"what follows {before} in "
    return f"what comes before {after} in " if argument.after else ""


def _data(kept: KeptAnswer) -> dict[str, Any]:
    """An answer as JSON data."""
    key, answer = kept.key, kept.answer
    return {
        "id": kept.ref,
        "package": key.package,
        "version": key.version or None,
        "gesture": key.gesture,
        "control": {"id": key.id or None, "class": key.cls or None, "label": key.label or None},
        "screen": key.screen,
        "words": list(kept.words),
        "means": answer.means,
        "kind": answer.kind or None,
        "arguments": [_argument(each) for each in answer.arguments],
        "by": answer.by,
        "hindsight": kept.hindsight,
        "accepted": kept.accepted,
        "added": kept.added.isoformat(),
    }


def _argument(argument: Argument) -> dict[str, Any]:
    """An argument as JSON data."""
    return {
        "parameter": argument.parameter,
        "words": argument.words or None,
        "spot": argument.spot,
        "behind": argument.behind or None,
        "before": argument.before or None,
        "after": argument.after or None,
        "fixed": list(argument.fixed) if argument.fixed else None,
        "back": argument.back,
        "touched": list(argument.touched),
        "detail": argument.detail,
    }
