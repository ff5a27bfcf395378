"""The way from the home screen to where a scene begins, so that traces differ in length and start as real ones do."""

import tomllib
import unicodedata
from pathlib import Path
from typing import Any

from benchmarks.planted.make.scenes import Block, Page, Scene
from benchmarks.planted.make.screens import digest

GROUPS = {"open": "halves", "held": "halves", "more": "more", "fresh": "fresh"}
"""Parts of one group have the same apps; groups share no screen."""
KNOWN: dict[str, Any] = tomllib.loads(Path(__file__).with_name("ways.toml").read_text(encoding="utf-8"))
LABELS: dict[str, dict[str, str]] = KNOWN["labels"]
NEVER = ("launcher", "systemui", "permission", "android", "installer")
SHORT = 3


def way(scene: Scene, seed: str) -> list[Block]:
    """The steps before a scene: none, where it begins at home or goes on from a walk, and else one to four, or none."""
    first = scene.blocks[0].page if scene.blocks else None
    if first is None or first.app in NEVER or first.app.startswith("pkg.") or "base" in scene.said:
        return []
    lang = scene.said.get("lang", "en")
    label = LABELS.get(lang, LABELS["en"]).get(first.app, first.app.capitalize())
    chance = digest(f"way {seed}")
    kind = chance % 6
    if kind == 5 and len(scene.blocks) >= SHORT:
        return []
    others = [name for name in _of(seed)["apps"][lang] if name != label]
    others.sort(key=lambda name: digest(f"{seed} {name}"))
    here, drawer = others[:5], sorted([*others, label])
    home = sorted([*here, label], key=lambda name: digest(f"{name} {seed}"))
    match kind:
        case 0:
            return [_at(scene, home, f"tap {label}")]
        case 1:
            return [_at(scene, here, "scroll down"), _at(scene, drawer, f"tap {label}")]
        case 2:
            found = ("_Search_", *(f"- {name}" for name in drawer))
            typed = (f"_Search_ {label}", f"- {label}")
            return [
                _at(scene, here, "scroll down"),
                Block(
                    Page("launcher", False, "", found), (), (), f"type Search = {label}", False, scene.place
                ),
                Block(Page("launcher", False, "", typed), (), (), f"tap {label} #2", False, scene.place),
            ]
        case 3:
            wrong = Page(
                _key(here[0]), False, here[0], ("Welcome back", f"- Recent | {digest(seed) % 97}", "- Help")
            )
            return [
                _at(scene, home, f"tap {here[0]}"),
                Block(wrong, (), (), "back", False, scene.place),
                _at(scene, home, f"tap {label}"),
            ]
        case _:
            return [_at(scene, here, f"open {first.app}")]


def astray(scene: Scene, seed: str, steps: int) -> tuple[list[Block], list[Block]]:
    """Looks into other apps before and after a scene, which many agents take; each is two to four steps.

    Args:
        scene: they come before one that has a way from home, and after one that ends at home.
        seed: decides whether there are any, and which.
        steps: how many the trace has without them.
    """
    chance, room = digest(f"astray {seed}"), _of(seed)["most"] - steps
    names = sorted(_of(seed)["rooms"], key=lambda name: digest(f"{name} {seed}"))
    before: list[Block] = []
    after: list[Block] = []
    if "lang" in scene.said:
        return before, after
    for number in range(chance % 5 if chance % 2 else 0):
        look = _look(scene, names[number], names, f"{seed} {number}")
        if len(look) <= room and way(scene, seed):
            before += look
            room -= len(look)
    ends_at_home = (
        bool(scene.blocks) and scene.blocks[-1].action == "home" and scene.blocks[-1].page is not None
    )
    for number in range(6, 6 + chance // 7 % 4 if ends_at_home else 6):
        look = _look(scene, names[number], names, f"{seed} {number}")
        if len(look) <= room:
            after += look
            room -= len(look)
    return before, after


def _look(scene: Scene, name: str, names: list[str], seed: str) -> list[Block]:
    """Opens an app, perhaps scrolls in it, and goes home."""
    chance, page = digest(seed), _room(name, seed)
    home = sorted([name, *names[4:8]] if name not in names[4:8] else names[4:8])
    opened = _at(scene, home, f"tap {name}")
    looked = [Block(page, (), (), "scroll down", False, scene.place)] if chance % 2 else []
    return [opened, *looked, Block(page, (), (), "home", False, scene.place)]


def _room(name: str, seed: str) -> Page:
    """A page of an app that has nothing to do with the task."""
    odd = 11 if _part(seed) == "held" else 10  # so that halves share no screen
    numbers = {key: str(odd + 2 * (digest(f"{key} {seed}") % 24)) for key in ("n", "m")}
    lines: tuple[str, ...] = tuple(_of(seed)["rooms"][name])
    for key, value in numbers.items():
        lines = tuple(line.replace("{" + key + "}", value) for line in lines)
    return Page(_key(name), False, name, lines)


def _part(seed: str) -> str:
    """The part of the set that a trace belongs to: its seed is PART/UNIT/NN, perhaps with a number."""
    return seed.partition("/")[0]


def _of(seed: str) -> dict[str, Any]:
    """What is known for the part that a trace belongs to."""
    found: dict[str, Any] = KNOWN[GROUPS[_part(seed)]]
    return found


def _key(label: str) -> str:
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode()
    return "".join(letter for letter in plain.lower() if letter.isalpha())


def _at(scene: Scene, apps: list[str], action: str) -> Block:
    lines = tuple(f"- {name}" for name in apps)
    return Block(Page("launcher", False, "", lines), (), (), action, False, scene.place)
