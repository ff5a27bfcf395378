"""``vsac export FILE --to ..``: writes a program in a notation of other tools, or what it is compiled to."""

from collections.abc import Iterator
from dataclasses import MISSING
from pathlib import Path
from typing import Literal

from vsalang.base.config import config_for
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source import Position
from vsalang.engine import EngineError
from vsalang.engine.compile.cache import plan_of
from vsalang.engine.compile.codegen import source_of
from vsalang.engine.pydatalog.script import script
from vsalang.language.notations.out import TARGETS, ExportResult, export
from vsalang.language.notations.out.exported import Omission
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.tools.ask import AskError, Place, Wrong
from vsalang.tools.ask.asking import bring_about
from vsalang.tools.ask.engines import tell
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, read
from vsalang.tools.cli.frame import Unusable
from vsalang.tools.cli.output import refuse_to_lose, refuse_to_replace, write_text
from vsalang.tools.cli.situations import situation_of

_MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What is written, in which notation, and where."""

    file: str = argument("FILE")
    to: Literal["json", "datalog", "paper", "dot", "python", "pydatalog"] = option(
        "--to",
        required=True,
        default=MISSING,
        help="The notation to write. python: the functions that the engine runs. pydatalog: a script that runs alone.",
    )
    output: str | None = option(
        "-o", "--output", metavar="OUT", help="Where to write it. Standard output if left out."
    )
    force: bool = flag("--force", help="Replace the output file if it exists.")
    graph: Literal["rules", "screens"] | None = option(
        "--graph",
        help="For dot: what depends on what (the default), or how gestures lead from screen to screen.",
        needs="--to dot",
    )
    main_only: bool = flag(
        "--main-only",
        help="For datalog and dot: leave out the rules of imported modules.",
        needs="--to datalog or --to dot",
    )
    states: tuple[str, ...] = option(
        "--state",
        default=(),
        metavar="STATE",
        help="For pydatalog: put the facts of this state into the script, as `vsac query` reads it; repeatable.",
        needs="--to pydatalog",
    )
    policies: tuple[str, ...] = shared.policies()
    omit: bool = flag("--omit", help="Exit status 0 although rules could not be expressed in that notation.")


@frame.as_command("text", "json")
def command(options: ExportOptions) -> Report:
    """Write the checked program of FILE (`-`: standard input) in another notation.

    json is the core program, complete; datalog, paper (the Horn clauses of the VeriSafe Agent paper) and dot
    (Graphviz) express a part of it; python and pydatalog are what it is compiled to. A rule that the notation cannot
    express becomes a comment, is listed on standard error, and makes the exit status 1, unless --omit is given.

    Exit status: 0; 1 FILE has errors, or something is not expressed; 2 it cannot be read or compiled to that.
    """
    refuse_to_lose(
        options.output, (options.file, *options.policies, *(state.split("::")[0] for state in options.states))
    )
    refuse_to_replace(options.output, options.force)
    if options.file == "-":
        if options.policies:
            raise Failure("policies need FILE to be a file", "save it, and name the file")
        place = Path.cwd() / "<stdin>"
        loaded = load_text(read("-").text, file="<stdin>", path=place, search=config_for(place).search)
    else:
        loaded = load(options.file, policies=options.policies, search=config_for(options.file).search)
    if loaded.program is None:
        raise Unusable(loaded.errors, loaded.sources, -1)
    exported = _exported(
        loaded, options.to, graph=options.graph or "rules", main_only=options.main_only, states=options.states
    )
    if options.output is not None:
        refuse_to_lose(options.output, (each.path for each in loaded.sources.values() if each.path))
        write_text(Path(options.output), exported.text)
    return Export(options, exported, loaded)


@dataclass(frozen=True, slots=True)
class Export(Report):
    """A program in another notation.

    Attributes:
        options: what was asked for.
        exported: the text, and what it does not express.
        loaded: the program.
    """

    options: ExportOptions
    exported: ExportResult
    loaded: Loaded

    @property
    def status(self) -> int:  # type: ignore[override]
        """1 if something could not be expressed."""
        return EXIT_FINDINGS if self.exported.omissions and not self.options.omit else EXIT_OK

    def data(self) -> object:
        """The text, unless it went to a file, and what it does not express."""
        omissions = []
        for item in self.exported.omissions:
            at = self._position(item)
            omissions.append(
                {
                    "rule": item.rule,
                    "what": item.what,
                    "reason": item.reason,
                    "file": item.span.file if item.span else None,
                    "line": at.line if at else None,
                    "column": at.column if at else None,
                }
            )
        output = self.options.output
        return {
            "version": 1,
            "file": self.options.file,
            "to": self.options.to,
            "rules": self.exported.rules,
            "output": output,
            "text": self.exported.text if output is None else None,
            "omissions": omissions,
        }

    def lines(self, style: Style) -> Iterator[str]:
        """The text, unless it went to a file."""
        if self.options.output is None:
            yield self.exported.text.removesuffix("\n")

    def notes(self, style: Style) -> Iterator[str]:
        """Where the text went, and what it does not express."""
        options, exported = self.options, self.exported
        if options.output is not None:
            rules = count(exported.rules, "rule")
            yield f"Exported {rules} of {safe(options.file)} as {options.to} to {safe(options.output)}."
        if exported.omissions:
            yield "Not expressed there, or not in full:"
        for item in exported.omissions[:_MOST_LISTED]:
            at = self._position(item)
            place = f"{safe(item.span.file)}:{at.line}:{at.column}: " if item.span and at else ""
            yield f"  {place}{safe(item.what)}: {safe(item.reason, 200)}"
        if len(exported.omissions) > _MOST_LISTED:
            yield f"  and {len(exported.omissions) - _MOST_LISTED} more; the comments of the export say all"

    def _position(self, item: Omission) -> Position | None:
        source = self.loaded.sources.get(item.span.file) if item.span else None
        return source.position(item.span.start) if source and item.span else None


def _exported(
    loaded: Loaded, to: str, *, graph: str, main_only: bool, states: tuple[str, ...]
) -> ExportResult:
    """The program in a notation. Raises `Failure`: it cannot be compiled to that."""
    program = loaded.checked()
    target = next((each for each in TARGETS if each == to), None)
    if target is not None:
        return export(program, target, graph=graph, main_only=main_only)
    try:
        if to == "python":
            text = source_of(plan_of(program))
        elif states:
            text = _with_state(loaded, states)
        else:
            text = script(program)
    except EngineError as error:
        raise Failure(f"{loaded.file} cannot be compiled to {to}: {error}") from None
    return ExportResult(text, len(program.rules))


def _with_state(loaded: Loaded, states: tuple[str, ...]) -> str:
    """The script for pyDatalog with the facts of a state."""
    place = Place(loaded)
    try:
        moment = bring_about(place, situation_of(place, states, "", None, None))
    except Wrong as wrong:
        raise Unusable(wrong.diagnostics, wrong.sources) from wrong
    except AskError as error:
        raise Failure(str(error)) from error
    recorder = moment.evaluator
    return script(
        loaded.checked(),
        lambda session: tell(session, recorder),
        today=recorder.today,
        similarity=recorder.similarity,
    )
