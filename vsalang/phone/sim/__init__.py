"""A simulated phone that unmodified adb clients and uiautomator2 talk to over loopback.

with SimulatedPhone.start(load("restaurant")) as simulated:
    print(simulated.port, simulated.serial)     # an adb server with one device
    print(simulated.daemon.serial)              # the same phone, for `adb connect`
    simulated.phone.inputs                      # the inputs that reached the phone

The phone is data (`app_specs/phones/NAME/`): see `docs/reference/simulator.md`.
"""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from vsalang.base.resources import resource_dir
from vsalang.base.source.toml import hint
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.running import Input
from vsalang.phone.sim.services import FEATURES, PhoneServices
from vsalang.phone.sim.spec import PhoneSpec, PhoneSpecError, load_phone
from vsalang.phone.wire import AdbDaemon, AdbServer, Banner

__all__ = ["Input", "Phone", "PhoneSpec", "PhoneSpecError", "SimulatedPhone", "load", "shipped"]


def _phones() -> Path:
    return resource_dir("app_specs") / "phones"


def shipped() -> tuple[str, ...]:
    """The names of the phones that come with vsalang."""
    return tuple(sorted(file.parent.name for file in _phones().glob("*/phone.toml")))


def load(name: str) -> PhoneSpec:
    """Read a phone: a shipped one by its name, or the folder at a path.

    Raises:
        PhoneSpecError: there is none, or it is wrong.
    """
    path = Path(name)
    if name in shipped():
        path = _phones() / name
    elif not (path / "phone.toml").is_file():
        known = ", ".join(shipped())
        raise PhoneSpecError(
            f"no simulated phone {name!r}: it is neither one of those that ship ({known}) "
            f"nor a folder with a phone.toml{hint(name, shipped())}"
        )
    return load_phone(path, _phones() / "_system")


class SimulatedPhone:
    """A phone with its adb server and its adb daemon. A context manager; on exit it ends both.

    Attributes:
        phone: the phone itself.
        services: its adb services.
        server: an adb server whose only device it is; needs no adb binary.
        daemon: the phone's own adb daemon, for ``adb connect``.
    """

    def __init__(self, phone: Phone, services: PhoneServices, server: AdbServer, daemon: AdbDaemon) -> None:
        self.phone = phone
        self.services = services
        self.server = server
        self.daemon = daemon

    @classmethod
    def start(
        cls,
        spec: PhoneSpec,
        *,
        scenario: str = "",
        port: int = 0,
        adbd_port: int = 0,
        users: Iterable[int] | None = None,
    ) -> Self:
        """Start a phone in this process.

        Args:
            scenario: one of the phone's scenarios, "" for none.
            port: of the adb server on 127.0.0.1; 0 takes a free one.
            adbd_port: of the phone's adb daemon on 127.0.0.1; 0 takes a free one.
            users: users of this machine who may connect; None: only the user of this process.

        Raises:
            PhoneSpecError: the phone's data is wrong.
            OSError: the port is taken.
        """
        phone = Phone(spec, scenario)
        services = PhoneServices(phone)
        banner = Banner(spec.name, spec.model, spec.name, FEATURES)
        server = AdbServer.start({spec.serial: (services, banner)}, port=port, users=users)
        try:
            daemon = AdbDaemon.start(services, banner, port=adbd_port, users=users)
        except BaseException:
            server.close()
            raise
        return cls(phone, services, server, daemon)

    @property
    def serial(self) -> str:
        """The device's name at its own adb server."""
        return self.phone.spec.serial

    @property
    def port(self) -> int:
        """The port of its own adb server on 127.0.0.1."""
        return self.server.port

    def close(self) -> None:
        """End the server, the daemon and all their connections. May be called twice."""
        self.daemon.close()
        self.server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
