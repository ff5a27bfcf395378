"""``vsac`` itself: finding commands, help, colours, and what failures look like."""

import ast
import importlib
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import vsalang.tools.cli
from tests import commands, processes
from vsalang.base.diagnostics.codes import CODES
from vsalang.tools.cli import common, families, main
from vsalang.tools.cli.frame import Findings, Output

CLI = Path(vsalang.tools.cli.__file__).parent
ROOT = CLI.parents[2]


def vsac(*args: str, input: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the real command line in a process of its own."""
    clean = {
        key: value
        for key, value in os.environ.items()
        if key not in {"NO_COLOR", "FORCE_COLOR", "VSAC_DEBUG", "TERM"}
    }
    return processes.run(
        ["-m", "vsalang.tools.cli.main", *args], cwd=ROOT, env=clean | environment, input=input
    )


def _wrapped(cause: BaseException) -> Exception:
    """An error as Python 3.11 raises it if the cause comes while a class is being made."""
    error = RuntimeError("Error calling __set_name__")
    error.__cause__ = cause
    return error


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    """Makes ``vsac explain`` fail in a way of the test's choice."""

    def install(error: BaseException) -> None:
        @click.command()
        def command() -> None:
            raise error

        monkeypatch.setattr(importlib.import_module("vsalang.tools.cli.explain"), "command", command)

    return install


# ---- commands ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dict(families.every()))
def test_every_command_exists(name: str) -> None:
    assert main.imported(name, dict(families.every())[name]).help


def test_run_with_a_program_is_guard_for_now() -> None:
    """What a program's command line was until 0.2."""
    args = ["a.vsa", "--device", "sim:restaurant", "--on-block", "fail", "--", "no-such-program"]
    old, new = (CliRunner().invoke(main.cli, [name, *args]) for name in ("run", "guard"))
    assert (old.exit_code, old.output, str(old.exception)) == (new.exit_code, new.output, str(new.exception))
    assert "no-such-program" in f"{new.output}{new.exception}"
    both = CliRunner().invoke(main.cli, ["run", "--agent", "a.jsonl", *args])
    assert both.exit_code == 2 and "No such option '--on-block'" in both.output


@pytest.mark.parametrize("old", families.OLD)
def test_names_of_before_work_and_stand_in_no_list(old: str) -> None:
    """Until 0.2: what a name of before does is what its new words do."""
    assert old not in families.COMMANDS
    told = commands.vsac(old, "--help")
    words = list(itertools.takewhile(lambda word: not word.startswith("-"), families.OLD[old]))
    assert told.stdout.startswith(f"Usage: vsac {' '.join(words)} [OPTIONS]")
    assert told.stdout == commands.vsac(*words, "--help").stdout
    assert f"  {old} " not in commands.vsac("--help").stdout


def test_run_with_a_program_is_guard() -> None:
    """Until 0.2."""
    words = (
        "examples/simulator/no-such-spec.vsa",
        "--device",
        "sim:restaurant",
        "--isolate",
        "--",
        "true",
        "--agent",
    )
    now, before = commands.vsac("guard", *words), commands.vsac("run", *words)
    assert (before.returncode, before.stderr) == (now.returncode, now.stderr)
    assert now.returncode == 2 and "no-such-spec.vsa" in now.stderr
    help = commands.vsac("run", "--help", "--", "true").stdout
    assert help == commands.vsac("guard", "--help").stdout


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("verfy", "vsac prove verify"), ("doctr", "vsac phone doctor"), ("contrl", "vsac screen controls")],
)
def test_a_misspelt_command_of_a_family(typed: str, meant: str) -> None:
    done = vsac(typed)
    assert done.returncode == 2
    assert f"there is no command `{typed}`; did you mean `{meant}`?" in done.stderr


def test_every_module_with_a_command_is_listed() -> None:
    listed = {entry.place.partition(":")[0] for _, entry in families.every()}
    for file in CLI.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "command" for node in tree.body):
            assert file.stem in listed


def test_help_imports_nothing_but_click() -> None:
    code = "import sys\nfrom vsalang.tools.cli.main import run\nrun(['--help'])\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    others = (
        {name.partition(".")[0] for name in done.stderr.split()} - set(sys.stdlib_module_names) - {"__main__"}
    )
    rooms = {name for name in done.stderr.split() if name.startswith("vsalang.")}
    libraries = {name for name in others if not name.startswith(("_", "sitecustomize", "coverage"))}
    assert libraries <= {"click", "vsalang", "colorama"}
    assert rooms == {
        "vsalang.base",
        "vsalang.base.collector",
        "vsalang.tools",
        "vsalang.tools.cli",
        "vsalang.tools.cli.main",
        "vsalang.tools.cli.common",
        "vsalang.tools.cli.families",
    }
    assert "explain" in done.stdout


@pytest.mark.parametrize("args", [("-h",), ("--help",), ("explain", "-h")])
def test_help(args: tuple[str, ...]) -> None:
    done = vsac(*args)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: vsac")


