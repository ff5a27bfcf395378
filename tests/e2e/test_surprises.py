"""What a surprise does to the account of an action: nobody saw the outcome, so nothing came out as expected."""

from pathlib import Path

import pytest

from vsalang import Action, Guard, load_text, open_device

pytest.importorskip("uiautomator2")

SPECS = Path(__file__).parents[2] / "app_specs" / "examples"
SPEC = """spec dark "Turn the dark theme on."
import apps.settings

allow Switch(page = "Display", name = "Dark theme", on = true).
done when Toggle(page = "Display", name = "Dark theme", on = true).
"""
SCENARIO = """[[surprise]]
dialog = "battery"
on = "tap"
at = 2
race = true
"""


@pytest.mark.parametrize(("surprised", "outcome"), [(False, "met"), (True, "inconclusive")])
def test_a_dialog_that_takes_the_tap_leaves_the_contract(
    tmp_path: Path, surprised: bool, outcome: str
) -> None:
    scenario = tmp_path / "battery.toml"
    scenario.write_text(SCENARIO)
    name = f"sim:settings#{scenario}" if surprised else "sim:settings"
    app = {"package": "org.example.settings"}
    with open_device(name) as phone:
        phone.perform(Action("open_app", app), app)
        program = load_text(SPEC, path=SPECS / "dark.vsa").program
        assert program is not None
        with Guard(program, phone) as guard:
            assert guard.step(Action("tap", {"text": "Display"})).performed
            done = guard.step(Action("tap", {"desc": "Dark theme"}))
    assert done.performed and done.observed is not None
    assert [contract.outcome for contract in done.observed.contracts] == [outcome]
