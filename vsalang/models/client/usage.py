"""The tokens of a call: each kind of server names them otherwise."""

from collections.abc import Mapping
from typing import Final

from vsalang.base.records import dataclass

_INPUT: Final = ("prompt_tokens", "input_tokens")
_OUTPUT: Final = ("completion_tokens", "output_tokens")
_CACHED: Final = (
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cached_tokens",
)
_BESIDE: Final = ("cache_read_input_tokens", "cache_creation_input_tokens")
"""What Anthropic's servers count in addition to `input_tokens`; the first one was found in their cache."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one call.

    Attributes:
        input: all that were sent.
        output: all that were answered, thoughts included.
        cached: those of `input` that the server found in its own cache.
    """

    input: int
    output: int
    cached: int = 0


def tokens(usage: Mapping[str, int]) -> Tokens | None:
    """The tokens in the usage that an endpoint tells; None if it tells none."""
    sent = _first(usage, _INPUT)
    answered = _first(usage, _OUTPUT)
    total = usage.get("total_tokens")
    if sent is None and answered is None and total is None:
        return None
    is_beside = _BESIDE[0] in usage and "input_tokens" in usage and "prompt_tokens" not in usage
    extra = [usage.get(name, 0) if is_beside else 0 for name in _BESIDE]
    sent = (sent or 0) + sum(extra)
    # some servers count thoughts in the total alone
    answered = max(answered or 0, (total or 0) - sent)
    cached = extra[0] if is_beside else _first(usage, _CACHED) or 0
    return Tokens(sent, answered, min(cached, sent))


def _first(usage: Mapping[str, int], names: tuple[str, ...]) -> int | None:
    return next((usage[name] for name in names if name in usage), None)
