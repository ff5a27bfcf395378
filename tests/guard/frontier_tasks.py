"""Small tasks over one small app, as data and as the text of a spec, and makers of random ones."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

NAMES = ("a", "b")
WORDS = ("", "a", "ab", "b", "abc", "bc")
KINDS = ("A", "B", "C")
APP = """app shop package "org.example.shop" "A shop"
view Form "What is chosen" { n: Number "how many", s: Text "the text", k: enum {A, B, C} "which" }
state Mode "What is set" { n: Number "how much", s: Text "the name", on: Bool "whether it is on" }
state Item key (name) "What is in the basket" { name: Text "its name", n: Number "how many", k: enum {A, B, C} "which" }
action Go "Go there"
action Pay "Pay"
"""
RELATIONS: dict[str, dict[str, str]] = {
    "Form": {"n": "number", "s": "text", "k": "enum"},
    "Mode": {"n": "number", "s": "text", "on": "bool"},
    "Item": {"name": "name", "n": "number", "k": "enum"},
}
ACTIONS = ("Go", "Pay")
Row = dict[str, Any]
"""The known cells of a row."""


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class Ask:
    """``attr op value``; of a range `value` is a pair, of braces a tuple in a tuple."""

    attr: str
    op: str
    value: Any


@dataclass(frozen=True)
class Atom:
    relation: str
    asks: tuple[Ask, ...] = ()


@dataclass(frozen=True)
class Is:
    atom: Atom


@dataclass(frozen=True)
class Not:
    atom: Atom


@dataclass(frozen=True)
class Each:
    atom: Atom
    has: tuple[Ask, ...]


@dataclass(frozen=True)
class Was:
    atom: Atom


@dataclass(frozen=True)
class Did:
    action: str


@dataclass(frozen=True)
class Call:
    """A defined relation; `value`: what is asked of its attribute, a number, a variable or nothing."""

    name: str
    value: Any = None


@dataclass(frozen=True)
class Cmp:
    name: str
    op: str
    value: Any


@dataclass(frozen=True)
class Chain:
    parts: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Noise:
    """A condition that the frontier takes no notice of."""

    text: str


Body = tuple[Any, ...]


@dataclass(frozen=True)
class Task:
    """A task: clauses (an action, or none for `done`) and definitions (of each rule the value of its attribute)."""

    clauses: tuple[tuple[str, Body], ...]
    defines: dict[str, tuple[tuple[Any, Body], ...]] = field(hash=False)

    def text(self) -> str:
        """The task as a spec."""
        lines = ['spec task "Do it"', "import shop"]
        for name, rules in self.defines.items():
            for value, body in rules:
                lines.append(f"define {name}(v = {_value(value)}) when {_body(body)}.")
        for action, body in self.clauses:
            head = f"allow {action}" if action else "done"
            lines.append(f"{head} when {_body(body)}.")
        return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, Var):
        return f"?{value.name}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value if value in KINDS else f'"{value}"'
    if isinstance(value, tuple) and isinstance(value[0], tuple):
        return "{" + ", ".join(map(_value, value[0])) + "}"
    if isinstance(value, tuple):
        return f"{value[0]}..{value[1]}"
    return str(value)


def _asks(asks: tuple[Ask, ...]) -> str:
    return ", ".join(f"{ask.attr} {ask.op} {_value(ask.value)}" for ask in asks)


def _atom(atom: Atom) -> str:
    return f"{atom.relation}({_asks(atom.asks)})" if atom.asks else atom.relation


def _literal(item: Any) -> str:
    match item:
        case Is(atom):
            return _atom(atom)
        case Not(atom):
            return f"not {_atom(atom)}"
        case Each(atom, has):
            return f"every {_atom(atom)} has ({_asks(has)})"
        case Was(atom):
            return f"{_atom(atom)} earlier"
        case Did(action):
            return f"{action} earlier"
        case Call(name, value):
            return name if value is None else f"{name}(v = {_value(value)})"
        case Cmp(name, op, value):
            return f"?{name} {op} {_value(value)}"
        case Chain(parts):
            groups = [f"({_body(part)})" if len(part) > 1 else _body(part) for part in parts]
            return " then ".join(groups)
        case _:
            return str(item.text)


def _body(body: Body) -> str:
    return ", ".join(map(_literal, body))


@dataclass
class Step:
    """A write or a deletion that is proposed: one row of one relation."""

    relation: str
    cells: dict[str, Any]
    delete: bool = False


# ---------------------------------------------------------------- random tasks and steps


class Maker:
    """Makes tasks and steps that the language accepts."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def value(self, kind: str) -> Any:
        pools: dict[str, tuple[Any, ...]] = {
            "number": tuple(range(7)),
            "text": WORDS,
            "enum": KINDS,
            "bool": (True, False),
            "name": NAMES,
        }
        return self.random.choice(pools[kind])

    def ask(self, attr: str, kind: str) -> Ask:
        random = self.random
        if kind == "number":
            op = random.choice(("=", "=", "=", "!=", "<", "<=", ">", ">=", "in", "in"))
            if op == "in" and random.random() < 0.5:
                low = random.randrange(5)
                return Ask(attr, op, (low, low + random.randrange(1, 3)))
            if op == "in":
                return Ask(attr, op, (tuple(sorted(random.sample(range(7), 2))),))
            return Ask(attr, op, self.value(kind))
        if kind == "text":
            op = random.choice(("=", "=", "contains"))
            return Ask(attr, op, random.choice(WORDS[1:]) if op == "contains" else self.value(kind))
        if kind == "enum":
            return Ask(attr, random.choice(("=", "=", "!=")), self.value(kind))
        return Ask(attr, "=", self.value(kind))

    def atom(self, names: tuple[str, ...] = (), relation: str = "") -> Atom:
        random = self.random
        relation = relation or random.choice(tuple(RELATIONS))
        attrs = list(RELATIONS[relation].items())
        chosen = random.sample(attrs[1:] if relation == "Item" else attrs, random.choice((0, 1, 1, 2)))
        asks = [self.ask(attr, kind) for attr, kind in chosen]
        if relation == "Item" and random.random() < 0.75:
            asks.insert(0, Ask("name", "=", self.value("name")))
        if names and random.random() < 0.4:
            asks = [ask for ask in asks if ask.attr != "n"] + [Ask("n", "=", Var(random.choice(names)))]
        return Atom(relation, tuple(asks))

    def body(self, level: int, size: int, head: Any = None) -> Body:
        """A body that may call the definitions below a level; `head`: a variable that it must bind."""
        random = self.random
        names = ("x", "y") if random.random() < 0.4 else ()
        items: list[Any] = []
        for _ in range(size):
            draw = random.random()
            if draw < 0.4:
                items.append(Is(self.atom(names)))
            elif draw < 0.5:
                items.append(Not(self.atom()))
            elif draw < 0.58:
                items.append(self.each())
            elif draw < 0.64:
                items.append(Was(self.atom()))
            elif draw < 0.7:
                items.append(Did(random.choice(ACTIONS)))
            elif draw < 0.78:
                parts = [self.part(level) for _ in range(random.choice((2, 2, 3)))]
                items.append(Chain(tuple(parts)))
            elif level:
                value = random.choice((None, random.randrange(4), *(map(Var, names))))
                items.append(Call(f"D{random.randrange(level)}", value))
            else:
                items.append(Is(self.atom(names)))
        bound = {
            ask.value.name
            for item in items
            if isinstance(item, Is)
            for ask in item.atom.asks
            if isinstance(ask.value, Var)
        }
        bound |= {item.value.name for item in items if isinstance(item, Call) and isinstance(item.value, Var)}
        if isinstance(head, Var) and head.name not in bound:
            items.append(Is(Atom(random.choice(tuple(RELATIONS)), (Ask("n", "=", head),))))
            bound.add(head.name)
        for name in sorted(bound):
            if random.random() < 0.3:
                ask = self.ask("", "number")
                items.append(Cmp(name, ask.op, ask.value))
        return tuple(items)

    def part(self, level: int) -> Body:
        random = self.random
        found: list[Any] = [Is(self.atom(relation=random.choice(("Form", "Form", "Mode", "Item"))))]
        if level and random.random() < 0.25:
            found = [Call(f"D{random.randrange(level)}")]
        return tuple(found)

    def each(self) -> Each:
        atom = self.atom(relation=self.random.choice(("Item", "Item", "Mode")))
        asks = [ask for ask in atom.asks if ask.attr in ("name", "k")]
        if atom.relation == "Item" and self.random.random() < 0.4:
            asks = [Ask("name", "in", (NAMES,))]
        return Each(Atom(atom.relation, tuple(asks)), (self.ask("n", "number"),))

    def task(self) -> Task:
        random = self.random
        defines: dict[str, tuple[tuple[Any, Body], ...]] = {}
        for level in range(random.choice((0, 1, 2, 3))):
            rules = []
            for _ in range(random.choice((1, 2, 2, 3))):
                head: Any = Var("h") if random.random() < 0.5 else random.randrange(4)
                rules.append((head, self.body(level, random.choice((1, 1, 2)), head)))
            defines[f"D{level}"] = tuple(rules)
        clauses = [(action, self.body(len(defines), random.choice((1, 2, 3)))) for action in ACTIONS]
        clauses.append(("", self.body(len(defines), random.choice((1, 2, 3)))))
        return Task(tuple(clauses), defines)

    def step(self) -> Step:
        random = self.random
        relation = random.choice(tuple(RELATIONS))
        if random.random() < 0.15:
            return Step(relation, {"name": self.value("name")} if relation == "Item" else {}, True)
        attrs = [item for item in RELATIONS[relation].items() if item[1] != "name"]
        chosen = random.sample(attrs, random.choice((1, 1, 2)))
        cells = {attr: None if random.random() < 0.1 else self.value(kind) for attr, kind in chosen}
        if relation == "Item":
            cells = {"name": self.value("name"), **cells}
        return Step(relation, cells)
