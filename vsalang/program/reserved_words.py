"""The words of the language: which are reserved, which begin an item or a step."""

from typing import Final

from vsalang.program.ops import WORDS

MODULE_KINDS: Final = ("app", "spec", "policy", "module")
DECLARATIONS: Final = ("import", "let", "enum", "state", "view", "list", "action", "test")
RULE_KINDS: Final = (
    "define",
    "screen",
    "recognize",
    "complete",
    "top",
    "end",
    "update",
    "delete",
    "goto",
    "allow",
    "done",
    "deny",
    "confirm",
    "warn",
    "flag",
    "expect",
)
ITEM_WORDS: Final = frozenset(DECLARATIONS) | frozenset(RULE_KINDS)
"""What an item can begin with (or an annotation)."""

STEP_WORDS: Final = frozenset(
    "given clock update delete attempt finish observe claim step assume approve refuse".split()
)
AGGREGATES: Final = frozenset({"count", "sum", "min", "max", "set"})
VERDICTS: Final = ("allow", "warn", "confirm", "block", "not allow")

CONDITION_WORDS: Final = tuple("no before every first all then earlier within since either each".split())
"""What is written before, between and after the atoms of conditions; `for` has other uses, too."""

OPERATOR_WORDS: Final = WORDS
"""The words in operators."""

RESERVED: Final = (
    frozenset(MODULE_KINDS)
    | ITEM_WORDS
    | frozenset(CONDITION_WORDS)
    | frozenset(OPERATOR_WORDS)
    | frozenset("when with has of for true false none today as on key over closed package".split())
)
"""No constant may have such a name, and as an enum member such a word is written in quotes."""
