"""L0013: `~=` against a text that the instruction quotes."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.language.lint.instruction import place, quoted_texts
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import may_narrow, nodes
from vsalang.language.syntax import tree as t
from vsalang.program.text import fold_case


def find(context: Context) -> Iterable[Diagnostic]:
    """Constraints with `~=` on a text that is in quotation marks in the instruction."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    quoted = {fold_case(quote.text.strip()): quote for quote in quoted_texts(doc.value)}
    for rule in context.tree_rules():
        for arg in nodes((rule.head, rule.body, rule.extra or ())):
            if not isinstance(arg, t.Arg) or arg.op != "~=" or not isinstance(arg.value, t.Text):
                continue
            quote = quoted.get(fold_case(arg.value.value.strip()))
            if quote is None:
                continue
            yield warning(
                RULE.code,
                arg.span,
                f"the instruction quotes “{safe(quote.text, 60)}”: it means exactly that",
                labels=(
                    Label(place(doc, context.unit.source, doc.value, quote.start, quote.end), "quoted here"),
                ),
                help="what is quoted is `=`, what is described is `~=`",
                fixes=(Fix("write `=`", (Edit(arg.op_span, "="),)),) if may_narrow(rule, arg) else (),
            )


_SPEC = (
    "spec book \"Book a table at 'Chez Ann' for today\"\nimport apps.opentable\n"
    'allow Reserve(restaurant {op} "Chez Ann", date = today, time = ?t)\n'
    '  when Slot(restaurant = "Chez Ann", date = today, time = ?t).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0013",
    "similar-to-quoted",
    "`~=` against a quoted text",
    "The operator decides how exactly a text is meant: what the instruction quotes is `=`, what it only "
    "describes is "
    "`~=`. A quoted name that is compared by similarity lets in its neighbours.",
    _SPEC.replace("{op}", "~="),
    _SPEC.replace("{op}", "="),
    find,
    fix="writes `=`, where that permits less",
)
