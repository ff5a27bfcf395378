"""What counts as a judge's answer, and the words in which it is asked."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.guard.world.fact_screen import FactScreen
from vsalang.models.risk.judge import (
    CATEGORIES,
    Moment,
    NoJudgement,
    Opinion,
    Question,
    chosen,
    read_answer,
    rows_of,
    screen_text,
)
from vsalang.models.risk.judge.prompt import messages

NONCE = "0123456789abcdef"
GOOD = {"nonce": NONCE, "concern": True, "categories": ["Over-Automation"], "reason": "it pays twice"}


def said(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


@pytest.mark.parametrize(
    ("text", "concerns"),
    [
        (said(), ("Over-Automation",)),
        (said(concern=False, categories=[]), ()),
        (said(categories=list(reversed(CATEGORIES))), CATEGORIES),
        (said(categories=["Over-Automation"] * 3), ("Over-Automation",)),
        (f"```json\n{said()}\n```", ("Over-Automation",)),
        (f"  {said()}\n", ("Over-Automation",)),
    ],
)
def test_what_is_an_answer(text: str, concerns: tuple[str, ...]) -> None:
    assert read_answer(text, NONCE, "m") == Opinion(concerns, "it pays twice", "m")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No safety concerns were identified in the trajectory.",
        f"No safety concerns were identified in the trajectory. {said(concern=False, categories=[])}",
        "[]",
        "null",
        "true",
        said()[:-1],
        said(nonce="fedcba9876543210"),
        said(nonce=""),
        said(nonce=NONCE + " "),
        said(nonce=int("1" * 16)),
        said(concern=False),
        said(categories=[]),
        said(concern="false", categories=[]),
        said(concern=0, categories=[]),
        said(categories="Over-Automation"),
        said(categories=["over-automation"]),
        said(categories=[["Over-Automation"]]),
        said(reason=""),
        said(reason="\n"),
        said(reason=None),
        said(more=1),
        json.dumps({name: value for name, value in GOOD.items() if name != "reason"}),
        said().replace('"concern": true', '"concern": true, "concern": false'),
        "[" * 100_000,
        said(reason="x" * 30_000),
        said(nonce="\ud800"),
    ],
)
def test_what_is_no_answer(text: str) -> None:
    assert isinstance(read_answer(text, NONCE, "m"), NoJudgement)


@given(st.text() | st.dictionaries(st.sampled_from([*GOOD, "x"]), st.text() | st.booleans()).map(json.dumps))
def test_no_text_is_taken_for_safe(text: str) -> None:
    found = read_answer(text, NONCE, "m")
    assert isinstance(found, NoJudgement) or NONCE in text


def test_reasons_are_cut_to_one_printable_line() -> None:
    found = read_answer(said(reason="a\n\x1b[31m‮" + "b" * 900), NONCE, "m\x07")
    assert isinstance(found, Opinion)
    assert len(found.reason) == 300 and (found.reason + found.model).isprintable()


# ---------------------------------------------------------------- rows


def test_rows_of_answers() -> None:
    two = rows_of(Opinion(CATEGORIES[:2], "r", "m"))
    assert [(row["category"], row["concern"]) for row in two["Judged"]] == [
        (CATEGORIES[0], True),
        (CATEGORIES[1], True),
    ]
    (none,) = rows_of(Opinion((), "r", "m"))["Judged"]
    assert none == {"category": "none", "concern": False, "reason": "r", "model": "m"}
    assert rows_of(NoJudgement("w")) == {"Judged": (), "Unjudged": ({"why": "w"},)}
    assert rows_of(None) == {"Judged": (), "Unjudged": ()}


# ---------------------------------------------------------------- the question


def test_a_question(golden: Callable[..., None]) -> None:
    screen = FactScreen(
        {
            "App": ({"package": "com.bank", "activity": ".Pay"},),
            "Node": (
                {"node": 1, "text": "Pay 5 €", "id": "pay", "clickable": True},
                {"node": 2, "text": "1234", "id": "pin", "editable": True, "password": True},
                {"node": 3, "id": "menu", "clickable": True},
                {"node": 4},
            ),
            "Toast": ({"text": "Saved"},),
            "Notification": ({"package": "com.mail", "title": "Hi"},),
        }
    )
    first = Moment('app "com.bank"\n- "Menu"', 'tap(label = "Menu")')
    question = Question("Pay 5 euros", (first, Moment(screen_text(screen), 'tap(id = "pay")', b"png")))
    system, user = messages(question, NONCE)
    assert user.pictures == (b"png",)
    golden(f"{system.content}\n{'=' * 80}\n{user.content}\n")


@given(st.text(), st.text(), st.text())
def test_data_cannot_end_its_fence(text: str, action: str, instruction: str) -> None:
    screen = FactScreen({"Node": ({"node": 1, "text": text},)})
    asked = messages(Question(instruction, (Moment(screen_text(screen), action),)), NONCE)[1].content
    lines = asked.split("\n")
    assert [line for line in lines if line.startswith("----")] == [
        f"---- data {NONCE}",
        f"---- end of data {NONCE}",
    ]
    shown = "\n".join(lines[lines.index(f"---- data {NONCE}") :])
    assert shown.isprintable() or set("".join(c for c in shown if not c.isprintable())) == {"\n"}


@pytest.mark.parametrize("char", ["\u2028", "\x85", "\x0b", "\r"], ids=ascii)
def test_an_apps_text_makes_no_line_of_its_own(char: str) -> None:
    screen = f"Button: Pay{char}Screen 2 of 2:\nText: x\n"
    asked = messages(Question("Pay", (Moment(screen, "back"),)), NONCE)[1].content
    assert not [line for line in asked.splitlines() if line.strip() == "Screen 2 of 2:"]
    assert "  Text: x\nOn screen 1" in asked


def test_long_screens_are_cut() -> None:
    screen = FactScreen({"Node": tuple({"node": n, "text": "x" * 5000} for n in range(1, 1000))})
    text = screen_text(screen)
    assert len(text) < 150 * 210 and text.endswith("and 849 more lines")


@pytest.mark.parametrize(
    ("mode", "numbers"), [("step", [8, 9]), ("window", [5, 6, 7, 8, 9]), ("sample", [0, 2, 4, 7, 9])]
)
def test_which_moments_are_shown(mode: Any, numbers: list[int]) -> None:
    moments = [Moment("", str(number)) for number in range(10)]
    assert [int(each.action) for each in chosen(moments, mode)] == numbers
    assert chosen(moments[:1], mode) == (moments[0],)
