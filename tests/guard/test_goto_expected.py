"""`goto S` as a condition of a contract: what a proposal leads to is expected."""

from pathlib import Path

import pytest

from tests.guard.graph.phone import MAIL, MailPhone
from vsalang import load
from vsalang.guard import Guard
from vsalang.program.action import Action


@pytest.mark.parametrize(("lost", "outcome"), [(frozenset(), "met"), (frozenset({"more"}), "violated")])
def test_a_goto_is_expected(tmp_path: Path, lost: frozenset[str], outcome: str) -> None:
    app = (MAIL / "mail.vsa").read_text(encoding="utf-8")
    (tmp_path / "mail.vsa").write_text(f"{app}\nexpect screen Menu when goto Menu.\n", encoding="utf-8")
    (tmp_path / "invite.vsa").write_text((MAIL / "invite.vsa").read_text(encoding="utf-8"), encoding="utf-8")
    phone = MailPhone(lost=lost)
    with Guard(load(tmp_path / "invite.vsa").checked(), phone) as guard:
        observed = guard.step(Action("tap", {"id": "more"})).observed
    assert observed is not None and [contract.outcome for contract in observed.contracts] == [outcome]
