"""Combines the configurations that are in force for a spec: the user's, that of the working folder, and the spec's.

A configuration next to a spec comes from the author of the spec. So a nearer file can never remove what another one
demands: policies are added, and of two settings of the guard the stricter one is used. Only the user's own file may be
less strict than the defaults, and only it says how texts are compared: fewer similar texts permit more under
``deny .. ~=`` and under ``!~=``, so there is no stricter way.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from vsalang.base.config.configuration import Budget, Config, Device, Guard, Secrets, Similarity, Trace
from vsalang.base.config.read import (
    FILE,
    PROJECT,
    UNKNOWN,
    ConfigError,
    configurations,
    display_path,
    read_config,
    users_file,
)
from vsalang.base.names import FileMode
from vsalang.base.resources import shipped_module
from vsalang.base.source import read_source
from vsalang.base.source.files import near, real_path
from vsalang.base.source.toml import line_of

USUAL: Final = Config(
    guard=Guard(
        overrides=3,
        verdict_life=dt.timedelta(seconds=5),
        unknown_screen="confirm",
        unknown_touch="confirm",
        look_age=dt.timedelta(seconds=1),
        contracts=True,
    ),
    similarity=Similarity(backend="words", spelling=0, threshold=0.7),
)
"""What holds where the user says nothing: the defaults of `vsalang.guard.Settings` and `vsalang.models.similarity`."""
CONTRACTS: Final = "std.contracts"
"""What is expected of gestures in every session, unless its owner wants none of it."""
_STRICT: Final = ("overrides", "verdict_life", "unknown_screen", "unknown_touch", "look_age", "contracts")
"""Of ``[guard]`` what a project may only say more strictly."""
_COMPARED: Final = ("backend", "spelling", "threshold")
"""Of ``[similarity]`` what a project may only repeat."""
_OWNERS: Final = ("endpoint", "model", "timeout")
"""Of ``[similarity]`` what only the user's own file says: texts of screens are sent there."""


def policy_files(config: Config, named: Iterable[str | Path]) -> tuple[str, ...]:
    """The policies that the configurations have in force, then those named, each once."""
    files = (*(near(str(path)) for path in config.policies), *(_policy(str(name)) for name in named))
    return tuple({real_path(file): file for file in reversed(files)}.values())[::-1]


def _policy(name: str) -> str:
    """The file of a policy: the name of one that comes with vsalang, or a file."""
    path = shipped_module(name)
    return near(str(path)) if path is not None else name


def standard_in_force(config: Config, contracts: bool = True) -> tuple[str, ...]:
    """The modules of the standard library that are in force in a session, although nothing imports them.

    Args:
        config: what is in force for the spec.
        contracts: False: the caller wants no contracts.
    """
    return (CONTRACTS,) if contracts and config.guard.contracts is not False else ()


def config_in_force(path: str | Path) -> Config:
    """What is in force for a file: all configurations on the way to it.

    These are the user's own, then those of the working folder and the folders above it, then those of the file's
    folder and the folders above. `Config.files` names them in this order.

    Args:
        path: the file; it need not exist.

    Raises:
        SourceError: one of them cannot be read or used, or is less strict than the user's own.
        OSError: a folder cannot be searched.
    """
    own = users_file()
    owners = read_config(own) if own is not None and own.exists() else None
    near = list(configurations(path))
    around = list(configurations(Path.cwd() / FILE))
    nearest: list[Config] = []
    known = {real_path(own)} if owners is not None and own is not None else set()
    for file in (*near, *around):
        if real_path(file) not in known:
            known.add(real_path(file))
            nearest.append(read_config(file))
    for config in nearest:
        _check(config, owners or Config())
    every = [*nearest, *([owners] if owners is not None else [])]
    if not every:
        return Config()
    return Config(
        file=every[0].file,
        search=next((config.search for config in every if near and config.file == near[0]), ()),
        policies=_all(config.policies for config in reversed(every)),
        exclude=every[0].exclude,
        engine=_first(every, "engine"),
        language=_first(every, "language"),
        lint=every[0].lint,
        similarity=_firsts(Similarity(), [config.similarity for config in every]),
        guard=_guard([config.guard for config in every]),
        budget=_firsts(Budget(), [config.budget for config in every]),
        device=Device(
            _all(config.device.trace for config in reversed(every)),
            _all(config.device.trace_folders for config in reversed(every)),
        ),
        trace=Trace(
            _all(config.trace.kinds for config in reversed(every)),
            _all(config.trace.folders for config in reversed(every)),
            owners.trace.ignore if owners is not None else (),
            _most(config.trace.budget for config in every),
            _most(config.trace.hash_below for config in every),
        ),
        encode=every[0].encode,
        secrets=Secrets(
            _all(config.secrets.lexicon for config in reversed(every)),
            frozenset(_all(tuple(config.secrets.redact or ()) for config in every)),
        ),
        files=_all(config.files for config in reversed(every)),
        owners=owners.policies if owners is not None else (),
    )


