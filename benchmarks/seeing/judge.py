"""Judges cases: the verdicts on what a source gives, and where they are more permissive than those on all of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from benchmarks.seeing.cases import GROUP, Case
from benchmarks.seeing.changes import Change, changed
from benchmarks.seeing.trees import Page, printed
from vsalang.base.resources import resource_dir
from vsalang.guard import Guard, Settings, Verdict
from vsalang.guard.machine import GuardFailed
from vsalang.language.semantics import load_text
from vsalang.program.example import LEVELS, Level
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, Tree, load_tree
from vsalang.tools.cli.common import shipped_modules

RULES: Final = Path(__file__).parent / "rules"
_LICENCES: Final = frozenset({"unlicensed", "unmet", "incomplete", "licence", "doubtful"})


@cache
def program(name: str) -> Program:
    """The rules of a name: a file of `rules`, or one of the shipped examples."""
    if name == "packs":
        return load_text(
            'policy packs "All that ships, and what is expected of gestures"\nimport std.contracts\n',
            file="<packs>",
            policies=[shipped_modules()["std.policies.all"]],
        ).checked()
    examples = resource_dir("app_specs") / "examples"
    with_policies = {"reserve_r": ["payments", "careful"], "quiet_evening": ["careful"]}
    if name in with_policies:
        file = examples / f"{name}.vsa"
        policies = [str(examples / f"{each}.vsa") for each in with_policies[name]]
    else:
        file, policies = RULES / f"{name}.vsa", []
    return load_text(file.read_text(encoding="utf-8"), path=file, policies=policies).checked()


def _settings(rules: Program, *, acts: bool) -> Settings:
    task = any(module.kind == "spec" for module in rules.modules.values())
    return Settings(
        overrides=None,
        verdict_life=None,
        look_age=None,
        unknown_screen="confirm" if task else "allow",
        task=task,
        mode="shadow" if acts else "enforce",
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a case.

    Attributes:
        verdicts: of what was done between two looks, and of the proposal; a look that cannot be read ends them.
        met: the rules of contracts that were met.
        unmet: those that were violated or inconclusive.
        complete: places of nodes that count as wholly shown on the last look.
        broken: why a look could not be read.
    """

    verdicts: tuple[Verdict, ...] = ()
    met: frozenset[str] = frozenset()
    unmet: frozenset[str] = frozenset()
    complete: frozenset[tuple[str, int]] = frozenset()
    broken: str = ""

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels of the verdicts."""
        return tuple(verdict.level for verdict in self.verdicts)


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which an outcome is more permissive.

    Attributes:
        step: what would have applied: the kind of reason, ``recognize``, ``allow``, ``done``, ``expect``, ``complete``.
        detail: the rule and the levels.
    """

    step: str
    detail: str = field(compare=False)


class Whole:
    """The results of cases with nothing left out; the cases of a group have it in common."""

    def __init__(self) -> None:
        self._known: tuple[int, Outcome] | None = None

    def of(self, case: Case) -> Outcome:
        """The result of a case, of the same seed as those before."""
        group = case.number // GROUP
        if self._known is None or self._known[0] != group:
            self._known = (group, outcome(case, [()] * len(case.pages)))
        return self._known[1]


def outcome(case: Case, changes: Sequence[Sequence[Change]]) -> Outcome:
    """The result of a case with these changes."""
    looks = [changed(page, each) for page, each in zip(case.pages, changes, strict=True)]
    try:
        if case.mode == "next":
            return _acted(case, looks)
        guard, seen = _seen(case, looks)
    except (DumpError, GuardFailed) as error:
        return Outcome(broken=str(error))
    return Outcome((guard.propose(case.proposal),), complete=seen.complete)


class _WatchedGuard:
    """A guard that looks at pages."""

    def __init__(self, case: Case) -> None:
        self.form = case.form
        self.now = case.pages[0].now
        self.tree: Tree | None = None
        self.page: Page | None = None
        self.screen: TreeScreen | None = None
        rules = program(case.program)
        settings = _settings(rules, acts=case.mode == "next")
        self.guard = Guard(rules, clock=lambda: self.now, today=self.now.date(), settings=settings)

    def look(self, page: Page) -> TreeScreen:
        self.tree = load_tree(printed(page, self.form), after=self.tree)
        self.now = max(self.now, page.now)
        app = page.app if self.form == "dump" else None
        self.page, self.screen = page, TreeScreen(self.tree, app=app, now=page.now, settled=True)
        return self.screen

    def complete(self) -> frozenset[tuple[str, int]]:
        assert self.tree is not None and self.page is not None and self.screen is not None
        by_number = self.tree.by_number
        return frozenset(
            (relation, self.page.places[by_number[row["node"]].place - 1])  # type: ignore[index]
            for relation in ("Fits", "Whole")
            for row in self.screen.rows(relation)
        )


def _seen(case: Case, looks: Sequence[Page]) -> tuple[Guard, Outcome]:
    watched = _WatchedGuard(case)
    for page in looks:
        watched.guard.observe(watched.look(page))
    return watched.guard, Outcome(complete=watched.complete())


def _acted(case: Case, looks: Sequence[Page]) -> Outcome:
    assert case.action is not None
    watched = _WatchedGuard(case)
    guard = watched.guard
    guard.observe(watched.look(looks[0]))
    first = guard.propose(case.action)
    if not first.binding:
        guard.commit(first)
    observed = guard.observe(watched.look(looks[1]))
    met = frozenset(contract.rule for contract in observed.contracts if contract.outcome == "met")
    unmet = frozenset(contract.rule for contract in observed.contracts if contract.outcome != "met")
    return Outcome((first, guard.propose(case.proposal)), met - unmet, unmet, watched.complete())


def compared(case: Case, whole: Outcome, less: Outcome) -> tuple[Fault, ...]:
    """Where one outcome is more permissive than that on the whole screens."""
    if less.broken or whole.broken:
        return ()
    found: list[Fault] = []
    for before, after in zip(whole.verdicts, less.verdicts, strict=True):
        fault = _of_verdict(case, before, after)
        if fault is not None:
            found.append(fault)
        if LEVELS.index(after.level) > LEVELS.index(before.level):
            return tuple(found)  # it is held back, so what comes after does not come
    found += [Fault("expect", f"{rule} is met") for rule in sorted(less.met & whole.unmet)]
    more = sorted(less.complete - whole.complete)
    if more:
        relation, place = more[0]
        found.append(Fault("complete", f"{relation} of node {place} ({case.pages[-1].short_id(place)})"))
    return tuple(dict.fromkeys(found))


def _of_verdict(case: Case, before: Verdict, after: Verdict) -> Fault | None:
    lost = {action.name for action in before.actions} - {action.name for action in after.actions}
    if LEVELS.index(after.level) < LEVELS.index(before.level):
        said = {(reason.kind, reason.rule) for reason in after.reasons}
        over = [r for r in before.reasons if LEVELS.index(r.level) > LEVELS.index(after.level)]
        reason = next((r for r in over if (r.kind, r.rule) not in said), over[0])
        step = reason.kind
        if step in _LICENCES:
            step = "recognize" if lost else "done" if case.proposal.name == "finish" else "allow"
        words = f"{before.level} -> {after.level}: {reason.rule or reason.kind}: {reason.message[:100]}"
        return Fault(step, words)
    if after.level == "allow" and lost:
        return Fault("recognize", f"allow -> allow, without {', '.join(sorted(lost))}")
    return None
