"""Composes screens with the layout of the simulated phone, and says where on them a label is.

Apps differ in looks: the digest of an app's name decides about bars, tabs, kinds of rows, and ids of widgets.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from xml.sax.saxutils import quoteattr

from benchmarks.planted.make.scenes import Over, Page, SceneError
from vsalang.phone.sim import load
from vsalang.phone.sim.compose import Composer
from vsalang.phone.sim.dump import dump_of
from vsalang.phone.sim.layout import lay_out
from vsalang.phone.sim.render import Templates
from vsalang.phone.sim.running import Window
from vsalang.phone.sim.widgets import Widget, read_widgets

SYSTEM = {
    "launcher": ("com.android.launcher3", ".Launcher"),
    "settings": ("com.android.settings", ".SubSettings"),
    "permission": ("com.android.permissioncontroller", ".permission.ui.GrantPermissionsActivity"),
    "installer": ("com.android.packageinstaller", ".PackageInstallerActivity"),
    "systemui": ("com.android.systemui", ".Shade"),
    "android": ("android", ".ResolverActivity"),
    "documents": ("com.android.documentsui", ".picker.PickActivity"),
    "play": ("com.android.vending", ".AssetBrowserActivity"),
}
IDS = {
    "Allow": "permission_allow_button",
    "While using the app": "permission_allow_foreground_only_button",
    "Only this time": "permission_allow_one_time_button",
    "Don't allow": "permission_deny_button",
}
SIZES = ((1080, 2400, 420), (720, 1520, 320), (1440, 3120, 560), (1080, 2160, 440))
TABS = (
    ("Home", "Search", "Profile"),
    ("Start", "Discover", "Library", "You"),
    ("Overview", "Activity", "More"),
    ("Feed", "Explore", "Alerts", "Me"),
)
BUTTON = re.compile(r"\[([^\]]+)\]")
CHIP = re.compile(r"\{([^}]+)\}")
ICON = re.compile(r"<([^<>]+)>")
FIELD = re.compile(r"_(\*?)([^_]+)_ ?(.*)")


def digest(text: str) -> int:
    """A number that depends on the text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])


def package_of(app: str) -> str:
    """The package of an app of the scenes."""
    if app in SYSTEM:
        return SYSTEM[app][0]
    return app[4:] if app.startswith("pkg.") else f"com.example.{app}"


def activity_of(page: Page) -> str:
    """``package/class`` of a page."""
    if page.app in SYSTEM:
        return "/".join(SYSTEM[page.app])
    words = re.findall(r"[A-Za-z]+", unicodedata.normalize("NFKD", page.title))[:2] or ["Main"]
    return f"{package_of(page.app)}/.{''.join(word.capitalize() for word in words)}Activity"


