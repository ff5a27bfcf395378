"""Builds the description of a module: its sections and their entries."""

from collections.abc import Iterable

from vsalang.language.describe.constants import constants
from vsalang.language.describe.description import Description, Entry, Section
from vsalang.language.describe.meant_actions import over_others, permitted_too, refinement, with_refining
from vsalang.language.describe.nouns import is_phrase, lower_first, named, split_name, truth, upper_first
from vsalang.language.describe.rules import Rules, mentioned
from vsalang.language.semantics.loader import Unit
from vsalang.program.ir import (
    Derive,
    Expect,
    Goto,
    Judge,
    License,
    Mark,
    Program,
    Recognize,
    Rule,
    Var,
    Write,
)
from vsalang.program.polarity import Polarity, polarity
from vsalang.program.text import join, line
from vsalang.program.vocabulary import ALWAYS_COMPLETE
from vsalang.program.walk import atoms

_CRITICAL = ("answer", "shell", "install", "push_file")


def describe(program: Program, units: Iterable[Unit] = ()) -> Description:
    """Describe the main module of a program in plain words. The result is always the same for the same program.

    Args:
        program: a spec with all it imports and the policies in force, or an app module, policy or vocabulary module.
        units: of `Loaded`; with them the constants are described too (a program has only their values).
    """
    info = program.modules[program.main]
    policies = tuple(
        name for name, module in program.modules.items() if module.kind == "policy" and name != program.main
    )
    writer = _Writer(program, policies)
    sections = (
        writer.app()
        if info.kind == "app"
        else writer.vocabulary()
        if info.kind == "module"
        else writer.task()
    )
    sections = [*sections, Section("What the words mean", writer.words())]
    sections = [*sections, Section("Constants", tuple(constants(units, program.main)))]
    filled_sections = tuple(s for s in sections if s.entries)
    return Description(info.name, info.kind, line(info.doc, 2000), policies, filled_sections)


