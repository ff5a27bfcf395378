"""A guard step by its parts: propose, commit, and the look after it; allowed, warned and blocked steps apart.

    .venv/bin/python -m benchmarks.guard_step [--steps 300] [--engines] [--profile PART]

Times are ratios to a fixed piece of Python work (`benchmarks.ratio`). *w1* proposes to write cells; *reserve_r* taps on
a page of 22 nodes, in its task alone and with the policy `careful` and all shipped policies in force; *dumps* taps on
recorded screens with all shipped policies and `std.effects` in force (left out without the data). With --engines every
engine runs w1 and reserve_r; their verdicts must be the same.
"""

import argparse
import cProfile
import datetime as dt
import pstats
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.ratio import Line, Watch, quiet, show
from benchmarks.seeing import pages
from benchmarks.seeing.trees import printed
from benchmarks.workloads import NOON, TODAY, checked, w1
from tests.oracle import engine_of
from vsalang.guard import Guard, KnownWorld, Proposal, Settings
from vsalang.guard.world.beliefs import CellWrite
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load, load_text
from vsalang.program.action import Action
from vsalang.program.example import Fact
from vsalang.program.ir import Program
from vsalang.program.vocabulary import VOCABULARY
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree
from vsalang.tools.cli.common import shipped_modules

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "app_specs" / "examples"
ENGINES = ("incremental", "reference", "pydatalog")
"""The engine first: the others are measured against it."""
ALL = "std.policies.all"
_EFFECTS = 'policy measured "What touches do, and what harms"\nimport std.effects\nimport std.contracts\n'
_DUMPS = 12


def screen(marked: bool) -> FactScreen:
    """The page of restaurant R with six slots."""
    made = FactScreen().seen(VOCABULARY["App"], {"package": "com.opentable"})
    nodes = [
        {"id": "restaurant_name", "text": "R"},
        {"id": "day_chip", "text": "2026-04-01", "selected": True},
        {"id": "reserve_button", "clickable": True, "enabled": marked},
        {"id": "slots"},
    ]
    for number in range(6):
        row = 10 * (number + 1)
        nodes += [
            {"node": row, "parent": 4, "clickable": True, "id": "slot"},
            {"node": row + 1, "parent": row, "id": "slot_time", "text": f"{17 + number}:30"},
            {"node": row + 2, "parent": row, "id": "slot_button", "enabled": number % 2 == 0},
        ]
    for number, cells in enumerate(nodes, 1):
        node = {"node": number, "package": "com.opentable", "scrollable": False, "enabled": True, **cells}
        made = made.seen(VOCABULARY["Node"], node)
    return made


def reserve_r(*policies: str) -> Program:
    """The task of the running example, with shipped policies in force: by name, or of the examples."""
    files = [str(shipped_modules().get(name, EXAMPLES / f"{name}.vsa")) for name in policies]
    return load(EXAMPLES / "reserve_r.vsa", policies=files).checked()


def session(program: Program, engine: str = "incremental") -> Guard:
    """A guard at the page."""
    guard = Guard(
        program,
        clock=lambda: dt.datetime(2026, 4, 1, 12),
        engine=engine_of(engine),
        settings=Settings(overrides=None),
    )
    guard.observe(screen(False))
    return guard


def run(guard: Guard, steps: int, watch: Watch | None = None) -> list[str]:
    """Steps of marking one slot after another, each followed by a look; the verdicts."""
    screens = [screen(False), screen(True)]
    proposals: list[Proposal | Action] = [
        Action("tap", {"node": 10 * (number % 6 + 1)}) for number in range(steps)
    ]
    return judged(guard, proposals, lambda number: guard.observe(screens[number % 2]), watch)


def judged(
    guard: Guard,
    proposals: Iterable[Proposal | Action],
    look: Callable[[int], object],
    watch: Watch | None = None,
) -> list[str]:
    """Propose one after another; what is allowed is committed and followed by a look. The verdicts."""
    watch = watch or Watch()
    levels = []
    for number, proposal in enumerate(proposals):
        begin = time.thread_time()
        verdict = guard.propose(proposal)
        end = time.thread_time()
        levels.append(verdict.level)
        if verdict.allowed:
            guard.commit(verdict)
            committed = time.thread_time()
            look(number)
            done = time.thread_time()
            watch.add("look", done - committed)
            watch.add("allowed, with its look", done - begin)
        watch.add(verdict.level, end - begin)
    return levels


