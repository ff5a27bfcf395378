"""``vsac phone list``: lists the devices of the adb server, and the simulated phones that come with vsalang."""

import json
from typing import Any

import click

from vsalang.tools.cli.common import EXIT_OK, Failure, format_option
from vsalang.tools.cli.output import echo


def _real() -> tuple[list[dict[str, str]], str]:
    """The devices of the running adb server, and why there are none if it does not answer."""
    from vsalang.phone.doctor import start_command
    from vsalang.phone.errors import DeviceError
    from vsalang.phone.states import meaning, remedy
    from vsalang.phone.uiautomator import adb_client

    try:
        client = adb_client()
    except DeviceError as error:
        return [], str(error)
    where = f"{client.host}:{client.port}"
    try:
        return [
            {
                "name": info.serial,
                "state": info.state,
                "model": info.tags.get("model", ""),
                "meaning": meaning(info.state),
                "remedy": remedy(info.state),
            }
            for info in client.list(extended=True)
        ], ""
    except Exception as error:
        # what listens there is no usable adb server; none is started
        return [], f"no adb server answers at {where} ({error}); to start it: {start_command(client.port)}"


def _simulated() -> list[dict[str, Any]]:
    from vsalang.phone.sim import PhoneSpecError, load, shipped

    phones = []
    for name in shipped():
        try:
            spec = load(name)
        except PhoneSpecError as error:
            raise Failure(str(error), "reinstall vsalang: a phone that ships with it is damaged") from error
        phones.append({"name": f"sim:{name}", "title": spec.title, "scenarios": sorted(spec.scenarios)})
    return phones


@click.command(name="devices")
@format_option("text", "json")
def command(format: str) -> int:
    """List the devices that can be guarded: real ones and simulated ones."""
    from vsalang.base.diagnostics.display import safe

    real, why = _real()
    phones = _simulated()
    if format == "json":
        click.echo(json.dumps({"adb": real, "adb_error": why or None, "simulated": phones}, indent=2))
        return EXIT_OK
    echo("Devices of the adb server:")
    for device in real:
        echo(f"  {safe(device['name'])}  {safe(device['state'])}  {safe(device['model'])}".rstrip())
        if device["remedy"]:
            echo(f"    {safe(device['meaning'])}. {safe(device['remedy'])}".replace("    . ", "    "))
    if not real:
        echo(f"  none: {safe(why)}" if why else "  none is connected")
    echo("Simulated phones:")
    for phone in phones:
        echo(f"  {phone['name']}  {phone['title']}")
        for scenario in phone["scenarios"]:
            echo(f"  {phone['name']}#{scenario}")
    return EXIT_OK
