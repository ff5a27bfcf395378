"""What one app may report: the relations, actions and screens that the modules of its package declare."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from vsalang.agents.reporting.errors import MessageRefused
from vsalang.base.source.suggest import did_you_mean
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.program.ir import Program, Relation, Type
from vsalang.program.text import safe

_SAME: Final[Mapping[str, str]] = {
    "string": "Text",
    "text": "Text",
    "char": "Text",
    "integer": "Number",
    "int": "Number",
    "long": "Number",
    "float": "Number",
    "double": "Number",
    "number": "Number",
    "boolean": "Bool",
    "bool": "Bool",
    "date": "Date",
    "time": "Time",
    "duration": "Duration",
    "enum": "enum",
    "set": "set",
}
"""Names of types as apps write them, in lower case."""

_WHY_NOT: Final[Mapping[str, str]] = {
    "derived": "it follows from rules; report what they read",
    "observed": "it is read from the screen",
    "gesture": "it is a gesture",
    "action": "it is an action: ask before it, with `before`",
    "screen": "it is a screen: name it in `screens`",
}


def packages(program: Program) -> tuple[str, ...]:
    """The packages of the program's apps, in order."""
    apps = (module for module in program.modules.values() if module.kind == "app")
    return tuple(dict.fromkeys(package for module in apps for package in module.packages))


class AppSchema:
    """The part of a program that the app of a package may report and ask about.

    Raises:
        ValueError: no app module of the program is of this package.
    """

    def __init__(self, program: Program, package: str) -> None:
        self.package = package
        self._program = program
        self.modules = tuple(
            module.name
            for module in program.modules.values()
            if module.kind == "app" and package in module.packages
        )
        if not self.modules:
            raise ValueError(f"no app of the program has the package {package}")
        self._own = [r for r in program.relations.values() if r.module in self.modules]
        self._others = {r.name for r in program.relations.values() if r.module not in self.modules}
        self._others |= {r.short for r in program.relations.values() if r.module not in self.modules}

    def relations(self) -> list[Relation]:
        return [r for r in self._own if r.sort in BELIEVED]

    def actions(self) -> list[Relation]:
        """What may be asked about."""
        return [r for r in self._own if r.sort == "action"]

    def screens(self) -> list[Relation]:
        return [r for r in self._own if r.sort == "screen"]

    def relation(self, name: str, where: str) -> Relation:
        """The state, view or list of that name.

        Raises:
            Refused: there is none, it is of another sort, or it is another app's.
        """
        return self._find(name, self.relations(), "state, view or list", where)

    def action(self, name: str, where: str) -> Relation:
        """The action of that name (Refused if there is none)."""
        return self._find(name, self.actions(), "action", where)

    def screen(self, name: str, where: str) -> Relation:
        """The screen of that name (Refused if there is none)."""
        return self._find(name, self.screens(), "screen", where)

    def _find(self, name: str, among: list[Relation], what: str, where: str) -> Relation:
        relations = [r for r in among if name == r.name] or [r for r in among if name == r.short]
        if len(relations) == 1:
            return relations[0]
        if relations:
            names = ", ".join(r.name for r in relations)
            raise MessageRefused("unknown_name", f"{safe(name)} is one of {names}: say which", where)
        mine = [r for r in self._own if name in (r.name, r.short)]
        if mine:
            why = _WHY_NOT.get(mine[0].sort, "it is a state, view or list")
            article = "an" if what == "action" else "a"
            raise MessageRefused("unknown_name", f"{mine[0].short} is not {article} {what}: {why}", where)
        if name in self._others:
            raise MessageRefused(
                "foreign",
                f"{safe(name)} is not declared by an app of the package {self.package}, "
                "and an app reports only about itself",
                where,
            )
        hint = did_you_mean(name, [r.short for r in among])
        module = " and ".join(self.modules)
        raise MessageRefused(
            "unknown_name",
            f"{module} declares no {what} {safe(name)}" + (f"; {hint}" if hint else ""),
            where,
        )

    # ------------------------------------------------------------------ what the app says it reports

    def compare(self, name: str, variables: Iterable[tuple[str, str]]) -> list[str]:
        """What is wrong with a definition: the attributes with the names of their types; nothing if it fits.

        An attribute that the app leaves out is not a mistake: it stays unknown.
        """
        try:
            relation = self.relation(name, "")
        except MessageRefused as refused:
            return [str(refused)]
        declared = {attr.name: attr for attr in relation.attrs}
        problems = []
        pairs = list(variables)
        for attr, kind in pairs:
            if attr not in declared:
                hint = did_you_mean(attr, declared)
                problems.append(
                    f"{relation.short} has no attribute {safe(attr)}" + (f"; {hint}" if hint else "")
                )
            elif not _fits(kind, declared[attr].type):
                problems.append(
                    f"{relation.short}.{attr} is declared {declared[attr].type}, and the app says {safe(kind)}"
                )
        names = {attr for attr, _ in pairs}
        missing = [attr for attr in relation.identity if attr not in names and attr != "at"]
        if missing:
            problems.append(
                f"{relation.short}: {', '.join(missing)} identifies its rows and must be reported"
            )
        return problems

    def to_json(self) -> dict[str, Any]:
        """All that the app may say, as JSON data."""
        return {
            "package": self.package,
            "modules": list(self.modules),
            "states": [
                {
                    "name": r.short,
                    "sort": r.sort,
                    "description": r.doc,
                    "identity": list(r.identity),
                    "screens": [self._program.relation(name).short for name in r.on],
                    "variables": [_attr(a.name, a.type, a.doc) for a in r.attrs],
                }
                for r in self.relations()
            ],
            "actions": [
                {
                    "name": r.short,
                    "description": r.doc,
                    "variables": [_attr(a.name, a.type, a.doc) for a in r.attrs],
                }
                for r in self.actions()
            ],
            "screens": [r.short for r in self.screens()],
        }


def _attr(name: str, type_: Type, doc: str) -> dict[str, Any]:
    data: dict[str, Any] = {"name": name, "type": "Enum" if type_.kind == "enum" else str(type_)}
    if type_.kind == "enum":
        data["enum_values"] = [item.name for item in type_.members]
    return {**data, "description": doc}


def _fits(kind: str, type_: Type) -> bool:
    """Whether a type as apps write it means this one. A text can carry any value but a set."""
    type_name = _SAME.get(kind.partition("[")[0].strip().lower())
    return type_name == type_.kind or (
        type_name == "Text" and type_.kind in ("enum", "Date", "Time", "Duration")
    )
