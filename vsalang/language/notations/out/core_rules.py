"""Rules of specs as JSON: the nodes of `core_json` without what the checker computes, such as types and places.

A language model writes them so, held to `schema`; ``read_rule(rule_data(rule))`` prints as the rule does.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, get_args

from vsalang.language.notations.out.core_json import NODES, NotCore, read_node, write_node
from vsalang.language.notations.out.core_schema import schema as core_schema
from vsalang.program import ir, ops

COMPUTED: Final = frozenset(
    "annotations doc extra group groups head_span id module reading span trigger type".split()
)
"""The fields that the checker computes, or that a spec does without."""

ANSWERED: Final = frozenset(
    kind.__name__
    for kind in (
        *(ir.Rule, ir.License, ir.Quota, ir.Derive, ir.Judge, ir.Atom, ir.Constraint, ir.Past),
        *get_args(ir.Literal),
        *(kind for kind in get_args(ir.Term) if kind is not ir.Words),  # written in files alone
    )
)
"""The nodes of which rules of specs are made."""

FUNCTIONS: Final = frozenset(ops.FUNCTIONS) | {"today"}
_ARGUMENTS: Final = {"today": 0, "neg": 1, "+": 2, "-": 2, "*": 2}
_TYPES: Final = {
    "text": "Text",
    "bool": "Bool",
    "number": "Number",
    "date": "Date",
    "time": "Time",
    "seconds": "Duration",
    "microseconds": "Duration",
    "set": "set",
    "none": "None",
}
_NAMES: Final = {
    "Atom": "relation",
    "Constraint": "attr",
    "Var": "name",
    "Spent": "relation",
    "Aggregate": "attr",
}
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)*", re.ASCII)
_LONGEST_NAME: Final = 200
_DEEPEST: Final = 60


# ---- writing -----------------------------------------------------------------------------------------


def rule_data(rule: ir.Rule) -> object:
    """A rule as JSON data."""
    return _without(write_node(rule))


def _without(data: object) -> object:
    if isinstance(data, list):
        return [_without(each) for each in data]
    if isinstance(data, dict) and "node" in data:
        return {name: _without(each) for name, each in data.items() if name not in COMPUTED}
    return data


# ---- reading -----------------------------------------------------------------------------------------


def read_rule(data: object, path: str = "rule") -> ir.Rule:
    """The rule of JSON data. It can be printed; whether it means something, the checker says.

    Raises:
        NotCore: it is none, or a field does not fit; `path` is where the data is.
    """
    rule: ir.Rule = read_node(_completed(data, path, 0), (ir.Rule,), path)
    return rule


def _completed(data: object, path: str, depth: int) -> object:
    """The data with the computed fields that a node must have, after a look at what nodes do not say themselves."""
    if depth > _DEEPEST:
        raise NotCore(path, "nested too deeply")
    if isinstance(data, list):
        return [_completed(each, f"{path}[{index}]", depth + 1) for index, each in enumerate(data)]
    if not isinstance(data, dict) or "node" not in data:
        return data
    node = data["node"]
    if isinstance(node, str) and node in NODES and node not in ANSWERED:
        raise NotCore(f"{path}.node", f"{node} is not part of a spec's rules")
    for name in data:
        if name in COMPUTED:
            raise NotCore(f"{path}.{name}", "unknown key")
    _look(node, data, path)
    inner = {name: _completed(each, f"{path}.{name}", depth + 1) for name, each in data.items()}
    if node == "Rule":
        inner["id"] = path
    elif node == "Const":
        value = data.get("value")
        kind = next(iter(value), "") if isinstance(value, dict) else ""
        inner["type"] = {"node": "Type", "kind": _TYPES.get(kind, "None")}
    elif node == "Fn":
        inner["type"] = {"node": "Type", "kind": "None"}
    return inner


def _look(node: object, data: Mapping[str, Any], path: str) -> None:
    """Check what the printer relies on: names are names, operators and functions exist and have what they need."""
    field = _NAMES.get(node) if isinstance(node, str) else None
    name = data.get(field) if field else None
    whole = name == "" and node == "Aggregate"  # it counts rows
    if isinstance(name, str) and not whole and (not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME):
        raise NotCore(f"{path}.{field}", "expected a name: letters, digits and _")
    if node in ("Constraint", "Compare", "Aggregate"):
        op, right = data.get("op"), data.get("term" if node == "Constraint" else "right")
        if not isinstance(op, str) or op not in ops.OPERATORS:
            raise NotCore(f"{path}.op", f"expected one of {', '.join(ops.OPERATORS)}")
        if (right is None) is not (op in ("known", "unknown")):
            raise NotCore(path, "`known` and `unknown` have nothing on their right, every other operator has")
        if data.get("hi") is not None and op not in ("in", "not in"):
            raise NotCore(f"{path}.hi", "only `in` and `not in` have an upper end")
    if node == "Fn":
        name, args = data.get("name"), data.get("args")
        if not isinstance(name, str) or name not in FUNCTIONS:
            raise NotCore(f"{path}.name", f"expected one of {', '.join(sorted(FUNCTIONS))}")
        if isinstance(args, list) and len(args) != _ARGUMENTS.get(name, len(args)):
            raise NotCore(f"{path}.args", f"`{name}` takes {_ARGUMENTS[name]}")


# ---- the schema --------------------------------------------------------------------------------------


def schema() -> dict[str, dict[str, Any]]:
    """The definitions of the nodes, as a server takes them that holds a model to a schema.

    Such servers want every field required, objects closed, and no ``oneOf`` and ``const``.
    """
    whole = core_schema()["$defs"]
    definitions = {name: _strict(whole[name]) for name in sorted({*ANSWERED, "Value"})}
    for name in ("Aggregate", "Compare", "Constraint"):
        definitions[name]["properties"]["op"] = {"type": "string", "enum": list(ops.OPERATORS)}
    definitions["Fn"]["properties"]["name"] = {"type": "string", "enum": sorted(FUNCTIONS)}
    return definitions


def _strict(item: Any) -> Any:
    if isinstance(item, list):
        return [_strict(each) for each in item]
    if not isinstance(item, dict):
        return item
    data: dict[str, Any] = {}
    for name, each in item.items():
        if name == "properties":
            data[name] = {key: _strict(value) for key, value in each.items() if key not in COMPUTED}
            data["required"] = list(data[name])
        elif name in ("anyOf", "oneOf"):
            data["anyOf"] = [_strict(one) for one in each if _kept(one)]
        elif name == "const":
            data |= {"type": "boolean" if isinstance(each, bool) else "string", "enum": [each]}
        elif name == "enum":
            data |= {"type": "string", "enum": list(each)}
        elif name not in ("required", "uniqueItems"):
            data[name] = _strict(each)
    return data


def _kept(option: Mapping[str, Any]) -> bool:
    name = str(option.get("$ref", "")).rpartition("/")[2]
    return not name or name in ANSWERED or name == "Value"