@dataclass(frozen=True, slots=True)
class ComposedScreen:
    """A composed screen: its windows, bottom first, and the dump."""

    windows: tuple[Window, ...]
    size: tuple[int, int]

    @property
    def xml(self) -> str:
        """As uiautomator prints it."""
        return dump_of(self.windows)

    @property
    def text(self) -> str:
        """All texts, topmost window first, with a space between two."""
        texts = [
            w.shown_text for win in reversed(self.windows) for w in win.root.walk() if w.seen is not None
        ]
        return " ".join(" ".join(text.split()) for text in texts if text.strip())

    def point(self, label: str, seed: str, *, place: str, under: bool = False) -> tuple[int, int]:
        """A point on what has that label: a little off its middle, as fingers are. ``LABEL #2`` is the second."""
        left, top, right, bottom = self.box(label, place=place, under=under)
        off = digest(f"{seed} {label}")
        return (
            left + (right - left) * (35 + off % 30) // 100,
            top + (bottom - top) * (35 + off // 100 % 30) // 100,
        )

    def box(self, label: str, *, place: str, under: bool = False) -> tuple[int, int, int, int]:
        """The bounds of what takes a touch on that label. Raises `SceneError`: nothing has it."""
        said, _, number = label.partition(" #")
        found: list[tuple[int, int, int, int]] = []
        for window in self.windows[:1] if under else reversed(self.windows):
            for box in _named(window.root, said, None, False):
                if box not in found:
                    found.append(box)
        index = int(number) - 1 if number else 0
        if index >= len(found):
            raise SceneError(f"{place}: nothing on the screen is called {said!r} (number {index + 1})")
        return found[index]


def _named(widget: Widget, said: str, holder: Widget | None, nav: bool) -> list[tuple[int, int, int, int]]:
    """The bounds of what is called so, content before tabs."""
    holder = widget if widget.flag("clickable") else holder
    nav = nav or widget.id.endswith("bottom_navigation") or widget.id.endswith("tabs")
    found = [box for child in widget.children for box in _named(child, said, holder, nav)]
    if said in (widget.text, widget.desc, widget.hint) and widget.seen is not None:
        box = (holder or widget).seen or widget.seen
        found.append(box)
    return found


@cache
def _composer(width: int, height: int, density: int) -> Composer:
    spec = replace(load("editor"), width=width, height=height, density=density)
    return Composer(spec, Templates({}), {})


def compose(page: Page, over: tuple[Over, ...], seed: str, place: str) -> ComposedScreen:
    """The screen of a page, on a phone that the seed chooses."""
    width, height, density = SIZES[digest(seed) % len(SIZES)]
    composer, scale = _composer(width, height, density), density / 160
    package, activity = package_of(page.app), activity_of(page).partition("/")[2]
    look = digest(page.app)
    markup = _dialog(page, look) if page.dialog else _content(page, look)
    content = read_widgets(markup, package, scale, place)
    window = (
        composer.dialog(content, package, activity)
        if page.dialog
        else composer.page(content, package, activity)
    )
    windows = [window]
    for one in over:
        content = read_widgets(_over(one, digest(one.app)), package_of(one.app), scale, place)
        lay_out(content, _box(one, windows[0], (width, height), place), scale)
        windows.append(Window(package_of(one.app), "Overlay", "overlay", content))
    return ComposedScreen(tuple(windows), (width, height))


def _box(one: Over, below: Window, size: tuple[int, int], place: str) -> tuple[int, int, int, int]:
    width, height = size
    match one.place:
        case "all":
            return (0, 0, width, height)
        case "top":
            return (0, height // 32, width, height // 6)
        case "bottom":
            return (0, height * 3 // 4, width, height)
        case "middle":
            return (width // 10, height // 3, width * 9 // 10, height * 2 // 3)
    return ComposedScreen((below,), size).box(one.place, place=place)


# ---- markup ----------------------------------------------------------------------------------------------------------


def _tag(name: str, attributes: dict[str, object], inner: str = "") -> str:
    said = "".join(
        f" {key}={quoteattr(str(value))}" for key, value in attributes.items() if value not in ("", None)
    )
    return f"<{name}{said}>{inner}</{name}>" if inner else f"<{name}{said}/>"


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "_".join(re.findall(r"[a-z0-9]+", plain.lower())[:3]) or "item"


def _id(look: int, name: str, text: str = "") -> str:
    """The id of a widget: telling, telling with a prefix, general, or none, as with apps of different makers."""
    match look % 5:
        case 0 | 1:
            return f"{name}_{_slug(text)}" if text else name
        case 2:
            short = {"button": "btn", "field": "et", "text": "tv"}.get(name, name)
            return short + (_slug(text).title().replace("_", "") if text else "")
        case 3:
            return {"button": "button1", "text": "textView", "field": "editText"}.get(name, name)
    return ""


def _content(page: Page, look: int) -> str:
    """A page: bar, content that scrolls, and with some apps tabs at the lower edge."""
    if page.app == "launcher":
        return _launcher(page)
    icons = "".join(
        _tag("iconbutton", {"desc": name, "id": _id(look, "action", name)})
        for line in page.lines
        if line.startswith("<") and not line.startswith("<<")
        for name in ICON.findall(line)
    )
    title = _tag(
        "text",
        {"text": page.title, "size": 20, "bold": "true", "id": _id(look, "toolbar_title"), "weight": 1},
    )
    up = _tag("iconbutton", {"desc": "Navigate up"}) if look // 5 % 3 else ""
    bar = _tag(
        "row", {"width": "fill", "height": 56, "padx": 8, "id": _id(look, "toolbar")}, up + title + icons
    )
    body = "".join(
        _line(line, look) for line in page.lines if not line.startswith("<") or line.startswith("<<")
    )
    kind = "list" if sum(line.startswith("- ") for line in page.lines) > 2 else "scroll"
    inner = _tag(
        kind, {"width": "fill", "weight": 1, "height": "fill", "align": "fill", "id": _id(look, "content"),
               "gap": look // 11 % 3 * 4, "padx": 12}, body or _tag("text", {"text": " "})
    )  # fmt: skip
    nav = ""
    if page.app not in SYSTEM and look // 7 % 2:
        tabs = "".join(
            _tag(
                "text",
                {"text": tab, "weight": 1, "clickable": "true", "gravity": "center", "size": 12, "pady": 16},
            )
            for tab in TABS[look // 13 % len(TABS)]
        )
        nav = _tag("row", {"width": "fill", "height": 56, "id": "bottom_navigation"}, tabs)
    return _tag("column", {"width": "fill", "height": "fill", "align": "fill"}, bar + inner + nav)


def _launcher(page: Page) -> str:
    apps = [line[2:] for line in page.lines if line.startswith("- ")]
    rows = "".join(
        _tag(
            "row",
            {"width": "fill", "justify": "start", "gap": 8, "pady": 10},
            "".join(
                _tag("text", {"text": name, "desc": name, "clickable": "true", "long_clickable": "true", "id": "icon",
                              "width": 76, "height": 76, "size": 12, "gravity": "bottom"})
                for name in apps[start : start + 4]
            ),
        )
        for start in range(0, len(apps), 4)
    )  # fmt: skip
    typed = next((line for line in page.lines if line.startswith("_")), "")
    search = _tag("text", {"desc": "Search", "id": "search_container", "clickable": "true", "width": "fill"})
    if (named := FIELD.fullmatch(typed)) is not None:
        search = _tag(
            "edit", {"hint": named[2], "text": named[3], "id": "fallback_search_view", "width": "fill"}
        )
    return _tag(
        "column",
        {"width": "fill", "height": "fill", "align": "fill", "padding": 16, "gap": 12},
        search + rows,
    )


def _dialog(page: Page, look: int) -> str:
    prefix = "android:id/" if page.app in ("android", "settings", "installer") else ""
    title = _tag("text", {"text": page.title, "size": 20, "bold": "true", "lines": 6,
                          "id": f"{prefix}alertTitle" if prefix else _id(look, "alertTitle")})  # fmt: skip
    if page.app == "permission":
        title = _tag("text", {"text": page.title, "size": 18, "lines": 6, "id": "permission_message"})
    body = "".join(_line(line, look, in_dialog=page.app) for line in page.lines)
    inner = (title if page.title else "") + body
    return _tag("column", {"width": 310, "padding": 20, "gap": 10, "align": "fill"}, inner)


def _over(one: Over, look: int) -> str:
    body = "".join(_line(line, look) for line in one.lines)
    flags = {"clickable": "true"} if not one.lines else {}
    return _tag("column", {"width": "fill", "height": "fill", "align": "fill", **flags}, body)


def _line(line: str, look: int, in_dialog: str = "") -> str:
    """The widget of a line."""
    if line.startswith("'"):
        return _text(line[1:], look)
    if line[:4] in ("(x) ", "( ) "):
        return _switch(line, look)
    if line[:4] in ("[x] ", "[ ] "):
        return _tag(
            "check", {"text": line[4:], "checked": str(line[1] == "x").lower(), "id": _id(look, "checkbox")}
        )
    if line[:4] in ("(o) ", "(.) "):
        return _tag(
            "radio", {"text": line[4:], "checked": str(line[1] == "o").lower(), "id": _id(look, "option")}
        )
    if line.startswith("- "):
        return _row(line[2:], look)
    if line.startswith("# "):
        return _tag(
            "text", {"text": line[2:], "bold": "true", "size": 17, "id": _id(look, "header"), "pady": 6}
        )
    if line == "---":
        return _tag("divider", {"width": "fill"})
    if line.startswith("+<"):
        icons = "".join(
            _tag("iconbutton", {"desc": name, "id": _id(look, "action", name)}) for name in ICON.findall(line)
        )
        return _tag("row", {"width": "fill", "justify": "end", "gap": 8}, icons)
    if line.startswith("<<"):
        return _tag("picture", {"desc": line[2:-2], "id": _id(look, "image"), "height": 120, "width": "fill"})
    if (named := FIELD.fullmatch(line)) is not None:
        return _tag("edit", {"hint": named[2], "text": named[3].replace("\\n", "\n"), "width": "fill", "lines": 6,
                             "height": "wrap" if len(named[3]) > 40 else 48, "id": _id(look, "field", named[2]),
                             "password": "true" if named[1] else ""})  # fmt: skip
    if BUTTON.match(line):
        return _buttons(BUTTON.findall(line), look, in_dialog)
    if CHIP.match(line):
        chips = "".join(_tag("chip", {"text": name, "id": _id(look, "chip")}) for name in CHIP.findall(line))
        return _tag("row", {"gap": 8}, chips)
    return _text(line, look)


def _text(text: str, look: int) -> str:
    return _tag("text", {"text": text.replace("\\n", "\n"), "lines": 40, "id": _id(look, "text"), "pady": 4})


def _switch(line: str, look: int) -> str:
    title, _, about = line[4:].partition(" | ")
    words = _tag(
        "text", {"text": title, "size": 16, "id": "android:id/title" if look % 3 else _id(look, "title")}
    )
    if about:
        words += _tag(
            "text", {"text": about, "size": 13, "lines": 6, "id": "android:id/summary" if look % 3 else ""}
        )
    knob = _tag(
        "switch", {"checked": str(line[1] == "x").lower(), "clickable": "false", "id": "switch_widget"}
    )
    return _tag("row", {"width": "fill", "clickable": "true", "pady": 10, "gap": 12},
                _tag("column", {"weight": 1}, words) + knob)  # fmt: skip


def _row(said: str, look: int) -> str:
    title, *more = said.split(" | ")
    words = _tag("text", {"text": title, "size": 16, "lines": 4, "id": _id(look, "title")})
    if more:
        words += _tag("text", {"text": more[0], "size": 13, "lines": 8, "id": _id(look, "summary")})
    end = _tag("text", {"text": more[1], "size": 13, "id": _id(look, "value")}) if len(more) > 1 else ""
    column = _tag("column", {"weight": 1, "gap": 2}, words)
    icon = _tag("icon", {"icon": "app", "width": 32, "height": 32, "id": _id(look, "icon")})
    flags = {"width": "fill", "clickable": "true", "long_clickable": "true", "gap": 12, "pady": 8}
    match look // 3 % 3:
        case 0:
            return _tag("row", flags, icon + column + end)
        case 1:
            return _tag("row", {**flags, "padx": 8, "id": _id(look, "item")}, column + end)
    return _tag("card", {"width": "fill", "clickable": "true", "long_clickable": "true", "align": "fill",
                         "padding": 10}, _tag("row", {"width": "fill", "gap": 8}, column + end + icon))  # fmt: skip


def _buttons(names: list[str], look: int, in_dialog: str) -> str:
    made = []
    for place, name in enumerate(names):
        ident = _id(look, "button", name)
        if in_dialog == "permission":
            ident = IDS.get(name, "permission_deny_button" if place else "permission_allow_button")
        elif in_dialog in ("android", "settings", "installer"):
            ident = f"android:id/button{len(names) - place if len(names) > 1 else 1}"
        made.append((name, ident))
    if in_dialog == "permission" or (len(names) == 1 and look // 17 % 2):
        return "".join(_tag("button", {"text": name, "id": ident, "width": "fill"}) for name, ident in made)
    long = sum(map(len, names)) > 34
    box = "column" if long else "row"
    buttons = "".join(_tag("button", {"text": name, "id": ident}) for name, ident in made)
    return _tag(
        box, {"gap": 8, "width": "fill", **({"align": "fill"} if long else {"justify": "end"})}, buttons
    )
