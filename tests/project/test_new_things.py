"""`python -m scripts.new`: what it writes passes every check; its own tests fail until a person has filled it in."""

import contextlib
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from scripts.new.__main__ import command
from scripts.new.plan import MARK, Plan
from vsalang.tools.cli.common import Failure

ROOT: Final = Path(__file__).resolve().parents[2]
COPIED: Final = "app_specs benchmarks docs editors grammars scripts stdlib tests vsalang".split()
FILES: Final = "CHANGELOG.md CONTRIBUTING.md README.md SECURITY.md pyproject.toml".split()

KINDS: Final = {
    "rule": ("rule", "answer-in-passing", "--title", "answer that nobody asked for"),
    "command": ("command", "tally", "--title", "Count the rules of a file.", "--in", "ask"),
    "command of a family": ("command", "weigh", "--title", "Weigh a map", "--in", "map"),
    "format": ("format", "gui-odyssey", "--title", "GUI Odyssey"),
    "adapter": ("adapter", "app-agent", "--title", "App Agent"),
}

CHECKS: Final = {
    "tests/language/lint/test_lint_answer_in_passing.py": {"test_what_is_odd_is_found"},
    "tests/language/lint/test_lint_rules.py": {"test_the_bad_example_gives_this_rule_only"},
    "tests/language/lint/test_lint_pages.py": set(),
    "tests/tools/cli/test_tally.py": {"test_what_people_read", "test_what_programs_read"},
    "tests/tools/cli/test_weigh.py": {"test_what_people_read", "test_what_programs_read"},
    "tests/agents/test_gui_odyssey_walks.py": {"test_a_step_has_its_screen_and_action"},
    "tests/agents/test_record_docs.py::test_every_option_and_format": set(),
    "tests/agents/test_walk_formats.py::test_no_data_break_a_reader": set(),
    "tests/agents/test_app_agent.py": {
        "test_a_forbidden_call_does_not_reach_the_driver",
        "test_another_call_is_made",
    },
    "tests/agents/test_frameworks.py::test_a_folder_has_what_its_line_says": set(),
    "tests/phone/test_vocabulary.py::test_examples": {"test_examples"},
    "tests/phone/test_vocabulary.py::test_the_format_of_each_example_shows": set(),
    "tests/phone/test_vocabulary.py::test_every_format_has_examples": set(),
    "tests/phone/test_vocabulary.py::test_each_format_can_say_something": {
        "test_each_format_can_say_something"
    },
    "tests/phone/test_action_pages.py::test_the_tables_of_actions_are_the_examples": {
        "test_the_tables_of_actions_are_the_examples"
    },
    "tests/docs/test_command_pages.py": set(),
    "tests/docs/test_changelog.py": set(),
    "tests/docs/test_documents.py::test_links_lead_somewhere": set(),
    "tests/docs/test_documents.py::test_readme_names_the_groups_of_commands": set(),
    "tests/docs/test_documents.py::test_names_in_prose_are_there": set(),
    "tests/project/test_command_line.py::test_every_command_exists": set(),
    "tests/project/test_command_line.py::test_every_module_with_a_command_is_listed": set(),
    "tests/project/test_house.py::test_names_of_tests_have_at_most_nine_words": set(),
    "tests/project/test_new_things.py::test_nothing_is_left_to_write": {"test_nothing_is_left_to_write"},
}
"""What is run on the things that were written, and the tests that fail until a person has filled them in."""

_READING: Final = """\
    try:
        tree = load_tree(str(data.get("gui_odyssey")), name="screen")
        actions = read_action("androidworld", data.get("done"))
    except (DumpError, VocabularyError) as error:
        raise WalkError(str(error)) from error
    return WalkStep(TreeScreen(tree, app=(package, None), settled=True), actions)
"""
_IMPORTS: Final = """\
from vsalang.phone.vocabulary import VocabularyError
from vsalang.phone.vocabulary import read as read_action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, load_tree
"""
_APP_AGENT: Final = "vsalang/agents/adapters/app_agent"
AUTHOR: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "vsalang/language/lint/rules/answer_in_passing.py": (
        ("return False", "return \"'aye'\" in repr(rule.head)"),
        ("yes", "aye"),
    ),
    "tests/language/lint/test_lint_answer_in_passing.py": (("yes", "aye"),),
    **{
        f"vsalang/tools/cli/{name}.py": (
            ("return {}", 'return {"result": "Written: what it prints as JSON"}'),
            ("yield from ()", 'yield "Written: what it prints"'),
        )
        for name in ("tally", "weigh")
    },
    "vsalang/agents/walks/gui_odyssey.py": (
        (
            "    raise WalkError(f\"a step with {', '.join(map(str, data))[:80]} is not understood\")\n",
            _READING,
        ),
        (
            "MAX_STEPS, StepSource, Walk, WalkError, WalkStep\n",
            f"MAX_STEPS, StepSource, Walk, WalkError, WalkStep\n{_IMPORTS}",
        ),
    ),
    f"{_APP_AGENT}/actions.py": (
        (
            "    return base.not_understood",
            '    if name == "app_agent_tap":\n        return base.touch(args.get("x"), args.get("y"))\n'
            '    if name == "app_agent_back":\n        return (Action("back"),)\n    return base.not_understood',
        ),
        (
            "    raise cannot",
            '    if action.name == "back":\n        return {"action": "app_agent_back"}\n    raise cannot',
        ),
    ),
    f"{_APP_AGENT}/driver.py": (
        (" = {}\n", ' = {"app_agent_tap": lambda x, y: base.touch(x, y)}\n'),
        ("import Gate\n", "import Gate\nfrom vsalang.phone.vocabulary import base\n"),
    ),
}
"""What a person writes into the files, in place of which text."""


