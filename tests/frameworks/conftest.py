"""Frameworks of others, as `scripts/frameworks` installs them; without them these tests are skipped."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from vsalang import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("VSALANG_FRAMEWORKS") or ROOT / "build" / "frameworks")
TABLES = {"package": "com.opentable"}


@pytest.fixture(scope="session")
def frameworks_python() -> Path:
    """The interpreter of the environment with mobilerun."""
    python = FOLDER / "python" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"mobilerun is not in {FOLDER}: run scripts/frameworks")
    return python


@pytest.fixture(scope="session")
def mobile_mcp() -> list[str]:
    """The command that starts the MCP server."""
    server = FOLDER / "node_modules" / "@mobilenext" / "mobile-mcp" / "lib" / "index.js"
    node = shutil.which("node")
    if node is None or not server.exists():
        pytest.skip(f"mobile-mcp is not in {FOLDER}, or there is no node: run scripts/frameworks")
    return [node, str(server)]


@pytest.fixture
def phone() -> Iterator[SimulatedDevice]:
    """The restaurant phone with its app open; its adb server is at ``adb_port``."""
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        device.perform(Action("open_app", TABLES), TABLES)
        yield device


@pytest.fixture
def adb_path(tmp_path: Path) -> str:
    """A PATH with an adb, and node."""
    adbutils = pytest.importorskip("adbutils")
    folder = tmp_path / "bin"
    folder.mkdir()
    adb = folder / "adb"
    adb.symlink_to(adbutils.adb_path())
    return os.pathsep.join((str(folder), os.environ["PATH"]))


def reached(phone: SimulatedDevice) -> list[tuple[str, str]]:
    """What reached the phone since its app was opened, and what it hit."""
    return [(made.kind, made.target) for made in phone.phone.inputs[1:]]
