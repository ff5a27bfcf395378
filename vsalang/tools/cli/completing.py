"""Completion for shells: files, devices, codes, examples. Imported only when a shell asks.

Imports stand in functions: a shell waits for each answer, and most need one of them.

Commands need no code for this: the name and the metavar of a parameter say what it takes (`values_of`).
"""

import os
import re
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

from vsalang.tools.cli.frame import TextType

Complete = Callable[[str], Iterable[CompletionItem]]

_MOST_FILES: Final = 200
_MOST_LOOKED_AT: Final = 5000


class CompletedText(click.types.StringParamType):
    """The type of a text parameter that shells complete.

    Args:
        complete: the possible completions of what was typed.
        inner: the type that it was before, which reads what was typed.
    """

    name = "text"

    def __init__(self, complete: Complete, inner: click.ParamType[Any] = click.STRING) -> None:
        self.complete = complete
        self.inner = inner

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of a text."""
        return self.inner.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The possible completions of `incomplete`; none if they cannot be found out."""
        items: list[CompletionItem] = []
        with suppress(Exception):  # a shell that completes cannot show messages
            items.extend(self.complete(incomplete))
        return items


# ---------------------------------------------------------------------- what there is


def files(*suffixes: str) -> Complete:
    """Files with one of the suffixes in the typed folder and below; if there is none, any file."""

    def complete(incomplete: str) -> Iterator[CompletionItem]:
        items = list(_matching_files(incomplete, suffixes))
        yield from items or [CompletionItem(incomplete, type="file")]

    return complete


def _matching_files(incomplete: str, suffixes: tuple[str, ...]) -> Iterator[CompletionItem]:
    typed, _, _ = incomplete.rpartition("/")
    top = Path(f"{typed}/" if typed or incomplete.startswith("/") else ".").expanduser()
    looked_at = count_offered = 0
    for place, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        looked_at += len(names) + len(folders)
        if looked_at > _MOST_LOOKED_AT:
            return
        if "pyvenv.cfg" in names:
            folders.clear()
            continue
        below = os.path.relpath(place, top)
        for name in sorted(names):
            path = name if below == "." else f"{below}/{name}"
            text = f"{typed}/{path}" if typed or incomplete.startswith("/") else path
            if name.endswith(suffixes) and not name.startswith(".") and text.startswith(incomplete):
                count_offered += 1
                yield CompletionItem(text)
                if count_offered == _MOST_FILES:
                    return


def modules(incomplete: str) -> Iterator[CompletionItem]:
    """Files of modules; after the first letter also the modules that come with vsalang."""
    from vsalang.tools.cli.common import shipped_modules

    names = sorted(name for name in shipped_modules() if incomplete and name.startswith(incomplete))
    yield from (CompletionItem(name) for name in names)
    items = list(_matching_files(incomplete, (".vsa",)))
    yield from items or ([] if names else any_file(incomplete))


def map_sources(incomplete: str) -> Iterator[CompletionItem]:
    """What maps are made of: any file, folder or module."""
    from vsalang.tools.cli.common import shipped_modules

    yield from (
        CompletionItem(name)
        for name in sorted(shipped_modules())
        if incomplete and name.startswith(incomplete)
    )
    yield from any_file(incomplete)


def any_file(incomplete: str) -> list[CompletionItem]:
    """Any file; the shell finds it itself."""
    return [CompletionItem(incomplete, type="file")]


def folders(incomplete: str) -> list[CompletionItem]:
    """Any folder; the shell finds it itself."""
    return [CompletionItem(incomplete, type="dir")]


def devices(incomplete: str) -> Iterator[CompletionItem]:
    """Simulated phones, after `#` their scenarios, and the phones of the adb server."""
    from vsalang.phone.sim import load, shipped

    phone, hash, _ = incomplete.partition("#")
    if hash and phone.startswith("sim:"):
        names = [f"{phone}#{scenario}" for scenario in sorted(load(phone.removeprefix("sim:")).scenarios)]
    else:
        names = [f"sim:{name}" for name in shipped()]
    for name in names:
        if name.startswith(incomplete):
            yield CompletionItem(name, help="simulated")
    if incomplete.startswith("sim:"):
        return
    yield from serials(incomplete)


