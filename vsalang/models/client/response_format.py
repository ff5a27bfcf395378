"""A schema to which a server holds its answers, if it can."""

from collections.abc import Callable, Mapping
from typing import Any, Final

UNSUPPORTED: Final = frozenset({400, 404, 415, 422, 501})
"""The statuses of servers, and of those that pass requests on, that do not take a schema."""


class ResponseFormat:
    """The parameter ``response_format`` of requests. Once a server has refused it, it is not sent again.

    Args:
        name: what the answer is called.
        schema: its JSON Schema.
        refused: is told once why the server does not take it.
    """

    def __init__(
        self, name: str, schema: Mapping[str, Any], refused: Callable[[str], None] = lambda why: None
    ) -> None:
        self.name = name
        self._format = {"name": name, "strict": True, "schema": dict(schema)}
        self._tell = refused
        self._usable = True

    @property
    def parameters(self) -> dict[str, Any]:
        """What is added to a request."""
        return (
            {"response_format": {"type": "json_schema", "json_schema": self._format}} if self._usable else {}
        )

    def refused(self, why: str) -> None:
        """Note that the server answered a request without it, after it had refused one with it."""
        if self._usable:
            self._usable = False
            self._tell(why)
