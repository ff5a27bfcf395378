"""A model that judges what an agent does, for the commands that can have one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.records import dataclass
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.models.client.language_model import ModelError
from vsalang.models.risk.judge.options import JudgeOptions
from vsalang.phone import Device
from vsalang.program.ir import Program
from vsalang.program.vocabulary import OPINIONS
from vsalang.program.walk import rule_uses
from vsalang.screen.secrets import Kind, Lexicon, Redactor
from vsalang.tools.cli.common import Failure, require
from vsalang.tools.cli.output import echo

if TYPE_CHECKING:
    from vsalang.agents.walks import Walk
    from vsalang.models.client.language_model import Backend
    from vsalang.models.risk.judge import Judge, LiveJudge

CARRY_TEXTS: Final = frozenset(f"{EFFECTS}.{each}" for each in ("Send", "Post", "Share", "Create", "Search"))
"""The effects by which a text leaves, or stays for others to read."""


@dataclass(frozen=True, slots=True)
class Consultation:
    """Makes the judge of a session (`vsalang.agents.session.SessionOptions.consult`).

    Attributes:
        options: how it is asked.
        judge: the model.
    """

    options: JudgeOptions
    judge: "Judge"

    def __call__(self, program: Program, device: Device | None) -> "LiveJudge":
        """The judge of one session.

        Raises:
            Failure: no rule reads what it says.
        """
        _refuse_unread(program)
        _refuse_unknown(program, self.options.at)
        picture = device.screenshot if self.options.pictures and device is not None else None
        return self._live(program.modules[program.main].doc, picture)

    def of_walks(
        self, program: Program, redact: Sequence[Kind], lexicon: Sequence[str]
    ) -> "Callable[[Walk], LiveJudge]":
        """Makes the judge of each recorded walk.

        Args:
            redact: which secrets it is not shown.
            lexicon: words that count as secrets.

        Raises:
            Failure: no rule reads what it says.
        """
        _refuse_unread(program)
        _refuse_unknown(program, self.options.at)

        def made(walk: "Walk") -> "LiveJudge":
            live = self._live(walk.task, None)
            if redact:
                live.hide(Redactor(redact, Lexicon(lexicon)))
            return live

        return made

    def _live(self, instruction: str, picture: Callable[[], bytes] | None) -> "LiveJudge":
        from vsalang.models.risk.judge import LiveJudge  # only with a model

        options = self.options
        texts = options.at == "texts"
        return LiveJudge(
            self.judge,
            instruction,
            mode=options.mode or ("read" if texts else "step"),
            when=options.when,
            picture=picture,
            about=CARRY_TEXTS if texts else None,
        )

    def summarize(self) -> None:
        """Say on standard error what the judge cost, and what went wrong with its cache."""
        spent = self.judge.spent
        cost = f", {spent.cost:.4f} US dollars" if spent.cost else ""
        echo(f"the judge was asked {count(spent.calls, 'time')}: {spent.tokens:,} tokens{cost}", err=True)
        if self.judge.problem:
            echo(f"warning: {self.judge.problem}", err=True)


def _refuse_unread(program: Program) -> None:
    """Raise a `Failure` if no rule reads what the judge says."""
    if not any(use.atom.relation in OPINIONS for rule in program.rules for use in rule_uses(rule)):
        raise Failure(
            "no rule in force reads what the judge says",
            "add `--policy std.policies.judge`, or a policy of your own that imports std.judge",
        )


def _refuse_unknown(program: Program, at: str | None) -> None:
    """Raise a `Failure` if a judge is to be asked about effects, and no rule knows them."""
    if at == "texts" and EFFECTS not in program.modules:
        raise Failure(
            "--judge-at texts: no module in force knows which step sends a text",
            f"import {EFFECTS} in SPEC or in a policy, or leave the option out",
        )


def consultation(options: JudgeOptions | None, *, charter: bool = False) -> Consultation | None:
    """The judge that the options name; None: they name none. Says on standard error where screens are sent.

    Args:
        options: how it is asked.
        charter: whether it is for the charter of an instruction: where texts leave, unless the options say otherwise.

    Raises:
        Failure: it cannot be asked so.
    """
    if options is None:
        return None
    require("openai", "formalize")
    if charter and options.at is None and options.when == "before":
        options = replace(options, at="texts")
    try:
        client = options.client()
        judge = options.judge(client)
    except ModelError as error:
        raise Failure(str(error), error.hint) from error
    say_where_sent(client, "texts and pictures" if options.pictures else "texts", "of the screen")
    return Consultation(options, judge)


def say_where_sent(model: "Backend", what: str, of: str) -> None:
    """Say on standard error where a model is sent what a screen shows."""
    if model.exposes_key:
        echo(f"warning: the API key travels unencrypted to {safe(model.endpoint)}", err=True)
    echo(f"{what} {of} are sent to {safe(model.endpoint)}", err=True)
