"""One letter of a word may differ."""

import pytest

from vsalang.program.similarity import Words, similar
from vsalang.program.spelling import one_edit


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("calender", "calendar", True),
        ("resturant", "restaurant", True),
        ("wierd", "weird", True),
        ("umbrela", "umbrella", True),
        ("photo", "photos", False),
        ("order", "border", False),
        ("resurant", "restaurantt", False),
        ("cafés", "cafes", False),
        ("room1", "room2", False),
        ("same", "seme", False),
        ("wierdly", "wierdly", False),
        ("abcdef", "acbdfe", False),
    ],
)
def test_one_edit(one: str, other: str, expected: bool) -> None:
    assert one_edit(one, other) is one_edit(other, one) is expected


def test_only_one_word_written_in_lower_case() -> None:
    backend = Words(spelling=1)
    assert similar(backend, "Team Calendar", "the team calender")
    assert not similar(backend, "Team Calendar", "Team Calender"), "it may be a name"
    assert not similar(backend, "Weird calendar", "wierd calender"), "two words differ"
    assert not similar(Words(), "Team Calendar", "the team calender")
    with pytest.raises(ValueError, match="0 or 1"):
        Words(spelling=2)
