"""vsalang: decide with logic whether an agent's action agrees with the user's task, before it reaches the phone.

    >>> from vsalang import Guard, load
    >>> loaded = load("app_specs/examples/reserve_r.vsa")
    >>> guard = Guard(loaded.program)

Names are imported on first use, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vsalang.agents.guarded_device import GuardedDevice as GuardedDevice
    from vsalang.agents.session import GuardedSession as GuardedSession
    from vsalang.agents.session import SessionOptions as SessionOptions
    from vsalang.agents.session import open_guarded as open_guarded
    from vsalang.agents.session import resume_guarded as resume_guarded
    from vsalang.guard import ActionBlocked as ActionBlocked
    from vsalang.guard import AsyncGuard as AsyncGuard
    from vsalang.guard import Guard as Guard
    from vsalang.guard import NotAllowed as NotAllowed
    from vsalang.guard import Settings as Settings
    from vsalang.guard import Verdict as Verdict
    from vsalang.language.semantics import Loaded as Loaded
    from vsalang.language.semantics import check_text as check_text
    from vsalang.language.semantics import load as load
    from vsalang.language.semantics import load_text as load_text
    from vsalang.phone.open import open_device as open_device
    from vsalang.program.action import Action as Action

_EXPORTS = {
    "Action": "vsalang.program.action",
    "ActionBlocked": "vsalang.guard",
    "AsyncGuard": "vsalang.guard",
    "Guard": "vsalang.guard",
    "GuardedDevice": "vsalang.agents.guarded_device",
    "GuardedSession": "vsalang.agents.session",
    "Loaded": "vsalang.language.semantics",
    "NotAllowed": "vsalang.guard",
    "SessionOptions": "vsalang.agents.session",
    "Settings": "vsalang.guard",
    "Verdict": "vsalang.guard",
    "check_text": "vsalang.language.semantics",
    "load": "vsalang.language.semantics",
    "load_text": "vsalang.language.semantics",
    "open_device": "vsalang.phone.open",
    "open_guarded": "vsalang.agents.session",
    "resume_guarded": "vsalang.agents.session",
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
