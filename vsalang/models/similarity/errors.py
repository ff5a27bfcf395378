"""The error of this room."""


class SimilarityError(Exception):
    """A backend of ``~=`` cannot be opened: a message, and a hint at the remedy."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
