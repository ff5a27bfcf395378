"""Makes the folders of MobileRisk out of scenes: for each part, each file's name and content."""

import datetime as dt
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.planted.make.acting import acted, kind_of, perform
from benchmarks.planted.make.scenes import Block, Scene, SceneError, read
from benchmarks.planted.make.screens import ComposedScreen, activity_of, compose, digest, package_of
from benchmarks.planted.make.ways import astray, way
from vsalang.phone.sim import Phone, load

HERE = Path(__file__).parent
PARTS = ("open", "held", "more", "fresh")
CATEGORIES = {
    "destructive": "Destructive Actions",
    "malicious": "Malicious Use",
    "privacy": "Privacy Violations",
    "evasion": "Security Mechanism Evasion",
    "injection": "Prompt Injection",
    "interference": "UI Interference Attacks",
    "content": "Harmful Content Generation and Dissemination",
    "resource": "Resource Abuse",
    "legal": "Legal and Compliance Issues",
    "overautomation": "Over-Automation",
}
"""The names of the files of scenes and of the units, and the categories as MobileRisk calls them."""
LASTING = ("@file", "@read", "@perm", "@set")
"""What was so before the first step of a scene, too."""
ENDS = ("success", "failure", "refuse")


@dataclass(slots=True)
class _Phone:
    """What the system's traces say: clock, notifications, files, permissions, settings."""

    now: dt.datetime
    start: dt.datetime
    notifications: list[dict[str, str]] = field(default_factory=list)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)
    permissions: dict[tuple[str, str], bool] = field(default_factory=dict)
    settings: dict[tuple[str, str], str] = field(default_factory=dict)
    network: list[dict[str, Any]] = field(default_factory=list)
    toasts: list[str] = field(default_factory=list)

    def take(self, line: str, place: str, *, first: bool = False) -> None:
        """One line of a block that begins with @. Raises `SceneError`."""
        word, _, rest = line[1:].partition(" ")
        parts = rest.split(" | ") if " | " in rest else rest.split()
        try:
            match word, parts:
                case "notify", [app, title, text]:
                    said = {"package": package_of(app), "title": title, "text": text}
                    self.notifications.append(said)
                case "clear", []:
                    self.notifications.clear()
                case "toast", _:
                    self.toasts.append(rest)
                case "file", [path, size]:
                    when = self.start - dt.timedelta(days=40) if first else self.now
                    content = hashlib.sha256(f"{path} {size} {when}".encode()).hexdigest()
                    self.files[path] = {
                        "path": path, "size": int(size), "mtime": int(when.timestamp()), "sha256": content
                    }  # fmt: skip
                case "gone", [path]:
                    del self.files[path]
                case "read", [folder]:
                    self.read.append(folder)
                case "perm", [app, name, "yes" | "no" as granted]:
                    self.permissions[package_of(app), f"android.permission.{name}"] = granted == "yes"
                case "set", [namespace, key, value]:
                    self.settings[f"{namespace}", key] = value
                case "net", [app, where]:
                    host, _, port = where.partition(":")
                    self.network.append({"package": package_of(app), "host": host, "port": int(port)})
                case "time", [when]:
                    self._clock(when)
                case _:
                    raise SceneError(f"{place}: what does {line!r} say?")
        except (ValueError, KeyError) as error:
            raise SceneError(f"{place}: {line!r}: {error}") from error

    def _clock(self, when: str) -> None:
        if when.startswith("+"):
            unit = {"m": "minutes", "h": "hours", "d": "days"}[when[-1]]
            self.now += dt.timedelta(**{unit: int(when[1:-1])})
            return
        at = dt.time.fromisoformat(when)
        self.now = dt.datetime.combine(self.now.date(), at, self.now.tzinfo)

    def said(self) -> dict[str, Any]:
        """The keys of a state. What the scene says nothing of is not there: it was not read."""
        listing = "".join(f"{f['path']} {f['size']} {f['mtime']}\n" for _, f in sorted(self.files.items()))
        fs: dict[str, Any] = {"hash": hashlib.md5(f"/system\n{listing}".encode()).hexdigest()}
        if self.files or self.read:
            fs |= {"files": [dict(f) for _, f in sorted(self.files.items())], "read": list(self.read)}
        found: dict[str, Any] = {"fs": fs, "time": self.now.replace(tzinfo=None).isoformat()}
        if self.notifications:
            found["notifications"] = [dict(one) for one in self.notifications]
        if self.toasts:
            found["toasts"] = list(self.toasts)
        if self.permissions:
            rows = sorted(self.permissions.items())
            found["permissions"] = [{"package": p, "name": n, "granted": g} for (p, n), g in rows]
        if self.settings:
            rows_ = sorted(self.settings.items())
            found["settings"] = [{"namespace": n, "key": k, "value": v} for (n, k), v in rows_]
        if self.network:
            found["network"] = list(self.network)
        return found


def build(part: str, names: Iterable[str] = CATEGORIES) -> dict[str, bytes]:
    """The files of a part by their names, unpacked: screens end with ``.xml``. Raises `SceneError`."""
    files: dict[str, bytes] = {}
    for name in names:
        category = CATEGORIES[name]
        counts = {True: 0, False: 0}
        for scene in read(HERE / part / f"{name}.txt"):
            counts[scene.unsafe] += 1
            unit = f"{'unsafe' if scene.unsafe else 'safe'}_{name}/{counts[scene.unsafe]:02}"
            for path, content in trace(scene, category, f"{part}/{unit}"):
                files[f"{unit}/{path}"] = content
    return files


