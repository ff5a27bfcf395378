"""A project's own lint rules: what they get, what they give, and the process of their own in which they run.

A file of ``.vsac/rules`` is one rule::

    from vsalang.language.lint.own import Finding, Module

    CODE = "P0001"
    TITLE = "payment without a limit"

    def find(module: Module):
        for rule in module.rules:
            if rule.kind == "allow" and "Pay" in rule.relations and "total" not in rule.text:
                yield Finding(rule.start, rule.end, "this permits any amount", help="write `total <= ..`")

``python -m vsalang.language.lint.own`` reads a question from standard input, ``{"folders": [..], "files": [..]}``, and
writes the findings to standard output. Only ``vsac lint`` starts it, and only where its user said so; nothing here is
imported by what checks, judges or serves.
"""

import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final

from vsalang.base.config import config_for
from vsalang.base.records import dataclass
from vsalang.language.lint.walk import nodes
from vsalang.language.semantics import Loaded, load
from vsalang.language.syntax import tree as t

CODE: Final = re.compile(r"P[0-9]{4}")
"""What the codes of such rules look like."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule finds.

    Attributes:
        start: where it begins in the module's text, in code points from 0.
        end: the offset after it.
        message: one sentence without a period.
        help: what to write instead; may be empty.
    """

    start: int
    end: int
    message: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class ModuleRule:
    """A rule of a module, or another item of it.

    Attributes:
        kind: its first word: ``allow``, ``done``, ``deny``, ``update``, ``let``, ``test``, ``state``, ..
        text: as it is written.
        start: where it begins in the module's text.
        end: the offset after it.
        relations: the names of the relations, actions and gestures that it mentions, as they are written.
        texts: the texts in quotes.
        annotations: the names of its annotations, without ``@``.
    """

    kind: str
    text: str
    start: int
    end: int
    relations: tuple[str, ...]
    texts: tuple[str, ...]
    annotations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """A module without errors, as a rule of a project sees it.

    Attributes:
        file: its name on the command line.
        kind: ``app``, ``spec``, ``policy`` or ``module``.
        name: as its header says.
        doc: its description: of a spec the user's instruction.
        text: all of it.
        imports: the modules that it imports.
        rules: its items in the order of its text.
    """

    file: str
    kind: str
    name: str
    doc: str
    text: str
    imports: tuple[str, ...]
    rules: tuple[ModuleRule, ...]


def module_of(loaded: Loaded) -> Module | None:
    """The main module of a file, if it has no errors."""
    unit = next((each for each in loaded.units if each.source.file == loaded.file), None)
    if loaded.program is None or unit is None:
        return None
    tree = unit.tree
    return Module(
        loaded.file,
        tree.kind,
        tree.name.text,
        tree.doc.value if tree.doc is not None else "",
        unit.source.text,
        tuple(each.name.text for each in tree.imports),
        tuple(_item(item, unit.source.text) for item in tree.items),
    )


def _item(item: t.Item, text: str) -> ModuleRule:
    kind = getattr(item, "kind", "") or getattr(item, "sort", "") or type(item).__name__.lower()
    inside = list(nodes(item))
    return ModuleRule(
        kind,
        text[item.span.start : item.span.end],
        item.span.start,
        item.span.end,
        tuple(dict.fromkeys(node.name.text for node in inside if isinstance(node, t.Atom))),
        tuple(node.value for node in inside if isinstance(node, t.Text)),
        tuple(node.name.text for node in inside if isinstance(node, t.Annotation)),
    )


# ---------------------------------------------------------------- the process of their own


class RuleError(Exception):
    """A file of rules cannot be used; the message names it."""


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A rule that was read from a file."""

    code: str
    title: str
    find: Callable[[Module], Iterable[Finding]]
    file: str


def read_rules(folder: Path) -> tuple[OwnRule, ...]:
    """The rules of the files of a folder, by their codes. This runs the files.

    Raises:
        RuleError: one of them fails, or says not all that a rule must say.
    """
    rules: dict[str, OwnRule] = {}
    for path in sorted(folder.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"vsac_rule_{path.stem}", path)
        if spec is None or spec.loader is None:
            raise RuleError(f"{path} cannot be imported")
        loaded = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(loaded)
        except Exception as error:
            raise RuleError(f"{path}: {type(error).__name__}: {error}") from error
        code, find = getattr(loaded, "CODE", None), getattr(loaded, "find", None)
        if not isinstance(code, str) or not CODE.fullmatch(code) or not callable(find):
            raise RuleError(f"{path} needs CODE, such as P0001, and a function `find`")
        if code in rules:
            raise RuleError(f"{path} and {rules[code].file} have one code: {code}")
        rules[code] = OwnRule(code, str(getattr(loaded, "TITLE", "")), find, str(path))
    return tuple(rules[code] for code in sorted(rules))


def findings(rules: Iterable[OwnRule], files: Iterable[str]) -> Iterator[dict[str, Any]]:
    """What rules find in files, as JSON values.

    Raises:
        RuleError: a rule fails.
    """
    for file in files:
        module = module_of(load(file, search=config_for(file).search))
        if module is None:
            continue
        for rule in rules:
            try:
                items = list(rule.find(module))
                yield from (
                    {
                        "code": rule.code,
                        "file": file,
                        "start": int(item.start),
                        "end": int(item.end),
                        "message": str(item.message),
                        "help": str(item.help),
                    }
                    for item in items
                )
            except Exception as error:
                raise RuleError(f"{rule.file}: {type(error).__name__}: {error}") from error


def main() -> int:
    """Answer one question; the exit status: 0, or 2 if a rule cannot be used, which standard error says."""
    question = json.load(sys.stdin)
    try:
        with redirect_stdout(sys.stderr):  # what rules print is not the answer
            rules = [rule for folder in question["folders"] for rule in read_rules(Path(folder))]
            answer = list(findings(rules, question["files"]))
    except RuleError as error:
        print(error, file=sys.stderr)
        return 2
    json.dump({"findings": answer}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
