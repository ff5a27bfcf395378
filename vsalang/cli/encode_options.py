"""The options by which a command chooses the model that writes specs."""

from functools import wraps
from pathlib import Path
from typing import Any, cast

import click

from vsalang.cli.common import F, require
from vsalang.cli.options import Numbers

_OPTIONS = (
    click.option(
        "--model",
        default="gpt-4o",
        show_default=True,
        envvar="OPENAI_MODEL",
        metavar="NAME",
        help="The model to ask (or OPENAI_MODEL).",
    ),
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
)


def model_options(function: F) -> F:
    """The options of a model (parameter `models`, a `vsalang.formalize.ModelOptions`)."""

    @wraps(function)
    def call(
        *args: Any,
        model: str,
        base_url: str | None,
        endpoint_dir: str | None,
        temperature: float | None,
        seed: int | None,
        timeout: float,
        retries: int,
        **more: Any,
    ) -> Any:
        from vsalang.formalize import ModelOptions

        if endpoint_dir is not None and (base_url or temperature is not None or seed is not None):
            raise click.UsageError("--endpoint-dir goes with none of --base-url, --temperature and --seed")
        if endpoint_dir is None:
            require("openai", "formalize")
        folder = Path(endpoint_dir) if endpoint_dir is not None else None
        models = ModelOptions(model, base_url, folder, temperature, seed, timeout, retries)
        return function(*args, models=models, **more)

    decorated: Any = call
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return cast(F, decorated)
