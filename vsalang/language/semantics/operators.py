"""Types operators: whether one works on a type, and what is allowed on its right."""

from dataclasses import dataclass

from vsalang.base.source import Span
from vsalang.language.semantics.migration_hints import swapped
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.terms import Terms
from vsalang.language.semantics.types import ORDERED, same_type
from vsalang.language.semantics.wording import an
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.ir import Type
from vsalang.program.ops import OPERATORS
from vsalang.program.values import Value

TEXT_OPS = tuple(symbol for symbol, operator in OPERATORS.items() if operator.types == {"text"})
ORDER_OPS = ("<", "<=", ">", ">=")
SAME_TYPE_OPS = ("=", "!=", "subset", "not subset")


def core_operator(op: str, right: ir.Term | None) -> str:
    """The operator of the core: ``in`` with a list of words on the right asks which texts match it as a whole."""
    if not isinstance(right, ir.Words):
        return op
    return {"in": "matches", "not in": "not matches"}.get(op, op)


@dataclass
class Operators:
    """Types operators in one rule."""

    report: Report
    terms: Terms

    def test(
        self,
        type_: Type | None,
        op: str,
        value: t.Expr | None,
        hi: t.Expr | None,
        span: Span,
        op_span: Span,
        *,
        what: str,
    ) -> tuple[ir.Term | None, ir.Term | None] | None:
        """The right side of ``<something of type_> op value [.. hi]``; None after an error, which was reported."""
        if op in ("known", "unknown"):
            return None, None
        assert value is not None
        if type_ is not None and not self._applies(type_, op, hi is not None, op_span, what):
            return None
        if op in ("matches", "not matches"):
            pattern = self.terms.regex(value)
            if pattern is None:
                return None
            if op == "not matches" and pattern.groups:
                self.report.error("E0314", value.span, "a named group binds under a positive `matches` only")
                return None
            for group in pattern.groups:
                self.terms.variables.use(t.Var(group, value.span), ir.TEXT, self.report)
            return pattern, None
        if op in ("in", "not in") and hi is None:
            words = self.terms.words(value, whole=True)
            if words is not None:
                fits = type_ is None or self._applies(type_, "matches", False, op_span, what)
                return (words, None) if fits else None
            choice = self.terms.choice(value, type_)
            return (choice[0], None) if choice else None
        if op in ("in", "not in"):
            assert hi is not None
            low = self.terms.term(value, type_)
            high = self.terms.term(hi, type_)
            if low is None or high is None:
                return None
            if self._empty(low[0], high[0]):
                self.report.error(
                    "E0306",
                    span,
                    "this range is empty: its first value is above its last",
                    fixes=swapped(value, hi),
                )
                return None
            return low[0], high[0]
        wanted = type_
        if op in ("contains", "not contains") and type_ is not None:
            wanted = type_.elem if type_.kind == "set" else type_
        if op in ("~=", "!~="):
            return self._similar(value)
        if isinstance(value, t.Scalar) and value.raw == "none" and op not in ("=", "!="):
            self.report.error(
                "E0303",
                value.span,
                f"`{op} none` never holds: `none` equals itself and has no order",
                help="write `= none`",
            )
            return None
        result = self.terms.term(value, wanted)
        return (result[0], None) if result else None

    def _similar(self, value: t.Expr) -> tuple[ir.Term, None] | None:
        if isinstance(value, t.Var) or not isinstance(value, t.Text | t.Ref | t.Paren):
            self.report.error(
                "E0411",
                value.span,
                "`~=` compares with a constant only",
                help="what is similar must be decided for one text at a time; join with `=`",
            )
            return None
        result = self.terms.term(value, ir.TEXT)
        return (result[0], None) if result else None

    def _applies(self, type_: Type, op: str, ranged: bool, span: Span, what: str) -> bool:
        kind = type_.kind
        if op in ORDER_OPS or (op in ("in", "not in") and ranged):
            ok = kind in ORDERED
            hint = "numbers, dates, times and durations have an order"
            if kind == "set":
                hint += "; the size of a set is asked with count"
        elif op in ("contains", "not contains"):
            ok = kind in ("Text", "set")
            hint = "`contains` asks for text inside a Text, or for a member of a set"
        elif op in TEXT_OPS:
            ok = kind == "Text"
            hint = f"`{op}` works on Text"
        elif op in ("subset", "not subset"):
            ok = kind == "set"
            hint = "`subset` compares two sets"
        elif op in ("in", "not in"):
            ok = kind != "set"
            hint = "for sets write `subset` or `contains`"
        else:
            return True
        if not ok:
            self.report.error(
                "E0303",
                span,
                f"`{op}` does not work on {what}, {an(type_)}",
                label=f"not for {an(type_)}",
                help=hint,
            )
        return ok

    def _empty(self, low: ir.Term, high: ir.Term) -> bool:
        if isinstance(low, ir.Const) and isinstance(high, ir.Const) and same_type(low.type, high.type):
            left: Value = low.value
            right: Value = high.value
            try:
                return bool(left > right)  # type: ignore[operator]
            except TypeError:
                return False
        return False
