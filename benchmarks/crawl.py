"""Walks a simulated phone by itself, and writes what it saw as a recorded walk: the same walk for the same seed."""

import json
import random
from collections import Counter
from pathlib import Path

from vsalang.agents.maps.signatures import face_of
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action
from vsalang.screen.tree import Node


def crawl(name: str, package: str, steps: int, seed: int, path: Path) -> None:
    """Write the walk of so many steps: each the control that was tried least on such a screen, or `back`.

    After it left the app, the walk opens it again.
    """
    rng = random.Random(seed)
    tried: Counter[tuple[object, ...]] = Counter()
    lines = []
    with SimulatedDevice.start(name) as device:
        for _ in range(steps):
            moment = device.moment()
            screen = device.screen_of(moment)
            action, cells = Action("open_app", {"package": package}), {"package": package}
            if moment.app[0] == package:
                face = face_of(screen)
                kind = (face.activity, face.fixed, face.titles)
                nodes = [
                    node
                    for node in screen.tree.nodes
                    if node.clickable and node.enabled and node.package == package
                ]
                choices: list[tuple[int, float, Node | None]] = [
                    (tried[kind, _key(node)], rng.random(), node) for node in nodes
                ]
                choices.append((tried[kind, ()] // 3, rng.random(), None))
                _, _, node = min(choices, key=lambda choice: choice[:2])
                tried[kind, _key(node) if node is not None else ()] += 1
                action, cells = Action("back"), {}
                if node is not None:
                    cells = dict(zip(("x", "y"), node.centre, strict=True))
                    action = Action("tap", cells)
            said = {"action": action.name, **cells}
            lines.append({"screen": moment.xml, "app": "/".join(moment.app), "action": said})
            device.perform(action, screen.target(action.name, action.args))
        moment = device.moment()
        lines.append({"screen": moment.xml, "app": "/".join(moment.app)})
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def _key(node: Node) -> tuple[object, ...]:
    return node.id, node.text, node.desc, node.left, node.top
