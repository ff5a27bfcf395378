"""The algebra of gestures: from touches and keys to every name that they may have.

    from vsalang.program.gestures import Point, names, path

    path([Point(5, 5), Point(5, 900, 200)])                 # what the way of a finger is: (swipe(..),)
    names(Surface(screen), "tap", {"x": 5, "y": 5, "node": 7})       # what else a tap there may be

`path` makes gestures from a finger's path, whatever reports it; `names` gives the other names of a gesture on a screen,
with all that is known of what takes it. The guard judges a gesture under all of them.
"""

from vsalang.program.gestures.keyboard import is_keyboard
from vsalang.program.gestures.names import (
    Name,
    commands,
    completed_cells,
    key_of_bar,
    names,
    read,
    scrolls,
    takes,
)
from vsalang.program.gestures.path import Point, path
from vsalang.program.gestures.recent import NOTHING, Recent
from vsalang.program.gestures.surface import Surface

__all__ = [
    "NOTHING",
    "Name",
    "Point",
    "Recent",
    "Surface",
    "commands",
    "completed_cells",
    "is_keyboard",
    "key_of_bar",
    "names",
    "path",
    "read",
    "scrolls",
    "takes",
]
