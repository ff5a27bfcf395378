"""Types bodies: makes typed literals of the core program from atoms, constraints and conditions of the tree."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from vsalang.base.diagnostics import Edit, Fix
from vsalang.base.source import Span
from vsalang.language.semantics.migration_hints import foreign_relation, import_fix
from vsalang.language.semantics.operators import ORDER_OPS, SAME_TYPE_OPS, Operators, core_operator
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.safety import atom_flow
from vsalang.language.semantics.scope import RelationSymbol, Scope
from vsalang.language.semantics.terms import Terms
from vsalang.language.semantics.types import ORDERED
from vsalang.language.semantics.wording import an, inside_quotes, sort
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.ir import DURATION, NUMBER, Type
from vsalang.program.vocabulary import NATIVE, OF_AN_APP, VOCABULARY
from vsalang.program.walk import variables


@dataclass
class Bodies:
    """Types the literals of one rule. Methods return None if there is an error, which was reported."""

    scope: Scope
    report: Report
    terms: Terms

    @property
    def operators(self) -> Operators:
        """Types the right sides of operators."""
        return Operators(self.report, self.terms)

    # ------------------------------------------------------------ names

    def relation(self, name: t.Name, sort: str = "") -> RelationSymbol | None:
        """The relation that is meant; reports unknown and ambiguous names.

        Args:
            sort: the only sort that is useful here; names of others are not suggested.
        """
        symbols = self.scope.find_relation(name.text)
        if len(symbols) == 1:
            return symbols[0]
        if symbols:
            names = " or ".join(f"`{symbol.name}`" for symbol in symbols)
            self.report.error("E0207", name.span, f"two imports declare `{name.text}`", help=f"write {names}")
            return None
        if self.scope.silent(name.text):
            self.report.errors += 1
            return None
        if name.text in self.scope.screen_names():
            self.report.error(
                "E0204",
                name.span,
                f"`{name.text}` is a screen",
                help=f"as a condition write `screen {name.text}`",
            )
            return None
        if foreign_relation(self.scope, self.report, name):
            return None
        prefix, _, last = name.text.rpartition(".")
        if prefix and prefix not in self.scope.imports and prefix != self.scope.name:
            self.report.unknown_name(
                "E0214", name.span, "module", prefix, self.scope.imports, help="import it first"
            )
            return None
        candidates = self.scope.relation_names()
        if prefix:
            candidates = iter(n for n in candidates if n.startswith(prefix + "."))
        else:
            candidates = iter([n for n in candidates if "." not in n])
        help_text, fixes = "", []
        for module in self._elsewhere(last):
            help_text = f"`{last}` is declared by `{module}`: import it"
            fixes, candidates = [import_fix(self.scope, module)], iter(())
        known = [
            n for n in candidates if not sort or any(r.sort == sort for r in self.scope.find_relation(n))
        ]
        screens = [] if help_text or sort else self.report.near(name.text, set(self.scope.screen_names()))
        if screens and not self.report.near(name.text, known):
            # the bare name of a screen, misspelt
            for screen in screens[:1]:
                help_text = f"did you mean the screen `{screen}`? As a condition write `screen {screen}`"
                fixes = [Fix(f"write `screen {screen}`", (Edit(name.span, f"screen {screen}"),))]
        self.report.unknown_name(
            "E0204", name.span, "relation", name.text, known, help=help_text, fixes=fixes
        )
        return None

    def _elsewhere(self, name: str) -> list[str]:
        return [module for module, natives in NATIVE.items() if name in natives]

    def screen(self, name: t.Name) -> str | None:
        """The qualified name of a screen; reports unknown ones."""
        symbols = self.scope.find_screen(name.text)
        if len(symbols) == 1:
            return symbols[0].name
        if symbols:
            self.report.error(
                "E0207", name.span, f"two imports declare the screen `{name.text}`", help="qualify it"
            )
        elif self.scope.silent(name.text):
            self.report.errors += 1
        else:
            self.report.unknown_name("E0211", name.span, "screen", name.text, self.scope.screen_names())
        return None

    # ------------------------------------------------------------ atoms

    def atom(self, atom: t.Atom, *, before: bool = False) -> ir.Atom | None:
        """A condition's atom with typed constraints."""
        if atom.place:
            screen = self.screen(atom.name)
            if screen is None:
                return None
            if atom.place == "screen":
                return ir.Atom(screen, (), before, atom.span)
            name = ir.Constraint("name", "=", ir.Const(screen, ir.TEXT), span=atom.name.span)
            return ir.Atom("Goto", (name,), before, atom.span)
        symbol = self.relation(atom.name)
        if symbol is None:
            self.binders(atom)
            return None
        if before and symbol.sort not in ("state", "view", "list"):
            self.report.error(
                "E0413", atom.span, f"`before` reads the app's state, `{symbol.short}` is {sort(symbol.sort)}"
            )
            return None
        constraints: list[ir.Constraint] = []
        failed = not self._screen_name(symbol, atom)
        for arg in atom.args:
            ok, constraint = self.constraint(symbol, arg)
            failed = failed or not ok
            if constraint is not None:
                constraints.append(constraint)
        if failed:
            return None
        packages = self.scope.unit.tree.packages
        if (
            symbol.name in OF_AN_APP
            and self.scope.kind == "app"
            and packages
            and not any(arg.attr.text == "package" for arg in atom.args)
        ):
            own = tuple(ir.Const(p.value, ir.TEXT) for p in packages)
            constraints.append(
                ir.Constraint("package", "=", own[0])
                if len(own) == 1
                else ir.Constraint("package", "in", ir.Choice(own))
            )
        return ir.Atom(symbol.name, tuple(constraints), before, atom.span)

    def _screen_name(self, symbol: RelationSymbol, atom: t.Atom) -> bool:
        """Whether ``Screen(name = "S")`` names a screen that exists; ``screen S`` is the same and shorter."""
        if symbol.name != "Screen":
            return True
        right = True
        for arg in atom.args:
            if isinstance(arg.value, t.Text) and arg.op in ("=", "!=") and arg.attr.text == "name":
                names = {name.rpartition(".")[2] for name in self.scope.screen_names()}
                if arg.value.value not in names and not self.scope.silent(arg.value.value):
                    self.report.unknown_name(
                        "E0211", inside_quotes(arg.value.span), "screen", arg.value.value, names
                    )
                    right = False
        return right

    def binders(self, atom: t.Atom) -> None:
        """Record the variables of an atom whose relation is unknown, so that they are not reported as unbound."""
        for arg in atom.args:
            if isinstance(arg.value, t.Var):
                self.terms.variables.use(arg.value, None, self.report)

    def constraint(self, symbol: RelationSymbol, arg: t.Arg) -> tuple[bool, ir.Constraint | None]:
        """Whether a constraint has no error, and the constraint (None for ``a = _``, which tests nothing)."""
        attr = arg.attr.text
        if attr not in symbol.types:
            extra = (
                " (only an observation's head may give it)" if attr == "row" and symbol.sort == "list" else ""
            )
            if extra:
                self.report.error(
                    "E0206", arg.attr.span, f"unknown attribute `row` of `{symbol.short}`{extra}"
                )
            else:
                self.report.unknown_name(
                    "E0206", arg.attr.span, "attribute", attr, symbol.types, context=symbol.short
                )
            if isinstance(arg.value, t.Var):
                self.terms.variables.use(arg.value, None, self.report)
            return False, None
        type_ = symbol.types[attr]
        if type_ is None and symbol.sort != "derived":
            self.report.errors += 1  # the type is unknown: that was reported at the declaration
            if isinstance(arg.value, t.Var):
                self.terms.variables.use(arg.value, None, self.report)
            return False, None
        if isinstance(arg.value, t.Wildcard):
            if arg.op == "=":
                return True, None
            self.report.error("E0309", arg.span, "`_` means any value: it can only follow `attribute =`")
            return False, None
        result = self.operators.test(
            type_, arg.op, arg.value, arg.hi, arg.span, arg.op_span, what=f"`{symbol.short}.{attr}`"
        )
        if result is None:
            return False, None
        return True, ir.Constraint(attr, core_operator(arg.op, result[0]), result[0], result[1], arg.span)

    # ------------------------------------------------------------ literals

    def literals(self, items: tuple[t.Literal, ...]) -> list[ir.Literal] | None:
        """All literals of a body; None if any has an error. All are checked, so that all errors are reported."""
        result: list[ir.Literal] = []
        failed = False
        for item in _atoms_first(items):
            literal = self.literal(item)
            if literal is None:
                failed = True
            else:
                result.append(literal)
        return None if failed else result

    def literal(self, item: t.Literal) -> ir.Literal | None:
        """One literal; None after reporting an error."""
        match item:
            case t.Lit():
                return self._lit(item)
            case t.Compare():
                return self._compare(item)
            case t.Aggregate():
                return self._aggregate(item)
            case t.Quantified():
                return self._quantified(item)
            case t.Spent():
                return self._spent(item)
            case t.Then():
                return self._then(item)

    def _lit(self, item: t.Lit) -> ir.Lit | None:
        atom = self.atom(item.atom, before=item.before)
        past = self._past(item.past, atom)
        if atom is None or (item.past is not None and past is None):
            return None
        if item.before and item.past is not None:
            self.report.error("E0413", item.span, "`before` and an operator on the past do not go together")
            return None
        if past is not None and not self._remembered(item, atom, past):
            return None
        return ir.Lit(atom, bool(item.neg), past, "plain", item.span)

    def _remembered(self, item: t.Lit, atom: ir.Atom, past: ir.Past) -> bool:
        """Whether the past can be stored in a table: its atom binds its own variables, and ``since`` names them all."""
        if self._sort(atom.relation) == "action":
            return True
        needs = atom_flow(atom).needs
        if needs:
            name = sorted(needs)[0]
            self.report.error(
                "E0416",
                item.span,
                f"what is remembered cannot depend on `?{name}`, which is known only later",
                help=f"bind the attribute in it (`attribute = ?x`) and compare outside: ?x < ?{name}",
            )
            return False
        if past.other is not None:
            missing = variables(atom) - variables(past.other)
            if missing:
                name = sorted(missing)[0]
                self.report.error(
                    "E0416",
                    item.span,
                    f"`since` must name the same `?{name}` on both sides",
                    help="every variable on its left is also on its right",
                )
                return False
        return True

    def _past(self, past: t.Past | None, atom: ir.Atom | None) -> ir.Past | None:
        if past is None:
            return None
        if past.op in ("within", "for"):
            assert past.duration is not None
            duration = self.terms.term(past.duration, DURATION)
            if duration is None:
                return None
            if variables(duration[0]):
                self.report.error(
                    "E0312", past.duration.span, f"`{past.op}` takes a duration that is a constant"
                )
                return None
            if past.op == "for" and atom is not None and self._sort(atom.relation) in ("action", "gesture"):
                self.report.error(
                    "E0414", past.span, "an action happens at one moment: `for` does not apply to it"
                )
                return None
            return ir.Past(past.op, duration[0])  # type: ignore[arg-type]
        if past.op == "since":
            assert past.other is not None
            other = self.atom(past.other)
            return ir.Past("since", None, other) if other else None
        return ir.Past("earlier")

    def _sort(self, relation: str) -> str:
        """The sort of a relation by its qualified name, which may have another name here."""
        symbol = self.scope.relation_called(relation)
        if symbol is not None:
            return symbol.sort
        return VOCABULARY[relation].sort if relation in VOCABULARY else ""

    def _compare(self, item: t.Compare) -> ir.Compare | None:
        left_type = self._quick_type(item.left)
        if (
            left_type is None
            and item.right is not None
            and not isinstance(item.right, t.SetOf | t.Regex | t.Wildcard)
        ):
            right_type = self._quick_type(item.right)
            left = self.terms.term(
                item.left, right_type if item.op in (*SAME_TYPE_OPS, *ORDER_OPS, "in", "not in") else None
            )
        else:
            left = self.terms.term(item.left, None)
        if left is None:
            return None
        if item.op in ("known", "unknown"):
            self.report.error(
                "E0311",
                item.span,
                f"`{item.op}` asks about an attribute, a variable always has a value",
                help=f"write Relation(attribute {item.op})",
            )
            return None
        if isinstance(item.right, t.Wildcard):
            self.report.error(
                "E0309", item.right.span, "`_` means any value: it can only follow `attribute =`"
            )
            return None
        text = self.scope.unit.source.slice(item.left.span)
        result = self.operators.test(
            left[1], item.op, item.right, item.hi, item.span, item.op_span, what=f"`{text}`"
        )
        if result is None:
            return None
        if left[1] is None and isinstance(item.left, t.Var):
            kind = self._type_of(result[0], item.right)
            if kind is not None:
                self.terms.variables.use(item.left, kind, self.report)
        return ir.Compare(left[0], core_operator(item.op, result[0]), result[0], result[1], item.span)

    def _type_of(self, term: ir.Term | None, expr: t.Expr | None) -> Type | None:
        if isinstance(term, ir.Const | ir.Fn):
            return term.type
        if isinstance(term, ir.Var):
            return self.terms.variables.types.get(term.name)
        if isinstance(term, ir.Choice):
            return self._type_of(term.items[0], None)
        return ir.TEXT if isinstance(term, ir.TextPattern) else None

    def _quick_type(self, expr: t.Expr) -> Type | None:
        """The type of an expression if it does not depend on its context; reports nothing."""
        if isinstance(expr, t.Ref) and expr.name != "today" and not self.scope.find_let(expr.name):
            return None
        if isinstance(expr, t.Var):
            return self.terms.variables.types.get(expr.name)
        if isinstance(expr, t.Call) and expr.name.text in ("member", "members"):
            return None
        trial = Terms(self.scope, Report(trial=True), self.terms.variables.copy())
        result = trial.term(expr, None)
        return result[1] if result else None

    def _aggregate(self, item: t.Aggregate) -> ir.Aggregate | None:
        lit = self._lit(item.lit)
        symbol = self.scope.find_relation(item.lit.atom.name.text)
        fn = item.fn.text
        type_: Type | None = NUMBER
        attr = ""
        failed = lit is None
        if fn == "count":
            if item.attr is not None:
                self.report.error("E0304", item.attr.span, "`count` counts rows: write count(Relation(..))")
                failed = True
        elif item.attr is None:
            self.report.error(
                "E0304", item.fn.span, f"`{fn}` needs an attribute: {fn}(attribute of Relation(..))"
            )
            failed = True
        elif len(symbol) == 1:
            attr = item.attr.text
            if attr not in symbol[0].types:
                self.report.unknown_name(
                    "E0206", item.attr.span, "attribute", attr, symbol[0].types, context=symbol[0].short
                )
                failed = True
            else:
                type_ = symbol[0].types[attr]
                failed = not self._aggregates(fn, type_, item.attr.span) or failed
                if fn == "set" and type_ is not None:
                    type_ = Type("set", elem=type_)
        if failed:
            return None
        result = self.operators.test(
            type_, item.op, item.right, item.hi, item.span, item.op_span, what=f"`{fn}(..)`"
        )
        if result is None or lit is None or result[0] is None:
            return None
        op = core_operator(item.op, result[0])
        return ir.Aggregate(fn, attr, lit, op, result[0], result[1], (), "plain", item.span)  # type: ignore[arg-type]

    def _aggregates(self, fn: str, type_: Type | None, span: Span) -> bool:
        allowed = {
            "sum": ("Number", "Duration"),
            "min": ORDERED,
            "max": ORDERED,
            "set": ("Text", "enum"),
        }.get(fn, ())
        if type_ is None or type_.kind in allowed:
            return True
        self.report.error(
            "E0303", span, f"there is no `{fn}` of {an(type_)}", help=f"`{fn}` takes {' or '.join(allowed)}"
        )
        return False

    def _quantified(self, item: t.Quantified) -> ir.Literal | None:
        if isinstance(item, t.First):
            return self._first(item)
        if item.neg:
            self.report.error(
                "E0415",
                item.span,
                f"`{item.word}` cannot be negated",
                help="write a rule for the row that breaks it",
            )
            return None
        atom = self.atom(item.atom, before=item.before)
        has = self._has(item.atom, item.has or ())
        if atom is None or has is None:
            return None
        return _CORE[type(item)](atom, has, "plain", item.span)

    def _has(self, atom: t.Atom, args: tuple[t.Arg, ...]) -> tuple[ir.Constraint, ...] | None:
        symbols = self.scope.find_relation(atom.name.text)
        if len(symbols) != 1:
            return None
        result: list[ir.Constraint] = []
        failed = False
        for arg in args:
            ok, constraint = self.constraint(symbols[0], arg)
            failed = failed or not ok
            if constraint is not None:
                result.append(constraint)
        return None if failed else tuple(result)

    def _first(self, item: t.First) -> ir.First | None:
        n = self.terms.term(item.n, NUMBER) if item.n is not None else None
        atom = self.atom(item.atom, before=item.before)
        has = self._has(item.atom, item.has) if item.has is not None else None
        if n is None or atom is None or (item.has is not None and has is None):
            return None
        if item.neg:
            self.report.error(
                "E0415",
                item.span,
                "`first` cannot be negated",
                help="derive it with `define` and negate that",
            )
            return None
        if not isinstance(n[0], ir.Const) or not isinstance(n[0].value, int) or n[0].value < 1:
            self.report.error("E0306", (item.n or item).span, "`first` takes a whole number from 1")
            return None
        symbol = self.scope.find_relation(item.atom.name.text)[0]
        if symbol.sort != "list":
            self.report.error(
                "E0303", item.atom.span, f"`first` asks about lists, `{symbol.short}` is {sort(symbol.sort)}"
            )
            return None
        return ir.First(int(n[0].value), atom, has, "plain", item.span)

    def _spent(self, item: t.Spent) -> ir.Spent | None:
        symbol = self.relation(item.action)
        if symbol is None:
            return None
        if symbol.sort != "action":
            self.report.error(
                "E0303",
                item.action.span,
                f"`all` asks about an action, `{symbol.short}` is {sort(symbol.sort)}",
            )
            return None
        return ir.Spent(symbol.name, item.span)

    def _then(self, item: t.Then) -> ir.Then | None:
        parts: list[tuple[ir.Literal, ...]] = []
        failed = False
        for index, group in enumerate(item.parts):
            if index == len(item.parts) - 1 and len(group) > 1:
                self.report.error(
                    "E0415",
                    item.span,
                    "a group is possible only on the left of `then`",
                    help="derive the group with `define`",
                )
                failed = True
            literals = self.literals(group)
            if literals is None:
                failed = True
            else:
                parts.append(tuple(literals))
        return None if failed else ir.Then(tuple(parts), "plain", item.span)


_CORE: Final[Mapping[type[t.Quantified], Callable[..., ir.Literal]]] = MappingProxyType({t.Every: ir.Every})
"""What the conditions on all rows of an atom are in the core."""


def _atoms_first(items: tuple[t.Literal, ...]) -> list[t.Literal]:
    """Atoms before comparisons, because atoms give variables their types."""
    return sorted(
        items,
        key=lambda item: not isinstance(item, t.Lit | t.Then | t.First) or bool(getattr(item, "neg", "")),
    )
