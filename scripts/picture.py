"""Draw the pictures of docs/images from real runs: commands in colours, a map, the page of a session.

python -m scripts.picture            draws all; the page of a session needs Chromium (Debian: apt install chromium)
python -m scripts.picture NAME...    draws these: check.svg, demo.svg, map.svg, session.png
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "docs" / "images"
SPEC: Final = "app_specs/examples/reserve_r.vsa"
AGENT: Final = "app_specs/examples/reserve_r.agent.jsonl"
RUN: Final = ("run", SPEC, "--device", "sim:restaurant", "--open", "com.opentable", "--agent", AGENT)
WRONG: Final = """\
spec table "Reserve a table at restaurant R for today before 7 PM."
import apps.opentable

allow Reserve(restaurant = "R", date = today, time < "19:00")
  when Slto(restaurant = "R", date = today, available = true).
done when Reserve earlier.
"""
"""A spec with two mistakes."""


def demo() -> bytes:
    """The example of the README: an agent, a simulated phone, and the guard between them."""
    with tempfile.TemporaryDirectory() as folder:
        output = _vsac("--color", "always", *RUN, "--journal", f"{folder}/reserve_r.jsonl", width=116)
    return _terminal(f"vsac {' '.join(RUN)}", output.replace(f"{folder}/", ""), width=116)


def check() -> bytes:
    """What `vsac check` says of a spec with two mistakes."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "table.vsa").write_text(WRONG, encoding="utf-8")
        output = _vsac("--color", "always", "check", "table.vsa", cwd=Path(folder), width=80, status=1)
    return _terminal("vsac check table.vsa", output, width=80)


def app_map() -> bytes:
    """The map of an app whose module ships."""
    return _vsac("map", "show", "apps.trusttest", "--format", "svg").encode()


def session() -> bytes:
    """The first screenful of the page that `vsac journal show --html` writes of the demo, as a phone shows it.

    Raises:
        FileNotFoundError: there is no Chromium.
    """
    from PIL import Image

    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        raise FileNotFoundError("Chromium is not installed (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        page, journal, picture = (f"{folder}/{name}" for name in ("s.html", "s.jsonl", "s.png"))
        _vsac(*RUN, "--journal", journal)
        _vsac("journal", "show", journal, "--html", page)
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
        ]
        options += [
            "--disable-background-networking",
            f"--user-data-dir={folder}/profile",
            "--window-size=720,960",
        ]
        subprocess.run(
            [browser, *options, f"--screenshot={picture}", f"file://{page}"], check=True, capture_output=True
        )
        data = io.BytesIO()
        Image.open(picture).convert("RGB").quantize(64).save(data, "PNG", optimize=True)
    return data.getvalue()


PICTURES: Final[dict[str, Callable[[], bytes]]] = {
    "check.svg": check,
    "demo.svg": demo,
    "map.svg": app_map,
    "session.png": session,
}


def texts(picture: bytes) -> list[str]:
    """What is written in an SVG, with HASH for digests."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", picture.decode(), re.S)
    return [re.sub(r"\b[0-9a-f]{12,64}\b", "HASH", text) for text in found]


def _vsac(*args: str, cwd: Path = ROOT, width: int = 80, status: int = 0) -> str:
    """What a command prints; exits with a message if its exit status is another than expected."""
    env = {**os.environ, "COLUMNS": str(width), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "vsalang.tools.cli.main", *args]
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if result.returncode != status:
        sys.exit(f"vsac {args[0]} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def _terminal(command: str, output: str, *, width: int) -> bytes:
    """A terminal that shows a command and its output."""
    title = " ".join(command.split()[:2])
    return terminal(f"\x1b[1m$ {command}\x1b[0m\n\n{output}", title=title, width=width)


def terminal(output: str, *, title: str, width: int) -> bytes:
    """A terminal that shows an output, with its colours."""
    console = Console(record=True, width=width, file=io.StringIO())
    console.print(Text.from_ansi(output), soft_wrap=False)
    picture = console.export_svg(title=title, unique_id="vsac")
    # the reader's own monospace font: a picture that loads nothing from elsewhere
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL).encode()


def main(names: list[str], pictures: Mapping[str, Callable[[], bytes]] = PICTURES) -> int:
    """Draw those of the pictures that are named, or all; return the exit status."""
    unknown = [name for name in names if name not in pictures]
    if unknown:
        print(f"error: there is no picture {unknown[0]}; there are {', '.join(pictures)}", file=sys.stderr)
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or pictures:
        try:
            (FOLDER / name).write_bytes(pictures[name]())
        except (FileNotFoundError, TimeoutError) as problem:
            print(f"error: {name} was not drawn: {problem}", file=sys.stderr)
            return 1
        print(f"wrote docs/images/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