def cells_session(engine: str = "incremental") -> Guard:
    """A guard of w1: the same task over five cells, whose changes an agent predicts and attempts directly."""
    guard = Guard(
        checked("w1_spec"),
        clock=lambda: NOON,
        today=TODAY,
        engine=engine_of(engine),
        settings=Settings(overrides=None, verdict_life=None, screens_count=False),
    )
    guard.observe(FactScreen())
    return guard


def cells_run(guard: Guard, events: list[w1.Event], watch: Watch | None = None) -> list[str]:
    """Each event proposes to write a cell, every tenth to reserve; what is allowed is committed and then seen."""
    empty = FactScreen()
    proposals: list[Proposal | Action] = []
    seen = []
    for number, (cell, value) in enumerate(events):
        if number % 10 == 9:
            time_ = dt.time(18, number % 60)
            reserve = Action("w1_app.Reserve", {"restaurant": "R", "date": TODAY, "time": time_})
            proposals.append(Proposal(attempts=(reserve,)))
            seen.append(KnownWorld())
        else:
            written = {w1.CELLS[cell]: value}
            proposals.append(Proposal(writes=(Fact("w1_app.Form", written),)))
            seen.append(KnownWorld(writes=(CellWrite("w1_app.Form", written),)))
    return judged(guard, proposals, lambda number: guard.observe(empty, seen=seen[number]), watch)


def opening(program: Program, watch: Watch, times: int = 60) -> None:
    """Open a guard on a program of which the engine has a plan, again and again."""
    for _ in range(times):
        watch.run("opening", lambda: Guard(program, clock=lambda: NOON, today=TODAY))


def recorded(program: Program, watch: Watch) -> Counter[str]:
    """Look at recorded screens, and judge touches on them; no task."""
    levels: Counter[str] = Counter()
    settings = Settings(unknown_screen="allow", task=False)
    shown = [page for each in pages.dumps() for page in each.pages]
    looks = [page for page in shown if 20 <= len(page.attrs) <= 90][:_DUMPS]
    for page in looks:
        taken = [TreeScreen(load_tree(printed(page, "dump")), app=page.app, now=page.now) for _ in range(2)]
        for seen in taken:
            seen.fingerprint  # noqa: B018 - reading a dump is measured by `benchmarks.looks`
        rows = [row for row in taken[0].rows("Node") if row.get("clickable")][:6]
        guard = Guard(program, clock=lambda: NOON, today=TODAY, settings=settings)
        watch.run("first look", lambda guard=guard, seen=taken[0]: guard.observe(seen))  # type: ignore[misc]
        for row in rows:
            tap = Action("tap", {"node": row["node"]})
            verdict = watch.run("propose", lambda guard=guard, tap=tap: guard.propose(tap))  # type: ignore[misc]
            levels[verdict.level] += 1
        watch.run("another look", lambda guard=guard, seen=taken[1]: guard.observe(seen))  # type: ignore[misc]
    return levels


# ---------------------------------------------------------------------- the figures


def of_cells(steps: int) -> list[Line]:
    """The figures of w1."""
    events = w1.events(steps * 3 + 60)
    guard, watch = cells_session(), Watch()
    cells_run(guard, events[:60])
    quiet()
    cells_run(guard, events[60:], watch)
    wanted = {"allow": 0.7, "block": 1.3}
    return [Line(f"w1, {kind}", watch.x(kind), wanted.get(kind)) for kind in sorted(watch.times)]


