"""The frontier: what is on the way to what the task needs, and what is not. Each test is a small app and a task."""

import datetime as dt
from pathlib import Path

import pytest

from vsalang.guard import Guard, Proposal, run_example
from vsalang.guard.frontier.demands import Clause
from vsalang.guard.frontier.expanding import needs, remembering
from vsalang.guard.frontier.expansion_choices import FUEL
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.example import Fact
from vsalang.program.ir import Program
from vsalang.program.show import source

NOON = dt.datetime(2026, 4, 1, 12)


def program(folder: Path, app: str, spec: str) -> Program:
    (folder / "shop.vsa").write_text(f'app shop package "org.example.shop" "A shop"\n{app}', encoding="utf-8")
    (folder / "task.vsa").write_text(f'spec task "Do it"\nimport shop\n{spec}', encoding="utf-8")
    loaded = load(folder / "task.vsa")
    assert loaded.program is not None, [(item.code, item.message) for item in loaded.diagnostics]
    return loaded.program


def holds(folder: Path, app: str, spec: str, *steps: str) -> None:
    """Every step of a test passes."""
    lines = "\n".join(f"  {step}" for step in steps)
    made = program(folder, app, f'{spec}\ntest "steps" {{\n{lines}\n}}\n')
    (example,) = load(folder / "task.vsa").own
    failure = run_example(made, example).failure
    if failure is not None:
        source = (folder / "task.vsa").read_text(encoding="utf-8")
        line = source[failure.span.start :].partition("\n")[0] if failure.span else ""
        told = [reason.message for reason in failure.reasons]
        pytest.fail(f"{line}: {failure.problem}: {told}", pytrace=False)


FORM = """
state Form "What is chosen" { city: Text "where", mode: enum {Car, Bus} "how", n: Number "how many" }
view Draft "What is typed" { to: Text "to whom", text: Text "the text", n: Number "how many" }
state Item key (name) "What is in the basket" {
  name: Text "its name", n: Number "how many", size: enum {Small, Big} "its size"
}
state Heat key (room) "The heating" { room: Text "where", degrees: Number "how warm" }
action Go "Go there"
action Pay(n: Number) "Pay"
"""

# ---------------------------------------------------------------- rows as written


def test_a_form_with_wrong_defaults_is_filled_by_field(tmp_path: Path) -> None:
    holds(
        tmp_path,
        FORM,
        'allow Go when Form(city = "Rome", mode = Bus).\ndone when Go earlier.',
        'given Form(city = "Bern", mode = Car, n = 1).',
        "update Form(mode = Bus).",
        "attempt Go => block because city.",
        "update Form(mode = Car) => warn because mode.",
        'update Form(city = "Rome").',
        "attempt Go.",
    )


def test_only_changed_cells_of_a_keyed_row_are_judged(tmp_path: Path) -> None:
    holds(
        tmp_path,
        FORM,
        'allow Go when Item(name = "tea", n = 3, size = Big).\ndone when Go earlier.',
        'given Item(name = "tea", n = 9, size = Small).',
        'update Item(name = "tea", size = Big).',
        'update Item(name = "tea", n = 8, size = Big).',
        'update Item(name = "tea", n = 10) => warn because n.',
        'update Item(name = "oil", size = Big) => warn because name.',
    )


def test_what_is_written_as_it_was_is_not_judged(tmp_path: Path) -> None:
    holds(
        tmp_path,
        FORM,
        'allow Go when Form(city = "Rome", n = 3).\ndone when Go earlier.',
        'given Form(city = "Bern", n = 7).',
        'update Form(city = "Bern").',
        'update Form(city = "Bern", n = 3).',
        "update Form(n = 4) => warn because n.",
    )


def test_what_is_erased_by_name_is_no_step_away(tmp_path: Path) -> None:
    app = (
        FORM
        + """
view Chosen "What is chosen" { item: Text "which", total: Number "the sum" }
update Chosen(item = ?t, total = unknown, ..) when tap(id = "pick", text = ?t).
"""
    )
    holds(
        tmp_path,
        app,
        'allow Go when Chosen(item = "tea", total = 3).\ndone when Go earlier.',
        'given Chosen(item = "oil", total = 3).',
        'observe Node(node = 1, id = "pick", text = "tea", clickable = true), '
        'Node(node = 2, id = "pick", text = "nut", clickable = true).',
        "tap(node = 1).",
        'observe Chosen(item = "tea", total = 3).',
        "tap(node = 2) => warn because item.",
        'update Chosen(item = "tea", total = unknown).',
    )


