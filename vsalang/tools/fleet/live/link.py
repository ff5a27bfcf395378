"""The link between one guarded session and a fleet server: a process of its own, started by the session.

It reads the journal that the guard writes, and sends its lines. So nothing that it does, and nothing that the server
does, can slow a decision or change one: the guard does not wait for it. The journal is the spool: what could not be
sent stays there, and the folder of the spool says of which journals something is left (`spool`).

Two sockets join it to the guard. Over one the guard asks, as it asks any program (`vsalang.guard.user.answering`); over
the other the guard says when the session is over, and hears that the server ends it::

    guard   {"kind": "start", "url": .., "token_file": .., "journal": .., "spool": ..}
    guard   {"kind": "over"}
    link    {"kind": "end", "why": ".."}
    link    {"kind": "note", "text": ".."}
"""

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from vsalang.tools.fleet.live.client import Client, ServerAway, ServerRefused, read_token
from vsalang.tools.fleet.live.sending import Sender
from vsalang.tools.fleet.live.spool import Spool

TICK: Final = 0.05
"""Seconds between two looks at the journal."""
BEAT: Final = 5.0
"""Seconds after which the server is asked whether it ends the session, if there was nothing to send."""
LAST: Final = 5.0
"""So many seconds the link goes on trying to send after the session is over."""


