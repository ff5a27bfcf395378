"""The prompts for the model: Jinja2 templates in a sandbox, and example specs that the checker accepted."""

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.opening import read_regular
from vsalang.base.templates import text_templates
from vsalang.language.semantics import load
from vsalang.models.encode.json_answer import written
from vsalang.models.encode.vocabulary import vocabulary

TEMPLATES: Final = ("system", "charter", "request", "feedback", "review", "doubts", "actions", "names")
"""The templates: the language, what charters are, which writer and reader are told; the task, the problems; what the
reader is asked, and its doubts; which actions an app has; what its screens are called."""

_BUILT_IN = Path(__file__).with_name("templates")
_MOST_EXAMPLES: Final = 50
_BEFORE: Final = "// JUDGEMENT:"
_LARGEST: Final = 1024 * 1024
_BREAK: Final = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


class PromptError(Exception):
    """A template or an example is missing or wrong."""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: an instruction, the vocabulary, and the spec; `json` is the spec as an answer in JSON.

    Attributes:
        before: what an answer with it says before the spec: of a charter the judgement of its instruction.
    """

    instruction: str
    vocabulary: str
    spec: str
    apps: tuple[str, ...]
    json: str
    before: str = ""


@dataclass(frozen=True)
class Prompts:
    """The templates and examples in use.

    Args:
        folder: the user's own; its files replace ours with the same names, and its folder ``examples`` replaces ours
            completely.
    """

    folder: Path | None = None

    def check(self) -> None:
        """Check that the folder exists and that every template in it can be read.

        Raises:
            PromptError: it does not, or one cannot.
        """
        if self.folder is not None:
            if not self.folder.is_dir():
                raise PromptError(f"{self.folder} is not a folder")
            ours = [name for name in TEMPLATES if (self.folder / f"{name}.j2").is_file()]
            if not ours and not (self.folder / "examples").is_dir():
                names = ", ".join(f"{name}.j2" for name in TEMPLATES)
                raise PromptError(f"{self.folder} holds nothing that is used: none of {names}, no examples")
        for name in TEMPLATES:
            self._template(name)

    def render(self, name: str, data: Mapping[str, Any]) -> str:
        """The text of a template.

        Raises:
            PromptError: there is no such template, it fails, or it uses a variable that it is not given.
        """
        from jinja2 import TemplateError

        try:
            return str(self._template(name).render(**data)).strip() + "\n"
        except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise PromptError(f"the template {name}.j2 failed: {type(error).__name__}: {error}") from error

    def examples(self) -> tuple[Example, ...]:
        """The worked examples, in the order of their files' names.

        Raises:
            PromptError: an example has errors.
        """
        own = self.folder / "examples" if self.folder is not None else None
        return _examples(own if own is not None and own.is_dir() else _BUILT_IN / "examples")

    def charters(self) -> tuple[Example, ...]:
        """The worked examples of charters, likewise: of the folder ``charters``.

        Raises:
            PromptError: an example has errors.
        """
        own = self.folder / "charters" if self.folder is not None else None
        return _examples(own if own is not None and own.is_dir() else _BUILT_IN / "charters")

    def sources(self) -> tuple[str, ...]:
        """The texts of the templates in use, in the order of their names.

        Raises:
            PromptError: one cannot be read.
        """
        places = {
            path.name: path for folder in (_BUILT_IN, self.folder) if folder for path in folder.glob("*.j2")
        }
        try:
            return tuple(read_regular(places[name], _LARGEST).decode("utf-8") for name in sorted(places))
        except (OSError, UnicodeDecodeError) as error:
            raise PromptError(f"a template cannot be read: {error}") from error

    def _template(self, name: str) -> Any:
        from jinja2 import TemplateError, TemplateSyntaxError

        own = (
            frozenset(path.name for path in self.folder.glob("*.j2"))
            if self.folder is not None
            else frozenset()
        )
        environment = _environment(self.folder, own)
        try:
            return environment.get_template(f"{name}.j2")
        except TemplateSyntaxError as error:
            place = f"{error.filename or name + '.j2'}:{error.lineno}"
            raise PromptError(f"{place}: {error.message}") from error
        except (TemplateError, OSError, UnicodeDecodeError) as error:
            raise PromptError(f"the template {name}.j2 cannot be read: {error}") from error


@lru_cache(maxsize=8)
def _environment(folder: Path | None, own: frozenset[str]) -> Any:
    """An environment that compiles each template once, until its file changes.

    Args:
        own: the names of the templates in `folder`; a further one is found by a new environment.
    """
    environment = text_templates([*([folder] if folder is not None else []), _BUILT_IN])
    environment.filters |= {"quoted": quoted, "fenced": fenced}
    return environment


def quoted(text: str) -> str:
    """The text with ``> `` before each line, so that nothing in it can stand where a line of the prompt does."""
    return "> " + _BREAK.sub(r"\g<0>> ", text)


def fenced(text: str, kind: str = "vsa") -> str:
    """The text in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"


@cache
def _examples(folder: Path) -> tuple[Example, ...]:
    examples: list[Example] = []
    for path in sorted(folder.glob("*.vsa"))[:_MOST_EXAMPLES]:
        loaded = load(path)
        if loaded.program is None:
            first = loaded.diagnostics[0]
            raise PromptError(
                f"the example {path} has errors; the first: {first.message} (see `vsac check {shlex.quote(str(path))}`)"
            )
        info = loaded.program.modules[loaded.main]
        if info.kind != "spec":
            continue  # an app of the examples
        apps = apps_of(loaded.program.modules[loaded.main].imports)
        text = loaded.sources[loaded.file].text.strip()
        before = ""
        if text.startswith(_BEFORE):
            before, _, text = text.removeprefix("// ").partition("\n")
        examples.append(
            Example(info.doc, vocabulary(loaded.program, apps), text, apps, written(loaded.program), before)
        )
    return tuple(examples)


def apps_of(imports: Sequence[str]) -> tuple[str, ...]:
    """The imported modules that are not of the standard library."""
    return tuple(name for name in imports if not name.startswith("std."))
