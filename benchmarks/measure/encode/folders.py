"""Reads the folders of an evaluation: two instructions, their gold specs with tests, and what must be found.

A folder holds ``meta.json``, ``spec1.vsa``, ``spec2.vsa``, and the app modules that they import, unless these come with
vsalang and ``meta.json`` names them. benchmarks/measure/encode.md describes it for users.
"""

import datetime as dt
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from benchmarks.measure.encode.gold import Counting, steps_by
from vsalang.base.config import config_for
from vsalang.base.records import dataclass
from vsalang.base.source import SourceError
from vsalang.base.source.opening import read_regular
from vsalang.guard.examples import DEFAULT_CLOCK
from vsalang.language.semantics import Loaded, load
from vsalang.models.encode.moment import Moment, MomentError
from vsalang.program.example import Example

GOLD: Final = ("spec1.vsa", "spec2.vsa")
META: Final = "meta.json"
_LARGEST_META: Final = 256 * 1024
_LONGEST_NAME: Final = 100
_NEEDED: Final = ("name", "instruction1", "instruction2", "contradictory")
_OPTIONAL: Final = ("deadline", "apps", "run", "today", "zone", "locale")
_DEADLINE: Final = re.compile(r"//[ \t]*deadline\b[ \t]*(?P<number>[^\s/]*)")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a folder.

    Attributes:
        file: where; `line` is 0 if it is about the whole file or folder.
    """

    file: str
    line: int
    message: str
    help: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}"


class FoldersError(Exception):
    """Folders that cannot be used, with all that is wrong with them, and the cases that can."""

    def __init__(self, faults: Sequence[Fault], rest: "Sequence[Case]" = ()) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = tuple(faults)
        self.rest = tuple(rest)


class _Unusable(Exception):
    def __init__(self, *faults: Fault) -> None:
        super().__init__()
        self.faults = faults


@dataclass(frozen=True)
class Case:
    """Two instructions about the same apps, and one run: that of the first.

    Attributes:
        name: unlike those of the other cases.
        instructions: the two; the second is contradicted by the run, or not.
        deadline: the step of the run by which a right spec of the second instruction objects; None: it never does.
        run: the right run of the first instruction: a test of its gold spec.
        apps: files, or names of modules that come with vsalang; `modules` are the names of all of them.
        search: further folders in which imports are looked for.
        moment: when the instructions are given: the first clock of the run.
        gold: the gold specs, which no model ever sees.
    """

    name: str
    folder: Path
    instructions: tuple[str, str]
    deadline: int | None
    run: Example
    apps: tuple[str | Path, ...]
    modules: tuple[str, ...]
    search: tuple[Path, ...]
    moment: Moment
    gold: tuple[Loaded, Loaded]

    @property
    def app(self) -> str:
        """What the case is counted under: its apps."""
        return " + ".join(app if isinstance(app, str) else app.stem for app in self.apps)

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests of the texts of the apps, and of all that they import."""
        first = self.gold[0]
        return tuple(sorted(source.digest for name, source in first.sources.items() if name != first.file))


def read_cases(places: Iterable[Path], counting: Counting = "turns") -> tuple[Case, ...]:
    """The cases in folders: each is one itself, or holds folders that are; sorted by app and name.

    Args:
        places: the folders.
        counting: how deadlines count the steps of the run.

    Raises:
        FoldersError: something in a folder is wrong, or there is no case; it has the cases in which nothing is.
    """
    cases: list[Case] = []
    faults: list[Fault] = []
    for place in places:
        try:
            folders = _folders(place)
        except OSError as error:
            faults.append(Fault(str(place), 0, (error.strerror or str(error)).lower()))
            continue
        if not folders:
            faults.append(Fault(str(place), 0, f"there is no folder with a {META} here", "name one that has"))
        for folder in folders:
            try:
                cases.append(_case(folder, counting))
            except _Unusable as unusable:
                faults += unusable.faults
    seen: dict[str, Case] = {}
    for case in cases:
        other = seen.setdefault(case.name, case)
        if other is not case:
            faults.append(Fault(str(case.folder / META), 0, f"{other.folder} has the name {case.name!r} too"))
    found = tuple(sorted(seen.values(), key=lambda case: (case.app, case.name)))
    if faults:
        raise FoldersError(faults, found)
    return found


def _folders(place: Path) -> list[Path]:
    if _is_case(place):
        return [place]
    return [
        each for each in sorted(place.iterdir()) if each.name[0] != "." and each.is_dir() and _is_case(each)
    ]


def _is_case(folder: Path) -> bool:
    return any((folder / name).exists() for name in (META, *GOLD))


# ---------------------------------------------------------------- one folder


