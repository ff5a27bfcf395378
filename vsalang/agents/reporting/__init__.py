"""Apps that report their own state: a guard that listens to them, the endpoint they speak to, and a client.

>>> from vsalang.agents.reporting import Endpoint, ReportedGuard, Service, Tokens
>>> guard = ReportedGuard(program)                                            # doctest: +SKIP
>>> with Endpoint(Service(guard), Tokens.new(["com.opentable"])) as endpoint:  # doctest: +SKIP
...     print(endpoint.url)
http://127.0.0.1:8765

`Endpoint` needs the extra ``server``. `vsalang.agents.reporting.client` needs nothing.
"""

from typing import TYPE_CHECKING

from vsalang.agents.reporting.errors import MessageRefused
from vsalang.base.lazily import names_of

if TYPE_CHECKING:
    from vsalang.agents.reporting.access import AccessError, Tokens, read_connection, write_connection
    from vsalang.agents.reporting.client import Client, ClientError, Permission, State, Update
    from vsalang.agents.reporting.endpoint import Endpoint, Limits
    from vsalang.agents.reporting.paper import PaperApp
    from vsalang.agents.reporting.reporting import Answer, ReportedGuard, ReportOutcome
    from vsalang.agents.reporting.schema import AppSchema, packages
    from vsalang.agents.reporting.service import Service

_WHERE = {
    "AccessError": "access",
    "Answer": "reporting",
    "AppSchema": "schema",
    "Client": "client",
    "ClientError": "client",
    "Endpoint": "endpoint",
    "Limits": "endpoint",
    "PaperApp": "paper",
    "Permission": "client",
    "ReportedGuard": "reporting",
    "Service": "service",
    "State": "client",
    "Taken": "reporting",
    "Tokens": "access",
    "Update": "client",
    "packages": "schema",
    "read_connection": "access",
    "write_connection": "access",
}

__all__ = [
    "AccessError",
    "Answer",
    "AppSchema",
    "Client",
    "ClientError",
    "Endpoint",
    "Limits",
    "MessageRefused",
    "PaperApp",
    "Permission",
    "ReportOutcome",
    "ReportedGuard",
    "Service",
    "State",
    "Tokens",
    "Update",
    "packages",
    "read_connection",
    "write_connection",
]


__getattr__ = names_of(__name__, _WHERE)  # a client must not need the endpoint's library
