"""A touch that may act, or lead on, and one that counts for the task alone: neither asks what the task allows."""

from functools import cache

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

DELETE, OTHER, SAVE, CART = (Action("tap", {"id": name}) for name in ("bin", "odd", "save", "cart"))


@cache
def program(clauses: str) -> Program:
    return load_text(f'spec task "Tidy up"\nimport std.effects\n{clauses}\ndone.\n').checked()


def page(title: str) -> FactScreen:
    nodes: tuple[dict[str, Value], ...] = (
        {"id": "bin", "text": "Delete", "clickable": True},
        {"id": "odd", "text": "Frobnicate", "clickable": True},
        {"id": "save", "text": "Save", "clickable": True},
        {"id": "cart", "text": "Add to cart", "clickable": True},
    )
    look = screen(*nodes, app="com.other")
    for node in range(1, 5):
        look = look.seen(VOCABULARY["Role"], {"node": node, "kind": "button"})
        look = look.seen(VOCABULARY["Surface"], {"node": node, "kind": "page", "root": 9, "title": title})
    return look


def on(clauses: str, title: str = "Choir") -> Guard:
    session = guard(program(clauses))
    session.observe(page(title))
    return session


def kinds(verdict: Verdict) -> list[str]:
    return [reason.kind for reason in verdict.reasons]


def test_what_is_allowed_either_way_is_not_asked_about() -> None:
    verdict = on('allow Delete(what contains "Choir").').propose(DELETE)
    assert verdict.allowed and not verdict.actions
    (told,) = [flag for flag in verdict.flags if flag.kind == "unknown_touch"]
    assert "Delete" in told.message


@pytest.mark.parametrize(
    ("clauses", "title"),
    [
        ('allow Delete(what contains "Choir").', "Birthday"),  # another thing
        ("allow Send.", "Choir"),  # another effect
        ("allow Delete(count <= 1).", "Choir"),  # how many, nobody read
        ('allow Delete.\nconfirm "Delete?" when Delete.', "Choir"),  # a rule asks
    ],
)
def test_what_may_be_more_than_allowed_is_asked_about(clauses: str, title: str) -> None:
    assert kinds(on(clauses, title).propose(DELETE)) == ["unknown_touch"]


@pytest.mark.parametrize(
    ("rule", "clauses", "asks"),
    [
        ("Unclear, not Licensed", "allow Delete.", []),  # it asks nothing of what is licensed
        ("Unclear", "allow Delete.", ["confirm"]),  # it asks about all that is unclear
        ("Unclear, not Licensed", "allow Send.", ["confirm", "unknown_touch"]),
        ('Unclear, not Licensed(action = "Send")', "allow Delete.", ["confirm"]),
    ],
)
def test_with_the_question_go_those_of_policies(rule: str, clauses: str, asks: list[str]) -> None:
    verdict = on(f'{clauses}\nconfirm "unclear" when tap, {rule}.').propose(DELETE)
    assert sorted(kinds(verdict)) == asks


@pytest.mark.parametrize(
    ("clauses", "asks"), [("allow Edit.", set()), ("allow Send.", {"confirm", "unlicensed"})]
)
def test_a_second_tap_is_licensed_as_a_double_tap(clauses: str, asks: set[str]) -> None:
    session = guard(program(f'{clauses}\nconfirm "saves" when double_tap, not Licensed.'))
    rows = screen(*({"id": f"row{n}", "text": "Songs", "clickable": True} for n in range(3)), app="com.other")
    rows = rows.seen(VOCABULARY["Role"], {"node": 3, "kind": "row"})
    session.observe(rows.seen(VOCABULARY["Surface"], {"node": 3, "kind": "page", "root": 9}))
    session.commit(session.propose(Action("tap", {"id": "row2"})))
    session.observe(page("Choir"))
    assert set(kinds(session.propose(SAVE))) == asks


def test_what_says_nothing_stays_unknown() -> None:
    assert kinds(on("allow Delete.").propose(OTHER)) == ["unknown_touch"]


