"""Which app an install is of: the guard reads the manifest before the phone gets the app, or runs the command.

``cmd package install -S SIZE`` takes the app from standard input and names no package; ``pm install FILE`` takes a file
that was pushed before. The bytes of a stream are held back until the install is judged, and sent on as they are.
"""

import contextlib
import re
import struct
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Final

from vsalang.base.records import dataclass
from vsalang.phone.apk import NoApk, read_manifest
from vsalang.phone.classify import Actions, Part
from vsalang.phone.errors import DeviceError
from vsalang.phone.gate import packets
from vsalang.phone.gate.carrying import Source
from vsalang.phone.gate.gate import Gate
from vsalang.phone.gate.phone import SILENCE, Phone
from vsalang.phone.vocabulary import sh
from vsalang.phone.wire import EndOfStream, ServiceRefused
from vsalang.program.action import Action

MOST_APP: Final = 1 << 30
"""Bytes of an app that is held back; a larger one is refused."""
_IN_MEMORY: Final = 8 << 20
_WAIT: Final = 60.0
"""How many seconds an install waits for another one whose app arrives."""
_PIECE: Final = 256 << 10
_ALONE: Final = re.compile(
    r"-[rtdgRfslk]+|--(?:instant|full|preload|dont-kill|force-queryable|bypass-low-target-sdk-block|restrict-permissions"
    r"|ephemeral|fastdeploy|skip-verification|no-streaming|streaming)",
    re.ASCII,
)
"""Options that say how the app is installed, not which."""
_VALUED: Final = {
    "--user": r"\d{1,4}|current|all", "-i": r"[\w.]+", "--abi": r"[\w-]+", "--install-location": r"\d",
    "--install-reason": r"\d", "--originating-uri": r"\S+", "--referrer": r"\S+", "--package-source": r"\d",
}  # fmt: skip
_PUSHED: Final = re.compile(r"/data/local/tmp(?:/[\w.+@ -]+)+", re.ASCII)
"""Files that only clients of adb write, and so only through the guard."""


@dataclass(frozen=True, slots=True)
class Install:
    """An install of one app.

    Attributes:
        size: how many bytes of standard input the app has; 0: it is a file.
        file: where on the phone the app lies; empty: it comes from standard input.
    """

    size: int = 0
    file: str = ""


def install_of(part: Part) -> Install | None:
    """The install that a command is; None: it is not one, or which app it is cannot be read."""
    if [each.name for each in part.actions] != ["install"]:
        return None
    commands = sh.parse(part.command)
    words = commands[0].words
    if len(commands) != 1 or commands[0].variables or words[:2] != ("pm", "install"):
        return None
    size, files, at = 0, list[str](), 2
    while at < len(words):
        word = words[at]
        value = words[at + 1] if at + 1 < len(words) else ""
        if word == "-S" and not size and re.fullmatch(r"[1-9]\d{0,12}", value, re.ASCII):
            size, at = int(value), at + 2
        elif word in _VALUED and re.fullmatch(_VALUED[word], value, re.ASCII):
            at += 2
        elif _ALONE.fullmatch(word):
            at += 1
        elif not word.startswith("-") or word == "-":
            files.append(word)
            at += 1
        else:
            return None
    if size and files in ([], ["-"]):
        return Install(size=size)
    plain = len(files) == 1 and _PUSHED.fullmatch(files[0]) and ".." not in files[0].split("/")
    return Install(file=files[0]) if plain and not size else None


def named(part: Part, package: str) -> tuple[Action, ...]:
    """The actions of an install, with the package."""
    return tuple(Action(each.name, {**each.args, "package": package}) for each in part.actions)


class Uploads:
    """Holds the apps that an agent sends, one at a time.

    Args:
        gate: is told what is refused.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._lock = threading.Lock()

    def taken(
        self, context: contextlib.ExitStack, typed: Iterator[bytes], request: Actions
    ) -> tuple[IO[bytes], Actions] | None:
        """Hold the app that a request sends, and name it.

        Args:
            context: the app is held while it lasts.
            typed: the agent's standard input.
            request: as it is classified.

        Returns:
            The app, and the request with its package; None: the request sends none.

        Raises:
            ActionRefused: what it sends is not an app.
        """
        (part, *others) = request.parts
        install = install_of(part)
        if others or install is None or not install.size:
            return None
        try:
            file = context.enter_context(self._held(typed, install.size))
            package = read_manifest(file).package
        except NoApk as error:
            raise self._gate.refuse(part.command, f"which app it is cannot be read: {error}") from error
        return file, replace(request, parts=(replace(part, actions=named(part, package)),))

    @contextlib.contextmanager
    def _held(self, typed: Iterator[bytes], size: int) -> Iterator[IO[bytes]]:
        """Take `size` bytes of standard input, and hold them while the context lasts.

        Raises:
            NoApk: they are too many, they end early, or another app arrives for too long.
        """
        if size > MOST_APP:
            raise NoApk(f"it has more than {MOST_APP >> 20} MiB")
        if not self._lock.acquire(timeout=_WAIT):
            raise NoApk("another app is sent at the same time")
        try:
            with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
                left = size
                while left and (piece := next(typed, b"")):
                    file.write(piece[:left])
                    left -= len(piece[:left])
                if left:
                    raise NoApk(f"its last {left} bytes did not arrive")
                yield file
        finally:
            self._lock.release()


def package_of(phone: Phone, path: str) -> str:
    """The package of an app that lies on the phone.

    Call it while the gate is locked: otherwise another request could write the file before it is installed.

    Raises:
        NoApk: it cannot be read, or is not an app.
    """
    try:
        with (
            contextlib.closing(phone.open("sync:")) as far,
            tempfile.SpooledTemporaryFile(_IN_MEMORY) as file,
        ):
            far.set_timeout(SILENCE)
            name = path.encode()
            far.write(struct.pack("<4sI", b"RECV", len(name)) + name)
            left = MOST_APP
            while True:
                identity, length = struct.unpack("<4sI", far.read_exactly(8))
                if identity == b"DONE":
                    break
                if identity != b"DATA" or length > min(left, 64 << 10):
                    raise NoApk("the phone does not hand it out")
                file.write(far.read_exactly(length))
                left -= length
            far.write(struct.pack("<4sI", b"QUIT", 0))
            return read_manifest(file).package
    except (DeviceError, ServiceRefused, EndOfStream, ValueError) as error:
        raise error if isinstance(error, NoApk) else NoApk(f"it cannot be read: {error}") from error


class HeldInput:
    """Standard input that was held back, for the command (`vsalang.phone.gate.carrying.Source`).

    What the agent sends after it is thrown away; its end is passed on.

    Args:
        file: the bytes.
        near: the agent's end.
        second: whether the shell is of the second protocol.
    """

    def __init__(self, file: IO[bytes], near: Source, *, second: bool) -> None:
        file.seek(0)
        self._file = file
        self._near = near
        self._second = second

    def read(self, most: int) -> bytes:
        if data := self._file.read(min(most, _PIECE)):
            return packets.packet(packets.STDIN, data) if self._second else data
        while self._near.read(most):
            pass
        return b""
