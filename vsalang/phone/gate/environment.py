"""The environment in which an agent finds the guarded phone, and no other way to it that is written in a variable."""

from collections.abc import Mapping
from typing import Final

from vsalang.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables by which some programs find an adb server, or the process that they left behind.

    Attributes:
        programs: whose they are.
        values: variable -> its value; ``{host}``, ``{port}`` and ``{serial}`` are those of the guarded phone,
            ``{folder}`` is an empty folder of the run.
    """

    programs: str
    values: Mapping[str, str]


FRAMEWORKS: Final = (
    Variables(
        "adb, adbutils, uiautomator2, Airtest, mobilerun, Gradle",
        {
            "ANDROID_SERIAL": "{serial}",
            "ANDROID_ADB_SERVER_HOST": "{host}",
            "ANDROID_ADB_SERVER_ADDRESS": "{host}",
            "ANDROID_ADB_SERVER_PORT": "{port}",
            "ADB_SERVER_SOCKET": "tcp:{host}:{port}",
        },
    ),
    Variables(
        "an adb server that the program starts all the same: it finds no phone by itself",
        {"ADB_LOCAL_TRANSPORT_MAX_PORT": "5553", "ADB_MDNS_AUTO_CONNECT": "", "ADB_USB": "0"},
    ),
    Variables("Midscene", {"MIDSCENE_ADB_REMOTE_HOST": "{host}", "MIDSCENE_ADB_REMOTE_PORT": "{port}"}),
    Variables("mobile-use", {"ADB_HOST": "{host}", "ADB_PORT": "{port}"}),
    Variables(
        "agent-device: it starts a daemon of its own, not one that has another adb server",
        {"AGENT_DEVICE_STATE_DIR": "{folder}/agent-device"},
    ),
    Variables("mobilecli, mobile-mcp: likewise", {"MOBILECLI_HOME": "{folder}/mobilecli"}),
)
"""What is set, by framework. `appium-adb` reads no variable: see ``docs/guides/transparent-guard.md``."""
_REMOVED: Final = (
    "ANDROID_ADB_",
    "ADB_SERVER_",
    "ADB_VENDOR_KEYS",
    "ADB_LOCAL_TRANSPORT_",
    "ADB_MDNS",
    "VSA_",
)
_EMPTY_SERIAL: Final = ("ANDROID_SERIAL", "ADB_SERIAL", "DEVICE_SERIAL", "ANDROID_DEVICE")


def agent_environment(
    base: Mapping[str, str],
    *,
    serial: str,
    port: int,
    host: str = "127.0.0.1",
    folder: str = "",
    feedback: str = "",
    url: str = "",
    token: str = "",
) -> dict[str, str]:
    """The environment in which an agent finds the guarded phone, without the address of the real adb server.

    Args:
        base: the user's.
        serial: of the guarded phone, at the agent's adb server.
        port: of that server.
        host: of that server.
        folder: an empty folder for the processes that frameworks leave behind; empty: they use the user's.
        feedback: the file with the guard's answers.
        url: of the side channel.
        token: the channel's token.
    """
    variables = {
        name: value
        for name, value in base.items()
        if not name.startswith(_REMOVED) and name not in _EMPTY_SERIAL
    }
    words = {"{host}": host, "{port}": str(port), "{serial}": serial, "{folder}": folder}
    for framework in FRAMEWORKS:
        for name, value in framework.values.items():
            if folder or "{folder}" not in value:
                for word, meaning in words.items():
                    value = value.replace(word, meaning)
                variables[name] = value
    return variables | {
        **({"VSA_FEEDBACK": feedback} if feedback else {}),
        **({"VSA_GUARD_URL": url, "VSA_GUARD_TOKEN": token} if url else {}),
    }
