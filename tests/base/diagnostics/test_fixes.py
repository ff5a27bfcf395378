"""Every offered fix removes its finding and causes no other. What `--fix` writes and `--diff` shows."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import vsac
from tests.programs.files import WRONG
from tests.snapshots import Pair
from vsalang.base.diagnostics import Diagnostic, Edit, Fix, error
from vsalang.base.diagnostics.code import example_files
from vsalang.base.diagnostics.codes import CODES
from vsalang.base.diagnostics.fixes import apply_edits, apply_fixes, only_fix
from vsalang.base.source import Source, Span
from vsalang.language.lint import CODES as LINT_CODES
from vsalang.language.lint import lint
from vsalang.language.semantics import load_text
from vsalang.language.syntax import parse

Look = Callable[[str, Path, str], list[Diagnostic]]
ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / "tests" / "programs"
SHOP = ROOT / "tests" / "language" / "semantics" / "strangers" / "shop.vsa"
_PAGES = [
    entry
    for entry in (*CODES.values(), *LINT_CODES.values())
    if entry.example_bad and (entry.code[0] == "L" or entry.code[1:3] in ("01", "02", "03", "04", "05", "06"))
]


def _found(text: str, path: Path, shown: str) -> list[Diagnostic]:
    loaded = load_text(text, file=shown, path=path, search=[PROGRAMS / "right"])
    return [*loaded.diagnostics, *lint(loaded)]


def _parsed(text: str, path: Path, shown: str) -> list[Diagnostic]:
    return list(parse(Source.from_text(text, shown)).diagnostics)


def _names(findings: list[Diagnostic], hidden: Diagnostic | None = None) -> list[tuple[str, str]]:
    """What is said; where `hidden` is a mistake of syntax, without what is written after it: that was not read yet."""
    behind = hidden.span.end if hidden and hidden.span and hidden.code.startswith("E01") else 1 << 40
    return sorted(
        (item.code, item.message)
        for item in findings
        if item.severity.value == "error" and (item.span is None or item.span.start < behind)
    )


def _moved(place: int, fix: Fix) -> int:
    """Where a place of the text is written after a fix."""
    before = [edit for edit in fix.edits if edit.span.start <= place]
    return place + sum(len(edit.text) - (edit.span.end - edit.span.start) for edit in before)


def _try_all(text: str, path: Path, shown: str, look: Look = _found) -> None:
    """Apply each fix of each finding alone."""
    before = look(text, path, shown)
    for finding in before:
        for fix in finding.fixes:
            if any(edit.span.file != shown for edit in fix.edits):
                continue
            fixed = apply_edits(text, fix.edits)
            after = look(fixed, path, shown)
            left = [item for item in before if item is not finding]
            extra = [name for name in _names(after, finding) if name not in _names(left)]
            assert not extra, f"{finding.code} {finding.message}: {fix.title}: {extra}"
            said = [item for item in before if (item.code, item.message) == (finding.code, finding.message)]
            again = [item for item in after if (item.code, item.message) == (finding.code, finding.message)]
            if finding.span and finding.code.startswith("E01"):
                # of the mistakes of an item only the first is told: the same one further on shows only now
                place = _moved(finding.span.end, fix)
                again = [item for item in again if item.span is None or item.span.start < place]
            assert len(again) < len(said), f"{finding.code} {finding.message}: {fix.title}: still there"


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("pair", WRONG, ids=lambda pair: pair.name)
def test_fixes_of_wrong_programs(pair: Pair) -> None:
    name = f"{pair.name}.vsa"
    _try_all(pair.given, PROGRAMS / "wrong" / name, name)


@pytest.mark.parametrize("entry", _PAGES, ids=lambda entry: entry.code)
def test_fixes_of_the_pages(entry, tmp_path: Path) -> None:
    files = example_files(entry.example_bad, "bad.vsa")
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    first = next(iter(files))
    # the examples of syntax mention relations that nobody declares
    look = _parsed if entry.code.startswith("E01") else _found
    _try_all(files[first], tmp_path / first, first, look)


@pytest.mark.slow
def test_many_findings_have_fixes() -> None:
    texts = [(pair.given, PROGRAMS / "wrong" / f"{pair.name}.vsa") for pair in WRONG]
    with_fix = sum(any(item.fixes for item in _found(text, path, path.name)) for text, path in texts)
    assert with_fix >= 55, f"{with_fix} of {len(WRONG)}"


# ---------------------------------------------------------------- applying


def _edit(start: int, end: int, text: str, file: str = "a") -> Edit:
    return Edit(Span(file, start, end), text)


def test_edits_are_made_at_places_of_the_old_text() -> None:
    assert apply_edits("abc", [_edit(0, 1, "xyz"), _edit(2, 3, "")]) == "xyzb"
    assert apply_edits("abc", []) == "abc"


@pytest.mark.parametrize("edits", [[_edit(0, 2, ""), _edit(1, 3, "")], [_edit(2, 9, "")]])
def test_edits_that_cannot_be_made(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abc", edits)


def test_a_choice_is_left_to_people() -> None:
    fix = Fix("one", (_edit(0, 1, "b"),))
    span = Span("a", 0, 1)
    assert only_fix(error("E0001", span, "x", fixes=(fix,)), "a") is fix
    assert only_fix(error("E0001", span, "x", fixes=(fix, fix)), "a") is None
    assert only_fix(error("E0001", span, "x", fixes=(fix,)), "b") is None
    assert only_fix(error("E0001", span, "x", fixes=(Fix("", (_edit(0, 1, "", "b"),)),)), "a") is None


def test_a_fix_that_makes_it_worse_is_taken_back() -> None:
    def check(text: str) -> list[Diagnostic]:
        span = Span("a", 0, 1)
        if text == "a":
            return [error("E0201", span, "a is wrong", fixes=(Fix("b", (_edit(0, 1, "b"),)),))]
        return [error("E0202", span, "b is worse")]

    fixed = apply_fixes("a", "a", check)
    assert (fixed.text, fixed.applied) == ("a", ())


def test_fixing_ends_where_fixes_run_in_a_circle() -> None:
    def check(text: str) -> list[Diagnostic]:
        other = "b" if text == "a" else "a"
        return [error("E0201", Span("a", 0, 1), f"{text}", fixes=(Fix("", (_edit(0, 1, other),)),))]

    assert apply_fixes("a", "a", check).text in ("a", "b")


# ---------------------------------------------------------------- the commands

_HEAD = 'spec m "Pay."\r\nimport shop\r\n'
_BROKEN = f"{_HEAD}allow Pay if Cart(open = True)\r\ndone when Cart(total == 5) and Cart(open = true).\r\n"
_WHOLE = f"{_HEAD}allow Pay when Cart(open = true).\r\ndone when Cart(total = 5), Cart(open = true).\r\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop.vsa").write_bytes(SHOP.read_bytes())
    (tmp_path / "m.vsa").write_bytes(b"\xef\xbb\xbf" + _BROKEN.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(*args: str, stdin: str = "") -> tuple[int, str]:
    result = vsac(*args, cwd=Path.cwd(), input=stdin)
    return result.returncode, result.stdout + result.stderr


def test_check_fix_writes_all_that_is_certain(project: Path) -> None:
    code, out = _run("check", "--fix", "m.vsa")
    assert (project / "m.vsa").read_bytes() == b"\xef\xbb\xbf" + _WHOLE.encode()
    assert (code, out) == (0, "checked 1 file: no errors\nfixed 5 findings\n")
    assert _run("check", "--fix", "m.vsa") == (0, "checked 1 file: no errors\n")


def test_check_fix_mends_a_rules_mistake_twice(project: Path) -> None:
    """Of the mistakes of an item only the first is told: the second is the same, and shows when the first is gone."""
    text = (
        'spec m "Pay."\nimport shop\nallow Pay(amount = $t) when Cart(total = $t).\ndone when Pay earlier.\n'
    )
    (project / "m.vsa").write_text(text)
    code, out = _run("check", "--fix", "m.vsa")
    assert (code, out) == (0, "checked 1 file: no errors\nfixed 2 findings\n")
    assert (project / "m.vsa").read_text() == text.replace("$t", "?t")


def test_a_fix_that_changes_nothing_is_taken_back() -> None:
    def check(text: str) -> list[Diagnostic]:
        at = text.index("$")
        span = Span("a", at, at + 1)
        return [error("E0129", span, "no", fixes=(Fix("", (_edit(at, at + 1, "x$"),)),))]

    assert apply_fixes("a$", "a", check).text == "a$"


def test_check_diff_writes_nothing(project: Path) -> None:
    code, out = _run("check", "--diff", "m.vsa")
    assert code == 1
    assert "+++ m.vsa (fixed)" in out
    assert "+allow Pay when Cart(open = true)." in out
    assert (project / "m.vsa").read_bytes() == b"\xef\xbb\xbf" + _BROKEN.encode()


def test_check_diff_of_standard_input(project: Path) -> None:
    code, out = _run("check", "--diff", "-", stdin=_BROKEN)
    assert code == 1
    assert "+++ <stdin> (fixed)" in out


def test_lint_fix_leaves_errors_alone(project: Path) -> None:
    code, out = _run("lint", "--fix", "m.vsa")
    assert code == 1
    assert "fixed" not in out
    assert (project / "m.vsa").read_bytes() == b"\xef\xbb\xbf" + _BROKEN.encode()


def test_lint_fix_writes_what_is_certain(project: Path) -> None:
    text = 'app lamp package "com.lamp" "A lamp"\nscreen Page "The page" when Node(class = "android.widget.Switch").\n'
    (project / "lamp.vsa").write_text(text)
    code, out = _run("lint", "--diff", "lamp.vsa")
    assert code == 1 and '+screen Page "The page" when Node(class = "Switch").' in out
    assert (project / "lamp.vsa").read_text() == text
    assert _run("lint", "--fix", "lamp.vsa") == (0, "looked at 1 file: nothing found\nfixed 1 finding\n")
    assert (project / "lamp.vsa").read_text() == text.replace("android.widget.", "")


def test_standard_input_cannot_be_written(project: Path) -> None:
    for command in ("check", "lint"):
        code, out = _run(command, "--fix", "-")
        assert code == 2 and "--diff" in out


@pytest.mark.parametrize("command", ["check", "lint"])
def test_diff_reports_what_has_no_fix(project: Path, command: str) -> None:
    (project / "trunc.vsa").write_text('spec x "y"\nallow')
    (project / "bin.vsa").write_bytes(b"\0\0")
    for file, status in (("missing.vsa", 2), ("bin.vsa", 2), ("trunc.vsa", 1)):
        assert _run(command, "--diff", file) == _run(command, file)
        code, out = _run(command, "--diff", "--format", "json", file)
        assert code == status
        assert json.loads(out)["counts"]["error"] == 1


def test_diff_in_json_is_json(project: Path) -> None:
    code, out = _run("check", "--diff", "--format", "json", "m.vsa")
    assert code == 1
    assert json.loads(out)["diagnostics"][0]["fixes"]


def test_diff_shows_what_it_leaves(project: Path) -> None:
    (project / "m.vsa").write_text(_BROKEN + "allow Nothing99.\n")
    code, out = _run("check", "--diff", "m.vsa")
    assert code == 1
    assert out.index("+allow Pay when") < out.index("Nothing99`")
    assert out.endswith("Found 1 error.\n")


def test_an_unended_last_line_may_hide_mistakes(project: Path) -> None:
    text = 'spec m "Pay."\nimport shop\ndone when Pay earlier.\nallow Pay when Crat(open = True), Cart(total = 5)\n'
    (project / "m.vsa").write_text(text)
    assert _run("check", "--fix", "m.vsa")[0] == 0
    assert (project / "m.vsa").read_text().endswith("allow Pay when Cart(open = true), Cart(total = 5).\n")
