"""The screens that cases are made of: those that need nothing else, and recorded ones where the shared data is."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from benchmarks.seeing.trees import COUNT, ROOT, Page, bounds, page_of
from vsalang.agents.walks import read_walks
from vsalang.phone.sim import Phone, load
from vsalang.phone.sim.dump import dump
from vsalang.program.action import GESTURES, POINTING, Action
from vsalang.screen.tree import DumpError, read_tree, unpack
from vsalang.screen.tree.source import decode, locate

DATA: Final = Path(__file__).resolve().parents[3] / "shared" / "data"
NOON: Final = dt.datetime(2026, 4, 1, 12)
FEW: Final = 90
"""The first cases use so many real dumps; later ones use all."""
FEW_PAIRS: Final = 3
MANY_PAIRS: Final = 24
"""So many pairs of screens of each folder of recordings."""
MOST_NODES: Final = 130


@dataclass(frozen=True, slots=True)
class Session:
    """Screens in the order in which they were seen.

    Attributes:
        family: which programs fit it: ``shop``, ``restaurant``, ``settings``, or ``any``.
        pages: the screens.
        actions: what was done between each and the next; None: it is not said.
    """

    family: str
    pages: tuple[Page, ...]
    actions: tuple[Action | None, ...] = ()


# ---------------------------------------------------------------------- a shop that only exists here


class _Drawing:
    """Nodes of a page that is being made."""

    def __init__(self) -> None:
        self.attrs: list[dict[str, str]] = []
        self.parents: list[int] = []

    def add(
        self, parent: int, box: Sequence[int], cls: str, name: str = "", text: str = "", **more: str
    ) -> int:
        """Add a node; its flags are false unless `more` says otherwise."""
        index = sum(1 for other in self.parents if other == parent)
        flags = ("checkable", "checked", "clickable", "focusable", "focused", "scrollable")
        self.attrs.append(
            {
                "index": str(index),
                "text": text,
                "resource-id": f"com.shop:id/{name}" if name else "",
                "class": f"android.widget.{cls}",
                "package": "com.shop",
                "content-desc": "",
                **dict.fromkeys(flags, "false"),
                "enabled": "true",
                "long-clickable": "false",
                "password": "false",
                "selected": "false",
                **{key.replace("_", "-"): value for key, value in more.items()},
                "hint": more.get("hint", ""),
                "drawing-order": str(index + 1),
                "bounds": bounds(box),
                COUNT: "0",
            }
        )
        self.parents.append(parent)
        if parent != ROOT:
            self.attrs[parent][COUNT] = str(index + 1)
        return len(self.attrs) - 1

    def page(self, name: str) -> Page:
        """The page; a node's descendants come right after it."""
        children: dict[int, list[int]] = {}
        for at, parent in enumerate(self.parents):
            children.setdefault(parent, []).append(at)
        order: list[int] = []
        pending = list(reversed(children.get(ROOT, [])))
        while pending:
            at = pending.pop()
            order.append(at)
            pending.extend(reversed(children.get(at, [])))
        new = {at: place for place, at in enumerate(order)} | {ROOT: ROOT}
        return Page(
            name,
            tuple(self.attrs[at] for at in order),
            tuple(new[self.parents[at]] for at in order),
            ("com.shop", ".Main"),
            NOON,
        )


Dish = tuple[str, str, bool, bool]
"""Name, price, ticked, and whether it can be ordered."""

_DISHES: Final[tuple[tuple[Dish, ...], ...]] = (
    (("Bread", "3", False, True), ("Soup", "9", False, True), ("Salad", "14", True, True)),
    (("Soup", "11", True, True), ("Lobster", "62", False, True), ("Salad", "8", False, True)),
    (("Tea", "4", True, True), ("Soup", "15", False, True), ("Salad", "13", True, False), ("Rice", "5", False, True)),
    (("Lobster", "62", True, False), ("Soup", "9", False, False), ("Cake", "6", False, True)),
    (("Salad", "7", False, True), ("Tea", "4", False, True), ("Rice", "12", True, True), ("Soup", "12", False, True)),
)  # fmt: skip


