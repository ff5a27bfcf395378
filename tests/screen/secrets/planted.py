"""A bank with a secret of each kind, planted wherever a session may write or print it, and how leaks are found."""

import re

SPEC = """\
spec notes "Note that alice@example.com has the card 4111 1111 1111 1111"
allow answer.
done when answer earlier.
"""
AGENT = [
    {"action": "input_text", "id": "password", "value": "hunter2!"},
    {
        "action": "input_text",
        "id": "note",
        "value": "482913 to +49 171 1234567, DE89 3704 0044 0532 0130 00, "
        "sk-proj-Abc123Def456Ghi789Jkl012 for Alder; hunter2!",
    },
    {"action": "tap", "text": "no such 5555 5555 5555 4444"},
    {"action": "answer", "text": "alice@example.com has 4111 1111 1111 1111"},
]
PLANTED = (
    "hunter2",
    "482913",
    "171 1234567",
    "3704 0044",
    "Abc123",
    "Alder",
    "alice@",
    "4111 1111",
    "5555 5555",
)
"""Parts of the secrets of each kind: of the screen, of what is typed and told, of the instruction, of an error."""


def leaks(text: str) -> list[str]:
    """Which planted parts the text holds, also without their blanks. Digits inside a digest or a time are none."""
    return [part for part in PLANTED if re.search(_anywhere(part), text)]


def _anywhere(part: str) -> str:
    written = re.escape(part).replace(r"\ ", " ?")
    return rf"(?<![0-9a-f.]){written}(?![0-9a-f])" if part[0].isdigit() and part[-1].isdigit() else written
