"""mobilerun (formerly droidrun): its driver behind the guard, and its `complete` judged as the end of the task.

    gate = Gate(guard, look(driver))     # or the look of a device of vsalang's
    agent = MobileAgent(goal, config=config, driver=guarded_driver(driver, gate),
                        custom_tools={"complete": complete(gate)})

What may not be done fails as a tool fails there, and the model reads why in the tool's result. Nothing of mobilerun is
imported; the driver is a ``mobilerun_core_local.driver.base.DeviceDriver``. This is for version 0.7.
"""

import asyncio
import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from vsalang.agents.driver import GuardedDriver, Says, act_async, whole
from vsalang.agents.looking import Glimpse, screens
from vsalang.guard import ActionBlocked
from vsalang.phone.gate import ActionRefused, Gate
from vsalang.phone.vocabulary import VocabularyError, base, keys, read
from vsalang.program.action import Action
from vsalang.program.gestures.path import HELD
from vsalang.program.screen import Screen

READS: Final = frozenset(
    {
        "connect", "ensure_connected", "platform", "supported", "effective_supported", "supported_buttons",
        "portal_available", "screenshot", "input_coordinate_size", "get_ui_tree", "get_date", "get_apps",
        "list_packages", "get_clipboard",
    }
)  # fmt: skip
"""Of a `DeviceDriver`: what only looks. Not ``device`` and ``portal``, which lead round the guard."""


def guarded_driver(driver: Any, gate: Gate) -> Any:
    """The driver, with each of its inputs judged first. It raises `ActionBlocked` or `ActionRefused`."""
    return GuardedDriver(driver, gate, calls=CALLS, reads=READS, what="mobilerun driver")


LONGEST: Final = 60.0
"""Seconds that the driver may take to say what it sees."""


def look(driver: Any) -> Callable[[], Screen]:
    """What takes screens through the driver's own eyes, for a `Gate`; it waits for them in another thread.

    Args:
        driver: the driver itself, connected.

    Raises:
        RuntimeError: no event loop runs: it is made where the agent is run.
    """
    loop = asyncio.get_running_loop()

    async def state() -> Glimpse:
        tree = await driver.get_ui_tree(filter=False)
        return Glimpse(tree, now=_clock(str(await driver.get_date())))

    def glimpse() -> Glimpse:
        if asyncio._get_running_loop() is loop:
            raise RuntimeError("a look in the event loop itself would wait for ever: use asyncio.to_thread")
        return asyncio.run_coroutine_threadsafe(state(), loop).result(LONGEST)

    return screens(glimpse, name="the driver's state")


_DATE: Final = re.compile(r"(?:\w{3} )?(\w{3}) +(\d{1,2}) (\d\d:\d\d:\d\d) (?:\S+ )?(\d{4})", re.ASCII)


def _clock(text: str) -> dt.datetime | None:
    """What ``date`` printed: ``Wed Apr  1 12:00:00 UTC 2026``."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    try:
        return dt.datetime.strptime(" ".join(match.groups()), "%b %d %H:%M:%S %Y")
    except ValueError:
        return None


def complete(gate: Gate) -> dict[str, Any]:
    """The tool ``complete``, for ``custom_tools``: the task ends only when it is done, or when the agent gives up."""

    async def complete(success: bool, message: str = "", reason: str = "", *, ctx: Any) -> tuple[bool, str]:
        """See mobilerun's own; the first of what it returns says whether it was accepted."""
        outcome = {"success": success, "reason": reason or message}
        try:
            actions = read("mobilerun", {"action": "complete", **outcome})
            await act_async(gate, actions, _nothing, note=message)
        except VocabularyError as error:
            return False, str(error)
        except (ActionBlocked, ActionRefused) as blocked:
            return False, blocked.feedback
        await ctx.shared_state.complete(success, reason=reason, message=message)
        return True, str(ctx.shared_state.answer)

    return {
        "function": complete,
        "parameters": {
            "success": {"type": "boolean", "required": True},
            "message": {"type": "string", "required": True},
        },
        "description": (
            "Mark task as complete. success=true if task succeeded, false if failed. message contains the result, "
            "answer, or explanation. It is refused, with the reason, while the task is not done."
        ),
    }


async def _nothing() -> None:
    return None


# ---- what the calls of a driver do -------------------------------------------------------------------------------


def _swipe(x1: int, y1: int, x2: int, y2: int, duration_ms: float = 1000) -> Sequence[Action]:
    whole(x1, y1, x2, y2)
    return base.stroke(x1, y1, x2, y2, held=base.milliseconds(round(duration_ms), "duration_ms"))


def _drag(x1: int, y1: int, x2: int, y2: int, duration: float = 3.0) -> Sequence[Action]:
    whole(x1, y1, x2, y2)
    held = base.milliseconds(round(duration * 1000), "duration")
    return *base.touch(x1, y1, HELD), *base.stroke(x1, y1, x2, y2, held=held)


def _tap(x: int, y: int) -> Sequence[Action]:
    whole(x, y)
    return base.touch(x, y)


def _input_text(text: str, clear: bool = False, stealth: bool = False, wpm: int = 0) -> Sequence[Action]:
    return base.typed(text, clear=bool(clear))


def _start_app(package: str, activity: str | None = None) -> Sequence[Action]:
    if activity is not None:  # which of an app's activities its icon opens is not known here
        component = f"{base.package(package, 'package')}/{base.text(activity, 'activity', 300)}"
        return (base.shell(["am", "start", "-n", component]),)
    return (Action("open_app", {"package": base.package(package, "package")}),)


def _link(deep_link: str, package: str | None = None, action: str | None = None) -> Sequence[Action]:
    if package is None and action is None:
        return (base.link(deep_link),)
    words = ["am", "start", "-a", action or "android.intent.action.VIEW", "-d", deep_link]
    return (base.shell([*words, *(["-p", package] if package is not None else [])]),)


def _command(*words: str) -> Says:
    return lambda package: (base.shell([*words, base.package(package, "package")]),)


CALLS: Final[Mapping[str, Says]] = {
    "tap": _tap,
    "swipe": _swipe,
    "drag": _drag,
    "input_text": _input_text,
    "press_button": lambda button: keys.pressed(button),
    "press_key_code": lambda key_code: keys.pressed(key_code),
    "start_app": _start_app,
    "stop_app": _command("am", "force-stop"),
    "uninstall_app": _command("pm", "uninstall"),
    "clear_app_data": _command("pm", "clear"),
    "grant_permission": lambda package, permission: (
        base.shell(
            ["pm", "grant", base.package(package, "package"), base.text(permission, "permission", 300)]
        ),
    ),
    "install_app": lambda path, **_: (Action("install"),),  # which app the file is, is not known
    "open_deep_link": _link,
    "set_clipboard": lambda text: base.typed(text),
}
"""What the inputs of a `DeviceDriver` do, in the words of the language."""
