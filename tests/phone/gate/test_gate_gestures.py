"""What a rule forbids of one gesture never shows on the phone, whatever touches and keys the agent makes instead.

An agent that makes touches and keys at random, by adb and by uiautomator2, meets a rule that forbids one gesture on one
node. Whatever it tries, the phone never shows what that gesture does there.
"""

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.phone.gate.live import SERIAL, Live, live, short_pauses
from tests.thorough import times

adbutils = pytest.importorskip("adbutils")
u2 = pytest.importorskip("uiautomator2")

PACKAGE = "org.example.names"
PHONE = """
[phone]
clock = 2030-01-02T03:04:05
[[app]]
package = "org.example.names"
label = "Names"
start = "page"
[app.state]
tapped = 0
held = 0
doubled = 0
sent = 0
note = ""
[[app.screen]]
name = "page"
template = "page.xml"
[[app.on]]
event = "tapped"
set = { tapped = "tapped + 1" }
[[app.on]]
event = "held"
set = { held = "held + 1" }
[[app.on]]
event = "doubled"
set = { doubled = "doubled + 1" }
[[app.on]]
event = "sent"
set = { sent = "sent + 1" }
[[app.on]]
event = "back"
goto = "page"
"""
PAGE = """
<column width="fill" height="fill" align="fill">
  <button id="photo" text="Photo" tap="tapped" long="held" double="doubled" height="90"/>
  <button id="other" text="Other" tap="other" height="60"/>
  <edit id="note" text="{{ note }}" bind="note" enter="sent" hint="A note"/>
  <list id="rows" width="fill" weight="1" height="fill" align="fill">
    {% for n in range(40) %}<text text="Row {{ n }}"/>{% endfor %}
  </list>
</column>
"""
APP = f'app names package "{PACKAGE}" "Names"\nview Seen "Seen" {{ on: Bool }}\n'


@dataclass(frozen=True)
class Effects:
    """What the phone shows of the gestures that were made."""

    tapped: int
    held: int
    doubled: int
    sent: int
    note: str
    offset: int


def effects(found: Live) -> Effects:
    phone = found.device.phone
    with phone.changed:
        state = phone._apps[PACKAGE].state
        offset = max(phone._offsets.values(), default=0)
        return Effects(*(state[name] for name in ("tapped", "held", "doubled", "sent", "note")), offset)


RULES: dict[str, Callable[[Effects, Effects], bool]] = {
    'tap(id = "photo")': lambda old, new: new.tapped > old.tapped,
    'double_tap(id = "photo")': lambda old, new: new.doubled > old.doubled,
    'long_press(id = "photo")': lambda old, new: new.held > old.held,
    "swipe(direction = up)": lambda old, new: new.offset > old.offset,
    "scroll(direction = down)": lambda old, new: new.offset > old.offset,
    'scroll(direction = up, id = "rows")': lambda old, new: new.offset < old.offset,
    'press_key(key = "ENTER")': lambda old, new: new.sent > old.sent,
    'input_text(id = "note", value contains "ab")': lambda old, new: (
        "ab" in new.note and "ab" not in old.note
    ),
    'clear_text(id = "note")': lambda old, new: bool(old.note) and not new.note,
}
"""Rule -> whether the phone shows what it forbids, between two moments."""


def selector(name: str) -> dict[str, object]:
    found = {"mask": 0x200000, "childOrSibling": [], "childOrSiblingSelector": []}
    return {**found, "resourceId": f"{PACKAGE}:id/{name}"}


