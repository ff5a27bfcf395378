"""vsalang: decide with logic whether an agent's action agrees with the user's task, before it reaches the phone.

    >>> from vsalang import Guard, load
    >>> loaded = load("app_specs/examples/reserve_r.vsa")
    >>> guard = Guard(loaded.program)

Names are imported on first use, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vsalang.agents.guarded_device import GuardedDevice as GuardedDevice
    from vsalang.core.action import Action as Action
    from vsalang.guard import ActionBlocked as ActionBlocked
    from vsalang.guard import AsyncGuard as AsyncGuard
    from vsalang.guard import Guard as Guard
    from vsalang.guard import NotAllowed as NotAllowed
    from vsalang.guard import Settings as Settings
    from vsalang.guard import Verdict as Verdict
    from vsalang.guarded import GuardedSession as GuardedSession
    from vsalang.guarded import SessionOptions as SessionOptions
    from vsalang.guarded import open_guarded as open_guarded
    from vsalang.guarded import resume_guarded as resume_guarded
    from vsalang.phones import open_device as open_device
    from vsalang.semantics import Loaded as Loaded
    from vsalang.semantics import check_text as check_text
    from vsalang.semantics import load as load
    from vsalang.semantics import load_text as load_text

_EXPORTS = {
    "Action": "vsalang.core.action",
    "ActionBlocked": "vsalang.guard",
    "AsyncGuard": "vsalang.guard",
    "Guard": "vsalang.guard",
    "GuardedDevice": "vsalang.agents.guarded_device",
    "GuardedSession": "vsalang.guarded",
    "Loaded": "vsalang.semantics",
    "NotAllowed": "vsalang.guard",
    "SessionOptions": "vsalang.guarded",
    "Settings": "vsalang.guard",
    "Verdict": "vsalang.guard",
    "check_text": "vsalang.semantics",
    "load": "vsalang.semantics",
    "load_text": "vsalang.semantics",
    "open_device": "vsalang.phones",
    "open_guarded": "vsalang.guarded",
    "resume_guarded": "vsalang.guarded",
}
# not `GuardedDevice`: `import *` would need uiautomator2, which is an extra
__all__ = [
    "Action",
    "ActionBlocked",
    "AsyncGuard",
    "Guard",
    "GuardedSession",
    "Loaded",
    "NotAllowed",
    "SessionOptions",
    "Settings",
    "Verdict",
    "check_text",
    "load",
    "load_text",
    "open_device",
    "open_guarded",
    "resume_guarded",
]


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        import importlib

        return getattr(importlib.import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module 'vsalang' has no attribute {name!r}")