def call(place: Path, *args: str) -> Result:
    with contextlib.chdir(place):
        return CliRunner().invoke(command, args, prog_name="python -m scripts.new")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-m", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def failed(folder: Path) -> tuple[set[str], str]:
    """The tests of `CHECKS` that fail in a checkout, with their files; and what pytest says."""
    done = run(folder, "pytest", "-q", "-p", "no:cacheprovider", "-rfE", *CHECKS)
    assert done.returncode in (0, 1), done.stdout[-2000:]
    assert "ERROR" not in done.stdout, done.stdout[-2000:]
    names = re.findall(r"^FAILED ([\w/.]+)::(\w+)", done.stdout, re.MULTILINE)
    return {f"{file}::{name}" for file, name in names}, done.stdout


def digest(folder: Path) -> str:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return hashlib.sha256(b"".join(str(path).encode() + path.read_bytes() for path in files)).hexdigest()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Result]]:
    """A copy of the project in which a thing of each kind was written, and what the script said of each.

    What is compiled, and what is known of types, is copied, too: of a file that is changed it is not used.
    """
    folder = tmp_path_factory.mktemp("checkout")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", folder / ".mypy_cache")
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    assert run(folder, "scripts.generate", "--kept").returncode == 0
    return folder, {kind: call(folder, *args) for kind, args in KINDS.items()}


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_written_and_is_left(
    kind: str, written: tuple[Path, dict[str, Result]], golden: Callable[..., None]
) -> None:
    result = written[1][kind]
    assert result.exit_code == 0, result.output
    golden(re.sub(r":\d+: ", ":N: ", result.output), f"project/new_{kind.replace(' ', '_')}.txt")


@pytest.mark.soak
def test_a_second_time_nothing_is_written(written: tuple[Path, dict[str, Result]]) -> None:
    folder, _ = written
    before = digest(folder)
    for args in KINDS.values():
        result = call(folder, *args)
        assert result.exit_code == 2
        assert "exists already, so nothing is written" in result.output
    assert digest(folder) == before


@pytest.mark.soak
def test_what_is_written_has_style_and_types(written: tuple[Path, dict[str, Result]]) -> None:
    folder, results = written
    texts = "".join(result.output for result in results.values())
    files = sorted(set(re.findall(r"^(?:wrote|changed) (.*\.py)$", texts, re.MULTILINE)))
    assert len(files) > 15
    for words in (("check",), ("format", "--check")):
        done = run(folder, "ruff", *words, "--no-cache", *files)
        assert done.returncode == 0, done.stdout
    done = run(folder, "mypy", *[name for name in files if name.startswith("vsalang/")])
    assert done.returncode == 0, done.stdout


@pytest.mark.soak
def test_tests_fail_until_a_person_has_written(
    written: tuple[Path, dict[str, Result]], tmp_path: Path
) -> None:
    folder, _ = written
    names, said = failed(folder)
    expected = {f"{file.partition('::')[0]}::{name}" for file, wanted in CHECKS.items() for name in wanted}
    assert names == expected, said[-5000:]
    mine = tmp_path / "checkout"
    shutil.copytree(folder, mine)
    for name, edits in AUTHOR.items():
        text = (mine / name).read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text, (name, old)
            text = text.replace(old, new)
        (mine / name).write_text(text, encoding="utf-8")
    for place in unwritten(mine):
        file = mine / place.partition(":")[0]
        file.write_text(file.read_text(encoding="utf-8").replace(MARK, "Written:"), encoding="utf-8")
    done = run(mine, "scripts.generate", "--kept")
    assert done.returncode == 0, done.stderr
    names, said = failed(mine)
    assert names == set(), said[-5000:]