def _case(folder: Path, counting: Counting) -> Case:
    meta = _Meta.read(folder / META)
    search = config_for(folder / META).search
    faults = list(meta.faults)
    gold: list[Loaded] = []
    for name in GOLD:
        try:
            gold.append(_gold(folder / name, search))
        except _Unusable as unusable:
            faults += unusable.faults
    try:
        apps = _apps(folder, meta, search)
    except _Unusable as unusable:
        faults += unusable.faults
    if faults:
        raise _Unusable(*faults)
    first, second = gold
    for file, loaded in zip(GOLD, gold, strict=True):
        faults += _imports(folder / file, loaded, apps)
    run = next((example for example in first.own if meta.run in ("", example.name)), None)
    if run is None:
        raise _Unusable(meta.fault("run", f"no test of {GOLD[0]} is called {meta.run!r}"))
    deadline, wrong = _deadline(folder / GOLD[1], second, meta, steps_by(run, counting))
    faults += wrong
    if faults:
        raise _Unusable(*faults)
    return Case(
        meta.name,
        folder,
        meta.instructions,
        deadline,
        run,
        tuple(apps.values()),
        tuple(apps),
        search,
        meta.moment(run),
        (first, second),
    )


def _gold(place: Path, search: tuple[Path, ...]) -> Loaded:
    """A gold spec without errors.

    Raises:
        _Unusable: it has some, is not a spec, or holds no test.
    """
    if not place.exists():
        raise _Unusable(Fault(str(place.parent), 0, f"it holds no {place.name}"))
    try:
        loaded = load(place, search=search)
    except (SourceError, OSError) as error:
        raise _Unusable(Fault(str(place), 0, str(error))) from error
    if loaded.program is None:
        raise _Unusable(_broken(place, loaded))
    kind = loaded.program.modules[loaded.main].kind
    if kind != "spec":
        raise _Unusable(Fault(str(place), 1, f"it is of kind {kind}, not a spec"))
    if not loaded.own:
        raise _Unusable(Fault(str(place), 0, "it holds no test: its tests are the gold"))
    return loaded


def _broken(place: Path, loaded: Loaded) -> Fault:
    """The first error of a module."""
    first = loaded.errors[0]
    source = loaded.sources.get(first.span.file) if first.span is not None else None
    if source is None or first.span is None:
        return Fault(str(place), 0, f"{first.message} [{first.code}]", first.help or "")
    line = source.position(first.span.start).line
    return Fault(str(source.path or place), line, f"{first.message} [{first.code}]", first.help or "")


def _apps(folder: Path, meta: "_Meta", search: tuple[Path, ...]) -> dict[str, str | Path]:
    """The apps by the names of their modules.

    Raises:
        _Unusable: there is none, or something else than apps lies next to the gold.
    """
    files = tuple(sorted(each for each in folder.glob("*.vsa") if each.name not in GOLD))
    if not files and not meta.apps:
        raise _Unusable(
            Fault(
                str(folder),
                0,
                "it holds no app module",
                f"put one in, or name shipped ones under `apps` in {META}",
            )
        )
    apps: dict[str, str | Path] = dict(zip(meta.apps, meta.apps, strict=True))
    for file in files:
        loaded = load(file, search=search)
        if loaded.program is None:
            raise _Unusable(_broken(file, loaded))
        kind = loaded.program.modules[loaded.main].kind
        if kind == "module":
            continue  # an app imports it
        if kind != "app":
            raise _Unusable(
                Fault(str(file), 1, f"it is of kind {kind}: next to the gold only apps may lie here")
            )
        apps[loaded.main] = file
    return apps


def _imports(place: Path, loaded: Loaded, modules: Collection[str]) -> Iterator[Fault]:
    """Imports that a model is not told of: what they give, its spec could not use."""
    for name in loaded.checked().modules[loaded.main].imports:
        if name not in modules and not name.startswith("std."):
            help = f"name it under `apps` in {META}, or put it here"
            yield Fault(str(place), 0, f"it imports {name}, which is not an app of this case", help)


def _deadline(
    place: Path, loaded: Loaded, meta: "_Meta", steps: Sequence[int]
) -> tuple[int | None, list[Fault]]:
    """The turn of the deadline that spec 2 and meta.json give, and what is wrong with it."""
    source = loaded.sources[loaded.file]
    marks: list[tuple[int, int]] = []
    for number in range(1, source.line_count + 1):
        mark = _DEADLINE.search(source.line(number))
        if mark is None:
            continue
        if not re.fullmatch(r"[1-9]\d{0,5}", mark["number"]):
            fault = Fault(str(place), number, "a deadline is a number of a step, from 1: `// deadline 3`")
            return None, [fault]
        marks.append((number, int(mark["number"])))
    if len({number for _, number in marks}) > 1:
        return None, [Fault(str(place), marks[1][0], "there is another deadline in this file")]
    if not meta.contradictory:
        faults = (
            [Fault(str(place), marks[0][0], f"{META} says that nothing is contradictory")] if marks else []
        )
        if meta.deadline is not None:
            faults.append(meta.fault("deadline", "there is one, and `contradictory` is false"))
        return None, faults
    if not marks and meta.deadline is None:
        return None, [meta.fault("contradictory", f"no deadline here or in {GOLD[1]} (`// deadline 3`)")]
    if marks and meta.deadline is not None and marks[0][1] != meta.deadline:
        message = f"the deadline is {marks[0][1]} here and {meta.deadline} in {META}"
        return None, [Fault(str(place), marks[0][0], message)]
    deadline = marks[0][1] if marks else meta.deadline
    assert deadline is not None
    if deadline > len(steps):
        message = f"the deadline is {deadline}, and the run has {len(steps)} steps"
        return None, [Fault(str(place), marks[0][0], message) if marks else meta.fault("deadline", message)]
    return steps[deadline - 1], []


