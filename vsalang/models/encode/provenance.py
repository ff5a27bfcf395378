"""Says in comments above a spec who made it, how, and what was looked at: for a person who reads the file later."""

import datetime as dt
import re
from collections.abc import Iterator

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.records import dataclass
from vsalang.models.client.language_model import Backend
from vsalang.models.client.ledger import Spending
from vsalang.models.encode.encoder import Formalization
from vsalang.models.encode.moment import Moment

_WRITER = re.compile(
    r"// Written by vsac encode .*\n// Model: (?:(?P<other>.+) \(asked for as .*\)|(?P<same>.+)) at .*\."
)
_UNKNOWN = "not known"
_MOST_DOUBTS = 12
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Provenance:
    """The circumstances in which a spec was made.

    Attributes:
        version: of vsalang.
        day: on which it was made.
        moment: when and where the instruction was given.
        model: wrote it.
        spent: by all calls for it.
        samples: how many conversations were held.
    """

    version: str
    day: dt.date
    moment: Moment
    model: Backend
    spent: Spending
    samples: int = 1

    def above(self, result: Formalization) -> str:
        """The spec with these comments above its header; whatever texts of a model are in them stays in its line."""
        comments = "".join(f"// {safe(line, _LONGEST)}\n" for line in self._lines(result))
        return self.model.redact(comments) + result.text

    def _lines(self, result: Formalization) -> Iterator[str]:
        where = f" ({self.moment.zone})" if self.moment.zone else ""
        yield f"Written by vsac encode {self.version} on {self.day}; `today` was {self.moment.day}{where}."
        yield f"Model: {answered_in_words(result, self.model.name)} at {self.model.endpoint}."
        samples = f"{self.samples} samples; " if self.samples > 1 else ""
        rounds = count(len(result.rounds), "round")
        yield f"Effort: {samples}{rounds}, {spent_in_words(self.spent)}."
        tests = len(result.loaded.own) if result.loaded is not None else 0
        passed = [f"{count(tests, 'test')} passed"] if tests else []
        yield f"Checked: {', '.join(['no errors', *passed, *(result.checks or ['its meaning was not looked at'])])}."
        yield f"Doubts left: {len(result.doubts) or 'none'}."
        for doubt in result.doubts[:_MOST_DOUBTS]:
            yield f"  {doubt.kind}: {doubt.message}"
        if len(result.doubts) > _MOST_DOUBTS:
            yield f"  .. and {len(result.doubts) - _MOST_DOUBTS} more"


def answered_by(result: Formalization) -> tuple[str, ...]:
    """The models that wrote the attempts, by the names that their answers give; empty if one gives none."""
    names = dict.fromkeys(each.answer.model for each in result.rounds)
    return () if "" in names else tuple(names)


def answered_in_words(result: Formalization, asked: str) -> str:
    """Who answered, for people, and under which name it was asked for if that is another."""
    names = answered_by(result)
    if names == (asked,):
        return asked
    return f"{', '.join(names) or _UNKNOWN} (asked for as {asked})"


def writer_of(text: str) -> str:
    """The model that wrote a spec, as the comments above its header say; empty if they do not."""
    match = _WRITER.match(text)
    name = (match["other"] or match["same"]) if match is not None else ""
    return "" if name == _UNKNOWN else name


def spent_in_words(spent: Spending) -> str:
    """What was spent, for people."""
    calls = count(spent.calls, "call")
    stored = f" ({spent.stored} answered from the cache)" if spent.stored else ""
    if spent.uncounted and not spent.tokens:
        tokens = "tokens unknown"
    else:
        more = " or more" if spent.uncounted else ""
        tokens = f"{spent.input:,} tokens sent, {spent.output:,} answered{more}"
    cost = "cost unknown" if spent.cost is None else f"{spent.cost:.4f} US dollars"
    return f"{calls}{stored}, {tokens}, {cost}"
