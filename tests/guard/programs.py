"""Core programs built by hand: the booking app with its spec and policy, and a small list app."""

import datetime as dt
from typing import Any

from vsalang.program import ir
from vsalang.program.example import Example, ExpectedVerdict, Fact, Part, Today, Turn
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

V = ir.Var
TODAY = ir.Fn("today", (), ir.DATE)


def term(value: Any) -> Any:
    """A Python value as a term."""
    if isinstance(value, ir.Var | ir.Const | ir.Fn | ir.Choice | ir.Regex) or value is None:
        return value
    types = (
        (bool, ir.BOOL),
        (int, ir.NUMBER),
        (str, ir.TEXT),
        (dt.date, ir.DATE),
        (dt.timedelta, ir.DURATION),
        (dt.time, ir.TIME),
    )
    return ir.Const(value, next(t for kind, t in types if isinstance(value, kind)))


def atom(relation: str, /, *more: tuple[Any, ...], before: bool = False, **equal: Any) -> ir.Atom:
    """``atom("R", ("time", "<", t), name="x")``."""
    constraints = [ir.Constraint(name, "=", term(value)) for name, value in equal.items()]
    constraints += [ir.Constraint(m[0], m[1], term(m[2]) if len(m) > 2 else None) for m in more]
    return ir.Atom(relation, tuple(constraints), before)


def lit(relation: str, /, *more: tuple[Any, ...], reading: ir.Reading = "plain", **equal: Any) -> ir.Lit:
    return ir.Lit(atom(relation, *more, **equal), reading=reading)


def no(relation: str, /, *more: tuple[Any, ...], reading: ir.Reading = "plain", **equal: Any) -> ir.Lit:
    return ir.Lit(atom(relation, *more, **equal), neg=True, reading=reading)


def earlier(relation: str, /, *more: tuple[Any, ...], reading: ir.Reading = "plain", **equal: Any) -> ir.Lit:
    return ir.Lit(atom(relation, *more, **equal), past=ir.Past("earlier"), reading=reading)


def relation(name: str, sort: ir.Sort, attrs: dict[str, ir.Type], **more: Any) -> ir.Relation:
    columns = [ir.Attr(attr, type_) for attr, type_ in attrs.items()]
    if sort == "list":
        columns.append(ir.Attr("at", ir.NUMBER))
    return ir.Relation(name, sort, tuple(columns), module=name.rpartition(".")[0], **more)


class Build:
    """Collects rules and makes the program."""

    def __init__(self, main: str, *relations: ir.Relation, **kinds: str) -> None:
        self.main = main
        self.kinds = kinds
        self.relations = {**VOCABULARY, **{item.name: item for item in relations}}
        self.rules: list[ir.Rule] = []

    def rule(self, module: str, head: ir.Head, /, *body: ir.Literal, id: str = "", **more: Any) -> "Build":
        number = sum(rule.module == module for rule in self.rules) + 1
        name = id or f"{module}:{number}"
        self.rules.append(ir.Rule(name, head, body, module=module, **more))
        return self

    def program(self) -> ir.Program:
        modules = {
            name: ir.ModuleInfo(
                name,
                kind,
                packages=(f"com.{name}",) if kind == "app" else (),
                imports=tuple(n for n, k in self.kinds.items() if k == "app") if kind != "app" else (),
            )
            for name, kind in self.kinds.items()
        }
        return ir.Program(self.main, modules, self.relations, tuple(self.rules), "test")


R = "opentable."


