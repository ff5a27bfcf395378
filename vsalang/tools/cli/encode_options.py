"""The options by which a command chooses the model that it asks, and what it may spend."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final, cast

import click

from vsalang.tools.cli.common import F, require
from vsalang.tools.cli.options import Numbers

_DEFAULT: Final = "gpt-4o"
_ALWAYS = click.option(
    "--model",
    default=_DEFAULT,
    show_default=True,
    envvar="OPENAI_MODEL",
    metavar="NAME",
    help="The model to ask (or OPENAI_MODEL).",
)
_OPTIONS = (
    click.option(
        "--base-url", metavar="URL", help="The endpoint (or OPENAI_BASE_URL); OpenAI's if left out."
    ),
    click.option(
        "--endpoint-dir",
        metavar="DIR",
        help="Ask by files in this folder: each request is one, and waits for its answer's.",
    ),
    click.option("--temperature", type=Numbers(0, 2), help="The model's temperature; not sent if left out."),
    click.option("--seed", type=int, help="The model's seed; not sent if left out."),
    click.option(
        "--timeout",
        type=Numbers(0, 3600, min_open=True),
        default=120.0,
        show_default=True,
        metavar="SECONDS",
        help="How long one request may take.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(0, 10),
        default=2,
        show_default=True,
        help="How often a request is sent again after a busy server or a lost connection.",
    ),
    click.option(
        "--cache", metavar="DIR", help="Keep answers here; what was asked before is not asked again."
    ),
    click.option("--offline", is_flag=True, help="Ask nobody: only answers that --cache keeps."),
)
_SPENDING = (
    click.option(
        "--budget-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help="Ask no more after so many tokens, sent and answered.",
    ),
    click.option(
        "--budget-seconds",
        type=Numbers(0, min_open=True),
        metavar="SECONDS",
        help="Ask no more after this time.",
    ),
    click.option(
        "--budget-cost",
        type=Numbers(0, min_open=True),
        metavar="DOLLARS",
        help="Ask no more after this cost, in US dollars.",
    ),
    click.option("--prices", metavar="FILE.toml", help="What tokens cost, in addition to what vsac knows."),
)

_WRITING = (
    click.option(
        "--max-rounds",
        type=click.IntRange(1, 20),
        default=4,
        show_default=True,
        help="How often the model is asked at most for one spec.",
    ),
    click.option(
        "--answer",
        type=click.Choice(["vsa", "json"]),
        default="vsa",
        show_default=True,
        help="In which form the model writes a spec.",
    ),
    click.option(
        "--review/--no-review",
        default=True,
        show_default=True,
        help="Have the meaning of a spec that checks looked at.",
    ),
    click.option(
        "--reviewer", metavar="NAME", help="The model that reads for --review; that of --model if left out."
    ),
    click.option(
        "--prompts",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="A folder whose templates and examples take the place of ours.",
    ),
)


def writing_options(function: F) -> F:
    """The options of how a model writes a spec: `max_rounds`, `answer`, `review`, `reviewer`, `prompts`."""
    return cast(F, _with(_WRITING, function))


def model_options(function: F) -> F:
    """The options of a model (parameter `models`, a `vsalang.models.encode.ModelOptions`)."""
    return _with_options(function, _ALWAYS)


def optional_model(what: str) -> Callable[[F], F]:
    """The same for a command that asks a model only if one is named: else `models` is None.

    Args:
        what: what the model is asked for.
    """
    option = click.option("--model", metavar="NAME", help=f"Also ask a model {what}.")
    return lambda function: _with_options(function, option)


def _with_options(function: F, named: Callable[[Any], Any]) -> F:
    @wraps(function)
    def call(
        *args: Any,
        model: str | None,
        base_url: str | None,
        endpoint_dir: str | None,
        temperature: float | None,
        seed: int | None,
        timeout: float,
        retries: int,
        cache: str | None,
        offline: bool,
        **more: Any,
    ) -> Any:
        if model is None and base_url is None and endpoint_dir is None:
            if temperature is not None or seed is not None or cache is not None or offline:
                raise click.UsageError("these options are for a model: name one with --model")
            return function(*args, models=None, **more)
        from vsalang.models.encode import ModelOptions

        if endpoint_dir is not None and (base_url or temperature is not None or seed is not None):
            raise click.UsageError("--endpoint-dir goes with none of --base-url, --temperature and --seed")
        asks = not offline and more.get("replay") is None and not more.get("check")
        if endpoint_dir is None and asks:
            require("openai", "formalize")
        if offline and cache is None:
            raise click.UsageError("--offline needs the answers of --cache")
        models = ModelOptions(
            model or _DEFAULT,
            base_url,
            _path(endpoint_dir),
            temperature,
            seed,
            timeout,
            retries,
            _path(cache),
            offline,
        )
        return function(*args, models=models, **more)

    return cast(F, _with((named, *_OPTIONS), call))


def spending_options(function: F) -> F:
    """The options of budgets and prices (parameters `budget`, a `vsalang.models.encode.Budget`, and `prices`, a
    path)."""

    @wraps(function)
    def call(
        *args: Any,
        budget_tokens: int | None,
        budget_seconds: float | None,
        budget_cost: float | None,
        prices: str | None,
        **more: Any,
    ) -> Any:
        from vsalang.models.encode import Budget

        budget = Budget(budget_tokens, budget_seconds, budget_cost)
        return function(*args, budget=budget, prices=_path(prices), **more)

    return cast(F, _with(_SPENDING, call))


def _path(name: str | None) -> Path | None:
    return Path(name) if name is not None else None


def _with(options: tuple[Any, ...], function: Any) -> Any:
    for option in reversed(options):
        function = option(function)
    return function
