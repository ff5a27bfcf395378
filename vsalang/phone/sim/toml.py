"""Reads the files of a simulated phone's folder: what is wrong with one is a `PhoneSpecError`."""

from pathlib import Path

from vsalang.base.source.opening import open_regular
from vsalang.base.source.toml import Table, TomlError, parse
from vsalang.phone.errors import DeviceError

_MOST_BYTES = 4 << 20


class PhoneSpecError(DeviceError):
    """The folder of a simulated phone cannot be used; the message names file, line, and what to change."""


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        PhoneSpecError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        with open_regular(path) as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise PhoneSpecError(f"{path}: cannot be read ({error.strerror})") from error
    if len(data) > _MOST_BYTES:
        raise PhoneSpecError(f"{path}: is larger than {_MOST_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PhoneSpecError(f"{path}:{line}: is not UTF-8") from error


def read_toml(path: Path) -> Table:
    """The top table of a TOML file; it and the tables in it raise `PhoneSpecError`.

    Raises:
        PhoneSpecError: it cannot be read, or is not TOML.
    """
    text = read_text(path)
    try:
        return Table(path, text, parse(text), turn=_phone_error)
    except ValueError as error:
        raise PhoneSpecError(f"{path}: not TOML: {error}") from error


def _phone_error(error: TomlError) -> PhoneSpecError:
    return PhoneSpecError(str(error))
