"""Runs the lint rules on a module of a checked program."""

from collections.abc import Collection, Mapping, Sequence

from vsalang.base.diagnostics import Diagnostic, Severity, in_order
from vsalang.language.lint.ignores import read_ignores
from vsalang.language.lint.lint_rule import Context
from vsalang.language.lint.rules import RULES
from vsalang.language.semantics import Loaded


def known_codes() -> tuple[str, ...]:
    """The codes that a comment may ignore: of the rules, and of what `vsac lint --deep` asks the solver."""
    from vsalang.base.diagnostics.codes import CODES

    return (*(rule.code for rule in RULES), *(code for code in CODES if code.startswith("V")))


def warning_codes() -> tuple[str, ...]:
    """The codes of the warnings that checking a program gives."""
    from vsalang.base.diagnostics.codes import CODES

    return tuple(code for code in CODES if code.startswith("W"))


def warnings_of_check(
    loaded: Loaded, *, select: Collection[str] | None = None, ignore: Collection[str] = ()
) -> tuple[Diagnostic, ...]:
    """The warnings of the checker about the main module; none if the program has errors, as with `lint`."""
    if loaded.program is None:
        return ()
    return tuple(
        item
        for item in in_order(loaded.diagnostics)
        if item.severity is not Severity.ERROR
        and item.where == loaded.file
        and (select is None or item.code in select)
        and item.code not in ignore
    )


def lint(
    loaded: Loaded,
    *,
    select: Collection[str] | None = None,
    ignore: Collection[str] = (),
    refuted: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Diagnostic, ...]:
    """The findings of the main module, in the order of its text; imported modules are not checked.

    A program with errors has no findings: what it means is not known.

    Args:
        loaded: the loaded file.
        select: the codes to look for; all if None.
        ignore: codes that are left out. Inside the file, comments leave out more (`vsalang.language.lint.ignores`).
        refuted: by the ids of `goto` rules that recordings refute, the steps that do, in words for people.
    """
    unit = next((item for item in loaded.units if item.source.file == loaded.file), None)
    if loaded.program is None or unit is None:
        return ()

    def wanted(code: str) -> bool:
        return (select is None or code in select) and code not in ignore

    ignores = read_ignores(unit.source, known_codes())
    rules = [rule for rule in RULES if wanted(rule.code)]
    # without recordings nothing is known of what they refute
    looked_for = frozenset(rule.code for rule in rules if rule.recorded is None or refuted)
    context = Context(loaded.program, unit, ignores, refuted or {}, looked_for)
    diagnostics: list[Diagnostic] = []
    for rule in rules:  # the last rule asks which comments the findings of the others needed
        diagnostics += [each for each in rule.find(context) if not ignores.hides(each, unit.source)]
    return tuple(in_order(diagnostics))
