"""The page docs/commands/fleet.md: its consoles print what stands there."""

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from tests.pages import DOCS

Vsac = Callable[..., CompletedProcess[str]]
PAGE = (DOCS / "commands" / "fleet.md").read_text(encoding="utf-8")


def test_consoles_of_the_page(journals: Path, tmp_path: Path, vsac: Vsac):
    shutil.copytree(journals, tmp_path / "journals", ignore=shutil.ignore_patterns("rules"))
    for rules in (journals / "rules").iterdir():
        shutil.copy(rules, tmp_path)
    shown = [
        part
        for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    assert shown
    for part in shown:
        line, _, printed = part.partition("\n")
        done = vsac(*shlex.split(line)[1:], cwd=tmp_path, COLUMNS="110")
        text = re.sub(r"export [0-9a-f]{16}", "export 5e55105e55105e55", done.stdout)
        assert (done.stderr, text) == ("", printed), line
