"""How near texts are to one: the cosine of TF-IDF weights over letter trigrams.

The weights are those of Salton and Buckley 1988, the trigrams those of Cavnar and Trenkle 1994. It needs no model, no
network and no word lists, finds words again in the plural or with a typing error, and always gives the same answer.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from vsalang.program.text import words


def nearness(text: str, others: Sequence[str]) -> list[float]:
    """For each of the other texts how near it is, from 0 to 1. What few of them have counts most."""
    documents = [_terms(other) for other in others]
    counts = Counter(term for document in documents for term in document)
    rarity = {term: math.log((1 + len(documents)) / (1 + count)) + 1 for term, count in counts.items()}
    asked = _weighed(_terms(text), rarity)
    return [cosine(asked, _weighed(document, rarity)) for document in documents]


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The cosine of the angle between two vectors, each given by its components; 0 if one has no length."""
    product = math.fsum(weight * other[name] for name, weight in one.items() if name in other)
    lengths = _length(one.values()) * _length(other.values())
    return product / lengths if lengths else 0.0


def _terms(text: str) -> Counter[str]:
    """The trigrams of the folded words of a text, each word between blanks."""
    counts: Counter[str] = Counter()
    for word in words(text):
        padded = f" {word.folded} "
        counts.update(padded[at : at + 3] for at in range(len(padded) - 2))
    return counts


def _weighed(terms: Counter[str], rarity: Mapping[str, float]) -> dict[str, float]:
    """The TF-IDF weights; a term that no document has says nothing."""
    return {term: (1 + math.log(count)) * rarity[term] for term, count in terms.items() if term in rarity}


def _length(weights: Iterable[float]) -> float:
    return math.sqrt(math.fsum(weight * weight for weight in weights))
