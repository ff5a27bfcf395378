"""Recall: which earlier tasks are shown with a new instruction, and which relations of the apps come first.

How near two instructions are is the cosine of their TF-IDF weights (Salton and Buckley 1988) over the character
trigrams of their folded words (Cavnar and Trenkle 1994), which needs no model, no network and no word lists, and
finds words again in the plural or with a typing error. The relations that near tasks used, weighed by nearness, say
which relations to expect (pseudo-relevance feedback, as Rocchio 1971), together with what the apps say of their
relations. Tasks that share those come first.

What is recalled is text from a file: each spec is checked again against the apps of today before it is shown.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from vsalang.core.ir import Relation
from vsalang.core.text import words
from vsalang.core.vocabulary import is_match
from vsalang.formalize.attempt import Rules, judge
from vsalang.formalize.experience import Experience, digest_of, used
from vsalang.records import dataclass
from vsalang.semantics import Loaded
from vsalang.source import Source
from vsalang.syntax import parse, tree

MOST_SHOWN: Final = 3
"""So many earlier specs are shown at most."""
MOST_CHARACTERS: Final = 12_000
"""So long may they be together: a prompt costs by its length."""
_NEIGHBOURS: Final = 12
"""So many of the nearest are checked again, and say which relations come first: more would take time."""

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Shown:
    """An earlier task as the model sees it: the text of its spec without comments between rules and without tests."""

    id: str
    spec: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a memory has for an instruction.

    Attributes:
        shown: the earlier tasks that are shown, the nearest first.
        relations: the qualified names of the relations that near tasks used, the likeliest first.
        names: the same as specs write them.
        expired: how many tasks of these apps are not used because an app has changed since.
    """

    shown: tuple[Shown, ...] = ()
    relations: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    expired: int = 0


def recall(memory: Sequence[Experience], loaded: Loaded, rules: Rules) -> Recalled:
    """What a memory has for the instruction of `rules`.

    Args:
        memory: the earlier tasks; any of other apps too.
        loaded: a program that imports the apps that may be used.
        rules: the rules for the new spec: its instruction, its apps, its place.
    """
    program = loaded.checked()
    digests = {unit.name: digest_of(unit) for unit in loaded.units if unit.name in rules.apps}
    of_these = [each for each in memory if each.apps and all(app.name in digests for app in each.apps)]
    valid = [each for each in of_these if all(digests[app.name] == app.digest for app in each.apps)]
    expired = len(of_these) - len(valid)
    relations = {
        name: relation
        for name, relation in program.relations.items()
        if relation.module in rules.apps and relation.sort != "screen" and not is_match(name)
    }
    near = _nearest(rules.instruction, valid, relations)
    shown: list[Shown] = []
    room = MOST_CHARACTERS
    votes: dict[str, float] = {}
    for each in near.tasks[:_NEIGHBOURS]:
        found = _checked(each, rules)
        if found is None:
            continue
        text, names = found
        votes |= {name: near.expected.get(name, 0.0) for name in names if name in relations}
        if len(shown) < MOST_SHOWN and len(text) <= room:
            shown.append(Shown(each.id, text))
            room -= len(text)
    ranked = tuple(sorted(votes, key=lambda name: (-votes[name], name)))
    shorts = Counter(relation.short for relation in relations.values())

    def written(name: str) -> str:
        short = relations[name].short
        return short if shorts[short] == 1 else name

    return Recalled(tuple(shown), ranked, tuple(map(written, ranked)), expired)


# ---------------------------------------------------------------- nearness


@dataclass(frozen=True, slots=True)
class _Near:
    """Earlier tasks, the nearest first, and how much each relation is to be expected."""

    tasks: tuple[Experience, ...]
    expected: Mapping[str, float]


def _nearest(instruction: str, memory: Sequence[Experience], relations: Mapping[str, Relation]) -> _Near:
    asked = _terms(instruction)
    tasks = [_terms(each.instruction) for each in memory]
    declared = {name: _terms(_said_of(relation)) for name, relation in relations.items()}
    rarity = _rarity([*tasks, *declared.values()])
    query = _weighed(asked, rarity)
    nearness = [_cosine(query, _weighed(task, rarity)) for task in tasks]
    whole = sum(nearness) or 1.0
    expected = dict.fromkeys(relations, 0.0)
    for each, near in zip(memory, nearness, strict=True):
        for name in set(each.relations) & relations.keys():
            expected[name] += near / whole
    for name, terms in declared.items():
        expected[name] += _cosine(query, _weighed(terms, rarity))
    scores = [
        (near + _cosine(expected, dict.fromkeys(set(each.relations) & relations.keys(), 1.0))) / 2
        for each, near in zip(memory, nearness, strict=True)
    ]
    order = sorted(
        range(len(memory)), key=lambda at: (-scores[at], -memory[at].added.timestamp(), memory[at].id)
    )
    return _Near(tuple(memory[at] for at in order), expected)


def _terms(text: str) -> Counter[str]:
    """The trigrams of the folded words of a text, each word between blanks."""
    found: Counter[str] = Counter()
    for word in words(text):
        padded = f" {word.folded} "
        found.update(padded[at : at + 3] for at in range(len(padded) - 2))
    return found


def _said_of(relation: Relation) -> str:
    """What an app says of a relation: its name in words, its description, its attributes."""
    parts = [relation.short, relation.doc]
    for attr in relation.attrs:
        parts += [attr.name, attr.doc]
    return " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", part) for part in parts)


def _rarity(documents: Sequence[Counter[str]]) -> Vector:
    """The inverse document frequency of each term, smoothed so that none is 0."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(document.keys())
    return {term: math.log((1 + len(documents)) / (1 + count)) + 1 for term, count in counts.items()}


def _weighed(terms: Counter[str], rarity: Vector) -> Vector:
    """The TF-IDF weights; a term that no document has says nothing."""
    return {term: (1 + math.log(count)) * rarity[term] for term, count in terms.items() if term in rarity}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    product = math.fsum(weight * other[term] for term, weight in one.items() if term in other)
    lengths = _length(one.values()) * _length(other.values())
    return product / lengths if lengths else 0.0


def _length(weights: Iterable[float]) -> float:
    return math.sqrt(math.fsum(weight * weight for weight in weights))


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
    text = _shown(parsed.module, task.spec, own)
    judged = judge(text, own, mend=False)
    if judged.problems or judged.loaded is None or judged.loaded.program is None:
        return None
    return judged.text, used(judged.loaded.program, judged.loaded.main, own.apps)


def _shown(module: tree.Module, text: str, rules: Rules) -> str:
    """The header with the instruction, the imports and the rules of a spec; not its tests and what is between items."""
    source = Source.from_text(text, rules.file)
    imports = [source.slice(item.span) for item in module.imports]
    rest = [source.slice(item.span) for item in module.items if not isinstance(item, tree.Test)]
    return "\n".join([rules.header, *imports, *rest]) + "\n"
