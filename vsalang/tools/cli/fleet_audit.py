"""``vsac fleet audit --policy NEW``: what a policy would have changed, over all sessions of a store."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from vsalang.base.config import config_in_force, policy_files
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.base.source.results import ResultsError
from vsalang.language.semantics import load_text
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, Failure, version
from vsalang.tools.cli.fleet_import import store_option
from vsalang.tools.cli.frame import Unusable
from vsalang.tools.cli.progress import Progress
from vsalang.tools.fleet.auditing import AuditTask, Engine, local, open_results, run
from vsalang.tools.fleet.judging import Policies, policies_of
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.spark import LOCAL, spark
from vsalang.tools.fleet.store import Store
from vsalang.tools.fleet.summary import Changes, Example, Kind, Summary, as_data

_MAIN: Final = 'policy audit "What is audited is judged by the policies alone"\n'
_HEADINGS: Final = (
    "New blocks",
    "New questions",
    "New warnings",
    "Blocks that go",
    "Questions that go",
    "Warnings that go",
)
_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """Which policies are compared, over which store, and who works."""

    policies: tuple[str, ...] = option(
        "--policy", default=(), metavar="NEW", help="A policy in place of the recorded ones; repeatable."
    )
    against: tuple[str, ...] = option(
        "--against",
        default=(),
        metavar="OLD",
        help="A policy to compare with; repeatable.",
        default_text="the recorded verdicts",
    )
    store: str = store_option()
    engine: Literal["local", "spark"] = option(
        "--engine", default="local", help="Judge in processes of this machine, or by Apache Spark."
    )
    jobs: int = shared.jobs("Judge", excludes={"--engine spark": "the cluster says how many there are"})
    master: str = option(
        "--master",
        default=LOCAL,
        metavar="URL",
        help="The cluster, such as spark://host:7077.",
        needs="--engine spark",
    )
    resume: Path | None = option(
        "--resume",
        metavar="FILE",
        help="Keep each result in this file, and judge nothing again that is in it.",
    )
    fail_on_change: bool = flag("--fail-on-change", help="Exit with 1 if a verdict is another.")


@frame.as_command(
    "text",
    "json",
    one_of={"--policy": "the file of a policy that every session of the store is to be judged by"},
)
def command(options: AuditOptions) -> Report:
    """Say what a policy would have changed: judge every proposal of every session of a store again.

    Each session is replayed by its recorded spec, with NEW in place of the recorded policies, on the recorded screens
    and times; what was done counts as done. Its verdicts are compared with those under OLD, or with those that were
    recorded.

    Exit status: 0 all was judged; 1 a policy has errors, or with --fail-on-change a verdict is another; 2 a session
    could not be judged, or nothing could.
    """
    new = _policies(options.policies)
    old = _policies(options.against) if options.against else Policies(None)
    engine = (
        spark(options.master) if options.engine == "spark" else local(options.jobs or os.cpu_count() or 1)
    )
    try:
        total = _run(options, new, old, engine)
    except StoreError as error:
        hint = error.hint or (f"the same command goes on: {options.resume}" if options.resume else "")
        raise Failure(str(error), hint) from error
    except ResultsError as error:
        raise Failure(str(error)) from error
    return AuditReport(total, options.policies, options.against, options.store, options.fail_on_change)


def _run(options: AuditOptions, new: Policies, old: Policies, engine: Engine) -> Summary:
    store = Store(Path(options.store), make=False)
    results = open_results(options.resume) if options.resume is not None else None
    try:
        task = AuditTask(options.store, new, old)
        audits = run(store, task, version(), engine, results)
        progress = Progress(sum(part.sessions for part in store.parts), "sessions")
        total = Summary()
        for _, summary in audits:
            total += summary
            progress.step(summary.sessions)
        progress.clear()
        return total
    finally:
        if results is not None:
            results.close()


def _policies(named: tuple[str, ...]) -> Policies:
    """Policies with the texts that they have now.

    Raises:
        Unusable: one has errors.
    """
    config = config_in_force("audit.vsa")
    files = policy_files(config, named)
    loaded = load_text(_MAIN, file="<audit>", search=config.search, policies=files)
    if loaded.program is None:
        raise Unusable.of(loaded)
    return policies_of(loaded, map(Path, files), config.search)


@dataclass(frozen=True, slots=True)
class AuditReport(Report):
    """What an audit came to.

    Attributes:
        total: of all sessions.
        policies, against: as they were named.
        store: the folder.
        fail_on_change: whether a change is an error.
    """

    total: Summary
    policies: tuple[str, ...]
    against: tuple[str, ...]
    store: str
    fail_on_change: bool

    @property
    def status(self) -> int:  # type: ignore[override]
        """2 if a session could not be judged."""
        if self.total.unjudged or not self.total.sessions:
            return EXIT_FAILED
        changed = self.total.changes or self.total.others[0]
        return EXIT_FINDINGS if self.fail_on_change and changed else EXIT_OK

    def data(self) -> object:
        """The counts by kind of change, with examples."""
        total = as_data(self.total)
        names = ("before", "now", "rules", "steps", "sessions", "examples")
        parts = ("tenant", "session", "head", "device", "step", "record", "at", "proposal", "message")
        changes: list[dict[str, Any]] = [dict(zip(names, each, strict=True)) for each in total["changes"]]
        for change in changes:
            change["kind"] = _heading((change["before"], change["now"], ())).lower()
            change["examples"] = [dict(zip(parts, each, strict=True)) for each in change["examples"]]
        return {
            "version": 1,
            "policies": list(self.policies),
            "against": list(self.against),
            **{name: total[name] for name in ("sessions", "steps", "moved")},
            "changes": changes,
            "unjudged": [
                {"why": text, "sessions": number, "session": session}
                for text, number, session in total["problems"]
            ],
            "others": {"steps": total["others"][0], "sessions": total["others"][1]},
        }

    def lines(self, style: Style) -> Iterator[str]:
        """Each kind of change with an example."""
        total = self.total
        names = ", ".join(safe(each, 100) for each in self.policies)
        other = ", ".join(safe(each, 100) for each in self.against) or "the recorded verdicts"
        judged = f"{count(total.sessions, 'session')}, {count(total.steps, 'proposal')} judged by {names}"
        yield f"{judged}, compared with {other}"
        for heading in _HEADINGS:
            here = [each for each in total.changes if _heading(each[0]) == heading]
            if not here:
                continue
            yield ""
            yield style(f"{heading}: {count(sum(each.steps for _, each in here), 'proposal')}", bold=True)
            here.sort(key=lambda each: (-each[1].steps, each[0]))
            for kind, changes in here[:_MOST]:
                yield from self._kind(kind, changes)
            if len(here) > _MOST:
                yield f"  and {len(here) - _MOST} more kinds; --json lists all"
        if not total.changes:
            yield "No verdict is another."
        if total.moved:
            yield ""
            yield f"{count(total.moved, 'more proposal')} with the same verdict because of other rules"

    def notes(self, style: Style) -> Iterator[str]:
        """Which sessions could not be judged."""
        if self.total.unjudged:
            yield f"{count(self.total.unjudged, 'session')} could not be judged:"
        for why, number, session in self.total.problems[:_MOST]:
            yield f"  {number:5}  {safe(why, 300)} ({session[:16]})"

    def _kind(self, kind: Kind, changes: Changes) -> Iterator[str]:
        before, now, rules = kind
        where = f"{count(changes.steps, 'proposal')} in {count(changes.sessions, 'session')}"
        yield f"  {before} -> {now}  {safe(', '.join(rules), 100)}  {where}"
        yield from self._example(changes.examples[0])

    def _example(self, example: Example) -> Iterator[str]:
        _, session, _, device, step, _, _, proposal, message = example
        yield f"    such as {safe(device, 60)}, step {step}: {safe(proposal, 120)}"
        if message:
            yield f"      {safe(message, 200)}"
        yield f"      vsac fleet export {session[:16]} --store {safe(self.store, 100)} -o journal.jsonl"


def _heading(kind: Kind) -> str:
    """Under which heading a change stands."""
    before, now, _ = kind
    for level, name in (("block", "block"), ("confirm", "question"), ("warn", "warning")):
        if now == level:
            return f"New {name}s"
        if before == level:
            return f"{name.title()}s that go"
    raise ValueError(f"{before} -> {now} is not a change")
