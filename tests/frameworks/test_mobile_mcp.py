"""The MCP server mobile-mcp (npm) with the official client: it drives the phone, and is held back with reasons."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

from tests.frameworks.conftest import ROOT, reached
from vsalang.phone.open.simulated import SimulatedDevice

GUARD = [
    sys.executable, "-m", "vsalang.tools.cli.main", "run", str(ROOT / "app_specs" / "examples" / "reserve_r.vsa"),
    "--device", "sim:restaurant", "--open", "com.opentable", "--feedback", "feedback.jsonl", "--",
]  # fmt: skip
"""The command that starts another one with a guarded phone."""
TOLD = "the marked time (Choice.time): seen 20:00"
Call = Callable[..., Awaitable[tuple[bool, str]]]
"""Calls a tool: whether it is an error, and its text."""


def talk(
    command: list[str],
    env: dict[str, str],
    folder: Path,
    serial: str,
    what: Callable[[Call], Awaitable[None]],
) -> None:
    """Start the server as a client does, and talk to it about one device."""
    server = StdioServerParameters(command=command[0], args=command[1:], env=env, cwd=folder)

    async def run() -> None:
        async with Client(server, mode="legacy", read_timeout_seconds=120) as client:

            async def call(name: str, **arguments: Any) -> tuple[bool, str]:
                result = await client.call_tool(f"mobile_{name}", {"device": serial, **arguments})
                text = "\n".join(getattr(block, "text", block.type) for block in result.content)
                return bool(result.is_error), text

            await what(call)

    asyncio.run(run())


@pytest.fixture
def environment(adb_path: str, mobile_mcp: list[str], tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment of its own. mobilecli leaves a process in its home that keeps the phone: it is stopped."""
    env = {
        "PATH": adb_path,
        "HOME": str(tmp_path),
        "MOBILEMCP_DISABLE_TELEMETRY": "1",
        "PYTHONPATH": str(ROOT),
    }
    yield env
    if (tmp_path / ".mobilecli").exists():
        cli = Path(mobile_mcp[1]).parents[3] / "mobilecli" / "index.js"
        subprocess.run(
            [mobile_mcp[0], str(cli), "daemon", "stop"],
            env=env,
            timeout=30,
            check=True,
            stdout=subprocess.DEVNULL,
        )


async def where(call: Call, wanted: str) -> dict[str, int]:
    """The middle of the element with a text or an id, in the list that the server gives."""
    _, listed = await call("list_elements_on_screen")
    for line in listed.splitlines():
        box = re.search(r"at=(\d+),(\d+) size=(\d+)x(\d+)", line)
        if f'"{wanted}"' in line and box is not None:
            x, y, width, height = map(int, box.groups())
            return {"x": x + width // 2, "y": y + height // 2}
    raise LookupError(f"{wanted} is not on the screen: {listed}")


async def tap(call: Call, wanted: str) -> tuple[bool, str]:
    return await call("click_on_screen_at_coordinates", **await where(call, wanted))


@pytest.mark.parametrize("legacy", [False, True], ids=["mobilecli", "legacy"])
def test_straight(
    mobile_mcp: list[str], phone: SimulatedDevice, environment: dict[str, str], tmp_path: Path, legacy: bool
) -> None:
    """Without a guard all of it works on the simulated phone; both of its ways to act."""
    serial = phone.info.serial
    environment["ANDROID_ADB_SERVER_PORT"] = str(phone.adb_port)
    if legacy:
        environment["MOBILEMCP_LEGACY_ROBOT"] = "1"

    async def what(call: Call) -> None:
        error, devices = await call("list_available_devices")
        assert not error and serial in devices
        assert await call("get_screen_size") == (False, "Screen size is 720x1520 pixels")
        assert await tap(call, "R") == (False, "Clicked on screen at coordinates: 223, 446")
        assert not (await tap(call, "20:00"))[0]
        assert phone.phone.state("com.opentable")["marked"] == "20:00"
        error, apps = await call("list_apps")
        assert (
            error != legacy and ("com.opentable" in apps) == legacy
        )  # else it runs a program of its own on the phone
        error, picture = await call("take_screenshot")
        assert not error and picture.endswith("image")
        assert not (await call("swipe_on_screen", direction="up"))[0]
        assert not (await call("press_button", button="BACK"))[0]
        assert not (await tap(call, "com.opentable:id/search_box"))[0]
        assert not (await call("type_keys", text="Roma", submit=False))[0]
        await where(call, "Trattoria Roma")
        assert not (await call("launch_app", packageName="com.opentable"))[0]

    talk(mobile_mcp, environment, tmp_path, serial, what)
    kinds = [kind for kind, _ in reached(phone)]
    assert kinds == ["tap", "tap", "swipe", "key", "tap", "text", "open_app"]


@pytest.mark.parametrize("legacy", [False, True], ids=["mobilecli", "legacy"])
def test_guarded(mobile_mcp: list[str], environment: dict[str, str], tmp_path: Path, legacy: bool) -> None:
    """Unchanged, started by ``vsac run SPEC --``: what is forbidden is an error of the tool, what is not is done."""
    if legacy:
        environment["MOBILEMCP_LEGACY_ROBOT"] = "1"

    async def what(call: Call) -> None:
        assert "sim-restaurant" in (await call("list_available_devices"))[1]
        assert not (await tap(call, "R"))[0]
        error, why = await tap(call, "20:00")
        assert error
        # mobilecli does not pass on what a tap printed; the feedback file has it
        assert (TOLD in why) == legacy, why
        error, why = await call("open_url", url="https://example.org")
        assert error and "nothing in the task allows shell(command =" in why
        assert not (await tap(call, "18:30"))[0]
        assert not (await tap(call, "com.opentable:id/reserve_button"))[0]
        await where(call, "Reservation confirmed")

    talk([*GUARD, *mobile_mcp], environment, tmp_path, "sim-restaurant", what)
    lines = [json.loads(line) for line in (tmp_path / "feedback.jsonl").read_text().splitlines()]
    taps = [line for line in lines if "input tap" in line.get("request", "")]
    assert [line["outcome"] for line in taps] == ["passed", "blocked", "passed", "passed"]
    assert TOLD in taps[1]["feedback"]
