"""`vsac prove verify` as people and programs use it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.codes_verify import VERIFY
from vsalang.tools.cli import verify
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[3]
RESERVE = str(ROOT / "app_specs" / "examples" / "reserve_r.vsa")
PAYMENTS = str(ROOT / "app_specs" / "examples" / "payments.vsa")


def spec(folder: Path, text: str) -> str:
    (folder / "opentable.vsa").write_text(
        (ROOT / "app_specs" / "apps" / "opentable.vsa").read_text(encoding="utf-8")
    )
    path = folder / "s.vsa"
    path.write_text(f'spec s "s"\nimport apps.opentable\n{text}\n', encoding="utf-8")
    return str(path)


def test_the_running_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "verify", RESERVE]) == 0  # warnings do not change the status
    out = capsys.readouterr()
    assert "V0002" in out.out
    assert "observe ReserveResult(success = false)." in out.out
    assert "its licence is used up" in out.out
    assert "up to 1 row per relation" in out.out
    assert "verified 3 rules of reserve_r: 1 finding" in out.out
    assert out.err == ""


@pytest.mark.parametrize("file", [RESERVE, PAYMENTS])
def test_only_strict_makes_a_status_of_warnings(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "verify", file]) == 0
    assert run(["prove", "verify", "--strict", file]) == (1 if file == RESERVE else 0)
    assert capsys.readouterr().out.count("1 finding") == (2 if file == RESERVE else 0)


def test_policies_are_looked_at_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "verify", RESERVE, "--policy", PAYMENTS]) == 0
    assert "verified 5 rules" in capsys.readouterr().out


def test_nothing_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "verify", PAYMENTS]) == 0
    assert capsys.readouterr().out == "verified 2 rules of payments: nothing found\n"


def test_dead_rules_name_their_clash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = spec(
        tmp_path,
        "allow Reserve.\ndone when Reserve earlier.\ndone when ReserveResult(success = true, success = false).",
    )
    assert run(["prove", "verify", path]) == 0
    out = capsys.readouterr().out
    assert "`done` never applies: `success = true` and `success = false` cannot hold together" in out
    assert "s.vsa:5:1" in out


def test_what_adds_nothing_and_what_ends_early(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "allow Reserve.\ndone when ReserveResult(success = true).\ndone when Reserve earlier.\n"
    path = spec(tmp_path, text + "done when Reserve earlier, ReserveResult(success = false).")
    assert run(["prove", "verify", path]) == 0
    out = capsys.readouterr().out
    assert (
        "warning[V0009]: the task may be finished by what a screen shows, while `allow Reserve` still" in out
    )
    assert "observe ReserveResult(success = true).\n             finish.\n" in out
    assert "attempt Reserve" not in out
    assert "warning[V0008]: this `done` adds nothing" in out
    assert "this covers it" in out
    assert run(["prove", "verify", "--strict", path]) == 1


def test_what_rests_on_rows_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = 'Slot(date = ?d), not Slot(date = ?d, restaurant != "x"), not Slot(date = ?d, restaurant = "x")'
    path = spec(
        tmp_path,
        f'allow Reserve.\ndone when Reserve earlier.\nwarn "w" when {body}, Slot(restaurant = ?r, date = ?d).',
    )
    assert run(["prove", "verify", "--strict", path, "--format", "json"]) == 0
    (found,) = [d for d in json.loads(capsys.readouterr().out)["diagnostics"] if d["code"] == "V0001"]
    assert found["severity"] == "info"
    assert "in states with up to 4 rows per relation" in found["message"]


def test_json_has_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = spec(tmp_path, "allow Reserve(time < 10:00, time > 11:00).\ndone when Reserve earlier.")
    assert run(["prove", "verify", path, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["diagnostics"]
    dead = [item for item in found if item["code"] == "V0001" and item["span"]["start"]["line"] == 3]
    assert len(dead) == 1
    assert len(dead[0]["labels"]) == 2


@pytest.mark.parametrize("format", ["sarif", "github"])
def test_machine_formats(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "verify", RESERVE, "--format", format]) == 0
    assert "V0002" in capsys.readouterr().out


def test_what_is_not_analysed_is_no_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = spec(
        tmp_path,
        "allow Reserve.\ndone when Reserve earlier.\nwarn \"w\" when RestaurantInfo(name matches /\\p{Greek} cafe/).",
    )  # fmt: skip
    assert run(["prove", "verify", path]) == 0
    out = capsys.readouterr().out
    assert "V0004" in out
    assert "`warn` was not analysed" in out
    assert "1 question left open" in out


def test_errors_come_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "verify", spec(tmp_path, "allow Reserv.")]) == 1
    out = capsys.readouterr().out
    assert "E0" in out
    assert "not verified" in out


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "verify", "nowhere.vsa"]) == 2
    assert "nowhere.vsa" in capsys.readouterr().out


def test_without_z3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "z3" else real(name, *more)
    )
    assert run(["prove", "verify", RESERVE]) == 2
    assert "vsalang[smt]" in capsys.readouterr().err


def test_a_disagreement_is_no_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(verify, "interpreter", lambda program: lambda world, rules: frozenset(rules))
    assert run(["prove", "verify", RESERVE]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert "disagree" in out.err
    assert "observe ReserveResult(success = false)." in out.err


def test_rows_and_timeout_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "verify", RESERVE, "--rows", "0"]) == 2
    assert run(["prove", "verify", RESERVE, "--timeout", "0"]) == 2
    capsys.readouterr()
    assert run(["prove", "verify", RESERVE, "--rows", "3"]) == 0
    assert "up to 3 rows per relation" in capsys.readouterr().out


def test_progress_is_for_terminals_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(["prove", "verify", PAYMENTS]) == 0
    err = capsys.readouterr().err
    assert "rule 2 of 2" in err
    assert err.endswith("\r\x1b[2K")


def test_z3_is_imported_only_when_it_is_needed() -> None:
    code = "import sys, vsalang.tools.cli.verify, vsalang.proof.solver; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_codes_are_well_formed() -> None:
    assert [code.code for code in VERIFY] == sorted({code.code for code in VERIFY})
    assert all(code.title and code.explanation for code in VERIFY)


SHOP = """app shop package "com.shop" "A shop"
screen Receipt when Node(id = "receipt").
action Order "Order the soup"
goto Receipt when Order.
state Item key (name) { name: Text  price: Number }
update Item(name = ?n, price = 1) when Node(id = "row", text = ?n).
complete Item when Node(id = "all").
view OrderResult on Receipt { success: Bool }
update OrderResult(success = true) when Node(id = "ok").
"""


@pytest.mark.parametrize("code", [code for code in VERIFY if code.example_bad], ids=lambda code: code.code)
def test_the_examples_of_the_codes(code: Code, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shop.vsa").write_text(SHOP, encoding="utf-8")
    for text, there in ((code.example_bad, True), (code.example_good, False)):
        path = tmp_path / "example.vsa"
        path.write_text(text, encoding="utf-8")
        assert run(["prove", "verify", str(path), "--format", "json"]) in (0, 1)
        found = {item["code"] for item in json.loads(capsys.readouterr().out)["diagnostics"]}
        assert (code.code in found) is there, text
