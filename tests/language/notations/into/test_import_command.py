"""``vsac import`` on real files: the authors' schemas, files written by other systems, output files."""

import json
from pathlib import Path

import pytest

from tests.pages import section
from vsalang.tools.cli.main import run

SCHEMA = '{"Timer": {"description": "A timer", "variables": [{"name": "is on", "type": "Boolean"}]}}'


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    file = tmp_path / "Clock.json"
    file.write_text(SCHEMA, encoding="utf-8")
    return file


def test_module_on_standard_output_report_on_standard_error(
    schema: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["import", str(schema)]) == 0
    out, err = capsys.readouterr()
    assert 'app clock package "com.example.clock"' in out
    assert "  is_on: Bool\n" in out
    assert err.startswith(f"Imported 1 relation from {schema} as `clock`.\nPlease confirm:\n")
    assert f'  {schema}:1: renamed: Timer.is_on: attribute "is on" is is_on\n' in err


def test_output_file_names_the_module(
    schema: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deskclock.vsa"
    assert run(["import", str(schema), "-o", str(out), "--package", "com.x.y"]) == 0
    text = out.read_text(encoding="utf-8")
    assert 'app deskclock package "com.x.y" "Imported from Clock.json"' in text
    assert capsys.readouterr().out == ""
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_existing_file_is_kept(schema: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "clock.vsa"
    out.write_text("edited by hand", encoding="utf-8")
    assert run(["import", str(schema), "-o", str(out)]) == 2
    assert out.read_text(encoding="utf-8") == "edited by hand"
    assert "--force" in capsys.readouterr().err
    assert run(["import", str(schema), "-o", str(out), "--force"]) == 0
    assert "app clock" in out.read_text(encoding="utf-8")


def test_for_machines(schema: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", str(schema), "--format", "json", "--name", "timers"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {key: data[key] for key in ("version", "module", "package", "relations", "output")} == {
        "version": 1,
        "module": "timers",
        "package": "com.example.timers",
        "relations": 1,
        "output": None,
    }
    assert data["text"].startswith("// Made by `vsac import`")
    assert {
        "kind": "renamed",
        "where": "Timer.is_on",
        "line": 1,
        "text": 'attribute "is on" is is_on',
    } in data["notes"]


@pytest.mark.parametrize(
    ("data", "status", "text"),
    [
        (b"\xef\xbb\xbf" + SCHEMA.replace(", ", ",\r\n").encode(), 0, "is_on: Bool"),
        (b'{"A": {"variables": [{"x": "Txt"}]}}', 1, "E0011"),
        (b"not json", 1, "E0010"),
        (b'{"A": \xff}', 2, "E0003"),
        (b'{"A": \0}', 2, "E0004"),
    ],
)
def test_files_of_all_sorts(
    data: bytes, status: int, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.json").write_bytes(data)
    assert run(["import", str(tmp_path / "a.json")]) == status
    out, err = capsys.readouterr()
    assert text in out + err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "args", [["--name", "a-b"], ["--package", "x"], ["-o", "a-b.vsa"], ["-o", "no/such/dir.vsa"]]
)
def test_arguments_that_cannot_be(args: list[str], schema: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", str(schema), *args]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_a_finding_shows_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.json"
    file.write_text('{\n  "A": {"variables": [\n    {"x": "Txt"}]}}', encoding="utf-8")
    assert run(["import", str(file)]) == 1
    assert capsys.readouterr().out == (
        "error[E0011]: `A.x` has the unknown type `Txt`\n"
        f"  --> {file}:3:11\n"
        "   |\n"
        ' 3 |     {"x": "Txt"}]}}\n'
        "   |           ^^^^^ not a type\n"
        "   |\n"
        "   = help: did you mean `Text`?\n"
        "\n"
        "Found 1 error.\n"
    )


def test_the_authors_schemas_check(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    relations = attributes = 0
    files = sorted((shared_data / "vsa" / "predicates").glob("*.json"))
    assert len(files) == 19
    for number, file in enumerate(files):
        out = tmp_path / f"app_{number}.vsa"
        assert run(["import", str(file), "--format", "json", "-o", str(out)]) == 0, file.name
        relations += json.loads(capsys.readouterr().out)["relations"]
        attributes += sum(line.startswith("  ") for line in out.read_text(encoding="utf-8").split("\n"))
    assert (relations, attributes) == (517, 1387)
    assert run(["check", *map(str, sorted(tmp_path.glob("*.vsa")))]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out == "checked 19 files: no errors\n"


def test_the_documented_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = section("exchange", "`vsac import`")
    schema, module = page.split("```json\n")[1].split("```")[0], page.split("```\n//")[1].split("```")[0]
    (tmp_path / "Maps.json").write_text(schema, encoding="utf-8")
    assert run(["import", str(tmp_path / "Maps.json")]) == 0
    assert capsys.readouterr().out == f"//{module}"
