"""Views of generic modules belong to the app in front: what one app shows or holds in a form is nothing of another.

An ordinary app module has its views for itself. The module of every app would carry a draft from one app into the next,
so its views change with the app in front: those of the app that leaves are set aside, those of the app that comes back
are believed again. A view with ``on`` goes instead, because none of its screens shows in between.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from vsalang.guard.world.beliefs import Table, World, cleared
from vsalang.program.ir import Program

Aside: TypeAlias = Mapping[str, Mapping[str, Table]]
"""By package, the views that were set aside when another app came to the front."""

_MOST: Final = 64
"""So many apps are remembered; names of packages come from screens, which nobody should trust to be few."""


class ViewsByApp:
    """The views of the generic modules of a program."""

    def __init__(self, program: Program) -> None:
        generic = {name for name, module in program.modules.items() if module.generic}
        views = [
            relation
            for relation in (program.relations.values() if generic else ())
            if relation.sort == "view" and relation.module in generic
        ]
        self._lasting = tuple(view.name for view in views if not view.on)
        self._all = tuple(view.name for view in views)

    def __bool__(self) -> bool:
        return bool(self._all)

    def change(self, world: World, aside: Aside, before: str | None, now: str | None) -> tuple[World, Aside]:
        """What is believed when another app came to the front, and what is set aside from then on.

        Args:
            world: what is believed in the app that was in front.
            aside: what was set aside before.
            before: the package that was in front; None: the screen did not tell, so its views are kept for no app.
            now: the package that is in front now; None: the screen does not tell, so no app's views are believed.
        """
        left = {package: tables for package, tables in aside.items() if package not in (before, now)}
        if before is not None:
            kept = {name: world.tables[name] for name in self._lasting if name in world.tables}
            left[before] = MappingProxyType(kept)
        while len(left) > _MOST:
            del left[next(iter(left))]
        world = cleared(world, self._all)
        for name, table in (aside.get(now, {}) if now is not None else {}).items():
            world = world.put(name, table)
        return world, MappingProxyType(left)


def without_views(aside: Aside, relations: Iterable[str]) -> Aside:
    """What was set aside, without these views: what was predicted of them was never seen."""
    gone = frozenset(relations)
    if not any(name in gone for tables in aside.values() for name in tables):
        return aside
    return MappingProxyType(
        {
            package: MappingProxyType({name: table for name, table in tables.items() if name not in gone})
            for package, tables in aside.items()
        }
    )
