"""A simulated phone that unmodified adb clients and uiautomator2 talk to over loopback.

with SimulatedPhone.start(load("restaurant")) as simulated:
    print(simulated.port, simulated.serial)     # an adb server with one device
    simulated.phone.inputs                      # what reached the phone

The phone is data (`app_specs/phones/NAME/`): see `docs/reference/simulator.md`.
"""

from pathlib import Path
from types import TracebackType
from typing import Self

from vsalang.device.sim.model import Input
from vsalang.device.sim.phone import Phone
from vsalang.device.sim.services import PhoneServices
from vsalang.device.sim.smartsocket import AdbServer
from vsalang.device.sim.spec import PhoneSpec, PhoneSpecError, load_phone
from vsalang.resources import resource_dir

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
            "nor a folder with a phone.toml"
        )
    return load_phone(path, _phones() / "_system")


class SimulatedPhone:
    """A phone together with the adb server that offers it. A context manager; leaving it ends both."""

    def __init__(self, phone: Phone, server: AdbServer) -> None:
        self.phone = phone
        self.server = server

    @classmethod
    def start(cls, spec: PhoneSpec, *, scenario: str = "", port: int = 0) -> Self:
        """Start a phone in this process.

        Args:
            scenario: one of the phone's scenarios, "" for none.
            port: of the adb server on 127.0.0.1; 0 takes a free one.

        Raises:
            PhoneSpecError: the phone's data is wrong.
            OSError: the port is taken.
        """
        phone = Phone(spec, scenario)
        services = PhoneServices(phone)
        return cls(phone, AdbServer(services, spec.serial, model=spec.model, product=spec.name, port=port))

    @property
    def serial(self) -> str:
        """The device's name at its adb server."""
        return self.server.serial

    @property
    def port(self) -> int:
        """The port of the adb server on 127.0.0.1."""
        return self.server.port

    def close(self) -> None:
        """End the adb server and all its connections. May be called twice."""
        self.server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
