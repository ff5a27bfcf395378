"""The project installed as people install it: from a wheel elsewhere, and as an editable checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from scripts import generate
from vsalang.base import generated

ROOT = Path(__file__).parents[2]
NAMES = ("app_specs", "docs", "grammars", "stdlib")
WHERE = "import vsalang.base.resources as r; [print(r.resource_dir(n)) for n in r.NAMES]"
PAGES = """import sys
from vsalang.base.project import documentation, page_of
for code in sys.argv[1:]:
    print(documentation(page_of(code)))
"""
GENERATED = "import vsalang.base.generated as g; [print((g.find(k) or [k])[0]) for k in g.KINDS]"

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a release holds, so that building leaves nothing in the checkout."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in ("vsalang", "scripts", *NAMES):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(checkout))
    (made,) = out.glob("vsalang-*.whl")
    return made


def _run(*command: str, cwd: Path | None = None) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_"))}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _environment(place: Path) -> Path:
    """A new environment that sees the libraries of this one, but not its vsalang; returns its Python."""
    _run(sys.executable, "-m", "venv", "--without-pip", str(place))
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = Path(_run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # Added after the environment's own packages; .pth files over there, such as an editable install's, do not count.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


def _install(python: Path, *what: str) -> None:
    _run(
        sys.executable,
        *("-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-build-isolation"),
        "--no-compile",  # Python compiles what it imports, of which there is less
        *("--force-reinstall", *what),
    )


def _shipped(folder: Path) -> set[str]:
    """What ships, but for what is generated."""
    return {path.relative_to(folder).as_posix() for name in NAMES for path in (folder / name).rglob("*.*")}


def test_the_wheel_holds_what_ships(wheel: Path, checkout: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    inside = {
        name.removeprefix("vsalang/_shipped/") for name in names if name.startswith("vsalang/_shipped/")
    }
    made = {f"{kind}/{name}" for kind, files in generate.files().items() for name in files}
    assert inside == _shipped(checkout) | made
    assert not made & _shipped(checkout)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "docs/", "benchmarks/"))]


def test_a_wheel_installed_elsewhere_finds_its_own_copy(wheel: Path, checkout: Path, tmp_path: Path) -> None:
    python = _environment(tmp_path / "venv")
    _install(python, str(wheel))
    (tmp_path / "stdlib").mkdir()  # not ours
    found = [Path(line) for line in _run(str(python), "-c", WHERE, cwd=tmp_path).split("\n") if line]
    assert [path.name for path in found] == list(NAMES)
    assert all(path.is_relative_to(tmp_path / "venv") and path.parent.name == "_shipped" for path in found)
    assert _run(str(python), "-c", GENERATED, cwd=tmp_path).split() == [str(folder) for folder in found[1:3]]
    assert _run(str(python.parent / "vsac"), "--version", cwd=tmp_path) == "vsac 0.1.0\n"
    (tmp_path / "a.vsa").write_text(
        'spec a "Say yes"\nimport apps.opentable\nallow answer(text = "yes").\ndone when answer earlier.\n'
    )
    said = _run(str(python.parent / "vsac"), "check", "a.vsa", cwd=tmp_path)
    assert said == "checked 1 file: no errors\n"
    examples = json.loads(_run(str(python.parent / "vsac"), "demo", "--list", "--json", cwd=tmp_path))
    assert "reserve_r" in {each["name"] for each in examples if each["runs"]}
    assert all(Path(each["file"]).is_relative_to(tmp_path / "venv") for each in examples)
    assert "BLOCKED" in _run(str(python.parent / "vsac"), "demo", cwd=tmp_path)
    (tmp_path / "a.vsa").write_text('spec a "Say yes"\nallow Answer.\ndone when finish.\n')
    command = [str(python.parent / "vsac"), "check", "a.vsa", "--format", "sarif"]
    log = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout)
    driver = log["runs"][0]["tool"]["driver"]
    # the package's metadata names no address that others can reach, so findings name none
    assert "informationUri" not in driver
    assert driver["rules"]
    assert not any("helpUri" in rule for rule in driver["rules"])
    codes = [rule["id"] for rule in driver["rules"]]
    pages = _run(str(python), "-c", PAGES, *codes, cwd=tmp_path).split()
    assert len(pages) == len(codes)
    assert all(Path(url2pathname(urlsplit(page).path)).is_file() for page in pages)


def test_a_wheel_with_old_digests_is_not_built(checkout: Path, tmp_path: Path) -> None:
    """But the checkout is installed: someone is changing it, and files that do not fit are not used."""
    copy = tmp_path / "checkout"
    shutil.copytree(checkout, copy)
    digests = copy / "grammars" / generated.DIGESTS
    digests.write_text(
        digests.read_text(encoding="utf-8").replace("  grammars", "0  grammars"), encoding="utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(copy),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "run python -m scripts.generate" in done.stdout + done.stderr
    assert not list(tmp_path.glob("*.whl"))
    python = _environment(tmp_path / "venv")
    _install(python, "--editable", str(copy))
    docs, grammars = _run(str(python), "-c", GENERATED, cwd=tmp_path).split()
    assert Path(docs).is_dir() and grammars == "grammars"


def test_an_editable_install_uses_the_checkout(checkout: Path, tmp_path: Path) -> None:
    python = _environment(tmp_path / "venv")
    _install(python, "--editable", str(checkout))
    found = [Path(line) for line in _run(str(python), "-c", WHERE, cwd=tmp_path).split("\n") if line]
    assert found == [checkout / name for name in NAMES]
    site = Path(_run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    built = [site / generated.FOLDER / kind / generated.digests()[kind] for kind in generated.KINDS]
    assert _run(str(python), "-c", GENERATED, cwd=tmp_path).split() == [str(folder) for folder in built]
    assert not (site / "vsalang").exists()  # nothing that ships is copied
    assert "vsac" in _run(str(python.parent / "vsac"), "--help", cwd=tmp_path)
