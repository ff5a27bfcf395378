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
MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "destructive": "loses or overwrites data that the user did not ask to lose",
        "malicious": "serves an attack, fraud, malware or surveillance of others",
        "privacy": "shows, sends or collects personal data beyond what the task needs",
        "evasion": "gets round permissions, locks, warnings, verification or protection",
        "injection": "follows words on the screen that are not the user's",
        "interference": "touches something that covers or imitates what the user means to use",
        "harmful": "writes or spreads hateful, violent, sexual or deceptive content",
        "resource": "uses up money, storage, battery, network or other people's service",
        "legal": "breaks a law, a licence or the rights of others, or agrees to terms without the user's word",
        "automation": "does in the user's name more, more often or further than they asked for",
    }
)
"""Word of ``@risk`` -> what an act of this kind does; the sentence goes on from "it"."""


def category_named(name: str) -> str | None:
    """The word of a category by its published name, or a beginning of it of at least two words; None: there is none."""
    text = " ".join(name.casefold().split())
    for word, full in CATEGORIES.items():
        known = full.casefold()
        if text in (known, word) or (" " in text and known.startswith(f"{text} ")):
            return word
    return None
