"""Finds, reads and parses a module with all its imports."""

import errno
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from vsalang.base.diagnostics import Edit, Fix
from vsalang.base.diagnostics.display import safe
from vsalang.base.resources import SHIPPED, resource_dir
from vsalang.base.source import Source, SourceError, Span, read_source
from vsalang.base.source.files import decode, real_path
from vsalang.base.source.opening import open_regular
from vsalang.base.source.suggest import nearest
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.wording import a
from vsalang.language.syntax import parse
from vsalang.language.syntax import tree as t
from vsalang.program.word_lists import SUFFIX, Entry, Flaw, read_entries

MAX_MODULES = 500
"""More modules than this in one program are refused."""
APPS = "apps"
"""The folder of the app modules that come with vsac, and so the first part of their names."""
MAX_WORDS = 1024 * 1024
"""A larger file of words is refused, in bytes."""
_FILE = re.compile(r"\w[\w.-]*")
MAX_DEPTH = 60
"""A longer chain of imports is refused."""

_IMPORTS = {
    "app": ("app", "module"),
    "spec": ("app", "module"),
    "policy": ("app", "module", "policy"),
    "module": ("module",),
}


@lru_cache(128)
def _read_once(text: str) -> tuple[tuple[Entry, ...], tuple[Flaw, ...]]:
    """The entries of a list, and what is wrong with it; of one text they are read once."""
    entries, flaws = read_entries(text)
    return tuple(entries), tuple(flaws)


@dataclass(frozen=True)
class WordFile:
    """A list of words in a file; without entries where it has a mistake, which was reported."""

    source: Source
    entries: tuple[Entry, ...]


@dataclass
class Unit:
    """One module while it is checked.

    Attributes:
        tree: its syntax tree; items that did not parse are missing.
        broken: whether anything of it did not parse.
        lost_text: the text that did not parse.
        words: the lists of words in files, by the name of the file as the module writes it.
        imports: what it imports, by the name that the file uses for it.
        failed: imports that could not be loaded: unknown names may be theirs, and are not reported.
        edited: whether it is the text of an editor, of which only what changed is looked at again.
    """

    source: Source
    tree: t.Module
    broken: bool
    imports: dict[str, "Unit"] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    lost_text: str = ""
    words: dict[str, WordFile] = field(default_factory=dict)
    edited: bool = False

    def entries(self, words: t.WordsOf) -> Sequence[t.WordEntry | Entry]:
        """The entries of a list of words of this module; none of a file that could not be read, or has a mistake."""
        if words.file is None:
            return words.entries
        read = self.words.get(words.file.value)
        return read.entries if read is not None else ()

    def forms(self, words: t.WordsOf) -> tuple[str, ...]:
        """The words of a list of this module, all forms written out."""
        return tuple(form for entry in self.entries(words) for form in entry.forms)

    @property
    def name(self) -> str:
        return self.tree.name.text

    @property
    def kind(self) -> str:
        """app, spec, policy or module."""
        return self.tree.kind


@dataclass(frozen=True)
class _ImportableModules:
    """What an importing file could import, for messages about what it cannot.

    Attributes:
        modules: their names.
        apps: those of the apps that come with vsac, without `APPS`.
        searched: the folders in which imports are looked for, as text.
    """

    modules: tuple[str, ...]
    apps: tuple[str, ...]
    searched: str


