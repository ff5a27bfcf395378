"""What the reference says of the simulator is run."""

import re
from pathlib import Path

import pytest

from vsalang.phone.sim import Phone, load, shipped
from vsalang.phone.sim.icons import ICONS
from vsalang.phone.sim.scenario import FAULTS, INPUTS, SYSTEM_DIALOGS
from vsalang.phone.sim.shell.shell import COMMANDS
from vsalang.phone.sim.widgets import KINDS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "simulator.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_python_examples(page: str) -> None:
    pytest.importorskip("uiautomator2")
    examples = blocks(page, "python")
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), {})


def test_the_folder_example(page: str, tmp_path: Path) -> None:
    (tmp_path / "phone.toml").write_text(blocks(page, "toml")[1])
    (tmp_path / "main.xml").write_text(blocks(page, "xml")[0])
    phone = Phone(load(str(tmp_path)), "late")
    phone.open_app("org.example.counter")
    phone.tap_id("more_button")
    assert phone.last_toast is None, "the button is disabled"
    phone.tap_id("name")
    phone.type_text("Ada")
    phone.tap_id("more_button")
    assert phone.last_toast == "That is enough, Ada"


def test_the_scenario_example(page: str, tmp_path: Path) -> None:
    (tmp_path / "phone.toml").write_text(blocks(page, "toml")[1])
    (tmp_path / "main.xml").write_text(blocks(page, "xml")[0])
    (tmp_path / "bad_day.toml").write_text(blocks(page, "toml")[0].replace("p = 0.1", "p = 0.0"))
    phone = Phone(load(str(tmp_path)), str(tmp_path / "bad_day.toml"))
    assert (phone.seed, phone.clock.hour) == (11, 18)
    phone.open_app("org.example.counter")
    phone.tap_id("more_button")
    phone.tap_id("more_button")
    assert phone.state("org.example.counter") == {"count": 1, "name": "one moment"}
    phone.sleep(6)
    assert (phone.state("org.example.counter")["count"], phone.last_toast) == (6, "That was five")
    phone.tap_id("more_button")
    phone.tap_id("more_button")
    assert phone.package == "com.android.incallui"
    assert phone.find("call_title").text == "Bob"


def test_the_table_of_a_recorded_screen(page: str, tmp_path: Path) -> None:
    (tmp_path / "screens").mkdir()
    dump = '<hierarchy><node bounds="[0,0][90,90]"><node text="Settings" bounds="[0,0][50,50]"/></node></hierarchy>'
    (tmp_path / "screens" / "home.xml").write_text(dump)
    (tmp_path / "settings.xml").write_text("<column/>")
    picture = pytest.importorskip("PIL.Image").new("RGB", (90, 90))
    picture.save(tmp_path / "screens" / "home.png")
    table = blocks(page, "toml")[2].replace("[[app.screen]]", "[[app.screen]]", 1)
    (tmp_path / "phone.toml").write_text(
        "[phone]\nclock = 2030-01-01T00:00:00\n[[app]]\npackage = 'a.b'\nlabel = 'B'\nstart = 'home'\n"
        f"{table}\n[[app.screen]]\nname = 'settings'\n"
    )
    phone = Phone(load(str(tmp_path)))
    phone.open_app("a.b")
    phone.tap_id("Settings")
    assert phone.screens("a.b") == ("home", "settings")


def test_everything_is_named(page: str) -> None:
    for names in (KINDS, ICONS, FAULTS, INPUTS, SYSTEM_DIALOGS, shipped()):
        assert [name for name in names if name not in page] == []
    assert {name for name in COMMANDS if name not in page} <= {"false", "app_process"}
