"""UI dumps of 200 to 500 nodes, made of real ones: read, made into rows, told to the engine; and again, 5 % changed.

    .venv/bin/python -m benchmarks.dumps [--dumps FOLDER] [--count 20]
    .venv/bin/python -m benchmarks.dumps --single     # real dumps as they are, as ratios to a fixed piece of work

The engine answers the four questions of w3 over the device's own relation `Node`, with all its attributes. The changed
dump is a whole new dump, as devices give them: it is read after the one before, as a device does, and the rows
that differ are found and told, as the guard does. With `--anew` each dump is read as if there was none before.
"""

import argparse
import random
import re
import statistics
import time
from pathlib import Path
from typing import Any

from lxml import etree

from benchmarks.ratio import Line, Watch, quiet, show
from benchmarks.workloads import TODAY, checked
from vsalang.engine import open_session
from vsalang.guard.world.observed_rows import ObservedRows, maker
from vsalang.program.vocabulary import VOCABULARY
from vsalang.screen.screen import TreeScreen
from vsalang.screen.secrets import Lexicon
from vsalang.screen.tree import DumpError, load_dump, unpack

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "ui_dumps"
QUESTIONS = ("screen.Marked", "screen.Rows", "screen.Twice", "screen.Stuck")
_TEXT = re.compile(r'( text)="[^"]*"')


def chosen(folder: Path, count: int) -> list[bytes]:
    """Dumps of 200 to 500 nodes. Few real ones are so large: neighbours in the folder become windows of one dump."""
    found: list[bytes] = []
    joined, nodes = None, 0
    for path in sorted(folder.glob("*.xml*")):
        try:
            data = unpack(path.read_bytes())
            more = len(TreeScreen(load_dump(data)).rows("Node"))
            root = etree.fromstring(data)
        except (DumpError, OSError, etree.XMLSyntaxError):
            continue
        if more < 30 or more > 500 or root.tag != "hierarchy":
            continue
        if joined is None or nodes + more > 500:
            joined, nodes = root, more
        else:
            joined.extend(list(root))
            nodes += more
        if nodes >= 200:
            found.append(etree.tostring(joined, encoding="utf-8", xml_declaration=True))
            joined, nodes = None, 0
        if len(found) == count:
            break
    return found


def changed(data: bytes, rng: random.Random) -> bytes:
    """One node in twenty gets another text."""

    def other(match: re.Match[str]) -> str:
        return f'{match[1]}="changed {rng.randrange(1000)}"' if rng.random() < 0.05 else match[0]

    return _TEXT.sub(other, data.decode("utf-8")).encode("utf-8")


def one_changed(data: bytes, rng: random.Random) -> bytes:
    """One node that shows a text shows another."""
    text = data.decode("utf-8")
    match = rng.choice([found for found in _TEXT.finditer(text) if not found[0].endswith('=""')])
    return f'{text[: match.start()]}{match[1]}="changed {rng.randrange(1000)}"{text[match.end() :]}'.encode()


SINGLE = range(40, 49)
"""So many nodes: the median of the real dumps has 44."""


def _watched(watch: Watch, data: bytes) -> None:
    begin = time.thread_time()
    tree = load_dump(data)
    read = time.thread_time()
    screen = TreeScreen(tree, app=("a", "b"), settled=True)
    _ = screen.fingerprint
    end = time.thread_time()
    watch.add("read", read - begin)
    watch.add("fingerprint", end - read)
    watch.add("both", end - begin)
    same = bytes(bytearray(data))  # equal, and not the same object
    watch.run("again", lambda: TreeScreen(load_dump(same, after=tree), app=("a", "b")).fingerprint)
    screen.rows("Node")
    makers = [maker(VOCABULARY[name], VOCABULARY, Lexicon()) for name in ("Part", "TextIn")]
    watch.run("taken over", lambda: [made.of(screen) for made in makers])
    watch.run("Part", lambda: screen.rows("Part"))


