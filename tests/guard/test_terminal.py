"""The user is asked on the terminal for a code: nothing that was typed for somebody else agrees to anything."""

import datetime as dt
import re
import textwrap
from pathlib import Path

import pytest

from tests.terminals import code, spawn, without_terminal
from vsalang.guard.say.verdict import Proposal, Reason, Verdict
from vsalang.guard.user.terminal import NobodyThere, said_of
from vsalang.program.action import Action

pytest.importorskip("pexpect")
ROOT = Path(__file__).parents[2]

ASKS = """
    import datetime as dt, sys
    from tests.guard.phones import Watch
    from tests.guard.test_modes import ELSEWHERE, UNKNOWN, made
    from vsalang.guard.user.terminal import terminal

    guard = made("ask", ask=terminal, ask_timeout=dt.timedelta(seconds={seconds}))
    guard.observe(ELSEWHERE)
    {first}
    print("SAID", guard.ask(guard.propose(UNKNOWN)), flush=True)
    {then}
"""


def script(tmp_path: Path, first: str = "pass", then: str = "pass", seconds: float = 60) -> list[str]:
    file = tmp_path / "asks.py"
    file.write_text(textwrap.dedent(ASKS).format(first=first, then=then, seconds=seconds))
    return [str(file)]


ENV = {"PYTHONPATH": str(ROOT), "TERM": "dumb", "PATH": "/usr/bin:/bin"}


def test_who_types_the_code_agrees(tmp_path: Path) -> None:
    terminal = spawn(script(tmp_path), env=ENV)
    terminal.expect_exact('Let the agent do it: tap(id = "x")?')
    terminal.sendline(" " + code(terminal).upper())
    terminal.expect("SAID True")
    terminal.close()


@pytest.mark.parametrize("typed", ["y", "yes", "", "n", "q" * 4, "x" * 500])
def test_anything_else_is_a_no(typed: str, tmp_path: Path) -> None:
    terminal = spawn(script(tmp_path), env=ENV)
    code(terminal)
    terminal.sendline(typed)
    terminal.expect(["That is not the code: no", "SAID"])
    assert (terminal.match.group() == "SAID") is (typed in ("", "n"))
    terminal.expect("False")
    terminal.close()


def test_what_was_typed_before_the_code_is_dropped(tmp_path: Path) -> None:
    typed = tmp_path / "typed"
    waits = f"""\
import os, time
print("READY", flush=True)
while not os.path.exists({str(typed)!r}):
    time.sleep(0.01)"""
    terminal = spawn(script(tmp_path, first=waits), env=ENV)
    terminal.expect("READY")
    terminal.sendline("y")
    terminal.send("half a line")
    typed.touch()
    shown = code(terminal)
    terminal.sendline(shown)
    terminal.expect("SAID True")  # neither a wrong answer nor a part of the right one
    terminal.close()


def test_the_page_shows_what_is_asked(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "guard.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    terminal = spawn(script(tmp_path), env=ENV)
    drawn = code(terminal)
    asked = "\n".join(str(terminal.before).splitlines()[-2:]) + str(terminal.match.group())
    terminal.expect(r" \[\d+ s\]:")
    asked += str(terminal.match.group())
    terminal.close()
    lines = [line.split() for line in asked.replace(drawn, "k7mx").splitlines()]
    lines[-1][-2] = "[60"  # the seconds that are left
    assert [line.split() for line in shown.splitlines()] == lines


def test_each_question_has_a_code_of_its_own(tmp_path: Path) -> None:
    then = "print('THEN', guard.ask(guard.propose(UNKNOWN)), flush=True)"
    terminal = spawn(script(tmp_path, then=then), env=ENV)
    first = code(terminal)
    terminal.sendline(first)
    terminal.expect("SAID True")
    second = code(terminal)
    assert second != first  # one in 130,321
    terminal.sendline(first)
    terminal.expect("THEN False")
    terminal.close()


def test_an_answer_after_the_time_is_none(tmp_path: Path) -> None:
    then = "print('NEXT', sys.stdin.readline().strip(), flush=True)"
    terminal = spawn(script(tmp_path, then=then, seconds=3), env=ENV)
    shown = code(terminal)
    terminal.send(shown)  # the line is never ended
    told = ["Nobody answered in time: no", "SAID False"]
    assert {terminal.expect(told), terminal.expect(told)} == {0, 1}
    terminal.sendline("hello")
    terminal.expect("NEXT hello")  # and no half of an answer before it
    terminal.close()


def test_a_terminal_without_echo_is_made_ready(tmp_path: Path) -> None:
    first = "import tty, termios; tty.setraw(0); before = termios.tcgetattr(0)"
    then = "print('SAME', termios.tcgetattr(0) == before, flush=True)"
    terminal = spawn(script(tmp_path, first=first, then=then), env=ENV)
    shown = code(terminal)
    terminal.sendline(shown)
    terminal.expect(f"{shown}\r\n")  # it is shown while it is typed
    terminal.expect("SAID True")
    terminal.expect("SAME True")
    terminal.close()


def test_a_pipe_is_nobody_even_if_it_says_yes(tmp_path: Path) -> None:
    said = without_terminal(script(tmp_path), input="y\nyes\n", env=ENV, cwd=ROOT)
    assert "SAID False" in said.stdout, said.stderr
    assert "Nobody could be asked: there is no terminal. The answer is no." in said.stderr


def test_the_terminal_is_asked_and_not_the_standard_input(tmp_path: Path) -> None:
    says = "import os, sys; r, w = os.pipe(); os.write(w, b'y\\n' * 9); os.dup2(r, 0)"
    terminal = spawn(script(tmp_path, first=says), env=ENV)
    terminal.sendline(code(terminal))
    terminal.expect("SAID True")
    terminal.close()


def _asking(action: Action, message: str) -> Verdict:
    reason = Reason("policy", "confirm", message)
    return Verdict("confirm", (reason,), Proposal(action), 1, dt.datetime(2026, 1, 1), "")


def test_all_of_a_question_is_shown() -> None:
    text = "a" * 1000 + " to Mallory"
    shown = said_of(_asking(Action("input_text", {"value": text}), f"send {text}?"))
    assert len([one for one in shown if text in one]) == 2


def test_nobody_is_asked_what_is_too_long() -> None:
    text = "a" * 30_000 + " to Mallory"
    with pytest.raises(NobodyThere, match="too long"):
        said_of(_asking(Action("input_text", {"value": text}), "send it?"))
    with pytest.raises(NobodyThere, match="too long"):
        said_of(_asking(Action("back"), text))
