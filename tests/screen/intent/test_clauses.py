"""Where a sentence puts its verbs, and what it denies."""

import pytest

from vsalang.screen.intent import OF_INSTRUCTION, Wish
from vsalang.screen.intent.clauses import LONGEST, MOST, clauses


def said(text: str, denied: bool) -> list[str]:
    return [clause.text for clause in clauses(text) if clause.denied is denied]


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Mail Ann", "Mail Ann"),
        ("open it and mail Ann", "mail Ann"),
        ("It is late: mail her", "mail her"),
        ("Could you kindly mail Ann?", "mail Ann?"),
        ("  ... mail Ann", "mail Ann"),
        ("Read it. THEN mail Ann", "mail Ann"),
        ("it is late, pls mail Ann", "mail Ann"),
        ("I would rather mail Ann", "mail Ann"),
        ("in Postbox mail Ann", "mail Ann"),
        ("On my phone Friday mail Ann", "mail Ann"),
    ],
)
def test_a_verb_stands_where_a_clause_begins(text: str, verb: str) -> None:
    assert verb in said(text, False)


@pytest.mark.parametrize("text", ["Read the mail", "Open Mail", "Show my mail app"])
def test_a_noun_begins_no_clause(text: str) -> None:
    assert not [clause for clause in said(text, False) if clause.casefold().startswith("mail")]


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Write it, but do not send it", ["send it"]),
        ("Do not pay or send. Then call", ["pay or send", "send"]),
        ("Never post; never call!", ["post", "call"]),
        ("Schreib Anna, ohne anzurufen", ["anzurufen"]),
        ("Mail Ann", []),
        ("A note about notaries", []),
        ("Read it and delete nothing", ["delete nothing"]),
        ("Send no mails", ["mails", "Send no mails"]),
        ("Lösche das Foto nicht", ["Lösche das Foto nicht"]),
        ("N'efface rien", ["efface rien"]),
        ("Non cancellare le foto", ["cancellare le foto"]),
        ("Do not sign, pay or send it", ["sign, pay or send it", "pay or send it", "send it"]),
        ("Don't wait, call her", ["wait"]),
        ("Do not send it, post it", ["send it, post it", "post it"]),
        ("Do not, under any circumstances, send it", ["under any circumstances, send it", "send it"]),
        ("Not, ever, send it", ["ever, send it", "send it"]),
        ("Don't forget to call Ann", []),
        ("No olvides llamar", []),
        ("Is it on? If not, turn it on", []),
        ("It is not working, call her", ["working"]),
        ("Do not send it but keep it", ["send it "]),
        ("Tell Ann that she is not late", []),
        ("Tell Ann that it is ready but do not send it", ["send it"]),
        ("Ask my neighbour not to call", []),
        ("Say no to Ann", ["to Ann", "Ann"]),
        ("Send nothing else", ["else"]),
        ("Tell her nothing happened", ["happened"]),
    ],
)
def test_what_is_denied_ends_with_its_sentence(text: str, denied: list[str]) -> None:
    assert said(text, True) == denied


def test_what_is_denied_is_not_asked_for() -> None:
    assert "send it" not in said("Don't ever just send it", False)
    assert not [text for text in said("Read it and send nothing", False) if text.startswith("send")]


def test_long_instructions_are_read_in_part() -> None:
    many = clauses("do not send it. " + "and call " * 10 * MOST)
    assert many[0].text == "send it" and many[0].denied
    assert len(many) <= MOST and max(len(clause.text) for clause in many) == LONGEST


def test_rows_say_what_is_denied() -> None:
    rows = list(OF_INSTRUCTION["Clause"](Wish.of("Wait, never call")))
    assert {"text": "call", "denied": True} in rows and {"text": "never call", "denied": False} in rows