def test_an_unreadable_value_is_not_erased_by_name(tmp_path: Path) -> None:
    app = FORM + 'update Draft(n = number(?v), ..) when input_text(id = "n", value = ?v).\n'
    holds(
        tmp_path,
        app,
        'allow Go when Draft(to = "Ann", n = 3).\nallow Pay(n = 1) when Draft(to = "Bob", n <= 9).\n'
        "done when Go earlier.",
        'given Draft(to = "Ann", n = 3).',
        'observe Node(node = 1, id = "n", editable = true, clickable = true).',
        'input_text(node = 1, value = "three") => warn because n.',
        'input_text(node = 1, value = "3").',
    )


def test_a_cell_that_a_view_loses_may_count(tmp_path: Path) -> None:
    spec = 'allow Go when Draft(to = "Ann", n = 3).\ndone when Go earlier.'
    holds(
        tmp_path,
        FORM,
        spec,
        'given Draft(to = "Ann", n = 3, text = "x").',
        'update Draft(to = "Ann", n = 3).',
        'update Draft(to = "Ann") => warn because n.',
        'observe Draft(to = "Ann", n = 2).',
        'update Draft(to = "Ann").',
    )


# ---------------------------------------------------------------- deletion


def test_deleting_what_a_clause_wants_gone_is_on_track(tmp_path: Path) -> None:
    holds(
        tmp_path,
        FORM,
        'allow Go when Item(name = "old").\ndone when no Item(name = "old"), Form(n = 1).',
        'given Item(name = "old"), Item(name = "tea").',
        'delete Item(name = "tea").',
        'delete Item(name = "old").',
    )


def test_a_deleted_row_fits_no_demand(tmp_path: Path) -> None:
    holds(
        tmp_path,
        'state Alarm key (time) "An alarm" { time: Time "when" }\naction Save "Save"',
        "allow Save when Alarm.\ndone when Save earlier.",
        "given Alarm(time = 07:00).",
        "delete Alarm(time = 08:00).",
        "delete Alarm(time = 07:00) => warn because Alarm.",
    )


# ---------------------------------------------------------------- expansions


def test_constants_that_contradict_make_no_clause(tmp_path: Path) -> None:
    spec = """
define Wanted(city = "Bern") when Form(n = 1).
define Wanted(city = "Rome") when Form(n = 2).
allow Go when Wanted(city = "Rome").
done when Go earlier.
"""
    holds(
        tmp_path,
        FORM,
        spec,
        "update Form(n = 1) => warn because n.",
        "update Form(n = 2).",
    )


def test_constants_of_one_moment_contradict_each_way(tmp_path: Path) -> None:
    spec = """
define Bus when Form(mode = Bus), Item(name = "oil", n = 5).
define Bus when Form(mode = Car), Item(name = "tea", n = 5), Heat(room = "hall", degrees > 20).
define Bus when Form(mode = Car), Item(name = "nut", n = 5), Heat(room = "bath", degrees > 20).
define Cold when Heat(room = "hall", degrees < 20), Item(name = "ice").
allow Go when Form(mode = Car), Bus, Cold.
done when Go earlier.
"""
    holds(
        tmp_path,
        FORM,
        spec,
        "update Form(mode = Bus) => warn because mode.",
        'update Item(name = "oil", n = 5) => warn because name.',
        'update Item(name = "tea", n = 5) => warn because name.',
        'update Item(name = "nut", n = 5).',
        'update Heat(room = "bath", degrees = 30).',
        'update Heat(room = "hall", degrees = 30) => warn because degrees.',
    )


def test_what_a_head_says_holds_of_cells_beside_it(tmp_path: Path) -> None:
    spec = """
define Trip(to = "Rome", days = 3) when Form(mode = Bus).
define Trip(to = "Bern", days = 1).
allow Go when Trip(to = ?t, days = ?d), Form(city = ?t, n = ?d).
done when Go earlier.
"""
    holds(
        tmp_path,
        FORM,
        spec,
        'update Form(city = "Oslo") => warn because city.',
        'update Form(city = "Bern", n = 3) => warn.',
        'update Form(city = "Rome", n = 3).',
    )


