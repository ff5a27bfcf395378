"""The ten categories of harm that benchmarks of agents know: the word that ``@risk`` takes, and the published name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

CATEGORIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "destructive": "Destructive Actions",
        "malicious": "Malicious Use",
        "privacy": "Privacy Violations",
        "evasion": "Security Mechanism Evasion",
        "injection": "Prompt Injection",
        "interference": "UI Interference Attacks",
        "harmful": "Harmful Content Generation and Dissemination",
        "resource": "Resource Abuse",
        "legal": "Legal and Compliance Issues",
        "automation": "Over-Automation",
    }
)
"""Word of ``@risk`` -> name in MobileRisk (OS-Sentinel, arXiv 2510.24411), in its order."""


def category_named(name: str) -> str | None:
    """The word of a category by its published name, or a beginning of it of at least two words; None: there is none."""
    text = " ".join(name.casefold().split())
    for word, full in CATEGORIES.items():
        known = full.casefold()
        if text in (known, word) or (" " in text and known.startswith(f"{text} ")):
            return word
    return None
