"""Which rules can never apply in a session without screens."""

from typing import Final

from vsalang.guard.world.rule_book import relations_read
from vsalang.program.graph import reachable
from vsalang.program.ir import Derive, Judge, Program, Rule

_NO_SCREEN_NEEDED: Final = frozenset(
    {"Charter", "Clock", "Instruction", "Licensed", "Screen", "Overridden", "Settled"}
)


def rules_of_screens(program: Program) -> list[Rule]:
    """The judging rules that read what a screen shows, also through `define`.

    Without a screen none of their conditions on it holds, so they would not speak up where they should.
    """
    defined: dict[str, set[str]] = {}
    for rule in program.rules:
        if isinstance(rule.head, Derive):
            defined.setdefault(rule.head.atom.relation, set()).update(relations_read(rule.body))
    rules = []
    for rule in program.rules:
        if isinstance(rule.head, Judge):
            reads = reachable(relations_read(rule.body), defined)
            if any(
                program.relations[name].sort == "observed" and name not in _NO_SCREEN_NEEDED
                for name in reads
                if name in program.relations
            ):
                rules.append(rule)
    return rules
