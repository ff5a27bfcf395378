"""How long does a call to the simulated phone take, by each way in? Medians in milliseconds.

    .venv/bin/python benchmarks/phone_wire.py [--calls 60]

Ways in: the phone's own adb server (no adb program needed), and real adb servers that have connected to its adbd.
"""

import argparse
import contextlib
import os
import socket
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import adbutils
import uiautomator2

from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.wire import Upstream

PACKAGE = "com.opentable"


@contextlib.contextmanager
def adb_server(path: Path, daemon: str) -> Iterator[int]:
    """A real adb server on a port of its own that has connected to the phone."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    env = os.environ | {"ADB_LOCAL_TRANSPORT_MAX_PORT": "5553", "ADB_MDNS_AUTO_CONNECT": ""}
    command = [str(path), "-P", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": env}
    server = subprocess.Popen([*command, "nodaemon", "server"], **quiet)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        subprocess.run([*command, "connect", daemon], check=True, **quiet)
        subprocess.run([*command, "-s", daemon, "wait-for-device"], check=True, **quiet)
        yield port
    finally:
        server.terminate()
        server.wait(10)


def median(call: Callable[[], object], calls: int) -> float:
    """In milliseconds."""
    call()
    taken = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return 1000 * statistics.median(taken)


def measure(port: int, serial: str, calls: int, programs: dict[str, Path]) -> dict[str, float]:
    upstream = Upstream("127.0.0.1", port, serial)
    d = uiautomator2.connect(adbutils.AdbClient("127.0.0.1", port).device(serial))
    d.app_start(PACKAGE)

    def service(name: str) -> bytes:
        with upstream.open(name) as stream:
            return stream.read_all()

    ping = b"GET /ping HTTP/1.1\r\nConnection: close\r\n\r\n"

    def http() -> bytes:
        with upstream.open("tcp:9008") as stream:
            stream.write(ping)
            return stream.read_all()

    rows = {
        "service: shell:true": median(lambda: service("shell:true"), calls),
        "service: tcp:9008, GET /ping": median(http, calls),
        "adbutils: shell": median(lambda: d.adb_device.shell("true"), calls),
        "uiautomator2: info": median(lambda: d.info, calls),
        "uiautomator2: dump_hierarchy": median(d.dump_hierarchy, calls),
        "uiautomator2: click": median(lambda: d.click(360, 20), calls),
        "uiautomator2: exists": median(lambda: d(text="R").exists(), calls),
        "uiautomator2: selector click": median(
            lambda: d(resourceId=f"{PACKAGE}:id/search_box").click(), calls // 3
        ),
        "uiautomator2: screenshot": median(d.screenshot, max(3, calls // 10)),
    }
    for which, path in programs.items():
        command = [str(path), "-P", str(port), "-s", serial, "shell", "true"]
        rows[f"{which}: adb shell true"] = median(
            lambda command=command: subprocess.run(command, check=True), calls // 3
        )
    payload = b"x" * (32 << 20)
    start = time.perf_counter()
    d.adb_device.sync.push(payload, "/sdcard/x")
    rows["push 32 MiB (MB/s)"] = len(payload) / 1e6 / (time.perf_counter() - start)
    start = time.perf_counter()
    got = len(service("exec:cat /sdcard/x"))
    rows["exec-out 32 MiB (MB/s)"] = got / 1e6 / (time.perf_counter() - start)
    d.shell("rm /sdcard/x")
    d.stop_uiautomator()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=60)
    calls = parser.parse_args().calls
    found = {
        "wheel": Path(adbutils.__file__).parent / "binaries" / "adb",
        "system": Path("/usr/bin/adb"),
    }
    programs = {name: path for name, path in found.items() if path.is_file()}
    columns: dict[str, dict[str, float]] = {}
    with SimulatedPhone.start(load("restaurant")) as simulated:
        columns["own server"] = measure(simulated.port, simulated.serial, calls, programs)
        for name, path in programs.items():
            with adb_server(path, simulated.daemon.serial) as port:
                columns[f"adbd, {name} adb"] = measure(port, simulated.daemon.serial, calls, programs)
    print(f"{'ms, median':32}" + "".join(f"{name:>20}" for name in columns))
    for row in next(iter(columns.values())):
        print(f"{row:32}" + "".join(f"{column[row]:20.1f}" for column in columns.values()))


if __name__ == "__main__":
    main()