def test_after_one_such_touch_the_next_is_asked_about() -> None:
    session = on("allow Delete.")
    assert session.propose(DELETE).allowed
    session.commit()
    session.observe(page("Choir"))
    assert kinds(session.propose(DELETE)) == ["unknown_touch"]


@pytest.mark.parametrize(
    ("clauses", "control"),
    [('allow Create(what contains "Choir").', SAVE), ("allow Order.", CART), ("allow Share.", SAVE)],
)
def test_a_licence_permits_no_other_effect(clauses: str, control: Action) -> None:
    """Also where a screen hardly tells the two apart."""
    verdict = on(clauses).propose(control)
    assert verdict.actions and kinds(verdict) == ["unlicensed"]


def sorting(title: str = "Sort by") -> FactScreen:
    """A dialog with two choices, a box, and the button that sends them."""
    look = screen({"id": "ok", "text": "OK", "clickable": True}, app="com.other")
    look = look.seen(VOCABULARY["Role"], {"node": 1, "kind": "commit"})
    look = look.seen(VOCABULARY["Surface"], {"node": 1, "kind": "dialog", "root": 9, "title": title})
    look = look.seen(VOCABULARY["Closes"], {"node": 1, "root": 9, "kind": "dialog"})
    for number, (name, kind, value) in enumerate(
        (("Size", "choice", "on"), ("Descending", "choice", "on"), ("Folders first", "box", "off"))
    ):
        cells: dict[str, Value] = {
            "root": 9, "node": 20 + number, "name": name, "kind": kind, "value": value,
        }  # fmt: skip
        look = look.seen(VOCABULARY["Field"], cells)
    return look


@pytest.mark.parametrize(("clauses", "done"), [
    ('allow SetSetting(name contains "sort", value = "Size").', ["Size"]),
    ("allow each SetSetting(value matches /size|desc/i).", ["Descending", "Size"]),
    ('allow SetSetting(name contains "folders", value = "off").', ["off"]),
    ('allow SetSetting(value = "Name").', []),  # not what was chosen
    ("allow Delete.", []),
    ('allow SetSetting.\nconfirm "Set it?" when SetSetting.', []),  # a rule asks: it stays a view
])  # fmt: skip
def test_a_view_counts_for_a_task_that_mentions(clauses: str, done: list[str]) -> None:
    session = guard(program(clauses))
    session.observe(sorting())
    verdict = session.propose(Action("tap", {"id": "ok"}))
    assert verdict.allowed, verdict.reasons
    assert sorted(str(action.args["value"]) for action in verdict.actions) == done


def test_a_view_that_counts_ends_the_task() -> None:
    text = 'spec task "Sort it"\nimport std.effects\nallow SetSetting(value = "Size").\ndone when SetSetting earlier.\n'
    session = guard(load_text(text).checked())
    session.observe(sorting())
    assert not session.propose(Action("finish")).allowed
    session.commit(session.propose(Action("tap", {"id": "ok"})))
    session.observe(page("Files"))
    assert session.propose(Action("finish")).allowed


def test_no_task_ends_while_its_act_is_asked() -> None:
    text = 'spec task "Tell Ann"\nimport std.effects\nallow Send.\ndone when Send earlier.\n'
    session = guard(load_text(text).checked())
    look = screen(
        {"id": "go", "text": "Send", "clickable": True}, {"text": "Hi", "editable": True}, app="com.other"
    )
    for number, role in ((1, "button"), (2, "field")):
        look = look.seen(VOCABULARY["Role"], {"node": number, "kind": role})
    session.observe(look)
    session.commit(session.propose(Action("tap", {"id": "go"})))
    asked = screen({"id": "yes", "text": "Send", "clickable": True}, app="com.android.phone")
    asked = asked.seen(VOCABULARY["Role"], {"node": 1, "kind": "commit"})
    session.observe(asked.seen(VOCABULARY["Surface"], {"node": 1, "kind": "dialog", "root": 9}))
    assert [reason.rule for reason in session.propose(Action("finish")).reasons] == ["EFF-1"]
    session.observe(page("Ann"))
    assert session.propose(Action("finish")).allowed


