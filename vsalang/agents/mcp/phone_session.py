"""One guarded phone as tools see it: every call gives an answer in words and as data, whatever happens."""

import datetime as dt
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import field
from decimal import Decimal
from typing import Any, Final
from typing import Literal as OneOf

from vsalang.agents.mcp.screens import screen_json, screen_text
from vsalang.agents.mcp.tools import ToolSpec, tool_specs, unknown_tool
from vsalang.agents.proposed import AgentError, Proposed, read_action
from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.guard import Guard, GuardFailed, ObservationResult, Verdict
from vsalang.guard.acting import kind_of, on_phone
from vsalang.guard.journal import Recorder
from vsalang.guard.journal.file import JournalError
from vsalang.guard.say.agent_hints import AgentHint, hint_for
from vsalang.guard.say.feedback import roadmap, roadmap_text, verdict_text
from vsalang.guard.say.verdict_document import document
from vsalang.guard.step import Approval, Ask, Turn, guarded_step
from vsalang.guard.world.news import same
from vsalang.phone import DeviceError
from vsalang.phone.protocol import Device
from vsalang.program.action import OFF_SCREEN
from vsalang.program.screen import Screen
from vsalang.program.text import canonical, line

Reply = OneOf["yes", "no", "timeout", "withdrawn", "unasked"]
"""The outcome of a question to the user; only ``yes`` allows anything. ``unasked``: there was no way to ask."""

