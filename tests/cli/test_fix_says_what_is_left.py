"""`vsac check --fix` says what it could not fix."""

from pathlib import Path

from click.testing import CliRunner

from vsalang.cli.check import command


def test_a_choice_is_left_and_said(tmp_path: Path) -> None:
    file = tmp_path / "a.vsa"
    file.write_text('spec a "x"\nimport settings\nallow answer.\ndone when answer earlier.\n')
    result = CliRunner().invoke(command, ["--fix", str(file)])
    assert "fixed 0 findings; 1 more finding offers a change that needs a choice" in result.output
    assert "import settings\n" in file.read_text()
