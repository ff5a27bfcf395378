"""Types expressions: makes typed terms of the core program from the values in the syntax tree."""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal

from vsalang.base.diagnostics import Edit, Fix, Label
from vsalang.base.source import Span
from vsalang.base.source.suggest import nearest
from vsalang.language.semantics.bare import explain_bare
from vsalang.language.semantics.migration_hints import (
    DAYS,
    foreign_function,
    in_days,
    member_of_enum,
    not_a_regex,
    only_a_spelling,
    write,
)
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import Scope
from vsalang.language.semantics.types import (
    ARITHMETIC,
    FUNCTIONS,
    NONE_TYPE,
    Variables,
    in_languages,
    reader_hint,
    same_type,
)
from vsalang.language.semantics.wording import an, show_member
from vsalang.language.syntax import tree as t
from vsalang.program.ir import (
    BOOL,
    DATE,
    DURATION,
    NUMBER,
    TEXT,
    TIME,
    Choice,
    Const,
    Fn,
    Regex,
    Term,
    Type,
    Var,
    Words,
)
from vsalang.program.ops import call
from vsalang.program.text import canonical
from vsalang.program.values import NONE, NoneValue, Value, normal_number
from vsalang.program.walk import needed

_COUNTS = {
    "number": (1, 2, "one or two arguments"),
    "date": (1, 2, "one or two arguments"),
    "says": (2, 2, "two arguments"),
}
"""Of functions that take not just one argument the fewest, the most, and how a message says it."""


