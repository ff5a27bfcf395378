"""How long an editor waits for the language server, and what the commands take for 300 modules.

    .venv/bin/python -m benchmarks.editor [--lines 2000] [--keys 40] [--modules 300]

An app of that many lines is edited in its middle, a character at a time. Times are those of the processor; *x* is the
processor time of a fixed piece of Python work (`benchmarks/ratio.py`), taken by turns with them. Then the commands run
in processes of their own, first with an empty cache, then again.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types

from benchmarks.ratio import unit
from vsalang.tools.lsp import colours, completing, hovers, layout, pulled
from vsalang.tools.lsp.analysis import check, linted
from vsalang.tools.lsp.convert import Places
from vsalang.tools.lsp.snapshot import Snapshot
from vsalang.tools.lsp.store import Document

ITEM = """// What is bought, number {n}
state Item{n} key (name) "The thing {n}" {{
  name: Text "its name"
  size: Number "how large"
}}
update Item{n}(name = ?n, size = number(?s)) when Node(id = "item{n}", text = ?n), Node(id = "size{n}", text = ?s).
action Buy{n}(name: Text "what") "Buy {n}"
recognize Buy{n}(name = ?n) when tap(id = "buy{n}") with Item{n}(name = ?n).
"""
APP = """app app{n} package "com.app{n}" "App {n}"
screen Page "A page" when Node(id = "page{n}").
view Item on Page "The thing" {{
  name: Text "its name"
  price: Number "what it costs"
}}
update Item(name = ?n, price = number(?p)) when Node(id = "name", text = ?n), Node(id = "price", text = ?p).
action Pay(name: Text "what", price: Number "how much") "Pay for it"
recognize Pay(name = ?n, price = ?p) when tap(id = "pay") with Item(name = ?n, price = ?p).
expect screen Page when Pay.
"""
SPEC = """spec spec{n} "Pay at most {most} for the shoes"
import app{app}
allow Pay(name = "shoes", price <= {most}) when Item(name = "shoes", price <= {most}).
done when Pay(name = "shoes") earlier.
test "cheap" {{
  given Item(name = "shoes", price = {n}).
  attempt Pay(name = "shoes", price = {n}) => allow.
}}
test "dear" {{
  given Item(name = "shoes", price = {dear}).
  attempt Pay(name = "shoes", price = {dear}) => block.
}}
"""


class Times:
    """Processor times by what was done, each with the fixed piece of work next to it."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self.units: list[float] = []

    def of(self, name: str, call: Callable[[], Any]) -> Any:
        """Do something, and note how long it took."""
        self.units.append(min(unit() for _ in range(3)))
        begin = time.process_time()
        result = call()
        self.times.setdefault(name, []).append(time.process_time() - begin)
        return result

    def show(self) -> None:
        """A line for each: the median, and its ratio to the fixed work."""
        x = statistics.median(self.units)
        print(f"x = {x * 1000:.3f} ms")
        for name, times in self.times.items():
            median = statistics.median(times)
            print(f"{name:<34} {median * 1000:8.1f} ms {median / x:8.0f} x")


def memory() -> int:
    """What this process holds, in MB."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() // 1_000_000


def keys(folder: Path, lines: int, count: int) -> None:
    """Type in the middle of an app, and ask what an editor asks."""
    number = lines // 8
    text = 'app big package "com.big" "Big"\n' + "".join(ITEM.format(n=n) for n in range(number))
    path = folder / "big.vsa"
    path.write_text(text, encoding="utf-8")
    uri = path.as_uri()
    at = text.index(f'"item{number // 2}"') + 1
    check(uri, path, text, {path: text})
    times = Times()
    start = memory()
    for _ in range(count):
        text = f"{text[:at]}x{text[at:]}"
        snapshot = Snapshot({uri: Document(uri, path, text, 1)}, (folder,), Places())
        _key(times, snapshot, uri, path, text.index("Node(id", at - 60) + 5)
    times.show()
    kept = sum(file.stat().st_size for file in (folder.parent / "cache").rglob("*") if file.is_file())
    print(f"memory: {start} MB, after {count} keys {memory()} MB; on the disk: {kept} bytes")


def _key(times: Times, snapshot: Snapshot, uri: str, path: Path, cursor: int) -> None:
    """What an editor asks after a key."""
    source = snapshot.source(uri)
    assert source is not None
    document, place = types.TextDocumentIdentifier(uri), Places().position(source, cursor)
    options = types.FormattingOptions(2, True)

    def findings() -> Any:
        result = check(uri, path, source.text, {path: source.text})
        pulled.findings(snapshot, uri, [(result, uri)])
        return result

    checked = times.of("key to errors and warnings", findings)
    offers = types.CompletionParams(document, place)
    times.of("completion", lambda: completing.completion(snapshot, offers))
    times.of("hover", lambda: hovers.hover(snapshot, types.HoverParams(document, place), checked))
    times.of("semantic tokens", lambda: colours.tokens(snapshot, uri))
    times.of("lint, after these", lambda: linted(checked))
    whole = types.DocumentFormattingParams(document, options)
    times.of("formatting", lambda: layout.formatting(snapshot, whole))


def commands(folder: Path, count: int) -> None:
    """Run the commands on many modules."""
    apps = count // 3
    for n in range(apps):
        (folder / f"app{n}.vsa").write_text(APP.format(n=n), encoding="utf-8")
    for n in range(count - apps):
        text = SPEC.format(n=n, app=n % apps, most=n + 1, dear=n + 2)
        (folder / f"spec{n}.vsa").write_text(text, encoding="utf-8")
    print(f"\n{count} modules, seconds of processor time (of the clock)")
    for words in (["check"], ["lint"], ["fmt", "--check"], ["test", "-j", "2", "-q"]):
        for name in ("cold", "warm"):
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "vsalang.tools.cli.main", *words, "."],
                cwd=folder,
                capture_output=True,
                check=False,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])},
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            clock = time.perf_counter() - begin
            print(f"vsac {' '.join(words):<18} {name}  {took:6.2f} ({clock:5.2f})  exit {done.returncode}")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--modules", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["VSALANG_CACHE"] = str(folder / "cache")
        (folder / "one").mkdir()
        keys(folder / "one", options.lines, options.keys)
        (folder / "many").mkdir()
        commands(folder / "many", options.modules)


if __name__ == "__main__":
    main()
