"""What an instruction says, in parts, and what of it stands on a screen.

>>> from vsalang.screen.intent import Wish
>>> wish = Wish.of("Delete the two blurry photos of Paris")
>>> sorted(wish.numbers), wish.words_in("Photo from Paris, 2 MB")
([2], ['pari', 'photo'])

Text in, words out: nothing here knows trees, guards or phones. `vsalang.screen.intent.relations` makes rows of
`std.intent` of the rows of a screen.
"""

from vsalang.screen.intent.instruction import NO_WISH, Wish
from vsalang.screen.intent.relations import MENTIONED, OF_INSTRUCTION, mentioned_rows

__all__ = ["MENTIONED", "NO_WISH", "OF_INSTRUCTION", "Wish", "mentioned_rows"]
