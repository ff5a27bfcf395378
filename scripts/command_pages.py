"""The pages of `docs/commands`: the tables of commands and options in them, written from the click commands.

Words by hand stand around the tables. A table stands between two marks, and the first says of which command it is:

    <!-- options of vsac journal show -->
    <!-- end of options -->

`scripts.generate` writes the tables again. A command without marks gets a section at the end of the page of its family.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from vsalang.tools.cli.families import GROUPS, Entry, every
from vsalang.tools.cli.main import cli, imported

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs" / "commands"
INDEX: Final = "index"
_MARKS: Final = re.compile(
    r"^<!-- options of (vsac[^\n]*?) -->\n(?:.*?\n)??<!-- end of options -->$", re.M | re.S
)
_LISTS: Final = re.compile(r"^<!-- all commands -->\n(?:.*?\n)??<!-- end of commands -->$", re.M | re.S)
_FENCES: Final = re.compile(r"^```.*?^```$", re.M | re.S)


def families() -> dict[str, dict[str, Entry]]:
    """The names of the pages, with their commands: one page for each family, one for the rest of each group."""
    found: dict[str, dict[str, Entry]] = {}
    for group, entries in GROUPS.items():
        for name, entry in entries.items():
            if entry.place or not (FOLDER / f"{name}.md").is_file():
                found.setdefault(group.lower().replace(" ", "-"), {})[name] = entry
            else:
                found[name] = {f"{name} {below}": each for below, each in entry.inside.items()}
    return found


def pages() -> dict[Path, str]:
    """All pages of the folder with fresh tables.

    Raises:
        OSError: a page cannot be read.
        ValueError: a table is of a command that does not exist, or a command has two tables.
    """
    commands = {f"vsac {name}": entry for page in families().values() for name, entry in page.items()}
    texts: dict[str, str] = {}
    written: set[str] = set()
    for name, members in families().items():
        path = FOLDER / f"{name}.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else f"# {name.capitalize()}\n"
        here = [found[1] for found in _MARKS.finditer(text)]
        for command in here:
            if command not in commands or command in written:
                reason = "is there twice" if command in written else "does not exist"
                raise ValueError(f"{path.name}: `{command}`, which has a table of options, {reason}")
            written.add(command)
        for each, entry in members.items():
            if f"vsac {each}" not in here:
                text += f"\n## `vsac {each}`\n\n{entry.help}\n\n{_marked(f'vsac {each}', '')}\n"
        texts[name] = _MARKS.sub(lambda found: _marked(found[1], options(found[1], commands[found[1]])), text)
    index = (FOLDER / f"{INDEX}.md").read_text(encoding="utf-8")
    index = _MARKS.sub(lambda found: _marked(found[1], _table(cli)), index)
    lists = f"<!-- all commands -->\n\n{overview(texts)}\n<!-- end of commands -->"
    texts[INDEX] = _LISTS.sub(lambda _: lists, index)
    return {FOLDER / f"{name}.md": text for name, text in texts.items()}


def options(words: str, entry: Entry) -> str:
    """The heading and the table of options of a command; of a family a table for each of its commands.

    Args:
        words: what calls the command, such as ``vsac journal show``.
        entry: where its code is.
    """
    parts = [f"### Options of `{words}`\n"]
    for usage, leaf in every({words: entry}):
        command = imported(usage, leaf)
        context = click.Context(command, info_name=usage)
        parts.append(f"    {' '.join([usage, *command.collect_usage_pieces(context)])}\n")
        table = _table(command)
        parts += [table] if table else []
    return "\n".join(parts)


def overview(texts: dict[str, str]) -> str:
    """The tables of all commands, a table for each group, with links to their sections.

    Args:
        texts: the pages by their names.
    """
    sections = {command: place for name, text in texts.items() for command, place in _sections(name, text)}
    parts = []
    for group, entries in GROUPS.items():
        parts += [f"### {group}\n", "| command | what it does |", "|---|---|"]
        for words, entry in every(entries):
            section = next(place for place in _prefixes(f"vsac {words}") if place in sections)
            parts.append(f"| [`vsac {words}`]({sections[section]}) | {_cell(entry.help)} |")
        parts.append("")
    return "\n".join(parts)


def _prefixes(words: str) -> Iterator[str]:
    """A command, and the families that it is in: the nearest first."""
    while words:
        yield words
        words = words.rpartition(" ")[0]


def _marked(words: str, text: str) -> str:
    body = f"\n{text}\n" if text else ""
    return f"<!-- options of {words} -->\n{body}<!-- end of options -->"


def _table(command: click.Command) -> str:
    rows = [
        f"| {_names(each)} | {_meaning(each)} |" for each in command.params if isinstance(each, click.Option)
    ]
    return "\n".join(["| option | what it does |", "|---|---|", *rows, ""]) if rows else ""


def _names(option: click.Option) -> str:
    """The spellings of an option, the longest first, with what it takes."""
    value = "" if option.is_flag or option.count else f" {_metavar(option)}"
    names = sorted(option.opts, key=len, reverse=True)
    return ", ".join(f"`{name}{value}`" for name in [*names, *option.secondary_opts])


def _metavar(option: click.Option) -> str:
    """What an option takes, in one word; the values of a choice stand next to it."""
    if option.metavar:
        return option.metavar.replace("|", " or ")
    if isinstance(option.type, click.DateTime):
        return "DATE"
    if isinstance(option.type, click.Choice):
        return "NAME"
    return option.make_metavar(click.Context(click.Command("")))


def _meaning(option: click.Option) -> str:
    about: dict[str, Any] = option.to_info_dict()
    parts = [re.sub(r"\[default: (.*?)\]", r"Default: \1.", (about["help"] or "").strip())]
    if isinstance(option.type, click.Choice):
        parts.append("One of " + ", ".join(f"`{each}`" for each in about["type"]["choices"]) + ".")
    default = about["default"]
    if not option.is_flag and isinstance(default, str | int | float) and default != "":
        parts.append(f"Default: `{default}`.")
    if option.multiple and not re.search(r"[Rr]epeatable|repeated", parts[0]):
        parts.append("May be given several times.")
    if option.required:
        parts.append("Required.")
    return _cell(" ".join(part for part in parts if part))


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def _sections(page: str, text: str) -> Iterator[tuple[str, str]]:
    """The commands that have a table on a page, with the place of the section that it stands in."""
    heading = ""
    for line in _FENCES.sub("", text).splitlines():
        if line.startswith("## "):
            words = re.sub(r"[^\w\- ]", "", line.removeprefix("## ").lower())
            heading = words.replace(" ", "-")
        elif found := re.match(r"<!-- options of (.*) -->", line):
            yield found[1], f"{page}.md#{heading}"
