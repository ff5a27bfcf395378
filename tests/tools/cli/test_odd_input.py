"""What is odd on a command line or in the environment is an error with a remedy, never a crash."""

import subprocess
from pathlib import Path

import pytest

from tests import commands

APP = """app demo package "com.example" "A demo"
state Foo "A thing" { a: Number }
action Done "Do it"
"""


def vsac(*args: str | bytes, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    ran = commands.vsac(*args, cwd=cwd, NO_COLOR="1", COLUMNS="200", **env)
    assert "internal error" not in ran.stderr and "Traceback" not in ran.stderr, ran.stderr
    return ran


@pytest.mark.parametrize("name", ["x" * 5000, ".".join(["x" * 200] * 30)], ids=["one word", "many words"])
def test_an_import_with_an_over_long_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.vsa").write_text(f'spec a "A."\nimport {name}\nallow tap.\n')
    ran = vsac("check", "a.vsa", cwd=tmp_path)
    assert ran.returncode == 1
    assert "import" in ran.stdout


@pytest.mark.parametrize("option", ["--timeout", "--limit"])
@pytest.mark.parametrize("command", ["probe", "plan", "tests"])
def test_a_time_that_is_no_number(tmp_path: Path, command: str, option: str) -> None:
    (tmp_path / "a.vsa").write_text('spec a "A."\nallow answer.\ndone when answer earlier.\n')
    ran = vsac("prove", command, "a.vsa", option, "nan", cwd=tmp_path)
    assert ran.returncode == 2
    assert f"Invalid value for '{option}': nan is not a number." in ran.stderr


@pytest.mark.parametrize("port", ["None", "", "0", "65536", "²", "５０３７", "5037 "])
def test_the_address_of_the_adb_server(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    from vsalang.phone.errors import DeviceError
    from vsalang.phone.wire import server_address

    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    assert server_address()[1] == 1
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    with pytest.raises(DeviceError, match="must be a port number"):
        server_address()


@pytest.mark.parametrize("port", ["None", "²"])
@pytest.mark.parametrize(
    "command", [["phone", "list"], ["phone", "doctor"], ["guard", "a.vsa", "--device", "x", "--", "true"]]
)
def test_a_port_of_the_adb_server_that_is_none(tmp_path: Path, command: list[str], port: str) -> None:
    (tmp_path / "a.vsa").write_text('spec a "A."\ndone when Node(text = "x").\n')
    ran = vsac(*command, cwd=tmp_path, ANDROID_ADB_SERVER_PORT=port)
    assert "ANDROID_ADB_SERVER_PORT" in ran.stdout + ran.stderr
    assert "must be a port number" in ran.stdout + ran.stderr


@pytest.mark.parametrize(
    "instruction",
    ["", " ", "a\x01b", "\x1b[31mred", "a\x85b", b"\xff", "x" * 9000],
    ids=["empty", "blank", "control", "colour", "C1", "not UTF-8", "huge"],
)
def test_an_instruction_that_cannot_be_used(tmp_path: Path, instruction: str | bytes) -> None:
    (tmp_path / "demo.vsa").write_text(APP)
    (tmp_path / "rules.txt").write_text("Foo(a = 1) → Done()\n", encoding="utf-8")
    command = ["import", "rules.txt", "--from", "paper", "--app", "demo.vsa", "-o", "o.vsa", "--instruction"]
    ran = vsac(*command, instruction, cwd=tmp_path)
    assert ran.returncode == 2
    assert "error: the instruction" in ran.stderr
    assert not (tmp_path / "o.vsa").exists()


@pytest.mark.parametrize(
    "instruction", ['"quoted" \\ {x}', "two\nlines", '*/ // """', "\u202eturned", "日本"]
)
def test_an_instruction_of_odd_characters_stands_in_the_spec(tmp_path: Path, instruction: str) -> None:
    (tmp_path / "demo.vsa").write_text(APP)
    (tmp_path / "rules.txt").write_text("Foo(a = 1) → Done()\n", encoding="utf-8")
    command = ["import", "rules.txt", "--from", "paper", "--app", "demo.vsa", "-o", "o.vsa", "--instruction"]
    ran = vsac(*command, instruction, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert vsac("check", "o.vsa", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("command", ["input keycombination", "input keyboard keycombination"])
def test_keys_that_are_none(command: str) -> None:
    from vsalang.phone.vocabulary import VocabularyError, read

    with pytest.raises(VocabularyError, match="names no keys"):
        read("adb", command)