class Lines:
    """JSON lines over a socket, in both directions."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._file = end.makefile("rb")
        self._one = threading.Lock()

    def read(self) -> dict[str, Any] | None:
        """The next message; None: the other end has gone."""
        try:
            data = json.loads(self._file.readline() or b"null")
        except (OSError, ValueError):
            return None
        return data if isinstance(data, dict) else None

    def close(self) -> None:
        """Tell the other end, by the end of the stream, that nothing more comes."""
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)

    def write(self, message: Mapping[str, Any]) -> None:
        """Send a message, if somebody still reads."""
        with self._one, suppress(OSError):
            self._end.sendall(json.dumps(message).encode() + b"\n")


class Link:
    """The link of one session.

    Args:
        control: joins it to the guard.
        questions: over which the guard asks; None: it does not ask the server.
        start: the first message of the guard.
    """

    def __init__(self, control: Lines, questions: Lines | None, start: Mapping[str, str]) -> None:
        self._control, self._questions = control, questions
        self._url, self._token = start["url"], read_token(Path(start["token_file"]))
        self.spool = Spool(Path(start["spool"]))
        self._place = self.spool.add(start["url"], start["token_file"], Path(start["journal"]))
        self.sender = Sender(Client(self._url, self._token), Path(start["journal"]))
        self._over = threading.Event()
        self._hurry = threading.Event()
        self._ending = ""
        self._problem = ""

    def run(self) -> None:
        """Send until the session is over and all of it is sent, or the time for that is over."""
        threading.Thread(target=self._listen, daemon=True).start()
        if self._questions is not None:
            threading.Thread(target=self._answer, args=(self._questions,), daemon=True).start()
        until = float("inf")
        beat = wait = 0.0
        while True:
            if self._over.is_set() and until == float("inf"):
                until = time.monotonic() + LAST
            now = time.monotonic()
            if now >= wait:
                try:
                    if not self.sender.step():
                        beat = now + BEAT
                    elif now >= beat or self._hurry.is_set():
                        self._hurry.clear()
                        self.sender.beat()
                        beat = now + BEAT
                    self._say("")
                    self._hear(self.sender.ending)
                    if until < float("inf") and self.sender.done:
                        self.spool.remove(self._place)
                        return
                except ServerAway as error:
                    self._say(str(error))
                    if self._over.is_set():
                        return  # nobody waits for a server that is away: the spool says what is left
                    wait = time.monotonic() + self.sender.pause()
                except ServerRefused as error:
                    self._say(str(error))
                    if error.final:
                        self.spool.keep(self._place, str(error))
                        self._over.wait()
                    if self._over.is_set():
                        return
                    wait = time.monotonic() + self.sender.pause()
            if time.monotonic() >= until:
                return  # the spool says what is left
            self._over.wait(TICK) if until == float("inf") else time.sleep(TICK)

    # ------------------------------------------------------------------ the guard

    def _listen(self) -> None:
        while (message := self._control.read()) is not None:
            if message.get("kind") == "over":
                break
        self._over.set()  # also if the guard was killed

    def _hear(self, why: str) -> None:
        if why and why != self._ending:
            self._ending = why
            if self._questions is not None:
                self._questions.close()  # nobody is asked any more
            self._control.write({"kind": "end", "why": why})

    def _say(self, problem: str) -> None:
        """Tell the guard's user of a problem once, and when it is gone."""
        if problem == self._problem:
            return
        text = problem if problem else "the fleet server is reached again"
        self._problem = problem
        self._control.write({"kind": "note", "text": text})

    # ------------------------------------------------------------------ questions

    def _answer(self, questions: Lines) -> None:
        """Have the guard's questions answered, one after the other; one that it does not wait for any more is over."""
        asking: _Question | None = None
        while (message := questions.read()) is not None:
            kind = message.get("kind")
            if asking is not None and kind in ("question", "result"):
                self._withdraw(asking)
                asking = None
            if kind == "question":
                asking = _Question(message)
                work = (Client(self._url, self._token), asking, questions.write)
                threading.Thread(target=self._put, args=work, daemon=True).start()

    def _withdraw(self, question: "_Question") -> None:
        """The guard does not wait for a question: tell the server, if it may still show it."""
        if question.over.is_set():
            return
        question.over.set()
        with suppress(ServerAway, ServerRefused):
            about = {"question": question.document["hash"]}
            Client(self._url, self._token).post(f"/v1/withdraw/{self.sender.session}", about)

    def _put(self, client: Client, asked: "_Question", answer: Callable[[Mapping[str, str]], None]) -> None:
        """Have a question answered: only by the server, only in time. No answer is a no on the guard's side."""
        try:
            self._ask(client, asked, answer)
        finally:
            asked.over.set()
            client.close()

    def _ask(self, client: Client, asked: "_Question", answer: Callable[[Mapping[str, str]], None]) -> None:
        question = asked.document
        until = time.monotonic() + float(question["seconds"])
        size = self.sender.size
        while not asked.over.is_set() and (left := until - time.monotonic()) > 0:
            if self.sender.sent < size:
                time.sleep(TICK)  # the screen that is asked about comes first
                continue
            try:
                data = client.post(
                    f"/v1/ask/{self.sender.session}", {"question": question, "left": left}, timeout=left
                )
            except ServerAway:
                time.sleep(min(0.5, max(0.0, until - time.monotonic())))
                continue
            except ServerRefused as error:
                self._say(f"the question was refused: {error}")
                return
            if asked.over.is_set():
                return
            if data.get("hash") == question["hash"] and data.get("answer") in ("yes", "no"):
                answer({"hash": question["hash"], "answer": data["answer"]})
                return
            if data.get("answer"):
                self._hurry.set()  # the session may be ended
                return


class _Question:
    """A question that the guard waits for, until it is over."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.over = threading.Event()


def main(arguments: list[str]) -> None:
    """Run the link: the numbers of the descriptors of its sockets are its arguments."""
    os.nice(5)  # what decides comes first
    ends = [socket.socket(fileno=int(number)) for number in arguments]
    control = Lines(ends[0])
    start = control.read()
    if start is not None:
        try:
            Link(control, Lines(ends[1]) if len(ends) > 1 else None, start).run()
        except Exception as error:  # nobody reads the standard error of this process
            control.write({"kind": "note", "text": f"the journal is not sent any more: {error!s:.300}"})


if __name__ == "__main__":
    main(sys.argv[1:])