def _menu(dishes: Sequence[Dish], over: str, *, scrolls: bool = False) -> Page:
    draw = _Drawing()
    if over == "more":
        box = draw.add(ROOT, (600, 80, 1060, 500), "FrameLayout", "more_menu")
        for nth, said in enumerate(("Settings", "Delete Salad", "Share")):
            draw.add(
                box, (600, 80 + nth * 140, 1060, 220 + nth * 140), "TextView", "item", said, clickable="true"
            )
    if over == "ask":
        box = draw.add(ROOT, (140, 700, 940, 1200), "FrameLayout", "ask_dialog")
        draw.add(box, (140, 740, 940, 900), "TextView", "ask_text", "Delete Salad?")
        draw.add(box, (160, 1000, 500, 1160), "Button", "ask_no", "Keep", clickable="true")
        draw.add(box, (560, 1000, 920, 1160), "Button", "ask_yes", "Delete", clickable="true")
    root = draw.add(ROOT, (0, 0, 1080, 1920), "FrameLayout")
    bar = draw.add(root, (0, 0, 1080, 160), "ViewGroup", "toolbar")
    draw.add(bar, (0, 0, 160, 160), "ImageButton", content_desc="Back", clickable="true")
    draw.add(bar, (200, 20, 800, 140), "TextView", "page", "Today")
    draw.add(bar, (920, 0, 1080, 160), "ImageButton", content_desc="More options", clickable="true")
    menu = draw.add(
        root, (0, 160, 1080, 1500), "LinearLayout", "dishes", scrollable="true" if scrolls else "false"
    )
    for nth, (name, price, ticked, free) in enumerate(dishes):
        top = 170 + 200 * nth
        row = draw.add(
            menu, (0, top, 1080, top + 190), "LinearLayout", "dish", clickable="true", long_clickable="true"
        )
        draw.add(row, (20, top + 10, 400, top + 180), "TextView", "dish_name", name)
        draw.add(row, (420, top + 10, 560, top + 180), "TextView", "dish_price", price)
        draw.add(
            row, (580, top + 10, 700, top + 180), "CheckBox", "dish_tick",
            checkable="true", checked=str(ticked).lower(), clickable="true", content_desc=f"Choose {name}",
        )  # fmt: skip
        draw.add(
            row, (760, top + 10, 1060, top + 180), "Button", "dish_order", "Order",
            clickable="true", enabled=str(free).lower(),
        )  # fmt: skip
    web = draw.add(root, (0, 1520, 1080, 1660), "FrameLayout", "banner")
    draw.add(web, (40, 1540, 1040, 1640), "Button", "", "Pay now", clickable="true")
    draw.add(root, (60, 1700, 1020, 1860), "Button", "checkout", "Checkout", clickable="true")
    return draw.page(f"shop menu {'/'.join(dish[0] for dish in dishes)} {over}".strip())


def _form(name: str, length: int, kept: bool, focus: str, *, paid: bool = False) -> Page:
    draw = _Drawing()
    root = draw.add(ROOT, (0, 0, 1080, 1920), "FrameLayout")
    form = draw.add(root, (0, 100, 1080, 1700), "ScrollView", "form", scrollable="true")
    inner = draw.add(form, (0, 100, 1080, 1700), "LinearLayout")
    draw.add(inner, (40, 120, 1040, 200), "TextView", "form_title", "Payment")
    draw.add(
        inner, (40, 220, 1040, 360), "EditText", "card_name", name, clickable="true", focusable="true",
        focused=str(focus == "card_name").lower(), hint="Name on the card", long_clickable="true",
    )  # fmt: skip
    draw.add(
        inner, (40, 400, 1040, 540), "EditText", "card_number", "•" * length, clickable="true", password="true",
        focusable="true", focused=str(focus == "card_number").lower(), hint="Card number",
    )  # fmt: skip
    keep = draw.add(inner, (40, 580, 1040, 720), "LinearLayout", "keep_row", clickable="true")
    draw.add(keep, (60, 600, 700, 700), "TextView", "", "Keep this card")
    draw.add(
        keep, (800, 600, 1000, 700), "Switch", "card_keep",
        checkable="true", checked=str(kept).lower(), clickable="true",
    )  # fmt: skip
    if paid:
        draw.add(inner, (40, 760, 1040, 860), "TextView", "paid", f"{name} paid")
    pay = draw.add(root, (0, 1720, 1080, 1900), "FrameLayout", "bottom")
    draw.add(
        pay,
        (66, 1740, 1014, 1880),
        "Button",
        "pay",
        "Pay now",
        clickable="true",
        enabled=str(not paid).lower(),
    )
    return draw.page(f"shop form {name} {focus}{' paid' if paid else ''}")


