"""Where the rules from L0022 on speak and where they keep quiet; `vsac lint --deep`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import processes
from vsalang.base.diagnostics.fixes import apply_edits
from vsalang.language.lint import lint
from vsalang.language.semantics import load, load_text

ROOT = Path(__file__).resolve().parents[3]
APP = 'app shop package "com.shop" "A shop"\n'
SPEC = 'spec s "Say yes"\n{more}allow answer(text = "yes").\ndone when answer earlier.\n'


def found(text: str, code: str) -> list[str]:
    loaded = load_text(text, file="x.vsa")
    assert loaded.ok, loaded.diagnostics
    return [text[f.span.start : f.span.end] for f in lint(loaded, select={code}) if f.span is not None]


@pytest.mark.parametrize(
    ("condition", "quiet"),
    [
        ('class = "android.widget.Button"', False),
        ('class != "android.widget.Button"', False),
        ('class in {"Button", "android.view.View"}', False),
        ('id = "com.shop:id/pay"', False),
        ('class = "Button"', True),
        ('id = "pay"', True),
        ('id = "a/b"', True),
        ('resource_id = "com.shop:id/pay"', True),
        ("class matches /android.widget.*/", True),
        ('text = "com.shop:id/pay"', True),
    ],
)
def test_constants_that_no_node_has(condition: str, quiet: bool) -> None:
    text = f'{APP}screen Page "x" when Node({condition}).\n'
    assert found(text, "L0022") == ([] if quiet else [condition])


def test_the_fix_writes_the_short_name() -> None:
    text = APP + 'screen Page "x" when Node(class in {"Button", "android.view.View"}, id = "a").\n'
    (finding,) = lint(load_text(text, file="x.vsa"), select={"L0022"})
    assert 'class in {"Button", "View"}' in apply_edits(text, finding.fixes[0].edits)


@pytest.mark.parametrize(
    ("rules", "covered"),
    [
        ('deny "a" when tap(id = "x").\ndeny "a" when tap(id = "x"), screen Page.\n', 1),
        ('deny "a" when tap(id = "x").\ndeny "a" when  tap(id =\n "x").\n', 0),  # not written alike
        ('deny "a" when tap(id = "x").\ndeny "a"   when tap(id = "x").\n', 1),
        ('deny "a" when tap(id = "x").\ndeny "b" when tap(id = "x"), screen Page.\n', 0),
        ('deny "a" when tap(id = "x"), screen Page.\ndeny "a" when tap(id = "y"), screen Page.\n', 0),
        ("define D(n = 1) when tap.\ndefine D(n = 2) when tap.\n", 0),
    ],
)
def test_covered_clauses(rules: str, covered: int) -> None:
    rules = rules.replace("tap(id =\n", "tap( id =\n")
    text = f'{APP}screen Page "x" when Node(id = "p").\n{rules}'
    assert len(found(text, "L0023")) == covered


def test_licences_with_numbers_are_no_copies() -> None:
    rule = 'allow 1 answer(text = "yes").\n'
    text = f'spec s "Say yes twice"\n{rule}{rule}done when answer earlier.\n'
    assert found(text, "L0023") == []
    assert len(found(text.replace("allow 1", "allow either"), "L0023")) == 1


@pytest.mark.parametrize(
    ("over_b", "over_c", "spoken"),
    [("", "", ["B", "C"]), (" over A", "", ["C"]), (" over A", " over B", []), (" over A", " over A, B", [])],
)
def test_screens_within_another(over_b: str, over_c: str, spoken: list[str]) -> None:
    text = (
        f'{APP}screen A "a" when Node(id = "a").\nscreen B{over_b} "b" when Node(id = "b"), Node(id = "a").\n'
        f'screen C{over_c} "c" when Node(id = "a"), Node(id = "b"), Node(id = "c").\n'
    )
    assert found(text, "L0024") == spoken


@pytest.mark.parametrize(
    ("condition", "quiet"),
    [
        ('Node(text = "Pay")', False),
        ('Node(label = "Pay", class = "Button")', False),
        ('Node(desc = "Pay", class = "Button")', True),
        ('Node(text = "Pay"), not Node(id = "x")', False),
        ('Node(id = "x", text = "Pay")', True),
        ('Node(text = "Pay"), Node(id = "x")', True),
        ('App(activity = "Pay")', True),
        ('Window(title = "Pay")', True),
    ],
)
def test_screens_told_by_a_text(condition: str, quiet: bool) -> None:
    assert found(f'{APP}screen Page "x" when {condition}.\n', "L0025") == ([] if quiet else ["Page"])


@pytest.mark.parametrize(
    ("condition", "quiet"),
    [
        ('tap(text = "Pay")', False),
        ("tap(desc matches /Pay.*/i)", False),
        ('tap(text = "Pay", id = "x")', True),
        ("tap(text = ?t)", True),
        ('tap(text = "Pay", node = ?n), Node(node = ?n, id = "pay")', True),
    ],
)
def test_actions_told_by_a_caption(condition: str, quiet: bool) -> None:
    text = f'{APP}action Pay(note: Text "n") "Pay"\nrecognize Pay when {condition}.\n'
    assert bool(found(text, "L0026")) is not quiet
    assert found(text + 'screen S closed "s" when Node(id = "s").\n', "L0026") == []


def test_an_input_that_writes_all_or_reads_alone() -> None:
    state = 'state Order "o" { count: Number "c"  total: Number "t" }\n'
    seen = (
        "update Order(count = number(?n), total = number(?t))\n"
        '  when Node(id = "n", text = ?n), Node(id = "t", text = ?t).\n'
    )
    input_ = 'update Order(count = number(?v)) when input_text(id = "n", value = ?v).\n'
    assert found(APP + state + seen + input_, "L0027") == ["update Order(count = number(?v))"]
    apart = 'update Order(count = number(?n)) when Node(id = "n", text = ?n).\n'
    assert found(APP + state + apart + input_, "L0027") == []
    view = state.replace("state", "view")  # a view's row is replaced as a whole
    assert found(APP + view + seen + input_, "L0027") == []


@pytest.mark.parametrize(
    ("more", "unused"),
    [
        ('let No = "no".\n', ["No"]),
        ('let No = "no".\nlet Other = No.\n', ["Other"]),
        ("define Late when Clock(now > 22:00).\n", ["Late"]),
        ('define Late when Clock(now > 22:00).\nwarn "late" when answer, Late.\n', []),
        ('let Late = 22:00.\nwarn "late" when answer, Clock(now > Late).\n', []),
    ],
)
def test_unused_names(more: str, unused: list[str]) -> None:
    assert found(SPEC.replace("{more}", more), "L0029") == unused


def test_names_of_modules_may_be_meant_for_others() -> None:
    assert found('module words "Words"\nlet No = "no".\ndefine D when Toast(text = "x").\n', "L0029") == []


# ---------------------------------------------------------------- what ships keeps quiet

_NEW = {f"L00{number}" for number in range(22, 30)}
_SHIPPED = sorted(p for folder in ("app_specs", "stdlib") for p in (ROOT / folder).rglob("*.vsa"))


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("path", _SHIPPED, ids=lambda path: path.stem)
def test_shipped_modules_have_none_of_these(path: Path) -> None:
    assert [f"{f.code} {f.message}" for f in lint(load(path), select=_NEW)] == []


# ---------------------------------------------------------------- --deep

_NEVER = 'spec s "Say yes"\nallow answer(text = "yes", text = "no").\ndone when answer earlier.\n'


def _vsac(folder: Path, *args: str) -> tuple[int, str]:
    result = processes.run(
        ["-m", "vsalang.tools.cli.main", *args], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    return result.returncode, result.stdout + result.stderr


def test_deep_finds_what_the_solver_finds(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    (tmp_path / "s.vsa").write_text(_NEVER)
    assert _vsac(tmp_path, "lint", "s.vsa") == (0, "looked at 1 file: nothing found\n")
    code, out = _vsac(tmp_path, "lint", "--deep", "--strict", "s.vsa")
    assert code == 1
    assert "V0001" in out and 'text = "yes"' in out and "cannot hold together" in out
    code, out = _vsac(tmp_path, "lint", "--deep", "--select", "V0003", "s.vsa")
    assert "V0001" not in out and "V0003" in out
    assert _vsac(tmp_path, "lint", "--deep", "--ignore", "V0001,V0003", "s.vsa")[1].startswith("looked at")


def test_deep_findings_can_be_ignored_and_weighed(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    text = _NEVER.replace("allow", "// lint: ignore V0001, V0003\nallow").replace(
        "done", "// lint: ignore V0001\ndone"
    )
    (tmp_path / "s.vsa").write_text(text)
    assert _vsac(tmp_path, "lint", "--deep", "s.vsa") == (0, "looked at 1 file: nothing found\n")
    (tmp_path / "s.vsa").write_text(_NEVER)
    (tmp_path / "vsac.toml").write_text('[lint.levels]\nV0001 = "error"\n')
    code, out = _vsac(tmp_path, "lint", "--deep", "s.vsa")
    assert code == 1 and "error[V0001]" in out


def test_only_deep_loads_the_solver(tmp_path: Path) -> None:
    (tmp_path / "s.vsa").write_text(_NEVER)
    code = (
        "import sys\nfrom vsalang.tools.cli.main import main\n"
        "sys.argv = ['vsac', 'lint', 's.vsa']\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert 'z3' not in sys.modules\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert result.returncode == 0, result.stderr