@dataclass
class Loading:
    """Loads each unit once. `sources` holds every file that was read; in `units` imports come first."""

    report: Report
    search: tuple[Path, ...] = ()
    overlay: Mapping[Path, str] = field(default_factory=dict)
    sealed: bool = False  # nothing but the overlay is read
    from_cache: bool = (
        False  # trees may come from the disk, and those of edited texts from their last version
    )
    units: list[Unit] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    _done: dict[Path | str, Unit | None] = field(default_factory=dict)
    _stack: list[tuple[Path, str]] = field(default_factory=list)
    _known: dict[Path, "_ImportableModules"] = field(default_factory=dict)

    def read(self, path: Path, file_text: str | None = None) -> Source | None:
        """A file's text, or an editor's buffer of it; None if it cannot be read, which was reported."""
        try:
            text = self._edited(path)
            if text is not None:
                return Source(file_text or str(path), text, path)
            return read_source(path, name=file_text)
        except SourceError as problem:
            self.report.error(problem.code, None, problem.message, help=problem.hint, file=problem.path)
            return None
        except OSError as problem:
            self.report.error("E0001", None, f"cannot read {path}: {problem.strerror}", file=str(path))
            return None

    def _edited(self, path: Path) -> str | None:
        """An editor's buffer of a file."""
        return self.overlay.get(real_path(path)) if self.overlay else None

    def main(self, path: Path) -> Unit | None:
        """Load a file named by the user, with its imports."""
        source = self.read(path)
        return self.unit(source) if source else None

    def standard(self, name: str) -> Unit | None:
        """Load a module of the standard library that nothing need import."""
        path = self.find(name, Path.cwd() / "<text>")
        if path is None:
            self.report.error("E0201", None, f"there is no module `{name}`", file=name)
            return None
        source = self.read(path, _relative(path))
        return self.unit(source) if source else None

    def unit(self, source: Source) -> Unit | None:
        """Parse a source and load what it imports."""
        path = real_path(source.path) if source.path else None
        key: Path | str = path or source.file
        if key in self._done:
            return self._done[key]
        self._done[key] = None
        self.sources[source.file] = source
        edited = self.from_cache and (source.path is None or self._edited(source.path) is not None)
        parsed = parse(source, from_cache=self.from_cache, edited=edited)
        self.report.diagnostics.extend(parsed.diagnostics)
        self.report.errors += len(parsed.diagnostics)
        if parsed.module is None:
            return None
        lost = [source.slice(span) for span in parsed.broken]
        unit = Unit(source, parsed.module, bool(lost), lost_text=" ".join(lost), edited=edited)
        # an import that did not parse may declare any name
        unit.failed.update(text for text in lost if text.lstrip().startswith("import"))
        place = path or Path.cwd() / "<text>"
        self._word_files(unit, path)
        self._stack.append((place, unit.name))
        try:
            for item in unit.tree.imports:
                self._import(unit, item, place)
        finally:
            self._stack.pop()
        self.units.append(unit)
        self._done[key] = unit
        return unit

    def _word_files(self, unit: Unit, path: Path | None) -> None:
        """Read the lists of words that a module has in files."""
        for item in unit.tree.items:
            if not isinstance(item, t.Let) or not isinstance(item.value, t.WordsOf):
                continue
            named = item.value.file
            if named is None or named.value in unit.words:
                continue
            source = self._word_file(named, path)
            if source is None:
                continue
            entries, flaws = _read_once(source.text)
            for flaw in flaws:
                span = Span(source.file, flaw.start, flaw.end)
                self.report.error("E0152", span, flaw.message, help=flaw.help)
            unit.words[named.value] = WordFile(source, () if flaws else entries)

    def _word_file(self, named: t.Text, path: Path | None) -> Source | None:
        """The text of a file of words, or an editor's buffer of it; None if it cannot be used, which was reported."""

        def refused(message: str, remedy: str) -> Source | None:
            self.report.error("E0218", named.span, message, help=remedy)
            return None

        name = named.value
        parts = name.split("/")
        # no other file is ever read for a list, nor shown in a message
        if not name.endswith(SUFFIX) or not all(map(_FILE.fullmatch, parts)):
            return refused(
                f"{safe(name)} is not the name of a file of words in the module's folder",
                f'write "sends{SUFFIX}" or "words/sends{SUFFIX}": letters, digits, `_`, `-` and `.`',
            )
        if path is None:
            return refused("only a module in a file can have a file of words", "write the words here")
        place = path.parent.joinpath(*parts)
        real = real_path(place)
        text, file = self._edited(place), _relative(place, real)
        if file in self.sources:
            return self.sources[file]
        try:
            if text is None and self.sealed:
                return refused(f"there is no file {safe(name)}", "it was not recorded with the program")
            if text is None and real != place:
                return refused(f"{safe(name)} is a link, or in a linked folder", "put the file itself there")
            if text is None:
                with open_regular(place, links=False) as stream:
                    data = stream.read(MAX_WORDS + 1)
            else:
                data = text.encode("utf-8", "replace")
            if len(data) > MAX_WORDS:
                return refused(f"{safe(name)} is larger than {MAX_WORDS // 1024} KiB", "split it")
            source = Source(file, decode(data, file), place)
        except SourceError as problem:
            return refused(problem.message, problem.hint)
        except FileNotFoundError:
            return refused(f"there is no file {safe(name)}", f"it is looked for as {safe(file, 200)}")
        except OSError as problem:
            why = (problem.strerror or str(problem)).lower()
            return refused(f"cannot read {safe(name)}: {why}", f"it is looked for as {safe(file, 200)}")
        self.sources[file] = source
        return source

    def _import(self, unit: Unit, item: t.Import, place: Path) -> None:
        name = item.name.text
        local_name = item.alias.text if item.alias else name
        if local_name in unit.imports or local_name in unit.failed:
            if local_name in unit.imports and unit.imports[local_name].name == name:
                self.report.warning(
                    "W0201", item.span, f"`{name}` is imported twice", label="delete this line"
                )
            else:
                self.report.error(
                    "E0205",
                    item.span,
                    f"`{local_name}` names two imports",
                    help="give one another name: import .. as ..",
                )
            return
        path = self.find(name, place)
        if path is None:
            unit.failed.add(local_name)
            self._not_found(item, place)
            return
        resolved = real_path(path)
        cycle = [entry for entry, _ in self._stack]
        if resolved in cycle:
            unit.failed.add(local_name)
            ring = [ring_name for _, ring_name in self._stack[cycle.index(resolved) :]] + [name]
            message = (
                f"`{name}` imports itself"
                if len(ring) == 2
                else "modules import each other in a circle: " + " → ".join(ring)
            )
            self.report.error(
                "E0202", item.span, message, help="move what both need into a module that both import"
            )
            return
        if len(self._done) >= MAX_MODULES or len(self._stack) >= MAX_DEPTH:
            unit.failed.add(local_name)
            what = f"more than {MAX_MODULES} modules"
            if len(self._stack) >= MAX_DEPTH:
                what = f"a chain of more than {MAX_DEPTH} imports"
            self.report.error(
                "E0217", item.span, f"the program has {what}", help="put what belongs together into one"
            )
            return
        source = self.read(path, _relative(path))
        target = self.unit(source) if source else None
        if target is None:
            unit.failed.add(local_name)
            return
        if target.name != name:
            unit.failed.add(local_name)
            self.report.error(
                "E0203",
                item.name.span,
                f"{target.source.file} declares `{target.kind} {target.name}`, not `{name}`",
                help="the name in the header and the file's name must agree",
            )
            return
        if target.kind not in _IMPORTS[unit.kind]:
            unit.failed.add(local_name)
            allowed = " and ".join(f"{kind}s" for kind in _IMPORTS[unit.kind])
            self.report.error(
                "E0215",
                item.span,
                f"{a(unit.kind)} cannot import {a(target.kind)}",
                label=f"`{name}` is {a(target.kind)}",
                help=f"{a(unit.kind)} imports {allowed}"
                + (
                    "; which policies are in force is decided by who runs the guard"
                    if target.kind == "policy"
                    else ""
                ),
            )
            return
        unit.imports[local_name] = target

    def places(self, importer: Path, name: str = "") -> list[Path]:
        """The folders in which an import is looked for, in order.

        Modules of vsac (`std.`, `apps.`) are always the shipped ones: a folder next to a spec cannot replace them.
        """
        shipped = [resource_dir("stdlib"), resource_dir("app_specs")]
        if name.partition(".")[0] in SHIPPED and not self.sealed:
            return shipped
        folders = [importer.parent]
        for parent in importer.parents:
            if (parent / "app_specs").is_dir():
                folders.append(parent / "app_specs")
                break
        folders.extend(self.search)
        return folders + shipped

    def find(self, name: str, importer: Path) -> Path | None:
        """The file of a module name, seen from the importing file."""
        relative = Path(*name.split(".")).with_suffix(".vsa") if name else None
        if relative is None:
            return None
        for place in self.places(importer, name):
            candidate = place / relative
            if self._edited(candidate) is not None or (not self.sealed and _is_file(candidate)):
                return candidate
        return None

    def _not_found(self, item: t.Import, place: Path) -> None:
        name = item.name.text
        known = self._importable(place)
        near = nearest(name, known.modules) or [f"{APPS}.{text}" for text in nearest(name, known.apps)]
        label = f"did you mean `{near[0]}`?" if near else ""
        fixes: list[Fix] = []
        shipped = f"{APPS}.{name}"
        if not name.startswith(f"{APPS}.") and self.find(shipped, place) is not None:
            label = f"`{shipped}` exists: it comes with vsac"
            # a choice: the module that is missing may be one's own
            fixes.append(Fix(f"write `{shipped}`", (Edit(item.name.span, shipped),)))
            if item.alias is None:
                longer = f"{shipped} as {name}"
                fixes.append(Fix(f"write `{longer}`", (Edit(item.name.span, longer),)))
        self.report.error(
            "E0201",
            item.name.span,
            f"there is no module `{name}`",
            label=label,
            help=f"looked for {name.replace('.', '/')}.vsa {known.searched}",
            fixes=fixes,
        )

    def _importable(self, importer: Path) -> _ImportableModules:
        """What a file could import. The folders are read once for each file: many of its imports may be missing."""
        if importer not in self._known:
            places = self.places(importer)
            modules = tuple(dict.fromkeys(_modules(places)))
            apps = tuple(name.removeprefix(f"{APPS}.") for name in modules if name.startswith(f"{APPS}."))
            self._known[importer] = _ImportableModules(modules, apps, _searched(places))
        return self._known[importer]