class _Writer:
    def __init__(self, program: Program, policies: tuple[str, ...]) -> None:
        self.program = program
        self.main = program.main
        self.spec = program.modules[program.main].kind == "spec"
        self._app = program.modules[program.main].kind == "app"
        self.policies = policies
        self.rules = Rules(program)

    def _own(self, module: str) -> list[Rule]:
        rules = (*self.program.rules, *self.program.lowered)
        return [rule for rule in rules if rule.module == module and rule.span is not None]

    # ------------------------------------------------------------ specs and policies

    def task(self) -> list[Section]:
        own = self._own(self.main)
        allows = [r for r in own if _licenses(r, done=False)]
        dones = [r for r in own if _licenses(r, done=True)]
        sections = []
        if self.spec:
            sections = [
                Section("What the agent may do", self._permissions(allows, own_spec=True)),
                Section("When the task is finished", self._endings(dones)),
            ]
        elif allows:
            sections = [Section("What is always permitted, whatever the task", self._permissions(allows))]
        sections.append(Section("Rules on top" if self.spec else "The rules", self._judgements(own)))
        standing: list[Rule] = []
        for name in self.policies:
            rules = self._own(name)
            standing += [r for r in rules if _licenses(r, done=False)]
            doc = line(self.program.modules[name].doc).strip().rstrip(".")
            short = f" ({doc})" if doc and is_phrase(doc) else ""
            title = f'What the policy "{name}" adds{short}'
            permitted = self._permissions([r for r in rules if _licenses(r, done=False)])
            about = () if is_phrase(doc) else (Entry("note", f"Its description: {doc}"),)
            sections.append(Section(title, (*about, *permitted, *self._judgements(rules))))
        judging = [rule for name in (self.main, *self.policies) for rule in self._own(name)]
        sections.append(Section("What was not read", _unread(self.program, judging)))
        if self.spec:
            allowed = {r.head.atom.relation for r in (*allows, *standing) if isinstance(r.head, License)}
            sections += [
                Section("What is checked afterwards", self._contracts(allowed)),
                Section("One act by two names", tuple(permitted_too(self.program, allowed))),
                Section("What is left open", self._open(allows)),
                Section("What is blocked", self._blocked(with_refining(self.program, allowed))),
            ]
        sections.append(self._rest(own))
        return sections

    def _permissions(self, rules: list[Rule], *, own_spec: bool = False) -> tuple[Entry, ...]:
        entries = []
        for rule in rules:
            assert isinstance(rule.head, License)
            shared = [
                n
                for n, other in enumerate(rules, 1)
                if other is not rule
                and isinstance(other.head, License)
                and other.head.quota.kind == rule.head.quota.kind == "either"
                and other.head.atom.relation == rule.head.atom.relation
                and n < rules.index(rule) + 1
            ]
            entries.append(self.rules.allow(rule, shared))
        if not entries and own_spec:
            entries.append(Entry("note", "Nothing that matters: no action is permitted"))
        return tuple(entries)

    def _endings(self, rules: list[Rule]) -> tuple[Entry, ...]:
        if not rules:
            return (
                Entry("note", "No rule says when: the agent can never report success, it can only give up"),
            )
        return tuple(self.rules.done(rule, first=n == 0) for n, rule in enumerate(rules))

    def _judgements(self, rules: Iterable[Rule]) -> tuple[Entry, ...]:
        entries = []
        for rule in rules:
            if isinstance(rule.head, Judge):
                entries.append(self.rules.judge(rule))
            elif isinstance(rule.head, Expect):
                entries.append(self.rules.expect(rule))
        return tuple(entries)

    def _contracts(self, allowed: set[str]) -> tuple[Entry, ...]:
        seen = {self.main, *self.policies}
        rules = [
            rule
            for rule in self.program.rules
            if isinstance(rule.head, Expect)
            and not rule.refusal
            and rule.module not in seen
            and allowed & set(mentioned(rule.body))
        ]
        return tuple(self.rules.expect(rule) for rule in rules) + (self._ledger(allowed) if rules else ())

    def _ledger(self, allowed: set[str]) -> tuple[Entry, ...]:
        """Say what happens to the permission if an action did not have the expected result."""
        again = [
            relation
            for relation in self.program.relations.values()
            if relation.name in allowed and "idempotent" in relation.annotations
        ]
        entries = [
            Entry(
                "again",
                "What was sent may still arrive, so its permission is used up even if it did not come out so: the user "
                "is asked before it is sent again",
            )
        ]
        if again:
            names = join([f'"{split_name(relation.short)}"' for relation in again])
            entries.append(
                Entry(
                    "again",
                    f"Only {names} may be sent again without asking until it is seen to be done: doing it twice "
                    "changes nothing more",
                )
            )
        entries.append(
            Entry("unseen", "What the agent has set and nobody has seen since does not finish the task")
        )
        return tuple(entries)

    def _open(self, allows: list[Rule]) -> tuple[Entry, ...]:
        entries = []
        for number, rule in enumerate(allows, 1):
            assert isinstance(rule.head, License)
            relation = self.program.relation(rule.head.atom.relation)
            uses = self.rules.phrases(rule, rule.head.atom).homes.uses
            bound = {
                c.attr
                for c in rule.head.atom.constraints
                if not (c.op == "=" and isinstance(c.term, Var) and uses[c.term.name] <= 1)
                and c.op != "known"
            }
            free = [a.name for a in relation.attrs if a.name not in bound]
            if free:
                nouns = join([f"the {self.rules.nouns.attr(relation, name)}" for name in free])
                which = f" under number {number}" if _repeated(allows, rule) else ""
                label = f'"{split_name(relation.short)}"'
                entries.append(Entry("open", f"For {label}{which}, the agent is free to choose {nouns}"))
        entries.append(
            Entry(
                "free",
                "Taps, typing and scrolling need no permission of their own. The agent is warned when a step leads "
                "away from the conditions above, and on a screen that no app description knows the user is asked",
            )
        )
        return tuple(entries)

    def _blocked(self, allowed: set[str]) -> tuple[Entry, ...]:
        apps = [
            r
            for r in self.program.relations.values()
            if r.sort == "action" and r.module != "std.android" and r.name not in allowed
        ]
        device = [self.program.relations[name] for name in _CRITICAL if name not in allowed]
        names = [named(r) for r in (*apps, *device)]
        text = f"Everything else is blocked: {'; '.join(names)}" if names else "Everything else is blocked"
        return (
            Entry("blocked", text),
            Entry("note", "Giving up is always permitted. After the task is finished everything is blocked"),
        )

    # ------------------------------------------------------------ apps and vocabulary

    def app(self) -> list[Section]:
        own = self._own(self.main)
        screens = [r for r in own if isinstance(r.head, Derive) and ":" in r.head.atom.relation]
        every = "Its rules are about every app: they read whatever shows, and make no screen known"
        generic = self.program.modules[self.main].generic
        sections = [
            Section("Where it applies", (Entry("note", every),) if generic else ()),
            Section("Screens", (*(self.rules.screen(r) for r in screens), *self._stacking())),
            Section("Where steps lead", tuple(self.rules.goto(r) for r in own if isinstance(r.head, Goto))),
            Section("What is read, and where", tuple(self._relations(own))),
            Section("Actions that need permission, and how they are recognised", tuple(self._actions(own))),
            Section("Rules and checks", self._judgements(own)),
            Section("What was not read", _unread(self.program, own)),
        ]
        return [*sections, self._rest(own)]

    def _rest(self, own: list[Rule]) -> Section:
        """The definitions that no rule before used."""
        rest = [
            r
            for r in own
            if isinstance(r.head, Derive)
            and ":" not in r.head.atom.relation
            and r.head.atom.relation not in self.rules._explained
        ]
        return Section("Definitions that no rule above uses", tuple(self.rules.define(r) for r in rest))

    def _stacking(self) -> Iterable[Entry]:
        """Say which screen is meant if two match, and on which screens the user is asked about an unknown tap."""
        for relation in self.program.relations.values():
            if relation.module != self.main or relation.sort != "screen":
                continue
            name = f'"{split_name(relation.name.rpartition(":")[2])}"'
            if relation.over:
                below = join([f'"{split_name(other.rpartition(":")[2])}"' for other in relation.over], "or")
                text = f"{name} lies over the others: where {below} could show too, the screen is {name}"
                if len(relation.over) == 1:
                    text = f"{name} lies over {below}: where both could show, the screen is {name}"
                yield Entry("screen", text, (), "", relation.span)
            if relation.closed:
                text = f"On {name}, the user is asked before any tap that no rule of this app mentions"
                yield Entry("screen", text, (), "", relation.span)

    def _relations(self, own: list[Rule]) -> Iterable[Entry]:
        for relation in self.program.relations.values():
            if relation.module != self.main or relation.sort not in ("state", "view", "list"):
                continue
            attrs = join([self.rules.nouns.attr(relation, a.name) for a in relation.attrs if a.name != "at"])
            where = join([f'"{split_name(name.rpartition(":")[2])}"' for name in relation.on], "or")
            kind = {
                "state": "remembered",
                "view": "known until it is replaced",
                "list": "a list, in order",
            }
            text = f"{named(relation)} is {kind[relation.sort]}"
            if where:
                text = text.replace("known until it is replaced", f"known while the screen {where} shows")
            entry = Entry("read", f"{text}; it has: {attrs}" if attrs else text, (), "", relation.span)
            yield entry
            for rule in own:
                if isinstance(rule.head, Write) and rule.head.atom.relation == relation.name:
                    yield self.rules.write(rule)
                elif isinstance(rule.head, Mark) and rule.head.atom.relation == relation.name:
                    yield self.rules.mark(rule)

    def _actions(self, own: list[Rule]) -> Iterable[Entry]:
        for relation in self.program.relations.values():
            if relation.module != self.main or relation.sort != "action":
                continue
            rules = [
                r for r in own if isinstance(r.head, Recognize) and r.head.atom.relation == relation.name
            ]
            for rule in rules:
                yield self.rules.recognize(rule)
            if not rules:
                text = f"{named(relation)} is recognised by no rule"
                yield Entry("recognize", text, (), "", relation.span)
            yield from over_others(relation)
            yield from refinement(self.program, relation, self.rules.nouns)

    def words(self) -> tuple[Entry, ...]:
        """Say what the names above mean, if a description says it."""
        nouns = self.rules.nouns
        entries = list(self._meant())
        for name, attrs in [] if self._app else list(nouns.used.items()):
            relation = self.program.relations.get(name)
            if relation is None or relation.module.startswith("std.") or relation.sort == "derived":
                continue
            row = nouns.row(relation)
            if relation.sort in ("action", "gesture"):
                row = f'"{split_name(relation.short)}"'
            elif doc := _meaning(relation.doc, row):
                entries.append(Entry("word", f"{upper_first(row)}: {doc}", (), "", relation.span))
            for attr, description in attrs.items():
                declared = next((a for a in relation.attrs if a.name == attr), None)
                if declared is None or attr == "at" or (declared.type.kind == "Bool" and truth(declared)):
                    continue
                if doc := _meaning(declared.doc, description):
                    entries.append(
                        Entry(
                            "word", f"{upper_first(description)} of {_the(row)}: {doc}", (), "", relation.span
                        )
                    )
        return tuple(entries)

    def _meant(self) -> Iterable[Entry]:
        """The descriptions that were not given in brackets above: those of actions, and in an app all long ones."""
        if self._app:
            own = [r for r in self.program.relations.values() if r.module == self.main]
            relations = [
                r for r in own if r.sort not in ("derived", "observed") and not is_phrase(line(r.doc))
            ]
        else:
            modules = (self.main, *self.policies)
            rules = [rule for module in modules for rule in self._own(module)]
            asked = dict.fromkeys(name for rule in rules for name in mentioned((*rule.body, *rule.extra)))
            if self.spec:  # the short ones are given where the action is permitted or blocked
                asked = {r.name: None for r in self.program.relations.values() if not is_phrase(line(r.doc))}
            relations = [self.program.relations[name] for name in asked if name in self.program.relations]
            relations = [r for r in relations if r.sort == "action" and r.module not in ("", "std.android")]
        for relation in relations:
            label = f'"{split_name(relation.short)}"'
            if doc := _meaning(relation.doc, label):
                yield Entry("word", f"{label}: {doc}", (), "", relation.span)

    def vocabulary(self) -> list[Section]:
        own = self._own(self.main)
        words = tuple(self.rules.define(r) for r in own if isinstance(r.head, Derive))
        return [Section("Definitions", words), Section("Checks", self._judgements(own))]


