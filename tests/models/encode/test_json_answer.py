"""Answers in JSON: the form is that of the core, every spec can be said in it, and nothing else is read as one."""

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.generators import programs as random_programs
from tests.pages import section
from tests.thorough import times
from vsalang.base.source import Source
from vsalang.language.notations.out.core_rules import read_rule, rule_data
from vsalang.language.semantics import load, load_text
from vsalang.language.syntax import parse
from vsalang.models.encode import (
    Answer,
    Doubt,
    Formalization,
    Message,
    Review,
    Settings,
    Task,
    encode,
    response_schema,
)
from vsalang.models.encode.json_answer import JsonAnswer, read, written
from vsalang.program import ir
from vsalang.program.show import source

ROOT = Path(__file__).parents[3]
SPECS = [
    path
    for path in sorted((ROOT / "tests/programs/right").glob("*.vsa"))
    if "\nspec " in "\n" + path.read_text(encoding="utf-8")
]
SPECS = [*sorted((ROOT / "vsalang/models/encode/templates/examples").glob("*.vsa")), *SPECS[::4]]


def const(**value: Any) -> dict[str, Any]:
    return {"node": "Const", "value": value}


def atom(relation: str, *constraints: dict[str, Any]) -> dict[str, Any]:
    return {"node": "Atom", "relation": relation, "constraints": list(constraints), "before": False}


RESERVE = {
    "node": "Rule",
    "head": {
        "node": "License",
        "atom": atom(
            "Reserve",
            {"node": "Constraint", "attr": "time", "op": "<", "term": const(time="19:00:00"), "hi": None},
        ),
        "quota": {"node": "Quota", "kind": "one", "n": 1},
    },
    "body": [],
}
DONE = {
    "node": "Rule",
    "head": {"node": "License", "atom": atom("finish"), "quota": {"node": "Quota", "kind": "one", "n": 1}},
    "body": [
        {
            "node": "Lit",
            "atom": atom("Reserve"),
            "neg": False,
            "past": {"node": "Past", "op": "earlier", "duration": None, "other": None},
        }
    ],
}
ANSWER = {"remarks": "", "imports": ["apps.opentable"], "rules": [RESERVE, DONE]}
TEXT = (
    'spec early "Book before seven"\nimport apps.opentable\n\nallow Reserve(time < 19:00).\n'
    "done when Reserve earlier.\n"
)


def test_every_spec_can_be_said_in_json() -> None:
    said = 0
    for path in SPECS:
        loaded = load(path)
        if loaded.program is None or loaded.program.modules[loaded.main].kind != "spec":
            continue
        answer = read(f"```json\n{written(loaded.program)}\n```")
        assert isinstance(answer, JsonAnswer), (path.name, answer)
        text = answer.spec(f'spec {loaded.main} "x"', loaded.program)
        again = load_text(text, file=path.name, path=path)
        assert again.program is not None, (text, again.diagnostics[:2])
        before, after = (
            [source(replace(rule, annotations={})) for rule in each.rules if rule.module == loaded.main]
            for each in (loaded.program, again.program)
        )
        assert before == after
        said += 1
    assert said > 20


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(random_programs(wide=True))
def test_random_rules_survive_json(program: ir.Program) -> None:
    for rule in program.rules:
        text = json.dumps(rule_data(rule))
        # relations of the guard itself have other names; lists of words are in files, names are written as texts
        mine = re.search(r'": "(match|told) |"node": "(Words|Names)"', text)
        if isinstance(rule.head, ir.License | ir.Derive | ir.Judge) and not mine:
            data = json.loads(text)
            assert rule_data(read_rule(data)) == data


def test_the_documented_answer() -> None:
    page = section("models", "`vsac encode`").partition("### Answers in JSON")[2]
    given, wanted = (page.split(f"```{kind}\n")[1].split("```")[0] for kind in ("json", "vsa"))
    answer = read(given)
    assert isinstance(answer, JsonAnswer)
    assert answer.spec('spec early "Book a table before seven."') == wanted


# ---- the schema -------------------------------------------------------------------------------------


def _schemas(item: Any) -> Iterator[dict[str, Any]]:
    """All schemas in a schema."""
    if isinstance(item, dict):
        yield item
        inner = [each for name in ("properties", "$defs") for each in item.get(name, {}).values()]
        for each in (*inner, *item.get("anyOf", ()), item.get("items")):
            yield from _schemas(each)


