"""What looks at the system's trace read, what they did not and why, and what changes by itself between them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from vsalang.base.records import dataclass
from vsalang.phone.uiautomator.tracefiles import glob_of
from vsalang.program.screen import Cells

READ = ("File", "FileChanged", "Permission", "Network", "Setting")
"""The relations of the trace, in the order in which they are shown."""
_ALWAYS: Mapping[str, str] = {"Network": "never whole: a connection may come and go between two looks"}

System = Mapping[str, Sequence[Cells]]
"""The rows of the relations of the trace that one look gave."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What one look has of one relation.

    Attributes:
        read: whether it has rows of it.
        rows: how many.
        whole: the parts that it read whole.
        unread: the parts that it did not read or not whole ("": all of it), and why.
    """

    relation: str
    read: bool
    rows: int
    whole: tuple[str, ...]
    unread: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, object]:
        return {
            "relation": self.relation,
            "read": self.read,
            "rows": self.rows,
            "whole": list(self.whole),
            "unread": [{"within": within or None, "why": why} for within, why in self.unread],
        }


def sights(system: System) -> tuple[Sight, ...]:
    """What one look has of each relation; of those that it was not asked for there is none."""
    sights = []
    for name in READ:
        whole = tuple(str(row.get("within", "")) for row in _of(system, "Traced", name))
        unread = [
            (str(row.get("within", "")), str(row.get("why", ""))) for row in _of(system, "Untraced", name)
        ]
        if name in system and name in _ALWAYS:
            unread.append(("", _ALWAYS[name]))
        if name in system or whole or unread:
            sights.append(Sight(name, name in system, len(system.get(name, ())), whole, tuple(unread)))
    return tuple(sights)


def changed(system: System) -> tuple[str, ...]:
    """The files that a look found changed."""
    return tuple(str(row["path"]) for row in system.get("FileChanged", ()) if "path" in row)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What changed while nobody did anything.

    Attributes:
        looks: how many looks were compared with the one before.
        times: file -> in how many of them it had changed.
        unread: what was not read or not whole (folder or file, why) -> in how many of them.
    """

    looks: int
    times: Mapping[str, int]
    unread: Mapping[tuple[str, str], int]

    def toml(self, device: str) -> str:
        """The list as a file that ``[trace] ignore`` reads, the files that changed most often first.

        Args:
            device: its name, for the heading.
        """
        named = _quoted(device)
        lines = [
            f"# What changed on {named} by itself, in {self.looks} looks without any action.",
            '# In your own vsac.toml: [trace] ignore = ["THIS FILE"]',
            *(
                f"# not read: {_quoted(within)}: {why} ({times} of {self.looks} looks)"
                for (within, why), times in sorted(self.unread.items())
            ),
            "[trace]",
            "ignore = [",
            *(
                f"  {_quoted(glob_of(path))},  # {times} of {self.looks} looks"
                for path, times in sorted(self.times.items(), key=lambda item: (-item[1], item[0]))
            ),
            "]",
        ]
        return "\n".join(lines) + "\n"

    def to_json(self) -> dict[str, object]:
        """As JSON data, with a version."""
        return {
            "version": 1,
            "looks": self.looks,
            "changed": [{"path": path, "times": times} for path, times in sorted(self.times.items())],
            "unread": [
                {"within": within or None, "why": why, "times": times}
                for (within, why), times in sorted(self.unread.items())
            ],
        }


def baseline(looks: Iterable[System]) -> Baseline:
    """What differs between looks, each compared with the one before; the first one is only compared with."""
    times: Counter[str] = Counter()
    unread: Counter[tuple[str, str]] = Counter()
    number = -1
    for number, system in enumerate(looks):
        if not number:
            continue
        times.update(set(changed(system)))
        unread.update(
            {
                (str(row.get("within", "")), str(row.get("why", "")))
                for row in _of(system, "Untraced", "FileChanged")
            }
        )
    return Baseline(max(number, 0), times, unread)


def _quoted(text: str) -> str:
    """A text of TOML; what cannot be printed is written by its number."""
    escapes = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escapes.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in text) + '"'


def _of(system: System, name: str, relation: str) -> list[Cells]:
    return [row for row in system.get(name, ()) if row.get("relation") == relation]
