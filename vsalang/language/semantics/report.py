"""Collects the findings while a program is checked: one error for one mistake."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Unpack

from vsalang.base.diagnostics import Details, Diagnostic, Edit, Fix, Label, error, warning
from vsalang.base.source import Span
from vsalang.base.source.suggest import Work, edit_distance, nearest

_OTHER_WORDS = {
    "contentdesc": "desc",
    "contentdescription": "desc",
    "accessibilitylabel": "desc",
    "resourceid": "id",
    "viewid": "id",
    "classname": "class",
    "packagename": "package",
    "hinttext": "hint",
    "isclickable": "clickable",
    "ischecked": "checked",
    "isenabled": "enabled",
    "isfocused": "focused",
    "isselected": "selected",
    "isscrollable": "scrollable",
    "iseditable": "editable",
    "ispassword": "password",
}
"""Names of attributes in Android's dumps and other tools (lower case, without `_`), and their names here."""


class Report:
    """Findings of one check. An unknown name is reported once for each file, with all its places.

    Muted parts report nothing. A trial only counts its `errors`; nobody sees its findings.
    """

    def __init__(self, *, trial: bool = False) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._muted = int(trial)
        # the index of the finding about a name in a file
        self._names: dict[tuple[str, str, str], int] = {}
        self._work = Work()
        self.errors = 0
        self.unsaid = 0
        """How often a finding was left out because of an earlier one."""

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Drop the findings inside (a trial whose errors are found again later)."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1

    def error(self, code: str, span: Span | None, message: str, **details: Unpack[Details]) -> None:
        """Record an error; see `Diagnostic`."""
        self.errors += 1
        if not self._muted:
            self.diagnostics.append(error(code, span, message, **details))

    def warning(self, code: str, span: Span | None, message: str, **details: Unpack[Details]) -> None:
        """Record a warning; see `Diagnostic`."""
        if not self._muted:
            self.diagnostics.append(warning(code, span, message, **details))

    def repeated(self, what: str, name: str, span: Span) -> bool:
        """Whether the name was reported in that file already; if not, the next finding reports it.

        If it was, this place is added to the finding, and the fixes of the first place change this one too.
        """
        if self._muted:
            return False
        at = self._names.setdefault((what, name, span.file), len(self.diagnostics))
        if at == len(self.diagnostics):
            return False
        first = self.diagnostics[at]
        if first.span is None or span == first.span or any(label.span == span for label in first.labels):
            return True
        fixes = tuple(_also(fix, first.span, span) for fix in first.fixes)
        self.diagnostics[at] = replace(first, labels=(*first.labels, Label(span, "here, too")), fixes=fixes)
        return True

    def said_unknown(self, name: str, file: str) -> bool:
        """Whether the name was reported as unknown in that file, as a name of any kind."""
        reported = any(place == file and key.rpartition("|")[2] == name for _, key, place in self._names)
        self.unsaid += reported
        return reported

    def near(self, name: str, candidates: Iterable[str]) -> list[str]:
        """The known names that are near a misspelt one, within the limit on work; none in a trial."""
        return [] if self._muted else nearest(name, candidates, work=self._work)

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
        if self._muted or self.repeated(what, f"{context}|{name}", span):
            return
        candidates = list(candidates)
        other = _OTHER_WORDS.get(name.replace("_", "").replace("-", "").casefold(), "")
        near = [other] if other in candidates else self.near(name, candidates)
        label = ""
        fixes = tuple(fixes)
        if near:
            label = f"did you mean `{near[0]}`?" if len(near) == 1 else "did you mean " + _either(near) + "?"
            # only a very near name is changed without asking: another name may mean something else
            if near == [other] or (
                len(near) == 1
                and edit_distance(name.casefold(), near[0].casefold(), 4) <= max(1, len(name) // 5)
            ):
                fixes = (Fix(f"write `{near[0]}`", (Edit(span, near[0]),)), *fixes)
        elif not help:
            help = _list(candidates, what)
        message = f"unknown {what} `{name}`" + (f" of `{context}`" if context else "")
        self.diagnostics.append(error(code, span, message, label=label, help=help, fixes=fixes))


def _also(fix: Fix, first: Span, span: Span) -> Fix:
    """The fix that makes the same change at a second place; unchanged if it does not change the first place."""
    texts = [edit.text for edit in fix.edits if edit.span == first]
    if not texts:
        return fix
    edits = (*fix.edits, Edit(span, texts[0]))
    title = fix.title.removesuffix(_everywhere(len(edits) - 1))
    return Fix(title + _everywhere(len(edits)), edits)


def _everywhere(count: int) -> str:
    return f", in {'both' if count == 2 else f'all {count}'} places"


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
