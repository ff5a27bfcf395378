"""Random core programs over the schema of `worlds`: range-restricted and stratified by construction."""

from dataclasses import replace
from typing import Any

from tests.engine.chances import Chance
from tests.engine.random_literals import aggregate, atom, bind, body, every, first, positive
from tests.engine.random_values import BASE, BELIEVED, OBSERVED, TYPES, VALUES, Scope, function, typed
from tests.engine.worlds import a, allow, c, certainly, define, fn, no, p, program
from vsalang.program.ir import (
    NUMBER,
    Aggregate,
    Atom,
    Constraint,
    Derive,
    Expect,
    Goto,
    Judge,
    Lit,
    Mark,
    Program,
    Recognize,
    Rule,
    Type,
    Var,
    Write,
)


def random_program(
    chance: Chance, *, temporal: bool = True, licences: int = 2, wide: bool = False
) -> Program:
    """A program: up to three derived relations in levels, a screen, licences, a judgement, an expectation.

    Args:
        temporal: the past may be spoken of.
        licences: how many rules `allow`.
        wide: rarer values, functions and forms, mutual recursion, rules with heads of all kinds.
    """
    return _Maker(chance, temporal, wide).program(licences)


def random_wrapped(chance: Chance) -> Program:
    """Licences that ask one thing of all rows of a relation (an aggregate, ``every``, ``first``) in several ways:

    as it is (``direct``), by a ``define`` (``once``), by one that denies its denial (``twice``), and denied (``not``).
    Where a ``count`` is compared by order, ``opposite`` asks for what the denial means.
    """
    relations = dict(program().relations)
    base = (*BELIEVED, *OBSERVED, "tap")
    scope = Scope(chance, relations, base, base, False, False)
    asked = chance.pick([aggregate, aggregate, aggregate, every, first])(scope)
    rules = [
        define("D0", asked),
        define("D1", no("D0")),
        define("D2", no("D1")),
        allow(a("finish"), asked, rule="direct"),
        allow(a("finish"), p("D0"), rule="once"),
        allow(a("finish"), no("D1"), rule="twice"),
        allow(a("finish"), p("D2"), rule="twice defined"),
        allow(a("finish"), no("D0"), rule="not"),
        allow(a("finish"), p("D1"), rule="not defined"),
    ]
    opposites = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
    if isinstance(asked, Aggregate) and asked.fn == "count" and asked.op in opposites and not scope.grouped:
        rules.append(allow(a("finish"), replace(asked, op=opposites[asked.op]), rule="opposite"))
    return program(*rules, derived={"D0": {}, "D1": {}, "D2": {}})