class Agent:
    """Makes touches and keys at random, by every channel."""

    def __init__(self, found: Live, chance: random.Random) -> None:
        self.chance = chance
        self.found = found
        self.device = adbutils.AdbClient("127.0.0.1", found.port).device(serial=SERIAL)
        self.u2 = u2.connect(self.device)
        self.said: list[str] = []

    def _place(self, name: str = "") -> tuple[int, int]:
        phone = self.found.device.phone
        names = ["photo", "photo", "other", "note", "rows", "a", "b", "Delete", "Enter", "x"]
        with contextlib.suppress(LookupError):
            left, top, right, bottom = phone.find(name or self.chance.choice(names)).seen or (0, 0, 9, 9)
            return self.chance.randrange(left, right), self.chance.randrange(top, bottom)
        return self.chance.randrange(720), self.chance.randrange(1400)

    def _near(self, place: tuple[int, int]) -> tuple[int, int]:
        if self.chance.random() < 0.4:
            return place
        most = self.chance.choice([6, 30, 60, 400])
        return tuple(max(0, each + self.chance.randint(-most, most)) for each in place)  # type: ignore[return-value]

    def _shell(self, line: str) -> None:
        self.said.append(line)
        self.device.shell(line)

    def _rpc(self, method: str, *params: Any) -> None:
        self.said.append(f"{method}{params}")
        self.u2.jsonrpc_call(method, list(params), 20)

    def step(self) -> None:
        """One request; what is refused is refused."""
        with contextlib.suppress(adbutils.AdbError, u2.BaseException):
            self.chance.choice(
                [self._touch, self._touch, self._move, self._type, self._by_node, self._finger]
            )()

    def _touch(self) -> None:
        x, y = self._place()
        tap = self.chance.choice(
            [f"input tap {x} {y}", f"input swipe {x} {y} {x} {y} {self.chance.choice([50, 900])}"]
        )
        if self.chance.random() < 0.3:
            self._rpc("click", x, y, *self.chance.choice([[], [700]]))
        elif self.chance.random() < 0.4:
            self._shell(f"{tap} && {tap}")
        else:
            self._shell(tap)

    def _move(self) -> None:
        place = self._place(self.chance.choice(["rows", "rows", ""]))
        end = self._near(place)
        held = self.chance.choice([60, 300, 2000])
        kind = self.chance.randrange(4)
        if kind == 0:
            self._shell(f"input swipe {place[0]} {place[1]} {end[0]} {end[1]} {held}")
        elif kind == 1:
            self._rpc("swipe", *place, *end, max(1, held // 5))
        elif kind == 2:
            self._rpc("swipePoints", [*place, *self._near(place), *end], max(1, held // 10))
        else:
            self._shell(f"input draganddrop {place[0]} {place[1]} {end[0]} {end[1]} {held}")

    def _finger(self) -> None:
        """Down, moves and up, each by a channel of its own."""
        place = self._place()
        way = [("DOWN", place), *(("MOVE", self._near(place)) for _ in range(self.chance.randrange(3)))]
        for kind, at in [*way, ("UP", self._near(place))]:
            if self.chance.random() < 0.5:
                self._shell(f"input motionevent {kind} {at[0]} {at[1]}")
            else:
                self._rpc("injectInputEvent", ["DOWN", "UP", "MOVE"].index(kind), *at, 0)
            if self.chance.random() < 0.2:
                self._shell("sleep 1")

    def _type(self) -> None:
        if self.chance.random() < 0.4:
            self._shell(f"input tap {' '.join(map(str, self._place('note')))}")
        keys = ["A", "B", "ENTER", "NUMPAD_ENTER", "DPAD_CENTER", "DEL", "SPACE", "SEARCH", "TAB"]
        kind = self.chance.randrange(5)
        if kind == 0:
            self._shell(f"input text {self.chance.choice(['a', 'b', 'ab', 'xa', 'bx'])}")
        elif kind == 1:
            self._shell(f"input keyevent {' '.join(self.chance.choices(keys, k=self.chance.choice([1, 2])))}")
        elif kind == 2:
            self._rpc("pressKey", self.chance.choice(["enter", "center", "delete", "search"]))
        elif kind == 3:
            self._rpc("pressKeyCode", self.chance.choice([66, 160, 23, 67, 29, 30]))
        else:
            self._shell(
                "input tap {} {}".format(*self._place(self.chance.choice(["a", "b", "Delete", "Enter"])))
            )

    def _by_node(self) -> None:
        name = self.chance.choice(["photo", "note", "rows"])
        calls: list[tuple[Any, ...]] = [
            ("click", selector(name)),
            ("longClick", selector(name)),
            ("setText", selector("note"), self.chance.choice(["a", "ab", ""])),
            ("clearTextField", selector("note")),
            ("swipe", selector("rows"), self.chance.choice(["up", "down"]), 20),
            ("scrollForward", selector("rows"), True, 20),
            ("flingBackward", selector("rows"), True),
            ("scrollToEnd", selector("rows"), True, 3, 20),
        ]
        self._rpc(*self.chance.choice(calls))


@contextlib.contextmanager
def forbidding(rule: str, folder: Path) -> Iterator[Live]:
    (folder / "phone").mkdir()
    (folder / "phone" / "phone.toml").write_text(PHONE)
    (folder / "phone" / "page.xml").write_text(PAGE)
    (folder / "names.vsa").write_text(APP)
    spec = folder / "s.vsa"
    spec.write_text(f'spec s "Look"\nimport names\ndeny "no" when {rule}.\ndone when Seen(on = true).\n')
    phone = str(folder / "phone")
    with short_pauses(), live(spec, phone=phone, package=PACKAGE, unknown_screen="allow") as found:
        yield found


def attempt(rule: str, folder: Path, seed: int, sequences: int, length: int) -> set[str]:
    """Let agents loose; which of the effects the phone showed."""
    shows = RULES[rule]
    seen: set[str] = set()
    with forbidding(rule, folder) as found:
        phone = found.device.phone
        begun = phone.saved()
        for number in range(sequences):
            phone.restore(begun)
            found.gate.finger.lift()
            agent = Agent(found, random.Random(seed + number))
            before = effects(found)
            for _ in range(length):
                agent.step()
                now = effects(found)
                assert not shows(before, now), (rule, seed + number, agent.said, before, now)
                seen |= {other for other, other_shows in RULES.items() if other_shows(before, now)}
                before = now
    return seen


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", list(RULES))
def test_what_is_forbidden_never_shows(rule: str, tmp_path: Path) -> None:
    attempt(rule, tmp_path, 1, 1, 14)


@pytest.mark.soak
def test_the_agents_find_every_gesture_that_is_not_forbidden(tmp_path: Path) -> None:
    found: set[str] = set()
    for number, rule in enumerate(RULES):
        (tmp_path / str(number)).mkdir()
        found |= attempt(rule, tmp_path / str(number), 100 * number, times(1, 3), 30)
    assert found == set(RULES)
