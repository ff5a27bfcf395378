"""A process of mobilecli that was left in the background goes round the guard, and is found."""

import socket
import tempfile
from pathlib import Path

import pytest

from vsalang.phone.gate.bypass import bypasses


def found(home: Path, **environment: str) -> list[str]:
    ways = bypasses("phone", reach=lambda *_: False, home=home, usb=home, environment=environment)
    return [way.where for way in ways if way.name == "mobilecli"]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no Unix sockets here")
def test_a_process_of_mobilecli_is_found() -> None:
    with tempfile.TemporaryDirectory() as name:  # the path of a socket must be short
        home = Path(name)
        (home / ".mobilecli").mkdir()
        path = home / ".mobilecli" / "daemon.sock"
        assert found(home) == []
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen()
            assert found(home) == [str(path)]
            assert found(home, MOBILECLI_HOME=str(home / "other")) == []
            assert found(home / "other", MOBILECLI_HOME=str(path.parent)) == [str(path)]
        assert found(home) == []  # the file is left, nobody listens
