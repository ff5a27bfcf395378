"""Run test suites of adb clients on the simulated phone, straight and through the guard, and write the page of counts.

.venv/bin/python -m scripts.framework_suites FOLDER [SUITE ...]

FOLDER holds checkouts of the clients' repositories, each under its name: their packages have no tests. Which suites
there are, what each runs, and which tests cannot pass without what a simulated phone has not, stands in
scripts/framework_suites.toml. The clients are installed into build/frameworks/suites from PyPI and npm. Each run has a
network of its own (`unshare`), where the phone's adb server, or the guard's, has adb's own port. The page
docs/reference/client-suites.md is written from what was run last of each suite; `page` instead of a FOLDER writes it
without a run. The exit status is 1 if a test fails that the file does not explain.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from scripts.framework_apk import write_apk

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "scripts" / "framework_suites.toml"
PAGE = ROOT / "docs" / "reference" / "client-suites.md"
FOLDER = ROOT / "build" / "frameworks" / "suites"
PHONE = ROOT / "tests" / "frameworks" / "suites"
_BEGIN, _END = "<!-- results: written by scripts/framework_suites.py -->\n", "<!-- end of the results -->\n"
_ALONE = ["unshare", "--user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--map-root-user"]
"""A network of its own, and processes that end together."""
_RANDOM = re.compile(r"0\.\d{6,}")
"""A number in the name of a test that is another one in each run."""
LIMIT = 1500
"""In seconds: how long one run of one suite may take."""


@dataclass(frozen=True)
class Suite:
    """One suite: what the table says of it, and the outcome of each test by name: passed, failed or skipped."""

    name: str
    table: dict[str, Any]
    direct: dict[str, str]
    guarded: dict[str, str]

    def reason(self, test: str, kind: str) -> str:
        """Why a test cannot pass (kind "without") or is held back (kind "guarded"); "" if nothing says so."""
        reasons = self.table.get(kind, {})
        return next((why for pattern, why in reasons.items() if fnmatch(test, pattern)), "")

    @property
    def counted(self) -> list[str]:
        """The tests that a phone without real apps can pass."""
        return [
            test
            for test, result in self.direct.items()
            if result != "skipped" and not self.reason(test, "without")
        ]

    def passed(self, results: dict[str, str]) -> list[str]:
        return [test for test in self.counted if results.get(test) == "passed"]

    @property
    def unexplained(self) -> list[str]:
        """Tests that fail straight, or only through the guard, though nothing says that they may."""
        straight = [test for test in self.counted if self.direct[test] != "passed"]
        held = [
            test for test in self.passed(self.direct)
            if self.guarded.get(test) != "passed" and not self.reason(test, "guarded")
        ]  # fmt: skip
        return [*straight, *held]


def install(suites: dict[str, dict[str, Any]]) -> None:
    """Install the clients, once for each list of packages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = json.dumps([suites[name].get("packages", []) for name in suites])
    stamp = FOLDER / "stamp"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    python = FOLDER / "python"
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(python)], check=True)
    packages = sorted({each for table in suites.values() for each in table.get("packages", [])})
    pip = [str(python / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "pytest", "pytest-timeout", *packages], check=True)
    stamp.write_text(wanted, encoding="utf-8")


