"""Parses a strict subset of the POSIX shell's language: words, quotes, lists and pipelines; all else is refused.

Every shell parses this subset in the same way, and `render` writes it back so that no shell can read it differently.
Expansion, substitution, variables, patterns, braces, comments, here-documents, background jobs, line breaks and
redirection to other files than ``/dev/null`` are refused.
"""

import re
import shlex
from dataclasses import replace
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.quotes import quoted

MOST: Final = 20_000
"""Characters of a command line; a longer one is refused."""
STATUS: Final = "\x00"
"""Represents ``$?`` in a word: the exit status of the command before."""
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=)(.*)", re.DOTALL | re.ASCII)
_RESERVED: Final = frozenset(
    {
        "!",
        "{",
        "}",
        "[[",
        "]]",
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "case",
    }
    | {"esac", "in", "function", "select", "time", "coproc"}
)
_REDIRECTS: Final = re.compile(r"(?:2>&1|[12]?>>?[ \t]*/dev/null)(?=[ \t;|&]|$)")


class ShellRefused(ValueError):
    """The command line is not in the subset; the message says why."""


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command.

    Attributes:
        words: the command and its arguments, without quotes; `STATUS` in them stands for ``$?``.
        variables: what is assigned before it, for it alone.
        link: how it follows the one before: "" for the first, ";", "&&", "||" or "|".
        redirects: "2>&1", "2>/dev/null", ">/dev/null".
    """

    words: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    link: str = ""
    redirects: tuple[str, ...] = ()

    @property
    def uses_status(self) -> bool:
        """Whether it uses the exit status of the command before."""
        return any(STATUS in word for word in self.words)

    def with_status(self, status: int) -> "Simple":
        """The command with the status filled in."""
        return replace(self, words=tuple(word.replace(STATUS, str(status)) for word in self.words))


def parse(line: str) -> tuple[Simple, ...]:
    """The commands of a line, in order.

    Raises:
        ShellRefused: the line is not of the subset, or has no command.
    """
    if len(line) > MOST:
        raise ShellRefused(f"the command is longer than {MOST} characters")
    line = line.rstrip("\n")
    odd = next((c for c in line if (c < " " and c != "\t") or c == "\x7f" or "\x80" <= c <= "\x9f"), None)
    if odd is not None:
        name = "a line break" if odd in "\n\r" else f"the control character {ord(odd):#04x}"
        raise ShellRefused(f"{name} in a command")
    if any("\ud800" <= c <= "\udfff" for c in line):
        raise ShellRefused("bytes that are not UTF-8 in a command")
    commands: list[Simple] = []
    reader = _Reader(line)
    link = ""
    while True:
        simple = reader.simple(link)
        if simple is not None:
            commands.append(simple)
        operator = reader.operator()
        if simple is None and (operator or link != ";"):
            raise ShellRefused(
                f"there is no command before `{operator}`" if operator else "there is no command"
            )
        if not operator:
            return tuple(commands)
        link = operator


def render(commands: tuple[Simple, ...] | Simple) -> str:
    """The commands as one line, each word in quotes where it needs them."""
    if isinstance(commands, Simple):
        commands = (replace(commands, link=""),)
    parts: list[str] = []
    for command in commands:
        if command.link:
            parts.append("; " if command.link == ";" else f" {command.link} ")
        words = [f"{name}={shlex.quote(value)}" for name, value in command.variables]
        words += [_quoted(word) for word in command.words]
        parts.append(" ".join([*words, *command.redirects]))
    return "".join(parts)


def _quoted(word: str) -> str:
    pieces = word.split(STATUS)
    if len(pieces) == 1:
        return shlex.quote(word)
    return "$?".join(shlex.quote(piece) if piece else "" for piece in pieces)


class _Reader:
    """Reads a line once from left to right."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0

    def _blanks(self) -> None:
        while self.at < len(self.line) and self.line[self.at] in " \t":
            self.at += 1

    def operator(self) -> str:
        """The operator here; "" at the end of the line."""
        self._blanks()
        for operator in ("&&", "||", ";;", "|&", ";", "|", "&"):
            if self.line.startswith(operator, self.at):
                if operator in ("&", ";;", "|&"):
                    raise ShellRefused(f"`{operator}` is not of the shell that is understood here")
                self.at += len(operator)
                return operator
        return ""

    def simple(self, link: str) -> Simple | None:
        words: list[str] = []
        variables: list[tuple[str, str]] = []
        redirects: list[str] = []
        while True:
            self._blanks()
            if self.at >= len(self.line) or self.line[self.at] in ";|&":
                break
            if match := _REDIRECTS.match(self.line, self.at):
                redirects.append(re.sub(r"[ \t]", "", match[0]))
                self.at = match.end()
                continue
            start = self.at
            word = self._word()
            assigned = _ASSIGNMENT.match(self.line[start : self.at]) if not words else None
            if assigned is not None:
                if assigned[2] != "=" or STATUS in word:
                    raise ShellRefused("this form of assignment is not understood here")
                variables.append((assigned[1], word.partition("=")[2]))
            elif not words and (word in _RESERVED or _ASSIGNMENT.match(word)):
                raise ShellRefused(f"`{word[:40]}` is not of the shell that is understood here")
            else:
                words.append(word)
        if not words and (variables or redirects):
            raise ShellRefused("an assignment or a redirection without a command")
        return Simple(tuple(words), tuple(variables), link, tuple(redirects)) if words else None

    def _word(self) -> str:
        """One word; the position is at its first character."""
        pieces: list[str] = []
        line = self.line
        while self.at < len(line) and line[self.at] not in " \t;|&":
            c = line[self.at]
            if c in "'\"":
                text, self.at = quoted(line, self.at, self._dollar, ShellRefused)
                pieces.append(text)
            elif c == "\\":
                if self.at + 1 >= len(line):
                    raise ShellRefused("a backslash at the end")
                pieces.append(line[self.at + 1])
                self.at += 2
            elif c == "$":
                text, self.at = self._dollar(self.at)
                pieces.append(text)
            elif c in "[]" and not pieces and (self.at + 1 == len(line) or line[self.at + 1] in " \t;|&"):
                pieces.append(c)  # a word of its own: the command `[` and its last word, to every shell
                self.at += 1
            elif c in "`<>(){}*?[]" or (c in "~#" and not pieces) or (c == "~" and pieces[-1] in "=:"):
                raise ShellRefused(f"`{c}` without quotes is not of the shell that is understood here")
            else:
                pieces.append(c)
                self.at += 1
        return "".join(pieces)

    def _dollar(self, at: int) -> tuple[str, int]:
        """``$?``, the one expansion that is understood."""
        if self.line.startswith("$?", at):
            return STATUS, at + 2
        raise ShellRefused("`$`: variables and substitution are not of the shell that is understood here")
