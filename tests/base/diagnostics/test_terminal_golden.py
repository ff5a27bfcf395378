"""Snapshots of what people see. ``UPDATE_GOLDEN=1 pytest tests/base/diagnostics`` writes them again: read the diff."""

import re
from pathlib import Path

import pytest

from tests.snapshots import golden
from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, error, warning
from vsalang.base.diagnostics.terminal import render
from vsalang.base.source import Source, Span

GOLDEN = Path(__file__).parent.parent.parent / "golden" / "diagnostics"

SPEC = """\
spec reserve_r "Reserve restaurant R before 7 PM."
import apps.opentable

allow Reserve(restaurant = "R", time < 19:00)
\twhen Slto(restaurant = "R", time = ?t).

test "late" {
  observe Slot(time = 20:00).
  attempt Reserve.
  finish.
  finish.
}
allow Q(name = "日本レストラン", note = "cafe\u0301", x = ?y).
allow Rtl(name = "\u202eevil\u202c", esc = "\x1b[31mred").
"""
SOURCE = Source.from_text(SPEC, "reserve.vsa")
LONG = Source.from_text("x" * 500_000 + "BAD" + "y" * 500_000 + "\nlast", "long.vsa")


def at(text: str, nth: int = 0, source: Source = SOURCE) -> Span:
    start = [found.start() for found in re.finditer(re.escape(text), source.text)][nth]
    return Span(source.file, start, start + len(text))


CASES: dict[str, list[Diagnostic]] = {
    "label_help_fix": [
        error(
            "E0201",
            at("Slto"),
            "unknown relation `Slto`",
            label="not declared",
            help="did you mean `Slot`?\nrelations of imported modules count too",
            fixes=(Fix("write `Slot`", (Edit(at("Slto"), "Slot"),)),),
        )
    ],
    "help_that_a_fix_says_too": [
        error(
            "E0107",
            at("Slto"),
            "`Slto` is not an operator",
            help="did you mean `Slot`?",
            fixes=(Fix("write `Slot`", (Edit(at("Slto"), "Slot"),)),),
        )
    ],
    "labels_of_one_line": [
        error(
            "E0301",
            at("?t"),
            "types differ",
            label="a Time",
            labels=(Label(at("Slto"), "of this relation"), Label(at("restaurant", 1), "compared with this")),
        )
    ],
    "labels_of_other_lines_and_files": [
        error(
            "E0202",
            at("Reserve", 1),
            "declared twice",
            label="again",
            labels=(
                Label(at("spec reserve_r"), "in this module"),
                Label(Span("other.vsa", 4, 7), "first here"),
            ),
        ),
        error("E0202", Span("missing.vsa", 0, 1), "a file whose text is not at hand", label="somewhere"),
    ],
    "several_lines": [
        warning(
            "W0601",
            Span("reserve.vsa", at("test").start, at("}").end),
            "a test without `=>`",
            label="ends here",
        ),
        warning(
            "W0602",
            Span("reserve.vsa", at('"late"').start, at("attempt").end),
            "starts in the middle",
            label="x",
        ),
    ],
    "wide_and_combining": [
        error("E0302", at("日本レストラン"), "wide", label="wide"),
        error("E0302", at("e\u0301"), "combining", label="one column"),
        error("E0302", at("?y"), "after both", label="here"),
    ],
    "untrusted_text": [
        error(
            "E0303", at("evil"), "a name like \x1b[2J\u202e and\nanother line", label="a\x07b", help="c\x1bd"
        ),
    ],
    "end_of_file_and_no_place": [
        error("E0101", Span("reserve.vsa", len(SPEC), len(SPEC)), "unexpected end", label="expected `.`"),
        error("E0001", None, "cannot read a.vsa: no such file", file="a\x1b.vsa", help="check the name"),
        Diagnostic("E0100", warning("W", None, "").severity, None, "nothing is known of it"),
    ],
    "very_long_line": [
        error("E0102", at("BAD", source=LONG), "in a line of a megabyte", label="here"),
        error("E0102", Span("long.vsa", 499_990, 900_000), "longer than the screen", label="all of it"),
        error(
            "E0102",
            at("BAD", source=LONG),
            "far apart",
            labels=(
                Label(Span("long.vsa", 3, 4), "far away"),
                Label(Span("long.vsa", 10, 14), ""),
                Label(Span("long.vsa", 20, 400), ""),
            ),
            fixes=(Fix("write GOOD", (Edit(at("BAD", source=LONG), "GOOD"),)),),
        ),
    ],
    "fix_of_several_lines": [
        error(
            "E0103",
            at("attempt Reserve.\n"),
            "two edits, one of them removing a line break",
            fixes=(
                Fix("join", (Edit(at("attempt Reserve.\n  "), ""), Edit(at("20:00"), "20:30"))),
                Fix("add", (Edit(Span("reserve.vsa", at("}").start, at("}").start), "  approve.\n"),)),
            ),
        )
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_what_people_see(name: str) -> None:
    shown = render(CASES[name], {"reserve.vsa": SOURCE, "long.vsa": LONG}, color=False)
    file = GOLDEN / f"{name}.txt"
    golden(shown, file)