def test_the_schema_is_one_that_strict_servers_take() -> None:
    """Closed objects with all fields required, no keywords they do not know, within the limits that they name."""
    schema = response_schema()
    jsonschema_rs.meta.validate(schema)
    every = list(_schemas(schema))
    known = {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "anyOf",
        "items",
        "enum",
        "$ref",
        "$defs",
    }
    for each in every:
        assert set(each) <= known | {"description", "pattern", "format"}
        if each.get("type") == "object":
            assert each["required"] == list(each["properties"]) and each["additionalProperties"] is False
    assert sum(len(each.get("properties", ())) for each in every) <= 5_000
    assert sum(len(each.get("enum", ())) for each in every) <= 1_000
    assert len(json.dumps(schema)) <= 120_000
    used = {each["$ref"].rpartition("/")[2] for each in every if "$ref" in each}
    assert used == set(schema["$defs"])


def test_the_schema_takes_what_is_read() -> None:
    validator = jsonschema_rs.Draft202012Validator(response_schema())
    assert validator.is_valid(ANSWER)
    answer = read(json.dumps(ANSWER))
    assert isinstance(answer, JsonAnswer)
    assert answer.spec('spec early "Book before seven"') == TEXT
    for key in ("span", "reading", "type"):
        assert not validator.is_valid({**ANSWER, "rules": [{**RESERVE, key: None}]})


# ---- what is not an answer ------------------------------------------------------------------------------


def _changed(path: str, value: Any) -> str:
    """The answer with another value at a path such as ``rules.0.head``."""
    data: Any = copy.deepcopy(ANSWER)
    *before, last = path.split(".")
    inner = data
    for step in before:
        inner = inner[int(step) if step.isdigit() else step]
    inner[int(last) if last.isdigit() else last] = value
    return json.dumps(data)


HEAD = "rules.0.head.atom"
CONSTRAINT = f"{HEAD}.constraints.0"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "holds no JSON object"),
        ("[1]", "holds no JSON object"),
        ('{"rules": [', "is not JSON: Expecting value"),
        ('{"rules": [], "rules": [], "imports": []}', "is given twice"),
        ('{"imports": [], "rules": [NaN]}', "is not a number of JSON"),
        ('{"imports": ' + "[" * 100_000, "nested too deeply"),
        ('{"imports": [], "rules": []} {"imports": []}', "text follows"),
        ('{"imports": [], "rules": []}\nallow shell.', "text follows"),
        ('{"rules": []}', "`imports` is missing"),
        ('{"imports": [], "rules": {}}', "`rules` is not a list"),
        ('{"imports": [], "rules": [], "remarks": 1}', "`remarks` is not a text"),
        ('{"imports": [], "rules": [], "spec": ""}', "`spec` means nothing here"),
        ('{"imports": ["a\\nallow shell"], "rules": []}', "is not a module's name"),
        ('{"imports": [1], "rules": []}', "is not a module's name"),
        ('{"imports": [], "rules": [7]}', "rules[0]: expected an object"),
        (json.dumps({"imports": [], "rules": [RESERVE] * 201}), "more than 200 rules"),
        (" " * 400_001, "longer than"),
        (_changed("rules.0.node", "Program"), "rules[0].node: expected Rule"),
        (_changed("rules.0.head.node", "Write"), "rules[0].head.node: Write is not part of a spec's rules"),
        (_changed("rules.0.head.node", "Lit"), "rules[0].head.node: expected"),
        (_changed("rules.0.id", "x"), "rules[0].id: unknown key"),
        (_changed("rules.0.annotations", {}), "rules[0].annotations: unknown key"),
        (_changed(f"{HEAD}.relation", "Reserve). allow shell"), "relation: expected a name"),
        (_changed(f"{HEAD}.relation", "R" * 201), "relation: expected a name"),
        (_changed(f"{HEAD}.relation", None), "relation: expected a text"),
        (_changed(f"{CONSTRAINT}.attr", "time // x"), "attr: expected a name"),
        (_changed(f"{CONSTRAINT}.op", "=="), "op: expected one of ="),
        (_changed(f"{CONSTRAINT}.op", ["="]), "op: expected one of ="),
        (_changed(f"{CONSTRAINT}.term", None), "nothing on their right"),
        (_changed(f"{CONSTRAINT}.op", "known"), "nothing on their right"),
        (_changed(f"{CONSTRAINT}.hi", const(time="20:00:00")), "only `in` and `not in`"),
        (_changed(f"{CONSTRAINT}.term", const(time="7 PM")), "not a time"),
        (_changed(f"{CONSTRAINT}.term", const(number="1e999999")), "number"),
        (_changed(f"{CONSTRAINT}.term", const(time="19:00:00", text="x")), "expected a value"),
        (_changed(f"{CONSTRAINT}.term", {"node": "Var", "name": "x) when y"}), "name: expected a name"),
        (_changed(f"{CONSTRAINT}.term", {"node": "Fn", "name": "exec", "args": []}), "name: expected one of"),
        (_changed(f"{CONSTRAINT}.term", {"node": "Fn", "name": "+", "args": []}), "`+` takes 2"),
        (_changed("rules.0.head.quota.n", True), "expected a whole number"),
    ],
)
def test_what_is_no_answer_is_told(answer: str, message: str) -> None:
    problems = read(answer)
    assert isinstance(problems, tuple)
    assert message in problems[0].message, problems[0].message
    assert all(len(each.text) < 1_000 for each in problems)


