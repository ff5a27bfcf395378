"""Graphs for Graphviz: what stands in them, and that any name or text is quoted safely."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.programs.files import ALONE, HERE
from vsalang.language.notations.out import export
from vsalang.language.notations.out.dot import quoted
from vsalang.language.semantics import load, load_text
from vsalang.program.ir import Program

ROOT = Path(__file__).resolve().parents[4]
FILES = sorted(
    [
        *ROOT.glob("app_specs/**/*.vsa"),
        *ROOT.glob("stdlib/**/*.vsa"),
        *ALONE,
    ]
)
APP = r"""
app ring package "org.example.ring" "Rings"
state Ring { on: Bool text: Text }
action Call(who: Text)
screen Home "Where it \"begins\"" when Node(id = "home").
screen Book when Node(id = "book").
screen Pop closed over Home, Book when Node(id = "pop").
define Loud when Ring(on = true).
update Ring(on = true) when Node(id = "bell").
goto Book when tap(text = "a \"b\" \\ <c>"), screen Home.
goto Pop when tap(id = "more", text = ?t), Ring(on = true), not Loud, screen Book.
goto Home when back.
goto Home when Call, Screen(name in {"Book", "Pop"}).
"""


def _program(text: str) -> Program:
    loaded = load_text(text)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


# The subset of the DOT language that is written: statements of quoted names with attribute lists.
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_VALUE = rf"(?:{_STRING}|[A-Za-z0-9_.]+)"
_ATTRS = rf"(?: \[\w+={_VALUE}(?:, \w+={_VALUE})*\])?"
_LINE = re.compile(
    rf"digraph {_STRING} \{{|\}}|rankdir=\w+;|(?:node|edge){_ATTRS};|subgraph {_STRING} \{{"
    rf"|label={_STRING}; color=\w+; fontcolor=\w+;|{_STRING}{_ATTRS};|{_STRING} -> {_STRING}{_ATTRS};"
)


def _well_formed(text: str) -> None:
    depth = 0
    for line in text.splitlines():
        assert _LINE.fullmatch(line.strip()), line
        depth += line.endswith("{") - (line.strip() == "}")
    assert depth == 0


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("graph", ["rules", "screens"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_files(shipped: Callable[[Path], Program], path: Path, graph: str) -> None:
    program = shipped(path)
    _well_formed(export(program, "dot", graph=graph).text)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("graph", ["rules", "screens"])
def test_graphviz_reads_it(graph: str) -> None:
    for text in (APP, (ROOT / "app_specs" / "apps" / "trusttest.vsa").read_text(encoding="utf-8")):
        loaded = load_text(text, path=ROOT / "app_specs" / "x.vsa")
        assert loaded.program is not None
        result = subprocess.run(
            ["dot", "-Tsvg"],
            input=export(loaded.program, "dot", graph=graph).text,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0 and not result.stderr, result.stderr


def test_screens_and_what_leads_to_them() -> None:
    text = export(_program(APP), "dot", graph="screens").text
    for line in (
        '"ring:Home" -> "ring:Book" [label="tap(text = \\"a \\\\\\"b\\\\\\" \\\\\\\\ <c>\\")"];',
        '"ring:Book" -> "ring:Pop" [label="tap(id = \\"more\\")\\nif Ring(on = true)\\nnot Loud"];',
        '"any screen of ring" -> "ring:Home" [label="back"];',
        '"ring:Book" -> "ring:Home" [label="Call"];',
        '"ring:Pop" -> "ring:Home" [label="Call"];',
        '"ring:Pop" -> "ring:Book" [style=dashed, color=gray60, arrowhead=none, label="over"];',
    ):
        assert line in text, text
    assert re.search(r'"ring:Pop" \[.*peripheries=2', text)
    assert 'tooltip="Where it \\"begins\\""' in text


@pytest.mark.parametrize("said", ["x in 1..5", "text matches /a\\/b/i", 'text in {"A", "B"}', "text known"])
def test_what_a_gesture_asks_is_shown_whole(said: str) -> None:
    """Of a range only the lower end was shown, of a pattern no flags, and of braces and `known` nothing."""
    text = export(_program(f"{APP}goto Book when tap({said}), screen Home."), "dot", graph="screens").text
    assert f"label={quoted(f'tap({said})')}" in text


def test_rules_and_what_they_read() -> None:
    text = export(_program(APP), "dot").text
    assert '"ring.Ring" -> "rule ring:4";' in text and '"rule ring:4" -> "ring.Loud";' in text
    assert '"ring.Loud" -> "rule ring:7" [style=dashed, color="#b91c1c"];' in text
    assert '"tap" -> "rule ring:7" [style=bold];' in text
    assert '[shape=note, fillcolor=white, fontsize=9, label="update Ring\\nring:5"]' in text


def test_the_main_module_alone() -> None:
    program = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa").program
    assert program is not None
    text = export(program, "dot", main_only=True).text
    assert "rule opentable" not in text and '"apps.opentable.Slot" -> "rule reserve_r:1"' in text
    assert '"rule reserve_r:1" -> ' not in text  # a licence writes nothing
    assert '"apps.opentable.Reserve" -> "rule reserve_r:2" [style=dotted];' in text


@given(st.text())
def test_any_text_is_quoted(text: str) -> None:
    inside = quoted(text)
    assert re.fullmatch(_STRING, inside) and inside.isprintable()
    _well_formed(f"digraph {inside} {{\n}}\n")


def test_what_actions_say_of_others_is_drawn() -> None:
    text = export(load(HERE / "right" / "reserve_itself.vsa").checked(), "dot").text
    assert '"table.Reserve" -> "every.Order" [label=refines];' in text
    assert '"every.Erase" -> "every.Delete" [style=dashed, label=over];' in text
