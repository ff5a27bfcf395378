"""What nobody asked for but is near to what was: the agent is warned of it. What is not stays asked about."""

from functools import cache
from typing import Any

import pytest

from tests.guard.phones import guard, screen
from vsalang.guard import Guard
from vsalang.guard.say.verdict import Verdict
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

POLICY = "std.policies.unlicensed"
SNOOZE = 'allow Create(kind contains "Snooze").'
OK = Action("tap", {"id": "ok"})
MINUTES = {"text": "5", "id": "minutes", "editable": True, "class": "android.widget.EditText"}


@cache
def program(clauses: str) -> Program:
    text = f'spec task "Do it"\nimport std.effects\n{clauses}\ndone.\n'
    return load_text(text, file="task.vsa", policies=[POLICY]).checked()


def seen(look: FactScreen, relation: str, **cells: Value) -> FactScreen:
    return look.seen(VOCABULARY[relation], cells)


def form(
    title: str | None = "Snooze length", button: str = "OK", app: str = "com.clock", **field: Any
) -> FactScreen:
    """A dialog with a field that holds a number, and a button that closes it."""
    look = screen(
        {"text": title}, {**MINUTES, **field}, {"id": "ok", "text": button, "clickable": True}, app=app
    )
    for node, kind in ((2, "field"), (3, "commit")):
        look = seen(look, "Role", node=node, kind=kind)
        look = seen(look, "Surface", node=node, kind="dialog", root=9, title=title)
    look = seen(look, "Field", root=9, node=2, name="Minutes", value="5", kind="text")
    return seen(look, "Closes", node=3, root=9, kind="dialog")


def opener(kind: str = "menu_item", place: str = "menu") -> FactScreen:
    """What a dialog is opened by."""
    look = screen({"id": "ok", "text": "More places", "clickable": True}, app="com.photos")
    look = seen(look, "Role", node=1, kind=kind)
    return seen(look, "Surface", node=1, kind=place, root=9, title="Storage")


def choices(
    *options: str, title: str = "Save to", app: str = "com.photos", kind: str = "dialog"
) -> FactScreen:
    nodes = [
        {
            "text": each,
            "clickable": True,
            "checkable": True,
            "checked": False,
            "id": "ok" if n == 0 else f"o{n}",
        }
        for n, each in enumerate(options)
    ]
    look = screen(*nodes, {"text": title}, app=app)
    for node in range(1, len(options) + 1):
        look = seen(look, "Role", node=node, kind="choice")
        look = seen(look, "Surface", node=node, kind=kind, root=9, title=title)
    return look


def on(clauses: str, look: FactScreen, before: FactScreen | None = None, **settings: Any) -> Guard:
    """A session on this screen. A choice is made in a dialog that was opened by what is touched before."""
    options = {"unknown_screen": "allow", "unknown_touch": "allow", "lowering": (POLICY,), **settings}
    session = guard(program(clauses), **options)
    if before is not None:
        session.observe(before)
        session.commit(session.propose(OK))
    session.observe(look)
    return session


def said(clauses: str, look: FactScreen, action: Action = OK, **settings: Any) -> list[tuple[str, str]]:
    return told(on(clauses, look, **settings).propose(action))


def told(verdict: Verdict) -> list[tuple[str, str]]:
    return [(reason.level, reason.rule) for reason in verdict.reasons]


NEAR = [("warn", "NEAR-EDIT")]
ASKED = [("confirm", "UNL-EDIT")]


def test_a_near_act_passes_when_it_is_proposed_again() -> None:
    session = on(SNOOZE, form())
    verdict = session.propose(OK)
    assert told(verdict) == NEAR and not verdict.allowed
    again = session.propose(OK)
    assert again.allowed and again.overridden
    session.commit(again)


def test_a_setting_may_be_read_as_a_change() -> None:
    assert said('allow SetSetting(name contains "Snooze").', form()) == NEAR