def prepare(name: str, table: dict[str, Any], checkout: Path, work: Path) -> tuple[list[str], dict[str, str]]:
    """Copy the suite into a new folder; returns its command, and what its environment has more."""
    for part in table["copy"]:
        if (checkout / part).is_dir():
            shutil.copytree(checkout / part, work / part)
        else:
            shutil.copy(checkout / part, work / part)
    for place, package in table.get("apk", {}).items():
        if not (work / place).is_file():
            write_apk(work / place, package, tuple(table.get("permissions", ())))
    report = work / "report.xml"
    if table["runner"] == "pytest":
        python = str(FOLDER / "python" / "bin" / "python")
        options = ["-q", "-p", "no:cacheprovider", "--timeout", "60", "--tb", "line", f"--junitxml={report}"]
        path = os.pathsep.join([str(ROOT), str(PHONE), *(str(work / each) for each in table.get("path", []))])
        plugins = [f"-p{each}" for each in table.get("plugins", [])]
        return [python, "-m", "pytest", *options, *plugins, *table["tests"]], {"PYTHONPATH": path}
    kept = FOLDER / name / "node_modules"
    if not kept.is_dir():
        kept.parent.mkdir(exist_ok=True)
        for part in ("package.json", "package-lock.json"):
            if (work / part).is_file():
                shutil.copy(work / part, kept.parent)
        npm = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", *table["npm"]]
        subprocess.run(npm, cwd=kept.parent, check=True)
    shutil.copytree(kept, work / "node_modules", symlinks=True)
    if package := table.get("unpack"):
        shutil.copytree(
            kept / package, work, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules")
        )
    if table["runner"] == "node":  # a process for each file: together they end before the report is written
        (work / "reports").mkdir()
        options = "--import tsx --test-timeout=60000 --test-reporter=junit"
        each = f'timeout 150 node {options} --test-reporter-destination="reports/$(basename "$file").xml" "$file"'
        return ["sh", "-c", f"for file in {table['files']}; do {each}; done"], {}
    return table["command"], {"PLAYWRIGHT_JUNIT_OUTPUT_NAME": str(report)}


