"""Names of a package that are imported on first use, so that importing the package costs nothing."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def names_of(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """What a package defines as ``__getattr__`` (PEP 562).

    Args:
        package: its name.
        places: name -> the module in the package that defines it.
    """

    def attribute(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{places[name]}"), name)

    return attribute
