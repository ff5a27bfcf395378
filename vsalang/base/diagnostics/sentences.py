"""A finding as plain sentences, for reports that show no source: message, label, help and suggestions."""

from vsalang.base.diagnostics.diagnostic import Diagnostic, Fix

_ENDS = (".", "!", "?")


def text_of(item: Diagnostic) -> str:
    """The texts of a finding as lines of whole sentences.

    >>> from vsalang.base.diagnostics import error
    >>> print(text_of(error("E0201", None, "unknown relation `Slto`", label="not declared", help="look at the app")))
    Unknown relation `Slto`: not declared.
    Look at the app.
    """
    first = f"{item.message}: {item.label}" if item.label and item.label not in item.message else item.message
    lines = [sentence(first)]
    if item.help:
        lines.append(sentence(item.help))
    lines += [
        f"Suggestion: {fix.title.rstrip('.')}." for fix in item.fixes if not says_the_same(item.help, fix)
    ]
    return "\n".join(lines)


def sentence(text: str) -> str:
    """A text with a capital letter at its beginning and a period at its end."""
    text = text.strip()
    word = text.split(maxsplit=1)[0] if text else ""
    if word.isalpha() and word.islower():
        text = text[0].upper() + text[1:]
    return text if not text or text.endswith(_ENDS) else f"{text}."


def says_the_same(help: str, fix: Fix) -> bool:
    """Whether a finding's help says no more than the title of a fix, so that one of them is enough."""
    return _bare(help) in (_bare(fix.title), _bare(fix.title).replace("write ", "did you mean ", 1))


def _bare(text: str) -> str:
    return text.replace("`", "").strip().rstrip("?.").casefold()
