"""The rules of a project for ``vsac lint``: whose they may be, and the process of their own in which they run."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from vsalang.base.config import users_config
from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.base.source import Source, Span
from vsalang.base.source.files import real_path
from vsalang.base.source.opening import read_regular
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import write_text

FOLDER: Final = Path(".vsac") / "rules"
"""Where a project has its rules, in its root or next to its `vsac.toml`."""
OWN_CODE: Final = re.compile(r"P[0-9]{4}")
"""What the codes of such rules look like."""
_SECONDS: Final = 120
_MOST: Final = 16 * 1024 * 1024
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")


def rule_folders(files: Iterable[str], *, asked: bool) -> tuple[Path, ...]:
    """The folders of rules of the projects of these files that may run: all if it is asked for, else trusted ones.

    Only the user's own configuration says which folders are trusted; no project says so of itself.
    """
    trusted = users_config().lint.trusted
    folders: dict[Path, None] = {}
    for file in files:
        for place in real_path(Path.cwd() / file).parents:
            if (place / FOLDER).is_dir():
                if asked or any(place.is_relative_to(folder) for folder in trusted):
                    folders[place / FOLDER] = None
                break
    return tuple(folders)


def own_findings(
    files: Iterable[str], folders: Iterable[Path], sources: Mapping[str, Source]
) -> tuple[Diagnostic, ...]:
    """What the rules in these folders find in files. They run in a process of their own.

    Raises:
        Failure: a rule cannot be used, or the process does not answer.
    """
    question = {
        "folders": [str(folder) for folder in folders],
        "files": [file for file in files if file != "-"],
    }
    if not question["folders"]:
        return ()
    command = [sys.executable, "-P", "-m", "vsalang.language.lint.own"]
    try:
        done = subprocess.run(
            command, input=json.dumps(question).encode(), capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Failure(f"the project's own rules did not end within {_SECONDS} seconds") from error
    if done.returncode:
        text = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise Failure(
            f"a rule of the project cannot be used: {text[:500]}", "correct it, or leave --project-rules out"
        )
    try:
        answer = json.loads(done.stdout[:_MOST])
        return tuple(_finding(entry, sources) for entry in answer["findings"])
    except (ValueError, KeyError, TypeError) as error:
        raise Failure(f"the project's own rules gave no findings that can be read: {error}") from error


def _finding(entry: Mapping[str, Any], sources: Mapping[str, Source]) -> Diagnostic:
    """A finding as it was written by the other process.

    Raises:
        ValueError: it is about no file that was asked about, or has a code of others.
    """
    code, file = str(entry["code"]), str(entry["file"])
    if not OWN_CODE.fullmatch(code) or file not in sources:
        raise ValueError(f"a finding {code[:20]} in {file[:200]}")
    length = len(sources[file].text)
    start = min(max(int(entry["start"]), 0), length)
    end = min(max(int(entry["end"]), start), length)
    return warning(code, Span(file, start, end), str(entry["message"])[:1000], help=str(entry["help"])[:1000])


_TEMPLATE: Final = '''"""{code}: WRITE HERE what this rule finds, and why that is not meant."""

from collections.abc import Iterable

from vsalang.language.lint.own import Finding, Module

CODE = "{code}"
TITLE = "{title}"


def find(module: Module) -> Iterable[Finding]:
    """The findings in one module without errors; `Module` and `ModuleRule` say what there is to read."""
    for rule in module.rules:
        if rule.kind == "allow" and "WRITE HERE" in rule.text:
            yield Finding(rule.start, rule.end, "this is not meant", help="write something else")
'''


def new_rule(name: str) -> Path:
    """Write a new rule of the project in the working folder, with a code that none of its rules has.

    Raises:
        Failure: the name is not a plain word, or there is such a file.
    """
    if not _NAME.fullmatch(name):
        raise Failure(f"{name[:80]} is not a name for a rule", "a name looks like payment_without_limit")
    file = FOLDER / f"{name}.py"
    texts = [read_regular(path, _MOST).decode("utf-8", "replace") for path in sorted(FOLDER.glob("*.py"))]
    taken = {
        int(number) for text in texts for number in re.findall(r'^CODE = "P([0-9]{4})"', text, re.MULTILINE)
    }
    code = f"P{max(taken, default=0) + 1:04}"
    if file.exists():
        raise Failure(f"{file} is there already", "choose another name")
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_text(file, _TEMPLATE.format(code=code, title=name.replace("_", " ")))
    return file
