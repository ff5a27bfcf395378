"""A verdict as a JSON document for other programs: versioned, whole, with lines and columns; see verdict.schema.json.

What a journal records (`Verdict.to_json`) has the journal's version; this shape has its own, and may be read without
the guard, the rules or the screen.
"""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from vsalang.base.source import Source, Span
from vsalang.guard.say.agent_hints import AgentHint
from vsalang.guard.say.verdict import Proposal, Reason, Verdict, Why
from vsalang.program.action import Action
from vsalang.program.example import Fact, Today
from vsalang.program.phrases import FIRST, read
from vsalang.program.show import value_source
from vsalang.program.values import NONE, show

VERSION: Final = 1
"""Raised when a field goes or means something else; new fields do not raise it."""


def document(
    verdict: Verdict,
    *,
    sources: Mapping[str, Source] | None = None,
    language: str = FIRST,
    hint: AgentHint | None = None,
) -> dict[str, Any]:
    """A verdict as JSON data of the documented shape.

    Args:
        verdict: any.
        sources: the text of every file of the program (`vsalang.language.semantics.Loaded.sources`), so that places
        have
            lines and columns; without them these are null.
        language: of the sentences.
        hint: what the agent is told in addition to it; it is not part of the verdict.

    Raises:
        UnknownLanguage: see `vsalang.program.phrases`.
    """
    writer = _Writer(sources or {}, language)
    return {
        "version": VERSION,
        "level": verdict.level,
        "allowed": verdict.allowed,
        "overridden": verdict.overridden,
        "mode": verdict.mode,
        "binding": verdict.binding,
        "token": verdict.token,
        "language": language,
        "proposal": str(verdict.proposal),
        "proposed": _proposed(verdict.proposal),
        "actions": [str(action) for action in verdict.actions],
        "screens": list(verdict.screens),
        "fingerprint": verdict.fingerprint,
        "at": verdict.at.isoformat(),
        "timing": {"judged": verdict.at.isoformat(), "seconds": round(verdict.took, 6)},
        "reasons": [writer.reason(reason) for reason in verdict.reasons],
        "licensed": [writer.reason(reason) for reason in verdict.licensed],
        "flags": [writer.reason(reason) for reason in verdict.flags],
        **({"hint": hint.to_json(language)} if hint is not None else {}),
    }


class _Writer:
    def __init__(self, sources: Mapping[str, Source], language: str) -> None:
        self._sources = sources
        self._language = language

    def reason(self, reason: Reason) -> dict[str, Any]:
        return {
            "kind": reason.kind,
            "level": reason.level,
            "message": self._read(reason.message),
            "rule": reason.rule,
            "module": reason.module,
            "span": self._span(reason.span),
            "whys": [self._why(why, held=reason.held) for why in reason.whys],
            "met": [self._why(why) for why in reason.met],
            "annotations": {
                name: [show(value, bare=True) for value in values]
                for name, values in reason.annotations.items()
            },
        }

    def _why(self, why: Why, *, held: bool = False) -> dict[str, Any]:
        return {
            "state": why.state,
            "text": self._read(why.text(held=held)),
            "relation": why.relation,
            "attr": why.attr,
            "label": self._read(why.label),
            "literal": why.literal,
            "seen": self._read(why.seen),
            "wanted": self._read(why.wanted),
            "row": {name: show(value) for name, value in why.row.items()},
            "incomplete": why.incomplete,
            **({"set_unseen": True} if why.set_unseen else {}),
            **({"similarity": why.similarity.to_json()} if why.similarity is not None else {}),
            "span": self._span(why.span),
        }

    def _read(self, text: str) -> str:
        return str(read(text, self._language))

    def _span(self, span: Span | None) -> dict[str, Any] | None:
        if span is None:
            return None
        place: dict[str, Any] = {"file": str(span.file), "start": span.start, "end": span.end}
        source = self._sources.get(span.file)
        if source is None:
            return place | {"line": None, "column": None, "end_line": None, "end_column": None}
        first, last = source.position(span.start), source.position(span.end)
        return place | {
            "line": first.line,
            "column": first.column,
            "end_line": last.line,
            "end_column": last.column,
        }


def _proposed(proposal: Proposal) -> dict[str, Any]:
    return {
        "gesture": _action(proposal.gesture) if proposal.gesture is not None else None,
        "attempts": [_action(action) for action in proposal.attempts],
        "claims": [_action(action) for action in proposal.claims],
        "writes": [_fact(fact) for fact in proposal.writes],
        "deletes": [_fact(fact) for fact in proposal.deletes],
    }


def _action(action: Action) -> dict[str, Any]:
    return {"name": action.name, "args": {name: _value_text(value) for name, value in action.args.items()}}


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "relation": fact.relation,
        "cells": {name: _value_text(value) for name, value in fact.cells.items()},
    }


def _value_text(value: Any) -> str:
    """A value as source text; of what is not a value of the language, the name of its Python class."""
    if isinstance(value, str | int | Decimal | dt.date | dt.time | dt.timedelta | frozenset | Today):
        return value_source(value)
    return show(value) if value is None or value is NONE else type(value).__name__
