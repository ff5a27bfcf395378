"""Describes conditions: a phrase for each kind of literal, with all its constraints."""

from collections.abc import Iterable
from dataclasses import replace

from vsalang.language.describe.constraints import INDIRECT, Constraints, are
from vsalang.language.describe.elements import is_element
from vsalang.language.describe.nouns import Nouns, article, is_plural, lower_first, plural, split_name
from vsalang.language.describe.terms import Homes, completeness
from vsalang.language.describe.values import quoted
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Compare,
    Const,
    Constraint,
    Every,
    First,
    Lit,
    Literal,
    Past,
    Program,
    Quantified,
    Relation,
    Spent,
    Term,
    Then,
    Var,
)
from vsalang.program.phrases import FIRST, catalogue, say
from vsalang.program.phrases.conditions import past as past_phrase
from vsalang.program.screen_rules import is_match
from vsalang.program.show import short_name
from vsalang.program.text import join, line
from vsalang.program.walk import variables


class Phrases(Constraints):
    """Describes the conditions of one rule.

    Args:
        program: its descriptions give the words.
        nouns: of its relations and attributes.
        homes: of the variables of the rule.
        body: its conditions, in the order in which they are described; `homes` was made from these.
        extra: the conditions after ``with`` of a `recognize` rule.
    """

    def __init__(
        self,
        program: Program,
        nouns: Nouns,
        homes: Homes,
        body: tuple[Literal, ...] = (),
        extra: tuple[Literal, ...] = (),
    ) -> None:
        super().__init__(program, nouns, homes)
        self.body = body
        self.extra = extra

    def conditions(self) -> list[str]:
        """The conditions of the rule as phrases."""
        return [self.literal(item) for item in self.body]

    def cause(self, literal: Literal) -> str:
        """The trigger of a contract as a phrase that can follow "after"."""
        if isinstance(literal, Lit) and literal.past is None and not literal.neg:
            relation = self.program.relations.get(literal.atom.relation)
            if relation is not None and relation.sort == "gesture":
                return self.literal(literal)
            if relation is not None and relation.sort == "action":
                return f"{self.label(relation.name)}{self._details(relation, literal.atom)}"
        return self.literal(literal)

    # ------------------------------------------------------------ actions

    def label(self, relation: str) -> str:
        """An action's or definition's name, in quotes: ``"add task"``."""
        return f'"{split_name(short_name(relation))}"'

    def verb(self, relation: Relation) -> str:
        """A gesture or action of the device as a verb: ``tap a node``; an action of an app: ``do "log in"``.

        Descriptions by the authors of apps may have any form, so they are never put into a sentence.
        """
        doc = line(relation.doc).strip().rstrip(".")
        own = relation.module in ("", "std.android")
        return lower_first(doc) if doc and own else f"do {self.label(relation.name)}"

    # ------------------------------------------------------------ literals

    def literal(self, literal: Literal) -> str:
        """A condition as a phrase that can follow "when"."""
        match literal:
            case Lit():
                return self._lit(literal)
            case Compare():
                return self._compare(literal)
            case Aggregate():
                return self._aggregate(literal)
            case Every():
                return self._every(literal)
            case First():
                return self._first(literal)
            case Quantified():
                return self._quantified(literal)
            case Then():
                parts = [join([self.literal(item) for item in part]) for part in literal.parts]
                return "first " + ", and after that ".join(parts)
            case Spent():
                return f"everything permitted for {self.label(literal.relation)} has been done"

    def _lit(self, literal: Lit) -> str:
        relation = self.program.relations.get(literal.atom.relation)
        if literal.past is not None:
            return self._past(literal, literal.past, relation)
        if literal.atom.before:
            text = "before this step, " + self.holds(
                literal.atom, literal.neg, was=True, reading=literal.reading
            )
        else:
            text = self.holds(literal.atom, literal.neg, reading=literal.reading)
        if literal.neg and literal.reading == "certain":
            text += self._note(literal.atom)
        return text

    def _note(self, atom: Atom, *, every: bool = False) -> str:
        note = completeness(self.program, self.nouns, atom, every=every)
        return f" (this {note})" if note else ""

    def _past(self, literal: Lit, past: Past, relation: Relation | None) -> str:
        time = self._lasting(past.duration) if past.duration is not None else ""
        other = self._was(past.other) if past.other is not None else ""
        if relation is not None and relation.sort in ("action", "gesture"):
            done = f"{self.label(relation.name)}{self._details(relation, literal.atom)}"
            return past_phrase(past.op, literal.neg, done=done, time=time, other=other)
        return past_phrase(past.op, literal.neg, held=self._was(literal.atom), time=time, other=other)

    def _was(self, atom: Atom) -> str:
        """An atom as a clause in the past."""
        relation = self.program.relations.get(atom.relation)
        if relation is not None and relation.sort in ("action", "gesture"):
            return say("past.did", what=f"{self.label(relation.name)}{self._details(relation, atom)}")
        return self.holds(atom, False, was=True)

    def _lasting(self, duration: Term | None) -> str:
        text = self.homes.term(duration)
        return text.removeprefix("1 ") if text.startswith("1 ") else text

    def holds(self, atom: Atom, neg: bool, *, was: bool = False, reading: str = "certain") -> str:
        """An atom as a clause: ``there is a slot with date today``, ``in the profile, the name is "Ann"``."""
        relation = self.program.relations.get(atom.relation)
        be = "was" if was else "is"
        if relation is None:
            return f"{self.label(atom.relation)} {'does not hold' if neg else 'holds'}"
        if relation.name == "Goto" or (relation.name == "Screen" and atom.constraints):
            return self._screen(relation, atom, neg, be)
        if relation.sort == "screen" or is_match(relation.name):
            text = f"the screen that shows {be}{' not' if neg else ''} {self.label(relation.name)}"
            return text
        if relation.sort in ("action", "gesture"):
            touched = self._element(relation, atom, neg, be, reading) if relation.sort == "gesture" else None
            if touched is not None:
                return touched
            details = self._details(relation, atom)
            if relation.name == "press_key" and not neg and len(atom.constraints) == 1:
                c = atom.constraints[0]
                if c.op == "=" and isinstance(c.term, Const):
                    return f"the agent presses the key {self.homes.term(c.term)}"
            if relation.sort == "gesture" and not neg:
                word, blank, rest = self.verb(relation).partition(" ")
                return f"the agent {word}{'es' if word.endswith(('s', 'o')) else 's'}{blank}{rest}{details}"
            verb = self.verb(relation)
            if details and " with " in verb:
                verb = f"do {self.label(relation.name)}"
            return f"the agent {'does not want' if neg else 'wants'} to {verb}{details}"
        if relation.sort == "derived":
            verb = ("did not hold" if neg else "held") if was else ("does not hold" if neg else "holds")
            details = self.row(relation, atom.constraints, "", labelled=False)
            return f"{self.label(relation.name)} {verb}{' for' if details else ''}{details}"
        seen = self._element(relation, atom, neg, be, reading)
        if seen is not None:
            return seen
        if relation.sort == "observed" and not relation.attrs:
            doc = lower_first(line(relation.doc).strip())
            return f"it {be} not true that {doc}" if neg else doc
        if (
            relation.identity
            or relation.name in ("Notification", "Toast", "Network")
            or relation.module
            in (
                "std.tree",
                "std.lists",
                "std.control",
                "std.forms",
            )
        ):
            return self._exists(relation, atom, neg, be, reading)
        return self._single(relation, atom, neg, was, reading)

    def _element(self, relation: Relation, atom: Atom, neg: bool, be: str, reading: str) -> str | None:
        if relation.module not in ("", "std.android", "std.tree", "std.lists") or not is_element(
            relation.name
        ):
            return None

        def rest(left: tuple[Constraint, ...]) -> str:
            # the sentence is about an element, whatever the relation is called
            return self.row(replace(relation, sort="observed"), left, "").replace(
                " where typing goes to it", " to which typing goes"
            )

        return self.homes.elements.phrase(atom, neg, be, reading == "plain", rest)

    def _screen(self, relation: Relation, atom: Atom, neg: bool, be: str) -> str:
        lead = "the step leads to a screen" if relation.name == "Goto" else f"the screen that shows {be} one"
        if neg:
            lead = lead.replace("leads", "does not lead").replace(" is one", " is not one")
        clauses = []
        for c in atom.constraints:
            if (
                relation.name == "Goto"
                and c.op == "="
                and isinstance(c.term, Const)
                and isinstance(c.term.value, str)
            ):
                clauses.append(f"called {quoted(c.term.value.rpartition(':')[2])}")
            else:
                clauses.append("whose name " + self.predicate("name", c, None, be))
        return f"{lead} {join(clauses)}" if clauses else f"{lead} that is known"

    def _exists(self, relation: Relation, atom: Atom, neg: bool, be: str, reading: str) -> str:
        label = self.homes.label(atom)
        noun = self.nouns.row(relation)
        named = f' (call it "{label}")' if label and self._named_later(label) else ""
        row = self.row(relation, atom.constraints, named, was=be == "was")
        if neg and reading == "plain" and be == "is":
            return f"no {noun}{row} is known of"
        if neg:
            return f"there {be} no {noun}{row}"
        return f"there {be} {article(noun)}{row}"

    def _named_later(self, label: str) -> bool:
        return any(
            home.owner == label and self.homes.uses[name] > 1 for name, home in self.homes.homes.items()
        )

    def _single(self, relation: Relation, atom: Atom, neg: bool, was: bool, reading: str) -> str:
        noun = self.nouns.row(relation)
        be = "was" if was else "is"
        if not atom.constraints:
            what = "known" if not neg else "not known" if reading == "plain" else "not there"
            where = ""
            if not neg and not was and relation.on:
                # a view has a row only while its screen shows
                screens = join([self.label(name) for name in relation.on], "or")
                where = f" (only while the screen {screens} shows)"
            return f"the {noun} {be} {what}{where}"
        clauses = [self.clause(relation, c, was=was, others=atom.constraints) for c in atom.constraints]
        said_of = zip(clauses, atom.constraints, strict=True)
        if any(clauses) and all(text == "" or self.asks_a_value(relation, c) for text, c in said_of):
            known = self._knowns(relation, atom.constraints, was, of=noun)
            lead = "it is not known that " if reading == "plain" else "it is not so that "
            return lead + known if neg else known
        text = join([c for c in clauses if c])
        if (
            len(clauses) == 1
            and text.startswith("it ")
            and not INDIRECT.match(text)
            and "that" not in noun.split(" ")
        ):
            text = f"the {noun} {are(text[3:]) if is_plural(noun) else text[3:]}"
            lead = "it is not known that " if reading == "plain" else "it is not so that "
            return lead + text if neg else text
        if not text:  # only single variables: their values must be known
            text = self._knowns(relation, atom.constraints, was)
        if neg:
            lead = "it is not known that" if reading == "plain" else "it is not so that"
            return f"{lead}, in the {noun}, {text}"
        return f"in the {noun}, {text}"

    def _knowns(self, relation: Relation, constraints: Iterable[Constraint], was: bool, of: str = "") -> str:
        names = [f"the {self.nouns.attr(relation, c.attr)}" for c in constraints]
        be = ("were" if was else "are") if len(names) > 1 else ("was" if was else "is")
        return f"{join(names)}{f' of the {of}' if of else ''} {be} known"

    # ------------------------------------------------------------ comparisons and questions about many

    def _compare(self, c: Compare) -> str:
        type_ = c.left.type if isinstance(c.left, Const) else getattr(c.left, "type", None)
        constraint = Constraint("", c.op, c.right, c.hi)
        return f"{self.homes.term(c.left)} {self.predicate('', constraint, type_, 'is')}"

    def _aggregate(self, item: Aggregate) -> str:
        relation = self.program.relations.get(item.lit.atom.relation)
        constraint = Constraint("", item.op, item.right, item.hi)
        named = isinstance(item.right, Var) and item.op == "=" and self._is_result(item.right.name)
        note = ""
        if (
            item.reading == "certain"
            and item.lit.past is None
            and not (item.fn == "count" and item.op in (">", ">="))
        ):
            note = self._note(item.lit.atom)
        if relation is None:
            return f"{item.fn} of {self.label(item.lit.atom.relation)} {self.predicate('', constraint, None, 'is')}"
        if item.lit.past is not None and relation.sort in ("action", "gesture"):
            return self._done(item, relation, constraint, named)
        if item.fn == "count":
            text = self._count(item, relation, constraint, named)
        else:
            text = self._value(item, relation, constraint, named)
        if item.lit.past is not None:
            text += f" (over {self._span(item.lit.past)})"
        return text + note

    def _span(self, past: Past) -> str:
        if past.op == "earlier":
            return "all moments up to now"
        if past.op == "since" and past.other is not None:
            return f"the time since {self.holds(past.other, False, was=True)}"
        return f"the last {self._lasting(past.duration)}"

    def _is_result(self, variable: str) -> bool:
        home = self.homes.homes.get(variable)
        return home is not None and not home.owner and not home.head

    def _done(self, item: Aggregate, relation: Relation, c: Constraint, named: bool) -> str:
        assert item.lit.past is not None
        past = item.lit.past
        done = f"{self.label(relation.name)}{self._details(relation, item.lit.atom)}"
        when = "" if past.op == "earlier" else f" in {self._span(past)}"
        if item.fn != "count":
            noun = self.nouns.attr(relation, item.attr)
            what = f"{say(f'fold.{item.fn}', attr=noun)} of every {done} that was done{when}"
            return f"{what} is taken" if named else f"{what} {self.predicate('', c, None, 'is')}"
        if named:
            return f"the number of times the agent has done {done}{when} is taken"
        if f"count.{c.op}" in catalogue(FIRST) and c.hi is None:
            right = self.homes.term(c.term)
            times = "1 time" if right == "1" else f"{right} times"
            if right == "1" and c.op in ("=", "<=", ">", ">="):
                times = "once"
            return f"the agent has done {done} {say(f'count.{c.op}', count=times)}{when}"
        return f"the number of times the agent has done {done}{when} {self.predicate('', c, None, 'is')}"

    def _count(self, item: Aggregate, relation: Relation, c: Constraint, named: bool) -> str:
        noun = self.nouns.row(relation) if relation.sort != "derived" else f"{self.label(relation.name)} case"
        one = isinstance(c.term, Const) and c.term.value == 1
        what = noun if one else plural(noun)
        row = self.row(relation, item.lit.atom.constraints, "", many=not one)
        if named:
            return f"there is a number of {what}{row}"
        if f"count.{c.op}" in catalogue(FIRST) and c.hi is None:
            return f"there {'is' if one else 'are'} {say(f'count.{c.op}', count=self.homes.term(c.term))} {what}{row}"
        return f"the number of {what}{row} {self.predicate('', c, None, 'is')}"

    def _value(self, item: Aggregate, relation: Relation, c: Constraint, named: bool) -> str:
        noun = self.nouns.attr(relation, item.attr)
        rows = self.nouns.row(relation) if relation.sort != "derived" else f"{self.label(relation.name)} case"
        row = self.row(relation, item.lit.atom.constraints, "", many=True)
        type_ = self.type_of(relation, item.attr)
        if item.fn == "set":
            type_, noun = None, plural(noun)
        what = f"{say(f'fold.{item.fn}', attr=noun)} of all {plural(rows)}{row}"
        if named:
            return f"{what} is known"
        return f"{what} {self.predicate('', c, type_, 'is')}"

    def _every(self, item: Every) -> str:
        relation = self.program.relation(item.atom.relation)
        noun = self.nouns.row(relation) if relation.sort != "derived" else f"{self.label(relation.name)} case"
        row = self.row(relation, item.atom.constraints, "")
        clauses = [self.clause(relation, c, others=item.has, owner="its") for c in item.has]
        clause = join([c for c in clauses if c]) or "its details are known"
        text = f"there is at least one {noun}{row}, and for every such {noun}, {clause}"
        return text + (self._note(item.atom, every=True) if item.reading == "certain" else "")

    def _quantified(self, item: Quantified) -> str:
        relation = self.program.relation(item.atom.relation)
        noun = plural(self.nouns.row(relation)) + self.row(relation, item.atom.constraints, "", many=True)
        clauses = [self.clause(relation, c, others=item.has or (), owner="its") for c in item.has or ()]
        text = join([c for c in clauses if c]) or "its details are known"
        note = self._note(item.atom, every=True) if item.reading == "certain" else ""
        return f"for {item.words} of all {noun}, {text}{note}"

    def _first(self, item: First) -> str:
        relation = self.program.relation(item.atom.relation)
        noun = self.nouns.row(relation)
        chosen = tuple(c for c in item.atom.constraints if self._selects(relation, c))
        tests = tuple(c for c in item.atom.constraints if not self._selects(relation, c))
        row = self.row(relation, chosen, "", many=item.n > 1)
        which = f"the first {noun}{row}" if item.n == 1 else f"the first {item.n} {plural(noun)}{row}"
        note = " (this counts only once everything above it was read)" if item.reading == "certain" else ""
        if item.has is not None:
            clauses = [self.clause(relation, c, others=item.has, owner="its") for c in item.has]
            text = join([c for c in clauses if c]) or "its details are known"
            return f"for {'' if item.n == 1 else 'each of '}{which}, {text}{note}"
        tested = self.row(relation, tests, "")
        if not tested:
            return f"there is {which if item.n == 1 else 'one among ' + which}{note}"
        if item.n == 1:
            return f"{which} is one{tested}{note}"
        comma = "," if ", wh" in row or " that " in row else ""
        return f"among {which}{comma} there is one{tested}{note}"

    def _selects(self, relation: Relation, c: Constraint) -> bool:
        return not variables(c) or c.attr in relation.within
