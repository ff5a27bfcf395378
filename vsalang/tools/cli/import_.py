"""``vsac import FILE``: makes an app module from a state schema, or a spec from Horn clauses."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.base.diagnostics.display import count
from vsalang.tools.cli.app_actions import Confirming, about_actions, action_options, is_schema, modules_of
from vsalang.tools.cli.common import (
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    read,
    render,
    report,
    use_color,
)
from vsalang.tools.cli.encode_options import optional_model
from vsalang.tools.cli.output import refuse_to_replace, write_text

if TYPE_CHECKING:
    from vsalang.base.source import Source
    from vsalang.language.notations.into import Imported, ImportedSpec, Note, Proposal
    from vsalang.models.encode import ModelOptions


_LONGEST_INSTRUCTION = 8_000
"""As of `vsac encode`."""


@click.command(name="import")
@click.argument("file")
@click.option(
    "-o", "--output", metavar="FILE.vsa", help="Where to write the module. Standard output if left out."
)
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@click.option(
    "--from",
    "notation",
    type=click.Choice(["json", "paper"]),
    help="What FILE holds: a JSON state schema, or Horn clauses. Left out: its name or its first character says.",
)
@click.option("--name", help="The module's name. That of the output or input file if left out.")
@click.option("--package", help="For a schema: the app's Android package, such as com.example.app.")
@click.option(
    "--app",
    "apps",
    multiple=True,
    metavar="APP",
    help="For clauses: the app module (.vsa) or state schema (.json) that they are about; repeatable.",
)
@click.option("--instruction", metavar="TEXT", help="For clauses: the user's instruction.")
@action_options
@optional_model("for actions; the key is read from OPENAI_API_KEY")
@format_option("text", "json")
def command(
    *,
    file: str,
    output: str | None,
    force: bool,
    notation: str | None,
    name: str | None,
    package: str | None,
    apps: tuple[str, ...],
    instruction: str | None,
    confirming: Confirming,
    models: "ModelOptions | None",
    format: str,
) -> int:
    """Make a .vsa file of FILE (`-` for standard input).

    A JSON state schema becomes an app module; Horn clauses in the notation of the VeriSafe Agent paper, such as
    `Timer(n=(3, >=)) → Start()`, become a spec. What FILE does not say is guessed; names that the language does not
    allow are changed. Every such decision is listed in a comment at the top and in the command's report, for a person
    to confirm. A clause that cannot be translated is kept as a comment and reported; the exit status is 1 then.

    A schema names no actions. Those that it speaks for are proposed; only what --accept, --actions all or your answer
    to --actions ask confirms is declared.
    """
    source = read(file)
    refuse_to_replace(output, force)
    if (notation or _notation(source)) == "json":
        if apps or instruction is not None:
            raise Failure(
                "--app and --instruction are for Horn clauses", "leave them out, or say --from paper"
            )
        return _schema(source, output, (name, package), (confirming, models), format)
    if models is not None:
        raise Failure("a model is asked only about a JSON state schema", "leave its options out")
    if package is not None:
        raise Failure("--package is for a JSON state schema", "give it when you import the schema")
    return _clauses(source, output, name, (apps, confirming), instruction, format)


def _notation(source: "Source") -> str:
    if source.file.lower().endswith(".json"):
        return "json"
    return "json" if source.text.lstrip()[:1] in ("{", "[") else "paper"


# ---- schemas ---------------------------------------------------------------------------------------


def _schema(
    source: "Source",
    output: str | None,
    named: tuple[str | None, str | None],
    said: "tuple[Confirming, ModelOptions | None]",
    format: str,
) -> int:
    from vsalang.language.notations.into import ImportFailed, import_schema, propose, with_actions

    name, package = named
    confirming, models = said
    try:
        imported = import_schema(source, module=name or _name_for(output), package=package or "")
    except ImportFailed as failed:
        report(failed.diagnostics, {source.file: source}, format)
        return EXIT_FINDINGS
    except ValueError as error:
        raise Failure(str(error)) from error
    proposals = propose(imported.declared)
    if models is not None:
        proposals += _asked(models, imported, proposals)
    accepted = confirming.accepted(proposals)
    text = with_actions(imported.text, proposals, accepted, listed=confirming.listed)
    if output is not None:
        write_text(Path(output), text)
    if format == "json":
        click.echo(_json(source.file, imported, text, output, (proposals, accepted)))
    else:
        if output is None:
            click.echo(text, nl=False)
        click.echo(_text(source.file, imported, output, (proposals, accepted)), nl=False, err=True)
    return EXIT_OK


def _asked(
    models: "ModelOptions", imported: "Imported", proposals: "tuple[Proposal, ...]"
) -> "tuple[Proposal, ...]":
    """What a model proposes in addition to what the names show."""
    from vsalang.base.diagnostics.display import safe
    from vsalang.models.encode import ModelError, ask_for_actions

    try:
        model = models.model()
        if model.exposes_key:
            click.echo(f"warning: the API key travels unencrypted to {safe(model.endpoint)}", err=True)
        click.echo(f"asking {safe(model.name)} at {safe(model.endpoint)} ...", err=True)
        found = ask_for_actions(model, imported, proposals)
    except ModelError as error:
        raise Failure(str(error), error.hint) from error
    if found.left:
        left = count(found.left, "action")
        click.echo(f"{left} of the model's left out: no name, relation or words of the schema", err=True)
    return found.proposals


def _name_for(output: str | None) -> str:
    """The name of the module in an output file: imports find a module by its file's name."""
    from vsalang.language.notations.into.naming import IDENTIFIER

    if output is None or not output.endswith(".vsa"):
        return ""
    stem = Path(output).stem
    if not IDENTIFIER.fullmatch(stem):
        raise Failure(
            f"{output} cannot name a module", "use letters, digits and _ in the file's name, or give --name"
        )
    return stem


