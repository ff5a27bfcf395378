"""``vsac phone sim serve``: runs a simulated phone for other programs, says how to reach it, and shows its inputs."""

import json
import signal
import threading
from collections.abc import Iterable
from typing import Any

import click

from vsalang.base.diagnostics.display import count, safe
from vsalang.phone.sim import Input, PhoneSpec, PhoneSpecError, SimulatedPhone
from vsalang.phone.wire.peers import own_user
from vsalang.tools.cli.common import EXIT_OK, Failure
from vsalang.tools.cli.output import echo
from vsalang.tools.cli.phones import warn_of_strangers

TICK = 0.2
"""Seconds between two checks for new inputs."""


def serve(
    spec: PhoneSpec, scenario: str, *, port: int, adbd_port: int, more: Iterable[int], as_json: bool
) -> int:
    """Run a phone until Ctrl-C or SIGTERM.

    Args:
        port: of the phone's adb server, 0: a free one.
        adbd_port: of the phone's adb daemon, 0: a free one.
        more: further users who may connect.
        as_json: print one JSON object a line instead of words.

    Raises:
        Failure: the phone is wrong, or a port cannot be used.
    """
    if port and port == adbd_port:
        raise Failure("--port and --adbd-port are the same", "leave one out: a free port is taken then")
    _warn_of_emulator_ports(port, adbd_port)
    if warning := warn_of_strangers("the ports of the phone"):
        echo(f"note: {warning}", err=True)
    try:
        simulated = SimulatedPhone.start(
            spec, scenario=scenario, port=port, adbd_port=adbd_port, users=own_user(more)
        )
    except PhoneSpecError as error:
        raise Failure(str(error)) from error
    except OSError as error:
        ports = " or ".join(str(number) for number in (port, adbd_port) if number) or "a free port"
        raise Failure(
            f"cannot listen on port {ports}: {error.strerror}",
            "give other ports, or none: free ones are taken then",
        ) from error
    before = signal.getsignal(signal.SIGTERM)
    with simulated:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _interrupt)
        try:
            _say_started(simulated, as_json)
            _follow(simulated, as_json)
        except KeyboardInterrupt:
            pass
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, before)
        inputs = len(simulated.phone.inputs)
        if as_json:
            _line({"event": "ended", "inputs": inputs})
        else:
            echo(f"\nended; {count(inputs, 'input')} reached the phone")
    return EXIT_OK


def _interrupt(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _warn_of_emulator_ports(*ports: int) -> None:
    for port in ports:
        if 5555 <= port <= 5585 and port % 2:
            echo(
                f"note: every adb server of this machine takes port {port} for an emulator's: the phone will also "
                f"be listed as emulator-{port - 1}",
                err=True,
            )


def environment(simulated: SimulatedPhone) -> dict[str, str]:
    """The environment variables with which a client reaches the phone's own adb server."""
    return {
        "ANDROID_ADB_SERVER_HOST": "127.0.0.1",  # adbutils
        "ANDROID_ADB_SERVER_ADDRESS": "127.0.0.1",  # adb
        "ANDROID_ADB_SERVER_PORT": str(simulated.port),
        "ANDROID_SERIAL": simulated.serial,
    }


def _say_started(simulated: SimulatedPhone, as_json: bool) -> None:
    spec, daemon = simulated.phone.spec, simulated.daemon
    if as_json:
        _line(
            {
                "event": "started",
                "title": spec.title,
                "serial": simulated.serial,
                "server": {"host": "127.0.0.1", "port": simulated.port},
                "adbd": {"host": daemon.host, "port": daemon.port, "serial": daemon.serial},
                "env": environment(simulated),
                "apps": [app.package for app in spec.apps],
            }
        )
        return
    echo(f"{spec.title}, until Ctrl-C\n")
    echo("For uiautomator2, adbutils, agents built on them, and adb; no adb server is needed:")
    echo(f"  export ANDROID_ADB_SERVER_PORT={simulated.port} ANDROID_SERIAL={simulated.serial}")
    echo("For your own adb server:")
    echo(f"  adb connect {daemon.serial} && export ANDROID_SERIAL={daemon.serial}")
    echo("Then, for example:")
    echo("  python -m uiautomator2 current")
    echo(f"  adb shell monkey -p {spec.apps[0].package} -c android.intent.category.LAUNCHER 1")
    echo('  vsac guard SPEC --device "$ANDROID_SERIAL" -- COMMAND      # your agent, guarded')
    echo("\nWhat reaches the phone:")


def _follow(simulated: SimulatedPhone, as_json: bool) -> None:
    seen = 0
    tick = threading.Event()
    while True:
        inputs = simulated.phone.inputs
        for item in inputs[seen:]:
            if as_json:
                _line(_fields(item))
            else:
                echo(_words(item))
        seen = len(inputs)
        tick.wait(TICK)


def _words(item: Input) -> str:
    text = f" {item.text!r}" if item.text else ""
    place = f" at {item.x},{item.y}" if item.x >= 0 else ""
    end = f" to {item.x2},{item.y2}" if item.x2 >= 0 else ""
    target = f" on {item.target}" if item.target else ""
    fate = f" ({item.fate})" if item.fate else ""
    return safe(f"  {item.time:%H:%M:%S} {item.kind}{text}{place}{end}{target}{fate}")


def _fields(item: Input) -> dict[str, Any]:
    fields: dict[str, Any] = {"event": "input", "time": item.time.isoformat(), "kind": item.kind}
    if item.x >= 0:
        fields |= {"x": item.x, "y": item.y}
    if item.x2 >= 0:
        fields |= {"x2": item.x2, "y2": item.y2}
    return fields | {key: getattr(item, key) for key in ("text", "target", "fate") if getattr(item, key)}


def _line(fields: dict[str, Any]) -> None:
    click.echo(json.dumps(fields))
