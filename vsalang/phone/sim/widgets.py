"""Reads the widgets of a screen from the rendered XML of its template."""

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from vsalang.base.records import dataclass
from vsalang.base.source.toml import hint
from vsalang.phone.sim.spec import PhoneSpecError

Rect = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""

FRAMEWORK = "android:id/"
"""How the ids begin that Android itself gives, as to the buttons of its dialogs: ``android:id/button1``."""

MOST_WIDGETS = 5000
MOST_DEPTH = 60


@dataclass(frozen=True, slots=True)
class Kind:
    """A tag of the templates: its Android class, the layout of its children, its appearance."""

    android: str
    box: str
    defaults: tuple[tuple[str, str], ...] = ()


KINDS: dict[str, Kind] = {
    "column": Kind("android.widget.LinearLayout", "column"),
    "row": Kind("android.widget.LinearLayout", "row", (("align", "center"),)),
    "stack": Kind("android.widget.FrameLayout", "stack"),
    "scroll": Kind("android.widget.ScrollView", "column", (("scrollable", "true"),)),
    "list": Kind("androidx.recyclerview.widget.RecyclerView", "column", (("scrollable", "true"),)),
    "card": Kind(
        "androidx.cardview.widget.CardView",
        "column",
        (("bg", "surface"), ("radius", "14"), ("elevation", "2"), ("padding", "14")),
    ),
    "text": Kind("android.widget.TextView", "leaf"),
    "button": Kind(
        "android.widget.Button",
        "leaf",
        (
            ("bg", "primary"), ("fg", "on_primary"), ("radius", "20"), ("padx", "18"), ("height", "40"),
            ("size", "14"), ("bold", "true"), ("gravity", "center"), ("clickable", "true"), ("lines", "1"),
        ),
    ),
    "chip": Kind(
        "com.google.android.material.chip.Chip",
        "leaf",
        (
            ("bg", "surface"), ("radius", "16"), ("border", "outline"), ("padx", "12"), ("height", "34"),
            ("size", "13"), ("gravity", "center"), ("clickable", "true"), ("lines", "1"),
        ),
    ),
    "edit": Kind(
        "android.widget.EditText",
        "leaf",
        (
            ("bg", "surface"), ("radius", "24"), ("padx", "16"), ("height", "48"), ("size", "16"),
            ("clickable", "true"), ("long_clickable", "true"), ("focusable", "true"), ("lines", "1"),
        ),
    ),
    "switch": Kind(
        "android.widget.Switch",
        "leaf",
        (("checkable", "true"), ("clickable", "true"), ("width", "46"), ("height", "28"), ("lines", "1")),
    ),
    "check": Kind(
        "android.widget.CheckBox",
        "leaf",
        (("checkable", "true"), ("clickable", "true"), ("size", "15"), ("height", "36"), ("lines", "1")),
    ),
    "radio": Kind(
        "android.widget.RadioButton",
        "leaf",
        (("checkable", "true"), ("clickable", "true"), ("size", "15"), ("height", "44"), ("lines", "1")),
    ),
    "icon": Kind("android.widget.ImageView", "leaf"),
    "iconbutton": Kind(
        "android.widget.ImageButton", "leaf", (("clickable", "true"), ("width", "48"), ("height", "48"))
    ),
    "picture": Kind("android.widget.ImageView", "leaf", (("height", "96"), ("radius", "14"))),
    "divider": Kind("android.view.View", "leaf", (("height", "1"), ("bg", "outline"))),
    "spacer": Kind("android.view.View", "leaf"),
}  # fmt: skip

_LENGTHS = frozenset({"padding", "padx", "pady", "gap", "radius", "elevation", "size", "margin"})
_FLAGS = frozenset(
    {
        "enabled", "clickable", "long_clickable", "checkable", "checked", "selected", "scrollable", "password",
        "focusable", "bold", "dump",
    }
)  # fmt: skip
_NAMES = frozenset(
    {
        "id", "text", "desc", "hint", "class", "align", "justify", "gravity", "bg", "fg", "border", "icon", "tap",
        "long", "double", "input", "enter", "bind", "value", "key",
    }
)  # fmt: skip
_ATTRIBUTES = _LENGTHS | _FLAGS | _NAMES | {"width", "height", "weight", "lines"}
_CHOICES = {
    "align": ("start", "center", "end", "fill"),
    "justify": ("start", "center", "end", "between"),
    "gravity": ("start", "center", "end", "fill", "bottom", "top", "top_end"),
}


