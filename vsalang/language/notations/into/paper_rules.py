"""Makes a spec from the clauses of the VeriSafe Agent paper: each clause becomes a rule, or is reported."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path, PurePath

from vsalang.base.diagnostics import Diagnostic, Severity, error
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.base.source.suggest import did_you_mean
from vsalang.language.notations.into import naming
from vsalang.language.notations.into.imported import ImportedSpec, ImportFailed, Note
from vsalang.language.notations.into.paper_names import Head, Names, UnknownName
from vsalang.language.notations.into.paper_text import Call, Clause, parse
from vsalang.language.notations.into.paper_values import Unreadable, constraint
from vsalang.language.notations.out.paper_names import ONCE, bound
from vsalang.language.semantics import Loaded, load
from vsalang.language.syntax.formatting import format_source
from vsalang.program.ir import Relation
from vsalang.program.text import comment, quote

_CODE = "E0014"
MOST_CLAUSES = 1000
"""A text with more clauses is refused, so that checking it takes a bounded time."""

_HEADINGS = {
    "guess": "Guessed, because the clauses do not say it",
    "renamed": "Renamed, because the language does not take the name",
    "read as": "Written in another way in the clauses",
    "left out": "Not translated: these clauses permit nothing and finish nothing",
    "open": "Left open",
}


@dataclass(frozen=True, slots=True)
class App:
    """An app module that gives the names their meaning.

    Attributes:
        path: its file.
        text: its text, if it is not written yet.
    """

    path: Path
    text: str | None = None


@dataclass(frozen=True, slots=True)
class _Rule:
    """A clause that can be expressed. `text` is made when all heads are known."""

    clause: Clause
    head: Head
    conditions: tuple[str, ...]
    objectives: frozenset[str]
    pattern: tuple[str, ...] = ()


class _NoCounterpart(Exception):
    def __init__(self, span: Span, message: str, help: str = "") -> None:
        super().__init__(message)
        self.diagnostic = error(_CODE, span, message, help=help)


def import_rules(
    source: Source,
    apps: Sequence[App],
    *,
    spec: str = "",
    instruction: str = "",
    place: Path | None = None,
    search: Sequence[Path] = (),
) -> ImportedSpec:
    """Make a spec from clauses in the notation of the VeriSafe Agent paper.

    Args:
        source: the clauses; see `vsalang.language.notations.into.paper_text`.
        apps: the modules whose relations and actions they name.
        spec: the spec's name; that of the file if left out.
        instruction: the instruction in the user's words.
        place: the future path of the spec, next to which its imports are looked for; default: the working folder.
        search: further folders to look for imports in.

    A clause whose head is an action of an app becomes an ``allow``, one whose head is ``Done`` a ``done``, any other
    head an objective: a ``define`` that later clauses ask for with ``earlier``. A clause that cannot be translated is
    kept as a comment and reported; one condition is never left out of a clause, since that would permit more.

    Raises:
        ImportFailed: the apps have errors, no clause could be translated, or the result does not pass the checker.
        ValueError: `spec` is not a name.
    """
    name = spec or naming.module_name(PurePath(source.file).stem.replace(".", "_"))
    if not all(naming.IDENTIFIER.fullmatch(part) for part in name.split(".")):
        raise ValueError(
            f"{name!r} is not a name for a spec: letters, digits and _ only, not beginning with a digit"
        )
    overlay = {app.path.resolve(): app.text for app in apps if app.text is not None}
    loaded = [_load(app, overlay, search) for app in apps]
    names = Names()
    for each in loaded:
        assert each.program is not None
        names.declare(each.program)
    clauses, broken = parse(source)
    if len(clauses) > MOST_CLAUSES:
        message = f"more than {MOST_CLAUSES} clauses"
        raise ImportFailed(
            [error("E0013", clauses[MOST_CLAUSES].span, message, help="no task needs as many: split it")]
        )
    names.gather(clauses)
    work = _Work(source, names)
    for part in broken:
        work.reject(part.span, part.diagnostic)
    rules = work.translate(clauses)
    title = instruction or f"Imported from {comment(naming.file_name(source.file))}"
    path = (place or Path.cwd() / f"{name}.vsa").resolve()
    modules = [each.main for each in loaded]
    while True:
        if not rules:
            raise ImportFailed(work.findings())
        draft = work.text(name, title, modules, rules, ())
        checked = _check(draft, path, apps, overlay, search)
        errors = [item for item in checked.diagnostics if item.severity is Severity.ERROR]
        if not errors:
            break
        rules = work.blame(rules, draft, errors, str(path))
    findings = work.findings() if work.diagnostics else []
    notes = work.notes_of(rules)
    if elsewhere := _elsewhere(checked, loaded, path, apps, overlay, search):
        notes.append(Note("open", "", elsewhere))
    notes += [
        Note("open", "", f"{item.message} ({item.code})")
        for item in checked.diagnostics
        if item.where == str(path)
    ]
    if not instruction:
        notes.insert(0, Note("guess", "", "the instruction, which the clauses do not state"))
    text = work.text(name, title, modules, rules, notes)
    return ImportedSpec(name, title, text, len(rules), len(findings), tuple(notes), tuple(findings))


def _load(app: App, overlay: Mapping[Path, str], search: Sequence[Path]) -> Loaded:
    loaded = load(app.path, overlay=overlay, search=search)
    if loaded.program is None:
        errors = [item for item in loaded.diagnostics if item.severity is Severity.ERROR]
        raise ImportFailed(errors, loaded.sources)
    kind = loaded.program.modules[loaded.main].kind
    if kind != "app":
        raise ImportFailed(
            [
                error(
                    "E0201",
                    None,
                    f"`{loaded.main}` is not an app but a {kind}",
                    help="name an app module",
                    file=str(app.path),
                )
            ]
        )
    return loaded


def _check(
    text: str, path: Path, apps: Sequence[App], overlay: Mapping[Path, str], search: Sequence[Path]
) -> Loaded:
    """Check the spec; its imports are the given apps, wherever their files are."""
    buffers = {**overlay, path: text}
    loaded = load(path, overlay=buffers, search=search)
    if _lacks_module(loaded):
        folders = [app.path.resolve().parent for app in apps]
        return load(path, overlay=buffers, search=[*search, *folders])
    return loaded


def _lacks_module(loaded: Loaded) -> bool:
    """Whether an import was not found."""
    return any(item.code == "E0201" for item in loaded.diagnostics)


def _elsewhere(
    checked: Loaded,
    modules: Sequence[Loaded],
    path: Path,
    apps: Sequence[App],
    overlay: Mapping[Path, str],
    search: Sequence[Path],
) -> str:
    """The notes about given apps that the imports of the spec would not find."""
    digests = {unit.name: unit.source.digest for unit in checked.units}
    other = [each.main for each in modules if digests.get(each.main) != each.sources[each.file].digest]
    if other:
        return (
            f"`import {other[0]}` finds another file of that name first: put the given one next to the spec"
        )
    probe = 'spec probe ""\n' + "".join(f"import {each.main}\n" for each in modules)
    trial = load(path, overlay={**overlay, path: probe}, search=search)
    if _lacks_module(trial):
        files = ", ".join(app.path.name for app in apps)
        where = "put it next to the spec, or name its folder under `search` in vsac.toml"
        return f"{files} is not where imports of the spec are looked for: {where}"
    return ""


@dataclass(slots=True)
class _Work:
    """One import: its clauses, findings and notes."""

    source: Source
    names: Names
    diagnostics: list[Diagnostic] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    _unsaid: list[tuple[Span, str]] = field(default_factory=list)

    def note(self, kind: str, where: str, text: str, span: Span) -> None:
        """Note a decision for a person to confirm, once."""
        note = Note(kind, where, text, self.source.position(span.start).line)
        if note not in self.notes:
            self.notes.append(note)

    # ---- clauses --------------------------------------------------------------------------------

    def translate(self, clauses: Iterable[Clause]) -> list[_Rule]:
        """The clauses that can be expressed, in order; the others are reported."""
        rules: list[_Rule] = []
        for clause in clauses:
            before = len(self.notes)
            try:
                rules.append(self._rule(clause))
            except _NoCounterpart as problem:
                del self.notes[before:]  # nothing of it is in the spec
                self.reject(clause.span, problem.diagnostic)
        return self._reachable(rules)

    def _reachable(self, rules: list[_Rule]) -> list[_Rule]:
        """The rules without those that ask for an objective whose clauses all failed."""
        while True:
            reached = {rule.head.name for rule in rules if rule.head.kind == "objective"}
            lost = [rule for rule in rules if not rule.objectives <= reached]
            if not lost:
                return rules
            for rule in lost:
                name = min(rule.objectives - reached)
                message = f"no clause of the objective `{name}` could be translated"
                self.reject(
                    rule.clause.span, error(_CODE, rule.clause.span, message, help="fix its clauses first")
                )
            rules = [rule for rule in rules if rule not in lost]

    def blame(self, rules: list[_Rule], draft: str, errors: Sequence[Diagnostic], file: str) -> list[_Rule]:
        """The rules in which the checker finds no errors.

        Raises:
            ImportFailed: an error of the whole spec.
        """
        marks = {self._mark(rule.clause): rule for rule in rules}
        blamed: list[_Rule] = []
        whole: list[Diagnostic] = []
        for item in errors:
            above = draft[: item.span.start].split("\n") if item.span and item.span.file == file else []
            mark = next((line for line in reversed(above) if line in marks), None)
            if mark is None:
                whole.append(replace(item, span=None, labels=(), fixes=(), file=self.source.file))
            elif marks[mark] not in blamed:
                rule = marks[mark]
                blamed.append(rule)
                message = f"the checker refuses what it means: {item.message} ({item.code})"
                self.reject(rule.clause.span, error(_CODE, rule.clause.span, message, help=item.help))
        if not blamed:
            raise ImportFailed([*(self.findings() if self.diagnostics else []), *whole])
        return self._reachable([rule for rule in rules if rule not in blamed])

    def _mark(self, clause: Clause) -> str:
        """The comment above the rule of a clause."""
        return f"// {comment(' '.join(self.source.slice(clause.span).split()))}".rstrip()

    def findings(self) -> list[Diagnostic]:
        """The findings about clauses that are not translated, in order; at least one."""
        if not self.diagnostics:
            whole = Span(self.source.file, 0, min(1, len(self.source.text)))
            return [error("E0013", whole, "there is no clause", help="write `Condition() → Head()`")]
        return sorted(self.diagnostics, key=lambda item: item.span.start if item.span else -1)

    def notes_of(self, rules: Sequence[_Rule]) -> list[Note]:
        """Note what to confirm about the rules, and what is left out."""
        lines = {self._line(rule.clause.head.name_span) for rule in rules}
        for rule in rules:
            lines |= set(range(self._line(rule.clause.span), self._line(rule.clause.head.name_span) + 1))
        notes = [note for note in self.notes if note.line in lines]
        notes += [
            Note("left out", "", item.message, self._line(item.span))
            for item in self.diagnostics
            if item.span
        ]
        return sorted(notes, key=lambda note: note.line)

    def _line(self, span: Span) -> int:
        return self.source.position(span.start).line

    def reject(self, span: Span, problem: Diagnostic) -> None:
        """Report that the text of a span is not translated."""
        self.diagnostics.append(problem)
        self._unsaid.append((span, problem.message))

    def _rule(self, clause: Clause) -> _Rule:
        try:
            head = self.names.head(clause.head)
        except UnknownName as problem:
            raise _NoCounterpart(clause.head.name_span, str(problem), problem.help) from problem
        where = clause.head.name
        conditions: list[str] = []
        evidence: list[tuple[Relation, dict[str, list[str]]]] = []
        objectives: set[str] = set()
        for call in clause.conditions:
            try:
                meaning = self.names.condition(call)
            except UnknownName as problem:
                raise _NoCounterpart(call.name_span, str(problem), problem.help) from problem
            if meaning.relation is None:
                if call.args:
                    raise _NoCounterpart(
                        call.args[0].span, f"the objective `{call.name}` has no attributes", "write `()`"
                    )
                objectives.add(meaning.name)
                conditions.append(f"{meaning.name} earlier")
                continue
            constraints = self._constraints(call, meaning.relation)
            atom = self.names.name_of(meaning.relation)
            if constraints:
                atom += f"({', '.join(text for texts in constraints.values() for text in texts)})"
            if meaning.times > 1:
                conditions.append(f"count({atom} earlier) >= {meaning.times}")
            else:
                conditions.append(f"{atom} earlier" if meaning.earlier else atom)
            if not meaning.earlier:
                evidence.append((meaning.relation, constraints))
        if head.relation is None:
            if clause.head.args:
                what = "`Done`" if head.kind == "done" else f"the objective `{where}`"
                raise _NoCounterpart(
                    clause.head.args[0].span, f"{what} has no attributes", "constrain a condition instead"
                )
            self._about_objective(head, clause)
            return _Rule(clause, head, tuple(conditions), frozenset(objectives))
        return _Rule(
            clause,
            head,
            tuple(conditions),
            frozenset(objectives),
            self._pattern(clause.head, head.relation, evidence),
        )

    def _about_objective(self, head: Head, clause: Clause) -> None:
        if head.kind != "objective":
            return
        where = clause.head.name
        if head.name != where and not where.startswith(head.name):
            self.note("renamed", "", f"objective {quote(where)} is {head.name}", clause.head.name_span)
        actions = [name for name, relations in self.names.relations.items() if relations[0].sort == "action"]
        hint = did_you_mean(where, actions)
        text = "not an action of the app: an objective, reached when its conditions hold; it permits nothing"
        self.note("guess", where, text + (f" ({hint})" if hint else ""), clause.head.name_span)
        if not clause.conditions:
            self.note("open", where, "it has no conditions: it is reached at once", clause.head.name_span)

    def _constraints(self, call: Call, relation: Relation) -> dict[str, list[str]]:
        """The constraints of an atom as source, by attribute."""
        constraints: dict[str, list[str]] = {}
        known = {each.name: each for each in relation.attrs}
        for arg in call.args:
            name = arg.attr if arg.attr in known else naming.attribute_name(arg.attr)
            if name not in known:
                message = f"`{call.name}` has no attribute `{arg.attr[:60]}`"
                hint = did_you_mean(arg.attr, known) or (
                    f"it has {', '.join(known)}" if known else "it has none"
                )
                raise _NoCounterpart(arg.attr_span, message, hint)
            try:
                text, read = constraint(arg, name, known[name].type)
            except Unreadable as problem:
                span = problem.value.span if problem.value else arg.span
                raise _NoCounterpart(span, f"`{call.name}.{name}`: {problem}", problem.help) from problem
            if read:
                self.note("read as", f"{call.name}.{name}", read, arg.value.span)
            if name in constraints:
                self.note(
                    "read as", f"{call.name}.{name}", "given twice: both constraints must hold", arg.span
                )
            constraints.setdefault(name, []).append(text)
        return constraints

    def _pattern(
        self, call: Call, action: Relation, evidence: Sequence[tuple[Relation, dict[str, list[str]]]]
    ) -> tuple[str, ...]:
        """The constraints on the action's parameters: its own, and those of the conditions that bind them."""
        own = self._constraints(call, action)
        places = bound(
            action.attrs, [(relation, frozenset(constraints)) for relation, constraints in evidence]
        )
        pattern: list[str] = []
        for parameter in action.attrs:
            if parameter.name in own:
                pattern += own[parameter.name]
            elif parameter.name in places:
                relation, constraints = evidence[places[parameter.name]]
                pattern += constraints[parameter.name]
                text = f"taken to be what `{relation.short}.{parameter.name}` is"
                self.note("guess", f"{call.name}.{parameter.name}", text, call.name_span)
            else:
                text = "may be anything: no single condition constrains an attribute of its name"
                self.note("open", f"{call.name}.{parameter.name}", text, call.name_span)
        return tuple(pattern)

    # ---- text -----------------------------------------------------------------------------------

    def text(
        self, name: str, instruction: str, apps: Sequence[str], rules: Sequence[_Rule], notes: Iterable[Note]
    ) -> str:
        counted = Counter(rule.head.relation.name for rule in rules if rule.head.relation)
        plain = {
            key: all(rule.head.times == 1 and not rule.head.each for rule in rules if _about(rule, key))
            for key in counted
        }
        chained: set[str] = set()
        items = [(rule.clause.span.start, self._item(rule, counted, plain, chained)) for rule in rules]
        for span, why in self._unsaid:
            line = self.source.position(span.start).line
            clause = comment(" ".join(self.source.slice(span).split()))
            items.append((span.start, f"// Not translated, line {line}: {clause}\n//   {comment(why)}"))
        lines = self._preamble(notes)
        lines += [f"spec {name} {quote(instruction)}", *(f"import {app}" for app in sorted(set(apps))), ""]
        body = "\n\n".join(text for _, text in sorted(items))
        return format_source(Source.from_text("\n".join(lines) + "\n" + body + "\n", f"{name}.vsa"))

    def _item(
        self, rule: _Rule, counted: Mapping[str, int], plain: Mapping[str, bool], chained: set[str]
    ) -> str:
        mark = self._mark(rule.clause)
        body = f" when {', '.join(rule.conditions)}" if rule.conditions else ""
        head = rule.head
        if head.relation is None:
            if head.kind == "done":
                text = f"done{body}."
            elif head.times > 1:
                once = f"{head.name}{ONCE}"
                text = f"define {once}{body}."
                if head.name not in chained:
                    text += f"\ndefine {head.name} when {' then '.join([once] * head.times)}."
                    chained.add(head.name)
            else:
                text = f"define {head.name}{body}."
            return f"{mark}\n{text}"
        key = head.relation.name
        if head.each:
            quota = "each "
        elif head.times > 1:
            quota = f"{head.times} "
        elif counted[key] > 1:
            quota = "either " if plain[key] else "1 "
        else:
            quota = ""
        pattern = f"({', '.join(rule.pattern)})" if rule.pattern else ""
        return f"{mark}\nallow {quota}{self.names.name_of(head.relation)}{pattern}{body}."

    def _preamble(self, notes: Iterable[Note]) -> list[str]:
        base = quote(naming.file_name(self.source.file))
        listed = list(notes)
        lines = [f"// Made by `vsac import` from the clauses of {base}."]
        if listed:
            lines[0] += " Before it is used, a person must confirm:"
        for kind, heading in _HEADINGS.items():
            chosen = [note for note in listed if note.kind == kind]
            if chosen:
                lines += ["//", f"// {heading}:"]
                lines += [
                    f"//   {f'line {note.line}: ' if note.line else ''}"
                    f"{f'{comment(note.where)}: ' if note.where else ''}{comment(note.text)}"
                    for note in chosen
                ]
        return lines


def _about(rule: _Rule, relation: str) -> bool:
    return rule.head.relation is not None and rule.head.relation.name == relation