def _meaning(doc: str, text: str) -> str:
    """A description, if it says more than the word."""
    doc = line(doc).strip().rstrip(".")
    bare = (
        lower_first(doc).partition(" ")[2] if doc.split(" ")[0].lower() in ("a", "an", "the", "its") else doc
    )
    return "" if not doc or bare.lower() in (text.lower(), text.strip('"').lower()) else lower_first(doc)


def _the(row: str) -> str:
    return row if row.startswith('"') and row.endswith('"') else f"the {row}"


def _licenses(rule: Rule, *, done: bool) -> bool:
    return isinstance(rule.head, License) and (rule.head.atom.relation == "finish") == done


def _repeated(rules: list[Rule], rule: Rule) -> bool:
    def action(item: Rule) -> str:
        return item.head.atom.relation if isinstance(item.head, License) else ""

    return sum(action(other) == action(rule) for other in rules) > 1


def _unread(program: Program, rules: Iterable[Rule]) -> tuple[Entry, ...]:
    """Say once how rules that add duty read what nobody read, if one of them asks about a value that may be unknown."""
    asking = [rule for rule in rules if polarity(rule) is Polarity.ADDS_DUTY and _asks_values(program, rule)]
    texts = []
    if any(isinstance(rule.head, Judge) for rule in asking):
        texts.append(
            "A rule that forbids, asks or warns also holds where a value that it asks about was not read and may be so"
        )
    if any(isinstance(rule.head, Recognize) for rule in asking):
        texts.append(
            "A gesture of which something was not read counts as each action that it may be, and nothing permits that"
        )
    return tuple(Entry("note", each) for each in texts)


def _asks_values(program: Program, rule: Rule) -> bool:
    return any(
        atom.relation not in ALWAYS_COMPLETE and any(each.op != "unknown" for each in atom.constraints)
        for atom in atoms(rule.body)
    )
