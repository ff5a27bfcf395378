"""Phones as a command line names them: opened, or refused with what to do about it; and who may connect to ports."""

import shlex
from typing import TYPE_CHECKING, Any

from vsalang.agents.session.options import tracing
from vsalang.base.config import Config
from vsalang.base.options import option
from vsalang.base.source.suggest import did_you_mean
from vsalang.phone import DeviceError, NotConnected
from vsalang.phone.open import open_device as connect
from vsalang.phone.wire import peers
from vsalang.tools.cli.common import Failure

if TYPE_CHECKING:
    from vsalang.phone.open.simulated import SimulatedDevice
    from vsalang.phone.uiautomator import UiAutomatorDevice


def warn_of_strangers(ports: str) -> str:
    """The warning for systems that do not say which user connects; else empty."""
    if peers.CAN_TELL:
        return ""
    return (
        f"Every user of this machine can connect to {ports}: this system does not say which user opened a connection. "
        "Run this where nobody else has an account, or in a container or virtual machine on Linux."
    )


def open_device(
    name: str, config: Config | None = None, kinds: str | None = None
) -> "UiAutomatorDevice | SimulatedDevice":
    """Connect to a device.

    Args:
        config: says what is traced; None: the default does.
        kinds: what is traced instead, as for ``--trace``.

    Raises:
        Failure: there is no such trace or device, or it does not answer; with what to do about it.
    """
    try:
        trace = tracing(config, kinds)
    except DeviceError as error:
        raise Failure(str(error)) from error
    try:
        return connect(name, trace=trace)
    except DeviceError as error:
        raise Failure(str(error), _remedy(name, error)) from error


def device_name(text: str) -> str:
    """The name of a device.

    Raises:
        ValueError: it is blank.
    """
    if not text.strip():
        raise ValueError("a device has a name: sim:NAME or a serial; `vsac phone list` lists them")
    return text


def device_option(help: str = "The phone: sim:NAME, sim:FOLDER, or a serial of adb.", **more: Any) -> Any:
    """The option ``--device``."""
    return option("--device", metavar="NAME", read=device_name, help=help, **more)


def _remedy(name: str, error: DeviceError) -> str:
    """What to do about a device that cannot be opened."""
    from vsalang.phone.sim import shipped  # the simulator: only for an error

    if name.startswith("sim:"):
        return "`vsac phone list` lists the simulated phones and their scenarios"
    if name in shipped():
        return f"the simulated phone is called `sim:{name}`"
    near = did_you_mean(name, _serials())
    if near:
        return near
    if isinstance(error, NotConnected):
        return ""  # its message says so
    return f"`vsac phone doctor --device {shlex.quote(name)}` says what is missing"


def _serials() -> list[str]:
    """The phones of the adb server; none if it cannot be asked."""
    from vsalang.phone.uiautomator import adb_client  # only where adb is asked

    try:
        return [str(info.serial) for info in adb_client().list()]
    except Exception:  # no adb server answers there
        return []
