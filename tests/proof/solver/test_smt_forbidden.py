"""Clauses of which every instance is forbidden are found, with just the `deny` rules that do it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.proof.solver.smt_programs import program
from vsalang.language.semantics import load
from vsalang.proof.solver.forbidden import forbidden_clauses
from vsalang.proof.solver.results import ForbiddenClause, OpenPoint
from vsalang.tools.cli.main import run


def asked(rules: str, folder: Path) -> list[ForbiddenClause | OpenPoint]:
    return list(
        forbidden_clauses(program(f'spec s "s"\nimport m\n{rules}\ndone when Act earlier.\n', folder))
    )


NOTHING_LEFT = {
    "the action": ("allow Act(n = 1).", ['deny "x" when Act.'], [0]),
    "a wider range": ("allow Act(n in 3..5).", ['deny "x" when Act(n > 2).'], [0]),
    "two together": ("allow Act(n in 1..5).", ['deny "x" when Act(n <= 3).', 'deny "y" when Act(n > 3).'], [0, 1]),
    "one of two": ("allow Act(n in 1..5).", ['deny "x" when Act(n < 3).', 'deny "y" when Act(n < 9).'], [1]),
    "the state": ("allow Act(n = 1) when Flag(on = true).", ['deny "x" when Flag(on = true).'], [0]),
    "action and state": (
        "allow Act(n = ?n) when Flag(n = ?n, n > 7).", ['deny "x" when Act(n > 5), Flag(n > 5).'], [0]),
    "a row": ("allow Act(n = ?k) when Item(k = ?k, b = true).", ['deny "x" when Act(n = ?k), Item(k = ?k).'], [0]),
    "a definition": (
        "allow Act(n = ?k) when Item(k = ?k), ?k < 2.", ['deny "x" when Act(n = ?k), Small(k = ?k).'], [0]),
    "what says the same": (
        'allow Act(n = 1) when Page(t = "January 1st").', ['deny "x" when Act, Page(t ~= "Jan 01").'], [0]),
    "no row": ("allow Act(n = 1) when Flag(n = 1), no Item(k = 1).", ['deny "x" when Act, not Item(k = 1).'], [0]),
    "a cell that is not known": (
        "allow Act(n = 1) when Flag(on = true).",
        ['deny "x" when Act, Flag(n <= 3).', 'deny "y" when Act, Flag(n > 3).', 'deny "z" when Act, Flag(n = none).'],
        [0, 1, 2]),
}  # fmt: skip
SOMETHING_LEFT = {
    "another action": ("allow Act(n = 1).", ['deny "x" when Other.']),
    "a narrower range": ("allow Act(n in 3..5).", ['deny "x" when Act(n > 3).']),
    "a gap between": ("allow Act(n in 1..5).", ['deny "x" when Act(n < 3).', 'deny "y" when Act(n > 3).']),
    "another state": ("allow Act(n = 1).", ['deny "x" when Act, Flag(on = true).']),
    "another row": ("allow Act(n = ?k) when Item(k = ?k, b = true).", ['deny "x" when Act, Item(b = false).']),
    "asked, not forbidden": ("allow Act(n = 1).", ['confirm "x" when Act.', 'warn "x" when Act.']),
    "a cell that may be unknown": (
        "allow Act(n = 1) when Flag(on = true).", ['deny "x" when Act, Flag(n = ?n), ?n != 99.']),
    "a dead rule": ("allow Act(n < 1, n > 2).", ['deny "x" when Act.']),
    "what says another thing": (
        'allow Act(n = 1) when Page(t = "January 2nd").', ['deny "x" when Act, Page(t ~= "Jan 01").']),
    "what is similar to something": ("allow Act(n = 1).", ['deny "x" when Act, Page(t ~= "a").']),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTHING_LEFT)
def test_nothing_is_left(case: str, tmp_path: Path) -> None:
    allow, denies, guilty = NOTHING_LEFT[case]
    (found,) = asked("\n".join([allow, *denies]), tmp_path)
    assert isinstance(found, ForbiddenClause)
    assert (found.rule, found.denies) == ("s:1", tuple(f"s:{2 + number}" for number in guilty))


@pytest.mark.parametrize("case", SOMETHING_LEFT)
def test_something_is_left(case: str, tmp_path: Path) -> None:
    allow, denies = SOMETHING_LEFT[case]
    assert asked("\n".join([allow, *denies]), tmp_path) == []


ranges = st.tuples(st.integers(0, 9), st.integers(0, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ranges, st.lists(ranges, min_size=1, max_size=4))
def test_ranges_are_covered_or_not(
    tmp_path: Path, wanted: tuple[int, int], denied: list[tuple[int, int]]
) -> None:
    """Against arithmetic: closed ranges cover another if, from its low end on, each step is inside one of them."""
    reach, grew = wanted[0], True
    covered = any(low <= reach <= high for low, high in denied)
    while covered and grew:
        further = max([reach, *(high for low, high in denied if low <= reach <= high)])
        grew, reach = further > reach, further
    denies = "\n".join(f'deny "x" when Act(n in {low}..{high}).' for low, high in denied)
    found = asked(f"allow Act(n in {wanted[0]}..{wanted[1]}).\n{denies}", tmp_path)
    assert bool(found) == (covered and reach >= wanted[1])


@pytest.fixture
def late(tmp_path: Path) -> tuple[str, str]:
    spec, policy = tmp_path / "s.vsa", tmp_path / "p.vsa"
    spec.write_text(
        'spec s "Book at R for today after 10 pm"\nimport apps.opentable\n'
        'allow Reserve(restaurant = "R", date = today, time > 22:30)\n'
        '  when Slot(restaurant = "R", date = today).\n'
        "done when Reserve earlier, ReserveResult.\n"
    )
    policy.write_text(
        'policy p "Nothing late"\nimport apps.opentable\ndeny "late" when Reserve(time > 22:00).\n'
    )
    return str(spec), str(policy)


def test_policies_of_verify_and_lint(late: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    spec, policy = late
    assert run(["prove", "verify", "--strict", spec, "--policy", policy]) == 1
    out = capsys.readouterr().out
    assert (
        "V0006" in out and "all that `allow Reserve` allows is forbidden" in out and "this forbids it" in out
    )
    assert run(["prove", "verify", spec]) in (0, 1)
    assert "V0006" not in capsys.readouterr().out
    run(["lint", "--deep", "--select", "V0006", "--policy", policy, spec])
    assert "V0006" in capsys.readouterr().out
    run(["lint", "--deep", "--select", "V0006", spec])
    assert "V0006" not in capsys.readouterr().out


def test_a_policy_needs_the_solver(late: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    spec, policy = late
    assert run(["lint", "--policy", policy, spec]) == 2
    assert "--deep" in capsys.readouterr().err


NET = """\
app net package "com.net" "A net"
state Link key (a, b) "A link" { a: Text  b: Text }
define Reach(a = ?a, b = ?b) when Link(a = ?a, b = ?b).
define Reach(a = ?a, b = ?c) when Link(a = ?a, b = ?b), Reach(a = ?b, b = ?c).
define Safe when Reach(a = "p0", b = "p5").
"""


@pytest.mark.parametrize("body", ['not Reach(a = "p0", b = "p5")', "not Safe"])
def test_what_was_not_unrolled_to_the_end_forbids_nothing(body: str, tmp_path: Path) -> None:
    """The links lead from p0 to p5 by five steps, of which three are looked into; the first `deny` reads the same."""
    steps = [(f"p{number}", f"p{number + 1}") for number in range(5)]
    chain = ", ".join(f'Link(a = "{a}", b = "{b}")' for a, b in steps)
    alone = ", ".join(f'not Link(a = "{a}", b != "{b}")' for a, b in steps)
    denies = "\n".join(f'deny "{number}" when answer, {body}.' for number in (1, 2))
    (tmp_path / "net.vsa").write_text(NET)
    spec = tmp_path / "s.vsa"
    spec.write_text(
        f'spec s "s"\nimport net\nallow answer when {chain}, {alone}.\n{denies}\ndone when answer earlier.\n'
    )
    assert not list(forbidden_clauses(load(spec).checked()))
