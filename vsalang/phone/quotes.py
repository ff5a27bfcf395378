"""Reads what stands in quotes in a shell's command line: alike for who judges a command and for the simulated phone."""

from collections.abc import Callable

NOT_CLOSED = "a quote is not closed"
SUBSTITUTION = "command substitution"


def quoted(
    line: str,
    at: int,
    dollar: Callable[[int], tuple[str, int]],
    refused: Callable[[str], Exception],
) -> tuple[str, int]:
    """The text in the single or double quotes that begin at a position, and the position behind them.

    Args:
        dollar: reads what ``$`` at a position stands for, and gives the position behind it.
        refused: makes the error to raise: of `NOT_CLOSED`, or of `SUBSTITUTION` (by backquotes).
    """
    if line[at] == "'":
        close = line.find("'", at + 1)
        if close < 0:
            raise refused(NOT_CLOSED)
        return line[at + 1 : close], close + 1
    texts: list[str] = []
    at += 1
    while at < len(line) and line[at] != '"':
        c = line[at]
        if c == "\\" and line[at + 1 : at + 2] in ("\\", '"', "$", "`"):
            texts.append(line[at + 1])
            at += 2
        elif c == "`":
            raise refused(SUBSTITUTION)
        elif c == "$":
            text, at = dollar(at)
            texts.append(text)
        else:
            texts.append(c)
            at += 1
    if at >= len(line):
        raise refused(NOT_CLOSED)
    return "".join(texts), at + 1
