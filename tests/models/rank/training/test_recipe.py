"""The recipe and the data of training: what is read, refused, and held out. No package of the extra is needed."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import vsac
from vsalang.models.rank.training.data import TrainingPair, read_pairs, split
from vsalang.models.rank.training.recipe import TrainingError, read_recipe


def row(nth: int, *, task: str = "t", label: str = "proof", **more: Any) -> dict[str, Any]:
    return {
        "prompt": "Task: x\n",
        "chosen": f"Action: good {nth}",
        "rejected": f"Action: bad {nth}",
        "task": task,
        "step": nth,
        "app": "a",
        "label": label,
        "weight": 0.5,
        **more,
    }


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    return path


def test_the_papers_recipe_is_the_default() -> None:
    recipe = read_recipe()
    assert (recipe.lora_rank, recipe.lora_alpha, recipe.lora_dropout) == (16, 32, 0.05)
    assert (recipe.learning_rate, recipe.last_rate, recipe.warmup_steps) == (1e-4, 1e-6, 10)
    assert (recipe.epochs, recipe.batch, recipe.seed, recipe.undo_share) == (20, 16, 42, 0.025)
    assert len(recipe.lora_targets) == 7 and recipe.four_bit and recipe.accumulated == 8


def test_a_file_says_only_what_is_other(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("epochs = 2\nfour_bit = false\n")
    recipe = read_recipe(file)
    assert recipe.epochs == 2 and not recipe.four_bit and recipe.batch == 16


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lora_rang = 8", "no `lora_rang`"),
        ("batch = 0", "`batch` is"),
        ("batch = true", "`batch` is"),
        ('precision = "int8"', "`precision` is"),
        ("undo_share = 1.0", "`undo_share` is"),
        ("lora_targets = []", "`lora_targets` is"),
        ("learning_rate = -1", "`learning_rate` is"),
        ("epochs =", "not TOML"),
    ],
)
def test_a_recipe_that_means_nothing_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(TrainingError, match=said):
        read_recipe(file)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        json.dumps({"prompt": "p", "chosen": "c"}),
        json.dumps(row(1, weight=0)),
        json.dumps(row(1, weight=2)),
        json.dumps(row(1, weight=True)),
        json.dumps(row(1, chosen="same", rejected="same")),
        json.dumps(row(1, task=7)),
        '{"prompt": "a", "prompt": "b", "chosen": "c", "rejected": "d"}',
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(f"{json.dumps(row(0))}\n\n{line}\n")
    with pytest.raises(TrainingError, match=r"pairs\.jsonl, line 3"):
        read_pairs([file])


def test_no_pairs_are_no_data(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="there are no pairs"):
        read_pairs([write(tmp_path / "none.jsonl", [])])


def pairs(count: int, tasks: int, label: str = "proof") -> list[TrainingPair]:
    return [TrainingPair(f"good {n}", f"bad {n}", 1.0, f"task {n % tasks}", label) for n in range(count)]


def test_tasks_are_held_out_whole() -> None:
    recipe, everything = read_recipe(), pairs(400, 100)
    one, other = split(everything, recipe), split(list(reversed(everything)), recipe)
    assert {p.task for p in one.held_out}.isdisjoint(p.task for p in one.train)
    assert {p.task for p in one.held_out} == {p.task for p in other.held_out}
    assert 0 < len(one.held_out) < 80 and len(one.held_out) + len(one.train) == 400


def test_few_pairs_take_a_step_back() -> None:
    data = split([*pairs(390, 30), *pairs(100, 30, "undo")], read_recipe())
    undo = data.labels["undo"]
    assert 0 < undo <= 0.025 * len(data.train) and data.undo_left_out > 0


def test_a_single_task_is_trained_on() -> None:
    data = split(pairs(4, 1), read_recipe())
    assert len(data.train) == 4 and data.held_out == ()


def test_the_command_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "pairs.jsonl", [row(nth) for nth in range(3)])
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "peft", None)
    told = vsac("rank", "train", file, "--model", tmp_path / "model", "-o", tmp_path / "out")
    assert told.returncode == 2 and "vsalang[training]" in told.stderr
    assert not (tmp_path / "out").exists()
