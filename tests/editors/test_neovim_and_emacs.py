"""Neovim and Emacs with the files that ship: indentation, colours of tree-sitter, and mistakes from `vsac lsp`."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.editors import programs
from tests.editors.configured import EMACS, configure_neovim

pytest.importorskip("pygls")

INDENTED: Final = """\
spec a
state S {
  x: Number
}
allow answer(text = "{")
  when S(x = 1).
done when answer earlier.
test "t" {
  finish.
}
"""
FLAT: Final = re.sub("(?m)^ +", "", INDENTED)
with_neovim = pytest.mark.skipif(shutil.which("nvim") is None, reason="nvim is not installed")
with_emacs = pytest.mark.skipif(shutil.which("emacs") is None, reason="emacs is not installed")


def run(command: list[str], folder: Path) -> str:
    """What an editor prints."""
    env = programs.environment(folder)
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


def neovim(folder: Path, script: str) -> str:
    """What a script in Lua prints in a Neovim with our configuration and the parser."""
    configure_neovim(folder)
    (folder / "script.lua").write_text(script)
    return run(["nvim", "--headless", "-c", "luafile script.lua", "-c", "qa!"], folder)


@with_neovim
def test_neovim_indents(tmp_path: Path) -> None:
    (tmp_path / "a.vsa").write_text(FLAT)
    neovim(tmp_path, 'vim.cmd("edit a.vsa | normal gg=G"); vim.cmd("write")')
    assert (tmp_path / "a.vsa").read_text() == INDENTED


@with_neovim
def test_neovim_colours_by_the_parser(tmp_path: Path) -> None:
    """Each query is one that this Neovim can use, and the highlighter runs."""
    (tmp_path / "a.vsa").write_text(programs.WRONG)
    script = """
    vim.cmd("edit a.vsa")
    io.stdout:write(tostring(vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil), "\\n")
    for _, name in ipairs({ "highlights", "folds", "indents", "locals" }) do
      io.stdout:write(name, " ", #vim.treesitter.get_query("vsa", name).captures > 0 and "has captures" or "", "\\n")
    end
    """
    expected = ["true"] + [f"{name} has captures" for name in ("highlights", "folds", "indents", "locals")]
    assert neovim(tmp_path, script).splitlines() == expected


def emacs(folder: Path, *forms: str) -> str:
    """What forms print in an Emacs with our mode, in a.vsa."""
    script = f'{EMACS} (find-file "a.vsa") {" ".join(forms)}'
    (folder / "script.el").write_text(script)
    return run(["emacs", "--batch", "--load", "script.el"], folder)


@with_emacs
def test_emacs_indents(tmp_path: Path) -> None:
    (tmp_path / "a.vsa").write_text(FLAT)
    emacs(tmp_path, "(indent-region (point-min) (point-max))", "(save-buffer)")
    assert (tmp_path / "a.vsa").read_text() == INDENTED


@with_emacs
def test_emacs_colours(tmp_path: Path) -> None:
    (tmp_path / "a.vsa").write_text(programs.WRONG)
    face = '(princ (format "%s\\n" (get-text-property (1- (point)) \'face)))'
    faces = [
        f'(goto-char (point-min)) (search-forward "{text}") {face}'
        for text in ("allow", "text", "yes", "comment", "when", "earlier")
    ]
    expected = ["keyword", "variable-name", "string", "comment", "keyword", "keyword"]
    printed = emacs(tmp_path, "(font-lock-ensure)", *faces).splitlines()
    assert [line for line in printed if line.startswith("font-lock")] == [
        f"font-lock-{e}-face" for e in expected
    ]


@pytest.mark.slow
@with_emacs
def test_emacs_shows_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "a.vsa").write_text(programs.WRONG)
    printed = emacs(
        tmp_path,
        "(require 'eglot) (setq eglot-autoshutdown t eglot-sync-connect 60)",
        "(apply #'eglot (eglot--guess-contact))",
        '(with-timeout (60 (error "there is none"))',
        "(while (null (flymake-diagnostics)) (accept-process-output nil 0.1)))",
        "(let ((found (car (flymake-diagnostics))))",
        "(princ (buffer-substring (flymake-diagnostic-beg found) (flymake-diagnostic-end found))))",
    )
    assert printed.splitlines()[-1] == "anser"