def of_taps(steps: int) -> list[Line]:
    """The figures of reserve_r, alone and with policies."""
    wanted = {"allowed, with its look": 2.5}
    lines: list[Line] = []
    whole: dict[str, float] = {}
    for policies in ((), ("careful",), ("careful", ALL)):
        program = reserve_r(*policies)
        name = " + ".join(("reserve_r", *policies))
        guard, watch = session(program), Watch()
        run(guard, 18)
        quiet()
        run(guard, steps, watch)
        opening(program, watch)
        for kind in sorted(watch.times):
            bound = (wanted.get(kind) if not policies else None) if kind != "opening" else 1.0
            lines.append(Line(f"{name}, {kind}", watch.x(kind), bound))
        whole[name] = watch.x("allowed, with its look")
    base = whole["reserve_r"]
    lines += [
        Line(f"{name}, its allowed step to that without", x / base, 2.0, of="times")
        for name, x in whole.items()
        if name != "reserve_r"
    ]
    return lines


def of_dumps() -> list[Line]:
    """The figures of recorded screens under all that ships, and how long that program takes to open."""
    files = [str(shipped_modules()[ALL])]
    watch = Watch()
    watch.add("unit", 1.0)
    program = watch.run(
        "parsed and checked", lambda: load_text(_EFFECTS, file="<measured>", policies=files).checked()
    )
    watch.run("opened first", lambda: Guard(program, clock=lambda: NOON, today=TODAY))
    lines = []
    if pages.there():
        recorded(program, Watch())  # what is hot gets code of its own
        quiet()
        levels = recorded(program, watch)
        said = ", ".join(f"{count} {level}" for level, count in sorted(levels.items()))
        lines = [
            Line(
                f"recorded screens, {ALL} and effects, {kind}",
                watch.x(kind),
                note=said if kind == "propose" else "",
            )
            for kind in ("first look", "propose", "another look")
        ]
    opening(program, watch)
    kinds = ("parsed and checked", "opened first", "opening")
    return [
        *lines,
        *(
            Line(f"{ALL} and effects, {kind}", watch.x(kind), 1.0 if kind == "opening" else None)
            for kind in kinds
        ),
    ]


# ---------------------------------------------------------------------- engines side by side


def compare(name: str, steps: int, fresh: Callable[[str], Callable[[int], list[str]]]) -> None:
    """Run the engines on the same steps: their verdicts must agree; how long each takes."""
    answers = {engine: fresh(engine)(12) for engine in ENGINES}
    if len({tuple(levels) for levels in answers.values()}) != 1:
        raise SystemExit(f"the engines disagree: {answers}")
    counts = Counter(answers["incremental"])
    print(f"{name}: verdicts agree: {', '.join(f'{count} {level}' for level, count in counts.items())}")
    base = 0.0
    for engine in ENGINES:
        step = fresh(engine)
        step(12)
        times = []
        for _ in range(steps if engine == "incremental" else 40):
            begin = time.thread_time()
            step(1)
            times.append(time.thread_time() - begin)
        median = statistics.median(times)
        base = base or median
        print(f"{engine:<12} median {median * 1e6:8.0f} µs   ratio {median / base:6.1f}")


def engines(steps: int) -> None:
    """Every engine on w1 and reserve_r."""
    events = w1.events(steps + 60)

    def cells(engine: str) -> Callable[[int], list[str]]:
        guard, left = cells_session(engine), iter(events)
        return lambda count: cells_run(guard, [next(left) for _ in range(count)])

    def taps(engine: str) -> Callable[[int], list[str]]:
        guard = session(reserve_r(), engine)
        return lambda count: run(guard, count)

    compare("w1", steps, cells)
    compare("reserve_r", steps, taps)


PARTS: dict[str, Callable[[int], list[Line]]] = {
    "w1": of_cells,
    "reserve_r": of_taps,
    "dumps": lambda steps: of_dumps(),
}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--only", choices=PARTS, help="one part of the table")
    parser.add_argument("--engines", action="store_true", help="every engine, in place of the table")
    parser.add_argument("--profile", action="store_true", help="say where the time goes")
    options = parser.parse_args()
    if options.engines:
        engines(options.steps)
        return
    parts = [options.only] if options.only else list(PARTS)
    profile = cProfile.Profile()
    lines = []
    for part in parts:
        if options.profile:
            lines += profile.runcall(PARTS[part], options.steps)
        else:
            lines += PARTS[part](options.steps)
    show(lines)
    if options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


if __name__ == "__main__":
    main()
