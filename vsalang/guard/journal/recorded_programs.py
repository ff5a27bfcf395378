"""The program of a recorded session: out of the texts in the journal, or out of other files."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.recorded_session import Session, refuse_redacted
from vsalang.guard.journal.values_json import understood, want
from vsalang.language.semantics import Loaded, load

_NO_TEXTS: Final[Mapping[Path, str]] = MappingProxyType({})


def recorded_program(session: Session) -> Loaded:
    """The program as it was when the session was recorded, even if its files have changed.

    Raises:
        JournalError: the journal does not hold it, or another one comes of its texts.
    """
    with understood(session.path):
        loaded = _load(session, None, None)
    if loaded.program is None or loaded.program.digest != session.header.get("digest"):
        refuse_redacted(session)
    if loaded.program is None:
        words = "; ".join(d.message for d in loaded.diagnostics[:3])
        raise JournalError(f"{session.path}: the recorded program has errors in this version: {words}")
    if loaded.program.digest != session.header.get("digest"):
        raise JournalError(
            f"{session.path}: the recorded texts are not the program that was run: its hash is another"
        )
    return loaded


def other_program(
    session: Session,
    spec: str | None,
    policies: Iterable[str] | None,
    search: Iterable[Path] = (),
    texts: Mapping[Path, str] | None = None,
) -> Loaded:
    """A program to judge the session by instead.

    Args:
        session: what was recorded.
        spec: another main file, with all that it imports; None: the recorded one.
        policies: the files of the policies in force; None: the recorded ones.
        search: further folders to look for imports in.
        texts: what stands in files of the present, where they need not be read again.
    """
    with understood(session.path):
        return _load(session, spec, policies, search, texts or {})


def _load(
    session: Session,
    spec: str | None,
    policies: Iterable[str] | None,
    search: Iterable[Path] = (),
    texts: Mapping[Path, str] = _NO_TEXTS,
) -> Loaded:
    overlay: dict[Path, str] = dict(texts)
    places: dict[str, Path] = {}
    folders: list[Path] = []
    for source in want(session.header.get("sources", []), list, "sources"):
        file, path, text = _source(source)
        places[file] = path
        overlay[path] = text
        # an import `std.lists` is one folder below the place where it was looked for
        folders += [path.parent, path.parent.parent]
    named = [] if policies is None else [Path(policy).resolve() for policy in policies]
    for path in (*named, *([Path(spec).resolve()] if spec is not None else [])):
        # what is named is meant as it is now
        if path in texts:
            overlay[path] = texts[path]
        else:
            overlay.pop(path, None)
    if spec is not None:
        # a program of the present: its apps are those of the present too
        kept = [places[name] for name in session.header.get("policies", ()) if name in places]
        overlay = {path: text for path, text in overlay.items() if path in kept} if policies is None else {}
        folders = []
    main: Path | str | None = spec if spec is not None else places.get(str(session.header.get("file")))
    if main is None:
        raise JournalError(f"{session.path} does not hold the program's text: name the file with --spec")
    if policies is None:
        recorded = want(session.header.get("policies", []), list, "policies")
        missing = [name for name in recorded if name not in places]
        if missing:
            raise JournalError(f"{session.path} does not hold the text of the policy {missing[0]}")
        in_force = [str(places[name]) for name in recorded]
    else:
        in_force = [str(policy) for policy in policies]
    return load(
        main,
        policies=in_force,
        standard=[
            want(name, str, "a module") for name in want(session.header.get("standard", []), list, "standard")
        ],
        search=(*dict.fromkeys(folders), *search),
        overlay=overlay,
        # what was recorded is whole: a file that lies about by the same name is another one
        sealed=spec is None and policies is None,
    )


def _source(data: Any) -> tuple[str, Path, str]:
    data = want(data, dict, "a source")
    file, text = want(data.get("file"), str, "a file"), want(data.get("text"), str, "a text")
    path = data.get("path")
    if path is None:  # it never was a file
        return file, Path(f"/recorded/{file}.vsa").resolve(), text
    return file, Path(want(path, str, "a path")), text
