"""AndroidWorld's interface, after its published types (google-research/android_world, Apache-2.0), written again.

It is on no package index. Here is what an agent touches: the JSON action, the elements, the state, an environment that
acts by the adb commands of its ``actuation.py``, and an agent with the manners of M3A: any error of an action becomes
one fixed sentence, which is not even put into its history.
"""

import dataclasses
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

ACTION_TYPES = (
    "click", "double_tap", "scroll", "swipe", "input_text", "navigate_home", "navigate_back", "keyboard_enter",
    "open_app", "status", "wait", "long_press", "answer", "unknown",
)  # fmt: skip
APPS = {"tables": "com.opentable"}
_FLAGS = (
    "clickable", "long-clickable", "checkable", "checked", "enabled", "focused", "selected", "password", "scrollable",
)  # fmt: skip


@dataclasses.dataclass
class JSONAction:
    """``android_world.env.json_action.JSONAction``."""

    action_type: str | None = None
    index: str | int | None = None
    x: int | None = None
    y: int | None = None
    text: str | None = None
    direction: str | None = None
    goal_status: str | None = None
    app_name: str | None = None
    keycode: str | None = None
    clear_text: bool | None = None

    def __post_init__(self) -> None:
        if self.action_type not in ACTION_TYPES:
            raise ValueError(f"Invalid action type: {self.action_type}")
        if self.index is not None:
            self.index = int(self.index)
            if self.x is not None or self.y is not None:
                raise ValueError("Either an index or a <x, y> should be provided.")


@dataclasses.dataclass
class BoundingBox:
    """``android_world.env.representation_utils.BoundingBox``."""

    x_min: float
    x_max: float
    y_min: float
    y_max: float

    @property
    def center(self) -> tuple[float, float]:
        return (self.x_min + self.x_max) / 2.0, (self.y_min + self.y_max) / 2.0


@dataclasses.dataclass
class UIElement:
    """``android_world.env.representation_utils.UIElement``, as far as it is needed."""

    text: str | None = None
    content_description: str | None = None
    class_name: str | None = None
    bbox_pixels: BoundingBox | None = None
    is_scrollable: bool | None = None
    package_name: str | None = None
    resource_name: str | None = None


@dataclasses.dataclass(frozen=True)
class State:
    """``android_world.env.interface.State``."""

    pixels: Any
    forest: Any
    ui_elements: list[UIElement]


@dataclasses.dataclass
class AgentInteractionResult:
    """``android_world.agents.base_agent.AgentInteractionResult``."""

    done: bool
    data: dict[str, Any]


class AdbEnv:
    """An ``AsyncEnv`` on one phone, through adb alone.

    Args:
        shell: runs a command on the phone and gives what it printed.
        forest: give the forest of the accessibility service too, as JSON of its protocol buffer.
    """

    def __init__(self, shell: Callable[[str], str], size: tuple[int, int], *, forest: bool = False) -> None:
        self._forest = forest
        self.controller = object()
        self.interaction_cache = ""
        self.logical_screen_size = self.device_screen_size = size
        self.executed: list[JSONAction] = []
        self._shell = shell

    def reset(self, go_home: bool = False) -> State:
        if go_home:
            self._shell("input keyevent KEYCODE_HOME")
        self.interaction_cache = ""
        return self.get_state()

    def get_state(self, wait_to_stabilize: bool = False) -> State:
        said = self._shell("uiautomator dump /dev/tty")
        root = ET.fromstring(
            said[said.index("<hierarchy") : said.index("</hierarchy>") + len("</hierarchy>")]
        )
        elements = [_element(node) for node in root.iter("node") if _listed(node)]
        return State(None, _forest(root) if self._forest else None, elements)

    @property
    def foreground_activity_name(self) -> str:
        found = re.search(r"mCurrentFocus=Window\{\S+ \S+ (\S+)\}", self._shell("dumpsys window windows"))
        return found[1] if found else ""

    def execute_action(self, action: JSONAction) -> None:
        self.executed.append(action)
        kind = action.action_type
        if kind == "answer":
            self.interaction_cache = action.text or ""
        elif kind in ("click", "double_tap", "long_press"):
            x, y = self._place(action)
            if kind == "long_press":
                self._shell(f"input swipe {x} {y} {x} {y} 1000")
            for _ in range({"click": 1, "double_tap": 2}.get(kind, 0)):
                self._shell(f"input tap {x} {y}")
        elif kind == "input_text":
            if action.text:
                x, y = self._place(action)
                self._shell(f"input tap {x} {y}")
                self._shell(f"input text {action.text.replace(' ', '%s')}")
                self._shell("input keyevent KEYCODE_ENTER")
        elif kind == "scroll":
            self._scroll(action)
        elif kind in ("navigate_back", "navigate_home", "keyboard_enter"):
            self._shell(f"input keyevent KEYCODE_{kind.split('_')[1].upper()}")
        elif kind == "open_app":
            package = APPS.get((action.app_name or "").lower(), action.app_name)
            self._shell(f"monkey -p {package} -c android.intent.category.LAUNCHER 1")

    def _place(self, action: JSONAction) -> tuple[int, int]:
        if action.index is None:
            assert action.x is not None and action.y is not None
            return action.x, action.y
        box = self.get_state().ui_elements[int(action.index)].bbox_pixels
        assert box is not None
        x, y = box.center
        return int(x), int(y)

    def _scroll(self, action: JSONAction) -> None:
        box = BoundingBox(0, self.logical_screen_size[0], 0, self.logical_screen_size[1])
        if action.index:
            found = self.get_state().ui_elements[int(action.index)].bbox_pixels
            assert found is not None
            box = found
        x, y = (int(value) for value in box.center)
        x2 = {"right": box.x_min, "left": box.x_max}.get(action.direction or "", x)
        y2 = {"down": box.y_min, "up": box.y_max}.get(action.direction or "", y)
        self._shell(f"input swipe {x} {y} {int(x2)} {int(y2)}")


