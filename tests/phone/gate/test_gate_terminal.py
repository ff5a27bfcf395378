"""The terminal is the user's: what they are asked there a program in a network of its own does not answer."""

import struct
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.terminals import QUESTION, spawn
from vsalang.base.resources import resource_dir
from vsalang.phone.gate.isolation import keyboard_filter

pytest.importorskip("uiautomator2")
SPEC = str(resource_dir("app_specs") / "examples" / "reserve_r.vsa")

ANSWERS_ITSELF = """
    import fcntl, os, sys, termios, threading, time
    import adbutils

    def answer():
        left = 3
        while left:  # before the question is shown, and three times after it
            left -= os.path.exists(sys.argv[1])
            time.sleep(0.1)
            with open("/dev/tty", "r+b", buffering=0) as terminal:
                for letter in (b"y", bytes([10])):
                    try:
                        fcntl.ioctl(terminal, termios.TIOCSTI, letter)
                    except OSError:
                        pass
        print("TRIED", flush=True)

    threading.Thread(target=answer, daemon=True).start()
    line = "input keyevent TAB"
    print("STATUS", adbutils.adb.device().shell2(line, v2=True).returncode)
"""


def test_a_program_elsewhere_does_not_answer_for_the_user(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("user namespaces are not allowed here")
    agent = tmp_path / "agent.py"
    agent.write_text(textwrap.dedent(ANSWERS_ITSELF))
    asked = tmp_path / "asked"
    args = ["-m", "vsalang.tools.cli.main", "run", SPEC, "--device", "sim:restaurant", "--journal", str(tmp_path /
    "j.jsonl"),
            "--isolate", "--", sys.executable, str(agent), str(asked)]  # fmt: skip
    terminal = spawn(args)
    terminal.expect(QUESTION)
    asked.touch()
    terminal.expect("TRIED")  # it put a yes into the terminal's input, as often as it liked
    terminal.sendline("n")
    terminal.expect("STATUS 126")
    terminal.expect(pexpect.EOF)
    terminal.close()


def _filtered(code: bytes, kind: int, number: int, second: int) -> int:
    """What a filter of `seccomp(2)` gives for a system call."""
    steps = list(struct.iter_unpack("=HBBI", code))
    data = struct.pack("<IIQ", number, kind, 0) + struct.pack("<6Q", 9, second, 9, 9, 9, 9)
    at = loaded = 0
    while True:
        operation, yes, no, operand = steps[at]
        at += 1
        if operation == 0x06:
            return int(operand)
        if operation == 0x20:
            (loaded,) = struct.unpack_from("<I", data, operand)
        else:
            assert operation == 0x15
            at += yes if loaded == operand else no


def test_no_kind_of_program_types_into_the_terminal() -> None:
    allowed, tiocsti, winsize = 0x7FFF0000, 0x5412, 0x5413
    kinds = {
        "x86_64": [(0xC000003E, 16), (0xC000003E, 0x40000010), (0xC000003E, 0x40000202), (0x40000003, 54)],
        "aarch64": [(0xC00000B7, 29), (0x40000028, 54)],
        "riscv64": [(0xC00000F3, 29)],
    }
    for machine, calls in kinds.items():
        code = keyboard_filter(machine)
        for kind, ioctl in calls:
            assert _filtered(code, kind, ioctl, tiocsti) == 0x00050001
            assert _filtered(code, kind, ioctl, 0x541C) == 0x00050001
            assert _filtered(code, kind, ioctl, (1 << 32) | tiocsti) == 0x00050001
            assert _filtered(code, kind, ioctl, winsize) == allowed
            assert _filtered(code, kind, ioctl + 1, tiocsti) == allowed
        assert _filtered(code, 0x12345678, 1, 0) != allowed
    with pytest.raises(OSError, match="s390x"):
        keyboard_filter("s390x")