def _check(config: Config, owners: Config) -> None:
    """Refuse a file that would make the guard less strict than the user's own file says, or than is usual, or that
    would compare texts otherwise.

    Raises:
        ConfigError: it would.
    """
    for table, names in (("guard", _STRICT), ("similarity", _COMPARED)):
        settings, own, usual = (getattr(one, table) for one in (config, owners, USUAL))
        for name in names:
            value = getattr(settings, name)
            most = own_value if (own_value := getattr(own, name)) is not None else getattr(usual, name)
            if value is None:
                continue
            if table == "similarity" and value != most:
                message = (
                    f"`{name} = {_text(value)}` would compare texts otherwise than `{_text(most)}`, "
                    "so that other rules hold"
                )
                raise _refused(config, table, name, message)
            if table == "guard" and _strict(name, value) > _strict(name, most):
                message = f"`{name} = {_text(value)}` would make the guard less strict than `{_text(most)}`"
                raise _refused(config, table, name, message)
    if config.trace.ignore:
        message = "a project does not say by `ignore` which changes of files rules do not get to know"
        raise _refused(config, "trace", "ignore", message)
    for name in _OWNERS:
        if getattr(config.similarity, name) is not None:
            message = f"a project does not say by `{name}` who is sent texts of the phone's screens"
            raise _refused(config, "similarity", name, message)


def _refused(config: Config, table: str, name: str, message: str) -> ConfigError:
    file = config.file
    assert file is not None
    prefix = ("tool", "vsac") if file.name == PROJECT else ()
    line = line_of(read_source(file).text, (*prefix, table, name))
    place = display_path(file) + (f":{line}" if line else "")
    own = users_file()
    may = "leave it out" if table in ("similarity", "trace") else "a project may only be stricter"
    where = f"in {own}, which is yours" if own is not None else "in your own configuration"
    return ConfigError(
        "E0022",
        display_path(file),
        f"{place}: {message}",
        f"{may}; what you allow for all projects is {where}",
    )


def _strict(name: str, value: Any) -> Any:
    """Settings whose smaller value is stricter."""
    match name:
        case "unknown_screen" | "unknown_touch":
            return -UNKNOWN.index(value)
        case "contracts":
            return not value
    return value


def _strictest(guards: list[Guard]) -> dict[str, Any]:
    """The strictest value of each setting, if any file has one."""
    strictest: dict[str, Any] = {}
    for name in _STRICT:
        values = [value for part in guards if (value := getattr(part, name)) is not None]
        strictest[name] = min(values, key=partial(_strict, name)) if values else None
    return strictest


def _guard(guards: list[Guard]) -> Guard:
    """The strictest value of each setting, if there is one; else that of the nearest file."""
    modes = {guard.mode for guard in guards}
    mode: FileMode | None = None
    if modes & {"ask", "enforce"}:
        mode = "ask" if "ask" in modes else "enforce"
    return Guard(**_strictest(guards), mode=mode, ask_timeout=_first(guards, "ask_timeout"))


def _all(lists: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """All items, each once."""
    return tuple(dict.fromkeys(item for items in lists for item in items))


def _most(values: Iterable[Any]) -> Any:
    """The greatest value that is given."""
    return max((value for value in values if value is not None), default=None)


def _first(parts: Iterable[Any], name: str) -> Any:
    """The first value that is given."""
    return next((value for part in parts if (value := getattr(part, name)) is not None), None)


def _firsts(empty: Any, parts: list[Any]) -> Any:
    return replace(empty, **{name: _first(parts, name) for name in empty.__slots__})


def _text(value: Any) -> str:
    if isinstance(value, dt.timedelta):
        return f"{value.total_seconds():g}"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
