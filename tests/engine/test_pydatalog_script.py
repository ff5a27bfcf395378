"""The script of a program: it runs alone, answers as the reference does, and is nothing but constants and comments."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.agreeing import is_exact
from tests.engine.generators import Step, apply, random_case
from tests.engine.worlds import NOON, TODAY, a, agg, allow, ask, cmp, const, define, no, p, program
from tests.oracle import open_session
from tests.snapshots import golden
from vsalang.engine.api import Evaluator
from vsalang.engine.pydatalog.script import cell, facts, script
from vsalang.program.ir import NUMBER, TEXT, Derive, License, Program, Recognize

pytest.importorskip("pyDatalog")

GOLDEN = Path(__file__).parent.parent / "golden" / "engine"
SEEDS = int(os.environ.get("VSALANG_EXAMPLES", "25"))


def run_alone(text: str, tmp_path: Path, *arguments: str) -> str:
    """What the script prints, run in an empty directory without the project's packages but pyDatalog."""
    file = tmp_path / "script.py"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", str(file), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


Run = Callable[..., str]
FORKING = """
import json, os, runpy, sys, traceback
from pyDatalog import pyDatalog, pyEngine
for line in sys.stdin:
    folder, sys.argv = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        status = 1
        with open("printed", "w", encoding="utf-8") as sys.stdout, open("said", "w", encoding="utf-8") as sys.stderr:
            try:
                runpy.run_path(sys.argv[0], run_name="__main__")
                status = 0
            except BaseException:
                traceback.print_exc()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs scripts, each in a process of its own that has imported pyDatalog, and nothing of it was used before."""


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """As `run_alone`, without waiting for Python and pyDatalog to start."""
    with subprocess.Popen(
        [sys.executable, "-I", "-c", FORKING], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def run(text: str, folder: Path, *arguments: str) -> str:
            assert process.stdin is not None and process.stdout is not None
            (folder / "script.py").write_text(text, encoding="utf-8")
            process.stdin.write(json.dumps([str(folder), ["script.py", *arguments]]) + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == "0\n", (folder / "said").read_text(encoding="utf-8")
            return (folder / "printed").read_text(encoding="utf-8")

        yield run


def tuples(data: Any) -> Any:
    return tuple(map(tuples, data)) if isinstance(data, list) else data


def brought(steps: list[Step]) -> Callable[[Evaluator], None]:
    """What brings a session into the state after the steps."""

    def fill(session: Evaluator) -> None:
        session.now(NOON)
        marks: list[int] = []
        for step in steps:
            apply(session, step, marks)

    return fill


def wanted(made: Program, fill: Callable[[Evaluator], None]) -> dict[str, Any]:
    """What the reference answers, as the script prints it."""
    reference = open_session(made, engine="reference", today=TODAY)
    fill(reference)
    found: dict[str, Any] = {}
    for rule in made.rules:
        if isinstance(rule.head, Derive):
            continue
        asked = {rule.id: reference.answers(rule.id)}
        if isinstance(rule.head, Recognize):
            asked[f"{rule.id} with"] = reference.extra_answers(rule.id)
        for label, answers in asked.items():
            found[label] = {
                tuple(cell(value) for value in answer.values if value is not None)
                + ((("row", tuple(map(cell, answer.instance))),) if isinstance(rule.head, License) else ())
                for answer in answers
            }
    for name, relation in made.relations.items():
        if relation.sort == "derived":
            found[name] = {tuple(map(cell, row)) for row in reference.rows(name)}
    return found


def got(printed: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for label, rows in json.loads(printed).items():
        # which sources after `with` hold is several questions, and one to the evaluators
        found.setdefault(label.partition(", without source")[0], set()).update(tuples(rows))
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_it_answers_as_the_reference_does(seed: int, run: Run, tmp_path: Path) -> None:
    made, steps = random_case(seed)
    fill = brought(steps)
    compare(made, wanted(made, fill), got(run(script(made, fill, today=TODAY), tmp_path, "--json")))


def compare(made: Program, right: dict[str, Any], found: dict[str, Any]) -> None:
    """The answers are the same; where a licence may know less of what is unseen, there are no more."""
    loose = {rule.id for rule in made.rules if isinstance(rule.head, License) and not is_exact(made, rule)}
    for label, rows in right.items():
        assert found.get(label, set()) <= rows if label in loose else found.get(label, set()) == rows, label


@pytest.mark.parametrize("seed", range(100, 104))
def test_facts_may_come_from_a_file(seed: int, run: Run, tmp_path: Path) -> None:
    made, steps = random_case(seed)
    fill = brought(steps)
    file = tmp_path / "facts.json"
    file.write_text(json.dumps(facts(made, fill, today=TODAY)), encoding="utf-8")
    without, empty = script(made), script(made, {}, today=TODAY)
    right = wanted(made, fill)
    for text in (without, empty):
        compare(made, right, got(run(text, tmp_path, str(file), "--json")))


# ---------------------------------------------------------------- what people read

SHOP = program(
    define("Way", p("Item", k="?x", n="?y"), x="?x", y="?y"),
    define("Way", p("Item", k="?z", n="?y"), p("Way", x="?x", y="?z"), x="?x", y="?y"),
    define("Far", p("Way", x="?x", y="?y"), no("Item", k="?x", n="?y"), cmp("?x", "!=", "?y"), x="?x"),
    define("Pairs", p("Pairs", x="?x", y="?z"), p("Pairs", x="?z", y="?y"), x="?x", y="?y"),
    define("Pairs", p("Item", k="?x", n="?y"), x="?x", y="?y"),
    ask(p("Far", x="?x"), agg("count", "", p("Item", k="?x"), ">=", 1, ["x"]), rule="WARN-1"),
    allow(a("Pay", who="?who"), p("Flag", who="?who", on=True), no("Item", b=True), rule="PAY-1"),
    derived={
        "Way": {"x": NUMBER, "y": NUMBER},
        "Far": {"x": NUMBER},
        "Pairs": {"x": NUMBER, "y": NUMBER},
    },
)
STATE: dict[str, Any] = {
    "Item": [(1, False, None, 2), (2, False, None, 3), (3, False, None, 1)],
    "complete Item": [(None, None, None, None)],
    "Flag": [(True, None, "Ann")],
    "Pay": [("Ann", 3), ("Bob", None)],
}


def test_the_script_reads_well_and_prints_well(tmp_path: Path) -> None:
    text = script(SHOP, STATE, today=TODAY)
    golden(text, GOLDEN / "pydatalog_script.txt")
    golden(run_alone(text, tmp_path), GOLDEN / "pydatalog_script_printed.txt")


def test_only_recursion_pydatalog_can_run_becomes_clauses() -> None:
    text = script(SHOP, STATE, today=TODAY)
    assert "rule(('Way', 'x', 'y'), ('Way', 'x', 'z'), ('Item 1', 'z', 'y'))" in text
    assert "    'Pairs': [" in text and "rule(('Pairs'" not in text


@pytest.mark.slow
def test_without_facts_it_says_what_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(script(SHOP), encoding="utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "give a JSON file" in done.stderr


def test_a_state_needs_a_day() -> None:
    with pytest.raises(ValueError, match="day of the instruction"):
        script(SHOP, STATE)


# ---------------------------------------------------------------- nothing becomes code

HOSTILE = [
    '"""\nimport os\nos.abort()\n"""',
    "'])\nraise SystemExit('ran')\n(['",
    "x\\",
    "\r\nraise SystemExit('ran')",
    "\u2028raise SystemExit('ran')",
    "\x00\x0craise SystemExit('ran')",
    "{FACTS}",
    "%s",
    "?x",
    "\ud800",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_a_program_and_a_state_stay_texts(text: str, run: Run, tmp_path: Path) -> None:
    made = program(
        define("D", p("Flag", who=const(text)), x=const(text)),
        ask(p("D", x="?x"), p("Page", name="?x"), rule=f"rule {text}"),
        derived={"D": {"x": TEXT}},
    )
    made = Program(text, made.modules, made.relations, made.rules, made.digest)
    written = script(made, {"Flag": [(None, None, text)], "Page": [(text, 1, None)]}, today=TODAY)
    found = got(run(written, tmp_path, "--json"))
    assert found[f"rule {text}"] == {(("text", text),)}


def test_a_script_is_calls_with_constants_and_nothing_else() -> None:
    """All that differs between two scripts are comments and the arguments of declare, rule and question."""

    def shape(text: str) -> list[str]:
        found = []
        for node in ast.parse(text).body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                assert isinstance(node.value.func, ast.Name)
                if node.value.func.id in ("declare", "rule", "question"):
                    for argument in node.value.args:
                        ast.literal_eval(argument)
                    continue
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FACTS":
                ast.literal_eval(node.value)
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            found.append(ast.unparse(node))
        return found

    cases = [random_case(seed) for seed in range(5)]
    shapes = [shape(script(made, brought(steps), today=TODAY)) for made, steps in cases]
    assert all(one == shapes[0] for one in shapes)
    assert {line for line in shapes[0] if line.startswith(("import", "from"))} == {
        "import json",
        "import sys",
        "from decimal import Decimal",
        "from pyDatalog import pyDatalog, pyEngine",
    }


@pytest.mark.slow
def test_the_examples_of_the_page_print_what_they_say() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "pydatalog.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    code = "\n".join(blocks)
    said = [
        line.rpartition("  # ")[2] for line in code.splitlines() if line.startswith(("print", "    print"))
    ]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout.splitlines() == said, done.stderr
