"""Listings of files: what was read whole, what differs between two of them, and the rows that rules get. Pure.

Names of files are not trusted. A listing says for which folders it has every file; what lies elsewhere is unknown.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.errors import DeviceError
from vsalang.program.patterns import compile_pattern
from vsalang.program.screen import Cells
from vsalang.program.text import canonical
from vsalang.program.values import NONE, Value

MOST_FILES: Final = 5000
"""How many files are read from one folder's listing; nothing is known of the others."""
MOST_KEPT: Final = 50_000
"""How many files are remembered where later listings have nothing to say of them."""
MOST_PARTS: Final = 200
"""How many parts of a folder are told apart, where not all of it was read."""

MOST_GLOBS: Final = 1000
"""How many globs of files to ignore are taken."""
_LONGEST_GLOB: Final = 1000
_WILD: Final[Mapping[str, str]] = MappingProxyType({"*": "[^/]*", "**": ".*", "?": "[^/]"})
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_DENIED: Final = re.compile(r"find: '?(/[^\x00-\x1f\x7f]*?)'?: ([^:\x00-\x1f\x7f]+)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a listing: its size in bytes, and when it was changed (as the phone writes it)."""

    size: int
    changed: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of one observation.

    Attributes:
        entries: path -> file.
        whole: the folders, with ``/`` at the end, of which these are all files.
        holes: what was not read -> why.
        known: path -> SHA-256 (hexadecimal) of the content.
    """

    entries: Mapping[str, Entry]
    whole: tuple[str, ...]
    holes: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    known: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    def covers(self, path: str) -> bool:
        """Whether a file of this path would be listed if it existed."""
        return any(path.startswith(folder) for folder in self.whole)

    def hashed(self, known: Mapping[str, str]) -> "Listing":
        """A copy with these hashes."""
        return Listing(self.entries, self.whole, self.holes, MappingProxyType(dict(known)))

    def kept(self, new: "Listing") -> dict[str, str]:
        """The hashes that are still valid in a later listing: those of files whose size and time are as they were."""
        return {path: sha for path, sha in self.known.items() if new.entries.get(path) == self.entries[path]}

    def then(self, new: "Listing") -> "Listing":
        """What is known after a later listing: where that has nothing to say, this still counts.

        Of more than `MOST_KEPT` files nothing does: apps could go on making files until there is no memory.
        """
        kept = {
            path: entry
            for path, entry in self.entries.items()
            if path not in new.entries and not new.covers(path)
        }
        if len(kept) > MOST_KEPT:
            return new
        known = {path: sha for path, sha in self.known.items() if path in kept}
        whole = set(new.whole) | set(self.whole)
        return Listing(
            MappingProxyType({**new.entries, **kept}),
            tuple(sorted(a for a in whole if not any(a != b and a.startswith(b) for b in whole))),
            new.holes,
            MappingProxyType({**new.known, **known}),
        )

    def cells(self) -> list[Cells]:
        """Rows of the relation ``File``."""
        return [
            {"path": canonical(path), **({"sha256": self.known[path]} if path in self.known else {})}
            for path in self.entries
        ]


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is ``new``, ``gone`` or ``changed``."""

    path: str
    kind: str

    def cells(self, old: Listing, new: Listing) -> Cells | None:
        """A row of ``FileChanged``; None if only its time changed. `none` is the hash of a file that does not exist."""
        before: Value | None = NONE if self.kind == "new" else old.known.get(self.path)
        after: Value | None = NONE if self.kind == "gone" else new.known.get(self.path)
        if before is not None and before == after:
            return None
        row: dict[str, Value] = {"path": canonical(self.path)}
        row |= {} if before is None else {"before": before}
        row |= {} if after is None else {"after": after}
        return row


def changes(old: Listing, new: Listing) -> tuple[Change, ...]:
    """The certain differences: that one of them does not list a file counts only where it was read whole.

    A file of another size, or changed at another time, counts as changed.
    """
    changes = [
        Change(path, "changed")
        for path, entry in new.entries.items()
        if path in old.entries and old.entries[path] != entry
    ]
    changes += [Change(path, "new") for path in new.entries if path not in old.entries and old.covers(path)]
    changes += [Change(path, "gone") for path in old.entries if path not in new.entries and new.covers(path)]
    return tuple(changes)


def both_whole(old: Listing, new: Listing) -> tuple[str, ...]:
    """The folders that both listings have whole: only there does no difference mean that nothing changed."""
    folders_whole = [folder for folder in new.whole if old.covers(folder)]
    folders_whole += [folder for folder in old.whole if new.covers(folder)]
    return tuple(dict.fromkeys(folders_whole))


def rows(
    old: Listing | None, new: Listing, ignored: Callable[[str], bool] = lambda path: False
) -> dict[str, list[Cells]]:
    """The rows of ``File``, ``FileChanged``, ``Traced`` and ``Untraced`` that a listing gives.

    Args:
        old: what was known before it; None: nothing, so that nothing is known of changes.
        ignored: the files whose changes are not reported. That one of them changed is told as ``Untraced``: what may
            be about it is neither met nor violated.
    """
    rows_of: dict[str, list[Cells]] = {"File": new.cells()}
    traced = [("File", folder) for folder in new.whole]
    holes = [(name, path, why) for path, why in new.holes.items() for name in ("File", "FileChanged")]
    if old is None:
        holes += [("FileChanged", folder, "first look") for folder in new.whole]
    else:
        differences = [(each, each.cells(old, new)) for each in changes(old, new)]
        left_out = [each.path for each, row in differences if row is not None and ignored(each.path)]
        rows_of["FileChanged"] = [
            row for each, row in differences if row is not None and not ignored(each.path)
        ]
        whole = both_whole(old, new)
        holes += [("FileChanged", path, "ignored") for path in left_out[:MOST_PARTS]]
        holes += [("FileChanged", each, "not read before") for each in new.whole if each not in whole]
        for folder in whole:
            inside = [path for path in left_out if path.startswith(folder)]
            paths = [*new.entries, *old.entries]
            parts = whole_parts(folder, _folders(paths, folder), inside) if inside else (folder,)
            traced += [("FileChanged", part) for part in parts]
    rows_of["Traced"] = [{"relation": name, "within": canonical(part)} for name, part in traced]
    rows_of["Untraced"] = [
        {"relation": name, "within": canonical(part), "why": why} for name, part, why in holes
    ]
    return rows_of


def whole_parts(root: str, folders: Iterable[str], holes: Iterable[str]) -> tuple[str, ...]:
    """The largest folders of a root that contain no hole; the root itself if it has none.

    Two names that the language does not tell apart (`canonical`) count as one.

    Args:
        root: a folder, with ``/`` at the end.
        folders: every folder that is known inside it, with ``/`` at the end.
        holes: files or folders (with ``/`` at the end) inside it that were not read.
    """
    unread = tuple(map(canonical, holes))
    if not unread:
        return (root,)
    above: set[str] = set()
    for hole in unread:
        parts = hole.rstrip("/").split("/")
        above.update("/".join(parts[:length]) + "/" for length in range(1, len(parts)))
    next_to_unread = {
        folder
        for folder in map(canonical, folders)
        if folder.startswith(root) and folder not in above and _parent(folder) in above
    }
    return tuple(
        sorted(
            folder
            for folder in next_to_unread
            if not folder.startswith(tuple(h for h in unread if h[-1:] == "/"))
        )
    )[:MOST_PARTS]


def _parent(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0] + "/"


def _folders(paths: Iterable[str], root: str) -> set[str]:
    """Every folder of these files below a root."""
    folders: set[str] = set()
    for path in paths:
        if path.startswith(root):
            folder = _parent(path)
            while len(folder) > len(root) and folder not in folders:
                folders.add(folder)
                folder = _parent(folder)
    return folders


def commands(root: str, word: str) -> tuple[str, str]:
    """The command that lists a folder, and the one that says what of it cannot be read.

    Mounted file systems below the folder are listed too. The ``/`` at the end follows a folder that is a link.

    Args:
        root: a folder, absolute and plain, with ``/`` at the end.
        word: a random word with which each line of the listing begins.
    """
    # a line for each folder, too: only what is known to be a folder may be what an error is about
    form = f"{word} %s %T@ %p\\n"
    listing = f"find {root} -type d -printf 'd {form}' -o -type f -printf 'f {form}'"
    return f"{listing} 2>/dev/null", f"find {root} -type p 2>&1 >/dev/null"


def files(root: str, text: str, errors: str, word: str, *, whole: bool, failed: bool) -> Listing:
    """The listing of one folder, as the commands of `commands` print it.

    Args:
        root: the folder, with ``/`` at the end.
        text: the listing.
        errors: what the second command printed.
        word: the word with which each line of the listing begins.
        whole: whether both answers are complete.
        failed: whether the listing ended with an error.
    """
    why = "" if whole else "cut off"
    entries: dict[str, Entry] = {}
    folders: set[str] = set()
    seen: set[str] = set()
    plain = re.compile(
        rf"([df]) {re.escape(word)} (\d{{1,18}}) (-?\d{{1,18}}(?:\.\d+)?) (/[^\x00-\x1f\x7f]{{1,1023}})"
    )
    lines = text.split("\n")
    if lines.pop():
        why = "cut off"  # and so is the last line
    for line in lines:
        if not line:
            continue
        match = plain.fullmatch(line)
        path = re.sub("/+", "/", match[4]) if match is not None else ""
        if match is None or path in seen or not f"{path}/".startswith(root):
            why = why or "a name that cannot be read"  # with a line break in it, or an error
        elif match[1] == "d":
            folders.add(path.rstrip("/") + "/")
        elif len(entries) == MOST_FILES:
            why = f"more than {MOST_FILES} files"
            break
        else:
            entries[path] = Entry(int(match[2]), match[3])
        seen.add(path)
    holes: dict[str, str] = {}
    for line in errors.split("\n") if failed and not why else ():
        denial = _DENIED.fullmatch(line)
        path = re.sub("/+", "/", denial[1]).rstrip("/") + "/" if denial is not None else ""
        if line and denial is not None and (path in folders or path == root):
            holes[path] = denial[2].strip().lower()
        elif line:
            why = why or "an error that cannot be read"
    if not why and root not in folders:
        why = holes.get(root, "") or "no such folder"
    if not why and failed and not holes:
        why = "the command failed"
    if why:
        return Listing(MappingProxyType(entries), (), MappingProxyType({root: why}))
    return Listing(MappingProxyType(entries), whole_parts(root, folders, holes), MappingProxyType(holes))


def joined(listings: Sequence[Listing]) -> Listing:
    """Listings of several folders as one."""
    return Listing(
        MappingProxyType({path: entry for each in listings for path, entry in each.entries.items()}),
        tuple(dict.fromkeys(folder for each in listings for folder in each.whole)),
        MappingProxyType({path: why for each in listings for path, why in each.holes.items()}),
    )


def ignoring(globs: Iterable[str]) -> Callable[[str], bool]:
    """Whether a file is one that some glob matches.

    ``*`` stands for any text in one name, ``?`` for one character of a name, ``**`` for any text, and a backslash
    before a character for just that character.

    Raises:
        DeviceError: a glob is not an absolute path, or there are too many of them.
    """
    distinct_globs = tuple(dict.fromkeys(globs))
    if len(distinct_globs) > MOST_GLOBS:
        raise DeviceError(
            f"there are {len(distinct_globs)} globs of files to ignore, and at most {MOST_GLOBS} are taken"
        )
    plain, patterns = set[str](), []
    for glob in distinct_globs:
        if not glob.startswith("/") or len(glob) > _LONGEST_GLOB or glob.strip("/*?") == "":
            raise DeviceError(
                f"a glob of files to ignore is an absolute path and names something, not {glob[:80]!r}"
            )
        parts = re.findall(r"\\.|\*\*|\*|\?|[^\\*?]+|\\", glob, re.DOTALL)
        if any(part in _WILD for part in parts):
            source = "".join(_WILD.get(part) or re.escape(_bare(part)) for part in parts)
            patterns.append(compile_pattern(rf"\A{source}\z"))
        else:
            plain.add(canonical("".join(map(_bare, parts))))

    def ignored(path: str) -> bool:
        return canonical(path) in plain or any(pattern.matches(path) for pattern in patterns)

    return ignored


def _bare(part: str) -> str:
    return part[1] if len(part) == 2 and part[0] == "\\" else part


def glob_of(path: str) -> str:
    """The glob that matches just this file."""
    return re.sub(r"([\\*?])", r"\\\1", path)


def quoted(path: str) -> str:
    """A path as one word of the phone's shell."""
    return "'" + path.replace("'", "'\\''") + "'"


def hashes(text: str, wanted: frozenset[str]) -> dict[str, str]:
    """The hashes that ``sha256sum`` printed for these files. A last line without its end is not read: it may be cut."""
    lines = text.split("\n")[:-1]
    matches = [re.fullmatch(r"([0-9a-f]{64})  (/.*)", line) for line in lines]
    return {each[2]: each[1] for each in matches if each is not None and each[2] in wanted}
