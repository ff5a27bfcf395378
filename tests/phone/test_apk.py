"""The app that an apk is: read only where every phone reads the same."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.phone.sim.test_shell import apk, manifest
from vsalang.phone.apk import NoApk, read_manifest

GOOD = manifest("org.example.app", wide=False)
OTHER = manifest("org.example.bad", wide=False)
END = 22


def archive(*entries: tuple[str, bytes], comment: bytes = b"") -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries:
            file.writestr(zipfile.ZipInfo(name), data)
        file.comment = comment
    return whole.getvalue()


def second_manifest() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate"):
        return archive(("AndroidManifest.xml", GOOD), ("AndroidManifest.xml", OTHER))


def hidden_name() -> bytes:
    """Python ends a name at a NUL; a phone does not."""
    return archive(("AndroidManifest.xml", GOOD), ("AndroidManifest.xmlxyz", OTHER)).replace(
        b"AndroidManifest.xmlxyz", b"AndroidManifest.xml\0yz"
    )


def changed(old: bytes, new: bytes, data: bytes = GOOD) -> Callable[[], bytes]:
    assert data.count(old) >= 1 and len(old) == len(new)
    return lambda: apk(data.replace(old, new))


READ_TWO_WAYS: dict[str, Callable[[], bytes]] = {
    "two manifests": second_manifest,
    "a name with a NUL": hidden_name,
    "something before the archive": lambda: b"PK" * 30 + apk(GOOD),
    "something behind the archive": lambda: apk(GOOD) + b"\0",
    "another archive behind it": lambda: apk(GOOD) + apk(OTHER),
    "a comment": lambda: archive(("AndroidManifest.xml", GOOD), comment=apk(OTHER)),
    "a second list of strings": lambda: apk(doubled()),
    "bytes behind the document": lambda: apk(GOOD + b"\0" * 8),
    "a value that is two texts": changed(b"\x02\0\0\0\x03\0\0\0", b"\x02\0\0\0\x04\0\0\0"),
    "a namespace": changed(b"\xff\xff\xff\xff\x02\0\0\0\x03", b"\x01\0\0\0\x02\0\0\0\x03"),
    "a length that lies": changed(b"\x0f\x0forg", b"\x0f\x0eorg"),
    "no plain name": changed(b"org.example.app", b"org.example app"),
    "two packages": changed(b"\x0b\x0bversionName\0", b"\x07\x07package\0\0\0\0\0"),
    "another first element": changed(b"manifest\0", b"manifext\0"),
}


def doubled() -> bytes:
    size = int.from_bytes(GOOD[12:16], "little")
    pool = GOOD[8 : 8 + size]
    other = OTHER[8 : 8 + size]
    return GOOD[:4] + (len(GOOD) + size).to_bytes(4, "little") + pool + other + GOOD[8 + size :]


@pytest.mark.parametrize("kind", READ_TWO_WAYS)
def test_what_is_read_in_two_ways_is_refused(kind: str) -> None:
    with pytest.raises(NoApk):
        read_manifest(READ_TWO_WAYS[kind]())


def test_what_is_read_in_one_way_is() -> None:
    for content in (apk(GOOD), archive(("AndroidManifest.xml", GOOD), ("classes.dex", b"x" * 9999))):
        assert read_manifest(content).package == "org.example.app"
        assert read_manifest(io.BytesIO(content)).package == "org.example.app"


def test_a_second_end_is_not_followed() -> None:
    """Python follows it wherever its mark stands; a phone only where the plain end asks for it."""
    comment = b"x" * 20
    info = zipfile.ZipInfo("AndroidManifest.xml")
    info.comment = comment
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as file:
        file.writestr(info, GOOD)
    content = whole.getvalue()
    assert read_manifest(content).package == "org.example.app"
    with pytest.raises(NoApk, match="large form"):
        read_manifest(content.replace(comment, b"PK\x06\x07" + bytes(16)))


def test_a_real_app_is_read() -> None:
    uiautomator2 = pytest.importorskip("uiautomator2")
    with (Path(uiautomator2.__file__).parent / "assets" / "app-uiautomator.apk").open("rb") as file:
        found = read_manifest(file)
    assert found.package == "com.github.uiautomator"
    assert "android.permission.INTERNET" in found.permissions
