"""What an app may ask of a session: every message of the protocol, whatever it travels by."""

from collections.abc import Mapping
from typing import Any, Final

from vsalang.agents.reporting.changes import attribute, read_changes
from vsalang.agents.reporting.definitions import compared, read_definitions
from vsalang.agents.reporting.errors import MessageRefused
from vsalang.agents.reporting.reading import member, only, read_value
from vsalang.agents.reporting.reporting import Answer, ReportedGuard
from vsalang.agents.reporting.schema import AppSchema, packages
from vsalang.base.source import Source
from vsalang.guard import GuardFailed
from vsalang.guard.say.agent_hints import hint_for
from vsalang.guard.say.verdict_document import document
from vsalang.program.action import Action
from vsalang.program.text import line, safe

PROTOCOL: Final = 1
"""The version of the protocol: the ``v1`` of its addresses."""

_MEMBERS: Final = {
    "describe": frozenset[str](),
    "define_state": frozenset({"states"}),
    "update_state": frozenset({"updates", "screens"}),
    "before": frozenset({"action", "values", "updates", "note"}),
    "after": frozenset({"id", "performed", "updates", "screens"}),
}
KINDS: Final = tuple(_MEMBERS)
"""Every kind of message."""


class Service:
    """Answers messages of apps about one guarded session.

    Args:
        guard: the session.
        sources: the text of every file of the program, so that verdicts name lines and columns.
    """

    def __init__(self, guard: ReportedGuard, *, sources: Mapping[str, Source] | None = None) -> None:
        self.guard = guard
        self.sources = sources or {}
        self.schemas = {name: AppSchema(guard.program, name) for name in packages(guard.program)}

    def handle(self, package: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """The answer to a message of the app of a package.

        Raises:
            Refused: the message is not taken in; nothing of it was.
        """
        schema = self.schemas.get(package)
        if schema is None:
            raise MessageRefused("forbidden", f"no app of the program has the package {safe(package)}")
        if kind not in _MEMBERS:
            raise MessageRefused(
                "not_found", f"there is no message {safe(kind)}: there are {', '.join(KINDS)}"
            )
        only(data, _MEMBERS[kind])
        try:
            match kind:
                case "describe":
                    return {"protocol": PROTOCOL, "finished": self.guard.finished, **schema.to_json()}
                case "define_state":
                    return compared(schema, read_definitions(data.get("states"), "states"))
                case "update_state":
                    return self._update(schema, data)
                case "before":
                    return self._before(schema, data)
            return self._after(schema, data)
        except GuardFailed as error:
            raise MessageRefused(
                "failed", f"the session ended with an error: {line(str(error), 200)}"
            ) from error

    def _update(self, schema: AppSchema, data: dict[str, Any]) -> dict[str, Any]:
        changes = read_changes(schema, data.get("updates", []))
        screens = _screens(schema, data)
        if not changes and screens is None:
            raise MessageRefused("malformed", "there is nothing in it: give `updates`", "updates")
        taken = self.guard.report(schema.package, changes, screens)
        if taken.observed is None:
            return {"taken": "with the outcome of the action under way", "point": None, "conflicts": []}
        conflicts = [line(reason.message) for reason in taken.observed.conflicts]
        return {"taken": "at once", "point": taken.point, "conflicts": conflicts}

    def _before(self, schema: AppSchema, data: dict[str, Any]) -> dict[str, Any]:
        action = None
        values = member(data, "values", dict, {})
        if "action" in data:
            relation = schema.action(member(data, "action", str), "action")
            cells = {}
            for name, value in values.items():
                type_ = attribute(relation, name, "values").type
                cell = read_value(value, type_, name, f"values.{name}")
                if cell is not None:
                    cells[name] = cell
            action = Action(relation.name, cells)
        elif values:
            raise MessageRefused("malformed", "`values` are an action's: name the `action`", "values")
        changes = read_changes(schema, data.get("updates", []))
        if action is None and not changes:
            raise MessageRefused(
                "malformed", "there is nothing in it: give an `action` or `updates`", "action"
            )
        note = line(member(data, "note", str, ""), 400)
        return self._answer(self.guard.before(schema.package, action, changes, note=note))

    def _answer(self, answer: Answer) -> dict[str, Any]:
        verdict = answer.verdict
        return {
            "proceed": answer.proceed,
            "id": answer.id or None,
            "joined": answer.joined,
            "level": verdict.level,
            "message": "" if answer.proceed else " ".join(_sentence(r.message) for r in verdict.reasons),
            "verdict": document(verdict, sources=self.sources, hint=hint_for(self.guard)),
        }

    def _after(self, schema: AppSchema, data: dict[str, Any]) -> dict[str, Any]:
        changes = read_changes(schema, data.get("updates", []))
        performed = data.get("performed", True)
        if performed is not None and not isinstance(performed, bool):
            raise MessageRefused(
                "malformed", "`performed` is true, false, or null if it is not known", "performed"
            )
        observed = self.guard.after(
            schema.package,
            member(data, "id", int),
            changes,
            performed=performed,
            screens=_screens(schema, data),
        )
        return {
            "point": observed.point,
            "conflicts": [line(reason.message) for reason in observed.conflicts],
            "taken_back": [str(action) for action in observed.taken_back],
        }


def _sentence(text: str) -> str:
    sentence = line(text)
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def _screens(schema: AppSchema, data: dict[str, Any]) -> frozenset[str] | None:
    if data.get("screens") is None:
        return None
    names = member(data, "screens", list)
    if not all(isinstance(name, str) for name in names):
        raise MessageRefused("malformed", "`screens` are names", "screens")
    return frozenset(schema.screen(name, f"screens[{index}]").name for index, name in enumerate(names))