@dataclass
class Terms:
    """Types the expressions of one rule. Methods return None if there is an error, which was reported."""

    scope: Scope
    report: Report
    variables: Variables
    _depth: int = 0

    def term(self, expr: t.Expr, expected: Type | None) -> tuple[Term, Type | None] | None:
        """The term of an expression and its type, which fits `expected` (None: any type); None after an error."""
        result = self._term(expr, expected)
        if result is None:
            return None
        term, type_ = result
        if not same_type(expected, type_):
            assert expected is not None and type_ is not None
            self._mismatch(expr, expected, type_)
            return None
        return term, type_ if type_ is not None else expected

    def _mismatch(self, expr: t.Expr, expected: Type, got: Type) -> None:
        fixes: list[Fix] = []
        text = (
            self.scope.unit.source.slice(expr.span) if expr.span.file == self.scope.unit.source.file else ""
        )
        help_text = reader_hint(expected, got, text) if isinstance(expr, t.Var) else ""
        if isinstance(expr, t.Text):
            help_text, literal = _spelled(expr.value, expected)
            if literal and literal == expr.value:
                fixes.append(Fix(f"write it without quotes: {literal}", (Edit(expr.span, literal),)))
            elif literal:
                fixes.append(write(literal, expr.span))
        elif expected.kind == "Text" and isinstance(expr, t.Scalar):
            fixes.append(
                Fix("put it in quotes: a Text is written in quotes", (Edit(expr.span, f'"{expr.raw}"'),))
            )
        elif expected.kind == "Date" and isinstance(expr, t.Binary) and not text.strip("0123456789-"):
            help_text, literal = _spelled(text, expected)  # 24-12-2026 reads as a subtraction
            if literal:
                fixes.append(write(literal, expr.span))
        elif expected.kind == "Time" and isinstance(expr, t.Scalar):
            _, literal = _spelled(expr.raw, expected)
            if literal:
                fixes.append(write(literal, expr.span))
        self.report.error(
            "E0301",
            expr.span,
            f"expected {an(expected)}, found {an(got)}",
            label=f"this is {an(got)}",
            help=help_text,
            fixes=fixes,
        )

    def _term(self, expr: t.Expr, expected: Type | None) -> tuple[Term, Type | None] | None:
        match expr:
            case t.Text():
                return self._text(expr, expected)
            case t.Scalar():
                return self._scalar(expr)
            case t.Var():
                return Var(expr.name), self._var(expr, expected)
            case t.Paren():
                return self._term(expr.inner, expected)
            case t.Ref():
                return self._ref(expr, expected)
            case t.Call():
                return self._call(expr, expected)
            case t.Binary():
                return self._binary(expr, expected)
            case t.Negate():
                inner = self.term(expr.operand, expected)
                if inner is None:
                    return None
                if inner[1] is not None and inner[1].kind not in ("Number", "Duration"):
                    self.report.error("E0303", expr.span, f"`-` cannot be written before {an(inner[1])}")
                    return None
                return Fn("neg", (inner[0],), inner[1] or NUMBER), inner[1]
            case t.SetOf():
                return self._set(expr, expected)
            case t.Regex():
                self.report.error("E0310", expr.span, "a regular expression is possible only after `matches`")
            case t.Wildcard():
                self.report.error("E0309", expr.span, "`_` means any value: it can only follow `attribute =`")
            case t.Unknown():
                self.report.error(
                    "E0311",
                    expr.span,
                    "`unknown` is not a value",
                    help="ask with `attribute unknown` or `attribute known`; `attribute = unknown` erases a cell, "
                    "in the head of an update only",
                )
        return None

    def _var(self, var: t.Var, expected: Type | None) -> Type | None:
        known = self.variables.use(var, expected, self.report)
        if expected is None or expected.kind == "None":
            return known
        return expected  # a clash was reported by `use`: do not report it again as a mismatch

    def _text(self, expr: t.Text, expected: Type | None) -> tuple[Term, Type | None] | None:
        value = canonical(expr.value)
        if expected is not None and expected.kind == "enum":
            if value in {m.name for m in expected.members}:
                return Const(value, expected), expected
            self._no_member(expr.span, value, expected, quoted=True)
            return None
        return Const(value, TEXT), TEXT

    def _no_member(self, span: Span, value: str, enum: Type, *, quoted: bool) -> None:
        names = [m.name for m in enum.members]
        if only_a_spelling(self.report, span, value, enum):
            return
        near = nearest(value, names)
        alone = member_of_enum(value, enum, span)
        fixes = [alone] if alone else []
        if len(near) == 1 and not alone:
            fixes = [write(show_member(near[0]), span)]
        label = "did you mean " + " or ".join(show_member(n) for n in near) + "?" if near else ""
        help_text = "" if near else _members_help(names)
        if fixes:
            label = ""
        what = f"`{enum}`" if enum.name else "the enum"
        self.report.error(
            "E0209", span, f"`{value}` is not a member of {what}", label=label, help=help_text, fixes=fixes
        )

    def _scalar(self, expr: t.Scalar) -> tuple[Term, Type | None]:
        value: Value = expr.value
        if isinstance(value, NoneValue):
            return Const(NONE, NONE_TYPE), NONE_TYPE
        if isinstance(value, bool):
            return Const(value, BOOL), BOOL
        if isinstance(value, int | Decimal):
            return Const(normal_number(value), NUMBER), NUMBER
        if isinstance(value, dt.date):
            return Const(value, DATE), DATE
        if isinstance(value, dt.time):
            return Const(value, TIME), TIME
        return Const(value, DURATION), DURATION

    def _ref(self, expr: t.Ref, expected: Type | None) -> tuple[Term, Type | None] | None:
        name = expr.name
        if expected is not None and expected.kind == "enum" and name in {m.name for m in expected.members}:
            lets = self.scope.find_let(name)
            if lets:
                self.report.error(
                    "E0207",
                    expr.span,
                    f"`{name}` is a member of the enum and a constant",
                    labels=[Label(lets[0][1].name.span, "the constant")],
                    help=f'write "{name}" for the member, or rename the constant',
                )
                return None
            return Const(name, expected), expected
        if name == "today":
            return Fn("today", (), DATE), DATE
        lets = self.scope.find_let(name)
        if len(lets) > 1:
            self.report.error(
                "E0207", expr.span, f"two imports declare the constant `{name}`", help="qualify it"
            )
            return None
        if lets:
            return self._let(lets[0], expr, expected)
        if expected is not None and expected.kind == "enum":
            if not self.scope.silent(name):
                self._no_member(expr.span, name, expected, quoted=False)
            else:
                self.report.errors += 1
            return None
        explain_bare(self.scope, self.report, expr, expected)
        return None

    def _let(
        self, let_found: tuple[Scope, t.Let], expr: t.Ref, expected: Type | None
    ) -> tuple[Term, Type | None] | None:
        scope, let = let_found
        if self._depth > 20:
            self.report.error("E0205", let.span, f"the constant `{let.name.text}` is defined by itself")
            return None
        if isinstance(let.value, t.WordsOf):
            self.report.error(
                "E0310",
                expr.span,
                f"`{expr.name}` is a list of words: it is possible only after `matches` or `in`",
            )
            return None
        if isinstance(let.value, t.Regex):
            self.report.error(
                "E0310",
                expr.span,
                f"`{expr.name}` is a regular expression: it is possible only after `matches`",
            )
            return None
        inner = Terms(scope, self.report, Variables(), self._depth + 1)
        before = self.report.errors
        with self.report.muted():
            result = inner._term(let.value, expected)
        if result is None or self.report.errors > before:
            self.report.error(
                "E0301",
                expr.span,
                f"the constant `{expr.name}` does not fit here",
                label=f"expected {an(expected)}" if expected else "",
                labels=[Label(let.value.span, "its value")],
            )
            return None
        if not same_type(expected, result[1]):
            assert expected is not None and result[1] is not None
            self.report.error(
                "E0301",
                expr.span,
                f"expected {an(expected)}, found {an(result[1])}",
                label=f"`{expr.name}` is {an(result[1])}",
                labels=[Label(let.value.span, "its value")],
            )
            return None
        return result

    def _call(self, expr: t.Call, expected: Type | None) -> tuple[Term, Type | None] | None:
        name = expr.name.text
        if name not in FUNCTIONS:
            if foreign_function(self.report, expr.name):
                return None
            self.report.unknown_name("E0210", expr.name.span, "function", name, FUNCTIONS)
            return None
        wanted, result = FUNCTIONS[name]
        least, most, count = _COUNTS.get(name, (1, 1, "one argument"))
        if not least <= len(expr.args) <= most:
            self.report.error("E0304", expr.span, f"`{name}` takes {count}, {len(expr.args)} given")
            return None
        arg = self.term(expr.args[0], wanted)
        if arg is None:
            return None
        args: list[Term] = [arg[0]]
        if len(expr.args) == 2:
            second = self._second(name, expr.args[1])
            if second is None:
                return None
            args.append(second)
        if result is None:
            target = expected
            if name == "members":
                if target is not None and (
                    target.kind != "set" or target.elem is None or target.elem.kind != "enum"
                ):
                    self.report.error(
                        "E0304", expr.span, f"`members` reads a set of an enum, here {an(target)} is expected"
                    )
                    return None
            elif target is not None and target.kind != "enum":
                self.report.error(
                    "E0304", expr.span, f"`member` reads an enum, here {an(target)} is expected"
                )
                return None
            if target is None:
                self.report.error("E0305", expr.span, f"`{name}` does not know which enum to read here")
                return None
            result = target
        args[1:] = in_languages(name, args[1:], (scope.name for scope in self.scope.imports.values()))
        return Fn(name, tuple(args), result), result

    def _second(self, name: str, expr: t.Expr) -> Term | None:
        if name == "says":
            text = self.term(expr, TEXT)
            return text and text[0]
        if name == "number":
            if isinstance(expr, t.Text) and expr.value in (",", "."):
                return Const(expr.value, TEXT)
            self.report.error(
                "E0304", expr.span, 'the second argument of `number` is the decimal mark: "," or "."'
            )
            return None
        word = expr.name if isinstance(expr, t.Ref) else ""
        if word in ("dmy", "mdy"):
            return Const(word, TEXT)
        self.report.error("E0304", expr.span, "the second argument of `date` is the order: dmy or mdy")
        return None

    def _binary(self, expr: t.Binary, expected: Type | None) -> tuple[Term, Type | None] | None:
        left = self.term(expr.left, None)
        right = self.term(expr.right, None)
        if left is None or right is None:
            return None
        (left_term, left_type), (right_term, right_type) = left, right
        if left_type is None or right_type is None:
            guess = self._guess(expr, left_type, right_type, expected)
            return Fn(expr.op, (left_term, right_term), guess or NUMBER), guess
        result = ARITHMETIC.get((expr.op, left_type.kind, right_type.kind))
        if result is None:
            self.report.error(
                "E0303",
                expr.span,
                f"`{expr.op}` does not work on {an(left_type)} and {an(right_type)}",
                help=DAYS if left_type.kind == "Date" else "",
                fixes=in_days(expr),
            )
            return None
        if not self._defined(expr, left_term, right_term, left_type):
            return None
        return Fn(expr.op, (left_term, right_term), result), result

    def _defined(self, expr: t.Binary, left: Term, right: Term, type_: Type) -> bool:
        """Whether arithmetic on constants has a value: whole days on dates, times that stay in their day."""
        if type_.kind == "Date" and isinstance(right, Const) and isinstance(right.value, dt.timedelta):
            if right.value % dt.timedelta(days=1):
                self.report.error(
                    "E0303", expr.right.span, "a date moves by whole days", help="write 3d, or use a Time"
                )
                return False
            if abs(right.value) > dt.timedelta(days=366_000):
                self.report.error("E0306", expr.span, "no date is that far away")
                return False
        if (
            isinstance(left, Const)
            and isinstance(right, Const)
            and call(expr.op, (left.value, right.value)) is None
        ):
            help_text = "a time stays within its day" if type_.kind == "Time" else ""
            self.report.error(
                "E0306", expr.span, "this has no value, so nothing ever equals it", help=help_text
            )
            return False
        return True

    def _guess(
        self, expr: t.Binary, left: Type | None, right: Type | None, expected: Type | None
    ) -> Type | None:
        known = left or right
        if known is not None and known.kind == "Number" and expr.op in "+-":
            for side in (expr.left, expr.right):
                if isinstance(side, t.Var) and self.variables.types.get(side.name) is None:
                    self.variables.types[side.name] = NUMBER
            return NUMBER
        return expected

    def _set(self, expr: t.SetOf, expected: Type | None) -> tuple[Term, Type | None] | None:
        elem = expected.elem if expected is not None and expected.kind == "set" else None
        if expected is not None and expected.kind not in ("set", "None"):
            self.report.error(
                "E0301",
                expr.span,
                f"expected {an(expected)}, found a set",
                help="write `in {..}` to ask whether a value is one of several",
            )
            return None
        items: list[str] = []
        for item in expr.items:
            result = self.term(item, elem)
            if result is None:
                return None
            if not isinstance(result[0], Const) or not isinstance(result[0].value, str):
                code = "E0301" if isinstance(result[0], Const) else "E0312"
                self.report.error(code, item.span, "a set value holds texts or enum members")
                return None
            elem = elem or result[1]
            if result[0].value in items:
                self.report.warning("W0301", item.span, "this element is already in the set")
            items.append(result[0].value)
        type_ = (
            expected if expected is not None and expected.kind == "set" else Type("set", elem=elem or TEXT)
        )
        return Const(frozenset(items), type_), type_

    def choice(self, expr: t.Expr, elem: Type | None) -> tuple[Choice, Type | None] | None:
        """The right side of ``in {..}``: a set of constants, or the name of one; reports an empty set."""
        if isinstance(expr, t.Ref):
            lets = self.scope.find_let(expr.name)
            if len(lets) == 1 and isinstance(lets[0][1].value, t.SetOf):
                return Terms(lets[0][0], self.report, Variables(), self._depth + 1).choice(
                    lets[0][1].value, elem
                )
        if not isinstance(expr, t.SetOf):
            self.report.error(
                "E0313",
                expr.span,
                "`in` needs a set or a range",
                help=self._in_relation(expr)
                or "write in {a, b} or in lo..hi; for text inside a text write `contains`",
            )
            return None
        if not expr.items:
            self.report.error("E0306", expr.span, "nothing is in an empty set")
            return None
        items: list[Term] = []
        seen: set[Term] = set()
        for item in expr.items:
            result = self.term(item, elem)
            if result is None:
                return None
            if isinstance(result[0], Var) or needed(result[0]):
                self.report.error(
                    "E0312", item.span, "the elements of `in {..}` are constants", help="write two rules"
                )
                return None
            elem = elem or result[1]
            if result[0] in seen:
                self.report.warning("W0301", item.span, "this element is already in the set")
            items.append(result[0])
            seen.add(result[0])
        return Choice(tuple(items)), elem

    def _in_relation(self, expr: t.Expr) -> str:
        symbols = self.scope.find_relation(expr.name) if isinstance(expr, t.Ref) else []
        attrs = list(symbols[0].types) if symbols else []
        return f"to ask for a row write {symbols[0].short}({attrs[0]} = ?x)" if attrs else ""

    def words(self, expr: t.Expr | None, *, whole: bool) -> Words | None:
        """The list of words that a name means; None if it is not one, or has a mistake, which was reported."""
        lets = self.scope.find_let(expr.name) if isinstance(expr, t.Ref) else []
        if len(lets) != 1 or not isinstance(value := lets[0][1].value, t.WordsOf):
            return None
        scope, let = lets[0]
        return Words(f"{scope.name}.{let.name.text}", scope.unit.forms(value), whole)

    def regex(self, expr: t.Expr) -> Regex | Words | None:
        """The right side of ``matches``; reports what is not a list of words or a linear-time regular expression."""
        if words := self.words(expr, whole=False):
            return words
        if isinstance(expr, t.Ref):
            lets = self.scope.find_let(expr.name)
            if not lets and expr.name in self.scope.lost:
                return None  # its mistake was reported
            if len(lets) == 1 and isinstance(lets[0][1].value, t.Regex):
                expr = lets[0][1].value
        if not isinstance(expr, t.Regex):
            not_a_regex(self.report, expr)
            return None
        from vsalang.program.patterns import PatternError, compile_pattern

        try:
            pattern = compile_pattern(expr.source, expr.flags)
        except PatternError as problem:
            self.report.error("E0307", expr.span, f"this regular expression is not accepted: {problem}")
            return None
        return Regex(expr.source, expr.flags, tuple(pattern.groups))


def _members_help(names: list[str]) -> str:
    if len(names) > 12:
        return ""
    return "its members are " + ", ".join(show_member(name) for name in names)


def _spelled(value: str, expected: Type) -> tuple[str, str]:
    """A help and the literal of the expected type that a value surely spells; either may be empty.

    Where the day or the month of a date may come first the help has both readings, and there is no literal.
    """
    import re

    from vsalang.program.spelled_literals import bool_literal, date_literals, time_literal, which_date

    if expected.kind == "Date":
        days = date_literals(value)
        return which_date(value, days), days[0] if len(days) == 1 else ""
    if expected.kind == "Time":
        return "", time_literal(value)
    if expected.kind == "Bool":
        return "", bool_literal(value)
    pattern = {"Number": r"-?\d+(\.\d+)?", "Duration": r"\d+(s|min|h|d)"}.get(expected.kind)
    return "", value if pattern and re.fullmatch(pattern, value) else ""
