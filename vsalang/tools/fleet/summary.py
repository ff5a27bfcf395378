"""The result of an audit: counts and a few examples. Those of parts are added up, in any order, to the same whole."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.tools.fleet.judging import Change, SessionAudit

EXAMPLES: Final = 3
"""So many examples are kept of each kind of change: those that come first by tenant, session and step."""
MOST: Final = 1000
"""So many kinds are told apart, those that come first by their names; the others are counted together."""
Kind = tuple[str, str, tuple[str, ...]]
"""The level before, the level now, and the rules because of which."""
Example = tuple[str, str, str, str, int, int, str, str, str]
"""Tenant, session, head, device, step, record, time, proposal and message."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of one kind.

    Attributes:
        steps: how many proposals.
        sessions: in how many sessions.
        examples: the first of them.
    """

    steps: int = 0
    sessions: int = 0
    examples: tuple[Example, ...] = ()

    def __add__(self, other: "Changes") -> "Changes":
        examples = tuple(sorted((*self.examples, *other.examples))[:EXAMPLES])
        return Changes(self.steps + other.steps, self.sessions + other.sessions, examples)


@dataclass(frozen=True, slots=True)
class Summary:
    """The audit of some sessions.

    Attributes:
        sessions: how many there were.
        steps: how many proposals were judged.
        moved: how many keep their level because of other rules.
        changes: by kind, in the order of the kinds.
        problems: why sessions could not be judged: how many, and one of them.
        others: changes of further kinds, and sessions with further problems, that are only counted.
    """

    sessions: int = 0
    steps: int = 0
    moved: int = 0
    changes: tuple[tuple[Kind, Changes], ...] = ()
    problems: tuple[tuple[str, int, str], ...] = ()
    others: tuple[int, int] = (0, 0)

    @property
    def unjudged(self) -> int:
        """How many sessions could not be judged."""
        return sum(count for _, count, _ in self.problems) + self.others[1]

    def __add__(self, other: "Summary") -> "Summary":
        changes = dict(self.changes)
        for kind, each in other.changes:
            changes[kind] = changes.get(kind, Changes()) + each
        problems = {text: (count, example) for text, count, example in self.problems}
        for text, count, example in other.problems:
            there = problems.get(text, (0, example))
            problems[text] = there[0] + count, min(there[1], example)
        kinds, texts = sorted(changes), sorted(problems)
        # what is among the first here is so in the whole, or is not there either: so that no order matters
        others = (
            self.others[0] + other.others[0] + sum(changes[kind].steps for kind in kinds[MOST:]),
            self.others[1] + other.others[1] + sum(problems[text][0] for text in texts[MOST:]),
        )
        return Summary(
            self.sessions + other.sessions,
            self.steps + other.steps,
            self.moved + other.moved,
            tuple((kind, changes[kind]) for kind in kinds[:MOST]),
            tuple((text, *problems[text]) for text in texts[:MOST]),
            others,
        )


def summary_of(audits: Iterable[SessionAudit]) -> Summary:
    """The summary of sessions that were judged, each once."""
    total = Summary()
    for audit in audits:
        total += _one(audit)
    return total


def _one(audit: SessionAudit) -> Summary:
    if audit.problem:
        return Summary(1, problems=((audit.problem, 1, audit.key[1]),))
    kinds: dict[Kind, list[Change]] = {}
    for change in audit.changes:
        kinds.setdefault((change.before, change.now, change.rules), []).append(change)
    changes = (
        (kind, Changes(len(each), 1, tuple(_example(audit, one) for one in each[:EXAMPLES])))
        for kind, each in sorted(kinds.items())
    )
    return Summary(1, audit.steps, audit.moved, tuple(changes))


def _example(audit: SessionAudit, change: Change) -> Example:
    return (*audit.key, change.step, change.record, change.at, change.proposal, change.message)


# ---------------------------------------------------------------- as JSON data


def as_data(summary: Summary) -> dict[str, Any]:
    """As JSON data; `from_data` reads it."""
    return {
        "sessions": summary.sessions,
        "steps": summary.steps,
        "moved": summary.moved,
        "changes": [
            [
                *kind[:2],
                list(kind[2]),
                each.steps,
                each.sessions,
                [list(example) for example in each.examples],
            ]
            for kind, each in summary.changes
        ],
        "problems": [list(each) for each in summary.problems],
        "others": list(summary.others),
    }


def from_data(data: Mapping[str, Any]) -> Summary:
    """The summary that `as_data` wrote.

    Raises:
        ValueError, TypeError, KeyError: it is something else.
    """
    return Summary(
        int(data["sessions"]),
        int(data["steps"]),
        int(data["moved"]),
        tuple(
            (
                (str(before), str(now), tuple(map(str, rules))),
                Changes(int(steps), int(sessions), tuple(_read(each) for each in examples)),
            )
            for before, now, rules, steps, sessions, examples in data["changes"]
        ),
        tuple((str(text), int(count), str(example)) for text, count, example in data["problems"]),
        (int(data["others"][0]), int(data["others"][1])),
    )


def _read(data: Any) -> Example:
    tenant, session, head, device, step, record, *words = data
    at, proposal, message = map(str, words)
    return str(tenant), str(session), str(head), str(device), int(step), int(record), at, proposal, message
