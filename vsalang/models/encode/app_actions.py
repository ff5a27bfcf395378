"""Asks a model which actions an app has, of which only a schema is known; each answer must quote the schema."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass
from vsalang.language.notations.into import ImportResult, Proposal
from vsalang.language.notations.into.printer import Relation, relation
from vsalang.models.client.language_model import Message, Model, ModelError, UnusableAnswer
from vsalang.models.encode.extract import json_object
from vsalang.models.encode.meaning import folded, once_more, text_of
from vsalang.models.encode.prompting import Prompts
from vsalang.program.reserved_words import RESERVED

_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9_]{0,59}")
_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class ProposedActions:
    """What a model proposes.

    Attributes:
        proposals: the actions for which it quotes the schema.
        left: how many others it named: without a quote, of an unknown relation or attribute, or by an unusable name.
    """

    proposals: tuple[Proposal, ...]
    left: int


def ask_for_actions(
    model: Model, imported: ImportResult, proposed: Sequence[Proposal] = (), texts: Prompts | None = None
) -> ProposedActions:
    """Ask a model for actions in addition to those that are proposed already.

    Raises:
        ModelError: it gave no usable answer, even when it was asked twice.
        PromptError: the template is wrong.
    """
    known = "\n\n".join(map(relation, imported.declared))
    data = {"app": imported.module, "relations": known, "proposed": [each.name for each in proposed]}
    messages: tuple[Message, ...] = (Message("user", (texts or Prompts()).render("actions", data)),)
    for _ in range(2):
        try:
            answer = model.ask(messages).text
        except UnusableAnswer:
            answer = ""
        reply = json_object(answer, "actions")
        if reply is not None:
            items = reply["actions"][:_MOST]
            taken = {each.name for each in proposed} | {each.name for each in imported.declared}
            proposals = tuple(_read(items, imported.declared, taken, model.name))
            return ProposedActions(proposals, len(reply["actions"]) - len(proposals))
        messages = once_more(messages, answer)
    raise ModelError(
        f"{model.name} did not answer with the JSON object that was asked for", "ask another model"
    )


def _read(
    items: Sequence[Any], relations: Sequence[Relation], taken: set[str], model: str
) -> Iterator[Proposal]:
    declared = {each.name: each for each in relations}
    for item in items:
        name, quote = text_of(item, "name"), text_of(item, "quote")
        concerned = declared.get(text_of(item, "relation"))
        wanted = item.get("parameters") if isinstance(item, dict) else None
        if concerned is None or not isinstance(wanted, list) or name in taken or name.lower() in RESERVED:
            continue
        chosen = [each for each in concerned.attributes if each.name in wanted]
        if len(chosen) != len(wanted) or not _NAME.fullmatch(name):
            continue
        if not quote or folded(quote) not in folded(relation(concerned)):
            continue
        taken.add(name)
        evidence = f'{safe(model, 60)} quotes {concerned.name}: "{safe(quote, 200)}"'
        yield Proposal(name, tuple(chosen), text_of(item, "does"), concerned.name, (evidence,))
