"""``--fix`` and ``--diff`` of commands that report findings: applies the fixes that need no choice, or shows them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from vsalang.base.config import config_for
from vsalang.base.diagnostics import Diagnostic
from vsalang.base.diagnostics.display import count
from vsalang.base.diagnostics.fixes import FixResult, apply_fixes
from vsalang.base.options import flag
from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.base.source.files import real_path
from vsalang.base.source.opening import open_regular
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.tools.cli.common import Failure, read
from vsalang.tools.cli.output import print_diff, replace_file

_MARK = b"\xef\xbb\xbf"
"""The byte-order mark that a file may begin with; it is kept."""

Load = Callable[[str | None], Loaded]
"""Loads a file, or a text in its place."""


@dataclass(frozen=True, slots=True)
class FixOptions:
    """Whether findings are fixed."""

    fix: bool = flag("--fix", help="Write into FILEs the fixes that need no choice, then check again.")
    diff: bool = flag("--diff", help="Show what --fix would write, and write nothing.")

    def refuse_stdin(self, files: Sequence[str]) -> None:
        """Refuse to fix standard input, which cannot be written to.

        Raises:
            UsageError: it is among the files.
        """
        if self.fix and not self.diff and "-" in files:
            raise click.UsageError("--fix cannot write to standard input: leave it out, or use --diff")


def loader(file: str, policies: Iterable[str] = ()) -> Load:
    """A function that loads a file of the command line, or a text in its place."""
    if file == "-":
        place = Path.cwd() / "<stdin>"
        search = config_for(place).search
        input_text = read("-").text
        return lambda text: load_text(
            input_text if text is None else text, file="<stdin>", path=place, search=search, from_cache=True
        )
    search = config_for(file).search
    path = real_path(file)
    return lambda text: load(
        file,
        policies=policies,
        search=search,
        overlay={} if text is None else {path: text},
        from_cache=True,
    )


def fixed_file(
    load: Load, findings: Callable[[Loaded], Iterable[Diagnostic]], options: FixOptions, *, show: bool
) -> tuple[Loaded, int]:
    """Load a file, and apply the fixes that need no choice.

    Args:
        load: loads it.
        findings: the findings in a file that was loaded.
        options: whether the fixes are written, or shown.
        show: whether a person reads the difference, and then the findings that remain after it.

    Returns:
        the file as it is then, and how many findings were fixed in it.
    """
    loaded = load(None)
    source = loaded.sources.get(loaded.file)
    if source is None or not (options.fix or options.diff):
        return loaded, 0
    fixed = _fix(source, lambda text: list(findings(load(text))), write=not options.diff, show=show)
    if not options.diff:
        loaded = load(None)
    elif fixed.applied and show:
        loaded = load(fixed.text)
    return loaded, len(fixed.applied)


def _fix(
    source: Source, check: Callable[[str], Sequence[Diagnostic]], *, write: bool, show: bool
) -> FixResult:
    """Apply the fixes that need no choice, and write the file, or print what would change.

    Args:
        source: the file as it is.
        check: the findings in a text that replaces the file's.
        write: whether to write it.
        show: whether the difference is printed if it is not written.

    Returns:
        the text, and the findings that were fixed in it.
    """
    fixed = apply_fixes(source.text, source.file, check)
    if fixed.text == source.text:
        return FixResult(source.text)
    if not write:
        if show:
            print_diff(source.file, source.text, fixed.text, "fixed")
    elif source.path is not None:
        try:
            with open_regular(source.path) as stream:
                mark = _MARK if stream.read(len(_MARK)) == _MARK else b""
            replace_file(source.path, mark + fixed.text.encode("utf-8"))
        except OSError as error:
            raise Failure(f"cannot write {source.file}: {(error.strerror or str(error)).lower()}") from None
    return fixed


def fix_summary(fixes: int, left: int = 0) -> str:
    """A sentence on how many findings were fixed, and how many of the others offer a change; empty if none."""
    fixed = f"fixed {count(fixes, 'finding')}" if fixes or left else ""
    if not left:
        return fixed
    what = "finding offers a change that needs" if left == 1 else "findings offer changes that need"
    return f"{fixed}; {left} more {what} a choice or would not be enough alone: see `help:` above"
