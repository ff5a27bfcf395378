"""The loop: what is fed back, when it ends, what is refused before anything is asked."""

from pathlib import Path

import pytest

from vsalang.models.encode import (
    Answer,
    InputError,
    Message,
    ModelError,
    Problem,
    RoundEnd,
    RoundStart,
    Settings,
    Task,
    UnusableAnswer,
    encode,
    formalize,
)

GOOD = "spec a\nimport apps.opentable\nallow Reserve(time < 19:00).\ndone when Reserve earlier.\n"
BAD = "spec a\nimport apps.opentable\nallow Reserve(hour < 19:00).\ndone when Reserve earlier.\n"
WORSE = "spec a\nimport apps.opentable\nallow Order(time < 19:00).\ndone when Reserve earlier.\n"


class Script:
    name = "script"

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.seen: list[tuple[Message, ...]] = []

    def ask(self, messages: tuple[Message, ...]) -> Answer:
        self.seen.append(tuple(messages))
        return Answer(self.answers[min(len(self.seen), len(self.answers)) - 1])


def test_problems_are_fed_back_until_it_checks() -> None:
    model = Script(BAD, GOOD)
    result = formalize("Book before seven", ["apps.opentable"], model, name="seven")
    assert result.accepted and result.problems == ()
    assert result.loaded is not None and result.loaded.main == "seven"
    assert [bool(each.problems) for each in result.rounds] == [True, False]
    again = model.seen[1]
    assert [m.role for m in again] == ["system", "user", "assistant", "user"]
    assert again[:2] == model.seen[0]
    assert again[2].content.startswith('```vsa\nspec seven "Book before seven"\n')
    for part in ("E0206", "seven.vsa:3:15", "allow Reserve(hour < 19:00).", "`time`"):
        assert part in again[3].content


def test_only_the_last_attempt_is_shown_again() -> None:
    model = Script(BAD, WORSE, GOOD)
    assert formalize("x", ["apps.opentable"], model).accepted
    assert len(model.seen[2]) == 4
    assert "Order(" in model.seen[2][2].content
    assert "E0206" not in model.seen[2][3].content


def test_rounds_are_bounded() -> None:
    model = Script(BAD)
    result = formalize("x", ["apps.opentable"], model, max_rounds=3)
    assert len(model.seen) == len(result.rounds) == 3
    assert not result.accepted and result.loaded is None
    assert result.problems[0].code == "E0206"
    assert "hour < 19:00" in result.text


def test_an_answer_without_a_spec_is_told_so() -> None:
    model = Script("I am sorry. " * 1000, GOOD)
    result = formalize("x", ["apps.opentable"], model)
    assert result.accepted and result.rounds[0].text == ""
    assert len(model.seen[1][2].content) < 5000
    assert "holds no spec" in model.seen[1][3].content


def test_a_flood_of_problems_is_cut() -> None:
    flood = "".join(f'deny "no" when Nothing{n}(a = 1).\n' for n in range(500))
    model = Script(BAD + flood, GOOD)
    assert formalize("x", ["apps.opentable"], model).accepted
    assert len(model.seen[1][3].content) < 20_000
    assert ".. and " in model.seen[1][3].content


def test_failing_tests_are_fed_back() -> None:
    problems = [[Problem.of("test", 'the test "t" fails')], []]
    model = Script(GOOD, GOOD)
    result = formalize("x", ["apps.opentable"], model, check=lambda loaded: problems.pop(0))
    assert result.accepted and len(result.rounds) == 2
    assert 'the test "t" fails' in model.seen[1][3].content
    assert "do not weaken" in model.seen[1][3].content


def test_a_listener_hears_each_round() -> None:
    heard: list[RoundStart | RoundEnd] = []
    encode(Task("x", ("apps.opentable",)), Script(BAD, GOOD), Settings(2), heard.append)
    assert [type(event).__name__ for event in heard] == ["RoundStart", "RoundEnd", "RoundStart", "RoundEnd"]
    assert [event.again for event in heard if isinstance(event, RoundEnd)] == [True, False]