def _line(loaded: Loaded, offset: int) -> int:
    return loaded.sources[loaded.file].position(offset).line


# ---------------------------------------------------------------- meta.json


@dataclass(frozen=True)
class _Meta:
    """What stands in a meta.json."""

    place: Path
    text: str
    data: Mapping[str, Any]
    faults: tuple[Fault, ...]

    @classmethod
    def read(cls, place: Path) -> "_Meta":
        """A file that is one JSON object; what else is wrong is in `faults`.

        Raises:
            _Unusable: it is not.
        """
        try:
            text = read_regular(place, _LARGEST_META).decode("utf-8-sig")
            data = json.loads(text, object_pairs_hook=_once)
        except FileNotFoundError as error:
            raise _Unusable(Fault(str(place.parent), 0, f"it holds no {META}")) from error
        except OSError as error:
            raise _Unusable(Fault(str(place), 0, (error.strerror or str(error)).lower())) from error
        except UnicodeDecodeError as error:
            raise _Unusable(Fault(str(place), 0, "it is not valid UTF-8")) from error
        except json.JSONDecodeError as error:
            raise _Unusable(
                Fault(str(place), error.lineno, f"it is not JSON: {error.msg.lower()}")
            ) from error
        except (RecursionError, ValueError) as error:
            raise _Unusable(Fault(str(place), 0, f"it cannot be read: {error}")) from error
        if not isinstance(data, dict):
            raise _Unusable(Fault(str(place), 1, "it is not a JSON object"))
        meta = cls(place, text, data, ())
        return cls(place, text, data, tuple(meta._wrong()))

    def _wrong(self) -> Iterator[Fault]:
        others = [key for key in self.data if key not in (*_NEEDED, *_OPTIONAL)]  # notes of their author
        for key in _NEEDED:
            if key not in self.data:
                near = get_close_matches(key, others, 1)
                hint = f" (is {near[0]!r} misspelt?)" if near else ""
                yield Fault(str(self.place), 0, f"the key {key!r} is missing{hint}")
        for key in ("name", "instruction1", "instruction2", "run", "today", "zone", "locale"):
            value = self.data.get(key, "-")
            if not isinstance(value, str) or not value.strip() or not value.replace("\n", " ").isprintable():
                yield self.fault(key, f"{key!r} is not a text that can be printed")
        if isinstance(self.data.get("name"), str) and len(self.data["name"]) > _LONGEST_NAME:
            yield self.fault("name", f"the name is longer than {_LONGEST_NAME} characters")
        if not isinstance(self.data.get("contradictory", True), bool):
            yield self.fault("contradictory", "'contradictory' is neither true nor false")
        number = self.data.get("deadline")
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
            yield self.fault("deadline", "'deadline' is not a number of a step, from 1 (or null)")
        apps = self.data.get("apps", [])
        if not isinstance(apps, list) or not all(isinstance(app, str) and app for app in apps):
            yield self.fault("apps", "'apps' is not a list of names such as \"apps.settings\"")
        try:
            self.moment(None)
        except MomentError as error:
            yield self.fault("today", str(error))
        except TypeError:
            pass  # no text: that was said

    def fault(self, key: str, message: str, help: str = "") -> Fault:
        """A fault of the value of this key."""
        lines = self.text.splitlines()
        line = next((n for n, each in enumerate(lines, 1) if json.dumps(key) in each), 0)
        return Fault(str(self.place), line, message, help)

    @property
    def name(self) -> str:
        return str(self.data["name"])

    @property
    def instructions(self) -> tuple[str, str]:
        return str(self.data["instruction1"]), str(self.data["instruction2"])

    @property
    def contradictory(self) -> bool:
        return bool(self.data["contradictory"])

    @property
    def deadline(self) -> int | None:
        number = self.data.get("deadline")
        return int(number) if number is not None else None

    @property
    def apps(self) -> tuple[str, ...]:
        return tuple(self.data.get("apps", ()))

    @property
    def run(self) -> str:
        return str(self.data.get("run", ""))

    def moment(self, run: Example | None) -> Moment:
        """When the instructions are given: as the file says, else at the first clock of the run."""
        clocks = [turn.clock for turn in run.turns if turn.clock is not None] if run is not None else []
        clock = clocks[0] if clocks and clocks[0].date() != dt.date.min else DEFAULT_CLOCK
        today = self.data.get("today") or clock.isoformat()
        return Moment.of(today, self.data.get("zone"), self.data.get("locale", "en_US"))


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _ in pairs if [name for name, _ in pairs].count(key) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return found
