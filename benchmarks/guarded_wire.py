"""What the transparent guard costs: latency and throughput of a phone direct and guarded, side by side.

    python benchmarks/guarded_wire.py [--calls N] [--megabytes N] [--acts N] [--json FILE]

The phone is simulated, in a process of its own, so that what is measured is the way to it. Every call is made in turn
direct, guarded, direct, ... so that both meet the same machine. "own" is the adb server that `vsac run` starts for an
agent; "real" is an adb server of the adb command in front of the guarded adbd.

An input costs a verdict and looks at the screen besides. So each act is compared with what the order of a step asks
for anyway: a look, one dump right before the act, the act itself, and a look after it, by the guard's own driver and
without a guard. "ours" is what a guarded act takes longer, pair by pair; "processor" is what the guard's process uses
for it, and for the looks alone.
"""

import argparse
import contextlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

CAREFUL = str(Path(__file__).parents[1] / "app_specs" / "examples" / "careful.vsa")
PHONE = """
import sys, time
from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.wire import *
megabytes = int(sys.argv[1])
with SimulatedPhone.start(load("restaurant")) as phone:
    services = next(iter(phone.server._devices.values())).services
    for name in ("/sdcard/big.bin", "/sdcard/screenshot.png"):
        services.files.write(name, bytes(range(256)) * (megabytes << 12), 0o100644, 0)
    print(phone.port, phone.serial, flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def phone(megabytes: int) -> Iterator[tuple[int, str]]:
    """A simulated phone in another process: the port of its adb server, and its serial."""
    process = subprocess.Popen(
        [sys.executable, "-c", PHONE, str(megabytes)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert process.stdout is not None
    try:
        port, serial = process.stdout.readline().split()
        yield int(port), serial
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def guarded(
    port: int, serial: str, kinds: Sequence[str] = ("own", "real"), policies: Sequence[str] = ()
) -> Iterator[Any]:
    """The guard for that phone, in a third process: as `vsac run` has it. Port, serial and process of each kind."""
    code = (
        "import os; print(os.environ['ANDROID_ADB_SERVER_PORT'], os.environ['ANDROID_SERIAL'], flush=True); "
        "import sys; sys.stdin.read()"
    )
    servers = {}
    processes = []
    folder = tempfile.mkdtemp()
    try:
        for kind in kinds:
            spec = Path(__file__).parents[1] / "app_specs" / "examples" / "reserve_r.vsa"
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "vsalang.tools.cli.main", "run", str(spec), "--device", serial),
                    *(
                        "--adb-server",
                        kind,
                        "--journal",
                        str(Path(folder) / f"{kind}.jsonl"),
                        "--on-confirm",
                        "no",
                    ),
                    *(part for policy in policies for part in ("--policy", policy)),
                    *("--", sys.executable, "-c", code),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=Path(__file__).parents[1],
                env={
                    **os.environ,
                    "ANDROID_ADB_SERVER_PORT": str(port),
                    "ANDROID_ADB_SERVER_HOST": "127.0.0.1",
                },
            )
            processes.append(process)
            assert process.stdout is not None
            line = process.stdout.readline().split()
            if len(line) != 2:
                assert process.stderr is not None
                process.stdin.close()  # type: ignore[union-attr]
                print(f"without a {kind} adb server: {process.stderr.read().strip()}", file=sys.stderr)
                continue
            servers[kind] = (int(line[0]), line[1], process.pid)
        yield servers
    finally:
        for process in processes:
            process.terminate()  # the agent's program, which ends the rest
            process.wait()
        shutil.rmtree(folder)


def call_raw(port: int, serial: str) -> Callable[[], None]:
    """One service, opened and read to its end."""
    from vsalang.phone.wire import Upstream

    upstream = Upstream("127.0.0.1", port, serial)

    def call() -> None:
        with upstream.open("shell:getprop ro.product.model") as stream:
            stream.read_all()

    return call


def call_u2(port: int, serial: str) -> Callable[[], None]:
    """One call of the uiautomator2 library."""
    import adbutils
    import uiautomator2

    device = uiautomator2.connect(adbutils.AdbClient("127.0.0.1", port).device(serial=serial))
    return lambda: device.jsonrpc.deviceInfo()


def call_dump(port: int, serial: str) -> Callable[[], None]:
    """One dump of the screen by the uiautomator2 library."""
    import adbutils
    import uiautomator2

    device = uiautomator2.connect(adbutils.AdbClient("127.0.0.1", port).device(serial=serial))
    return lambda: device.dump_hierarchy()


def call_adb(port: int, serial: str) -> Callable[[], None]:
    """One `adb shell` command."""
    from vsalang.phone.gate.adbserver import find_adb

    adb = find_adb()
    env = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(port)}

    def call() -> None:
        subprocess.run(
            [adb, "-s", serial, "shell", "getprop", "ro.product.model"],
            env=env,
            capture_output=True,
            check=True,
        )

    return call


CALLS = {
    "raw service": call_raw,
    "uiautomator2 call": call_u2,
    "uiautomator2 dump": call_dump,
    "adb shell": call_adb,
}


def latency(ways: dict[str, tuple[int, str]], calls: int) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of each call, by kind and way; the ways take turns."""
    found: dict[str, dict[str, list[float]]] = {}
    for kind, make in CALLS.items():
        made = {way: make(*where) for way, where in ways.items()}
        times: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(calls + 3):
            for way, call in made.items():
                begun = time.perf_counter()
                call()
                if number >= 3:
                    times[way].append((time.perf_counter() - begun) * 1000)
        found[kind] = times
    return found


