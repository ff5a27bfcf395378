"""The encoder: asks a model for a spec, checks it, and reports problems back, for a limited number of rounds."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from vsalang.core.ir import Program
from vsalang.core.words import RESERVED
from vsalang.diagnostics import Diagnostic, has_errors
from vsalang.formalize.attempt import Check, Judged, Rules, judge
from vsalang.formalize.extract import before_module, extract
from vsalang.formalize.meaning import Doubt, Meaning, Review
from vsalang.formalize.model import Answer, Message, Model, ModelError, UnusableAnswer
from vsalang.formalize.moment import Moment
from vsalang.formalize.problem import Problem
from vsalang.formalize.prompting import Prompts
from vsalang.formalize.reference import functions, operators
from vsalang.formalize.vocabulary import device_actions, vocabulary
from vsalang.records import dataclass
from vsalang.semantics import Loaded, load, load_text
from vsalang.semantics.loader import SHIPPED
from vsalang.source import Source

MAX_INSTRUCTION: Final = 8_000
"""A longer instruction is refused (characters)."""
MAX_ROUNDS: Final = 20
"""More rounds are refused."""
_MOST_PROBLEMS: Final = 20
_LONGEST_FEEDBACK: Final = 12_000
_LONGEST_ECHO: Final = 4_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class InputError(Exception):
    """The input cannot be used.

    Attributes:
        hint: what may help; may be empty.
        diagnostics: findings in the given files, if they are the reason.
        sources: the texts of the findings.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        diagnostics: Sequence[Diagnostic] = (),
        sources: Mapping[str, Source] | None = None,
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.diagnostics = tuple(diagnostics)
        self.sources = sources or {}


