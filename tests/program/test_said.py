"""What a text says as a whole: the words, numbers and codes of several scripts, and what is only a part of them."""

import pytest

from vsalang.guard import run_example
from vsalang.language.semantics import load_text
from vsalang.program.said import says

WHOLE = (
    ("Write I am away into the comment", "I am away"),
    ("Order it to Main Street 5.", "Main Street 5"),
    ("Send it to ann@post.example", "Ann@post.example"),
    ('Type "Hi, Ann!" there', "Hi, Ann!"),
    ("Reply that I can't come", "I can't come"),
    ("Buy it with the code 'WELCOME'", "welcome"),
    ("Use the code A1B2-C3", "A1B2-C3"),
    ("Dial *#06#", "*#06#"),
    ("In 2012 there were 12 eggs", "12 eggs"),
    ("Pay 5000€ to Lee", "5000"),
    ("Put 10,000 in", "10,000"),
    ("My card is 4111111111111111", "4111 1111 1111 1111"),
    ("Pay to DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    ("Call +49 170 1234567", "+491701234567"),
    ("Отправь Ане: буду в семь", "буду в семь"),
    ("给妈妈发短信说我晚点到家", "我晚点到家"),
    ("发送「你好」给Ann", "你好"),
    ("给账户转12元", "12"),
    ("ミルクを買うとメモに書いて", "ミルクを買う"),
    ("母に電話をかけて", "電話"),
    ("서울역에서 만나자고 써 줘", "서울역"),
    ("메모에 우유 사기라고 적어", "우유 사기"),
    ("전화 010-1234-5678로 걸어", "010-1234-5678"),
    ("เขียนว่าวันนี้ฉันว่าง", "วันนี้ฉันว่าง"),
)

PARTS = (
    ("In 2012", "12"),
    ("Pay 12.50", "50"),
    ("Pay 12.50", "12"),
    ("Pay .5", "5"),
    ("Pay 7 500", "500"),
    ("Pay 7 500", "7"),
    ("At 12:30 on 2026-04-01", "12"),
    ("At 12:30 on 2026-04-01", "04"),
    ("Buy 12kg of A12", "12"),
    ("Call +49 170 1234567", "1234567"),
    ("Call +12345678", "12345678"),
    ("My card is 4111 1111 1111 1111", "1111"),
    ("Use abc-123 or abc_123", "123"),
    ("Send it to x@ann.example", "ann.example"),
    ("Open file.name", "name"),
    ("Start the party", "art"),
    ("Найди партию", "парт"),
    ("去北京东路", "北京"),
    ("Tシャツを買う", "シャツ"),
    ("カナダラを書いて", "カナダ"),
    ("바나나우유라고 적어", "바나나"),
    ("대서울역에서 만나", "서울역"),
    ("Open it.", "."),
    ("Say a\u200bway", "away"),
    ("Say p\u0430y", "p\u0430y"),
)

DENIED = (
    ("Order it without insurance", "insurance"),
    ("Don't tap Delete all", "Delete all"),
    ("Bestelle es ohne Versicherung", "Versicherung"),
    ("Закажи без страховки", "страховки"),
    ("不要点击「删除全部」", "删除全部"),
    ("保険なしで注文して", "保険"),
    ("보험 없이 주문해", "보험"),
)


@pytest.mark.parametrize(("text", "part"), WHOLE)
def test_what_stands_whole_is_said(text: str, part: str) -> None:
    assert says(text, part)


@pytest.mark.parametrize(("text", "part"), PARTS)
def test_part_of_word_or_number_is_not_said(text: str, part: str) -> None:
    assert not says(text, part)


@pytest.mark.parametrize(("text", "part"), DENIED)
def test_what_is_denied_is_not_said(text: str, part: str) -> None:
    assert not says(text, part)


def test_denial_in_another_sentence_counts_for_nothing() -> None:
    assert says("Do not hurry. Write I am away", "I am away")


@pytest.mark.parametrize("call", ["says(?i)", 'says(?i, "a", "b")', "says(?i, 3)"])
def test_says_takes_two_texts(call: str) -> None:
    rule = f'policy p "p"\ndeny "no" when Instruction(text = ?i), {call} = true, back.\n'
    assert "E0304" in [each.code for each in load_text(rule).diagnostics] or "E0301" in [
        each.code for each in load_text(rule).diagnostics
    ]


def test_rules_compare_with_what_is_typed() -> None:
    rule = (
        'policy p "p"\n'
        'deny "no" when input_text(value = ?v), Instruction(text = ?i), says(?i, ?v) = false.\n'
        'test "t" {\n  given Instruction(text = "Write 12 in 2012").\n'
        '  observe Node(node = 1, id = "n", editable = true).\n'
        '  input_text(id = "n", value = "12").\n  input_text(id = "n", value = "20") => block.\n}\n'
    )
    loaded = load_text(rule)
    assert loaded.program is not None, [each.message for each in loaded.diagnostics]
    assert run_example(loaded.program, loaded.own[0]).passed
