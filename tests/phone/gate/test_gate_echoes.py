"""A client that appended an echo of the exit status to a command reads a failing one when the command is refused."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.phone.gate.live import Live, live
from vsalang.phone.gate.echoes import echoes

pytest.importorskip("uiautomator2")

# what clients append -> what they read then; `CMD` is a command that is refused
FORMS = {
    "CMD; echo X4EXIT:$?": "X4EXIT:126\n",  # adbutils, and uiautomator2 through it
    "CMD;echo X4EXIT:$?": "X4EXIT:126\n",
    "CMD; echo $?": "126\n",  # scripts for phones before Android 7
    "CMD ; echo EXIT:$?": "EXIT:126\n",
    'CMD; echo "rc=$?"': "rc=126\n",
    "CMD; echo 'rc='$?": "rc=126\n",
    "CMD 2>&1; echo $?": "126\n",
    "CMD; echo -n $?": "126",
    "CMD; echo $? 2>&1": "126\n",
    "CMD && echo OK": "",
    "CMD && echo OK || echo FAIL": "FAIL\n",
    "CMD || echo FAIL": "FAIL\n",
    "CMD || echo FAIL && echo no": "FAIL\nno\n",  # as a shell links them
    "CMD && echo OK; echo $?": "126\n",
    "CMD; CMD; echo $?": "126\n",
    "CMD | grep x; echo $?": "126\n",
    "CMD; echo DONE": "DONE\n",
    "CMD; echo DONE; echo $?": "DONE\n126\n",  # nothing of the line was run: no status is 0
    "CMD; echo $? > /dev/null": "",
    "CMD": "",
    "CMD; CMD": "",
    "echo before; CMD": "",
    "CMD; echo '$?'": "$?\n",
    "CMD; echo a | wc -c": "",
}
# commands that a verdict blocks, and those that are refused without one
REFUSED = (
    "frobnicate -c 1",
    "frobnicate 'a; b'",
    "echo $(input tap 1 2)",
    "input tap `cat x` 2",
    "sh\ninput tap 1 2",
)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_reads_a_failing_status(form: str) -> None:
    assert echoes(form.replace("CMD", "frobnicate 'a; echo $?' b"), 126).decode() == FORMS[form]


@pytest.mark.parametrize("form", FORMS)
def test_in_a_silent_session_each_form_reads_success(form: str) -> None:
    told = echoes(form.replace("CMD", "frobnicate"), 0).decode()
    assert "126" not in told and "FAIL" not in told
    assert ("OK" in told) is ("OK" in form)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("echo $(id); echo X4EXIT:$?", "X4EXIT:126\n"),
        ("for i in 1 2; do input tap 1 2; done; echo X4EXIT:$?", "X4EXIT:126\n"),
        ("input tap 1 2\necho X4EXIT:$?", "X4EXIT:126\n"),
        ("input tap 1 2 &\necho $?\n", "126\n"),
        ("cat < x && echo OK", ""),
        ("cat < x || echo FAIL", "FAIL\n"),
        ("cat < x; echo $(id)", ""),
        ("cat < x; echo $HOME", ""),
        ("cat < x; echo `id`", ""),
        ("cat < x; echo $?; rm x", ""),
    ],
)
def test_lines_that_are_not_understood(line: str, told: str) -> None:
    assert echoes(line, 126).decode() == told


@given(st.text("echo $?;&|'\"\n\\<>()`-nXE:1 ", max_size=60), st.sampled_from([0, 126]))
def test_no_line_is_too_odd(line: str, status: int) -> None:
    """Nothing is raised, and no status but that of the refusal is read."""
    told = echoes(line, status).decode()
    assert "echo" in line or told == ""
    if status == 126:
        assert not re.search(r"(?m)^0$", told)


@pytest.fixture(scope="module")
def phone() -> Iterator[Live]:
    with live() as found:
        yield found


@pytest.mark.parametrize("refused", REFUSED)
def test_a_real_client_reads_the_status(phone: Live, refused: str) -> None:
    """adbutils raises another error than the refusal's where its echo is missing."""
    adbutils = pytest.importorskip("adbutils")
    device = adbutils.AdbClient("127.0.0.1", phone.port).device("guarded")
    before = phone.inputs()
    found = device.shell2(refused)
    assert found.returncode == 126 and "vsalang: " in found.output
    assert phone.inputs() == before
    second = device.shell2(f"{refused}; echo $?", v2=True)
    assert second.stdout == "126\n" and "vsalang: " in second.stderr
    # a list whose commands are judged one by one ends with the status of the last, as in a shell
    assert second.returncode == (0 if refused == REFUSED[0] else 126)


def test_a_typed_line_gets_its_echo(phone: Live) -> None:
    adbutils = pytest.importorskip("adbutils")
    typed = adbutils.AdbClient("127.0.0.1", phone.port).device("guarded").open_shell("")
    typed.conn.sendall(b"frobnicate; echo EXIT:$?\nexit\n")
    assert "EXIT:126" in typed.read_until_close()
