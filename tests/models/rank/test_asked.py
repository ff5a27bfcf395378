"""Scorers that ask a model, on a server of this machine."""

import json
import math
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.models.encode.chat_server import Chat, Reply, fails, serve
from tests.models.rank.screens import button, compose, decision_on, screen_of
from vsalang.models.client.openai_model import OpenAIModel
from vsalang.models.rank import Decision, LinearScorer, Scorer, ScorerError, rank
from vsalang.models.rank.asked import BATCH, ListScorer, OpenAIScorer, PoolingScorer
from vsalang.models.rank.prompts import LETTERS


def tells(tokens: dict[str, float], **message: Any) -> Reply:
    """A completion of one token, with probabilities."""
    named = [{"token": token, "logprob": math.log(share)} for token, share in tokens.items()]
    choice = {
        "index": 0,
        "finish_reason": "length",
        "message": {"role": "assistant", "content": next(iter(tokens), ""), **message},
        "logprobs": {"content": [{**named[0], "top_logprobs": named}]} if named else None,
    }
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 80}}
    return Reply(json.dumps({"model": "m", "choices": [choice], "usage": usage}).encode())


def asked(body: dict[str, Any]) -> str:
    """The question of a request."""
    text: str = body["messages"][-1]["content"]
    return text


def model(chat: Chat, **more: Any) -> OpenAIModel:
    return OpenAIModel("verifier", base_url=chat.url, api_key="", retries=more.pop("retries", 0), **more)


def scored(decision: Decision, chat: Chat, **more: Any) -> Any:
    return OpenAIScorer(lambda: model(chat, **more), workers=3).score(decision)


DECISION = decision_on(screen_of(button("Save", 0), button("Delete", 100)), "Save the note")


def yes_to(word: str) -> Callable[[dict[str, Any]], Reply]:
    def answer(body: dict[str, Any]) -> Reply:
        share = 0.9 if f'Action: press "{word}"' in asked(body) else 0.1
        return tells({" Yes": share * 0.75, "YES": share * 0.25, "No": 1 - share})

    return answer


def test_each_candidate_is_asked_about_once() -> None:
    with serve(yes_to("Save")) as chat:
        scores = scored(DECISION, chat)
    assert scores.values[0].value == pytest.approx(math.log(9))
    assert scores.values[1].value == pytest.approx(-math.log(9))
    assert len(chat.requests) == scores.requests == len(DECISION.candidates)
    assert scores.tokens == 100 * scores.requests and scores.cached == 80 * scores.requests
    heads = {json.dumps(body["messages"][0]) for body in chat.requests}
    assert len(heads) == 1 and len({asked(body) for body in chat.requests}) == len(chat.requests)
    assert all(
        (body["max_tokens"], body["logprobs"], body["top_logprobs"]) == (1, True, 20)
        for body in chat.requests
    )


@pytest.mark.parametrize(
    "tokens, value, bound",
    [
        ({"Yes": 0.6, "no": 0.2, "n": 0.1}, math.log(2), "exact"),
        ({"No": 0.8, "The": 0.1}, math.log(0.1 / 0.8), "at most"),
        ({"\u2581yes": 0.7, "Well": 0.1}, math.log(0.7 / 0.2), "at least"),
        ({"The": 0.9}, None, "exact"),
    ],
    ids=["all spellings", "yes is absent", "no is absent", "both are absent"],
)
def test_a_word_that_is_not_told_gives_a_bound(
    tokens: dict[str, float], value: float | None, bound: str
) -> None:
    with serve(tells({"Yes": 0.5, "No": 0.5}), tells(tokens)) as chat:
        score = scored(DECISION, chat).values[1]
    assert (score.value, score.bound) == (None if value is None else pytest.approx(value), bound)
    assert (score.why != "") or bound == "exact"


