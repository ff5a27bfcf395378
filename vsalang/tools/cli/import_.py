"""``vsac import FILE``: makes an app module from a state schema, or a spec from Horn clauses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click

from vsalang.base.config import config_for
from vsalang.base.diagnostics import in_order, jsonout
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, group, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source import Source
from vsalang.language.notations.into import (
    App,
    ImportedSpec,
    ImportFailed,
    ImportResult,
    Note,
    Proposal,
    import_rules,
    import_schema,
    propose,
    with_actions,
)
from vsalang.language.notations.into.naming import IDENTIFIER
from vsalang.models.encode import ModelError, ModelOptions, ask_for_actions
from vsalang.tools.cli import frame
from vsalang.tools.cli.app_actions import ActionOptions, Confirming, about_actions, is_schema, modules_of
from vsalang.tools.cli.common import (
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    read,
    render,
)
from vsalang.tools.cli.encode_options import require_client
from vsalang.tools.cli.frame import Findings
from vsalang.tools.cli.output import refuse_to_replace, write_text

_LONGEST_INSTRUCTION = 8_000
"""As of `vsac encode`."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What is made a module, and where it goes."""

    file: str = argument("FILE")
    output: str | None = option(
        "-o", "--output", metavar="FILE.vsa", help="Where to write the module. Standard output if left out."
    )
    force: bool = flag("--force", help="Replace the output file if it exists.")
    notation: Literal["json", "paper"] | None = option(
        "--from",
        help="What FILE holds: a JSON state schema, or Horn clauses. Left out: its name or its first character says.",
    )
    name: str | None = option(
        "--name", help="The module's name. That of the output or input file if left out."
    )
    package: str | None = option(
        "--package", help="For a schema: the app's Android package, such as com.example.app."
    )
    apps: tuple[str, ...] = option(
        "--app",
        default=(),
        metavar="APP",
        help="For clauses: the app module (.vsa) or state schema (.json) that they are about; repeatable.",
    )
    instruction: str | None = option(
        "--instruction", metavar="TEXT", help="For clauses: the user's instruction."
    )
    actions: ActionOptions = group(ActionOptions)
    model: ModelOptions | None = group(
        ModelOptions,
        when="--model or --base-url or --endpoint-dir",
        name="Also ask a model for actions; the key is read from OPENAI_API_KEY.",
    )


@frame.as_command("text", "json")
def command(options: ImportOptions) -> Report:
    """Make a .vsa file of FILE (`-` for standard input).

    A JSON state schema becomes an app module; Horn clauses in the notation of the VeriSafe Agent paper, such as
    `Timer(n=(3, >=)) → Start()`, become a spec. What FILE does not say is guessed; names that the language does not
    allow are changed. Every such decision is listed in a comment at the top and in the command's report, for a person
    to confirm. A clause that cannot be translated is kept as a comment and reported; the exit status is 1 then.

    A schema names no actions. Those that it speaks for are proposed; only what --accept, --actions all or your answer
    to --actions ask confirms is declared.
    """
    source = read(options.file)
    refuse_to_replace(options.output, options.force)
    confirming = options.actions.confirming()
    require_client(options.model)
    if (options.notation or _notation(source)) == "json":
        if options.apps or options.instruction is not None:
            raise Failure(
                "--app and --instruction are for Horn clauses", "leave them out, or say --from paper"
            )
        return _schema(source, options, confirming)
    if options.model is not None:
        raise Failure("a model is asked only about a JSON state schema", "leave its options out")
    if options.package is not None:
        raise Failure("--package is for a JSON state schema", "give it when you import the schema")
    return _clauses(source, options, confirming)


def _notation(source: Source) -> str:
    if source.file.lower().endswith(".json"):
        return "json"
    return "json" if source.text.lstrip()[:1] in ("{", "[") else "paper"


# ---- schemas ---------------------------------------------------------------------------------------


