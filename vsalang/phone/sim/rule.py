"""Reads the rules of an app, from phone.toml and from the answers of scenarios: what happens on an event."""

from collections.abc import Collection
from dataclasses import field

from vsalang.base.records import dataclass
from vsalang.base.source.toml import Table, hint

SYSTEM_EVENTS = frozenset({"back", "start", "menu", "outside", "link"})
"""Events that the phone raises itself; all others are named by a widget."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens on an event: the first matching rule of the app is applied.

    Attributes:
        event: the name a widget gives its event, or one of `SYSTEM_EVENTS`.
        screen: only on this screen; "" for any.
        when: a condition; "" for none.
        set: variable -> expression; all are computed before any is assigned.
        goto: the screen to show next; "" stays. If it is below in the stack, the app goes back to it.
        toast: template of a short message; "" for none.
        close: leave the app, to the home screen.
        back: return to the screen below.
        open: the package of another app to open; `goto` is one of its screens then.
        delay: seconds of the phone's clock until this happens; None: never.
        wait: variable -> expression, assigned at once if there is a delay.
        place: its place in the file, for messages.
    """

    event: str
    screen: str = ""
    when: str = ""
    set: tuple[tuple[str, str], ...] = ()
    goto: str = ""
    toast: str = ""
    close: bool = False
    back: bool = False
    open: str = ""
    delay: float | None = 0.0
    wait: tuple[tuple[str, str], ...] = ()
    place: object = field(default="", repr=False, compare=False)

    @property
    def expressions(self) -> tuple[str, ...]:
        return (*(value for _, value in (*self.set, *self.wait)), *((self.when,) if self.when else ()))


def read_rule(table: Table, screens: Collection[str], variables: Collection[str]) -> Rule:
    """Read a rule of an app with these screens and variables; unknown keys of the table are errors.

    Raises:
        PhoneSpecError: it is wrong.
    """
    event = table.take("event", str)
    never = table.take("never", bool, False)
    rule = Rule(
        event=event,
        screen=table.take("screen", str, ""),
        when=table.take("when", str, ""),
        set=tuple(table.strings("set").items()),
        goto=table.take("goto", str, ""),
        toast=table.take("toast", str, ""),
        close=table.take("close", bool, False),
        back=table.take("back", bool, False),
        open=table.take("open", str, ""),
        delay=None if never else table.number("delay", 0.0, 0.0, 86400.0),
        wait=tuple(table.strings("wait").items()),
        place=table.place(f"event {event!r}"),
    )
    table.end()
    for key, screen in (("screen", rule.screen), ("goto", rule.goto if not rule.open else "")):
        if screen and screen not in screens:
            raise table.fail(
                f"event {event!r}: there is no screen {screen!r}; there are {', '.join(sorted(screens))}"
                f"{hint(screen, screens)}",
                key,
            )
    for key, pairs in (("set", rule.set), ("wait", rule.wait)):
        for name, _ in pairs:
            if name not in variables:
                raise table.fail(
                    f"event {event!r} sets {name!r}, which [app.state] does not declare{hint(name, variables)}",
                    key,
                    name,
                )
    return rule
