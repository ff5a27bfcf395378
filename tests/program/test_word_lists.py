"""Lists of words: the notation, what of a text counts, and that the automaton finds what a naive search finds."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.words import NaiveWords
from vsalang.program.ir import Words
from vsalang.program.word_lists import (
    LONGEST_FORM,
    MOST_FORMS,
    WordList,
    covered,
    folded,
    read_entries,
    tidy,
)


def forms(text: str) -> tuple[str, ...]:
    """The words of a list without flaws."""
    entries, flaws = read_entries(text)
    assert not flaws
    return tuple(form for entry in entries for form in entry.forms)


# ---------------------------------------------------------------- the notation


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("send\n\n  pay  \n", ("send", "pay")),
        ("send, ~s, ~ing", ("send", "sends", "sending")),
        ("lösch|en, ~e, ge~t", ("löschen", "lösche", "gelöscht")),
        ("delet|e account, ~ing account", ("delete account", "deleting account")),
        ("send   now // a comment, with a comma\n// another\nyes", ("send now", "yes")),
        ("send\t// one", ("send",)),
        ("send\r\npay\r\n", ("send", "pay")),
        ("a//b", ("a",)),
        ("don't, e.g., Terms & Conditions", ("don't", "e.g.", "Terms & Conditions")),
    ],
)
def test_entries_are_written_out(text: str, wanted: tuple[str, ...]) -> None:
    assert forms(text) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the list has no word"),
        ("// only a comment", "the list has no word"),
        ("send\nSEND", '"SEND" is in the list twice: it is the same as "send"'),
        ("send, ~", '"send" is in the list twice'),
        ("löschen\nloschen", '"loschen" is in the list twice: it is the same as "löschen"'),
        ("send,", "a form is empty"),
        (", send", "a form is empty"),
        ("\u0e48", '"\u0e48" has neither a letter nor a digit'),
        ("...", '"..." has neither a letter nor a digit'),
        ("send(s)?", '"(" cannot be in a word'),
        ("send.*", '"*" cannot be in a word'),
        ("~s", "the first form is written in full"),
        ("a|b|c, ~d", "the first form is written in full"),
        ("send|, ~s", "the first form is written in full"),
        ("send, se|nds", "only the first form of an entry can have a `|`"),
        ("pay €", 'the sign "€" does not count'),
        ("se\u200bnd", "the entry has the character"),
        ("se\x07nd", "the entry has the character"),
        ("se\u2028nd", "the entry has the character"),
        ("a" * (LONGEST_FORM + 1), f"a word has more than {LONGEST_FORM} characters"),
    ],
)
def test_flaws_are_named(text: str, message: str) -> None:
    _, flaws = read_entries(text)
    assert [flaw.message[: len(message)] for flaw in flaws] == [message]
    assert flaws[0].help
    assert 0 <= flaws[0].start <= flaws[0].end <= len(text)


def test_a_list_that_is_too_long_is_refused() -> None:
    _, flaws = read_entries("\n".join(f"word {n}" for n in range(MOST_FORMS + 1)))
    assert [flaw.message for flaw in flaws] == [f"the list has more than {MOST_FORMS:,} words"]


def test_a_place_is_that_of_the_entry() -> None:
    text = "one\n  two, ~s // c\n"
    entries, _ = read_entries(text)
    assert [text[each.start : each.end] for each in entries] == ["one", "two, ~s"]


def test_an_entry_goes_on_after_a_comma() -> None:
    text = "lösch|en,  // German\n\n  ~e,\n  // a comment\n  ge~t\nlog out\n"
    entries, flaws = read_entries(text)
    assert [each.forms for each in entries] == [("löschen", "lösche", "gelöscht"), ("log out",)]
    assert not flaws
    assert text[entries[0].start : entries[0].end].startswith("lösch|en,  // German")
    assert text[entries[0].start : entries[0].end].endswith("ge~t")
    assert tidy(text) == ["lösch|en,  // German", "", "  ~e,", "// a comment", "  ge~t", "log out"]


def test_tidy_breaks_long_entries() -> None:
    forms = [f"word{number}" for number in range(40)]
    shown = tidy(", ".join(forms) + " // many\nshort\n")
    assert max(map(len, shown[:-2])) <= 98
    assert [line[:2] == "  " for line in shown] == [False, True, True, True, False]
    assert shown[3].endswith("word39  // many")
    assert tidy("\n".join(shown)) == shown
    assert read_entries("\n".join(shown))[0][0].forms == tuple(forms)


def test_tidy_keeps_order_and_comments() -> None:
    text = "\n\n  b ,~s// one\n a   a//x // c\n\n\n\t// d  \n"
    assert tidy(text) == ["b, ~s  // one", "a a  //x // c", "", "// d"]


@given(st.text("ab~|, \t\n/é送", max_size=40) | st.text("abcd, \n/", min_size=150, max_size=400))
def test_tidy_changes_neither_words_nor_itself(text: str) -> None:
    shown = tidy(text)
    assert tidy("\n".join(shown)) == shown
    before, after = read_entries(text), read_entries("\n".join(shown))
    assert [each.forms for each in before[0]] == [each.forms for each in after[0]]
    assert [flaw.message for flaw in before[1]] == [flaw.message for flaw in after[1]]


# ---------------------------------------------------------------- what counts


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("send", "SEND"),
        ("send", "ｓｅｎｄ"),
        ("send", "please send, now!"),
        ("send", "s\u200bend"),
        ("send", "\u202esend\u202c"),
        ("send", "ѕеnd"),  # Cyrillic letters
        ("send", "ЅЕND"),
        ("send", "send\u0e48"),  # a mark of another script
        ("send", "s\u094dend \u0e48"),
        ("send", "com.shop:id/btn_send"),
        ("log out", "Log-out"),
        ("log out", "log\n out"),
        ("don't", "Don’t allow"),
        ("don't", "dont"),
        ("löschen", "LÖSCHEN"),
        ("löschen", "lo\u0308schen"),
        ("löschen", "loschen"),
        ("straße", "STRASSE"),
        ("wyślij", "Wyslij"),
        ("wyłącz", "WYŁĄCZ"),
        ("sil", "SİL"),
        ("sil", "SIL"),
        ("sil", "sıl"),
        ("отправить", "ОТПРАВИТЬ!"),
        ("ещё", "еще"),
        ("αποστολή", "ΑΠΟΣΤΟΛΗ"),
        ("δρόμος", "ΔΡΟΜΟΣ"),
        ("إرسال", "ارسال"),
        ("إرسال", "إِرْسَال"),
        ("שלח", "שָׁלַח"),
        ("送信", "すぐに送信する"),
        ("送信", "LINEで送信"),
        ("送信", "送 信"),
        ("line", "LINEで送信"),
        ("メール", "ﾒｰﾙを開く"),
        ("ガス", "ｶﾞｽ"),
        ("발송", "지금발송하기"),
        ("ส่ง", "กดส่งเลย"),
        ("ພາສາ", "ພາສາລາວ"),
        ("भेजें", "संदेश भेजें"),
        ("gửi", "GỬI"),
    ],
)
def test_a_word_is_in_a_text(word: str, text: str) -> None:
    words = WordList((word,))
    assert words.matches(text) is True
    assert words.word_in(text) == word


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("send", "sender"),
        ("send", "resend"),
        ("send", "send2"),
        ("send", "sénder"),
        ("log out", "log in out"),
        ("log out", "logout"),
        ("удалить", "удалить" + "ся"),
        ("שלח", "נשלח"),
        ("إرسال", "الإرسال"),
        ("送信", "送受信"),
        ("かき", "かぎ"),  # a voiced mark counts
        ("สง", "ส่ง"),  # so does a tone
        ("ส่", "ส่ัง"),
        ("भेज", "भेजें"),
        ("send", ""),
    ],
)
def test_a_word_is_not_in_a_text(word: str, text: str) -> None:
    assert WordList((word,)).matches(text) is False
    assert WordList((word,)).word_in(text) is None


def test_a_whole_text_is_a_word() -> None:
    words = WordList(("send", "log out", "送信"), whole=True)
    assert [words.matches(text) for text in ("Send!", " LOG-OUT ", "送信")] == [True] * 3
    assert [words.matches(text) for text in ("send now", "log", "送信する", "")] == [False] * 4


@pytest.mark.parametrize("text", ["s\u200bend", "ѕend", "\u202esend"])
def test_what_hides_is_read_with_care(text: str) -> None:
    assert WordList(("send",), reading="possible").matches(text) is True
    assert WordList(("send",), reading="narrow").matches(text) is False
    certain = WordList(("send",), reading="certain")
    assert certain.matches(text) is None
    assert certain.is_open(text)
    assert certain.captures(text) is None
    assert certain.adds(text)


def test_a_look_alike_takes_no_duty_away() -> None:
    """A word all of whose letters are those of another alphabet hides nothing, but it is not the Latin word."""
    word = "сору"
    assert WordList(("copy",)).matches(word) is True
    assert WordList(("copy",), reading="narrow").matches(word) is False
    assert WordList(("copy",), reading="certain").matches(word) is False


# ---------------------------------------------------------------- the automaton

_CHARS = "aáb ı1-'\u0301\u200b\u202eѕсΑ送信カ\u3099ส่ंงשل"
_WORDS = st.text(_CHARS, min_size=1, max_size=6).filter(lambda text: folded(text).strip() != "")


@given(
    st.lists(_WORDS, min_size=1, max_size=5),
    st.text(_CHARS, max_size=20),
    st.booleans(),
    st.sampled_from(["plain", "certain", "possible", "narrow"]),
)
def test_the_automaton_finds_what_a_naive_search_finds(words, text, whole, reading) -> None:  # type: ignore[no-untyped-def]
    made = WordList(tuple(words), whole, reading)
    found = made.word_in(text)
    assert made.matches(text) == NaiveWords(Words("w", tuple(words), whole, reading)).matches(text)
    assert (found is not None) == (made.matches(text) is True)
    assert found is None or NaiveWords(Words("w", (found,), whole, reading)).matches(text)


@given(_WORDS, st.text(_CHARS, max_size=8), st.text(_CHARS, max_size=8))
def test_a_word_between_blanks_is_found(word: str, before: str, after: str) -> None:
    assert WordList((word,)).matches(f"{before} x {word} x {after}") is True


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "send ",
        "e\u0301\u0316",
        "\u0316\u0301",
        "é",
        "\u200b",
        "\u202e",
        "送",
        "ﷺ",
        "ส่",
        "א ",
        "\U0001f469\u200d",
        "'",
    ],
)
def test_a_hostile_text_takes_linear_time(unit: str) -> None:
    """Twenty times the text takes at most about twenty times as long: of a quadratic one, 400 times."""
    words = WordList(("send money", "aa", "aaaa", "送信送信", "e e e e"), reading="certain")

    def taken(count: int) -> float:
        text = "x" + unit * count
        begin = time.process_time()
        words.matches(text)
        return time.process_time() - begin

    taken(10)
    short = min(taken(4_000) for _ in range(3))
    assert taken(80_000) < 100 * max(short, 0.002)


# ---------------------------------------------------------------- what is of no use


def test_a_word_with_another_in_it_is_covered() -> None:
    entries, _ = read_entries("send, ~s\nsend now\nresend\n送信\n送信する\nnow")
    assert [(form, other) for _, form, other in covered(entries)] == [
        ("send now", "send"),
        ("送信する", "送信"),
    ]
