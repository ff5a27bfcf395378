"""Guarded sessions: spec, device, journal, clock and guard, opened in one go. It serves the commands and Python users.

>>> from vsalang import Action, SessionOptions, open_guarded
>>> chosen = SessionOptions(app="com.opentable")
>>> with open_guarded("reserve.vsa", "sim:restaurant", chosen) as session:         # doctest: +SKIP
...     session.step(Action("tap", {"text": "R"})).performed
True
"""

from vsalang.agents.session.guarded_session import ClockedDevice, GuardedSession
from vsalang.agents.session.inforce import File, InForce, SessionError, in_force
from vsalang.agents.session.opening import open_guarded, resume_guarded
from vsalang.agents.session.options import SessionOptions, guard_settings

__all__ = [
    "ClockedDevice",
    "File",
    "GuardedSession",
    "InForce",
    "SessionError",
    "SessionOptions",
    "guard_settings",
    "in_force",
    "open_guarded",
    "resume_guarded",
]
