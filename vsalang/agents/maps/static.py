"""The graph that an app's files tell: activities and deep links of the manifest, ways of navigation graphs.

Files are those of an APK, read by `androguard`, or those of a folder into which apktool decoded one. They do not say by
which gesture an action of a navigation graph is done: its edge has a gesture without attributes.
"""

import importlib.util
import io
import re
import zipfile
from pathlib import Path
from typing import Any, Final

from vsalang.agents.maps.gestures import MAX_COMMAND, atom
from vsalang.agents.maps.screen_graph import ANY, MAX_TEXT, Edge, Graph, Screen, UTGError
from vsalang.base.installing import install_extra
from vsalang.base.source.opening import read_regular
from vsalang.program.ir import Atom
from vsalang.program.text import line

MAX_APK: Final = 512 * 1024 * 1024
MAX_FILE: Final = 8 * 1024 * 1024
MAX_FILES: Final = 20_000
_ANDROID: Final = "{http://schemas.android.com/apk/res/android}"
_OWN: Final = "{http://schemas.android.com/apk/res-auto}"
_VIEW: Final = "android.intent.action.VIEW"
_MAIN: Final = "android.intent.action.MAIN"
_LAUNCHER: Final = "android.intent.category.LAUNCHER"
_DESTINATIONS: Final = frozenset({"fragment", "activity", "dialog"})
_PLAIN: Final = re.compile(r"[\w.:/?&=%+*{}#@~-]+", re.ASCII)
_MANIFEST: Final = "AndroidManifest.xml"


def graph_of_app(path: Path) -> Graph:
    """The map that an app's files show; `vsalang.agents.maps.UTG.from_static` says how."""
    try:
        manifest, graphs = _folder(path) if path.is_dir() else _apk(path)
    except OSError as error:
        raise UTGError(f"cannot read {path}: {error.strerror or error}") from error
    app = _App(line(manifest.get("package") or "", MAX_TEXT))
    if not app.package:
        raise UTGError(f"{path}: the manifest names no package")
    app.manifest(manifest)
    for graph in graphs:
        app.navigation(graph)
    return Graph(app.screens, tuple(app.edges.values()))


# ---------------------------------------------------------------- files


def _folder(path: Path) -> tuple[Any, list[Any]]:
    """The manifest and the navigation graphs of decoded files. Raises `OSError`, `UTGError`."""
    if not (path / _MANIFEST).is_file():
        raise UTGError(
            f"{path} holds no {_MANIFEST}", "name an .apk, or the folder that `apktool d` made of one"
        )
    manifest = _parse(read_regular(path / _MANIFEST, MAX_FILE), str(path / _MANIFEST))
    files = sorted(path.glob("res/navigation*/*.xml"))[:MAX_FILES]
    return manifest, [_parse(read_regular(file, MAX_FILE), str(file)) for file in files]


def _parse(data: bytes, name: str) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UTGError(f"{name} is not XML that can be read: {line(str(error))}") from error


def _apk(path: Path) -> tuple[Any, list[Any]]:
    """The manifest and the navigation graphs of an APK. Raises `OSError`, `UTGError`."""
    if importlib.util.find_spec("androguard") is None:
        raise UTGError("reading an .apk needs androguard, which is not installed", install_extra("apk"))
    data = read_regular(path, MAX_APK)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if _MANIFEST not in names:
                raise UTGError(f"{path} holds no {_MANIFEST}: it is not an app")
            ids = _ids(_entry(archive, "resources.arsc")) if "resources.arsc" in names else {}
            manifest = _decoded(_entry(archive, _MANIFEST), ids, str(path))
            graphs = [
                _decoded(content, ids, name)
                for name in sorted(names)[:MAX_FILES]
                if name.startswith(("res/navigation", "r/")) or re.fullmatch(r"res/[^/]+\.xml", name)
                if b"navigation" in (content := _entry(archive, name)) or b"n\0a\0v\0i\0g" in content
            ]
    except (zipfile.BadZipFile, EOFError, RuntimeError) as error:  # also what zipfile cannot unpack
        raise UTGError(f"{path} is not an APK that can be read: {line(str(error))}") from error
    return manifest, [graph for graph in graphs if graph.tag == "navigation"]