def _text(
    file: str,
    imported: "Imported",
    output: str | None,
    actions: "tuple[tuple[Proposal, ...], frozenset[str]]",
) -> str:
    from vsalang.base.diagnostics.display import safe

    proposals, accepted = actions
    where = f" in {safe(output)}" if output else ""
    lines = [
        f"Imported {count(imported.relations, 'relation')} from {safe(file)} as `{imported.module}`{where}."
    ]
    lines += _confirm(file, imported.notes)
    open_ = [each.name for each in proposals if each.name not in accepted]
    if proposals:
        lines.append(f"{about_actions(proposals, accepted)}.".capitalize())
    if open_:
        lines.append(f"  Confirm by --actions ask or --accept NAME: {', '.join(open_)}")
    return "\n".join(lines) + "\n"


def _confirm(file: str, notes: "tuple[Note, ...]") -> list[str]:
    from vsalang.base.diagnostics.display import safe

    lines = ["Please confirm:"] if notes else []
    for note in notes:
        place = f"{safe(file)}:{note.line}: " if note.line else ""
        about = f"{safe(note.where)}: " if note.where else ""
        lines.append(f"  {place}{note.kind}: {about}{safe(note.text)}")
    return lines


def _notes(notes: "tuple[Note, ...]") -> list[dict[str, object]]:
    return [
        {"kind": note.kind, "where": note.where, "line": note.line or None, "text": note.text}
        for note in notes
    ]


def _json(
    file: str,
    imported: "Imported",
    text: str,
    output: str | None,
    actions: "tuple[tuple[Proposal, ...], frozenset[str]]",
) -> str:
    import json

    proposals, accepted = actions

    data = {
        "version": 1,
        "file": file,
        "module": imported.module,
        "package": imported.package,
        "relations": imported.relations,
        "output": output,
        "text": text if output is None else None,
        "notes": _notes(imported.notes),
        "actions": [
            {
                "name": each.name,
                "declaration": each.declaration,
                "concerns": each.concerns,
                "evidence": list(each.evidence),
                "accepted": each.name in accepted,
            }
            for each in proposals
        ],
    }
    return json.dumps(data, indent=2)


# ---- Horn clauses ----------------------------------------------------------------------------------


