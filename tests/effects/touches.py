"""Windows with one control to touch, and what `std.effects` reads of it."""

from functools import cache

from benchmarks.effects.reading import program
from tests.screen.control.making import node, row, screen, text
from vsalang.guard import Guard, Settings
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

APP = ("com.app", None)


@cache
def measuring() -> Program:
    """The policy that tells what a touch is read as."""
    return program()


def guard_at(tree: Tree) -> Guard:
    """A guard under the measuring policy that sees this screen."""
    guard = Guard(measuring(), settings=Settings(overrides=None, unknown_screen="allow"))
    guard.observe(TreeScreen(tree, app=APP, settled=True))
    return guard


def dialog(title: str, message: str, *buttons: str, package: str = "com.app") -> Tree:
    """A dialog of Android's toolkit; the last button is its positive one."""
    ids = ["android:id/button2", "android:id/button1"][-len(buttons) :]
    made = [
        node(
            "Button",
            at=(100 + 300 * n, 700, 380 + 300 * n, 780),
            clickable="true",
            text=label,
            resource_id=name,
        )
        for n, (label, name) in enumerate(zip(buttons, ids, strict=True))
    ]
    parts = [text(title, 300, resource_id="android:id/alertTitle")] if title else []
    parts += [text(message, 400, resource_id="android:id/message")] if message else []
    panel = node("LinearLayout", *parts, *made, at=(50, 250, 850, 800), resource_id="com.app:id/parentPanel")
    return screen(
        node("FrameLayout", panel, at=(50, 250, 850, 800)).replace(
            'package="com.app"', f'package="{package}"'
        )
    )


def window_with(*kids: str) -> Tree:
    """A whole window with these nodes."""
    return screen(node("FrameLayout", *kids, at=(0, 0, 1000, 2000)))


def read_of(tree: Tree, label: str, gesture: str = "tap", *, at: tuple[int, int] | None = None) -> str:
    """The kinds of the touch of what has a label, or of a point, ``leads on``, or ``unclear``."""
    guard = guard_at(tree)
    touched = {"label": label} if at is None else {"x": at[0], "y": at[1]}
    verdict = guard.propose(Action(gesture, touched))
    assert not any(reason.kind == "unresolved" for reason in verdict.reasons)
    kinds = sorted(flag.message for flag in verdict.flags if flag.rule == "ACTS")
    if kinds:
        return " ".join(kinds)
    return "unclear" if any(reason.rule.startswith("UNCLEAR") for reason in verdict.reasons) else "leads on"


def form(*icons: str) -> Tree:
    """A form of an app: a field, a day, and icons that are only described."""
    made = [
        node("ImageButton", at=(500 + 150 * n, 20, 600 + 150 * n, 120), clickable="true", content_desc=icon)
        for n, icon in enumerate(icons)
    ]
    field = node("EditText", at=(0, 300, 900, 400), clickable="true", text="Bob")
    day = node("Button", at=(0, 500, 900, 600), clickable="true", text="July 1 (Sat)")
    return window_with(*made, field, day)


def button(label: str, **attrs: str) -> str:
    return node("Button", at=(0, 300, 500, 400), clickable="true", text=label, **attrs)


def asks(title: str, *fields: str, value: str = "choir") -> Tree:
    ok, cancel = (
        node(
            "Button",
            at=(x, 700, x + 280, 780),
            clickable="true",
            text=label,
            resource_id=f"android:id/{name}",
        )
        for x, label, name in ((400, "OK", "button1"), (100, "Cancel", "button2"))
    )
    field = node("EditText", at=(100, 500, 800, 600), clickable="true", text=value)
    parts = [text(title, 300, resource_id="android:id/alertTitle"), *fields, field, cancel, ok]
    panel = node("LinearLayout", *parts, at=(50, 250, 850, 800), resource_id="com.app:id/parentPanel")
    return screen(node("FrameLayout", panel, at=(50, 250, 850, 800)))


def pair(said: str, y: int) -> str:
    """A row that says what a value is, and the value: `To|Ann`."""
    name, value = said.split("|")
    return row(name, text(value, y + 45), y=y)
