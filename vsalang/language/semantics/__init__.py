"""Checks modules and makes core programs of them.

>>> from vsalang.language.semantics import check_text
>>> check_text('spec a "x"\\nallow answer(text = "yes").\\ndone when answer earlier.').ok
True
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vsalang.base.diagnostics import Diagnostic, Severity, has_errors, in_order
from vsalang.base.diagnostics.display import safe
from vsalang.base.resources import shipped_module
from vsalang.base.source import Source
from vsalang.language.semantics.loader import Loading, Unit
from vsalang.language.semantics.program import build
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.wording import a
from vsalang.program.example import Example
from vsalang.program.ir import Program

__all__ = ["Loaded", "check_text", "load", "load_text"]

_NAMED = 3
"""How many errors `Loaded.checked` names."""


@dataclass(frozen=True)
class Loaded:
    """The result of loading a module.

    Attributes:
        program: None if there is any error.
        examples: the tests of all modules, imported ones too (`own` are those of the file itself).
        diagnostics: in order of file and place.
        sources: every file that was read, by the name that spans use.
        file: the main file's name.
        main: the name of the main module, empty if it has none.
        standard: the modules of vsac that are in force although nothing imports them.
    """

    program: Program | None
    examples: tuple[Example, ...]
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]
    file: str
    main: str = ""
    units: tuple[Unit, ...] = ()
    standard: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return self.program is not None

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that are errors."""
        return [item for item in self.diagnostics if item.severity is Severity.ERROR]

    def checked(self) -> Program:
        """The program of a file that must have no errors.

        Raises:
            ValueError: there are errors; the message names the first ones, with file and line.
        """
        if self.program is not None:
            return self.program
        errors = self.errors
        lines = [self._line(item) for item in errors[:_NAMED]]
        if len(errors) > _NAMED:
            lines.append(f"and {len(errors) - _NAMED} more")
        count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
        listed = "".join(f"\n  {line}" for line in lines)
        raise ValueError(f"{safe(self.file)} has {count}; `vsac check` says more:{listed}")

    def _line(self, item: Diagnostic) -> str:
        place = item.file or self.file
        source = self.sources.get(item.span.file) if item.span is not None else None
        if item.span is not None:
            place = item.span.file
            if source is not None:
                place += f":{source.position(item.span.start).line}"
        return safe(f"{place}: {item.message} [{item.code}]")

    @property
    def own(self) -> tuple[Example, ...]:
        """The tests of the main file."""
        return tuple(e for e in self.examples if e.span is not None and e.span.file == self.file)


def load(
    path: str | Path,
    *,
    policies: Iterable[str | Path] = (),
    standard: Iterable[str] = (),
    search: Iterable[Path] = (),
    overlay: Mapping[Path, str] | None = None,
    sealed: bool = False,
    from_cache: bool = False,
) -> Loaded:
    """Read, check and lower a `.vsa` file with all it imports. Never raises for bad input.

    Args:
        path: the file.
        policies: policies that are in force too (the operator of the guard decides that): files, or names of policies
            that come with vsalang, such as ``std.policies.privacy``.
        standard: modules of the standard library that are in force too, such as ``std.contracts``.
        search: further folders to look for imports in.
        overlay: resolved path -> text that is used instead of the file's (an editor's unsaved buffers).
        sealed: imports are found in the overlay only, whatever files there are (a recorded program).
        from_cache: files that did not change need not be parsed again: their trees may come from the disk
            (`vsalang.language.syntax.cache`). For tools only; never for a program that decides about a phone.
    """
    report = Report()
    loading = Loading(report, tuple(search), overlay or {}, sealed, from_cache)
    main = loading.main(Path(path))
    return _finish(loading, main, str(path), policies, standard)


def load_text(
    text: str,
    *,
    file: str = "<text>",
    path: Path | None = None,
    search: Iterable[Path] = (),
    policies: Iterable[str | Path] = (),
    standard: Iterable[str] = (),
    from_cache: bool = False,
) -> Loaded:
    """Like `load`, for a text; its imports are looked for next to `path`."""
    report = Report()
    loading = Loading(report, tuple(search), from_cache=from_cache)
    main = loading.unit(replace(Source.from_text(text, file), path=path))
    return _finish(loading, main, file, policies, standard)


def check_text(text: str, *, file: str = "<text>", path: Path | None = None) -> Loaded:
    """Check a text; the same as `load_text`, for readers who only want the diagnostics."""
    return load_text(text, file=file, path=path)


def _finish(
    loading: Loading, main: Unit | None, file: str, policies: Iterable[str | Path], standard: Iterable[str]
) -> Loaded:
    report = loading.report
    standard = tuple(standard)
    for name in standard:
        loading.standard(name)
    for policy in policies:
        before = list(loading.units)
        unit = loading.main(shipped_module(str(policy)) or Path(policy))
        if unit is not None and unit.kind != "policy":
            if not any(old is unit for old in before):
                # its other findings would not help
                loading.units[:] = [other for other in loading.units if other is not unit]
            report.error(
                "E0005",
                unit.tree.span,
                f"`{unit.name}` is not a policy: it is {a(unit.kind)}",
                help="name a policy file",
            )
    program: Program | None = None
    examples: tuple[Example, ...] = ()
    if main is not None:
        program, examples = build(loading.units, main, report)
    diagnostics = tuple(in_order(report.diagnostics))
    if has_errors(diagnostics) or report.errors:
        program = None
    name = main.source.file if main else file
    return Loaded(
        program,
        examples,
        diagnostics,
        loading.sources,
        name,
        main.name if main else "",
        tuple(loading.units),
        standard,
    )
