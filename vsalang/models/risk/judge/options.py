"""Which model judges what an agent does, and how. Nothing but these options turns that on."""

from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from vsalang.base.options import flag, option
from vsalang.base.records import dataclass
from vsalang.models.risk.judge.question import Mode, When

if TYPE_CHECKING:
    from vsalang.models.client.openai_model import OpenAIModel
    from vsalang.models.risk.judge.asking import Judge

At: TypeAlias = Literal["steps", "texts"]


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Which model judges, and how.

    Attributes:
        model: its name, as its endpoint knows it.
        url: the endpoint; that of the environment, or OpenAI's, if left out.
        when: whether it is asked before an action or after it.
        at: at which steps it is asked; None: the command says.
        mode: which moments it is shown; None: as `at` needs it.
        pictures: whether it is shown pictures of screens, too.
        timeout: how long one answer may take, in seconds.
        cache: a folder in which answers are kept.
        tokens: how many may be used in all.
        cost: what may be spent in all, in US dollars.
    """

    model: str = option(
        "--judge-model",
        default=MISSING,
        metavar="NAME",
        help="Have this model judge what the agent does, for rules that read Judged. It permits nothing. The key is "
        "read from OPENAI_API_KEY.",
    )
    url: str | None = option(
        "--judge-url",
        metavar="URL",
        help="The endpoint of --judge-model (or OPENAI_BASE_URL); OpenAI's if left out.",
    )
    when: When = option(
        "--judge-when",
        default="before",
        help="before: each proposal waits for the answer about it. after: the answer about what was done weighs on the "
        "next proposal.",
    )
    at: At | None = option(
        "--judge-at",
        help="Where the judge is asked. steps: at all that the phone sees. texts: only where a text leaves (Send, "
        "Post, Share, Create and Search of std.effects).",
        default_text="texts under a charter of --instruction, else steps",
        excludes={"texts": {"--judge-when after": "it is asked before a text leaves"}},
    )
    mode: Mode | None = option(
        "--judge-mode",
        help="Which moments the judge is shown. step: this one and the one before. window: the last five. sample: "
        "five of all. read: all that was read so far.",
        default_text="step; with --judge-at texts: read",
    )
    pictures: bool = flag("--judge-pictures", help="Show the judge pictures of the screen, too.")
    timeout: float = option(
        "--judge-timeout",
        default=10,
        least=1,
        most=600,
        metavar="SECONDS",
        help="How long one answer of --judge-model may take.",
    )
    cache: str | None = option(
        "--judge-cache",
        metavar="DIR",
        help="Keep the judge's answers here; what was asked before is not asked again.",
    )
    tokens: int | None = option(
        "--judge-tokens",
        least=1,
        metavar="N",
        help="Ask the judge no more after so many tokens, sent and answered.",
    )
    cost: float | None = option(
        "--judge-cost",
        least=0,
        above=True,
        metavar="DOLLARS",
        help="Ask the judge no more after this cost, in US dollars.",
    )

    def client(self) -> "OpenAIModel":
        """The model behind its endpoint.

        Raises:
            ModelError: it cannot be asked so.
        """
        from vsalang.models.client.openai_model import OpenAIModel
        from vsalang.models.client.response_format import ResponseFormat
        from vsalang.models.risk.judge.answer import FORM

        form = ResponseFormat("opinion", FORM)
        return OpenAIModel(self.model, base_url=self.url, timeout=self.timeout, retries=0, form=form)

    def judge(self, client: "OpenAIModel") -> "Judge":
        """The judge that asks this model.

        Raises:
            ModelError: a limit of cost cannot be kept.
        """
        from vsalang.models.client.ledger import Budget
        from vsalang.models.risk.judge.asking import Judge

        cache = Path(self.cache) if self.cache is not None else None
        return Judge(client, budget=Budget(self.tokens, None, self.cost), cache=cache)
