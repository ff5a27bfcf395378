"""Checks `test` blocks and makes examples of the core of them: names resolved, facts typed."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping

from vsalang.language.semantics.annotations import read_annotations
from vsalang.language.semantics.bodies import Bodies
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import RelationSymbol, Scope
from vsalang.language.semantics.terms import Terms
from vsalang.language.semantics.types import Variables
from vsalang.language.semantics.wording import inside_quotes, words
from vsalang.language.semantics.wording import sort as sort_words
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.example import LEVELS, Example, ExpectedVerdict, Fact, Level, Part, Today, Turn
from vsalang.program.text import canonical
from vsalang.program.values import Value
from vsalang.program.vocabulary import OF_AN_APP

REASON_WORDS = ("licence", "incomplete", "unlicensed")
_RULE_NAMES = 'a rule is named as `@id("..")` in front of it says, not by its message'
_REASONS = (
    "a reason is an attribute, Relation.attribute, a relation, the id of a rule in quotes, "
    "or one of licence, incomplete, unlicensed"
)
_EVIDENCE = ("state", "view", "list", "observed")


def reasons(steps: Iterable[t.Step]) -> Iterator[t.Name]:
    """The reasons that the verdicts of steps name."""
    for step in steps:
        yield from step.verdict.because if step.verdict is not None else ()
        yield from reasons(step.parts)


class ExampleReader:
    """Reads the tests of one module."""

    def __init__(self, scope: Scope, rule_ids: frozenset[str], report: Report) -> None:
        self.scope = scope
        self.rule_ids = rule_ids
        self.report = report
        self.bodies = Bodies(scope, report, Terms(scope, report, Variables()))
        apps = [m for m in (scope, *scope.imports.values()) if m.kind == "app"]
        packages = {p.value for m in apps for p in m.unit.tree.packages[:1]}
        self.package = next(iter(packages)) if len(packages) == 1 else None

    def read(self, item: t.Test) -> Example | None:
        """The example of a test block; None if there are errors, which were reported."""
        before = self.report.errors
        target = self._target(item)
        turns: list[Turn] = []
        confirmable = False
        begun = False
        if not item.steps:
            self.report.error("E0604", item.name.span, "this test has no steps")
        for step in item.steps:
            if step.kind in ("approve", "refuse") and not confirmable:
                self.report.error(
                    "E0605",
                    step.span,
                    f"`{step.kind}` answers a question: the step before it must be `=> confirm`",
                )
            if step.kind == "given" and begun:
                self.report.error(
                    "E0605",
                    step.span,
                    "`given` is the state before the first step, others are before it",
                    help="write `observe` for what is seen later, or move it up",
                )
            begun = begun or step.kind not in ("given", "clock", "assume")
            turn = self._step(step)
            if turn is not None:
                turns.append(turn)
            confirmable = step.verdict is not None and "confirm" in [n.text for n in step.verdict.levels]
        if self.report.errors > before or target is None:
            return None
        return Example(
            item.name.value,
            target,
            tuple(turns),
            read_annotations(item.annotations, self.report),
            item.name.span,
        )

    def _target(self, item: t.Test) -> str | None:
        if item.target is None or item.target.text == self.scope.name:
            return self.scope.name
        name = item.target.text
        if name in self.scope.imports:
            return self.scope.imports[name].name
        if name not in self.scope.unit.failed:
            names = [self.scope.name, *self.scope.imports]
            self.report.unknown_name("E0214", item.target.span, "module", name, names)
        return None

    # ------------------------------------------------------------ steps

    def _step(self, step: t.Step) -> Turn | None:
        expected = self._expected(step.verdict)
        if step.kind == "clock":
            return self._clock(step)
        if step.kind in ("approve", "refuse"):
            return Turn(step.kind, expected=expected, span=step.span)
        if step.kind == "assume":
            return self._assume(step)
        parts: list[Part] = []
        for inner in step.parts if step.kind == "step" else (step,):
            parts.extend(self._parts(inner))
        kind = "given" if step.kind == "given" else "turn"
        if step.kind == "step" and not step.parts:
            self.report.error("E0604", step.span, "this step has no parts")
        gestures = [p for p in parts if p.kind == "gesture"]
        if len(gestures) > 1:
            self.report.error("E0606", step.span, "a turn has at most one gesture", help="write two steps")
        return Turn(kind, tuple(parts), expected, span=step.span)

    def _clock(self, step: t.Step) -> Turn | None:
        if step.clock is None:
            return None
        day, time = step.clock
        date = self._named(day, ir.DATE) if day is not None else dt.date.min
        now = self._named(time, ir.TIME)
        if not isinstance(date, dt.date) or not isinstance(now, dt.time):
            return None
        # a clock step without a date keeps the day: `dt.date.min` stands for "the day it is"
        return Turn("clock", clock=dt.datetime.combine(date, now), span=step.span)

    def _named(self, expr: t.Expr, type_: ir.Type) -> Value | None:
        """The value of a literal or of a constant that names one; None if there is an error, which was reported."""
        result = self.bodies.terms.term(expr, type_)
        if result is None:
            return None
        if not isinstance(result[0], ir.Const):
            self.report.error(
                "E0603",
                expr.span,
                "a test needs a value here",
                help="write a literal, or a `let` that names one",
            )
            return None
        return result[0].value

    def _assume(self, step: t.Step) -> Turn | None:
        assert step.assumed is not None
        left, op, right = step.assumed
        from vsalang.program.similarity import admissible

        one, other = self._named(left, ir.TEXT), self._named(right, ir.TEXT)
        if not isinstance(one, str) or not isinstance(other, str):
            return None
        if op == "!~=" and one == other:
            self.report.error("E0607", step.span, "a text is always similar to itself")
            return None
        if op == "~=" and not admissible(one, other) and not admissible(other, one):
            self.report.error(
                "E0607",
                step.span,
                "these texts can never be similar: numbers, dates, amounts and identifiers of the one must occur in "
                "the other, and neither may say the opposite",
            )
            return None
        return Turn("assume", assumed=(one, other, op == "~="), span=step.span)

    def _parts(self, step: t.Step) -> list[Part]:
        if step.kind == "finish":
            return [Part("attempt", Fact("finish", {}, step.span))]
        result: list[Part] = []
        for at, atom in enumerate(step.atoms):
            part = self._part(step, atom, at in step.keep)
            if part is not None:
                result.append(part)
        return result

    def _part(self, step: t.Step, atom: t.Atom, keep: bool) -> Part | None:
        kind = step.kind
        if kind == "observe screen":
            screen = self.bodies.screen(atom.name)
            return Part(kind, Fact(screen, {}, atom.span)) if screen else None
        if kind == "claim" and not self.scope.find_relation(atom.name.text):
            # the agent may claim anything; a claim that names no action is blocked when the test runs
            return Part(kind, Fact(atom.name.text, {}, atom.span))
        symbol = self.bodies.relation(atom.name)
        if symbol is None:
            return None
        if not self._allowed(kind, symbol, atom):
            return None
        if keep and symbol.sort not in ("view", "list"):
            self.report.error(
                "E0404",
                atom.span,
                f"`..` ends an update of a view or a list only, `{symbol.short}` is {sort_words(symbol.sort)}",
                help="leave `..` out: a state keeps the cells that are not named",
            )
            return None
        if kind == "observe complete":
            extra: tuple[str, ...] = ()
        elif symbol.sort == "list":
            extra = ("row",)
        else:
            extra = ()
        pattern = kind in ("observe no", "delete")
        cells = self._cells(symbol, atom, extra, pattern)
        if cells is None:
            return None
        if kind in ("given", "observe", "update"):
            self._whole_key(symbol, atom, cells)
        if kind == "observe no" and not self._pattern(atom):
            return None
        if kind in ("delete", "observe complete") and not self._names_rows(kind, symbol, atom):
            return None
        own = symbol.name in OF_AN_APP and kind in ("observe", "given")
        if own and self.package and "package" not in cells:
            cells = {**cells, "package": canonical(self.package)}
        return Part(kind, Fact(symbol.name, cells, atom.span, keep))

    def _allowed(self, kind: str, symbol: RelationSymbol, atom: t.Atom) -> bool:
        sort = symbol.sort
        wanted: Mapping[str, tuple[tuple[str, ...], str]] = {
            "given": (_EVIDENCE, "state, views, lists and what is observed"),
            "observe": (_EVIDENCE, "state, views, lists and what is observed"),
            "observe no": (_EVIDENCE, "state, views, lists and what is observed"),
            "observe complete": (("list", "state"), "lists and keyed states"),
            "update": (("state", "view", "list"), "states, views and lists"),
            "delete": (("state", "view", "list"), "states, views and lists"),
            "attempt": (("action",), "actions"),
            "claim": (("action",), "actions"),
            "gesture": (("gesture",), "gestures"),
        }
        sorts, words = wanted[kind]
        if kind == "gesture" and symbol.short == "finish" and sort == "action":
            self.report.error(
                "E0601",
                atom.name.span,
                "`finish` is a step of its own and takes nothing",
                help="write `finish.`",
            )
            return False
        if sort in sorts:
            return True
        if kind == "claim":
            return True
        hint = ""
        if sort == "derived":
            hint = "what rules derive follows from the rest: give the facts it depends on"
        elif sort == "action":
            hint = f"write `attempt {symbol.short}(..)`"
        elif sort == "gesture":
            hint = f"write the gesture by itself: {symbol.short}(..)"
        takes = (
            "a step without a word in front is a gesture" if kind == "gesture" else f"`{kind}` takes {words}"
        )
        self.report.error(
            "E0601",
            atom.name.span,
            f"{takes}, `{symbol.short}` is {sort_words(sort)}",
            help=hint,
        )
        return False

    def _pattern(self, atom: t.Atom) -> bool:
        """Whether no cell of a pattern is given as unknown (no row would match that)."""
        for arg in atom.args:
            if isinstance(arg.value, t.Unknown):
                self.report.error(
                    "E0602", arg.span, f"`{arg.attr.text} = unknown` names no row: leave it out"
                )
                return False
        return True

    def _names_rows(self, kind: str, symbol: RelationSymbol, atom: t.Atom) -> bool:
        """Whether a pattern gives only attributes that identify rows or lists, and none as unknown."""
        relation = symbol.relation
        if relation is None:
            return False
        names = set(relation.identity)
        if relation.sort == "list":
            names = (
                set(relation.within)
                if kind == "observe complete"
                else {*relation.within, *relation.key, "at"}
            )
        if not self._pattern(atom):
            return False
        for arg in atom.args:
            if arg.attr.text not in names:
                what = (
                    f"it is named by {words(sorted(names))}"
                    if names
                    else "it has one row: leave the pattern out"
                )
                self.report.error(
                    "E0602",
                    arg.span,
                    f"`{kind} {symbol.short}` is not identified by `{arg.attr.text}`",
                    help=what,
                )
                return False
        return True

    def _whole_key(
        self, symbol: RelationSymbol, atom: t.Atom, cells: Mapping[str, "Value | Today | None"]
    ) -> None:
        relation = symbol.relation
        if relation is None or relation.sort not in ("state", "list"):
            return
        if relation.sort == "state":
            missing = [name for name in relation.key if cells.get(name) is None]
        else:
            missing = [name for name in relation.within if cells.get(name) is None]
            by_key = bool(relation.key) and all(cells.get(name) is not None for name in relation.key)
            if not missing and not by_key and cells.get("at") is None and cells.get("row") is None:
                missing = ["at"]
        if missing:
            what = " and ".join(f"`{name}`" for name in missing)
            self.report.error(
                "E0602",
                atom.span,
                f"this does not say which row of `{symbol.short}` it is: {what} is missing",
                help="give the whole key",
            )

    def _cells(
        self, symbol: RelationSymbol, atom: t.Atom, extra: tuple[str, ...], pattern: bool
    ) -> "dict[str, Value | Today | None] | None":
        cells: dict[str, Value | Today | None] = {}
        failed = False
        types = {**symbol.types, **dict.fromkeys(extra, ir.NUMBER)}
        for arg in atom.args:
            name = arg.attr.text
            if name not in types:
                what = "parameter" if symbol.sort == "action" else "attribute"
                self.report.unknown_name("E0206", arg.attr.span, what, name, types, context=symbol.short)
                failed = True
                continue
            if arg.op != "=" or arg.hi is not None or arg.value is None:
                self.report.error(
                    "E0603",
                    arg.op_span,
                    "a test says what is: only `=` is possible here",
                    label=f"`{arg.op}` asks a question",
                )
                failed = True
                continue
            if name in cells:
                self.report.error("E0603", arg.span, f"`{name}` is given twice")
                failed = True
                continue
            if isinstance(arg.value, t.Wildcard):
                continue
            if isinstance(arg.value, t.Unknown):
                cells[name] = None
                continue
            if isinstance(arg.value, t.Var):
                self.report.error("E0603", arg.value.span, "a test has no variables: write a value")
                failed = True
                continue
            result = self.bodies.terms.term(arg.value, types[name])
            if result is None:
                failed = True
                continue
            value = _constant(result[0])
            if value is _NOT_CONSTANT:
                self.report.error(
                    "E0603",
                    arg.value.span,
                    "a test needs a value here",
                    help="`today + 3d` is one, functions are not",
                )
                failed = True
                continue
            cells[name] = value  # type: ignore[assignment]
        return None if failed else cells

    # ------------------------------------------------------------ verdicts

    def _expected(self, verdict: t.Verdict | None) -> ExpectedVerdict:
        if verdict is None:
            return ExpectedVerdict()
        levels: list[Level] = []
        for name in verdict.levels:
            text = " ".join(name.text.split())
            if text == "not allow":
                levels.extend(level for level in LEVELS if level != "allow")
            elif text in LEVELS:
                levels.append(text)
        because = tuple(self._reason(name) for name in verdict.because)
        return ExpectedVerdict(tuple(dict.fromkeys(levels)) or ("allow",), because, verdict.span)

    def _reason(self, name: t.Name) -> str:
        """Check that a reason names something: an attribute, a relation, a rule, or one of the words."""
        text = name.text
        if name.quoted or text in REASON_WORDS:
            if (
                name.quoted
                and text not in self.rule_ids
                and text not in REASON_WORDS
                and not self._names(text)
            ):
                rule = inside_quotes(name.span)
                self.report.unknown_name("E0609", rule, "rule", text, self.rule_ids, help=_RULE_NAMES)
            return text
        if text in self.rule_ids or self._names(text):
            return self._qualified(text)
        names = {*REASON_WORDS, *self.scope.relation_names()}
        for symbol in self._symbols():
            names |= set(symbol.types)
        if not self.scope.silent(text) and not self.report.said_unknown(text, name.span.file):
            self.report.unknown_name("E0609", name.span, "reason", text, names, help=_REASONS)
        return text

    def _qualified(self, text: str) -> str:
        """A qualified name with the module's real name in place of its alias, as reasons have it."""
        if "." not in text or text in self.rule_ids:
            return text
        relations, screens = self.scope.find_relation(text), self.scope.find_screen(text)
        if relations:
            return relations[0].name
        if screens:
            return screens[0].name
        prefix, _, attr = text.rpartition(".")
        owners = self.scope.find_relation(prefix)
        return f"{owners[0].name}.{attr}" if owners and "." in prefix else text

    def _symbols(self) -> list[RelationSymbol]:
        symbols: list[RelationSymbol] = []
        for name in self.scope.relation_names():
            symbols.extend(self.scope.find_relation(name))
        return symbols

    def _names(self, text: str) -> bool:
        prefix, _, last = text.rpartition(".")
        if prefix:
            owners = self.scope.find_relation(prefix)
            if owners:
                return last in owners[0].types
            return bool(self.scope.find_relation(text) or self.scope.find_screen(text))
        if self.scope.find_relation(text) or self.scope.find_screen(text):
            return True
        return any(text in symbol.types for symbol in self._symbols())


