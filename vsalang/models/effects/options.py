"""Whether answers about unknown controls are kept and used, and which model is asked for them."""

from pathlib import Path
from typing import TYPE_CHECKING

from vsalang.base.options import option
from vsalang.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vsalang.models.client.language_model import Backend
    from vsalang.models.effects.answer import Effect
    from vsalang.models.effects.kept import AnswerFile


@dataclass(frozen=True, slots=True)
class EffectsOptions:
    """Whether answers about unknown controls are used, and who is asked.

    Attributes:
        model: is asked once about an unknown control that is touched; None: nobody is.
        url: its endpoint; that of the environment, or OpenAI's, if left out.
        folder: it is asked by files in this folder.
        timeout: how long one answer may take, in seconds.
        answers: the file in which answers are kept; None: the usual one, if a model is asked.
    """

    model: str | None = option(
        "--effects-model",
        metavar="NAME",
        help="Ask this model, once, what a control does that is unknown, or whose touch would be held back. The key "
        "is read from OPENAI_API_KEY.",
    )
    url: str | None = option(
        "--effects-url",
        metavar="URL",
        help="The endpoint of --effects-model (or OPENAI_BASE_URL); OpenAI's if left out.",
        needs="--effects-model",
    )
    folder: Path | None = option(
        "--effects-endpoint-dir",
        metavar="DIR",
        help="Ask --effects-model by files in this folder: each request is one, and waits for its answer's.",
        needs="--effects-model",
        excludes="--effects-url",
    )
    timeout: float = option(
        "--effects-timeout",
        default=20,
        least=0,
        above=True,
        most=600,
        metavar="SECONDS",
        help="How long one answer of --effects-model may take.",
    )
    answers: str | None = option(
        "--effects-answers",
        metavar="FILE",
        help="Keep answers about unknown controls here, and use those that are; see `vsac answers`.",
        default_text="with --effects-model ~/.local/share/vsalang/answers.sqlite",
    )

    @property
    def used(self) -> bool:
        """Whether answers about unknown controls count at all."""
        return self.model is not None or self.answers is not None

    def file(self) -> "AnswerFile":
        """The file of answers.

        Raises:
            StoreError: there is no place for it.
        """
        from vsalang.models.effects.kept import AnswerFile, usual_place

        return AnswerFile(Path(self.answers) if self.answers is not None else usual_place())

    def client(self, effects: "Mapping[str, Effect]") -> "Backend | None":
        """The model that is asked; None: nobody is.

        Args:
            effects: by name.

        Raises:
            ModelError: it cannot be asked so.
        """
        if self.model is None:
            return None
        from vsalang.models.client.file_model import FileModel
        from vsalang.models.client.openai_model import OpenAIModel
        from vsalang.models.client.response_format import ResponseFormat
        from vsalang.models.effects.answer import form

        if self.folder is not None:
            return FileModel(self.folder, name=self.model, timeout=self.timeout)
        schema = ResponseFormat("effect", form(effects))
        return OpenAIModel(self.model, base_url=self.url, timeout=self.timeout, retries=0, form=schema)
