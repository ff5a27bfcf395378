"""Experience: a spec that proved right, with the apps and relations that it used (section 5.1.2 of the VeriSafe paper).

Only specs without errors whose own tests pass become experience, and only where somebody vouches for their meaning: a
session that completed the task (`vsalang.models.encode.witness`), or the user.
"""

import datetime as dt
import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from vsalang.base.config import config_for
from vsalang.base.records import dataclass
from vsalang.base.resources import SHIPPED, resource_dir
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.language.semantics.loader import Unit
from vsalang.models.encode.problem import Unusable
from vsalang.models.encode.prompting import apps_of
from vsalang.program.ir import Program
from vsalang.program.walk import atoms

LONGEST_SPEC: Final = 64_000
"""A longer spec is not remembered (characters); an answer of a model may not be longer either."""

Confirmed = Literal["completed", "user"]
"""Who vouches for a spec: a session that completed the task, or the user."""


class NotRemembered(Unusable):
    """A spec cannot become experience."""


@dataclass(frozen=True, slots=True)
class App:
    """An app module as it was when a spec proved right.

    Attributes:
        name: the module's name.
        digest: of its text and of all that it imports (`digest_of`).
        file: where it was; empty for a module that comes with vsalang.
    """

    name: str
    digest: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Experience:
    """A spec that proved right.

    Attributes:
        id: the first 12 hexadecimal digits of the SHA-256 of `spec` without what is above its header, such as who made
            it when; in an evaluation, the task's name.
        instruction: what the user said.
        spec: the whole text of the spec.
        apps: the app modules that it imports.
        relations: the qualified names of the relations of these apps that it uses.
        confirmed: who vouches for it.
        journal: the hash of the last line of the journal that shows the completed task; empty if the user confirmed it.
        model: the model that wrote it; empty if that is not known.
        added: when, in UTC.
    """

    id: str
    instruction: str
    spec: str
    apps: tuple[App, ...]
    relations: tuple[str, ...]
    confirmed: Confirmed
    journal: str
    model: str
    added: dt.datetime


@dataclass(frozen=True, slots=True)
class SolvedTask:
    """A task with its right spec, such as one of a collection for evaluation.

    Attributes:
        name: its name in the collection.
        instruction: what the user said.
        spec: the text of the spec.
        place: the spec's file: its imports are looked for from there. It need not exist.
    """

    name: str
    instruction: str
    spec: str
    place: Path


def memory_of(
    solved: Iterable[SolvedTask], *, without: Collection[str] = (), search: Sequence[Path] = ()
) -> tuple[Experience, ...]:
    """Tasks with their right specs as a memory for `Settings.memory`; nothing is written.

    To measure with a memory, leave out the task itself, and others that tell its answer::

        memory = memory_of(tasks, without={task.name})
        encode(task, model, Settings(memory=memory))

    Args:
        solved: the tasks. Their tests are neither run nor shown to a model.
        without: the names of tasks to leave out.
        search: further folders in which imports are looked for.

    Raises:
        NotRemembered: a spec has errors.
    """
    tasks: list[Experience] = []
    for task in solved:
        if task.name not in without:
            loaded = load_text(task.spec, file=task.place.name, path=task.place, search=search)
            made = experience(loaded, confirmed="user", now=dt.datetime.min.replace(tzinfo=dt.UTC))
            tasks.append(replace(made, id=task.name, instruction=task.instruction))
    return tuple(tasks)


