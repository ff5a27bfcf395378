"""`vsac export --to pydatalog --state`: a script that holds the facts of a state."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import vsac

APP = """app shop package "com.shop" "A shop"
state Item key (id) "Something in the basket" { id: Text "its number"  price: Number "what it costs" }
define Dear(id = ?i) when Item(id = ?i, price > 100).
test "two" {
  observe Item(id = "sofa", price = 900), Item(id = "lamp", price = 40).
  observe Item(id = "lamp", price = 140).
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.vsa"
    path.write_text(APP)
    return path


def rows(script: Path) -> object:
    pytest.importorskip("pyDatalog")
    done = subprocess.run([sys.executable, script, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_the_facts_of_a_test_stand_in_the_script(file: Path) -> None:
    out = file.parent / "shop.py"
    assert (
        vsac(
            "export", "--to", "python", file, "--to", "pydatalog", "--state", f"{file}::two", "-o", out
        ).returncode
        == 0
    )
    assert sorted(row[0] for row in rows(out)["shop.Dear"]) == [["text", "lamp"], ["text", "sofa"]]  # type: ignore[index]


def test_a_state_that_cannot_be_read_is_an_error(file: Path) -> None:
    result = vsac("export", "--to", "python", file, "--to", "pydatalog", "--state", f"{file}::three")
    assert (result.returncode, result.stdout) == (2, "") and "three" in result.stderr


def test_python_takes_no_state(file: Path) -> None:
    result = vsac("export", "--to", "python", file, "--state", f"{file}::two")
    assert "--to pydatalog" in result.stderr
