"""Licences: the assignment of commits to clauses, against trying every assignment."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guard.programs import Build, atom, relation
from vsalang.guard.judge.licences import Grant, Licences
from vsalang.program import ir


def licences(*quotas: tuple[ir.Quota, dict[str, object]]) -> Licences:
    build = Build(
        "task", relation("app.Go", "action", {"to": ir.TEXT}), task="spec", owner="policy", app="app"
    )
    for number, (quota, head) in enumerate(quotas):
        build.rule("task", ir.License(atom("app.Go", **head), quota), id=f"r{number}")
    return Licences(build.program())


ONE = ir.Quota()
EITHER = ir.Quota("either")
EACH = ir.Quota("each")
TWO = ir.Quota("count", 2)


def go(made: Licences, commits: list[Grant], to: str | None, *rules: str) -> bool:
    """Commit an instance if the licences bear it."""
    grant = made.grant("app.Go", (to,), frozenset(rules), commits)
    if not made.bears([*commits, grant]):
        return False
    commits.append(grant)
    return True


def test_once_means_once() -> None:
    made, commits = licences((ONE, {})), []
    assert go(made, commits, "a", "r0")
    assert not go(made, commits, "b", "r0")


def test_either_shares_one() -> None:
    made, commits = licences((EITHER, {"to": "a"}), (EITHER, {"to": "b"})), []
    assert go(made, commits, "a", "r0")
    assert not go(made, commits, "b", "r1")


def test_each_is_any_number_of_different_instances() -> None:
    made, commits = licences((EACH, {})), []
    assert all(go(made, commits, to, "r0") for to in "abc")
    assert not go(made, commits, "b", "r0")


def test_an_unknown_parameter_may_be_any() -> None:
    made, commits = licences((EACH, {})), []
    assert go(made, commits, None, "r0")
    assert not go(made, commits, "a", "r0")


def test_a_number_permits_repeating_only_what_it_fixes() -> None:
    made, commits = licences((TWO, {"to": "a"})), []
    assert go(made, commits, "a", "r0") and go(made, commits, "a", "r0")
    assert not go(made, commits, "a", "r0")
    made, commits = licences((TWO, {})), []
    assert go(made, commits, "a", "r0")
    assert not go(made, commits, "a", "r0")
    assert go(made, commits, "b", "r0")


def test_each_permits_a_fixed_command_any_number_of_times() -> None:
    """If the head fixes it; another command, and an unknown one, are not what it permits."""
    build = Build("task", relation("shell", "action", {"command": ir.TEXT}), task="spec", app="app")
    build.rule("task", ir.License(atom("shell", command="svc wifi enable"), EACH), id="fixed")
    build.rule("task", ir.License(atom("shell"), EACH), id="any")
    made, commits = Licences(build.program()), list[Grant]()

    def run(command: str | None, rule: str) -> bool:
        grant = made.grant("shell", (command,), frozenset({rule}), commits)
        if not made.bears([*commits, grant]):
            return False
        commits.append(grant)
        return True

    assert all(run("svc wifi enable", "fixed") for _ in range(5))
    assert run("ls", "any") and not run("ls", "any")
    assert not run(None, "any")


def test_a_later_commit_can_move_an_earlier_one() -> None:
    made, commits = licences((ir.Quota("count", 1), {}), (ir.Quota("count", 1), {"to": "a"})), []
    assert go(made, commits, "a", "r0", "r1")
    assert go(made, commits, "b", "r0")
    assert not go(made, commits, "c", "r0")


def test_spent() -> None:
    made, commits = licences((TWO, {}), (ir.Quota("count", 1), {"to": "a"})), []
    assert not made.spent("app.Go", commits)
    for to, rules in (("b", ("r0",)), ("a", ("r0", "r1"))):
        assert go(made, commits, to, *rules)
        assert not made.spent("app.Go", commits)
    assert go(made, commits, "c", "r0")
    assert made.spent("app.Go", commits)
    assert not licences((EACH, {})).spent("app.Go", commits)


@given(
    st.lists(st.integers(1, 2), min_size=1, max_size=3),
    st.lists(st.frozensets(st.integers(0, 2), min_size=1), max_size=5),
)
def test_bearing_is_the_existence_of_an_assignment(numbers: list[int], wanted: list[frozenset[int]]) -> None:
    made = licences(*((ir.Quota("count", n), {}) for n in numbers))
    grants = [
        Grant("app.Go", (str(i),), frozenset(f"r{n}" for n in names if n < len(numbers)))
        for i, names in enumerate(wanted)
    ]
    found = any(
        all(choice.count(f"r{n}") <= number for n, number in enumerate(numbers))
        for choice in product(*(sorted(grant.clauses) for grant in grants))
    )
    assert made.bears(grants) is found


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_the_order_of_commits_does_not_matter(order: tuple[str, str]) -> None:
    made, commits = licences((ir.Quota("count", 1), {}), (ir.Quota("count", 1), {"to": "a"})), []
    held = {"a": ("r0", "r1"), "b": ("r0",)}
    assert all(go(made, commits, to, *held[to]) for to in order)
