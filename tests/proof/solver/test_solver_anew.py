"""What one test asks of the solver does not change what the next one finds."""

import z3

from tests import solver
from vsalang.proof.solver.sorts import FALSE, TRUE, conj, disj, neg


def first_id() -> int:
    """Of a new term: the solver orders by these numbers."""
    return int(z3.Int("first").get_id())


def test_each_test_gets_a_new_context() -> None:
    solver.forget()
    before = z3.main_ctx()
    found = first_id()
    kept = [z3.Int(f"other {index}") > index for index in range(100)]
    assert first_id() != found
    solver.forget()
    assert z3.main_ctx() is not before
    assert first_id() == found
    assert kept[0].ctx is before


def test_constants_of_the_analyses_move_along() -> None:
    solver.forget()
    used = z3.Solver()
    used.add(conj([TRUE, z3.Bool("a")]), z3.Or(FALSE, z3.Bool("b")), disj([TRUE]), neg(FALSE))
    assert used.check() == z3.sat
    assert TRUE.ctx is z3.main_ctx()
    assert FALSE.ctx is z3.main_ctx()
