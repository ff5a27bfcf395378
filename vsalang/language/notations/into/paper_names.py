"""Resolves names of the paper's notation: relations, actions and objectives."""

import re
from collections.abc import Iterable
from dataclasses import field
from typing import Final

from vsalang.base.records import dataclass
from vsalang.base.source.suggest import did_you_mean
from vsalang.language.notations.into.naming import relation_name
from vsalang.language.notations.into.paper_text import Call, Clause
from vsalang.language.notations.out.paper_names import ALL, DONE, ONCE, REPEAT
from vsalang.program.ir import Program, Relation

MOST_TIMES: Final = 1000
_MOST_CHAINED: Final = 20
_NUMBERED: Final = re.compile(r"(?P<name>.*\D)(?P<times>[1-9][0-9]{0,5})")
_EVIDENCE: Final = ("state", "view", "list", "derived", "observed")


class UnknownName(Exception):
    """A name that is not known, or not allowed here; `help` says what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


@dataclass(frozen=True, slots=True)
class Head:
    """The subject of a clause: ``done``, an ``action`` of the app, or an ``objective`` that only clauses know.

    Attributes:
        name: of an objective: its name in the language.
        times: how often (``RepeatN``).
        each: any number of times (``All``).
    """

    kind: str
    name: str
    relation: Relation | None = None
    times: int = 1
    each: bool = False


@dataclass(frozen=True, slots=True)
class Meaning:
    """The subject of a condition: evidence (a relation), or an earlier action or objective."""

    name: str
    relation: Relation | None = None
    earlier: bool = False
    times: int = 1


@dataclass(slots=True)
class Names:
    """The names of the apps, and the objectives of the clauses."""

    relations: dict[str, list[Relation]] = field(default_factory=dict)
    objectives: dict[str, Head] = field(default_factory=dict)
    repeated: dict[str, int] = field(default_factory=dict)
    _times: dict[str, int] = field(default_factory=dict)

    def declare(self, program: Program) -> None:
        """Add the relations of an app, and those of the device."""
        for relation in program.relations.values():
            reachable = relation.module == program.main or "." not in relation.name
            if reachable and relation.sort in (*_EVIDENCE, "action"):
                for name in {relation.short, relation.name}:
                    known = self.relations.setdefault(name, [])
                    if relation not in known:
                        known.append(relation)

    def gather(self, clauses: Iterable[Clause]) -> None:
        """Add the objectives that the clauses' heads name."""
        for clause in clauses:
            try:
                head = self.head(clause.head)
            except UnknownName:
                continue
            if head.kind == "objective":
                self.objectives.setdefault(clause.head.name, head)
            match = REPEAT.fullmatch(clause.head.name)
            if match and head.times > 1:
                self.repeated[match["name"]] = max(head.times, self.repeated.get(match["name"], 0))

    def head(self, call: Call) -> Head:
        """The subject of a clause's head.

        Raises:
            Unknown: it names evidence, or its number is too large.
        """
        name = call.name
        if name.lower() == DONE.lower():
            return Head("done", DONE)
        if (relation := self._one(name)) is not None:
            if relation.sort == "action":
                return Head("action", name, relation)
            raise UnknownName(
                f"`{name}` is {_article(relation.sort)} of the app, not something to do",
                "a head names an action or an objective; give the objective another name",
            )
        repeat = REPEAT.fullmatch(name)
        if repeat:
            times = int(repeat["times"])
            relation = self._one(repeat["name"])
            if relation is not None and relation.sort == "action":
                if not 1 <= times <= MOST_TIMES:
                    raise UnknownName(
                        f"`{name}` repeats {times} times", f"1 to {MOST_TIMES} times can be said"
                    )
                return Head("action", repeat["name"], relation, times)
            if not 1 <= times <= _MOST_CHAINED:
                raise UnknownName(
                    f"`{name}` repeats {times} times",
                    f"an objective is repeated 1 to {_MOST_CHAINED} times; declare `{repeat['name']}` as an action",
                )
            return self._objective(repeat["name"], times)
        every = ALL.fullmatch(name)
        if every and (relation := self._one(every["name"])) is not None and relation.sort == "action":
            return Head("action", every["name"], relation, each=True)
        return self._objective(name, 1)

    def _objective(self, name: str, times: int) -> Head:
        head = Head("objective", self._new(name), None, times)
        before = self._times.setdefault(head.name, times)
        if before != times:
            raise UnknownName(
                f"`{name}` must be reached {times} times here and {before} times in another clause",
                "give one of the objectives another name",
            )
        return head

    def _new(self, name: str) -> str:
        base_name = relation_name(name)
        if not base_name:
            raise UnknownName(
                f"no name can be made of `{name}`", "give it a name of Latin letters and digits"
            )
        if base_name in self.relations or (
            base_name.endswith(ONCE) and base_name[: -len(ONCE)] in self.repeated
        ):
            raise UnknownName(f"the name `{base_name}` is taken", f"give the objective `{name}` another name")
        for written, head in self.objectives.items():
            base = REPEAT.fullmatch(written)
            same = written == name or (base is not None and base["name"] == name)
            if head.name == base_name and not same and relation_name(name) != name:
                raise UnknownName(
                    f"`{written}` and `{name}` are both `{base_name}`", "give them different names"
                )
        return base_name

    def condition(self, call: Call) -> Meaning:
        """The subject of a condition.

        Raises:
            Unknown: it has no meaning, or one that cannot be expressed.
        """
        name = call.name
        if (relation := self._one(name)) is not None:
            return Meaning(name, relation, earlier=relation.sort == "action")
        if name in self.objectives:
            return Meaning(self.objectives[name].name, earlier=True)
        counted = REPEAT.fullmatch(name) or _NUMBERED.fullmatch(name)
        if counted:
            base, times = counted["name"], int(counted["times"])
            relation = self._one(base)
            if relation is not None and relation.sort == "action" and 1 <= times <= MOST_TIMES:
                return Meaning(base, relation, earlier=True, times=times)
            if base in self.objectives and times == self.objectives[base].times:
                return Meaning(self.objectives[base].name, earlier=True)
            if base in self.repeated and times == self.repeated[base]:
                return Meaning(self.objectives[f"{base}Repeat{times}"].name, earlier=True)
            if base in self.repeated:
                raise UnknownName(
                    f"`{name}`: of a repeated objective only the last time, {self.repeated[base]}, can be a condition",
                    f"declare `{base}` as an action of the app",
                )
        if name in self.repeated:
            return Meaning(self.objectives[f"{name}Repeat{self.repeated[name]}"].name, earlier=True)
        if name.lower() == DONE.lower():
            raise UnknownName(f"`{name}` cannot be a condition", "after Done nothing is done")
        every = ALL.fullmatch(name)
        if every and (relation := self._one(every["name"])) is not None and relation.sort == "action":
            raise UnknownName(
                f"when `{every['name']}` was done for all there were cannot be said by its name",
                "name what shows it, or write `every ..` or `no ..` in the .vsa file by hand",
            )
        hint = did_you_mean(name, [*self.relations, *self.objectives])
        raise UnknownName(
            f"`{name[:60]}` is neither a relation of the app nor the head of a clause",
            hint or "declare it in the app module, or write a clause for it",
        )

    def name_of(self, relation: Relation) -> str:
        """The name by which a spec can call a relation."""
        same = [each for each in self.relations[relation.short] if "." in each.name]
        return relation.name if len(same) > 1 else relation.short

    def _one(self, name: str) -> Relation | None:
        relations = self.relations.get(name, [])
        own = [
            each for each in relations if "." in each.name
        ] or relations  # relations of an app shadow those of the device
        if len(own) > 1:
            names = " or ".join(sorted(f"`{each.name}`" for each in own))
            raise UnknownName(f"`{name}` is declared more than once", f"write {names}")
        return own[0] if own else None


def _article(sort: str) -> str:
    return {"derived": "a defined relation", "observed": "an observed relation"}.get(sort, f"a {sort}")
