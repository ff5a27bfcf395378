"""The prompt of ``vsac query -i`` with prompt_toolkit: completion, history, colours, input of several lines."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import Lexer, PygmentsLexer
from prompt_toolkit.output import ColorDepth, Output

from vsalang.tools.ask.completion import completions
from vsalang.tools.ask.console import Console, needs_more


class VsaCompleter(Completer):
    """Completes the input from the loaded program."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        for choice in completions(self.console, document.text_before_cursor):
            yield Completion(choice.text, -choice.length, display_meta=choice.meta)


def prompt_session(
    console: Console,
    history: Path | None,
    prompt: str,
    more: str,
    *,
    color: bool = True,
    input: Input | None = None,
    output: Output | None = None,
) -> PromptSession[str]:
    """The prompt session that reads one question after the other.

    Args:
        console: its program gives the completions.
        history: the file of the history; None: it is not kept.
        prompt: the text before the first line.
        more: the text before further lines.
        color: whether the input is coloured.
        input: the source of keys, if not the terminal.
        output: where it is drawn, if not on the terminal.
    """
    return PromptSession(
        prompt,
        multiline=True,
        prompt_continuation=more,
        completer=VsaCompleter(console),
        complete_while_typing=True,
        auto_suggest=AutoSuggestFromHistory(),
        history=_history(history),
        lexer=_lexer() if color else None,
        color_depth=None if color else ColorDepth.DEPTH_1_BIT,
        key_bindings=_keys(),
        enable_history_search=False,
        input=input,
        output=output,
    )


def _keys() -> KeyBindings:
    """Enter asks if the question is complete; a second Enter asks in any case."""
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        text = buffer.text
        last = text.rpartition("\n")[2]
        if needs_more(text) and (last.strip() or "\n" not in text):
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    return keys


def _history(path: Path | None) -> History:
    if path is None:
        return InMemoryHistory()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
    except OSError:
        return InMemoryHistory()  # questions are answered even if the folder cannot be written to
    return FileHistory(str(path))


def _lexer() -> Lexer | None:
    try:
        from vsalang.language.syntax.pygments_lexer import VsaLexer  # pygments may not be installed
    except ImportError:
        return None  # without pygments there are no colours
    lexer: Any = VsaLexer
    return PygmentsLexer(lexer)
