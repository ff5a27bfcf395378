"""Hints for a bare word that has no meaning: what its author may have meant."""

from vsalang.base.diagnostics import Edit, Fix
from vsalang.base.source.suggest import nearest
from vsalang.language.semantics.migration_hints import foreign_value
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import Scope
from vsalang.language.semantics.types import WORDS
from vsalang.language.semantics.wording import an, words
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Type


def explain_bare(scope: Scope, report: Report, expr: t.Ref, expected: Type | None) -> None:
    """Report a bare word that is neither a constant, nor a member of the enum expected, nor ``today``."""
    name = expr.name
    if scope.silent(name) or report.repeated("bare word", name, expr.span):
        report.errors += 1
        return
    names = ["today", *scope.let_names()]
    if expected is not None and expected.kind == "Bool":
        names = ["true", "false", *scope.let_names()]
    owner, _, attr = name.rpartition(".")
    if owner and (symbols := scope.find_relation(owner)) and attr in symbols[0].types:
        report.error(
            "E0212",
            expr.span,
            f"`{name}` is not a value: attributes are asked of a row",
            help=f"write {owner}({attr} = ..), or {owner}({attr} = ?x) and compare ?x",
        )
        return
    enums = sorted(str(enum) for enum in scope.enums_with(name))
    if enums and expected is None:
        report.error(
            "E0305",
            expr.span,
            f"`{name}` is a member of {words(enums)}, but nothing says which enum is meant here",
            help="bind the variable to an attribute of that type: Relation(attribute = ?x)",
        )
        return
    help_text, fixes = foreign_value(expr, expected)
    if help_text:
        report.error("E0212", expr.span, f"`{name}` means nothing here", help=help_text, fixes=fixes)
        return
    if name.lower() not in WORDS and nearest(name, names):
        what = "truth value" if names[0] == "true" else "constant"
        report.unknown_name("E0212", expr.span, what, name, names)
        return
    word = WORDS.get(name.lower(), "")
    if word and (word == "none" or expected is None or expected.kind == "Bool"):
        fixes = [Fix(f"write `{word}`", (Edit(expr.span, word),))]
        help_text = ""
    elif expected is None or expected.kind == "Text":
        help_text = f'a text is written in quotes: "{name}"; a variable begins with a question mark: ?{name}'
        if expected is not None:
            help_text = f"a variable begins with a question mark: ?{name}"
            fixes = [Fix("put it in quotes: a text is written in quotes", (Edit(expr.span, f'"{name}"'),))]
    else:
        help_text = f"expected {an(expected)}; a variable begins with a question mark: ?{name}"
    report.error("E0212", expr.span, f"`{name}` means nothing here", help=help_text, fixes=fixes)
