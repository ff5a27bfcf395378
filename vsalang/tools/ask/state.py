"""Brings a session to the state of a question: by a test, a dump, facts, a journal, or typed steps."""

import datetime as dt
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from vsalang.base.source.opening import read_regular
from vsalang.engine import Opens
from vsalang.guard import Guard
from vsalang.guard.examples import DEFAULT_CLOCK, StepResult, Story, StoryClock, StoryError
from vsalang.guard.judge.licences import Grant
from vsalang.guard.say.verdict import ObservationResult, Verdict
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.guard.world.observing import KnownWorld
from vsalang.program import ops
from vsalang.program.example import Example, Fact, Part, Turn
from vsalang.program.ir import Program, Relation, Rule, Type
from vsalang.program.nested import Forest
from vsalang.program.screen import Cells, Screen
from vsalang.program.similarity import DEFAULT, Similarity
from vsalang.program.text import safe
from vsalang.program.typed import typed
from vsalang.program.values import NONE, Value
from vsalang.tools.ask.engines import AskError
from vsalang.tools.ask.question import Place

if TYPE_CHECKING:
    from vsalang.tools.ask.taped import JournalSession

_HEADERS = ("app", "spec", "policy", "module")
_LARGEST = 64 << 20


@dataclass(frozen=True)
class ObservedScreen:
    """An observed screen, with the name of its source."""

    screen: Screen
    name: str


Move: TypeAlias = "Turn | ObservedScreen | JournalSession"


@dataclass(frozen=True)
class Situation:
    """How a session reaches the state of a question: what happens in it, in order.

    Attributes:
        moves: a journal, steps of tests, and observed screens. A journal comes first.
        sources: where they come from, as text.
        clock: the device's clock at the beginning; None: that of the first step that sets it, else the default of
            tests.
    """

    moves: tuple[Move, ...] = ()
    sources: tuple[str, ...] = ()
    clock: dt.datetime | None = None

    def at(self, clock: dt.datetime) -> "Situation":
        """This situation with another clock at the beginning."""
        first = next((m for m in self.moves if isinstance(m, Turn) and m.kind == "clock"), None)
        return replace(self, moves=tuple(m for m in self.moves if m is not first), clock=clock)

    def then(self, moves: Iterable[Move], text: str) -> "Situation":
        """This situation with further moves."""
        return replace(self, moves=(*self.moves, *moves), sources=(*self.sources, text))


class Player:
    """A session in a situation.

    Attributes:
        steps: the result of each step.
        failure: the step that failed, at which the session stopped; None if none failed.
    """

    def __init__(
        self,
        program: Program,
        situation: Situation,
        engine: Opens,
        similarity: Similarity = DEFAULT,
    ) -> None:
        moves = list(situation.moves)
        turns = [move for move in moves if isinstance(move, Turn)]
        if situation.clock is not None:
            turns.insert(0, Turn("clock", clock=situation.clock))
        self.steps: list[StepResult] = []
        self.failure: StepResult | None = None
        try:
            head = moves[0] if moves else None
            if head is not None and not isinstance(head, Turn | ObservedScreen):
                clock = StoryClock(DEFAULT_CLOCK)
                guard, clock.now = head.enact(program, engine, clock)
                screen = guard.snapshot.screen
                first_screen = FactScreen() if screen is None else _CompleteScreen(screen, head.session.path)
                self.story = Story(guard, clock, first_screen)
                del moves[0]
            else:
                # what is given is so from the beginning, whatever comes first
                example = Example("state", "", tuple(turns))
                self.story = Story.begin(program, example, engine=engine, similarity=similarity)
            for move in moves:
                if isinstance(move, ObservedScreen):
                    self.show(move)
                elif not isinstance(move, Turn):
                    raise AskError("a journal is where a session begins: name it first")
                elif not self._run(move):
                    break
            self._tick()
        except StoryError as error:
            raise AskError(str(error)) from error

    @property
    def guard(self) -> Guard:
        """The guard of the session."""
        return self.story.guard

    @property
    def now(self) -> dt.datetime:
        """The device's local time."""
        return self.story.clock.now

    def _tick(self) -> None:
        """Let the moment that is asked about have the clock of now; the guard sets it when it next judges or looks."""
        self.guard.session.parts.moments.clock(self.now)

    def _run(self, turn: Turn) -> bool:
        result = self.story.step(turn)
        self.steps.append(result)
        if not result.passed:
            self.failure = result
        return result.passed

    def judge(self, turn: Turn) -> Verdict:
        """The guard's verdict on the proposal of a step; nothing is changed."""
        return self.guard.propose(self.story.proposal(turn))

    def licences(self, verdict: Verdict) -> list[tuple[Grant, Rule]]:
        """The clauses on which the newest verdict depends: the permission of each critical action."""
        judged = self.guard.session.judged(verdict)
        if judged is None:
            return []
        rules = {rule.id: rule for rule in self.guard.program.rules}
        return [
            (grant, rules[clause])
            for grant in judged.grants
            for clause in sorted(grant.clauses)
            if clause in rules
        ]

    def show(self, observed_screen: ObservedScreen) -> ObservationResult:
        """Observe a complete screen: the observation rules run, and rules decide which screens show."""
        screen = observed_screen.screen
        self.story.screen = (
            screen if isinstance(screen, FactScreen) else _CompleteScreen(screen, observed_screen.name)
        )
        return self.guard.observe(screen, seen=KnownWorld(screens=frozenset()))


