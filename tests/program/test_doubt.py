"""Texts of which it is in doubt what they say: neither similar nor dissimilar."""

import pytest

from vsalang.program.doubt import LONGEST, doubt
from vsalang.program.ops import holds
from vsalang.program.similarity import DEFAULT, Words, behind, doubtful, similar

RING = "my wedding ring"


class Always:
    """A backend that calls everything similar, and was never to be asked."""

    def similar(self, text: str, constant: str) -> bool | None:
        raise AssertionError("it is asked")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("wedding riнg", "a word of it mixes letters of two scripts"),  # a Cyrillic letter
        ("wedding rіng", "a word of it mixes letters of two scripts"),
        ("The wedding ring" + "." * LONGEST, "it has more than 20,000 characters"),
        ("ﷺ" * 2000, "it has more than 20,000 characters"),  # 36,000 after NFKC
        ("my wedding \u202egnir\u202c", "it turns the direction of writing"),
        ("\u2067my wedding ring", "it turns the direction of writing"),
    ],
)
def test_a_doubtful_text_is_neither(text: str, why: str) -> None:
    assert doubt(text) == doubtful(DEFAULT, text) == why
    for backend in (DEFAULT, Words(spelling=1), Always()):
        for one, other in ((text, RING), (RING, text)):
            assert similar(backend, one, other) is None
            assert not holds("~=", one, other, similarity=backend)
            assert not holds("!~=", one, other, similarity=backend)
    assert behind(DEFAULT, text, RING).problem == f"no answer: {why}"
    assert similar(Always(), text, text) is True


def test_other_scripts_are_neither() -> None:
    assert similar(DEFAULT, "кольцо", RING) is None and doubt("кольцо") == ""
    assert similar(DEFAULT, "東京", RING) is None


@pytest.mark.parametrize(
    "text",
    [
        "a gold ring",
        "\u2068my\u2069 ring",
        "\u200fשלום \u2067abc\u2069",
        "10 kΩ, 5 μm",
        "HD-качество",
        "東京 Tokyo",
        "Tシャツ",
    ],
)
def test_other_texts_are_in_no_doubt(text: str) -> None:
    assert doubt(text) == ""


def test_nobody_is_asked_about_long_texts() -> None:
    assert doubtful(Always(), "x" * 2001) == "it has more than 2,000 characters"
    assert doubtful(Always(), "x" * 2000) == doubtful(DEFAULT, "x" * 2001) == ""
