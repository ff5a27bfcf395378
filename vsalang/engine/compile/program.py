"""From the core program to the kernel: which versions of relations are needed, in what order, and by what plans."""

from collections import deque
from collections.abc import Sequence
from typing import Any

from vsalang.core.ir import (
    Atom,
    Compare,
    Derive,
    Expect,
    Judge,
    License,
    Lit,
    Program,
    Recognize,
    Relation,
    Rule,
    Spent,
    Var,
    Write,
)
from vsalang.core.ir import Literal as BodyLiteral
from vsalang.core.vocabulary import VOCABULARY
from vsalang.core.walk import binds, outer_variables, sources, uses, variables
from vsalang.engine.api import EngineError
from vsalang.engine.compile.bodies import Planner
from vsalang.engine.compile.deltas import answer_net, derive_net
from vsalang.engine.compile.order import finish
from vsalang.engine.compile.ranges import Ranges
from vsalang.engine.compile.strata import components_of
from vsalang.engine.matching import ROW, columns_of, plan_alpha
from vsalang.engine.plan import (
    AlphaSpec,
    Body,
    DerivePlan,
    ExpectPlan,
    ExtraPlan,
    Kernel,
    NodeSpec,
    Ref,
    RulePlan,
    StampPlan,
    StampSpec,
    TableSpec,
    Version,
)
from vsalang.engine.terms import compile_term, is_clocked


def compile_program(program: Program, base: "Compiler | None" = None) -> Kernel:
    """Compile a checked program.

    Args:
        base: the compiler of a part of it (`shared_part`), after `compile_rules`: what it made is not made again.

    Raises:
        EngineError: the program is not stratified, or a body is not safe: the checker should have refused it.
    """
    return Compiler(program, base).run()


def shared_part(program: Program) -> Program | None:
    """The apps and modules of a program, which other specs import too; None if there are none to share.

    Nothing that is compiled of their rules depends on the rest: specs and policies derive relations of their own only.
    """
    shared = {name for name, info in program.modules.items() if info.kind in ("app", "module")}
    rules = tuple(rule for rule in program.rules if rule.module in shared)
    relations = {
        name: relation
        for name, relation in program.relations.items()
        if name in VOCABULARY or not relation.module or relation.module in shared
    }
    own = (rule.head for rule in program.rules if rule.module not in shared)
    if not rules or any(isinstance(head, Derive) and head.atom.relation in relations for head in own):
        return None
    return Program("", {}, relations, rules, "")