class _CompleteScreen(FactScreen):
    """A complete screen, in place of one that steps build."""

    def __init__(self, screen: Screen, name: str) -> None:
        super().__init__(unread=screen.unread)
        object.__setattr__(self, "screen", screen)
        object.__setattr__(self, "name", name)

    screen: Screen
    name: str

    @property
    def fingerprint(self) -> str:
        return self.screen.fingerprint

    def relations(self) -> frozenset[str]:
        return self.screen.relations()

    def rows(self, relation: str) -> Iterable[Cells]:
        return self.screen.rows(relation)

    @property
    def forest(self) -> Forest | None:
        return self.screen.forest

    def since(self, acted_on: object, *, scrolled: bool = False) -> FactScreen:
        before = acted_on.screen if isinstance(acted_on, _CompleteScreen) else None
        return _CompleteScreen(self.screen.since(before, scrolled=scrolled), self.name)

    def with_rows(self, rows: Mapping[str, Iterable[Cells]]) -> FactScreen:
        return _CompleteScreen(self.screen.with_rows(rows), self.name)

    @property
    def otherwise(self) -> "_CompleteScreen | None":  # type: ignore[override]
        other = self.screen.otherwise
        return None if other is None else _CompleteScreen(other, self.name)

    @property
    def counting(self) -> frozenset[int]:
        return self.screen.counting

    def perhaps(self, kind: str, cells: Cells) -> Sequence[Cells]:
        return self.screen.perhaps(kind, cells)

    def target(self, kind: str, args: Mapping[str, Value]) -> Cells:
        return self.screen.target(kind, args)

    def seen(self, relation: Relation, cells: Mapping[str, Value | None]) -> FactScreen:
        self._refuse(relation.name)

    def gone(self, relation: str, pattern: Mapping[str, Value | None]) -> FactScreen:
        self._refuse(relation)

    def _refuse(self, relation: str) -> NoReturn:
        raise StoryError(
            f"the screen was read from {self.name}: {relation} cannot be changed; states, views and lists can"
        )


# ---------------------------------------------------------------- sources


def read_state(place: Place, text: str, *, test: str = "", step: int | None = None) -> Situation:
    """The situation that an argument names: a file, or ``FILE::TEST``.

    Args:
        place: the program.
        text: a `.vsa` file (the test called `test` in it, its only test, or typed steps), a UI dump (``.xml``,
            ``.xml.gz``), facts as ``vsac screen facts --format json`` prints them (``.json``), a journal (``.jsonl``).
        test: the name of a test, or a part of it that only one test has.
        step: stop after this many steps of the test (0: before the first), or after this line of the journal.

    Raises:
        AskError: it cannot be read, or is of another kind.
        Wrong: steps that have mistakes.
    """
    file, colons, name = text.partition("::")
    name = name or test
    path = Path(file)
    lower = path.name.lower()
    if colons or lower.endswith(".vsa"):
        return _vsa(place, path, name, step)
    if lower.endswith(".jsonl"):
        if name:
            raise AskError(f"{file} has no tests: only .vsa files do")
        from vsalang.tools.ask.taped import read_taped

        taped = read_taped(path, step)
        where = "" if step is None else f"line {step} of "
        return Situation((taped,), (f"{where}the journal {file}",))
    if name:
        raise AskError(f"{file} has no tests: only .vsa files do")
    if step is not None:
        raise AskError(f"{file} has no steps: tests and journals do")
    if lower.endswith((".xml", ".xml.gz", ".gz")):
        return Situation((_dump(path),), (f"the screen of {file}",))
    if lower.endswith(".json"):
        return _json(place, path)
    raise AskError(
        f"{file}: a state is read from a test (.vsa), a UI dump (.xml), facts (.json) or a journal (.jsonl)"
    )


def after_test(examples: Sequence[Example], name: str, where: str, step: int | None) -> Situation:
    """The situation after a test, or after `step` steps of it.

    Raises:
        AskError: there is no such test, several, or it has fewer steps.
    """
    example = _named(examples, name, where)
    turns = example.turns
    if step is not None:
        steps = [turn for turn in turns if turn.kind not in ("given", "assume")]
        if not 0 <= step <= len(steps):
            raise AskError(f"the test {safe(example.name)} has {len(steps)} steps, not {step}")
        last = steps[step] if step < len(steps) else None
        turns = (
            turns[: next(i for i, turn in enumerate(turns) if turn is last)] if last is not None else turns
        )
        # pairs of similar texts are assumed for the whole test, from any step
        turns = (*turns, *(t for t in example.turns[len(turns) :] if t.kind == "assume"))
    after = "" if step is None else f"after {step} step{'s' * (step != 1)} of "
    return Situation(turns, (f"{after}the test {safe(example.name)} of {where}",))


