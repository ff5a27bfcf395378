"""``vsac query -i``: a dialogue with a program in a state, on a terminal or out of a pipe."""

import os
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from vsalang.base.diagnostics import Diagnostic, in_order, terminal
from vsalang.base.installing import install_extra
from vsalang.base.source import Source
from vsalang.tools.ask import AskError, Place, Wrong
from vsalang.tools.ask.console import GREETING, Console, needs_more
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    load_in_force,
    similarity_in_force,
    use_color,
)
from vsalang.tools.cli.output import echo
from vsalang.tools.cli.situations import paint, situation_of

PROMPT = "vsa> "
_MORE = "...> "
_MISSING = "completion, history and colours at the prompt need prompt_toolkit: "


def dialogue(
    file: str | None, states: tuple[str, ...], policies: tuple[str, ...], history: str | None, timeout: float
) -> int:
    """Ask line by line; return the exit status of ``vsac query -i``."""
    console = Console(_load, _render, paint, timeout=timeout)
    if file and not _begin(console, f":load {shlex.join((file, *policies))}", states):
        return EXIT_FAILED
    if not sys.stdin.isatty():
        _piped(console)
        return EXIT_FINDINGS if console.failed else EXIT_OK
    _terminal(console, history)
    return EXIT_OK


def _begin(console: Console, load: str, states: tuple[str, ...]) -> bool:
    """Load the program and the states of the command line; return whether that succeeded."""
    # the arguments are handled as if they were typed
    _say(console.feed(load))
    if console.failed or not states:
        return not console.failed
    try:
        console.situation = situation_of(console.here, states, "", None, None)
    except Wrong as wrong:
        _say(_render(wrong.diagnostics, dict(wrong.sources)).rstrip().splitlines())
        return False
    except AskError as error:
        raise Failure(str(error)) from error
    _say(console.feed(":state"))
    return not console.failed


def _load(file: str, policies: tuple[str, ...]) -> Place | str:
    loaded = load_in_force(file, policies)
    if loaded.program is not None:
        return Place(loaded, similarity_in_force(file))
    return _render(loaded.errors, dict(loaded.sources))


def _render(diagnostics: Iterable[Diagnostic], sources: dict[str, Source]) -> str:
    # no line that counts the errors at a prompt
    return terminal.render(in_order(diagnostics), sources, color=use_color(), counted=False)


def _say(lines: Iterable[str]) -> None:
    for text in lines:
        echo(text, color=True)
    sys.stdout.flush()


def _piped(console: Console) -> None:
    """Answer the lines of standard input, one by one."""
    waiting = ""
    for text in sys.stdin:
        waiting += text
        if text.strip() and needs_more(waiting):
            continue
        _say(console.feed(waiting))
        waiting = ""
        if console.ended:
            return
    _say(console.feed(waiting))


def _terminal(console: Console, history: str | None) -> None:
    """A dialogue on a terminal."""
    ask = _reader(console, history)
    echo(GREETING)
    while not console.ended:
        try:
            text = ask()
        except KeyboardInterrupt:
            continue  # the history is not saved
        except EOFError:
            echo()
            return
        try:
            _say(console.feed(text))
        except KeyboardInterrupt:
            _say(["interrupted"])


def _reader(console: Console, history: str | None) -> Callable[[], str]:
    try:
        from vsalang.tools.cli.repl_prompt import prompt_session  # prompt_toolkit may not be installed
    except ImportError:
        echo(_MISSING + install_extra("repl"), err=True)
        return _simple
    session: Any = prompt_session(console, _history_file(history), PROMPT, _MORE, color=use_color())
    return lambda: str(session.prompt())


def _simple() -> str:
    """Read a question, which may have several lines, without prompt_toolkit."""
    text = input(PROMPT)
    while needs_more(text):
        more = input(_MORE)
        text += "\n" + more
        if not more.strip():
            break
    return text


def _history_file(chosen: str | None) -> Path | None:
    """The file of the history; None: it is not kept."""
    if chosen == "off":
        return None
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")  # noqa: PTH111
    return Path(base) / "vsalang" / "repl-history"
