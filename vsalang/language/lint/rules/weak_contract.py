"""L0038: a critical action after which only "something changed" is expected."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import atoms, relations

_ANYTHING = frozenset({"Changed", "Transition", "Delta", "Appeared", "Gone"})
"""What nearly every other screen meets, whatever it is about."""


def find(context: Context) -> Iterable[Diagnostic]:
    """`expect` rules of an action that ask only whether something changed, where no other rule asks for more."""
    program = context.program
    expected: dict[str, list[ir.Rule]] = {}
    for rule in program.rules:
        if isinstance(rule.head, ir.Expect) and not rule.refusal:
            for name in relations(rule.body):
                if program.relations[name].sort == "action":
                    expected.setdefault(name, []).append(rule)
    for name, rules in expected.items():
        if not all(_is_weak(rule) for rule in rules):
            continue
        for rule in rules:
            if rule.module == program.main and rule.span is not None:
                yield warning(
                    RULE.code,
                    rule.head_span or rule.span,
                    f"nearly every screen meets what is expected of `{program.relations[name].short}`",
                    label="this says that something happened, not that it is done",
                    help="expect what only its success shows: a screen, a message, the row that it writes",
                )


def _is_weak(rule: ir.Rule) -> bool:
    assert isinstance(rule.head, ir.Expect)
    return all(
        atom.relation in _ANYTHING
        and not any(each.attr in ("label", "text", "after") for each in atom.constraints)
        for atom in atoms(rule.head.literals)
    )


_APP = (
    'app shop package "com.example.shop" "A shop"\n\n'
    'screen Thanks "The order was placed" when Node(id = "thanks").\n'
    'action Order "Order what is in the basket"\nrecognize Order when tap(id = "order").\n'
)
RULE = Rule(
    "L0038",
    "weak-contract",
    "contract of a critical action that any change meets",
    "Of 3,943 recorded taps on buttons and links, 3,330 changed something; of as many screens drawn at random 3,939 "
    "differed from the one before. `expect Changed` after a critical action says that the tap was not lost; a "
    "refused order meets it too. Expect what only success shows.",
    _APP.replace('"A shop"\n', '"A shop"\nimport std.control\n') + "expect Changed when Order.\n",
    _APP + "expect screen Thanks when Order.\n",
    find,
    fix="none: what success shows depends on the app",
)
