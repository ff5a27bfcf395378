"""Reads pairs (`vsalang.models.rank.pairs.write_pairs`) for training: checked, weighed by step, split by task."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.opening import open_regular, why_unread
from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.models.rank.training.recipe import Recipe, TrainingError

MAX_LINE: Final = 2_000_000
"""Characters of a pair; a longer line is refused."""
MAX_WEIGHT: Final = 1.0


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A better and a worse text.

    Attributes:
        chosen, rejected: the whole prompts.
        weight: such that all pairs of a step weigh 1 together.
        task: the user's words; all pairs of a task are on one side of the split.
        label: why the first is better.
    """

    chosen: str
    rejected: str
    weight: float
    task: str
    label: str


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Pairs for training, and pairs of other tasks by which it is measured.

    Attributes:
        undo_left_out: pairs that take a step back, above their share.
    """

    train: tuple[TrainingPair, ...]
    held_out: tuple[TrainingPair, ...]
    undo_left_out: int = 0

    @property
    def labels(self) -> Counter[str]:
        """How many pairs for training there are of each label."""
        return Counter(one.label for one in self.train)


def read_pairs(paths: Iterable[str | Path]) -> tuple[TrainingPair, ...]:
    """The pairs of some files, in order.

    Raises:
        TrainingError: a line is not a pair, or there is none; the message names file and line.
    """
    pairs: list[TrainingPair] = []
    for path in paths:
        try:
            with open_regular(path) as lines:
                for number, raw in enumerate(lines, 1):
                    line = raw.decode("utf-8")
                    if line.strip():
                        pairs.append(_pair(line, f"{path}, line {number}"))
        except (OSError, UnicodeDecodeError) as error:
            raise TrainingError(f"cannot read {path}: {why_unread(error)}") from error
    if not pairs:
        raise TrainingError("there are no pairs", "`vsac rank pairs` writes them")
    return tuple(pairs)


def _pair(line: str, place: str) -> TrainingPair:
    hint = "`vsac rank pairs` writes pairs, one JSON object a line"
    if len(line) > MAX_LINE:
        raise TrainingError(f"{place}: the line is longer than {MAX_LINE} characters", hint)
    try:
        data: Any = json.loads(line, parse_constant=no_constant, object_pairs_hook=object_once)
    except (ValueError, RecursionError) as error:
        raise TrainingError(f"{place}: not JSON: {error}", hint) from error
    keys = ("prompt", "chosen", "rejected")
    texts: list[Any] = [data.get(key) for key in keys] if isinstance(data, dict) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise TrainingError(f"{place}: it has no texts `prompt`, `chosen` and `rejected`", hint)
    prompt, chosen, rejected = texts
    weight = data.get("weight", 1)
    if not isinstance(weight, int | float) or isinstance(weight, bool) or not 0 < weight <= MAX_WEIGHT:
        raise TrainingError(f"{place}: `weight` is {str(weight)[:40]}", "it is above 0, and at most 1")
    if chosen == rejected:
        raise TrainingError(f"{place}: both texts are the same, so neither is better", hint)
    task, label = data.get("task", ""), data.get("label", "")
    if not isinstance(task, str) or not isinstance(label, str):
        raise TrainingError(f"{place}: `task` and `label` are texts", hint)
    return TrainingPair(prompt + chosen, prompt + rejected, float(weight), task, label)


def split(pairs: Sequence[TrainingPair], recipe: Recipe) -> TrainingData:
    """The pairs for training and those held out, the same in each run of a recipe.

    Tasks are held out whole, by a hash of their words, so that no page of a task is on both sides. Of pairs that take a
    step back no more than the recipe's share are kept, spread over all.
    """
    held = {task for task in {one.task for one in pairs} if _drawn(task, recipe.seed) < recipe.held_out}
    train = [one for one in pairs if one.task not in held]
    if not train:  # one task only: there is nothing to hold out
        held, train = set(), list(pairs)
    undo = [nth for nth, one in enumerate(train) if one.label == "undo"]
    others = len(train) - len(undo)
    most = int(recipe.undo_share * others / (1 - recipe.undo_share)) if recipe.undo_share else 0
    kept = set(undo if not others else sorted(undo, key=lambda nth: _drawn(str(nth), recipe.seed))[:most])
    return TrainingData(
        tuple(one for nth, one in enumerate(train) if one.label != "undo" or nth in kept),
        tuple(one for one in pairs if one.task in held),
        len(undo) - len(kept),
    )


def _drawn(text: str, seed: int) -> float:
    """A number from 0 to below 1 that depends on a text and a seed only."""
    digest = hashlib.sha256(f"{seed}:{text}".encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