class Compiler:
    """Makes a kernel. Derived relations are compiled when something asks for them, never by recursion on data.

    Args:
        program: what is compiled.
        base: goes on from what this one made of a part of the program, and leaves it as it is.
    """

    def __init__(self, program: Program, base: "Compiler | None" = None) -> None:
        self.program = program
        self.kernel: Kernel = Kernel(program) if base is None else base.kernel.copy(program)
        self.derive_rules: dict[str, list[Rule]] = {}
        for rule in program.rules:
            if isinstance(rule.head, Derive):
                self.derive_rules.setdefault(rule.head.atom.relation, []).append(rule)
        self.columns = {name: columns_of(relation) for name, relation in program.relations.items()}
        self.components = components_of(self._graph())
        self._check_stratified()
        self.reads_certainly = self._differing()
        self.pending: deque[tuple[str, Version]] = deque()
        self.component_nodes: dict[tuple[int, str], int] = {}
        self.past_ids: dict[tuple[Any, ...], tuple[int, tuple[str, ...], tuple[Any, ...]]] = {}
        self.pending_stamps: deque[tuple[int, str, Version]] = deque()
        self.counter = 0
        self._alpha_keys: list[tuple[Any, ...]] = []
        self._compiled: frozenset[str] = frozenset()
        if base is not None:
            self.component_nodes = {
                (self.components[self.kernel.nodes[node].name][0], version): node
                for (_, version), node in base.component_nodes.items()
            }
            self.past_ids = dict(base.past_ids)
            self.counter = base.counter
            self._alpha_keys = list(base._alpha_keys)
            self._compiled = frozenset(rule.id for rule in base.program.rules)

    # ------------------------------------------------------------ relations

    def relation(self, name: str) -> Relation:
        """The relation of that name.

        Raises:
            EngineError: there is none.
        """
        try:
            return self.program.relations[name]
        except KeyError:
            raise EngineError(f"the program has no relation {name}") from None

    def is_derived(self, name: str) -> bool:
        """Whether rows of the relation are derived by rules."""
        return self.relation(name).sort == "screen" or name in self.derive_rules

    def version(self, name: str, version: Version) -> Version:
        """The version to compile: screens are always read plainly, and some relations read alike in all."""
        if self.relation(name).sort == "screen":
            return "plain"
        if version == "certain" and name not in self.reads_certainly:
            return "plain"
        return version

    def slot(self, name: str, arity: int) -> int:
        """The table of a slot."""
        return self.table(Ref("slot", name), arity)

    def table(self, ref: Ref, arity: int) -> int:
        """The number of a table, made if it is new."""
        number = self.kernel.table_ids.get(ref)
        if number is None:
            number = self.kernel.table_ids[ref] = len(self.kernel.tables)
            self.kernel.tables.append(TableSpec(ref, arity))
            if ref.kind == "slot":
                self.kernel.slots[ref.name] = number
        return number

    def base(self, atom: Atom) -> int:
        """The table of a base relation, now or before."""
        relation = self.relation(atom.relation)
        if atom.before and self.is_derived(atom.relation):
            raise EngineError(f"before {relation.short}: only the app's own relations have a state before")
        name = f"before {relation.name}" if atom.before else relation.name
        return self.slot(name, len(relation.attrs))

    def commits(self, name: str) -> int:
        """The table of an action's commits: its rows with the commit's number and point."""
        return self.slot(f"commits {name}", len(self.relation(name).attrs) + 2)

    def derived(self, name: str, version: Version) -> int:
        """The table of a derived relation in a version (`version` decides which)."""
        version = self.version(name, version)
        ref = Ref("derived", name, version)
        number = self.kernel.table_ids.get(ref)
        if number is None:
            number = self.table(ref, len(self.relation(name).attrs))
            key = (self.components[name][0], version)
            node = self.component_nodes.get(key)
            if node is None:
                node = self.component_nodes[key] = len(self.kernel.nodes)
                members = self.components[name][1]
                self.kernel.nodes.append(NodeSpec(version, name))
                self.pending.append((name, version))
                for member in members:
                    if self.version(member, version) == version:
                        self.derived(member, version)
            self.kernel.tables[number].node = node
        return number

    def source(self, atom: Atom, version: Version) -> int:
        """The table that a positive atom of that version ranges over."""
        if self.is_derived(atom.relation):
            if atom.before:
                raise EngineError(f"before {atom.relation}: only the app's own relations have a state before")
            return self.derived(atom.relation, version)
        return self.base(atom)

    def same_component(self, one: str, other: str) -> bool:
        """Whether two derived relations depend on each other."""
        return one in self.components and self.components.get(other, (None,))[0] == self.components[one][0]

    def fresh(self, prefix: str) -> str:
        """A name that no variable of a program has."""
        self.counter += 1
        return f"#{prefix}{self.counter}"

    # ------------------------------------------------------------ strata

    def _graph(self) -> dict[str, set[str]]:
        graph: dict[str, set[str]] = {name: set() for name in self.derive_rules}
        for name, relation in self.program.relations.items():
            if relation.sort == "screen":
                graph.setdefault(name, set())
        for name, rules in self.derive_rules.items():
            for rule in rules:
                graph[name].update(use.atom.relation for use in uses(rule.body) if use.atom.relation in graph)
        return graph

    def _check_stratified(self) -> None:
        for name, rules in self.derive_rules.items():
            for rule in rules:
                for use in uses(rule.body):
                    if not use.monotone and self.same_component(name, use.atom.relation):
                        raise EngineError(
                            f"the program is not stratified: {name} depends on a negation or an aggregate of itself "
                            f"(rule {rule.id})"
                        )

    def _differing(self) -> set[str]:
        """The derived relations whose certain version differs from the plain one."""
        found: set[str] = set()
        users: dict[str, set[str]] = {}
        for name, rules in self.derive_rules.items():
            for rule in rules:
                for literal in rule.body:
                    plain = isinstance(literal, Lit) and not literal.neg
                    if not plain and not isinstance(literal, Compare | Spent):
                        found.add(name)
                for use in uses(rule.body):
                    users.setdefault(use.atom.relation, set()).add(name)
        waiting = list(found)
        while waiting:
            for user in users.get(waiting.pop(), ()):
                if user not in found:
                    found.add(user)
                    waiting.append(user)
        return found

    # ------------------------------------------------------------ alphas and nodes

    def alpha(self, table: int, plan: Any, key: tuple[Any, ...]) -> int:
        """The number of an alpha, shared by occurrences that read alike."""
        for number in self.kernel.tables[table].alphas:
            if self._alpha_keys[number] == key:
                return number
        number = len(self.kernel.alphas)
        columns = None if plan.shape is None or plan.shape.row else plan.shape.columns
        mask = -1 if columns is None else sum(1 << column for column in columns)
        self.kernel.alphas.append(AlphaSpec(table, plan.fn, plan.names, plan.shape, columns, mask))
        self.kernel.tables[table].alphas.append(number)
        self._alpha_keys.append(key)
        return number

    # ------------------------------------------------------------ the whole program

    def run(self) -> Kernel:
        """Compile every rule that is answered, and what it needs; nothing can be added after that."""
        self.compile_rules()
        finish(self.kernel)
        return self.kernel

    def compile_rules(self) -> "Compiler":
        """Compile the rules that the base did not, so that this can be the base of others."""
        before = self._compiled
        for rule in self.program.rules:
            if rule.id in before:
                before -= {rule.id}
                continue
            if rule.id in self.kernel.variables:
                raise EngineError(f"two rules have the id {rule.id}")
            self._rule(rule)
            self._drain()
        for name in self.program.relations:
            if self.is_derived(name):
                self.derived(name, "plain")
        self._drain()
        return self

    def _drain(self) -> None:
        while self.pending or self.pending_stamps:
            if self.pending:
                self._component(*self.pending.popleft())
            else:
                self._stamps(*self.pending_stamps.popleft())

    def node(self, kind: Any, name: str) -> int:
        """A new node."""
        self.kernel.nodes.append(NodeSpec(kind, name))
        return len(self.kernel.nodes) - 1

    def planner(self, node: int, version: Version | None, **more: Any) -> Planner:
        """A planner of one body for a node; `version` None: each literal has its own reading."""
        return Planner(self, self.kernel.nodes[node], version, **more)

    def _rule(self, rule: Rule) -> None:
        head = rule.head
        if isinstance(head, Derive):
            names = tuple(sorted(variables(head.atom)))
            self._answers(rule, names, rule.body, self.kernel.answers, "plain")
            return
        if isinstance(head, Judge):
            names = tuple(sorted({part.name for part in head.message if isinstance(part, Var)}))
        elif isinstance(head, Expect):
            names = tuple(sorted({name for literal in head.literals for name in outer_variables(literal)}))
        elif isinstance(head, License | Recognize | Write) or hasattr(head, "atom"):
            names = tuple(sorted(variables(head.atom)))
        else:
            names = ()
        body: tuple[Any, ...] = rule.body
        # whatever a literal is marked: what licenses must hold certainly
        version = "certain" if isinstance(head, License) else None
        self._answers(rule, names, body, self.kernel.answers, version)
        if isinstance(head, Recognize):
            self._extras(rule)
        if isinstance(head, Expect):
            node = self.node("answers", f"{rule.id} expected")
            bound = self._bindable(rule)
            given = tuple(name for name in names if name in bound)
            plan = self.planner(node, None, given=given).plan(head.literals, ())
            self.kernel.expects[rule.id] = (node, ExpectPlan(plan, given))

    def _extras(self, rule: Rule) -> None:
        """What stands after ``with``: the conditions of all sources, then each source, with what all share."""
        assert isinstance(rule.head, Recognize)
        wanted = variables(rule.head.atom)
        found = sources(rule)
        shared = {name for literal in rule.body for name in outer_variables(literal)} & (
            set(wanted) | {name for literal in rule.extra for name in outer_variables(literal)}
        )
        plans = []
        for source in ((), *found.each):
            own = set(wanted) & {name for literal in source for name in outer_variables(literal)}
            names = (*sorted(shared), *sorted(own - shared))
            plans.append(self._answer_plan(rule, names, (*rule.body, *found.of_all, *source), None))
        self.kernel.extras[rule.id] = ExtraPlan(len(shared), tuple(plans))

    @staticmethod
    def _bindable(rule: Rule) -> set[str]:
        return {name for literal in rule.body for name in binds(literal)}

    def _answers(
        self,
        rule: Rule,
        names: tuple[str, ...],
        body: Sequence[BodyLiteral],
        into: dict[str, Any],
        version: Any,
    ) -> None:
        self.kernel.variables[rule.id] = names
        into[rule.id] = self._answer_plan(rule, names, body, version)

    def _answer_plan(
        self, rule: Rule, names: tuple[str, ...], body: Sequence[BodyLiteral], version: Any
    ) -> tuple[int, RulePlan]:
        node = self.node("answers", rule.id)
        head = rule.head.atom if isinstance(rule.head, License) else None
        planner = self.planner(node, version)
        try:
            plan = planner.plan(body, names, license_head=head)
        except EngineError as error:
            raise EngineError(f"rule {rule.id}: {error}") from None
        positions = tuple(plan.layout.index(name) if name in plan.layout else None for name in names)
        row = plan.layout.index(ROW) if ROW in plan.layout else None
        answer_net(self, node, rule.id, body, version, names, plan.layout, head)
        return node, RulePlan(names, plan, positions, row)

    def _component(self, name: str, version: Version) -> None:
        """Compile the rules of a component in one version."""
        members = tuple(m for m in self.components[name][1] if self.version(m, version) == version)
        node = self.component_nodes[(self.components[name][0], version)]
        spec = self.kernel.nodes[node]
        spec.members = tuple(self.derived(member, version) for member in members)
        for member in members:
            table = self.derived(member, version)
            relation = self.relation(member)
            for rule in self.derive_rules.get(member, ()):
                assert isinstance(rule.head, Derive)
                try:
                    if version == "possible":
                        spec.plans.append(Ranges(self, spec).possible_rule(rule, table, members))
                    else:
                        spec.plans.append(self._derive(rule, relation, table, node, version, members))
                except EngineError as error:
                    raise EngineError(f"rule {rule.id}: {error}") from None
            if relation.sort == "screen":
                alpha = self.given_alpha(member)
                spec.alphas.add(alpha)
                from vsalang.engine.run.steps import Join

                spec.plans.append(DerivePlan(table, Body([Join(alpha, (), ())], ()), lambda env, ctx: ()))
        if version == "possible":
            spec.recursive = any(rule.recursive for rule in spec.plans)
        else:
            spec.recursive = any(plan.deltas for plan in spec.plans)
            derive_net(self, node, version, members, spec.recursive)

    def given_alpha(self, screen: str) -> int:
        """The alpha of the slot that says that a screen shows."""
        plan = plan_alpha({}, (), lambda name: False)
        return self.alpha(self.slot(f"given {screen}", 0), plan, ((), ()))

    def _derive(
        self,
        rule: Rule,
        relation: Relation,
        table: int,
        node: int,
        version: Version,
        members: tuple[str, ...],
    ) -> DerivePlan:
        head = rule.head.atom  # type: ignore[union-attr]
        needed = tuple(sorted(variables(head)))
        inside = frozenset(members)
        body = self.planner(node, version, inside=inside).plan(rule.body, needed)
        make = self._head_row(rule, relation, node)
        deltas = []
        for index, literal in enumerate(rule.body):
            positive = isinstance(literal, Lit) and not literal.neg and literal.past is None
            if positive and literal.atom.relation in members:  # type: ignore[union-attr]
                planner = self.planner(node, version, delta=index, inside=inside)
                plan = planner.plan(rule.body, needed)
                if plan.layout != body.layout:
                    plan = planner.reorder(plan, body.layout)
                deltas.append((planner.delta_alpha, plan))
        return DerivePlan(table, body, make(body.layout), tuple(deltas))

    def _head_row(self, rule: Rule, relation: Relation, node: int) -> Any:
        """From a layout to the function that makes the head's row of a binding (None: a term is undefined)."""
        terms = {c.attr: c.term for c in rule.head.atom.constraints if c.term is not None}  # type: ignore[union-attr]
        missing = [attr.name for attr in relation.attrs if attr.name not in terms]
        if missing:
            raise EngineError(f"the head says nothing of {', '.join(missing)}")
        if any(is_clocked(term) for term in terms.values()):
            self.kernel.nodes[node].clock = True

        def make(layout: tuple[str, ...]) -> Any:
            where = {name: index for index, name in enumerate(layout)}
            gets = [compile_term(terms[attr.name], _at(where)) for attr in relation.attrs]

            def row(env: Any, ctx: Any) -> Any:
                cells = tuple([get(env, ctx) for get in gets])
                return None if None in cells else cells

            return row

        return make

    # ------------------------------------------------------------ ages

    def stamped(self, table: int, spec: NodeSpec, name: str, version: Version) -> None:
        """Note that a node asks for the age of a derived table's rows."""
        spec.stamped.add(table)
        if table not in self.kernel.stamps:
            self.kernel.stamps[table] = StampSpec(self.node("stamps", name))
            self.pending_stamps.append((table, name, self.version(name, version)))

    def _stamps(self, table: int, name: str, version: Version) -> None:
        from vsalang.engine.run.ages import given_read, reads_of
        from vsalang.engine.run.steps import Join

        spec = self.kernel.stamps[table]
        relation, node = self.relation(name), self.kernel.nodes[spec.node]
        for rule in self.derive_rules.get(name, ()):
            names = {n for literal in rule.body for n in binds(literal)}
            names |= variables(rule.head.atom)  # type: ignore[union-attr]
            body = self.planner(spec.node, version).plan(rule.body, names)
            ask = reads_of(self, node, rule.body, version)
            head = self._head_row(rule, relation, spec.node)(body.layout)
            spec.plans.append(StampPlan(body, head, ask))
        if relation.sort == "screen":
            given = self.slot(f"given {name}", 0)
            alpha = self.given_alpha(name)
            node.alphas.add(alpha)
            body = Body([Join(alpha, (), ())], ())
            spec.plans.append(StampPlan(body, lambda env, ctx: (), given_read(self, node, given, name)))


def _at(layout: dict[str, int]) -> Any:
    def lookup(name: str) -> Any:
        if name not in layout:
            raise EngineError(f"the variable ?{name} is not bound")
        index = layout[name]
        return lambda env: env[index]

    return lookup
