"""Extracts the module from a model's answer, which may contain other text, fences, tags or thoughts."""

import json
import re
from typing import Any, Final

from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.models.encode.problem import Problem
from vsalang.program.reserved_words import MODULE_KINDS

MAX_ANSWER: Final = 400_000
"""A longer answer (in characters) is not read."""
MAX_MODULE: Final = 64_000
"""A longer module (in characters) is not checked: no task needs it."""
_MOST_BLOCKS: Final = 20

_STRICT: Final = json.JSONDecoder(object_pairs_hook=object_once, parse_constant=no_constant)
_THOUGHTS = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(
    r"^[ \t]*+(`{3,}+|~{3,}+)[^\n`]*+\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_TAG = re.compile(r"<(vsa|spec|module|code|answer|output)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_COMMENT = re.compile(r"\s+|//[^\n]*|/\*.*?\*/", re.DOTALL)
_HEADER = re.compile(rf"(?:{'|'.join(MODULE_KINDS)})[ \t]+[A-Za-z_][\w.]*\s*(?:\"|package\b|import\b)")
_LINE = re.compile(rf"^{_HEADER.pattern}", re.MULTILINE)


def extract(answer: str) -> str | Problem:
    """The text of the one module in an answer, or the problem with the answer.

    It is looked for in this order: fenced blocks and tags whose text begins with a module's header; the answer itself,
    if it begins so; the text from the first line that is a header. Thoughts before the answer are dropped.
    """
    if len(answer) > MAX_ANSWER:
        return Problem.of(
            "answer", f"the answer is longer than {MAX_ANSWER} characters", "send the spec only"
        )
    text = answer.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = without_thoughts(text)
    blocks = _blocks(text)
    if len(blocks) > 1:
        return Problem.of(
            "answer", f"the answer holds {len(blocks)} modules", "send exactly one spec, in one ```vsa block"
        )
    module = blocks[0] if blocks else _bare(text)
    if module is None:
        return Problem.of(
            "answer", "the answer holds no spec", 'send one ```vsa block that begins with: spec NAME "..."'
        )
    if len(module) > MAX_MODULE:
        return Problem.of(
            "answer", f"the spec is longer than {MAX_MODULE} characters", "write only what the task needs"
        )
    return module.strip("\n") + "\n"


def without_thoughts(answer: str) -> str:
    """The answer without the thoughts with which it begins."""
    return _THOUGHTS.sub("", answer)


def json_object(answer: str, *lists: str) -> dict[str, Any] | None:
    """The first JSON object in an answer, if each of these fields of it is a list."""
    text = without_thoughts(answer)
    start = text.find("{")
    if start < 0 or len(answer) > MAX_ANSWER:
        return None
    try:
        data, _ = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not all(isinstance(data.get(name), list) for name in lists):
        return None
    return data


def before_module(answer: str) -> str:
    """What an answer says before its module, without thoughts."""
    text = without_thoughts(answer).partition("```")[0]
    module = _LINE.search(text)
    return (text[: module.start()] if module else text).strip()


def _blocks(text: str) -> list[str]:
    """The different blocks that begin like a module, in order."""
    inner = [match[2] for pattern in (_FENCE, _TAG) for match in pattern.finditer(text)]
    # a fence inside a tag, or the reverse, contains one module twice: keep the innermost
    modules = list(dict.fromkeys(block.strip() for block in inner if _begins_like_a_module(block)))[
        :_MOST_BLOCKS
    ]
    return [block for block in modules if not any(other != block and other in block for other in modules)]


def _bare(text: str) -> str | None:
    if _begins_like_a_module(text):
        return text
    match = _LINE.search(text)
    return text[match.start() :] if match else None


def _begins_like_a_module(text: str) -> bool:
    at = 0
    while match := _COMMENT.match(text, at):
        at = match.end()
    return _HEADER.match(text, at) is not None