def _tap(page: Page, name: str, nth: int = 0) -> Action:
    at = [
        at for at in range(len(page.attrs)) if name in (page.short_id(at), page.attrs[at].get("content-desc"))
    ][nth]
    left, top, right, bottom = page.box(at)
    return Action("tap", {"x": (left + right) // 2, "y": (top + bottom) // 2})


def _ordered(dishes: Sequence[Dish], name: str) -> list[Dish]:
    return [(dish[0], dish[1], dish[0] == name or dish[2], dish[3]) for dish in dishes]


def _shop() -> Iterator[Session]:
    for number, dishes in enumerate(_DISHES):
        soup = [dish[0] for dish in dishes].index("Soup") if any(d[0] == "Soup" for d in dishes) else 0
        first, then = _menu(dishes, ""), _menu(_ordered(dishes, dishes[soup][0]), "")
        more, ask = _menu(dishes, "more"), _menu(dishes, "ask")
        empty, typed = (
            _form("", 0, number % 2 == 0, "card_name"),
            _form("Lena", 0, number % 2 == 0, "card_number"),
        )
        full = _form("Lena" if number % 3 else "Max", 16, number == 2, "card_number")
        paid = _form("Lena" if number % 3 else "Max", 16, number == 2, "", paid=True)
        yield Session(
            "shop",
            (first, then, empty, typed, full, paid),
            (
                _tap(first, "dish_order", soup),
                _tap(then, "checkout"),
                Action("input_text", {"id": "card_name", "value": "Lena"}),
                Action("input_text", {"id": "card_number", "value": "4111111111111111"}),
                _tap(full, "pay"),
            ),
        )
        yield Session(
            "shop", (first, more, ask, _menu(dishes, "", scrolls=True)),
            (_tap(first, "More options"), _tap(more, "item", 1), _tap(ask, "ask_no")),
        )  # fmt: skip


# ---------------------------------------------------------------------- simulated phones

_PHONES: Final = (
    ("restaurant", "restaurant", "com.opentable", "R", "18:30", "reserve_button", "back", "back"),
    ("restaurant", "restaurant", "com.opentable", "R", "20:00", "reserve_button", "back"),
    ("restaurant", "restaurant", "com.opentable", "Q", "20:30", "more_button", "back"),
    ("restaurant", "restaurant", "com.opentable", "Trattoria Roma", "slot_button#2", "day_chip#2", "slot_button#1"),
    ("settings", "settings", "org.example.settings", "Display", "Dark theme", "Text size", "back", "back"),
    ("settings", "settings", "org.example.settings", "Notifications", "News", "Mail", "back"),
    ("settings", "settings", "org.example.settings", "Network", "Home", "back", "Library", "Airplane mode"),
    ("settings", "settings", "org.example.settings", "Apps", "News", "Clear data", "confirm_button"),
    ("settings", "settings", "org.example.settings", "Apps", "Mail", "Permissions", "Camera", "allow_choice"),
    ("settings", "settings", "org.example.settings", "scroll", "Reset", "Erase all data", "back"),
    ("settings", "settings", "org.example.settings", "Network", "Scan for networks", "permission_deny_button"),
    ("any", "editor", "", "back"),
    ("any", "editor", "com.pocketide", "back"),
)  # fmt: skip
"""Of each session: which programs fit, the phone, the app to open, and what is touched in order."""


def _simulated() -> Iterator[Session]:
    for family, name, package, *touched in _PHONES:
        phone = Phone(load(name))
        if package:
            phone.open_app(package)
        pages, actions = [_current_page(phone)], list[Action | None]()
        for what in touched:
            if what == "back":
                phone.key("BACK")
                actions.append(Action("back"))
            elif what == "scroll":
                phone.swipe(360, 1100, 360, 300)
                actions.append(Action("scroll", {"direction": "down"}))
            else:
                try:
                    left, top, right, bottom = phone.find(what).seen or (0, 0, 0, 0)
                except LookupError:
                    break  # the script goes no further on this phone
                x, y = (left + right) // 2, (top + bottom) // 2
                phone.tap(x, y)
                actions.append(Action("tap", {"x": x, "y": y}))
            pages.append(_current_page(phone))
        yield Session(family, tuple(pages), tuple(actions))


def _current_page(phone: Phone) -> Page:
    activity = phone.activity
    app = (phone.package, phone.package + activity if activity.startswith(".") else activity)
    page = page_of(
        dump(phone), name=f"{phone.spec.name} {activity}", app=app, now=phone.clock.replace(microsecond=0)
    )
    assert page is not None
    return page


@cache
def own() -> tuple[Session, ...]:
    """The sessions that need no other data."""
    return (*_shop(), *_simulated())


# ---------------------------------------------------------------------- recorded ones


@cache
def dumps() -> tuple[Session, ...]:
    """The real UI dumps, in an order that has nothing to do with their apps; none where the data is not."""
    found = []
    for path in sorted((DATA / "ui_dumps").glob("*.xml.gz")):
        try:
            read_tree(path)
            text = decode(unpack(path.read_bytes()), path.name)
            start, end, _ = locate(text, path.name)
        except DumpError:
            continue
        text = text[start:end]
        package = re.search(r'package="([^"]+)"', text)
        app = (package[1], ".Main") if package is not None else None
        page = page_of(text, name=path.name, app=app, now=NOON)
        if page is not None and 5 <= len(page.attrs) <= MOST_NODES:
            found.append(Session("any", (page,)))
    return (
        tuple(found[at * 101 % len(found)] for at in range(len(found))) if len(found) % 101 else tuple(found)
    )


@cache
def walks(most: int) -> tuple[Session, ...]:
    """Pairs of screens that followed each other in recorded walks, with what was done between; none without data.

    Args:
        most: pairs of each folder of recordings. Fewer are the first ones of more.
    """
    folders = [*sorted((DATA / "trajectories" / "droidtask").glob("*.jsonl.gz"))]
    folders += [path.parent for path in sorted((DATA / "utg").glob("*/events.jsonl.gz"))]
    found = [_pairs(folder, most) for folder in folders]
    return tuple(pairs[at] for at in range(most) for pairs in found if at < len(pairs))


def _pairs(folder: Path, most: int) -> list[Session]:
    pairs: list[Session] = []
    for walk in read_walks(folder)[:6]:
        for index in range(0, min(len(walk.steps) - 1, 40), 2):
            here, there = walk.taken(index), walk.taken(index + 1)
            action = here.actions[0] if len(here.actions) == 1 else None
            if action is None or action.name not in GESTURES or here.screen is None or there.screen is None:
                continue
            if action.name in POINTING and "x" not in action.args:
                continue
            name = f"{folder.name.split('.jsonl')[0]} {index}"
            seen = [
                page_of(each.xml, name=name, app=each.screen.app, now=NOON)
                for each in (here, there)
                if each.screen
            ]
            usable = tuple(page for page in seen if page is not None and 5 <= len(page.attrs) <= MOST_NODES)
            if len(usable) == 2:
                pairs.append(Session("any", usable, (action,)))
            if len(pairs) == most:
                return pairs
    return pairs


def there() -> bool:
    """Whether the shared data is on this machine."""
    return (DATA / "ui_dumps").is_dir() and (DATA / "trajectories").is_dir() and (DATA / "utg").is_dir()
