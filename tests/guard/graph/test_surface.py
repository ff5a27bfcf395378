"""The surface check: each rule of `std.surface` decides somewhere, and none of them is dead."""

import json
import re
from pathlib import Path

import pytest

from tests.screen.control.making import node, page
from vsalang.base.resources import resource_dir
from vsalang.guard.graph.surface import SurfaceVerdict, Touch, overlap, surface
from vsalang.screen.screen import TreeScreen
from vsalang.tools.cli.main import run

RULES = ("BLOCKER", "CLOSED", "SEALED", "REPEATED", "SHOWN", "OPEN")


def screen(*nodes: str) -> TreeScreen:
    return TreeScreen(page(*nodes))


def label(text: str, y: int, **more: str) -> str:
    return node("TextView", at=(0, y, 900, y + 90), text=text, **more)


LIST = screen(label("Title", 0), label("Anna", 100), label("Bob", 200))
CARD = screen(label("Title", 0), label("Anna", 100), label("Tel. 555 12 34", 200))
FORM = screen(
    label("Title", 0), label("Anna", 100), node("EditText", at=(0, 300, 900, 390), clickable="true")
)
OTHER = screen(label("Sent", 0), label("Done", 100))
DIALOG = screen(label("Delete?", 0, resource_id="android:id/alertTitle"))
FAILED = screen(label("Title", 0), label("Anna", 100), label("Saving failed", 200))
ASKED = screen(label("Allow?", 0, package="com.android.permissioncontroller"))
BOX = (0, 0, 100, 100)
VAIN = (Touch(BOX, effect=False), Touch((0, 0, 100, 90), effect=False))


@pytest.mark.parametrize(
    ("verdict", "wanted"),
    [
        (surface(LIST, DIALOG), ("blocked", "BLOCKER")),
        (surface(LIST, ASKED), ("blocked", "BLOCKER")),
        (surface(LIST, FAILED, ["Anna"]), ("blocked", "BLOCKER")),
        (surface(LIST, OTHER), ("stop", "CLOSED")),
        (surface(LIST, LIST, trace=VAIN, sealed=True), ("stop", "SEALED")),
        (surface(LIST, LIST, trace=VAIN), ("continue", "REPEATED")),
        (surface(LIST, CARD, ["anna", "5551234"]), ("stop", "SHOWN")),
        (surface(LIST, CARD, ["anna", "Clara"]), ("continue", "OPEN")),
        (surface(CARD, FORM, ["Anna"]), ("continue", "OPEN")),
        (surface(LIST, LIST), ("continue", "OPEN")),
        (surface(LIST, LIST, trace=VAIN[:1]), ("continue", "OPEN")),
        (
            surface(LIST, LIST, trace=(Touch((500, 0, 600, 90), effect=False), *VAIN[:1])),
            ("continue", "OPEN"),
        ),
        (surface(LIST, LIST, trace=(VAIN[0], Touch(BOX, effect=True))), ("continue", "OPEN")),
    ],
)
def test_the_rule_that_decides(verdict: SurfaceVerdict, wanted: tuple[str, str]) -> None:
    assert (verdict.finding, verdict.rule) == wanted
    assert verdict.evidence


def test_regions_are_the_same_from_the_bound_on() -> None:
    assert overlap(BOX, BOX) == 1 and overlap(BOX, (200, 0, 300, 90)) == 0
    assert overlap(BOX, (0, 0, 100, 85)) == 0.85


@pytest.mark.slow
def test_the_solver_finds_no_dead_rule(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    flags = "".join(f'flag "{name}" when Surface(rule = "{name}").\n' for name in RULES)
    (tmp_path / "alive.vsa").write_text(f'policy alive "Each rule"\nimport std.surface\n\n{flags}')
    assert run(["lint", "--deep", "--select", "V0001", "--select", "V0005", str(tmp_path / "alive.vsa")]) == 0
    assert "nothing found" in capfd.readouterr().out


@pytest.mark.soak
def test_the_solver_finds_what_is_dead_in_the_paper(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The program of the page: rules 6, 7 and 8 can never apply, and no other."""
    said = (resource_dir("docs") / "reference" / "stdlib" / "surface.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```vsa\n(policy paper_order.*?)^```$", said, re.M | re.S)
    (tmp_path / "paper.vsa").write_text(program)
    file = str(tmp_path / "paper.vsa")
    run(["lint", "--deep", "--select", "V0001", "--select", "V0005", "--format", "json", file])
    found = json.loads(capfd.readouterr().out)["diagnostics"]
    lines = program.splitlines()
    dead = [lines[each["span"]["start"]["line"] - 2] for each in found if each["code"] == "V0001"]
    assert dead == [f'@id("RULE-{n}")' for n in (6, 7, 8)]
