"""Connects two streams: data from either is written to the other."""

import contextlib
import logging
import threading

from vsalang.phone.errors import DeviceError
from vsalang.phone.wire.services import EndOfStream, Stream

log = logging.getLogger(__name__)

CHUNK = 256 << 10


def splice(near: Stream, far: Stream) -> None:
    """Copy bytes in both directions until either end is finished, then close both.

    Memory is bounded: a slow reader makes the other side wait.

    Args:
        near: read in the calling thread.
        far: read in a thread of its own.
    """
    back = threading.Thread(target=_pump, args=(far, near), name="adb-splice", daemon=True)
    back.start()
    _pump(near, far)
    back.join()


def _pump(source: Stream, target: Stream) -> None:
    try:
        while data := source.read(CHUNK):
            target.write(data)
    except (EndOfStream, DeviceError):
        pass
    except Exception:
        log.exception("a stream could not be passed on")
    finally:
        for stream in (target, source):
            with contextlib.suppress(Exception):
                stream.close()
