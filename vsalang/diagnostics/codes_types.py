"""Codes of types and values (E03xx, W03xx)."""

from vsalang.diagnostics.code import Code
from vsalang.diagnostics.model import Severity

_APP = 'app shop package "com.shop" "A shop"\n'
_CART = _APP + "state Cart { total: Number  note: Text  day: Date }\n"

TYPES: tuple[Code, ...] = (
    Code(
        "E0301",
        "wrong type",
        "A value of one type stands where another is expected. Nothing is converted silently; number(), time(), date() and "
        "the other readers read values from a Text.",
        _CART + 'update Cart(total = "5") when tap(id = "add").\n',
        _CART + 'update Cart(total = 5) when tap(id = "add").\n',
    ),
    Code(
        "E0302",
        "one variable, two types",
        "A variable joins attributes of one type. If one of them is a Text that holds the other, read it first.",
        _CART + 'update Cart(total = ?t) when Node(id = "total", text = ?t).\n',
        _CART + 'update Cart(total = number(?t)) when Node(id = "total", text = ?t).\n',
    ),
    Code(
        "E0303",
        "operator that does not work on this type",
        "Numbers, dates, times and durations have an order; `contains` and `matches` work on Text; `subset` on sets. "
        "Comparing what has no order would never hold.",
        _CART + 'define Big when Cart(note > "a").\n',
        _CART + 'define Big when Cart(note contains "a").\n',
    ),
    Code(
        "E0304",
        "argument that does not fit",
        "A function has too many or too few arguments, or something stands where a value is needed: `_`, `unknown`, a "
        "regular expression without `matches`.",
        _CART + 'define Big when Cart(note matches "a+").\n',
        _CART + "define Big when Cart(note matches /a+/).\n",
    ),
    Code(
        "E0305",
        "type that cannot be told",
        "The attributes of a derived relation have the types that its rules give them. Bind the variable to an attribute of "
        "a declared relation.",
        _APP + "define Again(x = ?x) when Again(x = ?x).\n",
        _CART + "define Again(x = ?x) when Cart(total = ?x).\n",
    ),
    Code(
        "E0306",
        "empty set or range",
        "Nothing is in an empty set, and nothing lies between a value and a smaller one: the condition could never hold.",
        _CART + "define Some when Cart(total in 9..1).\n",
        _CART + "define Some when Cart(total in 1..9).\n",
    ),
    Code(
        "E0307",
        "regular expression that is not accepted",
        "Expressions use RE2's syntax and are matched in linear time, so that no screen can slow the guard down: no "
        "backreferences, no lookaround.",
        _CART + r"define Twice when Cart(note matches /(a)\1/)." + "\n",
        _CART + "define Twice when Cart(note matches /aa/).\n",
    ),
    Code(
        "E0308",
        "message with a broken placeholder",
        "In the message of a judgement `{?name}` puts in the value of a variable; a brace by itself is written `{{`.",
        'policy p "Rules"\ndeny "No {command}" when shell(command = ?command).\n',
        'policy p "Rules"\ndeny "No {?command}" when shell(command = ?command).\n',
    ),
    Code(
        "W0301",
        "element stands twice",
        "A set holds each element once; the second one says nothing and may be a slip.",
        _CART + "define Few when Cart(total in {1, 2, 2}).\n",
        _CART + "define Few when Cart(total in {1, 2, 3}).\n",
        Severity.WARNING,
    ),
)
