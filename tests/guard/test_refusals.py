"""What an app shows when it refuses an action (`@refusal expect`): the licence is free for the next one."""

from pathlib import Path

import pytest

from vsalang.guard import Guard
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.grave import asked_again
from vsalang.program.ir import Program
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

APP = """
app table package "com.table" "Tables to book"
view Form "What is filled in" {{ at: Time "when" }}
{annotation}
action Reserve(at: Time "when") {refines} "Reserve a table"
recognize Reserve(at = ?t) when tap(id = "reserve") with Form(at = ?t).
screen Choice when Node(id = "reserve"), no Node(id = "done").
screen Done when Node(id = "done").
update Form(at = time(?t)) when Node(id = "at", text = ?t).
expect screen Done when Reserve.
@refusal expect Node(id = "error", text contains "taken"), no Form(at != ?t) when Reserve(at = ?t).
"""
SPEC = """
spec dinner "Reserve at 19:00; if that is taken, at 20:00."
import table
allow Reserve(at in {19:00, 20:00}).
done when Reserve earlier.
"""
TAP = Action("tap", {"id": "reserve"})


def screen(at: str, *more: dict[str, Value]) -> FactScreen:
    shown = FactScreen().seen(VOCABULARY["App"], {"package": "com.table"})
    nodes: list[dict[str, Value]] = [{"id": "at", "text": at}, {"id": "reserve", "text": "Reserve"}, *more]
    for place, node in enumerate(nodes, 1):
        cells = {
            "node": place,
            "package": "com.table",
            "clickable": True,
            "enabled": True,
            "scrollable": False,
        }
        shown = shown.seen(VOCABULARY["Node"], {**cells, **node})
    return shown


FREE = screen("19:00")
TAKEN: dict[str, Value] = {"id": "error", "text": "That time is taken"}


def guard(folder: Path, annotation: str = "", refines: str = "", more: str = "") -> Guard:
    (folder / "table.vsa").write_text(APP.format(annotation=annotation, refines=refines) + more)
    (folder / "dinner.vsa").write_text(SPEC)
    loaded = load(folder / "dinner.vsa")
    assert isinstance(loaded.program, Program), [item.message for item in loaded.diagnostics]
    made = Guard(loaded.program)
    made.observe(FREE)
    return made


def tried(made: Guard, after: FactScreen, delivered: bool | None = True) -> None:
    verdict = made.propose(TAP)
    assert verdict.level == "allow", verdict.reasons
    made.commit(verdict)
    made.observe(after, delivered=delivered)


def second(made: Guard, at: str) -> str:
    made.observe(screen(at))
    return made.propose(TAP).level


def test_a_refused_action_leaves_its_licence(tmp_path: Path) -> None:
    made = guard(tmp_path)
    tried(made, screen("19:00", TAKEN))
    assert [charge.outcome for charge in made.ledger] == ["refused"]
    assert made.propose(Action("finish")).level == "block"
    assert second(made, "20:00") == "allow"
    assert second(made, "21:00") == "block"


def test_a_refused_action_may_be_tried_as_it_was(tmp_path: Path) -> None:
    made = guard(tmp_path)
    tried(made, screen("19:00", TAKEN))
    assert second(made, "19:00") == "allow"


def test_silence_is_not_a_refusal(tmp_path: Path) -> None:
    made = guard(tmp_path)
    tried(made, FREE)
    assert [charge.outcome for charge in made.ledger] == ["violated"]
    assert second(made, "20:00") == "block"


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (screen("19:00", {"id": "error", "text": "No connection"}), "another error"),
        (screen("20:00", TAKEN), "the value changed"),
        (screen("19:00", TAKEN, {"id": "done", "text": "Booked"}), "it shows that it was done, too"),
        (screen("19:00", {"id": "error"}), "its text was not read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_a_refusal(tmp_path: Path, shown: FactScreen, why: str) -> None:
    made = guard(tmp_path)
    tried(made, shown)
    assert [charge.outcome for charge in made.ledger] != ["refused"], why
    assert second(made, "20:00") == "block"


def test_an_error_of_an_earlier_attempt_refuses_nothing(tmp_path: Path) -> None:
    """The app may only be slow: nothing on the screen has changed since the second attempt."""
    made = guard(tmp_path)
    tried(made, screen("19:00", TAKEN))
    assert second(made, "19:00") == "allow"
    made.observe(screen("19:00", TAKEN))
    tried(made, screen("19:00", TAKEN))
    assert [charge.outcome for charge in made.ledger if not charge.returned] == ["violated"]
    assert second(made, "19:00") == "confirm"
    assert second(made, "20:00") == "block"


def test_what_may_not_have_arrived_is_not_refused(tmp_path: Path) -> None:
    made = guard(tmp_path)
    tried(made, screen("19:00", TAKEN), delivered=None)
    assert [charge.outcome for charge in made.ledger] == ["unknown"]
    assert second(made, "20:00") == "block"


@pytest.mark.parametrize("annotation", ["@severity(critical)", "@risk(financial)"])
def test_a_grave_one_is_asked_about(tmp_path: Path, annotation: str) -> None:
    made = guard(tmp_path, annotation)
    tried(made, screen("19:00", TAKEN))
    made.observe(screen("20:00"))
    verdict = made.propose(TAP)
    assert verdict.level == "confirm" and "refused by the app" in verdict.reasons[0].message


def test_the_agent_and_the_journal_hear_of_it(tmp_path: Path) -> None:
    made = guard(tmp_path)
    verdict = made.propose(TAP)
    made.commit(verdict)
    seen = made.observe(screen("19:00", TAKEN))
    (contract,) = [one for one in seen.contracts if one.refused]
    assert contract.to_json()["refused"] is True and contract.outcome == "violated"
    assert contract.reason.message.startswith("the app refused it: ")
    assert "the app refused it" in made.ledger[0].message


@pytest.mark.parametrize(("effect", "level"), [("Send", "confirm"), ("Search", "allow")])
def test_what_sends_is_asked_about(tmp_path: Path, effect: str, level: str) -> None:
    app = APP.replace('"Tables to book"\n', '"Tables to book"\nimport std.effects\n')
    (tmp_path / "table.vsa").write_text(app.format(annotation="", refines=f"refines std.effects.{effect}()"))
    (tmp_path / "dinner.vsa").write_text(SPEC)
    program = load(tmp_path / "dinner.vsa").checked()
    relations = program.relations
    assert relations["table.Reserve"].refines is not None
    assert asked_again(relations, "table.Reserve") is (level == "confirm")
    made = Guard(program)
    made.observe(FREE)
    tried(made, screen("19:00", TAKEN))
    made.observe(screen("20:00"))
    assert made.propose(TAP).level == level
