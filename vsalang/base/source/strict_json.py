"""Hooks for `json.loads` that refuse what two readers may read differently."""

from collections import Counter
from typing import Any


def object_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object as a dictionary: the hook ``object_pairs_hook``.

    Raises:
        ValueError: it has the same key twice.
    """
    data = dict(pairs)
    if len(data) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"`{twice[:80]}` is given twice in one object")
    return data


def no_constant(name: str) -> Any:
    """Refuse ``NaN`` and ``Infinity``, which JSON does not have: the hook ``parse_constant``.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"{name} is not a number of JSON")
