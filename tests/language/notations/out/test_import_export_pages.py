"""The examples on the pages of `vsac import` and `vsac export` do what the pages say."""

import json
import re
from pathlib import Path

from tests.pages import section
from vsalang.base.source import Source
from vsalang.language.notations.into import App, import_rules
from vsalang.language.notations.out import export
from vsalang.language.notations.out.core_json import FORMAT, NODES, VERSION
from vsalang.language.semantics import load

DOCS = Path(__file__).resolve().parents[4] / "docs" / "reference"
APP = """\
app clock package "com.example.clock" "A clock"
state Timer { running: Bool  minutes: Number }
action Start(minutes: Number)
"""


def _blocks(page: str, language: str) -> list[str]:
    text = section("exchange", f"`vsac {page}`")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_clauses_become_the_spec_on_the_page(tmp_path: Path) -> None:
    clauses, spec = (each for each in _blocks("import", "text") if "→" in each)
    (app,) = [each for each in _blocks("import", "vsa") if "action Start" in each]
    module = App(tmp_path / "clock.vsa", app)
    made = import_rules(Source.from_text(clauses, "clauses.txt"), [module], place=tmp_path / "five.vsa")
    assert made.left == 0
    assert made.text.split("import clock\n\n")[1] == spec


def test_rules_become_the_clauses_on_the_page(tmp_path: Path) -> None:
    rules, clauses = _blocks("export", "text")
    (tmp_path / "clock.vsa").write_text(APP, encoding="utf-8")
    path = tmp_path / "task.vsa"
    text = f'spec task "Start the timer three times"\nimport clock\n{rules}'
    path.write_text(text, encoding="utf-8")
    program = load(path).program
    assert program is not None
    exported = export(program, "paper")
    assert exported.text == clauses and exported.omissions == ()


def test_the_document_on_the_page_has_the_keys() -> None:
    (text,) = _blocks("export", "json")
    data = json.loads(text)
    assert (data["format"], data["version"]) == (FORMAT, VERSION)
    program = load(DOCS.parents[1] / "app_specs" / "examples" / "reserve_r.vsa").program
    assert program is not None
    real = json.loads(export(program, "json").text)
    assert list(data) == list(real)
    for key in ("modules", "relations", "rules"):
        assert data[key][0]["node"] in NODES
        shown = {name: value for name, value in data[key][0].items() if name != "…"}
        assert any(shown.items() <= each.items() for each in real[key])