def test_version() -> None:
    done = vsac("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("vsac ")


def test_a_misspelt_command() -> None:
    done = vsac("explian")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no command `explian`; did you mean `explain`?" in done.stderr


@pytest.mark.parametrize("args", [(), ("encode", "DIR", "--check"), ("--help",), ("contracts", "-x")])
def test_a_command_that_moved_names_its_place(args: tuple[str, ...]) -> None:
    done = commands.vsac("eval", *args)
    assert (done.returncode, done.stdout) == (2, "")
    first, help = done.stderr.splitlines()
    assert first == "error: `vsac eval` is not part of the package any more"
    assert "in a checkout of the repository" in help
    for name in ("encode DIR", "contracts DATA"):
        assert f"`python -m benchmarks.measure {name}`" in help
    assert "eval" not in commands.vsac("--help").stdout


def test_a_file_where_a_command_belongs() -> None:
    assert "`vsac check a.vsa`" in vsac("a.vsa").stderr


def test_what_is_echoed_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in vsac("\x1b[31mx").stderr


# ---- failures ----------------------------------------------------------------------------------------


def test_an_internal_error_is_one_line_and_a_request(failing, capsys: pytest.CaptureFixture[str]) -> None:
    failing(KeyError("x\x1b[31m"))
    assert main.run(["explain"]) == common.EXIT_FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("internal error: KeyError: 'x\\x1b[31m'\n")
    assert "Traceback" not in err
    assert "report" in err


def test_an_internal_error_shows_its_place_when_debugging(
    failing, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VSAC_DEBUG", "1")
    failing(KeyError("x"))
    assert main.run(["explain"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (common.Failure("no phone", "connect one"), 2, "error: no phone\n  help: connect one\n"),
        (
            FileNotFoundError(2, "No such file or directory", "a\x1b.vsa"),
            2,
            "error: a<U+001B>.vsa: no such file",
        ),
        (RecursionError("deep"), 2, "internal error: RecursionError: deep"),
        (ModuleNotFoundError("no", name="pyarrow.parquet"), 2, "vsalang[fleet]"),
        (ModuleNotFoundError("no", name="vsalang.gone"), 2, "internal error: ModuleNotFoundError: no"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (_wrapped(KeyboardInterrupt()), 130, "interrupted"),
        (click.UsageError("two modes"), 2, "Error: two modes"),
    ],
)
def test_failures(
    failing, capsys: pytest.CaptureFixture[str], error: BaseException, status: int, text: str
) -> None:
    failing(error)
    assert main.run(["explain"]) == status
    assert text in capsys.readouterr().err


def test_a_file_that_cannot_be_read_has_a_code(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes("{}".encode("utf-16"))
    done = vsac("import", str(tmp_path / "a.json"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: [E0003] {tmp_path}/a.json is UTF-16\n  help: save it as UTF-8\n"


def test_a_reader_that_goes_away_is_no_success() -> None:
    code = (
        "import os, sys\nfrom vsalang.tools.cli import main\nsys.argv = ['vsac', 'explain']\n"
        "r, w = os.pipe(); os.close(r); os.dup2(w, 1)\nmain.main()"
    )
    done = processes.run(["-c", code], cwd=ROOT)
    assert (done.returncode, done.stderr) == (2, "")


def test_a_terminal_without_the_characters() -> None:
    done = vsac("explain", "日本", PYTHONIOENCODING="latin-1")
    assert done.returncode == 2
    assert "\\u65e5" in done.stderr


# ---- colours and formats ---------------------------------------------------------------------------------


@pytest.fixture
def broken(tmp_path: Path) -> str:
    file = tmp_path / "a.json"
    file.write_text('{"A": 1}', encoding="utf-8")
    return str(file)


def test_colours_are_for_terminals(broken: str) -> None:
    assert "\x1b" not in vsac("import", broken).stdout
    assert "\x1b[" in vsac("--color", "always", "import", broken).stdout
    assert "\x1b[" in vsac("--color", "always", "import", broken, NO_COLOR="1").stdout
    assert "\x1b" not in vsac("--color", "never", "import", broken).stdout


def test_no_color_and_dumb_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert common.use_color(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    assert common.use_color(Terminal())
    monkeypatch.setenv("NO_COLOR", "0")
    assert not common.use_color(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not common.use_color(Terminal())


def test_colours_can_be_forced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pipe = io.StringIO()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "")
    assert not common.use_color(pipe)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    assert common.use_color(pipe)
    file = tmp_path / "a.vsa"
    file.write_text("nonsense")
    result = CliRunner().invoke(main.cli, ["check", str(file)])
    assert "\x1b[" in result.output
    assert "\x1b" not in CliRunner().invoke(main.cli, ["check", "--format", "json", str(file)]).output
    assert "\x1b" not in CliRunner().invoke(main.cli, ["--color", "never", "check", str(file)]).output
    monkeypatch.setenv("NO_COLOR", "1")
    assert not common.use_color(pipe)


# ---- one way to ask for a format ---------------------------------------------------------------------


def every_command() -> Iterator[tuple[str, click.Command]]:
    """All commands, with those of groups."""
    for name, entry in families.every():
        command = main.imported(name, entry)
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {below}", each) for below, each in command.commands.items())


def test_formats_are_asked_for_in_one_way() -> None:
    with_format = set()
    for name, command in every_command():
        options = {option: param for param in command.params for option in param.opts}
        assert ("--json" in options) == ("--format" in options), name
        if "--format" in options:
            with_format.add(name)
            choices = options["--format"].type
            assert isinstance(choices, click.Choice) and choices.choices[0] == "text", name
            assert "json" in choices.choices, name
            assert options["--json"].help == "The same as --format json.", name
    assert {
        "check",
        "test",
        "lint",
        "prove verify",
        "journal show",
        "journal replay",
        "screen facts",
        "phone doctor",
        "phone sim check",
    } <= with_format


def test_the_short_word_for_json(tmp_path: Path) -> None:
    file = tmp_path / "a.vsa"
    file.write_text("nonsense")
    runner = CliRunner()
    long = runner.invoke(main.cli, ["check", "--format", "json", str(file)])
    assert json.loads(long.output)["counts"]["error"] == 1
    for words in (["--json"], ["--json", "--format", "json"]):
        assert runner.invoke(main.cli, ["check", *words, str(file)]).output == long.output
    for words in (["--json", "--format", "sarif"], ["--format", "text", "--json"]):
        refused = runner.invoke(main.cli, ["check", *words, str(file)])
        assert refused.exit_code == 2 and "exclude each other" in refused.output


@pytest.mark.parametrize("command", ["describe", "check", "lint", "export --to json", "test"])
def test_errors_are_json_where_json_is_asked_for(command: str, tmp_path: Path) -> None:
    file = tmp_path / "a.vsa"
    file.write_text("nonsense")
    result = CliRunner().invoke(main.cli, [*command.split(), str(file), "--json"])
    assert json.loads(result.stdout)["diagnostics"][0]["severity"] == "error"


@pytest.mark.parametrize("format", common.FORMATS)
def test_findings_in_every_format(format: str, broken: str, capsys: pytest.CaptureFixture[str]) -> None:
    from vsalang.base.diagnostics import error, warning
    from vsalang.base.source import Span, read_source

    source = read_source(broken)
    finding = error("E0011", Span(source.file, 6, 7), "wrong shape")
    assert Output(format).print(Findings([finding], {source.file: source})) == 1
    assert "wrong shape" in capsys.readouterr().out.lower()
    assert Output(format).print(Findings([warning("W0001", None, "odd")], {})) == 0


def test_a_missing_extra_says_how_to_get_it() -> None:
    with pytest.raises(common.Failure) as failed:
        common.require("no_such_library", "smt")
    assert failed.value.hint.endswith("pip install 'vsalang[smt]'")
    common.require("json", "smt")


# ---- explain -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES)
def test_explain(code: str) -> None:
    from vsalang.tools.cli.explain import page

    text = page(CODES[code])
    assert text.startswith(f"{CODES[code].severity.value}[{code}]: ")
    assert CODES[code].example_bad.split("\n")[0] in text


def test_explain_takes_small_letters_lists_and_json() -> None:
    assert vsac("explain", "e0003").stdout.startswith("error[E0003]: ")
    listed = vsac("explain").stdout
    assert all(code in listed for code in CODES)
    (entry,) = json.loads(vsac("explain", "E0003", "--format", "json").stdout)
    assert entry["code"] == "E0003"


def test_explain_an_unknown_code() -> None:
    done = vsac("explain", "E0O03")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean `E0003`" in done.stderr


# ---- files and outputs that cannot be used -----------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        "check",
        "check --fix",
        "test",
        "lint",
        "prove verify",
        "describe",
        "export --to python",
        "bench",
        "export --to json",
    ],
)
def test_links_in_a_circle_are_no_internal_error(args: str, tmp_path: Path) -> None:
    loop = tmp_path / "loop.vsa"
    loop.symlink_to(loop)
    result = commands.vsac(*args.split(), str(loop))
    assert result.returncode == 2
    assert "too many levels of symbolic links" in result.stdout + result.stderr
    assert "internal error" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        result = processes.run(
            ["-m", "vsalang.tools.cli.main", "describe", "app_specs/apps/opentable.vsa"],
            cwd=ROOT,
            stdout=full,
        )
    assert result.returncode == 2
    assert result.stderr == "error: cannot write the output: no space left on device\n"


@pytest.mark.parametrize("args", ["export --to python", "export --to json --force"])
@pytest.mark.parametrize("name", ["own.vsa", "own.txt", "opentable.vsa", "link"])
def test_no_output_is_written_over_what_is_read(args: str, name: str, tmp_path: Path) -> None:
    text = (ROOT / "app_specs" / "apps" / "opentable.vsa").read_text(encoding="utf-8")
    file = tmp_path / ("own.txt" if name == "own.txt" else "own.vsa")
    for each in (file, tmp_path / "opentable.vsa"):
        each.write_text(text, encoding="utf-8")
    (tmp_path / "link").symlink_to(file)
    result = commands.vsac(*args.split(), str(file), "-o", str(tmp_path / name))
    assert result.returncode == 2
    assert "no output is written over it" in result.stderr
    assert (tmp_path / name).read_text(encoding="utf-8") == text
