"""``vsac phone list``: lists the devices of the adb server, and the simulated phones that come with vsalang."""

from collections.abc import Iterator
from typing import Any

from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.phone.doctor import start_command
from vsalang.phone.errors import DeviceError
from vsalang.phone.sim import PhoneSpecError, load, shipped
from vsalang.phone.states import meaning, remedy
from vsalang.phone.uiautomator import adb_client
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure


def _real() -> tuple[list[dict[str, str]], str]:
    """The devices of the running adb server, and why there are none if it does not answer."""
    try:
        client = adb_client()
    except DeviceError as error:
        return [], str(error)
    where = f"{client.host}:{client.port}"
    try:
        return [
            {
                "name": info.serial,
                "state": info.state,
                "model": info.tags.get("model", ""),
                "meaning": meaning(info.state),
                "remedy": remedy(info.state),
            }
            for info in client.list(extended=True)
        ], ""
    except Exception as error:
        # what listens there is no usable adb server; none is started
        return [], f"no adb server answers at {where} ({error}); to start it: {start_command(client.port)}"


def _simulated() -> list[dict[str, Any]]:
    phones = []
    for name in shipped():
        try:
            spec = load(name)
        except PhoneSpecError as error:
            raise Failure(str(error), "reinstall vsalang: a phone that ships with it is damaged") from error
        phones.append({"name": f"sim:{name}", "title": spec.title, "scenarios": sorted(spec.scenarios)})
    return phones


@frame.as_command("text", "json")
def command() -> Report:
    """List the devices that can be guarded: real ones and simulated ones."""
    real, why = _real()
    return Devices(real, why, _simulated())


@dataclass(frozen=True, slots=True)
class Devices(Report):
    """The devices that can be guarded.

    Attributes:
        real: those of the adb server.
        why: why there are none, if it does not answer.
        simulated: those that come with vsalang.
    """

    real: list[dict[str, str]]
    why: str
    simulated: list[dict[str, Any]]

    def data(self) -> object:
        """Each device with its state."""
        return {"adb": self.real, "adb_error": self.why or None, "simulated": self.simulated}

    def lines(self, style: Style) -> Iterator[str]:
        """Each device, with what to do where it cannot be used."""
        yield "Devices of the adb server:"
        for device in self.real:
            yield f"  {safe(device['name'])}  {safe(device['state'])}  {safe(device['model'])}".rstrip()
            if device["remedy"]:
                yield f"    {safe(device['meaning'])}. {safe(device['remedy'])}".replace("    . ", "    ")
        if not self.real:
            yield f"  none: {safe(self.why)}" if self.why else "  none is connected"
        yield "Simulated phones:"
        for phone in self.simulated:
            yield f"  {phone['name']}  {phone['title']}"
            yield from (f"  {phone['name']}#{scenario}" for scenario in phone["scenarios"])
