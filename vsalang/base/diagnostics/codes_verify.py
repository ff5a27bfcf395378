"""Codes of the solver's findings in `vsac prove verify` (V0xxx)."""

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.diagnostic import Severity

_APP = 'app shop package "com.shop" "A shop"\nstate Item key (name) { name: Text  price: Number }\n'
_SPEC = 'spec order "Order the soup if it costs at most 10."\nimport shop\n'

VERIFY: tuple[Code, ...] = (
    Code(
        "V0001",
        "rule that can never hold",
        "No state makes all conditions of this rule true, so it allows, forbids or derives nothing. The finding names the "
        "conditions that clash: without any one of them the others can hold together.",
        _APP + "define Cheap(name = ?n) when Item(name = ?n, price < 5, price > 7).\n",
        _APP + "define Cheap(name = ?n) when Item(name = ?n, price < 5).\n",
        Severity.WARNING,
    ),
    Code(
        "V0002",
        "nothing may be done after an action",
        "There is a state in which an action that the spec allows was done and no `allow` or `done` applies any more, whatever "
        "the agent does: it can neither act nor finish. Usually the outcome that nobody thought of, such as a booking that "
        "failed. The finding shows the state; add a rule for it.",
        _SPEC + "allow Order when Item(name = \"soup\", price <= 10).\n"
        "done when Order earlier, OrderResult(success = true).\n",
        _SPEC + "allow Order when Item(name = \"soup\", price <= 10).\n"
        "done when Order earlier, OrderResult(success = true).\ndone when Order earlier, OrderResult(success = false).\n",
        Severity.WARNING,
    ),
    Code(
        "V0003",
        "nothing may be done from the start",
        "There is a state in which nothing was done yet and no `allow` or `done` applies, whatever the agent does: what is asked "
        "for does not exist, and the spec does not say what to do then. The finding shows the state; add a `done` for it.",
        _SPEC + "allow Order when Item(name = \"soup\", price <= 10).\n",
        _SPEC + "allow Order when Item(name = \"soup\", price <= 10).\n"
        "done when no Item(name = \"soup\", price <= 10).\n",
        Severity.WARNING,
    ),
    Code(
        "V0004",
        "not analysed",
        "The rule, or the question, uses something that has no exact form for the solver, or its answer depends on things that "
        "the solver does not look into. Nothing is known about it: it was neither found to be right nor wrong.",
        'policy soups "Soups"\nimport shop\nwarn "again?" when Order, Item(name matches /\\p{Greek} soup/).\n',
        'policy soups "Soups"\nimport shop\nwarn "again?" when Order, Item(name = "soup").\n',
        Severity.INFO,
    ),
    Code(
        "V0005",
        "not decided by the solver",
        "The solver did not answer within its time or its memory, or it gave up. Give more time with `--timeout`, or "
        "fewer rows with `--rows`.",
        severity=Severity.INFO,
    ),
    Code(
        "V0006",
        "clause that is forbidden in every case",
        "Whatever this rule allows, in every state, some `deny` of the spec, of a policy in force or of an app forbids. The "
        "agent can only give up. Either the task asks for what must not be, or the `deny` says more than was meant.",
        _SPEC + "allow Order when Item(name = \"soup\", price in 6..10).\ndone when Order earlier.\n"
        'deny "Too dear" when Order, Item(name = "soup", price > 5).\n',
        _SPEC + "allow Order when Item(name = \"soup\", price in 6..10).\ndone when Order earlier.\n"
        'deny "Too dear" when Order, Item(name = "soup", price > 10).\n',
        Severity.WARNING,
    ),
    Code(
        "V0007",
        "policy that forbids it in some states",
        "In some states a `deny` of a policy in force forbids what this rule allows; in others something is left. Nothing is "
        "wrong with that, but the task does not say what to do then. The finding shows such a state: ask for less, or say "
        "when the task is over anyway.",
        severity=Severity.INFO,
    ),
    Code(
        "V0008",
        "clause that others cover",
        "Whatever this `done`, `allow each` or `allow either` permits, other clauses of the spec permit as well: without it "
        "nothing would change. Either it can go, or one of the others permits more than was meant.",
        _SPEC + "allow Order when Item(name = \"soup\", price <= 10).\n"
        "done when Order earlier.\ndone when Order earlier, Item(name = \"soup\", price > 10).\n",
        _SPEC + "allow Order when Item(name = \"soup\", price <= 10).\n"
        "done when Order earlier.\ndone when no Item(name = \"soup\", price <= 10).\n",
        Severity.WARNING,
    ),
    Code(
        "V0009",
        "task that may be finished before anything was done",
        "There is a state in which this `done` holds, nothing was done yet, and an `allow` still applies: what the screen shows "
        "may have come from something else. Ask for the action, too: `done when Order earlier, OrderResult(success = true)`.",
        _SPEC + "allow Order when Item(name = \"soup\", price <= 10).\ndone when OrderResult(success = true).\n",
        _SPEC + "allow Order when Item(name = \"soup\", price <= 10).\n"
        "done when Order earlier, OrderResult(success = true).\n",
        Severity.WARNING,
    ),
    Code(
        "V0010",
        "effects that can conflict",
        "In some state two effects of one gesture or action write two values into one cell; the guard blocks such a step. The "
        "finding shows the state: make the conditions of the two exclude each other.",
        _APP + "update Item(name = ?n, price = 1) when tap(id = \"cheap\", text = ?n).\n"
        "update Item(name = ?n, price = 2) when tap(text = ?n, selected = true).\n",
        _APP + "update Item(name = ?n, price = 1) when tap(id = \"cheap\", text = ?n).\n"
        "update Item(name = ?n, price = 2) when tap(id = \"dear\", text = ?n).\n",
        Severity.WARNING,
    ),
    Code(
        "V0011",
        "contract that says nothing",
        "What this contract expects can never be so, so that it is violated whenever anything is seen, or it is always so, and "
        "then it checks nothing.",
        _APP + "action Order \"Order\"\nexpect Item(price < 5, price > 7) when Order.\n",
        _APP + "action Order \"Order\"\nexpect Item(price < 5) when Order.\n",
        Severity.WARNING,
    ),
    Code(
        "V0012",
        "level that the owner lowers",
        "A policy says by `@unlicensed confirm` that the user is asked about an action that nothing licenses, which is blocked "
        "otherwise, or by `@unlicensed warn` that the agent is warned of it. It is reported so that nobody overlooks it: what it names "
        "then only needs a yes, or a second proposal.",
        'policy a "What I am asked"\nimport shop\n@unlicensed confirm "Order it?" when Order.\n',
        'policy a "What I am asked"\nimport shop\nconfirm "Order it?" when Order.\n',
        Severity.INFO,
    ),
)  # fmt: skip