FAILURES: dict[str, tuple[Reply, str, str]] = {
    "rate limit": (
        fails(429, "slow down", **{"Retry-After": "30"}),
        "asked too often",
        "try again in 30 seconds",
    ),
    "no log probabilities": (tells({}), "tells no log probabilities", "linear"),
    "reasoning": (
        tells({}, reasoning_content="Let me see"),
        "tells no log probabilities",
        "turn its thinking off",
    ),
    "thinks aloud": (tells({"<think>": 0.99}), "neither yes nor no", "reasoning model"),
    "too much": (tells({"Yes": 0.9, "No": 0.9}), "more than 1 in sum", ""),
    "not a completion": (Reply(b'{"choices": "no"}'), "not a chat completion", ""),
    "not JSON": (Reply(b"<html>"), "did not answer with JSON", "/v1"),
    "refused": (fails(400, "logprobs are not supported"), "logprobs are not supported", ""),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_says_what_and_the_shipped_weights_decide(name: str) -> None:
    reply, message, hint = FAILURES[name]
    with serve(reply) as chat:
        order = rank(DECISION, [OpenAIScorer(lambda: model(chat), workers=2), LinearScorer()])
    (fallback,) = order.scores.fallbacks
    assert message in fallback.why and hint in fallback.hint and fallback.scorer == "openai: verifier"
    assert order.scores.scorer == "linear" and order.best.candidate.text == 'press "Save"'


def test_a_server_that_is_slow_or_away_is_left() -> None:
    with serve(Reply(b"{}", hold=threading.Event())) as chat:
        slow = rank(DECISION, [OpenAIScorer(lambda: model(chat, timeout=0.2)), LinearScorer()])
    away = rank(DECISION, [OpenAIScorer(lambda: model(chat, timeout=5)), LinearScorer()])
    assert "did not answer within 0.2 seconds" in slow.scores.fallbacks[0].why
    assert "cannot reach" in away.scores.fallbacks[0].why


def test_one_failure_among_many_ends_the_scoring() -> None:
    with serve(tells({"Yes": 0.5, "No": 0.5}), fails(500)) as chat, pytest.raises(ScorerError, match="500"):
        OpenAIScorer(lambda: model(chat), workers=1).score(DECISION)
    assert len(chat.requests) == 2  # the others are not asked


def test_a_server_without_max_tokens_is_asked_otherwise() -> None:
    def answer(body: dict[str, Any]) -> Reply:
        if "max_tokens" in body:
            return fails(400, "use max_completion_tokens instead")
        return tells({"Yes": 0.5, "No": 0.5})

    with serve(answer) as chat:
        assert scored(DECISION, chat).values[0].value == pytest.approx(0)


# ---------------------------------------------------------------- one list


def test_two_orders_are_averaged() -> None:
    def first_letter(body: dict[str, Any]) -> Reply:
        return tells({"A": 0.6, " B": 0.2, "C": 0.1})

    with serve(first_letter) as chat:
        scores = ListScorer(model(chat)).score(DECISION)
    one, two = (asked(body) for body in chat.requests)
    assert 'A. press "Save"' in one and 'H. press "Save"' in two
    mean = (math.log(0.6) + math.log(0.1)) / 2  # of the last letters nothing is told: at most what is left
    assert scores.values[0].value == pytest.approx(mean) and scores.values[0].bound == "at most"
    assert scores.values[0].value == pytest.approx(scores.values[-1].value)


def test_more_candidates_than_letters_are_not_all_listed() -> None:
    decision = decision_on(screen_of(*(button(f"Row {nth}", 100 * nth) for nth in range(40))), "open Row 7")
    with serve(tells({"A": 0.9})) as chat:
        scores = ListScorer(model(chat)).score(decision)
    listed = [nth for nth, score in enumerate(scores.values) if score.value is not None]
    assert len(listed) == len(LETTERS) and 7 in listed
    assert all('press "Row 7"' in asked(body) for body in chat.requests)


def test_a_list_without_a_letter_is_no_answer() -> None:
    with serve(tells({"The": 0.9})) as chat, pytest.raises(ScorerError, match="named no letter"):
        ListScorer(model(chat)).score(DECISION)


# ---------------------------------------------------------------- a pooling server


def classes(*values: list[float]) -> Callable[[dict[str, Any]], Reply]:
    def answer(body: dict[str, Any]) -> Reply:
        rows = [
            {"index": nth, "label": None, "probs": values[nth % len(values)], "num_classes": 1}
            for nth in range(len(body["input"]))
        ]
        return Reply(json.dumps({"data": rows[::-1], "usage": {"prompt_tokens": 7}}).encode())

    return answer


def test_a_scalar_head_scores_in_batches() -> None:
    decision = decision_on(screen_of(*(button(f"Row {nth}", 100 * nth) for nth in range(30))), "open Row 7")
    with serve(classes([0.5], [-1.5])) as chat:
        scores = PoolingScorer(model(chat)).score(decision)
    sizes = [len(body["input"]) for body in chat.requests]
    assert sizes[0] == 1 and max(sizes) <= BATCH and sum(sizes) == len(decision.candidates)
    assert set(chat.paths) == {"/classify"} and chat.requests[0]["use_activation"] is False
    assert {score.value for score in scores.values} == {0.5, -1.5} and scores.tokens == 7 * len(sizes)
    assert all(text.startswith("You judge") for body in chat.requests for text in body["input"])


@pytest.mark.parametrize("probs, value", [([0.2, 0.8], math.log(4)), ([-1.0, 2.0], 3.0)])
def test_two_classes_are_no_and_yes(probs: list[float], value: float) -> None:
    with serve(classes(probs)) as chat:
        assert PoolingScorer(model(chat)).score(DECISION).values[0].value == pytest.approx(value)


def test_a_server_without_the_activation_is_asked_again() -> None:
    def answer(body: dict[str, Any]) -> Reply:
        return fails(422, "use_activation is unknown") if "use_activation" in body else classes([1.0])(body)

    with serve(answer) as chat:
        assert PoolingScorer(model(chat)).score(DECISION).values[0].value == 1.0


@pytest.mark.parametrize("body", [b"[]", b'{"data": []}', b'{"data": [{"probs": ["x"]}]}', b'{"data": [7]}'])
def test_a_pooling_server_that_answers_nonsense_is_left(body: bytes) -> None:
    with serve(Reply(body)) as chat:
        order = rank(DECISION, [PoolingScorer(model(chat)), LinearScorer()])
    assert order.scores.scorer == "linear" and order.scores.fallbacks[0].scorer == "pooling: verifier"


def test_a_key_is_never_in_a_message() -> None:
    secret = "sk-1234567890abcdef"
    with serve(fails(401, f"wrong key {secret}")) as chat:
        asking: Scorer = OpenAIScorer(lambda: OpenAIModel("m", base_url=chat.url, api_key=secret, retries=0))
        order = rank(decision_on(compose()), [asking, LinearScorer()])
    assert secret not in repr(order.scores.fallbacks)
