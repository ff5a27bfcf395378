"""The pages of the shipped policies: words of docs/reference/stdlib/policies/README.md, and tables of their rules."""

import re
from collections.abc import Mapping
from pathlib import Path

from vsalang.base.source import Source, read_source
from vsalang.language.syntax import parse
from vsalang.language.syntax import tree as t

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "stdlib" / "std" / "policies"
WORDS = ROOT / "docs" / "reference" / "stdlib" / "policies" / "README.md"
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
        made = tables(SOURCES / f"{name}.vsa")
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
            value = _let_value(item.value, source)
            lets.append(f"| `{item.name.text}` | {value} | {_text(said['rationale'])} |")
    given = ["", "| constant | value | meaning |", "|---|---|---|", *lets] if lets else []
    lines = [*(rules if len(rules) > 2 else []), *given]
    return "\n".join(lines) + "\n" if lines else ""


def _let_value(value: t.Expr, source: Source) -> str:
    if isinstance(value, t.Regex):
        return "a pattern"
    if isinstance(value, t.WordsOf):
        count = sum(len(entry.forms) for entry in value.entries)
        return f"the words of `{value.file.value}`" if value.file is not None else f"{count} words"
    return f"`{source.slice(value.span)}`"


def _text(arg: t.Expr) -> str:
    assert isinstance(arg, t.Text)
    return arg.value


def _expected(rule: t.Rule, source: object) -> str:
    text = source.slice(rule.head.span)  # type: ignore[attr-defined]
    return "`" + " ".join(text.split()) + "`"
