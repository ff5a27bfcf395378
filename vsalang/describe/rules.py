"""Rules as sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from vsalang.core.ir import (
    Aggregate,
    Atom,
    Constraint,
    Derive,
    Every,
    Expect,
    First,
    Judge,
    License,
    Lit,
    Literal,
    Mark,
    Program,
    Recognize,
    Relation,
    Rule,
    Then,
    Var,
    Write,
)
from vsalang.core.text import line
from vsalang.describe.model import Entry
from vsalang.describe.nouns import Nouns, article, plural, split_name, upper_first
from vsalang.describe.phrases import Phrases
from vsalang.describe.terms import Homes, merged, written
from vsalang.describe.values import join, quoted


class Rules:
    """Says the rules of one program; a definition is explained by the first entry that uses it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.nouns = Nouns(program.relations.values())
        self._explained: set[str] = set()
        self._definitions: dict[str, list[Rule]] = {}
        for rule in program.rules:
            if isinstance(rule.head, Derive) and rule.span is not None:
                self._definitions.setdefault(rule.head.atom.relation, []).append(rule)

    def phrases(
        self, rule: Rule, head: Atom | None = None, owner: str = "action", more: Iterable[str] = ()
    ) -> Phrases:
        """The phrases of a rule whose variables may have their home in `head`."""
        body, extra = in_text_order(rule.body), in_text_order(rule.extra)
        wanted = rule.head.literals if isinstance(rule.head, Expect) else ()
        homes = Homes(self.program, self.nouns, head, owner, body + extra + wanted, more)
        return Phrases(self.program, self.nouns, homes, body, extra)

    # ------------------------------------------------------------ permissions

    def allow(self, rule: Rule, shared: Sequence[int] = ()) -> Entry:
        """What an `allow` rule permits; `shared`: the numbers of the permissions it shares its licence with."""
        assert isinstance(rule.head, License)
        atom = rule.head.atom
        relation = self.program.relation(atom.relation)
        phrases = self.phrases(rule, atom)
        label = phrases.label(atom.relation)
        verb = phrases.verb(relation)
        named = "" if (verb + " ").startswith(label.strip('"') + " ") or label in verb else f" ({label})"
        lead = f"The agent may {verb}{named}{self._often(rule.head, relation)}"
        clauses = [
            phrases.clause(relation, c, others=atom.constraints)
            for c in atom.constraints
            if not self._named(phrases, c)
        ]
        details = [*(c for c in clauses if c), *phrases.conditions()]
        if shared:
            lead = f"Instead of {join([f'number {n}' for n in shared], 'or')}, {lead[0].lower()}{lead[1:]}"
        if details:
            lead += ", if"
        return self._entry("allow", lead, details, rule)

    def _named(self, phrases: Phrases, c: Constraint) -> bool:
        """Whether a constraint of a head does nothing but name a value."""
        return c.op == "=" and isinstance(c.term, Var) and phrases.homes.is_home(c)

    def _often(self, head: License, relation: Relation) -> str:
        fixed = {c.attr for c in head.atom.constraints if c.op == "=" and not isinstance(c.term, Var)}
        different = relation.attrs and not {a.name for a in relation.attrs} <= fixed
        match head.quota.kind:
            case "each":
                return (
                    " any number of times, but never the same one twice"
                    if relation.attrs
                    else " any number of times"
                )
            case "count" if head.quota.n > 1:
                more = ", but never the same one twice" if different else ""
                return f" up to {head.quota.n} times{more}"
            case "one" | "either" | "count":
                return " once"
        raise AssertionError(head.quota)

    def done(self, rule: Rule, *, first: bool) -> Entry:
        """When a `done` rule lets the task end."""
        phrases = self.phrases(rule)
        details = phrases.conditions()
        lead = "The task may be finished" if first else "It may also be finished"
        return self._entry("done", f"{lead} when" if details else f"{lead} at any time", details, rule)

    # ------------------------------------------------------------ judgements and contracts

    def judge(self, rule: Rule) -> Entry:
        """What `deny`, `confirm`, `warn` or `flag` adds."""
        assert isinstance(rule.head, Judge)
        said = [part.name for part in rule.head.message if isinstance(part, Var)]
        phrases = self.phrases(rule, more=said)
        message = "".join(
            part if isinstance(part, str) else f"[{phrases.homes.name(part.name).replace(chr(34), '')}]"
            for part in rule.head.message
        )
        lead = {
            "deny": "It is forbidden",
            "confirm": "The user is asked first",
            "warn": "The agent is warned",
            "flag": "It is noted in the record",
        }[rule.head.level]
        lead += f", with the message {quoted(message)},"
        details = phrases.conditions()
        return self._entry(rule.head.level, f"{lead} when" if details else f"{lead} always", details, rule)

    def expect(self, rule: Rule) -> Entry:
        """What must hold after an action."""
        assert isinstance(rule.head, Expect)
        phrases = self.phrases(rule)
        wanted = join([phrases.literal(item) for item in rule.head.literals])
        causes = join([phrases.cause(item) for item in phrases.body])
        lead = f"After {causes}, it is checked that" if causes else "It is always checked that"
        return self._entry("expect", lead, [wanted], rule)

    # ------------------------------------------------------------ definitions

    def define(self, rule: Rule, *, more: Iterable[str] = ()) -> Entry:
        """What a `define` rule means by its word."""
        assert isinstance(rule.head, Derive)
        atom = rule.head.atom
        phrases = self.phrases(rule, atom, owner="definition", more=more)
        details = phrases.conditions()
        relation = self.program.relation(atom.relation)
        given = []
        for c in atom.constraints:
            noun = self.nouns.attr(relation, c.attr)
            if isinstance(c.term, Var) and phrases.homes.is_home(c):
                given.append(article(noun))
            else:
                given.append(f"the {noun} {phrases.homes.term(c.term, relation.attr(c.attr).type)}")
        head = f"{phrases.label(atom.relation)} holds{' for ' + join(given) if given else ''}"
        return self._entry("define", f"{head} when" if details else f"{head} always", details, rule)

    def _uses(self, rule: Rule) -> tuple[Entry, ...]:
        """The definitions that a rule uses and nothing before it did, in order."""
        found: list[Entry] = []
        items: tuple[Literal, ...] = (*in_text_order(rule.body), *in_text_order(rule.extra))
        if isinstance(rule.head, Expect):
            items += rule.head.literals
        for name in mentioned(items):
            if name in self._explained or name not in self._definitions:
                continue
            relation = self.program.relations.get(name)
            if relation is None or relation.sort != "derived":
                continue
            self._explained.add(name)
            for definition in self._definitions[name]:
                entry = self.define(definition)
                found += [replace(entry, defines=()), *entry.defines]
        return tuple(found)

    def _entry(self, kind: str, lead: str, details: Sequence[str], rule: Rule) -> Entry:
        return Entry(kind, lead, tuple(details), rule.id, rule.span, self._uses(rule))

    # ------------------------------------------------------------ apps

    def recognize(self, rule: Rule) -> Entry:
        """How an action is recognised."""
        assert isinstance(rule.head, Recognize)
        phrases = self.phrases(
            rule, more=[c.term.name for c in rule.head.atom.constraints if isinstance(c.term, Var)]
        )
        relation = self.program.relation(rule.head.atom.relation)
        label = phrases.label(relation.name)
        details = phrases.conditions()
        text = f"{upper_first(label)} is recognised when {join(details)}"
        read = [
            f"its {self.nouns.attr(relation, c.attr)} is {phrases.homes.term(c.term)}"
            for c in rule.head.atom.constraints
        ]
        if rule.extra:
            text += (
                f", provided for its details that {join([phrases.literal(item) for item in phrases.extra])}"
            )
        if read:
            text += f"; {join(read)}"
        return self._entry("recognize", text, (), rule)

    def write(self, rule: Rule) -> Entry:
        """What an effect reads or predicts, in short."""
        assert isinstance(rule.head, Write)
        atom = rule.head.atom
        relation = self.program.relation(atom.relation)
        phrases = self.phrases(rule, more=_head_variables(atom.constraints))
        when = self._when(phrases, rule)
        row = self.nouns.row(relation)
        if rule.head.delete:
            gone = phrases.row(relation, atom.constraints, "")
            return self._entry("read", f"{upper_first(plural(row))}{gone} are gone {when}", (), rule)
        cells: list[str] = []
        same: list[str] = []
        for c in atom.constraints:
            if c.attr == "row":
                continue
            noun = self.nouns.attr(relation, c.attr)
            type_ = phrases.type_of(relation, c.attr)
            value = "forgotten" if c.term is None else phrases.homes.term(c.term, type_)
            if value == f"the {noun}":
                same.append(value)
            else:
                cells.append(f"the {noun} is {value}")
        if same:
            cells.append(f"{join(same)} {'are' if len(same) > 1 else 'is'} as found")
        start = f"Of {f'the {row}' if not relation.identity else article(row)},"
        return self._entry("read", f"{start} {join(cells) or 'the row is known'} {when}", (), rule)

    def _when(self, phrases: Phrases, rule: Rule) -> str:
        """What sets off a write: ``after "reserve"``, ``when the agent taps ..``."""
        said = [(phrases.cause(item), phrases.literal(item)) for item in phrases.body]
        if rule.trigger != "consequence":
            return f"when {join([literal for _, literal in said])}"
        done = [cause for cause, literal in said if cause != literal]
        rest = [literal for cause, literal in said if cause == literal]
        return f"after {join(done)}" + (f", when {join(rest)}" if rest else "")

    def mark(self, rule: Rule) -> Entry:
        """When all of a list, its first or its last row, is shown."""
        assert isinstance(rule.head, Mark)
        atom = rule.head.atom
        relation = self.program.relation(atom.relation)
        phrases = self.phrases(rule, more=_head_variables(atom.constraints))
        when = join(phrases.conditions())
        rows = plural(self.nouns.row(relation))
        of = join(
            [f"{self.nouns.attr(relation, c.attr)} {phrases.homes.term(c.term)}" for c in atom.constraints]
        )
        what = {
            "complete": f"All {rows}",
            "top": f"The first of the {rows}",
            "end": f"The last of the {rows}",
        }[rule.head.kind]
        verb = "were seen" if rule.head.kind == "complete" else "is shown"
        return self._entry("read", f"{what}{' with ' + of if of else ''} {verb} when {when}", (), rule)

    def screen(self, rule: Rule) -> Entry:
        """How a screen is recognised."""
        assert isinstance(rule.head, Derive)
        name = split_name(rule.head.atom.relation.rpartition(":")[2])
        phrases = self.phrases(rule)
        when = phrases.conditions()
        doc = line(rule.doc).strip().rstrip(".")
        said = f'The screen "{name}"{f" ({doc[:1].lower() + doc[1:]})" if doc else ""} shows'
        return self._entry("screen", f"{said} when {join(when)}" if when else said, (), rule)


def in_text_order(body: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """Conditions in the order in which they were written."""
    if all(item.span is not None for item in body):
        body = tuple(sorted(body, key=lambda item: (item.span.start, item.span.end) if item.span else (0, 0)))
        body = written(body)
    return merged(body)


def mentioned(body: Iterable[Literal]) -> list[str]:
    """The relations that a body asks, in order, each once."""
    found: dict[str, None] = {}

    def visit(items: Iterable[Literal]) -> None:
        for item in items:
            match item:
                case Lit():
                    found[item.atom.relation] = None
                    if item.past is not None and item.past.other is not None:
                        found[item.past.other.relation] = None
                case Aggregate():
                    found[item.lit.atom.relation] = None
                case Every() | First():
                    found[item.atom.relation] = None
                case Then():
                    for part in item.parts:
                        visit(part)

    visit(body)
    return list(found)


def _head_variables(constraints: Iterable[Constraint]) -> list[str]:
    from vsalang.describe.terms import term_variables

    return [name for c in constraints for name in term_variables(c.term)]
