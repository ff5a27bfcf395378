"""A name in a line that says much more: it counts while the line says just what it said."""

import json
from pathlib import Path

import pytest

from tests.models.effects.test_parts import parts, review
from tests.models.effects.test_places import accepted, acts, judged, under
from vsalang.models.effects.kept import AnswerFile, _argument
from vsalang.models.effects.places import part_in
from vsalang.tools.cli.answers import _line

LINE = "Ines Calvo (nurse, health centre) will see what your sensor says for 14 days, 720 values a day"


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A person has accepted who gets something, by a part of a long line."""
    file = tmp_path / "a"
    accepted(file, review(LINE, "Share"), means="acts", kind="Send", arguments=parts(to=(LINE, "Ines Calvo")))
    return file


def test_a_name_in_a_long_line_is_read(told: Path) -> None:
    tree = review(LINE, "Share")
    assert acts(judged(told, tree)) == ['std.effects.Send(to = "Ines Calvo", app = "com.app")']
    assert under('allow Send(to names "Ines Calvo").', told, tree).level == "allow"
    assert under('allow Send(to names "Bob Calvo").', told, tree).level == "block"


@pytest.mark.parametrize(
    "line",
    [LINE.replace("14", "15"), LINE.replace("Ines Calvo", "Bob"), LINE.replace("nurse", "chief"), f"{LINE}."],
)
def test_another_line_is_another_screen(told: Path, line: str) -> None:
    assert under('allow Send(to names "Ines Calvo").', told, review(line, "Share")).level == "block"


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("Ann Lee and Bob will see all of this until 2027", "Ann Lee"),
        ("Ann Lee will see it, and so will Bob, for 2 years", "Ann Lee"),
        ("All 146 members, Ann Lee among them, will see it", "Ann Lee"),
        ("Ann Lee (Bob) will see all of this until 2027", "Ann Lee"),
        ("Ann Lee, Bob will see all of this until 2027", "Ann Lee"),
        ("Ann Lee (nurse), Bob Ray (doctor) will see 720 values a day", "Ann Lee"),
        ("Ann Lee (nurse) & Bob Ray will see 720 values", "Ann Lee"),
        ("Ann Lee (via bob@x.com) will see 720 values", "Ann Lee"),
        ("Shared with Ann Lee • Bob Ray • Cy Poe for 720 days", "Ann Lee"),
        ("Ann Lee, 146 others will see this", "Ann Lee"),
        ("Ann Lee together with 146 others", "Ann Lee"),
        ("Ann Lee as well as Bob Ray will see 720 values", "Ann Lee"),
        ("Ann Lee Bob Ray Cy Poe will see 720 values", "Ann Lee"),
        ("李晓雯以及王伟可以看到4411", "李晓雯"),
        ("All 146 members except Ann Lee will see this", "Ann Lee"),
        ("Will be sent to Bob Ray, room 4411, instead of Ann Lee", "Ann Lee"),
        ("Goes to Bob Ray on behalf of Ann Lee, case 88120", "Ann Lee"),
        ("From Ann Lee to Bob Ray, 720 values", "Ann Lee"),
        ("Joann Leer will see all of this until 2027", "ann Lee"),
        ("Ann Lee will see what Ann Lee sent in the year 2027", "Ann Lee"),
        ("Whoever has 4411 552 will see this", "4411"),
        ("", "Ann"),
        ("Ann", ""),
    ],
)
def test_a_line_that_names_more_has_no_part(line: str, part: str) -> None:
    assert part_in(line, part) is None


def test_nothing_of_the_line_is_kept(told: Path) -> None:
    (kept,) = AnswerFile(told).all()
    assert "Calvo" not in told.read_bytes().decode("utf-8", "replace")
    assert 'to: a part of the text behind "Review"' in _line(kept)


@pytest.mark.parametrize("parameter", ["text", "value", "name", "channel"])
def test_only_names_stay_so(parameter: str) -> None:
    cells = {"parameter": "to", "spot": 3, "words": "", "behind": "", "own": False, "fixed": [0, 4]}
    assert _argument(json.loads(json.dumps(cells))).fixed == (0, 4)
    with pytest.raises(ValueError, match="stays"):
        _argument(cells | {"parameter": parameter})