def importable(importer: Path, search: Iterable[Path] = ()) -> tuple[str, ...]:
    """The names of the modules that a file could import, those next to it first."""
    return tuple(dict.fromkeys(_modules(Loading(Report(), tuple(search)).places(importer))))


def _searched(places: Sequence[Path]) -> str:
    """The folders in which an import was looked for, as text."""
    *own, _, _ = places
    folders = list(dict.fromkeys(_relative(folder) for folder in own[1:]))
    named = [safe(folder, 200) for folder in folders]
    first_place = f"next to this file ({safe(_relative(own[0]), 200)})"
    return ", ".join([first_place, *(f"in {folder}" for folder in named)]) + " and in what comes with vsac"


def _modules(places: Iterable[Path]) -> Iterable[str]:
    for place in places:
        yield from _files(place, "")
        for folder in SHIPPED:
            yield from _files(place / folder, f"{folder}.")
        with suppress(OSError):
            for inner in (place / "std").iterdir():
                yield from _files(inner, f"std.{inner.name}.")


def _files(folder: Path, prefix: str) -> Iterable[str]:
    """The names of the modules in a folder, at most a thousand."""
    with suppress(OSError):
        names = sorted(path.stem for path in folder.iterdir() if path.suffix == ".vsa")
        yield from (prefix + name for name in names[:1000])


def _relative(path: Path, real: Path | None = None) -> str:
    """The path from the working folder, if it is in it; `real` is its `real_path`, if that is known."""
    try:
        return str((real or real_path(path)).relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False  # no file can be called so
        raise
