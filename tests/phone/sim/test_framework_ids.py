"""Ids that Android itself gives (``android:id/button1``) are named as those of the apps are: ``button1``."""

from pathlib import Path

import pytest

from tests import commands
from tests.phone.sim.test_recorded import BUTTON, node, screen
from vsalang import Action, open_device
from vsalang.phone.sim import Phone, PhoneSpecError, load
from vsalang.phone.sim.check import problems
from vsalang.program.screen import UnresolvedTarget

PHONE = """[phone]
name = "box"
clock = 2026-04-01T12:00:00
[[app]]
package = "org.example.box"
label = "Box"
activity = ".Main"
start = "main"
  [[app.screen]]
  name = "main"
  template = "main.xml"
  [[app.screen]]
  name = "ask"
  template = "ask.xml"
  dialog = true
  [[app.on]]
  event = "ask"
  goto = "ask"
  [[app.on]]
  event = "yes"
  back = true
  toast = "Deleted"
"""
MAIN = '<column><button id="ask" text="Delete" tap="ask"/>{own}</column>'
ASK = """<column width="300">
  <text id="android:id/message" text="Delete all?"/>
  <button id="android:id/button1" text="OK" tap="yes"/>{own}
</column>
"""
OWN = '<button id="button1" text="Mine" tap="ask"/>'


def box(folder: Path, *, main: str = "", ask: str = "", scenario: str = "") -> Phone:
    (folder / "phone.toml").write_text(PHONE)
    (folder / "main.xml").write_text(MAIN.format(own=main))
    (folder / "ask.xml").write_text(ASK.format(own=ask))
    (folder / "s.toml").write_text(scenario)
    phone = Phone(load(str(folder)), str(folder / "s.toml") if scenario else "")
    phone.open_app("org.example.box")
    return phone


# ---------------------------------------------------------------- names of widgets


@pytest.mark.parametrize("name", ["button1", "android:id/button1", "OK", "button1#1"])
def test_a_button_of_the_framework_is_found(name: str, tmp_path: Path) -> None:
    phone = box(tmp_path)
    phone.tap_id("org.example.box:id/ask")
    assert phone.find(name).resource_id == "android:id/button1"
    phone.tap_id(name)
    assert phone.last_toast == "Deleted"


def test_a_name_of_two_ids_names_both(tmp_path: Path) -> None:
    phone = box(tmp_path, ask=OWN)
    phone.tap_id("ask")
    with pytest.raises(
        LookupError, match=r"may be android:id/button1 or org.example.box:id/button1: write which"
    ):
        phone.find("button1")
    assert phone.find("android:id/button1").text == "OK"
    assert phone.find("org.example.box:id/button1").text == "Mine"


def test_of_several_with_one_id_the_first(tmp_path: Path) -> None:
    phone = box(tmp_path, ask='<button id="android:id/button1" text="Again" tap="yes"/>')
    phone.tap_id("ask")
    assert phone.find("button1").text == "OK"
    assert phone.find("button1#2").text == "Again"


@pytest.mark.parametrize(
    "name", ["button", "utton1", "id/button1", "android:button1", "button1#2", "button1#0"]
)
def test_what_no_id_is_called_is_not_found(name: str, tmp_path: Path) -> None:
    phone = box(tmp_path)
    phone.tap_id("ask")
    with pytest.raises(LookupError, match="nothing on the screen is called"):
        phone.find(name)


def test_the_command_taps_it(tmp_path: Path) -> None:
    box(tmp_path, ask=OWN)
    asked = ["phone", "sim", "screenshot", ".", "-o", "a.png", "--tap", "ask"]
    assert commands.vsac(*asked, "--tap", "android:id/button1", cwd=tmp_path).returncode == 0
    ran = commands.vsac(*asked, "--tap", "button1", cwd=tmp_path)
    assert ran.returncode == 2
    assert "android:id/button1 or org.example.box:id/button1" in ran.stderr


def test_a_gesture_by_its_id(tmp_path: Path) -> None:
    box(tmp_path)
    with open_device(f"sim:{tmp_path}") as device:
        device.perform(Action("open_app", {"package": "org.example.box"}), {"package": "org.example.box"})
        for name in ("ask", "button1"):
            device.perform(Action("tap", {"id": name}), device.observe().target("tap", {"id": name}))
        assert device.phone.inputs[-1].target == "android:id/button1"


def test_a_gesture_by_an_id_of_two_names_both(tmp_path: Path) -> None:
    box(tmp_path, ask=OWN)
    with open_device(f"sim:{tmp_path}") as device:
        device.perform(Action("open_app", {"package": "org.example.box"}), {"package": "org.example.box"})
        device.perform(Action("tap", {"id": "ask"}), device.observe().target("tap", {"id": "ask"}))
        with pytest.raises(UnresolvedTarget, match=r'2 nodes have id = "button1": .*"OK".*"Mine"'):
            device.observe().target("tap", {"id": "button1"})


