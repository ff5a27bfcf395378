"""What a client waits for behind a command that is refused: the echo of its exit status.

In adb's first shell protocol a command has no exit status, so clients append an ``echo`` of it to the line (adbutils:
``; echo X4EXIT:$?``) and fail in another way than by the refusal if that is missing. Nothing is run for it.
"""

import re
from typing import Final

from vsalang.phone.vocabulary import sh

_LAST: Final = re.compile(r"(;|&&|\|\||\n)[ \t]*(echo(?:[ \t]+[^;&|<>`()\n]*)?)[ \t;]*\n?\Z")
"""The last command of a line that is not of the understood shell."""
_OPTION: Final = re.compile(r"-[neE]+")


def echoes(line: str, status: int) -> bytes:
    """What the ``echo`` commands behind the first other command print, as if that had ended with a status.

    ``$?`` is that status everywhere: nothing of the line was run, so nothing of it succeeded.

    Args:
        line: a command line that is refused.
        status: of the refusal.
    """
    try:
        commands = sh.parse(line)
    except sh.ShellRefused:
        commands = _last(line)
    printed: list[str] = []
    last, refused = status, False
    for number, command in enumerate(commands):
        if (command.link == "&&" and last != 0) or (command.link == "||" and last == 0):
            continue
        piped = command.link == "|" or any(each.link == "|" for each in commands[number + 1 : number + 2])
        if command.words[0] != "echo" or piped:
            refused, last = True, status
            continue
        last = 0
        if refused and not any(each.startswith((">", "1>")) for each in command.redirects):
            printed.append(_echo(command.with_status(status).words[1:]))
    return "".join(printed).encode("utf-8", "replace")


def _last(line: str) -> tuple[sh.Simple, ...]:
    """Some command, and the ``echo`` at the end of a line; nothing if there is none."""
    match = _LAST.search(line)
    if match is None:
        return ()
    link = ";" if match[1] == "\n" else match[1]
    try:
        return sh.parse(f"refused {link} {match[2]}")
    except sh.ShellRefused:
        return ()


def _echo(words: tuple[str, ...]) -> str:
    options = 0
    while options < len(words) and _OPTION.fullmatch(words[options]):
        options += 1
    end = "" if any("n" in each for each in words[:options]) else "\n"
    return " ".join(words[options:]) + end
