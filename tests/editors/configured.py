"""Neovim and Emacs with the files that ship."""

import shutil
from pathlib import Path
from typing import Final

from tests.editors.parser import compiled
from tests.editors.programs import ROOT

EMACS: Final = f'(load "{ROOT / "editors" / "emacs" / "vsa-mode.el"}" nil t)'
"""The form that loads our mode."""


def configure_neovim(folder: Path) -> None:
    """Write our configuration, with the parser, where a Neovim with this folder as its home looks for it."""
    config = folder / "config" / "nvim"
    shutil.copytree(ROOT / "editors" / "tree-sitter-vsa" / "queries", config / "queries" / "vsa")
    for name in ("plugin", "parser"):
        (config / name).mkdir()
    shutil.copy(ROOT / "editors" / "vsa.lua", config / "plugin")
    compiled(config / "parser" / "vsa.so")
