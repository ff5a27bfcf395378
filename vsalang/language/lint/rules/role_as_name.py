"""L0041: `names` with a role, which is not a name."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program.ir import Compare, Constraint, Names
from vsalang.program.naming import called
from vsalang.program.text import safe
from vsalang.program.walk import parts


def find(context: Context) -> Iterable[Diagnostic]:
    """Constraints and comparisons with a name that calls nobody by name."""
    for part in parts(context.rules):
        if not isinstance(part, Constraint | Compare) or part.span is None:
            continue
        right = part.term if isinstance(part, Constraint) else part.right
        if isinstance(right, Names) and called(right.name).is_role:
            yield warning(
                RULE.code,
                part.span,
                f"{safe(right.name)} is a role, not a name: only a text of that very word certainly names this person",
                help="write the name of this person, or ask the owner: `confirm`",
            )


_APP = (
    'app chat package "com.chat" "A chat"\n'
    'action Send(to: Text "the recipient") "Send a message"\n'
    'recognize Send(to = ?to) when tap(id = "send"), Node(id = "title", text = ?to).\n'
    'deny "Nothing for this person" when Send(to names "{name}").\n'
)
RULE = Rule(
    "L0041",
    "role-as-name",
    "`names` with a role",
    "`names` asks whether a text is the name of a person or an identifier. A role such as `mom` or `my boss` "
    "is not a name: most contacts are called otherwise. So a clause of `allow` fits only where the screen says the "
    "very word and nothing else, and a `deny` or `confirm` holds of every other recipient.",
    _APP.replace("{name}", "my boss"),
    _APP.replace("{name}", "Lena Fischer"),
    find,
    fix="none: the person's name is not known",
)
