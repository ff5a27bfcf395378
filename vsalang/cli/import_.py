"""``vsac import FILE``: makes an app module from a state schema, or a spec from Horn clauses."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, read, render, report, use_color
from vsalang.cli.output import refuse_to_replace, write_text

if TYPE_CHECKING:
    from vsalang.importers import App, Imported, ImportedSpec, Note
    from vsalang.source import Source


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
    format: str,
) -> int:
    """Make a .vsa file of FILE (`-` for standard input).

    A JSON state schema becomes an app module; Horn clauses in the notation of the VeriSafe Agent paper, such as
    `Timer(n=(3, >=)) → Start()`, become a spec. What FILE does not say is guessed; names that the language does not
    allow are changed. Every such decision is listed in a comment at the top and in the command's report, for a person
    to confirm. A clause that cannot be translated is kept as a comment and reported; the exit status is 1 then.
    """
    source = read(file)
    refuse_to_replace(output, force)
    if (notation or _notation(source)) == "json":
        if apps or instruction is not None:
            raise Failure(
                "--app and --instruction are for Horn clauses", "leave them out, or say --from paper"
            )
        return _schema(source, output, name, package, format)
    if package is not None:
        raise Failure("--package is for a JSON state schema", "give it when you import the schema")
    return _clauses(source, output, name, apps, instruction, format)


def _notation(source: "Source") -> str:
    if source.file.lower().endswith(".json"):
        return "json"
    return "json" if source.text.lstrip()[:1] in ("{", "[") else "paper"


# ---- schemas ---------------------------------------------------------------------------------------


def _schema(source: "Source", output: str | None, name: str | None, package: str | None, format: str) -> int:
    from vsalang.importers import ImportFailed, import_schema

    try:
        imported = import_schema(source, module=name or _name_for(output), package=package or "")
    except ImportFailed as failed:
        report(failed.diagnostics, {source.file: source}, format)
        return EXIT_FINDINGS
    except ValueError as error:
        raise Failure(str(error)) from error
    if output is not None:
        write_text(Path(output), imported.text)
    if format == "json":
        click.echo(_json(source.file, imported, output))
    else:
        if output is None:
            click.echo(imported.text, nl=False)
        click.echo(_text(source.file, imported, output), nl=False, err=True)
    return EXIT_OK


def _name_for(output: str | None) -> str:
    """The name of the module in an output file: imports find a module by its file's name."""
    from vsalang.importers.naming import IDENTIFIER

    if output is None or not output.endswith(".vsa"):
        return ""
    stem = Path(output).stem
    if not IDENTIFIER.fullmatch(stem):
        raise Failure(
            f"{output} cannot name a module", "use letters, digits and _ in the file's name, or give --name"
        )
    return stem


def _text(file: str, imported: "Imported", output: str | None) -> str:
    from vsalang.diagnostics.display import safe

    where = f" in {safe(output)}" if output else ""
    count = f"{imported.relations} relation{'s' if imported.relations != 1 else ''}"
    lines = [f"Imported {count} from {safe(file)} as `{imported.module}`{where}."]
    return "\n".join([*lines, *_confirm(file, imported.notes)]) + "\n"


def _confirm(file: str, notes: "tuple[Note, ...]") -> list[str]:
    from vsalang.diagnostics.display import safe

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


def _json(file: str, imported: "Imported", output: str | None) -> str:
    import json

    data = {
        "version": 1,
        "file": file,
        "module": imported.module,
        "package": imported.package,
        "relations": imported.relations,
        "output": output,
        "text": imported.text if output is None else None,
        "notes": _notes(imported.notes),
    }
    return json.dumps(data, indent=2)


# ---- Horn clauses ----------------------------------------------------------------------------------


def _clauses(
    source: "Source",
    output: str | None,
    name: str | None,
    apps: tuple[str, ...],
    instruction: str | None,
    format: str,
) -> int:
    from vsalang.config import config_for
    from vsalang.importers import ImportFailed, import_rules

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
        modules = []
        for app in apps:
            modules.append(_app(app, place.parent, sources))
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
    made = []
    if output is not None:
        for module in modules:
            if module.text is not None:
                write_text(module.path, module.text)
                made.append(str(module.path))
        write_text(Path(output), spec.text)
    if format == "json":
        click.echo(_spec_json(source, spec, output, made))
    else:
        if output is None:
            click.echo(spec.text, nl=False)
        unwritten = [each.path.stem for each in modules if each.text is not None and output is None]
        click.echo(_spec_text(source, spec, output, made, unwritten), nl=False, err=True, color=True)
    return EXIT_FINDINGS if spec.left else EXIT_OK


def _usable(instruction: str) -> None:
    """Refuse a text that cannot be in the header of a spec, or that is too long to read."""
    if len(instruction) > _LONGEST_INSTRUCTION:
        raise Failure(f"the instruction is longer than {_LONGEST_INSTRUCTION} characters")
    if any("\ud800" <= char <= "\udfff" for char in instruction):
        raise Failure("the instruction is not valid UTF-8", "check the terminal's encoding")
    if any((char < " " and char not in "\t\n\r") or "\x7f" <= char <= "\x9f" for char in instruction):
        raise Failure("the instruction holds control characters", "give the user's words without them")


def _app(file: str, folder: Path, sources: "dict[str, Source]") -> "App":
    """The app module of a file, or the one made from its schema, which is written next to the spec."""
    from vsalang.importers import App, import_schema

    if not file.lower().endswith(".json"):
        return App(Path(file))
    schema = read(file)
    sources[schema.file] = schema
    module = import_schema(schema)
    path = folder / f"{module.module}.vsa"
    if not path.exists():
        return App(path, module.text)
    if read(str(path)).text == module.text:
        return App(path)
    raise Failure(
        f"{path} exists and is not what {file} gives", f"if it is the app's module, say --app {path}"
    )


def _spec_text(
    source: "Source", spec: "ImportedSpec", output: str | None, made: list[str], unwritten: list[str]
) -> str:
    from vsalang.diagnostics.display import safe

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
