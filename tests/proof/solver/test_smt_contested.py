"""States in which a policy forbids what a clause allows are found, shown, and replayed."""

import json
from pathlib import Path

import pytest

from tests.oracle import engine_of
from tests.proof.solver.smt_programs import program
from vsalang.language.semantics import load
from vsalang.program.ir import Program
from vsalang.proof.solver import ContestedClause, Disagreement
from vsalang.proof.solver.contested import contested_clauses
from vsalang.proof.solver.forbidden import forbidden_clauses
from vsalang.proof.worlds import interpreter
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[3]


def made(allow: str, denies: list[str], folder: Path) -> Program:
    spec = f'spec s "s"\nimport m\n{allow}\ndone when Act earlier.\n'
    program(spec, folder)  # writes the app next to it
    (folder / "s.vsa").write_text(spec)
    (folder / "p.vsa").write_text('policy p "p"\nimport m\n' + "\n".join(denies) + "\n")
    loaded = load(folder / "s.vsa", policies=[folder / "p.vsa"])
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def test_rules_about_other_actions_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many pairs of a clause and a rule cost nothing."""
    denies = ['deny "x" when Other.', 'deny "y" when Other(n > 3), Flag(on = true).']
    asked = made("allow Act(n in 3..5).", denies, tmp_path)

    def query(*args: object) -> None:
        raise AssertionError("the solver was asked")

    monkeypatch.setattr("vsalang.proof.solver.contested.Query", query)
    monkeypatch.setattr("vsalang.proof.solver.forbidden.Query", query)
    assert list(contested_clauses(asked, interpreter(asked))) == []
    assert list(forbidden_clauses(asked)) == []


CONTESTED = {
    "a narrower range": ("allow Act(n in 3..5).", ['deny "x" when Act(n > 3).']),
    "another state": ("allow Act(n = 1).", ['deny "x" when Act, Flag(on = true).']),
    "another row": (
        "allow Act(n = ?k) when Item(k = ?k, b = true).",
        ['deny "x" when Act, Item(b = false).'],
    ),
    "no row": ("allow Act(n = 1).", ['deny "x" when Act, not Item(k = 1).']),
    "a definition": ("allow Act(n = ?k) when Item(k = ?k).", ['deny "x" when Act(n = ?k), Small(k = ?k).']),
    "what is similar to something": ("allow Act(n = 1).", ['deny "x" when Act, Page(t ~= "a").']),
    "what is read from a text": ("allow Act(n = 1).", ['deny "x" when Act, Page(t = ?t), number(?t) > 5.']),
    "a count": ("allow Act(n = 1).", ['deny "x" when Act, count(Item(b = true)) > 1.']),
}
FREE = {
    "another action": ("allow Act(n = 1).", ['deny "x" when Other.']),
    "another range": ("allow Act(n in 3..5).", ['deny "x" when Act(n > 5).']),
    "asked, not forbidden": ("allow Act(n = 1).", ['confirm "x" when Act, Flag(on = true).']),
    "other evidence": ("allow Act(n = 1) when Flag(on = true).", ['deny "x" when Act, Flag(on = false).']),
}


@pytest.mark.parametrize("case", CONTESTED)
def test_a_state_in_which_both_hold(case: str, tmp_path: Path) -> None:
    found_in = made(*CONTESTED[case], tmp_path)
    for engine in ("reference", "incremental"):
        replay = interpreter(found_in, engine_of(engine))
        (found,) = contested_clauses(found_in, replay)
        assert isinstance(found, ContestedClause)
        assert (found.rule, found.deny) == ("s:1", "p:1")
        assert replay(found.world, ("s:1", "p:1")) == {"s:1", "p:1"}


@pytest.mark.parametrize("case", FREE)
def test_where_they_never_meet_nothing_is_said(case: str, tmp_path: Path) -> None:
    found_in = made(*FREE[case], tmp_path)
    assert list(contested_clauses(found_in, interpreter(found_in))) == []


def test_the_interpreter_has_the_last_word(tmp_path: Path) -> None:
    found_in = made("allow Act(n = 1).", ['deny "x" when Act, Flag(on = true).'], tmp_path)
    with pytest.raises(Disagreement, match="s:1 and p:1 hold together"):
        list(contested_clauses(found_in, lambda world, rules: frozenset({"s:1"})))


def test_the_specs_own_deny_is_no_conflict(tmp_path: Path) -> None:
    own = 'allow Act(n in 3..5).\ndeny "x" when Act(n > 3).'
    found_in = made(own, [], tmp_path)
    assert list(contested_clauses(found_in, interpreter(found_in))) == []


def test_verify_shows_the_state_as_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    examples = ROOT / "app_specs" / "examples"
    args = ["verify", str(examples / "reserve_r.vsa"), "--policy", str(examples / "payments.vsa")]
    assert run([*args, "--format", "json"]) == 0
    found = [d for d in json.loads(capsys.readouterr().out)["diagnostics"] if d["code"] == "V0007"]
    assert [item["severity"] for item in found] == ["info"]
    assert "`BOOK-2` forbids what `allow Reserve` allows" in found[0]["message"]
    assert "given Booking(" in found[0]["help"] and "attempt Reserve(" in found[0]["help"]


def test_what_is_forbidden_as_a_whole_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("allow Act(n = 1).", ['deny "x" when Act.'], tmp_path)
    run(["prove", "verify", str(tmp_path / "s.vsa"), "--policy", str(tmp_path / "p.vsa")])
    out = capsys.readouterr().out
    assert "V0006" in out and "V0007" not in out
