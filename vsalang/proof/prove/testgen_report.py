"""Tests that were made for a spec or policy, and for what there is none: for people and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.places import place
from vsalang.proof.prove.edits import Edit
from vsalang.proof.prove.printing import source
from vsalang.proof.prove.results import EditTest, UntestedEdit


@dataclass(frozen=True, slots=True)
class GeneratedTests(Report):
    """The tests that were made, and for what there is none.

    Attributes:
        percent: how much of the clauses and conditions the tests show.
        written: whether they were appended to the file.
    """

    loaded: Loaded
    tests: Sequence[EditTest]
    lacks: Sequence[UntestedEdit]
    percent: float
    written: bool
    status: int

    def data(self) -> dict[str, Any]:
        program = self.loaded.checked()
        return {
            "version": 1,
            "file": self.loaded.file,
            "percent": round(self.percent, 1),
            "tests": [
                {"name": each.story.name, **_data(each.edit), "test": source(program, [each.story])}
                for each in self.tests
            ],
            "without": [
                {**_data(each.edit), "why": each.open or None, "bound": each.bound} for each in self.lacks
            ],
        }

    def text(self) -> str:
        """The tests as they stand in a file."""
        return source(self.loaded.checked(), [each.story for each in self.tests])

    def lines(self, style: Style) -> Iterator[str]:
        if self.tests and not self.written:
            yield self.text().removesuffix("\n")

    def notes(self, style: Style) -> Iterator[str]:
        for lack in self.lacks:
            where = place(self.loaded, lack.edit.span, lack.edit.rule)
            if lack.open:
                yield f"{where}: no test was found that shows {_what(lack.edit)}: {lack.open}"
            else:
                bound = (
                    ""
                    if lack.bound is None
                    else f", in states with up to {count(lack.bound, 'row')} per relation"
                )
                yield f"{where}: {_if_made(lack.edit)} decides the same{bound}"
        where = f" appended to {self.loaded.file}" if self.written else ""
        yield (
            f"{count(len(self.tests), 'test')}{where}; "
            f"they show {self.percent:.0f} % of the clauses and conditions"
        )


def _data(edit: Edit) -> dict[str, Any]:
    return {"rule": edit.rule, "kind": edit.kind, "condition": edit.condition or None}


def _what(edit: Edit) -> str:
    """What a test of the edit would show."""
    match edit.kind:
        case "rule":
            return "the rule at work"
        case "often":
            return f"that `{edit.condition}` is not allowed any number of times"
        case "edge":
            return f"the edge of `{edit.condition}`"
        case _:
            return f"that `{edit.condition}` counts"


def _if_made(edit: Edit) -> str:
    """The change, as the beginning of a sentence that says what it would decide."""
    match edit.kind:
        case "rule":
            return f"the file without `{edit.rule}`"
        case "often":
            return f"the rule with `{edit.condition}` any number of times"
        case "edge":
            return f"the rule with {edit.text}"
        case _:
            return f"{edit.text} the rule"
