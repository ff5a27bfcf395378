"""Mistakes in words of an instruction that other people made, by kind, and right programs next to each."""

from pathlib import Path

import pytest

from vsalang.base.diagnostics.fixes import apply_fixes
from vsalang.language.lint import lint
from vsalang.language.semantics import load_text

APP = """app jobs package "com.jobs" "Jobs to do"
import std.tree
import std.lists

screen Jobs "all jobs" when Node(id = "jobs").
state Job key (title) "A job" {
  title: Text "what is to be done"
  owner: Text "who does it"
  finished: Bool "whether it is finished"
}
define JobRow(row = ?r, title = ?t)
  when Node(id = "jobs", node = ?l), Node(parent = ?l, node = ?r), Part(of = ?r, id = "title", text = ?t).
update Job(title = ?t, owner = ?o, finished = ?c)
  when JobRow(row = ?r, title = ?t),
       Part(of = ?r, id = "owner", text = ?o),
       Part(of = ?r, id = "finished", checked = ?c).
complete Job when Node(id = "jobs", node = ?l), Fits(node = ?l).
action Finish(title: Text "which job", on: Bool "whether it is finished afterwards") "Finish a job, or reopen it"
recognize Finish(title = ?t, on = flip(?c))
  when tap(node = ?x),
       JobRow(row = ?r, title = ?t),
       Inside(node = ?x, of = ?r),
       Part(of = ?r, id = "finished", node = ?x, checked = ?c).
@risk(destructive)
action Drop(title: Text "which job") "Drop a job"
recognize Drop(title = ?t)
  when tap(node = ?x), JobRow(row = ?r, title = ?t), Inside(node = ?x, of = ?r), Part(of = ?r, id = "drop", node = ?x).
view Plan on Jobs "What is typed" {
  name: Text "what it is called"
  hour: Time "when somebody looks at it"
  cost: Number "what it may cost"
}
update Plan(name = ?v, ..) when input_text(id = "name", value = ?v).
update Plan(hour = time(?v), ..) when input_text(id = "hour", value = ?v).
update Plan(cost = number(?v), ..) when input_text(id = "cost", value = ?v).
action Add(name: Text "what it is called", hour: Time "when somebody looks at it", cost: Number "what it may cost")
  "Add a job"
recognize Add(name = ?n, hour = ?h, cost = ?c)
  when tap(id = "add") with Plan(name = ?n), Plan(hour = ?h), Plan(cost = ?c).
state Added key (name) "A job that was added" {
  name: Text "what it is called"
  cost: Number "what it may cost"
}
update Added(name = ?n, cost = ?c) when Add(name = ?n, cost = ?c).
"""


@pytest.fixture
def codes(tmp_path: Path):
    """The codes that a spec about jobs is found to have."""
    (tmp_path / "jobs.vsa").write_text(APP, encoding="utf-8")

    def found(text: str) -> list[str]:
        loaded = load_text(text, file=str(tmp_path / "spec.vsa"), path=tmp_path / "spec.vsa")
        assert not loaded.diagnostics, loaded.diagnostics
        return [each.code for each in lint(loaded)]

    return found


def add(doc: str, name: str = "Lamp", hour: str = "20:00", cost: str = "15", done: str | None = None) -> str:
    return (
        f'spec add "{doc}"\nimport jobs\nallow Add(name = "{name}", hour = {hour}, cost = {cost}).\n'
        f'done when Added(name = "{done or name}", cost = {cost}).\n'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (add("Add “Lamp” for 15, look at it at 8 PM"), set()),
        (add("Add “Lamp” for 15, look at it at 8 PM", hour="08:00"), {"L0046", "L0002"}),
        (add("Add “Lamp” for 15, look at it at 8 PM", cost="150"), {"L0046", "L0002"}),
        (add("Add “Lamp” for 15, look at it at 8 PM", cost="51"), {"L0046", "L0002"}),
        (add("Add “Lamp” for 1500, look at it at 8 PM", cost="15"), {"L0046", "L0002"}),
        (add("Add “Lamp” for 15%, look at it at 8 PM", cost="0.15"), {"L0002"}),
        (add("Add “Lamp”, for 15 or 150, look at it at 8 PM", cost="150"), {"L0002"}),
        (add("Add “Lamp” for 15, look at it at 8 PM", name="Lamb", done="Lamp"), {"L0046"}),
        (add("Add “Yoga” for 15, look at it at 8 PM", name="Yoag", done="Yoga"), {"L0046"}),
        (add("Add “Lamp” and “Lamb” for 15, look at it at 8 PM", name="Lamb", done="Lamp"), set()),
        (add("Add “Lamp” for 15, look at it at 8 PM", name="lamp ", done="Lamp"), {"L0045"}),
    ],
)
def test_values_that_are_nearly_those_of_the_instruction(codes, text: str, expected: set[str]) -> None:
    """A digit too many, twelve hours, a letter or two; not what the instruction names itself."""
    assert set(codes(text)) == expected