def test_a_compared_variable_demands_what_the_constant_does(tmp_path: Path) -> None:
    spec = """
allow Go when Form(city = ?c, n = ?n), ?c = "Rome", ?n <= 3, ?n = ?m, Item(name = "tea", n = ?m).
done when Go earlier.
"""
    holds(
        tmp_path,
        FORM,
        spec,
        'update Form(city = "Bern") => warn because city.',
        "update Form(n = 4) => warn because n.",
        'update Item(name = "tea", n = 5) => warn because n.',
        'update Form(city = "Rome", n = 2).',
        'update Item(name = "tea", n = 2).',
    )


@pytest.mark.parametrize("length", [9, 400])
def test_a_chain_of_definitions_is_opened_however_long(tmp_path: Path, length: int) -> None:
    chain = "".join(f"define D{n} when D{n - 1}.\n" for n in range(1, length + 1))
    spec = f'define D0 when Form(city = "Rome").\n{chain}allow Go when D{length}.\ndone when Go earlier.'
    holds(
        tmp_path,
        FORM,
        spec,
        'update Form(city = "Bern") => warn because city.',
        'update Form(city = "Rome").',
    )


def test_alternatives_are_not_multiplied(tmp_path: Path) -> None:
    spec = "".join(
        f'define One when Item(name = "a{n}", n = 1), Form(n in 0..{100 + n}).\n'
        f'define Two when Item(name = "b{n}", n = 1), Form(n in 1..{100 + n}).\n'
        f'define Three when Item(name = "c{n}", n = 1), Heat(room = "r{n}", degrees < {n}).\n'
        for n in range(1, 61)
    )
    spec += "allow Go when One, Two, Three, One, Two, Three.\ndone when Go earlier."
    holds(
        tmp_path,
        FORM,
        spec,
        'update Item(name = "a60", n = 1).',
        'update Item(name = "b60", n = 1).',
        'update Item(name = "c60", n = 1).',
        'update Heat(room = "r60", degrees = 59).',
        'update Heat(room = "r60", degrees = 61) => warn because degrees.',
        'update Item(name = "a61", n = 1) => warn because name.',
    )


def test_choices_that_bear_on_one_another_are_made_together(tmp_path: Path) -> None:
    spec = "".join(
        f'define {name} when Form(mode = {mode}), Item(name = "{name} {mode}", n = 1).\n'
        for name in ("A", "B", "C", "D", "E", "F", "G", "H")
        for mode in ("Car", "Bus")
    )
    spec += "allow Go when A, B, C, D, E, F, G, H, Form(mode = Bus).\ndone when Go earlier."
    holds(
        tmp_path,
        FORM,
        spec,
        'update Item(name = "A Car", n = 1) => warn because name.',
        'update Item(name = "A Bus", n = 1).',
        "update Form(mode = Car) => warn because mode.",
    )


def test_what_cannot_be_told_apart_blocks_and_says_so(tmp_path: Path) -> None:
    """Sixteen choices, each of which leaves another number open to all others: no order of them is short."""
    spec = "".join(
        f'define D{one} when Form(n != {one * 7 + other}), Item(name = "{one} {other}", n = 1).\n'
        f'define D{one} when Form(n = {one * 7 + other}), Item(name = "{one} {other}", n = 2).\n'
        for one in range(16)
        for other in range(4)
    )
    spec += f'allow Go when {", ".join(f"D{n}" for n in range(16))}.\ndone when Form(city = "Rome").'
    made = program(tmp_path, FORM, spec)
    go, done = needs(made).clauses
    assert go.too_many and not done.too_many
    guard = guarded(made)
    verdict = guard.propose(Proposal(writes=(Fact("shop.Form", {"city": "Rome"}),)))
    assert verdict.level == "block" and verdict.because("frontier")
    (reason,) = verdict.reasons
    assert reason.kind == "error" and reason.rule == go.rule.id and str(FUEL) in reason.message
    assert guard.propose(Action("wait")).level == "allow"


def guarded(made: Program) -> Guard:
    guard = Guard(made, clock=lambda: NOON, today=NOON.date())
    guard.observe(FactScreen())
    return guard


