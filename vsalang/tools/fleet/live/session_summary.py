"""What is shown of a session in lists: counts, the newest step, the screen; kept up line by line of its journal."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Final, Literal

from vsalang.guard.journal.file import Record
from vsalang.program.text import line

State = Literal["running", "completed", "not completed", "ended", "closed", "failed"]
OVER: Final[frozenset[State]] = frozenset({"completed", "not completed", "ended", "closed"})
"""States after which nothing more is expected of a session."""
LEVELS: Final = ("flag", "warn", "confirm", "block")
"""Of alarms, from the mildest on."""
VERDICTS: Final = ("allow", "warn", "confirm", "block")
_ENDS: Final[Mapping[bool, State]] = {True: "completed", False: "not completed"}
_LONG: Final = 400
_APPS: Final = 200
"""Of so many screens it is remembered whose they are."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that a person may want to look at.

    Attributes:
        number: the line of the journal; 0: the server itself raised it.
        step: the number of the proposal.
        kind: the kind of the reason, ``contract``, ``turned_away``, ``failed``, ``forked`` or ``fleet``.
        rule: the rule that objects; empty: none.
        category: as the rule's ``@risk`` says.
        effect: the critical actions that it is about.
        app: the package on the screen.
        source: where the rule stands: ``FILE:LINE``; empty: not known.
    """

    number: int
    step: int
    at: str
    level: str
    kind: str
    rule: str
    category: str
    effect: str
    app: str
    text: str
    source: str = ""


@dataclass(slots=True)
class SessionSummary:
    """A session, from its journal so far.

    Attributes:
        tenant: whose it is.
        session: its name: the hash of the first line.
        device: who sends it.
        number: of the last line that is kept.
        head: the hash of that line.
        phone: the name of the phone in the journal.
        begun: when the first line was written, by the device's clock.
        at: when the last line was written, likewise.
        steps: how many proposals there were.
        levels: how many of them there were of each level of verdict.
        level: of the newest verdict.
        action: what was proposed last.
        app: the package on the screen.
        screen: the id of the last screen; empty: there was none.
        fingerprint: of the last screen.
        screens: the names of the screens that show.
        hint: the plan: what the agent was told of its next steps.
        alarms: how many there are.
        ending: who ends it, and why; empty: nobody does.
        apps: the package of each screen that is known, by id.
        bytes: how long the lines are that are kept.
    """

    tenant: str
    session: str
    device: str
    number: int = 0
    head: str = ""
    spec: str = ""
    phone: str = ""
    mode: str = ""
    begun: str = ""
    at: str = ""
    state: State = "running"
    steps: int = 0
    levels: dict[str, int] = field(default_factory=dict)
    level: str = ""
    action: str = ""
    app: str = ""
    screen: str = ""
    fingerprint: str = ""
    screens: list[str] = field(default_factory=list)
    hint: str = ""
    alarms: int = 0
    ending: str = ""
    apps: dict[str, str] = field(default_factory=dict)
    bytes: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """Tenant and session."""
        return self.tenant, self.session

    @property
    def over(self) -> bool:
        """Whether nothing more is expected."""
        return self.state in OVER

    def copy(self) -> "SessionSummary":
        """One that can be changed without changing this."""
        copied = SessionSummary(*_VALUES(self))
        copied.levels, copied.screens, copied.apps = dict(self.levels), list(self.screens), dict(self.apps)
        return copied

    def to_json(self) -> dict[str, Any]:
        """As JSON data, by the names of its attributes; the containers are those of this summary."""
        return dict(zip(NAMES, _VALUES(self), strict=True))

    def add(self, record: Record) -> list[Alarm]:
        """Take in the next line; returns what it gives alarm for.

        Whatever shape the line has, this raises nothing: the line was sent by somebody else.
        """
        data = record.data
        self.number, self.head = record.number, record.hash
        self.at = _text(data.get("at"), 40) or self.at
        match record.kind:
            case "session":
                settings = _mapping(data.get("settings"))
                self.spec, self.phone = _text(data.get("spec"), 120), _text(data.get("device"), 120)
                self.mode, self.begun = _text(settings.get("mode"), 20) or "enforce", self.at
            case "screen":
                app = data.get("app")
                package = _text(app[0], 120) if isinstance(app, list) and app else ""
                self.apps[_text(data.get("id"), 64)] = package
                if len(self.apps) > _APPS:
                    del self.apps[next(iter(self.apps))]
            case "observe":
                look = _mapping(data.get("screen"))
                self.screen, self.fingerprint = _text(look.get("id"), 64), _text(look.get("fingerprint"), 80)
                self.app = self.apps.get(self.screen, self.app)
                self.screens = [_text(name, 120) for name in _list(data.get("shown"))[:8]]
            case "propose":
                verdict = _mapping(data.get("verdict"))
                self.steps += 1
                level = verdict.get("level")
                self.level = level if level in VERDICTS else "block"
                self.levels[self.level] = self.levels.get(self.level, 0) + 1
                self.action = _text(verdict.get("proposal"), 200)
            case "hint":
                self.hint = _text(data.get("text"), _LONG)
            case "end":
                done = data.get("completed")
                self.state = _ENDS[done] if isinstance(done, bool) else "ended"
            case "close":
                self.state = "closed"
            case "failed":
                self.state = "failed"
            case "resume":
                self.state = "running"
        alarms = list(self._alarms(record))
        self.alarms += len(alarms)
        return alarms

    def raised(self, level: str, kind: str, text: str, rule: str = "", category: str = "") -> Alarm:
        """An alarm of the server itself about this session."""
        self.alarms += 1
        return Alarm(0, self.steps, self.at, level, kind, rule, category, "", self.app, line(text, _LONG))

    def _alarms(self, record: Record) -> Iterator[Alarm]:
        data = record.data
        match record.kind:
            case "propose":
                verdict = _mapping(data.get("verdict"))
                effect = ", ".join(_text(action, 120) for action in _list(verdict.get("actions"))[:4])
                for reason in map(_mapping, _list(verdict.get("reasons"))):
                    if _text(reason.get("level"), 20) in ("warn", "confirm", "block"):
                        yield self._of_reason(record, reason, effect)
                for flag in map(_mapping, _list(verdict.get("flags"))):
                    yield self._of_reason(record, flag, effect, "flag")
            case "observe":
                for contract in map(_mapping, _list(data.get("contracts"))):
                    if contract.get("outcome") == "violated":
                        effect = ", ".join(_text(each, 120) for each in _list(contract.get("actions"))[:4])
                        yield self._of_reason(record, contract, effect, "confirm", "contract")
                for reason in map(_mapping, _list(data.get("recorded"))):
                    if _text(reason.get("level"), 20) in ("warn", "confirm", "block"):
                        yield self._of_reason(record, reason, "", kind="too_late")
            case "turned_away":
                text = f"{_text(data.get('request'), 200)}: {_text(data.get('reason'), 200)}"
                yield self._alarm(record, "block", "turned_away", text)
            case "failed":
                yield self._alarm(record, "block", "failed", _text(data.get("error"), _LONG))

    def _alarm(self, record: Record, level: str, kind: str, text: str) -> Alarm:
        return Alarm(record.number, self.steps, self.at, level, kind, "", "", "", self.app, text)

    def _of_reason(
        self, record: Record, reason: Mapping[str, Any], effect: str, level: str = "", kind: str = ""
    ) -> Alarm:
        notes = _mapping(reason.get("annotations"))
        risks = [_text(risk, 60) for risk in _list(notes.get("risk"))]
        return Alarm(
            record.number,
            self.steps,
            self.at,
            level or _text(reason.get("level"), 20),
            kind or _text(reason.get("kind"), 40),
            _text(reason.get("rule"), 120),
            ", ".join(risks),
            effect,
            self.app,
            _text(reason.get("message"), _LONG),
        )


NAMES: Final = tuple(each.name for each in fields(SessionSummary))
_VALUES: Final = attrgetter(*NAMES)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object, most: int) -> str:
    if not isinstance(value, str):
        return ""
    return value if len(value) <= most and value.isprintable() else line(value, most)
