"""The Python code of a program: one readable text, made when a session first keeps something up to date by differences.

There is a function for each atom occurrence (from a row to the tuple of its variables), and for each rule and position
of its body one that joins tuples which came or went there with the rest. Rules whose literals are of other kinds are
computed from plans (`vsalang.engine.run.steps`), not from code.
"""

import linecache
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from vsalang.core.ir import Const, Term, Var
from vsalang.engine.api import EngineError
from vsalang.engine.compile.deltas import RuleNet
from vsalang.engine.compile.expressions import (
    NAMESPACE,
    Constants,
    Locals,
    compare_source,
    constraint_source,
    is_partial,
    term_source,
)
from vsalang.engine.matching import ROW
from vsalang.engine.plan import AlphaShape, AlphaSpec, Body, Kernel
from vsalang.engine.run.steps import Anti, Bind, Enumerate, Filter, Join

_LOCK: Final = threading.Lock()

Users = tuple[tuple[int, int, Callable[..., None]], ...]


@dataclass(slots=True)
class Code:
    """The functions of a program.

    Attributes:
        text: the source; `filename` is what tracebacks call it.
        users: for each alpha who must be told of its tuples: node, sign, function(session, tuples, sign, out).
        full: for each node the functions(session, out) that find every derivation.
        support: for each table of a recursive component the functions(session, row, rank) that look for a derivation
            from rows of lower rank.
        writers: for tables of at most one row, by table and column: the function(session, new row, old row) that tells
            the atoms which read the cell.
        inside: for each recursive component and each of its tables the alphas that its own rules read, with the
            functions to be told.
    """

    text: str
    filename: str
    users: list[Users]
    full: dict[int, tuple[Callable[..., None], ...]] = field(default_factory=dict)
    support: dict[int, tuple[Callable[..., bool], ...]] = field(default_factory=dict)
    writers: dict[tuple[int, int], Callable[..., None]] = field(default_factory=dict)
    inside: dict[int, dict[int, list[tuple[int, list[Callable[..., None]]]]]] = field(default_factory=dict)

    def __del__(self) -> None:
        if linecache is not None:  # the interpreter is not shutting down
            linecache.cache.pop(self.filename, None)


def code_of(kernel: Kernel) -> Code:
    """The code of a kernel, made if there is none yet. Safe from any thread."""
    found = kernel.code
    if found is None:
        with _LOCK:
            found = kernel.code
            if found is None:
                found = _build(kernel)
                kernel.code = found
    return found


def source_of(kernel: Kernel) -> str:
    """The text of a program's code."""
    return code_of(kernel).text


