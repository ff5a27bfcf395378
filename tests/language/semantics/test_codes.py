"""Every code's examples: the bad one gives the code (and no other error), the good one gives nothing of it."""

import pytest

from vsalang.base.diagnostics import Severity
from vsalang.base.diagnostics.code import example_files
from vsalang.base.diagnostics.codes import CODES
from vsalang.language.semantics import load_text


def _load(example, name, folder):
    files = example_files(example, name)
    for other, text in files.items():
        (folder / other).write_text(text, encoding="utf-8")
    first = next(iter(files))
    return load_text(files[first], file=first, path=folder / first)


_SEMANTIC = [
    code
    for code in CODES.values()
    if code.code[1:3] in ("02", "03", "04", "05", "06") and code.code[0] in "EW"
]


@pytest.mark.parametrize(
    "code", [c for c in _SEMANTIC if c.example_bad and c.example_good], ids=lambda c: c.code
)
def test_examples(code, tmp_path):
    bad = _load(code.example_bad, "bad.vsa", tmp_path)
    assert [d.code for d in bad.diagnostics if d.severity is Severity.ERROR or d.code == code.code] == [
        code.code
    ]
    good = _load(code.example_good, "good.vsa", tmp_path)
    assert [d.code for d in good.diagnostics if d.severity is Severity.ERROR or d.code == code.code] == []


@pytest.mark.parametrize("code", _SEMANTIC, ids=lambda c: c.code)
def test_explained(code):
    assert code.title and not code.title.endswith(".")
    assert code.explanation.endswith((".", ":", "`"))