def test_a_failing_model_ends_it() -> None:
    class Broken(Script):
        def ask(self, messages: tuple[Message, ...]) -> Answer:
            raise ModelError("gone", "come back")

    with pytest.raises(ModelError, match="gone"):
        formalize("x", ["apps.opentable"], Broken(GOOD))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"instruction": " \n"}, "the instruction is empty"),
        ({"instruction": "x" * 9000}, "longer than 8000"),
        ({"instruction": "a\udc80b"}, "not valid UTF-8"),
        ({"apps": []}, "no app is given"),
        ({"apps": ["apps.opentable", "apps.opentable"]}, "given twice"),
        ({"apps": ["no such"]}, "neither a file nor"),
        ({"apps": ["opentabel"]}, "cannot be used"),
        ({"apps": ["../opentable"]}, "has errors"),
        ({"apps": ["missing.vsa"]}, "has errors"),
        ({"apps": ["std.tree"]}, "not an app"),
        ({"name": "a b"}, "cannot name a spec"),
        ({"name": "allow"}, "cannot name a spec"),
        ({"name": "../a"}, "cannot name a spec"),
        ({"max_rounds": 0}, "0 rounds"),
        ({"max_rounds": 1000}, "1000 rounds"),
    ],
)
def test_an_impossible_beginning_is_refused_before_anything_is_asked(change: dict, message: str) -> None:
    model = Script(GOOD)
    given: dict = {"instruction": "x", "apps": ["apps.opentable"], "name": "a"} | change
    with pytest.raises(InputError, match=message):
        formalize(given.pop("instruction"), given.pop("apps"), model, **given)
    assert model.seen == []


def test_an_app_with_errors_is_shown(tmp_path: Path) -> None:
    app = tmp_path / "shop.vsa"
    app.write_text('app shop package "com.shop"\nstate Cart { total: Float }\n', encoding="utf-8")
    with pytest.raises(InputError, match="has errors") as failed:
        formalize("x", [app], Script(GOOD), place=tmp_path / "a.vsa")
    assert failed.value.diagnostics[0].code == "E0208"
    assert failed.value.sources


def test_the_given_app_is_the_one_the_spec_reads(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "shop.vsa").write_text('app shop package "com.shop"\naction Pay\n', encoding="utf-8")
    good = "spec a\nimport shop\nallow Pay.\ndone when Pay earlier.\n"
    assert formalize("Pay", [here / "shop.vsa"], Script(good), place=here / "a.vsa").accepted
    with pytest.raises(InputError, match="finds another file"):
        formalize("Pay", [there / "shop.vsa"], Script(good), place=here / "a.vsa")
    with pytest.raises(InputError, match="finds no file"):
        formalize("Pay", [there / "shop.vsa"], Script(good), place=tmp_path / "a.vsa")
    copy = tmp_path / "app_specs" / "apps" / "settings.vsa"
    copy.parent.mkdir(parents=True)
    copy.write_text('app apps.settings package "com.android.settings"\naction Pay\n', encoding="utf-8")
    with pytest.raises(InputError, match="finds another file") as refused:
        formalize("Pay", [copy], Script(good), place=tmp_path / "a.vsa")
    assert (
        refused.value.hint
        == "`apps.` is always what comes with vsac: name `apps.settings` for that, else give the copy another name"
    )
    with pytest.raises(InputError, match="is the app"):
        formalize("Pay", [here / "shop.vsa"], Script(good), place=here / "shop.vsa")


class Failing(Script):
    """A model of which an empty text stands for an answer that cannot be used."""

    def ask(self, messages: tuple[Message, ...]) -> Answer:
        answer = super().ask(messages)
        if not answer.text:
            raise UnusableAnswer("the answer was cut off", "hint", {"total_tokens": 7})
        return answer


def test_an_answer_that_cannot_be_used_is_asked_again() -> None:
    model = Failing("", GOOD)
    result = formalize("x", ["apps.opentable"], model)
    assert result.accepted
    assert (result.rounds[0].text, len(result.rounds[0].problems)) == ("", 1)
    assert result.rounds[0].answer.usage == {"total_tokens": 7}
    assert model.seen[1][2].content == "(no answer)"
    assert "the answer was cut off" in model.seen[1][3].content


def test_an_unusable_last_answer_is_an_error() -> None:
    model = Failing(BAD, "")
    with pytest.raises(UnusableAnswer, match="cut off"):
        formalize("x", ["apps.opentable"], model, max_rounds=2)
    assert len(model.seen) == 2


def test_the_model_sees_what_was_mended() -> None:
    model = Script(BAD.replace("done when Reserve earlier", "done when Reserve"), GOOD)
    result = formalize("x", ["apps.opentable"], model)
    assert len(result.rounds[0].fixed) == 1
    assert "done when Reserve earlier." in model.seen[1][2].content
    assert model.seen[1][3].content.startswith("1 mistake of spelling or form was mended in the spec above.")
