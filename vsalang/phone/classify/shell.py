"""What a shell command line does: each command reads, is actions, or is ``shell``; else the whole line is refused."""

import re
from dataclasses import replace
from typing import Final

from vsalang.phone.classify.reads import passes_on, tells
from vsalang.phone.classify.verdict import NOTHING, Actions, Allowance, Class, Part, Pass, Refuse
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb import ForbiddenCommand, actions_of
from vsalang.phone.vocabulary.adb_apps import as_shell, launching, normal
from vsalang.phone.vocabulary.adb_input import each_alone
from vsalang.phone.vocabulary.base import VocabularyError

_SERVER = ("app_process", "/", "com.wetest.uia2.Main")
_MOST_READINGS: Final = 4
"""How often a line is normalised until nothing changes; a line that still changes is refused."""
_LOGCAT: Final = re.compile(
    r"""export ANDROID_LOG_TAGS=(?:"''"|''); exec (logcat(?: -v long)?(?: (?:'[^'\r\n]*'|\\')+)*)"""
)
"""The form that ``adb logcat`` and ``adb longcat`` send, of versions before 36 and since: with an empty variable, which
changes nothing, and quotes around every word."""


def classify_shell(line: str, allowed: Allowance = NOTHING) -> Class:
    """What a command line does.

    `Pass`, if every command is known to only read; `Actions`, if each other command is known or can be judged as the
    critical action ``shell``; else `Refuse`.
    """
    if not line.strip():
        return Refuse(
            "an interactive shell: what is typed into it cannot be judged; send one command at a time"
        )
    try:
        commands = _settled(line)
    except sh.ShellRefused as error:
        return Refuse(f"the shell command is not understood: {error}")
    except ForbiddenCommand as error:
        return Refuse(str(error))
    return _fixed(_commands(commands, allowed), allowed)


def normalise(line: str) -> str:
    """A command line as it is classified and sent: one name for each command, quotes only where they are needed.

    ``normalise(normalise(line)) == normalise(line)``, and both are of one class. A line that is not understood
    is refused and stays as it is.
    """
    try:
        return sh.render(_settled(line))
    except (sh.ShellRefused, ForbiddenCommand):
        return line


def _settled(line: str) -> tuple[sh.Simple, ...]:
    """The commands of a line, normalised, such that they are read the same after they are written.

    Raises:
        ShellRefused, Forbidden: they are not understood, or the line changes each time it is normalised.
    """
    if log := _LOGCAT.fullmatch(line):
        line = log[1]
    commands = sh.parse(line)
    for _ in range(_MOST_READINGS):
        named = tuple(replace(each, words=normal(each.words)) for each in commands)
        again = sh.parse(sh.render(named))
        if again == commands:
            return commands
        if again != named:
            raise sh.ShellRefused("written again, it is another command")
        commands = again
    raise sh.ShellRefused("it is another command each time it is written again")


def _fixed(verdict: Class, allowed: Allowance) -> Class:
    """The class of a line, if the line that is sent instead has the same class; else a refusal."""
    if not isinstance(verdict, Pass | Actions):
        return verdict
    try:
        again = _commands(_settled(verdict.command), allowed)
    except (sh.ShellRefused, ForbiddenCommand):
        again = None
    if again == verdict:
        return verdict
    return Refuse("the shell command is not understood: written again, it is judged as something else")


def classify_words(words: tuple[str, ...], allowed: Allowance = NOTHING) -> Class:
    """As `classify_shell`, for a command that arrived as words (``abb_exec:``)."""
    if not words or any(not word or "\n" in word or "\x00" in word for word in words):
        return Refuse("the command has no words, or ones that no command line has")
    try:
        named = normal(words)
        verdict = _fixed(_commands((sh.Simple(named),), allowed), allowed)
    except ForbiddenCommand as error:
        return Refuse(str(error))
    # the words are sent on as they arrived: a command that must be rewritten, or split into several, is refused
    if isinstance(verdict, Actions) and verdict.command != sh.render(sh.Simple(named)):
        return Refuse("one key at a time, and places in whole pixels: these words cannot be written again")
    return verdict


def _commands(commands: tuple[sh.Simple, ...], allowed: Allowance) -> Class:
    parts: list[Part] = []
    try:
        groups = _pipelines(commands)
        if len(groups) > 1 and any(command.variables for command in commands):
            raise ForbiddenCommand(
                "a variable is understood only where uiautomator2's server is started, alone in its line"
            )
        for group in groups:
            parts += _part(group, allowed)
    except (ForbiddenCommand, VocabularyError) as error:
        return Refuse(str(error))
    if not any(part.actions for part in parts):
        return Pass(sh.render(commands))
    return Actions(tuple(parts))


def _pipelines(commands: tuple[sh.Simple, ...]) -> list[list[sh.Simple]]:
    groups: list[list[sh.Simple]] = []
    for command in commands:
        if command.link == "|":
            groups[-1].append(command)
        else:
            groups.append([command])
    return groups


def _part(group: list[sh.Simple], allowed: Allowance) -> list[Part]:
    """The parts of one pipeline: one, or one for each key."""
    first = group[0]
    if first.variables:
        if not _starts_server(group, allowed):
            raise ForbiddenCommand(
                f"`{first.variables[0][0]}=`: what a variable does to a command is not known"
                if first.words[0] != "app_process"
                else "a program is started that was not compared with uiautomator2's own"
            )
        return [Part(sh.render(first), first.link)]
    words = normal(first.words)
    rendered = sh.render(tuple(group)) if len(group) > 1 else sh.render(first)
    rendered = rendered if len(group) == 1 else sh.render((replace(first, link=""), *group[1:]))
    if first.uses_status and words[0] != "echo":
        raise ForbiddenCommand("`$?` is understood only where its value is known")
    if tells(words, allowed.known.portals):
        if len(group) == 1 or all(passes_on(normal(each.words)) for each in group[1:]):
            if any(each.uses_status or each.variables for each in group[1:]):
                raise ForbiddenCommand("`$?` is understood only where its value is known")
            return [Part(rendered, first.link)]
        other = next(each for each in group[1:] if not passes_on(normal(each.words)))
        raise ForbiddenCommand(
            f"`| {other.words[0][:40]}`: what is behind a pipe may only pass on what it is given"
        )
    if len(group) > 1:
        raise ForbiddenCommand(
            f"`{words[0][:40]} |`: a pipe is understood only behind a command that is known to read"
        )
    parts: list[Part] = []
    alone = each_alone(words)
    if first.link == "||" and len(alone) > 1:
        raise ForbiddenCommand("several keys behind `||`: send one key after the other")
    for index, one in enumerate(alone):
        each = launching(one)
        actions = actions_of(each, allowed.known)
        if not actions:
            actions = as_shell(each)
        command = sh.render(sh.Simple(each, redirects=first.redirects))
        parts.append(Part(command, first.link if index == 0 else "&&", actions))
    return parts


def _starts_server(group: list[sh.Simple], allowed: Allowance) -> bool:
    """Whether it starts uiautomator2's server from a file that the guard has verified."""
    first = group[0]
    return (
        len(group) == 1
        and len(first.variables) == 1
        and first.variables[0][0] == "CLASSPATH"
        and first.variables[0][1] in allowed.jars
        and first.words in ((*_SERVER, "-p", str(allowed.rpc_port)), _SERVER)
        and not first.redirects
    )
