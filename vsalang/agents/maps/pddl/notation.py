"""PDDL as data, and as text: names that PDDL can have, formulas, operators, a domain and a problem."""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.program.text import line

Form: TypeAlias = "str | tuple[Form, ...]"
"""A formula or term: a name, or a list of such."""

TRUE: Final[Form] = ("and",)
FALSE: Final[Form] = ("or",)

MAX_NAME: Final = 48
_MAX_COMMENT: Final = 160
_WIDE: Final = 100
_TAKEN: Final = frozenset(
    "and or not imply exists forall when assign increase decrease scale-up scale-down minimize maximize number object "
    "either define domain problem total-cost start end all over at-start undefined".split()
)


def conj(parts: Iterable[Form]) -> Form:
    """That all parts hold."""
    return _joined("and", parts, FALSE)


def disj(parts: Iterable[Form]) -> Form:
    """That one of the parts holds."""
    return _joined("or", parts, TRUE)


def _joined(word: str, parts: Iterable[Form], ends: Form) -> Form:
    types: dict[Form, None] = {}
    for part in parts:
        if part == ends:
            return ends
        types.update(dict.fromkeys(part[1:] if part[:1] == (word,) else (part,)))
    return next(iter(types)) if len(types) == 1 else (word, *types)


def neg(part: Form) -> Form:
    """That it does not hold."""
    if part == TRUE:
        return FALSE
    if part == FALSE:
        return TRUE
    return part[1] if part[0] == "not" else ("not", part)


def exists(variables: Sequence[tuple[str, str]], part: Form) -> Form:
    """That there are objects for these variables, each with its type."""
    return ("exists", typed(variables), part) if variables and part not in (TRUE, FALSE) else part


def typed(variables: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Variables or objects with their types."""
    return tuple(word for name, kind in variables for word in (name, "-", kind))


class Names:
    """Gives each thing one name that PDDL can have. What the names are made of is untrusted."""

    def __init__(self, *taken: str) -> None:
        self._known: dict[Hashable, str] = {}
        self._taken: set[str] = {*_TAKEN, *taken}

    def of(self, thing: Hashable, wanted: str) -> str:
        """The name of a thing: like the wanted one, and no other thing's."""
        if thing not in self._known:
            plain = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")[:MAX_NAME].strip("-")
            base = plain if plain[:1].isalpha() else f"v-{plain}".strip("-")
            name, number = base, 1
            while name in self._taken:
                number += 1
                name = f"{base}-{number}"
            self._taken.add(name)
            self._known[thing] = name
        return self._known[thing]


@dataclass(frozen=True, slots=True)
class PddlOmission:
    """What PDDL does not say, or says only in part.

    Attributes:
        what: the id of the rule, or the name of the relation.
        reason: why, and what the planner takes instead.
        span: its place; None: it has none.
    """

    what: str
    reason: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of a domain.

    Attributes:
        parameters: variables with their types.
        effects: each holds afterwards.
        cost: a number, or a function's term; empty: nothing.
        comment: what it stands for.
        meaning: what the maker of the domain notes about it.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]
    condition: Form
    effects: tuple[Form, ...]
    cost: Form = ""
    comment: str = ""
    meaning: Any = None


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate with the types of its arguments."""

    name: str
    arguments: tuple[tuple[str, str], ...] = ()
    comment: str = ""


@dataclass(frozen=True)
class Pddl:
    """A domain and a problem.

    Attributes:
        domain, problem: their texts.
        dropped: what they do not say.
        operators: by name.
        objects: what the names of objects stand for.
    """

    domain: str
    problem: str
    dropped: tuple[PddlOmission, ...] = ()
    operators: Mapping[str, Operator] = field(default_factory=dict, repr=False)
    objects: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(eq=False)
class Draft:
    """A domain and a problem that are being made.

    Attributes:
        types: each with the type that it is part of; empty: none.
        objects: with their types.
        functions: with the types of their arguments.
        start: facts at the start, values of functions too.
    """

    name: str
    title: str
    types: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    predicates: dict[str, Predicate] = field(default_factory=dict)
    functions: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    operators: dict[str, Operator] = field(default_factory=dict)
    start: dict[Form, None] = field(default_factory=dict)

    def predicate(self, name: str, arguments: Iterable[tuple[str, str]] = (), comment: str = "") -> str:
        """Declare a predicate; return its name."""
        self.predicates.setdefault(name, Predicate(name, tuple(arguments), comment))
        return name

    def fact(self, *words: str) -> None:
        """Something holds at the start."""
        self.start[words] = None

    def add(self, operator: Operator) -> None:
        self.operators[operator.name] = operator

    # ------------------------------------------------------------ as text

    def domain(self, goal: Form = TRUE) -> str:
        """The domain's text; it says what its operators and this goal require."""
        used = {
            word
            for operator in self.operators.values()
            for word in _words((operator.condition, operator.effects))
        }
        constants = {name: kind for name, kind in self.objects.items() if name in used}
        lines = [
            f"; {comment(self.title)}",
            f"(define (domain {self.name})",
            f"  (:requirements {self._requirements(goal)})",
        ]
        lines += self._typed(":types", {name: base or "object" for name, base in self.types.items()})
        lines += self._typed(":constants", constants)
        lines.append("  (:predicates")
        for predicate in self.predicates.values():
            text = _text((predicate.name, *typed(predicate.arguments)))
            lines.append(f"    {text}{f' ; {comment(predicate.comment)}' if predicate.comment else ''}")
        lines.append("  )")
        lines.append("  (:functions (total-cost) - number")
        lines += [
            f"    {_text((name, *typed(parameters)))} - number" for name, parameters in self.functions.items()
        ]
        lines.append("  )")
        for operator in self.operators.values():
            lines += _operator(operator)
        return "\n".join([*lines, ")"]) + "\n"

    def problem(self, goal: Form, title: str = "") -> str:
        """The problem's text."""
        used = {
            word
            for operator in self.operators.values()
            for word in _words((operator.condition, operator.effects))
        }
        objects = {name: kind for name, kind in self.objects.items() if name not in used}
        return "\n".join(
            [
                f"; {comment(title or self.title)}",
                f"(define (problem {self.name}-problem)",
                f"  (:domain {self.name})",
                *self._typed(":objects", objects),
                "  (:init",
                "    (= (total-cost) 0)",
                *(f"    {_text(fact)}" for fact in self.start),
                "  )",
                *_laid(("  (:goal", goal, ")")),
                "  (:metric minimize (total-cost))",
                ")",
            ]
        ) + "\n"  # fmt: skip

    def made(
        self, goal: Form, objects: Mapping[str, Any], dropped: Iterable[PddlOmission] = (), title: str = ""
    ) -> Pddl:
        """The finished domain and problem."""
        return Pddl(
            self.domain(goal), self.problem(goal, title), tuple(dropped), dict(self.operators), objects
        )

    def _requirements(self, goal: Form) -> str:
        conditions = [goal, *(operator.condition for operator in self.operators.values())]
        effects = [effect for operator in self.operators.values() for effect in operator.effects]
        conditions += [part[1] for part in _parts(tuple(effects)) if part[:1] == ("when",)]
        words = {
            *_words(tuple(conditions)),
            *(part[0] for part in _parts(tuple(effects)) if part[:1] == ("when",)),
        }
        requirements = [":strips", ":typing", ":action-costs"]
        needs = {
            ":negative-preconditions": {"not"},
            ":disjunctive-preconditions": {"or"},
            ":existential-preconditions": {"exists"},
            ":universal-preconditions": {"forall"},
            ":conditional-effects": {"when"},
            ":equality": {"="},
        }
        return " ".join([*requirements, *(name for name, signs in needs.items() if signs & words)])

    def _typed(self, key: str, named: Mapping[str, str]) -> Iterator[str]:
        kinds: dict[str, list[str]] = {}
        for name, kind in named.items():
            kinds.setdefault(kind, []).append(name)
        if kinds:
            yield f"  ({key}"
            for kind, names in kinds.items():
                for at in range(0, len(names), 8):
                    yield f"    {' '.join(names[at : at + 8])} - {kind}"
            yield "  )"


