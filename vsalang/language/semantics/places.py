"""Where something stands: the file and line of a span, of a rule."""

from vsalang.base.source import Span
from vsalang.language.semantics import Loaded


def place(loaded: Loaded, span: Span | None, name: str) -> str:
    """The file and line of a span; without one the name of what was there."""
    if span is None:
        return name
    return f"{span.file}:{loaded.sources[span.file].position(span.start).line}"


def place_of_rule(loaded: Loaded, name: str) -> str:
    """The file and line of the rule with this id."""
    program = loaded.checked()
    rule = next(rule for rule in (*program.rules, *program.lowered) if rule.id == name)
    return place(loaded, rule.head_span or rule.span, name)
