"""Measures controls, contracts, memory and mining on recorded screens and walks, next to the wanted figures."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import click

from benchmarks.measure.admitted import admitted
from benchmarks.measure.certificates import certificate_times, measure
from benchmarks.measure.control import as_recorded, delta_times, kinds_as_labelled, reduction
from benchmarks.measure.experiment import Experiment, experiment
from benchmarks.measure.look_rate import looks_needed
from benchmarks.measure.mined_figures import figures
from benchmarks.measure.planted import planted
from benchmarks.measure.rows import (
    Part,
    Row,
    contract_rows,
    mined_rows,
    missed,
    number,
    planted_rows,
    share,
    time_row,
)
from vsalang.agents import ScriptedAgent
from vsalang.agents.maps.mining import Least, Passage
from vsalang.agents.maps.passed import passed
from vsalang.agents.session import SessionOptions, open_guarded
from vsalang.agents.walks import WalkError, WalkStep, format_of, read_walks
from vsalang.base.diagnostics.display import columns
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.language.semantics import load
from vsalang.program.shares import Share
from vsalang.screen.tree import DumpError, Tree, load_tree, unpack
from vsalang.screen.tree.source import read_bytes
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, read
from vsalang.tools.cli.demo import DEMOS, Demo, examples
from vsalang.tools.cli.progress import telling

_NAMES: Final = ("reduction", "kinds", "delta", "contracts", "graph", "memory", "mined", "looks", "planted")
_DEPTH: Final = 4
_SCROLLS: Final = frozenset({"scroll", "swipe"})
_GESTURES: Final = frozenset({"tap", "long_press", "swipe", "scroll"})


@dataclass(frozen=True, slots=True)
class ContractsOptions:
    """What is measured, on which data."""

    data: Path = argument("DATA")
    only: tuple[str, ...] = option("--only", choices=_NAMES, default=(), help="Only this part; repeatable.")
    labels: Path | None = option(
        "--labels",
        metavar="FILE.tsv",
        help="What kinds a person gave controls: lines of dump (first 16 digits of its SHA-256), name, kind.",
    )
    strict: bool = flag("--strict", help="Exit with 1 if a figure is not as wanted.")


@frame.as_command("text", "json")
def contracts(options: ContractsOptions) -> Report:
    """Measure controls, contracts, memory and mining on recorded data, and print the figures next to the wanted ones.

    DATA is a folder with UI dumps (.xml, .xml.gz), runs of DroidBot (folders), and walks of DroidTask (.jsonl), in
    whatever folders. What is not there is not measured. The simulated phones of vsalang need no data.

    Exit status: 0 measured, 1 a figure is not as wanted (with --strict), 2 there is nothing to measure, or what there
    is cannot be read.
    """
    if not options.data.is_dir():
        raise Failure(f"{options.data} is not a folder", "name the folder that holds dumps, runs or walks")
    found = _Data(options.data, options.labels)
    rows: list[Row] = []
    skipped: list[tuple[str, str]] = []
    parts = [part for part in _PARTS if not options.only or part in options.only]
    with telling() as tell:
        for part in parts:
            tell(f"measuring {part} ...")
            measured, why = _PARTS[part](found, tell)
            rows += measured
            if why:
                skipped.append((part, why))
    if not rows:
        listed = "; ".join(f"{part}: {why}" for part, why in skipped)
        raise Failure(f"there is nothing to measure in {options.data}", listed)
    below = missed(rows)
    return Result(
        lambda: _as_data(rows, skipped),
        lambda style: _as_text(rows, skipped, style.color).removesuffix("\n").split("\n"),
        EXIT_FINDINGS if options.strict and below else EXIT_OK,
    )


# ---------------------------------------------------------------- what there is


class _Data:
    """What a folder holds, found once.

    Raises:
        Failure: something in it cannot be read.
    """

    def __init__(self, folder: Path, labels: Path | None) -> None:
        self.folder = folder
        self.labels = labels

    @cached_property
    def places(self) -> tuple[list[Path], list[Path], list[Path]]:
        """Files of dumps, folders of DroidBot, files of DroidTask."""
        dumps: list[Path] = []
        runs: list[Path] = []
        walks: list[Path] = []
        pending = [(self.folder, 0)]
        while pending:
            folder, depth = pending.pop()
            try:
                if format_of(folder) == "droidbot":
                    runs.append(folder)
                continue  # another walk: its files are not dumps
            except WalkError:
                pass
            for path in sorted(folder.iterdir()):
                if path.is_dir() and depth < _DEPTH:
                    pending.append((path, depth + 1))
                elif path.name.endswith((".xml", ".xml.gz")):
                    dumps.append(path)
                elif path.name.endswith((".jsonl", ".jsonl.gz")) and _is_droidtask(path):
                    walks.append(path)
        return sorted(dumps), sorted(runs), sorted(walks)

    @cached_property
    def dumps(self) -> list[tuple[str, bytes]]:
        """The dumps, unpacked."""
        return [(str(path), unpack(read_bytes(path))) for path in self.places[0]]

    def trees(self) -> Iterator[Tree]:
        """The trees of the dumps, new ones each time."""
        for name, data in self.dumps:
            try:
                yield load_tree(data, name=name)
            except DumpError as error:
                raise Failure(str(error)) from error

    @cached_property
    def runs(self) -> list[list[Passage]]:
        """The steps of each run of DroidBot."""
        try:
            return [[step for walk in read_walks(run) for step in passed(walk)] for run in self.places[1]]
        except WalkError as error:
            raise Failure(str(error)) from error

    @cached_property
    def walks(self) -> list[list[list[WalkStep]]]:
        """The walks of each app, each as its steps."""
        try:
            return [
                [
                    [walk.taken(index, f"app.{walk.app or 'recorded'}") for index in range(len(walk.steps))]
                    for walk in read_walks(path)
                ]
                for path in self.places[2]
            ]
        except WalkError as error:
            raise Failure(str(error)) from error


def _is_droidtask(path: Path) -> bool:
    try:
        return format_of(path) == "droidtask"
    except WalkError:
        return False


# ---------------------------------------------------------------- the parts

_Tell = Callable[[str], None]
_Measured = tuple[Sequence["Row"], str]
_NO_DUMPS: Final = "no UI dumps (.xml)"
_NO_RUNS: Final = "no runs of DroidBot"
_NO_WALKS: Final = "no walks of DroidTask"


def _reduction(data: _Data, tell: _Tell) -> _Measured:
    if not data.dumps:
        return (), _NO_DUMPS
    found = reduction(data.trees())
    rows = [Row("reduction", "nodes left out at level units", found.saved("units"), wanted=0.65)]
    rows.append(number("reduction", "visible nodes that can be acted on, lost", found.lost, 0, "is"))
    rows.append(time_row("reduction", "controls of a screen, median", found.times, 5))
    return rows, ""


def _kinds(data: _Data, tell: _Tell) -> _Measured:
    if data.labels is None:
        return (), "no labels (--labels FILE.tsv)"
    wanted = _labels(data.labels)
    pairs = (
        (tree, mine)
        for (_, raw), tree in zip(data.dumps, data.trees(), strict=True)
        if (mine := wanted.pop(hashlib.sha256(raw).hexdigest()[:16], None)) is not None
    )
    found = kinds_as_labelled(pairs)
    if not found.of:
        return (), "none of the labelled dumps is there"
    return [share("kinds", "as a person labelled them", found)], ""


def _labels(path: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for place, line in enumerate(read(str(path)).text.splitlines(), 1):
        fields = line.split("\t")
        if len(fields) != 3:
            raise Failure(f"{path}, line {place}: a label is dump, name and kind, with tabs between them")
        if fields != ["dump", "unit", "kind"]:
            found.setdefault(fields[0], {})[fields[1]] = fields[2]
    return found


def _delta(data: _Data, tell: _Tell) -> _Measured:
    rows = []
    if data.dumps:
        rows.append(time_row("delta", "of two screens, median", delta_times(_neighbours(data.trees)), 5))
        certified = certificate_times(_neighbours(data.trees))
        rows.append(time_row("delta", "certificate with its delta, median", certified, 5))
    if data.runs:
        steps = (
            (step.before.tree, step.after.tree, step.action.name in _SCROLLS)
            for run in data.runs
            for step in run
        )
        rows.append(share("delta", "NoChange exactly where the recorder says so", as_recorded(steps), 0.998))
    return rows, "" if rows else f"{_NO_DUMPS}, and {_NO_RUNS}"


def _neighbours(trees: Callable[[], Iterator[Tree]]) -> Iterator[tuple[Tree, Tree]]:
    """Each screen and the one after it, both as a session has them: nothing was computed of them before."""
    following = trees()
    next(following)
    yield from zip(trees(), following, strict=False)


def _contracts(data: _Data, tell: _Tell) -> _Measured:
    found = Experiment(0, ())
    for place, walks in enumerate(data.walks, 1):
        tell(f"measuring contracts, app {place} of {len(data.walks)} ...")
        found += experiment(walks)
    return (list(contract_rows(found)), "") if found.steps else ((), _NO_WALKS)


def _looks(data: _Data, tell: _Tell) -> _Measured:
    asked = total = 0
    for place, walks in enumerate(data.walks, 1):
        tell(f"measuring looks, app {place} of {len(data.walks)} ...")
        found = looks_needed(walks)
        asked, total = asked + found.hits, total + found.of
    if not total:
        return (), _NO_WALKS
    return [share("looks", "right steps that would need a look", Share(asked, total), 0.03, "at most")], ""


def _memory(data: _Data, tell: _Tell) -> _Measured:
    found = measure([step for step in run if step.action.name in _GESTURES] for run in data.runs)
    if not found.gestures:
        return (), _NO_RUNS
    return [
        share("memory", '"nothing will change" is right', Share(found.true, found.nothing), 0.98),
        share(
            "memory", "gestures of which memory tells what will be", Share(found.told, found.gestures), 0.75
        ),
    ], ""


def _mined(data: _Data, tell: _Tell) -> _Measured:
    return (list(mined_rows(figures(data.runs, Least()))), "") if data.runs else ((), _NO_RUNS)


def _graph(data: _Data, tell: _Tell) -> _Measured:
    right = total = 0
    for name, demo in DEMOS.items():
        tell(f"measuring graph, {name} ...")
        found = _admitted(name, demo)
        right, total = right + found.hits, total + found.of
    return [share("graph", "touches of right runs that the graph admits", Share(right, total), 1.0)], ""


def _admitted(name: str, demo: Demo) -> Share:
    """What the graph admits of the recorded agent of an example, on its simulated phone."""
    policies = [examples() / f"{demo.policy}.vsa"] if demo.policy else []
    loaded = load(examples() / f"{name}.vsa", policies=policies)
    agent = ScriptedAgent.read(examples() / f"{name}.agent.jsonl", loaded.checked())
    with tempfile.TemporaryDirectory(prefix="vsalang-") as folder:
        chosen = SessionOptions(app=demo.package, journal=Path(folder) / "journal.jsonl")
        with open_guarded(loaded, demo.device, chosen) as session:
            session.guard.observe(session.look())
            return admitted(
                session.guard,
                [proposed.action for proposed in agent],
                lambda action: session.step(action).performed,
            )


def _planted(data: _Data, tell: _Tell) -> _Measured:
    return list(planted_rows(planted())), ""


_PARTS: Final[Mapping[Part, Callable[[_Data, _Tell], _Measured]]] = {
    "reduction": _reduction,
    "kinds": _kinds,
    "delta": _delta,
    "contracts": _contracts,
    "graph": _graph,
    "memory": _memory,
    "mined": _mined,
    "looks": _looks,
    "planted": _planted,
}


# ---------------------------------------------------------------- how it is told


def _as_text(rows: Sequence[Row], skipped: Sequence[tuple[str, str]], color: bool) -> str:
    cells = [(row.part, row.what, _value(row), _counts(row), _wanted(row)) for row in rows]
    head = ("part", "figure", "measured", "", "wanted")
    widths = [max(columns(line[n]) for line in (head, *cells)) for n in range(len(head))]
    lines = []
    for index, line in enumerate((head, *cells)):
        padded = [cell + " " * (width - columns(cell)) for cell, width in zip(line, widths, strict=True)]
        padded[2] = " " * (widths[2] - columns(line[2])) + line[2]
        reached = rows[index - 1].reached if index else None
        if color and reached is not None:
            padded[2] = click.style(padded[2], fg="green" if reached else "red")
        mark = "" if reached is not False else "  MISSED"
        lines.append("  ".join(padded).rstrip() + mark)
    lines += [f"not measured: {part} ({why})" for part, why in skipped]
    return "\n".join(lines) + "\n"


def _value(row: Row) -> str:
    if row.value is None:
        return "-"
    if row.unit == "ms":
        return f"{row.value:.2f} ms"
    return f"{row.value:.0f}" if row.unit else f"{100 * row.value:.1f} %"


def _counts(row: Row) -> str:
    return "" if row.counts is None else f"{row.counts[0]} of {row.counts[1]}"


def _wanted(row: Row) -> str:
    if row.wanted is None:
        return ""
    bound = f"{row.wanted:g} {row.unit}" if row.unit == "ms" else f"{row.wanted:g}"
    if not row.unit:
        bound = f"{100 * row.wanted:g} %"
    return bound if row.how == "is" else f"{row.how} {bound}"


def _as_data(rows: Sequence[Row], skipped: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {
        "version": 1,
        "figures": [
            {
                "part": row.part,
                "what": row.what,
                "value": row.value,
                "unit": row.unit or "share",
                "hits": row.counts[0] if row.counts else None,
                "of": row.counts[1] if row.counts else None,
                "wanted": row.wanted,
                "how": row.how if row.wanted is not None else None,
                "reached": row.reached,
            }
            for row in rows
        ],
        "not_measured": [{"part": part, "why": why} for part, why in skipped],
    }
