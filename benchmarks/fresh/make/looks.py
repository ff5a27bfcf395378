"""Dresses a dump of classic views as other toolkits would show the same page: Compose, Flutter, a web page."""

from lxml import etree

from benchmarks.planted.make.screens import digest

KITS = ("classic",) * 4 + ("compose",) * 3 + ("flutter",) * 2 + ("web",)
FIXED = {
    "sms": "classic",
    "meeru": "classic",
    "yemek": "compose",
    "xiangce": "flutter",
    "gemgarden": "flutter",
}
"""Apps of which no web page is a likely look."""
UP = {
    "de": "Nach oben", "es": "Desplazarse hacia arriba", "fr": "Revenir en haut de la page", "it": "Torna indietro",
    "ja": "前に戻る", "ko": "위로 이동", "pl": "Przejdź wyżej", "pt": "Navegar para cima", "ru": "Перейти вверх",
    "tr": "Yukarı git", "zh": "转到上一层级", "ar": "التنقل إلى أعلى", "nl": "Omhoog navigeren",
}  # fmt: skip
"""What the arrow in the bar of an app is called."""
OWN = "com.example."
"""Apps of the system are dressed in classic views."""


def kit_of(package: str) -> str:
    """The toolkit that an app is made with."""
    name = package.removeprefix(OWN)
    if not package.startswith(OWN):
        return "classic"
    if name.startswith(("browser", "web")):
        return "web"
    return FIXED.get(name) or KITS[digest(f"kit {name}") % len(KITS)]


def dressed(xml: bytes, lang: str) -> bytes:
    """The dump as the toolkits of its apps would give it, in the language of the page. Boxes stay."""
    root = etree.fromstring(xml)
    for window in list(root):
        _translate(window, lang)
        match kit_of(window.get("package")):
            case "compose":
                _compose(window)
            case "flutter":
                _flutter(window)
            case "web":
                _web(window)
    head = b"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n"
    made: bytes = etree.tostring(root, encoding="UTF-8")
    return head + made


def _translate(window: etree._Element, lang: str) -> None:
    if lang == "en":
        return
    for node in list(window.iter("node")):
        if node.get("resource-id").endswith(":id/bottom_navigation"):
            node.getparent().remove(node)  # its tabs are English
        elif node.get("content-desc") == "Navigate up":
            node.set("content-desc", UP[lang])


def _content(window: etree._Element) -> etree._Element:
    """What the app itself draws: below `android:id/content`, or the window."""
    for node in window.iter("node"):
        if node.get("resource-id") == "android:id/content" and len(node):
            inner: etree._Element = node[0]
            return inner
    return window[0] if len(window) else window


def _child(node: etree._Element, cls: str, text: str = "", desc: str = "") -> etree._Element:
    child = etree.SubElement(node, "node", dict(node.attrib))
    for name in (
        "clickable",
        "focusable",
        "long-clickable",
        "checkable",
        "checked",
        "scrollable",
        "password",
    ):
        child.set(name, "false")
    child.attrib.update({"class": cls, "text": text, "content-desc": desc, "resource-id": "", "hint": ""})
    child.set("index", str(len(node) - 1))
    return child


def _compose(window: etree._Element) -> None:
    """No ids; a button is a view with a text in it; an icon is a description in a view that takes the touch."""
    content = _content(window)
    for node in list(content.iter("node")):
        node.set("resource-id", "")
        match node.get("class").rpartition(".")[2]:
            case "Button" | "Chip":
                text = node.get("text")
                node.attrib.update({"class": "android.view.View", "text": ""})
                _child(node, "android.widget.TextView", text)
                _child(node, "android.widget.Button")
            case "ImageButton":
                desc = node.get("content-desc")
                node.attrib.update({"class": "android.view.View", "content-desc": ""})
                _child(node, "android.view.View", desc=desc)
                _child(node, "android.widget.Button")
            case "EditText":
                hint = node.get("hint")
                node.set("hint", "")
                shown = node.get("text")
                if shown in (hint, ""):
                    node.set("text", "")
                _child(node, "android.widget.TextView", hint)
            case "ImageView" | "LinearLayout" | "FrameLayout" | "CardView":
                node.set("class", "android.view.View")
            case "RecyclerView" | "ListView":
                node.set("class", "android.view.View")
    content.set("class", "androidx.compose.ui.platform.ComposeView")


def _flutter(window: etree._Element) -> None:
    """No ids; nearly all texts are descriptions; what takes a touch is one node with all its lines."""
    content = _content(window)
    for node in list(content.iter("node")):
        if node.getparent() is None or (node is not content and content not in node.iterancestors()):
            continue
        node.set("resource-id", "")
        name = node.get("class").rpartition(".")[2]
        if name == "EditText":
            if node.get("text") == node.get("hint"):
                node.set("text", "")
            continue
        if node.get("clickable") == "true" and len(node):
            texts = [each.get("text") or each.get("content-desc") for each in node.iter("node")]
            for each in node.iter("node"):
                if each.get("checkable") == "true":
                    node.attrib.update({"checkable": "true", "checked": each.get("checked")})
                    name = each.get("class").rpartition(".")[2]
            node.set("content-desc", "\n".join(filter(None, texts)))
            del node[:]
        elif not node.get("content-desc"):
            node.set("content-desc", node.get("text"))
        node.set("text", "")
        kept = {"Button": "Button", "ImageButton": "Button", "Switch": "Switch", "CheckBox": "CheckBox",
                "RadioButton": "RadioButton", "ImageView": "ImageView", "ScrollView": "ScrollView"}  # fmt: skip
        node.set("class", f"android.widget.{kept[name]}" if name in kept else "android.view.View")


def _web(window: etree._Element) -> None:
    """A page in a browser view: ids are those of the page, without a package."""
    content = _content(window)
    for node in content.iter("node"):
        ident = node.get("resource-id").rpartition("/")[2]
        node.set("resource-id", ident.replace("_", "-") if "field" in ident else "")
        match node.get("class").rpartition(".")[2]:
            case "Chip" | "ImageButton":
                node.attrib.update(
                    {"class": "android.widget.Button", "text": node.get("text") or node.get("content-desc")}
                )
                node.set("content-desc", "")
            case "ImageView":
                node.attrib.update(
                    {"class": "android.widget.Image", "text": node.get("content-desc"), "content-desc": ""}
                )
            case "LinearLayout" | "FrameLayout" | "CardView" | "RecyclerView" | "ListView" | "ScrollView":
                node.set("class", "android.view.View")
    content.set("class", "android.webkit.WebView")
