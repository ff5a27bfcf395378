"""Beginnings of items and steps with places to fill in, in the form that editors know."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ITEM_SNIPPETS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "import": "import ${0:module}",
        "let": "let ${1:Name} = ${0:value}.",
        "enum": "enum ${1:Name} {${0:member}}",
        "state": 'state ${1:Name} key (${2:name}) "${3:what it is}" {\n  ${2:name}: ${4:Text} "$0"\n}',
        "view": 'view ${1:Name} on ${2:Screen} "${3:what it is}" {\n  ${4:name}: ${5:Text} "$0"\n}',
        "list": 'list ${1:Name} "${2:what one entry is}" {\n  ${3:name}: ${4:Text} "$0"\n}',
        "action": 'action ${1:Name}(${2:name}: ${3:Text}) "${0:what it does}"',
        "define": "define ${1:Name}(${2:name} = ?${2:name}) when $0.",
        "screen": 'screen ${1:Name} "${2:what it is}" when ${0:Node(id = "")}.',
        "recognize": 'recognize ${1:Action} when ${2:tap(id = "")}$0.',
        "complete": "complete ${1:List} when $0.",
        "top": "top ${1:List} when $0.",
        "end": "end ${1:List} when $0.",
        "update": "update ${1:Relation}(${2:name} = ?${2:name}) when $0.",
        "delete": "delete ${1:Relation} when $0.",
        "goto": "goto ${1:Screen} when $0.",
        "allow": "allow ${1:Action} when $0.",
        "done": "done when $0.",
        "deny": 'deny "${1:why not}" when $0.',
        "confirm": 'confirm "${1:what to ask}" when $0.',
        "warn": 'warn "${1:what to heed}" when $0.',
        "flag": 'flag "${1:what is to be seen later}" when $0.',
        "expect": "expect ${1:condition} when $0.",
        "test": 'test "${1:what is tried}" {\n  $0\n}',
    }
)
"""What is written for each keyword that begins an item."""

STEP_SNIPPETS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "given": "given $0.",
        "clock": "clock ${1:2026-01-31} ${0:12:00}.",
        "attempt": "attempt ${1:Action} => ${0:allow}.",
        "observe": "observe $0.",
        "claim": "claim $0 => allow.",
        "finish": "finish => ${0:allow}.",
        "step": "step {\n  $0\n}.",
        "assume": 'assume "$1" ~= "$0".',
    }
)
"""What is written for each keyword that begins a step of a test."""

_HEADERS: Final = {
    "app": 'app ${1:name} package "${2:com.example}" "${0:what it is}"',
    "spec": 'spec ${1:name} "${0:the instruction}"',
    "policy": 'policy ${1:name} "${0:what it forbids}"',
    "module": 'module ${1:name} "${0:what it is for}"',
}


def snippet_of(word: str) -> str:
    """The snippet of a keyword that begins an item or a file; empty if it has none."""
    return ITEM_SNIPPETS.get(word) or _HEADERS.get(word, "")