def throughput(ways: dict[str, tuple[int, str]], megabytes: int, times: int) -> dict[str, dict[str, float]]:
    """Megabytes a second, the best of some tries."""
    from vsalang.phone.wire import Upstream

    found: dict[str, dict[str, float]] = {"pull": {}, "exec-out cat": {}}
    for _ in range(times):
        for way, (port, serial) in ways.items():
            upstream = Upstream("127.0.0.1", port, serial)
            for kind in found:
                begun = time.perf_counter()
                size = 0
                if kind == "pull":
                    import struct

                    with upstream.open("sync:") as stream:
                        path = b"/sdcard/big.bin"
                        stream.write(b"RECV" + struct.pack("<I", len(path)) + path)
                        while True:
                            name, length = struct.unpack("<4sI", stream.read_exactly(8))
                            if name != b"DATA":
                                break
                            size += len(stream.read_exactly(length))
                else:
                    with upstream.open("exec:cat /sdcard/screenshot.png") as stream:
                        while data := stream.read(1 << 20):
                            size += len(data)
                seconds = time.perf_counter() - begun
                if size >= megabytes << 20:
                    found[kind][way] = max(found[kind].get(way, 0.0), size / seconds / (1 << 20))
    return {kind: speeds for kind, speeds in found.items() if speeds}


