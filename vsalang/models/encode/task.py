"""What a model is asked for, and how: a task and the settings, checked before anything is asked."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vsalang.base.diagnostics import has_errors
from vsalang.base.records import dataclass
from vsalang.base.resources import SHIPPED
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.models.encode.answer_form import Form
from vsalang.models.encode.attempt import Check, Rules
from vsalang.models.encode.experience import Experience
from vsalang.models.encode.meaning import Meaning
from vsalang.models.encode.moment import Moment
from vsalang.models.encode.problem import Unusable
from vsalang.program.reserved_words import RESERVED

MAX_INSTRUCTION: Final = 8_000
"""A longer instruction is refused (characters)."""
MAX_ROUNDS: Final = 20
"""More rounds are refused."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class InputError(Unusable):
    """The input cannot be used."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked for.

    Attributes:
        instruction: the user's instruction. It is in the spec's header unchanged, whatever the model writes there.
        apps: the app modules that the spec may use: files (``opentable.vsa``, ``specs/opentable.vsa``), or names that
            an import in `place` finds.
        name: the spec's name.
        place: the future file of the spec; it is not written. Imports are looked for from there. ``NAME.vsa`` in the
            current folder if left out.
        search: further folders in which imports are looked for; a project's configuration names them.
        moment: when and where the instruction was given; here and now if left out.
    """

    instruction: str
    apps: tuple[str | Path, ...]
    name: str = "task"
    place: Path | None = None
    search: tuple[Path, ...] = ()
    moment: Moment | None = None

    @property
    def path(self) -> Path:
        """The future file of the spec."""
        return self.place if self.place is not None else Path.cwd() / f"{self.name}.vsa"

    def prepared(self, check: Check | None) -> tuple[Rules, Loaded]:
        """The requirements for every attempt, and one program that imports the apps.

        Raises:
            InputError: the instruction, the name, or an app cannot be used.
        """
        place = self.path
        loaded, names = _apps(self.apps, place, self.search)
        instruction, name = _instruction(self.instruction), spec_name(self.name)
        rules = Rules(instruction, name, names, place, check, self.search)
        _probe(rules)
        return rules, loaded


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is asked, whatever the task.

    Attributes:
        rounds: how often the model is asked at most (1 to 20).
        check: a further check for an attempt without errors, such as `vsalang.models.encode.own_tests.run_tests`.
        prompts: a folder whose templates and examples replace ours.
        meaning: looks for doubts about an accepted spec (see `vsalang.models.encode.meaning`). The model is told
        once: it
            corrects the spec or says why not.
        memory: specs of earlier tasks that proved right. The model is shown those of the task's apps that are near;
            what is accepted does not depend on them.
        form: in which form the model writes the spec: as `.vsa` text, or as JSON of core rules.
    """

    rounds: int = 4
    check: Check | None = None
    prompts: Path | None = None
    meaning: Meaning | None = None
    memory: tuple[Experience, ...] = ()
    form: Form = "vsa"

    def checked(self) -> None:
        """Check the number of rounds. Raises `InputError`."""
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise InputError(f"{self.rounds} rounds are not possible", f"choose 1 to {MAX_ROUNDS}")


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
) -> tuple[Loaded, tuple[str, ...]]:
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
    return probe, tuple(files)


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
