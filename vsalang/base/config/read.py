"""Finds, reads and checks a project's configuration. Everything that is not understood is an error."""

import datetime as dt
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

from vsalang.base.config.configuration import (
    Budget,
    Config,
    Device,
    Encode,
    Guard,
    Lint,
    Secrets,
    Similarity,
    Trace,
)
from vsalang.base.diagnostics import Severity
from vsalang.base.diagnostics.display import safe
from vsalang.base.names import ENGINES, FILE_MODES, FORMER_ENGINES, LANGUAGES, EngineName, FileMode, Language
from vsalang.base.records import dataclass
from vsalang.base.resources import shipped_module
from vsalang.base.source import SourceError, read_source
from vsalang.base.source.files import real_path
from vsalang.base.source.private import home_folder
from vsalang.base.source.suggest import did_you_mean
from vsalang.base.source.toml import NoChoice, OutOfRange, Table, TomlError, UnknownKeys, WrongKind, parse

FILE = "vsac.toml"
PROJECT = "pyproject.toml"
BACKENDS = ("folded", "words", "embeddings")
"""The backends of ``~=``, the strictest first; ``words`` is the default."""
_LONGEST_REQUEST = 30
LEVELS: Mapping[str, Severity | None] = MappingProxyType(
    {"error": Severity.ERROR, "warning": Severity.WARNING, "hint": Severity.INFO, "off": None}
)
UNKNOWN = ("warn", "confirm", "block")
"""The verdicts that may be set for gestures on an unknown screen, and for touches of which nobody knows what they do.
Never ``allow``: the unknown permits nothing."""

_MOST_OVERRIDES = 1000
_LONGEST_LIFE = 3600
_LARGEST_BUDGET = 10**12
_LONGEST_STEP = 600
_LONGEST_TRACE = 60
_LARGEST_HASHED = 1 << 30
SECRETS = ("email", "phone", "card", "iban", "code", "credential", "key", "word")
"""The kinds of secrets (`vsalang.screen.secrets.KINDS`)."""
TRACES = ("files", "permissions", "connections", "settings")
"""Events of a device's system that may become facts (`vsalang.phone.uiautomator.KINDS`)."""


class ConfigError(SourceError):
    """The error for a configuration that cannot be used: the message names the line, the hint says what to do.

    Attributes:
        file: the configuration; None if two files are meant.
        line: the line, from 1; 0 if it is not known.
    """

    def __init__(
        self, code: str, path: str, message: str, hint: str = "", *, file: Path | None = None, line: int = 0
    ) -> None:
        super().__init__(code, path, message, hint)
        self.file, self.line = file, line


def config_for(path: str | Path, *, lint_codes: Collection[str] | None = None) -> Config:
    """The configuration of the project that a file belongs to: the first one from its folder upwards.

    Args:
        path: the file; it need not exist.
        lint_codes: the codes of all lint rules, if those in the configuration must be checked.

    Raises:
        SourceError: there is one that cannot be read or used.
        OSError: a folder cannot be searched.
    """
    for file in configurations(path):
        config = read_config(file, lint_codes=lint_codes)
        here = real_path(path)
        base = real_path(file).parent
        place = here.relative_to(base).as_posix() if here.is_relative_to(base) else ""
        return replace(config, lint=config.lint.within(place)) if config.lint.files else config
    return Config()


def configurations(path: str | Path) -> Iterator[Path]:
    """The configurations from a file's folder upwards, the nearest first.

    Raises:
        SourceError: two of them are in one folder, or a `pyproject.toml` is not TOML.
        OSError: a folder cannot be searched.
    """
    for folder in real_path(path).parents:
        own, project = folder / FILE, folder / PROJECT
        both = project.exists() and _section(project) is not None
        if own.exists():
            if both:
                raise ConfigError(
                    "E0023",
                    display_path(own),
                    f"{display_path(own)} and [tool.vsac] in {display_path(project)} both configure this project",
                    "keep one of them",
                )
            yield own
        elif both:
            yield project


def read_config(file: Path, *, lint_codes: Collection[str] | None = None) -> Config:
    """Read one configuration file; a ``pyproject.toml`` without ``[tool.vsac]`` gives None.

    Raises:
        SourceError: it cannot be read or used.
    """
    table = _document(file)
    if file.name == PROJECT:
        if _section(file) is None:
            return Config(file)
        table = table.table("tool").table("vsac")
    return _Reader(table, lint_codes).config()


