"""Runs Fast Downward (Helmert 2006, JAIR 26) on a PDDL problem, in processes of its own with limits.

Fast Downward is under the GPL, so it is never imported: its translator and its search are programs that read and write
files of a folder that is removed afterwards.
"""

import contextlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.text import line

MEGABYTES: Final = 2048
"""Memory that each of the two programs may have, if nobody says it."""
_MAX_PLAN: Final = 10_000_000
_GRACE: Final = 2.0
_UNSOLVABLE: Final = (10, 11, 12)
_NO_MEMORY: Final = (20, 22)
_NO_TIME: Final = (21, 23, 24)

# The limits are set by the process itself, before it becomes the program: nothing runs without them.
_LIMITED: Final = """
import os, resource, sys
size, seconds = int(sys.argv[1]), int(sys.argv[2])
for what, most in ((resource.RLIMIT_AS, size), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, size),
                   (resource.RLIMIT_CORE, 0)):
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))
os.execv(sys.argv[3], sys.argv[3:])
"""

Steps = tuple[tuple[str, ...], ...]
"""A plan: for each step the operator and its arguments."""


class NotInstalled(Exception):
    """Fast Downward is not installed; the message says what is missing."""


class PlannerError(Exception):
    """The planner did not come to an end: no time or memory was left, or it stopped with an error."""


@dataclass(frozen=True, slots=True)
class PlannerResult:
    """What the planner found.

    Attributes:
        steps: a cheapest plan; None: there is none.
        cost: what it costs.
        seconds: how long it took, with the start of its processes.
    """

    steps: Steps | None
    cost: int
    seconds: float


def installed() -> None:
    """Make sure that both programs are there.

    Raises:
        NotInstalled: one is not.
    """
    _search()
    _translator()


def solve(domain: str, problem: str, *, seconds: float = 60.0, megabytes: int = MEGABYTES) -> PlannerResult:
    """A cheapest plan.

    The search is A*, with the landmark-cut heuristic (Helmert and Domshlak 2009); where effects have conditions with
    h-max, and where conditions need derived predicates without a heuristic: only so the plan is sure to be a cheapest.

    Args:
        seconds: for all of it.
        megabytes: memory of each process.

    Raises:
        NotInstalled: Fast Downward is not.
        PlannerError: it found no answer within these limits, or stopped with an error.
    """
    search, translator = _search(), _translator()
    begun = time.monotonic()
    end = begun + seconds
    with tempfile.TemporaryDirectory(prefix="vsalang-pddl-") as folder:
        place = Path(folder)
        (place / "domain.pddl").write_text(domain, encoding="ascii")
        (place / "problem.pddl").write_text(problem, encoding="ascii")
        status = _run(
            [sys.executable, "-I", "-m", translator, "domain.pddl", "problem.pddl", "--sas-file", "task.sas"],
            place,
            end,
            megabytes,
        )
        task = place / "task.sas"
        if _none(status, place):
            return PlannerResult(None, 0, time.monotonic() - begun)
        if not task.exists():
            raise PlannerError("the translator of the planner wrote no task")
        how = _heuristic(task.read_text(encoding="utf-8"))
        status = _run(
            [search, "--search", f"astar({how}())", "--internal-plan-file", "plan"],
            place,
            end,
            megabytes,
            task,
        )
        if _none(status, place):
            return PlannerResult(None, 0, time.monotonic() - begun)
        steps, cost = _read(place / "plan")
        return PlannerResult(steps, cost, time.monotonic() - begun)


def _search() -> str:
    spec = importlib.util.find_spec("up_fast_downward")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    for folder in folders:
        program = Path(folder, "downward", "builds", "release", "bin", "downward")
        if program.is_file() and os.access(program, os.X_OK):
            return str(program)
    raise NotInstalled("Fast Downward (up-fast-downward)")


def _translator() -> str:
    try:
        spec = importlib.util.find_spec("fast_downward.translate")
    except ModuleNotFoundError:
        spec = None
    if spec is None:
        raise NotInstalled("the translator of Fast Downward (fast-downward.translate)")
    return "fast_downward.translate"


def _run(command: Sequence[str], folder: Path, end: float, megabytes: int, stdin: Path | None = None) -> int:
    """The exit status of a program that runs in a folder, with limits; all its processes have ended.

    Raises:
        PlannerError: the time is up.
    """
    left = end - time.monotonic()
    if left <= 0:
        raise PlannerError("the time was not enough for the planner")
    limited = [sys.executable, "-I", "-S", "-c", _LIMITED, str(megabytes << 20), str(int(left) + 2), *command]
    with contextlib.ExitStack() as files:
        output = files.enter_context((folder / "said").open("wb"))
        source = files.enter_context(stdin.open("rb")) if stdin is not None else subprocess.DEVNULL
        process = subprocess.Popen(
            limited,
            cwd=folder,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            stdin=source,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            return process.wait(timeout=left)
        except subprocess.TimeoutExpired as error:
            raise PlannerError("the time was not enough for the planner") from error
        finally:  # also when the user interrupts
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_GRACE)


def _none(status: int, folder: Path) -> bool:
    """Whether there is no plan.

    Raises:
        PlannerError: the program stopped for another reason.
    """
    if status == 0:
        return False
    if status in _UNSOLVABLE:
        return True
    message = (folder / "said").read_bytes()[-4000:].decode("utf-8", "replace")
    if status in _NO_MEMORY or "MemoryError" in message or "bad_alloc" in message:
        raise PlannerError("the memory was not enough for the planner")
    if status in _NO_TIME or status == -signal.SIGXCPU:
        raise PlannerError("the time was not enough for the planner")
    if status < 0:
        raise PlannerError(f"the planner was killed (signal {-status})")
    last = next((text for text in reversed(message.splitlines()) if text.strip()), "it said nothing")
    raise PlannerError(f"the planner stopped (exit status {status}): {line(last, 200)}")


def _heuristic(task: str) -> str:
    """The best admissible heuristic for what a task uses; the format: fast-downward.org, TranslatorOutputFormat."""
    if "begin_rule" in task:
        return "blind"
    for block in re.findall(r"begin_operator\n(.*?)\nend_operator", task, re.DOTALL):
        lines = block.split("\n")
        effects = lines[int(lines[1]) + 3 : -1]
        if any(not each.startswith("0 ") for each in effects):
            return "hmax"
    return "lmcut"


def _read(path: Path) -> tuple[Steps, int]:
    if path.stat().st_size > _MAX_PLAN:
        raise PlannerError("the plan is too long to be read")
    text = path.read_text(encoding="utf-8")
    steps = tuple(tuple(each[1:-1].split()) for each in text.splitlines() if each.startswith("("))
    match = re.search(r"^; cost = (\d+)", text, re.MULTILINE)
    if match is None:
        raise PlannerError("the planner wrote no plan that can be read")
    return steps, int(match[1])
