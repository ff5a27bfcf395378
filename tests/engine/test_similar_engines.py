"""`~=` means the same to every evaluator, with each backend."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.agreeing import evaluator
from vsalang.language.semantics import load_text
from vsalang.program.ops import holds
from vsalang.program.similarity import AssumedPairs, FoldedEquality, Similarity, Words

CONSTANTS = ("Jan 01", "7 PM", "the two adults", "without milk", "$5", "team calender")
TEXTS = (
    *(
        "January 1st",
        "19:00",
        "2 adults",
        "with milk",
        "no milk",
        "5 USD",
        "Team Calendar",
        "Jan 2",
        "7:00",
        "$50",
    ),
    *CONSTANTS,
)
BACKENDS: tuple[Similarity | None, ...] = (
    None,
    FoldedEquality(),
    Words(spelling=1),
    AssumedPairs([("no milk", "without milk", True)]),
)
RULES = "".join(
    f'define Yes{n} when Note(text ~= "{c}").\ndefine No{n} when Note(text !~= "{c}").\n'
    for n, c in enumerate(CONSTANTS)
)
APP = f'app shop package "com.shop" "A shop"\nstate Note "A note" {{ text: Text "its text" }}\n{RULES}'
PROGRAM = load_text(APP).checked()


@pytest.mark.parametrize("backend", BACKENDS, ids=["default", "folded", "spelling", "assumed"])
@settings(max_examples=10, deadline=None)
@given(texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3))
def test_all_say_the_same(backend: Similarity | None, texts: list[str]) -> None:
    engines = [
        evaluator(PROGRAM, name, similarity=backend) for name in ("reference", "incremental", "pydatalog")
    ]
    for text in texts:
        for engine in engines:
            engine.assign("shop.Note", [(text,)])
        for number, constant in enumerate(CONSTANTS):
            for name, op in (("Yes", "~="), ("No", "!~=")):
                expected = holds(op, text, constant, similarity=backend)
                found = [bool(engine.rows(f"shop.{name}{number}")) for engine in engines]
                assert found == [expected] * 3, f"{text} {op} {constant}"
