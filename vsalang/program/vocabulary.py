"""The device vocabulary: what is observed of a phone, its gestures, and the actions that are critical in every app.

`std.android` is always in scope; `std.tree`, `std.lists`, `std.control`, `std.forms`, `std.surface`, `std.secrets`
and `std.answers` are native relations that a module imports.
Rows of these relations follow the order of attributes given here.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from vsalang.program.ir import Relation
from vsalang.program.native import android, answers, control, forms, judge, lists, secrets, surface, tree

ANDROID: Final[Mapping[str, Relation]] = MappingProxyType(
    {r.name: r for r in (*android.OBSERVED, *android.GESTURES, *android.ACTIONS)}
)
"""`std.android`: always in scope."""

NATIVE: Final[Mapping[str, Mapping[str, Relation]]] = MappingProxyType(
    {
        "std.tree": MappingProxyType({r.name: r for r in tree.RELATIONS}),
        "std.lists": MappingProxyType({r.name: r for r in lists.RELATIONS}),
        "std.control": MappingProxyType({r.name: r for r in control.RELATIONS}),
        "std.forms": MappingProxyType({r.name: r for r in forms.RELATIONS}),
        "std.surface": MappingProxyType({r.name: r for r in surface.RELATIONS}),
        "std.judge": MappingProxyType({r.name: r for r in judge.RELATIONS}),
        "std.answers": MappingProxyType({r.name: r for r in answers.RELATIONS}),
        "std.secrets": MappingProxyType({r.name: r for r in secrets.RELATIONS}),
    }
)
"""Native relations of standard modules, in scope where the module is imported."""

VOCABULARY: Final[Mapping[str, Relation]] = MappingProxyType(
    {**ANDROID, **{name: relation for natives in NATIVE.values() for name, relation in natives.items()}}
)
"""All of them by name."""

SINCE: Final = frozenset({"Kept", "Delta", "Appeared", "Gone", "Moved", "Changed", "Transition"})
"""What compares the screen with an earlier one: a screen that cannot, or not certainly, does not name it among its
relations."""

OF_AN_APP: Final = frozenset({"Node", "Control", "UnitPart", "Kept", "Delta", "Appeared", "Gone", "Moved"})
"""In a module of an app, these are about its own packages unless their package is constrained."""

MEMORIES: Final = frozenset({"Tried"})
"""Relations of what was remembered. They never permit: `vsalang.language.semantics.memories` says where they may
stand."""

OPINIONS: Final = frozenset(r.name for r in judge.RELATIONS)
"""Relations of what a judge said. They only raise a verdict: `vsalang.language.semantics.memories` says where they
may stand."""

ANSWERS: Final = frozenset(r.name for r in answers.RELATIONS)
"""Relations of what is kept of unknown controls. `vsalang.language.semantics.memories` says where they may stand."""

PROPOSED: Final = frozenset({"Goto", "Licensed", "Overridden", "Typed"})
"""Observed relations that are about the proposal; the guard sets them."""

ALWAYS_COMPLETE: Final = frozenset({"App", "Charter", "Screen", "Clock", "Instruction", *ANSWERS, *PROPOSED})
"""Observed relations that are always seen completely."""
