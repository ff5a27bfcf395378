"""Shows an agent why its last request was refused where it looks next: in its copies of dumps and pictures.

Some agents throw away the answer of a command and judge by the screen alone. For them the reason stands in the next
dumps, as a node, and in the next pictures, as a strip at the upper edge, until an act of theirs passes. Only what the
agent gets is changed: the guard's own looks do not come through here, and nothing here is ever read from a screen.
"""

import base64
import io
import json
import logging
import re
import textwrap
import threading
from collections.abc import Callable
from typing import Final
from xml.sax.saxutils import quoteattr

from vsalang.phone.gate.gate import Gate
from vsalang.phone.gate.helper_states import with_node
from vsalang.program.text import line
from vsalang.screen.tree import DumpError
from vsalang.screen.tree.source import parse

log = logging.getLogger(__name__)
LONGEST: Final = 600
"""Characters of the reason."""
MOST_QUOTED: Final = 40
"""Characters of a text of the screen that is quoted in it."""
HIGHEST: Final = 4
"""The strip takes at most one part in so many of a picture's height."""
PACKAGE: Final = "vsalang.guard"
_QUOTED: Final = re.compile(rf'"([^"\n]{{{MOST_QUOTED}}})[^"\n]+"')
_LAST_CHILD: Final = re.compile(r"</node>\s*</hierarchy>\s*\Z")
_LAST_ROOT: Final = re.compile(r"</hierarchy>\s*\Z")
_NODE: Final = (
    '<node index="{index}" text={text} resource-id="" class="android.widget.TextView" package="{package}" '
    'content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" '
    'focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[0,0][0,0]" />'
)
_FORMATS: Final = ("PNG", "JPEG")


class Showing:
    """Writes the reason of the newest refusal into what an agent sees.

    Args:
        gate: knows the newest request that acts, and its outcome.
        redact: replaces secrets.
    """

    def __init__(self, gate: Gate, redact: Callable[[str], str] = lambda text: text) -> None:
        self._gate = gate
        self._redact = redact
        self._drawing = threading.Lock()

    @property
    def reason(self) -> str:
        """Why the newest request that acts was refused, on one line; empty: it was not."""
        last = self._gate.last
        if last is None or last.outcome not in ("blocked", "refused"):
            return ""
        text = _QUOTED.sub(r'"\1…"', self._redact(last.feedback))
        return line(
            f"REFUSED, nothing was done. {'; '.join(map(str.strip, text.strip().splitlines()))}", LONGEST
        )

    def dump(self, xml: str) -> str:
        """A dump of the tree with the reason as its last node: without an area, and not to be clicked."""
        reason = self.reason
        match = (_LAST_CHILD.search(xml) or _LAST_ROOT.search(xml)) if reason else None
        if match is None:
            return xml
        node = _NODE.format(index=_children(xml), text=quoteattr(_xml_text(reason)), package=PACKAGE)
        return xml[: match.start()] + node + xml[match.start() :]

    def state(self, answer: bytes) -> bytes | None:
        """A state of mobilerun's helper app with the reason as its last node; None: it stays as it is."""
        reason = self.reason
        return with_node(answer, reason, PACKAGE) if reason else None

    def wrapped_picture(self, answer: bytes) -> bytes | None:
        """A picture as a helper app gives it: as it is, or as a text in JSON; None: it stays as it is."""
        if not answer.lstrip().startswith(b"{"):
            return self.picture(answer)
        try:
            data = json.loads(answer)
            (name,) = [name for name in ("result", "data") if isinstance(data.get(name), str)]
            marked = self.picture(base64.b64decode(data[name]))
        except (ValueError, RecursionError):
            return None
        return json.dumps(data | {name: base64.b64encode(marked).decode()}).encode()

    def picture(self, data: bytes) -> bytes:
        """A picture (PNG or JPEG) with the reason in a strip at its upper edge; unchanged if it cannot be read."""
        reason = self.reason
        if not reason:
            return data
        try:
            with self._drawing:
                return _drawn(data, reason)
        except (
            Exception
        ) as error:  # whatever the phone sent: a picture without the reason is better than none
            log.warning("the reason could not be drawn: %s", line(str(error), 200))
            return data

    def pixels(self, size: tuple[int, int], order: str, data: bytes) -> bytes:
        """The pixels of a framebuffer with the reason in a strip at the upper edge.

        Args:
            order: the bytes of a pixel as Pillow names them: ``RGBA``, ``BGRA``, ``RGB`` or ``BGR``.
        """
        from PIL import Image

        image = Image.frombytes("RGBA" if len(order) == 4 else "RGB", size, data, "raw", order)
        out = io.BytesIO()
        image.convert("RGB").save(out, "PNG", compress_level=1)
        with Image.open(io.BytesIO(self.picture(out.getvalue())), formats=_FORMATS) as marked:
            return marked.convert(image.mode).tobytes("raw", order)

    def changed(self, method: str, answer: bytes) -> bytes | None:
        """The answer of uiautomator2's server to a call that looks, with the reason; None: it stays as it is."""
        try:
            data = json.loads(answer)
            result = data.get("result")
            if not isinstance(result, str):
                return None
            if method == "takeScreenshot":
                marked = base64.b64encode(self.picture(base64.b64decode(result))).decode()
            else:
                marked = self.dump(result)
        except (ValueError, RecursionError, AttributeError):
            return None
        return json.dumps(data | {"result": marked}).encode()


LOOKS: Final = frozenset({"dumpWindowHierarchy", "takeScreenshot"})
"""The calls of uiautomator2's server whose answers show the screen."""


def _children(xml: str) -> int:
    """How many nodes lie in the last window of a dump: the index of the one that is added."""
    try:
        root, _, _ = parse(xml, "the dump")
    except DumpError:
        return 0
    windows = [each for each in root if each.tag == "node"]
    return len(windows[-1]) if windows and len(windows[-1]) else len(windows)


def _xml_text(text: str) -> str:
    """A text without what XML cannot hold."""
    return re.sub(r"[^\t\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)


def _drawn(data: bytes, reason: str) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    with Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
        kind = opened.format or "PNG"
        image = opened.convert("RGB")
    width, height = image.size
    size = max(12, width // 40)
    font = ImageFont.load_default(size)
    rows = textwrap.wrap(reason, max(10, int(width / (size * 0.55))))
    step = size + size // 4
    rows = rows[: max(1, height // HIGHEST // step - 1)]
    strip = Image.new("RGB", (width, min(height, step * len(rows) + size)), (120, 0, 0))
    pen = ImageDraw.Draw(strip)
    for number, text in enumerate(rows):
        pen.text((size // 2, size // 2 + number * step), text, fill=(255, 255, 255), font=font)
    image.paste(strip, (0, 0))
    out = io.BytesIO()
    image.save(out, kind)
    return out.getvalue()
