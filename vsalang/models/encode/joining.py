"""Several charters of one instruction as one: what all of them permit is permitted, and where they differ it is asked.

Every licence of every sample is in the joined charter, and for each sample a question about what *it* does not permit.
So an effect passes without a question only if the bounds of all samples hold, the tightest of each. Judgements of all
samples hold; the task may be finished when all of them say so.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from vsalang.base.records import dataclass
from vsalang.language.semantics import load_text
from vsalang.models.encode.charter import joined_judgement, with_judgement
from vsalang.models.encode.encoder import Formalization
from vsalang.models.encode.meaning import Doubt
from vsalang.models.encode.own_tests import rewritten
from vsalang.models.encode.task import Task
from vsalang.program.ir import Derive, Judge, License, Relation, Rule, Type
from vsalang.program.show import Notation, short_name
from vsalang.program.text import quote

_ONCE_MORE: Final = "The readings of the instruction differ in how often this is done. Do it once more?"
_MOST_ENDS: Final = 24
"""More ways to finish are left out: fewer ends permit less."""


class NotJoined(Exception):
    """Several charters cannot be one; says why."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """The rules of one sample in text, its own words under names of its own.

    Attributes:
        number: of the sample.
        licences: its clauses by action.
        words: the `define` rules.
        judgements: what forbids, asks, warns or notes.
        ends: the conditions of each `done`.
    """

    number: int
    licences: Mapping[str, tuple["_Clause", ...]]
    words: tuple[str, ...]
    judgements: tuple[str, ...]
    ends: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Clause:
    """A licence: the pattern of its action, its conditions, and how often.

    Attributes:
        most: None: any number; 0: one together with the others that are so.
    """

    atom: str
    body: str
    most: int | None

    @property
    def condition(self) -> str:
        """Pattern and conditions, as a body."""
        return f"{self.atom}, {self.body}" if self.body else self.atom


def charter_of(samples: Mapping[int, Formalization], number: int, task: Task) -> Formalization:
    """One charter of all samples, with the question that follows from the judgement of its instruction.

    Args:
        samples: by their numbers.
        number: how many were asked for.
        task: what was asked for.

    Raises:
        NotJoined: the samples cannot be said in one charter.
    """
    header = f"spec {task.name} {quote(task.instruction)}"
    result = joined(samples, number, task, header)
    if not result.accepted or result.judgement is None:
        return result
    text = with_judgement(result.text, header, result.judgement)
    charter = result if text == result.text else rewritten(result, text, task)
    if charter.loaded is None or charter.loaded.program is None:
        raise NotJoined("the question about the instruction cannot be added to the charter")
    return charter


def joined(samples: Mapping[int, Formalization], number: int, task: Task, header: str) -> Formalization:
    """One charter of all samples.

    Args:
        samples: by their numbers. One that says that nothing can be written safely decides for all.
        number: how many were asked for: one that was not given permits nothing.
        task: what was asked for.
        header: the first line of the charter.

    Raises:
        NotJoined: the samples cannot be said in one charter.
    """
    judgements = [each.judgement for each in samples.values() if each.judgement is not None]
    judgement = joined_judgement(judgements)
    if not judgement.raises:  # of each sample one is needed: nobody else read what it means
        judgement = next((each for each in judgements if each.missing), judgement)
    for result in samples.values():
        if result.refused:
            return replace(result, judgement=judgement)
    accepted = {n: each for n, each in samples.items() if each.accepted and each.loaded is not None}
    if not accepted:
        return replace(samples[max(samples)], judgement=judgement)
    if len(accepted) < number:
        failed = ", ".join(str(each) for each in range(1, number + 1) if each not in accepted)
        raise NotJoined(
            f"sample {failed} was not accepted, and nothing is permitted that not all samples permit"
        )
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
    texts = [*sample.words, *sample.judgements, *map(", ".join, sample.ends)]
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

    notation = Notation(
        name=name, type_of=lambda relation, attr: _type(program.relations.get(relation), attr)
    )
    licences: dict[str, list[_Clause]] = {}
    words: list[str] = []
    judgements: list[str] = []
    ends: list[tuple[str, ...]] = []
    for rule in program.rules:
        if rule.module != program.main or rule.span is None:
            continue
        head = rule.head
        if isinstance(head, License) and head.atom.relation == "finish":
            ends.append(tuple(map(notation.condition, rule.body)))
        elif isinstance(head, License):
            licences.setdefault(name(head.atom.relation), []).append(_clause(notation, rule, head))
        elif isinstance(head, Derive):
            words.append(notation.rule(rule))
        elif isinstance(head, Judge):
            unnamed = {key: values for key, values in rule.annotations.items() if key != "id"}
            judgements.append(notation.rule(replace(rule, annotations=unnamed)))
        else:
            raise NotJoined(
                f"sample {number} has a rule that does not belong into a charter: {notation.rule(rule)}"
            )
    return _Sample(
        number,
        {action: tuple(clauses) for action, clauses in licences.items()},
        tuple(words),
        tuple(judgements),
        tuple(ends),
    )


def _clause(notation: Notation, rule: Rule, head: License) -> _Clause:
    most = {"one": 1, "either": 0, "count": head.quota.n, "each": None}[head.quota.kind]
    return _Clause(notation.atom(head.atom), notation.conditions(rule.body), most)


def _type(relation: Relation | None, attr: str) -> Type | None:
    return next((each.type for each in relation.attrs if each.name == attr), None) if relation else None


def _total(clauses: Sequence[_Clause]) -> int | None:
    """How often these clauses permit an action in all; None: any number of times."""
    if any(each.most is None for each in clauses):
        return None
    return sum(each.most or 0 for each in clauses) + any(each.most == 0 for each in clauses)


def _rules(samples: Sequence[_Sample]) -> Iterator[str]:
    """The rules of the joined charter."""
    yield from dict.fromkeys(word for sample in samples for word in sample.words)
    for action in dict.fromkeys(name for sample in samples for name in sample.licences):
        by_sample = [(each.number, each.licences.get(action, ())) for each in samples]
        yield from _licences(action, by_sample)
    yield from dict.fromkeys(each for sample in samples for each in sample.judgements)
    ends = product(*(sample.ends for sample in samples))
    for _, bodies in zip(range(_MOST_ENDS), ends, strict=False):
        body = ", ".join(dict.fromkeys(condition for each in bodies for condition in each))
        yield f"done when {body}." if body else "done."


def _licences(action: str, samples: Sequence[tuple[int, tuple[_Clause, ...]]]) -> Iterator[str]:
    """The licences of all samples for one action, and a question where one of them does not permit it."""
    every: dict[tuple[str, str], _Clause] = {}
    for _, clauses in samples:
        for each in clauses:
            known = every.setdefault((each.atom, each.body), each)
            if known.most is not None and (each.most is None or each.most > known.most):
                every[each.atom, each.body] = each
    single = all(_total(clauses) in (0, 1) for _, clauses in samples)
    for each in every.values():
        quota = (
            "either " if single and len(every) > 1 else "each " if each.most is None else f"{each.most or 1} "
        )
        yield f"allow {quota}{each.atom}" + (f" when {each.body}." if each.body else ".")
    kind = quote(action.rpartition(".")[2])
    for number, clauses in samples:
        message = quote(f"Reading {number} of {len(samples)} of the instruction does not permit this. Do it?")
        if not clauses:
            yield f"confirm {message} when {action}."
        elif {(each.atom, each.body) for each in clauses} != every.keys():
            word = f"Reading{number}_Permits(kind = {kind})"
            yield from (f"define {word} when {each.condition}." for each in clauses)
            yield f"confirm {message} when {action}, not {word}."
    totals = [_total(clauses) for _, clauses in samples if clauses]
    least = min((each for each in totals if each is not None), default=None)
    if (
        least is not None
        and not single
        and any(each != least for each in (*totals, _total([*every.values()])))
    ):
        yield f"confirm {quote(_ONCE_MORE)} when {action}, count({action} earlier) >= {least}."
    quotas = {key: clause.most for key, clause in every.items()}
    if not single and any({(c.atom, c.body): c.most for c in each} != quotas for _, each in samples if each):
        for _, clauses in samples:
            yield from _each_no_oftener(action, clauses)


def _each_no_oftener(action: str, clauses: Sequence[_Clause]) -> Iterator[str]:
    """Questions before what one of several clauses permits no more, though those of another sample may."""
    limits: dict[str, int] = {}
    for clause in clauses if len(clauses) > 1 else ():
        if clause.most is not None:
            limits[clause.atom] = min(clause.most or 1, limits.get(clause.atom, clause.most or 1))
    for atom, most in limits.items():
        done = action if "?" in atom else atom  # a variable would only count what is equal to this one
        yield f"confirm {quote(_ONCE_MORE)} when {atom}, count({done} earlier) >= {most}."
