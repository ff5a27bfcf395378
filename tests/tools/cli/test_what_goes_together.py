"""What options need and exclude is declared; only what the frame cannot say is refused by hand."""

import ast
from pathlib import Path

import pytest

import vsalang.tools.cli
from tests import commands

CLI = Path(vsalang.tools.cli.__file__).parent

BY_HAND = {
    "demo": "--format stands in no field",
    "fixing": "--fix may stand next to - if --diff does",
    "fmt": "--format stands in no field",
    "frame": "it refuses what is declared",
    "guard": "with --resume the first word is the program's",
    "lint": "a baseline may stand in vsac.toml",
    "main": "there is no such command",
    "rank_run": "what a scorer needs depends on which one it is",
    "on_confirm": "it depends on who writes the standard input",
}
"""The modules that refuse a command line themselves, and why."""


def test_what_is_refused_by_hand() -> None:
    found = set()
    for file in CLI.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("UsageError", "BadParameter"):
                found.add(file.stem)
    assert found == set(BY_HAND)


def test_imports_stand_at_the_top() -> None:
    """Or a comment there says why not; of a module whose imports all stand in functions, its docstring."""
    bare = []
    for file in sorted(CLI.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        if "Imports stand in functions" in (ast.get_docstring(tree) or ""):
            continue
        lines = ["", *text.splitlines()]
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            before = 0
            inside = [node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)]
            for node in sorted(inside, key=lambda node: node.lineno):
                reason = "#" in lines[node.lineno] or lines[node.lineno - 1].lstrip().startswith("#")
                if not reason and before != node.lineno - 1:
                    bare.append(f"{file.name}:{node.lineno}")
                before = node.end_lineno or 0
    assert bare == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("lint --deep --policy a.vsa -", "--policy and FILE - exclude each other: standard input is read without"),
        ("map target --app apps.settings", "Give INSTRUCTION or --spec."),
        ("mcp a.vsa --device sim:settings --mode ask", "'ask' is not one of 'enforce', 'shadow'."),
        ("phone doctor --device ' '", "a device has a name"),
        ("prove plan a.vsa --planner route --level actions", "--planner route and --level actions exclude each"),
        ("query -i --state a.json", "--state needs FILE: a state is one of a program."),
        ("record --device sim:settings", "--device needs --output: the journal goes there."),
        ("record --walk a", "--walk needs SPEC or --output: verdicts, or the folder for the journals."),
        ("record --device sim:settings -o a --mode enforce", "--mode enforce needs --agent: what others do cannot"),
        ("record --device sim:settings -o a --mode enforce --agent a", "--mode enforce needs SPEC: without one"),
        ("run a.vsa --device sim:settings", "SPEC needs --agent: to guard a program, `vsac guard SPEC .. -- COMMAND`."),
        ("run --resume a.jsonl", "--resume needs --agent: to guard a program, `vsac guard SPEC .. -- COMMAND`."),
        ("screen read apps.settings", "MODULE needs DUMP."),
        ("serve a.vsa --no-screen --trace files", "--no-screen and --trace exclude each other: there is no system"),
        ("serve a.vsa --no-screen --paper com.a:x", "Invalid value for '--paper': x is not a port"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(line: str, message: str) -> None:
    words = [word.strip("'") or " " for word in line.replace("' '", "''").split(" ")]
    done = commands.vsac(*words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
