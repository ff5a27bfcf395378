"""VS Code, as code-server packs it, in a browser, with our extension; `scripts/editors` installs both."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.browser import Page, opened

ROOT: Final = Path(__file__).resolve().parents[2]
BUILT: Final = ROOT / "build" / "editors"
EXTENSION: Final = BUILT / "vsa.vsix"
CODE: Final = BUILT / "code" / "node_modules" / "code-server" / "lib" / "vscode"
SETTINGS: Final = {
    "workbench.startupEditor": "none",
    "editor.minimap.enabled": False,
    "update.mode": "none",
}


@contextmanager
def vscode(folder: Path, file: Path, program: str, width: int = 1000, height: int = 640) -> Iterator[Page]:
    """VS Code with the extension, and an open file.

    Args:
        folder: for all that VS Code and the browser keep.
        file: it is alone in the folder that VS Code opens.
        program: the setting that says which `vsac` the extension starts.
    """
    data = folder / "data"
    machine = data / "data" / "Machine" / "settings.json"
    machine.parent.mkdir(parents=True)
    machine.write_text(json.dumps(SETTINGS | {"vsa.server.path": program}))
    node = shutil.which("node")
    assert node is not None
    command = [node, "out/server-main.js", "--accept-server-license-terms", "--telemetry-level", "off"]
    command += ["--server-data-dir", str(data), "--extensions-dir", str(folder / "extensions")]
    installed = subprocess.run(
        [*command, "--install-extension", str(EXTENSION)],
        cwd=CODE,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert installed.returncode == 0, installed.stdout + installed.stderr
    server = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", "0", "--without-connection-token"],
        cwd=CODE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        with opened(folder) as page:
            page.call(
                "Emulation.setDeviceMetricsOverride",
                width=width,
                height=height,
                deviceScaleFactor=1,
                mobile=False,
            )
            address = f"http://127.0.0.1:{_port(server)}/"
            opening = json.dumps([["openFile", f"vscode-remote://{address.split('/')[2]}{file}"]])
            page.call("Page.navigate", url=f"{address}?folder={file.parent}&payload={opening}")
            page.until(_button("Yes, I trust the authors"))
            page.value(f"{_button('Yes, I trust the authors')}.click()")
            page.until("document.querySelector('.view-lines')")
            yield page
    finally:
        server.terminate()
        server.wait()
        if server.stdout:
            server.stdout.close()


def _port(server: subprocess.Popen[str]) -> int:
    """The port on which it listens, which it says."""
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"agent listening on (\d+)", line):
            return int(found[1])
    raise AssertionError("VS Code did not start")


def _button(text: str) -> str:
    """An expression: the button with this text."""
    return f"[...document.querySelectorAll('.monaco-button')].find(b => b.textContent == {json.dumps(text)})"
