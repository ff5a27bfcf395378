"""Decides when the faults of a scenario happen: by counting, or by random numbers from a seed.

Each fault counts its own occasions, and each random number is a function of the seed, the fault and the number of the
occasion: one more observation by a client, or one more fault in the scenario, changes no other random number.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from vsalang.base.records import dataclass
from vsalang.phone.sim.rule import Rule
from vsalang.phone.sim.scenario import FAULTS, Fault, Scenario, Surprise, When
from vsalang.phone.sim.widgets import Widget


class ServerDied(Exception):
    """The uiautomator2 server ends without an answer; `after`: the call had been executed."""

    def __init__(self, after: bool) -> None:
        super().__init__("the server died")
        self.after = after


@dataclass(frozen=True, slots=True)
class Chance:
    """What happens with one input.

    Attributes:
        fate: "" (it arrives), ``lost``, ``delayed``, ``repeated``, ``cut``, ``stuck`` or ``shifted``.
        seconds: by how much a delayed one is late.
        count: of a cut one the characters that arrive, of a shifted one by how many rows.
        stale: how many observations after it still show the screen before it.
        changes: variable -> value: what an app changes just before it, after the observation that led to it.
        races: dialogs and toasts just before it, after the observation that led to it.
        surprises: dialogs and toasts after it.
    """

    fate: str = ""
    seconds: float = 0.0
    count: int = 1
    stale: int = 0
    changes: Mapping[str, Any] = field(default_factory=dict)
    races: tuple[Surprise, ...] = ()
    surprises: tuple[Surprise, ...] = ()


def draw(seed: int, key: str, number: int) -> float:
    """A number from 0 to 1 (exclusive) that depends on the arguments alone."""
    digest = hashlib.blake2b(f"{seed}|{key}|{number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2.0**64


def beyond(widgets: Iterable[Widget], widget: Widget | None, rows: int) -> Widget | None:
    """What takes a shifted touch: so many rows on, of the widgets with the same id; after the last the first."""
    alike = [each for each in widgets if widget is not None and widget.id and each.id == widget.id]
    place = next((index for index, each in enumerate(alike) if each is widget), None)
    return widget if place is None else alike[(place + rows) % len(alike)]


class Faults:
    """The faults, surprises and answers of a scenario while a phone runs. The caller holds the phone's lock."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self._scenario = scenario
        self._seed = seed
        self._seen: dict[str, int] = {}
        self._done: dict[str, int] = {}
        self._left: dict[str, int] = {}

    def _happens(self, key: str, when: When) -> bool:
        """Count one occasion of `key`; whether the fault happens now."""
        number = self._seen[key] = self._seen.get(key, 0) + 1
        if when.at and number not in when.at:
            return False
        if when.times and self._done.get(key, 0) >= when.times:
            return False
        if when.p < 1.0 and draw(self._seed, key, number) >= when.p:
            return False
        self._done[key] = self._done.get(key, 0) + 1
        return True

    def _of(self, counted: str) -> list[tuple[str, Fault]]:
        return [
            (f"fault {index} {fault.kind}", fault)
            for index, fault in enumerate(self._scenario.faults)
            if FAULTS[fault.kind][0] == counted
        ]

    def input(self, kind: str, widget: Widget | None) -> Chance:
        """What happens with an input of this kind at a widget."""

        def meant(target: str) -> bool:
            return not target or (widget is not None and widget.called(target))

        fate, seconds, count, stale = "", 0.0, 1, 0
        changes: dict[str, Any] = {}
        for key, fault in self._of("input"):
            fits = (not fault.on or kind in fault.on) and meant(fault.target)
            if not fits or not self._happens(key, fault.when):
                continue
            if fault.kind == "stale":
                stale = max(stale, fault.count)
            elif fault.kind == "change":
                changes.update(fault.values)
            elif not fate:
                fate, seconds, count = fault.kind, fault.seconds, fault.count
        triggered = tuple(
            surprise
            for index, surprise in enumerate(self._scenario.surprises)
            if (not surprise.on or kind in surprise.on)
            and meant(surprise.target)
            and self._happens(f"surprise {index}", surprise.when)
        )
        return Chance(
            fate,
            seconds,
            count,
            stale,
            changes=changes,
            races=tuple(one for one in triggered if one.race),
            surprises=tuple(one for one in triggered if not one.race),
        )

    def _lasting(self, counted: str) -> bool:
        """Whether a fault that lasts several occasions has begun, or goes on."""
        now = False
        for key, fault in self._of(counted):
            happens = self._happens(key, fault.when)
            if self._left.get(key):
                self._left[key] -= 1
                now = True
            elif happens:
                self._left[key] = fault.count - 1
                now = True
        return now

    def look(self) -> bool:
        """Count one observation; whether it gets an empty tree."""
        return self._lasting("look")

    def opening(self) -> bool:
        """Count one opened service; whether the device is offline."""
        return self._lasting("open")

    def call(self, method: str) -> tuple[float, bool | None]:
        """Count one call of the server: its seconds, and whether the server dies after it, before it, or not."""
        seconds, dies = 0.0, None
        for key, fault in self._of("call"):
            if fault.method not in ("", method) or not self._happens(key, fault.when):
                continue
            if fault.kind == "slow":
                seconds += fault.seconds
            elif dies is None:
                dies = fault.after
        return seconds, dies

    def answers(self, package: str, event: str, screen: str) -> list[tuple[str, Rule]]:
        """The answers that replace the rules of an app for this event, in order; call `answered` before use."""
        return [
            (f"answer {index}", answer.rule)
            for index, answer in enumerate(self._scenario.answers)
            if answer.package == package and answer.rule.event == event and answer.rule.screen in ("", screen)
        ]

    def answered(self, key: str) -> bool:
        """Count one occasion of an answer whose condition holds; whether it is given."""
        return self._happens(key, self._scenario.answers[int(key.split()[1])].when)