def serials(incomplete: str) -> Iterator[CompletionItem]:
    """The phones that the adb server knows; no server is started."""
    from vsalang.phone.wire import Upstream, server_address

    server = Upstream(*server_address(), "")
    for serial, state in server.devices().items():
        if serial.startswith(incomplete):
            yield CompletionItem(serial, help=state)


def simulated(incomplete: str) -> Iterator[CompletionItem]:
    """Simulated phones by their names alone, and folders."""
    from vsalang.phone.sim import shipped

    items = [CompletionItem(name) for name in shipped() if name.startswith(incomplete)]
    yield from items or folders(incomplete)


def codes(incomplete: str) -> Iterator[CompletionItem]:
    """Codes of findings; upper or lower case."""
    from vsalang.base.diagnostics.codes import CODES
    from vsalang.language.lint import CODES as LINT

    for code, entry in {**CODES, **LINT}.items():
        if code.startswith(incomplete.upper()):
            yield CompletionItem(code, help=entry.title)


def lint_codes(incomplete: str) -> Iterator[CompletionItem]:
    """Codes of lint rules: the last one of a list with commas."""
    from vsalang.language.lint import CODES

    before, comma, last = incomplete.rpartition(",")
    for code, entry in CODES.items():
        if code.startswith(last.upper()):
            yield CompletionItem(f"{before}{comma}{code}", help=entry.title)


def remembered(incomplete: str) -> Iterator[CompletionItem]:
    """The ids of what is in the memory of `vsac encode`."""
    from vsalang.base.diagnostics.display import safe
    from vsalang.tools.cli.remembering import entries_of, memory_at

    for entry in entries_of(memory_at(None)):
        if entry.id.startswith(incomplete):
            yield CompletionItem(entry.id, help=safe(entry.instruction, 60))


def answered(incomplete: str) -> Iterator[CompletionItem]:
    """The ids of what is kept of unknown controls, in the usual file."""
    from vsalang.base.diagnostics.display import safe
    from vsalang.models.effects.kept import AnswerFile, usual_place

    for key in AnswerFile(usual_place()).answers():
        if key.ref.startswith(incomplete):
            yield CompletionItem(key.ref, help=safe(key.label or key.id, 60))


def examples(incomplete: str) -> Iterator[CompletionItem]:
    """The examples that come with vsalang."""
    from vsalang.base.resources import resource_dir

    for file in sorted((resource_dir("app_specs") / "examples").glob("*.vsa")):
        if file.stem.startswith(incomplete):
            yield CompletionItem(file.stem)


