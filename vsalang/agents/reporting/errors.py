"""What an app's message is refused with: a code for programs, a sentence for people, and where in the message."""


class MessageRefused(Exception):
    """A message that is not taken in; nothing of it was.

    Attributes:
        code: a word that stays the same from release to release.
        where: the place in the message (``updates[2].values.time``), or empty.
    """

    def __init__(self, code: str, message: str, where: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.where = where

    @property
    def status(self) -> int:
        """The HTTP status that means it."""
        return STATUS[self.code]

    def to_json(self) -> dict[str, str]:
        """The refusal as JSON data."""
        return {"code": self.code, "message": str(self), "where": self.where}


STATUS = {
    "malformed": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "foreign": 403,
    "not_found": 404,
    "timeout": 408,
    "conflict": 409,
    "too_large": 413,
    "unknown_name": 422,
    "wrong_type": 422,
    "incomplete": 422,
    "too_many": 429,
    "failed": 503,
    "busy": 503,
}
"""Every code, with its HTTP status."""