def trace(scene: Scene, category: str, seed: str, *, around: bool = True) -> Iterator[tuple[str, bytes]]:
    """The files of one trace, by their names in its folder. Raises `SceneError`.

    Args:
        scene: what happens.
        category: the published name of the kind of harm.
        seed: decides about the phone, the clock, and what comes before and after.
        around: put the way from the home screen before it, and looks into other apps; else the scene stands alone.
    """
    said = scene.said
    if not said.get("query") or not said.get("why"):
        raise SceneError(f"{scene.place}: a trace has a query: and a why:")
    base = _base(said["base"], scene.place) if "base" in said else None
    before = base["to"] - base["from"] + 1 if base else 0
    if not scene.blocks and not base:
        raise SceneError(f"{scene.place}: the trace has no steps")
    led, first, last = [], [], []
    if around:
        led = way(scene, seed)
        first, last = astray(scene, seed, before + len(led) + len(scene.blocks) + 1)
    blocks = [*first, *led, *scene.blocks, *last]
    unsafe = [number for number, block in enumerate(blocks, before + 1) if block.unsafe]
    if "step" in said:
        unsafe.insert(0, int(said["step"]))
    if not scene.unsafe and "type" in said:
        raise SceneError(f"{scene.place}: a safe trace has no type")
    if bool(unsafe) != scene.unsafe:
        raise SceneError(f"{scene.place}: an unsafe trace has a step with !>, a safe one has none")
    ends = said.get("ends", "success")
    if ends not in ENDS:
        raise SceneError(f"{scene.place}: it ends: {', '.join(ENDS)}")
    start = dt.datetime(2026, 3, 2, 7, 30, tzinfo=dt.UTC) + dt.timedelta(minutes=digest(seed) % 60_000)
    phone = _Phone(start, start)
    real = None
    if "phone" in said:
        name, _, scenario = said["phone"].partition("#")
        real = Phone(load(name), scenario)
    for line in scene.blocks[0].state if scene.blocks else ():
        if line.startswith(LASTING):
            phone.take(line, scene.blocks[0].place, first=True)
    steps: list[dict[str, Any]] = []
    for number, block in enumerate(blocks, before + 1):
        for line in block.state:
            if not (block is scene.blocks[0] and line.startswith(LASTING)):
                phone.take(line, block.place)
        shown, extra = _step_screen(block, real, seed)
        action = acted(block.action, shown, seed, block.place)
        step = f"{number:03}_{kind_of(action)}_{int(phone.now.timestamp() * 1000)}"
        state = phone.said() | extra | {"screen": {"text": shown.text}}
        yield f"jsons/{step}.json", _json(state)
        yield f"xmls/{step}.xml", shown.xml.encode()
        steps.append({"action": [action], "observation": f"images/{step}.png"})
        if block.page is None:
            assert real is not None
            perform(real, action)
        phone.network.clear()
        phone.toasts.clear()
        phone.now += dt.timedelta(seconds=2 + digest(f"{seed} {number}") % 14)
    end = f"{before + len(blocks) + 1:03}_terminate_{int(phone.now.timestamp() * 1000)}"
    yield f"jsons/{end}.json", _json(phone.said())
    steps.append(
        {
            "action": [{"name": "terminate", "parameters": {"status": ends}}],
            "observation": f"images/{end}.png",
        }
    )
    meta: dict[str, Any] = {"step": None, "type": [], "why": said["why"]}
    if scene.unsafe:
        more = [CATEGORIES[name] for name in said.get("type", "").split()]
        meta |= {"step": unsafe[0], "type": [category, *more]}
    whole: dict[str, Any] = {"query": said["query"], "application": "oss", "platform_type": "Android"}
    if base:
        whole["base"] = base
    yield "trajectory.json", _json(whole | {"trajectory": steps, "meta": meta}, indent=1)


def _step_screen(block: Block, real: Phone | None, seed: str) -> tuple[ComposedScreen, dict[str, Any]]:
    """What shows in a step, and what the system says of it."""
    if block.page is not None:
        shown = compose(block.page, block.over, seed, block.place)
        extra: dict[str, Any] = {"activity": activity_of(block.page)}
    elif real is not None:
        windows = real.look()
        assert windows is not None
        shown = ComposedScreen(windows, (real.spec.width, real.spec.height))
        extra = {"activity": f"{windows[-1].package}/{windows[-1].activity}"}
    else:
        raise SceneError(f"{block.place}: which phone? The head has no phone:")
    front = shown.windows[0].package
    extra["windows"] = [
        {
            "package": window.package,
            # as Android's accessibility service says: what an app draws over others is no window of an application
            "type": "system" if window.kind == "overlay" and window.package != front else "application",
            "bounds": list(window.root.box),
            "layer": layer,
        }
        for layer, window in enumerate(shown.windows)
    ]
    return shown, extra


def _base(said: str, place: str) -> dict[str, Any]:
    """``APP | TASK | FROM-TO``: steps of a recorded walk that come first."""
    parts = said.split(" | ")
    if len(parts) != 3:
        raise SceneError(f"{place}: base: APP | TASK | FROM-TO")
    first, _, last = parts[2].partition("-")
    file = f"trajectories/droidtask/{parts[0]}.jsonl.gz"
    return {"walk": file, "task": parts[1], "from": int(first), "to": int(last)}


def _json(data: object, indent: int | None = None) -> bytes:
    separators = (",", ":") if indent is None else None
    return (json.dumps(data, ensure_ascii=False, indent=indent, separators=separators) + "\n").encode()


def write(files: Mapping[str, bytes], place: Path) -> None:
    """Writes what `build` made to a new folder, screens packed. Raises `OSError`."""
    for name, content in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".xml"):
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(content, 9, mtime=0))
        else:
            path.write_bytes(content)
