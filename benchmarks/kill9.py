"""Kills guards at random moments and resumes them: nothing committed may be forgotten, nothing may be done twice.

    .venv/bin/python benchmarks/kill9.py [--kills 300] [--seed 1]

A child process walks an agent that wants to pay every item of a list, twice, in any order, through a guard that may pay
each once; it is killed (SIGKILL) at a random moment, also while it is resuming and in the middle of a line of the
journal, and the next child resumes the session. The device keeps a log of its own of what reached it; deliveries fail
now and then, surely or perhaps. After each death the log and the journal are compared.
"""

import argparse
import collections
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from vsalang.guard import Guard, NotAllowed
from vsalang.guard.journal import Journal, Recorder, Session, read_session, resume
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.vocabulary import VOCABULARY

ITEMS = 60
DEATHS = 12
"""So many guards of one session die at most."""
APP = """app shop package "com.shop" "A shop"
screen Home "The bill" when Node(id = "pay").
action Pay(item: Text "what") "Pay an item"
recognize Pay(item = ?t) when tap(id = "pay", text = ?t).
"""
SPEC = """spec pay "Pay every item, once."
import shop
allow each Pay(item = ?t).
done when Pay earlier.
"""


class Phone:
    """Shows the list, whatever was paid, and writes down what reaches it."""

    def __init__(self, log: Path, chance: random.Random) -> None:
        self.log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.chance = chance
        self.screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"})
        for number in range(1, ITEMS + 1):
            cells = {"node": number, "id": "pay", "text": f"item {number}", "package": "com.shop"}
            self.screen = self.screen.seen(VOCABULARY["Node"], cells)

    def pay(self, number: int) -> bool | None:
        """Whether it arrived: yes, certainly not, nobody knows."""
        if self.chance.random() < 0.1:
            return False
        _WRITE(self.log, f"item {number}\n".encode())
        return None if self.chance.random() < 0.1 else True


def walk(program: Program, folder: Path, seed: int, begun: int) -> None:
    """What a child does until it is killed: begin or resume the session, and try to pay everything twice.

    Args:
        begun: a pipe that is written to when the guard stands.
    """
    chance = random.Random(seed)
    phone = Phone(folder / "device.log", chance)
    path = folder / "session.jsonl"
    if path.exists() and path.read_bytes().count(b"\n"):
        resumed = resume(path, program=program)
        guard, recorder = resumed.guard, resumed.recorder
    else:
        path.unlink(missing_ok=True)  # it died before it wrote a line: there is no session yet
        recorder = Recorder(Journal(path))
        guard = Guard(program, recorder=recorder)
    guard.observe(phone.screen)
    _WRITE(begun, b"!")
    wanted = [*range(1, ITEMS + 1), *range(1, ITEMS + 1)]
    chance.shuffle(wanted)
    for number in wanted:
        verdict = guard.propose(Action("tap", {"node": number}))
        try:
            guard.commit(verdict, screen=phone.screen)
        except NotAllowed:
            continue
        delivered = phone.pay(number)
        recorder.delivered(delivered)
        guard.observe(phone.screen, delivered)
    recorder.end(completed=True)


_WRITE = os.write


def _in_pieces(fd: int, data: bytes | memoryview) -> int:
    """Like `os.write` on a bad day: a piece at a time, so that a death leaves half a line."""
    time.sleep(0.0005)
    return _WRITE(fd, bytes(data[: random.randint(1, 400)]))


def check(folder: Path) -> tuple[Session | None, str]:
    """Compare the journal with the device's log; what is wrong, if anything."""
    log = folder / "device.log"
    reached = collections.Counter(log.read_text().splitlines() if log.exists() else ())
    path = folder / "session.jsonl"
    if not path.exists() or not path.read_bytes().count(b"\n"):
        return None, "something reached the device before there was a session" if reached else ""
    session = read_session(path)
    committed: collections.Counter[str] = collections.Counter()
    for step in session.steps:
        if step.commit and step.delivered is not False:
            committed[f"item {step.proposal['gesture']['args']['node']}"] += 1
    twice = [
        item for item, times in (reached + committed).items() if reached[item] > 1 or committed[item] > 1
    ]
    unknown = [item for item in reached if not committed[item]]
    if twice:
        return session, f"done twice: {', '.join(twice)}"
    return session, f"reached the device and is forgotten: {', '.join(unknown)}" if unknown else ""


def forgotten(program: Program, folder: Path, session: Session) -> str:
    """What the guard that resumes does not know to be done, or knows without reason."""
    # a name of its own each time: the head of a journal is kept by its name
    copy = folder / f"copy-{len(list(folder.iterdir()))}.jsonl"
    copy.write_bytes((folder / "session.jsonl").read_bytes())
    with resume(copy, program=program, sync="none", head=session.head) as resumed:
        resumed.guard.observe(None)
        known = {str(grant.row[0]) for grant, _ in resumed.guard.snapshot.commits}
    wanted = {
        f"item {step.proposal['gesture']['args']['node']}"
        for step in session.steps
        if step.commit and step.delivered is not False
    }
    return (
        f"the guard forgot {sorted(wanted - known)} or made up {sorted(known - wanted)}"
        if wanted != known
        else ""
    )


def main() -> None:
    """Kill, compare, resume, as often as asked; exits with 1 at the first thing that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    kills = sessions = torn = done = 0
    where: collections.Counter[str] = collections.Counter()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "shop.vsa").write_text(APP)
        program = load_text(SPEC, path=Path(root) / "pay.vsa").program
        assert program is not None
        while kills < options.kills:
            sessions += 1
            folder = Path(root) / f"{sessions}"
            folder.mkdir()
            for _ in range(DEATHS):
                seed = chance.randrange(1 << 30)
                listens, begun_end = os.pipe()
                child = os.fork()
                if child == 0:
                    os.write = _in_pieces  # type: ignore[assignment]
                    status = 1
                    try:
                        random.seed(kills)
                        walk(program, folder, seed, begun_end)
                        status = 0
                    except BaseException as error:
                        print(f"{type(error).__name__}: {error}", file=sys.stderr)
                    finally:
                        os._exit(status)
                os.close(begun_end)
                if chance.random() < 0.75:
                    os.read(listens, 1)  # else it may die while it opens or resumes the session
                time.sleep(0.01 + chance.random() ** 2 * 0.3)
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
                os.close(listens)
                if os.WIFEXITED(status) and os.WEXITSTATUS(status):
                    sys.exit(f"a guard failed after {kills} kills")
                killed = os.WIFSIGNALED(status)
                kills += killed
                session, wrong = check(folder)
                if session is not None:
                    wrong = wrong or forgotten(program, folder, session)
                    torn += bool(session.torn)
                    where[session.records[-1].kind] += killed
                if wrong:
                    sys.exit(f"after {kills} kills: {wrong}\n{(folder / 'session.jsonl').read_text()}")
                if not killed:
                    done += 1
                    break
    print(
        f"{kills} kills in {sessions} sessions, {done} of them finished, {time.monotonic() - begun:.0f} s: "
        "nothing forgotten, nothing done twice"
    )
    print(f"torn lines: {torn}; last record when killed: {dict(where.most_common())}")


if __name__ == "__main__":
    main()
