"""Names are nouns: a class says which thing it is, and a variable says what it holds."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house import nodes, trees

REGULAR = re.compile(r"_?[A-Z][a-z]*ed")
IRREGULAR = frozenset(
    "Begun Bound Broken Built Chosen Cut Done Drawn Fed Forbidden Forgotten Found Given Gone Heard Held Hidden Kept "
    "Known Led Left Lost Made Meant Met Put Read Said Seen Sent Shown Sold Sought Spent Spoken Taken Thought Told "
    "Understood Unknown Unsaid Unseen Untold Written".split()
)
ALLOWED = frozenset({"Loaded", "Need", "Proposed", "Quantified", "Spent", "Unknown"})
"""A noun (`Need`), what users import (`Loaded`, `Proposed`), and what the language's grammar calls so."""

VAGUE = frozenset("anew became beside found given often said shown told".split())
"""What such a variable holds, only its assignment says: `matches`, `message`, `values`, `screens`, `listener`."""

FIELDS = frozenset(
    {
        ("guard/journal/enact.py", "told"),
        ("guard/judge/judgement.py", "given"),
        ("guard/judge/resolve.py", "given"),
        ("guard/say/feedback.py", "often"),
        ("guard/say/verdict.py", "found"),
        ("program/patterns.py", "_found"),
        ("screen/control/delta.py", "told"),
        ("screen/tree/face.py", "told"),
        ("tools/ask/answer.py", "said"),
        ("tools/audit/score.py", "found"),
        ("tools/cli/remembering.py", "shown"),
    }
)
"""Members that keep such a name: keys of JSON documents (`often`, `found`), and some that wait for a better one."""


def participles(tree: ast.Module) -> Iterator[str]:
    """The classes whose name is a participle and nothing else."""
    for node in nodes(tree):
        if isinstance(node, ast.ClassDef):
            word = node.name.removeprefix("_")
            if (REGULAR.fullmatch(node.name) or word in IRREGULAR) and word not in ALLOWED:
                yield node.name


def vague(tree: ast.Module) -> Iterator[str]:
    """The variables, parameters, fields and functions that are called by one of the `VAGUE` words."""
    for node in nodes(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.MatchAs | ast.ExceptHandler):
            name = node.name or ""
        else:
            continue
        if name.removeprefix("_") in VAGUE:
            yield name


def test_no_class_is_a_bare_participle() -> None:
    everywhere = {place: sorted(participles(tree)) for place, tree in trees().items()}
    assert len(everywhere) > 500
    assert {place: names for place, names in everywhere.items() if names} == {}


def test_variables_are_named_by_what_they_hold() -> None:
    everywhere = {
        place: sorted({name for name in vague(tree) if (place, name) not in FIELDS})
        for place, tree in trees().items()
    }
    assert {place: names for place, names in everywhere.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class Agreed: pass", ["Agreed"]),
        ("class _Found: pass", ["_Found"]),
        ("class Event: pass\nclass Need: pass\nclass Recording: pass\nclass LoadedModule: pass", []),
    ],
)
def test_what_counts_as_a_participle(text: str, names: list[str]) -> None:
    assert list(participles(ast.parse(text))) == names


@pytest.mark.parametrize(
    "text",
    [
        "found = 1",
        "for found in (): pass",
        "found: int",
        "def found(): pass",
        "def f(found): pass",
        "x = lambda found: 1",
        "self._found = 1",
        "if (found := 1): pass",
        "match 1:\n    case found: pass",
        "try: pass\nexcept OSError as found: pass",
    ],
)
def test_what_counts_as_a_vague_name(text: str) -> None:
    assert [name.removeprefix("_") for name in vague(ast.parse(text))] == ["found"]


def test_a_use_is_not_a_name() -> None:
    assert list(vague(ast.parse("print(found, text.found, call(found=1))"))) == []
