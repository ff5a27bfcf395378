"""Backends of ``~=`` that ask somebody, and which backend a configuration says.

>>> from vsalang.similarity import embeddings
>>> backend = embeddings("text-embedding-3-small", threshold=0.8)             # doctest: +SKIP
>>> guard = Guard(program, similarity=backend)                                # doctest: +SKIP
"""

from vsalang.similarity.chosen import backend_of, embeddings, offline_of, usual_place
from vsalang.similarity.embeddings import THRESHOLD, Embeddings
from vsalang.similarity.errors import SimilarityError

__all__ = [
    "THRESHOLD",
    "Embeddings",
    "SimilarityError",
    "backend_of",
    "embeddings",
    "offline_of",
    "usual_place",
]
