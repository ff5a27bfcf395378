"""Reports: their styles are those of click, which prints them."""

import click
import pytest

from vsalang.base.report import Style

COLORS = (None, "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


@pytest.mark.parametrize("fg", COLORS)
@pytest.mark.parametrize("bold", [None, True, False])
@pytest.mark.parametrize("dim", [None, True, False])
def test_a_style_is_that_of_click(fg: str | None, bold: bool | None, dim: bool | None) -> None:
    assert Style(True)("tap", fg=fg, bold=bold, dim=dim) == click.style("tap", fg=fg, bold=bold, dim=dim)


def test_a_text_without_colors_stays() -> None:
    assert Style()("tap", fg="red", bold=True) == "tap"
    assert Style(True)("", fg="red") == ""


def test_an_unknown_color_is_an_error() -> None:
    with pytest.raises(ValueError):
        Style(True)("tap", fg="crimson")
