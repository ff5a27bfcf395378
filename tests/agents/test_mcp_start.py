"""What `vsac mcp` imports until it serves: counted, since a time depends on the machine."""

import subprocess
import sys
from pathlib import Path

import pytest

from vsalang.base.resources import resource_dir

pytest.importorskip("uiautomator2")
SERVES = """
import gc, sys
from vsalang.agents.mcp import server
from vsalang.tools.cli.main import run
def serve(*_, **__):
    print(len([1 for name in sys.modules if name.startswith("vsalang")]), gc.isenabled(), gc.get_freeze_count() > 0)
    print(*sorted(sys.modules))
server.serve = serve
run(["mcp", *sys.argv[1:]])
"""
NEEDLESS = (
    "vsalang.agents.maps", "vsalang.agents.rank", "vsalang.agents.walks", "vsalang.language.lint",
    "vsalang.language.notations", "vsalang.models.client.openai_model", "vsalang.models.effects.asking",
    "vsalang.models.encode", "vsalang.models.risk.judge.asking", "vsalang.proof", "vsalang.tools.ask",
    "vsalang.tools.fleet",
    "openai", "z3", "numpy", "duckdb",
    # the library of the protocol, what it brings along, and what that would cost
    "mcp", "mcp_types", "pydantic", "anyio", "asyncio", "starlette", "uvicorn", "httpx", "httpx2", "jsonschema",
    "cryptography", "opentelemetry",
)  # fmt: skip
MOST = 490
"""Modules of this project: 475 are imported for a simulated phone; 609 were before what is needless was left out."""


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, in which nothing is imported yet."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def belongs(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def test_nothing_needless_is_imported(tmp_path: Path) -> None:
    spec = resource_dir("app_specs") / "examples" / "reserve_r.vsa"
    options = [str(spec), "--device", "sim:restaurant", "--journal", str(tmp_path / "j.jsonl")]
    said = run(SERVES, *options)
    counted, names = said.stdout.splitlines()
    assert [name for name in names.split() if belongs(name, NEEDLESS)] == []
    number, *collects = counted.split()
    assert int(number) <= MOST
    assert collects == ["True", "True"], "the search for cycles is on again, and leaves out what is there"


def test_the_command_imports_no_phone_before_it_needs_one() -> None:
    """A real phone needs no simulated one, and `--help` needs none at all."""
    said = run("import sys, vsalang.tools.cli.mcp\nprint(*sys.modules)")
    needless = (*NEEDLESS, "vsalang.phone.sim", "vsalang.phone.uiautomator", "uiautomator2", "jinja2")
    assert [name for name in said.stdout.split() if belongs(name, needless)] == []
