"""Checks a rule and makes a rule of the core program of it: types, range restriction, and its head."""

from collections.abc import Iterable
from dataclasses import replace

from vsalang.base.diagnostics import Label
from vsalang.base.source import Span
from vsalang.language.semantics.annotations import REFUSAL
from vsalang.language.semantics.bodies import Bodies
from vsalang.language.semantics.migration_hints import counted_word, near_variable
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.safety import NEGATED, order
from vsalang.language.semantics.scope import RelationSymbol, Scope
from vsalang.language.semantics.terms import Terms
from vsalang.language.semantics.triggers import Triggers
from vsalang.language.semantics.types import Variables, same_type
from vsalang.language.semantics.wording import an, sort, words
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.reading import adding_duty, certainly
from vsalang.program.screen_rules import match_relation
from vsalang.program.text import canonical
from vsalang.program.values import Value
from vsalang.program.walk import mentions, needed, present


class RuleChecker:
    """Checks and lowers the rules of one module."""

    def __init__(self, scope: Scope, report: Report) -> None:
        self.scope = scope
        self.report = report
        self.triggers = Triggers(scope, report)

    def rule(self, item: t.Rule, rule_id: str, annotations: dict[str, tuple[Value, ...]]) -> ir.Rule | None:
        """The core rule; None if it has errors, which were reported."""
        variables = Variables()
        bodies = Bodies(self.scope, self.report, Terms(self.scope, self.report, variables))
        before = self.report.errors
        pattern: list[ir.Literal] = []
        license_head: ir.License | None = None
        if item.kind == "allow" and isinstance(item.head, t.AtomHead):
            license_head = self._license(item.head, bodies)
            if license_head is not None:
                pattern = [ir.Lit(license_head.atom, span=item.head.atom.span)]
        elif item.kind == "done":
            license_head = ir.License(ir.Atom("finish", (), span=item.head.span))
        body = bodies.literals(item.body)
        extra = bodies.literals(item.extra) if item.extra is not None else []
        head = license_head if item.kind in ("allow", "done") else self._head(item, bodies)
        if body is None or extra is None or head is None or self.report.errors > before:
            return None
        expected: list[ir.Literal] = list(head.literals) if isinstance(head, ir.Expect) else []
        self._untyped(variables, [*pattern, *body, *extra, *expected])
        head_vars = _head_vars(head)
        ordered, bound, problems = order([*pattern, *body], set(), head_vars.union(mentions(tuple(extra))))
        ordered_extra, bound, extra_problems = order(extra, bound, head_vars)
        problems = {**extra_problems, **problems}
        if isinstance(head, ir.Expect):
            wants, _, want_problems = order(expected, bound, set())
            problems.update(want_problems)
            refusal = any(annotation.name.text == REFUSAL for annotation in item.annotations)
            head = ir.Expect(tuple(certainly(literal) for literal in wants) if refusal else wants)
        for name in sorted(head_vars - bound - set(problems)):
            problems[name] = ""
        if problems:
            self._unbound(item, variables, problems)
            return None
        ordered = tuple(x for x in ordered if x not in pattern)
        if isinstance(head, ir.License):
            ordered = tuple(certainly(literal) for literal in ordered)
            head = replace(head, atom=certainly(head.atom))
        if isinstance(head, ir.Recognize) or (isinstance(head, ir.Judge) and head.level != "flag"):
            ordered = tuple(adding_duty(literal) for literal in ordered)
            ordered_extra = tuple(adding_duty(literal) for literal in ordered_extra)
        if isinstance(item.head, t.ScreenHead):
            ordered = self._with_node(ordered)
        rule = ir.Rule(
            id=rule_id,
            head=head,
            body=ordered,
            extra=ordered_extra,
            trigger=self.triggers.trigger(item, head, ordered),
            module=self.scope.name,
            annotations=annotations,
            doc=item.doc.value if item.doc else "",
            span=item.span,
            head_span=item.head.span,
        )
        return rule if self.report.errors == before else None

    def _with_node(self, body: tuple[ir.Literal, ...]) -> tuple[ir.Literal, ...]:
        """The body of a screen's rule, which asks for at least one node of the app; of a generic module, for any node.

        A rule that only negates would hold in every other app, and if nothing could be read.
        """
        packages, generic = self.scope.unit.tree.packages, self.scope.unit.tree.generic
        if not (packages or generic) or any(
            (symbols := self.scope.find_relation(literal.atom.relation)) and symbols[0].sort == "observed"
            for literal in present(body)
        ):
            return body
        if generic:
            return (ir.Lit(ir.Atom("Node", ())), *body)
        own = tuple(ir.Const(p.value, ir.TEXT) for p in packages)
        shows = ir.Constraint("package", "=", own[0])
        if len(own) > 1:
            shows = ir.Constraint("package", "in", ir.Choice(own))
        return (ir.Lit(ir.Atom("Node", (shows,))), *body)

    # ------------------------------------------------------------ variables

    def _untyped(self, variables: Variables, literals: Iterable[ir.Literal]) -> None:
        """Check comparisons again that were typed before the types of their variables were known."""
        for item in literals:
            if (
                isinstance(item, ir.Compare)
                and isinstance(item.left, ir.Var)
                and isinstance(item.right, ir.Var)
            ):
                left, right = variables.types.get(item.left.name), variables.types.get(item.right.name)
                wanted = left.elem if left and item.op in ("contains", "not contains") and left.elem else left
                if not same_type(wanted, right):
                    self.report.error(
                        "E0301",
                        item.span,
                        f"`?{item.left.name}` is {an(left)}, `?{item.right.name}` is {an(right)}",
                    )

    def _unbound(self, item: t.Rule, variables: Variables, problems: dict[str, str]) -> None:
        for name, why in problems.items():
            span = variables.spans.get(name, item.head.span)
            bound = [other for other in variables.types if other not in problems]
            near, fixes = near_variable(name, span, bound)
            help_text = (
                near or f"give it a value in a positive condition, such as Relation(attribute = ?{name})"
            )
            if not near and why == NEGATED:
                help_text += ", or leave the attribute out if any value will do"
            label, message = why or "nothing gives it a value", f"the variable `?{name}` is not bound"
            self.report.error("E0401", span, message, label=label, help=help_text, fixes=fixes)

    # ------------------------------------------------------------ heads

    def _head(self, item: t.Rule, bodies: Bodies) -> ir.Head | None:
        match item.head:
            case t.ScreenHead(name=name):
                return ir.Derive(
                    ir.Atom(match_relation(f"{self.scope.name}:{name.text}"), (), span=name.span)
                )
            case t.GotoHead(screen=name):
                screen = bodies.screen(name)
                return ir.Goto(screen) if screen else None
            case t.JudgeHead(message=message):
                return self._judge(item.kind, message, bodies)
            case t.ExpectHead(literals=literals):
                wants = bodies.literals(literals)
                return ir.Expect(tuple(wants)) if wants is not None else None
            case t.AtomHead() as head:
                return self._atom_head(item.kind, head, bodies)
        return None

    def _atom_head(self, kind: str, head: t.AtomHead, bodies: Bodies) -> ir.Head | None:
        symbol = bodies.relation(head.atom.name, "action" if kind == "recognize" else "")
        if symbol is None:
            bodies.binders(head.atom)
            return None
        if head.keep and (kind != "update" or symbol.sort not in ("view", "list")):
            self.report.error("E0404", head.span, "`..` ends the head of an update of a view or a list only")
        if not self._owned(kind, symbol, head.atom.name):
            return None
        allowed = {
            "define": ("derived",),
            "recognize": ("action",),
            "complete": ("state", "list"),
            "top": ("list",),
            "end": ("list",),
            "update": ("state", "view", "list"),
            "delete": ("state", "view", "list"),
        }[kind]
        if symbol.sort not in allowed:
            self.report.error(
                "E0501",
                head.atom.name.span,
                f"`{kind}` cannot name `{symbol.short}`: it is {sort(symbol.sort)}",
                help=f"`{kind}` is for {words(allowed)}",
            )
            return None
        terms = self._head_terms(kind, symbol, head.atom, bodies)
        if terms is None:
            return None
        atom = ir.Atom(symbol.name, terms, span=head.atom.span)
        named = {c.attr for c in terms}
        relation = symbol.relation
        if kind == "define":
            return ir.Derive(atom)
        if kind == "recognize":
            return ir.Recognize(atom)
        if relation is None:
            return None
        if kind in ("complete", "top", "end"):
            return self._mark(kind, relation, atom, named, head)
        if kind == "delete":
            return self._delete(relation, atom, named, head)
        return self._update(relation, atom, named, head)

    def _owned(self, kind: str, symbol: RelationSymbol, name: t.Name) -> bool:
        if symbol.scope is self.scope:
            return True
        if symbol.scope is None:
            whose = "belongs to the device"
        else:
            whose = f"belongs to the module `{symbol.scope.name}`"
        self.report.error(
            "E0502",
            name.span,
            f"`{symbol.short}` {whose}: this module cannot `{kind}` it",
            help="a relation gets rules only from the module that declares it",
        )
        return False

    def _head_terms(
        self, kind: str, symbol: RelationSymbol, atom: t.Atom, bodies: Bodies
    ) -> tuple[ir.Constraint, ...] | None:
        result: list[ir.Constraint] = []
        failed = False
        for arg in atom.args:
            name = arg.attr.text
            types = dict(symbol.types)
            if symbol.sort == "list" and kind == "update":
                types["row"] = ir.NUMBER
            if name not in types:
                what = "parameter" if symbol.sort == "action" else "attribute"
                self.report.unknown_name("E0206", arg.attr.span, what, name, types, context=symbol.short)
                if isinstance(arg.value, t.Var):
                    bodies.terms.variables.use(arg.value, None, self.report)
                failed = True
                continue
            if any(c.attr == name for c in result):
                self.report.error(
                    "E0404", arg.span, f"`{name}` is given twice in this head", help="each attribute once"
                )
                failed = True
                continue
            if arg.op != "=" or arg.hi is not None or arg.value is None:
                self.report.error(
                    "E0404",
                    arg.op_span,
                    f"a head says what a value is: `{name} = ..`",
                    label=f"`{arg.op}` asks a question",
                    help="put the condition into the body",
                )
                failed = True
                continue
            if types[name] is None and symbol.sort != "derived":
                self.report.errors += 1  # the type is unknown: that was reported at the declaration
                bodies.binders(t.Atom(atom.name, (arg,), atom.span))
                failed = True
                continue
            if isinstance(arg.value, t.Unknown):
                if kind != "update":
                    self.report.error(
                        "E0404", arg.span, f"`{name} = unknown` is possible only in the head of an update"
                    )
                    failed = True
                elif symbol.relation is not None and name in (*symbol.relation.identity, "row"):
                    self.report.error("E0404", arg.span, f"`{name}` identifies the row: it cannot be unknown")
                    failed = True
                else:
                    result.append(ir.Constraint(name, "=", None, None, arg.span))
                continue
            if isinstance(arg.value, t.Wildcard):
                if kind == "delete":
                    continue
                self.report.error("E0309", arg.span, "`_` means any value: a head needs one")
                failed = True
                continue
            term = bodies.terms.term(arg.value, types[name])
            if term is None:
                failed = True
                continue
            result.append(ir.Constraint(name, "=", term[0], None, arg.span))
        return None if failed else tuple(result)

    def _mark(
        self, kind: str, relation: ir.Relation, atom: ir.Atom, named: set[str], head: t.AtomHead
    ) -> ir.Mark | None:
        identity = relation.within if relation.sort == "list" else relation.key
        if relation.sort == "state" and not relation.key:
            self.report.error(
                "E0404",
                head.atom.span,
                f"`{relation.short}` has one row: it is complete as soon as it was seen",
            )
            return None
        strange = sorted(named - set(identity))
        if strange:
            self.report.error(
                "E0404",
                head.atom.span,
                f"`{kind}` gives values of {words(identity) or 'nothing'}, not of `{strange[0]}`",
                help=f"what is complete is named by the {'`in`' if relation.sort == 'list' else 'key'} attributes",
            )
            return None
        if relation.sort == "list" and set(identity) - named:
            missing = ", ".join(f"`{name}`" for name in identity if name not in named)
            self.report.error(
                "E0404", head.atom.span, f"`{kind} {relation.short}` must say which list: {missing}"
            )
            return None
        return ir.Mark(kind, atom)  # type: ignore[arg-type]

    def _delete(
        self, relation: ir.Relation, atom: ir.Atom, named: set[str], head: t.AtomHead
    ) -> ir.Write | None:
        allowed = {*relation.key, *relation.within, *(("at",) if relation.sort == "list" else ())}
        strange = sorted(named - allowed)
        if strange and not allowed:
            self.report.error(
                "E0404",
                head.atom.span,
                f"`{relation.short}` has one row: `delete {relation.short}` takes no pattern",
            )
            return None
        if strange:
            self.report.error(
                "E0404",
                head.atom.span,
                f"`delete` names rows by their key, `{strange[0]}` is not part of it",
                help=f"the key of `{relation.short}` is {words(tuple(sorted(allowed)))}",
            )
            return None
        return ir.Write(atom, delete=True)

    def _update(
        self, relation: ir.Relation, atom: ir.Atom, named: set[str], head: t.AtomHead
    ) -> ir.Write | None:
        missing: list[str] = []
        if relation.sort == "state":
            missing = [name for name in relation.key if name not in named]
        elif relation.sort == "list":
            missing = [name for name in relation.within if name not in named]
            by_key = bool(relation.key) and set(relation.key) <= named
            if not missing and not by_key and not {"at", "row"} & named:
                missing = ["row"]
        if missing:
            what = " and ".join(f"`{name}`" for name in missing)
            hint = "an update names the whole key, so that it is clear which row it writes"
            if missing == ["row"]:
                hint = (
                    "an observation gives the node of the row: row = ?n; other updates name `at` or the key"
                )
            self.report.error(
                "E0404",
                head.atom.span,
                f"this update does not say which row of `{relation.short}` it writes: {what} is missing",
                help=hint,
                labels=[Label(relation.span, "declared here")] if relation.span else [],
            )
            return None
        return ir.Write(atom, keep=head.keep)

    # ------------------------------------------------------------ licences and judgements

    def _license(self, head: t.AtomHead, bodies: Bodies) -> ir.License | None:
        if counted_word(self.scope, self.report, head.quota, head.atom):
            bodies.binders(head.atom)
            return None
        symbol = bodies.relation(head.atom.name, "action")
        quota = self._quota(head, bodies)
        if symbol is None:
            bodies.binders(head.atom)
            return None
        if symbol.sort != "action":
            hint = "only actions that are irreversible or named by the user need permission"
            if symbol.sort in ("state", "view", "list", "derived", "observed"):
                hint = "write it into the body, after `when`"
            if symbol.sort == "gesture":
                hint = "gestures need no permission; allow the action that a gesture is recognised as"
            self.report.error(
                "E0501",
                head.atom.name.span,
                f"`allow` permits actions, `{symbol.short}` is {sort(symbol.sort)}",
                help=hint,
            )
            return None
        if symbol.name in ("finish", "give_up"):
            hint = (
                "write `done when ..`"
                if symbol.name == "finish"
                else "an agent may always give up: delete this rule"
            )
            self.report.error("E0501", head.span, f"`allow {symbol.name}` is not needed", help=hint)
            return None
        atom = bodies.atom(head.atom)
        if atom is None or quota is None:
            return None
        for c in atom.constraints:
            if c.op == "unknown":
                self.report.error(
                    "E0410",
                    c.span,
                    "an unknown parameter permits nothing",
                    help="leave the parameter out if any value will do",
                )
                return None
        return ir.License(atom, quota)

    def _quota(self, head: t.AtomHead, bodies: Bodies) -> ir.Quota | None:
        quota = head.quota
        if isinstance(quota, str):
            return ir.Quota(quota or "one")  # type: ignore[arg-type]
        term = bodies.terms.term(quota, ir.NUMBER)
        if term is None:
            return None
        value = term[0].value if isinstance(term[0], ir.Const) else None
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self.report.error(
                "E0505",
                quota.span,
                "a licence is for a whole number of times, at least 1",
                help="to forbid an action leave the rule out: what nothing allows is blocked",
            )
            return None
        return ir.Quota("count", value)

    def _judge(self, level: str, message: t.Text, bodies: Bodies) -> ir.Judge | None:
        parts: list[str | ir.Var] = []
        text = message.value
        at = 0
        buffer = ""
        while at < len(text):
            char = text[at]
            if char == "{" and text[at : at + 2] == "{{":
                buffer, at = buffer + "{", at + 2
                continue
            if char == "}" and text[at : at + 2] == "}}":
                buffer, at = buffer + "}", at + 2
                continue
            if char != "{":
                buffer, at = buffer + char, at + 1
                continue
            close = text.find("}", at)
            inner = text[at + 1 : close] if close > 0 else ""
            if not inner.startswith("?") or not inner[1:].isidentifier():
                part = text[at : close + 1] if close > 0 else text[at : at + 10]
                self.report.error(
                    "E0308",
                    message.span,
                    f"`{part}` in a message is not a variable",
                    help="write {?name} for a variable, {{ for a brace",
                )
                return None
            if buffer:
                parts.append(canonical(buffer))
                buffer = ""
            var = inner[1:]
            bodies.terms.variables.use(t.Var(var, self._inside(message, inner)), None, self.report)
            parts.append(ir.Var(var))
            at = close + 1
        if buffer:
            parts.append(canonical(buffer))
        return ir.Judge(level, tuple(parts))  # type: ignore[arg-type]

    def _inside(self, message: t.Text, inner: str) -> Span:
        """The span of a variable inside a message; that of the whole message if escapes hide it."""
        raw = self.scope.unit.source.slice(message.span)
        at = raw.find(inner)
        if at < 0:
            return message.span
        start = message.span.start + at
        return Span(message.span.file, start, start + len(inner))


def _head_vars(head: ir.Head) -> frozenset[str]:
    return frozenset() if isinstance(head, ir.License | ir.Expect) else needed(head)
