"""How a scorer is trained: the paper's recipe, and what a user's file says otherwise."""

import tomllib
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

from vsalang.base.records import dataclass
from vsalang.base.source.opening import read_regular, why_unread

PAPER: Final = Path(__file__).with_name("recipe.toml")
"""The file of the paper's recipe."""
MAX_FILE: Final = 100_000
Precision = Literal["bf16", "fp16", "fp32"]


class TrainingError(Exception):
    """Nothing can be trained so; the message names file and line or key. `hint` is the remedy; may be empty."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a scorer is trained; ``recipe.toml`` says what each value means."""

    lora_rank: int
    lora_alpha: int
    lora_dropout: float
    lora_targets: tuple[str, ...]
    four_bit: bool
    learning_rate: float
    last_rate: float
    warmup_steps: int
    epochs: float
    batch: int
    device_batch: int
    precision: Precision
    seed: int
    max_tokens: int
    undo_share: float
    held_out: float
    save_steps: int

    @property
    def accumulated(self) -> int:
        """How many device batches make one step of the optimizer."""
        return max(1, self.batch // self.device_batch)


_LEAST: Final[dict[str, float]] = {
    "lora_rank": 1,
    "lora_alpha": 1,
    "epochs": 0.001,
    "batch": 1,
    "device_batch": 1,
    "max_tokens": 16,
    "save_steps": 1,
}
_SHARES: Final = ("lora_dropout", "undo_share", "held_out")


def read_recipe(path: str | Path | None = None) -> Recipe:
    """The paper's recipe, with what a file says otherwise.

    Raises:
        TrainingError: the file is not a recipe.
    """
    recipe = _of(_table(PAPER), str(PAPER), None)
    return recipe if path is None else _of(_table(path), str(path), recipe)


def _table(path: str | Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_regular(path, MAX_FILE).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"cannot read {path}: {why_unread(error)}") from error
    except tomllib.TOMLDecodeError as error:
        raise TrainingError(f"{path}: not TOML: {error}") from error


def _of(table: dict[str, Any], name: str, before: Recipe | None) -> Recipe:
    known = {each.name: each for each in fields(Recipe)}
    for key, value in table.items():
        if key not in known:
            from vsalang.base.source.suggest import did_you_mean

            hint = did_you_mean(key, list(known)) or f"there are {', '.join(known)}"
            raise TrainingError(f"{name}: a recipe has no `{key[:40]}`", hint)
        _check(key, value, name)
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
    }
    if before is not None:
        return replace(before, **values)
    missing = [key for key, each in known.items() if key not in values and each.default is MISSING]
    if missing:
        raise TrainingError(f"{name}: `{missing[0]}` is not there")
    return Recipe(**values)


def _check(key: str, value: Any, name: str) -> None:
    """Refuse a value that means nothing.

    Raises:
        TrainingError: it is of another type, or out of its range.
    """
    if key == "lora_targets":
        good = isinstance(value, list) and bool(value) and all(isinstance(one, str) and one for one in value)
        what = "a list of names of layers"
    elif key == "precision":
        good, what = value in get_args(Precision), "bf16, fp16 or fp32"
    elif key == "four_bit":
        good, what = isinstance(value, bool), "true or false"
    elif key in _SHARES:
        good, what = _number(value) and 0 <= value < 1, "a number from 0 to below 1"
    elif key in ("learning_rate", "last_rate", "epochs"):
        good, what = _number(value) and value > 0, "a number above 0"
    else:
        least = _LEAST.get(key, 0)
        good = isinstance(value, int) and not isinstance(value, bool) and value >= least
        what = f"a whole number of at least {least:g}"
    if not good:
        raise TrainingError(f"{name}: `{key}` is {str(value)[:40]!r}", f"it is {what}")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
