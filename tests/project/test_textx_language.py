"""textX's command line with ``.vsa`` registered: it lists, checks by our checker, and generates."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from textx import TextXError, TextXSemanticError, TextXSyntaxError, registration

from tests import processes
from vsalang.tools.cli import textx_language

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(ROOT.glob("app_specs/**/*.vsa"))

# What the entry points do, in a process of its own: they may not be installed where the tests run.
COMMAND = """
import sys
from textx import registration
from vsalang.tools.cli import textx_language as it
if "vsa" not in registration.language_descriptions():
    registration.register_language(it.language)
if "vsa" not in registration.generator_descriptions():
    registration.register_generator(it.markdown)
    registration.register_generator(it.data)
from textx.cli import textx
textx(sys.argv[1:])
"""


def textx(*args: str) -> subprocess.CompletedProcess[str]:
    return processes.run(["-c", COMMAND, *args], cwd=ROOT)


@pytest.fixture(scope="module")
def metamodel() -> Any:
    return textx_language.metamodel()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_files_are_models(metamodel: Any, path: Path) -> None:
    model = metamodel.model_from_file(str(path))
    assert model.header.name.rpartition(".")[2] == path.stem
    assert model._tx_filename == str(path)


def test_errors_are_ours(metamodel: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.vsa"
    file.write_text("spec a\nallow answer(txt = 1).\ndone when Nothing.\n")
    with pytest.raises(TextXSemanticError) as caught:
        metamodel.model_from_file(str(file))
    assert (caught.value.line, caught.value.filename) == (2, str(file))
    assert "[E02" in str(caught.value) and f"{file}:3:11: [E0204]" in str(caught.value)
    with pytest.raises(TextXSyntaxError, match=r"E01"):
        metamodel.model_from_str("spec a\nallow A")
    with pytest.raises(TextXError, match="E0001"):
        metamodel.model_from_file(str(tmp_path / "none.vsa"))


def test_a_text_is_a_model(metamodel: Any) -> None:
    model = metamodel.model_from_str('spec a "x"\nallow answer.\ndone when answer earlier.')
    assert len(model.items) == 2
    with pytest.raises(TextXError, match="only a file"):
        textx_language.markdown.generator(metamodel, model, None, False, False)


def test_a_byte_order_mark_is_skipped(metamodel: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.vsa"
    file.write_bytes("\ufeffmodule a\r\nlet X = 1.\r\n".encode())
    assert metamodel.model_from_file(str(file)).header.name == "a"


def test_command_line(tmp_path: Path) -> None:
    assert "vsa (*.vsa)" in textx("list-languages").stderr
    done = textx("check", "app_specs/apps/opentable.vsa")
    assert done.returncode == 0 and "opentable.vsa: OK" in done.stderr
    wrong = tmp_path / "w.vsa"
    wrong.write_text("spec w\nallow Nothing.\n")
    done = textx("check", str(wrong))
    assert done.returncode == 1 and f"{wrong}:2:7: [E0204]" in done.stderr
    spec = "app_specs/examples/reserve_r.vsa"
    assert textx("generate", spec, "--target", "markdown", "-o", str(tmp_path)).returncode == 0
    assert "Reserve a table" in (tmp_path / "reserve_r.md").read_text(encoding="utf-8")
    assert textx("generate", spec, "--target", "json", "-o", str(tmp_path)).returncode == 0
    assert json.loads((tmp_path / "reserve_r.json").read_text(encoding="utf-8"))["module"] == "reserve_r"


def test_registration_names() -> None:
    assert isinstance(textx_language.language, registration.LanguageDesc)
    assert (textx_language.language.name, textx_language.language.pattern) == ("vsa", "*.vsa")
    assert [it.target for it in (textx_language.markdown, textx_language.data)] == ["markdown", "json"]
