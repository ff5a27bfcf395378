"""Parses the part of the shell language that clients use: words, quotes, lists of commands, pipes, redirection, ``$?``.

Everything else (substitution, background jobs, input from a file) is a syntax error with exit status 2, so that no
other command is run by mistake.
"""

from dataclasses import dataclass, field

from vsalang.phone.quotes import NOT_CLOSED, quoted

MOST_LENGTH = 1 << 20


class ShellSyntax(ValueError):
    """The command line uses something this shell does not have."""


@dataclass(slots=True)
class Command:
    """A simple command.

    Attributes:
        words: command and arguments; ``$?`` is written as `STATUS` in them.
        variables: assignments before the command.
        link: how it follows the one before: ";", "&&", "||" or "|".
        redirect: descriptor (1 or 2) -> (file, whether it is appended to), or "&1" for ``2>&1``
            (`STDOUT` if it comes first).
    """

    link: str = ";"
    words: list[str] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    redirect: dict[int, tuple[str, bool]] = field(default_factory=dict)


STDOUT = "&"
"""Where the second descriptor goes by ``2>&1`` before the first is redirected."""
STATUS = "\x00?"
"""Replaces ``$?`` in a word."""
_NONE = "'{}' is not supported by the simulated phone's shell"


def parse(line: str) -> list[Command]:
    """Split a command line.

    Raises:
        ShellSyntax: it uses something unsupported, or a quote is not closed.
    """
    if len(line) > MOST_LENGTH or "\x00" in line:
        raise ShellSyntax("line too long or with a NUL character")
    commands = [Command()]
    tokens = _tokens(line)
    for index, (kind, value) in enumerate(tokens):
        current = commands[-1]
        if kind == "op":
            if (value == "|" and not current.words) or (
                value in ("&&", "||") and not (current.words or current.variables)
            ):
                raise ShellSyntax(f"unexpected '{value}'")
            commands.append(Command(link=value))
        elif kind == "redirect":
            target = tokens[index + 1] if index + 1 < len(tokens) else ("", "")
            if value != "2>&1" and target[0] != "word":
                raise ShellSyntax(f"'{value}' needs a file")
            if value == "2>&1":  # as the output goes now: a file for it may follow
                current.redirect[2] = ("&1" if 1 in current.redirect else STDOUT, False)
            else:
                descriptor = 2 if value.startswith("2") else 1
                current.redirect[descriptor] = (target[1], value.endswith(">>"))
        elif index and tokens[index - 1][0] == "redirect" and tokens[index - 1][1] != "2>&1":
            continue
        else:
            name, equals, rest = value.partition("=")
            if not current.words and equals and name.isidentifier() and name.isascii():
                current.variables[name] = rest
            else:
                current.words.append(value)
    if commands[-1].link in ("&&", "||", "|") and not (commands[-1].words or commands[-1].variables):
        raise ShellSyntax("unexpected end of the line")
    return [command for command in commands if command.words]


def _tokens(line: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    word: list[str] | None = None
    position = 0

    def end() -> None:
        nonlocal word
        if word is not None:
            tokens.append(("word", "".join(word)))
            word = None

    while position < len(line):
        c = line[position]
        if c in " \t\r":
            end()
        elif c in "\n;":
            end()
            tokens.append(("op", ";"))
        elif line.startswith(("&&", "||"), position):
            end()
            tokens.append(("op", line[position : position + 2]))
            position += 1
        elif c == ">" or (line.startswith(("2>", "1>"), position) and word is None):
            start = position
            end()
            position += 0 if c == ">" else 1
            if line.startswith(">&1", position) and c == "2":
                position += 2
            elif line.startswith(">>", position):
                position += 1
            tokens.append(("redirect", line[start : position + 1]))
        elif c == "|":
            end()
            tokens.append(("op", "|"))
        elif c in "&`()<":
            raise ShellSyntax(_NONE.format(c))
        elif c == "#" and word is None:
            break
        else:
            text, position = _piece(line, position)
            word = [] if word is None else word
            word.append(text)
            continue
        position += 1
    end()
    return tokens


def _piece(line: str, position: int) -> tuple[str, int]:
    """What one quoted piece, escape, expansion or character stands for, and the position behind it."""
    c = line[position]
    if c in "'\"":
        return quoted(line, position, lambda at: _dollar(line, at), _unquoted)
    if c == "\\":
        return line[position + 1 : position + 2].replace("\n", ""), position + 2
    return _dollar(line, position) if c == "$" else (c, position + 1)


def _unquoted(why: str) -> ShellSyntax:
    return ShellSyntax("no closing quote" if why == NOT_CLOSED else _NONE.format("`"))


def _dollar(line: str, position: int) -> tuple[str, int]:
    following = line[position + 1 : position + 2]
    if following == "?":
        return STATUS, position + 2
    if following and (following.isalnum() or following in "_({$!@*#-"):
        raise ShellSyntax(_NONE.format(f"${following}"))
    return "$", position + 1
