"""Answers in JSON: the imports and rules of a spec as core rules, which are printed as the spec that is checked."""

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.language.notations.out.core_json import NODES, NotCore, default
from vsalang.language.notations.out.core_rules import COMPUTED, read_rule, rule_data, schema
from vsalang.models.encode.extract import MAX_ANSWER, without_thoughts
from vsalang.models.encode.problem import Problem
from vsalang.program import ir
from vsalang.program.show import Notation, short_name

_KEYS: Final = {"remarks": str, "imports": list, "rules": list}
_HELP: Final = "send one JSON object with `remarks`, `imports` and `rules`, and nothing else"
_MOST_RULES: Final = 200
_WORDS: Final = {"string": "text", "integer": "whole number", "boolean": "true | false", "null": "null"}
_STRICT: Final = json.JSONDecoder(object_pairs_hook=object_once, parse_constant=no_constant)


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """A spec in JSON.

    Attributes:
        imports: the modules that it imports.
        rules: its rules.
        remarks: what the model says in addition to it.
    """

    imports: tuple[str, ...]
    rules: tuple[ir.Rule, ...]
    remarks: str = ""

    def spec(self, header: str, program: ir.Program | None = None) -> str:
        """The spec as text.

        Args:
            header: its first line.
            program: has the types of attributes, so that members of enums are written without quotes.
        """
        types = _types(program) if program is not None else {}
        notation = Notation(
            name=_name, type_of=lambda relation, attr: types.get((short_name(relation), attr))
        )
        rules = [notation.rule(rule) for rule in self.rules]
        return "\n".join([header, *(f"import {each}" for each in self.imports), "", *rules]) + "\n"


def _name(relation: str) -> str:
    """A relation's name as it was written; a screen's without its module, which no file takes."""
    return short_name(relation) if ":" in relation else relation


def _types(program: ir.Program) -> dict[tuple[str, str], ir.Type]:
    types: dict[tuple[str, str], ir.Type] = {}
    for relation in program.relations.values():
        for attr in relation.attrs:
            types.setdefault((relation.short, attr.name), attr.type)
    return types


def response_schema() -> dict[str, Any]:
    """The schema of an answer; the nodes of rules are those of the core program's."""
    properties = {
        "remarks": {
            "type": "string",
            "description": "What you say about doubts that you were told; else empty.",
        },
        "imports": {"type": "array", "items": {"type": "string"}, "description": "The modules that you use."},
        "rules": {"type": "array", "items": {"$ref": "#/$defs/Rule"}},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": schema(),
    }


def written(program: ir.Program) -> str:
    """The spec of a program as an answer in JSON, a rule a line; names are short where only one relation has them."""
    info = program.modules[program.main]
    shorts = Counter(relation.short for relation in program.relations.values())
    rules = [
        _short(rule_data(rule), shorts, program.main) for rule in program.rules if rule.module == program.main
    ]
    lines = ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in rules)
    return f'{{"remarks": "", "imports": {json.dumps(list(info.imports))}, "rules": [\n  {lines}]}}'


def _short(data: Any, shorts: Mapping[str, int], main: str) -> Any:
    if isinstance(data, list):
        return [_short(each, shorts, main) for each in data]
    if not isinstance(data, dict):
        return data
    short_data = {name: _short(each, shorts, main) for name, each in data.items()}
    name = short_data.get("relation")
    if isinstance(name, str) and ":" not in name:
        short = short_name(name)
        if shorts[short] == 1 or name == f"{main}.{short}":
            short_data["relation"] = short
    return short_data


def read(answer: str) -> JsonAnswer | tuple[Problem, ...]:
    """The spec in an answer, or what is wrong with it, one problem for each rule."""
    if len(answer) > MAX_ANSWER:
        return (Problem.of("answer", f"the answer is longer than {MAX_ANSWER} characters", _HELP),)
    text = without_thoughts(answer)
    start = text.find("{")
    if start < 0:
        return (Problem.of("answer", "the answer holds no JSON object", _HELP),)
    try:
        data, end = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        return (Problem.of("answer", f"the answer is not JSON: {why[:200]}", _HELP),)
    if text[end:].strip(" \t\r\n`"):
        return (Problem.of("answer", "text follows the JSON object", _HELP),)
    problems = list(_shape(data))
    if problems:
        return tuple(problems)
    rules: list[ir.Rule] = []
    for number, each in enumerate(data["rules"]):
        try:
            rules.append(read_rule(each, f"rules[{number}]"))
        except NotCore as error:
            problems.append(Problem.of("answer", str(error)[:400], "see the form of answers"))
    remarks = data.get("remarks", "")
    return tuple(problems) or JsonAnswer(tuple(data["imports"]), tuple(rules), remarks)


def _shape(data: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with an answer around its rules."""
    for key in data:
        if key not in _KEYS:
            yield Problem.of("answer", f"the key `{key[:60]}` means nothing here", _HELP)
    for key, kind in _KEYS.items():
        if key not in data and key != "remarks":
            yield Problem.of("answer", f"`{key}` is missing", _HELP)
        elif not isinstance(data.get(key, kind()), kind):
            yield Problem.of("answer", f"`{key}` is not a {'text' if kind is str else 'list'}", _HELP)
    imports, rules = data.get("imports"), data.get("rules")
    if isinstance(imports, list):
        for each in imports:
            if not isinstance(each, str) or not all(
                part.isidentifier() and part.isascii() for part in each.split(".")
            ):
                yield Problem.of(
                    "answer", f"{str(each)[:60]!r} is not a module's name", "such as apps.opentable"
                )
    if isinstance(rules, list) and len(rules) > _MOST_RULES:
        yield Problem.of("answer", f"more than {_MOST_RULES} rules", "write only what the task needs")


def fields() -> tuple[str, ...]:
    """What each node of a rule holds, a line each, for a model that no server holds to the schema."""
    lines = [_line(name, definition) for name, definition in schema().items() if name != "Value"]
    return (*lines, f"`Value`: one of {', '.join(_values())}")


def _values() -> Iterator[str]:
    examples = {
        "text": "R", "bool": True, "number": "2.5", "date": "2026-04-01", "time": "19:00:00", "seconds": 1800,
        "microseconds": 500_000,
        "set": ["Mon", "Tue"], "none": True,
    }  # fmt: skip
    for option in schema()["Value"]["anyOf"]:
        (kind,) = option["properties"]
        yield f"`{json.dumps({kind: examples[kind]})}`"


def _line(name: str, definition: Mapping[str, Any]) -> str:
    defaults = {
        each.name: default(each) for each in dataclasses.fields(NODES[name]) if each.name not in COMPUTED
    }
    lines = []
    for field, what in definition["properties"].items():
        if field == "node":
            continue
        optional = "" if defaults[field] is dataclasses.MISSING else "?"
        lines.append(f"{field}{optional}: {_what(what)}")
    about = re.sub(rf"; `({'|'.join(COMPUTED)})`.*", "", definition["description"]).rstrip(".")
    return f"`{name}`: {about}. Fields: {', '.join(lines)}"


def _what(item: Mapping[str, Any]) -> str:
    if "$ref" in item:
        return str(item["$ref"]).rpartition("/")[2]
    if "anyOf" in item:
        return " | ".join(_what(each) for each in item["anyOf"])
    if "enum" in item and len(item["enum"]) <= 5:
        return " | ".join(f'"{each}"' for each in item["enum"])
    if item["type"] == "array":
        inner = _what(item["items"])
        return f"list of ({inner})" if "anyOf" in item["items"] else f"list of {inner}"
    return _WORDS[item["type"]]
