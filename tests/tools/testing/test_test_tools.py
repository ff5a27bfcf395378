"""`vsac test`: folders, processes, stopping early, JUnit, coverage, watching; and the pytest plugin."""

import json
import os
import signal
import threading
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree import ElementTree

import pytest

from tests import processes
from tests.commands import vsac
from vsalang.tools.testing import Options, run_file, run_files
from vsalang.tools.testing.watching import matters

pytest_plugins = ["pytester"]

APP = 'app shop package "com.shop" "A shop"\naction Pay(total: Number) "Pay"\nstate Cart "Cart" { full: Bool "Full" }\n'
SPEC = (
    'spec buy "Pay 5"\nimport shop\n'
    "allow Pay(total = 5) when Cart(full = true).\ndone when Pay earlier.\n"
    'test "five" for buy { observe Cart(full = true). attempt Pay(total = 5). finish. }\n'
)
FAILS = 'test "six" for buy { attempt Pay(total = 6) => allow. }\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("one", "two", ".hidden", "node_modules", "env"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "shop.vsa").write_text(APP)
        (tmp_path / folder / "buy.vsa").write_text(SPEC)
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    return tmp_path


def run(*arguments: str) -> CompletedProcess[str]:
    return vsac("test", *arguments, cwd=Path.cwd())


def test_a_pipe_is_no_file_and_link_circles_fail(project: Path) -> None:
    os.mkfifo(project / "one" / "pipe.vsa")
    (project / "one" / "loop.vsa").symlink_to("loop.vsa")
    result = run(str(project / "one"))
    assert result.returncode == 2
    assert "loop.vsa: too many levels of symbolic links" in result.stdout
    assert result.stdout.endswith("1 passed\n")


@pytest.mark.parametrize("option", ["--junit", "--coverage-html"])
def test_no_report_is_written_over_what_is_read(project: Path, option: str) -> None:
    file = project / "one" / "buy.vsa"
    other = project / "one" / "policy.txt"
    other.write_text("policy p\n")
    for output in (file, project / "two" / "shop.vsa", other):
        before = output.read_bytes()
        result = run(str(file), option, str(output), "--policy", str(other))
        assert result.returncode == 2 and "no output is written over it" in result.stderr
        assert output.read_bytes() == before


def test_the_working_folder_is_the_default(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "one")
    result = run()
    assert result.returncode == 0
    assert result.stdout == "pass buy.vsa: five\n1 passed\n"


def test_an_empty_folder_is_no_success(tmp_path: Path) -> None:
    result = run(str(tmp_path))
    assert result.returncode == 1
    assert "no tests found" in result.stderr


# ---------------------------------------------------------------- running


def test_several_processes_say_the_same_in_the_same_order(project: Path) -> None:
    (project / "two" / "buy.vsa").write_text(SPEC + FAILS)
    one, two = run(str(project)), run(str(project), "-j", "2")
    assert (one.returncode, two.returncode) == (1, 1)
    assert one.stdout == two.stdout


def test_stopping_after_the_first_failure(project: Path) -> None:
    (project / "one" / "buy.vsa").write_text(SPEC + FAILS + FAILS.replace("six", "seven"))
    result = run(str(project), "-x")
    assert result.returncode == 1
    assert "seven" not in result.stdout
    assert str(project / "two") not in result.stdout
    assert result.stdout.endswith("1 failed, 1 passed\n")


def test_quiet_shows_failures_only(project: Path) -> None:
    (project / "one" / "buy.vsa").write_text(SPEC + FAILS)
    result = run(str(project), "-q")
    assert "pass " not in result.stdout
    assert "FAIL " in result.stdout and "1 failed, 2 passed" in result.stdout


def test_a_broken_file_is_reported_and_others_run(project: Path) -> None:
    (project / "one" / "buy.vsa").write_text(SPEC + "allow Nothing.\n")
    result = run(str(project))
    assert result.returncode == 1
    assert "E0201" in result.stdout or "Nothing" in result.stdout
    assert f"pass {project / 'two' / 'buy.vsa'}: five" in result.stdout


@pytest.mark.slow
def test_run_files_stops_between_files_too(project: Path) -> None:
    (project / "one" / "buy.vsa").write_text(SPEC + FAILS)
    names = [str(project / folder / "buy.vsa") for folder in ("one", "two")]
    for workers in (1, 2):
        found = list(run_files(names, Options(exit_first=True), processes=workers))
        assert [outcome.file for outcome in found] == names[:1]


