"""`python -m benchmarks.measure encode`: what is printed, written and returned."""

import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree import ElementTree

import pytest

from benchmarks.measure.encode import Order, read_cases
from tests import processes
from tests.measure.encode.cases import ANSWERS, SAMPLE, Table, answer, case, copied, encoder

ROWS, SIZES = "list_other_row", "text_size_either"
Measure = Callable[..., CompletedProcess[str]]


def replay(
    measure: Measure, *more: object, dirs: tuple[object, ...] = (SAMPLE / ROWS, SAMPLE / SIZES)
) -> CompletedProcess[str]:
    return measure("encode", *dirs, "--replay", ANSWERS, "--no-review", *more)


def test_recorded_answers_are_scored(measure: Measure, golden: Callable[..., None]) -> None:
    done = replay(measure, "-v")
    assert (done.returncode, done.stderr) == (0, "")
    golden(
        re.sub(r"mean [\d,]+ ms, median [\d,]+ ms", "mean N ms, median N ms", done.stdout),
        "measure/recorded_answers_are_scored.txt",
    )


def test_the_recorded_requests_are_ours() -> None:
    """The answers of the sample belong to requests as they are now.

    After a change of the request's template, UPDATE_GOLDEN=1 writes the requests again, all of them. Look whether the
    answers still are answers to them.
    """
    update = os.environ.get("UPDATE_GOLDEN") == "1"
    cases = read_cases([SAMPLE]) if update else [case(ROWS), case("location_then_permission")]
    for each in cases:
        for number in (1, 2):
            model = Table({each.instructions[number - 1]: answer(each.name, number)})
            encoder(model).encoded(Order(each, number, 1))
            sent = {"role": "user", "content": model.asked[0][1].content}
            text = json.dumps({"model": "sample", "messages": [sent]}, ensure_ascii=False, indent=1) + "\n"
            place = ANSWERS / f"{each.name}-{number}.request.json"
            if update:
                place.write_text(text, encoding="utf-8")
            assert place.read_text(encoding="utf-8") == text


@pytest.mark.soak
def test_the_blind_pairs_have_their_first_run(measure: Measure) -> None:
    """The answers belong to requests as they are now, and the figures are those that the page reports."""
    folder = SAMPLE / "blind"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        for each in read_cases([folder]):
            for number in (1, 2):
                said = (folder / "answers" / f"{each.name}-{number}.answer.txt").read_text(encoding="utf-8")
                model = Table({each.instructions[number - 1]: said})
                encoder(model).encoded(Order(each, number, 1))
                sent = {"role": "user", "content": model.asked[0][1].content}
                text = (
                    json.dumps({"model": "sample", "messages": [sent]}, ensure_ascii=False, indent=1) + "\n"
                )
                place = folder / "answers" / f"{each.name}-{number}.request.json"
                place.write_text(text, encoding="utf-8")
    done = measure("encode", folder, "--replay", folder / "answers", "--no-review")
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    counted = (
        "accuracy",
        "right runs accepted",
        "contradictions caught by the deadline",
        "gold tests passed by level",
    )
    for name in counted:
        (share,) = re.findall(rf"(?m)^{name} +([\d.]+ %)  (\[[\d., ]+\]) +(\d+ of \d+)$", done.stdout)
        assert f"| {name} | {share[0]} {share[1]} | {share[2]} |" in page


def test_figures_are_printed_for_programs(measure: Measure, tmp_path: Path) -> None:
    done = replay(measure, "--json", "--plot", tmp_path / "p.svg")
    data = json.loads(done.stdout)
    (part,) = data["parts"]
    assert (data["version"], data["complete"], data["below"], part["memory"]) == (1, True, [], "cold")
    assert part["all"]["confusion"] == {"tp": 1, "fp": 0, "tn": 3, "fn": 0}
    assert part["all"]["accuracy"] == {
        "value": 1.0, "low": pytest.approx(0.5101, abs=1e-4), "high": 1.0, "hits": 4, "of": 4,
    }  # fmt: skip
    assert set(part["apps"]) == {"apps.settings", "apps.trusttest"}
    first = next(each for each in part["instructions"] if each["case"] == ROWS and each["number"] == 2)
    assert (first["deadline"], first["right"], first["samples"][0]["objection"]["step"]) == (3, True, 3)
    picture = ElementTree.parse(tmp_path / "p.svg").getroot()
    words = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"accuracy", "gold tests by level", "apps.trusttest", "all"} <= set(words)
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}circle"))) == 2 * 3