@pytest.mark.parametrize("hour", ["", "hour = ?h, "])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("for 15", []),
        ("for at most 15", ["L0007"]),
        ("for 15, at noon", ["L0004"]),
        ("for 15, look at it at 8 PM", ["L0002", "L0004"]),
        ("for 15, by seven", ["L0004"]),
        ("for 15, in the evening", ["L0004"]),
        ("für 15, abends", ["L0004"]),
    ],
)
def test_an_hour_that_nobody_named(codes, words: str, expected: list[str], hour: str) -> None:
    """An hour that the instruction does not name, and no evidence has, may be any; where it names one, it may not."""
    bound = "cost < 15" if "most" in words else "cost = 15"
    text = (
        f'spec add "Add “Lamp” {words}"\nimport jobs\nallow Add(name = "Lamp", {hour}{bound}).\n'
        f'done when Added(name = "Lamp", {bound}).\n'
    )
    assert sorted(set(codes(text))) == expected


def test_what_the_action_is_about_is_never_left_alone(codes) -> None:
    """A number, a text, or all of the parameters that nobody named stay open."""
    done = 'done when Added(name = "Lamp").\n'
    assert codes(f'spec add "Add “Lamp”"\nimport jobs\nallow Add(name = "Lamp").\n{done}') == ["L0004"]
    assert "L0004" in codes(f'spec add "Add “Lamp”"\nimport jobs\nallow Add.\n{done}')


@pytest.mark.parametrize(
    ("words", "on"),
    [
        ("Mark the job “Roof” as finished", True),
        ("Please set the job “Roof” to finished", True),
        ("Finish the job “Roof”", True),
        ("Could you finish the job “Roof”", True),
        ("Mark the job “Roof” as unfinished", False),
        ("Remove the finished mark of the job “Roof”", False),
        ("If the job “Roof” is not finished, finish it", None),
        ("Work on the job “Roof”", None),
        ("Reopen the job “Roof” that is finished", False),
    ],
)
def test_truth_values_in_words(codes, words: str, on: bool | None) -> None:
    """The word of a parameter says which value is wanted, where it is certain."""
    for value in (True, False):
        said = str(value).lower()
        text = (
            f'spec roof "{words}"\nimport jobs\nallow Finish(title = "Roof", on = {said}).\n'
            f'done when Finish earlier, Job(title = "Roof", finished = {said}).\n'
        )
        assert ("L0050" in codes(text)) == (on is not None and value is not on), value


def each(head: str, body: str, doc: str = "Drop the jobs of Ben") -> str:
    return (
        f'spec drop "{doc}"\nimport jobs\nallow each {head} when {body}.\ndone when no Job(owner = "Ben").\n'
    )


def test_variables_of_each_that_nothing_joins(codes, tmp_path: Path) -> None:
    """`allow each` of what a condition could name says so; the fix joins the two."""
    wrong = each("Drop(title = ?t)", 'Job(owner = "Ben")')
    assert codes(wrong) == ["L0004"]
    assert codes(each("Drop(title = ?t)", 'Job(title = ?t, owner = "Ben")')) == []
    path = str(tmp_path / "spec.vsa")
    fixed = apply_fixes(
        wrong, path, lambda now: lint(load_text(now, file=path, path=tmp_path / "spec.vsa"))
    ).text
    assert codes(fixed) == []
    assert 'Job(owner = "Ben", title = ?t)' in fixed or 'Job(title = ?t, owner = "Ben")' in fixed


@pytest.mark.parametrize(
    "words", ["Drop all jobs but “Roof”", "Drop every job except “Roof”", "Drop all jobs but not “Roof”"]
)
def test_exceptions_that_are_permitted(codes, words: str) -> None:
    """Who is excepted must be in a rule that permits or forbids; that `done` leaves it out is not enough."""
    text = (
        f'spec drop "{words}"\nimport jobs\nallow each Drop(title = ?t) when Job(title = ?t){{}}.\n'
        'done when no Job(title != "Roof").\n'
    )
    assert codes(text.format("")) == ["L0044"]
    assert codes(text.format(', ?t != "Roof"')) == []
    assert codes(text.format("") + 'deny "Not this" when Drop(title = "Roof").\n') == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("and send Ida a letter about it", ["L0044"]),
        ("and let Ida know about it", ["L0044"]),
        ("then notify Ida of it", ["L0044"]),
        ("and let me know", []),
        ("and show it to me", []),
    ],
)
def test_second_halves_that_tell_somebody(codes, words: str, expected: list[str]) -> None:
    """Whom a second half tells is named by no rule, also if what it tells was named before."""
    text = (
        f'spec drop "Drop the job “Roof” {words}"\nimport jobs\nallow Drop(title = "Roof").\n'
        'done when Drop earlier, no Job(title = "Roof").\n'
    )
    assert codes(text) == expected