def _schema(source: Source, options: ImportOptions, confirming: Confirming) -> Report:
    """The app module of a state schema, which is written if a file is named."""
    name = options.name or _name_for(options.output)
    try:
        imported = import_schema(source, module=name, package=options.package or "")
    except ImportFailed as failed:
        return Findings(failed.diagnostics, {source.file: source}, status=EXIT_FINDINGS)
    except ValueError as error:
        raise Failure(str(error)) from error
    proposals = propose(imported.declared)
    if options.model is not None:
        proposals += _asked_actions(options.model, imported, proposals)
    accepted = confirming.accepted(proposals)
    text = with_actions(imported.text, proposals, accepted, listed=confirming.listed)
    if options.output is not None:
        write_text(Path(options.output), text)
    return Schema(source.file, imported, text, options.output, proposals, accepted)


@dataclass(frozen=True, slots=True)
class Schema(Report):
    """The app module of a state schema.

    Attributes:
        file: the schema.
        imported: what was made of it.
        text: the module, with the actions.
        output: where it was written; None: it is printed.
        proposals: the actions that are proposed.
        accepted: the names of those that are declared.
    """

    file: str
    imported: ImportResult
    text: str
    output: str | None
    proposals: tuple[Proposal, ...]
    accepted: frozenset[str]

    def data(self) -> object:
        """The module, what was guessed, and the actions."""
        return {
            "version": 1,
            "file": self.file,
            "module": self.imported.module,
            "package": self.imported.package,
            "relations": self.imported.relations,
            "output": self.output,
            "text": self.text if self.output is None else None,
            "notes": _notes(self.imported.notes),
            "actions": [
                {
                    "name": each.name,
                    "declaration": each.declaration,
                    "concerns": each.concerns,
                    "evidence": list(each.evidence),
                    "accepted": each.name in self.accepted,
                }
                for each in self.proposals
            ],
        }

    def lines(self, style: Style) -> Iterator[str]:
        """The module, unless it went to a file."""
        if self.output is None:
            yield self.text.removesuffix("\n")

    def notes(self, style: Style) -> Iterator[str]:
        """What a person has to confirm."""
        where = f" in {safe(self.output)}" if self.output else ""
        relations = count(self.imported.relations, "relation")
        yield f"Imported {relations} from {safe(self.file)} as `{self.imported.module}`{where}."
        yield from _confirm(self.file, self.imported.notes)
        if self.proposals:
            yield f"{about_actions(self.proposals, self.accepted)}.".capitalize()
        if names := [each.name for each in self.proposals if each.name not in self.accepted]:
            yield f"  Confirm by --actions ask or --accept NAME: {', '.join(names)}"


def _asked_actions(
    models: ModelOptions, imported: ImportResult, proposals: tuple[Proposal, ...]
) -> tuple[Proposal, ...]:
    """What a model proposes in addition to what the names show."""
    try:
        model = models.model()
        if model.exposes_key:
            click.echo(f"warning: the API key travels unencrypted to {safe(model.endpoint)}", err=True)
        click.echo(f"asking {safe(model.name)} at {safe(model.endpoint)} ...", err=True)
        asked_actions = ask_for_actions(model, imported, proposals)
    except ModelError as error:
        raise Failure(str(error), error.hint) from error
    if asked_actions.left:
        left = count(asked_actions.left, "action")
        click.echo(f"{left} of the model's left out: no name, relation or words of the schema", err=True)
    return asked_actions.proposals


def _name_for(output: str | None) -> str:
    """The name of the module in an output file: imports find a module by its file's name."""
    if output is None or not output.endswith(".vsa"):
        return ""
    stem = Path(output).stem
    if not IDENTIFIER.fullmatch(stem):
        raise Failure(
            f"{output} cannot name a module", "use letters, digits and _ in the file's name, or give --name"
        )
    return stem


def _confirm(file: str, notes: tuple[Note, ...]) -> list[str]:
    lines = ["Please confirm:"] if notes else []
    for note in notes:
        place = f"{safe(file)}:{note.line}: " if note.line else ""
        about = f"{safe(note.where)}: " if note.where else ""
        lines.append(f"  {place}{note.kind}: {about}{safe(note.text)}")
    return lines


def _notes(notes: tuple[Note, ...]) -> list[dict[str, object]]:
    return [
        {"kind": note.kind, "where": note.where, "line": note.line or None, "text": note.text}
        for note in notes
    ]


# ---- Horn clauses ----------------------------------------------------------------------------------