class _NotConstant:
    pass


_NOT_CONSTANT = _NotConstant()


def _constant(term: ir.Term) -> "Value | Today | _NotConstant":
    if isinstance(term, ir.Const):
        return term.value
    if isinstance(term, ir.Fn) and term.name == "today":
        return Today()
    if isinstance(term, ir.Fn) and term.name in ("+", "-") and len(term.args) == 2:
        left, right = _constant(term.args[0]), _constant(term.args[1])
        if (
            isinstance(left, Today)
            and isinstance(right, dt.timedelta)
            and right % dt.timedelta(days=1) == dt.timedelta()
        ):
            return Today(left.days + (right.days if term.name == "+" else -right.days))
        return _folded(term.name, left, right)
    if isinstance(term, ir.Fn) and term.name == "neg":
        inner = _constant(term.args[0])
        if isinstance(inner, dt.timedelta):
            return -inner
    return _NOT_CONSTANT


def _folded(op: str, left: object, right: object) -> "Value | _NotConstant":
    from vsalang.program.ops import call

    if isinstance(left, _NotConstant | Today) or isinstance(right, _NotConstant | Today):
        return _NOT_CONSTANT
    value = call(op, (left, right))  # type: ignore[arg-type]
    return _NOT_CONSTANT if value is None else value
