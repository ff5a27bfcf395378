"""The rules about messages: each request gets an answer, and a wrong one the error that the protocol names."""

import json
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass

Failure = types.LSPErrorCodes
_Wrong = types.ErrorCodes


@dataclass(frozen=True, slots=True)
class BadRequest:
    """A message that cannot be read; `id` is None where it has none.

    Attributes:
        code: the number of the error.
        notifies: whether it expects no answer.
    """

    id: str | int | None
    code: int
    message: str
    notifies: bool = False
    jsonrpc: str = "2.0"


class RequestFailed(JsonRpcException):
    """A request that cannot be done, for a reason that people can understand."""

    def __init__(self, message: str, code: int = Failure.RequestFailed) -> None:
        super().__init__(message=message, code=int(code))


class Protocol(LanguageServerProtocol):
    """Answers what must not, or cannot, be handled."""

    _begun = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object; a wrong one as a `BadRequest` with the id that its answer needs."""
        if "jsonrpc" not in data:
            return data
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            method = safe(str(data.get("method", "")), 60)
            code = int(error.code or _Wrong.InternalError)
            if not isinstance(error, JsonRpcInvalidParams) and "method" not in data:
                code = int(_Wrong.InvalidRequest)
            elif not isinstance(error, JsonRpcInvalidParams):
                code = int(_Wrong.InvalidParams)
            message = (
                f"the parameters of {method} are not those of the protocol" if method else "invalid message"
            )
            return BadRequest(_id(data), code, message, "id" not in data)

    def handle_message(self, message: Any) -> None:
        """Handle a message, or answer with the error that the protocol names."""
        if isinstance(message, BadRequest):
            self.refuse(message)
            return
        if not hasattr(message, "jsonrpc"):
            number = _id(message) if isinstance(message, dict) else None
            self.refuse(BadRequest(number, int(_Wrong.InvalidRequest), "this is not a JSON-RPC message"))
            return
        method = getattr(message, "method", "")
        is_request = bool(method) and hasattr(message, "id")
        if method == types.EXIT or not method:
            super().handle_message(message)
        elif self._shutdown:
            if is_request:
                self.refuse(BadRequest(message.id, int(_Wrong.InvalidRequest), "the session was shut down"))
        elif method == types.INITIALIZE:
            if self._begun:
                text = "the session is initialized already"
                self.refuse(BadRequest(message.id, int(_Wrong.InvalidRequest), text))
                return
            self._begun = True
            super().handle_message(message)
        elif not self._begun:
            if is_request:
                text = "the first request is `initialize`"
                self.refuse(BadRequest(message.id, int(_Wrong.ServerNotInitialized), text))
        else:
            super().handle_message(message)

    def refuse(self, request: BadRequest) -> None:
        """Send the error, or write a line to the editor's log if nobody waits for an answer."""
        if request.notifies:
            params = types.LogMessageParams(types.MessageType.Error, request.message)
            self.notify(types.WINDOW_LOG_MESSAGE, params)
            return
        answer = {
            "jsonrpc": "2.0",
            "id": request.id,
            "error": {"code": request.code, "message": request.message},
        }
        self._send_data(answer)

    def refuse_text(self, error: Exception) -> None:
        """Answer a text that is not JSON."""
        if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
            self.refuse(BadRequest(None, int(_Wrong.ParseError), "this message is not JSON"))


def _id(data: dict[str, Any]) -> str | int | None:
    number = data.get("id")
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None