def test_counts_both_ways(codes) -> None:
    """Two acts with a permission for three are as wrong as with one for one."""
    text = (
        'spec drop "Drop two jobs of Ben"\nimport jobs\n'
        'allow {}Drop(title = ?t) when Job(title = ?t, owner = "Ben").\ndone when all Drop.\n'
    )
    assert "L0043" not in codes(text.format("2 "))
    assert "L0043" in codes(text.format("3 "))
    assert "L0043" in codes(text.format(""))


SHELF = """app shelf package "net.shelf" "Books"
import std.tree
import std.lists

screen Books "all books" when Node(id = "books").
define Field(node = ?n) when Node(id = "{id}", node = ?n, editable = true).
state {name} "{doc}" {{
  text: Text "the words"
}}
update {name}(text = ?t) when Field(node = ?n), Node(node = ?n, text = ?t).
state Book key (title) "A book" {{
  title: Text "its title"
}}
update Book(title = ?t)
  when Node(id = "books", node = ?l), Node(parent = ?l, node = ?r), Part(of = ?r, id = "title", text = ?t).
complete Book when Node(id = "books", node = ?l), Fits(node = ?l).
"""


@pytest.mark.parametrize(
    ("name", "doc", "found"),
    [
        ("Query", "What is looked for", True),
        ("Filter", "Which books show", True),
        ("Note", "A note on them", False),
    ],
)
def test_lists_that_a_definition_narrows(name: str, doc: str, found: bool) -> None:
    """A search field that a definition stands for narrows the list as one that is named at once."""
    text = SHELF.format(name=name, doc=doc, id="words")
    assert ("L0049" in [item.code for item in lint(load_text(text))]) == found


@pytest.mark.parametrize(
    ("words", "body", "expected"),
    [
        ("Drop every job except those of Ida", "Job(title = ?t)", ["L0044"]),
        ("Drop every job except those of Ida", 'Job(title = ?t, owner = ?o), ?o != "Ida"', []),
        ("Drop all jobs but the ones of Ida", "Job(title = ?t)", ["L0044"]),
        ("Drop all jobs that are mine", "Job(title = ?t)", []),
    ],
)
def test_exceptions_by_a_name_without_quotation_marks(
    codes, words: str, body: str, expected: list[str]
) -> None:
    text = (
        f'spec drop "{words}"\nimport jobs\nallow each Drop(title = ?t) when {body}.\n'
        'done when no Job(owner != "Ida").\n'
    )
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("words", "named", "expected"),
    [
        ("but do not take a plumber", "", ["L0044"]),
        ("but do not take a plumber", ', ?o != "plumber"', []),
        ("except a plumber", "", ["L0044"]),
        ("but do not invite Ben", "", []),
        ("but not before 5 PM", "", ["L0002"]),
    ],
)
def test_kinds_that_are_excepted(codes, words: str, named: str, expected: list[str]) -> None:
    """A kind that is not to be taken must be in a rule, as a name must; an hour is not a name."""
    text = (
        f'spec drop "Drop the job “Roof”, {words}"\nimport jobs\n'
        f'allow Drop(title = "Roof") when Job(title = "Roof", owner = ?o), ?o != "x"{named}.\n'
        'done when Drop earlier, no Job(title = "Roof").\n'
    )
    assert codes(text) == expected


def test_hours_in_the_evening(codes) -> None:
    """“8 in the evening” is 20:00."""
    text = "Add “Lamp” for 15, look at it at 8 in the evening"
    assert codes(add(text)) == []
    assert "L0046" in codes(add(text, hour="08:00"))
    assert codes(add("Add “Lamp” for 15, look at it at 8 o'clock in the morning", hour="08:00")) == []


def test_numbers_in_words_and_both(codes) -> None:
    """“ten” is not 100, 18:00 is not 6:00, and “both” asks for two."""
    assert "L0046" in codes(add("Add “Lamp” for ten, look at it at 8 PM", cost="100"))
    assert "L0046" not in codes(add("Add “Lamp” for ten, look at it at 8 PM", cost="10"))
    assert "L0046" in codes(add("Add “Lamp” for 15, look at it at 18:00", hour="06:00"))
    text = (
        'spec drop "Drop both jobs of Ben"\nimport jobs\n'
        'allow {}Drop(title = ?t) when Job(title = ?t, owner = "Ben").\ndone when all Drop.\n'
    )
    assert "L0043" in codes(text.format(""))
    assert "L0043" not in codes(text.format("2 "))
