"""Questions about a spec, with the answers that there are: for people and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.places import place_of_rule
from vsalang.proof.prove.printing import source
from vsalang.proof.prove.results import Probe
from vsalang.proof.prove.stories import apart


@dataclass(frozen=True, slots=True)
class Questions(Report):
    """The questions about a spec, and the answers that there are.

    Attributes:
        answers: whether a question, by its number, is meant.
        undecided: the ids of clauses about which there may be more questions.
        answered: whether the questions were answered, so that they are not listed.
        written: whether the tests were appended to the spec.
    """

    loaded: Loaded
    probes: Sequence[Probe]
    answers: Mapping[int, bool]
    undecided: Sequence[str]
    answered: bool
    written: bool
    status: int

    def data(self) -> dict[str, Any]:
        return {
            "version": 1,
            "file": self.loaded.file,
            "probes": [self._data(number, probe) for number, probe in enumerate(self.probes, 1)],
            "undecided": list(self.undecided),
        }

    def _data(self, number: int, probe: Probe) -> dict[str, Any]:
        program = self.loaded.checked()
        meant = self.answers.get(number)
        return {
            "number": number,
            "sentence": probe.sentence,
            "rule": probe.rule,
            "place": place_of_rule(self.loaded, probe.rule),
            "level": probe.level,
            "edit": probe.edit,
            "test": source(program, [probe.story]),
            "meant": meant,
            "answer": None if meant is None else source(program, [probe.answered(meant)]),
        }

    def tests(self) -> str:
        """The tests of the answers."""
        stories = [self.probes[number - 1].answered(yes) for number, yes in sorted(self.answers.items())]
        return source(self.loaded.checked(), apart(stories))

    def lines(self, style: Style) -> Iterator[str]:
        if not self.answered:
            for number, probe in enumerate(self.probes, 1):
                yield f"{number}. {place_of_rule(self.loaded, probe.rule)}: {probe.sentence}"
            if not self.probes and self.undecided:
                yield "no question was found with this time: give more with --limit and --timeout"
            elif not self.probes:
                yield f"no state was found that {self.loaded.file} allows"
        elif self.answers and not self.written:
            yield self.tests().removesuffix("\n")

    def notes(self, style: Style) -> Iterator[str]:
        for rule in self.undecided:
            where = place_of_rule(self.loaded, rule)
            yield f"{where}: the solver did not answer all questions about this clause: there may be more"
        if self.answers:
            wrong = sum(not yes for yes in self.answers.values())
            of = f"{wrong} of {len(self.answers)} answers say that {self.loaded.file} is wrong"
            where = f", tests appended to {self.loaded.file}" if self.written else ""
            yield f"{of if wrong else 'all is as it is meant'}{where}"
