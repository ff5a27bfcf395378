"""The frameworks of agents of which vsalang knows more than a driver: each is registered here once.

A framework is a folder of `vsalang/agents/adapters/`. What wings below `agents` need of it are modules of that folder,
which are imported when they are needed:

* ``actions``: how it names actions. `NAMES` are its tools; `recognises` says of an object with an ``action`` whether it
  is one of its own; `read` and `write` are those of a format of `vsalang.phone.vocabulary`.
* ``tree``: how it says what is on a screen. `read` takes the JSON for `vsalang.screen.tree`.
"""

import importlib
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Final, Literal

from vsalang.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Framework:
    """What a framework's folder holds.

    Attributes:
        folder: the package.
        actions: whether it has a module ``actions``.
        tree: the keys of the JSON that its module ``tree`` reads, any of which is enough; none: it has no such module.
    """

    folder: str
    actions: bool = False
    tree: frozenset[str] = frozenset()


FRAMEWORKS: Final[Mapping[str, Framework]] = MappingProxyType(
    {
        "mobilerun": Framework(
            "vsalang.agents.adapters.mobilerun", actions=True, tree=frozenset({"a11y_tree"})
        ),
    }
)
"""The frameworks, by the name that users give them."""
ACTIONS: Final = tuple(name for name, known in FRAMEWORKS.items() if known.actions)
"""Those whose actions are a format."""


def part(name: str, module: Literal["actions", "tree"]) -> ModuleType:
    """A module of a framework's folder."""
    return importlib.import_module(f"{FRAMEWORKS[name].folder}.{module}")
