"""Folders of an evaluation for tests, and models that answer from a table."""

import json
import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.measure.encode import Case, Encoder, EncodingResult, Order, read_cases
from vsalang.models.encode import Answer, Ledger, Message

SAMPLE = Path(__file__).resolve().parents[3] / "benchmarks" / "encode"
ANSWERS = SAMPLE / "answers"


def copied(folder: Path, sample: str = "text_size_either", /, **meta: Any) -> Path:
    """A copy of a folder of the sample, with other values in its meta.json; None takes a key out."""
    place = folder / sample
    shutil.copytree(SAMPLE / sample, place, dirs_exist_ok=True)
    change(place, **meta)
    return place


def change(place: Path, **meta: Any) -> None:
    data = json.loads((place / "meta.json").read_text(encoding="utf-8")) | meta
    kept = {key: value for key, value in data.items() if value is not None}
    (place / "meta.json").write_text(json.dumps(kept, indent=2), encoding="utf-8")


@cache
def case(name: str) -> Case:
    """A case of the sample."""
    return read_cases([SAMPLE / name])[0]


def answer(name: str, number: int) -> str:
    """The recorded answer."""
    return (ANSWERS / f"{name}-{number}.answer.txt").read_text(encoding="utf-8")


class Table:
    """Answers by the instruction, and keeps what it was asked. An answer that is an error is raised."""

    name = "table"

    def __init__(self, answers: Mapping[str, str | Exception]) -> None:
        self.answers = answers
        self.asked: list[tuple[Message, ...]] = []

    def ask(self, messages: Sequence[Message]) -> Answer:
        self.asked.append(tuple(messages))
        quoted = messages[1].content.split("The instruction:\n\n> ")[1].split("\n\nThe user gave it")[0]
        found = self.answers[quoted]
        if isinstance(found, Exception):
            raise found
        return Answer(found, "table-1", {"prompt_tokens": 100, "completion_tokens": 10})


def table(*names: str) -> Table:
    """The recorded answers of these cases."""
    return Table(
        {
            instruction: answer(name, number)
            for name in names
            for number, instruction in enumerate(case(name).instructions, 1)
        }
    )


def encoder(model: Table, **more: Any) -> Encoder:
    return Encoder(lambda order, reads: model, "table", Ledger(), **more)


def encoded(order: Order, text: str, *, accepted: bool = True) -> EncodingResult:
    """A spec as if a model had written it."""
    return EncodingResult(
        f"{order.case.name} {order.number} {order.sample}", order.case.name, order.number, order.sample,
        accepted, text, 1, 1, 0, 0, None, 0.0, 0.0,
    )  # fmt: skip