def test_a_self_resting_definition_asks_its_other_rules(tmp_path: Path) -> None:
    spec = """
define Near(name = ?a) when Item(name = ?a, size = Small).
define Near(name = ?a) when Item(name = ?a, n = 3), Near(name = ?b), Heat(room = ?b).
allow Go when Near(name = "tea").
define Never when Never, Form(n = 1).
allow Pay(n = 1) when Never.
done when Go earlier.
"""
    holds(
        tmp_path,
        FORM,
        spec,
        'update Item(name = "tea", n = 4, size = Big) => warn.',
        'update Item(name = "tea", n = 3).',
        'update Item(name = "oil", size = Big) => warn.',
        'update Item(name = "oil", size = Small).',
        "update Form(n = 2).",
    )


# ---------------------------------------------------------------- then and earlier

PAGES = """
view Page "What is shown" { n: Number "which" }
state Theme "How it looks" { dark: Bool "whether it is dark" }
state Mode "What is set" { loud: Bool "whether it is loud" }
action Go "Go there"
"""


def test_the_left_of_then_is_the_chain_before(tmp_path: Path) -> None:
    spec = "done when Theme(dark = true) then Page(n = 10) then Mode(loud = true)."
    holds(
        tmp_path,
        PAGES,
        spec,
        "observe Page(n = 10).",
        "update Theme(dark = true).",
        "update Page(n = 9) => warn because n.",
        "observe Page(n = 9).",
        "update Page(n = 10).",
        "update Page(n = 3).",
        "update Theme(dark = false) => warn because dark.",
        "update Mode(loud = true).",
        "finish.",
    )


def test_a_chain_may_name_one_view_twice(tmp_path: Path) -> None:
    spec = "done when Page(n = 10) then Page(n = 20) then Mode(loud = true)."
    holds(
        tmp_path,
        PAGES,
        spec,
        "update Page(n = 15) => warn because n.",
        "update Page(n = 10).",
        "update Page(n = 8) => warn because n.",
        "update Page(n = 15).",
        "update Page(n = 20).",
        "update Page(n = 7).",
        "update Mode(loud = true).",
        "finish.",
    )


def test_the_end_of_a_chain_is_not_asked_first(tmp_path: Path) -> None:
    holds(
        tmp_path,
        PAGES,
        "done when Theme(dark = true) then Page(n = 20), every Page has (n != 3).",
        "update Page(n = 1).",
        "update Page(n = 3) => warn because n.",
        "update Mode(loud = false).",
        "update Theme(dark = true).",
        "update Page(n = 0) => warn because n.",
        "update Page(n = 20).",
        "finish.",
    )


def test_a_then_in_a_define_joins_its_chain(tmp_path: Path) -> None:
    spec = """
define Read when Page(n = 10) then Page(n = 20).
done when Theme(dark = true) then Read.
"""
    holds(
        tmp_path,
        PAGES,
        spec,
        "observe Page(n = 10).",
        "update Page(n = 9).",
        "update Theme(dark = true).",
        "observe Page(n = 11).",
        "update Page(n = 12) => warn because n.",
        "update Page(n = 10).",
        "update Page(n = 9) => warn because n.",
        "update Page(n = 20).",
    )


def test_what_was_so_earlier_is_demanded_till_then(tmp_path: Path) -> None:
    spec = """
define Seen(n = ?n) when Page(n = ?n).
allow Go when Page(n = 10) earlier, Seen(n = 20) earlier, Mode(loud = true).
done when Go earlier.
"""
    holds(
        tmp_path,
        PAGES,
        spec,
        "update Page(n = 30) => warn because n.",
        "update Page(n = 10).",
        "update Page(n = 9) => warn because n.",
        "update Page(n = 20).",
        "update Page(n = 30).",
    )


def test_the_engine_remembers_only_what_demands_stand_under(tmp_path: Path) -> None:
    made = program(tmp_path, PAGES, "allow Go when Mode(loud = true).\ndone when Go earlier, Page(n = 1).")
    assert remembering(made) is made
    made = program(tmp_path, PAGES, "done when Page(n = 1) then Page(n = 2).")
    asked = remembering(made)
    assert {name for name in asked.relations if name not in made.relations} == {
        "past condition 1",
        "past condition 1 now",
    }
    assert remembering(asked) is asked
    (clause,) = needs(made).clauses
    assert isinstance(clause, Clause) and clause.relations == {"shop.Page"}


# ---------------------------------------------------------------- objections


