"""Texts of models: they are as the model says, or the solver is told that there are none."""

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from vsalang.language.semantics import load_text
from vsalang.program.ir import TEXT, Program, Regex, Words
from vsalang.proof.solver.implicants import Formulas
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.sorts import conj, disj, neg, true_in
from vsalang.proof.solver.wordings import Question, holds

WORDS = Words("m.Verbs", ("send", "hand over", "post"))
WHOLE = Words("m.Names", ("Ann", "Bob"), whole=True)
QUESTIONS: list[Question] = [
    "a", "ab", "Ab", " ", "straße", WORDS, WHOLE, Regex("^a"), Regex("b$"), Regex("\\bab\\b", "i"),
    Regex("^[a-c]{2,3}$"), Regex("[0-9]+"),
]  # fmt: skip


@pytest.fixture(scope="module")
def program() -> Program:
    return load_text('spec s "s"\nallow answer(text = "ab").\ndone when answer earlier.\n').checked()


def query(program: Program) -> Query:
    return Query(program, program.rules, 1, 2000)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_texts_are_as_the_model_says(data: st.DataObject, program: Program) -> None:
    """Any few answers about two texts: texts that give them, or a proof, or a doubt; a proof has no counterexample."""
    asking = query(program)
    one, other = (asking.sorts.fresh(name, TEXT)[0] for name in ("one", "other"))
    answers = {
        (number, question): data.draw(st.booleans())
        for number in range(2)
        for question in data.draw(st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=3, unique_by=str))
    }
    formulas = [
        atom if held else neg(atom)
        for (number, question), held in answers.items()
        for atom in [asking.terms.wordings.atom(question, (one, other)[number])]
    ]
    try:
        there = asking.check(asking.solver([*formulas, one != other]))
    except NoAnswer:
        return
    if there:
        texts = [asking.sorts.value(asking.newest_model, each, TEXT) for each in (one, other)]
        assert texts[0] != texts[1]
        for (number, question), held in answers.items():
            assert holds(question, str(texts[number])) is held
        return
    texts = ("ab", "a b", "send ab 7", "Ann", "c hand over b", "", "abc", "straße")
    fitting = [
        {
            text
            for text in texts
            if all(holds(q, text) is held for (n, q), held in answers.items() if n == number)
        }
        for number in range(2)
    ]
    assert not all(fitting) or (fitting[0] == fitting[1] and len(fitting[0]) == 1)


@pytest.mark.parametrize(
    ("wanted", "refused"), [(["milk soup"], ["milk"]), ([Regex("^ab$")], ["a"]), (["STRASSE"], ["ß"])]
)
def test_what_no_text_is_cannot_be(wanted: list[Question], refused: list[Question], program: Program) -> None:
    asking = query(program)
    text, _ = asking.sorts.fresh("text", TEXT)
    atoms = [asking.terms.wordings.atom(each, text) for each in (*wanted, *refused)]
    solver = asking.solver([*atoms[: len(wanted)], *map(neg, atoms[len(wanted) :])])
    assert not asking.check(solver)


def test_a_missing_text_proves_nothing(program: Program) -> None:
    asking = query(program)
    text, _ = asking.sorts.fresh("text", TEXT)
    atoms = [asking.terms.wordings.atom(each, text) for each in (WHOLE, Regex("\\pL{9}"))]
    with pytest.raises(NoAnswer) as raised:
        asking.check(asking.solver(atoms))
    assert raised.value.reason == "unsupported"


def test_the_only_text_is_the_same_text(program: Program) -> None:
    asking = query(program)
    one, other = (asking.sorts.fresh(name, TEXT)[0] for name in ("one", "other"))
    atoms = [asking.terms.wordings.atom(Regex("^x$"), each) for each in (one, other)]
    assert asking.check(asking.solver(atoms))
    assert [asking.sorts.value(asking.newest_model, each, TEXT) for each in (one, other)] == ["x", "x"]
    with pytest.raises(NoAnswer):
        asking.check(asking.solver([*atoms, one != other]))


def test_a_text_contains_another_one(program: Program) -> None:
    asking = query(program)
    one, other = (asking.sorts.fresh(name, TEXT)[0] for name in ("one", "other"))
    inside = asking.terms.wordings.contains(one, other)
    long = asking.terms.wordings.atom(Regex("^.{4,}$"), other)
    assert asking.check(asking.solver([inside, one != other, long]))
    texts = [str(asking.sorts.value(asking.newest_model, each, TEXT)) for each in (one, other)]
    assert holds(texts[1], texts[0])
    ab = asking.sorts.constant("ab", TEXT).value
    assert not asking.check(asking.solver([asking.terms.wordings.contains(ab, ab) == z3.BoolVal(False)]))


def test_an_implicant_makes_a_formula_true() -> None:
    a, b, c, d = z3.Bools("a b c d")
    formula = conj([disj([a, b]), z3.If(c, a, neg(d)), z3.If(d, z3.IntVal(1), z3.IntVal(2)) > 0])
    solver = z3.Solver()
    solver.add(formula)
    assert solver.check() == z3.sat
    model = solver.model()
    needed = Formulas().needed([formula], model)
    fixed = [each == true_in(model, each) for each in (a, b, c, d) if each.ast.value in needed]
    solver = z3.Solver()
    solver.add(*fixed, neg(formula))
    assert solver.check() == z3.unsat
