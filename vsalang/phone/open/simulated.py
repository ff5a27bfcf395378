"""A simulated phone as a `Device`: started in this process, reached over loopback as a real one is."""

import contextlib
import datetime as dt
from types import TracebackType
from typing import Self

from vsalang.base.records import dataclass
from vsalang.phone.errors import DeviceError
from vsalang.phone.jar import JAR, own_jar
from vsalang.phone.protocol import DeviceInfo
from vsalang.phone.sim import Phone, SimulatedPhone, load
from vsalang.phone.sim.dump import dump_of
from vsalang.phone.uiautomator import Tracing, UiAutomatorDevice, connect
from vsalang.phone.uiautomator.looking import MAX_DEPTH
from vsalang.program.action import Action
from vsalang.program.screen import Cells
from vsalang.screen.screen import TreeScreen


@dataclass(frozen=True, slots=True)
class Moment:
    """What shows at one moment: the dump, the app in front and its activity, the clock, what is posted."""

    xml: str
    app: tuple[str, str | None]
    now: dt.datetime
    notifications: tuple[tuple[str, str, str], ...]


class SimulatedDevice:
    """A phone, its adb server, and the real uiautomator2 client connected to it.

    Attributes:
        phone: the phone itself: its inputs and variables, for tests and demos.
    """

    def __init__(self, simulated: SimulatedPhone, device: UiAutomatorDevice) -> None:
        self._simulated = simulated
        self._device = device
        self.phone: Phone = simulated.phone

    @classmethod
    def start(cls, name: str, *, scenario: str = "", trace: Tracing | None = None) -> Self:
        """Start the phone `name` (shipped, or a folder) and connect to it.

        Raises:
            DeviceError: no such phone, or it could not be started.
        """
        with contextlib.ExitStack() as stack:
            try:
                simulated = stack.enter_context(SimulatedPhone.start(load(name), scenario=scenario))
            except OSError as error:
                raise DeviceError(f"the simulated phone could not be started: {error}") from error
            jar = own_jar()
            if (
                jar is not None
            ):  # as on a phone where it ran before: pushing it takes longer than all the rest
                simulated.services.files.write(JAR, jar, 0o100755)
            device = connect(
                simulated.serial,
                adb_host="127.0.0.1",
                adb_port=simulated.port,
                settle_interval=0.0,
                reconnect=1.0,
                trace=trace,
            )
            stack.pop_all()
        return cls(simulated, device)

    @property
    def info(self) -> DeviceInfo:
        return self._device.info

    @property
    def connection(self) -> UiAutomatorDevice:
        """The connection to the phone, as to a real one."""
        return self._device

    @property
    def adb_port(self) -> int:
        """The port of the phone's adb server, for other clients."""
        return self._simulated.port

    def observe(self) -> TreeScreen:
        return self._device.observe()

    def app_version(self, package: str) -> str:
        """The version of an app of the phone; empty: it has no such app."""
        return self._device.app_version(package)

    def moment(self) -> Moment:
        """What shows at this moment, whatever faults do to looks; it takes no time. The phone's lock is held."""
        phone = self.phone
        activity = phone.activity
        with phone.changed:
            return Moment(
                dump_of(phone.reported(), max_depth=MAX_DEPTH),
                (phone.package, phone.package + activity if activity.startswith(".") else activity),
                phone.clock.replace(microsecond=0),
                tuple(self._simulated.services.shell.system.record.notifications),
            )

    def screen_of(self, moment: Moment) -> TreeScreen:
        """The screen of a moment, as an observation would have shown it; the next observation goes on from it.

        Only observations report toasts and the system's trace.

        Raises:
            DeviceError: it cannot be read.
        """
        return self._device.eyes.simulated_screen(moment.xml, moment.app, moment.now, moment.notifications)

    def perform(self, action: Action, target: Cells) -> None:
        self._device.perform(action, target)

    def screenshot(self) -> bytes:
        return self._device.screenshot()

    def close(self) -> None:
        """See `Device.close`; ends the phone too."""
        self._device.close()
        self._simulated.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