def test_a_request_without_answer_is_told(measure: Measure, tmp_path: Path) -> None:
    copied(tmp_path, SIZES, instruction1="Make the text Small.")
    done = replay(measure, dirs=(tmp_path, SAMPLE / ROWS))
    assert done.returncode == 2
    assert "1 spec (cold) could not be asked for:" in done.stdout
    assert "text_size_either (1): no answer to this request is recorded" in done.stdout
    assert "3 instructions: 3 of 3 specs written" in done.stdout


def test_replay_goes_without_another_answerer(measure: Measure, tmp_path: Path) -> None:
    done = replay(measure, "--endpoint-dir", tmp_path)
    assert (done.returncode, "--replay and --endpoint-dir exclude each other" in done.stderr) == (2, True)


def test_what_went_wrong_is_told(measure: Measure, tmp_path: Path) -> None:
    """The gold asks for another row than instruction and answer: a right spec counts as wrong."""
    place = copied(tmp_path, ROWS)
    edits = {
        "spec1.vsa": (
            ("Item(at = 3", "Item(at = 1"),
            ('(text = "Cherry").\n  finish', '(text = "Apple").\n  finish'),
        ),
        "spec2.vsa": (
            ("Item(at = 2", "Item(at = 3"),
            ('"Cherry") => block', '"Apple") => block'),
            ('"Banana")', '"Cherry")'),
        ),
    }
    for file, changes in edits.items():
        text = (place / file).read_text(encoding="utf-8")
        for before, after in changes:
            assert before in text
            text = text.replace(before, after)
        (place / file).write_text(text, encoding="utf-8")
    assert measure("encode", place, "--check").returncode == 0
    done = replay(measure, dirs=(place,))
    assert done.returncode == 0
    assert "list_other_row (1): objects to a right run, at step 3: block" in done.stdout
    assert "gold tests not passed strictly; -v shows them" in done.stdout
    told = replay(measure, "-v", dirs=(place,)).stdout
    assert (
        "list_other_row (1): the run: the third row: fails: step 3 (attempt answer): wanted allow, got block"
        in told
    )


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        (
            ("--min-accuracy", "100", "--min-tests", "100", "--min-accepted", "100", "--min-caught", "100"),
            0,
            "",
        ),
        (("--min-caught", "100", "-k", SIZES), 1, "the share of contradictions caught (cold) is not known"),
        (("-k", "nosuch"), 2, "no case has a name that contains 'nosuch'"),
        (("--samples", "2"), 2, ""),
        (("--plot", "none/p.svg"), 2, "none is not a folder"),
        (("--min-accuracy", "101"), 2, "--min-accuracy"),
    ],
)
def test_the_exit_status_says_how_it_went(
    measure: Measure, options: tuple[str, ...], status: int, told: str
) -> None:
    done = replay(measure, *options)
    assert (done.returncode, told in done.stderr) == (status, True)


def test_a_low_figure_is_status_one(measure: Measure, tmp_path: Path) -> None:
    broken = tmp_path / "answers"
    broken.mkdir()
    for place in ANSWERS.glob(f"{ROWS}-*"):
        text = place.read_text(encoding="utf-8")
        (broken / place.name).write_text(text.replace("Item(at = 3", "Item(at = 7"), encoding="utf-8")
    done = measure("encode", SAMPLE / ROWS, "--replay", broken, "--no-review", "--min-accuracy", "60"
    )  # fmt: skip
    assert done.returncode == 1
    assert "the accuracy (cold) is 50.0 %, less than 60 %" in done.stderr


def test_the_folders_can_be_checked_alone(measure: Measure, tmp_path: Path) -> None:
    done = measure("encode", SAMPLE / ROWS, "--check", "--replay", tmp_path)
    assert (done.returncode, done.stdout) == (0, "1 case, 2 gold specs: all do what they say\n")
    (tmp_path / "meta.json").write_text("{", encoding="utf-8")
    done = measure("encode", tmp_path, "--check", "--replay", tmp_path)
    assert done.returncode == 2
    assert f"error: {tmp_path}/meta.json:1: it is not JSON" in done.stderr
    assert "error: 1 mistake in the folders" in done.stderr
    done = measure("encode", tmp_path, SAMPLE / ROWS, "--check", "--keep-going")
    assert (done.returncode, "1 case, 2 gold specs" in done.stdout) == (0, True)
    assert "meta.json:1: it is not JSON" in done.stderr


