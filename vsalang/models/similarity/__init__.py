"""Backends of ``~=`` that ask somebody, and which backend a configuration says.

>>> from vsalang.models.similarity import embeddings
>>> backend = embeddings("text-embedding-3-small", threshold=0.8)             # doctest: +SKIP
>>> guard = Guard(program, similarity=backend)                                # doctest: +SKIP
"""

from vsalang.models.similarity.chosen import backend_of, embeddings, offline_of, usual_place
from vsalang.models.similarity.embeddings import THRESHOLD, Embeddings
from vsalang.models.similarity.errors import SimilarityError

__all__ = [
    "THRESHOLD",
    "Embeddings",
    "SimilarityError",
    "backend_of",
    "embeddings",
    "offline_of",
    "usual_place",
]