@dataclass(frozen=True, slots=True)
class Round:
    """One turn of the conversation.

    Attributes:
        messages: the messages to the model.
        answer: its answer.
        text: the module in the answer, with our header; empty if there is none.
        problems: why it was not accepted; empty if it was.
        fixed: mistakes with one certain remedy, which were mended in `text`.
    """

    messages: tuple[Message, ...]
    answer: Answer
    text: str
    problems: tuple[Problem, ...]
    fixed: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Formalized:
    """The result of asking a model.

    Attributes:
        text: the last attempt; the spec, if accepted.
        rounds: all turns, in order.
        accepted: whether `text` passed all checks. It does not show that the spec says what the user meant: only a
            person can judge that.
        problems: of the last attempt.
        warnings: the checker's warnings about an accepted spec.
        loaded: the accepted spec's program, tests and sources; None if it was not accepted.
        doubts: about the meaning of an accepted spec. With one, a person has to look at it.
        reply: what the model said about the doubts that it was told; empty if there were none.
    """

    text: str
    rounds: tuple[Round, ...]
    accepted: bool
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    loaded: Loaded | None = field(default=None, repr=False)
    doubts: tuple[Doubt, ...] = ()
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Asking:
    """The event before the model is asked in round `number` (from 1) of at most `of`."""

    number: int
    of: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """The event after round `number` was checked; `again`: the model will be asked once more."""

    number: int
    of: int
    round: Round
    again: bool


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The event after the meaning of the accepted spec of round `number` was looked at."""

    number: int
    of: int
    review: Review


Listener = Callable[[Asking | Answered | Reviewed], None]


def formalize(
    instruction: str,
    apps: Sequence[str | Path],
    model: Model,
    *,
    name: str = "task",
    place: Path | None = None,
    max_rounds: int = 4,
    check: Check | None = None,
    prompts: Path | None = None,
    listen: Listener | None = None,
    search: Sequence[Path] = (),
    moment: Moment | None = None,
    meaning: Meaning | None = None,
) -> Formalized:
    """Have a model write the spec of an instruction, and accept only what the checker accepts.

    Args:
        instruction: the user's instruction. It is in the spec's header unchanged, whatever the model writes there.
        apps: the app modules that the spec may use: files (``opentable.vsa``, ``specs/opentable.vsa``), or names that
            an import in `place` finds.
        model: the model that is asked.
        name: the spec's name.
        place: the future file of the spec; it is not written. Imports are looked for from there. ``NAME.vsa`` in the
            current folder if left out.
        max_rounds: how often the model is asked at most (1 to 20).
        check: a further check for an attempt without errors, such as its own tests.
        prompts: a folder whose templates and examples replace ours.
        listen: called before and after each round.
        search: further folders in which imports are looked for; a project's configuration names them.
        moment: when and where the instruction was given; here and now if left out.
        meaning: looks for doubts about an accepted spec (see `vsalang.formalize.meaning`). The model is told once: it
            mends the spec or says why not.

    Raises:
        InputError: the instruction, the name, or an app cannot be used.
        ModelError: the model gave no usable answer.
        PromptError: a template or an example is wrong.
    """
    if not 1 <= max_rounds <= MAX_ROUNDS:
        raise InputError(f"{max_rounds} rounds are not possible", f"choose 1 to {MAX_ROUNDS}")
    place = place if place is not None else Path.cwd() / f"{name}.vsa"
    texts = Prompts(prompts)
    texts.check()
    program, names = _apps(apps, place, tuple(search))
    rules = Rules(_instruction(instruction), spec_name(name), names, place, check, tuple(search))
    _probe(rules)
    opening = (
        Message(
            "system",
            texts.render(
                "system",
                {
                    "examples": texts.examples(),
                    "device": device_actions(program),
                    "operators": operators(),
                    "functions": functions(),
                },
            ),
        ),
        Message(
            "user",
            texts.render(
                "request",
                {
                    "instruction": instruction,
                    "header": rules.header,
                    "name": name,
                    "apps": names,
                    "vocabulary": vocabulary(program, names),
                    "moment": moment or Moment.of(),
                },
            ),
        ),
    )
    conversation = _Conversation(rules, model, texts, max_rounds, listen or (lambda event: None), meaning)
    return conversation.held(opening)


@dataclass(frozen=True)
class _Conversation:
    """What a conversation with the model needs.

    Attributes:
        most: how often the model is asked at most.
        meaning: see `formalize`.
    """

    rules: Rules
    model: Model
    texts: Prompts
    most: int
    listen: Listener
    meaning: Meaning | None

    def held(self, opening: tuple[Message, ...]) -> Formalized:
        """The result of asking until a spec is accepted and the model has answered the doubts about it."""
        rounds: list[Round] = []
        messages = opening
        accepted: tuple[Judged, Review] | None = None
        reply = ""
        for number in range(1, self.most + 1):
            try:
                this, judged = self._round(number, messages, last=number == self.most and accepted is None)
            except ModelError as error:
                if accepted is None:
                    raise
                reply = f"(no answer: {error})"
                break
            rounds.append(this)
            if judged.problems:
                told = _feedback(this, self.rules, self.texts)
            else:
                before, accepted = accepted, (judged, self._review(number, judged, accepted))
                if before is not None:
                    reply = before_module(this.answer.text)[:_LONGEST_ECHO]
                    accepted = min(
                        accepted, before, key=lambda each: len(each[1].doubts)
                    )  # of equal ones the new one
                if before is not None or not accepted[1].doubts:
                    break
                told = self._doubts(accepted[1])
            # only the last attempt is shown again: earlier ones cost space and invite the same mistakes
            messages = (*opening, Message("assistant", _echo(this)), Message("user", told))
        if accepted is None:
            return Formalized(judged.text, tuple(rounds), False, judged.problems)
        judged, review = accepted
        return Formalized(
            judged.text,
            tuple(rounds),
            True,
            (),
            judged.warnings,
            judged.loaded,
            review.doubts,
            reply,
        )

    def _round(self, number: int, messages: tuple[Message, ...], *, last: bool) -> tuple[Round, Judged]:
        self.listen(Asking(number, self.most, messages))
        answer, found = _asked(self.model, messages, last=last)
        judged = Judged("", (found,)) if isinstance(found, Problem) else judge(found, self.rules)
        this = Round(messages, answer, judged.text, judged.problems, judged.fixed)
        self.listen(Answered(number, self.most, this, bool(judged.problems) and number < self.most))
        return this, judged

    def _review(self, number: int, judged: Judged, before: tuple[Judged, Review] | None) -> Review:
        if self.meaning is None or judged.loaded is None:
            return Review()
        if before is not None and before[0].text == judged.text:
            return replace(before[1], exchanges=())  # the same spec has the same doubts
        review = self.meaning(judged.loaded)
        self.listen(Reviewed(number, self.most, review))
        return review

    def _doubts(self, review: Review) -> str:
        texts = [doubt.text[:_LONGEST_ECHO] for doubt in review.doubts[:_MOST_PROBLEMS]]
        return self.texts.render("doubts", {"doubts": texts, "header": self.rules.header})


def _asked(model: Model, messages: tuple[Message, ...], *, last: bool) -> tuple[Answer, str | Problem]:
    """The model's answer, and the module in it. An answer that cannot be used is a problem, in the last round an error.

    Raises:
        ModelError: there is no answer, or none that can be used in the last round.
    """
    try:
        answer = model.ask(messages)
    except UnusableAnswer as error:
        if last:
            raise
        return Answer("", usage=error.usage), Problem.of(
            "answer", str(error), "send the spec only, whole, in one block"
        )
    return answer, extract(answer.text)


def _echo(last: Round) -> str:
    """The model's last turn, as it is shown again: its module without the text around it."""
    if last.text:
        return f"```vsa\n{last.text.rstrip()}\n```"
    text = last.answer.text or "(no answer)"
    return text if len(text) <= _LONGEST_ECHO else f"{text[:_LONGEST_ECHO]} [..]"


