"""Writes the Python code of a plan: one readable text, or that of a part, made when a session first maintains it.

There is a function for each alpha memory (from a row to its tuple), and for each rule and position of its body one that
joins inserted or deleted tuples there with the rest. Rules with literals of other kinds are run step by step
(`vsalang.engine.run.steps`), without code.
"""

from collections.abc import Iterator, Sequence

from vsalang.engine.api import EngineError, Input
from vsalang.engine.compile.expressions import (
    NAMESPACE,
    Constants,
    Locals,
    compare_source,
    constraint_source,
    is_partial,
    term_source,
)
from vsalang.engine.plan import AlphaShape, AlphaSpec, CodePart, CodeText, Plan, RuleNet, TableSpec
from vsalang.engine.steps import ROW, Anti, Bind, Body, Enumerate, Filter, Join, Tally
from vsalang.program.ir import Const, Relation, Term, Var


def source_of(plan: Plan) -> str:
    """The text of a program's code."""
    return write_code(plan).text


def write_code(plan: Plan, part: CodePart | None = None) -> CodeText:
    """The code of a plan, or of a part of it."""
    if part is None:
        part = CodePart(range(len(plan.alphas)), list(_single_cells(plan)), sorted(plan.nets))
    constants = Constants()
    text: list[str] = []
    alphas: dict[int, str] = {}
    for number in part.alphas:
        spec = plan.alphas[number]
        lines = _alpha(number, spec, plan, constants)
        if lines is not None:
            alphas[number] = f"alpha_{number}"
            text += lines
        else:
            name = _doc(plan.tables[spec.table].name)
            text += ["", f"# alpha_{number}: {name}: its groups are captured by the engine"]
    writers: dict[tuple[int, int], str] = {}
    for table, column in part.cells:
        text += _writer(table, column, plan, constants)
        writers[table, column] = f"write_{table}_{column}"
    deltas: list[tuple[int, int, int, str, tuple[int, ...]]] = []
    tallies: list[tuple[int, int, str]] = []
    full: list[tuple[int, str]] = []
    support: list[tuple[int, str]] = []
    for stratum in part.strata:
        for index, rule in enumerate(plan.nets[stratum].rules):
            made = _Function(plan, constants, rule)
            name = f"rule_{stratum}_{index}"
            text += made.keys(name)
            text += made.function(name, "every derivation of it", rule.body, "s, out", "ONE")
            full.append((stratum, name))
            for position, delta in enumerate(rule.deltas):
                each = f"{name}_at_{position}"
                if delta.alpha < 0:
                    about = f"with rows of {plan.tables[delta.table].name} that were inserted or deleted"
                    text += made.function(each, about, delta.body, "s, added, removed, out", "rows")
                    tallies.append((delta.table, stratum, each))
                    continue
                words = "were inserted or deleted" if delta.sign > 0 else "(negated) were inserted or deleted"
                about = f"with tuples of alpha_{delta.alpha} that {words}"
                text += made.function(each, about, delta.body, "s, tuples, sign, out", "tuples")
                deltas.append((delta.alpha, stratum, delta.sign, each, _joined(delta.body)))
            if rule.support is not None:
                text += made.supporter(f"{name}_supports", rule.support)
                support.append((rule.table, f"{name}_supports"))
    header = [
        f'"""Generated from {_doc(plan.program.main)} by vsalang: do not edit.',
        "",
        *(
            f"table {number}: {_doc(f'{spec.name} {_reading(spec)}'.strip())}"
            for number, spec in enumerate(() if part.name else plan.tables)
        ),
        '"""',
        "",
        *constants.listing(),
        "",
    ]
    digest = "".join(ch for ch in plan.program.digest if ch.isalnum())[:16]
    return CodeText(
        "\n".join([*header, *text, ""]),
        f"<vsalang {digest} {id(plan):x}{f' {part.name}' if part.name else ''}>",
        {**NAMESPACE, **constants.values},
        alphas,
        writers,
        deltas,
        tallies,
        full,
        support,
    )


