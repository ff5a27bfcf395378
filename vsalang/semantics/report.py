"""Collecting findings while a program is checked: one mistake, one error."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from vsalang.diagnostics import Diagnostic, Edit, Fix, Label, Severity
from vsalang.source import Span
from vsalang.source.suggest import edit_distance, nearest


class Report:
    """Findings of one check. A name that is unknown is reported once per file; muted parts report nothing."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._muted = 0
        self._names: set[tuple[str, str, str]] = set()
        self.errors = 0
        self.mute_hits = 0

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Findings inside are dropped (a trial run whose errors are found again later)."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1

    def error(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        label: str = "",
        help: str = "",
        labels: Iterable[Label] = (),
        fixes: Iterable[Fix] = (),
        file: str = "",
    ) -> None:
        """Record an error; see `Diagnostic`."""
        self.errors += 1
        if not self._muted:
            self.diagnostics.append(
                Diagnostic(
                    code, Severity.ERROR, span, message, label, tuple(labels), help, tuple(fixes), file
                )
            )

    def warning(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        label: str = "",
        help: str = "",
        labels: Iterable[Label] = (),
        fixes: Iterable[Fix] = (),
    ) -> None:
        """Record a warning; see `Diagnostic`."""
        if not self._muted:
            self.diagnostics.append(
                Diagnostic(code, Severity.WARNING, span, message, label, tuple(labels), help, tuple(fixes))
            )

    def said(self, what: str, name: str, file: str) -> bool:
        """Whether something was said of a name in a file already; if not, it is now."""
        if self._muted:
            return False
        key = (what, name, file)
        known = key in self._names
        self._names.add(key)
        return known

    def said_unknown(self, name: str, file: str) -> bool:
        """Whether the name was reported as unknown in that file, as whatever it was used."""
        return any(place == file and key.rpartition("|")[2] == name for _, key, place in self._names)

    def unknown_name(
        self,
        code: str,
        span: Span,
        what: str,
        name: str,
        candidates: Iterable[str],
        *,
        help: str = "",
        context: str = "",
        fixes: Iterable[Fix] = (),
    ) -> None:
        """Record an unknown name with the nearest ones that exist; once per kind, name and file.

        `help` and `fixes` say what else may be meant; a single near name adds its own fix.
        """
        self.errors += 1
        if self._muted or (key := (what, f"{context}|{name}", span.file)) in self._names:
            return
        self._names.add(key)
        near = nearest(name, candidates)
        label = ""
        fixes = tuple(fixes)
        if near:
            label = f"did you mean `{near[0]}`?" if len(near) == 1 else "did you mean " + _either(near) + "?"
            # what is changed without asking must be close: the name of another thing would mean something else
            if len(near) == 1 and edit_distance(name.casefold(), near[0].casefold(), 4) <= max(
                1, len(name) // 5
            ):
                fixes = (Fix(f"write `{near[0]}`", (Edit(span, near[0]),)), *fixes)
        elif not help:
            help = _list(candidates, what)
        message = f"unknown {what} `{name}`" + (f" of `{context}`" if context else "")
        self.diagnostics.append(Diagnostic(code, Severity.ERROR, span, message, label, (), help, fixes))


def _either(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]


def _list(candidates: Iterable[str], what: str) -> str:
    names = sorted(set(candidates))
    if not names or len(names) > 12:
        return ""
    return ("the only one is " if len(names) == 1 else "there are ") + ", ".join(
        f"`{name}`" for name in names
    )
