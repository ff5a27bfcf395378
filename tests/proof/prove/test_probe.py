"""Near misses: a careful reader of few questions sees what is wrong; answers become tests."""

import io
import json
from pathlib import Path

import pytest

from tests.proof.prove.prove_programs import own, program
from tests.thorough import some, times
from vsalang.guard import run_example
from vsalang.language.semantics import load
from vsalang.program.example import Example, Fact, Part, Turn
from vsalang.program.ir import License, Program
from vsalang.proof.prove import diff
from vsalang.proof.prove.edits import edits
from vsalang.proof.prove.probes import MOST, probes, sentence
from vsalang.proof.prove.stories import run as run_story
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.tools.cli.main import run

SPECS = ("reserve_r", "quiet_evening", "switch_one", "dollars_for_five")


def seen(meant: Program, written: Program) -> bool:
    """Whether one of the questions about what is written has another answer in what was meant."""
    return any(run_story(meant, probe.story).level != probe.level for probe in probes(written, seconds=300))


CHANGES = [
    ("date = today, time = ?t, time", "time = ?t, time"),
    ("allow Reserve", "allow each Reserve"),
    ("time < 19:00)", "time <= 19:00)"),
    (", time < 19:00)", ")"),
    (", available = true).\n\ndone", ").\n\ndone"),
    ("Reserve earlier, ", ""),
    ("(success = true)", ""),
]


@pytest.mark.parametrize(
    "change", [*CHANGES[:2], *(pytest.param(c, marks=pytest.mark.slow) for c in CHANGES[2:])]
)
def test_a_forgotten_condition_is_seen(change: tuple[str, str]) -> None:
    assert seen(program("reserve_r"), program("reserve_r", change))


def test_questions_are_few_different_and_true() -> None:
    made = program("reserve_r")
    found = list(probes(made))
    assert len(found) <= MOST
    assert len({probe.sentence for probe in found}) == len(found)
    for probe in found:
        assert run_example(made, probe.story).passed
        assert not run_example(made, probe.answered(False)).passed
        assert run_example(made, probe.answered(True)).passed


def test_questions_are_looked_for_one_by_one() -> None:
    looked: list[str] = []
    assert next(probes(program("reserve_r"), progress=looked.append))
    assert len(looked) == 1


@pytest.mark.soak
def test_share_of_planted_weakenings_that_is_seen() -> None:
    """One-edit weakenings of clauses; docs/commands/prove.md#vsac-prove-probe-is-that-meant has the figure."""
    planted = found = 0
    for number, name in enumerate(SPECS):
        meant = program(name)
        clauses = [rule for rule in own(meant) if isinstance(rule.head, License)]
        weaker = [edit for edit in edits(meant, clauses) if edit.way == "weaker"]
        for edit in some(weaker, 3, begin=number):
            if seen(meant, edit.program):
                planted, found = planted + 1, found + 1
            elif diff(meant, edit.program).outcome != "equal":
                planted += 1
    assert planted > times(13, 40)
    assert found / planted >= 0.85, f"{found} of {planted}"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    text = """spec table "Reserve a table at restaurant R for today before 7 PM."
import apps.opentable

allow Reserve(restaurant = "R", time = ?t, time <= 19:00)
  when Slot(restaurant = "R", time = ?t, available = true).
done when Reserve earlier, ReserveResult(success = true).
"""
    (tmp_path / "table.vsa").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "table.vsa"


def test_the_first_question_has_edge_and_open_day(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "probe", table, "--most", "1"]) == 0
    out = capsys.readouterr().out
    assert "table.vsa:4: This would be allowed: Reserve (restaurant R, date tomorrow, time 19:00)" in out
    assert out.endswith("Is that meant?\n")


