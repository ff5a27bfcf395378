"""What shows what a phone showed is for its owner alone: pages, pictures, journals, feedback."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from vsalang.base.resources import resource_dir
from vsalang.base.source.private import write_out
from vsalang.phone.gate.telling import FeedbackFile
from vsalang.tools.cli.main import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
SPEC = str(resource_dir("app_specs") / "examples" / "reserve_r.vsa")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def open_handed() -> Iterator[None]:
    """Without a word a new file can be read by all."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_run_and_its_page(tmp_path: Path) -> None:
    agent = tmp_path / "agent.jsonl"
    agent.write_text(json.dumps({"action": "open_app", "package": "com.opentable"}) + "\n")
    journal, pictures, page = tmp_path / "j.jsonl", tmp_path / "pictures", tmp_path / "page.html"
    page.write_text("an older page")
    assert mode(page) == 0o666
    args = ["run", SPEC, "--device", "sim:restaurant", "--agent", str(agent), "--journal", str(journal)]
    run([*args, "--screenshots", str(pictures)])
    run(["journal", "show", str(journal), "--html", str(page)])
    shot = tmp_path / "shot.png"
    run(["phone", "sim", "screenshot", "restaurant", "-o", str(shot)])
    written = [journal, page, shot, *pictures.iterdir()]
    assert len(written) > 3 and page.read_text(encoding="utf-8").startswith("<!")
    assert {path.name: mode(path) for path in written} == {path.name: 0o600 for path in written}


def test_a_page_of_coverage(tmp_path: Path) -> None:
    page = tmp_path / "c.html"
    folder = resource_dir("app_specs") / "examples"
    run(["test", str(folder / "reserve_r.vsa"), "--coverage-html", str(page)])
    assert mode(page) == 0o600


def test_a_feedback_file_that_others_could_read(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text("{}\n")
    with FeedbackFile(path):
        pass
    assert mode(path) == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_feedback_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text("{}\n")
    os.chown(path, 65534, -1)
    with pytest.raises(PermissionError, match="belongs to another user"):
        FeedbackFile(path)


def test_a_link_is_replaced_and_a_device_written_to(tmp_path: Path) -> None:
    other, link = tmp_path / "other", tmp_path / "link"
    other.write_text("mine")
    link.symlink_to(other)
    write_out(link, "page")
    assert other.read_text() == "mine" and not link.is_symlink() and mode(link) == 0o600
    write_out(Path("/dev/null"), b"page")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
