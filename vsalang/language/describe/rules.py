"""Describes rules as sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from vsalang.language.describe.description import Entry
from vsalang.language.describe.nouns import (
    Nouns,
    article,
    bracketed,
    is_plural,
    lower_first,
    named,
    plural,
    split_name,
    truth,
    upper_first,
)
from vsalang.language.describe.phrases import Phrases
from vsalang.language.describe.terms import Homes, merged, written
from vsalang.language.describe.values import quoted
from vsalang.program.ir import (
    Atom,
    Const,
    Constraint,
    Derive,
    Expect,
    Goto,
    Judge,
    License,
    Lit,
    Literal,
    Mark,
    Program,
    Recognize,
    Relation,
    Rule,
    Var,
    Write,
)
from vsalang.program.phrases import say
from vsalang.program.text import join, line
from vsalang.program.walk import mentions, outer_variables, sources, uses, variables

QUOTED_NOTHING = '""'
_MOST_DEFINITIONS = 12
"""A word that a shipped module defines by more rules is not spelt out where it is used."""


class Rules:
    """Describes the rules of one program; the first entry that uses a definition explains it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        # of the native relations of modules only those that are imported
        known = {"", "std.android", *program.modules}
        self.nouns = Nouns(each for each in program.relations.values() if each.module in known)
        self._explained: set[str] = set()
        self._definitions: dict[str, list[Rule]] = {}
        for rule in program.rules:
            if isinstance(rule.head, Derive) and rule.span is not None:
                self._definitions.setdefault(rule.head.atom.relation, []).append(rule)

    def phrases(
        self, rule: Rule, head: Atom | None = None, owner: str = "action", more: Iterable[str] = ()
    ) -> Phrases:
        """The phrases of a rule; variables may get their value in `head`."""
        body, extra = in_text_order(rule.body), in_text_order(rule.extra)
        wanted = rule.head.literals if isinstance(rule.head, Expect) else ()
        homes = Homes(self.program, self.nouns, head, owner, body + extra + wanted, more)
        return Phrases(self.program, self.nouns, homes, body, extra)

    # ------------------------------------------------------------ permissions

    def allow(self, rule: Rule, shared: Sequence[int] = ()) -> Entry:
        """The entry of an `allow` rule; `shared`: the numbers of the entries that share its permission."""
        assert isinstance(rule.head, License)
        atom = rule.head.atom
        relation = self.program.relation(atom.relation)
        phrases = self.phrases(rule, atom)
        label = phrases.label(atom.relation)
        verb = phrases.verb(relation)
        if label in verb:
            does = f"do {named(relation)}"
        else:
            does = verb if (verb + " ").startswith(label.strip('"') + " ") else f"{verb} ({label})"
        lead = f"The agent may {does}{self._frequency(rule.head, relation)}"
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
        """Whether a constraint of a head only gives a value a name."""
        return c.op == "=" and isinstance(c.term, Var) and phrases.homes.is_home(c)

    def _frequency(self, head: License, relation: Relation) -> str:
        fixed = {c.attr for c in head.atom.constraints if c.op == "=" and not isinstance(c.term, Var)}
        different = relation.attrs and not {a.name for a in relation.attrs} <= fixed
        quota = head.quota
        once = quota.kind in ("one", "either") or (quota.kind == "count" and quota.n == 1)
        quota_text = say("quota.one") if once else say(f"quota.{quota.kind}", count=quota.n)
        twice = relation.attrs if quota.kind == "each" else different and not once
        return f" {quota_text}" + (", but never the same one twice" if twice else "")

    def done(self, rule: Rule, *, first: bool) -> Entry:
        """The entry of a `done` rule."""
        phrases = self.phrases(rule)
        details = phrases.conditions()
        lead = "The task may be finished" if first else "It may also be finished"
        return self._entry("done", f"{lead} when" if details else f"{lead} at any time", details, rule)

    # ------------------------------------------------------------ judgements and contracts

    def judge(self, rule: Rule) -> Entry:
        """The entry of a `deny`, `confirm`, `warn` or `flag` rule."""
        assert isinstance(rule.head, Judge)
        phrases = self.phrases(rule, more=mentions(rule.head))
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
        if "unlicensed" in rule.annotations:
            lead = "Where nothing permits it, the user is asked instead of a block"
            if rule.head.level == "warn":
                others = join([f'"{split_name(str(name))}"' for name in rule.annotations["near"]], "or")
                lead = f"Where nothing permits it, but {others} is permitted, the agent is warned instead of a block"
            elif "unread" in rule.annotations["unlicensed"]:
                lead = "Where nothing permits it, whatever could be read of it, the user is asked instead of a block"
        lead += f", with the message {quoted(message)},"
        details = phrases.conditions()
        return self._entry(rule.head.level, f"{lead} when" if details else f"{lead} always", details, rule)

    def expect(self, rule: Rule) -> Entry:
        """The entry of an `expect` rule: what must hold after an action."""
        assert isinstance(rule.head, Expect)
        phrases = self.phrases(rule)
        wanted = join([phrases.literal(item) for item in rule.head.literals])
        causes = join([phrases.cause(item) for item in phrases.body])
        if rule.refusal:
            return self._entry("expect", f"After {causes}, the app has refused it if", [wanted], rule)
        lead = f"After {causes}, it is checked that" if causes else "It is always checked that"
        return self._entry("expect", lead, [wanted], rule)

    # ------------------------------------------------------------ definitions

    def define(self, rule: Rule, *, more: Iterable[str] = ()) -> Entry:
        """The entry of a `define` rule: the meaning of its word."""
        assert isinstance(rule.head, Derive)
        atom = rule.head.atom
        phrases = self.phrases(rule, atom, owner="definition", more=more)
        details = phrases.conditions()
        relation = self.program.relation(atom.relation)
        conditions = []
        for c in atom.constraints:
            noun = self.nouns.attr(relation, c.attr)
            if isinstance(c.term, Var) and phrases.homes.is_home(c):
                conditions.append(article(noun))
            else:
                conditions.append(f"the {noun} {phrases.homes.term(c.term, relation.attr(c.attr).type)}")
        label, given_ = phrases.label(atom.relation), f" for {join(conditions)}" if conditions else ""
        lead = f"{label} holds{given_} when" if details else f"{label} always holds{given_}"
        return self._entry("define", lead, details, rule)

    def _uses(self, rule: Rule) -> tuple[Entry, ...]:
        """The definitions that a rule is the first to use, in order."""
        entries: list[Entry] = []
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
            shipped = relation.module.startswith("std.") and relation.module != self.program.main
            if shipped and len(self._definitions[name]) > _MOST_DEFINITIONS:
                entries.append(self._shipped(relation))
                continue
            for definition in self._definitions[name]:
                entry = self.define(definition)
                entries += [replace(entry, defines=()), *entry.defines]
        return tuple(entries)

    def _shipped(self, relation: Relation) -> Entry:
        """The entry of a word that a shipped module defines by many rules: what the module says of itself."""
        label = f'"{split_name(relation.short)}"'
        doc = line(self.program.modules[relation.module].doc).strip().rstrip(".")
        return Entry(
            "define", f"{label} is what {relation.module} calls so: {lower_first(doc)}", (), "", relation.span
        )

    def _entry(self, kind: str, lead: str, details: Sequence[str], rule: Rule) -> Entry:
        return Entry(kind, lead, tuple(details), rule.id, rule.span, self._uses(rule))

    # ------------------------------------------------------------ apps

    def recognize(self, rule: Rule) -> Entry:
        """The entry of a `recognize` rule."""
        assert isinstance(rule.head, Recognize)
        phrases = self.phrases(rule, more=mentions(rule.head))
        relation = self.program.relation(rule.head.atom.relation)
        label = named(relation)
        details = phrases.conditions()
        more = self._parameters(phrases, relation, replace(rule, extra=tuple(phrases.extra)))
        if len(details) == 1:
            return self._entry("recognize", f"{label} is recognised when {details[0]}{more}", (), rule)
        lead = f"{label} is recognised{more}" + (", when" if more else " when")
        if not details:
            lead = f"{label} is always recognised{more}"
        return self._entry("recognize", lead, details, rule)

    def _parameters(self, phrases: Phrases, relation: Relation, rule: Rule) -> str:
        """The sources of an action's parameters, each with its conditions."""
        assert isinstance(rule.head, Recognize)
        constraints = rule.head.atom.constraints
        groups = sources(rule)
        if len(groups.each) < 2:
            cells = self._cells(phrases, relation, constraints, "is")
            known = join([phrases.literal(item) for item in rule.extra])
            return (f"; {join(cells)}" if cells else "") + (f", if {known}" if known else "")
        body_names = frozenset[str]().union(*map(outer_variables, rule.body))
        text, left = "", list(constraints)
        for source in groups.each:
            names = frozenset[str]().union(*map(outer_variables, source)) - body_names
            mine = [c for c in left if variables(c) & names]
            left = [c for c in left if c not in mine]
            cells = self._cells(phrases, relation, mine, "is")
            text += f"; {join(cells)}, if {join([phrases.literal(item) for item in source])}"
        before = self._cells(phrases, relation, left, "is")
        known = join([phrases.literal(item) for item in groups.of_all])
        return (
            (f"; {join(before)}" if before else "") + text + (f"; all this only if {known}" if known else "")
        )

    def _cells(
        self, phrases: Phrases, relation: Relation, constraints: Iterable[Constraint], be: str
    ) -> list[str]:
        """The cells of a head with their values: ``its time is the text of "slot_time"``."""
        cells: list[str] = []
        same: dict[str, list[str]] = {}
        phrases.homes.full = True
        for c in constraints:
            if c.attr == "row":
                continue
            noun = self.nouns.attr(relation, c.attr)
            type_ = phrases.type_of(relation, c.attr)
            are = "become" if be == "becomes" else "are"
            verb = are if is_plural(noun) else be
            value = "" if c.term is None else phrases.homes.term(c.term, type_)
            words = truth(relation.attr(c.attr)) if type_ is not None and type_.kind == "Bool" else None
            if c.term is None:
                cells.append(f"its {noun} {verb if be == 'becomes' else 'is'} unknown")
            elif words is not None and isinstance(c.term, Const) and isinstance(c.term.value, bool):
                cells.append(words.say(c.term.value, False))
            elif words is not None and value.startswith("whether "):
                cells.append(f"{words.yes} exactly if {value.removeprefix('whether ')}")
            elif isinstance(c.term, Var) and value.startswith(f"the {noun} of "):
                same.setdefault(value.removeprefix(f"the {noun} of "), []).append(noun)
            else:
                cells.append(f"its {noun} {verb} {'empty' if value == QUOTED_NOTHING else value}")
        phrases.homes.full = False
        for owner, names in same.items():
            its = join([f"its {noun}" for noun in names])
            many = len(names) > 1 or is_plural(names[0])
            cells.append(f"{its} {'are those' if many else 'is that'} of {owner}")
        return cells

    def write(self, rule: Rule) -> Entry:
        """The entry of an `update` or `delete` rule: what it reads or predicts."""
        assert isinstance(rule.head, Write)
        atom = rule.head.atom
        relation = self.program.relation(atom.relation)
        phrases = self.phrases(rule, more=mentions(atom))
        row = self.nouns.row(relation)
        after, details = self._when(phrases, rule)
        if rule.head.delete:
            phrases.homes.full = True
            gone = phrases.row(relation, atom.constraints, "")
            phrases.homes.full = False
            many = bool(relation.identity)
            what = upper_first(plural(row)) + gone if many else f"The {row}{gone}"
            lead = f"{what} {'are' if many else 'is'} gone{after}"
            return self._entry("read", f"{lead} when" if details else lead, details, rule)
        after = "," + after if after else ""
        be = "is" if rule.trigger == "observation" else "becomes"
        cells = self._cells(phrases, relation, atom.constraints, be)
        who = f"the {row}" if not relation.identity else article(row)
        start = {"observation": f"It is read of {who} that", "input": f"Of {who},"}.get(
            rule.trigger, f"Of {who},"
        )
        lead = f"{start} {join(cells) or 'it is there'}{after}"
        return self._entry("read", f"{lead}, when" if details else lead, details, rule)

    def _when(self, phrases: Phrases, rule: Rule) -> tuple[str, list[str]]:
        """The trigger of a rule: `` after "reserve"``, and its other conditions."""
        causes = [(phrases.cause(item), phrases.literal(item), item) for item in phrases.body]
        for n, (cause, literal, item) in enumerate(causes):
            if cause != literal and isinstance(
                item, Lit
            ):  # only names of its details, which need not be described
                plain = all(
                    isinstance(c.term, Var) and c.op == "=" and phrases.homes.is_home(c)
                    for c in item.atom.constraints
                )
                causes[n] = (phrases.label(item.atom.relation) if plain else cause, literal, item)
        if rule.trigger == "observation":
            return "", [literal for _, literal, _ in causes]
        done = [cause for cause, literal, item in causes if cause != literal and not self._gesture(item)]
        rest = [literal for cause, literal, item in causes if cause == literal or self._gesture(item)]
        return f" after {join(done)}" if done else "", rest

    def _gesture(self, item: Literal) -> bool:
        if not isinstance(item, Lit):
            return False
        relation = self.program.relations.get(item.atom.relation)
        return relation is not None and relation.sort == "gesture"

    def goto(self, rule: Rule) -> Entry:
        """The entry of a `goto` rule."""
        assert isinstance(rule.head, Goto)
        phrases = self.phrases(rule)
        after, details = self._when(phrases, rule)
        name = split_name(rule.head.screen.rpartition(":")[2])
        lead = f'The next screen is "{name}"{after}'
        return self._entry("goto", f"{lead} when" if details else lead, details, rule)

    def mark(self, rule: Rule) -> Entry:
        """The entry of a `complete`, `top` or `end` rule."""
        assert isinstance(rule.head, Mark)
        atom = rule.head.atom
        relation = self.program.relation(atom.relation)
        phrases = self.phrases(rule, more=mentions(atom))
        details = phrases.conditions()
        rows = plural(self.nouns.row(relation))
        phrases.homes.full = True
        of = join(
            [
                f"whose {self.nouns.attr(relation, c.attr)} is {phrases.homes.term(c.term)}"
                for c in atom.constraints
            ]
        )
        phrases.homes.full = False
        what = {
            "complete": f"All {rows}",
            "top": f"The first of the {rows}",
            "end": f"The last of the {rows}",
        }[rule.head.kind]
        verb = "have been seen" if rule.head.kind == "complete" else "is on the screen"
        lead = f"{what}{' ' + of if of else ''} {verb}"
        return self._entry("read", f"{lead} when" if details else lead, details, rule)

    def screen(self, rule: Rule) -> Entry:
        """The entry of a `screen` rule."""
        assert isinstance(rule.head, Derive)
        name = split_name(rule.head.atom.relation.rpartition(":")[2])
        phrases = self.phrases(rule)
        details = phrases.conditions()
        text = f'The screen "{name}"{bracketed(rule.doc)} shows'
        return self._entry("screen", f"{text} when" if details else text, details, rule)


def in_text_order(body: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """Conditions in the order in which they were written."""
    if all(item.span is not None for item in body):
        body = tuple(sorted(body, key=lambda item: (item.span.start, item.span.end) if item.span else (0, 0)))
        body = written(body)
    return merged(body)


def mentioned(body: Iterable[Literal]) -> list[str]:
    """The relations that a body asks, in order, each once."""
    return list(dict.fromkeys(use.atom.relation for use in uses(body)))