def single(folder: Path, rounds: int = 6) -> list[Line]:
    """What reading real dumps one by one takes, each as if there was none before; and the same bytes again."""
    found: list[bytes] = []
    for path in sorted(folder.glob("*.xml*")):
        try:
            data = unpack(path.read_bytes())
            nodes = len(load_dump(data).nodes)
        except (DumpError, OSError):
            continue
        if nodes in SINGLE:
            found.append(data)
    if not found:
        raise SystemExit(f"no UI dumps of {SINGLE.start} to {SINGLE.stop - 1} nodes in {folder}")
    watch = Watch()
    quiet()
    for _ in range(rounds):
        for data in found:
            _watched(watch, data)
    return [
        Line(
            f"a real dump, {len(found)} of {SINGLE.start} to {SINGLE.stop - 1} nodes: read", watch.x("read")
        ),
        Line("its fingerprint", watch.x("fingerprint")),
        Line("read and fingerprinted", watch.x("both"), 8),
        Line("the same bytes again, with the fingerprint", watch.x("again"), 0.1),
        Line("rows of Part and TextIn, as a guard takes them over", watch.x("taken over"), 1.5),
        Line("each row of Part, which a guard does not ask for", watch.x("Part")),
    ]


class Stages:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self.last = time.perf_counter()

    def begin(self) -> None:
        self.last = time.perf_counter()

    def end(self, stage: str) -> None:
        now = time.perf_counter()
        self.times.setdefault(stage, []).append(now - self.last)
        self.last = time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dumps", type=Path, default=FOLDER)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--changes", type=int, default=10, help="changed dumps of each")
    parser.add_argument("--anew", action="store_true", help="read each dump without the one before")
    parser.add_argument("--single", action="store_true", help="real dumps as they are, as ratios")
    options = parser.parse_args()
    if options.single:
        show(single(options.dumps))
        return
    dumps = chosen(options.dumps, options.count)
    if not dumps:
        raise SystemExit(f"no UI dumps of 200 to 500 nodes in {options.dumps}: name a folder with --dumps")
    program = checked("screen")
    stages, rng, sizes = Stages(), random.Random(8), []
    for data in [dumps[0], *dumps]:  # the first one twice: what is made on first use counts for none
        if len(sizes) == 1:
            stages = Stages()
        session: Any = open_session(program, today=TODAY)
        stages.begin()
        tree = load_dump(data)
        stages.end("first: parsed")
        observed = ObservedRows(VOCABULARY["Node"])
        now = observed.of(TreeScreen(tree))
        stages.end("first: rows")
        session.assign("Node", now)
        stages.end("first: told")
        answers = [session.rows(name) for name in QUESTIONS]
        stages.end("first: answered")
        sizes.append(len(now))
        for kind, change in (("changed", changed), ("one text", one_changed)):
            for _ in range(options.changes):
                text = change(data, rng)
                stages.begin()
                tree = load_dump(text, after=None if options.anew else tree)
                stages.end(f"{kind}: parsed")
                new = observed.of(TreeScreen(tree))
                stages.end(f"{kind}: rows")
                came, gone = new - now, now - new
                now = new
                stages.end(f"{kind}: compared")
                session.update("Node", came, gone)
                stages.end(f"{kind}: told")
                answers = [session.rows(name) for name in QUESTIONS]
                stages.end(f"{kind}: answered")
        other: Any = open_session(program, today=TODAY)
        other.assign("Node", now)
        if answers != [other.rows(name) for name in QUESTIONS]:
            raise SystemExit("a changed dump and the same dump read again are answered differently")
    print(
        f"{len(sizes) - 1} dumps, {min(sizes)} to {max(sizes)} nodes, median {statistics.median(sizes):.0f}\n"
    )
    print("| stage | median ms | 95 % below |\n|---|---|---|")
    totals: dict[str, float] = {}
    for stage, times in stages.times.items():
        median = statistics.median(times) * 1000
        kind = stage.partition(":")[0]
        totals[kind] = totals.get(kind, 0.0) + median
        print(f"| {stage} | {median:.2f} | {sorted(times)[int(0.95 * (len(times) - 1))] * 1000:.2f} |")
    for kind, total in totals.items():
        print(f"| **{kind}: all** | {total:.2f} | |")


if __name__ == "__main__":
    main()