# ---------------------------------------------------------------- reports


def test_junit(project: Path) -> None:
    (project / "one" / "buy.vsa").write_text(SPEC + FAILS.replace("six", "six \\u001b <&> ]]>"))
    (project / "two" / "buy.vsa").write_text("nonsense")
    out = project / "report.xml"
    assert run(str(project), "--junit", str(out)).returncode == 1
    root = ElementTree.parse(out).getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")
    cases = root.findall(".//testcase")
    failure = next(case for case in cases if case.find("failure") is not None)
    assert failure.get("name") == "six <U+001B> <&> ]]>"
    text = failure.findtext("failure") or ""
    assert "wanted: allow" in text and "got:    block" in text
    error = next(case for case in cases if case.find("error") is not None)
    assert "nonsense" in (error.findtext("error") or "")
    printed = run(str(project), "--format", "junit")
    assert printed.returncode == 1
    again = ElementTree.fromstring(printed.stdout)
    assert [case.get("name") for case in again.iter("testcase")] == [case.get("name") for case in cases]
    refused = run(str(project), "--watch", "--format", "junit")
    assert refused.returncode == 2 and "exclude each other: it is for people" in refused.stderr


def test_a_report_that_cannot_be_written_is_no_success(project: Path) -> None:
    result = run(str(project / "one"), "--junit", str(project / "no" / "where.xml"))
    assert result.returncode == 2 and "cannot be written" in result.stderr


def test_coverage_names_what_no_test_shows(project: Path) -> None:
    result = run(str(project / "one"), "--coverage")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    file = project / "one" / "buy.vsa"
    # two clauses and three conditions, each both ways; the head and the cart were never seen failing
    assert f"{file}: 75 % (6 of 8)" in lines
    assert "      3 |     total = 5: no test shows it fail" in lines
    assert "      3 |     Cart(full = true): no test shows it fail" in lines
    assert not any("Pay earlier" in line for line in lines)  # it was not so when Pay was judged


def test_coverage_needs_every_condition_both_ways(project: Path) -> None:
    (project / "one" / "buy.vsa").write_text(
        SPEC + 'test "no" for buy { attempt Pay(total = 5) => block. finish => block. '
        "observe Cart(full = true). attempt Pay(total = 4) => block. }\n"
    )
    outcome = run_file(str(project / "one" / "buy.vsa"), Options(coverage=True))
    assert outcome.coverage is not None
    assert outcome.coverage.percent == 100
    assert run(str(project / "one"), "--coverage-min", "100").returncode == 0


def test_a_rule_that_nothing_reaches(project: Path) -> None:
    text = SPEC + 'deny "too much {?t}" when Pay(total = ?t), ?t > 100.\n'
    (project / "one" / "buy.vsa").write_text(text)
    result = run(str(project / "one"), "--coverage")
    assert "| deny" in result.stdout and "never held" in result.stdout
    assert "?t > 100: no test shows it met" in result.stdout


def test_too_little_coverage_fails(project: Path) -> None:
    result = run(str(project / "one"), "--coverage-min", "90")
    assert result.returncode == 1
    assert "less than 90 %" in result.stderr


def test_coverage_as_data(project: Path) -> None:
    result = run(str(project / "one"), "--coverage", "--format", "json")
    found = json.loads(result.stdout)["coverage"]
    assert found["percent"] == 75
    [file] = found["files"]
    text = (project / "one" / "buy.vsa").read_text()
    conditions = [c for clause in file["clauses"] for c in clause["conditions"]]
    assert [text[c["start"] : c["end"]] for c in conditions] == [
        "total = 5",
        "Cart(full = true)",
        "Pay earlier",
    ]
    assert [(c["met"], c["failed"]) for c in conditions] == [(True, False), (True, False), (True, True)]


def test_coverage_as_a_page_escapes_what_the_source_says(project: Path) -> None:
    text = SPEC + 'deny "<script>alert(1)</script>" when Pay(total = 7).\n'
    (project / "one" / "buy.vsa").write_text(text)
    page = project / "cover.html"
    assert run(str(project / "one"), "--coverage-html", str(page)).returncode == 0
    html = page.read_text()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert 'title="no test shows it fail">total = 5</span>' in html
    assert "http" not in html.replace("http-equiv", "")


