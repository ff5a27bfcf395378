"""`vsac check --fix` says what it could not fix."""

from pathlib import Path

from tests.commands import vsac


def test_a_choice_is_left_and_said(tmp_path: Path) -> None:
    file = tmp_path / "a.vsa"
    file.write_text('spec a "x"\nimport settings\nallow answer.\ndone when answer earlier.\n')
    result = vsac("check", "--fix", file)
    assert (
        "fixed 0 findings; 1 more finding offers a change that needs a choice"
        in result.stdout + result.stderr
    )
    assert "import settings\n" in file.read_text()