def _environment(work: Path, more: dict[str, str]) -> dict[str, str]:
    """An environment with adb, and an SDK of which adb is all there is."""
    tools = FOLDER / "sdk" / "platform-tools"
    tools.mkdir(parents=True, exist_ok=True)
    (FOLDER / "sdk" / "build-tools").mkdir(exist_ok=True)
    if not (tools / "adb").exists():
        found = subprocess.run(
            [str(FOLDER / "python" / "bin" / "python"), "-c", "import adbutils; print(adbutils.adb_path())"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        (tools / "adb").symlink_to(found.stdout.strip())
    return {
        "PATH": os.pathsep.join((str(tools), os.environ["PATH"])),
        "HOME": str(work),
        "LANG": "C.UTF-8",
        "ANDROID_HOME": str(FOLDER / "sdk"),
        "MOBILEMCP_DISABLE_TELEMETRY": "1",
        "PYTHONPATH": str(ROOT),
        **more,
    }


def run(name: str, table: dict[str, Any], checkout: Path, *, guarded: bool) -> None:
    """Run one suite, and keep its report."""
    with tempfile.TemporaryDirectory(prefix="suite-") as folder:
        work = Path(folder)
        command, more = prepare(name, table, checkout, work)
        environment = _environment(work, more)
        vsac = [sys.executable, "-m", "vsalang.tools.cli.main"]
        if guarded:
            journal = str(work / "journal.jsonl")
            options = ["--device", f"sim:{PHONE}", "--isolate", "--journal", journal]
            whole = [*vsac, "guard", str(PHONE / "suites.vsa"), *options, "--", *command]
        else:
            starter = 'ip link set lo up; "$@" >phone.txt 2>&1 & sleep 4; sh command; status=$?; kill $!; exit $status'
            (work / "command").write_text("exec " + " ".join(map(_quoted, command)), encoding="utf-8")
            serve = [*vsac, "phone", "sim", "serve", str(PHONE), "--port", "5037"]
            whole = [*_ALONE, "sh", "-c", starter, "sh", *serve]
        output = work / "output.txt"
        with output.open("wb") as out:
            subprocess.run(whole, cwd=work, env=environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                           timeout=LIMIT, check=False)  # fmt: skip
        kept = FOLDER / f"{name}-{'guarded' if guarded else 'direct'}.txt"
        shutil.copy(output, kept)
        reports = [*(work / "reports").glob("*.xml"), *work.glob("report.xml")]
        if not reports:
            sys.exit(f"{name} wrote no report: see {kept}")
        whole_report = ET.Element("testsuites")
        for report in sorted(reports):
            whole_report.append(ET.fromstring(report.read_text(encoding="utf-8")))
        kept.with_suffix(".xml").write_bytes(ET.tostring(whole_report))
        if guarded:
            shutil.copy(journal, kept.with_suffix(".jsonl"))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def outcomes(report: str) -> dict[str, str]:
    """The outcome of each test in a JUnit report. Names of pages of tests come before the names of tests."""
    results: dict[str, str] = {}
    for case in ET.fromstring(report).iter("testcase"):
        place = case.get("classname", "").rsplit("/", 1)[-1]
        name = f"{place}: {case.get('name', '')}" if place not in ("", "test") else case.get("name", "")
        name = _RANDOM.sub("N", name)
        kinds = {child.tag for child in case}
        results[name] = (
            "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        )
    return results


def page(suites: list[Suite]) -> str:
    """The whole page, with these results."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    lines = [
        "",
        "| suite | tests | skip themselves | need what is not here | the rest | pass straight | pass guarded |",
        "|---|---|---|---|---|---|---|",
    ]
    for suite in suites:
        skipped = [test for test, result in suite.direct.items() if result == "skipped"]
        straight, held = len(suite.passed(suite.direct)), len(suite.passed(suite.guarded))
        rest_count = len(suite.counted)
        lines.append(
            f"| {suite.table['title']} | {len(suite.direct)} | {len(skipped)} "
            f"| {len(suite.direct) - len(skipped) - rest_count} | {rest_count} "
            f"| {straight} ({_percent(straight, rest_count)}) | {held} ({_percent(held, rest_count)}) |"
        )
    for suite in suites:
        lines += ["", f"## {suite.table['title']}", "", suite.table["what"]]
        missing = {
            test: suite.reason(test, "without") for test in suite.direct if suite.direct[test] != "skipped"
        }
        held_back = [test for test in suite.passed(suite.direct) if suite.guarded.get(test) != "passed"]
        failed = [test for test in suite.counted if suite.direct[test] != "passed"]
        lines += _listed(
            "Cannot pass without what is not here", [(t, why) for t, why in missing.items() if why]
        )
        lines += _listed("Fails straight", [(t, "not explained") for t in failed])
        lines += _listed("Passes straight, and not through the guard",
                         [(t, suite.reason(t, "guarded") or "not explained") for t in held_back])  # fmt: skip
    return f"{before}{_BEGIN}" + "\n".join(lines) + f"\n\n{_END}{after}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _listed(title: str, rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    by_reason: dict[str, list[str]] = {}
    for test, why in rows:
        by_reason.setdefault(why, []).append(f"`{test.replace('|', chr(92) + '|')}`")
    cells = [f"| {why} | {', '.join(tests)} |" for why, tests in by_reason.items()]
    return ["", f"{title}:", "", "| why | tests |", "|---|---|", *cells]


def main(arguments: list[str]) -> int:
    """Run what is asked for; returns the exit status."""
    tables = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    if arguments == ["page"]:
        return report(tables)
    if not arguments or any(name not in tables for name in arguments[1:]):
        print(f"usage: python -m scripts.framework_suites FOLDER [{'|'.join(tables)}]...", file=sys.stderr)
        return 2
    wanted = {name: tables[name] for name in arguments[1:] or tables}
    checkouts = {name: Path(arguments[0]).resolve() / name for name in wanted}
    for name, checkout in checkouts.items():
        if not checkout.is_dir():
            print(f"{checkout} is not there. The suite is in the repository only:", file=sys.stderr)
            print(f"  git clone --depth 1 {tables[name]['source']} {checkout}", file=sys.stderr)
            return 2
    install(tables)
    for name, table in wanted.items():
        for guarded in (False, True):
            run(name, table, checkouts[name], guarded=guarded)
    return report(tables)


def report(tables: dict[str, Any]) -> int:
    """Write the page from what was run last of each suite; returns the exit status."""
    suites = []
    for name, table in tables.items():
        kept = [FOLDER / f"{name}-{way}.xml" for way in ("direct", "guarded")]
        if all(file.is_file() for file in kept):
            straight, held = (outcomes(file.read_text(encoding="utf-8")) for file in kept)
            suites.append(Suite(name, table, straight, held))
    for suite in suites:
        passed, held_count = len(suite.passed(suite.direct)), len(suite.passed(suite.guarded))
        print(f"{suite.name}: of {len(suite.direct)} tests {len(suite.counted)} can pass here, {passed} pass straight, "
              f"{held_count} guarded", flush=True)  # fmt: skip
        for test in suite.unexplained:
            print(f"  not explained: {test}", flush=True)
    if len(suites) == len(tables):
        PAGE.write_text(page(suites), encoding="utf-8")
    return 1 if len(suites) < len(tables) or any(suite.unexplained for suite in suites) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
