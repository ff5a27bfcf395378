"""A client for apps in Python: says what is so, and asks before it acts. Needs nothing but the standard library."""

import datetime as dt
import http.client
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import Any, Self, TypeAlias
from urllib.parse import urlsplit

from vsalang.base.records import dataclass
from vsalang.base.source.opening import read_regular
from vsalang.program.values import NONE, NoneValue, show_duration

Given: TypeAlias = (
    str
    | int
    | float
    | Decimal
    | bool
    | dt.date
    | dt.time
    | dt.timedelta
    | frozenset[str]
    | set[str]
    | list[str]
    | NoneValue
    | None
)
"""A value as an app gives it; None is unknown, `vsalang.program.values.NONE` is seen and absent."""

_MOST = 8_000_000


class ClientError(Exception):
    """The session did not take a message in, or could not be asked: then nothing is allowed.

    Attributes:
        code: what the session calls it (``unknown_name``, ``wrong_type``, ...); ``unreachable`` if it did not answer.
        where: the place in the message.
    """

    def __init__(self, code: str, message: str, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.code = code
        self.where = where


@dataclass(frozen=True, slots=True)
class State:
    """A state that the app reports: its attributes with the names of their types."""

    name: str
    variables: Mapping[str, str] = field(default_factory=dict)
    description: str = ""


@dataclass(frozen=True, slots=True)
class Update:
    """One change.

    Attributes:
        name: of the state, view or list.
        values: the cells; of ``delete`` and ``complete`` which rows; of ``all`` what all rows share.
        op: ``update``, ``delete``, ``complete`` (nothing is unseen), ``all`` (`rows` are all there are).
        rows: of ``all``.
        keep: of a view: its other cells stay.
    """

    name: str
    values: Mapping[str, Given] = field(default_factory=dict)
    op: str = "update"
    rows: Sequence[Mapping[str, Given]] | None = None
    keep: bool = False

    def to_json(self) -> dict[str, Any]:
        """The change as JSON data."""
        data: dict[str, Any] = {"name": self.name, "op": self.op, "values": _values(self.values)}
        if self.rows is not None:
            data["rows"] = [_values(row) for row in self.rows]
        if self.keep:
            data["keep"] = True
        return data


@dataclass(frozen=True, slots=True)
class ReportReceipt:
    """The outcome of a report: the history point it made, or None: it waits for the action under way."""

    point: int | None
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Permission:
    """The answer to a question before an action.

    Attributes:
        proceed: whether the app may do it now.
        level: ``allow``, ``warn``, ``confirm``, ``block``.
        message: why it may not.
        id: for `Client.after_action`; None if there is nothing to say afterwards.
        verdict: the whole verdict with its reasons, as the guard's JSON.
    """

    proceed: bool
    level: str
    message: str = ""
    id: int | None = None
    verdict: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether the app may do it."""
        return self.proceed


class Client:
    """Speaks for one app with a session that `vsac serve` serves.

        client = Client.from_file("serve.json", "com.opentable")
        client.update_state("Slot", {"restaurant": "R", "date": day, "at": 1, "time": time, "available": True})
        if permission := client.before_action("Reserve", {"restaurant": "R", "date": day, "time": time}):
            ...                                       # do it
            client.after_action(permission, [Update("ReserveResult", {"success": True})])

    Args:
        url: where the session is.
        token: the app's.
        timeout: seconds to wait for an answer.
    """

    def __init__(self, url: str, token: str, *, timeout: float = 10.0) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or parts.hostname is None or parts.port is None:
            raise ValueError(f"{url} is not an address such as http://127.0.0.1:8765")
        self._host, self._port, self._token, self._timeout = parts.hostname, parts.port, token, timeout

    @classmethod
    def from_file(cls, path: str | Path, package: str | None = None, *, timeout: float = 10.0) -> Self:
        """The client of an app by the file that `vsac serve` wrote; `package` may be left out if it is the only one.

        Raises:
            ClientError: the file knows no such package.
        """
        data = json.loads(read_regular(path, 1024 * 1024))
        tokens: dict[str, str] = data["tokens"]
        if package is None and len(tokens) == 1:
            package = next(iter(tokens))
        if package not in tokens:
            raise ClientError("unauthorized", f"say which app: {', '.join(tokens)}")
        return cls(data["url"], tokens[package], timeout=timeout)

    # ------------------------------------------------------------------ messages

    def describe(self) -> dict[str, Any]:
        """All that the app may say: its states, actions and screens with their attributes and types."""
        return self._ask("GET", "/v1", None)

    def define_state(self, *states: State) -> None:
        """Say what the app will report; nothing is reported by it.

        Raises:
            ClientError: it does not fit what the app's module declares (code ``misfit``).
        """
        items = [
            {
                "name": state.name,
                "description": state.description,
                "variables": [{"name": name, "type": kind} for name, kind in state.variables.items()],
            }
            for state in states
        ]
        reply = self._ask("POST", "/v1/define_state", {"states": items})
        if not reply["fits"]:
            problems = [problem for state in reply["states"] for problem in state["problems"]]
            raise ClientError("misfit", "; ".join(problems))

    def update_state(
        self,
        name: str | Iterable[Update],
        values: Mapping[str, Given] | None = None,
        *,
        screens: Iterable[str] | None = None,
    ) -> ReportReceipt:
        """Report what is so now: one row of a state by name and values, or several changes at once.

        Args:
            name: of the state; or the changes.
            values: the row's cells.
            screens: the screens that show now, for sessions that see none.

        Raises:
            ClientError: it was not taken in; nothing of it was.
        """
        updates = [Update(name, values or {})] if isinstance(name, str) else list(name)
        data: dict[str, Any] = {"updates": [update.to_json() for update in updates]}
        if screens is not None:
            data["screens"] = list(screens)
        reply = self._ask("POST", "/v1/update_state", data)
        return ReportReceipt(reply["point"], tuple(reply["conflicts"]))

    def before_action(
        self,
        action: str | None = None,
        values: Mapping[str, Given] | None = None,
        *,
        updates: Iterable[Update] = (),
        note: str = "",
    ) -> Permission:
        """Ask whether the app may do something now. It must not unless the answer is true.

        Args:
            action: a critical action of the app's module.
            values: its parameters; one that is left out is unknown, and fits no condition on it.
            updates: what will change by it.
            note: a word for the journal.

        Raises:
            ClientError: it could not be asked: then it may not.
        """
        data: dict[str, Any] = {"updates": [update.to_json() for update in updates], "note": note}
        if action is not None:
            data |= {"action": action, "values": _values(values or {})}
        reply = self._ask("POST", "/v1/before", data)
        return Permission(
            reply["proceed"] is True, reply["level"], reply["message"], reply["id"], reply["verdict"]
        )

    def after_action(
        self,
        permission: Permission,
        updates: Iterable[Update] = (),
        *,
        performed: bool | None = True,
        screens: Iterable[str] | None = None,
    ) -> None:
        """Report the result of an action that was permitted; without it, after some time it counts as done.

        Args:
            permission: the answer before it.
            updates: what is so now.
            performed: False only if it certainly did nothing.
            screens: see `update_state`.

        Raises:
            ClientError: it is not under way any more: report what is so now by `update_state`.
        """
        if permission.id is None:
            if items := list(updates):
                self.update_state(items, screens=screens)
            return
        data: dict[str, Any] = {
            "id": permission.id,
            "performed": performed,
            "updates": [update.to_json() for update in updates],
        }
        if screens is not None:
            data["screens"] = list(screens)
        self._ask("POST", "/v1/after", data)

    # ------------------------------------------------------------------ HTTP

    def _ask(self, method: str, path: str, data: Mapping[str, Any] | None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._token}"}
        body = None
        if data is not None:
            body = json.dumps(data).encode()
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            raw = response.read(_MOST)
            reply = json.loads(raw) if raw else {}
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ClientError("unreachable", f"{type(error).__name__}: {error}") from error
        finally:
            connection.close()
        if not isinstance(reply, dict):
            raise ClientError("unreachable", "the answer is not a JSON object")
        if response.status != 200:
            details = reply.get("error")
            details = details if isinstance(details, dict) else {}
            raise ClientError(
                str(details.get("code", "unreachable")),
                str(details.get("message", f"HTTP status {response.status}")),
                str(details.get("where", "")),
            )
        return reply


def _values(values: Mapping[str, Given]) -> dict[str, Any]:
    return {name: _value(value) for name, value in values.items()}


def _value(value: Given) -> Any:
    """A value as the protocol writes it.

    Raises:
        TypeError: it is not a value.
    """
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return {"number": format(Decimal(repr(value)), "f")}
        case Decimal():
            return {"number": format(value, "f")}
        case dt.datetime():
            raise TypeError("a date with a time is not a value: give a date, or a time")
        case dt.date():
            return value.isoformat()
        case dt.time():
            return value.strftime("%H:%M:%S")
        case dt.timedelta():
            return show_duration(value)
        case set() | frozenset() | list():
            return sorted(value)
        case _ if value is NONE:
            return {"none": True}
    raise TypeError(f"{type(value).__name__} is not a value")
