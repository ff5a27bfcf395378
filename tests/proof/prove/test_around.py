"""The part of a program that bears on one rule: what is decided with it is what the whole program decides."""

from pathlib import Path

import pytest

from tests.proof.prove.prove_programs import EXAMPLES, SHIPPED, own, program
from vsalang.language.semantics import load
from vsalang.program.example import PROPOSALS
from vsalang.program.ir import License, Program
from vsalang.proof.prove.around import around, required_actions
from vsalang.proof.prove.stories import run

PAGE = """
screen Page{n} "page" when Node(id = "page{n}").
state Item{n} key (name) "items" {{ name: Text "n" on: Bool "o" }}
define Row{n}(name = ?t) when screen Page{n}, Node(id = "row{n}", text = ?t).
update Item{n}(name = ?t, on = true) when Row{n}(name = ?t).
action Choose{n}(name: Text "n") "choose"
recognize Choose{n}(name = ?t) when tap(text = ?t), Row{n}(name = ?t).
update Item{n}(name = ?t, on = false) when Choose{n}(name = ?t).
"""


def two_pages(folder: Path, task: str) -> Program:
    pages = "".join(PAGE.format(n=number) for number in range(2))
    (folder / "a.vsa").write_text(f'app a package "com.a" "a"\n{pages}', encoding="utf-8")
    (folder / "s.vsa").write_text(f'spec s "s"\nimport a\n{task}', encoding="utf-8")
    return load(folder / "s.vsa").checked()


CLAUSES = """allow Choose0(name = ?t) when Item0(name = ?t, on = true).
allow Choose1(name = ?t) when Item1(name = ?t, on = true).
done when Choose0 earlier.
"""


def test_other_pages_are_left_out(tmp_path: Path) -> None:
    made = two_pages(tmp_path, CLAUSES)
    part = around(made, own(made)[0])
    kept = {name for name in part.relations if name.startswith(("a.", "a:"))}
    assert kept == {"a:Page0", "a.Item0", "a.Row0", "a.Choose0"}
    assert not any("Item1" in repr(rule) or "Choose1" in repr(rule) for rule in part.rules)
    assert part.digest != made.digest


def test_done_keeps_the_actions_it_asks_for(tmp_path: Path) -> None:
    made = two_pages(tmp_path, CLAUSES)
    (done,) = (r for r in own(made) if isinstance(r.head, License) and r.head.atom.relation == "finish")
    part = around(made, done)
    assert {r.id for r in own(part)} == {own(made)[0].id, done.id}


def test_rules_of_any_proposal_keep_all(tmp_path: Path) -> None:
    made = two_pages(tmp_path, CLAUSES + 'deny "never" when Item0(on = false).\n')
    assert around(made, own(made)[-1]) is made
    assert own(made)[-1].id in {rule.id for rule in around(made, own(made)[1]).rules}


@pytest.mark.parametrize("name", SHIPPED)
def test_parts_decide_as_the_whole(name: str) -> None:
    made = program(name)
    for story in load(EXAMPLES / f"{name}.vsa").own:
        proposed = [part for turn in story.turns for part in turn.parts if part.kind in PROPOSALS]
        for rule in own(made):
            part = around(made, rule)
            licensed = {
                n for r in own(part) if isinstance(r.head, License) for n in required_actions(part, r)
            }
            if all(each.kind == "attempt" and each.fact.relation in licensed for each in proposed):
                assert run(part, story).passed == run(made, story).passed, (rule.id, story.name)
