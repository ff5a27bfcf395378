"""Properties of the classifier: nothing with an unknown command reads; what is written back is what was read."""

import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.thorough import times
from vsalang.phone.classify import Actions, Allowance, Inspect, Pass, Refuse, classify, classify_shell
from vsalang.phone.classify.reads import FILTERS, READS
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb import DeviceFacts
from vsalang.phone.vocabulary.adb_apps import normal

READING = [
    "ls", "dumpsys window", "getprop ro.x", "echo hi", "pm list packages", "wm size", "true", "date +%s", "ps -A",
    "cat /sdcard/window_dump.xml", "screencap -p", "uiautomator dump /dev/tty", "settings get secure x", "ime list -s",
]  # fmt: skip
ACTING = [
    "input tap 1 2", "input text x", "input keyevent 66", "input swipe 1 2 3 4", "monkey -p a.b 500", "am start -d x:y",
    "sendevent /dev/input/event0 1 2 3", "pm clear a.b", "service call window 1", "settings put secure x y", "sh x",
    "cmd input tap 1 2", "am broadcast -a X", "content insert --uri content://x", "svc wifi disable", "rm -rf /sdcard",
    "frobnicate", "reboot", "su", "wm size 1x1", "uiautomator runtest x",
]  # fmt: skip
JOINS = [
    ";",
    " ; ",
    "&&",
    "||",
    " || ",
    "|",
    "&",
    "\n",
    "\r\n",
    ";;",
    "|&",
    " ",
    "`",
    "$(",
    ")",
    " > ",
    "<",
    "#",
    "'",
]
NOISE = st.text("abi npt\\'\"$`;|&<>(){}[]*?~#!=^%@:,./-_\t\n\r\0019\u00a0\u200b\uff1b", max_size=12)
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _known(name: str) -> bool:
    return name in READS or name in FILTERS or name == "content"


@QUICK
@given(st.text(max_size=60))
def test_any_text_is_classified(service):
    assert isinstance(classify(service), Pass | Actions | Refuse | Inspect)
    assert isinstance(classify(f"shell:{service}"), Pass | Actions | Refuse)


@given(st.binary(max_size=40))
def test_any_bytes_are_classified(service):
    assert isinstance(classify(service), Pass | Actions | Refuse | Inspect)
    assert isinstance(classify(b"shell:" + service), Pass | Actions | Refuse)


@QUICK
@given(
    st.lists(st.one_of(st.sampled_from(READING + ACTING + JOINS), NOISE), min_size=1, max_size=6).map("".join)
)
def test_what_reads_is_made_of_known_commands_alone(line):
    """The property: no token stream with an unknown command is ever `Pass`."""
    found = classify_shell(line)
    if isinstance(found, Pass):
        commands = sh.parse(line)
        assert all(_known(normal(command.words)[0]) for command in commands)
        assert not any(command.variables for command in commands)


@QUICK
@given(st.sampled_from(READING), st.sampled_from(JOINS), st.sampled_from(ACTING), NOISE, NOISE)
def test_an_action_beside_a_reading_command_is_never_read(reading, join, acting, before, after):
    line = f"{reading}{join}{acting}"
    parts = [part.strip() for part in line.replace("&&", ";").replace("||", ";").split(";")]
    if acting in parts:
        assert not isinstance(classify_shell(line), Pass)
    for mutant in (f"{before}{line}", f"{line}{after}", f"{reading}{before}{join}{after}{acting}"):
        found = classify_shell(mutant)
        if isinstance(found, Pass):
            assert all(_known(normal(c.words)[0]) for c in sh.parse(mutant))


@given(st.text("abcdefghijklmnopqrstuvwxyzABC_.-0123456789", min_size=1, max_size=14), st.text(max_size=20))
def test_an_unknown_command_is_never_read(name, rest):
    assume(not _known(normal((name,))[0]) and not name.startswith("-"))
    found = classify_shell(f"{name} {rest}")
    assert not isinstance(found, Pass)


@QUICK
@given(st.sampled_from(ACTING), st.data())
def test_quoting_does_not_change_what_a_command_is(command, data):
    """Each word is written in another way that means the same to every shell."""

    def again(word: str) -> str:
        way = data.draw(st.sampled_from(["plain", "single", "double", "split", "escape"]))
        if way == "single":
            return f"'{word}'"
        if way == "double":
            return f'"{word}"'
        if way == "split":
            at = data.draw(st.integers(0, len(word)))
            return f"{word[:at]}''{word[at:]}"
        return "".join(f"\\{c}" for c in word) if way == "escape" else word

    written = data.draw(st.sampled_from([" ", "\t", "  "])).join(again(word) for word in command.split())
    assert classify_shell(written) == classify_shell(command)


@QUICK
@given(
    st.lists(st.one_of(st.sampled_from(READING + ACTING + JOINS), NOISE), min_size=1, max_size=6).map("".join)
)
def test_what_is_let_through_is_what_was_classified(line):
    """The line that is given back reads as the same commands, and is of the same class."""
    found = classify_shell(line)
    if isinstance(found, Pass | Actions):
        assert sh.render(sh.parse(found.command)) == found.command
        again = classify_shell(found.command)
        assert type(again) is type(found)
        if isinstance(found, Actions) and isinstance(again, Actions):
            assert again.actions == found.actions


@QUICK
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1), min_size=1, max_size=5
    )
)
def test_words_that_are_written_are_read(words):
    assume("\x85" not in "".join(words) and len("".join(words)) < 1000)
    command = sh.Simple(("echo", *words))
    assert sh.parse(sh.render(command)) == (command,)


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell here")
@settings(deadline=None, max_examples=times(60, 150), suppress_health_check=[HealthCheck.too_slow])
@given(st.text("ab '\"\\$`;|&<>(){}[]*?~#!=^%@:,./-_+\t1é\u00a0", max_size=14))
def test_a_shell_reads_the_same_words(tail):
    """What is understood here as the words of one command is what a real shell gives that command."""
    try:
        commands = sh.parse(f"printf %s\\\\n {tail}")
    except sh.ShellRefused:
        return
    first = commands[0]
    assume(len(commands) == 1 and not first.redirects and not first.uses_status)
    script = f'set -- {tail}\nfor word in "$@"; do printf "%s\\0" "$word"; done'
    done = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        timeout=60,
        check=True,
    )
    assert done.stdout.decode().split("\0")[:-1] == list(first.words[2:])


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*READS, *FILTERS}))
@pytest.mark.parametrize(
    "tail", ["a" * 3000 + "!", "-a " * 800 + "!", "-d, " * 800 + "/x", "a.b " * 800 + "!"]
)
def test_no_arguments_take_long(name, tail):
    """Patterns that try everything would not come back."""
    assert isinstance(classify_shell(f"{name} {tail}"), Pass | Actions | Refuse)
    assert isinstance(classify_shell(f"ls | {name} {tail}"), Pass | Refuse)


def test_helper_apps_of_other_names_are_known_when_named():
    command = "content query --uri content://org.example.portal/state"
    named = Allowance(known=DeviceFacts(portals=frozenset({"org.example.portal"})))
    assert isinstance(classify_shell(command), Actions)
    assert isinstance(classify_shell(command, named), Pass)
