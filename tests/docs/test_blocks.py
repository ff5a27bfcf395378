"""Every block of a page is run or read by a test: here, by the test that is named, or a reason says why not.

A unit is a page with the blocks of one kind on it; of a page of commands, one of its sections.
"""

import json
import os
import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
import yaml
from lxml import etree

from tests import processes
from tests.commands import vsac
from tests.digests import masked
from tests.pages import DOCS
from vsalang.language.semantics import load_text

ROOT = DOCS.parent
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)

RUNNABLE: Final = ("console", "py", "python", "sh", "vsa")
DATA: Final = ("json", "toml", "xml", "yaml")
WORDS: Final = ("", "jinja", "output", "text", "transcript")
"""Kinds of blocks that are neither: what is printed, and templates."""

RUN_BY: Final = {
    "commands/ask.md vsac query": "tests/tools/cli/test_ask_pages.py",
    "commands/ask.md vsac query -i": "tests/tools/cli/test_ask_pages.py",
    "commands/exchange.md vsac import": "tests/language/notations/into/test_app_actions.py",
    "commands/guard.md --plan": "tests/agents/session/test_hints.py",
    "commands/guard.md vsac record": "tests/agents/test_record_docs.py",
    "commands/journal.md vsac journal show": "tests/guard/journal/test_journal_page.py",
    "commands/fleet.md vsac fleet audit": "tests/tools/fleet/test_fleet_page.py",
    "commands/fleet.md vsac fleet import": "tests/tools/fleet/test_fleet_page.py",
    "commands/fleet.md vsac fleet query": "tests/tools/fleet/test_fleet_page.py",
    "commands/look-back.md vsac memory python": "tests/models/encode/test_memory_command.py",
    "commands/map.md Maps python": "tests/agents/maps/test_utg_command.py",
    "commands/models.md vsac encode python": "tests/models/encode/test_encode_docs.py",
    "commands/models.md vsac encode vsa": "tests/models/encode/test_json_answer.py",
    "commands/prove.md vsac prove verify": "tests/proof/solver/test_verify_docs.py",
    "commands/prove.md vsac prove diff": "tests/proof/prove/test_prove_docs.py",
    "commands/prove.md vsac prove tests": "tests/proof/prove/test_prove_docs.py",
    "commands/prove.md vsac prove conflicts": "tests/proof/prove/test_prove_docs.py",
    "commands/prove.md vsac prove probe": "tests/proof/prove/test_prove_docs.py",
    "commands/prove.md vsac prove plan console": "tests/proof/prove/test_prove_docs.py",
    "commands/prove.md vsac prove plan vsa": "tests/proof/prove/test_prove_docs.py",
    "commands/write.md vsac describe": "tests/language/describe/test_describe_golden.py",
    "commands/write.md vsac fmt vsa": "tests/language/syntax/test_fmt_command.py",
    "guides/adapters.md": "tests/agents/test_adapters_page.py",
    "guides/any-app.md": "tests/docs/test_followed_guides.py",
    "guides/app-chapters.md": "tests/docs/test_followed_guides.py",
    "guides/first-spec.md": "tests/docs/test_language_page.py",
    "guides/five-dumps.md": "tests/docs/test_followed_guides.py",
    "guides/frameworks.md": "tests/docs/test_followed_guides.py",
    "guides/mcp.md": "tests/agents/test_mcp_docs.py",
    "guides/python-api.md": "tests/docs/test_python_api_page.py",
    "guides/refusals.md": "tests/docs/test_followed_guides.py",
    "guides/transparent-guard.md": "tests/phone/gate/test_gate_docs.py",
    "reference/actions.md": "tests/phone/test_action_pages.py",
    "reference/adb-services.md": "tests/phone/test_action_pages.py",
    "reference/config.md": "tests/base/config/test_config_page.py",
    "reference/controls.md": "tests/screen/control/test_controls_command.py",
    "reference/developer-library.md": "tests/agents/reporting/test_developer_page.py",
    "reference/devices.md": "tests/phone/test_look_system.py",
    "reference/engine.md": "tests/docs/test_engine_page.py",
    "reference/facts.md": "tests/screen/tree/test_tree_docs.py",
    "reference/feedback.md": "tests/guard/test_feedback.py",
    "reference/graph.md console": "tests/guard/graph/test_graph_command.py",
    "reference/graph.md vsa": "tests/guard/graph/test_graph_command.py",
    "reference/graph.md python": "tests/agents/session/test_commitments.py",
    "reference/guard.md": "tests/docs/test_language_page.py",
    "reference/journal.md": "tests/guard/journal/test_journal_page.py",
    "reference/language.md": "tests/docs/test_language_page.py",
    "reference/lint/index.md vsa": "tests/language/lint/test_lint_pages.py",
    "reference/policies.md": "tests/stdlib/test_policies.py",
    "reference/pydatalog.md": "tests/engine/test_pydatalog_script.py",
    "reference/rank.md console": "tests/models/rank/test_rank_command.py",
    "reference/rank.md python": "tests/agents/test_rank_recorded.py",
    "reference/semantics.md": "tests/docs/test_language_page.py",
    "reference/similarity.md": "tests/models/similarity/test_local_embeddings.py",
    "reference/simulator.md": "tests/phone/sim/test_docs.py",
    "reference/stdlib/contracts.md": "tests/stdlib/test_stdlib_files.py",
    "reference/stdlib/surface.md": "tests/guard/graph/test_surface.py",
}
"""Units, or all units of a page or section -> the test that runs them. It names the page or the section."""

