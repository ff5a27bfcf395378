"""Answers that a person has accepted, as an app module: what acts refines an effect, what leads on is said to."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from vsalang.base.source import Source
from vsalang.language.syntax.formatting import format_source
from vsalang.models.effects.answer import OBJECTS
from vsalang.models.effects.kept import KeptAnswer
from vsalang.program.ir import TEXT, Program, Relation
from vsalang.program.text import comment, line, quote

EFFECTS: Final = "std.effects"
_LONGEST: Final = 200


def usual_name(package: str) -> str:
    """What the module about the controls of an app is called if nothing else is said."""
    return re.sub(r"\W", "_", package.lower(), flags=re.ASCII) + "_controls"


def module_text(name: str, package: str, answers: Iterable[KeptAnswer], effects: Program) -> str:
    """The module of an app that says what a person has accepted about its controls, formatted.

    Args:
        name: of the module, which is that of its file.
        package: of the app.
        answers: about its controls.
        effects: a program with `std.effects`.
    """
    different: dict[object, KeptAnswer] = {}
    for kept in answers:
        key, answer = kept.key, kept.answer
        different.setdefault(
            (
                key.gesture,
                key.id,
                key.cls,
                key.label,
                kept.words,
                answer.means,
                answer.kind,
                answer.arguments,
            ),
            kept,
        )
    chosen = sorted(
        different.values(),
        key=lambda kept: (kept.answer.means, kept.answer.kind, kept.key.label, kept.key.ref),
    )
    lines = [
        f"app {name} package {quote(package)} {quote(f'Controls of {package}, as a person has accepted')}",
        f"import {EFFECTS}",
        "",
    ]
    numbers: dict[str, int] = {}
    for kept in chosen:
        versions = sorted({each.key.version for each in answers if _alike(each, kept)})
        lines.append(f"// {comment(_about(kept, versions))}")
        if kept.answer.means == "leads on" and not _place(kept):
            lines.append("// No words tell its screen from others, so no rule says that it leads on.")
        elif kept.answer.means == "leads on":
            lines.append(f"define OnlyLeadsOn(node = ?n) when {_body(kept, ('node = ?n',))}.")
        else:
            number = numbers[kept.answer.kind] = numbers.get(kept.answer.kind, 0) + 1
            lines += _act(kept, effects.relation(f"{EFFECTS}.{kept.answer.kind}"), number)
        lines.append("")
    return format_source(Source.from_text("\n".join(lines)))


def _act(kept: KeptAnswer, effect: Relation, number: int) -> Sequence[str]:
    """The action of a control, and what recognises it.

    Of its arguments those are told that a rule finds again: its own words, and what was said.
    """
    texts = {attr.name: attr.doc for attr in effect.attrs if attr.type == TEXT}
    about = next((name for name in OBJECTS if name in texts), None)
    own = bool(kept.key.label) and any(
        each.own and not each.is_part and not each.detail and each.parameter == about
        for each in kept.answer.arguments
    )
    names = [*([about] if about is not None and own else []), *(["app"] if "app" in texts else [])]
    declared = ", ".join(f"{name}: Text {quote(texts[name])}" for name in names)
    arguments = ", ".join(f"{name} = ?{name}" for name in names)
    worded = [
        f"{each.parameter} = {quote(each.words)}"
        for each in kept.answer.arguments
        if each.spot is None and each.parameter in texts
    ]
    refined = ", ".join(filter(None, [arguments, *worded]))
    title = quote(f"{effect.doc}: {line(kept.key.label or kept.key.id, _LONGEST)}")
    name = f"{effect.short}{number}"
    body = _body(kept, ("package = ?app",) if "app" in texts else (), f"label = ?{about}" if own else "")
    return (
        f"action {name}{f'({declared})' if declared else ''}",
        f"  refines {EFFECTS}.{effect.short}{f'({refined})' if refined else ''} {title}",
        f"recognize {name}{f'({arguments})' if arguments else ''} when {body}.",
    )


def _body(kept: KeptAnswer, cells: Sequence[str], label: str = "") -> str:
    """What the touch is, and what shows where it is."""
    key = kept.key
    fixed = {"resource_id": key.id, "class": key.cls, "label": key.label}
    cells_known = [f"{name} = {quote(value)}" for name, value in fixed.items() if value]
    cells_known += [label] if label and key.label else []
    place = [f"Node(text = {quote(word)})" for word in _place(kept)]
    return ", ".join([f"{key.gesture}({', '.join([*cells, *cells_known])})", *place])


def _place(kept: KeptAnswer) -> list[str]:
    """The words that show where a control is: those that name no numbers, which change."""
    return [word for word in kept.words if word.strip() and not re.search(r"\d", word)]


def _alike(one: KeptAnswer, other: KeptAnswer) -> bool:
    return (one.key.gesture, one.key.id, one.key.label, one.answer.means) == (
        other.key.gesture,
        other.key.id,
        other.key.label,
        other.answer.means,
    )


def _about(kept: KeptAnswer, versions: Sequence[str]) -> str:
    known = ", ".join(filter(None, versions))
    where = f" on {line(' / '.join(kept.words), _LONGEST)}" if kept.words else ""
    seen = f"; version {line(known, _LONGEST)}" if known else ""
    return f"{line(kept.key.label or kept.key.id, _LONGEST)}{where}: said by {line(kept.answer.by, 80)}{seen}"
