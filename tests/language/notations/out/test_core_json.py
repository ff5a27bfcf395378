"""The core program as JSON: what is written is read back equal, fits the schema, and nothing else is read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.programs.files import ALONE, HERE
from tests.snapshots import golden
from tests.thorough import some
from vsalang.language.notations.out import NotCore, export, from_json
from vsalang.language.notations.out.core_json import from_data, to_data, to_json
from vsalang.language.notations.out.core_schema import schema
from vsalang.language.semantics import load, load_text
from vsalang.program.ir import Program
from vsalang.program.text import canonical

ROOT = Path(__file__).resolve().parents[4]
FILES = sorted(
    [
        *ROOT.glob("app_specs/**/*.vsa"),
        *ROOT.glob("stdlib/**/*.vsa"),
        *ALONE,
    ]
)
SCHEMA = ROOT / "docs" / "reference" / "core.schema.json"

KNOWN: set[str] = set()

VALIDATOR = jsonschema_rs.Draft202012Validator(schema())

EVERYTHING = """\
app everything package "org.example.every" "Every kind of value"
enum Day { Mon as ("Monday", "Lun"), Tue }
@risk(financial)
action Pay(amount: Number, on: Date, at: Time, tip: Bool)
state Plan key (name) { name: Text days: set of Day length: Duration due: Date }
list Row in (name) { name: Text n: Number }
screen Home when Node(id = "home").
screen Menu closed over Home when Node(id = "menu").
define Cheap(name = ?n) when Plan(name = ?n, length <= 90s, length != 0.5s, due = none), ?n not in {"a", "b"}.
define Range(n = ?x) when Row(n = ?x, n in 1..3), ?x + 0.1 < 4.
define Kept when Plan(name matches /^(?<c>a+)/i, days contains Mon), count(Row(n > 1)) >= 2.
update Plan(name = ?t, due = unknown) when input_text(id = "plan", value = ?t).
goto Menu when tap(id = "more").
expect screen Menu when tap(id = "more").
deny "At {?a}?" when Pay(at = ?a, at < 19:00, on = 2026-04-01, tip = true), Pay earlier.
"""


def _program(path: Path) -> Program:
    loaded = load(path)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("path", some(FILES, 3), ids=lambda path: path.stem)
def test_what_is_written_is_read_back(shipped: Callable[[Path], Program], path: Path) -> None:
    program = shipped(path)
    text = to_json(program)
    again = from_json(text)
    assert again == program
    assert to_json(again) == text  # True equals 1, but is written in another way


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_documents_fit_the_schema(shipped: Callable[[Path], Program], path: Path) -> None:
    VALIDATOR.validate(without_known(to_data(shipped(path))))


def without_known(data: dict[str, Any]) -> dict[str, Any]:
    """The document without the modules, relations and rules that a document before it had too.

    Each item of these lists is judged by itself, and most programs hold the same apps.
    """
    new = dict(data)
    for part in ("modules", "relations", "rules"):
        assert schema()["properties"][part].keys() == {"type", "items"}
        texts = {json.dumps(item, sort_keys=True): item for item in data[part]}
        new[part] = [item for text, item in texts.items() if text not in KNOWN]
        KNOWN.update(texts)
    return new


def test_every_kind_of_value() -> None:
    loaded = load_text(EVERYTHING)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    text = export(loaded.program, "json").text
    assert from_json(text) == loaded.program
    VALIDATOR.validate(json.loads(text))
    for piece in (
        '"seconds": 90',
        '"microseconds": 500000',
        '"none": true',
        '"number": "0.1"',
        '"time": "19:00:00"',
        '"bool": true',
    ):
        assert piece in text


def test_the_published_schema_is_fresh() -> None:
    jsonschema_rs.meta.validate(schema())
    wanted = json.dumps(schema(), indent=2) + "\n"
    golden(wanted, SCHEMA)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_survives(text: str) -> None:
    content = json.dumps(text, ensure_ascii=False)
    loaded = load_text(f"spec a\nallow answer(text = {content}).\ndone when answer earlier.")
    if loaded.program is not None:
        again = from_json(to_json(loaded.program))
        assert again == loaded.program
        assert canonical(text) in to_json(again) or "\\" in json.dumps(canonical(text), ensure_ascii=False)


SMALL = to_data(_program(ROOT / "app_specs" / "examples" / "reserve_r.vsa"))


def _paths(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        found += _paths(value, (*path, key))
    return found


_PLACES = _paths(SMALL)


@pytest.mark.slow
@given(
    st.sampled_from(_PLACES),
    st.sampled_from([None, True, 7, 1.5, "x", [], {}, ["x"], {"node": "Rule"}, {"text": 1}, "delete"]),
)
def test_a_changed_document_is_refused_or_fits_the_schema(place: tuple[Any, ...], value: Any) -> None:
    """The reader takes nothing that the schema does not."""
    data = json.loads(json.dumps(SMALL))
    at = data
    for key in place[:-1]:
        at = at[key]
    if value == "delete":
        del at[place[-1]]
    else:
        at[place[-1]] = value
    try:
        program = from_data(data)
    except NotCore as problem:
        assert str(problem)
    else:
        VALIDATOR.validate(data)
        assert from_data(to_data(program)) == program


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the document: not JSON"),
        ("[" * 100_000, "the document"),
        ("[]", 'expected an object with "format": "vsa-core"'),
        ('{"format": "vsa-core", "version": 2}', "version: this reader knows version 1 only"),
        ('{"format": "vsa-core", "version": true}', "version"),
        ('{"format": "vsa-core", "version": 1, "x": 1}', "x: unknown key"),
        ('{"format": "vsa-core", "version": 1, "modules": 1}', "modules: expected a list"),
        (
            '{"format": "vsa-core", "version": 1, "modules": [], "relations": [], "rules": [{"node": "Atom"}]}',
            r"rules\[0\].node: expected Rule",
        ),
    ],
)
def test_what_is_no_core_program(text: str, message: str) -> None:
    with pytest.raises(NotCore, match=message):
        from_json(text)


@pytest.mark.parametrize(
    "pair", [[], ["item"], ["item", {"node": "Wildcard"}, "more"], ["item", "name"], [1, 2]]
)
def test_arguments_of_an_effect_are_pairs(pair: list[object]) -> None:
    data = to_data(load(HERE / "right" / "table.vsa").checked())
    relations: Any = data["relations"]
    refinements = [relation["refines"] for relation in relations if relation.get("refines")]
    VALIDATOR.validate(data)
    assert from_data(data).relation("table.Reserve").refines is not None
    refinements[0]["arguments"][0] = pair
    with pytest.raises(NotCore, match=r"refines\.arguments\[0\]"):
        from_data(data)
    with pytest.raises(jsonschema_rs.ValidationError):
        VALIDATOR.validate(data)