def _joined(body: Body) -> tuple[int, ...]:
    """The alpha memories that a change is joined with: while one of them is empty, the change derives nothing."""
    return tuple(
        dict.fromkeys(step.alpha for step in body.steps if isinstance(step, Join) and not step.delta)
    )


def _reading(spec: TableSpec) -> str:
    return "" if isinstance(spec.key, Input) else spec.key.reading


# ---------------------------------------------------------------- alpha memories


def _doc(text: str) -> str:
    """Text that is safe in a docstring."""
    return ascii(text)[1:-1].replace('"', "'").replace("\\", "/")[:300]


def _alpha(number: int, spec: AlphaSpec, plan: Plan, constants: Constants) -> list[str] | None:
    """The function of an alpha memory; None where the row's cells are searched by regular expressions."""
    shape, table = spec.shape, plan.tables[spec.table].name
    if shape is None or shape.captures:
        return None
    names = ", ".join(spec.names)
    return _row_function(f"alpha_{number}", f"{table}: {names}" if names else table, shape, constants)


def _row_function(name: str, about: str, shape: AlphaShape, constants: Constants) -> list[str]:
    """The function from a row to its tuple; None where the row does not fulfil the shape."""
    lines = ["", "", f"def {name}(row, ctx):", f'    """{_doc(about)}"""']
    lines += [f"    c{column} = row[{column}]" for column in sorted(shape.columns)]
    conditions = _conditions(shape, constants)
    if conditions:
        lines.append("    if " + " and ".join(conditions) + ":")
    outs = [f"c{group[0]}" for group in shape.outs] + [f"c{column}" for column in shape.cells]
    outs += ["row"] if shape.row else []
    lines.append(("    " if conditions else "") + "    return " + _tuple(outs))
    if conditions:
        lines.append("    return None")
    return lines


def _conditions(shape: AlphaShape, constants: Constants) -> list[str]:
    """What the cells ``c0``, ``c1``, .. of a row must fulfil."""
    local = Locals()
    groups = (*shape.outs, *shape.silent)
    must = dict.fromkeys([*(group[0] for group in groups), *shape.cells])
    return [
        *(constraint_source(f"c{column}", c, constants, local) for column, c in shape.checks),
        *(f"c{column} is not None" for column in must),
        *(f"c{column} is not None and c{group[0]} == c{column}" for group in groups for column in group[1:]),
    ]


def _keyless(plan: Plan, spec: TableSpec) -> Relation | None:
    """The state or view without a key whose rows, now or before, stand in a table."""
    if not isinstance(spec.key, Input) or spec.key.kind not in ("rows", "before"):
        return None
    relation = plan.program.relations.get(spec.key.relation)
    if relation is None or relation.key or relation.sort not in ("state", "view"):
        return None
    return relation


def _single_cells(plan: Plan) -> Iterator[tuple[int, int]]:
    """The cells of relations without a key that rules read: table and column."""
    for number, table in enumerate(plan.tables):
        if _keyless(plan, table) is not None:
            for column in range(table.arity):
                if any(column in (plan.alphas[index].columns or (column,)) for index in table.alphas):
                    yield number, column


def _writer(table: int, column: int, plan: Plan, constants: Constants) -> list[str]:
    """The function that updates the alpha memories which read a cell of the only row, after it was written."""
    spec = plan.tables[table]
    relation = _keyless(plan, spec)
    assert relation is not None
    body: list[str] = []
    read: set[int] = set()
    for index in spec.alphas:
        alpha, shape = plan.alphas[index], plan.alphas[index].shape
        if alpha.columns is not None and column not in alpha.columns:
            continue
        if shape is None or shape.captures or alpha.names:
            body += [
                f"    inserted, deleted = s.alphas[{index}].apply((new,), (old,))",
                "    if inserted or deleted:",
                f"        notify(s, {index}, inserted, deleted)",
            ]
            continue
        read |= shape.columns
        body += [
            f"    counts = s.alphas[{index}].counts",
            f"    if {' and '.join(_conditions(shape, constants)) or 'True'}:",
            "        if not counts:",
            "            counts[()] = 1",
            f"            notify(s, {index}, ONE, ())",
            "    elif counts:",
            "        counts.clear()",
            f"        notify(s, {index}, (), ONE)",
        ]
    return [
        "",
        "",
        f"def write_{table}_{column}(s, new, old):",
        f'    """{_doc(f"{spec.name}.{relation.attrs[column].name}")} was written in the only row."""',
        *(["    ctx = s.ctx"] if any("ctx." in line for line in body) else []),
        *(f"    c{cell} = new[{cell}]" for cell in sorted(read)),
        *(body or ["    pass"]),
    ]


