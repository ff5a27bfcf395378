"""The Neovim configuration that ships: what it names, and in a real Neovim (skipped where there is none)."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.tools.lsp.conftest import Client

pytest.importorskip("pygls")

ROOT = Path(__file__).resolve().parents[3]
LUA = ROOT / "editors" / "vsa.lua"
GUIDE = ROOT / "docs" / "guides" / "editors.md"
SCRIPT = """
vim.cmd("edit a.vsa")
local function wait(wanted)
  vim.wait(30000, function() return #vim.diagnostic.get(0) == wanted end)
end
wait(1)
local d = vim.diagnostic.get(0)[1]
local line = vim.api.nvim_buf_get_lines(0, d.lnum, d.lnum + 1, false)[1]
io.stdout:write(line:sub(d.col + 1, d.end_col) .. "\\n")
vim.api.nvim_buf_set_lines(0, d.lnum, d.lnum + 1, false, { "done when answer earlier." })
wait(0)
io.stdout:write(#vim.diagnostic.get(0) .. "\\n")
vim.cmd("qa!")
"""


def test_the_command_that_it_names_serves_editors(tmp_path: Path) -> None:
    """What can go wrong without Neovim: another name of the command, of its options or of the files."""
    text = LUA.read_text(encoding="utf-8")
    assert 'pattern = "*.vsa", command = "setfiletype vsa"' in text
    assert '"FileType", {\n  pattern = "vsa",' in text
    (named,) = re.findall(r"cmd = \{ (.+?) \}", text)
    program, *words = json.loads(f"[{named}]")
    assert (
        program in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    )
    assert f"| command | `{' '.join((program, *words))}` |" in GUIDE.read_text(encoding="utf-8")
    with Client(tmp_path, *words) as server:
        assert server.initialize()["capabilities"]["hoverProvider"]
        uri = server.open(tmp_path / "a.vsa", 'spec a "Say yes"\ndone when anser earlier.\n')
        assert len(server.published(uri)) == 1
        assert server.leave() == 0


@pytest.mark.skipif(shutil.which("nvim") is None, reason="nvim is not installed")
def test_the_configuration(tmp_path: Path) -> None:
    plugins = tmp_path / "config" / "nvim" / "plugin"
    plugins.mkdir(parents=True)
    shutil.copy(LUA, plugins)
    command = tmp_path / "bin" / "vsac"
    command.parent.mkdir()
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m vsalang.tools.cli.main "$@"\n'
    )
    command.chmod(0o755)
    (tmp_path / "a.vsa").write_text(
        'spec a "Say yes 😀"\nallow answer(text = "yes").\n/* 😀 */ done when anser earlier.\n',
        encoding="utf-8",
    )
    (tmp_path / "script.lua").write_text(SCRIPT)
    env = os.environ | {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    result = subprocess.run(
        ["nvim", "--headless", "-c", "luafile script.lua"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.stdout.splitlines() == ["anser", "0"], result.stderr
