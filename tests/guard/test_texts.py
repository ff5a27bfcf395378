"""Sentences stand in the catalogues and nowhere else; the catalogues agree; in another language only words change."""

import ast
import copy
import datetime as dt
import pickle
import re
import string
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vsalang
from vsalang.base.names import LANGUAGES
from vsalang.engine.explain.finding import Seen
from vsalang.engine.explain.terms import Context
from vsalang.guard.say.condition_words import ConditionWords
from vsalang.language.describe.constraints import after_noun, inflected
from vsalang.language.semantics import load_text
from vsalang.program import ir
from vsalang.program.ops import OPERATORS
from vsalang.program.phrases import FIRST, Sentence, UnknownLanguage, catalogue, joined, read, say
from vsalang.program.phrases.conditions import comparison, past
from vsalang.program.values import NONE

PACKAGE = Path(vsalang.__file__).resolve().parent
WING = PACKAGE / "guard"
SPEAKING = (
    "frontier/frontier",
    "frontier/written_row",
    "judge/doubtful_texts",
    "judge/judging_rules",
    "judge/licences",
    "judge/licensing",
    "judge/predict",
    "judge/resolve",
    "judge/several_names",
    "judge/unseen",
    "judge/whereabouts",
    "say/condition_words",
    "say/feedback",
    "say/reasons",
    "say/verdict_document",
    "say/why",
    "say/why_writer",
    "world/expected_effects",
    "world/observing",
)
ERRORS = frozenset({"FeedbackError", "ValueError", "Refused"})
"""What is raised to programmers is in English."""


def placeholders(sentence: str) -> list[str]:
    found = sorted(name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None)
    assert all(name.isidentifier() for name in found)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogues_have_the_same_sentences(language: str) -> None:
    mine, first = catalogue(language), catalogue(FIRST)
    assert mine.keys() == first.keys()
    assert {id: placeholders(mine[id]) for id in mine} == {id: placeholders(first[id]) for id in first}


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != FIRST])
def test_sentences_are_translated(language: str) -> None:
    same = {id for id, text in catalogue(language).items() if text == catalogue(FIRST)[id]}
    structure = {
        id for id in same if not re.search(r"[A-Za-z]", re.sub(r"\{\w+\}", "", catalogue(FIRST)[id]))
    }
    assert same == structure


LEFT: dict[str, list[ir.Type]] = {
    "text": [ir.TEXT, ir.Type("enum", "E", (ir.Member("A"),))], "number": [ir.NUMBER], "bool": [ir.BOOL],
    "date": [ir.DATE], "time": [ir.TIME], "duration": [ir.DURATION], "set": [ir.Type("set", elem=ir.TEXT)],
}  # fmt: skip


def right_sides(op: str, type_: ir.Type) -> list[tuple[ir.Term | None, ir.Term | None]]:
    """Everything that may stand on the right of an operator."""
    if op in ("known", "unknown"):
        return [(None, None)]
    found: list[tuple[ir.Term | None, ir.Term | None]] = [(ir.Var("x"), None), (ir.Const(NONE, type_), None)]
    found += [(ir.Const("", type_), None), (ir.Fn("lower", (ir.Var("x"),), type_), None)]
    if op in ("in", "not in"):
        found += [(ir.Choice((ir.Var("x"),) * n), None) for n in (1, 2, 3)]
        found += [(ir.Var("x"), ir.Var("y"))] if type_.kind.lower() in OPERATORS[op].range_types else []
    return found


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_operator_has_its_phrase(op: str, language: str) -> None:
    """For every type and right side; in English every phrase has a form after a noun, and for before and for many."""
    for type_ in [type_ for tag in OPERATORS[op].types for type_ in LEFT[tag]]:
        for term, high in right_sides(op, type_):
            words = comparison(op, term, high, type_, lambda term, type_: "X")
            assert read(words, language).count("X") == words.count("X"), (op, type_, term)
            assert "{" not in read(words, language)
            assert after_noun(words) and after_noun(words) != words
            assert inflected(words, "is") == words
            assert all(inflected(words, be) for be in ("was", "are", "were"))


@pytest.mark.parametrize(
    ("op", "type_", "right", "wanted"),
    [
        ("<", ir.TIME, "19:00", "is before 19:00"),
        ("<=", ir.TIME, "19:00", "is 19:00 or earlier"),
        ("<", ir.NUMBER, "3", "is less than 3"),
        ("contains", ir.TEXT, "a", "contains a"),
        ("contains", ir.Type("set", elem=ir.TEXT), "a", "includes a"),
    ],
)
def test_operators_are_said_plainly(op: str, type_: ir.Type, right: str, wanted: str) -> None:
    assert comparison(op, ir.Var("x"), None, type_, lambda term, type_: right) == wanted


def test_an_unknown_operator_has_no_phrase() -> None:
    with pytest.raises(KeyError):
        comparison("==", ir.Var("x"), None, ir.TEXT, lambda term, type_: "X")


def used() -> set[str]:
    """The ids that modules and the guard's templates ask for; those that are put together count by their beginning."""
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    for path in (WING / "say" / "templates").glob("*.j2"):
        found |= set(re.findall(r'"([\w.]+)"', path.read_text(encoding="utf-8")))
    return found


def test_no_sentence_is_left_over() -> None:
    words = used()
    beginnings = tuple(word for word in words if word.endswith((".", "_")) and len(word) > 2)
    unused = {id for id in catalogue(FIRST) if id not in words and not id.startswith(beginnings)}
    assert unused == set()


