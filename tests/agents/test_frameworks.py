"""A framework of agents is one folder and one line of `vsalang.base.frameworks`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vsalang.base.frameworks import ACTIONS, FRAMEWORKS, part
from vsalang.phone.vocabulary import FORMATS

ROOT = Path(__file__).resolve().parents[2]

ANOTHER = {
    "__init__.py": "",
    "actions.py": """\
from vsalang.program.action import Action

NAMES = frozenset({"poke"})

def recognises(data):
    return data["action"] == "poke"

def read(data, surface):
    return (Action("tap", {"x": data["at"], "y": data["at"]}),)

def write(action):
    return {"action": "poke", "at": action.args["x"]}
""",
    "tree.py": """\
from vsalang.screen.tree.accessibility import nested

def read(top, found):
    nested(top.items("what_shows"), "what_shows", found)
""",
}
USED = """\
import vsalang.base.frameworks as frameworks

line = {"another": frameworks.Framework("another", actions=True, tree=frozenset({"what_shows"}))}
frameworks.FRAMEWORKS = {**frameworks.FRAMEWORKS, **line}
frameworks.ACTIONS = (*frameworks.ACTIONS, *line)

from vsalang.phone.vocabulary import FORMATS, detect, read, write
from vsalang.screen.tree import load_tree

poke = {"action": "poke", "at": 3}
assert "another" in FORMATS and detect(poke) == "another"
assert detect({"action": "click", "index": 3}) == "mobilerun"
assert detect({"name": "poke"}) == "another" and detect({"name": "launch_app"}) == "mobile-use"
(tap,) = read("another", poke)
assert write("another", tap) == poke
node = {"className": "Button", "boundsInScreen": {"left": 0, "top": 0, "right": 9, "bottom": 9}, "text": "Pay"}
tree = load_tree({"what_shows": [node]})
print([one.text for one in tree.nodes if one.text])
"""


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_folder_has_what_its_line_says(name: str) -> None:
    if FRAMEWORKS[name].actions:
        actions = part(name, "actions")
        assert name in ACTIONS and name in FORMATS
        assert actions.NAMES and callable(actions.recognises)
        assert callable(actions.read) and callable(actions.write)
    if FRAMEWORKS[name].tree:
        assert callable(part(name, "tree").read)


def test_another_framework_is_a_folder_and_a_line(tmp_path: Path) -> None:
    folder = tmp_path / "another"
    folder.mkdir()
    for name, text in ANOTHER.items():
        (folder / name).write_text(text, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(tmp_path))), "PYTHONUTF8": "1"}
    result = subprocess.run(
        [sys.executable, "-c", USED], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "['Pay']\n"


def test_the_device_is_that_of_its_adapter() -> None:
    from vsalang import GuardedDevice
    from vsalang.agents.adapters.uiautomator2 import device

    assert GuardedDevice is device.GuardedDevice