def _named(examples: Sequence[Example], name: str, where: str) -> Example:
    exact = [example for example in examples if example.name == name]
    near = exact or [e for e in examples if name.casefold() in e.name.casefold()]
    if len(near) == 1:
        return near[0]
    listed = "; ".join(safe(example.name) for example in (near or examples)[:12])
    if not examples:
        raise AskError(f"{where} has no tests")
    if name and not near:
        raise AskError(f"{where} has no test called {safe(name)}; it has {listed}")
    raise AskError(f"{where} has {len(near)} tests{' of that name' if name else ''}: name one of {listed}")


def _vsa(place: Place, path: Path, name: str, step: int | None) -> Situation:
    from vsalang.base.source import SourceError, read_source
    from vsalang.language.semantics import load

    try:
        if path.resolve() == Path(place.loaded.file).resolve():
            return after_test(place.loaded.own, name, str(path), step)
        source = read_source(path)
    except SourceError as error:
        raise AskError(f"{path}: {error.message}") from error
    except OSError as error:
        raise AskError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    if not name and _first_word(source.text) not in _HEADERS:
        if step is not None:
            raise AskError(f"{path} holds steps without a name: --step is for tests and journals")
        example = place.steps(source.text, file=str(path))
        return Situation(example.turns, (f"the steps of {path}",))
    loaded = load(path)
    if loaded.program is None:
        raise AskError(f"{path} has errors: `vsac check {shlex.quote(str(path))}` shows them")
    return after_test(loaded.own, name, str(path), step)


def _first_word(text: str) -> str:
    from vsalang.language.syntax.scan import skip_blanks

    rest = text[skip_blanks(text, 0) :]
    return rest.split(maxsplit=1)[0] if rest else ""


def _dump(path: Path) -> ObservedScreen:
    from vsalang.screen.screen import TreeScreen
    from vsalang.screen.tree import DumpError, read_dump

    try:
        return ObservedScreen(TreeScreen(read_dump(path)), str(path))
    except DumpError as error:
        raise AskError(str(error)) from error
    except OSError as error:
        raise AskError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error


# ---------------------------------------------------------------- facts as JSON


def _json(place: Place, path: Path) -> Situation:
    """Facts as ``vsac screen facts --format json`` prints them, also of states, views and lists."""
    try:
        data = json.loads(read_regular(path, _LARGEST, handed_over=True).decode("utf-8"), parse_float=Decimal)
    except OSError as error:
        raise AskError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise AskError(f"{path} is not JSON: {error}") from error
    tables = data if isinstance(data, list) else [data]
    screen = FactScreen()
    observed = False
    parts: list[Part] = []
    for table in tables:
        if not (isinstance(table, dict) and isinstance(table.get("relation"), str)):
            raise AskError(f'{path}: wanted a list of {{"relation": name, "rows": [...]}}')
        try:
            relation = place.relation(table["relation"])
        except KeyError as error:
            raise AskError(f"{path}: {error.args[0]}") from error
        rows = table.get("rows")
        if not isinstance(rows, list):
            raise AskError(f"{path}: the rows of {relation.short} are not a list")
        for number, row in enumerate(rows, 1):
            cells = _cells(relation, row, f"{path}, row {number} of {relation.short}")
            if relation.sort == "observed":
                screen, observed = screen.seen(relation, cells), True
            elif relation.sort in BELIEVED:
                parts.append(Part("given", Fact(relation.name, cells)))
            else:
                raise AskError(f"{path}: {relation.short} is not a fact that is seen or believed")
    moves: list[Move] = [Turn("given", tuple(parts))] if parts else []
    if observed:
        moves.append(ObservedScreen(screen, str(path)))
    return Situation(tuple(moves), (f"the facts of {path}",))


def _cells(relation: Relation, row: object, where: str) -> dict[str, Value]:
    if not isinstance(row, dict):
        raise AskError(f"{where} is not an object")
    cells: dict[str, Value] = {}
    for name, data in row.items():
        try:
            attr = relation.attr(name)
        except KeyError:
            raise AskError(f"{where}: {relation.short} has no attribute {name}") from None
        if data is None:
            continue
        value = value_from_json(data, attr.type)
        if value is None:
            raise AskError(
                f"{where}: {name} is not of type {attr.type}: {safe(json.dumps(data, default=str))}"
            )
        cells[name] = value
    return cells


def value_from_json(data: Any, type_: Type) -> Value | None:
    """A value of a type as ``vsac screen facts --format json`` prints it, or as `vsalang.program.typed`; None if it is
    none."""
    if type_.kind in ("Date", "Time", "Duration") and data == "none":
        return NONE
    value = typed(data, type_)
    if value is None and type_.kind == "Duration" and isinstance(data, str):
        return ops.call("duration", (data,))
    return value