def test_a_run_by_files_goes_on(measure: Measure, tmp_path: Path) -> None:
    """Nobody answers at first; the same command, with answers in place, asks for what is missing, and keeps it."""
    asked, results = tmp_path / "asked", tmp_path / "r.jsonl"
    asked.mkdir()
    options = ("--endpoint-dir", asked, "--timeout", "0.05", "--no-review", "--results", results, "-j", "2")
    done = measure("encode", SAMPLE / ROWS, *options)
    assert done.returncode == 2
    assert "nothing was measured" in done.stdout and "nobody answered" in done.stdout
    for number, request in enumerate(sorted(asked.glob("*.request.json")), 1):
        text = request.read_text(encoding="utf-8")
        which = 1 if "third row" in text else 2
        (asked / f"{number:06}.answer.txt").write_text(answer(ROWS, which), encoding="utf-8")
    done = measure("encode", SAMPLE / ROWS, *options)
    assert done.returncode == 0
    assert len(results.read_text(encoding="utf-8").splitlines()) == 2
    for place in asked.glob("*.answer.txt"):
        place.unlink()
    done = measure("encode", SAMPLE / ROWS, *options)
    assert done.returncode == 0, "everything is known"
    assert measure("encode", SAMPLE / ROWS, *options, "--restart").returncode == 2


def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    asked, results = tmp_path / "asked", tmp_path / "r.jsonl"
    asked.mkdir()
    (asked / "000001.answer.txt").write_text(answer(ROWS, 1), encoding="utf-8")
    command = ["encode", SAMPLE / ROWS, "--endpoint-dir", asked, "--no-review", "--results", results]
    process = processes.Process(
        ["-m", "benchmarks.measure.__main__", *map(str, command), "-j", "1"], text=True
    )

    def half_done() -> bool:
        return (asked / "000002.request.json").exists() and results.exists() and bool(results.read_text())

    while not half_done() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"1 spec kept in {results}: the same command goes on from there" in told
    assert len(results.read_text(encoding="utf-8").splitlines()) == 1


def test_answers_to_another_prompt_are_told(measure: Measure, tmp_path: Path) -> None:
    for number in (1, 2):
        name = f"{ROWS}-{number}"
        request = json.loads((ANSWERS / f"{name}.request.json").read_text(encoding="utf-8"))
        request["messages"].insert(0, {"role": "system", "content": "an older description of the language"})
        (tmp_path / f"{name}.request.json").write_text(json.dumps(request), encoding="utf-8")
        (tmp_path / f"{name}.answer.txt").write_text(answer(ROWS, number), encoding="utf-8")
    done = measure("encode", SAMPLE / ROWS, "--replay", tmp_path, "--no-review")
    assert done.returncode == 0
    assert "the system prompt has changed since the answers to 2 instructions were recorded" in done.stdout


def test_specs_with_doubts_are_counted(
    measure: Measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that finds a difference leaves a doubt. One that does not answer is asked again, as a writer is."""
    monkeypatch.setattr(
        "vsalang.models.encode.review.Reviewing.solves", False
    )  # it takes a second, and is not a subject
    asked = tmp_path / "asked"
    asked.mkdir()
    options = ("--endpoint-dir", asked, "--timeout", "0.05", "--results", tmp_path / "r.jsonl", "-j", "1")
    for _ in range(8):
        done = measure("encode", SAMPLE / ROWS, *options)
        for place in sorted(asked.glob("*.request.json")):
            target = place.with_name(place.name.replace("request.json", "answer.txt"))
            if not target.exists():
                told = json.loads(place.read_text(encoding="utf-8"))["messages"]
                target.write_text(reply(told), encoding="utf-8")
        if done.returncode == 0:
            break
    assert done.returncode == 0
    assert "2 of 2 specs written by a model that is not known, 1 of them need a look" in done.stdout


def reply(messages: list[dict[str, str]]) -> str:
    """What the writer, or the reader, says."""
    last = messages[-1]["content"]
    which = 1 if "What does the third row" in messages[min(1, len(messages) - 1)]["content"] else 2
    if "Find where the two differ" in last:
        found = [{"quote": "third row", "problem": "any row will do"}] if which == 1 else []
        return json.dumps({"findings": found, "answers": []})
    return answer(ROWS, which)


def test_a_budget_ends_the_run(measure: Measure, tmp_path: Path) -> None:
    place = tmp_path / "answers"
    place.mkdir()
    for number in (1, 2):
        name = f"{ROWS}-{number}"
        (place / f"{name}.request.json").write_bytes((ANSWERS / f"{name}.request.json").read_bytes())
        said = {"text": answer(ROWS, number), "usage": {"prompt_tokens": 900, "completion_tokens": 50}}
        (place / f"{name}.answer.json").write_text(json.dumps(said), encoding="utf-8")
    done = measure("encode", SAMPLE / ROWS, "--replay", place, "--no-review", "-j", "1", "--budget-tokens", "900"
    )  # fmt: skip
    assert done.returncode == 2
    assert "the budget of 900 tokens is used up" in done.stdout
    assert "900 in, 50 out" in done.stdout
