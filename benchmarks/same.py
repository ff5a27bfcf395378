"""Are verdicts, reasons, worlds and journals the same as in another checkout, byte for byte?

    .venv/bin/python -m benchmarks.same ../other [--only walks] [--sessions 2000]

Both checkouts do the same and write a digest for each session: the stories of what ships and of the tests, `--sessions`
random sessions, and the recorded walks of DroidTask under three programs (left out without the data). Each is gone
through twice: with a recorder, which writes a journal, and without, where what was answered is read after the session
has ended. The first part that differs is named; `--show NAME` prints what a session is made of, in this checkout.

What a journal says of the time that judging took, of the clock of the machine and of the chain of hashes is left out.
"""

import argparse
import dataclasses
import datetime as dt
import hashlib
import importlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent.parent
ROOT: Final = Path(os.environ["VSALANG_CHECKOUT"]) if "--here" in sys.argv else HERE
"""The checkout that is asked, with its own files; the questions are those of this one."""
if ROOT != HERE:
    sys.path.insert(0, str(ROOT))

from benchmarks.seeing import pages  # noqa: E402
from benchmarks.seeing.trees import Page, printed  # noqa: E402
from vsalang.agents import walks  # noqa: E402
from vsalang.guard import Guard, NotAllowed, Proposal, Settings  # noqa: E402
from vsalang.guard.examples import DEFAULT_CLOCK, Story, StoryClock  # noqa: E402
from vsalang.guard.journal import Journal, Recorder  # noqa: E402
from vsalang.guard.world.fact_screen import FactScreen  # noqa: E402
from vsalang.language.semantics import load, load_text  # noqa: E402
from vsalang.program.action import Action  # noqa: E402
from vsalang.program.example import Example, Turn  # noqa: E402
from vsalang.program.ir import Program  # noqa: E402
from vsalang.screen.screen import TreeScreen  # noqa: E402
from vsalang.screen.tree import load_tree  # noqa: E402
from vsalang.tools.cli.common import shipped_modules  # noqa: E402

WALKS: Final = HERE.parent / "shared" / "data" / "trajectories" / "droidtask"
EXAMPLES: Final = ROOT / "app_specs" / "examples"
FOLDERS: Final = ("tests/programs/right", "tests/guard/stories", "app_specs", "stdlib")
ALL: Final = "std.policies.all"
_LEFT_OUT: Final = frozenset({"took", "steady", "words"})
_OF_RECORDS: Final = frozenset({"at", "hash", "prev"})
"""What a record says of the machine's clock, and of the records before it."""
_NOON: Final = dt.datetime(2026, 4, 1, 12)

Parts = list[tuple[str, Any]]
"""What a session is made of, in order, each with its name."""


# ---------------------------------------------------------------------- what is compared


def plain(value: Any) -> Any:
    """A value in a form that says nothing of how it is kept."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.name not in _LEFT_OUT]
        return [type(value).__name__, *([name, plain(getattr(value, name))] for name in names)]
    if isinstance(value, Mapping):
        return sorted(([plain(name), plain(one)] for name, one in value.items()), key=repr)
    if isinstance(value, frozenset | set):
        return sorted(map(plain, value), key=repr)
    if isinstance(value, tuple | list):
        return list(map(plain, value))
    if isinstance(value, str):
        return _placed(str(value))
    return value if value is None or type(value) in (str, int, bool) else repr(value)


def _placed(text: str) -> str:
    """A text in which files are named as from the root of the checkout."""
    return text.replace(f"{ROOT}/", "")


def world(guard: Guard) -> Any:
    """What a guard believes, and what it keeps account of."""
    state = guard.snapshot
    tables = {
        name: [
            sorted(state.world.rows(name), key=repr),
            table.complete,
            table.tops,
            table.ends,
        ]
        for name, table in state.world.tables.items()
        if table.rows or table.complete or table.tops or table.ends
    }
    charges = [(charge.grant, charge.commit, charge.outcome, charge.returned) for charge in state.ledger]
    others = (state.screens, state.screens_given, state.points, state.windows, state.typing, state.unseen)
    return plain((tables, charges, *others[:-1], len(others[-1])))


def journal_of(path: Path) -> list[Any]:
    """The records of a journal."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: bare(one) for name, one in value.items() if name not in _LEFT_OUT}
        if isinstance(value, list):
            return list(map(bare, value))
        return _placed(value) if isinstance(value, str) else value

    records = [bare(json.loads(line)) for line in path.read_bytes().splitlines()]
    return [{name: one for name, one in record.items() if name not in _OF_RECORDS} for record in records]


