"""A project with planted secrets."""

import json
import shutil
from pathlib import Path

import pytest

from tests.screen.secrets.planted import AGENT, SPEC


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(Path(__file__).parent / "bank", tmp_path / "bank")
    (tmp_path / "notes.vsa").write_text(SPEC, encoding="utf-8")
    (tmp_path / "notes.agent.jsonl").write_text("\n".join(map(json.dumps, AGENT)), encoding="utf-8")
    (tmp_path / "names.txt").write_text("Alder\n", encoding="utf-8")
    (tmp_path / "vsac.toml").write_text('[secrets]\nlexicon = "names.txt"\n', encoding="utf-8")
    return tmp_path
