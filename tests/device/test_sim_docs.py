"""What the reference says of the simulator is run."""

import re
from pathlib import Path

import pytest

from vsalang.device.sim import Phone, load
from vsalang.device.sim.icons import ICONS
from vsalang.device.sim.shell import COMMANDS
from vsalang.device.sim.widgets import KINDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "simulator.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_python_example(page: str) -> None:
    pytest.importorskip("uiautomator2")
    (example,) = blocks(page, "python")
    exec(compile(example, str(PAGE), "exec"), {})


def test_the_folder_example(page: str, tmp_path: Path) -> None:
    (tmp_path / "phone.toml").write_text(blocks(page, "toml")[0])
    (tmp_path / "main.xml").write_text(blocks(page, "xml")[0])
    phone = Phone(load(str(tmp_path)), "late")
    phone.open_app("org.example.counter")
    phone.tap_id("more_button")
    assert phone.last_toast is None, "the button is disabled"
    phone.tap_id("name")
    phone.type_text("Ada")
    phone.tap_id("more_button")
    assert phone.last_toast == "That is enough, Ada"


def test_everything_is_named(page: str) -> None:
    for names in (KINDS, ICONS):
        assert [name for name in names if name not in page] == []
    assert {name for name in COMMANDS if name not in page} == {"false", "app_process"}
