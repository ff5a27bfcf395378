"""``vsac fleet demo``: a server, simulated phones and their agents, by one command."""

import signal
import tempfile
import threading
from pathlib import Path

from vsalang.base.diagnostics.display import count
from vsalang.base.options import option
from vsalang.base.records import dataclass
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_OK, require
from vsalang.tools.cli.fleet_serve import port_problem
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.output import echo, echo_json


@dataclass(frozen=True, slots=True)
class FleetDemoOptions:
    """How many phones there are, and how fast their agents work."""

    phones: int = option("--phones", default=4, least=1, most=50, metavar="N", help="How many phones.")
    pace: float = option(
        "--pace", default=1.5, least=0, metavar="SECONDS", help="Between two steps of an agent."
    )
    port: int = option("--port", default=8740, least=0, most=65535, help="0: any that is free.")
    sessions: int = option(
        "--sessions",
        default=0,
        least=0,
        metavar="N",
        help="End after so many sessions.",
        default_text="none: Ctrl-C ends it",
    )


@frame.as_command("text", "json")
def command(options: FleetDemoOptions, output: Output) -> int:
    """Watch a fleet: a server with its console, simulated phones, and recorded agents that are guarded.

    The address and a token for the console are printed. Some actions must be approved there: what nobody answers
    within 45 seconds is a no. Everything is kept in a folder that is deleted at the end.

    Exit status: 0; 2 it could not be served.
    """
    require("aiohttp", "server")
    # needs the extra `server`
    from vsalang.tools.fleet.live.demo import DemoPhone, demo_fleet
    from vsalang.tools.fleet.live.server import running
    from vsalang.tools.fleet.live.serving import console_server

    stop = threading.Event()
    with tempfile.TemporaryDirectory(prefix="vsac-fleet-", ignore_cleanup_errors=True) as name:
        fleet = demo_fleet(Path(name), options.phones)
        try:
            with running(lambda: console_server(fleet.folder, port=options.port)) as server:
                phones = [
                    DemoPhone(server.url, file, number, options.pace, stop, lambda text: echo(text, err=True))
                    for number, file in enumerate(fleet.devices)
                ]
                old = {
                    one: signal.signal(one, lambda *_: stop.set()) for one in (signal.SIGINT, signal.SIGTERM)
                }
                try:
                    _tell(output, server.url, fleet.token, options.phones)
                    for phone in phones:
                        phone.start()
                    while not stop.wait(0.2):
                        if options.sessions and sum(phone.sessions for phone in phones) >= options.sessions:
                            stop.set()
                    for phone in phones:
                        phone.join()
                finally:
                    for number, handler in old.items():
                        signal.signal(number, handler)
                kept = server.intake.kept
        except OSError as error:
            raise port_problem("127.0.0.1", options.port, error) from error
    if not output.machine:
        echo(f"{count(sum(phone.sessions for phone in phones), 'session')}, {count(kept, 'line')} kept")
    return EXIT_OK


def _tell(output: Output, url: str, token: str, phones: int) -> None:
    if output.machine:
        echo_json({"url": f"{url}/", "token": token, "phones": phones})
        return
    echo(f"{count(phones, 'phone')} with guarded agents. Open the console, and give this token:")
    echo(f"  {url}/")
    echo(f"  {token}")
    echo("Ctrl-C ends it.")