class _Maker:
    def __init__(self, chance: Chance, temporal: bool, wide: bool) -> None:
        self.chance, self.temporal, self.wide = chance, temporal, wide
        self.derived: dict[str, dict[str, Type]] = {}
        self.rules: list[Rule] = []
        self.levels = chance.number(0, 3)
        kinds = [NUMBER, BASE["Item"].attr("t").type]
        for level in range(self.levels):
            count = chance.number(0, 2)
            choice = list(TYPES.values()) if wide and chance.number(0, 2) == 0 else kinds
            self.derived[f"D{level}"] = {f"x{i}": chance.pick(choice) for i in range(count)}
        self.mutual = wide and self.levels >= 2 and chance.number(0, 3) == 0  # D0 and D1 depend on each other
        if wide and chance.number(0, 2) == 0:
            self._reach()
        self.relations = dict(program(derived=self.derived).relations)
        self.base = (*BELIEVED, *OBSERVED, "tap")

    def scope(self, level: int, *, plain: bool, own: bool = False, action: bool = False) -> Scope:
        below = tuple(f"D{i}" for i in range(level)) * 3
        extra = (f"D{level}",) if own else ()
        if self.mutual and level <= 1:
            below, extra = (), ("D0", "D1")
        if level == self.levels:
            below += tuple(name for name in self.derived if name[0] == "R")
        more = ("Pay",) if action else ()
        usable = tuple(n for n in below + extra if self.relations[n].attrs)
        return Scope(
            self.chance,
            self.relations,
            self.base + usable * 2 + more,
            self.base + below + more,
            plain,
            self.wide,
        )

    def program(self, licences: int) -> Program:
        for level in range(self.levels):
            for _ in range(self.chance.number(1, 2)):
                self._define(level)
        home = self.scope(0, plain=True)
        screen = Lit(atom(home, "Node", binding=True))
        self.rules.append(Rule("", Derive(a("Home")), (screen,), module="m"))
        for number in range(licences):
            self._allow(number)
        here = self.scope(self.levels, plain=True, action=True)
        literals = body(here, temporal=self.temporal)
        self._add("deny", Judge("deny", tuple(map(Var, sorted(here.bound)))), literals)
        here = self.scope(self.levels, plain=True, action=True)
        head, tail = (positive(here),), body(here, temporal=self.temporal)
        self._add("expect", Expect(tail), head)
        self._recognize()
        if self.wide:
            self._write()
        return program(*self.rules, derived=self.derived)

    def _add(self, rule: str, head: Any, literals: Any, extra: Any = ()) -> None:
        self.rules.append(Rule(rule, head, literals, extra, module="m"))

    # ------------------------------------------------------------ rules

    def _define(self, level: int) -> None:
        here = self.scope(level, plain=False, own=self.chance.number(0, 1) == 1)
        literals = body(here, temporal=self.temporal)
        circle = {"D0", "D1"} if self.mutual and level <= 1 else {f"D{level}"}
        recursive = any(isinstance(x, Lit) and x.atom.relation in circle for x in literals)
        terms: dict[str, Any] = {}
        for name, kind in self.derived[f"D{level}"].items():
            bound = here.bound_of(kind.kind)
            if bound and here.chance(85):
                terms[name] = Var(here.pick(bound))
                if kind == NUMBER and not recursive and here.chance(10):
                    terms[name] = fn("+", NUMBER, terms[name], 1)
                elif not recursive and here.rarely(10):
                    terms[name] = function(here, kind.kind) or terms[name]
            else:
                terms[name] = typed(kind, here.pick(VALUES[kind.kind]))
        self.rules.append(Rule("", Derive(a(f"D{level}", **terms)), literals, module="m"))

    def _reach(self) -> None:
        """Reachability over rows that may be cyclic, in one of the ways to write it."""
        edge = lambda x, y: p("Item", k=x, n=y)  # noqa: E731
        base = define("R", edge("?n", "?m"), x0="?n", x1="?m")
        shape = self.chance.pick(["left", "right", "double", "mutual", "from"])
        self.derived["R"] = {"x0": NUMBER, "x1": NUMBER}
        if shape == "from":
            self.derived["R"] = {"x0": NUMBER}
            start, step = p("Flag", n="?n"), (edge("?m", "?n"), p("R", x0="?m"))
            self.rules += [define("R", start, x0="?n"), define("R", *step, x0="?n")]
            return
        self.rules.append(base)
        recursive = {
            "left": (p("R", x0="?n", x1="?k"), edge("?k", "?m")),
            "right": (edge("?n", "?k"), p("R", x0="?k", x1="?m")),
            "double": (p("R", x0="?n", x1="?k"), p("R", x0="?k", x1="?m")),
            "mutual": (edge("?n", "?k"), p("R2", x0="?k", x1="?m")),
        }[shape]
        self.rules.append(define("R", *recursive, x0="?n", x1="?m"))
        if shape == "mutual":
            self.derived["R2"] = {"x0": NUMBER, "x1": NUMBER}
            self.rules.append(define("R2", p("R", x0="?n", x1="?m"), x0="?n", x1="?m"))

    def _allow(self, number: int) -> None:
        here = self.scope(self.levels, plain=False)
        literals = body(here, temporal=self.temporal)
        limits: list[Any] = [2, *(["?n"] if "n" in here.bound else [])]
        here.bound += [v for v in ("t", "n") if v not in here.bound]
        heads = [
            a("finish"),
            a("Pay", who="?t"),
            a("Pay", c("amount", "in", 1, 2), who="?t"),
            a("Pay", amount="?n"),
        ]
        if self.wide:
            limit = c("amount", here.pick(["<", "!=", ">="]), here.pick(limits))
            heads += [
                a("Pay", limit, who="?t"),
                a("Pay", c("who", here.pick(["~=", "contains", "!="]), here.pick(["a", "A!"]))),
                a("Pay", who="?t", amount="?n"),
            ]
        self.rules.append(allow(here.pick(heads), *map(certainly, literals), rule=f"allow{number}"))

    def _recognize(self) -> None:
        here = self.scope(self.levels, plain=True)
        tapped = atom(here, "tap", binding=True, fewest=1)
        bind(here, tapped)
        extra = body(here, temporal=self.temporal) if here.rarely(30) else (positive(here),)
        params = {"who": here.bound_of("Text"), "amount": here.bound_of("Number")}
        pay = a("Pay", **{attr: Var(names[0]) for attr, names in params.items() if names})
        self._add("recognize", Recognize(pay), (Lit(tapped),), extra)

    def _write(self) -> None:
        """A rule with one of the heads that the guard evaluates: its variables are answered."""
        here = self.scope(self.levels, plain=True)
        literals = body(here, temporal=self.temporal)
        target = here.pick(["Flag", "Item", "Page"])
        constraints = []
        for attr in BASE[target].attrs:
            bound = here.bound_of(attr.type.kind)
            if bound:
                constraints.append(Constraint(attr.name, "=", Var(here.pick(bound))))
            elif here.chance(40):
                constraints.append(Constraint(attr.name, "=", typed(attr.type, here.value(attr.type))))
        head: Any = Atom(target, tuple(constraints))
        kind = here.pick(["update", "delete", "complete", "goto"])
        made: Any = {
            "update": Write(head),
            "delete": Write(head, delete=True),
            "complete": Mark("complete", head),
            "goto": Goto("m.Home"),
        }[kind]
        self._add("write", made, literals)