def booking(main: str = "reserve_r", *, policy: bool = True) -> Build:
    """opentable.vsa, reserve_r.vsa and payments.vsa of the design's example, as the core sees them."""
    slot = {"restaurant": ir.TEXT, "date": ir.DATE, "time": ir.TIME, "available": ir.BOOL}
    details = (f"{R}Details",)
    kinds = {"opentable": "app", "reserve_r": "spec"} | ({"payments": "policy"} if policy else {})
    build = Build(
        main,
        relation(f"{R}Search", "screen", {}),
        relation(f"{R}Details", "screen", {}),
        relation(f"{R}Receipt", "screen", {}, over=details),
        relation(f"{R}Menu", "screen", {}, over=(*details, f"{R}Search"), closed=True),
        relation(
            f"{R}Info", "view", {"name": ir.TEXT, "day": ir.DATE}, on=details, doc="The restaurant shown"
        ),
        relation(f"{R}Slot", "list", slot, within=("restaurant", "date"), doc="Times offered"),
        relation(f"{R}Choice", "view", {"time": ir.TIME}, on=details),
        relation(f"{R}ReserveResult", "view", {"success": ir.BOOL, "message": ir.TEXT}, on=(f"{R}Receipt",)),
        relation(
            f"{R}Booking",
            "state",
            {"restaurant": ir.TEXT, "date": ir.DATE, "time": ir.TIME},
            key=("restaurant", "date"),
        ),
        relation(
            f"{R}Reserve",
            "action",
            {"restaurant": ir.TEXT, "date": ir.DATE, "time": ir.TIME},
            annotations={"risk": ("financial",)},
        ),
        relation(f"{R}SlotRow", "derived", {"row": ir.NUMBER}),
        **kinds,
    )
    app = "opentable"
    for name, mark in (
        ("Search", "search_box"),
        ("Details", "restaurant_name"),
        ("Receipt", "reservation_result"),
        ("Menu", "overflow_menu"),
    ):
        build.rule(app, ir.Derive(atom(R + name)), lit("Node", id=mark))

    def write(target: str, /, *body: ir.Literal, trigger: ir.Trigger = "observation", **cells: Any) -> None:
        build.rule(app, ir.Write(atom(R + target, **cells)), *body, trigger=trigger)

    write("Info", lit("Node", id="restaurant_name", text=V("n")), name=V("n"))
    day = ir.Fn("date", (V("d"),), ir.DATE)
    write("Info", lit("Node", id="day_chip", selected=True, text=V("d")), day=day)
    build.rule(
        app,
        ir.Derive(atom(f"{R}SlotRow", row=V("r"))),
        lit("Node", id="slots", node=V("l")),
        lit("Node", parent=V("l"), node=V("r")),
    )
    write(
        "Slot",
        lit(f"{R}SlotRow", row=V("r")),
        lit("Part", of=V("r"), id="slot_time", text=V("t")),
        lit("Part", of=V("r"), id="slot_button", enabled=V("a")),
        lit(f"{R}Info", name=V("n"), day=V("d")),
        row=V("r"),
        restaurant=V("n"),
        date=V("d"),
        time=ir.Fn("time", (V("t"),), ir.TIME),
        available=V("a"),
    )
    build.rule(
        app,
        ir.Mark("complete", atom(f"{R}Slot", restaurant=V("n"), date=V("d"))),
        lit(f"{R}Info", name=V("n"), day=V("d")),
        lit("Node", id="slots", node=V("l")),
        lit("Fits", node=V("l")),
    )
    write(
        "Choice",
        lit("tap", node=V("n")),
        lit(f"{R}SlotRow", row=V("r")),
        lit("Inside", node=V("n"), of=V("r")),
        lit("Part", of=V("r"), id="slot_time", text=V("t")),
        trigger="input",
        time=ir.Fn("time", (V("t"),), ir.TIME),
    )
    for good, mark in ((True, "result_ok"), (False, "result_failed")):
        write(
            "ReserveResult",
            lit("Node", id="reservation_result", text=V("m")),
            lit("Node", id=mark),
            success=good,
            message=V("m"),
        )
    write(
        "Booking",
        lit(f"{R}Reserve", restaurant=V("r"), date=V("d"), time=V("t")),
        trigger="consequence",
        restaurant=V("r"),
        date=V("d"),
        time=V("t"),
    )
    build.rule(
        app,
        ir.Recognize(atom(f"{R}Reserve", restaurant=V("r"), date=V("d"), time=V("t"))),
        lit("tap", id="reserve_button"),
        extra=(lit(f"{R}Info", name=V("r"), day=V("d")), lit(f"{R}Choice", time=V("t"))),
    )
    build.rule(app, ir.Expect((lit(f"{R}Receipt"),)), lit(f"{R}Reserve"), id="opentable:expect")
    build.rule(app, ir.Goto(f"{R}Receipt"), lit(f"{R}Reserve"))
    build.rule(app, ir.Goto(f"{R}Search"), lit("back"))

    spec = "reserve_r"
    seven = dt.time(19)
    build.rule(
        spec,
        ir.License(atom(f"{R}Reserve", ("time", "<", seven), restaurant="R", date=TODAY, time=V("t"))),
        lit(f"{R}Slot", restaurant="R", date=TODAY, time=V("t"), available=True, reading="certain"),
        id="allow",
    )
    build.rule(
        spec,
        ir.License(atom("finish")),
        earlier(f"{R}Reserve", reading="certain"),
        lit(f"{R}ReserveResult", success=True, reading="certain"),
        id="done-reserved",
    )
    build.rule(
        spec,
        ir.License(atom("finish")),
        no(f"{R}Slot", ("time", "<", seven), restaurant="R", date=TODAY, available=True, reading="certain"),
        id="done-nothing",
    )
    if policy:
        week = ir.Fn("+", (TODAY, term(dt.timedelta(days=7))), ir.DATE)
        build.rule(
            "payments",
            ir.Judge("confirm", ("A table at ", V("r"), " on ", V("d"), " costs a fee: book it?")),
            lit(f"{R}Reserve", restaurant=V("r"), date=V("d")),
            ir.Compare(V("d"), ">", week),
            id="PAY-1",
        )
        build.rule(
            "payments",
            ir.Judge("warn", ("It is late, ", V("n"), ": is the day right?")),
            lit(f"{R}Reserve"),
            lit("Clock", now=V("n")),
            ir.Compare(V("n"), ">=", term(dt.time(22))),
            id="PAY-2",
        )
        build.rule(
            "payments",
            ir.Judge("deny", ("Nothing is booked twice for ", V("d"))),
            lit(f"{R}Reserve", date=V("d")),
            lit(f"{R}Booking", date=V("d")),
            id="PAY-3",
            annotations={"severity": ("critical",)},
        )
    return build


# ---------------------------------------------------------------- stories

NOON = dt.datetime(2026, 4, 1, 12, 0)


def turn(*parts: Part, want: str = "allow", because: str = "") -> Turn:
    levels = tuple(want.split(" or "))
    return Turn("turn", parts, ExpectedVerdict(levels, tuple(because.split()) if because else ()))  # type: ignore[arg-type]


def part(kind: str, relation: str, /, **cells: "Value | Today | None") -> Part:
    return Part(kind, Fact(relation, cells))


def clock(moment: dt.datetime = NOON) -> Turn:
    return Turn("clock", clock=moment)


def story(*turns: Turn, name: str = "story", target: str = "reserve_r") -> Example:
    return Example(name, target, turns)
