"""What is read does not depend on the caller's stack, and how much is read is bounded."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from vsalang.base.source import Source
from vsalang.language.syntax import parse
from vsalang.language.syntax.parser import read
from vsalang.language.syntax.scan import MAX_CODE, MAX_ELEMENTS, MAX_ITEMS

DEEPEST = "spec s\nlet X = " + "(" * 24 + "1" + ")" * 24 + ".\nallow A.\n"


def depth() -> int:
    """How many calls the caller is nested in."""
    frame: FrameType | None = sys._getframe(1)
    used = 0
    while frame is not None:
        used += 1
        frame = frame.f_back
    return used


def at_depth(more: int, run: Callable[[], object]) -> object:
    return run() if more <= 0 else at_depth(more - 1, run)


@pytest.mark.parametrize("room", [60, 100, 150, 300, 500])
@pytest.mark.parametrize(
    "text", ["spec s\nallow A.", DEEPEST, DEEPEST + "allow ,.\n"], ids=["plain", "deep", "broken"]
)
def test_a_callers_stack_is_no_matter(room: int, text: str) -> None:
    source = Source.from_text(text)
    wanted = read(source)
    used = depth()
    assert at_depth(sys.getrecursionlimit() - used - room, lambda: read(source)) == wanted


def test_too_low_a_limit_does_not_blame_the_file() -> None:
    source = Source.from_text(DEEPEST)
    read(source)
    used = depth()
    old = sys.getrecursionlimit()
    sys.setrecursionlimit(used + 40)
    try:
        parsed = read(source)
    finally:
        sys.setrecursionlimit(old)
    assert parsed.module is None
    assert [finding.code for finding in parsed.diagnostics] == ["E0135"]


@pytest.mark.parametrize(
    "text",
    [
        "allow A. " * (MAX_ITEMS + 1),
        "let X = {1"
        + ",1" * 9_000
        + "}.\n"
        + ("let X = {1" + ",1" * 9_000 + "}.\n") * (MAX_ELEMENTS // 9_000),
        ("let X" + "x" * 9_000 + " = 1.\n") * (MAX_CODE // 9_000 + 1),
    ],
    ids=["items", "elements", "code"],
)
def test_too_much_is_refused(text: str) -> None:
    parsed = parse(Source.from_text("spec s\n" + text))
    assert [finding.code for finding in parsed.diagnostics] == ["E0134"]
    assert parsed.module is None and parsed.broken


def test_texts_and_comments_do_not_count() -> None:
    text = (
        "spec s\n/* "
        + "a, b. {} " * 100_000
        + '*/\nlet X = "'
        + "1, 2: 3. }" * 100_000
        + '".\n// '
        + "." * MAX_CODE
    )
    parsed = parse(Source.from_text(text))
    assert not parsed.diagnostics