def _build(kernel: Kernel) -> Code:
    constants = Constants()
    namespace: dict[str, Any] = dict(NAMESPACE)
    text: list[str] = []
    for number, spec in enumerate(kernel.alphas):
        text += _alpha(number, spec, kernel, constants, namespace)
    writers: list[tuple[int, int]] = []
    for table, column in _single_cells(kernel):
        text += _writer(table, column, kernel, constants)
        writers.append((table, column))
    plan: list[tuple[int, int, int, str]] = []
    fulls: list[tuple[int, str]] = []
    supports: list[tuple[int, str]] = []
    for node, net in sorted(kernel.nets.items()):
        for index, rule in enumerate(net.rules):
            made = _Function(kernel, constants, rule)
            name = f"rule_{node}_{index}"
            text += made.function(name, "every derivation of it", rule.body, "s, out", "ONE")
            fulls.append((node, name))
            for position, delta in enumerate(rule.deltas):
                each = f"{name}_at_{position}"
                words = "came or went" if delta.sign > 0 else "(negated) came or went"
                about = f"with tuples of alpha_{delta.alpha} that {words}"
                text += made.function(each, about, delta.body, "s, tuples, sign, out", "tuples")
                plan.append((delta.alpha, node, delta.sign, each))
            if rule.support is not None:
                text += made.supporter(f"{name}_supports", rule.support)
                supports.append((rule.table, f"{name}_supports"))
    header = [
        f'"""Generated from {_doc(kernel.program.main)} by vsalang: do not edit.',
        "",
        *(
            f"table {number}: {_doc(f'{spec.ref.name} {spec.ref.version}'.strip())}"
            for number, spec in enumerate(kernel.tables)
        ),
        '"""',
        "",
        *constants.listing(),
        "",
    ]
    source = "\n".join([*header, *text, ""])
    digest = "".join(ch for ch in kernel.program.digest if ch.isalnum())[:16]
    filename = f"<vsalang {digest} {id(kernel):x}>"
    from vsalang.engine.run.maintain import tell  # it calls what is made here

    namespace["tell"] = tell
    namespace.update(constants.values)
    exec(compile(source, filename, "exec"), namespace)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    users: list[list[tuple[int, int, Callable[..., None]]]] = [[] for _ in kernel.alphas]
    for alpha, node, sign, each in plan:
        users[alpha].append((node, sign, namespace[each]))
    code = Code(source, filename, [tuple(found) for found in users])
    for table, column in writers:
        code.writers[table, column] = namespace[f"write_{table}_{column}"]
    for node, name in fulls:
        code.full[node] = (*code.full.get(node, ()), namespace[name])
    for table, name in supports:
        code.support[table] = (*code.support.get(table, ()), namespace[name])
    for node, net in kernel.nets.items():
        if net.kind == "recursive":
            code.inside[node] = {
                table: [
                    (alpha, functions)
                    for alpha in kernel.tables[table].alphas
                    if (functions := [each for user, _, each in code.users[alpha] if user == node])
                ]
                for table in kernel.nodes[node].members
            }
    for number, spec in enumerate(kernel.alphas):
        spec.fn = namespace.get(f"alpha_{number}", spec.fn)
    return code


# ---------------------------------------------------------------- atom occurrences


def _doc(text: str) -> str:
    """Text that can stand in a docstring."""
    return ascii(text)[1:-1].replace('"', "'").replace("\\", "/")[:300]


def _alpha(
    number: int, spec: AlphaSpec, kernel: Kernel, constants: Constants, namespace: dict[str, Any]
) -> list[str]:
    shape, ref = spec.shape, kernel.tables[spec.table].ref
    if shape is None or shape.captures:
        return ["", f"# alpha_{number}: {_doc(ref.name)}: its groups are captured by the engine"]
    names = ", ".join(spec.names)
    lines = [
        "",
        "",
        f"def alpha_{number}(row, ctx):",
        f'    """{_doc(f"{ref.name}: {names}" if names else ref.name)}"""',
    ]
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


def _single_cells(kernel: Kernel) -> Iterator[tuple[int, int]]:
    """The cells of relations without a key that rules read: table and column."""
    for number, table in enumerate(kernel.tables):
        relation = kernel.program.relations.get(table.ref.name.removeprefix("before "))
        if (
            table.ref.kind != "slot"
            or relation is None
            or relation.key
            or relation.sort not in ("state", "view")
        ):
            continue
        for column in range(table.arity):
            if any(column in (kernel.alphas[index].columns or (column,)) for index in table.alphas):
                yield number, column


def _writer(table: int, column: int, kernel: Kernel, constants: Constants) -> list[str]:
    """The function that tells the atoms which read a cell of the only row that it was written."""
    spec = kernel.tables[table]
    relation = kernel.program.relations[spec.ref.name.removeprefix("before ")]
    body: list[str] = []
    read: set[int] = set()
    for index in spec.alphas:
        alpha, shape = kernel.alphas[index], kernel.alphas[index].shape
        if alpha.columns is not None and column not in alpha.columns:
            continue
        if shape is None or shape.captures or alpha.names:
            body += [
                f"    came, went = s.alphas[{index}].apply((new,), (old,))",
                "    if came or went:",
                f"        tell(s, {index}, came, went)",
            ]
            continue
        read |= shape.columns
        body += [
            f"    counts = s.alphas[{index}].counts",
            f"    if {' and '.join(_conditions(shape, constants)) or 'True'}:",
            "        if not counts:",
            "            counts[()] = 1",
            f"            tell(s, {index}, ONE, ())",
            "    elif counts:",
            "        counts.clear()",
            f"        tell(s, {index}, (), ONE)",
        ]
    return [
        "",
        "",
        f"def write_{table}_{column}(s, new, old):",
        f'    """{_doc(f"{spec.ref.name}.{relation.attrs[column].name}")} was written in the only row."""',
        *(["    ctx = s.ctx"] if any("ctx." in line for line in body) else []),
        *(f"    c{cell} = new[{cell}]" for cell in sorted(read)),
        *(body or ["    pass"]),
    ]