MOST_NOTE: Final = 1_000
"""Characters of the agent's note on an action; what is longer is cut."""
_LONGEST: Final = 20_000
_NO: Final[Mapping[str, str]] = {
    "no": "The user said no.",
    "timeout": "The user did not answer in time, so the answer is no.",
    "withdrawn": "The question was withdrawn, so the answer is no.",
    "unasked": "Nobody could be asked: this client offers no way to ask the user. So the answer is no.",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says.

    Attributes:
        text: for a language model: the verdict with its reasons, what was done, or what was asked for.
        data: the same for programs.
        error: whether what was asked for did not happen.
        screen: the screen as it is now, quoted as data; empty if it was not looked at.
    """

    text: str
    data: Mapping[str, Any]
    error: bool = False
    screen: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What the user must agree to before an action may be carried out.

    Attributes:
        token: names it; it cannot be guessed, and counts once.
        tool: that was called.
        arguments: it was called with.
        message: all that the user is asked, in words.
    """

    token: str
    tool: str
    arguments: Mapping[str, Any]
    message: str
    proposed: Proposed = field(repr=False)
    verdict: Verdict = field(repr=False)
    turn: Turn = field(repr=False)
    until: float = 0.0


class PhoneSession:
    """A guard, a device, and an agent that calls tools. Not for use from several threads at once.

        session = PhoneSession(guard, device, recorder=recorder)
        session.begin()
        answer = session.call("tap", {"id": "reserve_button"})

    Args:
        guard: fresh; in the mode ``enforce`` or ``shadow`` (in the mode ``ask`` it would ask the user itself).
        device: what acts.
        recorder: the guard's, if it has one.
        sources: the text of the program's files, so that places have lines and columns.
        look: takes a screen of the device; its `observe` if left out.
        language: of reasons and the roadmap.
    """

    def __init__(
        self,
        guard: Guard,
        device: Device,
        *,
        recorder: Recorder | None = None,
        sources: Mapping[str, Source] | None = None,
        look: Callable[[], Screen] | None = None,
        language: str = "en",
    ) -> None:
        if guard.settings.mode == "ask":
            raise ValueError("a guard in the mode `ask` asks the user itself; here the client asks")
        self.guard = guard
        self.tools: tuple[ToolSpec, ...] = tool_specs(guard.program)
        self.completed = False
        self._acting = {tool.name for tool in self.tools if tool.acts}
        self._recorder = recorder or guard.recorder
        self._sources = sources
        self._phone = _Phone(device, look or device.observe)
        self._language = language
        self._screen: Screen | None = None
        self._question: Question | None = None

    @property
    def ask_timeout(self) -> dt.timedelta:
        """How long the user has to answer a question."""
        return self.guard.settings.ask_timeout

    def begin(self) -> None:
        """Look at the device for the first time.

        Raises:
            DeviceError: it cannot be looked at.
            GuardFailed: the guard met an internal error.
            JournalError: the journal cannot be written.
        """
        self._look_again()

    # ------------------------------------------------------------------ calls

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Answer | Question:
        """Do what a tool does, or say what the user must be asked first (then `settle` goes on). Never raises."""
        return self._safely(lambda: self._call(tool, dict(arguments or {})))

    def settle(self, question: Question, reply: Reply) -> Answer:
        """Go on with what the user was asked about. Never raises."""
        answer = self._safely(lambda: self._settle(question, reply))
        assert isinstance(answer, Answer)
        return answer

    def question(self, token: str, tool: str, arguments: Mapping[str, Any]) -> Question | None:
        """The open question of that token, if it is about exactly this call."""
        asked = self._question
        if asked is None or not secrets.compare_digest(
            asked.token.encode(), token.encode("utf-8", "surrogatepass")
        ):
            return None
        return asked if asked.tool == tool and dict(asked.arguments) == dict(arguments) else None

    def withdraw(self) -> None:
        """What the user was asked about was overtaken: the answer is no. Raises `JournalError`."""
        if self._question is not None:
            asked, self._question = self._question, None
            asked.turn.close()
            self._answered("withdrawn", asked.verdict)

    def _safely(self, work: Callable[[], Answer | Question]) -> Answer | Question:
        try:
            return work()
        except AgentError as error:
            return self._failure("invalid", str(error))
        except DeviceError as error:
            return self._failure(
                "device", f"The device failed: {error}. Look at the screen (`observe`) before anything else."
            )
        except JournalError as error:
            return self._failure("journal", f"It cannot be recorded, so it may not happen: {error}")
        except GuardFailed as error:
            return self._failure("guard", f"The guard met an error; everything is blocked now: {error}")
        except Exception as error:
            # nothing passes because of an error
            return self._failure("internal", f"internal error: {type(error).__name__}: {error}")

    def _failure(self, kind: str, message: str) -> Answer:
        text = line(message, _LONGEST)
        # after an error it is not known what was done before it; a look at the screen shows it
        performed = False if kind == "invalid" else None
        error = {"kind": kind, "message": text}
        data = {"error": error, "performed": performed, "finished": self.guard.finished}
        return Answer(text + "\n", data, error=True)

    def _call(self, tool: str, arguments: dict[str, Any]) -> Answer | Question:
        if tool in self._acting:
            return self._act(tool, arguments)
        if tool in ("observe", "roadmap") and arguments:
            raise AgentError(f"`{tool}` takes no arguments")
        match tool:
            case "observe":
                observed = self._look_again()
                screen, text = self._seen()
                noticed = list(observed.noticed) if observed is not None else []
                hint = hint_for(self.guard)
                data = {"screen": screen, "noticed": noticed}
                if hint is not None:
                    data["hint"] = hint.to_json(self._language)
                return Answer("\n".join([*noticed, *self._next(hint)]), data, screen=text)
            case "roadmap":
                return self._roadmap()
            case "propose":
                return self._propose(arguments)
        raise AgentError(unknown_tool(tool, self.tools) or "")

    # ------------------------------------------------------------------ what changes nothing

    def _look_again(self) -> ObservationResult | None:
        """Look; an unchanged screen is not news, so a warning and a question stay."""
        screen = self._phone.observe()
        if not self.guard.running and same(self._screen, screen):
            return None
        self.withdraw()
        # what was under way when the device failed may have arrived
        observed = self.guard.observe(screen, None if self.guard.running else True)
        self._screen = screen
        return observed

    def _roadmap(self) -> Answer:
        from dataclasses import asdict

        guard = self.guard
        legs = roadmap(guard.program, guard.roadmap(), today=guard.today, language=self._language)
        about = guard.program.modules[guard.program.main]
        text = f"The task: {line(about.doc or about.name)}\n" + roadmap_text(legs, language=self._language)
        data = {"task": about.doc or about.name, "roadmap": [asdict(leg) for leg in legs]}
        return Answer(text, data | {"finished": guard.finished})

    def _propose(self, arguments: dict[str, Any]) -> Answer:
        inner = arguments.pop("arguments", None)
        if inner is None:
            inner = {}
        if not isinstance(inner, dict):
            raise AgentError("`arguments` is an object")
        name = arguments.pop("action", None)
        if not isinstance(name, str):
            raise AgentError("`action` is the name of an action")
        if twice := sorted(set(inner) & {"action", *arguments}):
            raise AgentError(f"`{twice[0]}` is next to `arguments`, not in it")
        if unknown := sorted(set(arguments) - {"note", "claims"}):
            raise AgentError(f"`{unknown[0][:80]}` belongs into `arguments`")
        proposed = self._read(name, {**arguments, **inner})
        self.withdraw()
        note = f"dry run: {proposed.note}" if proposed.note else "dry run"
        verdict = self.guard.propose(proposed.action, proposed.claims, note=note)
        hint = hint_for(self.guard)
        data = {"dry_run": True, "performed": False, "verdict": self._document(verdict, hint)}
        lines = [self._words(verdict).rstrip(), *self._next(hint)]
        return Answer("Nothing was done; this is what the guard says.\n" + "\n".join(lines) + "\n", data)

    # ------------------------------------------------------------------ what acts

    def _act(self, tool: str, arguments: dict[str, Any]) -> Answer | Question:
        proposed = self._read(tool, arguments)
        self.withdraw()
        guard = self.guard
        turn = Turn(
            guarded_step(
                guard,
                lambda: guard.propose(proposed.action, proposed.claims, note=proposed.note),
                kind_of(proposed.action, proposed.note),
            ),
            on_phone(self._phone, proposed.action, _unasked),
        )
        ask = turn.until_asked()
        if not isinstance(ask, Ask):
            return self._carried_out(proposed, turn, approved=False)
        until = time.monotonic() + self.ask_timeout.total_seconds()
        message = _asking(ask.verdict, self._language)
        asked = Question(
            secrets.token_urlsafe(24), tool, arguments, message, proposed, ask.verdict, turn, until
        )
        self._question = asked
        return asked

    def _settle(self, question: Question, reply: Reply) -> Answer:
        if self._question is not question:
            return self._refused(question.verdict, "withdrawn")  # its answer was recorded already
        self._question = None
        if reply == "yes" and time.monotonic() >= question.until:
            reply = "timeout"
        self._answered(reply, question.verdict)
        if reply != "yes":
            question.turn.close()
            return self._refused(question.verdict, reply)
        question.turn.reply(Approval(True))
        return self._carried_out(question.proposed, question.turn, approved=True)

    def _answered(self, reply: Reply, verdict: Verdict) -> None:
        if self._recorder is not None:
            self._recorder.answered(reply == "yes", reply, verdict)

    def _carried_out(self, proposed: Proposed, turn: Turn, *, approved: bool) -> Answer:
        done = turn.end()
        if done.screen is None and not done.performed:
            return self._refused(done.verdict)
        self._screen = done.screen or self._screen
        holds = done.verdict.level == "allow" or (approved and done.verdict.binding)
        if proposed.action.name == "finish" and done.performed and holds:
            self.completed = True
        words = [self._words(done.verdict).rstrip()]
        if approved and done.performed:
            words.append("The user agreed to it.")
        problem = line(done.problem, _LONGEST)
        if done.performed and not problem:
            words.append("The session is over." if self.guard.finished else "It was carried out.")
        elif not done.performed:
            words.append("It was not carried out.")
        if problem:
            words.append(problem[0].upper() + problem[1:])
        noticed = list(done.observed.noticed) if done.observed is not None else []
        screen, text = self._seen()
        hint = hint_for(self.guard)
        data = {
            "performed": done.performed,
            "approved": approved,
            "problem": problem,
            "verdict": self._document(done.verdict, hint),
            "noticed": noticed,
            "finished": self.guard.finished,
            "screen": screen,
        }
        error = not done.performed or bool(done.problem)
        if proposed.action.name in OFF_SCREEN and done.performed:
            text = ""  # it shows what it showed before
        return Answer("\n".join([*words, *noticed, *self._next(hint)]) + "\n", data, error, text)

    def _refused(self, verdict: Verdict, reply: Reply | None = None) -> Answer:
        hint = hint_for(self.guard)
        text = self._words(verdict) + (_NO[reply] + "\n" if reply is not None else "")
        text += "".join(f"{next_line}\n" for next_line in self._next(hint))
        data = {
            "performed": False,
            "approved": False,
            "problem": _NO[reply] if reply is not None else "",
            "verdict": self._document(verdict, hint),
            "finished": self.guard.finished,
        }
        return Answer(text, data, error=True)

    # ------------------------------------------------------------------ words and data

    def _read(self, tool: str, arguments: Mapping[str, Any]) -> Proposed:
        values = _decimals(dict(arguments))
        if "action" in values:
            raise AgentError(f"`{tool}` takes no `action`")
        note, claims = values.pop("note", None), values.pop("claims", None)
        if not isinstance(note, str | None):
            raise AgentError("`note` is a text")
        if not isinstance(claims, list | None):
            raise AgentError("`claims` is a list of actions")
        program = self.guard.program
        actions = tuple(read_action(claim, program, claim=True) for claim in claims or ())
        return Proposed(
            read_action({**values, "action": tool}, program), actions, canonical(note or "")[:MOST_NOTE]
        )

    def _words(self, verdict: Verdict) -> str:
        try:
            return verdict_text(verdict, language=self._language)
        except Exception:
            # the outcome of an action must not be lost because no text was found for it
            lines = [f"{verdict.level}: {verdict.proposal}", *(reason.message for reason in verdict.reasons)]
            return "\n".join(line(text, _LONGEST) for text in lines) + "\n"

    def _document(self, verdict: Verdict, hint: AgentHint | None) -> dict[str, Any]:
        return document(verdict, sources=self._sources, language=self._language, hint=hint)

    def _next(self, hint: AgentHint | None) -> list[str]:
        return [hint.line(self._language)] if hint is not None else []

    def _seen(self) -> tuple[dict[str, Any], str]:
        assert self._screen is not None
        data = screen_json(self._screen, self.guard.screens)
        return data, screen_text(data)


class _Phone:
    """A device that is looked at in the caller's way."""

    def __init__(self, device: Device, look: Callable[[], Screen]) -> None:
        self.observe = look
        self.perform = device.perform
        self._device = device

    @property
    def seen_at(self) -> float | None:
        """When the device was looked at last, if it says so."""
        return getattr(self._device, "seen_at", None)


def _unasked(verdict: Verdict) -> Approval:
    """The answer of a user who is asked by their client: none yet."""
    raise AssertionError("the client asks the user")


def _asking(verdict: Verdict, language: str) -> str:
    """All that the user agrees to: what is cut off cannot have been agreed to."""
    from vsalang.program.phrases import read

    lines = [line(str(read(reason.message, language)), _LONGEST) for reason in verdict.reasons]
    lines += [f"It does: {line(str(action), _LONGEST)}" for action in verdict.actions]
    lines.append(f"Let the agent do it: {line(str(verdict.proposal), _LONGEST)}?")
    return "\n".join(lines)


def _decimals(data: Any) -> Any:
    """JSON data with exact numbers, as proposals are read.

    Raises:
        AgentError: an invalid number, or data nested too deep.
    """
    try:
        return _exact(data)
    except RecursionError:
        raise AgentError("the arguments are nested too deep") from None


def _exact(data: Any) -> Any:
    if isinstance(data, float):
        if data != data or data in (float("inf"), float("-inf")):
            raise AgentError("an invalid number")
        return Decimal(repr(data))
    if isinstance(data, Mapping):
        return {str(key): _exact(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_exact(item) for item in data]
    return data
