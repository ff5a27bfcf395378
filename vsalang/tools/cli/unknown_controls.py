"""Answers about unknown controls, for the commands with a guarded session."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.source.database import StoreError
from vsalang.guard import Guard
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.models.client.language_model import ModelError
from vsalang.models.effects.answer import Effect
from vsalang.models.effects.options import EffectsOptions
from vsalang.phone import Device
from vsalang.program.ir import Program
from vsalang.tools.cli.common import Failure, require
from vsalang.tools.cli.output import echo

if TYPE_CHECKING:
    from vsalang.models.client.language_model import Backend
    from vsalang.models.effects import LiveAnswers
    from vsalang.models.effects.kept import AnswerFile


def effects_of(program: Program) -> Mapping[str, Effect]:
    """The effects of `std.effects` that say more than whose window it is, by their short names; none where the program
    does not use it.
    """
    return {
        relation.short: Effect(
            relation.doc, {attr.name: attr.doc for attr in relation.attrs if attr.name != _APP}
        )
        for relation in program.relations.values()
        if relation.module == EFFECTS and relation.sort == "action" and len(relation.attrs) > 1
    }


_APP = "app"
"""The parameter that no answer has to say: it is the app of the control."""


class UnknownControls:
    """Makes what knows of unknown controls in a session (`vsalang.agents.session.SessionOptions.answers`).

    Args:
        options: which answers are used, and who is asked.
        program: of the session.

    Raises:
        Failure: the program does not use `std.effects`, the file cannot be used, or the model cannot be asked so.
    """

    def __init__(self, options: EffectsOptions, program: Program) -> None:
        self._effects = effects_of(program)
        if not self._effects:
            raise Failure(
                f"answers about unknown controls are read by {EFFECTS}, and the task does not import it",
                f"add `import {EFFECTS}` to the spec, or leave the options that begin with --effects- out",
            )
        self._live: LiveAnswers | None = None
        try:
            self._file: AnswerFile = options.file()
            self._file.answers()  # what cannot be used is said before anything happens
            if options.model is not None and options.folder is None:
                require("openai", "formalize")
            self._client: Backend | None = options.client(self._effects)
        except (StoreError, ModelError) as error:
            raise Failure(str(error), error.hint) from error
        if self._client is not None:
            if self._client.exposes_key:
                echo(f"warning: the API key travels unencrypted to {safe(self._client.endpoint)}", err=True)
            echo(
                f"texts of screens whose controls are asked about are sent to {safe(self._client.endpoint)}",
                err=True,
            )

    def __call__(self, guard: Guard, device: Device | None) -> "LiveAnswers":
        """What knows of the unknown controls of one session.

        Raises:
            Failure: the file cannot be used.
        """
        from vsalang.models.effects import Asker, LiveAnswers  # only with a model

        asker = Asker(self._client, self._effects) if self._client is not None else None
        version_of = getattr(device, "app_version", None)
        try:
            self._live = LiveAnswers(
                self._effects,
                guard.doubt,
                file=self._file,
                asker=asker,
                version_of=version_of if callable(version_of) else lambda package: "",
            )
        except StoreError as error:
            raise Failure(str(error), error.hint) from error
        return self._live

    def summarize(self) -> None:
        """Say on standard error what was answered, what stays unknown, and what was dropped."""
        live = self._live
        if live is None:
            return
        if live.answered:
            echo(
                f"{count(len(live.answered), 'answer')} about unknown controls, not accepted by a person: "
                "`vsac answers list` shows them",
                err=True,
            )
        for why in dict.fromkeys(live.unanswered):
            times = live.unanswered.count(why)
            echo(f"{count(times, 'control')} without an answer: {safe(why)}", err=True)
        for key in live.dropped:
            echo(
                f"dropped what was kept of {safe(key.label or key.id)} of {safe(key.package)}: it was contradicted",
                err=True,
            )
        if live.problem:
            echo(f"warning: answers are not kept any more: {live.problem}", err=True)


def unknown_controls(options: EffectsOptions, program: Program) -> UnknownControls | None:
    """What knows of unknown controls, as the options say; None: nothing does.

    Raises:
        Failure: it cannot be used so.
    """
    return UnknownControls(options, program) if options.used else None