def _forest(root: ET.Element) -> dict[str, Any]:
    """``android_env.proto.a11y.AndroidAccessibilityForest``: windows, and nodes that name their children."""
    windows = []
    for layer, top in enumerate(root):
        nodes = list(top.iter("node"))
        numbers = {node: number for number, node in enumerate(nodes)}
        tree = [
            {
                "unique_id": numbers[node],
                "child_ids": [numbers[child] for child in node],
                "bounds_in_screen": dict(zip(("left", "top", "right", "bottom"), _box(node), strict=True)),
                "text": node.get("text", ""),
                "content_description": node.get("content-desc", ""),
                "class_name": node.get("class", ""),
                "package_name": node.get("package", ""),
                "view_id_resource_name": node.get("resource-id", ""),
                "is_visible_to_user": True,
                **{f"is_{name.replace('-', '_')}": node.get(name) == "true" for name in _FLAGS},
                "is_editable": node.get("class") == "android.widget.EditText",
            }
            for node in nodes
        ]
        windows.append({"layer": layer, "window_type": "TYPE_APPLICATION", "tree": {"nodes": tree}})
    return {"windows": windows}


def _box(node: ET.Element) -> tuple[int, ...]:
    found = re.fullmatch(r"\[(\d+),(\d+)\]\[(\d+),(\d+)\]", node.get("bounds", ""))
    assert found is not None
    return tuple(int(edge) for edge in found.groups())


def _listed(node: ET.Element) -> bool:
    """``forest_to_ui_elements``: leaves, and what has a description or scrolls."""
    return not len(node) or bool(node.get("content-desc")) or node.get("scrollable") == "true"


def _element(node: ET.Element) -> UIElement:
    left, top, right, bottom = _box(node)
    return UIElement(
        node.get("text") or None,
        node.get("content-desc") or None,
        node.get("class") or None,
        BoundingBox(left, right, top, bottom),
        node.get("scrollable") == "true",
        node.get("package") or None,
        node.get("resource-id") or None,
    )


class M3A:
    """An agent with the manners of ``android_world.agents.m3a.M3A``.

    Args:
        llm: gives the answer to a prompt (the goal and the history) on a list of elements.
    """

    def __init__(self, env: Any, llm: Callable[[str, list[UIElement]], str]) -> None:
        self.env = env
        self.llm = llm
        self.history: list[dict[str, Any]] = []
        self.prompts: list[str] = []

    def reset(self, go_home_on_reset: bool = False) -> None:
        self.env.reset(go_home_on_reset)
        self.history = []

    def step(self, goal: str) -> AgentInteractionResult:
        data: dict[str, Any] = {"action_output": None, "summary": None}
        elements = self.env.get_state().ui_elements
        prompt = "\n".join([goal, *(step["summary"] for step in self.history)])
        self.prompts.append(prompt)
        said = data["action_output"] = self.llm(prompt, elements)
        fields = eval(said.split("Action:", 1)[1], {"true": True, "false": False})
        action = JSONAction(**fields)
        if action.action_type == "status":
            data["summary"] = "Agent thinks the request has been completed."
            self.history.append(data)
            return AgentInteractionResult(True, data)
        try:
            self.env.execute_action(action)
        except Exception:
            data["summary"] = "Can not execute the action, make sure to select the action with ..."
            return AgentInteractionResult(False, data)
        data["summary"] = f"Action selected: {fields}."
        self.history.append(data)
        return AgentInteractionResult(False, data)