def _feedback(last: Round, rules: Rules, texts: Prompts) -> str:
    shown: list[str] = []
    room = _LONGEST_FEEDBACK
    for problem in last.problems[:_MOST_PROBLEMS]:
        if shown and len(problem.text) > room:
            break
        shown.append(problem.text[:_LONGEST_FEEDBACK])
        room -= len(shown[-1])
    return texts.render(
        "feedback",
        {
            "problems": shown,
            "more": len(last.problems) - len(shown),
            "header": rules.header,
            "apps": rules.apps,
            "fixed": len(last.fixed),
            "kinds": sorted({problem.kind for problem in last.problems}),
        },
    )


# ---------------------------------------------------------------- what is given


def _instruction(text: str) -> str:
    if not text.strip():
        raise InputError("the instruction is empty", "say what the user asked for")
    if len(text) > MAX_INSTRUCTION:
        raise InputError(f"the instruction is longer than {MAX_INSTRUCTION} characters")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InputError("the instruction is not valid UTF-8", "check the terminal's or the file's encoding")
    return text


def spec_name(name: str) -> str:
    """The name, if it is valid for a spec. Raises `InputError`."""
    if not _NAME.fullmatch(name) or name.lower() in RESERVED or len(name) > 100:
        raise InputError(
            f"{name!r} cannot name a spec",
            "use letters, digits and _, not a digit first, and no word of the language",
        )
    return name


def _apps(
    apps: Sequence[str | Path], place: Path, search: tuple[Path, ...]
) -> tuple[Program, tuple[str, ...]]:
    """One program that imports all the apps, as a spec in `place` will see them, and their names."""
    if not apps:
        raise InputError("no app is given", "name at least one app module")
    files: dict[str, Path | None] = {}
    for app in apps:
        name, file = _app(app, search)
        if name in files:
            raise InputError(f"`{name}` is given twice")
        if file is not None and file.resolve() == place.resolve():
            raise InputError(f"{place} is the app `{name}` itself", "write the spec to another file")
        files[name] = file
    imports = "".join(f"import {name}\n" for name in files)
    probe = load_text(f"spec probe\n{imports}{_ANY}", file=place.name, path=place, search=search)
    kinds = {unit.name: unit for unit in probe.units}
    for name, file in files.items():
        unit = kinds.get(name)
        read = unit.source.path if unit is not None else None
        if file is not None and (read is None or read.resolve() != file.resolve()):
            what = f"finds another file: {read}" if read is not None else "finds no file"
            raise InputError(f"`import {name}` in {place} {what}, not {file}", _found_by(name))
    if any(unit.source.file == place.name for unit in probe.units if unit.name != "probe"):
        raise InputError(
            f"{place.name} is also the name of an imported file here", "choose another file name"
        )
    if probe.program is None:
        raise InputError("an app cannot be used", "", probe.diagnostics, probe.sources)
    for name in files:
        kind = probe.program.modules[name].kind
        if kind != "app":
            raise InputError(f"`{name}` is not an app: it is of kind {kind}", "name the module of an app")
    return probe.program, tuple(files)


def _found_by(name: str) -> str:
    """The hint for an app that imports of the spec would not find."""
    folder = name.partition(".")[0]
    if folder in SHIPPED:
        return f"`{folder}.` is always what comes with vsac: name `{name}` for that, else give the copy another name"
    return (
        "write the spec next to the app, into a project whose app_specs/ holds it, or name the app's folder under "
        "`search` in vsac.toml"
    )


_ANY = 'allow answer(text = "x").\ndone when answer earlier.\n'


def _app(app: str | Path, search: tuple[Path, ...]) -> tuple[str, Path | None]:
    """The module's name, and its file if a file was given."""
    text = str(app)
    if isinstance(app, str) and not text.endswith(".vsa") and "/" not in text and "\\" not in text:
        if not re.fullmatch(rf"{_NAME.pattern}(\.{_NAME.pattern})*", text):
            raise InputError(f"{text!r} is neither a file nor the name of a module", "give a .vsa file")
        return text, None
    path = Path(app)
    loaded = load(path, search=search)
    if has_errors(loaded.diagnostics) or not loaded.main:
        raise InputError(f"the app {text} has errors", "fix them first", loaded.diagnostics, loaded.sources)
    return loaded.main, path


def _probe(rules: Rules) -> None:
    """Check that the header is valid: the model could not correct it."""
    imports = "".join(f"import {name}\n" for name in rules.apps)
    probe = load_text(
        f"{rules.header}\n{imports}{_ANY}", file=rules.file, path=rules.place, search=rules.search
    )
    if probe.program is None:
        raise InputError(
            "the instruction cannot be written in a spec's header", "", probe.diagnostics, probe.sources
        )
