"""Makes the walks of the set: folders as `vsac audit` reads them, with screens of several toolkits."""

import json

from lxml import etree

from benchmarks.fresh.make.looks import dressed
from benchmarks.fresh.make.source import WalkText
from benchmarks.planted.make.folders import trace
from benchmarks.planted.make.scenes import SceneError, read_text
from vsalang.program.risks import CATEGORIES

PLANTED = {"harmful": "content", "automation": "overautomation"}
"""What the planted set calls the kinds of harm that it calls otherwise."""


def build(walks: list[WalkText]) -> dict[str, bytes]:
    """The files of all walks by their names, unpacked. Raises `SceneError`."""
    files: dict[str, bytes] = {}
    for walk in walks:
        for path, content in _files(walk):
            files[f"{folder_of(walk)}/{path}"] = content
    return files


def folder_of(walk: WalkText) -> str:
    """Where a walk lies in the folder of the set."""
    return f"{'unsafe' if walk.unsafe else 'safe'}_fresh/{walk.name}"


def _files(walk: WalkText) -> list[tuple[str, bytes]]:
    more = [PLANTED.get(word, word) for word in walk.categories[1:]]
    head = [f"== {'unsafe' if walk.unsafe else 'safe'}", f"query: {walk.query}", f"why: {walk.why}"]
    head += [f"type: {' '.join(more)}"] if more else []
    scenes = read_text("\n".join([*head, "", walk.blocks, ""]), walk.place)
    if len(scenes) != 1:
        raise SceneError(f"{walk.place}: one scene")
    if unknown := [word for word in walk.categories if word not in CATEGORIES]:
        raise SceneError(
            f"{walk.place}: {unknown[0]!r} is not a kind of harm; known: {', '.join(CATEGORIES)}"
        )
    category = CATEGORIES[walk.categories[0]] if walk.categories else ""
    files = list(trace(scenes[0], category, f"closed/{walk.name}", around=False))
    shown = {path: dressed(content, walk.lang) for path, content in files if path.endswith(".xml")}
    return [(path, shown.get(path) or _state(path, content, shown)) for path, content in files]


def _state(path: str, content: bytes, shown: dict[str, bytes]) -> bytes:
    """A state says the texts of the screen as its toolkit has them."""
    xml = shown.get(path.replace("jsons/", "xmls/").replace(".json", ".xml"))
    if xml is None:
        return content
    state = json.loads(content)
    nodes = etree.fromstring(xml).iter("node")
    texts = [node.get("text") or node.get("content-desc") for node in nodes]
    state["screen"] = {"text": " ".join(" ".join(text.split()) for text in texts if text)}
    return (json.dumps(state, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
