"""What a scenario says and no phone could mean is found before a phone runs it: file, line, key, what may be meant."""

from pathlib import Path

import pytest

from vsalang.phone.sim import Phone, PhoneSpecError, load
from vsalang.phone.sim.check import problems
from vsalang.tools.cli.main import run

OFFER = """<column id="offer" width="300">
  <text text="Hello {{ whom }}"/>
  <!-- <ghost tap="nothing"/> -->
  <button text="No" tap="dismiss"/>
</column>
"""


def checked(folder: Path, toml: str, template: str = OFFER, phone: str = "editor") -> list[str]:
    (folder / "s.toml").write_text(toml)
    (folder / "offer.xml").write_text(template)
    return [line.replace(f"{folder}/", "") for line in problems(load(phone), [str(folder / "s.toml")])]


@pytest.mark.parametrize(
    ("toml", "phone", "message"),
    [
        (
            '[[fault]]\nkind = "lost"\n\n[[fault]]\nkind = "lost"\ntarget = "result_crad"',
            "restaurant",
            "s.toml:6: [[fault]] number 2: 'target' names 'result_crad': no widget of the phone has that id; "
            "did you mean `result_card` or `result_stars`?",
        ),
        (
            '[[fault]]\nkind = "lost"\nat = 0',
            "editor",
            "s.toml:3: [[fault]] number 1: 'at' must be a number from 1",
        ),
        (
            '[[fault]]\nkind = "lost"\nat = []',
            "editor",
            "s.toml:3: [[fault]] number 1: 'at' must be a number from 1",
        ),
        ('[[fault]]\nkind = "lsot"', "editor", "did you mean `lost`?"),
        ('[[fault]]\nkind = "lost"\nonn = "tap"', "editor", "s.toml:3: [[fault]] number 1: unknown: onn"),
        (
            '[[surprise]]\ndialog = "call"\nvalues = { callr = "Bob" }',
            "editor",
            "s.toml:3: [[surprise]] number 1: 'values' gives 'callr', which the dialog 'system_call.xml' does not "
            "use; did you mean `caller`?",
        ),
        (
            '[[surprise]]\ntoast = "x"\nvalues = { a = 1 }',
            "editor",
            "which a toast alone does not use",
        ),
        ('[[surprise]]\ndialog = "cal"', "editor", "did you mean `call`?"),
        (
            '[[answer]]\nevent = "eraze"\ntoast = "no"',
            "settings",
            "s.toml:2: [[answer]] number 1: 'event' names 'eraze': nothing gives that event; did you mean `erase`?",
        ),
        (
            '[[fault]]\nkind = "dead"\nmethod = "dumpWindowHierarchi"',
            "editor",
            "s.toml:3: [[fault]] number 1: 'method' names 'dumpWindowHierarchi', which the server does not have; "
            "did you mean `dumpWindowHierarchy`?",
        ),
    ],
)
def test_names_that_nothing_has(tmp_path: Path, toml: str, phone: str, message: str) -> None:
    (found,) = checked(tmp_path, toml, phone=phone)
    assert message in found


SURPRISE = '[[surprise]]\ndialog = "offer"\n'


def test_a_template_of_its_own_that_fails(tmp_path: Path) -> None:
    wrong = OFFER.replace("button", "buton").replace("dismiss", "dismis")
    tag, event = checked(tmp_path, SURPRISE, wrong)
    assert tag.startswith("offer.xml:4: there is no widget <buton>") and "did you mean `button`?" in tag
    assert event.startswith("offer.xml:4: tap='dismis'") and "did you mean `dismiss`?" in event
    assert checked(tmp_path, SURPRISE) == ["offer.xml:2: 'whom' is undefined"]
    (attribute,) = checked(tmp_path, SURPRISE + "values = { whom = 1 }", OFFER.replace("width", "widht"))
    assert "offer.xml, rendered line 1" in attribute and "did you mean `width`" in attribute
    assert checked(tmp_path, SURPRISE + "values = { whom = 1 }") == []


def test_a_phone_starts_without_surprises_it_cannot_show(tmp_path: Path) -> None:
    checked(tmp_path, SURPRISE + "at = 7")
    with pytest.raises(PhoneSpecError, match=r"offer\.xml:2: 'whom' is undefined"):
        Phone(load("editor"), str(tmp_path / "s.toml"))


def test_what_ships_is_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["phone", "sim", "check", "restaurant", "settings", "editor"]) == 0
    assert capsys.readouterr().out.count("nothing is wrong") == 3
