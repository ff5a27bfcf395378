"""The options by which a user has a model judge what an agent does. Nothing else turns that on."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.records import dataclass
from vsalang.program.vocabulary import OPINIONS
from vsalang.tools.cli.common import F, Failure, require
from vsalang.tools.cli.options import Numbers
from vsalang.tools.cli.output import echo

if TYPE_CHECKING:
    from vsalang.agents.walks import Walk
    from vsalang.models.risk.judge import Judge, LiveJudge, Mode
    from vsalang.models.risk.judge.live import When
    from vsalang.phone import Device
    from vsalang.program.ir import Program
    from vsalang.screen.secrets import Kind

_MODES = ("step", "window", "sample")


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Which model judges, and how.

    Attributes:
        model: its name, as its endpoint knows it.
        url: the endpoint; that of the environment, or OpenAI's, if left out.
        timeout: how long one answer may take, in seconds.
        mode: which moments it is shown.
        when: whether it is asked before an action or after it.
        pictures: whether it is shown pictures of screens, too.
        cache: a folder in which answers are kept.
        tokens: how many may be used in all.
        cost: what may be spent in all, in US dollars.
    """

    model: str
    url: str | None
    timeout: float
    mode: "Mode"
    when: "When"
    pictures: bool
    cache: str | None
    tokens: int | None
    cost: float | None

    def judge(self) -> "Judge":
        """The model, ready to be asked; says on standard error where screens are sent.

        Raises:
            Failure: it cannot be asked so.
        """
        require("openai", "formalize")
        from vsalang.models.client.response_format import ResponseFormat
        from vsalang.models.encode import Budget, ModelError, OpenAIModel
        from vsalang.models.risk.judge import FORM, Judge

        try:
            model = OpenAIModel(
                self.model,
                base_url=self.url,
                timeout=self.timeout,
                retries=0,
                form=ResponseFormat("opinion", FORM),
            )
            judge = Judge(
                model,
                budget=Budget(self.tokens, None, self.cost),
                cache=Path(self.cache) if self.cache is not None else None,
            )
        except ModelError as error:
            raise Failure(str(error), error.hint) from error
        if model.exposes_key:
            echo(f"warning: the API key travels unencrypted to {safe(model.endpoint)}", err=True)
        what = "texts and pictures" if self.pictures else "texts"
        echo(f"{what} of the screen are sent to {safe(model.endpoint)}", err=True)
        return judge


@dataclass(frozen=True, slots=True)
class Consulted:
    """Makes the judge of a session (`vsalang.agents.session.SessionOptions.consult`).

    Attributes:
        options: how it is asked.
        judge: the model.
    """

    options: JudgeOptions
    judge: "Judge"

    def __call__(self, program: "Program", device: "Device | None") -> "LiveJudge":
        """The judge of one session.

        Raises:
            Failure: no rule reads what it says.
        """
        _refuse_unread(program)
        picture = device.screenshot if self.options.pictures and device is not None else None
        return self._live(program.modules[program.main].doc, picture)

    def of_walks(
        self, program: "Program", redact: "Sequence[Kind]", lexicon: "Sequence[str]"
    ) -> "Callable[[Walk], LiveJudge]":
        """Makes the judge of each recorded walk.

        Args:
            redact: which secrets it is not shown.
            lexicon: words that count as secrets.

        Raises:
            Failure: no rule reads what it says.
        """
        from vsalang.screen.secrets import Lexicon, Redactor

        _refuse_unread(program)

        def made(walk: "Walk") -> "LiveJudge":
            live = self._live(walk.task, None)
            if redact:
                live.hide(Redactor(redact, Lexicon(lexicon)))
            return live

        return made

    def _live(self, instruction: str, picture: "Callable[[], bytes] | None") -> "LiveJudge":
        from vsalang.models.risk.judge import LiveJudge

        options = self.options
        return LiveJudge(self.judge, instruction, mode=options.mode, when=options.when, picture=picture)

    def tell(self) -> None:
        """Say on standard error what the judge cost, and what went wrong with its cache."""
        spent = self.judge.spent
        cost = f", {spent.cost:.4f} US dollars" if spent.cost else ""
        echo(f"the judge was asked {count(spent.calls, 'time')}: {spent.tokens:,} tokens{cost}", err=True)
        if self.judge.problem:
            echo(f"warning: {self.judge.problem}", err=True)


def _refuse_unread(program: "Program") -> None:
    """Raise a `Failure` if no rule reads what the judge says."""
    from vsalang.program.walk import rule_uses

    if not any(use.atom.relation in OPINIONS for rule in program.rules for use in rule_uses(rule)):
        raise Failure(
            "no rule in force reads what the judge says",
            "add `--policy std.policies.judge`, or a policy of your own that imports std.judge",
        )


def consulted(judging: JudgeOptions | None) -> Consulted | None:
    """The judge that the options name; None: they name none. Raises what `JudgeOptions.judge` raises."""
    return Consulted(judging, judging.judge()) if judging is not None else None


_OPTIONS = (
    click.option(
        "--judge-model",
        metavar="NAME",
        help="Have this model judge what the agent does, for rules that read Judged. It permits nothing. The key is "
        "read from OPENAI_API_KEY.",
    ),
    click.option(
        "--judge-url",
        metavar="URL",
        help="The endpoint of --judge-model (or OPENAI_BASE_URL); OpenAI's if left out.",
    ),
    click.option(
        "--judge-when",
        type=click.Choice(["before", "after"]),
        default="before",
        show_default=True,
        help="before: each proposal waits for the answer about it. after: the answer about what was done weighs on the "
        "next proposal.",
    ),
    click.option(
        "--judge-mode",
        type=click.Choice(_MODES),
        default="step",
        show_default=True,
        help="Which moments the judge is shown. step: this one and the one before. window: the last five. sample: "
        "five of all.",
    ),
    click.option("--judge-pictures", is_flag=True, help="Show the judge pictures of the screen, too."),
    click.option(
        "--judge-timeout",
        type=Numbers(1, 600),
        default=10,
        show_default=True,
        metavar="SECONDS",
        help="How long one answer of --judge-model may take.",
    ),
    click.option(
        "--judge-cache",
        metavar="DIR",
        help="Keep the judge's answers here; what was asked before is not asked again.",
    ),
    click.option(
        "--judge-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help="Ask the judge no more after so many tokens, sent and answered.",
    ),
    click.option(
        "--judge-cost",
        type=Numbers(0, min_open=True),
        metavar="DOLLARS",
        help="Ask the judge no more after this cost, in US dollars.",
    ),
)


def judge_options(function: F) -> F:
    """The options of a judge (parameter `judging`, a `JudgeOptions`; None: nobody judges)."""

    @wraps(function)
    def call(
        *args: Any,
        judge_model: str | None,
        judge_url: str | None,
        judge_when: "When",
        judge_mode: "Mode",
        judge_pictures: bool,
        judge_timeout: float,
        judge_cache: str | None,
        judge_tokens: int | None,
        judge_cost: float | None,
        **more: Any,
    ) -> Any:
        said = judge_url or judge_pictures or judge_cache or judge_tokens or judge_cost
        if said and judge_model is None:
            raise click.UsageError(
                "the options --judge-.. are for a judge: name its model with --judge-model."
            )
        judging = None
        if judge_model is not None:
            judging = JudgeOptions(
                judge_model,
                judge_url,
                judge_timeout,
                judge_mode,
                judge_when,
                judge_pictures,
                judge_cache,
                judge_tokens,
                judge_cost,
            )
        return function(*args, judging=judging, **more)

    decorated: Any = call
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return cast(F, decorated)
