"""vsalang: decide with logic whether an agent's action agrees with the user's task, before it reaches the phone.

    >>> from vsalang import Guard, load
    >>> loaded = load("app_specs/examples/reserve_r.vsa")
    >>> guard = Guard(loaded.program)

Names are imported on first use, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vsalang.agents import Proposed as Proposed
    from vsalang.agents import run_agent as run_agent
    from vsalang.agents import run_steps as run_steps
    from vsalang.agents.adapters.uiautomator2.device import GuardedDevice as GuardedDevice
    from vsalang.agents.maps import UTG as UTG
    from vsalang.agents.maps import GuardPolicies as GuardPolicies
    from vsalang.agents.maps import Navigator as Navigator
    from vsalang.agents.maps import Router as Router
    from vsalang.agents.session import GuardedSession as GuardedSession
    from vsalang.agents.session import SessionOptions as SessionOptions
    from vsalang.agents.session import open_guarded as open_guarded
    from vsalang.agents.session import resume_guarded as resume_guarded
    from vsalang.agents.session.step_hints import Hints as Hints
    from vsalang.agents.walks import read_steps as read_steps
    from vsalang.agents.walks import read_walks as read_walks
    from vsalang.base.source import Source as Source
    from vsalang.engine import open_session as open_session
    from vsalang.guard import ActionBlocked as ActionBlocked
    from vsalang.guard import AsyncGuard as AsyncGuard
    from vsalang.guard import Guard as Guard
    from vsalang.guard import NotAllowed as NotAllowed
    from vsalang.guard import Settings as Settings
    from vsalang.guard import Verdict as Verdict
    from vsalang.guard.graph import commit_all as commit_all
    from vsalang.guard.graph import graph_of as graph_of
    from vsalang.guard.journal import Journal as Journal
    from vsalang.guard.journal import Recorder as Recorder
    from vsalang.guard.journal import read_session as read_session
    from vsalang.guard.journal import recorded_program as recorded_program
    from vsalang.guard.journal import replay as replay
    from vsalang.guard.journal import resume as resume
    from vsalang.guard.memory import certify_step as certify_step
    from vsalang.guard.say.feedback import roadmap as roadmap
    from vsalang.guard.say.feedback import roadmap_text as roadmap_text
    from vsalang.guard.say.feedback import verdict_text as verdict_text
    from vsalang.language.semantics import Loaded as Loaded
    from vsalang.language.semantics import check_text as check_text
    from vsalang.language.semantics import load as load
    from vsalang.language.semantics import load_text as load_text
    from vsalang.language.syntax.formatting import NotFormatted as NotFormatted
    from vsalang.language.syntax.formatting import format_source as format_source
    from vsalang.models.look.look import Looking as Looking
    from vsalang.phone.gate import Gate as Gate
    from vsalang.phone.open import open_device as open_device
    from vsalang.phone.protocol import Device as Device
    from vsalang.phone.sim import SimulatedPhone as SimulatedPhone
    from vsalang.program.action import Action as Action
    from vsalang.screen.control import controls as controls
    from vsalang.screen.control import delta as delta
    from vsalang.screen.screen import TreeScreen as TreeScreen
    from vsalang.screen.tree import load_tree as load_tree
    from vsalang.screen.tree import read_tree as read_tree

_EXPORTS = {
    "Action": "vsalang.program.action",
    "ActionBlocked": "vsalang.guard",
    "AsyncGuard": "vsalang.guard",
    "Device": "vsalang.phone.protocol",
    "Gate": "vsalang.phone.gate",
    "Guard": "vsalang.guard",
    "GuardPolicies": "vsalang.agents.maps",
    "GuardedDevice": "vsalang.agents.adapters.uiautomator2.device",
    "GuardedSession": "vsalang.agents.session",
    "Hints": "vsalang.agents.session.step_hints",
    "Journal": "vsalang.guard.journal",
    "Loaded": "vsalang.language.semantics",
    "Looking": "vsalang.models.look.look",
    "Navigator": "vsalang.agents.maps",
    "NotAllowed": "vsalang.guard",
    "NotFormatted": "vsalang.language.syntax.formatting",
    "Proposed": "vsalang.agents",
    "Recorder": "vsalang.guard.journal",
    "Router": "vsalang.agents.maps",
    "SessionOptions": "vsalang.agents.session",
    "Settings": "vsalang.guard",
    "SimulatedPhone": "vsalang.phone.sim",
    "Source": "vsalang.base.source",
    "TreeScreen": "vsalang.screen.screen",
    "UTG": "vsalang.agents.maps",
    "Verdict": "vsalang.guard",
    "certify_step": "vsalang.guard.memory",
    "check_text": "vsalang.language.semantics",
    "commit_all": "vsalang.guard.graph",
    "controls": "vsalang.screen.control",
    "delta": "vsalang.screen.control",
    "format_source": "vsalang.language.syntax.formatting",
    "graph_of": "vsalang.guard.graph",
    "load": "vsalang.language.semantics",
    "load_text": "vsalang.language.semantics",
    "load_tree": "vsalang.screen.tree",
    "open_device": "vsalang.phone.open",
    "open_guarded": "vsalang.agents.session",
    "open_session": "vsalang.engine",
    "read_session": "vsalang.guard.journal",
    "read_steps": "vsalang.agents.walks",
    "read_tree": "vsalang.screen.tree",
    "read_walks": "vsalang.agents.walks",
    "recorded_program": "vsalang.guard.journal",
    "replay": "vsalang.guard.journal",
    "resume": "vsalang.guard.journal",
    "resume_guarded": "vsalang.agents.session",
    "roadmap": "vsalang.guard.say.feedback",
    "roadmap_text": "vsalang.guard.say.feedback",
    "run_agent": "vsalang.agents",
    "run_steps": "vsalang.agents",
    "verdict_text": "vsalang.guard.say.feedback",
}
# not what needs a library that is an extra: `import *` would need it, too
__all__ = [
    "UTG",
    "Action",
    "ActionBlocked",
    "AsyncGuard",
    "Device",
    "Gate",
    "Guard",
    "GuardPolicies",
    "GuardedSession",
    "Hints",
    "Journal",
    "Loaded",
    "Looking",
    "Navigator",
    "NotAllowed",
    "NotFormatted",
    "Proposed",
    "Recorder",
    "Router",
    "SessionOptions",
    "Settings",
    "SimulatedPhone",
    "Source",
    "TreeScreen",
    "Verdict",
    "certify_step",
    "check_text",
    "commit_all",
    "controls",
    "delta",
    "format_source",
    "graph_of",
    "load",
    "load_text",
    "load_tree",
    "open_device",
    "open_guarded",
    "open_session",
    "read_session",
    "read_steps",
    "read_tree",
    "read_walks",
    "recorded_program",
    "replay",
    "resume",
    "resume_guarded",
    "roadmap",
    "roadmap_text",
    "run_agent",
    "run_steps",
    "verdict_text",
]


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        import importlib

        return getattr(importlib.import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module 'vsalang' has no attribute {name!r}")
