"""How definitions read patterns: as the rule that reads the definition does, alike in all engines."""

import datetime as dt
from pathlib import Path

import pytest

from tests.guard.judge.test_hidden_parameters import NODE
from tests.oracle import ALL, engine_of
from vsalang.guard import Guard, Settings
from vsalang.guard.say.verdict import Verdict
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

APP = """app till package "com.till" "A till"
state Shown "what shows" { text: Text "the text" }
update Shown(text = ?t) when Node(id = "to", text = ?t).
action Pay "Pay"
"""
DEFINITIONS = """define Has when Shown(text matches /Le/).
define Seen when Shown(text = ?t), ?t matches /(?<x>Le)/, ?x = "Le".
define Lena when Shown(text matches /^Lena/).
define Deep when Lena.
define Other when Shown(text not matches /^Mallory/).
define Lines when Shown(text matches /^Pay.now/).
"""
OF_NODES = DEFINITIONS.replace("Shown(", 'Node(id = "to", ')
PLAIN = DEFINITIONS + 'recognize Pay when tap(id = "pay").\n'
HIDDEN = "Le\u200bna"


def judged(folder: Path, app: str, spec: str, text: str, engine: str = "incremental") -> Verdict:
    (folder / "till.vsa").write_text(APP + app, "utf-8")
    program = load_text(f'spec s "Pay"\nimport till\n{spec}', path=folder / "s.vsa").checked()
    kids = NODE.format(id="pay", text="Go", click="true", box="[0,0][500,500]", kids="")
    text = text.replace("\n", "&#10;")
    kids += NODE.format(id="to", text=text, click="false", box="[0,600][500,700]", kids="")
    root = NODE.format(id="root", text="", click="false", box="[0,0][1000,2000]", kids=kids)
    screen = load_dump(f"<hierarchy>{root}</hierarchy>")
    guard = Guard(
        program,
        clock=lambda: dt.datetime(2026, 4, 1, 12),
        settings=Settings(unknown_screen="allow"),
        engine=engine_of(engine),
    )
    guard.observe(TreeScreen(screen, app=("com.till", ".Main"), settled=True))
    return guard.propose(Action("tap", {"id": "pay"}))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("engine", ALL)
@pytest.mark.parametrize(
    ("condition", "fits"),
    [
        *((name, "Lena") for name in ("Has", "Seen", "Lena", "Deep", "Other")),
        *((f"not {name}", "Ann") for name in ("Has", "Seen", "Lena", "Deep")),
        ("not Other", "Mallory"),
    ],
)
def test_definitions_under_allow_are_certain(tmp_path: Path, condition: str, fits: str, engine: str) -> None:
    rules = f"allow Pay when {condition}.\ndone when Pay earlier.\n"
    assert judged(tmp_path, PLAIN, rules, fits, engine).level == "allow"
    verdict = judged(tmp_path, PLAIN, rules, HIDDEN, engine)
    assert verdict.level == "block"
    assert any(why.text() for reason in verdict.reasons for why in reason.whys)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("engine", ALL)
@pytest.mark.parametrize(
    ("condition", "text", "level"),
    [
        ("Lena", HIDDEN, "block"),
        ("Deep", HIDDEN, "block"),
        ("Lena", "Ｌｅｎａ", "block"),
        ("Lines", "Pay\nnow", "block"),
        ("Has", HIDDEN, "block"),
        ("not Has", HIDDEN, "block"),
        ("not Seen", HIDDEN, "block"),
        ("not Lines", "Pay\nnow", "block"),
        ("Lena", "Anna", "allow"),
        ("Lena", "José\nLena", "allow"),
        ("not Has", "Lena", "allow"),
        ("not Has", "田中\nLena", "allow"),
    ],
)
def test_definitions_under_recognize_add_duty(
    tmp_path: Path, condition: str, text: str, level: str, engine: str
) -> None:
    app = f'{OF_NODES}recognize Pay when tap(id = "pay"), {condition}.\n'
    assert judged(tmp_path, app, "done when tap earlier.\n", text, engine).level == level


def test_the_verdict_says_which_text(tmp_path: Path) -> None:
    app = OF_NODES + 'recognize Pay when tap(id = "pay"), Lena.\n'
    (reason,) = judged(tmp_path, app, "done when tap earlier.\n", HIDDEN).reasons
    assert 'the text "Le\\u{200B}na" hides a letter' in reason.message
