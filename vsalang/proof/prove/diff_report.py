"""What two versions of a spec or policy decide otherwise: for people and as JSON."""

from collections.abc import Iterator
from typing import Any, Literal

from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.places import place
from vsalang.program.ir import Rule
from vsalang.proof.prove.printing import source
from vsalang.proof.prove.results import Diff, Difference, Head
from vsalang.proof.prove.stories import apart, expecting, named

_WORDS = {
    "equal": "decides the same as",
    "stricter": "is stricter than",
    "looser": "is looser than",
    "incomparable": "is here stricter and there looser than",
    "unknown": "could not be compared wholly with",
}


@dataclass(frozen=True, slots=True)
class Comparison(Report):
    """What two versions decide otherwise.

    Attributes:
        files: the old and the new one, as they were named.
        emit_tests: the version whose tests alone are printed for people.
    """

    diff: Diff
    old: Loaded
    new: Loaded
    files: tuple[str, str]
    emit_tests: Literal["old", "new"] | None
    status: int

    def data(self) -> dict[str, Any]:
        return {
            "version": 1,
            "old": self.files[0],
            "new": self.files[1],
            "outcome": self.diff.outcome,
            "bound": self.diff.bound,
            "heads": [
                {
                    "head": head.name,
                    "outcome": head.outcome,
                    "bound": head.bound,
                    "differences": [self._difference(each) for each in head.differences],
                    "open": [{"rule": each.rule or None, "why": each.why} for each in head.open],
                }
                for head in self.diff.heads
            ],
        }

    def _difference(self, item: Difference) -> dict[str, Any]:
        side, rule = self._rule(item)
        span = rule.head_span or rule.span
        return {
            "rule": item.rule,
            "of": "new" if item.of_new else "old",
            "file": span.file if span is not None else None,
            "line": side.sources[span.file].position(span.start).line if span is not None else None,
            "old": item.old,
            "new": item.new,
            "test": self._test(item),
        }

    def lines(self, style: Style) -> Iterator[str]:
        if self.emit_tests is not None:
            if tests := self._tests(self.emit_tests):
                yield tests.removesuffix("\n")
            return
        for head in self.diff.heads:
            yield _head(head)
            for each in head.differences:
                side, rule = self._rule(each)
                where = place(side, rule.head_span or rule.span, each.rule)
                yield f"  {where}: {_levels(each, self.files)}"
                yield from (f"    {line}" for line in self._test(each).rstrip("\n").split("\n"))
            for question in head.open:
                where = f"{question.rule}: " if question.rule else ""
                yield f"  not decided: {where}{question.why}"
        bound = self.diff.bound
        rows = "" if bound is None else f", in all states with up to {count(bound, 'row')} per relation"
        yield f"{self.files[1]} {_WORDS[self.diff.outcome]} {self.files[0]}{rows}"

    def _tests(self, side: Literal["old", "new"]) -> str:
        levels = [(item, item.old if side == "old" else item.new) for item in self.diff.differences]
        stories = [named(expecting(item.story, level), item.about) for item, level in levels]
        return source((self.old if side == "old" else self.new).checked(), apart(stories))

    def _test(self, item: Difference) -> str:
        return source(self.old.checked(), [item.story])

    def _rule(self, item: Difference) -> tuple[Loaded, Rule]:
        side = self.new if item.of_new else self.old
        return side, next(rule for rule in side.checked().rules if rule.id == item.rule)


def _head(head: Head) -> str:
    words = {"incomparable": "here stricter, there looser", "unknown": "not decided"}
    bound = "" if head.bound is None else f" (looked at with up to {count(head.bound, 'row')} per relation)"
    return f"{head.name}: {words.get(head.outcome, head.outcome)}{bound}"


def _levels(item: Difference, files: tuple[str, str]) -> str:
    words = {"allow": "allows", "block": "refuses", "confirm": "asks about", "warn": "warns about"}
    return f"{files[0]} {words[item.old]} this, {files[1]} {words[item.new]} it"