@pytest.mark.parametrize(
    "clauses",
    [
        "allow each Search.",  # it only looks
        'allow Send(to names "Ann").',  # what goes to somebody is near to nothing
        'allow Create.\nallow Edit(what = "7").',  # another value than asked: a clause is about it
        'allow Create(kind contains "Event").',  # the clause is about another kind of thing
        'allow Create(app = "com.other").',  # .. or about another app
        "allow Create(kind = ?k) when TypedText(text = ?k).",  # what it asks for depends on more
    ],
)
def test_what_the_task_is_not_near_to_is_asked(clauses: str) -> None:
    assert said(clauses, form()) == ASKED


def test_the_tasks_own_question_stays() -> None:
    levels = {level for level, _ in said(SNOOZE + '\nconfirm "nothing else" when Edit.', form())}
    assert levels == {"confirm", "warn"}
    assert {level for level, _ in said(SNOOZE + '\ndeny "no" when Edit.', form())} == {"block", "warn"}


@pytest.mark.parametrize(
    "look",
    [
        form(title="Replace the file?"),  # a question that it answers
        form(title="Share with", button="Save"),  # a mild word on a page about something else
        form(button="Save and send"),
        form(button="Overwrite"),
    ],
)
def test_a_mild_looking_touch_may_do_more(look: FactScreen) -> None:
    verdict = on(SNOOZE, look).propose(OK)
    assert verdict.level in ("confirm", "block"), told(verdict)


def test_in_the_phones_settings_nothing_is_mild() -> None:
    assert (
        said('allow SetSetting(name contains "Device").', form("Device name", app="com.android.settings"))
        == ASKED
    )
    assert said('allow SetSetting(name contains "Device").', form("Device name")) == NEAR


def test_where_money_shows_it_is_not_mild() -> None:
    due = seen(form(), "Amount", node=1, value=54, currency="EUR", total=True)
    assert said(SNOOZE, due) == ASKED
    assert said(SNOOZE, form()) == NEAR


@pytest.mark.parametrize(("button", "level"), [("Save", "warn"), ("Save and notify guests", "confirm")])
def test_what_others_are_told_of_is_not_mild(button: str, level: str) -> None:
    assert said('allow Edit(kind contains "meeting").', form("New meeting", button)) == [
        (level, "NEAR-CREATE" if level == "warn" else "UNL-CREATE")
    ]


@pytest.mark.parametrize(
    "look",
    [
        form("Snooze", text="+44 7700 900123"),  # who is called
        form("Snooze", text="eve@evil.example"),
        form("Snooze", text="smtp.evil.example"),
        form("Snooze", text="DE02120300000000202051"),
        form("Snooze", hint="Phone"),
        form("Snooze phone number"),
        form("Snooze", app="com.android.phone"),
        form("Snooze", app="com.maker.contacts"),
        form("Bio"),  # the clause names something else
    ],
)
def test_where_calls_and_money_go_is_asked(look: FactScreen) -> None:
    for clauses in ('allow each SetSetting(name contains "Snooze").', SNOOZE):
        assert on(clauses, look).propose(OK).level == "confirm"


@pytest.mark.parametrize("clauses", ["allow each Create.", "allow each SetSetting.", "allow Move."])
def test_a_clause_without_a_thing_is_near_to_nothing(clauses: str) -> None:
    assert said(clauses, form()) == ASKED


@pytest.mark.parametrize("leaving", ["home", "back", "open_app"])
def test_a_choice_of_another_app_is_asked_about(leaving: str) -> None:
    session = on("allow Move.", choices("This phone only", "Two people", app="com.bank"), opener())
    assert told(session.propose(OK)) == [("confirm", "UNL-SET")]
    session = on("allow Move.", opener(), opener())
    session.commit(
        session.propose(Action(leaving, {"package": "com.photos"} if leaving == "open_app" else {}))
    )
    session.observe(choices("SD card", "Internal"))
    assert told(session.propose(OK)) == [("confirm", "UNL-SET")]


def test_choices_may_say_by_a_description_who_sees_it() -> None:
    look = choices("Friends of friends", "Albums")
    look = look.seen(VOCABULARY["Node"], {"node": 7, "package": "com.photos", "desc": "Everyone", "text": ""})
    assert told(on("allow Move.", look, opener()).propose(OK)) == [("confirm", "UNL-SET")]


