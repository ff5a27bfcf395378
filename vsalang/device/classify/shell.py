"""Shell command lines: every command reads, is actions, or is ``shell``; or all is refused."""

import re
from dataclasses import replace
from typing import Final

from vsalang.device.classify.reads import passes_on, tells
from vsalang.device.classify.verdict import NOTHING, Actions, Allowed, Class, Part, Read, Refuse
from vsalang.device.vocabulary import sh
from vsalang.device.vocabulary.adb import Forbidden, actions_of
from vsalang.device.vocabulary.adb_apps import as_shell, normal
from vsalang.device.vocabulary.adb_input import each_alone
from vsalang.device.vocabulary.base import VocabularyError

_SERVER = ("app_process", "/", "com.wetest.uia2.Main")
_LOGCAT: Final = re.compile(r"""export ANDROID_LOG_TAGS="''"; exec (logcat(?: '[^'\r\n]*')*)""")
"""How ``adb logcat`` says it: with an empty variable, which changes nothing, and a quote around every word."""


def classify_shell(line: str, allowed: Allowed = NOTHING) -> Class:
    """What a command line does.

    `Read`, if every command of it is known to only tell; `Actions`, if what acts is known or can be judged as the
    critical action ``shell``; else `Refuse`.
    """
    if not line.strip():
        return Refuse(
            "an interactive shell: what is typed into it cannot be judged; send one command at a time"
        )
    if log := _LOGCAT.fullmatch(line):
        line = log[1]
    try:
        commands = sh.parse(line)
    except sh.ShellRefused as error:
        return Refuse(f"the shell command is not understood: {error}")
    return _commands(commands, allowed)


def classify_words(words: tuple[str, ...], allowed: Allowed = NOTHING) -> Class:
    """As `classify_shell`, for a command that came as words (``abb_exec:``)."""
    if not words or any(not word or "\n" in word or "\x00" in word for word in words):
        return Refuse("the command has no words, or ones that no command line has")
    found = _commands((sh.Simple(words),), allowed)
    # the words are passed on as they came: what has to be said in another way, or in several commands, cannot be
    if isinstance(found, Actions) and found.command != sh.render(sh.Simple(normal(words))):
        return Refuse("one key at a time, and places in whole pixels: these words cannot be written anew")
    return found


def _commands(commands: tuple[sh.Simple, ...], allowed: Allowed) -> Class:
    parts: list[Part] = []
    try:
        groups = _pipelines(commands)
        if len(groups) > 1 and any(command.variables for command in commands):
            raise Forbidden(
                "a variable is understood only where uiautomator2's server is started, alone in its line"
            )
        for group in groups:
            parts += _part(group, allowed)
    except (Forbidden, VocabularyError) as error:
        return Refuse(str(error))
    if not any(part.actions for part in parts):
        return Read(sh.render(commands))
    return Actions(tuple(parts))


def _pipelines(commands: tuple[sh.Simple, ...]) -> list[list[sh.Simple]]:
    found: list[list[sh.Simple]] = []
    for command in commands:
        if command.link == "|":
            found[-1].append(command)
        else:
            found.append([command])
    return found


def _part(group: list[sh.Simple], allowed: Allowed) -> list[Part]:
    """The parts of one pipeline: one, or one for each key."""
    first = group[0]
    if first.variables:
        if not _starts_server(group, allowed):
            raise Forbidden(
                f"`{first.variables[0][0]}=`: what a variable does to a command is not known"
                if first.words[0] != "app_process"
                else "a program is started that was not compared with uiautomator2's own"
            )
        return [Part(sh.render(first), first.link)]
    words = normal(first.words)
    rendered = sh.render(tuple(group)) if len(group) > 1 else sh.render(first)
    rendered = rendered if len(group) == 1 else sh.render((replace(first, link=""), *group[1:]))
    if first.uses_status and words[0] != "echo":
        raise Forbidden("`$?` is understood only where it is told")
    if tells(words, allowed.known.portals):
        if len(group) == 1 or all(passes_on(normal(each.words)) for each in group[1:]):
            if any(each.uses_status or each.variables for each in group[1:]):
                raise Forbidden("`$?` is understood only where it is told")
            return [Part(rendered, first.link)]
        other = next(each for each in group[1:] if not passes_on(normal(each.words)))
        raise Forbidden(f"`| {other.words[0][:40]}`: what is behind a pipe may only pass on what it is given")
    if len(group) > 1:
        raise Forbidden(
            f"`{words[0][:40]} |`: a pipe is understood only behind a command that is known to read"
        )
    found: list[Part] = []
    alone = each_alone(words)
    if first.link == "||" and len(alone) > 1:
        raise Forbidden("several keys behind `||`: send one key after the other")
    for index, each in enumerate(alone):
        actions = actions_of(each, allowed.known)
        if not actions:
            actions = as_shell(each)
        command = sh.render(sh.Simple(each, redirects=first.redirects))
        found.append(Part(command, first.link if index == 0 else "&&", actions))
    return found


def _starts_server(group: list[sh.Simple], allowed: Allowed) -> bool:
    """Whether it starts uiautomator2's server from a program that the guard has seen to be its own."""
    first = group[0]
    return (
        len(group) == 1
        and len(first.variables) == 1
        and first.variables[0][0] == "CLASSPATH"
        and first.variables[0][1] in allowed.jars
        and first.words in ((*_SERVER, "-p", str(allowed.rpc_port)), _SERVER)
        and not first.redirects
    )