def _tuple(items: Sequence[str]) -> str:
    return "(" + ", ".join(items) + (",)" if len(items) == 1 else ")")


# ---------------------------------------------------------------- bodies


class _Function:
    """Writes the functions of one rule."""

    def __init__(self, plan: Plan, constants: Constants, rule: RuleNet) -> None:
        self.plan = plan
        self.constants = constants
        self.rule = rule
        self.rows = {alpha: (table, terms) for alpha, table, terms in rule.rows}
        self.counted: dict[str, str] = {}

    def keys(self, name: str) -> list[str]:
        """The functions that say by which values a row is counted."""
        lines: list[str] = []
        for step in self.rule.body.steps:
            if isinstance(step, Tally):
                function = self.counted[step.name] = f"{name}_key_{len(self.counted)}"
                about = f"{self.plan.tables[step.table].name}: {', '.join(step.names)}"
                lines += _row_function(function, about, step.shape, self.constants)
        return lines

    def function(self, name: str, about: str, body: Body, arguments: str, start: str) -> list[str]:
        """The function that adds to `out` the derivations which a plan finds."""
        if start == "tuples" and not self.rule.row and self._is_flag(body):
            return self._flag(name, about, body, arguments)
        local = Locals()
        setup: dict[str, str] = {}
        lines: list[str] = []
        depth = self._steps(body, local, setup, lines, start)
        pad = "    " * depth
        if self.rule.table >= 0:
            lines += self._row(local, pad)
        else:
            values = _tuple(
                [term_source(t, self.constants, local) if t is not None else "None" for t in self.rule.head]
            )
            row = local.of(ROW) if self.rule.row else "()"
            lines.append(f"{pad}row = ({values}, {row})")
        sign = "1" if start == "ONE" else "sign"
        lines.append(f"{pad}out[row] = out.get(row, 0) + {sign}")
        count = {"ONE": "1", "tuples": "len(tuples)", "rows": "len(added) - len(removed)"}[start]
        head = [
            "",
            "",
            f"def {name}({arguments}):",
            f'    """{_doc(self.rule.rule)}: {about}."""',
            *(["    ctx = s.ctx"] if any("ctx." in line for line in lines) else []),
            *(f"    {local_name} = {expression}" for local_name, expression in setup.items()),
            f"    fuel = s.fuel - {count}",
            "    if fuel < 0:",
            "        fuel = s.refuel(fuel)",
        ]
        return [*head, *lines, "    s.fuel = fuel"]

    def _is_flag(self, body: Body) -> bool:
        """Whether a body joins nothing: each literal holds or not."""
        return not self.rule.head and all(
            isinstance(step, Join | Anti) and not step.names for step in body.steps
        )

    def _flag(self, name: str, about: str, body: Body, arguments: str) -> list[str]:
        tests = [
            f"{'not ' if isinstance(step, Anti) else ''}alphas[{step.alpha}].counts"
            for step in body.steps
            if isinstance(step, Anti) or (isinstance(step, Join) and not step.delta)
        ]
        row = "()" if self.rule.table >= 0 else "((), ())"
        row = f"({self.rule.table}, ())" if self.rule.support is not None else row
        pad = "        " if tests else "    "
        return [
            "",
            "",
            f"def {name}({arguments}):",
            f'    """{_doc(self.rule.rule)}: {about}."""',
            *(["    alphas = s.alphas", f"    if {' and '.join(tests)}:"] if tests else []),
            f"{pad}out[{row}] = out.get({row}, 0) + sign",
        ]

    def supporter(self, name: str, body: Body) -> list[str]:
        """The function that looks for a derivation of a row from rows of lower levels."""
        local = Locals()
        setup: dict[str, str] = {}
        lines: list[str] = []
        cells = [f"h{index}" for index in range(len(self.rule.head))]
        opening = [f"    {_tuple(cells)} = row"] if cells else []
        for cell, term in zip(cells, self.rule.head, strict=True):
            if isinstance(term, Const):
                opening.append(f"    if {cell} != {self.constants.name(term.value)}:")
                opening.append("        return False")
            elif isinstance(term, Var) and term.name in local:
                opening.append(f"    if {cell} != {local.of(term.name)}:")
                opening.append("        return False")
            elif isinstance(term, Var):
                opening.append(f"    {local.new(term.name)} = {cell}")
            else:
                raise EngineError("the head of a recursive rule has a function")
        depth = self._steps(body, local, setup, lines, "ONE", ranked=True)
        pad = "    " * depth
        lines.append(f"{pad}s.fuel = fuel")
        lines.append(f"{pad}return True")
        return [
            "",
            "",
            f"def {name}(s, row, level):",
            f'    """{_doc(self.rule.rule)}: whether it derives the row from rows of lower levels."""',
            *(["    ctx = s.ctx"] if any("ctx." in line for line in lines) else []),
            *opening,
            *(f"    {local_name} = {expression}" for local_name, expression in setup.items()),
            "    fuel = s.fuel - 1",
            "    if fuel < 0:",
            "        fuel = s.refuel(fuel)",
            *lines,
            "    s.fuel = fuel",
            "    return False",
        ]

    def _row(self, local: Locals, pad: str) -> list[str]:
        lines, cells = [], []
        for index, term in enumerate(self.rule.head):
            assert term is not None
            source = term_source(term, self.constants, local)
            if is_partial(term):
                lines += [f"{pad}h{index} = {source}", f"{pad}if h{index} is None:", f"{pad}    continue"]
                source = f"h{index}"
            cells.append(source)
        row = _tuple(cells)
        if self.rule.support is not None:  # several relations may be of one component
            row = f"({self.rule.table}, {row})"
        return [*lines, f"{pad}row = {row}"]

    def _steps(
        self,
        body: Body,
        local: Locals,
        setup: dict[str, str],
        lines: list[str],
        start: str,
        *,
        ranked: bool = False,
    ) -> int:
        """Write the loops and conditions of a plan; how deep its innermost place is."""
        depth, fresh = 1, iter(range(1000))
        if start == "ONE":
            lines.append("    for _ in ONE:")
            depth = 2
        for step in body.steps:
            pad = "    " * depth
            if isinstance(step, Join):
                depth = self._join(step, local, setup, lines, depth, fresh, ranked=ranked)
            elif isinstance(step, Tally):
                depth = self._tally(step, local, setup, lines, depth)
            elif isinstance(step, Anti):
                setup[f"a{step.alpha}"] = f"s.alphas[{step.alpha}].counts"
                if step.names:
                    key = _tuple([local.of(name) for name in step.names])
                    lines += [f"{pad}if {key} in a{step.alpha}:", f"{pad}    continue"]
                else:
                    lines += [f"{pad}if a{step.alpha}:", f"{pad}    continue"]
            elif isinstance(step, Filter):
                assert step.source is not None
                if isinstance(step.source, tuple):
                    name, c = step.source
                    test = constraint_source(local.of(name), c, self.constants, local)
                else:
                    test = compare_source(step.source, self.constants, local)
                lines += [f"{pad}if not {test}:", f"{pad}    continue"]
            elif isinstance(step, Bind):
                name, term = step.source
                source = term_source(term, self.constants, local)
                made = local.new(name)
                lines.append(f"{pad}{made} = {source}")
                if is_partial(term):
                    lines += [f"{pad}if {made} is None:", f"{pad}    continue"]
            elif isinstance(step, Enumerate):
                name, term = step.source
                source = term_source(term, self.constants, local)
                lines.append(f"{pad}for {local.new(name)} in dict.fromkeys({source}):")
                depth += 1
                pad = "    " * depth
                lines += [f"{pad}if {local.of(name)} is None:", f"{pad}    continue"]
        return depth

    def _tally(self, step: Tally, local: Locals, setup: dict[str, str], lines: list[str], depth: int) -> int:
        """Count the rows of a key; of a change for each key that it concerns."""
        function = f"{self.counted[step.name]}(row, ctx)"
        column = step.shape.outs[0][0]
        bucket = f"t{step.table}_{column}"
        setup[bucket] = f"s.tables[{step.table}].index({column})"
        setup["ctx"] = "s.ctx"
        if step.delta:
            lines.append("    changed = {}")
            for rows, sign in (("added", "+"), ("removed", "-")):
                lines.append(f"    for row in {rows}:")
                lines.append(f"        key = {function}")
                lines.append(f"        changed[key] = changed.get(key, 0) {sign} 1")
            lines += ["    changed.pop(None, None)", "    for key, more in changed.items():"]
            lines += ["        if not more:", "            continue"]
            lines.append(f"        {_tuple([local.new(name) for name in step.names])} = key")
            depth, key = 2, "key"
        else:
            key = _tuple([local.of(name) for name in step.names])
        pad, number = "    " * depth, local.new(step.name)
        lines += [
            f"{pad}rows = {bucket}.get({local.of(step.names[0])}, ())",
            f"{pad}fuel -= len(rows)",
            f"{pad}if fuel < 0:",
            f"{pad}    fuel = s.refuel(fuel)",
            f"{pad}{number} = [{function} for row in rows].count({key})",
        ]
        if step.delta:
            lines.append(f"{pad}for {number}, sign in (({number}, 1), ({number} - more, -1)):")
            depth += 1
        return depth

    def _join(
        self,
        step: Join,
        local: Locals,
        setup: dict[str, str],
        lines: list[str],
        depth: int,
        fresh: Iterator[int],
        *,
        ranked: bool,
    ) -> int:
        pad = "    " * depth
        known = {column for column, name in enumerate(step.names) if name in local}
        alpha = f"a{step.alpha}"
        if step.delta:
            targets = [local.new(name) for name in step.names]
            lines.append(f"{pad}for {_tuple(targets) if targets else '_'} in tuples:")
            return depth + 1
        if len(known) == len(step.names):
            setup[alpha] = f"s.alphas[{step.alpha}].counts"
            key = _tuple([local.of(name) for name in step.names])
            lines += [
                f"{pad}if {key} not in {alpha}:" if known else f"{pad}if not {alpha}:",
                f"{pad}    continue",
            ]
        else:
            targets = ["_" if column in known else local.new(name) for column, name in enumerate(step.names)]
            if known:
                columns = tuple(sorted(known))
                index = f"x{step.alpha}_" + "_".join(map(str, columns))
                setup[index] = f"s.alphas[{step.alpha}].index({columns!r})"
                key = _tuple([local.of(step.names[column]) for column in columns])
                variable = f"f{next(fresh)}"
                lines += [
                    f"{pad}{variable} = {index}.get({key})",
                    f"{pad}if not {variable}:",
                    f"{pad}    continue",
                ]
            else:
                setup[alpha] = f"s.alphas[{step.alpha}].counts"
                variable = alpha
            lines += [
                f"{pad}fuel -= len({variable})",
                f"{pad}if fuel < 0:",
                f"{pad}    fuel = s.refuel(fuel)",
                f"{pad}for {_tuple(targets)} in {variable}:",
            ]
            depth += 1
        if ranked and step.alpha in self.rows:
            pad = "    " * depth
            table, terms = self.rows[step.alpha]
            setup[f"levels{table}"] = f"s.levels[{table}]"
            lines += [f"{pad}if levels{table}[{self._whole(terms, local)}] >= level:", f"{pad}    continue"]
        return depth

    def _whole(self, terms: Sequence[Term], local: Locals) -> str:
        return _tuple([term_source(term, self.constants, local) for term in terms])
