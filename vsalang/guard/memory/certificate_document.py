"""Certificates as JSON documents, and back: versioned; `docs/reference/certificate.schema.json` is the schema."""

import dataclasses
import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.values_json import MISSHAPEN, action_json, read_action
from vsalang.guard.memory.certificate import (
    AttributeChange,
    Certificate,
    Condition,
    ContractOutcome,
    Effect,
    NodeName,
    Scope,
    Target,
)
from vsalang.guard.memory.certificate_keys import Key

VERSION: Final = 1
"""Raised when a field goes or means something else; new fields do not raise it."""


class NoCertificate(ValueError):
    """The data is not a certificate."""


def document(certificate: Certificate) -> dict[str, Any]:
    """A certificate as JSON data of the documented shape."""
    data = {
        field.name: _plain(getattr(certificate, field.name))
        for field in dataclasses.fields(Certificate)
        if field.name not in ("action", "at")
    }
    return {
        "version": VERSION,
        "at": certificate.at.isoformat() if certificate.at is not None else None,
        "action": action_json(certificate.action),
        **data,
    }


def read(data: Any) -> Certificate:
    """The certificate that `document` wrote.

    Raises:
        NoCertificate: it is none.
    """
    try:
        if data["version"] != VERSION:
            raise NoCertificate(f"a certificate of version {str(data['version'])[:20]}, and not {VERSION}")
        effect = data["effect"]
        return Certificate(
            Scope(**data["scope"]),
            tuple(Condition(**each) for each in data["state"]),
            tuple(Condition(**each) for each in data["prerequisites"]),
            data["level"],
            read_action(data["action"]),
            tuple(map(str, data["actions"])),
            _maybe(Target, data["unit"]),
            data["delivered"],
            Effect(
                **{
                    **effect,
                    "changed": tuple(AttributeChange(**each) for each in effect["changed"]),
                    "appeared": tuple(NodeName(**each) for each in effect["appeared"]),
                    "gone": tuple(NodeName(**each) for each in effect["gone"]),
                    "messages": tuple(map(str, effect["messages"])),
                }
            ),
            tuple(ContractOutcome(**each) for each in data["contracts"]),
            data["confidence"],
            str(data["because"]),
            str(data["program"]),
            _maybe(Key, data["key"]),
            dt.datetime.fromisoformat(data["at"]) if data["at"] is not None else None,
        )
    except (*MISSHAPEN, JournalError) as error:
        raise NoCertificate(f"not a certificate: {str(error)[:100]}") from error


def _maybe(kind: Any, data: Mapping[str, Any] | None) -> Any:
    return None if data is None else kind(**data)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return (
        dataclasses.asdict(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type)
        else value
    )
