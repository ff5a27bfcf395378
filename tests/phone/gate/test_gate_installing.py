"""Installs name the app that they install: the guard reads its manifest before the phone gets it."""

import io
import zipfile
from collections.abc import Iterator

import adbutils
import pytest

from tests.phone.gate.live import SERIAL, Live, live
from tests.phone.sim.test_shell import apk, manifest
from vsalang.phone.classify import Actions, classify
from vsalang.phone.gate import installing, packets
from vsalang.phone.gate.installing import Install, install_of
from vsalang.program.action import Action

ONE = "org.example.one"
SPEC = f"""
spec helper "Install the helper app, as often as you like, and push files."
import apps.opentable
allow 50 install(package = "{ONE}").
allow each push_file.
allow 50 push_file(path = "/data/local/tmp/one.apk").
done when install earlier.
"""
KINDS = [
    "exec:cmd package install -S {}",
    "abb_exec:package\0install\0-r\0-S\0{}",
    "shell,v2,raw:pm install -S {} -",
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    spec = tmp_path_factory.mktemp("install") / "helper.vsa"
    spec.write_text(SPEC, encoding="utf-8")
    with live(spec) as found:
        yield found


def app(package: str, size: int = 0) -> bytes:
    """An apk, with so many bytes of something else in it."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("assets/x", b"\x17" * size)
        archive.writestr("AndroidManifest.xml", manifest(package, wide=True))
    return whole.getvalue()


def send(found: Live, service: str, data: bytes, more: bytes = b"") -> str:
    """Open a service, send an app and what follows it; returns all that is answered."""
    device = adbutils.AdbClient("127.0.0.1", found.port).device(serial=SERIAL)
    connection = device.open_transport()
    connection.send_command(service.format(len(data)))
    connection.check_okay()
    if "v2" in service:
        data = b"".join(
            packets.packet(packets.STDIN, data[at : at + 5000]) for at in range(0, len(data), 5000)
        )
        data += packets.packet(packets.CLOSE_STDIN, b"")
    connection.conn.sendall(data + more)
    answer = b""
    while piece := connection.conn.recv(1 << 16):
        answer += piece
    return answer.decode("utf-8", "replace")


def installed(found: Live) -> list[str]:
    return [made.text for made in found.device.phone.inputs if made.kind == "install"]


@pytest.mark.parametrize("service", KINDS)
def test_an_allowed_app_arrives_whole_and_again(shared: Live, service: str) -> None:
    before = len(installed(shared))
    for _ in range(2):
        assert "Success" in send(shared, service, app(ONE, 300_000))
    assert shared.events[-1].actions == (Action("install", {"package": ONE}),)
    assert len(installed(shared)) == before + 2


@pytest.mark.parametrize("service", KINDS)
def test_another_app_does_not(shared: Live, service: str) -> None:
    before = installed(shared)
    answer = send(shared, service, app("org.example.two"))
    assert "vsalang: " in answer and "Success" not in answer
    assert shared.events[-1].outcome == "blocked"
    assert installed(shared) == before


@pytest.mark.parametrize("service", KINDS)
@pytest.mark.parametrize(
    "data",
    [b"PK\x03\x04", app(ONE) + b"\0", app(ONE)[:-1], apk(b"none"), app("org.example.two") + app(ONE)],
    ids=["nothing", "more", "less", "no manifest", "two"],
)
def test_what_is_not_an_app_is_refused(shared: Live, service: str, data: bytes) -> None:
    before = installed(shared)
    assert "which app it is cannot be read" in send(shared, service, data)
    assert shared.events[-1].outcome == "refused"
    assert installed(shared) == before


def test_what_follows_an_app_does_not_arrive(shared: Live) -> None:
    """The size says where the app ends: what follows is not part of what was judged."""
    assert "Success" in send(shared, KINDS[0], app(ONE), more=app("org.example.two"))
    assert installed(shared)[-1] == ONE


def test_an_app_that_ends_early_is_refused(shared: Live) -> None:
    device = adbutils.AdbClient("127.0.0.1", shared.port).device(serial=SERIAL)
    connection = device.open_transport()
    connection.send_command("exec:cmd package install -S 999999")
    connection.check_okay()
    connection.conn.sendall(app(ONE))
    connection.conn.shutdown(1)
    assert "did not arrive" in connection.read_until_close()


def test_an_app_that_is_too_large_is_refused(shared: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "MOST_APP", 100)
    assert "more than" in send(shared, KINDS[0], app(ONE))


def push(found: Live, path: str, data: bytes) -> None:
    adbutils.AdbClient("127.0.0.1", found.port).device(serial=SERIAL).sync.push(data, path)


def test_a_file_that_was_pushed_is_read(shared: Live) -> None:
    push(shared, "/data/local/tmp/one.apk", app(ONE, 200_000))
    assert "Success" in send(shared, "shell:pm install -r /data/local/tmp/one.apk", b"")
    push(shared, "/data/local/tmp/two.apk", app("org.example.two"))
    assert "vsalang: " in send(shared, "shell:pm install -r /data/local/tmp/two.apk", b"")
    push(shared, "/data/local/tmp/one.apk", app("org.example.two"))
    assert "vsalang: " in send(shared, "shell:pm install -r /data/local/tmp/one.apk", b"")
    assert "org.example.two" not in installed(shared)


def test_a_file_that_apps_may_write_is_not() -> None:
    """It could be another one by the time it is installed."""
    found = classify("shell:pm install /sdcard/one.apk")
    assert isinstance(found, Actions) and install_of(found.parts[0]) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pm install -S 12", Install(size=12)),
        ("cmd package install -r -t --user 0 -S 12 -", Install(size=12)),
        ("pm install -i org.example.shop -S 12 -", Install(size=12)),
        ("pm install /data/local/tmp/a.apk", Install(file="/data/local/tmp/a.apk")),
        ("pm install /data/local/tmp/../../../sdcard/a.apk", None),
        ("pm install -S 12 /data/local/tmp/a.apk", None),
        ("pm install -S 12 -S 13", None),
        ("pm install -p org.example.one -S 12 -", None),
        ("pm install --apex -S 12 -", None),
        ("pm install a.apk b.apk", None),
        ("pm install-create -S 12", None),
        ("pm install-existing org.example.one", None),
        ("pm install", None),
    ],
)
def test_which_installs_name_an_app(line: str, expected: Install | None) -> None:
    found = classify(f"shell:{line}")
    assert isinstance(found, Actions)
    assert install_of(found.parts[0]) == expected
