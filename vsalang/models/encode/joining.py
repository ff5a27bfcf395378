"""Several charters of one instruction as one: what all of them permit is permitted, and where they differ it is asked.

Every licence of every sample is in the joined charter, and for each sample a question about what *it* does not permit. So
an effect passes without a question only if the bounds of all samples hold, the tightest of each. Judgements of all
samples hold; the task may be finished when all of them say so.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from vsalang.base.records import dataclass
from vsalang.language.semantics import load_text
from vsalang.models.encode.charter import joined_judgement
from vsalang.models.encode.encoder import Formalization
from vsalang.models.encode.meaning import Doubt
from vsalang.models.encode.task import Task
from vsalang.program.ir import Derive, Judge, License, Program, Relation, Rule
from vsalang.program.show import Notation, short_name
from vsalang.program.text import quote

_MOST_ENDS: Final = 24
"""More ways to finish are left out: fewer ends permit less."""


class NotJoined(Exception):
    """Several charters cannot be one; says why."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """The rules of one sample in text, its own words under names of its own.

    Attributes:
        number: of the sample.
        licences: by action: each clause without its number, and how often it permits (None: any number).
        words: the `define` rules.
        judgements: what forbids, asks, warns or notes.
        ends: what follows `done`, of each clause.
    """

    number: int
    licences: Mapping[str, tuple["_Clause", ...]]
    words: tuple[str, ...]
    judgements: tuple[str, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Clause:
    """A licence: the pattern of its action, its conditions, how often, and whether it is one of several (`either`)."""

    atom: str
    body: str
    most: int | None
    either: bool

    @property
    def condition(self) -> str:
        """Pattern and conditions, as a body."""
        return f"{self.atom}, {self.body}" if self.body else self.atom


def joined(samples: Mapping[int, Formalization], task: Task, header: str) -> Formalization:
    """One charter of all samples that were accepted.

    Args:
        samples: by their numbers. One that says that nothing can be written safely decides for all.
        task: what was asked for.
        header: the first line of the charter.

    Raises:
        NotJoined: the samples cannot be said in one charter.
    """
    judgement = joined_judgement([each.judgement for each in samples.values() if each.judgement is not None])
    for result in samples.values():
        if result.refused:
            return replace(result, judgement=judgement)
    accepted = {n: each for n, each in samples.items() if each.accepted and each.loaded is not None}
    if not accepted:
        return replace(samples[max(samples)], judgement=judgement)
    if len(accepted) < len(samples):
        failed = ", ".join(str(number) for number in samples if number not in accepted)
        raise NotJoined(f"sample {failed} was not accepted, so not all samples permit anything")
    first = next(iter(accepted.values()))
    read = [_read(number, each) for number, each in accepted.items()]
    differing = [other for other in read if _same(other) != _same(read[0])]
    if not differing:
        return replace(first, judgement=judgement)
    imports = sorted({name for each in accepted.values() for name in _imports(each)})
    text = "\n".join([header, *(f"import {name}" for name in imports), "", *_rules(read)]) + "\n"
    loaded = load_text(text, file=task.path.name, path=task.path, search=task.search)
    if loaded.program is None:
        raise NotJoined(f"the samples cannot be said in one charter: {loaded.diagnostics[0].message}")
    message = f"{len(read)} samples were written, and they differ: where they do, you are asked"
    doubts = dict.fromkeys(doubt for each in accepted.values() for doubt in each.doubts)
    return replace(
        first,
        text=text,
        loaded=loaded,
        warnings=(),
        tests=(),
        doubts=(*doubts, Doubt("vote", message, message)),
        judgement=judgement,
    )


def _imports(result: Formalization) -> tuple[str, ...]:
    assert result.loaded is not None
    return result.loaded.checked().modules[result.loaded.main].imports


def _same(sample: _Sample) -> object:
    """What two samples that say the same have in common."""
    licences = {name: frozenset(each) for name, each in sample.licences.items()}
    prefix = re.compile(rf"\bReading{sample.number}_")
    texts = [*sample.words, *sample.judgements, *sample.ends]
    return licences, frozenset(prefix.sub("", text) for text in texts)


def _read(number: int, result: Formalization) -> _Sample:
    assert result.loaded is not None
    program = result.loaded.checked()
    own = {r.name for r in program.relations.values() if r.module == program.main and r.sort == "derived"}

    def name(relation: str) -> str:
        short = short_name(relation)
        if relation in own:
            return f"Reading{number}_{short}"
        return short if ":" in relation else relation

    notation = Notation(name=name, type_of=lambda relation, attr: _type(program.relations.get(relation), attr))
    licences: dict[str, list[_Clause]] = {}
    words: list[str] = []
    judgements: list[str] = []
    ends: list[str] = []
    for rule in program.rules:
        if rule.module != program.main or rule.span is None:
            continue
        head = rule.head
        if isinstance(head, License) and head.atom.relation == "finish":
            ends.append(_after(notation.rule(rule), "done"))
        elif isinstance(head, License):
            licences.setdefault(head.atom.relation, []).append(_clause(notation, rule, head))
        elif isinstance(head, Derive):
            words.append(notation.rule(rule))
        elif isinstance(head, Judge):
            judgements.append(notation.rule(rule))
        else:
            raise NotJoined(f"sample {number} has a rule that is no part of a charter: {notation.rule(rule)}")
    return _Sample(
        number,
        {action: tuple(clauses) for action, clauses in licences.items()},
        tuple(words),
        tuple(judgements),
        tuple(ends),
    )
