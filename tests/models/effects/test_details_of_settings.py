"""What else the screens say of a setting or a value: its device, and what is set with it."""

from pathlib import Path

import pytest

from tests.models.effects.test_details import contact, lines
from tests.models.effects.test_places import accepted, under
from tests.screen.control.making import text

SETS = {"means": "acts", "kind": "SetSetting"}


def level(folder: Path, first: tuple[str, str], more: str, rule: str) -> str:
    """What a clause says of a setting with one detail."""
    parameter, words = first
    file, tree = folder / "a", contact(words, more)
    accepted(file, tree, **SETS, arguments=lines((parameter, words), (parameter, more)))
    return under(f"{rule}\n", file, tree).level


@pytest.mark.parametrize(
    "bound", ["value matches /10:00/", 'value contains "19:00"', "value matches /time.*10:00/i"]
)
def test_a_word_for_a_value_has_details(tmp_path: Path, bound: str) -> None:
    times = "from 10:00 to 19:00"
    assert level(tmp_path, ("value", "By the timetable"), times, f"allow SetSetting({bound}).") == "allow"


@pytest.mark.parametrize(
    ("value", "more", "bound"),
    [
        ("8:00", "from 7:15", 'value contains "7:15"'),
        ("90", "to 20 degrees", 'value contains "20"'),
        ("٩٠", "to 20 degrees", 'value contains "20"'),
        ("on", "off in 5 min", "value matches /off/i"),
    ],
)
def test_a_number_or_a_state_has_none(tmp_path: Path, value: str, more: str, bound: str) -> None:
    """Another value next to it is not the one that is set."""
    assert level(tmp_path, ("value", value), more, f"allow SetSetting({bound}).") == "block"


def test_a_device_names_no_setting_alone(tmp_path: Path) -> None:
    """All settings of its page would be meant."""
    name = ("name", "Child lock")
    assert level(tmp_path, name, "Bedroom heater", 'allow SetSetting(name contains "heater").') == "block"


@pytest.mark.parametrize(("value", "wanted"), [("Warm mode", "allow"), ("Quiet mode", "block")])
def test_a_device_and_its_value(tmp_path: Path, value: str, wanted: str) -> None:
    file, tree = tmp_path / "a", contact("Mode", "Bedroom heater", text(value, 500))
    told = lines(("name", "Mode"), ("name", "Bedroom heater"), ("value", value))
    accepted(file, tree, **SETS, arguments=told)
    rule = 'allow SetSetting(name contains "heater", value ~= "Warm mode").\n'
    assert under(rule, file, tree).level == wanted


def test_a_state_tells_no_device(tmp_path: Path) -> None:
    file, tree = tmp_path / "a", contact("Child lock", "Bedroom heater", text("on", 500))
    told = lines(("name", "Child lock"), ("name", "Bedroom heater"), ("value", "on"))
    accepted(file, tree, **SETS, arguments=told)
    rule = 'allow SetSetting(name contains "heater", value = "on").\n'
    assert under(rule, file, tree).level == "block"
