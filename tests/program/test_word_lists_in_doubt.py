"""What a list of words says of a text that may be read in two ways, asked as often as a screen has texts."""

from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.word_lists import WordList

FORMS = ("send", "отправить", "送信")
TEXTS = st.text(alphabet=st.sampled_from(list("send отпавиь送信\u200b\u202eосе\n")), max_size=20)


@given(TEXTS)
def test_what_adds_duty_is_what_is_answered_otherwise(text: str) -> None:
    for whole in (False, True):
        plain = WordList(FORMS, whole)
        for reading in ("plain", "possible", "narrow", "certain"):
            one = WordList(FORMS, whole, reading)  # type: ignore[arg-type]
            differs = not text.isascii() and one.matches(text) is not plain.matches(text)
            assert one.adds(text) is (differs and reading not in ("plain", "possible"))