def words(*known: str) -> Complete:
    """Known words: the last one of a list with commas."""

    def complete(incomplete: str) -> Iterator[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        for word in known:
            if word.startswith(last) and word not in taken:
                yield CompletionItem(f"{before}{comma}{word}")

    return complete


# ---------------------------------------------------------------------- which parameter takes what

VSA: Final = files(".vsa")
JOURNALS: Final = files(".jsonl")
DUMPS: Final = files(".xml", ".json", ".xml.gz", ".json.gz")
_BY_OPTION: Final[dict[str, Complete]] = {
    "--device": devices,
    "--serial": serials,
    "--policy": modules,
    "--violate": VSA,
    "--spec": VSA,
    "--agent": JOURNALS,
    "--select": lint_codes,
    "--ignore": lint_codes,
    "--trace": words("files", "permissions", "connections", "settings", "all"),
    "--scenario": files(".toml"),
    "--state": any_file,
    "--vsalang": files(".whl"),
}
_BY_COMMAND: Final[dict[tuple[str, str], Complete]] = {
    ("demo", "name"): examples,
    ("describe", "spec"): modules,
    ("query", "file"): modules,
    ("import", "file"): files(".json", ".pl", ".horn", ".txt"),
    ("facts", "dumps"): DUMPS,
    ("controls", "dumps"): DUMPS,
    ("order", "screen"): DUMPS,
    ("candidates", "screen"): DUMPS,
    ("pairs", "paths"): any_file,
    ("train", "pairs"): JOURNALS,
    ("diff", "before"): map_sources,
    ("diff", "after"): map_sources,
    ("delta", "before"): DUMPS,
    ("delta", "after"): DUMPS,
    ("serve", "name"): simulated,
    ("screenshot", "name"): simulated,
    ("check", "names"): simulated,
    ("show", "id"): remembered,
    ("export", "ids"): remembered,
    ("delete", "ids"): remembered,
    ("accept", "ids"): answered,
    ("drop", "ids"): answered,
}
_BY_METAVAR: Final[dict[str, Complete]] = {
    "SPEC": VSA,
    "OLD": VSA,
    "NEW": VSA,
    "POLICY": VSA,
    "MODULE": modules,
    "JOURNAL": JOURNALS,
    "CODE": codes,
    "DIR": folders,
    "FOLDER": folders,
    "SERIAL": serials,
    "APP": modules,
    "DUMP": any_file,
    "LOG": any_file,
    "RECORDING": any_file,
    "SOURCE": map_sources,
    "MAP": map_sources,
    "OUT": any_file,
    "PATH": any_file,
    "STATE": any_file,
}


def values_of(command: str, param: click.Parameter, metavar: str) -> Complete | None:
    """The completion of a parameter; None if it takes any text."""
    bare = re.sub(r"[^A-Z].*$", "", metavar.lstrip("["))
    if isinstance(param, click.Argument):
        known = _BY_COMMAND.get((command, param.name or ""))
        return known or (VSA if bare in ("FILE", "PATH") else _BY_METAVAR.get(bare))
    for name in param.opts:
        if name in _BY_OPTION:
            return _BY_OPTION[name]
    if re.fullmatch(
        r"[a-z]+(\|[a-z]+(:[A-Z]+)?)+", metavar
    ):  # some words, of which one may go on: ask|no|fd:N
        return words(*(each.rstrip(string.ascii_uppercase) for each in metavar.split("|")))
    return any_file if bare == "FILE" else _BY_METAVAR.get(bare)


def prepare(command: click.Command, name: str) -> None:
    """Give a command's parameters types that shells can complete."""
    context = click.Context(command, info_name=name)
    for param in command.params:
        if isinstance(param.type, type(click.STRING) | TextType):
            complete = values_of(name, param, param.make_metavar(context))
            if complete is not None:
                param.type = CompletedText(complete, param.type)
    for below, each in getattr(command, "commands", {}).items():
        prepare(each, below)


# ---------------------------------------------------------------------- bash

_BASH: Final = r"""
%(complete_func)s() {
    local IFS=$'\n' kind value
    COMPREPLY=()
    while read -r kind; do
        value=${kind#*,}
        case $kind in
            dir,*) compopt -o dirnames ;;
            file,*) compopt -o default ;;
            plain,*) COMPREPLY+=("$value") ;;
        esac
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" %(complete_var)s=bash_complete "$1")
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """Completion in bash, which splits words at colons: the text before the last colon is not repeated."""

    source_template = _BASH
    _prefix = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The complete words, and the word that is being typed."""
        line = os.environ["COMP_LINE"]
        typed = split_arg_string(line)[1:]
        last = typed.pop() if typed and not line[-1:].isspace() else ""
        self._prefix = last[: last.rfind(":") + 1]
        return typed, last

    def format_completion(self, item: CompletionItem) -> str:
        """One candidate in the form that the shell script reads."""
        value = str(item.value).removeprefix(self._prefix)
        if item.type == "plain":
            value = re.sub(r"([^\w@%+=:,./#~-])", r"\\\1", value)
        return f"{item.type},{value}"


def install() -> None:
    """Make click use the completion for bash of this module."""
    add_completion_class(Bash)


def commands(entries: Iterable[tuple[str, Any]], incomplete: str) -> list[CompletionItem]:
    """The names of commands, none of them imported."""
    return [CompletionItem(name, help=entry.help) for name, entry in entries if name.startswith(incomplete)]
