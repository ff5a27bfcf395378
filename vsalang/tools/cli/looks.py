"""The options by which a user has a model look where it is open what an action did. Nothing else turns that on."""

from functools import wraps
from typing import TYPE_CHECKING, Any, cast

import click

from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass
from vsalang.tools.cli.common import F, Failure
from vsalang.tools.cli.options import Numbers
from vsalang.tools.cli.output import echo

if TYPE_CHECKING:
    from vsalang.guard.journal import Recorder
    from vsalang.models.look.look import Look, Looked, Looking


@dataclass(frozen=True, slots=True)
class LookOptions:
    """Which model looks.

    Attributes:
        model: its name, as its endpoint knows it.
        url: the endpoint; that of the environment, or OpenAI's, if left out.
        timeout: how long one answer may take, in seconds.
    """

    model: str
    url: str | None
    timeout: float

    def look(self) -> "Look":
        """The model, ready to be asked.

        Raises:
            Failure: it cannot be asked so.
        """
        from vsalang.models.encode import ModelError, OpenAIModel
        from vsalang.models.encode.look import LookModel

        try:
            model = OpenAIModel(self.model, base_url=self.url, timeout=self.timeout, retries=0)
        except ModelError as error:
            raise Failure(str(error), error.hint) from error
        if model.exposes_key:
            echo(f"warning: the API key travels unencrypted to {safe(model.endpoint)}", err=True)
        echo(f"pictures of parts of the screen are sent to {safe(model.endpoint)}", err=True)
        return LookModel(model)

    def looking(self, look: "Look", recorder: "Recorder") -> "Looking":
        """Who asks it in a session, and has the journal keep its result."""
        from vsalang.models.look.look import Looking

        def record(looked: "Looked") -> None:
            recorder.looked(looked.rule, looked.question, looked.outcome, looked.by, looked.problem)

        return Looking(look, f"model {self.model}", record=record)


_OPTIONS = (
    click.option(
        "--look-model",
        metavar="NAME",
        help="Have this model look at pictures where the tree leaves open whether an action came out as expected. It "
        "permits nothing. The key is read from OPENAI_API_KEY.",
    ),
    click.option(
        "--look-url",
        metavar="URL",
        help="The endpoint of --look-model (or OPENAI_BASE_URL); OpenAI's if left out.",
    ),
    click.option(
        "--look-timeout",
        type=Numbers(1, 600),
        default=20,
        show_default=True,
        metavar="SECONDS",
        help="How long one answer of --look-model may take.",
    ),
)


def look_options(function: F) -> F:
    """The options of looks (parameter `looks`; None: nobody looks)."""

    @wraps(function)
    def call(
        *args: Any, look_model: str | None, look_url: str | None, look_timeout: float, **more: Any
    ) -> Any:
        if look_url is not None and look_model is None:
            raise click.UsageError("--look-url is the endpoint of --look-model: name the model, too.")
        looks = LookOptions(look_model, look_url, look_timeout) if look_model is not None else None
        return function(*args, looks=looks, **more)

    decorated: Any = call
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return cast(F, decorated)
