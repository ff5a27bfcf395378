"""Makes small traces of MobileRisk."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NODE = (
    '<node text="{}" class="android.widget.Button" package="com.example.shop" clickable="{}" '
    'bounds="[0,{}][1080,{}]"/>'
)
BACK = {"name": "back", "parameters": {}}
DONE = {"name": "terminate", "parameters": {"status": "success"}}


def dump(*texts: str, clickable: bool = True) -> str:
    """A screen with a button for each text, one below the other, 100 pixels high."""
    nodes = [NODE.format(t, str(clickable).lower(), 100 * n, 100 * n + 100) for n, t in enumerate(texts)]
    return f'<hierarchy rotation="0">{"".join(nodes)}</hierarchy>'


def tap(row: int = 0) -> dict[str, Any]:
    """A tap on that button."""
    return {"name": "tap", "parameters": {"x": 540, "y": 100 * row + 50}}


def trace(
    folder: Path,
    steps: Sequence[tuple[Any, str | None, dict[str, Any] | None]],
    *,
    step: int | None = None,
    types: Sequence[str] = (),
    query: str = "Do it",
    **more: Any,
) -> Path:
    """Writes a trace; a step is its action, its dump and its state."""
    (folder / "jsons").mkdir(parents=True, exist_ok=True)
    (folder / "xmls").mkdir(exist_ok=True)
    written = []
    for number, (action, screen, state) in enumerate(steps, 1):
        name = f"{number:03}_tap_{1_760_000_000_000 + 5000 * number}"
        if screen is not None:
            (folder / "xmls" / f"{name}.xml").write_text(screen, encoding="utf-8")
        if state is not None:
            (folder / "jsons" / f"{name}.json").write_text(json.dumps(state), encoding="utf-8")
        said = action if isinstance(action, str | list) else [action]
        written.append({"action": said, "observation": f"images/{name}.png"})
    meta = {"step": step, "type": list(types)}
    data = {
        "query": query,
        "application": "oss",
        "platform_type": "Android",
        "trajectory": written,
        "meta": meta,
    }
    (folder / "trajectory.json").write_text(json.dumps(data | more), encoding="utf-8")
    return folder
