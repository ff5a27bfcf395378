"""``python -m benchmarks.fleet_live``: measures a fleet server, and prints the figures as JSON."""

import argparse
import asyncio
import json
import resource
import sys
import tempfile
from pathlib import Path

from benchmarks.fleet_live.harness import Load, every


def main() -> int:
    """Read the command line and measure; 1 if something was lost, or the page did not see each step."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet_live")
    parser.add_argument("--devices", type=int, default=2000)
    parser.add_argument("--pace", type=float, default=1.0, help="seconds between two steps of one device")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--kill", type=float, action="append", default=[], help="kill the server after SECONDS"
    )
    parser.add_argument("--kill-every", type=float, default=0.0, help="kill the server every SECONDS")
    options = parser.parse_args()
    kills = [*options.kill, *every(options.kill_every, options.seconds)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as name:
        load = Load(
            Path(name) / "fleet", options.devices, options.pace, options.seconds, tuple(sorted(kills))
        )
        results = asyncio.run(load.run())
        lost = load.lost()
    used = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "devices": options.devices,
        "pace": options.pace,
        "seconds": options.seconds,
        "kills": results.kills,
        "steps": results.steps,
        "steps_on_the_page": len(results.seconds),
        "lines": results.sent,
        "journals_not_kept_whole": lost,
        "failed_requests": results.failures,
        "late_steps": results.late,
        "p50_ms": round(1000 * results.percentile(0.5)),
        "p95_ms": round(1000 * results.percentile(0.95)),
        "p99_ms": round(1000 * results.percentile(0.99)),
        "server_cpu_seconds": round(results.server_cpu, 1),
        "server_cpu_ms_per_step": round(1000 * results.server_cpu / max(1, results.steps), 3),
        "devices_cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
    }
    print(json.dumps(figures, indent=1))
    return int(bool(lost or len(results.seconds) != results.steps))


if __name__ == "__main__":
    sys.exit(main())