NOT_RUN: Final = {
    "commands/ask.md vsac bench console": "it prints times of a machine",
    "commands/journal.md vsac journal replay sh": "a loop over journals of yours",
    "commands/look-back.md vsac audit console": "walks that the repository does not hold; test_audit.py",
    "commands/look-back.md vsac audit python": "walks that the repository does not hold; test_audit.py",
    "commands/look-back.md vsac memory console": "the last command asks a language model",
    "commands/look-back.md vsac answers console": "it asks a language model; tests/e2e/test_unknown_controls.py",
    "commands/map.md vsac map mine console": "a recording that the repository does not hold",
    "commands/map.md vsac map mine vsa": "what is proposed of that recording",
    "commands/models.md vsac encode sh": "it asks a language model",
    "commands/models.md Which model, what it costs, what is kept sh": "it asks a language model",
    "commands/screen.md vsac screen read console": "screens that the repository does not hold; test_read.py",
    "reference/certificates.md console": "the journal of the demo; tests/guard/journal/test_certify.py",
    "reference/changes.md vsa": "pieces of rules, of apps that are not shown",
    "reference/judge.md console": "it asks a language model, on a real phone",
    "guides/fleet.md python": "a stream that does not end; tests/tools/fleet_live/test_streaming.py",
    "reference/judge.md python": "it asks a language model",
    "reference/stdlib/answers.md python": "it asks a language model; tests/models/effects",
    "reference/lint/index.md console": "a recording that the repository does not hold",
    "reference/look.md console": "it asks a language model, on a real phone",
}
"""Units that nothing runs, and why."""
LINES_NOT_RUN: Final = {"$ vsac map propose run": "a recording that the repository does not hold"}
"""Single commands that nothing runs, by how they begin, and why."""


@dataclass(frozen=True)
class Unit:
    """The blocks of one kind on a page, or in a section of a page of commands."""

    place: str
    kind: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.place} {self.kind}"

    @property
    def blocks(self) -> list[str]:
        return [text for kind, text in _BLOCK.findall(self.text) if kind == self.kind]


def units() -> list[Unit]:
    found = []
    for path in sorted(DOCS.rglob("*.md")):
        page = path.relative_to(DOCS).as_posix()
        text = path.read_text(encoding="utf-8")
        parts = re.split(r"^(?=## )", text, flags=re.M) if page.startswith("commands/") else [text]
        for part in parts:
            heading = part.removeprefix("## ").partition("\n")[0].partition(":")[0].replace("`", "")
            place = f"{page} {heading}" if part.startswith("## ") else page
            kinds = sorted({kind for kind, _ in _BLOCK.findall(part)})
            found += [Unit(place, kind, part) for kind in kinds]
    return found


UNITS = units()
HERE = [
    unit
    for unit in UNITS
    if unit.kind in RUNNABLE
    and not {unit.name, unit.place} & {*RUN_BY, *NOT_RUN}
    and not (
        unit.place.startswith("reference/stdlib/") and unit.kind == "vsa"
    )  # test_stdlib_files.py runs all
]
"""What this file runs."""