def test_days_of_the_calendar_are_named_as_such(table: str, tmp_path: Path) -> None:
    """The day of a question is any: `today` in it is not the day of the instruction."""
    place = tmp_path / table
    text = place.read_text(encoding="utf-8")
    place.write_text(
        text.replace(
            'restaurant = "R", time = ?t, time',
            'restaurant = "R", date in 2026-06-08..2026-06-11, time = ?t, time',
        ),
        encoding="utf-8",
    )
    asked = [probe.sentence for probe in probes(load(place).checked(), most=4, seconds=300)]
    assert asked
    assert not any(word in one for one in asked for word in ("today", "tomorrow", "ago", "from now"))
    assert any("date 2026-06-" in one for one in asked)


def test_answers_become_tests(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text('{"1": false}', encoding="utf-8")
    assert run(["prove", "probe", table, "--answers", "a.json", "--write", "--most", "2"]) == 1
    assert "1 of 1 answers say that table.vsa is wrong, tests appended" in capsys.readouterr().err
    assert run(["fmt", "--check", table]) == 0
    capsys.readouterr()
    assert run(["test", table]) == 1
    assert "1 failed, 0 passed" in capsys.readouterr().out
    mended = (  # what was meant
        (tmp_path / table)
        .read_text(encoding="utf-8")
        .replace("time <= 19:00)", "date = today, time < 19:00)")
    )
    (tmp_path / table).write_text(mended, encoding="utf-8")
    assert run(["test", table]) == 0


def test_questions_are_asked_at_the_terminal(
    table: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n\n"))
    assert run(["prove", "probe", table, "--ask", "--most", "2"]) == 1
    out = capsys.readouterr()
    assert out.out.startswith('test "not meant: Reserve ')  # tests only; the second question was left out
    assert out.out.count("test ") == 1
    assert "2. This would be allowed: finishing the task" in out.err


def test_json_has_sentence_test_and_edit(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "probe", table, "--json", "--most", "2"]) == 0
    data = json.loads(capsys.readouterr().out)
    one, two = data["probes"]
    assert one["level"] == "allow"
    assert one["test"].startswith("test ")
    assert one["edit"]
    assert (one["meant"], one["answer"]) == (None, None)
    assert (two["number"], two["rule"]) == (2, "table:2")


@pytest.mark.parametrize("text", ["[]", "{", '{"1": "yes"}', '{"one": true}', '{"99": true}'])
def test_answers_that_cannot_be_used(text: str, table: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert run(["prove", "probe", table, "--answers", "a.json", "--most", "1"]) == 2


def test_wrong_usage(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "probe", table, "--write"]) == 2
    assert run(["prove", "probe", table, "--ask", "--json"]) == 2
    assert run(["prove", "probe", "apps.opentable"]) == 2


def test_what_does_not_print_is_escaped() -> None:
    cells = {"restaurant": "a\u0000b"}
    last = Turn("turn", (Part("attempt", Fact("apps.opentable.Reserve", cells)),))
    assert "restaurant a\\u0000b" in sentence(Example("t", "t", (last,)))


def test_assumed_similarity_is_in_the_question() -> None:
    """Without it two states read the same, and one is allowed and the other refused."""
    last = Turn("turn", (Part("attempt", Fact("apps.opentable.Reserve", {"restaurant": "Luigi"})),))
    for alike, said in ((True, "restaurant Luigi (similar to the Italian)"), (False, "restaurant Luigi)")):
        assumed = Turn("assume", assumed=("Luigi", "the Italian", alike))
        assert said in sentence(Example("t", "t", (assumed, last)))


def test_questions_that_were_not_answered_are_said(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(self: object, *args: object) -> bool:
        raise NoAnswer("time", "1 s")

    monkeypatch.setattr(Query, "check", never)
    assert run(["prove", "probe", table]) == 0
    out = capsys.readouterr()
    assert out.out == "no question was found with this time: give more with --limit and --timeout\n"
    assert "the solver did not answer all questions about this clause: there may be more" in out.err
    assert run(["prove", "probe", table, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["probes"] == [] and len(data["undecided"]) == 2
