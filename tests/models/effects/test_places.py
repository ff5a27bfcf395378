"""Where an answer says that an argument stands: what is read there later is what is shown then, or nothing."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.effects.unknown import Canned, Phone, guarded, program, shown
from tests.screen.control.making import node, page, screen, text
from tests.thorough import times
from vsalang.guard import Guard
from vsalang.guard.say.verdict import Verdict
from vsalang.language.semantics import load_text
from vsalang.models.effects import LiveAnswers
from vsalang.models.effects.answer import Answer, read_answer
from vsalang.models.effects.kept import AnswerFile
from vsalang.models.effects.places import screen_hash, words_at
from vsalang.program.action import Action
from vsalang.screen.forms.amounts import only_amount
from vsalang.screen.tree import Node, Tree
from vsalang.tools.cli.unknown_controls import effects_of

PAY = Action("tap", {"x": 150, "y": 850})
KINDS = effects_of(program())


def review(
    payee: str = "Ann Lee", amount: str = "£18.50", *more: str, label: str = "Zork", **button: str
) -> Tree:
    """A page with the two arguments of a payment, and a button that says nothing."""
    return page(
        text("Review", 0),
        text("To", 100),
        text(payee, 200),
        text("Amount", 300),
        text(amount, 400),
        *more,
        node(
            "Button",
            at=(100, 800, 300, 900),
            clickable="true",
            text=label,
            resource_id="com.app:id/zork",
            **button,
        ),
    )


def accepted(file: Path, tree: Tree, **answer: Any) -> None:
    """A person accepts what a model says of the button."""
    guard, _ = guarded(Phone(tree), Canned(**answer), file, kinds=KINDS)
    guard.propose(PAY)
    kept = AnswerFile(file)
    kept.accept(kept.answers().values())


def judged(file: Path, tree: Tree) -> Verdict:
    guard, _ = guarded(Phone(tree), None, file, kinds=KINDS)
    return guard.propose(PAY)


def paid(file: Path) -> dict[str, Any]:
    return {
        "means": "acts",
        "kind": "Pay",
        "arguments": shown(payee="Ann Lee", amount="£18.50"),
    }


def acts(verdict: Verdict) -> list[str]:
    return [str(action) for action in verdict.actions]


def test_arguments_are_read_where_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "a"
    accepted(file, review(), **paid(file))
    assert acts(judged(file, review())) == [
        'std.effects.Pay(payee = "Ann Lee", amount = 18.5, currency = "GBP", app = "com.app")'
    ]


def test_what_is_shown_now_counts(tmp_path: Path) -> None:
    """Rows of lists and numbers may change without making another screen: so may what is paid."""
    file = tmp_path / "a"
    accepted(file, review(), **paid(file))
    (act,) = acts(judged(file, review(amount="£21.75")))
    assert "amount = 21.75" in act and 'payee = "Ann Lee"' in act


@pytest.mark.parametrize("amount", ["£18.50 or £20", "18", "soon", "£18.50 + 2"])
def test_two_amounts_are_not_one(tmp_path: Path, amount: str) -> None:
    file = tmp_path / "a"
    accepted(file, review(amount=amount), means="acts", kind="Pay", arguments=shown(amount=amount))
    (act,) = acts(judged(file, review(amount=amount)))
    assert ("amount = 18," in act) == (amount == "18") and ("amount" in act) == (amount == "18")


def test_an_argument_is_not_read_before_it_is_accepted(tmp_path: Path) -> None:
    guard, _ = guarded(Phone(review()), Canned(**paid(tmp_path)), tmp_path / "a", kinds=KINDS)
    verdict = guard.propose(PAY)
    assert "Ann Lee" not in str(verdict.actions) and verdict.level == "block"
    assert guard.rows("AnsweredArgument") == []


def test_an_accepted_answer_replaces_what_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a"
    tree = review(label="Save")
    assert acts(judged(file, tree))[0].startswith("std.effects.Create(")
    accepted(file, tree, **paid(file))
    assert [each.split("(")[0] for each in acts(judged(file, tree))] == ["std.effects.Pay"]


def test_what_is_agreed_to_is_agreed_to_still(tmp_path: Path) -> None:
    """A tick that gives data away is sent with the form, whatever a person accepts of its button."""
    file = tmp_path / "a"
    words = "I agree to share my data with partners"
    box = node(
        "CheckBox", at=(0, 500, 900, 600), text=words, checkable="true", checked="true", clickable="true"
    )
    field = node("EditText", at=(0, 600, 900, 700), text="Ann", resource_id="com.app:id/name")
    tree = review("Ann Lee", "£18.50", box, field, label="Save")
    before = [each.split("(")[0] for each in acts(judged(file, tree))]
    accepted(file, tree, means="acts", kind="Edit", arguments=[])
    after = [each.split("(")[0] for each in acts(judged(file, tree))]
    assert "std.effects.Accept" in before and sorted(after) == ["std.effects.Accept", "std.effects.Edit"]


def test_an_accepted_answer_may_lead_on(tmp_path: Path) -> None:
    file = tmp_path / "a"
    tree = review(label="Save")
    accepted(file, tree)
    assert (judged(file, tree).level, acts(judged(file, tree))) == ("allow", [])


def test_an_unaccepted_answer_changes_nothing_that_is_read(tmp_path: Path) -> None:
    tree = review(label="Save")
    before = judged(tmp_path / "none", tree)
    model = Canned()
    guard, _ = guarded(Phone(tree), model, tmp_path / "a", kinds=KINDS)
    after = guard.propose(PAY)
    assert len(model.asked) == 1
    assert (after.level, acts(after)) == (before.level, acts(before))


def test_what_is_licensed_is_not_asked_about() -> None:
    model = Canned()
    guard, _ = guarded(Phone(review()), model, kinds=KINDS)
    guard.propose(Action("back"))
    assert not model.asked


@pytest.mark.parametrize(
    "package", ["com.google.android.permissioncontroller", "com.android.permissioncontroller"]
)
def test_an_answer_does_not_settle_what_the_phone_asks(tmp_path: Path, package: str) -> None:
    """A permission stays one, also after somebody has accepted that its button leads on."""
    buttons = [
        node(
            "Button",
            at=(100, top, 300, top + 100),
            clickable="true",
            text=label,
            package=package,
            resource_id=f"com.android.permissioncontroller:id/permission_{name}_button",
        )
        for top, label, name in ((700, "Don’t allow", "deny"), (800, "Allow", "allow"))
    ]
    tree = page(text("Allow App to take pictures and record video?", 400), *buttons)
    before = judged(tmp_path / "none", tree)
    accepted(tmp_path / "a", tree)
    after = judged(tmp_path / "a", tree)
    assert before.level != "allow" and (after.level, acts(after)) == (before.level, acts(before))


# ---------------------------------------------------------------- nothing that it does not say


def under(rules: str, file: Path | None, tree: Tree) -> Verdict:
    """What is judged of the touch in another task."""
    text = f'spec task "Do it"\nimport std.effects\n{rules}\ndone.\n'
    phone = Phone(tree)
    guard = Guard(load_text(text).checked(), phone)
    kept = AnswerFile(file) if file is not None else None
    guard.consult(LiveAnswers(KINDS, guard.doubt, file=kept, version_of=lambda package: "1.0"))
    guard.observe(phone.observe())
    return guard.propose(PAY)


def test_an_exact_answer_has_no_second_name(tmp_path: Path) -> None:
    """The amount is the one that was named, not the one that the rules would read for another name of the act."""
    hold = (text("Hold on your card", 500), text("£180.00", 600))
    tree = page(
        text("Your order", 0),
        text("Total", 200),
        text("£18.00", 300),
        *hold,
        node(
            "Button",
            at=(100, 800, 300, 900),
            clickable="true",
            text="Book and pay",
            resource_id="a:id/checkout",
        ),
    )
    allowed = "allow Order(amount <= 20).\nallow Pay(amount <= 20)."
    assert under(allowed, None, tree).level == "allow"
    for kind in ("Order", "Pay"):
        file = tmp_path / kind
        accepted(file, tree, means="acts", kind=kind, arguments=shown(amount="£180.00"))
        verdict = under(allowed, file, tree)
        assert verdict.level == "block" and all("18," not in action for action in acts(verdict))


def test_another_name_of_a_setting_is_read(tmp_path: Path) -> None:
    """What a switch is called decides how grave it is: it is not only an argument."""

    def settings(name: str) -> Tree:
        switch = node("Switch", at=(100, 800, 300, 900), clickable="true", checkable="true", checked="false",
                      resource_id="com.app:id/sw")  # fmt: skip
        row = node("LinearLayout", text(name, 800), switch, at=(0, 790, 1000, 910))
        return page(text("Settings", 0), node("RecyclerView", row, at=(0, 700, 1000, 950)))

    file = tmp_path / "a"
    accepted(
        file, settings("Dark theme"), means="acts", kind="SetSetting", arguments=shown(name="Dark theme")
    )
    assert under("allow SetSetting.", file, settings("Dark theme")).level == "allow"
    verdict = under("allow SetSetting.", file, settings("Unknown sources"))
    assert verdict.level == "block" and "SetSecurity" in str(verdict.actions)


@pytest.mark.parametrize("payee", ["Bob ", " Bob", "Bob  Ray"])
def test_blanks_do_not_hide_a_name(tmp_path: Path, payee: str) -> None:
    rules = 'allow Pay.\ndeny "not to them" when Pay(payee in {"Bob", "Bob Ray"}).'
    file = tmp_path / "a"

    def listed(who: str) -> Tree:
        payee_row = node("RecyclerView", text(who, 200), at=(0, 200, 900, 290))
        button = node(
            "Button", at=(100, 800, 300, 900), clickable="true", text="Zork", resource_id="com.app:id/zork"
        )
        return page(text("To", 100), payee_row, text("Amount", 300), text("£18.50", 400), button)

    accepted(file, listed("Ann Lee"), **paid(file))
    assert under(rules, file, listed("Ann Lee")).level == "allow"
    assert under(rules, file, listed(payee)).level == "block"


def test_what_is_accepted_is_what_was_listed(tmp_path: Path) -> None:
    """Meanwhile the control was answered about on another screen: that one nobody has seen."""
    file = AnswerFile(tmp_path / "a")
    guard, _ = guarded(Phone(review()), Canned(), tmp_path / "a", kinds=KINDS)
    guard.propose(PAY)
    (listed,) = file.answers().values()
    file.add(replace(listed, exact="0" * 32))
    (now,) = file.answers().values()
    assert now.ref != listed.ref
    file.accept([listed])
    assert [kept.accepted for kept in file.answers().values()] == [False]


def test_another_window_that_changes_is_another_screen() -> None:
    """A sheet "Send?" over a note is not the same sheet over a payment."""

    def over(words: str) -> str | None:
        below = node("FrameLayout", text(words, 0), at=(0, 0, 900, 900))
        tree = screen(
            node("FrameLayout", node("Button", at=(0, 500, 99, 600), clickable="true", text="Send")), below
        )
        return screen_hash(tree, buttons(tree)[0], {}, "com.app")

    assert over("A note") is not None and over("A note") == over("A note") != over("Pay Bob £500")


def test_an_app_behind_another_is_not_exact() -> None:
    tree = review()
    (button,) = buttons(tree)
    assert screen_hash(tree, button, {}, "com.bank") is None and screen_hash(tree, button, {}, None) is None


# ---------------------------------------------------------------- just this screen


@pytest.mark.parametrize(
    "tree",
    [
        review(payee="Ann Lee", label="Zork!"),
        review("Ann Lee", "£18.50", text("Fee £3", 500)),
        review("Ann Lee", "£18.50", node("CheckBox", at=(0, 500, 99, 600), text="Round up", checked="true")),
        page(
            text("Review", 0),
            text("To", 100),
            text("Ann Lee", 200),
            text("In total", 300),
            text("£18.50", 400),
        ),
    ],
    ids=["label", "text", "box", "heading"],
)
def test_whatever_else_changes_it_is_not_exact(tmp_path: Path, tree: Tree) -> None:
    file = tmp_path / "a"
    accepted(file, review(), **paid(file))
    guard, _ = guarded(Phone(tree), None, file, kinds=KINDS)
    guard.propose(PAY)
    assert not any(row["exact"] for row in guard.rows("Answered"))
    assert guard.rows("AnsweredArgument") == []


def test_a_tick_that_came_is_not_exact(tmp_path: Path) -> None:
    def boxed(checked: str) -> Tree:
        box = node("CheckBox", at=(0, 500, 99, 600), text="Share my data", checkable="true", checked=checked)
        return review("Ann Lee", "£18.50", box)

    file = tmp_path / "a"
    accepted(file, boxed("false"), **paid(file))
    assert "Ann Lee" in str(judged(file, boxed("false")).actions)
    assert "Ann Lee" not in str(judged(file, boxed("true")).actions)


@pytest.mark.parametrize("title", ["Step 2 of 2", "Delete account", "Pay 5000 to Bob?"])
def test_what_leads_on_does_so_on_this_window_only(tmp_path: Path, title: str) -> None:
    """Numbers, and rows of lists, make another window of it: what is read there counts again."""

    def asked(words: str) -> Tree:
        return review(
            "Ann Lee", "£18.50", node("RecyclerView", text(words, 500), at=(0, 500, 900, 700)), label="Save"
        )

    file = tmp_path / "a"
    accepted(file, asked("Step 1 of 2"))
    assert judged(file, asked("Step 1 of 2")).level == "allow"
    assert judged(file, asked(title)).level == "block"


def test_of_a_double_tap_nobody_is_asked(tmp_path: Path) -> None:
    twice = Action("double_tap", dict(PAY.args))
    guard, live = guarded(Phone(review()), Canned(), tmp_path / "a", kinds=KINDS)
    assert guard.propose(twice).level == "confirm" and not live.answered


def rows(*titles: str, flat: bool = False) -> Tree:
    """A list with a button in each row; flat: without anything around a row."""
    made = []
    for number, title in enumerate(titles):
        top = 100 * (number + 1)
        inside = text(title, top) + node(
            "Button", at=(800, top, 900, top + 80), clickable="true", text="Zap", resource_id="com.app:id/zap"
        )
        made.append(inside if flat else node("Row", inside, at=(0, top, 1000, top + 95)))
    return page(text("Things", 0), *made)


def zap(number: int) -> Action:
    return Action("tap", {"x": 850, "y": 100 * (number + 1) + 40})


@pytest.mark.parametrize("flat", [False, True])
def test_another_row_is_another_control(tmp_path: Path, flat: bool) -> None:
    file = tmp_path / "a"
    tree = rows("Milk", "Tea", flat=flat)
    delete = {"means": "acts", "kind": "Delete", "arguments": shown(what="Milk")}
    guard, _ = guarded(Phone(tree), Canned(**delete), file, kinds=KINDS)
    guard.propose(zap(0))
    kept = AnswerFile(file)
    kept.accept(kept.answers().values())

    def said(now: Tree, number: int) -> list[str]:
        again, _ = guarded(Phone(now), None, file, kinds=KINDS)
        return [action for action in acts(again.propose(zap(number))) if "what" in action]

    assert said(tree, 0) == ['std.effects.Delete(what = "Milk", app = "com.app")']
    assert not any("Milk" in action for action in said(tree, 1))
    for other in (
        rows("Tea", "Milk", flat=flat),
        rows("Bread", "Milk", "Tea", flat=flat),
        rows("", "Milk", flat=flat),
    ):
        assert not any("Milk" in action for action in said(other, 0))


def test_a_secret_is_not_an_argument(tmp_path: Path) -> None:
    field = node(
        "EditText", at=(0, 500, 900, 600), text="hunter2", password="true", resource_id="com.app:id/p"
    )
    tree = review("Ann Lee", "£18.50", field)
    secret = next(each for each in tree.nodes if each.password is True)
    assert words_at(secret) is None


def test_what_was_not_read_is_not_exact() -> None:
    tree = review()
    (button,) = [each for each in tree.nodes if each.cls == "Button"]
    assert screen_hash(tree, button, {}, "com.app") is not None
    assert screen_hash(replace(tree, partial=True), button, {}, "com.app") is None


@pytest.mark.parametrize(
    ("words", "amount"),
    [
        ("£18.50", 18.5),
        ("18.50 £", 18.5),
        ("EUR 1,200.00", 1200),
        ("20", 20),
        ("-£500", None),
        ("−£500.00", None),
        ("Rs 5 lakh", None),
        ("₹5 crore", None),
        ("€ 5 Mrd", None),
        ("5万円", None),
        ("from £5", None),
        ("£5 a day", None),
        ("Send £18.50", None),
        ("£5 £9", None),
        ("£50+", None),
        ("≥ £50", None),
        ("(£50)", None),
        ("£50-", None),
        ("﹣£50", None),
        ("~£5", None),
    ],
)
def test_an_amount_is_nothing_but_an_amount(words: str, amount: float | None) -> None:
    found, _ = only_amount(words)
    assert (None if found is None else float(found)) == amount


@pytest.mark.parametrize(
    ("desc", "words"), [("Settle with Bob Ray", "Settle with Bob Ray"), ("Pay", "Settle")]
)
def test_a_description_that_says_more_counts(desc: str, words: str) -> None:
    button = node("Button", at=(100, 800, 300, 900), clickable="true", text="Settle", content_desc=desc)
    (found,) = [each for each in page(button).nodes if each.cls == "Button"]
    assert words_at(found) == words


def test_no_model_has_a_name_of_the_guard(tmp_path: Path) -> None:
    """An answer with such a name would be a second name of what is read, which nobody has accepted."""
    nonce = "0" * 32
    text = json.dumps({"nonce": nonce, "means": "acts", "kind": "Pay", "arguments": []})
    answer = read_answer(text, nonce, "std.effects.AlsoCalled", KINDS)
    assert isinstance(answer, Answer) and answer.by == "model std.effects.AlsoCalled"


_WORDS = st.sampled_from(["Milk", "Tea", "Ann Lee", "£5", "", "To"])


_TITLES = st.lists(_WORDS, min_size=1, max_size=5)


@given(before=_TITLES, after=_TITLES, spots=st.sets(st.integers(0, 9), max_size=2))
@settings(max_examples=times(80, 800), deadline=None)
def test_equal_windows_show_the_same_but_at_their_spots(
    before: list[str], after: list[str], spots: set[int]
) -> None:
    one, other = (rows(*titles) for titles in (before, after))
    hashes = []
    for tree in (one, other):
        control = next(each for each in tree.nodes if each.cls == "Button") if buttons(tree) else None
        hashes.append(
            None if control is None else screen_hash(tree, control, dict.fromkeys(spots, ()), "com.app")
        )
    if hashes[0] is not None and hashes[0] == hashes[1]:
        assert len(one.nodes) == len(other.nodes)
        for spot, (was, now) in enumerate(zip(one.nodes, other.nodes, strict=True)):
            assert spot in spots or (was.text, was.desc) == (now.text, now.desc)


def buttons(tree: Tree) -> list[Node]:
    return [each for each in tree.nodes if each.cls == "Button"]


def _over(*texts: str) -> Tree:
    """A window of another app over the one in front, with these texts and a button that says nothing."""
    window = node(
        "FrameLayout",
        *(text(words, 500 + 60 * number) for number, words in enumerate(texts)),
        node("Button", at=(100, 800, 300, 900), clickable="true", text="Zork", resource_id="com.ad:id/zork"),
        at=(50, 450, 950, 950),
    ).replace('package="com.app"', 'package="com.ad"')
    return screen(node("FrameLayout", text("Weather", 0), at=(0, 0, 1000, 2000)), window)


def test_what_acts_in_a_window_over_it(tmp_path: Path) -> None:
    """The window needs a licence of its own next to that of what it does."""
    file, tree = tmp_path / "a", _over("Sweep Cleaner", "Frees up space")
    accepted(file, tree, means="acts", kind="Install", arguments=shown(what="Sweep Cleaner"))
    assert sorted(acts(judged(file, tree))) == [
        'std.effects.Install(what = "Sweep Cleaner", app = "com.ad")',
        'std.effects.Overlay(app = "com.ad")',
    ]
    allowed = 'allow Install(what contains "Sweep").\n'
    assert under(allowed, file, tree).level != "allow"
    assert under(f"{allowed}allow each Overlay.", file, tree).level == "allow"
    assert under(f"{allowed}allow each Overlay.", file, _over("Other", "Frees up space")).level != "allow"


def test_what_leads_on_in_a_window_over_it(tmp_path: Path) -> None:
    """The window needs a licence here, too, and what nobody has accepted counts for nothing."""
    file, tree = tmp_path / "a", _over("Sweep Cleaner", "Frees up space")
    accepted(file, tree)
    assert acts(judged(file, tree)) == ['std.effects.Overlay(app = "com.ad")']
    assert under("allow Pay.\n", file, tree).level != "allow"
    assert under('allow each Overlay(app contains "news").\n', file, tree).level != "allow"
    assert under("allow each Overlay.\n", file, tree).level == "allow"
    assert under("allow each Overlay.\n", file, _over("Other", "Frees up space")).level != "allow"
    assert under("allow each Overlay.\n", tmp_path / "b", tree).level != "allow"
