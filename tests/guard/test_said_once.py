"""What verdicts say: each thing once, what was seen of rules that hold, the row that was meant, and what to do."""

import datetime as dt
from pathlib import Path

import pytest

from tests.guard.phones import APP, details, guard, screen
from vsalang.base.names import LANGUAGES
from vsalang.guard import Guard, Reason, Settings, Verdict
from vsalang.guard.say.feedback import verdict_text
from vsalang.guard.say.verdict_document import document
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action

NOON = dt.datetime(2026, 4, 1, 12)
PHONE = f"""app phone package "{APP}" "A phone"
action EraseAll "Erase everything on the phone"
action Pay(amount: Number "the amount") "Pay"
action Open "Open the list"
state Switch key (name) "A switch" {{
  name: Text "its name"
  on: Bool "whether it is on"
}}
screen Main "The main page" when Node(id = "main").
recognize EraseAll when tap(id = "erase").
recognize Pay(amount = 7) when tap(id = "pay").
recognize Open when tap(id = "open").
update Switch(name = ?n, on = ?c) when Node(id = "switch", text = ?n, checked = ?c).
update Switch(name = ?n, on = flip(?c)) when tap(id = "switch", text = ?n, checked = ?c).
expect Switch(name = ?n, on = flip(?c)) when tap(id = "switch", text = ?n, checked = ?c).
"""
SPEC = """spec task "Turn dark on"
import phone
allow Open.
done when Switch(name = "Dark", on = true).
"""
POLICY = """policy careful "Careful"
import phone
deny "erasing is never for an agent" when EraseAll.
confirm "that costs money" when Pay(amount > 5).
"""


def session(folder: Path, language: str = "en", **settings: object) -> Guard:
    for name, text in (("phone", PHONE), ("task", SPEC), ("careful", POLICY)):
        (folder / f"{name}.vsa").write_text(text, encoding="utf-8")
    loaded = load(folder / "task.vsa", policies=[folder / "careful.vsa"])
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    made = Settings(**settings)  # type: ignore[arg-type]
    return Guard(loaded.program, clock=lambda: NOON, settings=made, language=language)


def page(**switches: bool) -> FactScreen:
    buttons = [{"id": name, "clickable": True} for name in ("main", "erase", "pay", "open")]
    rows = [{"id": "switch", "text": name, "checked": on, "clickable": True} for name, on in switches.items()]
    return screen(*buttons, *rows)  # type: ignore[arg-type]


def reason(verdict: Verdict, kind: str) -> Reason:
    return next(item for item in verdict.reasons if item.kind == kind)


def test_of_a_rule_that_holds_nothing_is_wanted(tmp_path: Path) -> None:
    made = session(tmp_path)
    made.observe(page())
    erase = made.propose(Action("tap", {"id": "erase"}))
    text = made.feedback(erase)
    assert text.splitlines()[1:3] == [
        "- erasing is never for an agent [careful:1]",
        "    Erase everything on the phone (EraseAll): proposed",
    ]
    pay = made.feedback(made.propose(Action("tap", {"id": "pay"})))
    assert "- that costs money [careful:2]\n    the amount (Pay.amount): seen 7\n" in pay
    # what is recorded has the same fields as ever
    [why] = reason(erase, "deny").to_json()["whys"]
    assert (why["state"], why["wanted"]) == ("met", "EraseAll")
    told = document(erase)["reasons"]
    assert "wanted" not in next(item for item in told if item["kind"] == "deny")["whys"][0]["text"]
    assert document(erase, language="de")["reasons"][0]["whys"][0]["text"].endswith(": vorgeschlagen")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_is_said_once(tmp_path: Path, language: str) -> None:
    made = session(tmp_path, language)
    made.observe(page(Dark=False, Bright=True))
    booked = guard()
    booked.observe(details(("18:30", True), ("20:00", True)))
    for verdict in (
        made.propose(Action("finish")),
        made.propose(Action("tap", {"id": "pay"})),
        booked.propose(Action("tap", {"text": "20:00"})),
        booked.propose(Action("tap", {"id": "reserve_button"})),
    ):
        lines = verdict_text(verdict, language=language).splitlines()
        conditions = [line.strip() for line in lines if line.startswith("    ")]
        assert conditions
        whole = "\n".join(lines)
        assert [whole.count(condition) for condition in conditions] == [1] * len(conditions), whole
        for item in verdict.reasons:  # the short form is one line, so it says them in the sentence
            assert all(text in item.message for text in item.texts()) or item.held
    short = made.feedback(made.propose(Action("finish")), form="short")
    assert short.count("(Switch.on)") == 1


def test_only_the_row_that_is_meant_is_shown(tmp_path: Path) -> None:
    made = session(tmp_path)
    made.observe(page(Dark=False, Bright=True))
    said = reason(made.propose(Action("finish")), "unmet").texts()
    assert said == ("whether it is on (Switch.on): seen false, wanted = true",)
    made.propose(Action("tap", {"text": "Bright"}))  # it is warned of: nothing asks for it
    made.commit(made.propose(Action("tap", {"text": "Bright"})))
    observed = made.observe(page(Dark=False, Bright=True))
    [contract] = observed.contracts
    assert contract.outcome == "violated"
    assert contract.reason.texts() == ("whether it is on (Switch.on): seen true, wanted = false",)


