"""The result of encoding an instruction: for people, and as JSON for programs."""

import json
from pathlib import Path
from typing import Any

from vsalang.base.diagnostics import in_order, jsonout, terminal
from vsalang.base.diagnostics.display import count, safe, safe_lines
from vsalang.models.client.language_model import Backend
from vsalang.models.client.ledger import Spending
from vsalang.models.encode.charter import InstructionJudgement
from vsalang.models.encode.encoder import Formalization
from vsalang.models.encode.problem import Problem
from vsalang.models.encode.provenance import answered_by, answered_in_words, spent_in_words
from vsalang.models.encode.recall import Recollection
from vsalang.models.encode.voting import Vote
from vsalang.program.ir import License

_MOST_DOUBTS = 12


def _licences(result: Formalization) -> list[str]:
    """The heads of the spec's `allow` rules, as they are written."""
    loaded = result.loaded
    if loaded is None or loaded.program is None:
        return []
    lines: list[str] = []
    for rule in loaded.program.rules:
        if (
            rule.module == loaded.main
            and isinstance(rule.head, License)
            and rule.head.atom.relation != "finish"
        ):
            source = loaded.sources.get(rule.head_span.file) if rule.head_span else None
            if source is not None and rule.head_span is not None:
                lines.append(" ".join(source.slice(rule.head_span).split()))
    return lines


def as_text(result: Formalization, place: Path, kept: Path | None, spent: Spending, asked: str = "") -> str:
    """The result for people.

    Args:
        asked: the name under which the model was asked for; empty: nothing is said of who answered.
    """
    lines: list[str] = []
    rounds = count(len(result.rounds), "round")
    if result.accepted and result.loaded is not None:
        if result.warnings:
            lines.append(terminal.render(in_order(result.warnings), result.loaded.sources, color=False))
        tests = len(result.loaded.own)
        passed = f", {count(tests, 'test')} passed" if tests else ""
        lines.append(f"wrote {safe(str(place))} after {rounds}: no errors{passed}")
        lines += [f"  {safe(line, 400)}" for line in _licences(result)]
        if result.judgement is not None:
            lines.append(judgement_sentence(result.judgement))
        lines += _recalled(result.recalled)
        if result.stopped:
            lines.append(f"Nothing more was asked: {result.stopped}.")
        if result.doubts:
            lines.append(
                f"It needs a look: {count(len(result.doubts), 'doubt')} whether it says what was meant."
            )
            for doubt in result.doubts[:_MOST_DOUBTS]:
                lines.append(f"  {doubt.kind}: {safe(doubt.message, 400)}")
                if doubt.quote:
                    lines.append(f'    the instruction: "{safe(doubt.quote, 200)}"')
            if len(result.doubts) > _MOST_DOUBTS:
                lines.append(f"  .. and {len(result.doubts) - _MOST_DOUBTS} more: --json shows all")
            if result.reply:
                lines += ["The model says:", *(f"  {line}" for line in safe_lines(result.reply))]
        lines.append("Read it before you use it: a spec without errors may still not say what was meant.")
    elif result.refused:
        lines.append(f"This cannot be written safely: {safe(result.refused, 600)}")
    else:
        for problem in result.problems:
            lines += [*safe_lines(problem.text), ""]
        if result.stopped:
            lines.append(f"Nothing more was asked: {result.stopped}.")
        lines.append(f"no spec was written: the last of {rounds} has {count(len(result.problems), 'error')}")
        if kept is not None:
            lines.append(f"the last attempt is kept in {safe(str(kept))}")
    if asked:
        lines.append(f"Model: {safe(answered_in_words(result, asked), 400)}")
    lines.append(spent_in_words(spent))
    return "\n".join(lines) + "\n"


def judgement_sentence(judgement: InstructionJudgement) -> str:
    """What is said of an instruction, and what follows from it, for people."""
    words = safe(judgement.words(), 600)
    asked = " You are asked before anything that has an effect." if judgement.raises else ""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}.{asked}"


def _recalled(recalled: Recollection) -> list[str]:
    """What the model saw of the memory, and what it did not."""
    lines = []
    if recalled.tasks:
        ids = ", ".join(each.id for each in recalled.tasks)
        lines.append(f"The model saw {count(len(recalled.tasks), 'spec')} of earlier tasks: {ids}")
    if recalled.expired:
        which = f"{count(recalled.expired, 'remembered spec')} of these apps"
        verb = "has" if recalled.expired == 1 else "have"
        lines.append(f"{which} {verb} expired: `vsac memory list` says why")
    return lines


def problem_data(problem: Problem) -> dict[str, Any]:
    """A problem as JSON data."""
    return {
        "kind": problem.kind,
        "code": problem.code or None,
        "line": problem.line,
        "message": problem.message,
        "text": problem.text,
    }


def judgement_data(judgement: InstructionJudgement | None) -> dict[str, Any] | None:
    """A judgement of an instruction as JSON data; None: the spec is another one than a charter."""
    if judgement is None:
        return None
    return {
        "harmful": None if judgement.missing else bool(judgement.concerns),
        "categories": list(judgement.concerns),
        "reason": judgement.reason or None,
        "missing": judgement.missing or None,
    }


def _vote(vote: Vote | None) -> dict[str, Any] | None:
    if vote is None:
        return None
    return {
        "accepted": vote.of,
        "winner": list(vote.winner.numbers),
        "rows": vote.winner.bound,
        "others": [
            {"samples": list(each.other.numbers), "question": each.question or None} for each in vote.others
        ],
    }


def as_data(
    result: Formalization,
    instruction: str,
    model: Backend,
    place: Path,
    kept: Path | None,
    *,
    vote: Vote | None,
    spent: Spending,
) -> dict[str, Any]:
    """The result for programs, without the key. `spent`: by all samples, and by the reader."""
    warnings: list[Any] = []
    if result.loaded is not None:
        warnings = jsonout.to_data(in_order(result.warnings), result.loaded.sources)["diagnostics"]
    data = {
        "version": 1,
        "accepted": result.accepted,
        "stopped": result.stopped or None,
        "output": str(place) if result.accepted else None,
        "rejected": str(kept) if kept is not None else None,
        "instruction": instruction,
        "model": model.name,
        "answered_by": list(answered_by(result)) or None,
        "endpoint": model.endpoint,
        "rounds": [
            {
                "round": number,
                "problems": [problem_data(problem) for problem in this.problems],
                "fixed": [{"code": item.code, "message": item.message} for item in this.fixed],
                "usage": dict(this.answer.usage),
            }
            for number, this in enumerate(result.rounds, 1)
        ],
        "spent": {
            "calls": spent.calls,
            "stored": spent.stored,
            "input_tokens": spent.input,
            "cached_tokens": spent.cached,
            "output_tokens": spent.output,
            "cost": round(spent.cost, 6) if spent.cost is not None else None,
            "seconds": round(spent.seconds, 3),
        },
        "text": result.text,
        "allows": _licences(result),
        "tests": len(result.loaded.own) if result.loaded is not None else 0,
        "warnings": warnings,
        "needs_a_look": bool(result.doubts),
        "refused": result.refused or None,
        "judgement": judgement_data(result.judgement),
        "doubts": [
            {"kind": doubt.kind, "message": doubt.message, "quote": doubt.quote or None}
            for doubt in result.doubts
        ],
        "reply": result.reply or None,
        "vote": _vote(vote),
        "recalled": [each.id for each in result.recalled.tasks],
        "expired": result.recalled.expired,
    }
    redacted_data: dict[str, Any] = json.loads(model.redact(json.dumps(data)))
    return redacted_data
