"""What calls cost, and when nothing more is asked."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import pytest

from vsalang.models.client.language_model import counts
from vsalang.models.client.usage import Tokens, tokens
from vsalang.models.encode import (
    Answer,
    Budget,
    BudgetUsedUp,
    Ledger,
    Message,
    ModelError,
    PriceError,
    Prices,
    Settings,
    Task,
    UnusableAnswer,
    encode,
)

ASKED = (Message("user", "x"),)
BAD = "spec t\nimport apps.opentable\nallow Order.\ndone when Reserve earlier.\n"
PRICES = """
[[price]]
model = "script"
input = 2
cached_input = 1.0
output = 10.0
date = 2026-04-01
source = "https://example.com/prices"
"""


class Script:
    name = "script"
    endpoint = "http://127.0.0.1:1/v1"

    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    def ask(self, messages: Sequence[Message]) -> Answer:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def says(text: str = "x", **usage: int) -> Answer:
    return Answer(text, usage=usage)


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    (tmp_path / "prices.toml").write_text(PRICES, encoding="utf-8")
    return Prices.read(tmp_path / "prices.toml")


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, Tokens(10, 5)),
        ({"input_tokens": 10, "output_tokens": 5}, Tokens(10, 5)),
        ({"total_tokens": 15}, Tokens(0, 15)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40}, Tokens(10, 30)),
        ({"prompt_tokens": 10, "total_tokens": 15}, Tokens(10, 5)),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}},
            Tokens(10, 5, 4),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 99}, Tokens(10, 5, 10)),
        ({"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 90}, Tokens(100, 5, 90)),
        ({"prompt_tokens": -4, "completion_tokens": 10**5000, "total_tokens": 3}, Tokens(0, 3)),
        ({"odd": 3}, None),
        ({}, None),
        ("many", None),
    ],
)
def test_servers_name_their_tokens_differently(usage: object, counted: Tokens | None) -> None:
    assert tokens(counts(usage)) == counted


def test_every_call_of_every_model_counts(prices: Prices) -> None:
    ledger = Ledger(prices=prices)
    writer = ledger.watch(Script(says(input_tokens=1000), UnusableAnswer("no", usage={"output_tokens": 100})))
    reader = ledger.watch(Script(says(prompt_tokens=1000, **{"prompt_tokens_details.cached_tokens": 500})))
    broken = ledger.watch(Script(ModelError("gone")))
    assert (writer.name, writer.ask(ASKED).text, reader.ask(ASKED).text) == ("script", "x", "x")
    for model in (writer, broken):
        with pytest.raises(ModelError):
            model.ask(ASKED)
    spent = ledger.spent
    assert (spent.calls, spent.input, spent.cached, spent.output, spent.tokens) == (4, 2000, 500, 100, 2100)
    assert spent.cost == pytest.approx((1500 * 2 + 500 * 1 + 100 * 10) / 1e6)


def test_two_ledgers_count_the_same_call() -> None:
    """One of a whole run, and one of a single task in it."""
    model = Script(says(prompt_tokens=10**6, completion_tokens=0))
    model.name, model.endpoint = "gpt-4o", "https://api.openai.com/v1"
    whole, single = Ledger(), Ledger()
    single.watch(whole.watch(model)).ask(ASKED)
    assert whole.spent.cost == single.spent.cost == 2.5
    assert whole.spent.tokens == single.spent.tokens == 10**6


def test_an_unknown_price_is_never_guessed(prices: Prices) -> None:
    shipped = Prices.read()
    openai = "https://api.openai.com/v1"
    known = shipped.of("gpt-4o", openai)
    assert known is not None and known.date is not None and known.source.startswith("https://")
    for model, endpoint in (
        ("gpt-4o-2024-05-13", openai),
        ("gpt-4o", "http://localhost:11434/v1"),
        ("gpt-4o", "https://api.openai.com.example.org/v1"),
        ("GPT-4o", openai),
        ("gpt-4o", "http://[bad"),
    ):
        assert shipped.of(model, endpoint) is None
    ledger = Ledger(prices=prices)
    ledger.watch(Script(Answer("x"))).ask(ASKED)  # no usage was told
    assert (ledger.spent.cost, ledger.spent.uncounted) == (None, 1)
    own = prices.of("script", "anywhere")
    assert own is not None and (own.date, own.input) == (dt.date(2026, 4, 1), 2.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no prices"),
        ("price = 3", "holds no prices"),
        ("[price]\nmodel = 'x'", "holds no prices"),
        ("[[price]]\nmodel = 'x'\ninput = 1", "price 1 says no `output`"),
        ("[[price]]\ninput = 1\noutput = 1", "`model` is a text"),
        (PRICES + "per = 1000", "has no key `per`"),
        (PRICES.replace("= 2\n", "= -2\n"), "`input` is a number of dollars"),
        (PRICES.replace("= 2\n", "= nan\n"), "`input` is a number of dollars"),
        (PRICES.replace("= 2\n", "= '2'\n"), "`input` is a number of dollars"),
        (PRICES.replace("2026-04-01", "'April'"), "`date` is a date"),
        ("\x00", "cannot be read"),
    ],
)
def test_mistakes_in_prices_are_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    with pytest.raises(PriceError, match=message):
        Prices.read(tmp_path / "p.toml")


# ---- budgets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (Budget(tokens=1000), "the budget of 1,000 tokens is used up"),
        (Budget(cost=0.002), "the budget of 0.002 US dollars is used up"),
        (Budget(seconds=0.0), "the budget of 0 seconds is used up"),
    ],
)
def test_nothing_is_asked_after_a_budget(budget: Budget, message: str, prices: Prices) -> None:
    ledger = Ledger(budget, prices)
    script = Script(says(input_tokens=999), says(input_tokens=500))
    model = ledger.watch(script)
    with pytest.raises(BudgetUsedUp, match=message) as failed:
        for _ in range(9):
            model.ask(ASKED)
    assert script.asked == (2 if budget.seconds is None else 0)
    assert "--budget-" in failed.value.hint


def test_a_budget_that_cannot_be_kept(prices: Prices) -> None:
    model = Ledger(Budget(tokens=1000), prices).watch(Script(Answer("x")))
    model.ask(ASKED)
    with pytest.raises(BudgetUsedUp, match="does not say how many tokens"):
        model.ask(ASKED)
    with pytest.raises(ModelError, match="is not known"):
        Ledger(Budget(cost=1.0)).needs_price(Script(Answer("x")))  # type: ignore[arg-type]


def test_stored_answers_use_up_no_budget(prices: Prices) -> None:
    ledger = Ledger(Budget(tokens=10), prices)
    model = ledger.watch(Script(Answer("x", usage={"total_tokens": 100}, stored=True)))
    for _ in range(3):
        model.ask(ASKED)
    assert (ledger.spent.stored, ledger.spent.tokens) == (3, 300)


def test_the_loop_ends_with_its_last_attempt(prices: Prices) -> None:
    ledger = Ledger(Budget(tokens=1500), prices)
    model = ledger.watch(Script(says(f"```vsa\n{BAD}```", input_tokens=1000)))
    result = encode(Task("x", ("apps.opentable",)), model, Settings(9))
    assert (len(result.rounds), result.accepted) == (2, False)
    assert result.stopped == "the budget of 1,500 tokens is used up"
    assert result.problems[0].code
