"""The guide to the Python API: its blocks are one script, and print what stands below them."""

import os
import re
from pathlib import Path

from tests import processes

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guides" / "python-api.md"
MARK = "----------"


def test_the_script_prints_what_the_guide_says(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.M | re.S)
    assert len(blocks) >= 8
    script = f"\nprint({MARK!r})\n".join(code for code, _ in blocks)
    path = tmp_path / "guide.py"
    path.write_text(script, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    result = processes.run([str(path)], cwd=ROOT, env=env)
    assert result.returncode == 0, result.stderr
    printed = result.stdout.split(f"{MARK}\n")
    for (code, said), out in zip(blocks, printed, strict=True):
        assert out == said, f"this block prints something else:\n{code}"
