"""A small app and short ways to ask the solver about rules over it."""

from pathlib import Path

from vsalang.language.semantics import load_text
from vsalang.program.ir import Program
from vsalang.proof.solver import Alive, Dead, OpenPoint
from vsalang.proof.solver.dead import dead_rule

APP = """app m package "com.m" "A small app"
enum Color {Red, Blue}
state Flag "A flag" { on: Bool  n: Number }
state Item key (k) "An item" { k: Number  b: Bool }
state Event key (day) "An event" { day: Date  start: Time  span: Duration }
view Page "A page" { t: Text  u: Text  c: Color  tags: set of Color  words: set of Text }
list L in (g) "A list" { g: Number  p: Number }
action Act(n: Number) "An action"
action Other(n: Number) "Another action"
update Flag(on = true, n = 1) when Node(id = "f").
update Item(k = 1, b = true) when Node(id = "i").
complete Item when Node(id = "all").
update Event(day = 2026-01-05, start = 10:00, span = 1h) when Node(id = "e").
complete Event when Node(id = "all").
update Page(t = ?t, u = ?t, c = Red) when Node(id = "p", text = ?t).
update L(row = ?r, g = 1, p = 1) when Node(id = "l", node = ?r).
complete L(g = 1) when Node(id = "all").
define Small(k = ?k) when Item(k = ?k), ?k < 3.
define Marked when Item(b = true).
define Up(k = ?k) when Item(k = ?k, b = true).
define Up(k = ?k) when Up(k = ?k), Item(k = ?k, b = false).
"""


def program(text: str, folder: Path, app: str = APP) -> Program:
    """The program of a module that imports the app `m`; its errors fail the test."""
    (folder / "m.vsa").write_text(app, encoding="utf-8")
    loaded = load_text(text, file=str(folder / "main.vsa"), path=folder / "main.vsa")
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


def policy(body: str, folder: Path) -> Program:
    """A policy with one rule of that body (read plainly)."""
    return program(f'policy p "p"\nimport m\ndeny "no" when {body}.\n', folder)


def ask(body: str, folder: Path, *, rows: int = 0) -> Dead | Alive | OpenPoint:
    """Whether a policy's rule can hold."""
    made = policy(body, folder)
    return dead_rule(made, made.rules[_main(made, 0)], rows=rows, witness=True)


def clause(text: str, folder: Path, number: int = 0, *, rows: int = 0) -> Dead | Alive | OpenPoint:
    """Whether a spec's clause can hold (read certainly)."""
    made = program(f'spec s "s"\nimport m\n{text}\n', folder)
    return dead_rule(made, made.rules[_main(made, number)], rows=rows, witness=True)


def _main(made: Program, number: int) -> int:
    return [index for index, rule in enumerate(made.rules) if rule.module == made.main][number]
