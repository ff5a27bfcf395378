"""Registers ``.vsa`` with textX's own command line: the language, checked by our checker, and two generators.

The entry points are ``textx_languages`` and ``textx_generators``; only textX imports this module.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from textx import TextXError, TextXSemanticError, TextXSyntaxError, metamodel_from_file
from textx.generators import gen_file, get_output_filename
from textx.registration import GeneratorDesc, LanguageDesc

from vsalang.base.config import config_for
from vsalang.base.diagnostics import Diagnostic
from vsalang.base.diagnostics.display import safe
from vsalang.base.resources import resource_dir
from vsalang.base.source import Source, SourceError
from vsalang.language.describe import describe, to_data, to_markdown
from vsalang.language.notations.out import Target, export
from vsalang.language.semantics import Loaded, load, load_text


def metamodel() -> Any:
    """A textX metamodel of the language, whose models are checked as ``vsac check`` checks files.

    Its `model_from_file` and `model_from_str` raise a `TextXError` that lists all errors with their codes.
    """
    result = metamodel_from_file(str(resource_dir("grammars") / "vsa.tx"), autokwd=True)
    build = result.model_from_str

    def model_from_str(model_str: str, file_name: Any = None, debug: Any = None, **params: Any) -> Any:
        name = str(file_name) if file_name else "<text>"
        place = Path(file_name) if file_name else Path.cwd() / name
        _refuse(load_text(model_str, file=name, path=place, search=_search(place)))
        return build(model_str, file_name, debug, **params)

    def model_from_file(file_name: Any, encoding: str = "utf-8", debug: Any = None, **params: Any) -> Any:
        loaded = load(str(file_name), search=_search(file_name))
        _refuse(loaded)
        text = loaded.sources[loaded.file].text
        return build(text, str(Path(file_name).resolve()), debug, **params)

    # textX makes the metamodel's object itself, so its methods are replaced on the object.
    result.model_from_str = model_from_str
    result.model_from_file = model_from_file
    return result


def _search(path: str | Path) -> tuple[Path, ...]:
    """The folders that the project's configuration names for imports."""
    try:
        return config_for(path).search
    except SourceError as error:
        raise TextXError(f"[{error.code}] {safe(error.message)} ({safe(error.hint)})") from error


def _refuse(loaded: Loaded) -> None:
    """Raise textX's error if there are errors."""
    errors = loaded.errors
    if not errors:
        return
    first = errors[0]
    lines = [_says(first), *(f"{_place(item, loaded.sources)}: {_says(item)}" for item in errors[1:])]
    kind = TextXSyntaxError if first.code.startswith("E01") else TextXSemanticError
    source = loaded.sources.get(first.span.file) if first.span else None
    if first.span is None or source is None:
        raise kind("\n".join(lines), err_type=first.code)
    at = source.position(first.span.start)
    raise kind(
        "\n".join(lines), line=at.line, col=at.column, err_type=first.code, filename=safe(first.span.file)
    )


def _says(item: Diagnostic) -> str:
    text = f"[{item.code}] {safe(item.message)}"
    return f"{text} ({safe(item.help)})" if item.help else text


def _place(item: Diagnostic, sources: Mapping[str, Source]) -> str:
    if item.span is None:
        return "-"
    source = sources.get(item.span.file)
    if source is None:
        return safe(item.span.file)
    at = source.position(item.span.start)
    return f"{safe(item.span.file)}:{at.line}:{at.column}"


def _generator(extension: str, make: Callable[[Loaded], tuple[str, int]]) -> Callable[..., None]:
    """The function that textX calls with the checked model of a file.

    Args:
        extension: of the file that it writes.
        make: the text of that file, and how many rules it does not express in full.
    """

    def generate(
        metamodel: Any, model: Any, output_path: str | None, overwrite: bool, debug: bool, **custom: Any
    ) -> None:
        file = model._tx_filename
        if not file:
            raise TextXError("only a file can be exported")
        loaded = load(file, search=_search(file))
        _refuse(loaded)
        text, omissions = make(loaded)
        output = get_output_filename(file, output_path, extension)
        gen_file(file, output, lambda: Path(output).write_text(text, encoding="utf-8"), overwrite)
        if omissions:
            rules = f"{omissions} rule{'s are' if omissions != 1 else ' is'} not expressed, or not in full"
            click.echo(f"   {rules}: see the comments of {safe(str(output))}")

    return generate


def _markdown(loaded: Loaded) -> tuple[str, int]:
    return to_markdown(describe(loaded.checked())), 0


def _json(loaded: Loaded) -> tuple[str, int]:
    return json.dumps(to_data(describe(loaded.checked()), loaded.sources), indent=2) + "\n", 0


def _exporter(to: Target, extension: str, graph: str = "rules") -> Callable[..., None]:
    def make(loaded: Loaded) -> tuple[str, int]:
        exported = export(loaded.checked(), to, graph=graph)
        return exported.text, len(exported.omissions)

    return _generator(extension, make)


language = LanguageDesc(
    "vsa", pattern="*.vsa", description="What an agent may do on a phone, in logic", metamodel=metamodel
)
markdown = GeneratorDesc(
    "vsa", "markdown", "What was understood of a file, in plain words", _generator("md", _markdown)
)
data = GeneratorDesc("vsa", "json", "What was understood of a file, as JSON", _generator("json", _json))
dot = GeneratorDesc("vsa", "dot", "What rules read and write, for Graphviz", _exporter("dot", "dot"))
screens = GeneratorDesc(
    "vsa",
    "screens",
    "How gestures lead from screen to screen, for Graphviz",
    _exporter("dot", "screens.dot", "screens"),
)
core = GeneratorDesc("vsa", "core", "The core program, complete, as JSON", _exporter("json", "core.json"))
datalog = GeneratorDesc("vsa", "datalog", "The rules as plain Datalog", _exporter("datalog", "lp"))
paper = GeneratorDesc(
    "vsa", "paper", "The Horn clauses of the VeriSafe Agent paper", _exporter("paper", "clauses.txt")
)