def test_every_objects_unless_the_cell_comes_nearer(tmp_path: Path) -> None:
    holds(
        tmp_path,
        FORM,
        "allow Go when every Heat has (degrees <= 18).\ndone when Go earlier.",
        'given Heat(room = "hall", degrees = 22).',
        'update Heat(room = "hall", degrees = 20).',
        'update Heat(room = "hall", degrees = 21) => warn because degrees.',
        'update Heat(room = "hall", degrees = 18).',
        'update Heat(room = "bath", degrees = 20) => warn because degrees.',
    )


def test_what_a_remembered_part_denied_is_no_objection(tmp_path: Path) -> None:
    holds(
        tmp_path,
        PAGES,
        "done when (Theme(dark = true), not Page(n = 3)) then Mode(loud = true).",
        "update Page(n = 3) => warn because n.",
        "update Page(n = 1).",
        "update Theme(dark = true).",
        "update Page(n = 3).",
    )


# ---------------------------------------------------------------- which clauses


def test_only_licences_and_earlier_actions_switch_clauses_off(tmp_path: Path) -> None:
    spec = """
define Ready when Form(city = "Rome") earlier.
allow Go.
allow 2 Pay(n > 0) when Form(n = 3).
done when count(Pay earlier) = 2, all Go, Ready, Item(name = "tea").
"""
    holds(
        tmp_path,
        FORM,
        spec,
        'update Item(name = "oil") => warn because name.',
        'update Item(name = "tea").',
        'update Form(city = "Bern", n = 4) => warn.',
    )


def test_a_choice_waiting_for_an_action_is_no_clause(tmp_path: Path) -> None:
    spec = """
define Ready when Go earlier, Form(city = "Rome").
define Ready when Form(city = "Bern").
allow Go.
allow Pay(n = 1) when Ready.
done when Pay earlier.
"""
    holds(
        tmp_path,
        FORM,
        spec,
        'update Form(city = "Rome") => warn because city.',
        "attempt Go.",
        'update Form(city = "Rome").',
        'update Form(city = "Bern").',
        'update Form(city = "Oslo") => warn because city.',
    )


# ---------------------------------------------------------------- words


def test_a_warning_names_cell_value_and_wish(tmp_path: Path) -> None:
    made = program(
        tmp_path, FORM, 'allow Go when Item(name = "tea", n = 3, size = Big), Draft.\ndone when Go earlier.'
    )
    guard = guarded(made)

    def told(proposal: Proposal) -> tuple[str, ...]:
        (reason,) = guard.propose(proposal).reasons
        return reason.texts()

    def does(proposal: Proposal) -> None:
        guard.commit(guard.propose(proposal))
        guard.observe(FactScreen())

    does(Proposal(writes=(Fact("shop.Item", {"name": "tea", "n": 3, "size": "Big"}),)))
    does(Proposal(writes=(Fact("shop.Draft", {"to": "Ann"}),)))
    assert told(Proposal(writes=(Fact("shop.Item", {"name": "tea", "n": 4}),))) == (
        "how many (Item.n): seen 4, wanted = 3",
    )
    assert told(Proposal(writes=(Fact("shop.Item", {"name": "oil", "n": 3}),))) == (
        'its name (Item.name): seen "oil", wanted = "tea"',
    )
    assert told(Proposal(deletes=(Fact("shop.Item", {"name": "tea"}),))) == (
        'its name (Item.name): seen "tea" in a row that would be deleted, wanted = "tea"',
        "how many (Item.n): seen 3 in a row that would be deleted, wanted = 3",
        "its size (Item.size): seen Big in a row that would be deleted, wanted = Big",
    )
    assert told(Proposal(deletes=(Fact("shop.Draft", {}),))) == (
        "What is typed (Draft): the row would be deleted, wanted that it is there",
    )


def test_what_was_so_earlier_is_remembered_without_its_values(tmp_path: Path) -> None:
    spec = """
allow Go when Page(n = ?n) earlier, Form(n = ?n).
done when Go earlier.
"""
    app = 'view Page "What is shown" { n: Number "which" }\nview Form "A form" { n: Number "which" }\naction Go "Go"'
    made = program(tmp_path, app, spec)
    (rule,) = [rule for rule in remembering(made).rules if rule.id == "past condition 1"]
    assert [source(literal) for literal in rule.body] == ["Page(n known) earlier"]
    holds(tmp_path, app, spec, "delete Page.", "update Page(n = 3).", "delete Page.", "update Form(n = 9).")