def test_nesting_has_an_end() -> None:
    term: dict[str, Any] = const(number="1")
    for _ in range(200):
        term = {"node": "Fn", "name": "neg", "args": [term]}
    problems = read(_changed(f"{CONSTRAINT}.term", term))
    assert isinstance(problems, tuple) and "nested too deeply" in problems[0].message


def test_each_bad_rule_is_told() -> None:
    bad = {**RESERVE, "body": 1}
    problems = read(json.dumps({**ANSWER, "rules": [bad, DONE, bad]}))
    assert isinstance(problems, tuple)
    assert [each.message.partition(".")[0] for each in problems] == ["rules[0]", "rules[2]"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["=", "in", "Lit", "a:B", "today"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["node", "atom", "text", "name"]), inner)
    ),
    max_leaves=6,
)


def _places(data: Any, path: str = "") -> Iterator[str]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield f"{path}{key}"
        yield from _places(value, f"{path}{key}.")


@pytest.mark.slow
@settings(max_examples=times(50, 150))
@given(st.sampled_from(sorted(_places(ANSWER))), JSON)
def test_any_change_is_read_or_told(path: str, value: Any) -> None:
    found = read(_changed(path, value))
    if isinstance(found, JsonAnswer):
        parse(Source.from_text(found.spec('spec a "x"'), "a.vsa"))
    else:
        assert found


# ---- the conversation -------------------------------------------------------------------------------


class Script:
    name = "script"

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.seen: list[tuple[Message, ...]] = []

    def ask(self, messages: tuple[Message, ...]) -> Answer:
        self.seen.append(tuple(messages))
        return Answer(self.answers[min(len(self.seen), len(self.answers)) - 1])


def _encoded(model: Script) -> Formalization:
    task = Task("Book before seven", ("apps.opentable",), "early")
    return encode(task, model, Settings(form="json"))


def test_json_is_checked_like_text() -> None:
    wrong = _changed(f"{CONSTRAINT}.attr", "hour")
    model = Script("Sure! " + wrong, "no", f"<think>{{</think>{json.dumps(ANSWER)}")
    result = _encoded(model)
    assert result.accepted and result.text == TEXT
    assert [bool(each.problems) for each in result.rounds] == [True, True, False]
    checked, unread = model.seen[1], model.seen[2]
    assert checked[2].content == "Sure! " + wrong
    for part in ("E0206", "allow Reserve(hour < 19:00).", "Send the whole JSON object again"):
        assert part in checked[3].content
    assert unread[2].content == "no" and "holds no JSON object" in unread[3].content
    assert "was read as this spec" not in unread[3].content


def test_remarks_answer_the_doubts() -> None:
    doubt = Doubt("reader", "any table", "Any table is allowed.")
    model = Script(json.dumps(ANSWER), json.dumps({**ANSWER, "remarks": "1: no, because any will do"}))
    settings = Settings(form="json", meaning=lambda loaded, given: Review((doubt,)))
    result = encode(Task("Book before seven", ("apps.opentable",), "early"), model, settings)
    assert result.accepted and result.doubts == (doubt,)
    assert result.reply == "1: no, because any will do"
    told = model.seen[1][3].content
    assert "Any table is allowed." in told and "`remarks`" in told and "```vsa" not in told


def test_json_gives_no_authority() -> None:
    foreign = json.dumps({**ANSWER, "imports": ["apps.opentable", "apps.settings"]})
    result = _encoded(Script(foreign))
    assert not result.accepted
    assert [problem.kind for problem in result.problems] == ["authority"]