def test_failures_stand_beside_a_pull_requests_lines(project: Path) -> None:
    (project / "one" / "buy.vsa").write_text(SPEC + FAILS)
    (project / "one" / "odd.vsa").write_text("nonsense")
    result = run(str(project / "one"), "--format", "github")
    assert result.returncode == 1
    failed, error, summary = result.stdout.splitlines()
    where = str(project / "one" / "buy.vsa")
    line = SPEC.count("\n") + 1
    assert failed.startswith(f"::error file={where},line={line},title=test%3A six::")
    assert "%0Awanted: allow%0Agot:    block" in failed and "|" not in failed
    assert error.startswith(f"::error file={project / 'one' / 'odd.vsa'},line=1")
    assert summary == "1 failed, 1 file with errors, 1 passed"


# ---------------------------------------------------------------- watching


@pytest.mark.parametrize(
    ("folder", "arguments"),
    [("one", ["{}"]), ("one", []), ("one", ["."]), (".hidden", ["buy.vsa"]), (".hidden", ["{}"])],
)
def test_watching_runs_again_after_a_change(project: Path, folder: str, arguments: list[str]) -> None:
    pytest.importorskip("watchfiles")
    here = project / folder
    code = "import sys; from vsalang.tools.cli.main import run; sys.exit(run(sys.argv[1:]))"
    process = processes.Process(
        ["-u", "-c", code, "test", *(text.format(here) for text in arguments), "--watch"],
        stderr=processes.STDOUT,
        cwd=here,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        text=True,
    )
    assert process.stdout is not None
    # a watcher that misses the change would wait for ever
    give_up = threading.Timer(60, process.kill)
    give_up.start()
    try:
        seen: list[str] = []

        def until(text: str) -> None:
            assert process.stdout is not None
            for line in process.stdout:
                seen.append(line)
                if text in line:
                    return
            raise AssertionError("".join(seen))

        until("waiting for a change")
        assert "1 passed" in "".join(seen)
        (here / "buy.vsa").write_text(SPEC + FAILS)
        until("1 failed, 1 passed")
        until("waiting for a change")
        (here / "vsac.toml").write_text("engines = 3\n")  # a mistake does not end the watch
        until("waiting for a change")
        assert "E0021" in "".join(seen)
        (here / "vsac.toml").write_text("")
        until("1 failed, 1 passed")
        until("waiting for a change")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 1  # what the last run came to
    finally:
        give_up.cancel()
        process.kill()
        process.stdout.close()


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/home/u/.work/p/a.vsa", True),
        ("/home/u/.work/p/specs/vsac.toml", True),
        ("/home/u/.work/p/.git/a.vsa", False),
        ("/home/u/.work/p/.a.vsa", False),
        ("/home/u/.work/p/a.py", False),
        ("/home/u/.work/other/a.vsa", False),
    ],
)
def test_only_hidden_files_are_no_reason_to_run(path: str, wanted: bool) -> None:
    assert matters(Path(path), [Path("/home/u/.work/p")]) is wanted


# ---------------------------------------------------------------- pytest


def test_pytest_runs_the_tests_of_vsa_files(pytester: pytest.Pytester) -> None:
    pytester.makefile(".vsa", shop=APP, buy=SPEC + FAILS, bad="nonsense")
    result = pytester.runpytest_inprocess(
        "--vsa", "-v", "--continue-on-collection-errors", "-p", "no:cacheprovider"
    )
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*buy.vsa::five PASSED*", "*buy.vsa::six FAILED*"])
    result.stdout.fnmatch_lines(["*wanted: allow*", "*got:    block*"])


def test_pytest_leaves_them_alone_unless_asked(pytester: pytest.Pytester) -> None:
    pytester.makefile(".vsa", shop=APP, buy=SPEC)
    assert pytester.runpytest_inprocess("-p", "no:cacheprovider").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    pytester.runpytest_inprocess("-p", "no:cacheprovider", "buy.vsa").assert_outcomes(passed=1)


def test_pytest_with_a_policy_in_force(pytester: pytest.Pytester) -> None:
    policy = 'policy strict "No"\nimport shop\ndeny "no payments" when Pay.\n'
    pytester.makefile(".vsa", shop=APP, buy=SPEC, strict=policy)
    result = pytester.runpytest_inprocess("--vsa-policy", "strict.vsa", "buy.vsa", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no payments*"])
