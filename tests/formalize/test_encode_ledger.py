"""What calls cost: each counts, whatever came of it, and whatever names a server gives to its tokens."""

import pytest

from vsalang.formalize import Answer, Ledger, Message, UnusableAnswer
from vsalang.formalize.ledger import tokens

ASKED = (Message("user", "x"),)


class Script:
    name = "script"

    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers = list(answers)

    def ask(self, messages: object) -> Answer:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, (10, 5)),
        ({"input_tokens": 10, "output_tokens": 5}, (10, 5)),
        ({"total_tokens": 15}, (0, 15)),
        ({"prompt_tokens": 10, "total_tokens": 15}, (10, 5)),
        ({"odd": 3}, (0, 0)),
        ({}, (0, 0)),
    ],
)
def test_servers_name_their_tokens_differently(usage: dict[str, int], counted: tuple[int, int]) -> None:
    assert tokens(usage) == counted


def test_every_call_of_every_model_counts() -> None:
    ledger = Ledger()
    writer = ledger.watch(
        Script(Answer("a", usage={"input_tokens": 10}), UnusableAnswer("no", usage={"total_tokens": 3}))
    )
    reader = ledger.watch(Script(Answer("b", usage={"output_tokens": 7}), RuntimeError("gone")))
    assert (writer.name, writer.ask(ASKED).text, reader.ask(ASKED).text) == ("script", "a", "b")
    with pytest.raises(UnusableAnswer):
        writer.ask(ASKED)
    with pytest.raises(RuntimeError):
        reader.ask(ASKED)
    spent = ledger.spent
    assert (spent.calls, spent.input, spent.output, spent.tokens) == (4, 10, 10, 20)
