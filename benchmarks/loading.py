"""Loading: how long until a large program is parsed, checked, compiled and guarded, as its rules double.

    .venv/bin/python -m benchmarks.loading [--rules 1250 2500 ..] [--profile STAGE] [--against OTHER/.venv/bin/python]

The program is made of apps of ten pages, each with what a page usually has: two screens, two definitions, two rules
that read a view and a state, two that recognize its action, one effect and one prediction, one clause of the spec and
one of the policy. Each size is loaded by a process of its own; times are processor time, which other work disturbs
least.
"""

import argparse
import cProfile
import gc
import json
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.looks import CLICKS, node

SIZES = (1250, 2500, 5000, 10_000)
RULES = 12
"""So many rules has a page."""
PAGES = 10
"""So many pages has an app."""
STAGES = ("parsed", "checked", "opened", "first look", "second look", "third look", "proposed")

HEAD = """app {app} package "com.example.{app}" "Some pages of one kind"
import std.tree
define Titled(title = ?t) when Node(id = "title", text = ?t).
"""
PAGE = """
screen Page{n} "Page {n}" when Titled(title = "Page {n}").
screen Ask{n} over Page{n} "Asks on page {n}" when Node(id = "ask_{n}").

state Item{n} key (name) "What page {n} lists" {{
  name: Text "the name"
  on: Bool "whether it is on"
  price: Number "what it costs"
}}
view Form{n} on Page{n} "What is filled in" {{
  name: Text "the name"
  size: Number "how much"
}}
define Row{n}(row = ?r, name = ?t)
  when screen Page{n}, Node(id = "row_{n}", node = ?r), Part(of = ?r, id = "name", text = ?t).
define Dear{n}(name = ?t) when Item{n}(name = ?t, on = true, price > {limit}).
update Item{n}(name = ?t, on = ?c, price = number(?p))
  when Row{n}(row = ?r, name = ?t),
       Part(of = ?r, id = "switch", checked = ?c),
       Part(of = ?r, id = "price", text = ?p).
update Form{n}(name = ?t) when Node(id = "field_{n}", text = ?t).

action Choose{n}(name: Text "the name", on: Bool "whether it is on afterwards") "Choose on page {n}"
recognize Choose{n}(name = ?t, on = flip(?c))
  when tap(node = ?x), Row{n}(row = ?r, name = ?t), Part(of = ?r, id = "switch", checked = ?c),
       Inside(node = ?x, of = ?r).
recognize Choose{n}(name = ?t, on = true)
  when tap(id = "ok_{n}"), screen Ask{n} with Form{n}(name = ?t).
update Item{n}(name = ?t, on = ?c) when Choose{n}(name = ?t, on = ?c).
expect Item{n}(name = ?t, on = ?c) when Choose{n}(name = ?t, on = ?c).
"""
ALLOW = """
allow Choose{n}(name = ?t, on = true) when Item{n}(name = ?t, on = false, price < {limit}), not Dear{n}(name = ?t).
"""
DENY = """
@id("LARGE-{n}") deny "{{?t}} of page {n} is too dear" when Choose{n}(name = ?t), Item{n}(name = ?t, price >= {more}).
"""


