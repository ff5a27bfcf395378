"""L0006: a text compared with "ON" or "OFF"."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.base.diagnostics.display import safe
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import texts_of
from vsalang.program.walk import head_atom, rule_uses

_OPERATORS = ("=", "!=", "in", "not in", "contains", "not contains", "~=", "!~=")


def find(context: Context) -> Iterable[Diagnostic]:
    """Constraints whose value is the caption of a switch."""
    for rule in context.rules:
        head = head_atom(rule)
        atoms = [(use.atom, use.constraints) for use in rule_uses(rule)]
        if head is not None:
            atoms.append((head, head.constraints))
        for atom, constraints in atoms:
            relation = context.relation(atom)
            for constraint in constraints:
                if constraint.op not in _OPERATORS:
                    continue
                for text in texts_of(constraint):
                    known = {attr.name: attr.type.kind for attr in relation.attrs}
                    if text.strip().casefold() not in ("on", "off") or known.get(constraint.attr) != "Text":
                        continue
                    yield warning(
                        RULE.code,
                        constraint.span,
                        f'`{relation.short}.{constraint.attr}` is compared with "{safe(text)}"',
                        label="another language, or another version, says it otherwise",
                        help="read the attribute `checked` of the switch"
                        if relation.sort in ("observed", "gesture")
                        else f"declare `{constraint.attr}: Bool` and read it from the switch's `checked`",
                    )


_APP = 'app lamp package "com.lamp" "A lamp"\nstate Light "The lamp" {\n  on: Bool "whether it shines"\n}\n'
RULE = Rule(
    "L0006",
    "compared-with-on-off",
    'text compared with "ON" or "OFF"',
    "What a switch shows as its caption depends on the language and on the version of the app, and some "
    "show nothing. "
    "The device says whether it is switched on: `checked`.",
    _APP + 'update Light(on = true) when Node(id = "switch", text = "ON").\n',
    _APP + 'update Light(on = ?c) when Node(id = "switch", checked = ?c).\n',
    find,
    fix="none: what else shows the state depends on the app",
)
