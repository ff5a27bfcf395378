"""The classes of requests: reads, actions to be judged, refused requests, streams to be inspected."""

from dataclasses import field
from typing import Final, Literal

from vsalang.base.records import dataclass
from vsalang.phone.vocabulary.adb import KEEP, DeviceFacts
from vsalang.program.action import Action


@dataclass(frozen=True, slots=True)
class Pass:
    """It changes nothing that a rule could depend on: send it on.

    Attributes:
        command: for shell commands: the line to be run, written so that every shell reads it the same way.
        body: for requests over HTTP: the body to be sent instead of the one that arrived, written so that every reader
            reads it the same way; empty: none is sent.
    """

    command: str = ""
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Part:
    """One command of a line.

    Attributes:
        command: the command, written so that every shell reads it the same way; ``$?`` is the exit status before it.
        link: how it follows the one before: "" (the first), ";", "&&" or "||".
        actions: every action that it may be, to be judged on one screen; all must be allowed. Empty: it reads.
    """

    command: str
    link: str = ""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Actions:
    """It acts: judge the actions of each part on the screen after the part before it, then send the part on.

    Attributes:
        parts: in order. A request that is not a command line has one, with an empty command.
        body: as `Pass.body`.
    """

    parts: tuple[Part, ...]
    body: bytes = b""

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(action for part in self.parts for action in part.actions)

    @property
    def single(self) -> bool:
        """Whether only one part acts, so that the line can be sent on as a whole."""
        return sum(bool(part.actions) for part in self.parts) == 1

    @property
    def command(self) -> str:
        """The whole line, written so that every shell reads it the same way."""
        command_line = ""
        for part in self.parts:
            command_line += {"": "", ";": "; "}.get(part.link, f" {part.link} ") + part.command
        return command_line


@dataclass(frozen=True, slots=True)
class Refuse:
    """It is never sent on, whatever the policy allows.

    Attributes:
        reason: why, for the developer of the agent; it names the request.
    """

    reason: str


Protocol = Literal["sync", "uiautomator2", "portal"]


@dataclass(frozen=True, slots=True)
class Inspect:
    """Opening the stream does nothing, but requests on it may act: classify each of them.

    Attributes:
        protocol: ``sync`` (`classify_sync`), ``uiautomator2`` and ``portal`` (`classify_http`).
    """

    protocol: Protocol


Class = Pass | Actions | Refuse | Inspect


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the user and the guard know of the phone; the default knows nothing.

    Attributes:
        services: services that the user allows as a whole, such as ``tcp:8080``. Their content is not inspected.
        rpc_port: where uiautomator2's server listens.
        portal_port: where the helper app of mobilerun listens; None if it is not to be reached.
        jars: files on the phone that the guard has compared with uiautomator2's own program: they may be started.
        known: see `DeviceFacts`.
    """

    services: frozenset[str] = frozenset()
    rpc_port: int = 9008
    portal_port: int | None = None
    jars: frozenset[str] = frozenset()
    known: DeviceFacts = field(default=KEEP)


NOTHING: Final = Allowance()
