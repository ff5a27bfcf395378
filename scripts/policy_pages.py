"""The pages of the shipped policies: words of docs/reference/stdlib/policies/README.md, and tables of their rules.

The page of the pack also counts the lists of words of the whole standard library.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from vsalang.base.source import Source, read_source
from vsalang.language.syntax import parse
from vsalang.language.syntax import tree as t
from vsalang.program.word_lists import read_entries

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "stdlib" / "std" / "policies"
WORDS = ROOT / "docs" / "reference" / "stdlib" / "policies" / "README.md"
PACK = "all"
_SECTION = re.compile(r"^## (std\.policies\.(\w+): .*\n)", re.MULTILINE)


def pages() -> Mapping[str, str]:
    """The page of each policy by the policy's name.

    Raises:
        OSError: a policy that has a section is not there.
    """
    _, *parts = _SECTION.split(WORDS.read_text(encoding="utf-8"))
    found = {}
    for title, name, words in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        text = words.strip("\n")
        made = tables(SOURCES / f"{name}.vsa") + (counts() if name == PACK else "")
        rules = f"\n## Rules and constants\n\n{made}" if made else ""
        found[name] = f"# {title}\n{text}\n{rules}"
    return found


def tables(path: Path) -> str:
    """The tables of a policy's rules and of its constants; empty without either."""
    source = read_source(path)
    tree = parse(source).module
    assert tree is not None
    rules, lets = ["| rule | verdict | severity | message | why |", "|---|---|---|---|---|"], []
    for item in tree.items:
        said = {a.name.text: a.args[0] for a in item.annotations}
        if isinstance(item, t.Rule) and "id" in said:
            message = (
                item.head.message.value if isinstance(item.head, t.JudgeHead) else _expected(item, source)
            )
            severity = str(said["severity"].name)  # type: ignore[union-attr]
            cells = (f"`{_text(said['id'])}`", item.kind, severity, message, _text(said["rationale"]))
            rules.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        elif isinstance(item, t.Let):
            value = _value(item.value, path, source)
            lets.append(f"| `{item.name.text}` | {value} | {_text(said['rationale'])} |")
    given = ["", "| constant | value | meaning |", "|---|---|---|", *lets] if lets else []
    lines = [*(rules if len(rules) > 2 else []), *given]
    return "\n".join(lines) + "\n" if lines else ""


def entries(path: Path) -> dict[str, int]:
    """How many entries each list of words of a module has, by the constant's name."""
    tree = parse(read_source(path)).module
    assert tree is not None
    return {
        item.name.text: _length(item.value, path)
        for item in tree.items
        if isinstance(item, t.Let) and isinstance(item.value, t.WordsOf)
    }


def all_entries() -> dict[str, int]:
    """How many entries the lists of words of each module of the standard library have, by the module's path there."""
    folder = SOURCES.parent
    counted = {
        str(path.relative_to(folder).with_suffix("")): sum(entries(path).values())
        for path in sorted(folder.rglob("*.vsa"))
    }
    return {name: count for name, count in counted.items() if count}


def counts() -> str:
    """A table of how many entries the lists of words of each module have."""
    counted = all_entries()
    rows = [f"| `std.{name.replace('/', '.')}` | {count:,} |" for name, count in counted.items()]
    total = f"| together | {sum(counted.values()):,} |"
    return "\n".join(["| lists of words of | entries |", "|---|---|", *rows, total]) + "\n"


def _length(value: t.WordsOf, path: Path) -> int:
    if value.file is None:
        return len(value.entries)
    return len(read_entries((path.parent / value.file.value).read_text(encoding="utf-8"))[0])


def _value(value: t.Expr, path: Path, source: Source) -> str:
    if isinstance(value, t.Regex):
        return "a pattern"
    if isinstance(value, t.WordsOf):
        return f"{_length(value, path)} words"
    return f"`{source.slice(value.span)}`"


def _text(arg: t.Expr) -> str:
    assert isinstance(arg, t.Text)
    return arg.value


def _expected(rule: t.Rule, source: Source) -> str:
    text = source.slice(rule.head.span)
    return "`" + " ".join(text.split()) + "`"