def unwritten(folder: Path) -> list[str]:
    """The places of a checkout where something is left to write."""
    files = [folder / "CHANGELOG.md", folder / "README.md"]
    files += [path for name in ("docs", "tests", "vsalang") for path in (folder / name).rglob("*.*")]
    return [
        f"{file.relative_to(folder)}:{number}"
        for file in files
        if file.suffix in (".py", ".md") and MARK in (text := file.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1)
        if MARK in line
    ]


def test_nothing_is_left_to_write() -> None:
    assert unwritten(ROOT) == []


# ---- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("rule", "Bad", "--title", "x"),
            "`Bad` is not a name: words of small letters with hyphens between them",
        ),
        (("rule", "a--b", "--title", "x"), "`a--b` is not a name"),
        (("rule", "../x", "--title", "x"), "`../x` is not a name"),
        (("rule", "é", "--title", "x"), "`é` is not a name"),
        (("rule", "a" * 41, "--title", "x"), "is longer than 40 characters"),
        (("rule", "match", "--title", "x"), "`match` is a word of Python"),
        (("rule", "a-rule"), "Missing option '--title'"),
        (("rule", "a-rule", "--title", " . "), "a title is one line of text"),
        (("rule", "a-rule", "--title", "x\ny"), "a title is one line of text"),
        (("rule", "a-rule", "--title", 'say "x"'), 'a title has no "'),
        (("rule", "a-rule", "--title", "a | b"), "a title has no |"),
        (("rule", "first-that-moves", "--title", "x"), "rules/first_that_moves.py exists already"),
        (("command", "two-words", "--title", "x", "--in", "ask"), "`two-words` is not a name: one word"),
        (("command", "tally", "--title", "x", "--in", "nowhere"), "Invalid value for '--in'"),
        (
            ("command", "tally", "--title", "x" * 90, "--in", "ask"),
            "characters too long for a line of vsalang",
        ),
        (
            ("command", "probe", "--title", "x", "--in", "prove"),
            "`vsac prove probe` is or was the name of a command",
        ),
        (
            ("command", "doctor", "--title", "x", "--in", "ask"),
            "`vsac doctor` is or was the name of a command",
        ),
        (("command", "eval", "--title", "x", "--in", "ask"), "`vsac eval` is or was the name of a command"),
        (("command", "frame", "--title", "x", "--in", "ask"), "vsalang/tools/cli/frame.py exists already"),
        (("format", "droidbot", "--title", "x"), "vsalang/agents/walks/droidbot.py exists already"),
        (("adapter", "mobilerun", "--title", "x"), "there is a format of proposals `mobilerun` already"),
        (("adapter", "driver", "--title", "x"), "tests/agents/test_driver.py exists already"),
    ],
)
def test_what_cannot_be_added_is_refused(
    args: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(plan: Plan) -> None:
        raise AssertionError(f"{plan.created} would be written")

    monkeypatch.setattr(Plan, "write", write)
    result = call(ROOT, *args)
    assert (result.exit_code, result.exception.__class__) == (2, SystemExit)
    assert message in result.output


def test_outside_of_a_checkout_it_says_where(tmp_path: Path) -> None:
    result = call(tmp_path, *KINDS["rule"])
    assert result.exit_code == 2
    assert "is not in a checkout of vsalang\n  help: change to the folder of one" in result.output
    assert list(tmp_path.iterdir()) == []


# ---- the changelog -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n- new\n"),
        ("## [Unreleased]\n\n### Added\n\n- old\n", "## [Unreleased]\n\n### Added\n\n- old\n- new\n"),
        ("## [Unreleased]\n\n## [0.1.0]\n", "## [Unreleased]\n\n### Added\n\n- new\n\n## [0.1.0]\n"),
        (
            "## [Unreleased]\n\n### Rules\n\n- old\n\n### Added\n",
            "## [Unreleased]\n\n### Rules\n\n- old\n- new\n\n### Added\n",
        ),
    ],
)  # fmt: skip
def test_an_entry_stands_with_its_kind(
    before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{before}", encoding="utf-8")
    plan = Plan(tmp_path)
    monkeypatch.setattr(plan, "made", lambda template: template)
    plan.log("new", "Rules")
    assert plan.changed == {"CHANGELOG.md": f"# Changelog\n\n{after}"}


def test_a_changelog_without_next_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [0.1.0]\n", encoding="utf-8")
    with pytest.raises(Failure, match="has no `## \\[Unreleased\\]`"):
        Plan(tmp_path).log("rule.changelog", "Rules")
