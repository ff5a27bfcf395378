"""What conditions ask of the inside of a text (``contains``, ``matches``), and texts that answer as a model says.

To the solver a text is something of which it only knows what it is equal to, and each such question a predicate that
may hold or not: so it never mixes its theory of strings with the rest of a state. Afterwards each text of a model gets
words for which the language answers so; a model that needs an impossible text is excluded by a lemma, and the solver is
asked again (a lazy combination of theories: R. Sebastiani, "Lazy satisfiability modulo theories", JSAT 3, 2007).
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any, Final, Literal, TypeAlias

import z3

from vsalang.base.records import dataclass
from vsalang.program import ops
from vsalang.program.ir import Names, Regex, TextPattern, Words
from vsalang.program.matchers import compiled
from vsalang.program.text import canonical, quote
from vsalang.proof.solver import patterns
from vsalang.proof.solver.implicants import Formulas
from vsalang.proof.solver.results import UnsupportedConstruct
from vsalang.proof.solver.sorts import TRUE, Sorts, conj, disj, equals, neg, text_of, true_in


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether a text is so to another one, by an operator of the language that has no form for the solver."""

    op: str
    text: str


Question: TypeAlias = str | TextPattern | Comparison
"""What is asked of a text: whether it contains another one, matches a pattern, or is otherwise to a text."""

_MOST_WORDS: Final = 12
"""So many words of a list are tried, but all where a word must be the whole text."""
_NUMBERED: Final = 12
"""So many texts are told apart that differ by a number alone."""
_MILLISECONDS: Final = 1000
"""For each question to the theory of strings; all of them are about one text."""
_ROUNDS: Final = 30
_FEW: Final = "few texts are as it asks"
_CONTAINED: Final = "which texts contain one another"
_NEUTRAL: Final = ("another text", "some words", "Qz", "7", "")
"""Texts that few patterns match."""


@dataclass(frozen=True, slots=True)
class _Impossible:
    """No text answers so: these questions with yes, and those with no."""

    wanted: frozenset[Question]
    refused: frozenset[Question]


@dataclass(frozen=True, slots=True)
class _Unknown:
    """Whether a text answers so was not found out.

    Attributes:
        reason: as of `query.NoAnswer`.
    """

    reason: Literal["incomplete", "unsupported"]
    why: str
    wanted: frozenset[Question]
    refused: frozenset[Question]


