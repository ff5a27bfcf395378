"""The name of a test is short, so that whoever reads a failure sees at once what is tested."""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
MOST = 9
DEFINED = re.compile(r"^ *(?:async )?def test_(\w+)", re.MULTILINE)


def test_no_name_has_more_than_nine_words() -> None:
    names = [
        (path.relative_to(TESTS).as_posix(), name)
        for path in sorted(TESTS.rglob("*.py"))
        for name in DEFINED.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(names) > 1000
    long = [f"{file}: test_{name}" for file, name in names if len(name.split("_")) > MOST]
    assert long == [], "say the rest in the docstring"
