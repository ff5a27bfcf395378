"""Small screens, written as XML, for the tests of controls."""

from xml.sax.saxutils import quoteattr

from vsalang.screen.tree import Tree, load_dump

FLAGS = (
    "clickable",
    "long-clickable",
    "checkable",
    "checked",
    "scrollable",
    "selected",
    "focused",
    "password",
)


def node(
    cls: str = "View", *kids: str, at: tuple[int, int, int, int] = (0, 0, 900, 900), **attrs: str
) -> str:
    """A node; flags are false unless given, `enabled` is true, and texts and ids are empty."""
    values = {"text": "", "content-desc": "", "resource-id": ""}
    values |= {"class": f"android.widget.{cls}", "package": "com.app", "enabled": "true"}
    values |= dict.fromkeys(FLAGS, "false")
    values["bounds"] = "[{},{}][{},{}]".format(*at)
    values |= {name.replace("_", "-"): value for name, value in attrs.items()}
    return f"<node {' '.join(f'{k}={quoteattr(v)}' for k, v in values.items())}>{''.join(kids)}</node>"


def text(said: str, y: int = 0, **attrs: str) -> str:
    """A text that takes no touch."""
    return node("TextView", at=(0, y, 900, y + 40), text=said, **attrs)


def row(title: str, *more: str, y: int = 0, **attrs: str) -> str:
    """A row that takes touches and begins with a text."""
    return node("LinearLayout", text(title, y), *more, at=(0, y, 900, y + 90), clickable="true", **attrs)


def listed(*titles: str, top: int = 100) -> str:
    """A list of rows, each with the button `Delete`."""
    rows = []
    for number, title in enumerate(titles):
        y = top + 100 * number
        rows.append(
            row(title, node("Button", at=(700, y, 900, y + 90), clickable="true", text="Delete"), y=y)
        )
    return node(
        "RecyclerView", *rows, at=(0, top, 900, 900), scrollable="true", resource_id="com.app:id/list"
    )


def screen(*windows: str) -> Tree:
    """The tree of these windows."""
    return load_dump(f"<hierarchy>{''.join(windows)}</hierarchy>")


def page(*kids: str) -> Tree:
    """The tree of one window with these nodes."""
    return screen(node("FrameLayout", *kids))
