"""Builds the windows of a phone from widgets: the app's page, dialogs, the keyboard, the system's dialogs."""

from collections.abc import Mapping
from typing import Any, Final

from vsalang.phone.sim import recorded
from vsalang.phone.sim.kept import RecentItems
from vsalang.phone.sim.layout import lay_out, measure
from vsalang.phone.sim.recorded import Overlay
from vsalang.phone.sim.render import Templates, context
from vsalang.phone.sim.running import Window
from vsalang.phone.sim.spec import AppSpec, PhoneSpec, ScreenSpec
from vsalang.phone.sim.widgets import KINDS, Widget, read_widgets

LAUNCHER = "com.android.launcher3"
KEYBOARD = "com.android.inputmethod.latin"
STATUS_BAR = 24
"""In dp."""
DIALOG_MARGIN = 28
"""In dp: the smallest space on each side of a dialog."""

Place = tuple[str, str]
"""Whose screen it is: package and name of the screen."""


_WINDOWS: Final[RecentItems[Window]] = RecentItems(128)
"""Those of all phones of this process, by what they look like: a page that was shown before is not laid out again."""


class Composer:
    """Makes windows for one phone.

    Args:
        offsets: how far each scrolling widget was scrolled, by place and widget; read at every call.
    """

    def __init__(
        self, spec: PhoneSpec, templates: Templates, offsets: Mapping[tuple[str, str, str], int]
    ) -> None:
        self.spec = spec
        self.scale = spec.density / 160
        self._templates = templates
        self._offsets = offsets
        self._screen = (0, 0, spec.width, spec.height)
        self._keyboard: tuple[str, Window] | None = None

    def window(
        self,
        file: str,
        names: Mapping[str, Any],
        place: Place,
        package: str,
        activity: str,
        where: str,
        *,
        focus: str = "",
        dialog: bool = False,
        own: bool = False,
    ) -> Window:
        """The window of a template: another phone's or an earlier one, if it looks the same.

        Args:
            focus: the `bind` of the field with the focus.
            own: its widgets will be changed, so that it is made again.
        """
        xml = self._templates.xml(file, names, where)

        def make() -> Window:
            content = self._content(xml, place, package, focus, where)
            return (self.dialog if dialog else self.page)(content, package, activity)

        if own:
            return make()
        offsets = frozenset((key, offset) for key, offset in self._offsets.items() if key[:2] == place)
        parts = (xml, place, package, activity, focus, dialog, offsets, self._screen, self.scale)
        return _WINDOWS.made(parts, make)

    def _content(self, xml: str, place: Place, package: str, focus: str, where: str) -> Widget:
        """The widgets of a template that is filled in, before layout."""
        root = read_widgets(xml, package, self.scale, where)
        for index, widget in enumerate(root.walk()):
            bind = widget.name("bind")
            widget.focused = bool(bind) and focus == bind
            if widget.flag("scrollable"):
                widget.place = (*place, widget.id or f"#{index}")
                widget.offset = self._offsets.get(widget.place, 0)
        return root

    def page(self, content: Widget, package: str, activity: str) -> Window:
        """A window that fills the screen, with the space that Android leaves for the status bar."""
        root = self._frame(package, content)
        lay_out(root, self._screen, self.scale)
        return Window(package, activity, "application", root)

    def launcher(self, apps: tuple[AppSpec, ...], *, own: bool = False) -> Window:
        """The system's home screen with the icons of these apps. `own`: see `window`."""
        names = context(self._clock, {"apps": apps})
        home = (LAUNCHER, "home")
        return self.window("launcher.xml", names, home, LAUNCHER, ".Launcher", "launcher.xml", own=own)

    def at(self, clock: Any) -> "Composer":
        """The composer, for one time of the phone's clock."""
        self._clock = clock
        return self

    def dialog(self, content: Widget, package: str, activity: str) -> Window:
        """A window in the middle of the screen, or at the edge that the root's `gravity` names."""
        margin = round(DIALOG_MARGIN * self.scale)
        room = (self.spec.width - 2 * margin, self.spec.height - 4 * margin)
        if content.width == "fill" and content.name("gravity") in ("bottom", "top"):
            room = (self.spec.width, room[1])
        width, height = measure(content, *room, self.scale)
        height = min(height, room[1])
        left = (self.spec.width - width) // 2
        top = {
            "bottom": self.spec.height - height,
            "top": round(STATUS_BAR * self.scale),
        }.get(content.name("gravity"), (self.spec.height - height) // 2)
        box = (left, top, left + width, top + height)
        root = self._holder(package, content)
        lay_out(root, box, self.scale)
        return Window(package, activity, "dialog", root, modal=True)

    def keyboard(self) -> Window:
        """The soft keyboard at the lower edge: the last one, if it looks the same."""
        xml = self._templates.xml("keyboard.xml", context(self._clock), "keyboard.xml")
        if self._keyboard is not None and self._keyboard[0] == xml:
            return self._keyboard[1]
        panel = read_widgets(xml, KEYBOARD, self.scale, "keyboard.xml")
        height = panel.height if isinstance(panel.height, int) else self.spec.height // 3
        lay_out(panel, (0, self.spec.height - height, self.spec.width, self.spec.height), self.scale)
        self._keyboard = (xml, Window(KEYBOARD, "InputMethod", "input_method", panel))
        return self._keyboard[1]

    def recorded(self, screen: ScreenSpec, package: str, overlay: Overlay) -> list[Window]:
        """The windows of a dump, bottom first; the lowest one has the dump's text."""
        text, where = self.spec.files[screen.file], str(self.spec.folder / screen.file)
        roots = recorded.windows(text, screen, overlay, where)
        if not roots:
            empty = Widget("recorded", KINDS["stack"], package, android="")
            empty.box = empty.seen = self._screen
            roots = [empty]
        served = recorded.served(text, overlay, where)
        picture = screen.picture if not overlay else None
        return [
            Window(
                root.package or package,
                screen.activity,
                "recorded",
                root,
                xml=served if index == 0 else "",
                picture=picture if index == 0 else None,
            )
            for index, root in enumerate(roots)
        ]

    # ---- frames --------------------------------------------------------------------------------------------

    def _holder(self, package: str, content: Widget) -> Widget:
        holder = Widget("column", KINDS["column"], package, android=KINDS["stack"].android)
        holder.id, holder.names["align"], holder.children = "android:id/content", "fill", [content]
        return holder

    def _frame(self, package: str, content: Widget) -> Widget:
        """The frame that Android puts around an app's content."""
        frame = Widget("column", KINDS["column"], package, android=KINDS["stack"].android)
        inner = self._holder(package, content)
        frame.width = frame.height = inner.width = inner.height = "fill"
        bar = Widget("spacer", KINDS["spacer"], package, android="android.view.View", width="fill")
        bar.height = round(STATUS_BAR * self.scale)
        bar.flags["dump"] = False
        frame.names["align"] = "fill"
        inner.weight = 1
        frame.children = [bar, inner]
        return frame
