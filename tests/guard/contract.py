"""Marks which test makes which row of the failure contract (docs/reference/failures.md) fail."""

from collections.abc import Callable

Row = Callable[..., None]
ROWS: dict[str, list[Row]] = {}


def row(name: str) -> Callable[[Row], Row]:
    """Marks the test of a row of the table."""

    def mark(test: Row) -> Row:
        ROWS.setdefault(name, []).append(test)
        return test

    return mark