def _tuple(items: Sequence[str]) -> str:
    return "(" + ", ".join(items) + (",)" if len(items) == 1 else ")")


# ---------------------------------------------------------------- bodies


class _Function:
    """Writes the functions of one rule."""

    def __init__(self, kernel: Kernel, constants: Constants, rule: RuleNet) -> None:
        self.kernel = kernel
        self.constants = constants
        self.rule = rule
        self.rows = {alpha: (table, terms) for alpha, table, terms in rule.rows}

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
        sign = "sign" if start == "tuples" else "1"
        lines.append(f"{pad}out[row] = out.get(row, 0) + {sign}")
        count = "len(tuples)" if start == "tuples" else "1"
        head = [
            "",
            "",
            f"def {name}({arguments}):",
            f'    """{_doc(self.rule.rule)}: {about}."""',
            *(["    ctx = s.ctx"] if any("ctx." in line for line in lines) else []),
            *(f"    {local_name} = {expression}" for local_name, expression in setup.items()),
            f"    left = s.left - {count}",
            "    if left < 0:",
            "        left = s.more(left)",
        ]
        return [*head, *lines, "    s.left = left"]

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
        """The function that looks for a derivation of a row from rows of lower rank."""
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
        lines.append(f"{pad}s.left = left")
        lines.append(f"{pad}return True")
        return [
            "",
            "",
            f"def {name}(s, row, rank):",
            f'    """{_doc(self.rule.rule)}: whether it derives the row from rows of lower rank."""',
            *(["    ctx = s.ctx"] if any("ctx." in line for line in lines) else []),
            *opening,
            *(f"    {local_name} = {expression}" for local_name, expression in setup.items()),
            "    left = s.left - 1",
            "    if left < 0:",
            "        left = s.more(left)",
            *lines,
            "    s.left = left",
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
            elif isinstance(step, Anti):
                setup[f"a{step.alpha}"] = f"s.alphas[{step.alpha}].counts"
                if step.names:
                    key = _tuple([local.of(name) for name in step.names])
                    lines += [f"{pad}if {key} in a{step.alpha}:", f"{pad}    continue"]
                else:
                    lines += [f"{pad}if a{step.alpha}:", f"{pad}    continue"]
            elif isinstance(step, Filter):
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
                found = f"f{next(fresh)}"
                lines += [f"{pad}{found} = {index}.get({key})", f"{pad}if not {found}:", f"{pad}    continue"]
            else:
                setup[alpha] = f"s.alphas[{step.alpha}].counts"
                found = alpha
            lines += [
                f"{pad}left -= len({found})",
                f"{pad}if left < 0:",
                f"{pad}    left = s.more(left)",
                f"{pad}for {_tuple(targets)} in {found}:",
            ]
            depth += 1
        if ranked and step.alpha in self.rows:
            pad = "    " * depth
            table, terms = self.rows[step.alpha]
            setup[f"ranks{table}"] = f"s.ranks[{table}]"
            lines += [f"{pad}if ranks{table}[{self._whole(terms, local)}] >= rank:", f"{pad}    continue"]
        return depth

    def _whole(self, terms: Sequence[Term], local: Locals) -> str:
        return _tuple([term_source(term, self.constants, local) for term in terms])
