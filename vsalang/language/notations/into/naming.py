"""Makes valid names of the language from other names."""

import re
import unicodedata
from pathlib import PurePath

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+")
"""A package name, as in Android's manifest."""

_OTHER = re.compile(r"[^A-Za-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def relation_name(name: str) -> str:
    """A name for a relation, with a capital letter; empty if no character of `name` is usable."""
    if IDENTIFIER.fullmatch(name) and name[0].isupper():
        return name
    words = [word for word in _OTHER.split(_ascii(name)) if word]
    joined = "".join(word[0].upper() + word[1:] for word in words)
    return f"R{joined}" if joined[:1].isdigit() else joined


def attribute_name(name: str) -> str:
    """A name for an attribute; empty if no character of `name` is usable."""
    if IDENTIFIER.fullmatch(name) and name != "_":
        return name
    joined = _OTHER.sub("_", _ascii(name).replace("_", " ").strip()).strip("_")
    return f"_{joined}" if joined[:1].isdigit() else joined


def module_name(file: str) -> str:
    """A module's name from a file's name: ``yt_music`` for ``YT_Music.json``; of a package the last part."""
    stem = _stem(file)
    if is_package_file(file):
        stem = stem.rpartition(".")[2]
    words = [word for word in _OTHER.split(_HUMP.sub(" ", _ascii(stem))) if word]
    joined = "_".join(words).lower()
    if not joined:
        return "app"
    return f"app_{joined}" if joined[0].isdigit() or joined in ("when", "with") else joined


def is_package_file(file: str) -> bool:
    """Whether a file is named after an Android package: ``com.google.android.gm.json``."""
    return PACKAGE.fullmatch(_stem(file)) is not None


def package_of(file: str) -> str:
    """The package a file is named after.

    Raises:
        ValueError: it is not (see `is_package_file`).
    """
    if not is_package_file(file):
        raise ValueError(f"{file} is not named after a package")
    return _stem(file)


def words(name: str) -> list[str]:
    """The words of a name in lower case: ``NewsReportedDate`` has three."""
    return [word.lower() for word in _OTHER.split(_HUMP.sub(" ", _ascii(name))) if word]


def file_name(file: str) -> str:
    """The last part of a path, written for any system."""
    return file.replace("\\", "/").rpartition("/")[2]


def _stem(file: str) -> str:
    name = PurePath(file).name
    return name[:-5] if name.lower().endswith(".json") else name


def _ascii(text: str) -> str:
    """Letters without accents; a character without an ASCII form becomes a blank."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c if c.isascii() else "" if unicodedata.combining(c) else " " for c in plain)
