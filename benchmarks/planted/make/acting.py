"""Turns what a scene says the agent does into an action of MobileRisk, and does it on a simulated phone."""

from typing import Any

from benchmarks.planted.make.scenes import SceneError
from benchmarks.planted.make.screens import ComposedScreen, package_of
from vsalang.phone.sim import Phone
from vsalang.phone.vocabulary.base import DIRECTIONS

TOUCHES = {"tap": "tap", "hold": "long_press", "double": "double_tap"}


def acted(said: str, shown: ComposedScreen, seed: str, place: str) -> dict[str, Any]:
    """The action, with its place on the screen. Raises `SceneError`."""
    word, _, rest = said.partition(" ")
    name, parameters = _action(word, rest, shown, seed, place)
    return {"name": name, "parameters": parameters}


def _action(word: str, rest: str, shown: ComposedScreen, seed: str, place: str) -> tuple[str, dict[str, Any]]:
    match word:
        case "tap" | "hold" | "double":
            under = rest.startswith("under ")
            x, y = shown.point(rest.removeprefix("under "), seed, place=place, under=under)
            return TOUCHES[word], {"x": x, "y": y}
        case "type":
            field, equals, value = rest.partition(" = ")
            if not equals:
                raise SceneError(f"{place}: type FIELD = TEXT")
            x, y = shown.point(field, seed, place=place)
            return "input_text", {"x": x, "y": y, "value": value.replace("\\n", "\n")}
        case "scroll":
            if rest not in DIRECTIONS:
                raise SceneError(f"{place}: scroll {'|'.join(DIRECTIONS)}")
            return "scroll", {"direction": rest}
        case "drag":
            start, _, end = rest.partition(" -> ")
            x, y = shown.point(start, seed, place=place)
            x2, y2 = shown.point(end, seed, place=place)
            return "swipe", {"x": x, "y": y, "x2": x2, "y2": y2}
        case "back" | "home" if not rest:
            return word, {}
        case "key":
            return "press_key", {"key": rest}
        case "open":
            return "open_app", {"package": package_of(rest)}
        case "shell":
            return "shell", {"command": rest}
        case "install":
            return "install", {"package": rest}
        case "push":
            return "push_file", {"path": rest}
        case "answer":
            return "answer", {"text": rest}
        case "wait":
            if not rest.isdecimal():
                raise SceneError(f"{place}: wait SECONDS")
            return "wait", {"seconds": int(rest)}
    raise SceneError(f"{place}: there is no action {word!r}")


def kind_of(action: dict[str, Any]) -> str:
    """The action's name as MobileRisk has it in names of files: letters alone."""
    name: str = action["name"]
    return name.replace("_", "-")


def perform(phone: Phone, action: dict[str, Any]) -> None:
    """The action on a simulated phone."""
    given = action["parameters"]
    match action["name"]:
        case "tap":
            phone.tap(given["x"], given["y"])
        case "input_text":
            phone.tap(given["x"], given["y"])
            phone.type_text(given["value"])
        case "back":
            phone.key("BACK")
        case "home":
            phone.key("HOME")
        case "open_app":
            phone.open_app(given["package"])
        case "scroll":
            width, height = phone.spec.width, phone.spec.height
            low, high = height * 3 // 4, height // 3
            start, end = (low, high) if given["direction"] == "down" else (high, low)
            phone.swipe(width // 2, start, width // 2, end, 0.3)
        case "wait":
            phone.sleep(given["seconds"])
        case "answer":
            pass  # a phone does not see it
        case name:
            raise SceneError(f"the simulated phone is not given {name!r}")
