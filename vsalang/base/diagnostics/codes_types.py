"""Codes of types and values (E03xx, W03xx)."""

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.diagnostic import Severity

_APP = 'app shop package "com.shop" "A shop"\n'
_CART = _APP + "state Cart { total: Number  note: Text  day: Date }\n"

TYPES: tuple[Code, ...] = (
    Code(
        "E0301",
        "wrong type",
        "A value of one type is given where another is expected. Nothing is converted silently; number(), time(), date() and "
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
        "A function or operator has too many or too few arguments, or one of a kind that it does not take. The message says "
        "what it takes; the reference has a table of all functions.",
        _CART + "define Big when Cart(total = number()).\n",
        _CART + "define Big when Cart(total = ?n, note = ?t), ?n = number(?t).\n",
    ),
    Code(
        "E0305",
        "type that cannot be inferred",
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
        "E0309",
        "`_` where a value is needed",
        "`_` means any value and is not a constraint. It can only follow `attribute =` in a condition; a head and a "
        "comparison need a value.",
        _CART + 'update Cart(total = _) when tap(id = "add").\n',
        _CART + 'update Cart(total = unknown) when tap(id = "add").\n',
    ),
    Code(
        "E0310",
        "regular expression in the wrong place",
        "A regular expression is written between slashes, after `matches` or `not matches`; nothing else may be written there. A "
        "constant may name one: `let Word = /a+/.`",
        _CART + 'define Big when Cart(note matches "a+").\n',
        _CART + "define Big when Cart(note matches /a+/).\n",
    ),
    Code(
        "E0311",
        "`unknown` as a value",
        "Unknown is not a value: not seen. Ask for it with `attribute unknown` or `attribute known`; a variable always has a "
        "value. Only the head of an update erases a cell with `attribute = unknown`.",
        _CART + "define New when Cart(total = unknown).\n",
        _CART + "define New when Cart(total unknown).\n",
    ),
    Code(
        "E0312",
        "a constant is needed",
        "The value of a `let`, the elements of a set and of `in {..}`, and the duration of `within` and `for` are constants: "
        "values, and names of other constants. What a rule reads cannot be written there. Compare it in the body instead, or "
        "write a rule for each value.",
        _CART + "define Known when Cart(total = ?t), ?t in {1, ?t}.\n",
        _CART + "define Known when Cart(total = ?t), ?t in {1, 2}.\n",
    ),
    Code(
        "E0313",
        "`in` without a set or a range",
        "After `in` several values are expected: a set of constants `{a, b}`, the name of one, or a range `lo..hi`, "
        "whose ends are included. For one value write `=`; for text inside a text `contains`; for the rows of a relation "
        "bind the variable by the relation itself.",
        _CART + "define Cheap when Cart(total in 5).\n",
        _CART + "define Cheap when Cart(total in 1..5).\n",
    ),
    Code(
        "E0314",
        "capture that captures nothing",
        "A named group of a regular expression binds a variable where the expression matches. Under `not matches` it does "
        "not match, so there is nothing to bind: leave the name of the group out.",
        _CART + "define Free when Cart(note not matches /(?<price>[0-9]+)/).\n",
        _CART + "define Free when Cart(note not matches /[0-9]+/).\n",
    ),
    Code(
        "W0301",
        "element is given twice",
        "A set holds each element once; the second one says nothing and may be a slip.",
        _CART + "define Few when Cart(total in {1, 2, 2}).\n",
        _CART + "define Few when Cart(total in {1, 2, 3}).\n",
        Severity.WARNING,
    ),
)