def acts(
    port: int, serial: str, guard: tuple[int, str, int], times: int
) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of acts, guarded and not, in pairs; a tap that opens a page, and the way back."""
    import adbutils
    import uiautomator2

    from vsalang.phone.uiautomator import connect

    bare, through = (
        uiautomator2.connect(adbutils.AdbClient("127.0.0.1", each).device(serial=name))
        for each, name in ((port, serial), guard[:2])
    )
    bare.app_start("com.opentable")
    box = bare(text="R").info["bounds"]
    point = (box["left"] + box["right"]) // 2, (box["top"] + box["bottom"]) // 2
    found: dict[str, dict[str, list[float]]] = {}
    with contextlib.closing(connect(serial, adb_host="127.0.0.1", adb_port=port)) as driver:
        for number in range(times + 1):
            for guarded_act in (False, True):
                for name, act in (
                    ("tap, new page", lambda d: d.click(*point)),
                    ("back", lambda d: d.press("back")),
                ):
                    of_guard, own, begun = processor(guard[2]), time.process_time(), time.perf_counter()
                    if guarded_act:
                        act(through)
                    else:
                        driver.observe()
                        driver.tree()
                        act(bare)
                        driver.observe()
                    spent = (time.perf_counter() - begun) * 1000
                    spent_here = (
                        processor(guard[2]) - of_guard if guarded_act else (time.process_time() - own) * 1000
                    )
                    if number:
                        rows = found.setdefault(name, {})
                        way = "guarded" if guarded_act else "looks"
                        rows.setdefault(way, []).append(spent)
                        rows.setdefault(f"{way}, processor", []).append(spent_here)
    return found


def processor(pid: int) -> float:
    """Milliseconds of processor time that a process has used so far (Linux; steps of 10 ms)."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")
    return float("nan")


def print_acts(title: str, found: dict[str, dict[str, list[float]]]) -> None:
    """What acts took, and what of it is ours."""
    for name, each in found.items():
        ours = [guarded - looks for guarded, looks in zip(each["guarded"], each["looks"], strict=True)]
        low, middle, high = statistics.quantiles(ours)
        processor = statistics.mean(each["guarded, processor"]), statistics.mean(each["looks, processor"])
        print(
            f"{name:<16}{title:<10}{statistics.median(each['guarded']):>10.0f}{statistics.median(each['looks']):>10.0f}"
            f"{f'{middle:.0f} ({low:.0f} to {high:.0f})':>20}{processor[0]:>12.1f}{processor[1]:>8.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--acts", type=int, default=20)
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    times: dict[str, Any] = {}
    speeds: dict[str, Any] = {}
    ways: dict[str, Any] = {}
    for kind in ("own", "real"):  # one guard at a time has a phone
        with phone(args.megabytes) as (port, serial), guarded(port, serial, (kind,)) as servers:
            both = {"direct": (port, serial), **{kind: where[:2] for kind, where in servers.items()}}
            for found, measured in (
                (times, latency(both, args.calls)),
                (speeds, throughput(both, args.megabytes, 3)),
            ):
                for call, each in measured.items():
                    found.setdefault(call, {}).update(each)
            ways |= both
    acted = {}
    for title, policies in (("plain", ()), ("careful", (CAREFUL,))) if args.acts else ():
        with phone(1) as (port, serial), guarded(port, serial, ("own",), policies) as servers:
            acted[title] = acts(port, serial, servers["own"], args.acts)
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, {args.calls} calls\n"
    )
    print(f"{'median ms (p95)':<20}" + "".join(f"{way:>18}" for way in ways) + f"{'added by own':>16}")
    for kind, each in times.items():
        cells = []
        for way in ways:
            values = sorted(each[way])
            cells.append(f"{statistics.median(values):.2f} ({values[int(len(values) * 0.95)]:.2f})")
        added = (
            statistics.median(each["own"]) - statistics.median(each["direct"])
            if "own" in each
            else float("nan")
        )
        print(f"{kind:<20}" + "".join(f"{cell:>18}" for cell in cells) + f"{added:>16.2f}")
    print(f"\n{'MB/s, best of 3':<20}" + "".join(f"{way:>18}" for way in ways))
    for kind, found in speeds.items():
        print(f"{kind:<20}" + "".join(f"{found.get(way, 0.0):>18.0f}" for way in ways))
    if acted:
        print(
            f"\n{'ms':<26}{'guarded':>10}{'looks':>10}{'ours (quartiles)':>20}{'processor':>12}{'looks':>8}"
        )
        for title, found in acted.items():
            print_acts(title, found)
    if args.json:
        Path(args.json).write_text(
            json.dumps({"latency": times, "throughput": speeds, "acts": acted}, indent=1)
        )


if __name__ == "__main__":
    main()