def read_ignored(file: Path) -> tuple[str, ...]:
    """The globs in a file that ``vsac phone trace baseline`` wrote: ``[trace] ignore``.

    Raises:
        SourceError: it cannot be read, is not TOML, or holds something else.
    """
    table = _document(file).only(("trace",)).table("trace").only(("ignore",))
    codes = _texts(table, "ignore")
    for each in codes:
        if not each.startswith("/"):
            raise _wrong(
                table,
                "ignore",
                f"`ignore` holds globs of files of the device, not {safe(each, 60)}",
                'such as "/sdcard/Android/**"',
            )
    return codes


def _each_once(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def users_file() -> Path | None:
    """The user's own configuration, for all projects; None where the user has no home."""
    base = home_folder("XDG_CONFIG_HOME", ".config")
    return base / "vsac" / FILE if base is not None else None


def users_config() -> Config:
    """The user's own configuration; the defaults if there is none.

    Raises:
        SourceError: it cannot be read or used.
    """
    own = users_file()
    return read_config(own) if own is not None and own.exists() else Config()


def _document(file: Path) -> Table:
    text = read_source(file, name=display_path(file)).text
    try:
        return Table(file, text, parse(text), turn=_config_error)
    except ValueError as error:  # also a number of more digits than Python reads
        raise ConfigError(
            "E0020",
            display_path(file),
            f"{display_path(file)} is not TOML: {safe(str(error), 200)}",
            "texts are written in quotes, tables in [brackets]: https://toml.io",
            file=file,
            line=_line_of(error),
        ) from None


def _line_of(error: ValueError) -> int:
    """The line of a mistake in TOML; before Python 3.14 only the message has it."""
    match = re.search(r"\(at line (\d+),", str(error))
    return int(getattr(error, "lineno", 0) or (match[1] if match else 0))


def _section(file: Path) -> Any:
    """``[tool.vsac]`` of a pyproject.toml, or None."""
    tool = _document(file).left.get("tool")
    return tool.get("vsac") if isinstance(tool, dict) else None


def display_path(path: Path) -> str:
    """The name of a file for messages: relative to the working folder if it is below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def _other_codes() -> frozenset[str]:
    from vsalang.base.diagnostics.codes import CODES

    return frozenset(code for code in CODES if code.startswith(("V", "W")))


def _wrong(table: Table, key: str, message: str, hint: str = "", *, code: str = "E0022") -> ConfigError:
    """An error at a key of a table, or at the table if the key is empty."""
    line = table.line(*((key,) if key else ()))
    place = display_path(table.file) + (f":{line}" if line else "")
    return ConfigError(
        code, display_path(table.file), f"{place}: {message}", hint, file=table.file, line=line or 0
    )


def _config_error(error: TomlError) -> ConfigError:
    """The error of a table, in the words of configurations."""
    table = error.table
    match error.problem:
        case UnknownKeys(names, known):
            message = f"{_where(table)} has no key `{safe(names[0], 60)}`"
            help_ = did_you_mean(names[0], known) or f"the keys are {', '.join(known)}"
            return _wrong(table, names[0], message, help_, code="E0021")
        case WrongKind(key, (kind,), value) if kind is dict:
            where = _where(table, key)
            return _wrong(table, key, f"{where} is a table, not {_kind(value)}", f"write {where} on a line")
        case WrongKind(key, kinds, value):
            return _wrong(table, key, f"`{key}` is {_WANTED[kinds]}, not {_kind(value)}")
        case OutOfRange(key, kinds, low, high, value):
            bounds = f"{_WANTED[kinds]} from {low} to {high}"
            return _wrong(table, key, f"`{key}` is {bounds}, not {safe(str(value), 40)}")
        case NoChoice(key, words, value):
            choices = " or ".join(f'"{word}"' for word in words)
            if not isinstance(value, str):
                return _wrong(table, key, f"`{key}` is {choices}, not {_kind(value)}")
            message = f'`{key}` is {choices}, not "{safe(value, 60)}"'
            former = FORMER_ENGINES.get(value, "") if words is ENGINES else ""
            return _wrong(table, key, message, former or did_you_mean(value, words))
    return _wrong(table, str(error.keys[0]) if error.keys else "", str(error.problem))


_WANTED: Mapping[tuple[type, ...], str] = {
    (str,): "a text", (bool,): "true or false", (int,): "a whole number", (int, float): "a number",
}  # fmt: skip


def _where(table: Table, *key: str) -> str:
    path = ".".join(str(name) for name in (*table.path, *key))
    return f"[{path}]" if path else "the file"


def _texts(table: Table, key: str) -> tuple[str, ...]:
    """A list of texts, none of them empty."""
    value = table.left.get(key, [])
    if not isinstance(value, list):
        raise _wrong(table, key, f"`{key}` is a list of texts, not {_kind(value)}", 'write ["..", ".."]')
    for item in value:
        if not isinstance(item, str):
            raise _wrong(table, key, f"`{key}` holds texts only, not {_kind(item)}")
        if not item.strip() or "\0" in item:
            raise _wrong(table, key, f"`{key}` holds an empty name")
    return tuple(value)


def _paths(table: Table, key: str, *, folder: bool) -> tuple[Path, ...]:
    """Existing files or folders, relative to the file's folder."""
    paths: list[Path] = []
    for text in _texts(table, key):
        shipped = None if folder else shipped_module(text)
        path = shipped or table.file.parent / text
        if not (path.is_dir() if folder else path.is_file()):
            raise _missing(table, key, "folder" if folder else "file", text)
        paths.append(path.resolve())
    return tuple(dict.fromkeys(paths))


def _missing(table: Table, key: str, what: str, name: str) -> ConfigError:
    hint = f"paths are seen from the folder of {table.file.name}"
    return _wrong(table, key, f"there is no {what} `{safe(name, 200)}`", hint)


def _patterns(table: Table, key: str) -> tuple[str, ...]:
    """Patterns of files and folders below the file's folder, with ``*`` for any text; they need not exist."""
    patterns = _texts(table, key)
    for text in patterns:
        hint = f'such as "vendor/" or "drafts/*.vsa", seen from the folder of {table.file.name}'
        if text.startswith("/") or "\\" in text or re.match(r"[A-Za-z]:", text):
            message = f"`{key}` holds paths with `/` from here, not `{safe(text, 200)}`"
            raise _wrong(table, key, message, hint)
        if ".." in text.split("/") or not any(part not in ("", ".") for part in text.split("/")):
            message = f"`{safe(text, 200)}` is not a file or folder below the folder of {table.file.name}"
            raise _wrong(table, key, message, hint)
    return patterns


def _pattern(table: Table, text: str) -> str:
    """A pattern that is a key of a table."""
    hint = f'such as "vendor/" or "drafts/*.vsa", seen from the folder of {table.file.name}'
    if text.startswith("/") or "\\" in text or ".." in text.split("/") or not text.strip("./"):
        raise _wrong(table, text, f"`{safe(text, 200)}` is not a pattern of files below this folder", hint)
    return text


def _trusted(table: Table, key: str) -> tuple[Path, ...]:
    """Folders whose own lint rules run: only the user's own configuration says which."""
    own = users_file()
    if table.left.get(key) is not None and (own is None or real_path(table.file) != real_path(own)):
        message = "no project says that its own rules may run"
        raise _wrong(table, key, message, f"your own configuration does: {own}; or use --project-rules")
    return _paths(table, key, folder=True)


def _whole(table: Table, key: str, low: int, high: int) -> int | None:
    """A whole number within bounds, or None."""
    return cast(int | None, table.within(key, int, low, high, None))


def _number(table: Table, key: str, low: float, high: float) -> float | None:
    """A number within bounds, or None."""
    number = table.within(key, (int, float), low, high, None)
    return None if number is None else float(number)


def _seconds(table: Table, key: str, low: float, high: float) -> dt.timedelta | None:
    """A number of seconds within bounds, or None."""
    seconds = _number(table, key, low, high)
    return None if seconds is None else dt.timedelta(seconds=seconds)


def _named(table: Table, key: str) -> str | None:
    """A text of one line that is not empty, or None."""
    value = table.take(key, str, None)
    if value is None:
        return None
    if not value.strip() or not value.isprintable():
        raise _wrong(table, key, f"`{key}` is empty, or has characters that do not print")
    return str(value.strip())


def _kinds(table: Table, key: str) -> tuple[str, ...]:
    """Kinds of traces."""
    kinds = _texts(table, key)
    for name in kinds:
        table.choose(key, TRACES, name)
    return kinds


def _folders(table: Table, key: str) -> tuple[str, ...]:
    """Folders of the device; ``/**`` at the end of one says nothing more."""
    folders = tuple(folder.removesuffix("**") for folder in _texts(table, key))
    for folder in folders:
        if not re.fullmatch(r"/(?!$)[\w./-]+", folder, re.ASCII) or ".." in folder.split("/"):
            message = f"`{key}` holds absolute paths of the device, not {safe(folder, 60)}"
            raise _wrong(table, key, message, 'such as "/sdcard/Download"')
    return folders


def _ignored(table: Table, key: str) -> tuple[str, ...]:
    """Globs of files of the device, and files with such globs, which stand for what they hold."""
    codes: list[str] = []
    for text in _texts(table, key):
        if text.startswith("/"):
            codes.append(text)
            continue
        file = table.file.parent / text
        if file.suffix != ".toml" or not file.is_file():
            raise _wrong(
                table,
                key,
                f"`{key}` holds globs of the device's files, and TOML files, not {safe(text, 60)}",
                'such as "/sdcard/Android/**", or a file that `vsac phone trace baseline -o FILE` wrote',
            )
        codes += read_ignored(file)
    return _each_once(codes)


def _place(table: Table, key: str) -> Path | None:
    """A file that a table names, seen from the configuration, or None; it need not exist."""
    value = table.left.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise _wrong(table, key, f"`{key}` is the name of a file, not {_kind(value)}")
    return table.file.parent / value


def _file(table: Table, key: str) -> Path | None:
    """A file that a table names and that is there, or None."""
    place = _place(table, key)
    if place is not None and not place.is_file():
        raise _missing(table, key, "file", table.left[key])
    return place.resolve() if place is not None else None


def _redact(table: Table, key: str) -> frozenset[str] | None:
    """Kinds of secrets: true is all of them, false none."""
    if isinstance(table.left.get(key, False), bool):
        setting = table.take(key, bool, None)
        return None if setting is None else frozenset(SECRETS if setting else ())
    kinds = _texts(table, key)
    for kind in kinds:
        table.choose(key, SECRETS, kind)
    return frozenset(kinds)


def _owners(table: Table, key: str) -> Path | None:
    """A file of the user's memory, or None: only the user's own configuration says where one is."""
    memory, own = _place(table, key), users_file()
    if memory is not None and (own is None or real_path(table.file) != real_path(own)):
        raise _wrong(
            table,
            key,
            "no project says where your memory is",
            f"your own configuration does: {own}; or use --memory",
        )
    return memory


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a configuration, the table `top`."""

    top: Table
    lint_codes: Collection[str] | None

    def config(self) -> Config:
        names = (
            "search",
            "policies",
            "exclude",
            "engine",
            "language",
            "lint",
            "similarity",
            "guard",
            "budget",
            "device",
            "trace",
            "encode",
            "certificates",
            "secrets",
        )
        top = self.top.only(names)
        return Config(
            top.file,
            _paths(top, "search", folder=True),
            _paths(top, "policies", folder=False),
            _patterns(top, "exclude"),
            cast(EngineName | None, top.one_of("engine", ENGINES, None)),
            cast(Language | None, top.one_of("language", LANGUAGES, None)),
            self.lint(top.table("lint")),
            self.similarity(top.table("similarity")),
            self.guard(top.table("guard")),
            self.budget(top.table("budget")),
            self.device(top.table("device")),
            self.trace(top.table("trace")),
            self.encode(top.table("encode")),
            _owners(top.table("certificates").only(("file",)), "file"),
            self.secrets(top.table("secrets")),
            ((top.file, hashlib.sha256(top.text.encode()).hexdigest()),),
        )

    def code(self, table: Table, key: str, name: str) -> str:
        """The code of a lint rule, of a warning of `vsac check` (W), or of what `vsac lint --deep` finds (V)."""
        if not re.fullmatch(r"[LVWP][0-9]{4}", name):
            raise _wrong(table, key, f"`{safe(name, 40)}` is not a lint rule", "codes look like L0004")
        known = self.lint_codes is None or name.startswith(
            "P"
        )  # the codes of a project's own rules are its own
        if (
            not known
            and self.lint_codes is not None
            and name not in self.lint_codes
            and name not in _other_codes()
        ):
            hint = did_you_mean(name, self.lint_codes) or "`vsac explain` lists all codes"
            raise _wrong(table, key, f"there is no lint rule `{name}`", hint)
        return name

    def codes(self, table: Table, key: str) -> frozenset[str]:
        return frozenset(self.code(table, key, name) for name in _texts(table, key))

    def lint(self, table: Table) -> Lint:
        """``[lint]``."""
        table.only(("select", "ignore", "levels", "files", "baseline", "trusted"))
        select = self.codes(table, "select")
        if "select" in table.left and not select:
            message, hint = "`select` names no code", "leave it out to look for everything"
            raise _wrong(table, "select", message, hint)
        ignore = self.codes(table, "ignore")
        raw_levels = table.left.get("levels", {})
        if not isinstance(raw_levels, dict):
            raise _wrong(table, "levels", f"`levels` is a table, not {_kind(raw_levels)}")
        inner = table.table("levels")
        levels: dict[str, Severity | None] = {}
        for name in raw_levels:
            level = inner.one_of(name, LEVELS)
            levels[self.code(inner, name, name)] = LEVELS[level]
        return Lint(
            select if "select" in table.left else None,
            ignore,
            MappingProxyType(levels),
            self.lint_files(table),
            _place(table, "baseline"),
            _trusted(table, "trusted"),
        )

    def lint_files(self, table: Table) -> tuple[tuple[str, frozenset[str]], ...]:
        """``[lint.files]``: patterns of files with the codes that are left out in them."""
        raw = table.left.get("files", {})
        if not isinstance(raw, dict):
            raise _wrong(
                table, "files", f"`files` is a table of patterns, not {_kind(raw)}", '"drafts/" = ["L0002"]'
            )
        inner = table.table("files")
        return tuple((_pattern(inner, text), self.codes(inner, text)) for text in raw)

    def similarity(self, table: Table) -> Similarity:
        """``[similarity]``."""
        table.only(("backend", "spelling", "threshold", "endpoint", "model", "timeout"))
        threshold = _number(table, "threshold", 0, 1)
        timeout = _number(table, "timeout", 0.1, _LONGEST_REQUEST)
        endpoint = _named(table, "endpoint")
        if endpoint is not None and endpoint != "local" and not re.match(r"https?://[^\s/]+", endpoint):
            message = f'`endpoint` is an address or "local", not {safe(endpoint, 60)}'
            raise _wrong(table, "endpoint", message, 'such as "http://localhost:11434/v1"')
        return Similarity(
            table.one_of("backend", BACKENDS, None),
            _whole(table, "spelling", 0, 1),
            threshold,
            endpoint,
            _named(table, "model"),
            timeout,
        )

    def guard(self, table: Table) -> Guard:
        """``[guard]``."""
        names = (
            "overrides",
            "verdict_life",
            "unknown_screen",
            "unknown_touch",
            "mode",
            "ask_timeout",
            "look_age",
            "contracts",
        )
        table.only(names)
        life = _seconds(table, "verdict_life", 0.1, _LONGEST_LIFE)
        screen = table.one_of("unknown_screen", UNKNOWN, None)
        touch = table.one_of("unknown_touch", UNKNOWN, None)
        if table.left.get("mode") == "shadow":
            raise _wrong(
                table,
                "mode",
                'no file sets the mode "shadow", in which nothing is held back',
                'give it when you start a run: `--mode shadow`, in Python `Settings(mode="shadow")`',
            )
        mode = table.one_of("mode", FILE_MODES, None)
        timeout = _seconds(table, "ask_timeout", 1, _LONGEST_LIFE)
        look = _seconds(table, "look_age", 0, _LONGEST_LIFE)
        return Guard(
            _whole(table, "overrides", 0, _MOST_OVERRIDES),
            life,
            cast(Literal["warn", "confirm", "block"] | None, screen),
            cast(Literal["warn", "confirm", "block"] | None, touch),
            cast(FileMode | None, mode),
            timeout,
            look,
            table.take("contracts", bool, None),
        )

    def budget(self, table: Table) -> Budget:
        """``[budget]``."""
        names = ("rows", "bindings", "steps")
        table.only((*names, "seconds"))
        rows, bindings, steps = (_whole(table, name, 1, _LARGEST_BUDGET) for name in names)
        return Budget(rows, bindings, steps, _number(table, "seconds", 0.01, _LONGEST_STEP))

    def device(self, table: Table) -> Device:
        """``[device]``."""
        table.only(("trace", "trace_folders"))
        return Device(_kinds(table, "trace"), _folders(table, "trace_folders"))

    def trace(self, table: Table) -> Trace:
        """``[trace]``."""
        table.only(("kinds", "folders", "ignore", "budget", "hash_below"))
        budget = _number(table, "budget", 0.1, _LONGEST_TRACE)
        return Trace(
            _kinds(table, "kinds"),
            _folders(table, "folders"),
            _ignored(table, "ignore"),
            budget,
            _whole(table, "hash_below", 0, _LARGEST_HASHED),
        )

    def encode(self, table: Table) -> Encode:
        """``[encode]``."""
        table.only(("prices", "memory"))
        for key in ("prices", "memory"):  # what names no file is said before a file that is missing
            _place(table, key)
        return Encode(_file(table, "prices"), _owners(table, "memory"))

    def secrets(self, table: Table) -> Secrets:
        """``[secrets]``."""
        table.only(("lexicon", "redact"))
        lexicon = _file(table, "lexicon")
        return Secrets((lexicon,) if lexicon is not None else (), _redact(table, "redact"))


def _kind(value: object) -> str:
    """The kind of a TOML value, for messages."""
    match value:
        case bool():
            return "true or false"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or time"
