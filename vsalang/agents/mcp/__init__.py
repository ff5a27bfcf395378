"""Guarded actions for any client of the Model Context Protocol: ``vsac mcp``.

from vsalang.agents.mcp import PhoneSession
from vsalang.agents.mcp.server import serve

session = PhoneSession(guard, device)
session.begin()
serve(session)                                        # until the client closes standard input
"""

from vsalang.agents.mcp.phone_session import Answer, PhoneSession, Question, Reply
from vsalang.agents.mcp.tools import ToolSpec, tool_specs

__all__ = ["Answer", "PhoneSession", "Question", "Reply", "ToolSpec", "tool_specs"]
