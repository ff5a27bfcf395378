"""The adb protocol: servers that act as a device or as an adb server, and the streams of their services."""

from vsalang.phone.wire.adbd import AdbDaemon, Banner
from vsalang.phone.wire.server import AdbServer
from vsalang.phone.wire.services import EndOfStream, Handler, ServiceRefused, Services, Stream
from vsalang.phone.wire.sockets import SocketStream
from vsalang.phone.wire.splice import splice
from vsalang.phone.wire.upstream import Upstream, UpstreamStream, server_address

__all__ = [
    "AdbDaemon",
    "AdbServer",
    "Banner",
    "EndOfStream",
    "Handler",
    "ServiceRefused",
    "Services",
    "SocketStream",
    "Stream",
    "Upstream",
    "UpstreamStream",
    "server_address",
    "splice",
]
