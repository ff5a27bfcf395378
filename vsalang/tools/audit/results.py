"""The file with the result of each source that was audited: what each of its walks came to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.base.source.results import Form, Results
from vsalang.tools.audit.alarms import WalkAudit, as_data, from_data


def open_results(place: Path) -> Results[Sequence[WalkAudit]]:
    """The results of an audit in a file, which is made if it is not there; see `Results`.

    Raises:
        ResultsError: it cannot be used.
    """
    return Results(place, _FORM)


def _encode(key: str, audits: Sequence[WalkAudit]) -> dict[str, Any]:
    return {"audit": 1, "key": key, "traces": [as_data(each) for each in audits]}


def _decode(data: Any) -> Sequence[WalkAudit]:
    return tuple(from_data(each) for each in data["traces"])


_FORM: Final = Form("an audit", b'{"audit": 1, "key": "', _encode, _decode, at=", line ")