def comment(text: str) -> str:
    """A text as one line of a comment, in ASCII."""
    return line(text, _MAX_COMMENT).encode("ascii", "backslashreplace").decode()


def _operator(operator: Operator) -> Iterator[str]:
    yield ""
    if operator.comment:
        yield f"  ; {comment(operator.comment)}"
    yield f"  (:action {operator.name}"
    yield f"    :parameters {_text(typed(operator.parameters))}"
    condition = operator.condition if operator.condition[0] == "and" else ("and", operator.condition)
    yield from _laid(("    :precondition", condition, ""))
    cost: tuple[Form, ...] = (("increase", ("total-cost",), operator.cost),) if operator.cost else ()
    yield from _laid(("    :effect", ("and", *operator.effects, *cost), ""))
    yield "  )"


def _laid(parts: tuple[str, Form, str]) -> Iterator[str]:
    """A formula behind a word: on one line if there is room, else each part of it on its own."""
    before, form, after = parts
    whole = f"{before} {_text(form)}{after}"
    if len(whole) <= _WIDE or isinstance(form, str) or form[0] not in ("and", "or"):
        yield whole
        return
    yield f"{before} ({_text(form[0])}"
    for part in form[1:]:
        yield f"{' ' * (len(before) - len(before.lstrip()) + 2)}{_text(part)}"
    yield f"{' ' * (len(before) - len(before.lstrip()))}){after}"


def _text(form: Form) -> str:
    return form if isinstance(form, str) else f"({' '.join(map(_text, form))})"


def _parts(form: Form) -> Iterator[Form]:
    """A formula and all formulas in it."""
    yield form
    if not isinstance(form, str):
        for part in form:
            yield from _parts(part)


def _words(form: Form) -> Iterator[str]:
    stack: list[Form] = [form]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        else:
            stack.extend(part)
