"""Exports a core program to other notations: JSON, Datalog, the VeriSafe Agent paper's clauses, Graphviz.

>>> from vsalang.language.semantics import load_text
>>> loaded = load_text('spec a "Say yes."\\nallow answer(text = "yes").\\ndone when answer earlier.')
>>> print(export(loaded.program, "paper").text)
# The clauses of spec a: Say yes.
# the authors' own reader refuses heads with arguments:
True → answer(text="yes")
answer() → Done()
<BLANKLINE>
"""

from typing import Final, Literal, TypeAlias, get_args

from vsalang.language.notations.out.exported import ExportResult, Omission
from vsalang.program.ir import Program

__all__ = ["TARGETS", "ExportResult", "NotCore", "Omission", "Target", "export", "from_json"]

from vsalang.language.notations.out.core_json import NotCore, from_json

Target: TypeAlias = Literal["json", "datalog", "paper", "dot"]
TARGETS: Final[tuple[Target, ...]] = get_args(Target)


def export(program: Program, to: Target, *, graph: str = "rules", main_only: bool = False) -> ExportResult:
    """A program in another notation.

    Args:
        program: a checked program.
        to: ``json`` (the core program, complete), ``datalog``, ``paper`` or ``dot``.
        graph: of ``dot``: ``rules`` or ``screens``.
        main_only: of ``datalog`` and ``dot``: leave out the rules of imported modules.
    """
    if to == "json":
        from vsalang.language.notations.out.core_json import to_json

        return ExportResult(to_json(program), len(program.rules))
    if to == "datalog":
        from vsalang.language.notations.out.datalog import to_datalog

        return to_datalog(program, main_only=main_only)
    if to == "paper":
        from vsalang.language.notations.out.paper import to_paper

        return to_paper(program)
    from vsalang.language.notations.out.dot import rule_graph, screen_graph

    return (screen_graph if graph == "screens" else rule_graph)(program, main_only=main_only)
