"""The programs of this folder, for the tests of all rooms."""

from pathlib import Path

from tests.snapshots import pairs

HERE = Path(__file__).parent
RIGHT = sorted((HERE / "right").glob("*.vsa"))
WRONG = pairs(*sorted((HERE / "wrong").glob("*.txt")))
"""Programs with one mistake each, and its message."""


def policies(path: Path) -> list[Path]:
    """The policies that a first line `// with NAME.vsa ..` puts in force."""
    first = path.read_text(encoding="utf-8-sig").partition("\n")[0]
    if not first.startswith("// with "):
        return []
    return [path.parent / name for name in first.removeprefix("// with ").split()]


ALONE = [path for path in RIGHT if not policies(path)]
"""Those that need no policy to check."""
