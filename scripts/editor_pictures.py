"""Draw the pictures of docs/guides/editors.md: real editors that show a spec with two mistakes.

python -m scripts.editor_pictures            draws all, after scripts/editors has installed VS Code
python -m scripts.editor_pictures NAME...    draws these: emacs.svg, neovim.svg, vscode.png

Neovim and Emacs run in tmux, VS Code in Chromium.
"""

import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from scripts import picture
from tests.editors import programs
from tests.editors.code import vscode
from tests.editors.configured import EMACS, configure_neovim

WIDTH, HEIGHT = 122, 14
"""Characters of a terminal."""
LONGEST: Final = 60.0
"""Seconds that an editor may take to show a mistake."""
MISTAKE: Final = "expected a Time"


def neovim() -> bytes:
    """Neovim with vsa.lua and the parser: the mistakes are next to their lines."""
    with tempfile.TemporaryDirectory() as folder:
        configure_neovim(Path(folder))
        return _in_terminal(Path(folder), ["nvim", "-c", "set termguicolors number", "table.vsa"], [])


def emacs() -> bytes:
    """Emacs with vsa-mode and eglot, after M-x flymake-goto-next-error."""
    with tempfile.TemporaryDirectory() as folder:
        forms = f"""
        {EMACS}
        (require 'eglot)
        (add-hook 'vsa-mode-hook #'eglot-ensure)
        (menu-bar-mode -1)
        (setq native-comp-async-report-warnings-errors nil)
        """
        (Path(folder) / "init.el").write_text(forms)
        keys = ["M-x", "flymake-goto-next-error", "Enter"]
        return _in_terminal(Path(folder), ["emacs", "-nw", "-q", "-l", "init.el", "table.vsa"], keys)


def code() -> bytes:
    """VS Code with the extension, at the first mistake (F8)."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "project" / "table.vsa"
        file.parent.mkdir()
        file.write_text(picture.WRONG, encoding="utf-8")
        program = str(programs.own_vsac(Path(folder)))
        with vscode(Path(folder), file, program, width=900, height=400) as page:
            page.until("document.querySelectorAll('.squiggly-error').length == 2")
            page.call(
                "Input.dispatchKeyEvent", type="rawKeyDown", key="F8", code="F8", windowsVirtualKeyCode=119
            )
            page.until(f"document.querySelector('.marker-widget')?.textContent.includes('{MISTAKE}')")
            # it opens slowly
            time.sleep(2)
            page.picture(Path(folder) / "picture.png")
        data = io.BytesIO()
        Image.open(Path(folder) / "picture.png").convert("RGB").quantize(64).save(data, "PNG", optimize=True)
    return data.getvalue()


PICTURES: Final[dict[str, Callable[[], bytes]]] = {
    "emacs.svg": emacs,
    "neovim.svg": neovim,
    "vscode.png": code,
}


def _in_terminal(folder: Path, command: Sequence[str], keys: Sequence[str]) -> bytes:
    """What an editor shows in a terminal, once it shows a mistake.

    Args:
        keys: pressed when the server has found the mistakes.

    Raises:
        FileNotFoundError: there is no tmux, or not this editor.
        TimeoutError: no mistake is shown.
    """
    for program in ("tmux", command[0]):
        if shutil.which(program) is None:
            raise FileNotFoundError(f"{program} is not installed")
    (folder / "table.vsa").write_text(picture.WRONG, encoding="utf-8")
    tmux = ["tmux", "-S", str(folder / "tmux"), "-f", os.devnull]
    env = programs.environment(folder) | {"TERM": "xterm-256color"}

    def run(*words: str) -> str:
        return subprocess.run(
            [*tmux, *words], cwd=folder, env=env, check=True, capture_output=True, text=True
        ).stdout

    def until(text: str) -> None:
        end = time.monotonic() + LONGEST
        while text not in run("capture-pane", "-p"):
            if time.monotonic() > end:
                raise TimeoutError(f"{command[0]} does not show {text!r}:\n{run('capture-pane', '-p')}")
            time.sleep(0.2)

    run("new-session", "-d", "-x", str(WIDTH), "-y", str(HEIGHT), *command)
    try:
        run("set-option", "-g", "status", "off")
        if keys:
            until("[2 0]")
            for key in keys:
                run("send-keys", key)
                time.sleep(0.5)
        until(MISTAKE)
        time.sleep(1)
        shown = run("capture-pane", "-p", "-e")
    finally:
        run("kill-server")
    return picture.terminal(shown, title=command[0], width=WIDTH)


if __name__ == "__main__":
    sys.exit(picture.main(sys.argv[1:], PICTURES))