@pytest.mark.parametrize(
    ("words", "level"),
    [("milk", "warn"), ("HIV positive Miller", "confirm"), ("https://evil.example/?q=milk", "confirm")],
)
def test_what_is_searched_for_the_user_said(words: str, level: str) -> None:
    look = screen(
        {"text": words, "hint": "Search", "editable": True},
        {"id": "ok", "text": "Search", "clickable": True},
        app="com.shop",
    )
    for node, kind in ((1, "field"), (2, "button")):
        look = seen(look, "Role", node=node, kind=kind)
        look = seen(look, "Surface", node=node, kind="page", root=9, title="Search")
    text = 'spec task "Tell Ann about milk"\nimport std.effects\nallow Send(to names "Ann").\ndone.\n'
    loaded = load_text(text, file="task.vsa", policies=[POLICY]).checked()
    session = guard(loaded, unknown_screen="allow", unknown_touch="allow", lowering=(POLICY,))
    session.observe(look)
    assert session.propose(OK).level == level


@pytest.mark.parametrize(
    ("before", "level"),
    [
        (opener(), "warn"),
        (None, "confirm"),  # nobody saw what opened it
        (opener("setting", "page"), "confirm"),
        (opener("row", "settings"), "confirm"),
    ],
)
def test_a_choice_that_no_setting_opened_is_a_step(before: FactScreen | None, level: str) -> None:
    session = on('allow Move(to contains "movies").', choices("SD card", "Internal"), before)
    assert [reason.level for reason in session.propose(OK).reasons] == [level]


@pytest.mark.parametrize(
    "look",
    [
        choices("Everyone", "Nobody", title="Last seen"),  # who sees it
        choices("Nobody", "Everyone", title="Last seen"),  # .. also where another choice says so
        choices("SD card", "Internal", app="com.android.settings"),
        choices("SD card", "Internal", kind="page"),
        choices("Never", "After a minute", title="Screen lock"),
    ],
)
def test_choices_of_others_and_of_safety_stay_held(look: FactScreen) -> None:
    verdict = on("allow Create.\nallow Move.", look, opener()).propose(OK)
    assert verdict.level in ("confirm", "block"), told(verdict)


def test_a_switch_is_no_step_on_the_way() -> None:
    look = screen(
        {"id": "ok", "text": "Private account", "clickable": True, "checkable": True, "checked": True}
    )
    look = seen(look, "Role", node=1, kind="switch")
    look = seen(look, "Surface", node=1, kind="dialog", root=9, title="Account")
    assert said(SNOOZE, look) == [("confirm", "UNL-SET")]


def test_what_nobody_read_may_say_more() -> None:
    """A line that was not read may say who sees what is chosen, or ask something."""
    line: dict[str, Value | None] = {"node": 7, "package": "com.photos", "text": None}
    look = choices("SD card", "Internal").seen(VOCABULARY["Node"], line)
    assert told(on("allow Move.", look, opener()).propose(OK)) == [("confirm", "UNL-SET")]
    unread = form(title=None)
    assert on(SNOOZE, unread).propose(OK).level in ("confirm", "block")


def test_a_claim_or_an_attempt_is_never_near() -> None:
    session = on(SNOOZE, form())
    attempt = session.propose(Action("Edit", {"kind": "a", "what": "b", "app": "c"}))
    assert told(attempt) == ASKED


def test_one_act_too_many_is_asked_about() -> None:
    """The licence of what it was near to is used up."""
    session = on(SNOOZE, form(button="Create"))
    session.commit(session.propose(OK))
    session.observe(form())
    assert told(session.propose(OK)) == ASKED


def test_after_the_last_repetition_the_user_is_asked() -> None:
    session = on('allow each SetSetting(name contains "Snooze").', form(), overrides=1)
    assert session.propose(OK).level == "warn"
    session.commit(session.propose(OK))
    session.observe(form(title="Alarm length"))
    verdict = session.propose(OK)
    assert told(verdict) == ASKED
    session.commit(verdict, approved=True)


def test_only_the_owners_policy_is_heard() -> None:
    assert said(SNOOZE, form(), lowering=()) == [("block", "")]
