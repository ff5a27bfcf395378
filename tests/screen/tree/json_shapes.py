"""One screen as each source of UI trees writes it: the dump of uiautomator, and the JSON of others."""

from typing import Any

from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

DUMP = """<hierarchy rotation="0">
<node class="android.widget.FrameLayout" package="com.app" bounds="[0,0][1080,2400]" enabled="true" clickable="false"
 scrollable="false" long-clickable="false" checkable="false" checked="false" focused="false" selected="false"
 password="false" text="" resource-id="" content-desc="">
 <node class="android.widget.TextView" package="com.app" text="Welcome" resource-id="com.app:id/title" content-desc=""
  bounds="[32,80][500,160]" enabled="true" clickable="false" scrollable="false" long-clickable="false"
  checkable="false" checked="false" focused="false" selected="false" password="false"/>
 <node class="android.widget.Switch" package="com.app" text="" resource-id="" content-desc="Wi-Fi"
  bounds="[900,220][1040,280]" enabled="true" clickable="true" scrollable="false" long-clickable="false"
  checkable="true" checked="true" focused="false" selected="false" password="false"/>
 <node class="android.widget.EditText" package="com.app" text="secret" resource-id="com.app:id/pin" content-desc=""
  bounds="[0,300][1080,400]" enabled="true" clickable="true" scrollable="false" long-clickable="true"
  checkable="false" checked="false" focused="true" selected="false" password="true"/>
</node></hierarchy>"""

FLAGS = ("clickable", "enabled", "scrollable", "checkable", "checked", "focused", "selected", "password")


def edges(element: Any) -> list[int]:
    first, second = element.get("bounds")[1:-1].split("][")
    return [int(n) for n in (*first.split(","), *second.split(","))]


def has(element: Any, name: str) -> bool | None:
    return {"true": True, "false": False}.get(element.get(name))


def as_forest(root: Any, *, snake: bool = True, defaults: bool = True) -> dict[str, Any]:
    """What `forest_to_...` gets: protocol buffers as `MessageToDict` writes them, with either kind of names."""

    def named(name: str) -> str:
        head, *rest = name.split("_")
        return name if snake else head + "".join(part.title() for part in rest)

    def box(element: Any) -> dict[str, int]:
        made = dict(zip(("left", "top", "right", "bottom"), edges(element), strict=True))
        return made if defaults else {key: value for key, value in made.items() if value}

    windows = []
    for number, top in enumerate(root):
        nodes, ids = [], {}
        for at, element in enumerate(top.iter("node")):
            ids[element] = at
        for element, at in ids.items():
            node: dict[str, Any] = {"unique_id": at, "bounds_in_screen": box(element)}
            node["child_ids"] = [ids[kid] for kid in element]
            node["is_visible_to_user"] = element.get("visible-to-user") != "false"
            for name in FLAGS:
                if has(element, name) is not None:
                    node[f"is_{name}"] = has(element, name)
            if has(element, "long-clickable") is not None:
                node["is_long_clickable"] = has(element, "long-clickable")
            for attr, name in (
                *(
                    ("class", "class_name"),
                    ("package", "package_name"),
                    ("text", "text"),
                    ("hint", "hint_text"),
                ),
                *(("content-desc", "content_description"), ("resource-id", "view_id_resource_name")),
            ):
                if element.get(attr) is not None:
                    node[name] = element.get(attr)
            if not defaults:  # what is not said is false then
                node["is_editable"] = element.get("class", "").endswith("EditText")
            if element.get("drawing-order"):
                node["drawing_order"] = int(element.get("drawing-order"))
            if not defaults:
                node = {key: value for key, value in node.items() if value}
            nodes.append({named(key): value for key, value in node.items()})
        windows.append(
            {named("window_type"): "TYPE_APPLICATION", "layer": 9 - number, "tree": {"nodes": nodes}}
        )
    return {"windows": windows}


def as_portal(root: Any) -> dict[str, Any]:
    """`state_full` of mobilerun's portal: the tree of the active window."""

    def node(element: Any) -> dict[str, Any]:
        made: dict[str, Any] = {
            "resourceId": element.get("resource-id") or "",
            "className": element.get("class") or "",
            "packageName": element.get("package") or "",
            "text": element.get("text") or "",
            "contentDescription": element.get("content-desc") or "",
            "hint": element.get("hint") or "",
            "boundsInScreen": dict(zip(("left", "top", "right", "bottom"), edges(element), strict=True)),
            "boundsInParent": {"left": 0, "top": 0, "right": 1, "bottom": 1},
            "isVisibleToUser": element.get("visible-to-user") != "false",
            "isLongClickable": has(element, "long-clickable"),
            "actionList": [{"id": 16, "label": "", "name": "CLICK"}],
            "childCount": len(element),
        }
        made |= {f"is{name.title()}": has(element, name) for name in FLAGS}
        if element.get("drawing-order"):
            made["drawingOrder"] = int(element.get("drawing-order"))
        made["children"] = [node(kid) for kid in element]
        return made

    (top,) = root
    state = {"currentApp": "App", "packageName": "com.app", "activityName": ".Main", "keyboardVisible": False}
    return {"a11y_tree": node(top), "phone_state": state, "device_context": {}}


def as_views(root: Any) -> list[dict[str, Any]]:
    """A view list of DroidBot."""
    (top,) = root
    places = {element: at for at, element in enumerate(top.iter("node"))}
    views = []
    for element, at in places.items():
        left, upper, right, lower = edges(element)
        view: dict[str, Any] = {
            "temp_id": at,
            "parent": places.get(element.getparent(), -1),
            "children": [places[kid] for kid in element],
            "bounds": [[left, upper], [right, lower]],
            "class": element.get("class"),
            "package": element.get("package"),
            "text": element.get("text") or None,
            "content_description": element.get("content-desc") or None,
            "resource_id": element.get("resource-id") or None,
            "visible": element.get("visible-to-user") != "false",
            "is_password": has(element, "password"),
            "long_clickable": has(element, "long-clickable"),
        }
        view |= {name: has(element, name) for name in FLAGS if name != "password"}
        views.append(view)
    return views


def facts(tree: Tree, *without: str) -> list[dict[str, Any]]:
    """All that is said of the nodes; places of sources do not count what they leave out in the same way."""
    return [
        {name: value for name, value in cells.items() if name not in without}
        for cells in TreeScreen(tree).rows("Node")
    ]