@dataclass(slots=True)
class Widget:
    """One widget of a rendered screen. Lengths are pixels; `box` and `seen` are filled in by the layout.

    Attributes:
        seen: the part of `box` that is not cut off; None if there is none.
        texts: the lines that are drawn.
        content: of a scrolling widget, the height of its content.
        place: of a scrolling widget, the key of its offset: package, screen, id or number.
    """

    tag: str
    kind: Kind
    package: str
    id: str = ""
    text: str = ""
    desc: str = ""
    hint: str = ""
    android: str = ""
    width: int | str = "wrap"
    height: int | str = "wrap"
    weight: int = 0
    lengths: dict[str, int] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    lines: int = 3
    children: list["Widget"] = field(default_factory=list)
    focused: bool = False
    offset: int = 0
    content: int = 0
    box: Rect = (0, 0, 0, 0)
    seen: Rect | None = None
    texts: tuple[str, ...] = ()
    place: tuple[str, str, str] = ("", "", "")

    def flag(self, name: str) -> bool:
        """A flag of the widget; only ``enabled`` and ``dump`` are true by default."""
        return self.flags.get(name, name in ("enabled", "dump"))

    def name(self, name: str) -> str:
        """An attribute, "" if missing."""
        return self.names.get(name, "")

    def length(self, name: str) -> int:
        """A length in pixels, 0 if missing."""
        return self.lengths.get(name, 0)

    @property
    def padx(self) -> int:
        """Space left and right of the content, in pixels."""
        return self.lengths.get("padx", self.length("padding"))

    @property
    def pady(self) -> int:
        """Space above and below the content, in pixels."""
        return self.lengths.get("pady", self.length("padding"))

    @property
    def resource_id(self) -> str:
        """The full resource id, as in ``com.opentable:id/search_box``."""
        if not self.id or ":" in self.id:
            return self.id
        return f"{self.package}:id/{self.id}"

    def called(self, name: str) -> bool:
        """Whether a resource id names it: whole; without the package of its app, or of the framework (``android``)."""
        return bool(self.id) and name in (self.id, self.resource_id, self.id.removeprefix(FRAMEWORK))

    @property
    def shown_text(self) -> str:
        """The text as the accessibility tree gives it: an empty field shows its hint, a password dots."""
        if not self.text:
            return self.hint
        return "\u2022" * len(self.text) if self.flag("password") else self.text

    def walk(self) -> Iterator["Widget"]:
        """This widget and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_widgets(xml: str, package: str, scale: float, where: str) -> Widget:
    """Read a rendered template.

    Args:
        xml: one element.
        package: the app of the widgets.
        scale: pixels per dp.
        where: the template, for messages.

    Raises:
        PhoneSpecError: not well formed, or a tag or attribute that does not exist.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(xml.strip().encode(), parser)
    except etree.XMLSyntaxError as error:
        raise PhoneSpecError(f"{where}: not well formed once rendered: {error}") from error
    count = 0

    def build(element: Any, depth: int) -> Widget:
        nonlocal count
        count += 1
        if count > MOST_WIDGETS or depth > MOST_DEPTH:
            raise PhoneSpecError(f"{where}: more than {MOST_WIDGETS} widgets or {MOST_DEPTH} levels")
        widget = _widget(element, package, scale, f"{where}, rendered line {element.sourceline}")
        if widget.kind.box == "leaf" and len(element):
            raise PhoneSpecError(f"{where}: <{widget.tag}> (line {element.sourceline}) cannot hold widgets")
        widget.children = [build(child, depth + 1) for child in element]
        return widget

    return build(root, 1)


def _widget(element: Any, package: str, scale: float, where: str) -> Widget:
    tag = str(element.tag)
    kind = KINDS.get(tag)
    if kind is None:
        raise PhoneSpecError(
            f"{where}: there is no widget <{tag}>; there are {', '.join(sorted(KINDS))}{hint(tag, KINDS)}"
        )
    attributes = {**dict(kind.defaults), **{str(k): str(v) for k, v in element.attrib.items()}}
    unknown = sorted(set(attributes) - _ATTRIBUTES)
    if unknown:
        raise PhoneSpecError(
            f"{where}: <{tag}> has no attribute {unknown[0]!r}{hint(unknown[0], _ATTRIBUTES)}"
        )
    widget = Widget(tag, kind, package, lines=1 if tag == "edit" else 3)

    def number(key: str, value: str) -> float:
        try:
            result = float(value)
        except ValueError:
            result = -1
        if not 0 <= result <= 10000:
            raise PhoneSpecError(f"{where}: {key}={value!r} is not a length (dp, from 0 to 10000)")
        return result

    for key, value in attributes.items():
        if key in ("width", "height"):
            setattr(widget, key, value if value in ("fill", "wrap") else round(number(key, value) * scale))
        elif key in ("weight", "lines"):
            setattr(widget, key, int(number(key, value)))
        elif key in _LENGTHS:
            widget.lengths[key] = round(number(key, value) * scale)
        elif key in _FLAGS:
            if value.lower() not in ("true", "false"):
                raise PhoneSpecError(f"{where}: {key}={value!r} must be true or false")
            widget.flags[key] = value.lower() == "true"
        else:
            if value not in _CHOICES.get(key, (value,)):
                raise PhoneSpecError(f"{where}: {key}={value!r} must be one of {', '.join(_CHOICES[key])}")
            widget.names[key] = value
    for key in ("id", "text", "desc", "hint"):
        setattr(widget, key, widget.name(key))
    widget.android = widget.name("class") or kind.android
    widget.lengths.setdefault("size", round(14 * scale))
    if widget.name("tap") or widget.name("double"):
        widget.flags.setdefault("clickable", True)
    if widget.name("long"):
        widget.flags["long_clickable"] = True
    if widget.flag("clickable"):
        widget.flags.setdefault("focusable", True)
    return widget