# ---------------------------------------------------------------- scenarios


@pytest.mark.parametrize("target", ["button1", "android:id/button1"])
@pytest.mark.parametrize("kind", ["fault", "surprise"])
def test_a_target_of_the_framework(kind: str, target: str, tmp_path: Path) -> None:
    what = 'kind = "lost"' if kind == "fault" else 'toast = "Busy"'
    phone = box(tmp_path, scenario=f'[[{kind}]]\n{what}\ntarget = "{target}"\n')
    assert not problems(load(str(tmp_path)), [str(tmp_path / "s.toml")])
    phone.tap_id("ask")
    assert phone.last_toast is None
    phone.tap_id("button1")
    if kind == "fault":
        assert phone.inputs[-1].fate == "lost"
        assert phone.last_toast is None
    else:
        assert phone.last_toast == "Busy"


@pytest.mark.parametrize("place", ["main", "ask"])
def test_a_target_of_two_ids_names_both(place: str, tmp_path: Path) -> None:
    scenario = '[[fault]]\nkind = "lost"\ntarget = "button1"\n'
    said = (
        "'target' names 'button1', which may be android:id/button1 or org.example.box:id/button1: write which"
    )
    with pytest.raises(PhoneSpecError, match=said):
        box(tmp_path, **{place: OWN}, scenario=scenario)
    (found,) = problems(load(str(tmp_path)), [str(tmp_path / "s.toml")])
    assert found.endswith(f"s.toml:3: [[fault]] number 1: {said}")


@pytest.mark.parametrize(
    ("target", "text", "fate"),
    [("android:id/button1", "OK", "lost"), ("android:id/button1", "Mine", ""),
     ("org.example.box:id/button1", "Mine", "lost"), ("org.example.box:id/button1", "OK", "")],
)  # fmt: skip
def test_a_whole_target_means_one(target: str, text: str, fate: str, tmp_path: Path) -> None:
    phone = box(tmp_path, ask=OWN, scenario=f'[[fault]]\nkind = "lost"\ntarget = "{target}"\n')
    assert not problems(load(str(tmp_path)), [str(tmp_path / "s.toml")])
    phone.tap_id("ask")
    phone.tap_id(text)
    assert phone.inputs[-1].fate == fate


def test_a_target_that_nothing_has_is_still_told(tmp_path: Path) -> None:
    box(tmp_path)
    (tmp_path / "s.toml").write_text('[[fault]]\nkind = "lost"\ntarget = "buton1"\n')
    (found,) = problems(load(str(tmp_path)), [str(tmp_path / "s.toml")])
    assert "did you mean `button1`" in found


# ---------------------------------------------------------------- recorded screens


def recorded(folder: Path, *ids: str, id: str) -> Phone:
    moves = f'    [[app.screen.on]]\n    on = "tap"\n    id = "{id}"\n    goto = "done"\n'
    (folder / "phone.toml").write_text(
        '[phone]\nname = "notes"\nclock = 2026-04-01T12:00:00\n[[app]]\n'
        'package = "org.example.notes"\nlabel = "Notes"\nactivity = ".Main"\n'
        f'start = "list"\n  [[app.screen]]\n  name = "list"\n  dump = "list.xml"\n{moves}'
        '  [[app.screen]]\n  name = "done"\n  dump = "done.xml"\n'
    )
    nodes = [
        node("", f"[0,{100 * n}][400,{100 * n + 80}]", resource_id=name, **BUTTON)
        for n, name in enumerate(ids, 1)
    ]
    (folder / "list.xml").write_text(screen(*nodes))
    (folder / "done.xml").write_text(screen(node("Saved", "[0,100][400,180]")))
    phone = Phone(load(str(folder)))
    phone.open_app("org.example.notes")
    return phone


@pytest.mark.parametrize("id", ["button1", "android:id/button1"])
def test_a_move_by_an_id_of_the_framework(id: str, tmp_path: Path) -> None:
    phone = recorded(tmp_path, "android:id/button1", id=id)
    phone.tap(200, 140)
    assert phone.screens("org.example.notes") == ("list", "done")


def test_a_move_by_two_ids_names_both(tmp_path: Path) -> None:
    ids = ("android:id/button1", "org.example.notes:id/button1")
    with pytest.raises(
        PhoneSpecError, match=f"id 'button1' of a move to 'done' may be {' or '.join(ids)}: write which"
    ):
        recorded(tmp_path, *ids, id="button1").widgets().__next__()
    phone = recorded(tmp_path, *ids, id=ids[1])
    phone.tap(200, 140)
    assert phone.screens("org.example.notes") == ("list",)
    phone.tap(200, 240)
    assert phone.screens("org.example.notes") == ("list", "done")
