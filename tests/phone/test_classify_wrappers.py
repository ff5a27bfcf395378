"""Commands behind other commands: never allowed stays never allowed, and what is sent is what was classified."""

import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vsalang.phone.classify import Actions, Pass, Refuse, classify_shell, normalise
from vsalang.phone.classify.rpc import classify_rpc
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb_apps import normal
from vsalang.phone.vocabulary.base import VocabularyError
from vsalang.phone.vocabulary.wrappers import NO_RUNNERS

TABLE = Path(__file__).with_name("adb_services.txt")
QUICK = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def _lines() -> list[tuple[str, str]]:
    """The command lines of the table, each with its class."""
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        expected, _, service = line.partition("  ")
        service = service.lstrip().encode("ascii", "replace").decode("unicode_escape")
        kind, colon, command = service.partition(":")
        if line and not line.startswith("#") and colon and kind.split(",")[0] in ("shell", "exec"):
            found.append((expected.strip(), command))
    return found


LINES = _lines()


def _never() -> list[tuple[str, ...]]:
    """The never allowed commands of the table that are one plain command, as words."""
    found = []
    for expected, line in LINES:
        try:
            commands = sh.parse(line)
        except sh.ShellRefused:
            continue
        plain = len(commands) == 1 and not commands[0].variables and not commands[0].uses_status
        # not those that are refused for how the line is written, such as `ls &&`
        if expected == "refuse" and plain and isinstance(classify_shell(sh.render(commands)), Refuse):
            found.append(commands[0].words)
    return found


NEVER = _never()
PASSING = ["toybox", "toolbox", "/system/bin/toybox", "toybox toybox", "/system/xbin/toolbox"]
RUNNING = [
    "busybox", "sh -c", "mksh -c", "env", "env -i A=b", "nohup", "timeout 5", "nice -n 5", "xargs", "su -c", "su 0",
    "run-as com.opentable", "exec", "command", "builtin", "time", "setsid", "stdbuf -o0", "linker64", "eval", "A=b",
    "A=", "A= B=c", "toybox A=", "toybox time", "toybox env", "perl -e", "simpleperf record", "alias x=",
    "find / -exec", "script -c", "export A=b;", "strace -f", "'' ",
]  # fmt: skip
UNKNOWN = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=3, max_size=9).filter(
    lambda name: (
        not isinstance(classify_shell(name), Refuse)
        and name not in NO_RUNNERS
        and not isinstance(classify_shell(f"{name} x"), Pass)
    )
)
NAMES = ("input", "monkey", "am", "pm", "cmd", "content", "settings", "wm", "uiautomator", "service")


def _quoted(word: str, way: str) -> str:
    if way == "single" or not word.isascii() or not word.isprintable():
        return shlex.quote(word)
    if way == "split" and word.isalnum():
        return f"{word[0]}''{word[1:]}"
    if way == "double" and not set(word) & set('\\"$`'):
        return f'"{word}"'
    if way == "escape" and word:
        return "".join(f"\\{c}" for c in word)
    return shlex.quote(word)


WAYS = st.sampled_from(["single", "split", "double", "escape", "plain"])


def _unharmful(line: str) -> bool:
    """Whether a line is refused, so that it can do nothing."""
    return isinstance(classify_shell(line), Refuse)


def test_the_table_has_enough_that_is_never_allowed():
    assert len(NEVER) >= 100


@QUICK
@given(st.sampled_from(NEVER), st.data())
def test_what_is_never_allowed_stays_so_behind_any_wrapper(words, data):
    line = " ".join(_quoted(word, data.draw(WAYS)) for word in words)
    for _ in range(data.draw(st.integers(1, 5))):
        wrapper = data.draw(st.one_of(st.sampled_from(PASSING), st.sampled_from(RUNNING), UNKNOWN))
        if data.draw(st.booleans()) and wrapper not in PASSING:
            line = shlex.quote(line)
        line = f"{wrapper} {line}"
    assert _unharmful(line), (line, classify_shell(line))
    redirected = data.draw(
        st.sampled_from([f"{line} >/dev/null", f"({line})", f"ls; {line}", f"{line} <<E\nE"])
    )
    assert _unharmful(redirected), (redirected, classify_shell(redirected))


@QUICK
@given(
    st.lists(st.one_of(st.sampled_from(PASSING), st.sampled_from(RUNNING), UNKNOWN), min_size=1, max_size=4)
)
def test_an_input_behind_wrappers_is_that_input_or_refused(wrappers):
    """No wrapper makes a tap read, or something else than the tap that is sent."""
    found = classify_shell(" ".join([*wrappers, "input tap 1 2"]))
    if isinstance(found, Actions):
        assert [str(action) for action in found.actions] == ["tap(x = 1, y = 2)"]
        assert found.command == "input tap 1 2"
    else:
        assert isinstance(found, Refuse)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("line", [line for _, line in LINES])
def test_a_line_of_the_table_written_anew_is_itself(line):
    anew = normalise(line)
    assert normalise(anew) == anew
    assert classify_shell(anew) == classify_shell(line)


PIECES = st.one_of(
    st.sampled_from([line for _, line in LINES if line]),
    st.sampled_from(
        [*PASSING, *RUNNING, "A=", "a=b", ";", "&&", "||", "|", ">/dev/null", "2>&1", "$?", "'", '"']
    ),
    st.text("ab=A/ '\"\\$;|&<>0\t", max_size=8),
)


@QUICK
@given(st.lists(PIECES, min_size=1, max_size=5).map(" ".join))
def test_normalise_rests_and_keeps_the_class(line):
    anew = normalise(line)
    assert normalise(anew) == anew
    found = classify_shell(line)
    assert classify_shell(anew) == found
    if isinstance(found, Pass | Actions):
        # what leaves for the phone is of the class that was judged
        assert classify_shell(found.command) == found
        assert normalise(found.command) == found.command


@QUICK
@given(
    st.lists(
        st.sampled_from([*PASSING, "cmd", "-w", "activity", "A=", "", "am", "start-activity", "x"]),
        min_size=1,
    )
)
def test_the_name_of_a_command_rests(words):
    flat = tuple(" ".join(words).split(" "))
    try:
        once = normal(flat)
    except VocabularyError:
        return
    assert normal(once) == once


def test_a_command_wrapped_without_end_is_refused():
    found = classify_shell("toybox " * 2000 + "su")
    assert isinstance(found, Refuse)
    assert "wrapped" in found.reason


def test_a_call_is_classified_as_it_is_sent():
    found = classify_rpc(b'{"jsonrpc":"2.0","id":1,"method":"click","params":[1,2]}')
    assert isinstance(found, Actions)
    assert classify_rpc(found.body) == found
