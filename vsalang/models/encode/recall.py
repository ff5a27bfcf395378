"""Recall: which earlier tasks are shown with a new instruction, and which relations of the apps come first.

The relations that near tasks used, weighed by nearness, say which relations to expect (pseudo-relevance feedback, as
Rocchio 1971), together with what the apps say of their relations. Tasks that share those come first.

What is recalled is text from a file: each spec is checked again against the apps of today before it is used.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.language.semantics import Loaded
from vsalang.language.syntax import parse, tree
from vsalang.models.encode.attempt import Rules, judge
from vsalang.models.encode.experience import Experience, digest_of, used
from vsalang.models.encode.nearness import cosine, nearness
from vsalang.program.ir import Program, Relation
from vsalang.program.screen_rules import is_match

MOST_SHOWN: Final = 3
"""So many earlier specs are shown at most."""
MOST_CHARACTERS: Final = 12_000
"""So long may they be together: a prompt costs by its length."""
MOST_NAMED: Final = 8
"""So many relations come first at most."""
_LEAST: Final = 0.3
"""A relation comes first if it is to be expected at least so much, compared with the likeliest."""
_NEIGHBOURS: Final = 12
"""So many of the nearest are checked again, and say which relations come first: more would take time."""


@dataclass(frozen=True, slots=True)
class EarlierTask:
    """An earlier task as the model sees it: the text of its spec without comments between rules and without tests."""

    id: str
    spec: str


@dataclass(frozen=True, slots=True)
class Recollection:
    """What a memory has for an instruction.

    Attributes:
        tasks: the earlier tasks that are shown, the nearest first.
        relations: the qualified names of the relations to expect, the likeliest first.
        names: the same as specs write them.
        expired: how many tasks of these apps are not used because an app has changed since.
    """

    tasks: tuple[EarlierTask, ...] = ()
    relations: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    expired: int = 0


def recall(memory: Sequence[Experience], loaded: Loaded, rules: Rules) -> Recollection:
    """What a memory has for the instruction of `rules`.

    Args:
        memory: the earlier tasks; any of other apps too.
        loaded: a program that imports the apps that may be used.
        rules: the rules for the new spec: its instruction, its apps, its place.
    """
    digests = {unit.name: digest_of(unit) for unit in loaded.units if unit.name in rules.apps}
    of_these = [each for each in memory if each.apps and all(app.name in digests for app in each.apps)]
    valid = [each for each in of_these if all(digests[app.name] == app.digest for app in each.apps)]
    expired = len(of_these) - len(valid)
    relations = _relations(loaded.checked(), rules.apps)
    texts = ["" if relation.sort == "derived" else _said_of(relation) for relation in relations.values()]
    near = nearness(rules.instruction, [*(each.instruction for each in valid), *texts])
    described = dict(zip(relations, near[len(valid) :], strict=True))
    neighbours = _nearest(
        [_Near(*pair, pair[0].relations) for pair in zip(valid, near, strict=False)], described
    )
    checked: list[_Near] = []
    tasks: list[EarlierTask] = []
    room = MOST_CHARACTERS
    for each in neighbours[:_NEIGHBOURS]:
        text_and_names = _checked(each.task, rules)
        if text_and_names is None:
            continue
        text, names = text_and_names
        checked.append(_Near(each.task, each.nearness, names))
        if len(tasks) < MOST_SHOWN and len(text) <= room:
            tasks.append(EarlierTask(each.task.id, text))
            room -= len(text)
    if not checked:
        return Recollection(expired=expired)
    expected = _expected(checked, described)
    likeliest = sorted(relations, key=lambda name: (-expected[name], name))[:MOST_NAMED]
    least = _LEAST * max(expected.values(), default=0.0)
    first = tuple(name for name in likeliest if expected[name] > least)
    return Recollection(tuple(tasks), first, _written(first, relations), expired)


# ---------------------------------------------------------------- what to expect


@dataclass(frozen=True, slots=True)
class _Near:
    """An earlier task, how near its instruction is, and the relations that its spec uses."""

    task: Experience
    nearness: float
    relations: tuple[str, ...]


def _nearest(tasks: Sequence[_Near], described: Mapping[str, float]) -> list[_Near]:
    """The tasks in order: how near they are, and how many of the relations to expect they use, count alike."""
    expected = _expected(tasks, described)

    def score(each: _Near) -> float:
        uses = {name: 1.0 for name in each.relations if name in expected}
        return (each.nearness + cosine(expected, uses)) / 2

    return sorted(tasks, key=lambda each: (-score(each), -each.task.added.timestamp(), each.task.id))


def _expected(tasks: Sequence[_Near], described: Mapping[str, float]) -> dict[str, float]:
    """How much each relation is to be expected.

    It is how near the app's description of it is (not of what it defines: that is mostly for its own rules), and the
    share of the tasks that used it. Near tasks count more (by the square of their nearness), and where even the nearest
    is far, their use says little.
    """
    whole = math.fsum(each.nearness**2 for each in tasks) or 1.0
    nearest = max((each.nearness for each in tasks), default=0.0)
    expected = dict(described)
    for each in tasks:
        for name in each.relations:
            if name in expected:
                expected[name] += each.nearness**2 / whole * nearest
    return expected


def _relations(program: Program, apps: Collection[str]) -> dict[str, Relation]:
    """The relations of the apps that specs mention, by their qualified names."""
    return {
        name: relation
        for name, relation in program.relations.items()
        if relation.module in apps and relation.sort != "screen" and not is_match(name)
    }


def _said_of(relation: Relation) -> str:
    """What an app says of a relation: its name in words, its description, its attributes."""
    parts = [relation.short, relation.doc]
    for attr in relation.attrs:
        parts += [attr.name, attr.doc]
    return " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", part) for part in parts)


def _written(names: Sequence[str], relations: Mapping[str, Relation]) -> tuple[str, ...]:
    """The names as specs write them: with the module where two apps have one of that name."""
    shorts = Counter(relation.short for relation in relations.values())
    return tuple(name if shorts[relations[name].short] > 1 else relations[name].short for name in names)


# ---------------------------------------------------------------- what is shown


def _checked(task: Experience, rules: Rules) -> tuple[str, tuple[str, ...]] | None:
    """The text that is shown of a task and the relations that it uses; None if it cannot be used now.

    It must pass the checks of a new spec: nothing hidden, no further imports, no errors.
    """
    parsed = parse(Source.from_text(task.spec, rules.file))
    if parsed.module is None or parsed.module.kind != "spec" or parsed.diagnostics:
        return None
    name = parsed.module.name.text
    own = Rules(task.instruction, name, rules.apps, rules.place, None, rules.search)
    text = _spec_excerpt(parsed.module, task.spec, own)
    judged = judge(text, own, fix=False)
    if judged.problems or judged.loaded is None or judged.loaded.program is None:
        return None
    return judged.text, used(judged.loaded.program, judged.loaded.main, own.apps)


def _spec_excerpt(module: tree.Module, text: str, rules: Rules) -> str:
    """The header with the instruction, the imports and the rules of a spec; not its tests and what is between items."""
    source = Source.from_text(text, rules.file)
    imports = [source.slice(item.span) for item in module.imports]
    rest = [source.slice(item.span) for item in module.items if not isinstance(item, tree.Test)]
    return "\n".join([rules.header, *imports, *rest]) + "\n"
