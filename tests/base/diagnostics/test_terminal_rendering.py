"""Properties of the terminal renderer that hold for every text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from vsalang.base.diagnostics import Edit, Fix, Label, error, warning
from vsalang.base.diagnostics.display import layout, width
from vsalang.base.diagnostics.terminal import render
from vsalang.base.source import Source, Span
from vsalang.base.source.printable import must_escape

texts = st.text(st.sampled_from("ab \t\n\r\u0301日\u202e\x1b\x00👀é\u200b\u2028"), max_size=60) | st.text(
    max_size=60
)


@st.composite
def findings(draw: st.DrawFn):
    source = Source.from_text(draw(texts), "f.vsa")
    size = len(source.text)

    def span() -> Span:
        start = draw(st.integers(0, size))
        return Span("f.vsa", start, draw(st.integers(start, size)))

    labels = tuple(Label(span(), draw(texts)) for _ in range(draw(st.integers(0, 3))))
    fixes = tuple(Fix(draw(texts), (Edit(span(), draw(texts)),)) for _ in range(draw(st.integers(0, 2))))
    item = error(
        "E0001", span(), draw(texts), label=draw(texts), labels=labels, fixes=fixes, help=draw(texts)
    )
    return source, item


@given(findings())
def test_nothing_reaches_the_terminal_that_steers_it(case) -> None:
    source, item = case
    shown = render([item], {"f.vsa": source}, color=False)
    assert [char for char in shown.replace("\n", "") if must_escape(char)] == []
    coloured = render([item], {"f.vsa": source}, color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown or _without_trailing(coloured) == shown


def _without_trailing(coloured: str) -> str:
    """Blanks at the end of a line that stand inside a colour are not cut."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    return "\n".join(line.rstrip() for line in plain.split("\n"))


@given(st.text(st.characters(blacklist_characters="\n\r"), max_size=40), st.data())
def test_the_underline_stands_below_the_span(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    source = Source("f.vsa", line)
    shown = render([error("E0001", Span("f.vsa", start, end), "m")], {"f.vsa": source}, color=False).split(
        "\n"
    )
    under = next(
        row for row in shown if "^" in row and row.lstrip().startswith("|") and set(row) <= set(" |^")
    )
    left, right = under.index("^") - 5, under.rindex("^") + 1 - 5  # behind the gutter `   | `
    columns = layout(line).columns
    assert (left, right) == (columns[start], max(columns[end], columns[start] + 1))


def test_columns_of_a_layout_are_those_of_its_text() -> None:
    made = layout("a\tb日e\u0301\u202e.")
    assert made.text == "a   b日e\u0301<U+202E>."
    assert made.columns == (0, 1, 4, 5, 7, 8, 8, 16, 17)
    assert sum(width(char) for char in made.text) == made.columns[-1]


def test_piled_up_marks_are_shown_as_numbers() -> None:
    assert layout("a" + "\u0301" * 40).text.count("<U+0301>") == 32


def test_nothing_is_printed_for_nothing() -> None:
    assert render([], {}, color=True) == ""


def test_the_last_line_counts() -> None:
    items = [error("E1", None, "a"), warning("W1", None, "b"), warning("W1", None, "c")]
    assert render(items, {}, color=False).endswith("\nFound 1 error and 2 warnings.\n")


def test_colours_only_when_asked_for() -> None:
    item = error("E1", Span("f", 0, 1), "m", label="l", help="h")
    sources = {"f": Source("f", "x")}
    assert "\x1b[1;31merror[E1]\x1b[0m" in render([item], sources, color=True)
    assert "\x1b" not in render([item], sources, color=False)


def test_a_long_line_is_cut_however_long() -> None:
    source = Source("f", "x" * 1_000_000)
    shown = render([error("E1", Span("f", 600_000, 600_003), "m", label="l")], {"f": source}, color=False)
    assert max(map(len, shown.split("\n"))) < 200
    assert "^^^ l" in shown
