"""What shells complete: files, devices, codes, examples."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from vsalang.base.diagnostics.codes import CODES
from vsalang.phone.sim import SimulatedPhone, load, shipped
from vsalang.tools.cli import families, main
from vsalang.tools.cli.completing import Bash, CompletedText, prepare, values_of

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("specs/hello.vsa", "specs/more/deep.vsa", "top.vsa", "a b.vsa", ".git/x.vsa", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "run-1.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")  # nobody listens there
    return tmp_path


def completed(*args: str) -> list[str]:
    """What stands for choice after these words, the last of which is being typed."""
    shell = ShellComplete(main.cli, {}, "vsac", "_VSAC_COMPLETE")
    return [
        item.value if item.type == "plain" else f"<{item.type}>"
        for item in shell.get_completions(list(args[:-1]), args[-1])
    ]


def test_commands_are_completed_without_being_imported() -> None:
    code = (
        "import sys; from click.shell_completion import ShellComplete; from vsalang.tools.cli import main;"
        "print([i.value for i in ShellComplete(main.cli, {}, 'vsac', 'X').get_completions([], 'd')]);"
        "print([name for name in sys.modules if name.startswith('vsalang.tools.cli.d')])"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["['demo', 'describe']", "[]"]
    assert {"--version", "--color"} <= set(completed("--"))


@pytest.mark.parametrize(
    "command", ["check", "lint", "prove verify", "test", "fmt", "run", "describe", "bench"]
)
def test_files(command: str) -> None:
    assert completed(*command.split(), "") == ["a b.vsa", "top.vsa", "specs/hello.vsa", "specs/more/deep.vsa"]
    assert completed(*command.split(), "sp") == ["specs/hello.vsa", "specs/more/deep.vsa"]
    assert completed(*command.split(), "specs/more/") == ["specs/more/deep.vsa"]
    assert completed(*command.split(), "no") == ["<file>"]  # the shell's own


@pytest.mark.parametrize(
    "words", [("describe",), ("query",), ("screen", "read"), ("screen", "facts", "--app")]
)
def test_modules_that_come_with_it(words: tuple[str, ...]) -> None:
    assert "apps.settings" in completed(*words, "apps.s")
    assert "apps.settings" not in completed(*words, "")
    assert completed(*words, "sp") == ["specs/hello.vsa", "specs/more/deep.vsa"]


def test_files_elsewhere(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert completed("check", f"{project}/specs/h") == [f"{project}/specs/hello.vsa"]
    monkeypatch.chdir(project / "specs" / "more")
    assert completed("check", "../h") == ["../hello.vsa"]
    assert completed("run", "--policy", "d") == ["deep.vsa"]


def test_journals_and_folders() -> None:
    assert (
        completed("journal", "show", "")
        == completed("journal", "replay", "")
        == completed("run", "--resume", "")
        == ["run-1.jsonl"]
    )
    assert completed("init", "") == ["<dir>"]
    assert completed("test", "--junit", "") == ["<file>"]


def test_devices() -> None:
    assert completed("run", "x.vsa", "--device", "") == [f"sim:{name}" for name in shipped()]
    assert completed("phone", "doctor", "--device", "sim:re") == ["sim:restaurant"]
    found = completed("run", "x.vsa", "--device", "sim:restaurant#")
    assert found == [f"sim:restaurant#{name}" for name in sorted(load("restaurant").scenarios)]
    assert completed("phone", "sim", "serve", "re") == ["restaurant"]


def test_phones_of_the_adb_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with SimulatedPhone.start(load("restaurant")) as phone:
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(phone.port))
        assert phone.serial in completed("run", "x.vsa", "--device", "")
        assert completed("phone", "sim", "new", "d", "--device", phone.serial[:4]) == [phone.serial]


def test_codes_engines_and_examples() -> None:
    assert completed("explain", "e00") == [code for code in CODES if code.startswith("E00")]
    assert "L0001,L0002" in completed("lint", "--select", "L0001,L000")
    assert "V0001" not in completed("lint", "--select", "")
    assert completed("test", "--engine", "") == ["incremental", "pydatalog"]
    assert completed("check", "--format", "s") == ["sarif"]
    assert completed("run", "x", "--trace", "files,per") == ["files,permissions"]
    assert "reserve_r" in completed("demo", "")
    assert "apps.settings" in completed("map", "show", "apps.se")


FREE = {
    "--name", "--package", "-k", "--open", "--allow-service", "--reach", "--app", "--host", "--host-name", "--paper",
    "--task", "--test", "--base-url", "--model", "--relation", "--tap", "--title", "--screen", "--instruction",
    "instruction", "body", "--why", "--head", "--allow-user", "--from", "--judge-model", "--judge-url",
    "--today", "--zone", "--locale", "--reviewer", "--accept", "--look-model", "--look-url", "--plan", "--goal",
    "start", "goals", "--effects-model", "--effects-url", "--rank-model", "--rank-url", "--tenant", "--master",
    "--sql", "--new-rule", "session", "name", "--trail-head",
}  # fmt: skip
"""What takes free text."""


def test_every_parameter_is_completed_or_takes_free_text() -> None:
    for name, entry in families.every():
        word = name.rpartition(" ")[2]
        command = main.imported(word, entry)
        prepare(command, word)
        pending = [(word, command)]
        while pending:
            word, each = pending.pop()
            pending += getattr(each, "commands", {}).items()
            for param in each.params:
                if type(param.type) is type(click.STRING) and not getattr(param, "is_flag", False):
                    assert FREE & {*param.opts}, f"{word} {param.opts}"


def test_what_goes_wrong_completes_nothing() -> None:
    def broken(incomplete: str) -> list[click.shell_completion.CompletionItem]:
        raise OSError(incomplete)

    option = click.Option(["--x"], type=CompletedText(broken))
    assert option.shell_complete(click.Context(click.Command("x")), "a") == []
    assert values_of("x", option, "TEXT") is None
    prepare(click.Command("x", params=[option]), "x")


# ---------------------------------------------------------------------- bash


def test_bash_ends_words_at_colons(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Bash(main.cli, {}, "vsac", "_VSAC_COMPLETE")
    monkeypatch.setenv("COMP_LINE", "vsac phone doctor --device sim:re")
    assert shell.get_completion_args() == (["phone", "doctor", "--device"], "sim:re")
    assert shell.complete() == "plain,restaurant"
    monkeypatch.setenv("COMP_LINE", "vsac check ")
    assert shell.get_completion_args() == (["check"], "")
    assert shell.complete().splitlines()[0] == "plain,a\\ b.vsa"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "replies"),
    [
        ("vsac check sp", ["specs/hello.vsa", "specs/more/deep.vsa"]),
        ("vsac phone doctor --device sim:re", ["restaurant"]),
        ("vsac check a", ["a\\ b.vsa"]),
    ],
)
def test_in_bash(tmp_path: Path, line: str, replies: list[str]) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "vsac"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m vsalang.tools.cli.main "$@"\n')
    program.chmod(0o755)
    script = f"""
        eval "$(_VSAC_COMPLETE=bash_source vsac)"
        COMP_LINE='{line}' COMP_POINT={len(line)}
        _vsac_completion vsac
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        ["bash", "--norc", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert said.stdout.splitlines() == replies, said.stderr


def test_what_is_completed_is_still_read() -> None:
    command = main.imported("lint", families.COMMANDS["lint"])
    prepare(command, "lint")
    with pytest.raises(click.BadParameter, match="there is no lint rule `L9999`"):
        command.make_context("lint", ["--select", "L9999"])
