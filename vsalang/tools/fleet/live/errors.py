"""What a fleet server refuses, as a status and a code that programs can rely on."""

from typing import Any, Final

_STATUS: Final = {
    "answered": 409,
    "busy": 503,
    "foreign": 403,
    "forbidden": 403,
    "forked": 409,
    "gap": 409,
    "gone": 410,
    "invalid": 400,
    "late": 409,
    "not_found": 404,
    "other_screen": 409,
    "quota": 403,
    "too_large": 413,
    "too_many": 429,
    "unauthorized": 401,
    "unkept": 503,
    "unknown": 404,
    "unseen": 409,
    "wrong_method": 405,
}


class RequestRefused(Exception):
    """A request that is not done.

    Attributes:
        code: why, for programs.
        more: what else the answer says.
    """

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.code = code
        self.more = more

    @property
    def status(self) -> int:
        """The status of HTTP."""
        return _STATUS.get(self.code, 400)

    def to_json(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"error": {"code": self.code, "message": str(self)}, **self.more}
