"""Sentences stand in the catalogues and nowhere else; the catalogues agree; in another language only words change."""

import ast
import copy
import pickle
import re
import string
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.base.names import LANGUAGES
from vsalang.engine.explain.finding import Seen
from vsalang.guard.say import texts
from vsalang.guard.say.texts import FIRST, Said, UnknownLanguage, catalogue, joined, read, say
from vsalang.program.ops import OPERATORS

WING = Path(texts.__file__).resolve().parents[2]
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


def test_operators_are_said_as_the_language_says_them() -> None:
    for symbol, operator in OPERATORS.items():
        assert catalogue(FIRST)[f"operator.text.{symbol}"] == operator.say("text")
        assert catalogue(FIRST)[f"operator.time.{symbol}"] == operator.say("time")


def used() -> set[str]:
    """The ids that the wing, its templates and hints ask for; those that are put together count by their beginning."""
    found: set[str] = set()
    for path in (*WING.rglob("*.py"), WING.parent / "agents" / "maps" / "telling.py"):
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
        assert isinstance(other, Said) and other == text and read(other, "de") == read(text, "de")
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
