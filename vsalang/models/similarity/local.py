"""Embeddings that this machine computes, with the word vectors of WordLlama: nothing is sent anywhere.

A text's embedding is the mean of the vectors of its tokens; see https://github.com/dleemiller/WordLlama. The model is
in the library's wheel and is never fetched.
"""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.models.similarity.errors import SimilarityError

NAME: Final = "embeddings of WordLlama on this machine"


def local_model() -> Callable[[Sequence[str]], Any]:
    """A function that gives the embeddings of texts in the form of OpenAI's endpoint. Loading takes about a second.

    Raises:
        SimilarityError: the library is missing or its model cannot be loaded.
    """
    try:
        import wordllama
    except ImportError as error:
        raise SimilarityError(
            "embeddings cannot be computed: the library wordllama is missing",
            "pip install 'vsalang[similarity]'",
        ) from error
    try:
        # the wheel has its tokenizer where a cache has it
        model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    except Exception as error:
        raise SimilarityError(f"the model of wordllama cannot be loaded: {error}") from error
    lock = threading.Lock()  # its tokenizer is changed while it works

    def ask(texts: Sequence[str]) -> Any:
        with lock:
            vectors = model.embed(list(texts))
        return {"data": [{"index": n, "embedding": each.tolist()} for n, each in enumerate(vectors)]}

    return ask