def _clauses(
    source: "Source",
    output: str | None,
    name: str | None,
    given: "tuple[tuple[str, ...], Confirming]",
    instruction: str | None,
    format: str,
) -> int:
    from vsalang.base.config import config_for
    from vsalang.language.notations.into import App, ImportFailed, import_rules

    apps, confirming = given
    if not apps:
        raise Failure(
            "clauses need the app that they are about", "name its module or its state schema: --app APP.vsa"
        )
    if instruction is not None and not instruction.strip():
        raise Failure("the instruction is empty", "leave --instruction out, or give the user's words")
    if instruction is not None:
        _usable(instruction)
    place = Path(output) if output else Path.cwd() / "<stdout>.vsa"
    sources = {source.file: source}
    try:
        made = modules_of(filter(is_schema, apps), place.parent, confirming, sources)
        modules = [App(made[app].path, made[app].text) if app in made else App(Path(app)) for app in apps]
        chosen = name or _name_for(output)
        spec = import_rules(
            source,
            modules,
            spec=chosen,
            instruction=instruction or "",
            place=place,
            search=config_for(place).search,
        )
    except ImportFailed as failed:
        report(failed.diagnostics, {**sources, **failed.sources}, format)
        return EXIT_FINDINGS
    except ValueError as error:
        raise Failure(str(error)) from error
    written: list[str] = []
    if output is not None:
        written = [str(module.path) for module in made.values() if module.write()]
        write_text(Path(output), spec.text)
    if format == "json":
        click.echo(_spec_json(source, spec, output, written))
    else:
        if output is None:
            click.echo(spec.text, nl=False)
        unwritten = [each.path.stem for each in modules if each.text is not None and output is None]
        click.echo(_spec_text(source, spec, output, written, unwritten), nl=False, err=True, color=True)
    return EXIT_FINDINGS if spec.left else EXIT_OK


def _usable(instruction: str) -> None:
    """Refuse a text that cannot be in the header of a spec, or that is too long to read."""
    if len(instruction) > _LONGEST_INSTRUCTION:
        raise Failure(f"the instruction is longer than {_LONGEST_INSTRUCTION} characters")
    if any("\ud800" <= char <= "\udfff" for char in instruction):
        raise Failure("the instruction is not valid UTF-8", "check the terminal's encoding")
    if any((char < " " and char not in "\t\n\r") or "\x7f" <= char <= "\x9f" for char in instruction):
        raise Failure("the instruction holds control characters", "give the user's words without them")


def _spec_text(
    source: "Source", spec: "ImportedSpec", output: str | None, made: list[str], unwritten: list[str]
) -> str:
    from vsalang.base.diagnostics.display import safe

    where = f" in {safe(output)}" if output else ""
    count = f"{spec.clauses} clause{'s' if spec.clauses != 1 else ''}"
    lines = [f"Imported {count} from {safe(source.file)} as `{spec.spec}`{where}."]
    lines += [f"Wrote its app module to {safe(each)}; confirm that one too." for each in made]
    lines += [
        f"The spec imports `{each}`, whose module is not written without -o: import its schema too."
        for each in unwritten
    ]
    lines += _confirm(source.file, tuple(note for note in spec.notes if note.kind != "left out"))
    text = "\n".join(lines) + "\n"
    if spec.left:
        text += f"\n{spec.left} clause{' is' if spec.left == 1 else 's are'} not translated:\n\n"
        text += render(spec.diagnostics, {source.file: source}, "text", color=use_color(sys.stderr))
    return text


def _spec_json(source: "Source", spec: "ImportedSpec", output: str | None, made: list[str]) -> str:
    import json

    found = json.loads(render(spec.diagnostics, {source.file: source}, "json"))
    data = {
        "version": 1,
        "file": source.file,
        "spec": spec.spec,
        "instruction": spec.instruction,
        "clauses": spec.clauses,
        "left": spec.left,
        "output": output,
        "apps": made,
        "text": spec.text if output is None else None,
        "notes": _notes(spec.notes),
        "diagnostics": found["diagnostics"],
    }
    return json.dumps(data, indent=2)
