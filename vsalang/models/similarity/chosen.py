"""Which backend of ``~=`` a configuration says, and the backend of an endpoint for embeddings."""

from pathlib import Path

from vsalang.base import config
from vsalang.base.source import private
from vsalang.models.similarity.embeddings import THRESHOLD, Embeddings
from vsalang.models.similarity.errors import SimilarityError
from vsalang.program.similarity import FoldedEquality, Similarity, Words

MODEL = "text-embedding-3-small"
LOCAL = "local"
"""As an endpoint: this machine computes the embeddings."""
TIMEOUT = 5.0


def backend_of(similarity: config.Similarity) -> Similarity | None:
    """The backend that a configuration says; None: the default.

    Raises:
        SimilarityError: it cannot be asked: a library or the key is missing, the endpoint is not an address, or what it
            remembers cannot be read.
    """
    if similarity.backend != "embeddings":
        return offline_of(similarity) if similarity.backend == "folded" or similarity.spelling else None
    if similarity.endpoint == LOCAL and similarity.model is not None:
        raise SimilarityError(
            f"the embeddings of this machine have one model, not `{similarity.model}`", "leave `model` out"
        )
    return embeddings(
        similarity.model or MODEL,
        endpoint=similarity.endpoint,
        threshold=THRESHOLD if similarity.threshold is None else similarity.threshold,
        timeout=similarity.timeout or TIMEOUT,
        offline=offline_of(similarity),
        keep=usual_place(),
    )


def usual_place() -> Path | None:
    """Where vectors are kept, by the XDG specification: ``~/.cache/vsalang/embeddings.sqlite``; None without a home."""
    base = private.home_folder("XDG_CACHE_HOME", ".cache")
    return base / "vsalang" / "embeddings.sqlite" if base is not None else None


def offline_of(similarity: config.Similarity) -> FoldedEquality:
    """What of the backend that a configuration says needs nobody: what tests use."""
    return FoldedEquality() if similarity.backend == "folded" else Words(spelling=similarity.spelling or 0)


def embeddings(
    model: str,
    *,
    endpoint: str | None = None,
    threshold: float = THRESHOLD,
    timeout: float = TIMEOUT,
    offline: FoldedEquality | None = None,
    keep: Path | None = None,
) -> Embeddings:
    """A backend that asks an OpenAI-compatible endpoint for embeddings, or computes them.

    Args:
        model: the model's name there; of no account where this machine computes.
        endpoint: such as ``http://localhost:11434/v1``; OPENAI_BASE_URL if left out, else OpenAI's. The key is
            OPENAI_API_KEY. `LOCAL`: nobody is asked, WordLlama computes them.
        threshold: the score from which texts are similar.
        timeout: the longest that one request may take, in seconds.
        offline: who is asked before; `vsalang.program.similarity.DEFAULT` if left out.
        keep: a file in which vectors are kept.

    Raises:
        SimilarityError: the library ``openai`` (or ``wordllama``) or the key is missing, the endpoint is not an
            address, or would get the key unencrypted, or `keep` cannot be used.
    """
    if endpoint == LOCAL:
        from vsalang.models.similarity.local import NAME, local_model

        return Embeddings(local_model(), name=NAME, threshold=threshold, offline=offline or Words())
    from vsalang.models.client.language_model import ModelError
    from vsalang.models.client.openai_model import OpenAIModel
    from vsalang.models.similarity.vectors import Vectors  # SQLite is slow to import

    try:
        asked = OpenAIModel(model, base_url=endpoint, timeout=timeout, retries=0)
    except ModelError as error:
        hint = error.hint.replace("--base-url (or OPENAI_BASE_URL)", "`endpoint` of [similarity]")
        raise SimilarityError(f"embeddings cannot be asked for: {error}", hint) from error
    if asked.exposes_key:
        raise SimilarityError(
            f"the key would go to {asked.endpoint} unencrypted", "take https, or start without OPENAI_API_KEY"
        )
    return Embeddings(
        asked.embed,
        name=f"embeddings of {model} at {asked.endpoint}",
        threshold=threshold,
        offline=offline or Words(),
        kept=Vectors(keep, f"{asked.endpoint} {model}") if keep is not None else None,
    )