def test_other_dialogs_are_judged_as_before() -> None:
    session = guard(program('allow SetSetting(value = "Size").'))
    session.observe(sorting("Delete files?"))
    assert kinds(session.propose(Action("tap", {"id": "ok"}))) == ["unlicensed"]


def paying(payee: str | None = "", place: str = "order_total") -> FactScreen:
    """A page with a sum, the button that pays it, and perhaps a line that says to whom."""
    look = screen(
        {"id": "pay", "text": "Pay 54.00 €", "clickable": True},
        {"id": place, "text": "Total", "editable": False},
        {"text": None if payee is None else payee or "Your trip", "editable": False},
        app="com.other",
    )
    look = look.seen(VOCABULARY["Role"], {"node": 1, "kind": "button"})
    look = look.seen(VOCABULARY["Surface"], {"node": 1, "kind": "page", "root": 9, "title": "Check"})
    for node in (1, 2):
        cells: dict[str, Value] = {"node": node, "value": 54, "currency": "EUR", "total": True}
        look = look.seen(VOCABULARY["Amount"], cells)
    return look


@pytest.mark.parametrize(("clauses", "payee", "said"), [
    ("allow Order(amount <= 60).", "", []),
    ("allow Pay(amount <= 60).", "", []),
    ("allow Order(amount <= 50).", "", ["unlicensed"]),
    ("allow Order(amount <= 60).", "To: Ann Lee", ["unlicensed"]),  # it pays somebody
    ('allow Order.\nconfirm "Pay?" when Pay.', "", ["confirm", "unlicensed"]),  # a rule asks about the first name
    ('allow Order.\nconfirm "Order?" when Order.', "", ["unlicensed"]),  # .. or about the other
    ('allow Order.\nconfirm "Pay?" when Pay, not Licensed.', "", []),
])  # fmt: skip
def test_one_act_is_permitted_by_either_name(clauses: str, payee: str, said: list[str]) -> None:
    session = guard(program(clauses))
    session.observe(paying(payee))
    verdict = session.propose(Action("tap", {"id": "pay"}))
    assert sorted(kinds(verdict)) == said
    # the licence of the second name permits it, and it is done under the first one, too
    assert said or "std.effects.Pay" in [action.name for action in verdict.actions]
    assert ("std.effects.Order" in [action.name for action in verdict.actions]) is (
        not said and "allow Order" in clauses
    )


def test_a_second_name_must_be_certain() -> None:
    """A line that nobody read may name who is paid; and a page of which nothing says that it ends an order."""
    for look in (paying(place="sum"), paying(payee=None)):
        session = guard(program("allow Order(amount <= 60)."))
        session.observe(look)
        assert kinds(session.propose(Action("tap", {"id": "pay"}))) == ["unlicensed"]


def test_a_second_name_brings_no_licence_back() -> None:
    session = guard(program("allow Pay(amount <= 60).\nallow Order(amount <= 60)."))
    for _ in range(2):
        session.observe(paying())
        verdict = session.propose(Action("tap", {"id": "pay"}))
        session.commit(verdict) if verdict.allowed else None
    assert kinds(verdict) == ["licence"]


@pytest.mark.parametrize(("clauses", "allowed"), [
    ('allow SetSecurity(name contains "Helper").', True),
    ('allow SetSecurity(name contains "Other").', False),
    ("allow SetSetting.", True),
])  # fmt: skip
def test_a_graver_licence_permits_the_lesser_effect(clauses: str, allowed: bool) -> None:
    look = screen({"id": "use", "text": "Use Helper", "clickable": True}, app="com.android.settings")
    look = look.seen(VOCABULARY["Role"], {"node": 1, "kind": "switch"})
    look = look.seen(VOCABULARY["Surface"], {"node": 1, "kind": "settings", "root": 9, "title": "Helper"})
    session = guard(program(clauses))
    session.observe(look)
    assert session.propose(Action("tap", {"id": "use"})).allowed is allowed