class Kept:
    """A session while it goes on: what was answered, read at once or at the end."""

    def __init__(self, late: bool) -> None:
        self.late = late
        self.parts: Parts = []
        self.held: list[tuple[int, Any]] = []

    def add(self, name: str, value: Any) -> None:
        """Keep what was answered."""
        if self.late:
            self.held.append((len(self.parts), value))
        self.parts.append((name, None if self.late else plain(value)))

    def say(self, name: str, value: Any) -> None:
        """Keep what does not change."""
        self.parts.append((name, value))

    def end(self) -> Parts:
        """Everything."""
        for place, value in self.held:
            self.parts[place] = (self.parts[place][0], plain(value))
        return self.parts


def recorded(session: Callable[[Kept, Any], None]) -> Parts:
    """A session without a recorder, and with one; what it is made of."""
    kept = Kept(late=True)
    session(kept, None)
    parts = [(f"alone, {name}", value) for name, value in kept.end()]
    kept = Kept(late=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        with Journal(path, sync="none", resumable=False) as journal:
            session(kept, Recorder(journal))
        parts += [(f"recorded, {name}", value) for name, value in kept.end()]
        parts += [(f"record {number}", line) for number, line in enumerate(journal_of(path))]
    return parts


# ---------------------------------------------------------------------- sessions


def step(kept: Kept, guard: Guard, proposal: Proposal | Action, look: Callable[[], Any], yes: bool) -> None:
    """Propose, commit what is allowed (or agreed to), and look."""
    verdict = guard.propose(proposal)
    kept.say("level", verdict.level)
    kept.add("verdict", verdict)
    if verdict.allowed or (yes and verdict.level == "confirm"):
        try:
            guard.commit(verdict, approved=yes)
        except NotAllowed as refused:
            kept.say("refused", str(refused))
        else:
            kept.add("observed", look())
            kept.say("world", world(guard))


def stories() -> Iterator[tuple[str, Program, tuple[Example, ...]]]:
    """The programs that have stories, by their files."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.vsa")):
            loaded = load(file)
            if loaded.program is not None and loaded.own:
                yield str(file.relative_to(ROOT)), loaded.program, tuple(loaded.own)


def story(program: Program, example: Example, turns: list[tuple[Turn, bool]]) -> Callable[[Kept, Any], None]:
    """A session of turns of stories; with each whether the user agrees to what is asked."""

    def session(kept: Kept, recorder: Any) -> None:
        clock = StoryClock(DEFAULT_CLOCK)
        task = any(module.kind == "spec" for module in program.modules.values())
        guard = Guard(
            program,
            today=clock.now.date(),
            clock=clock,
            settings=Settings(overrides=None, verdict_life=None, screens_count=False, task=task),
            recorder=recorder,
        )
        told = Story(guard, clock, FactScreen())
        parts = [part for turn in example.turns if turn.kind == "given" for part in turn.parts]
        kept.add("observed", guard.observe(told.screen, seen=told._known_world(parts)))
        for turn, yes in turns:
            try:
                if turn.kind == "clock" and turn.clock is not None:
                    time = turn.clock.time()
                    clock.now = max(clock.now, dt.datetime.combine(clock.now.date(), time))
                elif (
                    turn.kind == "turn"
                    and any(part.kind in ("observe", "observe no", "observe all") for part in turn.parts)
                    and not _proposes(turn)
                ):
                    kept.add("observed", told._observe(turn))
                    kept.say("world", world(guard))
                elif turn.kind == "turn" and _proposes(turn):
                    step(kept, guard, told.proposal(turn), partial(told._observe, turn), yes)
            except Exception as error:  # a story that goes wrong must go wrong alike
                kept.say("error", f"{type(error).__name__}: {error}")

    return session


def _proposes(turn: Turn) -> bool:
    return any(not part.kind.startswith(("observe", "given")) for part in turn.parts)


def of_stories() -> Iterator[tuple[str, Parts]]:
    """Each story as it is written: what is asked is agreed to."""
    for name, program, examples in stories():
        for example in examples:
            turns = [(turn, True) for turn in example.turns]
            yield f"{name}: {example.name}", recorded(story(program, example, turns))


def of_random(sessions: int) -> Iterator[tuple[str, Parts]]:
    """Random sessions: turns of the stories of a program in any order, and gestures on screens of simulated phones."""
    told = list(stories())
    taps = of_phones()
    for number in range(sessions):
        rng = random.Random(number)
        if number % 5 < 3:
            name, program, examples = rng.choice(told)
            pool = [turn for example in examples for turn in example.turns if turn.kind in ("turn", "clock")]
            turns = (
                [(rng.choice(pool), rng.random() < 0.5) for _ in range(rng.randrange(2, 9))] if pool else []
            )
            yield f"random {number}, {name}", recorded(story(program, rng.choice(examples), turns))
        else:
            name, program, shown = rng.choice(taps)
            yield f"random {number}, {name}", recorded(touches(program, shown, number))


def of_phones() -> list[tuple[str, Program, list[Page]]]:
    """Programs with the pages on which they are tried."""
    everything, careful = (_placed(str(path)) for path in (shipped_modules()[ALL], EXAMPLES / "careful.vsa"))
    shown: dict[str, list[Page]] = {}
    for session in pages.own():
        shown.setdefault(session.family, []).extend(session.pages)
    made = []
    for spec, family in (
        ("reserve_r", "restaurant"),
        ("quiet_evening", "settings"),
        ("switch_one", "settings"),
    ):
        for policies in ((), (careful,), (careful,), (careful, everything)):
            program = load(EXAMPLES / f"{spec}.vsa", policies=list(policies)).checked()
            made.append((f"{spec} with {len(policies)} policies", program, shown[family] + shown["shop"][:4]))
    return made


def touches(program: Program, shown_pages: list[Page], seed: int) -> Callable[[Kept, Any], None]:
    """A session of random gestures on random pages."""

    def session(kept: Kept, recorder: Any) -> None:
        rng = random.Random(seed)
        clock = StoryClock(_NOON)
        guard = Guard(
            program,
            clock=clock,
            today=_NOON.date(),
            settings=Settings(verdict_life=None, mode=rng.choice(("enforce", "enforce", "shadow"))),
            recorder=recorder,
        )
        shown = [taken(rng.choice(shown_pages), rng) for _ in range(3)]

        def look() -> Any:
            shown.append(taken(rng.choice(shown_pages), rng) if rng.random() < 0.7 else shown[-1])
            return guard.observe(shown[-1], rng.choice((True, True, True, None, False)))

        kept.add("observed", guard.observe(shown[-1]))
        for _ in range(rng.randrange(2, 9)):
            clock.now += dt.timedelta(seconds=rng.randrange(100))
            nodes = [row for row in shown[-1].rows("Node") if row.get("clickable")] or [{"node": 1}]
            node = rng.choice(nodes)["node"]
            proposal = rng.choice(
                [Action(name, {"node": node}) for name in ("tap", "tap", "tap", "long_press")]
                + [
                    Action("back", {}),
                    Action("input_text", {"node": node, "value": "R"}),
                    Action("finish", {}),
                ]
            )
            step(
                kept,
                guard,
                Proposal(attempts=(proposal,)) if proposal.name == "finish" else proposal,
                look,
                rng.random() < 0.5,
            )
            if rng.random() < 0.2:
                kept.add("observed", look())

    return session


def taken(page: Page, rng: random.Random) -> TreeScreen:
    """A page as it is, or with another state of something."""
    text = printed(page, "dump")
    for name in ("checked", "enabled", "selected"):
        if rng.random() < 0.2:
            text = text.replace(f'{name}="false"', f'{name}="?"').replace(f'{name}="true"', f'{name}="false"')
            text = text.replace(f'{name}="?"', f'{name}="true"')
    return TreeScreen(load_tree(text), app=page.app, now=page.now)


def of_walks() -> Iterator[tuple[str, Parts]]:
    """The recorded walks under three programs."""
    if not WALKS.is_dir():
        print(f"no walks: {WALKS} is not there", file=sys.stderr)
        return
    text = 'policy measured "All that ships"\n'
    programs = {name: load(EXAMPLES / f"{name}.vsa").checked() for name in ("careful", "reserve_r")}
    programs[ALL] = load_text(
        text, file="<measured>", policies=[_placed(str(shipped_modules()[ALL]))]
    ).checked()
    guards: list[Guard] = []

    class Seen(Guard):
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            guards.append(self)

    following = importlib.import_module("vsalang.agents.walks.follow")
    following.Guard = Seen  # type: ignore[attr-defined]
    for file in sorted(WALKS.glob("*.jsonl.gz")):
        for number, walk in enumerate(walks.read_walks(file)):
            for name, program in programs.items():

                def session(kept: Kept, recorder: Any, walk: Any = walk, program: Program = program) -> None:
                    for turn in following.follow(walk, program, recorder=recorder):
                        kept.say("level", turn.verdict.level)
                        kept.add("verdict", turn.verdict)
                        kept.add("observed", turn.observed)
                        kept.say("world", world(guards[-1]))

                yield f"{file.name} {number} under {name}", recorded(session)


KINDS: Final[Mapping[str, Callable[[int], Iterator[tuple[str, Parts]]]]] = {
    "stories": lambda sessions: of_stories(),
    "random": of_random,
    "walks": lambda sessions: of_walks(),
}


# ---------------------------------------------------------------------- two checkouts


def write(kinds: list[str], sessions: int, show: str) -> None:
    """Print a digest for each session, and for each of its parts; or what one session is made of."""
    for kind in kinds:
        for name, parts in KINDS[kind](sessions):
            if show:
                if name == show:
                    for part, value in parts:
                        print(part, json.dumps(value, ensure_ascii=False))
                continue
            digests = [hashlib.sha256(repr(part).encode()).hexdigest()[:10] for part in parts]
            print(json.dumps([kind, name, [part for part, _ in parts], digests]))


def asked(checkout: Path, kind: str, sessions: int) -> "subprocess.Popen[str]":
    """The digests of a checkout, in a process of its own."""
    environment = {
        **os.environ,
        "VSALANG_CHECKOUT": str(checkout),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(checkout),
    }
    command = [sys.executable, __file__, "--here", "--only", kind, "--sessions", str(sessions)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=checkout)


def compare(other: Path, kinds: list[str], sessions: int) -> int:
    """How many sessions differ; they are named."""
    differ = 0
    for kind in kinds:
        mine, theirs = asked(ROOT, kind, sessions), asked(other, kind, sessions)
        assert mine.stdout is not None and theirs.stdout is not None
        count = parts = 0
        for one, two in zip(mine.stdout, theirs.stdout, strict=True):
            (_, name, names, digests), (_, other_name, _, others) = json.loads(one), json.loads(two)
            count += 1
            parts += len(digests)
            if digests != others or name != other_name:
                differ += 1
                first = next(
                    (n for n, a, b in zip(names, digests, others, strict=False) if a != b), "their number"
                )
                print(f"differs: {kind}, {name}: {first}")
        if mine.wait() or theirs.wait():
            raise SystemExit(f"{kind}: a checkout failed")
        print(f"{kind}: {count} sessions, {parts} parts compared, {differ} sessions differ")
    return differ


def main() -> None:
    """Compare, or write what is compared."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", nargs="?", type=Path, help="the other checkout")
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--sessions", type=int, default=2000)
    parser.add_argument("--show", default="", metavar="NAME", help="what a session is made of")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    kinds = [options.only] if options.only else list(KINDS)
    if options.here or options.show:
        write(kinds, options.sessions, options.show)
    elif options.other is None:
        parser.error("which checkout is it compared with?")
    else:
        raise SystemExit(bool(compare(options.other.resolve(), kinds, options.sessions)))


if __name__ == "__main__":
    main()
