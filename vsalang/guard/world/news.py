"""Whether a new screen differs from the last one: an equal one is not observed, so that a warning can be repeated."""

from typing import Final

from vsalang.program.screen import Screen

_ONCE: Final = frozenset({"Toast", "FileChanged"})
_READING: Final = frozenset({"Traced", "Untraced"})
"""What was read of the system's trace says nothing of the phone."""
_BESIDE: Final = frozenset({"Notification", "Settled"})


def same(known: Screen | None, screen: Screen) -> bool:
    """Whether a look shows only what is known, apart from the time.

    What is told only once, such as a toast, is always news. The fingerprint of a screen is of what it shows; what is
    told in addition to it (notifications, the system's trace) counts too.
    """
    if known is None or known.fingerprint != screen.fingerprint:
        return False
    if any(list(screen.rows(name)) for name in _ONCE):
        return False
    ignored = {*_BESIDE, *getattr(known, "system", ()), *getattr(screen, "system", ())} - _ONCE - _READING
    return all(list(known.rows(name)) == list(screen.rows(name)) for name in ignored)