def test_a_row_that_is_meant_and_was_not_seen(tmp_path: Path) -> None:
    made = session(tmp_path)
    made.observe(page(Bright=True))
    said = reason(made.propose(Action("finish")), "unmet").texts()
    assert said == ('A switch (Switch): not seen, wanted Switch(name = "Dark", on = true)',)


def test_what_to_do_where_the_user_must_agree(tmp_path: Path) -> None:
    made = session(tmp_path)
    made.observe(page())
    pay = made.feedback(made.propose(Action("tap", {"id": "open"}), [Action("Open")]))
    assert pay == 'Allowed: tap(id = "open")\n'
    made.observe(screen({"id": "x"}, app="com.android.launcher3"))
    there = made.propose(Action("tap", {"id": "x"}))
    long, short = made.feedback(there), made.feedback(there, form="short")
    assert long.splitlines()[1:] == [
        '- no module describes the app "com.android.launcher3" that is shown',
        "It passes only if the user agrees: ask, or choose another way.",
        "For the operator of the agent: start in an app of the task (`--open PACKAGE`), or set `guard.unknown_screen`.",
    ]
    assert short.splitlines()[1:] == ["Only if the user agrees; else choose another way."]
    outside = session(tmp_path, mode="shadow")
    outside.observe(screen({"id": "x"}, app="com.android.launcher3"))
    told = outside.feedback(outside.propose(Action("tap", {"id": "x"})))
    assert told.splitlines()[2:] == ["Shadow mode: nothing is held back, this is only recorded."]


def test_the_app_before_a_target_that_is_absent(tmp_path: Path) -> None:
    made = session(tmp_path)
    made.observe(page())
    own = made.propose(Action("tap", {"text": "Reset"})).reasons[0].message
    assert "in front" not in own
    made.observe(screen({"id": "x"}, app="com.android.systemui"))
    other = made.propose(Action("tap", {"text": "Reset"}))
    assert (other.level, other.reasons[0].kind) == ("block", "unresolved")
    assert other.reasons[0].message.endswith('; in front is the app "com.android.systemui"')
    assert 'im Vordergrund ist die App "com.android.systemui"' in verdict_text(other, language="de")
    made.observe(screen({"id": "x"}, app='com.evil"\n\x1b[31m'))
    hostile = made.feedback(made.propose(Action("tap", {"text": "Reset"})))
    assert "\x1b" not in hostile and len(hostile.splitlines()) == 3


def test_after_the_end_it_says_to_stop(tmp_path: Path) -> None:
    made = session(tmp_path)
    made.observe(page(Dark=True))
    made.commit(made.propose(Action("finish")))
    made.observe(page(Dark=True))
    after = made.propose(Action("back"))
    assert (after.level, after.reasons[0].kind) == ("block", "finished")
    assert made.feedback(after).splitlines()[1:] == [
        "- the task is done",
        "Stop: nothing more can be done in this session.",
    ]
    assert made.feedback(after, form="short").splitlines()[1:] == [
        "Stop: nothing more can be done in this session."
    ]


@pytest.mark.parametrize("end", ["give_up", "close", "shadow"])
def test_an_end_without_success_is_not_called_done(tmp_path: Path, end: str) -> None:
    made = session(tmp_path, mode="shadow" if end == "shadow" else "enforce")
    made.observe(page(Dark=False))
    if end == "close":
        made.close()
    else:
        made.commit(made.propose(Action("finish" if end == "shadow" else end)))
        made.observe(page(Dark=False))
    after = made.propose(Action("back"))
    assert (after.level, after.binding) == ("block", True)
    assert after.reasons[0].message == "the session has ended"
    assert made.feedback(after).splitlines()[-1] == "Stop: nothing more can be done in this session."


def test_no_program_is_said_clearly(tmp_path: Path) -> None:
    bad = tmp_path / "bad.vsa"
    bad.write_text('spec bad "Do"\nallow Foo.\nallow Bar.\nallow Baz.\nallow Qux.\ndone when Foo.\n')
    loaded = load(bad)
    with pytest.raises(ValueError, match=r"has errors; run `vsac check FILE`"):
        Guard(loaded.program)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="was given str"):
        Guard("task.vsa")  # type: ignore[arg-type]
    with pytest.raises(ValueError) as raised:
        loaded.checked()
    first, *lines = str(raised.value).splitlines()
    assert first == f"{bad} has 4 errors; `vsac check` says more:"
    assert lines == [
        f"  {bad}:2: unknown relation `Foo` [E0204]",
        f"  {bad}:3: unknown relation `Bar` [E0204]",
        f"  {bad}:4: unknown relation `Baz` [E0204]",
        "  and 1 more",
    ]
    with pytest.raises(ValueError, match=r"nowhere\.vsa has an error; (?s:.)*cannot read (?s:.)*E0001"):
        load(tmp_path / "nowhere.vsa").checked()


def test_a_program_that_is_checked(tmp_path: Path) -> None:
    session(tmp_path)
    loaded = load(tmp_path / "task.vsa")
    assert loaded.checked() is loaded.program


def test_a_change_of_another_row_has_its_name(tmp_path: Path) -> None:
    made = session(tmp_path)
    made.observe(page(Dark=False, Bright=False))
    warned = reason(made.propose(Action("tap", {"text": "Bright"})), "frontier").texts()
    assert warned == ('its name (Switch.name): seen "Bright", wanted = "Dark"',)
    made.observe(page(Dark=True))
    off = reason(made.propose(Action("tap", {"text": "Dark"})), "frontier").texts()
    assert off == ("whether it is on (Switch.on): seen false, wanted = true",)
