"""Analyses one open document: errors, warnings and lint findings, with the files they are about."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vsalang.base.diagnostics import Diagnostic, Severity, in_order
from vsalang.base.diagnostics.display import safe
from vsalang.base.source import Source, SourceError, Span
from vsalang.base.source.files import MAX_BYTES
from vsalang.language.semantics import Loaded, load, load_text


@dataclass(frozen=True)
class Analysis:
    """The result of analysing a document.

    Attributes:
        diagnostics: findings in this document and in the files it imports.
        sources: every text that was read, by the name that spans use.
        file: the document's own name there.
        paths: the resolved paths of the files that were read.
        loaded: None if the document could not be analysed.
    """

    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]
    file: str
    paths: frozenset[Path] = frozenset()
    loaded: Loaded | None = None

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
    from vsalang.base.config import config_for
    from vsalang.language.lint import CODES, lint

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
        return _alone(error.code, file, path, error.message, error.hint or "nothing was checked")
    except OSError as error:
        message = f"cannot look for vsac.toml: {(error.strerror or str(error)).lower()}"
        return _alone("E0001", file, path, message, "nothing was checked")
    small = {place: other for place, other in overlay.items() if not _too_large(other)}
    if path:
        loaded = load(path, overlay=small, search=config.search, from_cache=True)
    else:
        loaded = load_text(text, file=name, search=config.search, from_cache=True)
    findings = lint(loaded, select=config.lint.select, ignore=config.lint.ignore)
    diagnostics = in_order([*loaded.diagnostics, *config.lint.weighed(findings)])
    paths = frozenset(source.path.resolve() for source in loaded.sources.values() if source.path)
    return Analysis(tuple(diagnostics), loaded.sources, loaded.file, paths, loaded)


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
