"""``vsac export``: where the export goes, what is told of what it leaves out, and the exit status."""

import io
import json
from pathlib import Path

import pytest

from tests.thorough import some
from vsalang.language.notations.out import from_json
from vsalang.language.semantics import load
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[3]
SPEC = str(ROOT / "app_specs" / "examples" / "reserve_r.vsa")
FILES = sorted([*ROOT.glob("app_specs/**/*.vsa"), *ROOT.glob("stdlib/**/*.vsa")])


def test_json_is_the_whole_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", SPEC, "--to", "json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert from_json(out) == load(SPEC).program


def test_what_is_not_expressed_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", SPEC, "--to", "paper"]) == 1
    out, err = capsys.readouterr()
    assert "Reserve() ∧ ReserveResult(success=True) → Done()\n" in out
    assert err.splitlines() == [
        "Not expressed there, or not in full:",
        f"  {SPEC}:5:1: allow Reserve: there is no word for a variable",
        f"  {SPEC}:9:1: done: there is no negation",
    ]
    assert run(["export", SPEC, "--to", "paper", "--omit"]) == 0


def test_long_lists_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(ROOT / "app_specs" / "apps" / "trusttest.vsa"), "--to", "datalog"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 22 and lines[-1].endswith("more; the comments of the export say all")


def test_output_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "graph.dot"
    assert run(["export", SPEC, "--to", "dot", "--main-only", "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert text.startswith('digraph "reserve_r" {\n') and text.endswith("}\n")
    assert capsys.readouterr() == ("", f"Exported 3 rules of {SPEC} as dot to {out}.\n")
    out.write_text("mine")
    assert run(["export", SPEC, "--to", "dot", "-o", str(out)]) == 2
    assert "--force" in capsys.readouterr().err and out.read_text() == "mine"
    assert run(["export", SPEC, "--to", "dot", "-o", str(out), "--graph", "screens", "--force"]) == 0
    assert '"apps.opentable:Search"' in out.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["graph.dot"]


def test_for_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", SPEC, "--to", "paper", "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["version"], data["to"], data["rules"], data["output"]) == (1, "paper", 1, None)
    assert data["text"].startswith("# The clauses of spec reserve_r")
    assert data["omissions"][0] == {
        "rule": "reserve_r:1",
        "what": "allow Reserve",
        "reason": "there is no word for a variable",
        "file": SPEC,
        "line": 5,
        "column": 1,
    }
    assert run(["export", SPEC, "--to", "json", "--format", "json", "-o", str(tmp_path / "core.json")]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["text"] is None and data["omissions"] == []
    assert from_json((tmp_path / "core.json").read_text(encoding="utf-8")).main == "reserve_r"


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = b'spec a "Yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run(["export", "-", "--to", "datalog"]) == 0
    assert 'may_be_done("a:2") :- finish, earlier_answer(_).' in capsys.readouterr().out


def test_files_with_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.vsa"
    bad.write_text("spec bad\nallow answer(txt = 1).\ndone when answer earlier.\n", encoding="utf-8")
    assert run(["export", str(bad), "--to", "json"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "E0206" in err and "bad.vsa:2:14" in err
    assert run(["export", str(bad), "--to", "json", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["diagnostics"][0]["code"] == "E0206"
    assert run(["export", str(tmp_path / "none.vsa"), "--to", "json"]) == 2


def test_policies_are_exported_too(capsys: pytest.CaptureFixture[str]) -> None:
    policy = str(ROOT / "app_specs" / "examples" / "payments.vsa")
    assert run(["export", SPEC, "--to", "datalog", "--omit", "--policy", policy]) == 0
    assert 'judge_deny("BOOK-2")' in capsys.readouterr().out


@pytest.mark.parametrize(
    "args",
    [
        ["--to", "json", "--graph", "screens"],
        ["--to", "paper", "--main-only"],
        ["--to", "prolog"],
        [],
    ],
)
def test_usage(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", SPEC, *args]) == 2
    assert capsys.readouterr().err


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("to", ["json", "datalog", "paper", "dot"])
@pytest.mark.parametrize("path", some(FILES, 3), ids=lambda path: path.stem)
def test_every_shipped_file(path: Path, to: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["export", str(path), "--to", to])
    out, err = capsys.readouterr()
    assert status == (1 if "Not expressed" in err else 0) and out.endswith("\n")


def test_imports_are_found_where_the_project_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "vsac.toml").write_text('search = ["lib"]\n', encoding="utf-8")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "radio.vsa").write_text(
        'app radio package "org.example.radio"\nstate On { on: Bool }\n'
    )
    (tmp_path / "a.vsa").write_text('spec a "x"\nimport radio\ndone when On(on = true).\n')
    assert run(["export", str(tmp_path / "a.vsa"), "--to", "paper"]) == 0
    clauses = tmp_path / "a.txt"
    clauses.write_text(capsys.readouterr().out, encoding="utf-8")
    out = tmp_path / "b.vsa"
    assert run(["import", str(clauses), "--app", str(tmp_path / "lib" / "radio.vsa"), "-o", str(out)]) == 0
    assert "is not where imports" not in capsys.readouterr().err
    assert run(["check", str(out)]) == 0
