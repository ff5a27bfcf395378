"""How long the commands take that people wait for, side by side with a bare interpreter; medians of warm runs.

.venv/bin/python benchmarks/startup.py [--runs 15] [--json]

Of `vsac mcp` it is the processor time until it has answered a client, not the wall time of a run (Linux).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
VSAC = ["-m", "vsalang.tools.cli.main"]
CASES = {
    "python -c pass": ["-c", "pass"],
    "python -c 'import click'": ["-c", "import click"],
    "vsac --help": [*VSAC, "--help"],
    "vsac check reserve_r.vsa": [*VSAC, "check", "app_specs/examples/reserve_r.vsa"],
    "the same, nothing cached": [*VSAC, "check", "app_specs/examples/reserve_r.vsa"],
    "vsac lint reserve_r.vsa": [*VSAC, "lint", "app_specs/examples/reserve_r.vsa"],
    "vsac test reserve_r.vsa": [*VSAC, "test", "app_specs/examples/reserve_r.vsa"],
}
MCP = [*VSAC, "mcp", "app_specs/examples/reserve_r.vsa", "--device", "sim:restaurant"]
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "startup", "version": "0"},
}
HEAVY = ("z3", "openai", "pyDatalog", "uiautomator2", "lxml", "PIL", "pygls", "torch", "pydantic", "mcp")


def seconds(args: list[str], env: dict[str, str]) -> float:
    """The wall time of one run."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, *args], cwd=ROOT, env=env, check=True, capture_output=True)
    return time.perf_counter() - begin


def heavy(args: list[str]) -> list[str]:
    """Which heavy libraries a run imports."""
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", *args], cwd=ROOT, check=True, capture_output=True, text=True
    ).stderr
    names = {line.rsplit("|", 1)[-1].strip().partition(".")[0] for line in shown.splitlines() if "|" in line}
    return sorted(names & set(HEAVY))


def until_answered() -> list[float]:
    """Milliseconds of processor time of `vsac mcp` until it has answered `initialize`, and `tools/list`."""
    from benchmarks.guarded_wire import processor

    spent = []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, *MCP, "--journal", str(Path(folder) / "j.jsonl")]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as server:
            for number, (method, params) in enumerate((("initialize", HELLO), ("tools/list", {}))):
                request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                print(json.dumps(request), file=server.stdin, flush=True)
                assert "result" in json.loads(server.stdout.readline())
                spent.append(processor(server.pid))
    return spent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for name, args in CASES.items():
        env = {**os.environ, "VSALANG_CACHE": "off"} if "nothing cached" in name else dict(os.environ)
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # installed programs have their modules compiled
        seconds(args, env)  # warm the disk
        times = [seconds(args, env) for _ in range(options.runs)]
        rows.append(
            {
                "case": name,
                "median_ms": round(statistics.median(times) * 1000, 1),
                "p95_ms": round(sorted(times)[int(0.95 * (len(times) - 1))] * 1000, 1),
                "heavy": heavy(args),
            }
        )
    answered = list(zip(*(until_answered() for _ in range(options.runs)), strict=True))
    for method, times in zip(("initialize", "tools/list"), answered, strict=True):
        rows.append(
            {
                "case": f"vsac mcp, to {method} (CPU)",
                "median_ms": round(statistics.median(times), 1),
                "p95_ms": round(sorted(times)[int(0.95 * (len(times) - 1))], 1),
                "heavy": heavy(["-c", "import vsalang.agents.mcp.server, vsalang.tools.cli.mcp"]),
            }
        )
    base = rows[0]["median_ms"]
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'case':<28} {'median':>9} {'p95':>9} {'ratio':>7}  heavy libraries imported")
    for row in rows:
        times = f"{row['median_ms']:>6} ms {row['p95_ms']:>6} ms {row['median_ms'] / base:>7.1f}"
        print(f"{row['case']:<28} {times}  {', '.join(row['heavy']) or '-'}")


if __name__ == "__main__":
    main()