@dataclass(frozen=True, slots=True, eq=False)
class _Number:
    """A text of a model.

    Attributes:
        term: stands for it.
        atoms: what is asked of it, with whether it is so in the model.
        within: those of them that ask whether it contains another text of the model; with whether that one is named.
    """

    term: Any
    atoms: dict[Question, tuple[Any, bool]]
    within: dict[Question, bool]

    def answering(self, answer: bool) -> frozenset[Question]:
        """The questions that have this answer."""
        return frozenset(question for question, (_, held) in self.atoms.items() if held is answer)


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Two texts of a model, by their numbers, and whether the left one contains the right one in it."""

    left: int
    right: int
    text: Any
    other: Any
    atom: Any
    held: bool

    def condition(self, named: Sequence[Any]) -> tuple[Any, bool]:
        """As of `_Number.atoms`: the other text is that which it is in this model, if it is named."""
        here = equals(self.other, named[self.right]) if self.right < len(named) else TRUE
        return (conj([self.atom, here]) if self.held else disj([self.atom, neg(here)])), self.held

    def right_in(self, texts: Mapping[int, str]) -> bool:
        """Whether it is so of these texts."""
        return holds(texts[self.right], texts[self.left]) is self.held


class Wordings:
    """The questions about the inside of texts in one query.

    Attributes:
        sure: assumed: no model is excluded only because no text was found for it.
        doubts: why such models were excluded, each with the reason as of `query.NoAnswer`.
    """

    def __init__(self, sorts: Sorts) -> None:
        self.sorts = sorts
        self.sure = z3.Bool("every text was found that there can be")
        self.doubts: dict[str, str] = {}
        self._predicates: dict[Question, Any] = {}
        self._asked: dict[int, tuple[Any, dict[Question, Any]]] = {}
        self._pairs: dict[int, tuple[Any, Any, Any]] = {}
        self._contains: Any = None
        self._formulas = Formulas()
        self._texts: tuple[Any, dict[int, str]] = (None, {})

    def atom(self, question: Question, text: Any) -> Any:
        """Whether a text is as the question asks."""
        if isinstance(question, Regex):
            question = replace(question, groups=())
        if question not in self._predicates:
            name = f"fits {len(self._predicates)}"
            self._predicates[question] = z3.Function(name, self.sorts.text_sort, z3.BoolSort())
        _, atoms = self._asked.setdefault(text.get_id(), (text, {}))
        if question not in atoms:
            atoms[question] = self._predicates[question](text)
        return atoms[question]

    def contains(self, text: Any, other: Any) -> Any:
        """Whether a text contains another one."""
        if self._contains is None:
            self._contains = z3.Function("contains", *[self.sorts.text_sort] * 2, z3.BoolSort())
        atom = self._contains(text, other)
        self._pairs[atom.get_id()] = text, other, atom
        return disj([equals(text, other), atom])

    def texts(self, model: Any) -> Mapping[int, str]:
        """The texts of a model for its numbers, but for named texts.

        Raises:
            UnsupportedConstruct: there is none for one of them: `lemmas` were not asked for.
        """
        if self._texts[0] is not model:
            texts, lemmas = self._settled(model, None)
            if lemmas:
                raise UnsupportedConstruct("a text that could not be made")
            self._texts = model, texts
        return self._texts[1]

    def lemmas(self, model: Any, formulas: Iterable[Any]) -> list[Any]:
        """What is so of texts and contradicts the model.

        Nothing if there are texts as it wants them, so far as these formulas depend on it, which are true in it.
        """
        texts, lemmas = self._settled(model, self._formulas.needed(formulas, model))
        if not lemmas:
            self._texts = model, texts
        return lemmas

    # ------------------------------------------------------------ one model

    def _settled(self, model: Any, needed: Container[int] | None) -> tuple[dict[int, str], list[Any]]:
        named = self.sorts.texts
        texts: dict[int, str] = {}
        lemmas: list[Any] = []
        terms: dict[str, Any] = {}
        # of all of them, as lemmas depend on them
        for text, atom in self.sorts.asked_named.values():
            if self.sorts.number(model, text) >= len(named) and true_in(model, atom):
                lemmas.append(disj([neg(atom), *(equals(text, one) for one in self.sorts.named)]))
        if lemmas:
            return {}, lemmas
        pairs = self._pairs_in(model, needed)
        numbers = self._numbers(model, pairs, needed)
        containing = {pair.left for pair in pairs}
        for number, asked in sorted(numbers.items(), key=lambda item: (item[0] in containing, item[0])):
            if number < len(named):
                lemmas += self._of_named(number, asked)
                continue
            for pair in pairs:
                other = named[pair.right] if pair.right < len(named) else texts.get(pair.right)
                if pair.left == number and other is not None:
                    asked.atoms.setdefault(other, pair.condition(self.sorts.named))
                    asked.within.setdefault(other, pair.right < len(named))
            result = _wording(asked.answering(True), asked.answering(False), frozenset(named), terms)
            if isinstance(result, str):
                texts[number] = result
                terms[result] = asked.term
            elif isinstance(result, _Impossible):
                lemmas += self._never(result, asked)
            else:
                lemmas.append(self._doubted(result, asked, terms))
        if not lemmas:
            known = {**dict(enumerate(named)), **texts}
            lemmas += [self._otherwise(pair) for pair in pairs if not pair.right_in(known)]
        return texts, lemmas

    def _pairs_in(self, model: Any, needed: Container[int] | None) -> list[_Pair]:
        pairs = []
        for text, other, atom in self._pairs.values():
            if needed is not None and atom.ast.value not in needed:
                continue
            left, right = (self.sorts.number(model, each) for each in (text, other))
            if left != right:
                held = true_in(model, atom)
                pairs.append(_Pair(left, right, text, other, atom, held))
        return pairs

    def _otherwise(self, pair: _Pair) -> Any:
        """That one text contains another one, or does not: of named texts it is so, of others no better were found."""
        other = neg(pair.atom) if pair.held else pair.atom
        sides = ((pair.left, pair.text), (pair.right, pair.other))
        named = [neg(equals(term, self.sorts.named[n])) for n, term in sides if n < len(self.sorts.texts)]
        if len(named) == len(sides):
            return disj([other, *named])
        self.doubts.setdefault(_CONTAINED, "incomplete")
        return disj([neg(self.sure), other, *named])

    def _numbers(
        self, model: Any, pairs: Iterable[_Pair], needed: Container[int] | None
    ) -> dict[int, _Number]:
        numbers: dict[int, _Number] = {}
        for pair in pairs:
            numbers.setdefault(pair.left, _Number(pair.text, {}, {}))
            numbers.setdefault(pair.right, _Number(pair.other, {}, {}))
        for term, atoms in self._asked.values():
            held = {
                question: (atom, true_in(model, atom))
                for question, atom in atoms.items()
                if needed is None or atom.ast.value in needed
            }
            if not held:
                continue
            number = self.sorts.number(model, term)
            if number in numbers:
                numbers[number].atoms.update(held)
            else:
                numbers[number] = _Number(term, held, {})
        return numbers

    def _of_named(self, number: int, asked: _Number) -> Iterator[Any]:
        text = self.sorts.texts[number]
        for question, (_, held) in asked.atoms.items():
            if holds(question, text) is not held:
                here = self._predicates[question](self.sorts.named[number])
                yield neg(here) if held else here

    def _never(self, result: _Impossible, number: _Number) -> Iterator[Any]:
        """Of each text of which all is asked that it is not so."""
        inside = [number.within[q] for q in (*result.wanted, *result.refused) if q in number.within]
        if inside:
            unknown = _Unknown("incomplete", _CONTAINED, result.wanted, result.refused)
            yield self._doubted(unknown, number, {}, sure=all(inside))
            return
        for term, atoms in self._asked.values():
            if all(question in atoms for question in (*result.wanted, *result.refused)):
                denied = [neg(atoms[question]) for question in sorted(result.wanted, key=_order)]
                yield disj(
                    [
                        *denied,
                        *(atoms[question] for question in sorted(result.refused, key=_order)),
                        self.sorts.is_named(term),
                    ]
                )

    def _doubted(
        self, result: _Unknown, asked: _Number, terms: Mapping[str, Any], *, sure: bool = False
    ) -> Any:
        """That it is not so; unless that is sure, only as long as it counts that texts were result.

        It may be the same text as another one.
        """
        if not sure:
            self.doubts.setdefault(result.why, result.reason)
        denied = [neg(asked.atoms[question][0]) for question in sorted(result.wanted, key=_order)]
        denied += [asked.atoms[question][0] for question in sorted(result.refused, key=_order)]
        same = [asked.term == other for other in terms.values()]
        return disj([*([] if sure else [neg(self.sure)]), *denied, *same, self.sorts.is_named(asked.term)])


# ---------------------------------------------------------------- texts


def _order(question: Question) -> tuple[str, ...]:
    """By what questions are sorted, so that each run asks the same."""
    match question:
        case Regex(source, flags, _, reading):
            return "matches", source, flags, reading
        case Words(name, _, _, reading) | Names(name, reading):
            return "words", name, reading
        case Comparison(op, text):
            return "is", op, text
    return "contains", str(question)


@lru_cache(1 << 16)
def holds(question: Question, text: str) -> bool:
    """Whether a text is as the question asks, by the language."""
    if isinstance(question, str):
        return ops.holds("contains", text, question)
    if isinstance(question, Comparison):
        return ops.holds(question.op, text, question.text)
    return ops.holds("matches", text, compiled(question))


def is_open(question: Question, text: str) -> bool:
    """Whether the language cannot say whether a text is as the question asks."""
    return isinstance(question, TextPattern) and compiled(question).is_open(text)


def _wording(
    wanted: frozenset[Question], refused: frozenset[Question], named: frozenset[str], taken: Container[str]
) -> str | _Impossible | _Unknown:
    """A text for which the answers are these, and which is neither named nor taken."""
    for text in _texts_for(wanted, refused):
        if text not in named and text not in taken:
            return text
    result = _solved(wanted, refused, named)
    if isinstance(result, str) and result in taken:
        return _Unknown("incomplete", _FEW, wanted, refused)
    return result


@lru_cache(1 << 14)
def _texts_for(wanted: frozenset[Question], refused: frozenset[Question]) -> tuple[str, ...]:
    """Texts for which the answers are these, made of samples."""
    fitting: dict[str, None] = {}
    for text in _candidates(wanted, refused):
        if _answers(text, wanted, refused):
            fitting[text] = None
            numbered = (f"{text} {number}" for number in range(2, _NUMBERED))
            fitting.update({other: None for other in numbered if _answers(other, wanted, refused)})
        if len(fitting) >= _NUMBERED:
            break
    return tuple(fitting)


def _answers(text: str, wanted: Iterable[Question], refused: Iterable[Question]) -> bool:
    if canonical(text) != text:
        return False
    return all(holds(q, text) and not is_open(q, text) for q in wanted) and not any(
        holds(q, text) or is_open(q, text) for q in refused
    )


def _candidates(wanted: frozenset[Question], refused: frozenset[Question]) -> Iterator[str]:
    """Samples of what is wanted, alone and one after the other."""
    if not wanted:
        yield from _NEUTRAL
        return
    samples: list[list[str]] = []
    for question in sorted(wanted, key=_order):
        made = samples_of(question)
        samples.append([text for text in made if not any(holds(q, text) for q in refused)] or list(made))
    for number in range(max(map(len, samples))):
        chosen = [each[number % len(each)] for each in samples if each]
        yield from dict.fromkeys(chosen)
        for order in (chosen, chosen[::-1]):
            yield " ".join(dict.fromkeys(order))
            yield "".join(dict.fromkeys(order))
    for parts in product(*(each[:3] for each in samples[:4])):
        yield " ".join(parts)


@lru_cache(1 << 12)
def samples_of(question: Question) -> tuple[str, ...]:
    """Some texts that are as the question asks."""
    match question:
        case str():
            return (question,)
        case Regex(source, flags):
            return patterns.samples(source, flags)
        case Words(_, forms, whole):
            return forms if whole else tuple(sorted(forms, key=len)[:_MOST_WORDS])
        case Names(name) | Comparison(_, name):
            return (name,)
    return ()


_solutions: dict[Any, str | _Impossible | _Unknown] = {}
"""What the theory of strings found, by what was asked."""


def forget() -> None:
    """Ask the theory of strings again."""
    _solutions.clear()


def _solved(
    wanted: frozenset[Question], refused: frozenset[Question], named: frozenset[str]
) -> str | _Impossible | _Unknown:
    """As `_wording`, by the theory of strings: what is refused comes in one by one, where a text answers yes."""
    asked: dict[Question, None] = {}
    avoided: dict[str, None] = {}
    why = "the time was not enough for a text"
    for _ in range(_ROUNDS):
        key = wanted, frozenset(asked), frozenset(avoided)
        if key not in _solutions:
            _solutions[key] = _one_text(*key)
        result = _solutions[key]
        if not isinstance(result, str):
            return result
        if result in named:
            avoided[result] = None
            continue
        against = next((q for q in sorted(refused, key=_order) if holds(q, result)), None)
        if against is None or against in asked:
            if _answers(result, wanted, refused):
                return (
                    _Unknown("incomplete", "few texts are as it asks", wanted, frozenset(asked))
                    if avoided
                    else result
                )
            why = "a text was found, and the language says otherwise"
            break
        asked[against] = None
    return _Unknown("incomplete", why, wanted, frozenset(asked))


def _one_text(
    wanted: frozenset[Question], refused: frozenset[Question], avoided: frozenset[str]
) -> str | _Impossible | _Unknown:
    solver, text = z3.Solver(), z3.String("text")
    solver.set(timeout=4 * _MILLISECONDS, rlimit=2000 * _MILLISECONDS)
    marks: dict[str, tuple[Question, bool]] = {}
    try:
        for answer, questions in ((True, wanted), (False, refused)):
            for question in sorted(questions, key=_order):
                member = z3.InRe(text, _language(question))
                mark = z3.Bool(f"mark {len(marks)}")
                marks[str(mark)] = question, answer
                solver.add(z3.Implies(mark, member if answer else z3.Not(member)))
    except UnsupportedConstruct as error:
        return _Unknown("unsupported", str(error), wanted, refused)
    solver.add(conj([text != z3.StringVal(one) for one in sorted(avoided)]))
    answered = solver.check(*map(z3.Bool, marks))
    if answered == z3.sat:
        return text_of(solver.model().eval(text, model_completion=True))
    if answered == z3.unknown:
        return _Unknown(
            "incomplete", f"no text was found that is as {_text_of(wanted)} asks", wanted, refused
        )
    core = [marks[str(mark)] for mark in solver.unsat_core()]
    yes, no = (frozenset(q for q, answer in core if answer is wanted_one) for wanted_one in (True, False))
    return _Impossible(yes, no)


def _text_of(questions: frozenset[Question]) -> str:
    words = [_order(question)[1] for question in sorted(questions, key=_order)]
    return ", ".join(words[:3])


def _language(question: Question) -> Any:
    """The texts that are as the question asks.

    Raises:
        UnsupportedConstruct: it has no exact form.
    """
    match question:
        case str():
            return patterns.contains(question)
        case Regex(source, flags, _, reading):
            return patterns.matches(source, flags, dotall=reading == "possible")
        case Words():
            raise UnsupportedConstruct(f"the list of words {question.short}")
        case Names(name):
            raise UnsupportedConstruct(f"who is named {quote(name)}")
        case Comparison(op):
            raise UnsupportedConstruct(f"the operator `{op}`")
    raise TypeError(type(question).__name__)
