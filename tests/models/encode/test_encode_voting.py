"""Several specs for one instruction: who agrees is proved, the majority wins, and a disagreement is one state."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.encode.chat_server import Reply, fails, says, serve
from vsalang.models.encode import Answer, Formalization, formalize
from vsalang.models.encode.voting import vote
from vsalang.tools.cli.main import run

HEAD = "spec t\nimport apps.opentable\n"
BEFORE = HEAD + 'allow Reserve(restaurant = "R", time < 19:00).\ndone when Reserve earlier.\n'
SAME = HEAD + "let Seven = 19:00.\n" + BEFORE.removeprefix(HEAD).replace("19:00", "Seven")
AT = BEFORE.replace("time < 19:00", "time <= 19:00")
BROKEN = BEFORE.replace("Reserve(", "Order(")


class Once:
    name = "once"

    def __init__(self, text: str) -> None:
        self.text = text

    def ask(self, messages: object) -> Answer:
        return Answer(self.text)


def samples(*texts: str) -> list[Formalization]:
    return [formalize("x", ["apps.opentable"], Once(text), name="t", max_rounds=1) for text in texts]


def test_specs_that_decide_alike_vote_together() -> None:
    found = vote(samples(AT, BEFORE, BROKEN, SAME))
    assert found is not None and found.of == 3
    assert found.winner.numbers == (2, 4)
    (other,) = found.others
    assert other.other.numbers == (1,)
    assert other.story is not None and "19:00" in other.question
    (doubt,) = found.result.doubts
    assert doubt.kind == "vote" and doubt.message.startswith(
        "1 of 3 samples decide otherwise: This would be blocked"
    )
    assert "time < 19:00" in found.result.text


def test_of_equal_groups_the_first_wins() -> None:
    found = vote(samples(AT, BEFORE))
    assert found is not None and found.winner.numbers == (1,)
    assert len(found.result.doubts) == 1


def test_one_opinion_is_no_doubt() -> None:
    found = vote(samples(BEFORE, SAME))
    assert found is not None and found.others == () and found.result.doubts == ()


def test_without_an_accepted_sample_there_is_no_vote() -> None:
    assert vote(samples(BROKEN, BROKEN)) is None


@pytest.mark.parametrize(("meant", "numbers"), [(True, (2, 3)), (False, (1,)), (None, (2, 3))])
def test_a_person_decides_between_groups(meant: bool | None, numbers: tuple[int, ...]) -> None:
    asked: list[str] = []

    def ask(question: str) -> bool | None:
        asked.append(question)
        return meant

    found = vote(samples(AT, BEFORE, SAME), ask=ask)
    assert found is not None and found.winner.numbers == numbers
    assert len(asked) == 1 and asked[0].endswith("Is that meant?")
    assert len(found.result.doubts) == (1 if meant is None else 0)


# ---- the command -------------------------------------------------------------------------------------


@pytest.fixture
def encode(tmp_path: Path) -> Callable[..., int]:
    def call(url: str, *more: str) -> int:
        options = ["--base-url", url, "--retries", "0", "--no-review", "--seed", "7", *more]
        return run(["encode", "x", "--app", "apps.opentable", "-o", str(tmp_path / "t.vsa"), *options])

    return call


def each(*texts: str) -> list[Reply | Callable[[dict[str, Any]], Reply]]:
    return [says(f"```vsa\n{text}```") for text in texts]


def test_the_majority_is_written(
    encode: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(*each(AT, BEFORE), fails(500), *each(SAME)) as chat:
        assert encode(chat.url, "--samples", "4", "--json") == 3
    out, err = capsys.readouterr()
    assert "time < 19:00" in (tmp_path / "t.vsa").read_text(encoding="utf-8")
    data = json.loads(out)
    assert (data["vote"]["accepted"], data["vote"]["winner"]) == (3, [2, 4])
    assert data["vote"]["others"][0]["samples"] == [1]
    spent = data["spent"]
    assert (spent["calls"], spent["input_tokens"], spent["output_tokens"]) == (4, 30, 15)
    assert [request["seed"] for request in chat.requests] == [7, 8, 9, 10]
    assert "sample 3 of 4: http://" in err
    assert err.endswith("3 samples accepted; 2 of them decide as what is written\n")


def test_a_person_is_asked_at_the_terminal(
    encode: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.prompt", lambda *args, **kwargs: "n")
    with serve(*each(AT, BEFORE)) as chat:
        assert encode(chat.url, "--samples", "2", "--interactive") == 0
    assert "time < 19:00" in (tmp_path / "t.vsa").read_text(encoding="utf-8")


def test_with_nobody_at_the_terminal_nothing_is_lost(
    encode: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with serve(*each(AT, BEFORE)) as chat:
        assert encode(chat.url, "--samples", "2", "--interactive") == 3
    assert "time <= 19:00" in (tmp_path / "t.vsa").read_text(encoding="utf-8")


def test_all_samples_broken_off_is_an_error(encode: Callable[..., int], tmp_path: Path) -> None:
    with serve(fails(500)) as chat:
        assert encode(chat.url, "--samples", "2") == 2
    assert len(chat.requests) == 2 and list(tmp_path.iterdir()) == []


def test_asking_needs_samples(encode: Callable[..., int]) -> None:
    assert encode("http://127.0.0.1:9/v1", "--interactive") == 2
