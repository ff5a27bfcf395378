"""What `vsac run` and `vsac guard` have in common: their options, and a guarded session with all that goes with it."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

from vsalang.agents.session import GuardedSession, SessionOptions, open_guarded, resume_guarded
from vsalang.base.options import group
from vsalang.base.records import dataclass
from vsalang.guard.journal import Session, read_session, recorded_program
from vsalang.guard.user.answering import AnsweringProgram
from vsalang.language.semantics import Loaded
from vsalang.models.effects.options import EffectsOptions
from vsalang.models.risk.judge.options import JudgeOptions
from vsalang.program.ir import Program
from vsalang.program.text import line
from vsalang.tools.cli import sessions
from vsalang.tools.cli.certified import told_of
from vsalang.tools.cli.charter import CharterOptions, agreed_charter
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.fleet_link import FleetOptions
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.hint_options import HintOptions
from vsalang.tools.cli.inforce import saying
from vsalang.tools.cli.judging import Consultation, consultation
from vsalang.tools.cli.on_confirm import User, answering_program, on_confirm, ways
from vsalang.tools.cli.output import echo
from vsalang.tools.cli.phones import device_option
from vsalang.tools.cli.remembering import RunMemoryOptions, keep_spec
from vsalang.tools.cli.unknown_controls import unknown_controls

_INSTRUCTION: Final = (
    "What the user asked for, in their words. Without SPEC a model writes its charter, which you agree to before "
    "anything starts; with SPEC rules read it (`Instruction`)."
)


@dataclass(frozen=True, slots=True)
class GuardingOptions:
    """The spec or journal, the phone, and how it is guarded."""

    spec: str | None = sessions.spec()
    device: str | None = device_option()
    resume: str | None = sessions.resume()
    session: SessionOptions = group(
        SessionOptions, needs={"instruction": {"--device": ""}}, instruction=_INSTRUCTION
    )
    on_confirm: str | None = on_confirm()
    memory: RunMemoryOptions = group(
        RunMemoryOptions, needs={"remember": {"SPEC or --charter": "that is the file that is kept"}}
    )
    certificates: bool = sessions.certificates()
    judge: JudgeOptions | None = group(JudgeOptions, when="--judge-model")
    effects: EffectsOptions = group(EffectsOptions)
    hints: HintOptions = group(HintOptions)
    charter: CharterOptions = group(CharterOptions)
    fleet: FleetOptions = group(FleetOptions)


class Run:
    """A guarded session from the command line to its end, in this order: `known`, `open`, `finish`.

    Args:
        options: what was given.
        output: how it is shown.
        stack: closes the session.

    Attributes:
        user: who is asked.
        answering: the program that answers for the user; None: none does.
        known: the recorded session that goes on; None: it is a new one.
        program: the program of the session.

    Raises:
        Failure: something cannot be used.
        Unusable: the spec has errors.
    """

    def __init__(self, options: GuardingOptions, output: Output, stack: ExitStack) -> None:
        self._options, self._output, self._stack = options, output, stack
        # before anything is started that could inherit it
        self.answering: AnsweringProgram | None = answering_program(options.on_confirm)
        self._link = options.fleet.link(asks=options.on_confirm == "fleet")
        if self._link is not None:
            stack.callback(self._link.close)  # after the session: its end is sent, too
            self.answering = self._link.answering or self.answering
        if self.answering is not None:
            stack.callback(self.answering.close)
            self.user = User(self.answering.ask, self.answering.ask)
        else:
            self.user = User(*ways(options.on_confirm, output.format))
        options.hints.check()
        self._memory = options.memory.memory()
        self._loaded: Loaded | None = None
        self.known: Session | None = None
        if options.spec is not None:
            sessions.redact_early(options.spec, options.session)
            self._loaded = sessions.load_spec(options.spec, options.session, "an agent is run under a spec")
            self.program: Program = self._loaded.checked()
        elif options.resume is None:
            if options.on_confirm == "fleet":
                raise Failure(
                    "a charter is agreed to before there is a session that a fleet server could show",
                    "agree to it on a terminal: --on-confirm ask",
                )
            sessions.redact_early(str(options.charter.place), options.session)
            charter = agreed_charter(
                options.charter, options.session, self.answering, output, judged=options.judge is not None
            )
            self._loaded = charter.loaded
            self._options = replace(options, session=charter.options)
            self.program = self._loaded.checked()
        else:
            self.known = read_session(options.resume)
            if not (options.device or self.known.header.get("device")):
                raise Failure(f"{options.resume} does not say which device it was", "name it with --device")
            self.program = recorded_program(self.known).checked()
        self._consult: Consultation | None = consultation(
            options.judge, charter=options.spec is None and options.resume is None
        )
        self._unknown = unknown_controls(options.effects, self.program)
        self._session: GuardedSession | None = None
        self._ends: list[Callable[[], None]] = []

    @property
    def session(self) -> GuardedSession:
        """The open session."""
        assert self._session is not None
        return self._session

    @property
    def opened(self) -> bool:
        """Whether the session is open."""
        return self._session is not None

    @property
    def language(self) -> str:
        """In which language reasons are said."""
        return self._options.session.language or self.session.language

    def open(self, *, err: bool = True, own_map: bool = False) -> GuardedSession:
        """Open the session, or continue it.

        Args:
            err: whether what is in force is said on standard error.
            own_map: whether the agent is led along the map of the task's own app modules, if no other is named.
        """
        options = self._options
        hints = options.hints.hints(self.program, machine=self._output.machine)
        if hints is None and own_map:
            from vsalang.tools.cli.hinting import hints_of_program  # maps: only where hints are asked for

            hints = hints_of_program(self.program)
        chosen = sessions.begun(
            options.session,
            certificates=options.certificates,
            ask=self.user.put,
            listener=saying(self._output.format, err=err),
            consult=self._consult,
            answers=self._unknown,
            hints=hints,
        )
        if self._loaded is not None:
            opened = open_guarded(self._loaded, options.device, chosen)
        else:
            assert options.resume is not None
            opened = resume_guarded(options.resume, options.device, chosen)
        self._session = session = self._stack.enter_context(opened)
        if self.answering is not None:
            self.answering.limit = session.guard.settings.ask_timeout.total_seconds()
            session.recorder.answered_by(self.answering.about)
        if self._link is not None:
            if self._link.answering is not None:  # what the journal hides, the server does not get otherwise
                self._link.answering.redactor = session.journal.redactor
            self._link.begin(session.journal.path, self._ended)
        return session

    def when_ended(self, end: Callable[[], None]) -> None:
        """Have something called, too, if the fleet server ends the session."""
        self._ends.append(end)

    def _ended(self, why: str) -> None:
        """The fleet server ends the session: from now on everything is blocked."""
        self.session.guard.close()
        echo(f"The fleet server ends the session: {line(why, 400)}", err=True)
        for end in self._ends:
            end()

    def finish(self, status: int) -> None:
        """Say and keep what is left of a session that is over."""
        told_of(self.session.memory)
        if self._consult is not None:
            self._consult.summarize()
        if self._unknown is not None:
            self._unknown.summarize()
        self._options.hints.write(self.session.hints)
        spec = self._options.spec or self._options.charter.keep
        if spec is not None:
            keep_spec(self._memory, str(spec), self.session.journal.path, status)
