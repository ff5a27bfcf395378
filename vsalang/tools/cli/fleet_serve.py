"""``vsac fleet serve``: the server to which guards send their journals, with a console for people."""

import asyncio
import errno
import os
import signal
from pathlib import Path

from vsalang.base.collector import collect_seldom
from vsalang.base.diagnostics.display import count
from vsalang.base.options import flag, option
from vsalang.base.records import dataclass
from vsalang.guard.journal import JournalError
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_OK, Failure, require, version
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import echo, echo_json
from vsalang.tools.fleet.live.access import AccessError
from vsalang.tools.fleet.live.client import collector_url
from vsalang.tools.fleet.live.intake_store import IntakeError


@dataclass(frozen=True, slots=True)
class FleetServeOptions:
    """Where the server listens, and where it keeps what it gets."""

    data: Path = option(
        "--data",
        default=Path("fleet-server"),
        default_text="fleet-server",
        metavar="DIR",
        help="Where tokens, journals and the trail are kept.",
    )
    host: str = option("--host", default="127.0.0.1", help="Where to listen.")
    port: int = option("--port", default=8740, least=0, most=65535, help="0: any that is free.")
    rules: tuple[Path, ...] = option(
        "--rules",
        default=(),
        metavar="FILE",
        help="A policy over many devices (it reads `apps.fleet`), which raises alarms; repeatable.",
        default_text="app_specs/examples/across_devices.vsa",
    )
    trail_head: str | None = option(
        "--trail-head",
        metavar="HASH",
        help="You confirm that this is the last line of the trail, for a backup that was put back.",
        default_text="what is kept of the trail here",
    )
    expose: bool = flag(
        "--expose", help="Allow a host that other machines can reach. Nothing is encrypted: use a proxy."
    )
    host_names: tuple[str, ...] = option(
        "--host-name",
        default=(),
        metavar="NAME",
        help="A host name, with its port if it is not this one, under which the server is reached; repeatable.",
    )
    device_mib: int = option(
        "--device-mib",
        default=10_240,
        least=1,
        metavar="N",
        help="How many MiB of lines are kept of one device; more are refused.",
    )
    device_sessions: int = option(
        "--device-sessions",
        default=100_000,
        least=1,
        metavar="N",
        help="How many sessions are kept of one device; more are refused.",
    )
    otlp: str | None = option(
        "--otlp",
        metavar="URL",
        read=collector_url,
        help="Send traces and metrics to this OpenTelemetry collector, such as http://127.0.0.1:4318.",
        default_text="they are sent nowhere",
    )


@frame.as_command("text", "json")
def command(options: FleetServeOptions, output: Output) -> int:
    """Serve a fleet: guards send their journals here, and people look at the console.

    The server can raise alarms, ask, and end a session. It has no message that allows an action, lowers a level or
    changes a policy. Devices and people need tokens: `vsac fleet token add`.

    Exit status: 0 it was stopped, 2 it could not be served.
    """
    require("aiohttp", "server")
    if options.otlp is not None:
        require("opentelemetry.exporter.otlp.proto.http", "otel")
    # needs the extra `server`
    from vsalang.tools.fleet.live.fleet_rules import RulesError

    try:
        return asyncio.run(_serve(options, output))
    except (AccessError, IntakeError, JournalError, RulesError, ValueError) as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise port_problem(options.host, options.port, error) from error


def port_problem(host: str, port: int, error: OSError) -> Failure:
    """Why a server cannot listen, and what to do about it."""
    if error.errno == errno.EADDRINUSE:
        return Failure(
            f"port {port} of {host} is in use: another program listens there",
            "name another: --port N; 0 takes any that is free",
        )
    if error.errno == errno.EACCES:
        return Failure(f"this user may not listen on port {port}", "name one above 1023: --port N")
    why = os.strerror(error.errno).lower() if error.errno is not None and error.errno > 0 else str(error)
    return Failure(f"{host}:{port} cannot be listened on: {why}", "--host names an address of this machine")


async def _serve(options: FleetServeOptions, output: Output) -> int:
    # needs the extra `server`
    from vsalang.tools.fleet.live.server import Limits
    from vsalang.tools.fleet.live.serving import console_server

    server = console_server(
        options.data,
        options.rules,
        options.trail_head,
        host=options.host,
        port=options.port,
        expose=options.expose,
        hosts=options.host_names,
        limits=Limits(device_bytes=options.device_mib * 1024 * 1024, device_sessions=options.device_sessions),
    )
    if options.otlp is not None:
        from vsalang.tools.fleet.live.telemetry import Telemetry  # needs the extra `otel`

        Telemetry(server, options.otlp, version())
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with server.serving():
        holders = server.access.refresh().holders
        devices = sum(holder.role is None for holder in holders)
        if output.machine:
            echo_json({"url": server.url, "data": str(options.data), "devices": devices})
        else:
            echo(
                f"serving {count(devices, 'device')} and {count(len(holders) - devices, 'person', 'people')}"
            )
            echo(f"  console    {server.url}/")
            echo(f"  devices    vsac run .. --fleet {server.url} --fleet-token-file FILE")
            echo(f"  data       {options.data}")
            if not holders:
                echo("  tokens     none yet: `vsac fleet token add NAME`")
            echo("Ctrl-C stops it.")
        collect_seldom()
        await stop.wait()
        kept = server.intake.kept
    if not output.machine:
        echo(f"stopped; {count(kept, 'line')} kept since the start")
    return EXIT_OK
