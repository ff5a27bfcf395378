"""A mail app in memory: a device that shows the draft being written and takes gestures; what goes wrong is chosen."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

from vsalang import load
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Cells, Screen
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, load_tree, read_tree

MAIL = Path(__file__).resolve().parent / "mail"
_NODE = (
    '<node class="android.widget.{cls}" package="org.example.mail" resource-id="org.example.mail:id/{id}"'
    ' bounds="[0,{y}][1080,{end}]" clickable="true" long-clickable="false" checkable="{box}" checked="{on}"'
    ' scrollable="false" enabled="true" text={text} hint={hint} content-desc=""/>'
)


@cache
def invite() -> Program:
    """The spec: the program of these tests."""
    return load(MAIL / "invite.vsa").checked()


@cache
def compose() -> TreeScreen:
    """The empty draft, as a dump says it."""
    return TreeScreen(read_tree(str(MAIL / "compose.xml")))


@dataclass
class MailPhone:
    """A device.

    Attributes:
        lost: the ids on which a touch does nothing.
        cut: so many characters of what is typed arrive.
        moving: nodes are numbered otherwise after each input: a banner comes and goes.
        delivered: what reached it: gesture and id.
    """

    to: str = ""
    subject: str = ""
    copy: bool = False
    menu: bool = False
    lost: frozenset[str] = frozenset()
    cut: int | None = None
    moving: bool = False
    delivered: list[tuple[str, str]] = field(default_factory=list)
    last: Tree | None = None

    def observe(self) -> Screen:
        """The screen as it is."""
        nodes = []
        if self.moving and len(self.delivered) % 2:
            nodes.append(("TextView", "banner", "Saved", "", False, False))
        if self.menu:
            nodes.append(("TextView", "menu", "Discard", "", False, False))
        else:
            nodes += [
                ("EditText", "to", self.to, "To", False, False),
                ("EditText", "subject", self.subject, "Subject", False, False),
                ("CheckBox", "copy", "Send me a copy", "", True, self.copy),
                ("Button", "check", "Check", "", False, False),
                ("ImageButton", "more", "More", "", False, False),
                ("Button", "send", "Send", "", False, False),
            ]
        said = "".join(
            _NODE.format(
                cls=cls,
                id=id_,
                y=100 * number,
                end=100 * number + 100,
                box=str(box).lower(),
                on=str(on).lower(),
                text=quoteattr(text),
                hint=quoteattr(hint),
            )
            for number, (cls, id_, text, hint, box, on) in enumerate(nodes)
        )
        frame = (
            '<node class="android.widget.FrameLayout" package="org.example.mail" bounds="[0,0][1080,2400]"'
            ' resource-id="" text="" content-desc="">'
        )
        return TreeScreen(
            load_tree(f"<hierarchy>{frame}{said}</node></hierarchy>", name="mail"), settled=True
        )

    def perform(self, action: Action, target: Cells) -> None:
        """Take a gesture."""
        id_ = str(target.get("id"))
        self.delivered.append((action.name, id_))
        if id_ in self.lost:
            return
        if action.name == "input_text" and id_ in ("to", "subject"):
            setattr(self, id_, str(target["value"])[: self.cut])
        elif action.name == "clear_text" and id_ in ("to", "subject"):
            setattr(self, id_, "")
        elif id_ == "copy":
            self.copy = not self.copy
        elif id_ == "more":
            self.menu = True