def _clauses(source: Source, options: ImportOptions, confirming: Confirming) -> Report:
    """The spec of Horn clauses, which is written if a file is named."""
    apps, instruction = options.apps, options.instruction
    if not apps:
        raise Failure(
            "clauses need the app that they are about", "name its module or its state schema: --app APP.vsa"
        )
    if instruction is not None and not instruction.strip():
        raise Failure("the instruction is empty", "leave --instruction out, or give the user's words")
    if instruction is not None:
        _usable(instruction)
    place = Path(options.output) if options.output else Path.cwd() / "<stdout>.vsa"
    sources = {source.file: source}
    try:
        made = modules_of(filter(is_schema, apps), place.parent, confirming, sources)
        modules = [App(made[app].path, made[app].text) if app in made else App(Path(app)) for app in apps]
        spec = import_rules(
            source,
            modules,
            spec=options.name or _name_for(options.output),
            instruction=instruction or "",
            place=place,
            search=config_for(place).search,
        )
    except ImportFailed as failed:
        return Findings(failed.diagnostics, {**sources, **failed.sources}, status=EXIT_FINDINGS)
    except ValueError as error:
        raise Failure(str(error)) from error
    written: tuple[str, ...] = ()
    if options.output is not None:
        written = tuple(str(module.path) for module in made.values() if module.write())
        write_text(Path(options.output), spec.text)
    unwritten = tuple(each.path.stem for each in modules if each.text is not None and not options.output)
    return Clauses(source, spec, options.output, written, unwritten)


@dataclass(frozen=True, slots=True)
class Clauses(Report):
    """The spec of Horn clauses.

    Attributes:
        source: the clauses.
        spec: what was made of them.
        output: where it was written; None: it is printed.
        written: the files of app modules that were made.
        unwritten: app modules that were not.
    """

    source: Source
    spec: ImportedSpec
    output: str | None
    written: tuple[str, ...]
    unwritten: tuple[str, ...]

    @property
    def status(self) -> int:  # type: ignore[override]
        """1 if a clause is not translated."""
        return EXIT_FINDINGS if self.spec.left else EXIT_OK

    def data(self) -> object:
        """The spec, what was guessed, and what is not translated."""
        report = jsonout.to_data(in_order(self.spec.diagnostics), {self.source.file: self.source})
        return {
            "version": 1,
            "file": self.source.file,
            "spec": self.spec.spec,
            "instruction": self.spec.instruction,
            "clauses": self.spec.clauses,
            "left": self.spec.left,
            "output": self.output,
            "apps": list(self.written),
            "text": self.spec.text if self.output is None else None,
            "notes": _notes(self.spec.notes),
            "diagnostics": report["diagnostics"],
        }

    def lines(self, style: Style) -> Iterator[str]:
        """The spec, unless it went to a file."""
        if self.output is None:
            yield self.spec.text.removesuffix("\n")

    def notes(self, style: Style) -> Iterator[str]:
        """What a person has to confirm, and what is not translated."""
        spec, file = self.spec, self.source.file
        where = f" in {safe(self.output)}" if self.output else ""
        yield f"Imported {count(spec.clauses, 'clause')} from {safe(file)} as `{spec.spec}`{where}."
        for each in self.written:
            yield f"Wrote its app module to {safe(each)}; confirm that one too."
        for each in self.unwritten:
            yield f"The spec imports `{each}`, whose module is not written without -o: import its schema too."
        yield from _confirm(file, tuple(note for note in spec.notes if note.kind != "left out"))
        if spec.left:
            yield f"\n{count(spec.left, 'clause')} {'is' if spec.left == 1 else 'are'} not translated:\n"
            yield render(spec.diagnostics, {file: self.source}, "text", color=style.color).removesuffix("\n")


def _usable(instruction: str) -> None:
    """Refuse a text that cannot be in the header of a spec, or that is too long to read."""
    if len(instruction) > _LONGEST_INSTRUCTION:
        raise Failure(f"the instruction is longer than {_LONGEST_INSTRUCTION} characters")
    if any("\ud800" <= char <= "\udfff" for char in instruction):
        raise Failure("the instruction is not valid UTF-8", "check the terminal's encoding")
    if any((char < " " and char not in "\t\n\r") or "\x7f" <= char <= "\x9f" for char in instruction):
        raise Failure("the instruction holds control characters", "give the user's words without them")
