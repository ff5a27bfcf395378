"""Write the tables of docs/reference/stdlib/policies/*.md from stdlib/std/policies/*.vsa, so that no page goes stale.

What a page says in its own words stays; what stands between `<!-- rules -->` and `<!-- end -->` is written here.

.venv/bin/python scripts/policy_pages.py
"""

import re
from pathlib import Path

from vsalang.language.semantics import load
from vsalang.language.syntax import tree as t

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "stdlib" / "std" / "policies"
PAGES = ROOT / "docs" / "reference" / "stdlib" / "policies"
_MARKED = re.compile(r"(?<=<!-- rules -->\n).*?(?=<!-- end -->)", re.DOTALL)


def page(path: Path) -> str:
    """The page of a policy as it should be."""
    text = (PAGES / f"{path.stem}.md").read_text(encoding="utf-8")
    return _MARKED.sub(lambda _: tables(path), text)


def tables(path: Path) -> str:
    """The tables of a policy's rules and of its constants."""
    loaded = load(path)
    tree, source = loaded.units[-1].tree, loaded.units[-1].source
    rules, lets = ["| rule | verdict | severity | message | why |", "|---|---|---|---|---|"], []
    for item in tree.items:
        said = {a.name.text: a.args[0] for a in item.annotations}
        if isinstance(item, t.Rule) and "id" in said:
            message = (
                item.head.message.value if isinstance(item.head, t.JudgeHead) else _expected(item, source)
            )
            severity = said["severity"].name  # type: ignore[union-attr]
            cells = (f"`{_text(said['id'])}`", item.kind, severity, message, _text(said["rationale"]))
            rules.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        elif isinstance(item, t.Let):
            value = "a pattern" if isinstance(item.value, t.Regex) else f"`{source.slice(item.value.span)}`"
            lets.append(f"| `{item.name.text}` | {value} | {_text(said['rationale'])} |")
    given = ["", "| constant | value | meaning |", "|---|---|---|", *lets] if lets else []
    return "\n".join([*(rules if len(rules) > 2 else []), *given]) + "\n"


def _text(arg: t.Expr) -> str:
    assert isinstance(arg, t.Text)
    return arg.value


def _expected(rule: t.Rule, source: object) -> str:
    text = source.slice(rule.head.span)  # type: ignore[attr-defined]
    return "`" + " ".join(text.split()) + "`"


def main() -> None:
    """Write all pages."""
    for path in sorted(path for path in SOURCES.glob("*.vsa") if path.stem != "judge"):
        (PAGES / f"{path.stem}.md").write_text(page(path), encoding="utf-8")


if __name__ == "__main__":
    main()
