"""The exporters as generators of textX's command line: ``textx generate FILE.vsa --target dot``.

Each is an entry point of the group ``textx_generators``; only textX imports this module.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from textx import TextXError
from textx.generators import gen_file, get_output_filename
from textx.registration import GeneratorDesc

from vsalang.base.config import config_for
from vsalang.base.diagnostics.display import safe
from vsalang.language.notations.out import Target, export
from vsalang.language.semantics import load


def _generator(to: Target, extension: str, graph: str = "rules") -> Callable[..., None]:
    """The function that textX calls with the checked model of a file."""

    def generate(
        metamodel: Any, model: Any, output_path: str | None, overwrite: bool, debug: bool, **custom: Any
    ) -> None:
        file = model._tx_filename
        if not file:
            raise TextXError("only a file can be exported")
        loaded = load(file, search=config_for(file).search)
        if loaded.program is None:  # the file was checked, and changed since
            raise TextXError(f"{safe(str(file))} has errors: see `vsac check`")
        exported = export(loaded.program, to, graph=graph)
        output = get_output_filename(file, output_path, extension)
        gen_file(file, output, lambda: Path(output).write_text(exported.text, encoding="utf-8"), overwrite)
        if exported.omissions:
            count = len(exported.omissions)
            what = f"{count} rule{'s are' if count != 1 else ' is'} not expressed, or not in full"
            click.echo(f"   {what}: see the comments of {safe(str(output))}")

    return generate


dot = GeneratorDesc("vsa", "dot", "What rules read and write, for Graphviz", _generator("dot", "dot"))
screens = GeneratorDesc(
    "vsa",
    "screens",
    "How gestures lead from screen to screen, for Graphviz",
    _generator("dot", "screens.dot", "screens"),
)
core = GeneratorDesc("vsa", "core", "The core program, complete, as JSON", _generator("json", "core.json"))
datalog = GeneratorDesc("vsa", "datalog", "The rules as plain Datalog", _generator("datalog", "lp"))
paper = GeneratorDesc(
    "vsa", "paper", "The Horn clauses of the VeriSafe Agent paper", _generator("paper", "clauses.txt")
)