def test_every_kind_is_known() -> None:
    assert {unit.kind for unit in UNITS} <= {*RUNNABLE, *DATA, *WORDS}


def test_lists_name_what_is_there() -> None:
    names = {name for unit in UNITS if unit.kind in RUNNABLE for name in (unit.name, unit.place)}
    assert sorted({*RUN_BY, *NOT_RUN} - names) == []
    assert sorted(RUN_BY.keys() & NOT_RUN.keys()) == []


@pytest.mark.parametrize(("unit", "test"), RUN_BY.items())
def test_the_named_test_reads_the_page(unit: str, test: str) -> None:
    page, _, section = unit.partition(" ")
    source = (ROOT / test).read_text(encoding="utf-8")
    words = re.sub(r" (?:console|python|sh|vsa)$", "", section)
    verb = words.rpartition(" ")[2]
    last = Path(page).name
    assert (
        f'"{last}"' in source
        or last in source
        or f"`{words}`" in source
        or f'"{words}"' in source
        or (f'"{verb}"' in source and "section(" in source)
        or "rglob" in source
        or '.glob("*.md")' in source
    )


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.kind in DATA], ids=lambda unit: unit.name)
def test_data_can_be_read(unit: Unit) -> None:
    for block in unit.blocks:
        match unit.kind:
            case "json":
                try:
                    json.loads(block)
                except json.JSONDecodeError:  # an object a line
                    assert [json.loads(line) for line in block.splitlines()]
            case "toml":
                assert tomllib.loads(block)
            case "yaml":
                assert yaml.safe_load(block)
            case _:
                assert etree.fromstring(block.encode()) is not None


@pytest.mark.parametrize(
    "unit", [unit for unit in UNITS if unit.kind in ("py", "python")], ids=lambda unit: unit.name
)
def test_python_can_be_compiled(unit: Unit) -> None:
    for block in unit.blocks:
        compile(block, unit.name, "exec")


@pytest.mark.slow
@pytest.mark.parametrize("unit", [unit for unit in HERE if unit.kind == "python"], ids=lambda unit: unit.name)
def test_python_runs(unit: Unit, tmp_path: Path) -> None:
    (tmp_path / "app_specs").symlink_to(ROOT / "app_specs")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    result = processes.run(["-c", "\n".join(unit.blocks)], cwd=tmp_path, env=env)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "unit", [unit for unit in HERE if unit.kind == "console"], ids=lambda unit: unit.name
)
def test_consoles_show_what_is_printed(unit: Unit, tmp_path: Path) -> None:
    (tmp_path / "app_specs").symlink_to(ROOT / "app_specs")
    for name, text in re.findall(r"^```vsa\n// file: (\S+)\n(.*?)^```$", unit.text, re.M | re.S):
        (tmp_path / name).write_text(text, encoding="utf-8")
    _write_files(unit, tmp_path)
    for block in unit.blocks:
        for command in re.split(r"^(?=\$ )", block, flags=re.M)[1:]:
            line, _, shown = command.partition("\n")
            if line.startswith(tuple(LINES_NOT_RUN)):
                continue
            program, *args = shlex.split(line.removeprefix("$ "))
            assert program == "vsac", line
            assert masked(vsac(*args, cwd=tmp_path).stdout).strip() == shown.strip(), line


def _write_files(unit: Unit, folder: Path) -> None:
    """The files that the page describes in words."""
    if unit.place == "commands/index.md Fixes":
        lines = unit.blocks[0].splitlines()
        wrong = [line[1:] for line in lines if line.startswith((" ", "-")) and not line.startswith("---")]
        (folder / "pay.vsa").write_text("\n".join(wrong) + "\n", encoding="utf-8")
        shop = 'app shop package "com.shop" "A shop"\nstate Cart { open: Bool }\naction Pay "Pay"\n'
        (folder / "shop.vsa").write_text(shop, encoding="utf-8")


@pytest.mark.parametrize("unit", [unit for unit in HERE if unit.kind == "vsa"], ids=lambda unit: unit.name)
def test_rules_check(unit: Unit) -> None:
    for block in unit.blocks:
        loaded = load_text(block, file=unit.place, path=DOCS / "reference" / "page.vsa")
        assert [each.message for each in loaded.diagnostics if each.severity.value == "error"] == []