def experience(
    loaded: Loaded,
    *,
    confirmed: Confirmed,
    model: str = "",
    now: dt.datetime | None = None,
) -> Experience:
    """The experience of a loaded spec. The caller knows that its tests pass, and who vouches for it.

    Raises:
        NotRemembered: it has errors, is not a spec, uses no app, or is too long.
    """
    if loaded.program is None:
        raise NotRemembered(
            f"{loaded.file} has errors; the first: {next((item.message for item in loaded.errors), '')}",
            "only a spec that checks is remembered",
            loaded.diagnostics,
            loaded.sources,
        )
    info = loaded.program.modules[loaded.main]
    if info.kind != "spec":
        raise NotRemembered(f"{loaded.file} is not a spec: it is of kind {info.kind}")
    if not info.doc.strip():
        raise NotRemembered(
            f"{loaded.file} does not say the instruction",
            f'write it into the header: spec {loaded.main} "..."',
        )
    names = apps_of(info.imports)
    if not names:
        raise NotRemembered(f"{loaded.file} imports no app: there is nothing to learn about one")
    text = loaded.sources[loaded.file].text
    if len(text) > LONGEST_SPEC:
        raise NotRemembered(f"{loaded.file} is longer than {LONGEST_SPEC} characters")
    units = {unit.name: unit for unit in loaded.units}
    return Experience(
        _id(text[units[loaded.main].tree.span.start :]),
        info.doc,
        text,
        tuple(App(name, digest_of(units[name]), _file(units[name])) for name in names),
        used(loaded.program, loaded.main, names),
        confirmed,
        "",
        model,
        (now or dt.datetime.now(dt.UTC)).replace(microsecond=0),
    )


def used(program: Program, main: str, apps: Collection[str]) -> tuple[str, ...]:
    """The relations of these apps that the rules of the main module use, each once."""
    names: dict[str, None] = {}
    for rule in program.rules:
        if rule.module == main:
            for atom in atoms(rule):
                relation = program.relations.get(atom.relation)
                if relation is not None and relation.module in apps:
                    names[atom.relation] = None
    return tuple(names)


def digest_of(unit: Unit) -> str:
    """The SHA-256 of a module's text and of all modules that it imports, directly or not."""
    seen: dict[str, str] = {}
    waiting = [unit]
    while waiting:
        this = waiting.pop()
        if this.name not in seen:
            seen[this.name] = this.source.digest
            waiting += this.imports.values()
    return hashlib.sha256("\n".join(f"{name} {seen[name]}" for name in sorted(seen)).encode()).hexdigest()


def _id(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _file(unit: Unit) -> str:
    """Where a module is, absolute; empty for one that comes with vsalang: that is found by its name."""
    path = unit.source.path
    return str(path.resolve()) if path is not None and unit.name.partition(".")[0] not in SHIPPED else ""


def expired(entries: Iterable[Experience]) -> dict[str, str]:
    """For the id of each entry why it is used no longer: an app that it needs has changed; empty if it still is.

    `recall` asks the apps that a task is given; here each is looked at where it was when the entry was added.

    Raises:
        SourceError: the configuration of an app's project cannot be used.
    """
    known: dict[tuple[Path, str], str] = {}
    return {
        entry.id: next(filter(None, (_changed(app, known) for app in entry.apps)), "") for entry in entries
    }


def _changed(app: App, known: dict[tuple[Path, str], str]) -> str:
    """What has become of an app, if it is not as it was; `known` holds digests that were asked for before."""
    place = Path(app.file) if app.file else _shipped(app.name)
    if not place.is_file():
        return f"{app.name} is no longer at {place}" if app.file else f"vsac has no {app.name} any more"
    if (place, app.name) not in known:
        known[place, app.name] = _digest_at(place, app.name)
    return (
        "" if known[place, app.name] == app.digest else f"{app.name}, or what it imports, has changed since"
    )


def _shipped(name: str) -> Path:
    """Where a module that comes with vsalang would be."""
    folder = "stdlib" if name.startswith("std.") else "app_specs"
    return resource_dir(folder) / Path(*name.split(".")).with_suffix(".vsa")


def _digest_at(place: Path, name: str) -> str:
    """The digest of the module in a file; empty if it has another name."""
    loaded = load(place, search=config_for(place).search)
    return next((digest_of(unit) for unit in loaded.units if unit.name == name), "")
