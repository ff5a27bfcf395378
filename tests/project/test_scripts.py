"""The scripts of the README: what they set up, when, and what they say where they cannot."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHELL = shutil.which("sh")

pytestmark = pytest.mark.skipif(SHELL is None, reason="there is no POSIX shell")


def sh(*args: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    assert SHELL
    clean = {
        key: value
        for key, value in os.environ.items()
        if key not in {"PYTHON", "VSALANG_VENV", "VSALANG_INSTALLER"}
    }
    return subprocess.run([SHELL, *args], cwd=cwd, env=clean | environment, capture_output=True, text=True)


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{SHELL}\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The scripts in a directory of their own, with an environment whose pip only takes notes."""
    root = tmp_path / "a checkout"
    (root / "scripts").mkdir(parents=True)
    (root / "grammars").mkdir()
    for name in ("demo", "test", "scripts/venv.sh", "pyproject.toml", "grammars/generated.sha256"):
        shutil.copy(ROOT / name, root / name)
    script(
        root / ".venv/bin/python",
        f'case "$*" in *"pip install"*) echo "$*" >>"{tmp_path}/pip.log" ;; *) exec "{sys.executable}" "$@" ;; esac',
    )
    return root


def ensure(checkout: Path, extras: str) -> int:
    """Set the environment up; how often pip has installed anything so far."""
    done = sh("-c", f'root="{checkout}"; . "$root/scripts/venv.sh"; ensure_venv {extras}', cwd=checkout)
    assert done.returncode == 0, done.stderr
    log = checkout.parent / "pip.log"
    return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0


@pytest.mark.parametrize(("status", "by_pip"), [(0, 0), (1, 1), (None, 1)], ids=["uv", "fails", "not there"])
def test_where_uv_cannot_install_pip_does(checkout: Path, status: int | None, by_pip: int) -> None:
    if status is not None:
        script(checkout / ".venv/bin/uv", f'echo "$*" >>"{checkout.parent}/uv.log"; exit {status}')
    text = f'root="{checkout}"; . "$root/scripts/venv.sh"; ensure_venv all'
    done = sh("-c", text, cwd=checkout, VSALANG_INSTALLER="uv")
    assert done.returncode == 0, done.stderr
    if status is not None:
        assert (checkout.parent / "uv.log").read_text(encoding="utf-8").startswith("pip install --quiet")
    assert (checkout.parent / "pip.log").exists() == bool(by_pip)
    assert ("pip tries it now" in done.stderr) == bool(by_pip)


@pytest.mark.parametrize("name", ["demo", "test", "scripts/venv.sh", ".ci/run"])
def test_scripts_are_shell(name: str) -> None:
    assert sh("-n", str(ROOT / name), cwd=ROOT).returncode == 0
    if name != "scripts/venv.sh":
        assert os.access(ROOT / name, os.X_OK)


def test_a_job_that_is_not_there_names_the_others() -> None:
    done = sh(str(ROOT / ".ci/run"), "nightly", cwd=ROOT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "error: there is no job 'nightly'\n  help: name one of packages, site, frameworks,"
    )
    assert sh(str(ROOT / ".ci/run"), "draw", "-1", cwd=ROOT).returncode == 2


def test_environments_of_their_own_have_the_plugins_of_pytest() -> None:
    """`pyproject.toml` has options of plugins, and pytest refuses one that it does not know."""
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    installs = [line.split() for line in lines if "install_into" in line and "pytest" in line.split()]
    assert installs and all("pytest-asyncio" in words for words in installs)


@pytest.mark.slow
def test_what_must_run_is_not_skipped(tmp_path: Path) -> None:
    """Neither a file as a whole, nor a test, before it begins or in it: `.ci/run frameworks`, `.ci/run editors`."""
    for name, text in {
        "file": "pytest.importorskip('not_there')",
        "mark": "@pytest.mark.skip\ndef test_mark():\n    assert sum((1, 2)) == 3",
        "call": "def test_call():\n    pytest.skip('what it needs is not there')",
        "run": "def test_run():\n    assert sum((1, 2)) == 3",
    }.items():
        (tmp_path / f"test_{name}.py").write_text(f"import pytest\n{text}\n", encoding="utf-8")
    options = ("-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "--continue-on-collection-errors")
    command = [sys.executable, "-m", "pytest", *options, "--require-all", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1].startswith("1 failed, 1 passed, 2 errors"), done.stdout
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").count(" --require-all") == 5


@pytest.mark.soak
def test_nothing_is_installed_twice(checkout: Path) -> None:
    assert ensure(checkout, "all") == 1
    assert ensure(checkout, "all") == 1
    assert ensure(checkout, "all,dev") == 2
    with (checkout / "pyproject.toml").open("a", encoding="utf-8") as stream:
        stream.write("# changed\n")
    assert ensure(checkout, "all") == 3
    assert ensure(checkout, "all") == 3
    with (checkout / "grammars/generated.sha256").open("a", encoding="utf-8") as stream:
        stream.write("changed  docs\n")
    assert ensure(checkout, "all") == 4
    assert ensure(checkout, "all") == 4


@pytest.mark.slow
def test_a_failed_installation_is_tried_again(checkout: Path) -> None:
    python = checkout / ".venv/bin/python"
    works = python.read_text(encoding="utf-8")
    script(python, works.partition("\n")[2].replace("echo", "exit 1; echo"))
    done = sh("-c", f'root="{checkout}"; . "$root/scripts/venv.sh"; ensure_venv all', cwd=checkout)
    assert done.returncode == 2
    assert "error: pip could not install what is needed" in done.stderr
    assert "  help: " in done.stderr
    script(python, works.partition("\n")[2])
    assert ensure(checkout, "all") == 1


def test_without_python_the_remedy_is_named(checkout: Path, tmp_path: Path) -> None:
    shutil.rmtree(checkout / ".venv")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("dirname", "cat", "cksum", "tr", "rm"):
        found = shutil.which(tool)
        assert found
        (tools / tool).symlink_to(found)
    done = sh(str(checkout / "demo"), cwd=tmp_path, PATH=str(tools))
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: no Python 3.11 or newer was found" in done.stderr
    script(tools / "python3", "exit 1  # an old Python fails the question for its version")
    assert sh(str(checkout / "test"), cwd=tmp_path, PATH=str(tools)).returncode == 2
    done = sh(str(checkout / "demo"), cwd=tmp_path, PYTHON="/no/such/python")
    assert done.returncode == 2
    assert "PYTHON=/no/such/python is not Python 3.11 or newer" in done.stderr


def test_the_demo_is_the_command_of_the_same_name(checkout: Path, tmp_path: Path) -> None:
    script(tmp_path / "venv/bin/vsac", 'printf "<%s>" "$@"; pwd; exit 7')
    done = sh(str(checkout / "demo"), "--language", "de", cwd=tmp_path, VSALANG_VENV=str(tmp_path / "venv"))
    assert done.returncode == 7
    assert done.stdout == f"<demo><--language><de>{tmp_path}\n"
    shutil.copy(tmp_path / "venv/bin/vsac", checkout / ".venv/bin/vsac")
    done = sh(str(checkout / "demo"), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (7, f"<demo>{checkout}\n")  # its paths are short there


def test_the_demo_needs_vsalang_in_its_environment(checkout: Path, tmp_path: Path) -> None:
    done = sh(str(checkout / "demo"), cwd=tmp_path, VSALANG_VENV=str(tmp_path / "none"))
    assert done.returncode == 2
    assert "no vsac in" in done.stderr
