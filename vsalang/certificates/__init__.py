"""Certificates: what an action did, made by the program without a model, and the memory of it.

from vsalang.certificates import key_of
from vsalang.certificates.measure import measure

key_of(tree, Action("tap", {"id": "save"}))        # under which name the gesture is remembered

Nothing here permits anything: a memory may warn, ask and order, and the checker holds programs to that.
"""

from vsalang.certificates.expecting import agreed, useless
from vsalang.certificates.keys import Key, key_of, screen_hash

__all__ = ["Key", "agreed", "key_of", "screen_hash", "useless"]
