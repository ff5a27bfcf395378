"""Make the files that the repository does not keep: pages of codes, lint rules, policies; the grammar as a table.

    python -m scripts.generate            write them into this Python's environment, and what the repository keeps of
                                          them: their digests, and the two index pages; and the tables of commands and
                                          options in docs/commands
    python -m scripts.generate --kept     only write what the repository keeps
    python -m scripts.generate --check    exit 1 if what the repository keeps is not up to date
    python -m scripts.generate FOLDER     write the whole documentation, with these pages, into a new folder

`hatch_build.py` calls this for wheels and editable installs; `vsalang.base.generated` finds and checks the files.
"""

import shutil
import sys
from pathlib import Path

from scripts import diagnostics_pages as codes
from scripts import policy_pages as policies
from vsalang.base import generated
from vsalang.base.diagnostics.codes import CODES
from vsalang.language.lint import pages as lint
from vsalang.language.lint.rules import RULES
from vsalang.language.syntax import grammar

ROOT = Path(__file__).resolve().parent.parent


def pages() -> dict[str, str]:
    """The pages of codes, of lint rules and of policies: path in `docs` -> text."""
    found = {f"reference/diagnostics/{entry.code}.md": codes.page(entry) for entry in CODES.values()}
    found |= {f"reference/lint/{rule.code}.md": lint.page(rule) for rule in RULES}
    return found | {f"reference/stdlib/policies/{name}.md": text for name, text in policies.pages().items()}


def files() -> dict[str, dict[str, bytes]]:
    """All generated files: kind -> name -> bytes; see `vsalang.base.generated`."""
    table = grammar.kept(grammar.expressions())
    return {
        "docs": {name: text.encode() for name, text in pages().items()},
        "grammars": {grammar.COMPILED: table.encode()},
    }


def kept() -> dict[Path, str]:
    """What the repository keeps: the digests, the lists of all codes and of all lint rules, the pages of commands."""
    from scripts import command_pages  # imports every command, which the build of a wheel cannot

    reference = ROOT / "docs" / "reference"
    rules = reference / "lint" / "index.md"
    lines = [f"{generated.digest(made)}  {kind}\n" for kind, made in files().items()]
    return {
        ROOT / "grammars" / generated.DIGESTS: "".join(lines),
        reference / "diagnostics" / "index.md": codes.index(),
        rules: lint.index(rules.read_text(encoding="utf-8")),
        **command_pages.pages(),
    }


def stale() -> dict[Path, str]:
    """Of `kept` what is not so in the repository."""
    return {
        path: text
        for path, text in kept().items()
        if not path.is_file() or path.read_bytes().decode() != text
    }


def write(folder: Path, made: dict[str, bytes]) -> None:
    """Write files of one kind into a folder.

    Raises:
        OSError: they cannot be written.
    """
    for name, data in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def write_all(folder: Path) -> None:
    """Write all files as an environment holds them: kind, digest, files. Those of other digests are deleted.

    Raises:
        OSError: they cannot be written.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for kind, made in files().items():
        write(folder / kind / generated.digest(made), made)


def main(arguments: list[str]) -> int:
    """Do what the arguments ask for; return the exit status."""
    match arguments:
        case [] | ["--kept"]:
            for path, text in stale().items():
                path.write_bytes(text.encode())
                print(f"wrote {path.relative_to(ROOT)}")
            if arguments:
                return 0
            place = generated.environments()[0]
            write_all(place)
            print(f"wrote {place}")
        case ["--check"]:
            found = stale()
            for path in found:
                name = path.relative_to(ROOT)
                print(f"{name} is not up to date: run python -m scripts.generate", file=sys.stderr)
            return 1 if found else 0
        case [folder] if not folder.startswith("-"):
            if Path(folder).exists():
                print(f"error: {folder} exists already; name a new folder", file=sys.stderr)
                return 1
            shutil.copytree(ROOT / "docs", folder)
            write(Path(folder), files()["docs"])
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as problem:
        sys.exit(f"error: {problem}")
