"""The states of devices at an adb server: what each means, and what to do about it."""

from typing import Final

from vsalang.base.installing import usb_rules

STATES: Final[dict[str, tuple[str, str]]] = {
    "device": ("ready", ""),
    "unauthorized": (
        "the phone has not allowed this computer to debug it",
        "Unlock the phone and answer `Allow USB debugging?`; if it does not ask: `adb reconnect`",
    ),
    "authorizing": ("the phone is being asked", "Answer `Allow USB debugging?` on the phone"),
    "offline": (
        "the adb server knows it, but it does not answer",
        "`adb reconnect offline`, or unplug and plug it in; on the network `adb disconnect` and `adb connect` it",
    ),
    "connecting": ("the connection is being made", "Wait a moment"),
    "no permissions": (
        "this user may not use the USB device",
        "{usb} and plug it in again",
    ),
    "recovery": ("it runs the recovery system", "`adb reboot` starts Android"),
    "sideload": ("it waits for an update", "`adb reboot` starts Android"),
    "rescue": ("it runs the rescue system", "`adb reboot` starts Android"),
    "bootloader": ("it runs the boot loader", "`fastboot reboot` starts Android"),
    "host": ("it is a host, not a phone", "Connect a phone"),
    "": (
        "it is not connected",
        "Check the cable, USB debugging in the developer options, or `vsac phone list`",
    ),
}
"""State, as adb names it -> what it means, and what to do ("" if nothing)."""


def meaning(state: str) -> str:
    """What a state means; "" for one that is not known."""
    return STATES[_known_state(state)][0] if _known_state(state) in STATES else ""


def remedy(state: str) -> str:
    """What to do about a state; "" if nothing."""
    remedy_text = STATES.get(_known_state(state))
    return (
        remedy_text[1].replace("{usb}", usb_rules())
        if remedy_text is not None
        else "`adb reconnect`, or plug it in again"
    )


def _known_state(state: str) -> str:
    return "no permissions" if state == "no" or state.startswith("no permissions") else state.strip().lower()
