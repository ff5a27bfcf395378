"""Render the demo's real output to docs/images/demo.svg: run it, keep its colours, draw a terminal around it.

.venv/bin/python scripts/picture.py
"""

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
SPEC = "app_specs/examples/reserve_r.vsa"
AGENT = "app_specs/examples/reserve_r.agent.jsonl"
SHOWN = ["vsac", "run", SPEC, "--device", "sim:restaurant", "--open", "com.opentable", "--agent", AGENT]
WIDTH = 116


def main() -> None:
    """Run the demo and write the picture; exits with the demo's status if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "vsalang.tools.cli.main", "--color", "always", *SHOWN[1:]]
        journal = ["--journal", f"{folder}/reserve_r.jsonl"]
        env = {**os.environ, "COLUMNS": str(WIDTH)}
        result = subprocess.run(
            [*command, *journal], cwd=ROOT, env=env, capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            sys.exit(f"the demo failed with {result.returncode}:\n{result.stdout}{result.stderr}")
        output = result.stdout.replace(f"{folder}/", "")
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    console.print(Text(f"$ {' '.join(SHOWN)}", style="bold"), soft_wrap=False)
    console.print()
    console.print(Text.from_ansi(output), soft_wrap=False)
    target = ROOT / "docs" / "images" / "demo.svg"
    target.parent.mkdir(parents=True, exist_ok=True)
    picture = console.export_svg(title="vsac run", unique_id="vsac")
    # the reader's own monospace font: a picture that loads nothing from elsewhere
    target.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL), encoding="utf-8")
    print(f"wrote {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
