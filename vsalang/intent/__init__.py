"""What of an instruction stands on a screen: its words and its numbers.

>>> from vsalang.intent import Wish
>>> wish = Wish.of("Delete the two blurry photos of Paris")
>>> sorted(wish.numbers), wish.words_in("Photo from Paris, 2 MB")
([2], ['pari', 'photo'])

Text in, words out: nothing here knows trees, guards or phones. `vsalang.intent.relations` makes rows of `std.intent` of
the rows of a screen.
"""

from vsalang.intent.relations import MENTIONED, figure_rows, mentioned_rows
from vsalang.intent.words import NO_WISH, Wish

__all__ = ["MENTIONED", "NO_WISH", "Wish", "figure_rows", "mentioned_rows"]
