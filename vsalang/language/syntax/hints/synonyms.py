"""Words of other languages, and the words of this language that mean the same."""

from typing import Final

ITEM_SYNONYMS: Final = {
    "permit": "allow",
    "allowed": "allow",
    "grant": "allow",
    "ask": "confirm",
    "alert": "warn",
    "log": "flag",
    "rule": "define",
    "def": "define",
    "derive": "define",
    "type": "enum",
    "table": "state",
    "relation": "state",
    "predicate": "state",
    "include": "import",
    "use": "import",
    "using": "import",
    "const": "let",
    "var": "let",
    "set": "update",
    "remove": "delete",
    "goal": "done",
    "finish": "done",
    "require": "expect",
    "assert": "expect",
    "ensure": "expect",
}
"""Words that begin an item in other languages."""

ITEM_HINTS: Final = {
    "forbid": 'write deny "why" when A(..): a message and conditions',
    "reject": 'write deny "why" when A(..): a message and conditions',
    "block": 'write deny "why" when A(..): a message and conditions',
    "class": "relations are declared by `state`, `view` and `list`",
    "for": "a rule holds for every row that its conditions match: allow A(name = ?n) when R(name = ?n)",
    "update": "rows are written by rules: update R(a = ..) when ..",
    "delete": "rows are deleted by rules: delete R(a = ..) when ..",
    "insert": "rows are written by rules: update R(a = ..) when ..",
    "from": "a whole module is imported: import NAME",
    "package": 'the packages of an app are in its first line: app shop package "com.shop"; other modules have none',
    "default": "nothing is allowed by default: leave this out",
    "select": "there are no queries: rules derive (`define`) and judge (`allow`, `deny`)",
    "create": "relations are declared by `state`, `view` and `list`",
    "when": "a rule begins with its head: allow A when .., define R when ..; a declaration takes no conditions",
    "if": "a rule begins with its head, the conditions follow: allow A when ..",
    "not": "a rule derives what is so; what is not derived is not so",
    "return": "rules return nothing: they derive (`define`) and judge (`allow`, `deny`)",
}
"""The help for words that no single word can replace."""

GESTURES: Final = frozenset(
    "tap double_tap long_press input_text clear_text swipe scroll press_key back home open_app wait".split()
)
"""The gestures of the device, whose attributes are named like those of any relation."""

VERDICT_SYNONYMS: Final = {
    "deny": "block",
    "denied": "block",
    "forbid": "block",
    "reject": "block",
    "refuse": "block",
    "blocked": "block",
    "allowed": "allow",
    "permit": "allow",
    "ok": "allow",
    "pass": "allow",
    "ask": "confirm",
    "warning": "warn",
}
"""Words of other languages for a verdict."""

PLAIN_MARKS: Final = {"。": ".", "、": ",", "｡": ".", "「": '"', "」": '"'}
"""Marks of other scripts that Unicode does not fold to one of ours."""
