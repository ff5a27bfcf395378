"""Makes a model from what a user chose: a server, or a folder of files, and how it is asked."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from vsalang.base.options import flag, option
from vsalang.base.records import dataclass
from vsalang.models.client.endpoint import OPENAI, address
from vsalang.models.client.file_model import FileModel
from vsalang.models.client.language_model import Backend, ModelError
from vsalang.models.client.openai_model import OpenAIModel, parameters
from vsalang.models.client.response_format import ResponseFormat
from vsalang.models.client.stored import OfflineModel, StoredAnswers

MODEL: Final = "gpt-4o"
"""The model that is asked if none is named."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model is asked, and how.

    Attributes:
        name: the model's name, as its endpoint knows it.
        base_url: the server; OpenAI's, or that of the environment, if left out.
        endpoint_dir: a folder; the model is asked by files in it.
        temperature: 0 to 2; not sent if left out.
        seed: of the first sample, each further one gets the next; not sent if left out.
        timeout: how long one request may take, in seconds.
        retries: how often a request is sent again after a busy server.
        cache: a folder in which answers are kept; see `vsalang.models.client.stored`.
        offline: only answers that are kept; nobody is asked.
    """

    name: str = option(
        "--model",
        default=MODEL,
        metavar="NAME",
        variable="OPENAI_MODEL",
        help="The model to ask (or OPENAI_MODEL).",
    )
    base_url: str | None = option(
        "--base-url", metavar="URL", help="The endpoint (or OPENAI_BASE_URL); OpenAI's if left out."
    )
    endpoint_dir: Path | None = option(
        "--endpoint-dir",
        metavar="DIR",
        help="Ask by files in this folder: each request is one, and waits for its answer's.",
        excludes=("--base-url", "--temperature", "--seed"),
    )
    temperature: float | None = option(
        "--temperature", least=0, most=2, help="The model's temperature; not sent if left out."
    )
    seed: int | None = option("--seed", help="The model's seed; not sent if left out.")
    timeout: float = option(
        "--timeout",
        default=120.0,
        least=0,
        above=True,
        most=3600,
        metavar="SECONDS",
        help="How long one request may take.",
    )
    retries: int = option(
        "--retries",
        default=2,
        least=0,
        most=10,
        help="How often a request is sent again after a busy server or a lost connection.",
    )
    cache: Path | None = option(
        "--cache", metavar="DIR", help="Keep answers here; what was asked before is not asked again."
    )
    offline: bool = flag("--offline", help="Ask nobody: only answers that --cache keeps.", needs="--cache")

    def named(self, name: str | None) -> "ModelOptions":
        """The same for another model, if one is named."""
        return self if name is None else replace(self, name=name)

    def model(
        self,
        sample: int = 1,
        *,
        show: Callable[[str], None] | None = None,
        form: ResponseFormat | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Backend:
        """A model for one conversation.

        Args:
            sample: the number of the conversation about one instruction, from 1; others get other answers.
            show: is given each piece of an answer when it arrives.
            tell: is told when a request will be sent again.
            form: a schema to which a server is to hold its answers; one that is asked by files does not get it.

        Raises:
            ModelError: it cannot be asked so: no key, no such folder, an invalid address or name.
        """
        if not self.name.strip() or not self.name.isprintable():
            raise ModelError(f"{self.name!r} is not a name of a model", "name it as its server does")
        model = self._asked(sample, show, form, tell)
        return model if self.cache is None else StoredAnswers(model, self.cache, sample, self.offline)

    def _asked(
        self,
        sample: int,
        show: Callable[[str], None] | None,
        form: ResponseFormat | None,
        tell: Callable[[str], None] | None,
    ) -> Backend:
        if self.endpoint_dir is not None:
            return FileModel(self.endpoint_dir, name=self.name, timeout=self.timeout, sample=sample)
        seed = None if self.seed is None else self.seed + sample - 1
        if self.offline:
            url = self.base_url or os.environ.get("OPENAI_BASE_URL")
            endpoint = address(url)[0] if url else OPENAI
            return OfflineModel(self.name, endpoint, parameters(self.temperature, seed, form))
        return OpenAIModel(
            self.name,
            base_url=self.base_url,
            temperature=self.temperature,
            seed=seed,
            timeout=self.timeout,
            retries=self.retries,
            show=show,
            tell=tell,
            form=form,
        )
