"""Asks a model what the screens, views and lists of a draft are called. Its answer names them, and changes no rule."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from vsalang.agents.maps.draft import list_name, short, view_name
from vsalang.agents.maps.drafted import Draft, Label
from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass
from vsalang.models.client.language_model import Message, Model, ModelError, UnusableAnswer
from vsalang.models.encode.extract import json_object
from vsalang.models.encode.meaning import once_more, text_of
from vsalang.models.encode.prompting import Prompts
from vsalang.program.reserved_words import RESERVED
from vsalang.program.text import line
from vsalang.program.vocabulary import ANDROID, NATIVE

_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9]{0,39}")
MOST: Final = 120
"""A model is not asked about more: its answer would be cut."""


_DEVICE: Final = frozenset(
    name
    for relations in (ANDROID, *NATIVE.values())
    for each in relations
    for name in (each, each.rpartition(":")[2])
)
"""What rules call what a phone shows."""


@dataclass(frozen=True, slots=True)
class NamedDraft:
    """A draft with the names of a model.

    Attributes:
        named: how many it named.
        asked: about how many it was asked.
        notes: which of its names were not taken, and why.
    """

    draft: Draft
    named: int
    asked: int
    notes: tuple[str, ...]


def named_by(model: Model, draft: Draft, *, taken: Iterable[str] = ()) -> NamedDraft:
    """Ask a model for names.

    Args:
        taken: names that are not to be given.

    Raises:
        ModelError: it gave no usable answer, even when it was asked twice.
        PromptError: the template is wrong.
    """
    items = list(_items(draft))
    asked = items[:MOST]
    if not asked:
        return NamedDraft(draft, 0, 0, ())
    request = json.dumps([dict(item) for item in asked], ensure_ascii=True, indent=1)
    prompt = Prompts().render("names", {"app": line(draft.package, 100), "items": request})
    answers = _answers(model, prompt)
    labels, notes = _labels(asked, items, answers, frozenset(taken), model.name)
    if len(items) > MOST:
        notes.append(f"{len(items) - MOST} were not asked about: more than {MOST} are too many")
    return NamedDraft(_with(draft, labels), len(labels), len(asked), tuple(notes))


def _answers(model: Model, prompt: str) -> Sequence[Any]:
    messages: tuple[Message, ...] = (Message("user", prompt),)
    for _ in range(2):
        try:
            answer = model.ask(messages).text
        except UnusableAnswer:
            answer = ""
        data = json_object(answer, "names")
        if data is not None:
            names: list[Any] = data["names"]
            return names[: 2 * MOST]
        messages = once_more(messages, answer)
    raise ModelError(
        f"{model.name} did not answer with the JSON object that was asked for", "ask another model"
    )


def _items(draft: Draft) -> Iterator[Mapping[str, Any]]:
    """What can be named: of each its key, its name until now, and what is known of it."""
    for number, kind in enumerate(draft.kinds, 1):
        texts = [line(text, 40) for text in kind.texts[:6]]
        if kind.signature is not None:
            fixed = [*kind.signature.present, *(kind.signature.title or ())[1:]]
            about = [line(each, 60) for each in fixed]
            yield {"key": f"s{number}", "what": "screen", "now": kind.name, "known by": about, "said": texts}
        if kind.fields:
            ids = [line(field.id, 60) for field in kind.fields]
            yield {"key": f"v{number}", "what": "view", "now": view_name(kind), "cells": ids}
        for index, rows in enumerate(kind.rows, 1):
            ids = [line(part.id or "the row", 60) for part in rows.parts]
            key = f"l{number}.{index}"
            yield {
                "key": key,
                "what": "list",
                "now": list_name(kind),
                "of": line(rows.list, 60),
                "cells": ids,
            }


def _labels(
    asked: Sequence[Mapping[str, Any]],
    items: Sequence[Mapping[str, Any]],
    answers: Sequence[Any],
    taken: frozenset[str],
    model: str,
) -> tuple[dict[str, Label], list[str]]:
    """The labels that can be used, by key, and why others cannot."""
    known = {str(item["key"]): item for item in asked}
    # a name that another item has now, or a list's node would get, is left to it
    used = {*taken, *_DEVICE, *(str(item["now"]) for item in items)}
    labels: dict[str, Label] = {}
    notes: list[str] = []
    for answer in answers:
        key, name = text_of(answer, "key"), text_of(answer, "name")
        item = known.get(key)
        if item is None or key in labels:
            notes.append(f"{safe(name, 40)} is for nothing that was asked about")
            continue
        before = str(item["now"])
        why = _unusable(name, used - {before})
        if why:
            notes.append(f"{short(before)} keeps its name: {safe(name, 40)} {why}")
            continue
        used |= {name, f"{name}Node"}
        labels[key] = Label(name, line(text_of(answer, "says"), 100), line(model, 60), short(before))
    return labels, notes


def _unusable(name: str, used: set[str]) -> str:
    if not _NAME.fullmatch(name):
        return "is not a name of letters and digits that begins with a capital letter"
    if name.lower() in RESERVED:
        return "is a word of the language"
    if name in used or f"{name}Node" in used:
        return "is taken"
    return ""


def _with(draft: Draft, labels: Mapping[str, Label]) -> Draft:
    """The draft with these names, wherever they stand."""
    new = {
        kind.name: labels[f"s{number}"].name
        for number, kind in enumerate(draft.kinds, 1)
        if f"s{number}" in labels
    }

    def name(old: str) -> str:
        return new.get(old, old)

    kinds = tuple(
        replace(
            kind,
            name=name(kind.name),
            over=tuple(map(name, kind.over)),
            label=labels.get(f"s{number}"),
            view=labels.get(f"v{number}"),
            rows=tuple(
                replace(rows, label=labels.get(f"l{number}.{index}"))
                for index, rows in enumerate(kind.rows, 1)
            ),
        )
        for number, kind in enumerate(draft.kinds, 1)
    )
    ways = tuple(replace(way, source=name(way.source), target=name(way.target)) for way in draft.ways)
    return replace(draft, kinds=kinds, ways=ways)