def literals(tree: ast.Module) -> list[tuple[int, str]]:
    """Texts in a module that are not docstrings, no annotations and nothing raised to programmers."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in node.body:
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    skipped.add(statement.value)
        raised = node.exc if isinstance(node, ast.Raise) else None
        if isinstance(raised, ast.Call) and getattr(raised.func, "id", "") in ERRORS:
            skipped |= set(ast.walk(raised))
        for name in ("annotation", "returns"):
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                skipped |= set(ast.walk(value))
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped
    ]


def sentences(source: str) -> set[str]:
    """Two words with a blank between them, or a word with one at its side that is not a keyword of the program."""
    keywords = {
        "no",
        "not",
        "before",
        "every",
        "first",
        "all",
        "has",
        "of",
        "then",
        "screen",
        "either",
        "today",
    }
    found = {text for _, text in literals(ast.parse(source))}
    return {
        text
        for text in found
        if re.search(r"[a-z]{2,} [a-z]", text)
        or (" " in text and set(re.findall(r"[A-Za-z]{2,}", text)) - keywords)
    }


@pytest.mark.parametrize("name", SPEAKING)
def test_no_sentence_stands_in_the_code(name: str) -> None:
    # what `render` raises is taken apart again
    assert sentences((WING / f"{name}.py").read_text(encoding="utf-8")) - {" failed: "} == set()


@pytest.mark.parametrize("name", ["finding", "firsts", "match", "nearest", "proof"])
def test_explanations_are_data(name: str) -> None:
    text = (WING.parent / "engine" / "explain" / f"{name}.py").read_text(encoding="utf-8")
    assert sentences(text) == set()


def test_every_finding_has_its_sentence() -> None:
    assert {f"seen.{seen}" for seen in get_args(Seen) if seen} <= catalogue(FIRST).keys()


def test_sentences_in_code_are_found() -> None:
    assert sentences('x = "not seen"') and sentences('x = f"up to {n}"') and sentences('f(" or ")')
    assert not sentences('def f() -> "a type":\n    """It says so."""\n    return "why.seen"')


def test_a_sentence_is_a_string_that_remembers() -> None:
    inner = say("seen.gap", position=3)
    text = say("because", what=say("contract.met"), why=joined("; ", [inner, "x"]))
    assert text == "what was expected came about: nothing was seen at position 3; x"
    assert isinstance(text, str) and hash(text) == hash(str(text))
    assert read(text, "de") == "was erwartet wurde, ist eingetreten: an Position 3 wurde nichts gesehen; x"
    assert read(text, FIRST) == text and type(read(text, FIRST)) is str
    for other in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
        assert isinstance(other, Sentence) and other == text and read(other, "de") == read(text, "de")
    assert read("as it is", "de") == "as it is" and read(3, "de") == 3


def test_there_is_no_such_sentence_or_language() -> None:
    with pytest.raises(KeyError):
        say("no.such")
    with pytest.raises(KeyError):
        say("seen.gap")
    for language in ("fr", "../en", ""):
        with pytest.raises(UnknownLanguage, match="there is"):
            read(say("so"), language)


@given(st.text(max_size=30), st.sampled_from(LANGUAGES))
def test_what_is_put_in_is_never_a_template(text: str, language: str) -> None:
    said = say("reason.no_gesture", action=text)
    assert text in said and text in read(said, language)
    assert text in read(joined("; ", [said, text]), language)


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("op", get_args(get_type_hints(ir.Past)["op"]))
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_past_has_its_phrase(language: str, op: str, negated: bool) -> None:
    for what in ({"done": "X"}, {"held": "X"}):
        words = past(op, negated, time="T", other="O", **what)
        assert read(words, language).count("X") == 1
        assert ("T" in words, "O" in words) == (op in ("within", "for"), op == "since")
        assert words != past(op, not negated, time="T", other="O", **what)


def test_a_screen_that_must_not_show_is_said_so() -> None:
    program = load_text(
        'app a package "p" "A"\nscreen Home "h" when Node(text = "home").\n', file="a.vsa"
    ).program
    assert program is not None
    words = ConditionWords(program, Context(dt.date(2026, 4, 1), dt.datetime(2026, 4, 1)))
    home = ir.Lit(ir.Atom("a:Home"), neg=True)
    assert words.literal(home) == "the screen Home does not show"
    assert read(words.literal(home), "de") == "der Bildschirm Home wird nicht angezeigt"


@pytest.mark.parametrize("kind", get_args(ir.Literal), ids=lambda kind: kind.__name__)
def test_feedback_has_words_for_every_condition(kind: type) -> None:
    text = 'app a package "p" "A"\nlist L { n: Number }\naction Act(n: Number)\n'
    program = load_text(text, file="a.vsa").program
    assert program is not None
    words = ConditionWords(program, Context(dt.date(2026, 4, 1), dt.datetime(2026, 4, 1)))
    atom, one = ir.Atom("a.L"), ir.Const(1, ir.NUMBER)
    has = (ir.Constraint("n", "=", one),)
    made: dict[type, ir.Literal] = {
        ir.Lit: ir.Lit(atom),
        ir.Compare: ir.Compare(one, "<", one),
        ir.Aggregate: ir.Aggregate("sum", "n", ir.Lit(atom), "<=", one),
        ir.Every: ir.Every(atom, has),
        ir.First: ir.First(2, atom, has),
        ir.Then: ir.Then(((ir.Lit(atom),), (ir.Lit(atom),))),
        ir.Spent: ir.Spent("a.Act"),
    }
    said = words.literal(made[kind])
    assert read(said, "de") and "None" not in said
