"""How a model writes a spec, and what it may spend: the options that `vsac encode` shares with measurements."""

from pathlib import Path
from typing import Literal

from vsalang.base.options import flag, group, option
from vsalang.base.records import dataclass
from vsalang.models.encode import Budget, ModelOptions
from vsalang.tools.cli.common import require


@dataclass(frozen=True, slots=True)
class SpendingOptions:
    """What may be spent, and what tokens cost.

    Attributes:
        budget: what may be spent.
        prices: a file of prices, in addition to those that vsac knows.
    """

    budget: Budget = group(Budget)
    prices: Path | None = option(
        "--prices", metavar="FILE.toml", help="What tokens cost, in addition to what vsac knows."
    )


@dataclass(frozen=True, slots=True)
class WritingOptions:
    """How a model writes a spec.

    Attributes:
        rounds: how often it is asked at most.
        answer: in which form it writes.
        review: whether the meaning of a spec that checks is looked at.
        reviewer: the model that reads for that; None: the one that writes.
        prompts: a folder whose templates and examples take the place of ours.
    """

    rounds: int = option(
        "--max-rounds",
        default=4,
        least=1,
        most=20,
        help="How often the model is asked at most for one spec.",
    )
    answer: Literal["vsa", "json"] = option(
        "--answer", default="vsa", help="In which form the model writes a spec."
    )
    review: bool = flag(
        "--review/--no-review", default=True, help="Have the meaning of a spec that checks looked at."
    )
    reviewer: str | None = option(
        "--reviewer",
        metavar="NAME",
        help="The model that reads for --review; that of --model if left out.",
    )
    prompts: Path | None = option(
        "--prompts",
        metavar="DIR",
        help="A folder whose templates and examples take the place of ours.",
    )


def require_client(options: ModelOptions | None) -> None:
    """Make sure that the library by which a server is asked is installed, if one will be asked.

    Raises:
        Failure: it is not.
    """
    if options is not None and options.endpoint_dir is None and not options.offline:
        require("openai", "formalize")
