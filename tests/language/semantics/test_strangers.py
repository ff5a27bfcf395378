"""What people write out of habit, by the language they come from: one error each, words that help, fixes that work.

Each line of `strangers/LANGUAGE.txt` is an item as its author would write it. What is said of it stands in
`tests/golden/strangers/LANGUAGE.txt`; running this file with UPDATE_GOLDEN=1 writes it again.
"""

from pathlib import Path

import pytest

from tests.snapshots import golden
from vsalang.base.diagnostics import Diagnostic, Fix
from vsalang.language.semantics import load_text

HERE = Path(__file__).parent / "strangers"
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "strangers"
FILES = sorted(HERE.glob("*.txt"))
_DONE = "done when Cart(open = true).\n"
_APP = (
    'app x package "com.x" "X"\nscreen Basket when Node(id = "b").\n'
    "view Cart on Basket { total: Number  open: Bool }\naction Pay(amount: Number)\n"
)


def _program(language: str, line: str) -> str:
    """The line in a module in which it would be right, were it written in this language."""
    if language == "apps":
        return f"{_APP}{line}\n"
    before = 'spec s "Pay."\nimport shop\n'
    if line.startswith("done"):
        return f"{before}allow Pay.\n{line}\n"
    is_licence = line.startswith(("allow", "permit", "GRANT"))
    return f"{before}{line}\n{'' if is_licence else 'allow Pay.'}\n{_DONE}"


def _errors(text: str) -> list[Diagnostic]:
    found = load_text(text, path=HERE / "case.vsa").diagnostics
    return [item for item in found if item.severity.value == "error"]


def _mended(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def _cases() -> list[tuple[str, str]]:
    return [(file.stem, line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]


def test_there_are_many() -> None:
    assert len(_cases()) > 300


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(("language", "line"), _cases())
def test_one_error_and_fixes_that_mend(language: str, line: str) -> None:
    text = _program(language, line)
    errors = _errors(text)
    assert [item.code for item in errors] and len(errors) == 1, [(item.code, item.message) for item in errors]
    assert errors[0].span is not None
    for fix in errors[0].fixes:
        after = _errors(_mended(text, fix))
        # a second habit in the same item, or what the item means, shows only now
        assert len(after) <= 1, fix.title
        assert [item.message for item in after] != [errors[0].message], fix.title


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_said(file: Path) -> None:
    told: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        text = _program(file.stem, line)
        told.append(line)
        for item in _errors(text):
            assert item.span is not None
            told.append(f"    {item.code} {item.message}: `{text[item.span.start : item.span.end]}`")
            told += [f"    label: {item.label}"] if item.label else []
            told += [f"    help: {item.help}"] if item.help else []
            told += [f"    fix: {fix.title}" for fix in item.fixes]
    shown = "\n".join(told) + "\n"
    golden(shown, GOLDEN / file.name)


def test_a_relation_of_a_module_that_is_not_imported() -> None:
    """`Part` is near to `Cart`, but it is a relation of std.tree: the fix imports that."""
    text = 'app a package "a.b"\nview Cart { n: Text }\nupdate Cart(n = ?t) when Part(id = "x", text = ?t).\n'
    (found,) = _errors(text)
    assert [fix.title for fix in found.fixes] == ["add `import std.tree`"]
    assert _errors(_mended(text, found.fixes[0])) == []
    assert "\nimport std.tree\n" in _mended(text, found.fixes[0])
