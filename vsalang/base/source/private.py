"""Private files, which only this user can have written, and keys to authenticate them.

A folder, a key or a file of another user, or one that others may read or write, is never used. Programs of the same
user can read a key too: authentication protects against all others, and against accidents.
"""

import errno
import hmac
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from vsalang.base.source.opening import refuse_irregular

KEY_BYTES: Final = 32


def home_folder(variable: str, usual: str) -> Path | None:
    """A base folder of the XDG specification; None if the user's home is not known.

    Args:
        variable: the environment variable that names it; only an absolute path counts.
        usual: the default, relative to the home.
    """
    chosen = os.environ.get(variable, "")
    if os.path.isabs(chosen):  # noqa: PTH117 - a text need not be a path
        return Path(chosen)
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
    return Path(home) / usual if os.path.isabs(home) else None  # noqa: PTH117


def own_folder(path: Path) -> None:
    """Make a folder that only this user can use, unless it is there.

    Raises:
        OSError: it cannot be made, or it is a link, another user's, or open to others.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "geteuid") and not _mine(path.lstat(), stat.S_ISDIR):
        raise PermissionError(errno.EACCES, "it is not a folder of this user alone", os.fspath(path))


def key_of(folder: Path, *, make: bool = False) -> bytes | None:
    """The key in the file ``key`` of a folder; None if there is none that only this user could have written.

    Args:
        make: make one if there is none.
    """
    if not hasattr(os, "geteuid"):
        return None
    with suppress(OSError):
        if not _mine(folder.lstat(), stat.S_ISDIR):
            return None
        if make and not (folder / "key").exists():
            import secrets  # slow to import, and a key is made once

            with suppress(FileExistsError):  # another process was faster
                write(folder / "key", secrets.token_bytes(KEY_BYTES), new=True)
        key = read(folder / "key", KEY_BYTES)
        return key if len(key) == KEY_BYTES else None
    return None


def seal(key: bytes, place: str, body: bytes) -> bytes:
    """The authentication code (HMAC-SHA256) of a text and its place, so that texts cannot be exchanged."""
    return hmac.digest(key, f"{place}\n".encode() + body, "sha256").hex().encode()


def sealed(key: bytes, place: str, data: bytes) -> bytes | None:
    """The text after the authentication code in the first line; None if the code does not fit text and place."""
    signature, _, body = data.partition(b"\n")
    return body if hmac.compare_digest(signature, seal(key, place, body)) else None


def _mine(state: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    """Whether a file is of this kind, belongs to this user, and is closed to all others."""
    return is_kind(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & 0o077


def read(path: Path, most: int) -> bytes:
    """The bytes of a private file.

    Raises:
        OSError: it cannot be read, or is another's, or longer than `most`.
    """
    # do not wait: it may be a pipe
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(number, "rb") as file:
        if not _mine(os.fstat(number), stat.S_ISREG):
            raise OSError(f"{path} is not this user's alone")
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(f"{path} is too long")
    return data


def write(path: Path, data: bytes, *, new: bool = False, force: bool = False) -> None:
    """Write a private file in one piece.

    Args:
        new: the file must not exist yet.
        force: write it through to the disk.

    Raises:
        OSError: it cannot be written; `FileExistsError`: it must be new and exists.
    """
    made = path.parent / f"tmp{os.urandom(8).hex()}.new"
    try:
        create(made, data, force=force)
        if new:
            os.link(made, path)
        else:
            made.replace(path)
    finally:
        made.unlink(missing_ok=True)


def create(path: Path, data: bytes, *, force: bool = False) -> None:
    """Write a private file that is not there yet. Who is killed meanwhile leaves a part of it.

    Args:
        force: write it through to the disk.

    Raises:
        OSError: it cannot be written; `FileExistsError`: it exists.
    """
    flags = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | flags, 0o600)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            if force:
                file.flush()
                os.fsync(number)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def write_out(path: Path, content: str | bytes) -> None:
    """Write an output, such as a page or a screenshot, as a private file.

    It replaces an existing file or link. A path that is not a file, such as ``/dev/stdout``, is written to.

    Raises:
        OSError: it cannot be written.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            stream.write(data)
    else:
        write(path, data)


def open_to_append(path: Path) -> int:
    """Open a private file to append to; it is created if it does not exist, and no link is followed.

    Raises:
        OSError: it cannot be opened, is not a regular file, or belongs to another user.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    # do not wait: it may be a pipe whose other end nobody reads
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags, 0o600)
    try:
        refuse_irregular(handle)
        state = os.fstat(handle)
        if hasattr(os, "geteuid") and state.st_uid != os.geteuid():
            raise PermissionError(errno.EACCES, "it belongs to another user", os.fspath(path))
        if hasattr(os, "fchmod") and state.st_mode & 0o077:
            os.fchmod(handle, 0o600)
    except BaseException:
        os.close(handle)
        raise
    return handle


def sync_folder(folder: Path) -> None:
    """Force the names of the files in a folder to the disk, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
