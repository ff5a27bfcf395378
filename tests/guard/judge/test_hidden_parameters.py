"""Parameters whose text hides something: an invisible or look-alike letter makes another payee of it."""

import datetime as dt
from pathlib import Path

import pytest

from vsalang.guard import Guard, Settings
from vsalang.guard.say.verdict import Verdict
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

APP = """app till package "com.till" "A till"
action Pay(to: Text "whom", total: Number "how much") "Pay"
recognize Pay(to = ?t, total = 3) when tap(id = "pay"), Node(id = "to", text = ?t).
"""
DONE = "\ndone when Pay earlier."
NODE = (
    '<node class="View" package="com.till" resource-id="com.till:id/{id}" text="{text}" content-desc=""'
    ' checkable="false" checked="false" clickable="{click}" long-clickable="false" enabled="true" focused="false"'
    ' scrollable="false" password="false" selected="false" bounds="{box}">{kids}</node>'
)


def judged(folder: Path, rules: str, *payees: str) -> Verdict:
    (folder / "till.vsa").write_text(APP, "utf-8")
    program = load_text(f'spec s "Pay"\nimport till\n{rules}', path=folder / "s.vsa").checked()
    kids = NODE.format(id="pay", text="Pay", click="true", box="[0,0][500,500]", kids="")
    for at, payee in enumerate(payees):
        box = f"[0,{600 + 100 * at}][500,{700 + 100 * at}]"
        kids += NODE.format(id="to", text=payee, click="false", box=box, kids="")
    root = NODE.format(id="root", text="", click="false", box="[0,0][1000,2000]", kids=kids)
    guard = Guard(
        program, clock=lambda: dt.datetime(2026, 4, 1, 12), settings=Settings(unknown_screen="allow")
    )
    guard.observe(
        TreeScreen(load_dump(f"<hierarchy>{root}</hierarchy>"), app=("com.till", ".Main"), settled=True)
    )
    return guard.propose(Action("tap", {"id": "pay"}))


HIDDEN = pytest.mark.parametrize("payee", ["Le\u200bna", "L\u0435na", "\u202eaneL"])
CLAUSES = pytest.mark.parametrize(
    "clause",
    [
        'allow Pay(to = "Lena").',
        'allow Pay(to != "Mallory").',
        'allow Pay(to not in {"Mallory"}).',
        "allow Pay(to matches /./).",
        "allow Pay(to = ?t) when Node(text = ?t).",
    ],
)


@HIDDEN
@CLAUSES
def test_no_clause_fits_a_hidden_parameter(tmp_path: Path, clause: str, payee: str) -> None:
    assert judged(tmp_path, clause + DONE, "Lena").level == "allow"
    verdict = judged(tmp_path, clause + DONE, payee)
    assert verdict.level == "block"
    (reason,) = verdict.reasons
    assert "Pay.to is unknown: the text hides a letter" in reason.message and reason.change == "texts"
    assert [action.args for action in verdict.actions] == [{"total": 3}]


def test_a_clause_without_the_parameter_fits(tmp_path: Path) -> None:
    assert judged(tmp_path, "allow Pay(total = 3)." + DONE, "Le\u200bna").level == "allow"


@pytest.mark.parametrize("payee", ["Lena \U0001f600", "\u200fדנה", "José", "田中 Lena"])
def test_ordinary_texts_hide_nothing(tmp_path: Path, payee: str) -> None:
    assert judged(tmp_path, 'allow Pay(to != "Mallory").' + DONE, payee).level == "allow"


@HIDDEN
def test_a_hidden_instance_is_no_other_one(tmp_path: Path, payee: str) -> None:
    """Of several instances one that says less is dropped: not one that is another payee."""
    assert judged(tmp_path, 'allow each Pay(to = "Lena").' + DONE, "Lena", payee).level == "block"
