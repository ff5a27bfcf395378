"""Analyses one document: errors, warnings and lint findings, with the files they are about.

`check` finds errors and warnings; `linted` adds what lint finds, which takes longer. `analyse` does both.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vsalang.base.config import Config, ConfigError, config_for
from vsalang.base.diagnostics import Diagnostic, Label, Severity, in_order
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.source import Source, SourceError, Span, read_source
from vsalang.base.source.files import MAX_BYTES
from vsalang.language.lint import CODES, lint
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.language.semantics.loader import Unit


@dataclass(frozen=True)
class Analysis:
    """The result of analysing a document.

    Attributes:
        diagnostics: findings in this document and in the files it imports.
        sources: every text that was read, by the name that spans use.
        file: the document's own name there.
        paths: the resolved paths of the files that were read.
        loaded: None if the document could not be analysed.
        config: the project's; None if it could not be read.
        text: the document's own text.
        waits_for_lint: whether lint has not looked at it yet.
    """

    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]
    file: str
    paths: frozenset[Path] = frozenset()
    loaded: Loaded | None = None
    config: Config | None = None
    text: str = ""
    waits_for_lint: bool = False

    @property
    def waits(self) -> bool:
        """Whether an import is missing, so that any new file may be relevant."""
        return any(finding.code in ("E0201", "E0203") for finding in self.diagnostics)


def analyse(name: str, path: Path | None, text: str, overlay: Mapping[Path, str]) -> Analysis:
    """Check and lint a document with its project's configuration. Never raises for bad input.

    Args:
        name: the name of a document without a path.
        path: its resolved path; None if it was never saved.
        text: its text.
        overlay: the texts of all open documents that have a resolved path, this one too.
    """
    return linted(check(name, path, text, overlay))


def check(name: str, path: Path | None, text: str, overlay: Mapping[Path, str]) -> Analysis:
    """As `analyse`, without lint."""
    file = str(path) if path else name
    if _too_large(text):
        message = f"this text is larger than {MAX_BYTES // 1024 // 1024} MiB"
        return _alone("E0002", file, path, message, "split it")
    if "\0" in text:
        return _alone("E0004", file, path, "this text holds a NUL character", "is this the right file?")
    place = path or Path.cwd() / "<text>"
    try:
        config = config_for(place, lint_codes=CODES)
    except SourceError as error:
        # no defaults: the project's settings are not known, and `vsac check` refuses too
        return _with_config(
            _alone(error.code, file, path, error.message, error.hint or "nothing was checked"), error
        )
    except OSError as error:
        message = f"cannot look for vsac.toml: {(error.strerror or str(error)).lower()}"
        return _alone("E0001", file, path, message, "nothing was checked")
    small = {place: other for place, other in overlay.items() if not _too_large(other)}
    if path:
        loaded = load(path, overlay=small, search=config.search, from_cache=True)
    else:
        loaded = load_text(text, file=name, search=config.search, from_cache=True)
    diagnostics = in_order([*loaded.diagnostics, *_broken_imports(loaded)])
    paths = frozenset(source.path.resolve() for source in loaded.sources.values() if source.path)
    ok = loaded.program is not None
    return Analysis(tuple(diagnostics), loaded.sources, loaded.file, paths, loaded, config, text, ok)


def linted(analysis: Analysis) -> Analysis:
    """The same with the findings of lint; nothing changes if there are errors."""
    if not analysis.waits_for_lint or analysis.loaded is None or analysis.config is None:
        return analysis
    settings = analysis.config.lint
    findings = lint(analysis.loaded, select=settings.select, ignore=settings.ignore)
    diagnostics = in_order([*analysis.diagnostics, *settings.weighed(findings)])
    return replace(analysis, diagnostics=tuple(diagnostics), waits_for_lint=False)


def carried(before: Analysis, after: Analysis) -> Analysis:
    """What was checked, with the lint findings of the text before it that are about places that did not change."""
    if not after.waits_for_lint:
        return after
    old, new = before.text, after.text
    same = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    first = min(len(old), len(new)) if same is None else same
    rest = 0
    while rest < min(len(old), len(new)) - first and old[-1 - rest] == new[-1 - rest]:
        rest += 1
    shift = len(new) - len(old)
    kept: list[Diagnostic] = []
    for finding in before.diagnostics:
        span = finding.span
        if span is None or span.file != after.file or finding.code not in CODES or finding.labels:
            continue
        if span.end <= first:
            kept.append(replace(finding, fixes=()))
        elif span.start >= len(old) - rest:
            moved = Span(span.file, span.start + shift, span.end + shift)
            kept.append(replace(finding, span=moved, fixes=()))
    return replace(after, diagnostics=tuple(in_order([*after.diagnostics, *kept])))


def _broken_imports(loaded: Loaded) -> Iterator[Diagnostic]:
    """At each import of the main file that leads to a file with errors, an error: the first of them."""
    main = next((unit for unit in loaded.units if unit.source.file == loaded.file), None)
    errors: dict[str, list[Diagnostic]] = {}
    for finding in loaded.diagnostics:
        if finding.severity is Severity.ERROR and finding.where != loaded.file:
            errors.setdefault(finding.where, []).append(finding)
    if main is None or not errors:
        return
    for item in main.tree.imports:
        unit = main.imports.get(item.alias.text if item.alias else item.name.text)
        causes = [each for file in _reached(unit) for each in errors.get(file, ())] if unit else []
        if causes:
            first = causes[0]
            more = f", and {count(len(causes) - 1, 'more error')}" if len(causes) > 1 else ""
            labels = (Label(first.span, safe(first.message)),) if first.span else ()
            message = f"`{item.name.text}` has an error: {safe(first.message)}{more}"
            yield Diagnostic(first.code, Severity.ERROR, item.name.span, message, labels=labels)


def _reached(unit: Unit) -> Iterable[str]:
    """The files of a module and of all that it imports."""
    seen: dict[str, Unit] = {}
    waiting = [unit]
    while waiting:
        one = waiting.pop()
        if one.source.file not in seen:
            seen[one.source.file] = one
            waiting.extend(one.imports.values())
    return seen


def _with_config(analysis: Analysis, error: SourceError) -> Analysis:
    """The same with the finding in the configuration file itself, at its line."""
    if not isinstance(error, ConfigError) or error.file is None:
        return analysis
    try:
        source = read_source(error.file)
    except SourceError:
        return analysis
    start = source.offset(max(error.line - 1, 0), 0)
    span = Span(source.file, start, start + len(source.line(max(error.line, 1))))
    finding = Diagnostic(error.code, Severity.ERROR, span, error.message, help=error.hint)
    return replace(
        analysis,
        diagnostics=(*analysis.diagnostics, finding),
        sources={**analysis.sources, source.file: source},
    )


def failed(name: str, path: Path | None, error: Exception) -> Analysis:
    """The finding after an internal error of vsac: no finding would look as if everything were fine."""
    message = f"internal error: {type(error).__name__}: {safe(str(error), 200)}"
    hint = "this is a mistake in vsac, not in your file; nothing was checked"
    return _alone("", str(path) if path else name, path, message, hint)


def _too_large(text: str) -> bool:
    return len(text) > MAX_BYTES // 4 and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES


def _alone(code: str, file: str, path: Path | None, message: str, hint: str) -> Analysis:
    finding = Diagnostic(code, Severity.ERROR, Span(file, 0, 0), message, help=hint)
    return Analysis((finding,), {file: Source(file, "", path)}, file, frozenset([path] if path else []))