def write(folder: Path, rules: int) -> None:
    """Write a program of about so many rules: apps of some pages each, a spec and a policy."""
    pages = [{"n": n, "limit": n % 90 + 10, "more": n % 90 + 20} for n in range(rules // RULES)]
    apps = [f"app{number}" for number in range(-(-len(pages) // PAGES))]
    imports = "".join(f"import {app}\n" for app in apps)
    for number, app in enumerate(apps):
        text = HEAD.format(app=app)
        text += "".join(PAGE.format(**one) for one in pages[number * PAGES : (number + 1) * PAGES])
        (folder / f"{app}.vsa").write_text(text, encoding="utf-8")
    spec = f'spec task "Choose what is cheap"\n{imports}'
    spec += "".join(ALLOW.format(**one) for one in pages) + "\ndone when Choose0 earlier.\n"
    policy = f'policy owner "Nothing dear"\n{imports}' + "".join(DENY.format(**one) for one in pages)
    (folder / "task.vsa").write_text(spec, encoding="utf-8")
    (folder / "owner.vsa").write_text(policy, encoding="utf-8")


def steps(folder: Path) -> dict[str, Callable[[], None]]:
    """What is timed, in order; each goes on where the one before it ended."""
    import datetime as dt

    from vsalang.base.source import read_source
    from vsalang.guard import Guard
    from vsalang.language.semantics import load
    from vsalang.language.syntax import parse
    from vsalang.program.action import Action
    from vsalang.screen.screen import TreeScreen
    from vsalang.screen.tree import load_dump

    kept: dict[str, Any] = {}

    def parsed() -> None:
        for path in folder.glob("*.vsa"):
            assert not parse(read_source(path)).diagnostics

    def checked() -> None:
        kept["program"] = load(folder / "task.vsa", policies=[folder / "owner.vsa"]).checked()

    def opened() -> None:
        now = dt.datetime(2026, 4, 1, 12)
        kept["guard"] = Guard(kept["program"], clock=lambda: now, today=now.date())

    def look(on: bool) -> Callable[[], None]:
        screen = TreeScreen(load_dump(page(on)), app=("com.example.app0", ".Main"), settled=True)

        def observe() -> None:
            kept["guard"].observe(screen)

        return observe

    def proposed() -> None:
        verdict = kept["guard"].propose(Action("tap", {"id": "switch"}))
        assert verdict.allowed, verdict

    return dict(
        zip(STAGES, (parsed, checked, opened, look(False), look(True), look(False), proposed), strict=True)
    )


def page(on: bool) -> str:
    """The dump of the first page, with one row whose switch is on or off."""
    switch = CLICKS.replace('checked="false"', f'checked="{str(on).lower()}"')
    text = (
        "<hierarchy>"
        + node(
            (0, 0, 1000, 2000),
            node((0, 0, 1000, 100), name="title", text="Page 0")
            + node(
                (0, 100, 1000, 300),
                node((0, 100, 500, 300), name="name", text="Tea")
                + node((500, 100, 1000, 200), name="switch", more=switch)
                + node((500, 200, 600, 300), name="price", text="7"),
                name="row_0",
            ),
        )
        + "</hierarchy>"
    )
    return text.replace("com.shop", "com.example.app0")


def one(folder: Path, rules: int, profiled: str | None) -> dict[str, float]:
    """Processor time of each stage in seconds."""
    write(folder, rules)
    found: dict[str, float] = {}
    for name, step in steps(folder).items():
        profile = cProfile.Profile() if name == profiled else None
        gc.collect()
        begin = time.process_time()
        if profile:
            profile.runcall(step)
        else:
            step()
        found[name] = time.process_time() - begin
        if profile:
            pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(30)
            pstats.Stats(profile, stream=sys.stderr).sort_stats("cumtime").print_stats(60)
    return found


def measured(python: str, rules: int, profiled: str | None) -> dict[str, float]:
    """The same by another process, in the checkout of that interpreter: Python imports from there first."""
    args = [
        python,
        "-m",
        "benchmarks.loading",
        "--one",
        str(rules),
        *(["--profile", profiled] if profiled else []),
    ]
    root = None if python == sys.executable else Path(python).absolute().parents[2]
    done = subprocess.run(args, cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rules", type=int, nargs="+", default=SIZES)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--profile", metavar="STAGE", choices=STAGES)
    parser.add_argument(
        "--against", metavar="PYTHON", help="the interpreter of another checkout, measured by turns"
    )
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        with tempfile.TemporaryDirectory() as name:
            print(json.dumps(one(Path(name), options.one, options.profile)))
        return
    pythons = [sys.executable, *([options.against] if options.against else [])]
    print("| processor seconds, rules | " + " | ".join(f"{size:,}" for size in options.rules) + " |")
    print("|---" * (len(options.rules) + 1) + "|")
    cells: dict[tuple[str, str, int], float] = {}
    for size in options.rules:
        runs: dict[str, list[dict[str, float]]] = {python: [] for python in pythons}
        for _ in range(options.runs):
            for python in pythons:
                runs[python].append(measured(python, size, options.profile))
        for python in pythons:
            for stage in STAGES:
                cells[python, stage, size] = statistics.median(run[stage] for run in runs[python])
    for python in pythons:
        for stage in STAGES:
            row = [f"{cells[python, stage, size]:.3g}" for size in options.rules]
            print(f"| {stage}{' (other)' * (python != sys.executable)} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
