"""Finds, reads and checks a project's configuration. Everything that is not understood is an error."""

import datetime as dt
import hashlib
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

from vsalang.base.config.model import Budget, Config, Device, Encode, Guard, Lint, Secrets, Similarity, Trace
from vsalang.base.diagnostics import Severity
from vsalang.base.diagnostics.display import safe
from vsalang.base.names import ENGINES, FILE_MODES, FORMER_ENGINES, LANGUAGES, EngineName, FileMode, Language
from vsalang.base.records import dataclass
from vsalang.base.resources import shipped_module
from vsalang.base.source import SourceError, read_source
from vsalang.base.source.files import real_path
from vsalang.base.source.private import home_folder
from vsalang.base.source.suggest import did_you_mean
from vsalang.base.source.toml import line_of

FILE = "vsac.toml"
PROJECT = "pyproject.toml"
BACKENDS = ("folded", "words", "embeddings")
"""The backends of ``~=``, the strictest first; ``words`` is the default."""
_LONGEST_REQUEST = 30
LEVELS: Mapping[str, Severity | None] = MappingProxyType(
    {"error": Severity.ERROR, "warning": Severity.WARNING, "hint": Severity.INFO, "off": None}
)
UNKNOWN_SCREEN = ("warn", "confirm", "block")
"""The verdicts that may be set for gestures on an unknown screen. Never ``allow``: the unknown permits nothing."""

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
    """The error for a configuration that cannot be used: the message names the line, the hint says what to do."""


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
        return read_config(file, lint_codes=lint_codes)
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
                    shown(own),
                    f"{shown(own)} and [tool.vsac] in {shown(project)} both configure this project",
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
    text, document = _document(file)
    prefix: tuple[str, ...] = ()
    table: Any = document
    if file.name == PROJECT:
        prefix = ("tool", "vsac")
        table = _section(file)
        if table is None:
            return Config(file)
    return _Reader(file, text, prefix, lint_codes).config(table)


def read_ignored(file: Path) -> tuple[str, ...]:
    """The globs in a file that ``vsac trace baseline`` wrote: ``[trace] ignore``.

    Raises:
        SourceError: it cannot be read, is not TOML, or holds something else.
    """
    text, document = _document(file)
    reader = _Reader(file, text, (), None)
    table = reader.table(reader.table(document, (), ("trace",)).get("trace", {}), ("trace",), ("ignore",))
    found = reader.texts(table, ("trace", "ignore"))
    for each in found:
        if not each.startswith("/"):
            raise reader.wrong(
                ("trace", "ignore"),
                f"`ignore` holds globs of files of the device, not {safe(each, 60)}",
                'such as "/sdcard/Android/**"',
            )
    return found


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


def _document(file: Path) -> tuple[str, dict[str, Any]]:
    text = read_source(file, shown=shown(file)).text
    try:
        return text, tomllib.loads(text)
    except (
        ValueError,
        RecursionError,
    ) as error:  # ValueError: also a number of more digits than Python reads
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConfigError(
            "E0020",
            shown(file),
            f"{shown(file)} is not TOML: {safe(reason, 200)}",
            "texts are written in quotes, tables in [brackets]: https://toml.io",
        ) from None


def _section(file: Path) -> Any:
    """``[tool.vsac]`` of a pyproject.toml, or None."""
    tool = _document(file)[1].get("tool")
    return tool.get("vsac") if isinstance(tool, dict) else None


