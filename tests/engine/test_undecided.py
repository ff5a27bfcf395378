"""A backend that answers otherwise the next time: what it said of a row holds as long as the row is there."""

import random
from collections.abc import Iterator

import pytest

from tests.engine.worlds import NOON, TODAY, ask, c, cmp, no, p, program
from vsalang.engine.incremental import IncrementalEvaluator
from vsalang.engine.run import maintain

RULES = (
    ask(p("Item", c("t", "~=", "one"), k="?x"), rule="atom"),
    ask(p("Item", c("t", "!~=", "one")), rule="flag"),
    ask(p("Item", k="?x", t="?t"), cmp("?t", "~=", "one"), rule="compared"),
    ask(p("Pair", b="?x"), no("Item", c("t", "~=", "one"), k="?x"), rule="negated"),
)


class Moody:
    """Answers what it pleases."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def similar(self, text: str, constant: str) -> bool | None:
        """Any answer."""
        return self._rng.choice([True, False, None])


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(maintain, "HOT", 1)
    yield


@pytest.mark.parametrize("seed", range(8))
def test_the_session_stays_whole(seed: int) -> None:
    rng = random.Random(seed)
    session = IncrementalEvaluator(program(*RULES), today=TODAY, similarity=Moody(seed))
    session.now(NOON)
    for point in range(1, 80):
        savepoint = session.savepoint() if rng.random() < 0.4 else 0
        before = {rule.id: session.answers(rule.id) for rule in RULES if rule.id != "compared"}
        session.assign("Item", [(k, None, t, None) for k in (1, 2, 3) for t in "ab" if rng.random() < 0.5])
        session.assign("Pair", [("A", k, None) for k in (1, 2, 3) if rng.random() < 0.5])
        found = {rule.id: session.answers(rule.id) for rule in RULES}
        assert {rule.id: session.answers(rule.id) for rule in RULES} == found
        similar = {answer.values[0] for answer in found["atom"]}
        negated = {answer.values[0] for answer in found["negated"]}
        assert similar <= {row[0] for row in session.rows("Item")}
        assert negated == {row[1] for row in session.rows("Pair")} - similar
        if savepoint:
            session.rollback(savepoint)
            assert {rule.id: session.answers(rule.id) for rule in RULES if rule.id != "compared"} == before
        session.point(point)


def test_it_is_asked_about_a_row_once() -> None:
    asked = []

    class Once:
        def similar(self, text: str, constant: str) -> bool | None:
            asked.append(text)
            return len(asked) > 1

    session = IncrementalEvaluator(program(RULES[0]), today=TODAY, similarity=Once())
    session.assign("Item", [(1, None, "a", None)])
    for _ in range(3):
        assert session.answers("atom") == frozenset()
    assert asked == ["a"]
    session.assign("Item", [])
    session.point(1)
    session.assign("Item", [(1, None, "a", None)])
    assert len(session.answers("atom")) == 1 and asked == ["a", "a"]
