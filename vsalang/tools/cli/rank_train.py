"""``vsac rank train``: trains a scorer for a pooling server on pairs, with a model of this machine."""

from pathlib import Path

from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Result
from vsalang.models.rank.training.data import read_pairs, split
from vsalang.models.rank.training.recipe import TrainingError, read_recipe
from vsalang.models.rank.training.run import TrainingResult, train
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import echo


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """What is trained, on what, and how."""

    pairs: tuple[str, ...] = argument("PAIRS")
    model: Path = option(
        "--model",
        required=True,
        default=Path(),
        metavar="DIR",
        help="The folder of the model to begin with; nothing is fetched.",
    )
    output: Path = shared.output("DIR", "The new folder of the trained model.", default=Path())
    recipe: Path | None = option(
        "--recipe",
        metavar="FILE.toml",
        help="What of the recipe is other than the paper's.",
        default_text="the paper's recipe",
    )
    resume: bool = flag("--resume", help="Go on from the newest checkpoint in --output.")
    most_steps: int | None = option(
        "--most-steps", least=1, metavar="N", help="End after so many steps of the optimizer."
    )


@frame.as_command("text", "json")
def command(options: TrainOptions) -> Result:
    """Train a scalar head on PAIRS, so that better actions get greater scores, and write it for a pooling server.

    It needs the extra `training`. The pairs are those of `vsac rank pairs`, and the recipe is V-Droid's: adapters of
    rank 16 in a base of 4 bits, on a GPU. Without a GPU the base is taken as it is: slow, but for small models.

    Exit status: 0 the model was written, 2 it was not, 130 it was interrupted (`--resume` goes on).
    """
    try:
        recipe = read_recipe(options.recipe)
        data = split(read_pairs(options.pairs), recipe)
        trained = train(
            data,
            options.model,
            options.output,
            recipe,
            resume=options.resume,
            most_steps=options.most_steps,
            tell=lambda text: echo(text, err=True),
        )
    except TrainingError as error:
        raise Failure(str(error), error.hint) from error
    return Result(lambda: _data(trained), lambda style: _lines(trained))


def _data(trained: TrainingResult) -> dict[str, object]:
    return {
        "version": 1,
        "folder": str(trained.folder),
        "pairs": trained.pairs,
        "held_out": trained.held_out,
        "too_long": trained.too_long,
        "loss": trained.loss,
        "accuracy": trained.accuracy,
        "resumed": trained.resumed,
    }


def _lines(trained: TrainingResult) -> list[str]:
    lines = [f"{trained.folder} holds the model, trained on {count(trained.pairs, 'pair')}"]
    if trained.too_long:
        lines.append(f"{count(trained.too_long, 'pair')} left out: too long")
    if trained.accuracy is not None:
        lines.append(
            f"of {count(trained.held_out, 'held-out pair')} {trained.accuracy:.1%} are in the right order"
        )
    return [*lines, f"next: vllm serve {trained.folder} --runner pooling; vsac rank run .. --scorer pooling"]