def shown(path: Path) -> str:
    """The name of a file for messages: relative to the working folder if it is below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def _other_codes() -> frozenset[str]:
    from vsalang.base.diagnostics.codes import CODES

    return frozenset(code for code in CODES if code.startswith(("V", "W")))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the tables of one file; `prefix` is the path of the configuration in it."""

    file: Path
    text: str
    prefix: tuple[str, ...]
    lint_codes: Collection[str] | None

    def config(self, table: Any) -> Config:
        """The whole configuration."""
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
        top = self.table(table, (), names)
        return Config(
            self.file,
            self.paths(top, "search", folder=True),
            self.paths(top, "policies", folder=False),
            self.patterns(top, "exclude"),
            cast(EngineName | None, self.word(top, ("engine",), ENGINES)),
            cast(Language | None, self.word(top, ("language",), LANGUAGES)),
            self.lint(top.get("lint", {})),
            self.similarity(top.get("similarity", {})),
            self.guard(top.get("guard", {})),
            self.budget(top.get("budget", {})),
            self.device(top.get("device", {})),
            self.trace(top.get("trace", {})),
            self.encode(top.get("encode", {})),
            self.certificates(top.get("certificates", {})),
            self.secrets(top.get("secrets", {})),
            ((self.file, hashlib.sha256(self.text.encode()).hexdigest()),),
        )

    def wrong(
        self, path: tuple[str, ...], message: str, hint: str = "", *, code: str = "E0022"
    ) -> ConfigError:
        """An error at a key."""
        line = line_of(self.text, (*self.prefix, *path))
        place = shown(self.file) + (f":{line}" if line else "")
        return ConfigError(code, shown(self.file), f"{place}: {message}", hint)

    def table(self, value: Any, path: tuple[str, ...], names: Collection[str]) -> dict[str, Any]:
        """A table with no other keys than these."""
        where = f"[{'.'.join((*self.prefix, *path))}]" if (*self.prefix, *path) else "the file"
        if not isinstance(value, dict):
            raise self.wrong(path, f"{where} is a table, not {_kind(value)}", f"write {where} on a line")
        for name in value:
            if name not in names:
                known = ", ".join(names)
                raise self.wrong(
                    (*path, name),
                    f"{where} has no key `{safe(name, 60)}`",
                    did_you_mean(name, names) or f"the keys are {known}",
                    code="E0021",
                )
        return value

    def texts(self, table: dict[str, Any], path: tuple[str, ...]) -> tuple[str, ...]:
        """A list of texts, none of them empty."""
        value = table.get(path[-1], [])
        if not isinstance(value, list):
            raise self.wrong(
                path, f"`{path[-1]}` is a list of texts, not {_kind(value)}", 'write ["..", ".."]'
            )
        for item in value:
            if not isinstance(item, str):
                raise self.wrong(path, f"`{path[-1]}` holds texts only, not {_kind(item)}")
            if not item.strip() or "\0" in item:
                raise self.wrong(path, f"`{path[-1]}` holds an empty name")
        return tuple(value)

    def paths(self, table: dict[str, Any], name: str, *, folder: bool) -> tuple[Path, ...]:
        """Existing files or folders, relative to the file's folder."""
        found: list[Path] = []
        for text in self.texts(table, (name,)):
            shipped = None if folder else shipped_module(text)
            path = shipped or self.file.parent / text
            if not (path.is_dir() if folder else path.is_file()):
                what = "folder" if folder else "file"
                raise self.wrong(
                    (name,),
                    f"there is no {what} `{safe(text, 200)}`",
                    f"paths are seen from the folder of {self.file.name}",
                )
            found.append(path.resolve())
        return tuple(dict.fromkeys(found))

    def patterns(self, table: dict[str, Any], name: str) -> tuple[str, ...]:
        """Patterns of files and folders below the file's folder, with ``*`` for any text; they need not exist."""
        found = self.texts(table, (name,))
        for text in found:
            hint = f'such as "vendor/" or "drafts/*.vsa", seen from the folder of {self.file.name}'
            if text.startswith("/") or "\\" in text or re.match(r"[A-Za-z]:", text):
                raise self.wrong(
                    (name,), f"`{name}` holds paths with `/` from here, not `{safe(text, 200)}`", hint
                )
            if ".." in text.split("/") or not any(part not in ("", ".") for part in text.split("/")):
                message = f"`{safe(text, 200)}` is no file or folder below the folder of {self.file.name}"
                raise self.wrong((name,), message, hint)
        return found

    def number(
        self, table: dict[str, Any], path: tuple[str, ...], low: float, high: float, *, whole: bool = True
    ) -> Any:
        """A number within bounds, or None."""
        value = table.get(path[-1])
        if value is None:
            return None
        fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        what = "a whole number" if whole else "a number"
        if not fits:
            raise self.wrong(path, f"`{path[-1]}` is {what}, not {_kind(value)}")
        if not low <= value <= high:  # neither is nan
            raise self.wrong(path, f"`{path[-1]}` is {what} from {low} to {high}, not {safe(str(value), 40)}")
        return value

    def truth(self, table: dict[str, Any], path: tuple[str, ...]) -> bool | None:
        """true or false, or None."""
        value = table.get(path[-1])
        if value is not None and not isinstance(value, bool):
            raise self.wrong(path, f"`{path[-1]}` is true or false, not {_kind(value)}")
        return value

    def word(self, table: dict[str, Any], path: tuple[str, ...], words: Collection[str]) -> str | None:
        """One of some words, or None."""
        value = table.get(path[-1])
        if value is None:
            return None
        choices = " or ".join(f'"{word}"' for word in words)
        if not isinstance(value, str):
            raise self.wrong(path, f"`{path[-1]}` is {choices}, not {_kind(value)}")
        if value not in words:
            hint = FORMER_ENGINES.get(value, "") if words is ENGINES else ""
            hint = hint or did_you_mean(value, words)
            raise self.wrong(path, f'`{path[-1]}` is {choices}, not "{safe(value, 60)}"', hint)
        return value

    def code(self, path: tuple[str, ...], name: str) -> str:
        """The code of a lint rule, of a warning of `vsac check` (W), or of what `vsac lint --deep` finds (V)."""
        if not re.fullmatch(r"[LVW][0-9]{4}", name):
            raise self.wrong(path, f"`{safe(name, 40)}` is no lint rule", "codes look like L0004")
        if self.lint_codes is not None and name not in self.lint_codes and name not in _other_codes():
            raise self.wrong(
                path,
                f"there is no lint rule `{name}`",
                did_you_mean(name, self.lint_codes) or "`vsac explain` lists all codes",
            )
        return name

    def lint(self, value: Any) -> Lint:
        """``[lint]``."""
        table = self.table(value, ("lint",), ("select", "ignore", "levels"))
        select = frozenset(
            self.code(("lint", "select"), name) for name in self.texts(table, ("lint", "select"))
        )
        if "select" in table and not select:
            raise self.wrong(
                ("lint", "select"), "`select` names no code", "leave it out to look for everything"
            )
        ignore = frozenset(
            self.code(("lint", "ignore"), name) for name in self.texts(table, ("lint", "ignore"))
        )
        given = table.get("levels", {})
        if not isinstance(given, dict):
            raise self.wrong(("lint", "levels"), f"`levels` is a table, not {_kind(given)}")
        levels: dict[str, Severity | None] = {}
        for name in given:
            path = ("lint", "levels", name)
            level = self.word(given, path, LEVELS)
            assert level is not None
            levels[self.code(path, name)] = LEVELS[level]
        return Lint(select if "select" in table else None, ignore, MappingProxyType(levels))

    def similarity(self, value: Any) -> Similarity:
        """``[similarity]``."""
        names = ("backend", "spelling", "threshold", "endpoint", "model", "timeout")
        table = self.table(value, ("similarity",), names)
        threshold = self.number(table, ("similarity", "threshold"), 0, 1, whole=False)
        timeout = self.number(table, ("similarity", "timeout"), 0.1, _LONGEST_REQUEST, whole=False)
        endpoint = self.named(table, ("similarity", "endpoint"))
        if endpoint is not None and endpoint != "local" and not re.match(r"https?://[^\s/]+", endpoint):
            raise self.wrong(
                ("similarity", "endpoint"),
                f'`endpoint` is an address or "local", not {safe(endpoint, 60)}',
                'such as "http://localhost:11434/v1"',
            )
        return Similarity(
            self.word(table, ("similarity", "backend"), BACKENDS),
            self.number(table, ("similarity", "spelling"), 0, 1),
            float(threshold) if threshold is not None else None,
            endpoint,
            self.named(table, ("similarity", "model")),
            float(timeout) if timeout is not None else None,
        )

    def named(self, table: dict[str, Any], path: tuple[str, ...]) -> str | None:
        """A text of one line that is not empty, or None."""
        value = table.get(path[-1])
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.wrong(path, f"`{path[-1]}` is a text, not {_kind(value)}")
        if not value.strip() or not value.isprintable():
            raise self.wrong(path, f"`{path[-1]}` is empty, or has characters that do not print")
        return value.strip()

    def guard(self, value: Any) -> Guard:
        """``[guard]``."""
        names = (
            "overrides",
            "verdict_life",
            "unknown_screen",
            "mode",
            "ask_timeout",
            "look_age",
            "contracts",
        )
        table = self.table(value, ("guard",), names)
        life = self.number(table, ("guard", "verdict_life"), 0.1, _LONGEST_LIFE, whole=False)
        screen = self.word(table, ("guard", "unknown_screen"), UNKNOWN_SCREEN)
        if table.get("mode") == "shadow":
            raise self.wrong(
                ("guard", "mode"),
                'no file sets the mode "shadow", in which nothing is held back',
                'whoever starts a run says so: `--mode shadow`, in Python `Settings(mode="shadow")`',
            )
        mode = self.word(table, ("guard", "mode"), FILE_MODES)
        timeout = self.number(table, ("guard", "ask_timeout"), 1, _LONGEST_LIFE, whole=False)
        look = self.number(table, ("guard", "look_age"), 0, _LONGEST_LIFE, whole=False)
        return Guard(
            self.number(table, ("guard", "overrides"), 0, _MOST_OVERRIDES),
            dt.timedelta(seconds=life) if life is not None else None,
            cast(Literal["warn", "confirm", "block"] | None, screen),
            cast(FileMode | None, mode),
            dt.timedelta(seconds=timeout) if timeout is not None else None,
            dt.timedelta(seconds=look) if look is not None else None,
            self.truth(table, ("guard", "contracts")),
        )

    def budget(self, value: Any) -> Budget:
        """``[budget]``."""
        names = ("rows", "bindings", "steps")
        table = self.table(value, ("budget",), (*names, "seconds"))
        rows, bindings, steps = (self.number(table, ("budget", name), 1, _LARGEST_BUDGET) for name in names)
        seconds = self.number(table, ("budget", "seconds"), 0.01, _LONGEST_STEP, whole=False)
        return Budget(rows, bindings, steps, float(seconds) if seconds is not None else None)

    def device(self, value: Any) -> Device:
        """``[device]``."""
        table = self.table(value, ("device",), ("trace", "trace_folders"))
        return Device(
            self.kinds(table, ("device", "trace")), self.folders(table, ("device", "trace_folders"))
        )

    def trace(self, value: Any) -> Trace:
        """``[trace]``."""
        table = self.table(value, ("trace",), ("kinds", "folders", "ignore", "budget", "hash_below"))
        budget = self.number(table, ("trace", "budget"), 0.1, _LONGEST_TRACE, whole=False)
        return Trace(
            self.kinds(table, ("trace", "kinds")),
            self.folders(table, ("trace", "folders")),
            self.ignored(table, ("trace", "ignore")),
            float(budget) if budget is not None else None,
            self.number(table, ("trace", "hash_below"), 0, _LARGEST_HASHED),
        )

    def kinds(self, table: dict[str, Any], path: tuple[str, ...]) -> tuple[str, ...]:
        """Kinds of traces."""
        found = self.texts(table, path)
        for name in found:
            self.word({path[-1]: name}, path, TRACES)
        return found

    def folders(self, table: dict[str, Any], path: tuple[str, ...]) -> tuple[str, ...]:
        """Folders of the device; ``/**`` at the end of one says nothing more."""
        found = tuple(folder.removesuffix("**") for folder in self.texts(table, path))
        for folder in found:
            if not re.fullmatch(r"/(?!$)[\w./-]+", folder, re.ASCII) or ".." in folder.split("/"):
                raise self.wrong(
                    path,
                    f"`{path[-1]}` holds absolute paths of the device, not {safe(folder, 60)}",
                    'such as "/sdcard/Download"',
                )
        return found

    def ignored(self, table: dict[str, Any], path: tuple[str, ...]) -> tuple[str, ...]:
        """Globs of files of the device, and files with such globs, which stand for what they hold."""
        found: list[str] = []
        for text in self.texts(table, path):
            if text.startswith("/"):
                found.append(text)
                continue
            file = self.file.parent / text
            if file.suffix != ".toml" or not file.is_file():
                raise self.wrong(
                    path,
                    f"`{path[-1]}` holds globs of the device's files, and TOML files, not {safe(text, 60)}",
                    'such as "/sdcard/Android/**", or a file that `vsac trace baseline -o FILE` wrote',
                )
            found += read_ignored(file)
        return _each_once(found)

    def encode(self, value: Any) -> Encode:
        """``[encode]``."""
        table = self.table(value, ("encode",), ("prices", "memory"))
        prices, memory = (self.place(table, ("encode", name)) for name in ("prices", "memory"))
        if prices is not None and not prices.is_file():
            hint = f"paths are seen from the folder of {self.file.name}"
            raise self.wrong(("encode", "prices"), f"there is no file `{safe(table['prices'], 200)}`", hint)
        self.owners(memory, ("encode", "memory"))
        return Encode(prices.resolve() if prices is not None else None, memory)

    def certificates(self, value: Any) -> Path | None:
        """The file of ``[certificates]``."""
        path = ("certificates", "file")
        place = self.place(self.table(value, path[:1], path[1:]), path)
        self.owners(place, path)
        return place

    def secrets(self, value: Any) -> Secrets:
        """``[secrets]``."""
        table = self.table(value, ("secrets",), ("lexicon", "redact"))
        lexicon = self.place(table, ("secrets", "lexicon"))
        if lexicon is not None and not lexicon.is_file():
            hint = f"paths are seen from the folder of {self.file.name}"
            raise self.wrong(
                ("secrets", "lexicon"), f"there is no file `{safe(table['lexicon'], 200)}`", hint
            )
        return Secrets((lexicon.resolve(),) if lexicon is not None else (), self.redact(table))

    def redact(self, table: dict[str, Any]) -> frozenset[str] | None:
        """The kinds of ``redact``: true is all of them, false none."""
        path = ("secrets", "redact")
        if isinstance(table.get("redact", False), bool):
            said = self.truth(table, path)
            return None if said is None else frozenset(SECRETS if said else ())
        kinds = self.texts(table, path)
        for kind in kinds:
            self.word({"redact": kind}, path, SECRETS)
        return frozenset(kinds)

    def owners(self, memory: Path | None, path: tuple[str, ...]) -> None:
        """Make sure that only the user's own configuration says where a memory is. Raises `ConfigError`."""
        own = users_file()
        if memory is not None and (own is None or real_path(self.file) != real_path(own)):
            raise self.wrong(
                path,
                "no project says where your memory is",
                f"your own configuration does: {own}; or use --memory",
            )

    def place(self, table: dict[str, Any], path: tuple[str, ...]) -> Path | None:
        """A file that a table names, seen from the configuration, or None; it need not exist."""
        value = table.get(path[-1])
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise self.wrong(path, f"`{path[-1]}` is the name of a file, not {_kind(value)}")
        return self.file.parent / value


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
