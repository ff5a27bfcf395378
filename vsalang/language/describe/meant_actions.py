"""Says in plain words which action is meant where several could be, and what an action is as an effect."""

from collections.abc import Iterable

from vsalang.language.describe.description import Entry
from vsalang.language.describe.nouns import Nouns, named, split_name
from vsalang.language.describe.values import value_words
from vsalang.program.ir import Const, Program, Relation, Term, Var
from vsalang.program.text import join
from vsalang.program.walk import mentions


def over_others(relation: Relation) -> Iterable[Entry]:
    """Say which actions one lies over."""
    if relation.over:
        name = f'"{split_name(relation.short)}"'
        below = join([f'"{split_name(other.rpartition(".")[2])}"' for other in relation.over], "or")
        sentence = f"Where a gesture could be {name} and {below}, it is {name}"
        yield Entry("recognize", sentence, (), "", relation.span)


def refinement(program: Program, relation: Relation, nouns: Nouns) -> Iterable[Entry]:
    """Say which effect an action is, and with which arguments."""
    if relation.refines is None:
        return
    effect = program.relation(relation.refines.action)
    name, other = f'"{split_name(relation.short)}"', named(effect)
    arguments = [
        f"its {nouns.attr(effect, attr)} is {_value(relation, term, nouns)}"
        for attr, term in relation.refines.arguments
    ]
    sentence = f"{name} is what every app calls {other}" + (f": {join(arguments)}" if arguments else "")
    yield Entry("recognize", sentence, (), "", relation.span)
    short = f'"{split_name(effect.short)}"'
    sentence = f"Rules about {short} hold for {name}, and a permission for either of them permits it"
    yield Entry("recognize", sentence, (), "", relation.span)


def with_refining(program: Program, allowed: set[str]) -> set[str]:
    """What is permitted where these actions are allowed: what refines an effect, too."""
    return allowed | {r.name for r in program.relations.values() if r.refines and r.refines.action in allowed}


def permitted_too(program: Program, allowed: Iterable[str]) -> Iterable[Entry]:
    """Say what else is permitted by a permission: what refines an effect, and the effect that an action is."""
    own = set(allowed)
    for relation in program.relations.values():
        if relation.refines is None:
            continue
        name, effect = (
            f'"{split_name(n.rpartition(".")[2])}"' for n in (relation.name, relation.refines.action)
        )
        if relation.refines.action in own:
            yield Entry("note", f"{name} is {effect}: what is permitted of {effect} is permitted of it")
        elif relation.name in own:
            yield Entry("note", f"{name} is {effect}, which needs no other permission then")


def _value(relation: Relation, term: Term, nouns: Nouns) -> str:
    if isinstance(term, Var):
        return f"the {nouns.attr(relation, term.name)}"
    if isinstance(term, Const):
        return value_words(term.value, term.type)
    names = join([f"the {nouns.attr(relation, name)}" for name in dict.fromkeys(mentions(term))])
    return f"worked out from {names}" if names else "worked out"
