"""Applies the fixes that findings offer to a text."""

from collections.abc import Callable, Iterable, Sequence

from vsalang.base.diagnostics.diagnostic import Diagnostic, Edit, Fix, Severity
from vsalang.base.records import dataclass

_ROUNDS = 50
_DEPTH = 3
"""How deep mistakes that only show once another is fixed may lie."""


@dataclass(frozen=True, slots=True)
class FixResult:
    """A text after its fixes.

    Attributes:
        text: the text.
        applied: the findings that were fixed, in order.
    """

    text: str
    applied: tuple[Diagnostic, ...] = ()


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits; their spans are those of `text`.

    Raises:
        ValueError: two of them change the same place, or one lies outside the text.
    """
    end = len(text)
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end), reverse=True):
        if not 0 <= edit.span.start <= edit.span.end <= end:
            raise ValueError("edits overlap or lie outside the text")
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        end = edit.span.start
    return text


def only_fix(finding: Diagnostic, file: str) -> Fix | None:
    """The fix of a finding that needs no choice: it is the only one, and changes only `file`."""
    if len(finding.fixes) != 1 or finding.where != file:
        return None
    fix = finding.fixes[0]
    return fix if fix.edits and all(edit.span.file == file for edit in fix.edits) else None


def apply_fixes(text: str, file: str, check: Callable[[str], Sequence[Diagnostic]]) -> FixResult:
    """Apply the fixes of a text, one after the other, until none improves it.

    A fix is kept if it removes the finding and causes no new error, unless that error was only hidden before: further
    mistakes of an item, and the meaning of an item that did not parse, are found only after its first mistake is fixed.
    Where several show then, all are fixed together, or none.

    Args:
        text: the text.
        file: the name of the file in the spans of its findings.
        check: gives the findings in a text.
    """
    return _applied(text, file, check, _DEPTH)


def _applied(text: str, file: str, check: Callable[[str], Sequence[Diagnostic]], depth: int) -> FixResult:
    applied: list[Diagnostic] = []
    findings = check(text)
    refused: set[tuple[str, str, str]] = set()
    for _ in range(_ROUNDS):
        for finding in findings:
            fix = only_fix(finding, file)
            if fix is None or _name(finding, text) in refused:
                continue
            tried = apply_edits(text, fix.edits)
            after = check(tried)
            if _better(findings, after, finding, fix, text, tried):
                applied.append(finding)
                text, findings = tried, after
                break
            # an unknown name hid what is wrong in its brackets: all of it together may be fixed
            if (
                depth
                and finding.severity is Severity.ERROR
                and _only_new(findings, after, finding, text, tried)
            ):
                inner = _applied(tried, file, check, depth - 1)
                left = check(inner.text)
                if _errors(left) < _errors(findings):
                    applied += [finding, *inner.applied]
                    text, findings = inner.text, left
                    break
            refused.add(_name(finding, text))
        else:
            break
    return FixResult(text, tuple(applied))


def _errors(findings: Iterable[Diagnostic]) -> int:
    return sum(item.severity is Severity.ERROR for item in findings)


def _only_new(
    before: Sequence[Diagnostic], after: Sequence[Diagnostic], finding: Diagnostic, text: str, tried: str
) -> bool:
    """Whether a finding is gone after its fix, and each error that shows now has a fix of its own."""
    old = {_name(item, text) for item in before}
    new = [item for item in after if item.severity is Severity.ERROR and _name(item, tried) not in old]
    gone = all(_name(item, tried) != _name(finding, text) for item in after)
    return gone and bool(new) and all(only_fix(item, finding.where) is not None for item in new)


def _name(finding: Diagnostic, text: str) -> tuple[str, str, str]:
    """The identity of a finding without its position: code, message, and the text that it marks."""
    words = text[finding.span.start : finding.span.end] if finding.span else ""
    return finding.code, finding.message, words


def _moved(place: int, edits: Iterable[Edit]) -> int:
    """The new offset of a place after the edits before it and at it."""
    before = [edit for edit in edits if edit.span.start <= place]
    return place + sum(len(edit.text) - (edit.span.end - edit.span.start) for edit in before)


def _better(
    before: Sequence[Diagnostic],
    after: Sequence[Diagnostic],
    finding: Diagnostic,
    fix: Fix,
    text: str,
    tried: str,
) -> bool:
    old = [_name(item, text) for item in before]
    mine = _name(finding, text)
    again = [item for item in after if _name(item, tried) == mine]
    unread = finding.code.startswith("E01")
    if unread and finding.span:
        # the same mistake again, further on, was hidden too
        read = _moved(finding.span.end, fix.edits)
        again = [item for item in again if item.span is None or item.span.start < read]
    if len(again) >= old.count(mine):
        return False
    errors = [item for item in after if item.severity.value == "error" and _name(item, tried) not in old]
    start = finding.span.start if finding.span else 0
    if finding.code == "E0106":
        # a missing period hid all other mistakes of the item
        errors = [item for item in errors if item.code.startswith("E01") or item.where != finding.where]
    return len(errors) <= 1 and all(
        item.span is not None
        and item.span.file == finding.where
        and (item.span.start > start or (unread and not item.code.startswith("E01")))
        for item in errors
    )
