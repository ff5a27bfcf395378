"""What the commands of `vsac map` are given: maps, app modules, recordings, apps' files; made into one map."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vsalang.agents.maps import EMPTY, UTG, GuardPolicies, Reader, Recording, UTGError
from vsalang.agents.maps.jsonform import FORMAT, MAX_BYTES, SUFFIX, read_file
from vsalang.agents.maps.logs import bare, recording_of
from vsalang.base.options import option
from vsalang.base.source.opening import read_regular
from vsalang.base.source.suggest import did_you_mean
from vsalang.program.ir import Program
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    Failure,
    load_in_force,
    module_file,
    shipped_modules,
)
from vsalang.tools.cli.frame import Unusable
from vsalang.tools.cli.progress import telling


def app() -> Any:
    """The option ``--app`` (`str | None`)."""
    return option(
        "--app",
        metavar="MODULE",
        help="The app module (or spec) whose `screen` rules name the screens of recordings.",
    )


def made(sources: Sequence[str], app: str | None) -> UTG:
    """The map of all sources, joined.

    Raises:
        Failure: one of them cannot be used.
        Unusable: an app module has errors.
    """
    modules = [source for source in sources if _is_module(source)]
    if len({*modules, *([app] if app else [])}) > 1:
        raise Failure(
            "several app modules are named", "name one .vsa file, which may import the others: a spec does"
        )
    named = app or (modules[0] if modules else None)
    program = program_of(named) if named else None
    utg = UTG.from_program(program) if modules and program is not None else EMPTY
    try:
        for source in sources:
            if _is_module(source):
                continue
            path = Path(source)
            if not path.exists():
                meant = did_you_mean(source, shipped_modules())
                raise Failure(
                    f"there is no {source}", meant or "name a map, an app module, a recording or an .apk"
                )
            if path.is_file() and path.suffix == ".json" and _is_map(path):
                utg = utg.merge(read_file(path))
            elif path.suffix == ".apk" or (path / "AndroidManifest.xml").is_file():
                utg = utg.merge(UTG.from_static(path))
            else:
                utg = _learnt(utg, path, program)
    except UTGError as error:
        raise Failure(str(error), error.hint) from error
    except OSError as error:
        raise Failure(f"cannot read {error.filename}: {(error.strerror or str(error)).lower()}") from error
    return utg


def policies_of(source: str, app: str | None, policies: Sequence[str]) -> GuardPolicies | None:
    """Who judges gestures: the guard of the app module with the policies in force; None: there are no rules.

    Raises:
        Failure: a file cannot be used.
    """
    named = app or (source if _is_module(source) else None)
    files = [*([named] if named else []), *policies]
    return GuardPolicies(program_of(files[0], files[1:])) if files else None


def recording(path: str, app: str | None) -> Recording:
    """What a file or folder recorded.

    Raises:
        Failure: it cannot be used.
    """
    program = program_of(app) if app else None
    if not Path(path).exists():
        raise Failure(f"there is no {path}", "name a recording")
    try:
        with telling() as tell:
            return recording_of(Path(path), Reader(program), tell)[0]
    except UTGError as error:
        raise Failure(str(error), error.hint) from error


def _learnt(utg: UTG, path: Path, program: Program | None) -> UTG:
    if bare(path) is not None:
        return utg.merge(UTG.from_log(path))
    with telling() as tell:
        recording, origin = recording_of(path, Reader(program), tell)
    return utg.learn(recording, origin)


def _is_module(source: str) -> bool:
    return source.endswith(".vsa") or (not Path(source).exists() and source in shipped_modules())


def _is_map(path: Path) -> bool:
    """Whether a file of JSON is a map, by its name or its beginning, not a recording."""
    return path.name.endswith(SUFFIX) or f'"{FORMAT}"'.encode() in read_regular(path, MAX_BYTES)[:200]


def program_of(name: str, policies: Sequence[str] = ()) -> Program:
    """The program of a module with policies.

    Raises:
        Unusable: it has errors.
    """
    loaded = load_in_force(module_file(name), policies)
    if loaded.program is None:
        raise Unusable.of(loaded, EXIT_FAILED)
    return loaded.program