def _entry(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as entry:
        data = entry.read(MAX_FILE + 1)
    if len(data) > MAX_FILE and name != "resources.arsc":
        raise UTGError(f"{name} is larger than {MAX_FILE // 1024 // 1024} MiB")
    return data if len(data) <= MAX_FILE else b""


def _quiet() -> None:
    from loguru import logger  # androguard's: it prints what it decodes

    logger.disable("androguard")


def _decoded(data: bytes, ids: dict[str, str], name: str) -> Any:
    """The XML of its binary form, resources by their names."""
    from androguard.core.axml import AXMLPrinter

    _quiet()
    try:
        root = AXMLPrinter(data).get_xml_obj()
    except Exception as error:  # it raises what it likes for files that are broken
        raise UTGError(f"{name} cannot be decoded: {line(str(error))}") from error
    if root is None:
        raise UTGError(f"{name} cannot be decoded")
    for element in root.iter():
        for key, value in element.items():
            if value.lower() in ids:
                element.set(key, ids[value.lower()])
    return root


def _ids(data: bytes) -> dict[str, str]:
    """The names of resources by the numbers that binary XML has for them (``@7f0a0012``)."""
    from androguard.core.axml import ARSCParser

    _quiet()
    if not data:
        return {}
    try:
        table = ARSCParser(data)
        return {
            f"@{int(each.get('id'), 16):08x}": f"@{each.get('type')}/{each.get('name')}"
            for package in table.get_packages_names()
            for each in _parse(table.get_public_resources(package), "resources.arsc").iter("public")
        }
    except Exception:  # without names the numbers remain, which tell destinations apart as well
        return {}


# ---------------------------------------------------------------- what they say


class _App:
    """Screens and edges, as files tell them."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.screens: dict[str, Screen] = {}
        self.edges: dict[object, Edge] = {}

    def manifest(self, root: Any) -> None:
        for tag in ("activity", "activity-alias"):
            for activity in root.iter(tag):
                self._activity(activity)

    def _activity(self, activity: Any) -> None:
        class_name = _attribute(activity, "targetActivity") or _attribute(activity, "name")
        if not class_name:
            return
        own = class_name if "." in class_name.strip(".") else f"{self.package}.{class_name.strip('.')}"
        own = f"{self.package}{class_name}" if class_name.startswith(".") else own
        name = self._screen(own, own.rpartition(".")[2])
        if _attribute(activity, "exported") == "true":
            self._add(ANY, _start(f"am start -n {self.package}/{own}"), name, f"{_MANIFEST}, {own}")
        for intent in activity.iter("intent-filter"):
            acts = {_attribute(each, "name") for each in intent.iter("action")}
            kinds = {_attribute(each, "name") for each in intent.iter("category")}
            if _MAIN in acts and _LAUNCHER in kinds:
                self._add(ANY, atom("open_app", {"package": self.package}), name, f"{_MANIFEST}, {own}")
            if _VIEW in acts:
                for data in intent.iter("data"):
                    scheme, host = _attribute(data, "scheme"), _attribute(data, "host")
                    place = _attribute(data, "path") or _attribute(data, "pathPrefix")
                    if scheme and host:
                        self._link(f"{scheme}://{host}{place}", name, f"{_MANIFEST}, {own}")

    def navigation(self, root: Any) -> None:
        nested = [each for each in root.iter() if each.tag in _DESTINATIONS and _attribute(each, "id")]
        names = {_attribute(each, "id"): self._destination(each) for each in nested}
        for graph in root.iter("navigation"):
            begun = names.get(_attribute(graph, "startDestination", _OWN))
            if begun is not None and _attribute(graph, "id"):
                names.setdefault(_attribute(graph, "id"), begun)
        for each in nested:
            for link in each.iter("deepLink"):
                self._link(_attribute(link, "uri", _OWN), names[_attribute(each, "id")], "navigation graph")
        for action in root.iter("action"):
            target = names.get(_attribute(action, "destination", _OWN))
            outer = action.getparent()
            source = (
                names.get(_attribute(outer, "id")) if outer.tag in _DESTINATIONS else f"{self.package}:{ANY}"
            )
            if target is not None and source is not None:
                self._add(source, Atom("tap"), target, _short(_attribute(action, "id")))

    def _destination(self, element: Any) -> str:
        name = _attribute(element, "name") or _short(_attribute(element, "id"))
        label = _attribute(element, "label", _ANDROID)
        return self._screen(name, name.rpartition(".")[2], () if label.startswith("@") else (label,))

    def _screen(self, full: str, title: str, texts: tuple[str, ...] = ()) -> str:
        name = f"static:{full}"
        screen = Screen(name, "static", self.package, title, texts=tuple(text for text in texts if text))
        self.screens[name] = self.screens[name].joined(screen) if name in self.screens else screen
        return name

    def _link(self, uri: str, name: str, rule: str) -> None:
        if uri and "{" not in uri and _PLAIN.fullmatch(uri):
            self._add(ANY, _start(f"am start -a {_VIEW} -d {uri}"), name, rule)

    def _add(self, source: str, gesture: Atom | None, target: str, rule: str) -> None:
        if gesture is not None:
            edge = Edge(source, gesture, target, origin="static", rule=line(rule, 200))
            self.edges.setdefault(edge.key, edge)


def _start(command: str) -> Atom | None:
    plain = len(command) <= MAX_COMMAND and all(_PLAIN.fullmatch(part) for part in command.split())
    return atom("shell", {"command": command}) if plain else None


def _attribute(element: Any, name: str, space: str = _ANDROID) -> str:
    """An attribute, cut; empty if it is not there."""
    return line(element.get(f"{space}{name}") or element.get(name) or "", 200)


def _short(reference: str) -> str:
    """``save`` of ``@+id/save``."""
    return reference.rpartition("/")[2]
