"""An argument that is a part of a line: what stands around it must be what it was."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.effects.test_places import accepted, acts, judged, under
from tests.models.effects.unknown import line_of
from tests.screen.control.making import node, page, screen, text
from tests.thorough import times
from vsalang.models.effects.kept import AnswerFile
from vsalang.models.effects.places import around, part_between
from vsalang.screen.tree import Tree

TO = "Goes out to Ann Lee tonight"


def review(payee: str, total: str) -> Tree:
    """A page with a list of two texts, and a button that says nothing."""
    listed = node("RecyclerView", text(payee, 200), text(total, 300), at=(0, 200, 900, 390))
    button = node(
        "Button", at=(100, 800, 300, 900), clickable="true", text="Zork", resource_id="com.app:id/zork"
    )
    return page(text("Review", 0), listed, button)


def dialog(label: str, *texts: tuple[str, str], more: Sequence[str] = ()) -> Tree:
    """A dialog with texts, each with its id, and two buttons, of which the first has this label."""
    spans = [
        node("TextView", at=(60, 400 + 60 * row, 940, 450 + 60 * row), text=words, resource_id=id_)
        for row, (words, id_) in enumerate(texts)
    ]
    buttons = [
        node("Button", at=(left, 800, left + 200, 900), clickable="true", text=words, resource_id=id_)
        for left, words, id_ in ((100, label, "android:id/button1"), (400, "Cancel", "android:id/button2"))
    ]
    return screen(
        node(
            "FrameLayout",
            *spans,
            *more,
            *buttons,
            at=(50, 350, 950, 950),
            resource_id="android:id/parentPanel",
        )
    )


def parts(**arguments: tuple[str, str]) -> Callable[[str], list[dict[str, Any]]]:
    """Arguments that are parts of texts that a question shows: (text, part) by their parameters."""
    return lambda asked: [
        {"parameter": name, "line": line_of(asked, text), "words": part}
        for name, (text, part) in arguments.items()
    ]


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """A person has accepted of which part of a text the receiver of a message is."""
    file = tmp_path / "a"
    said = parts(to=(TO, "Ann Lee"))
    accepted(file, review(TO, "£18.50"), means="acts", kind="Send", arguments=said)
    return file


def send(to: str) -> list[str]:
    return [f'std.effects.Send(to = "{to}", app = "com.app")']


@pytest.mark.parametrize("to", ["Ann Lee", "Bob", "Ann Lee, or Bob", "李晓雯"])
def test_what_stands_between_the_words_is_read(sent: Path, to: str) -> None:
    assert acts(judged(sent, review(f"Goes out to {to} tonight", "£18.50"))) == send(to)


@pytest.mark.parametrize(
    "line",
    [
        "Goes out to Ann Lee today",
        "Comes from Ann Lee tonight",
        "Goes out to Ann Lee tonight, and to Bob",
        "Goes out to tonight",
        "Ann Lee",
        "",
    ],
)
def test_other_words_around_it_are_another_screen(sent: Path, line: str) -> None:
    """What a person has accepted then adds that it sends; to whom is for the rules to read."""
    (act,) = acts(judged(sent, review(line, "£18.50")))
    assert act.startswith("std.effects.Send(") and "Ann Lee" not in act


@pytest.mark.parametrize("line", ["换班：{}，4月25日 早班", "Shift: {}, 25 April", "{}님, 4월 25일"])
def test_a_day_may_stand_around_a_name(tmp_path: Path, line: str) -> None:
    file, tree = tmp_path / "a", review(line.format("Ann Lee"), "-")
    accepted(file, tree, means="acts", kind="Send", arguments=parts(to=(line.format("Ann Lee"), "Ann Lee")))
    assert acts(judged(file, review(line.format("李晓雯"), "-"))) == send("李晓雯")


@pytest.mark.parametrize("asks", ["Send £300 to {}", "支付 ¥500.00 给 {}", "{}님에게 100,000원을 보낼까요?"])
def test_a_sum_may_stand_around_a_name(tmp_path: Path, asks: str) -> None:
    file, tree = tmp_path / "a", review(asks.format("Ann Lee"), "-")
    accepted(file, tree, means="acts", kind="Send", arguments=parts(to=(asks.format("Ann Lee"), "Ann Lee")))
    assert acts(judged(file, review(asks.format("Bob"), "-"))) == send("Bob")


def test_one_thing_is_this_thing(tmp_path: Path) -> None:
    """Of another one nobody has said that it is one."""
    file = tmp_path / "a"

    def said(asked: str) -> list[dict[str, Any]]:
        return [
            {"parameter": "what", "line": line_of(asked, "1 photo"), "words": ""},
            {"parameter": "count", "line": 0, "words": "1"},
        ]

    accepted(file, review("1 photo", "£1"), means="acts", kind="Delete", arguments=said)
    assert under("allow Delete(count <= 1).", file, review("1 photo", "£1")).level == "allow"
    assert under("allow Delete(count <= 1).", file, review("All 250 photos", "£1")).level == "block"


def test_the_words_of_a_button_do_not_name_it(tmp_path: Path) -> None:
    """The title of the question says them, too, and more."""
    title = node(
        "TextView", at=(60, 400, 940, 450), text="Turn off two-step verification?", resource_id="a:id/title"
    )
    buttons = [
        node("Button", at=(left, 800, left + 200, 900), clickable="true", text=words, resource_id="a:id/item")
        for left, words in ((100, "Turn off"), (400, "Keep it"))
    ]
    panel = node("FrameLayout", title, *buttons, at=(50, 350, 950, 950), resource_id="android:id/parentPanel")
    tree, file = screen(panel), tmp_path / "a"
    named = parts(name=("Turn off two-step verification?", ""))
    accepted(file, tree, means="acts", kind="SetSecurity", arguments=named)
    assert under('allow SetSecurity(name contains "two-step").', file, tree).level == "allow"


def test_what_they_may_do_is_not_who_gets_it(tmp_path: Path) -> None:
    option = node(
        "RadioButton",
        at=(60, 600, 940, 650),
        clickable="true",
        checkable="true",
        checked="true",
        text="Can view",
    )
    tree, file = dialog("Zork", ("Invite Ann Lee", "android:id/alertTitle"), more=[option]), tmp_path / "a"
    named = parts(**{"with": ("Invite Ann Lee", "Ann Lee")})
    accepted(file, tree, means="acts", kind="Share", arguments=named)
    assert under('allow Share(with names "Ann Lee").', file, tree).level == "allow"


def test_all_nine_are_nine(tmp_path: Path) -> None:
    button = node("Button", at=(100, 800, 300, 900), clickable="true", text="Delete all 9")
    tree, file = page(text("Burst", 0), button), tmp_path / "a"
    accepted(file, tree, means="acts", kind="Erase", arguments=lambda asked: [])
    assert under("allow Erase(count <= 9).", file, tree).level == "allow"
    assert under("allow Erase(count <= 8).", file, tree).level == "block"


@pytest.mark.parametrize(("words", "level"), [("1", "allow"), ("2", "block"), ("one", "block")])
def test_one_thing_may_be_said_in_words(tmp_path: Path, words: str, level: str) -> None:
    tree, file = review("Ann", "22 Harlow Street"), tmp_path / "a"
    count = [{"parameter": "count", "line": 0, "words": words}]
    accepted(file, tree, means="acts", kind="Erase", arguments=lambda asked: count)
    assert under("allow Erase(count <= 1).", file, tree).level == level


def test_a_part_of_its_own_label_hides_nothing(tmp_path: Path) -> None:
    button = node("Button", at=(100, 800, 300, 900), clickable="true", text="Delete Ann Lee (Bob Ray)")
    tree, file = page(button), tmp_path / "a"
    said = parts(what=("Delete Ann Lee (Bob Ray)", "Ann Lee"))
    accepted(file, tree, means="acts", kind="Delete", arguments=said)
    rules = 'allow Delete.\ndeny "not Bob" when Delete(what contains "Bob").'
    assert under(rules, file, tree).level == "block"


def test_a_short_title_asks_about_no_longer_text(tmp_path: Path) -> None:
    tree = dialog(
        "Zork",
        ("To", "android:id/alertTitle"),
        ("Now", "android:id/message"),
        ("Tom Ray", "a:id/more"),
    )
    file = tmp_path / "a"
    accepted(file, tree, means="acts", kind="Send", arguments=parts(to=("Tom Ray", "")))
    assert under('allow Send(to = "Tom Ray").', file, tree).level == "allow"


def test_what_a_spot_is_described_as_stays(tmp_path: Path) -> None:
    """Only what it says may be another; a second text of the same control is a part of the screen."""

    def described(desc: str) -> Tree:
        receiver = node("TextView", at=(0, 200, 300, 290), text=TO, content_desc=desc)
        listed = node("RecyclerView", receiver, at=(0, 200, 900, 390))
        button = node(
            "Button", at=(100, 800, 300, 900), clickable="true", text="Zork", resource_id="com.app:id/zork"
        )
        return page(text("Review", 0), listed, button)

    file = tmp_path / "a"
    said = parts(to=(TO, "Ann Lee"))
    accepted(file, described("Who gets it"), means="acts", kind="Send", arguments=said)
    assert acts(judged(file, described("Who gets it"))) == send("Ann Lee")
    assert acts(judged(file, described("Every month"))) != send("Ann Lee")


def test_a_part_does_not_count_where_rules_read(tmp_path: Path) -> None:
    """Else an answer could leave out one of two names."""
    file, line = tmp_path / "a", "Payee Ann Lee (Bob Ray)"
    said = parts(payee=(line, "Ann Lee"))
    rules = 'allow Pay(payee names "Ann Lee").\ndeny "not Bob" when Pay(payee contains "Bob").'
    accepted(file, review(line, "£18.50"), means="acts", kind="Pay", arguments=said)
    assert under(rules, file, review(line, "£18.50")).level == "block"


@pytest.mark.parametrize("said", [{"value": ("On", "")}, {"value": ("Backups: On", "On")}])
def test_what_a_switch_shows_goes_before_a_value(tmp_path: Path, said: dict[str, tuple[str, str]]) -> None:
    """A touch of a switch that is on turns it off, whatever text of the page an answer names."""
    switch = node(
        "Switch",
        at=(100, 800, 300, 900),
        clickable="true",
        checkable="true",
        checked="true",
        text="Backups",
        resource_id="com.app:id/sw",
    )
    tree = page(text("On", 100), text("Backups: On", 300), switch)
    file = tmp_path / "a"
    accepted(file, tree, means="acts", kind="SetSetting", arguments=parts(name=("Backups", ""), **said))
    rules = 'allow SetSetting.\nallow SetSecurity.\ndeny "not off" when SetSetting(value = "off").'
    rules += '\ndeny "not off" when SetSecurity(value = "off").'
    assert under(rules, file, tree).level == "block"


@pytest.mark.parametrize("length", [90, 180])
def test_long_lines_do_no_harm_to_the_file(tmp_path: Path, length: int) -> None:
    """Long words around a part are not kept: the part counts while the line stays. What is kept can be read again."""
    file = tmp_path / "a"
    lines = ["😀" * length + " Ann Lee", "李 Bob " + "李" * length]
    said = parts(payee=(lines[0], "Ann Lee"), amount=(lines[1], "Bob"))
    accepted(file, review(*lines), means="acts", kind="Pay", arguments=said)
    (kept,) = AnswerFile(file).answers().values()
    assert [each.fixed is not None for each in kept.answer.arguments] == [True] and kept.accepted
    assert not any(each.before or each.after for each in kept.answer.arguments)


@pytest.mark.parametrize(
    "secret", ["My PIN is 4829, pay Ann Lee", "Ann Lee, code 771-203", "Ann Lee 4111 1111"]
)
def test_what_may_be_a_secret_is_not_kept(tmp_path: Path, secret: str) -> None:
    file = tmp_path / "a"
    accepted(file, review(secret, ""), means="acts", kind="Pay", arguments=parts(payee=(secret, "Ann Lee")))
    assert secret.replace("Ann Lee", "").strip().encode() not in file.read_bytes()


def _asked(question: str, label: str = "Zork") -> Tree:
    buttons = [
        node("Button", at=(left, 800, left + 200, 900), clickable="true", text=words)
        for left, words in ((100, label), (400, "Cancel"))
    ]
    return page(text(question, 400), *buttons)


def test_a_part_names_what_a_question_is_about(tmp_path: Path) -> None:
    """A question that rules read as a whole stays whole: what else it names would be lost."""
    file, chat = tmp_path / "a", _asked("Zork the chat with Ann?")
    title = "Zork the chat with Ann?"
    accepted(file, chat, means="acts", kind="Delete", arguments=parts(what=(title, "Ann")))
    assert acts(judged(file, chat)) == [f'std.effects.Delete(what = "{title}", app = "com.app")']


def test_a_third_text_of_a_dialog_names_nothing(tmp_path: Path) -> None:
    """Rules read `Ann` in the message; a longer text hides that from a `deny` about her."""
    longer = 'The chat "Ann" goes for good.'
    chat = dialog(
        "Delete",
        ("Delete chat?", "android:id/alertTitle"),
        ('The chat "Ann" goes.', "android:id/message"),
        (longer, "a:id/more"),
    )
    file = tmp_path / "a"
    accepted(file, chat, means="acts", kind="Delete", arguments=parts(what=(longer, "")))
    rules = 'allow Delete.\ndeny "not Ann" when Delete(what = "Ann").'
    assert under(rules, None, chat).level == "block"
    assert under(rules, file, chat).level == "block"


@pytest.mark.parametrize("part", ["", 'Delete chat "Ann"', 'chat "Ann"', "Ann"])
def test_what_rules_read_of_a_question_counts(tmp_path: Path, part: str) -> None:
    """A model that names more of it than the thing hides the thing from a `deny` about it."""
    title = 'Delete chat "Ann"?'
    chat = dialog("Delete", (title, "android:id/alertTitle"))
    rules = 'allow Delete.\ndeny "not Ann" when Delete(what = "Ann").'
    file = tmp_path / "a"
    accepted(file, chat, means="acts", kind="Delete", arguments=parts(what=(title, part)))
    assert under(rules, None, chat).level == "block"
    assert under(rules, file, chat).level == "block"


def test_a_part_that_the_line_lacks_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a"
    tree = review(TO, "£18.50")
    said = parts(payee=(TO, "Bob"), amount=("£18.50", "£19"))
    accepted(file, tree, means="acts", kind="Pay", arguments=said)
    (kept,) = AnswerFile(file).answers().values()
    assert kept.answer.arguments == ()


@pytest.mark.parametrize(
    ("words", "part", "found"),
    [
        ("Pay Ann now", "Ann", ("Pay ", " now")),
        ("Pay Annika now", "Ann", None),
        ("Pay Ann, Ann", "Ann", None),
        ("Pay now", "Ann", None),
        ("Pay now", "", None),
        ("$39.99 per year", "$39.99", ("", " per year")),
        ("$39.99 per year", "$39", None),
        ("$39.99 per year", "9.99", None),
        ("1 000 €", "1", None),
        ("12:30", "30", None),
        ("ann@bank.com.evil.org", "ann@bank.com", None),
        ("bank.com.evil.org", "bank.com", None),
        ("+49 (0) 170 - 123", "170", None),
        ("Anne-Marie Lee", "Anne", None),
        ("Jose\u0301 Lee", "Jose", None),
        ("Pay O'Neil", "Neil", None),
        ("£5 , 000", "£5", None),
        ("Call 1 SMS to Ann, at 00:00", "Ann", ("Call 1 SMS to ", ", at 00:00")),
        ("转账给李晓雯", "李晓雯", ("转账给", "")),
        ("给李晓雯和王五", "李晓雯", None),
        ("Ann Lee, Bob Ray", "Ann Lee", None),
        ("Ann Lee, Bob Ray", "Bob Ray", None),
        ("Delete chats with Ann and Bob?", "Ann", None),
        ("Delete chats with Ann and Bob?", "Bob", None),
        ("An Ann und Bob", "Ann", None),
        ("Ann & 3 others", "Ann", None),
        *(
            (f"王伟，{joined}", "王伟", None)
            for joined in ("李明", "3人", "+2", "@bob", "「李」", "bob@y.org")
        ),
        ("Ann PIN 4829 EUR", "Ann", None),
        ("Goes to Ann Lee (Bob Ray)", "Ann Lee", None),
        ("Ann\u200bika", "Ann", None),
        ("Ann\u2010Marie", "Ann", None),
        ("ann%40bank.com", "ann", None),
        ("CVV 482 for Ann", "Ann", None),
        ("Password hunter2x for Ann", "Ann", None),
        ("受取人 タケダ ジュンイチ 様", "タケダ ジュンイチ", ("受取人 ", " 様")),
        ("手数料145円", "45円", None),
        ("a_b", "b", None),
        ("x" * 81 + " Ann", "Ann", None),
        ("1 2 Ann", "Ann", ("1 2 ", "")),
        ("1234 Ann", "Ann", None),
    ],
)
def test_a_part_is_whole_words_and_numbers(words: str, part: str, found: tuple[str, str] | None) -> None:
    assert around(words, part) == found
    if found is not None:
        assert part_between(words, *found) == part


_TEXTS = st.text(st.sampled_from(list("ab 12.,€-李円")), max_size=8)


@given(before=_TEXTS, part=_TEXTS, after=_TEXTS, other=_TEXTS)
@settings(max_examples=times(300, 5000), deadline=None)
def test_all_that_is_between_the_words_is_read(before: str, part: str, after: str, other: str) -> None:
    """Nothing before or after a part is lost, whatever an app puts in its place."""
    read = part_between(before + other + after, before, after)
    assert read is None or read == other
    found = around(before + part + after, part)
    assert found is None or (found[0] + part + found[1] == before + part + after)
