"""L0012: `~=` on what identifies somebody or something."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import may_narrow, nodes
from vsalang.language.syntax import tree as t

_EXACT = frozenset(
    "id ids email mail phone tel telephone mobile account iban username login password pin code url link "
    "address sku "
    "isbn number package path".split()
)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def find(context: Context) -> Iterable[Diagnostic]:
    """Constraints with `~=` or `!~=` on an attribute whose name looks like an identifier."""
    for rule in context.tree_rules():
        for arg in nodes((rule.head, rule.body, rule.extra or ())):
            if not isinstance(arg, t.Arg) or arg.op not in ("~=", "!~="):
                continue
            words = {word.lower() for word in _PART.findall(arg.attr.text)}
            if not words & _EXACT and "email" not in arg.attr.text.lower().replace("_", ""):
                continue
            exact = "=" if arg.op == "~=" else "!="
            yield warning(
                RULE.code,
                arg.span,
                f"`{arg.attr.text}` identifies something: what is only similar is something else",
                help="similarity is for what the instruction describes; identifiers are equal or they are not",
                # a `deny` of what is similar objects to more than one of what is equal
                fixes=(Fix(f"write `{exact}`", (Edit(arg.op_span, exact),)),)
                if arg.op == "~=" and may_narrow(rule, arg)
                else (),
            )


_APP = (
    'app mail package "com.mail" "A mail app"\n'
    'state Contact key (name) "A person" {\n  name: Text "the name"\n  email: Text "the address"\n}\n'
    'update Contact(name = ?n, email = ?e) when Node(id = "name", text = ?n), Node(id = "email", text = ?e).\n'
    'deny "Do not write to the boss" when tap(id = "send"), Contact(email {op} "boss@example.org").\n'
)
RULE = Rule(
    "L0012",
    "similar-name",
    "`~=` on an identifier",
    "`~=` asks whether two texts mean the same. Names such as id, e-mail, phone, account or code "
    "identify: `ann@x.org` "
    "and `anna@x.org` are similar and are two people. Use `=`.",
    _APP.replace("{op}", "~="),
    _APP.replace("{op}", "="),
    find,
    fix="writes `=`, where that permits less; a `deny` would object to less",
)
