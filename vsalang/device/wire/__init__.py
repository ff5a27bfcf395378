"""The adb protocol: servers that act as a device or as an adb server, and the streams of their services."""

from vsalang.device.wire.adbd import AdbDaemon, Banner
from vsalang.device.wire.server import AdbServer
from vsalang.device.wire.services import EndOfStream, Handler, Refused, Services, Stream
from vsalang.device.wire.sockets import SocketStream
from vsalang.device.wire.splice import splice
from vsalang.device.wire.upstream import Upstream, UpstreamStream, server_address

__all__ = [
    "AdbDaemon",
    "AdbServer",
    "Banner",
    "EndOfStream",
    "Handler",
    "Refused",
    "Services",
    "SocketStream",
    "Stream",
    "Upstream",
    "UpstreamStream",
    "server_address",
    "splice",
]
