"""The page on the engine: its Python runs, and what it says of generated code is so."""

import re
from pathlib import Path
from typing import Any

from vsalang.engine.compile.cache import plan_of
from vsalang.engine.compile.codegen import source_of

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "engine.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_examples_run_and_code_is_what_is_generated() -> None:
    scope: dict[str, Any] = {}
    exec("\n".join(text for kind, text in BLOCKS if kind == "python"), scope)
    (shown,) = [text for kind, text in BLOCKS if not kind]
    assert shown in source_of(plan_of(scope["program"]))
