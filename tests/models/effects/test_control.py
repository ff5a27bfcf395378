"""Which control an answer is about, and the file that keeps answers."""

import datetime as dt
import sqlite3
from pathlib import Path

import pytest

from tests.models.effects.unknown import seen, zork
from tests.screen.control.making import listed, node, page, screen, text
from vsalang.base.source.database import StoreError
from vsalang.models.effects import Answer, AnswerFile, Argument, ControlKey, KeptAnswer, control_key
from vsalang.models.effects.control import words_around
from vsalang.models.effects.outcome import contradicts, outcome
from vsalang.screen.tree import Node, Tree, track

LEADS = Answer("leads on", "", (), "m")
SET = Answer("acts", "SetSetting", (), "outcome")
DELETES = Answer("acts", "Delete", (Argument("what", 3, behind="To"),), "m")
DAY = dt.datetime(2026, 4, 1, tzinfo=dt.UTC)


def button(tree: Tree) -> Node:
    return next(each for each in tree.nodes if each.label and each.label.startswith("Z"))


def key(tree: Tree, version: str = "1") -> ControlKey:
    found = control_key(tree, button(tree), version)
    assert found is not None
    return found


# ---------------------------------------------------------------- the key


def test_a_control_is_the_same_again() -> None:
    assert key(zork()) == key(zork())
    assert key(zork(listed("Milk", top=400))) == key(zork(listed("Tea", "Bread", top=400)))
    assert key(zork(title="3 things")) == key(zork(title="41 things"))


@pytest.mark.parametrize(
    "other",
    [
        zork(title="Another"),
        zork(label="Zap"),
        zork(id_="com.app:id/zap"),
        zork(listed("Milk", top=400)),
        zork(text("more", 500)),
        zork(package="com.other"),
    ],
)
def test_and_else_another_one(other: Tree) -> None:
    assert key(zork()) != key(other) and key(zork()).ref != key(other).ref


def test_of_another_version_it_is_another_one() -> None:
    assert key(zork(), "1").ref != key(zork(), "2").ref


def test_two_dialogs_of_one_form_are_two() -> None:
    ok = {"id_": "android:id/button1", "label": "Z"}
    assert key(zork(title="Delete all?", **ok)) != key(zork(title="Save?", **ok))


def test_other_windows_do_not_count() -> None:
    """A clock in the status bar makes no other screen."""
    page = node("FrameLayout", node("Button", clickable="true", text="Z", resource_id="com.app:id/z"))
    bars = [node("FrameLayout", text(clock), package="com.android.systemui") for clock in ("9:00", "Mail")]
    assert key(screen(page, bars[0])) == key(screen(page, bars[1]))


@pytest.mark.parametrize("label", ["Z" * 1001, "Z\ud800"])
def test_what_cannot_be_kept_has_no_key(label: str) -> None:
    tree = zork(label="Z")
    odd = Node(**{name: getattr(button(tree), name) for name in Node.__dataclass_fields__} | {"label": label})
    assert control_key(tree, odd, "1") is None


def test_words_of_its_place() -> None:
    assert words_around(zork(text("a word", 500)), button(zork())) == ("A page", "a word")


# ---------------------------------------------------------------- the file


def kept(tree: Tree, answer: Answer = LEADS, accepted: bool = False) -> KeptAnswer:
    return KeptAnswer(key(tree), answer, accepted, ("A page",), DAY)


def test_answers_come_back(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path / "a")
    assert file.answers() == {}
    file.add(kept(zork()))
    assert list(AnswerFile(tmp_path / "a").answers().values()) == [kept(zork())]
    file.add(kept(zork(), DELETES))
    assert [each.answer for each in file.answers().values()] == [DELETES]


def test_an_accepted_answer_stays(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path / "a")
    file.add(kept(zork()))
    file.accept(file.answers().values())
    file.add(kept(zork(), DELETES))
    assert list(file.answers().values()) == [kept(zork(), accepted=True)]
    file.drop([key(zork()).ref])
    assert file.answers() == {}


@pytest.mark.parametrize(
    "change",
    [
        "means = 'allow'",
        "kind = 'Delete'",
        "arguments = 'Milk'",
        "arguments = '[1]'",
        """arguments = '[{"parameter": "what", "spot": null, "words": "Milk", "behind": "", "own": false}]'""",
        """arguments = '[{"parameter": "what", "spot": -1, "words": "", "behind": "", "own": false}]'""",
        "said_by = 'std.effects.AlsoCalled'",
        "accepted = 2",
        "label = 'another'",
        "words = 'x'",
        "added = 'today'",
    ],
)
def test_what_is_not_an_answer_is_refused(tmp_path: Path, change: str) -> None:
    file = AnswerFile(tmp_path / "a")
    file.add(kept(zork()))
    with sqlite3.connect(tmp_path / "a") as database:
        database.execute(f"UPDATE answers SET {change}")
    with pytest.raises(StoreError):
        file.answers()


def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path / "a")
    file.add(kept(zork()))
    (tmp_path / "a").chmod(0o644)
    with pytest.raises(StoreError):
        file.answers()


# ---------------------------------------------------------------- what came


def came(before: Tree, after: Tree) -> Answer | None:
    first = track(None, before)
    return outcome(seen(first), button(first), seen(track(first, after)))


def box(checked: str) -> Tree:
    return zork(checkable="true", checked=checked)


def test_what_is_checked_now_was_set() -> None:
    assert came(box("false"), box("true")) == SET
    assert came(box("true"), box("false")) == SET


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (zork(), zork()),
        (zork(), zork(title="Another page")),
        (zork(), zork(text("sent", 500))),
        (box("true"), box("true")),
        (zork(listed("Milk", "Tea", top=400)), zork(listed("Tea", top=400))),  # not its own row
    ],
)
def test_else_it_says_nothing(before: Tree, after: Tree) -> None:
    assert came(before, after) is None


def rows_of(*labels: str) -> Tree:
    """A list of texts, each with an id of its own, and below them the button that is touched, if it is there."""
    rows = [
        node(
            "Button" if label.startswith("Z") else "TextView",
            at=(0, top, 900, top + 90),
            clickable="true" if label.startswith("Z") else "false",
            text=label,
            resource_id=f"com.app:id/r{top}",
        )
        for label, top in zip(labels, range(300, 300 + 100 * len(labels), 100), strict=True)
    ]
    return page(text("A page"), node("RecyclerView", *rows, at=(0, 300, 900, 1300)))


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        (("Milk", "Tea"), ("Milk", "Tea"), True),
        (("Milk", "Tea"), ("Milk", "Tea (1)"), True),  # one of them says something else
        (("Milk 3", "Tea 3"), ("Milk 2", "Tea 2"), True),  # they are counted again
        (("Milk", "Tea"), ("Once", "Every month"), False),  # another page
    ],
)
def test_a_row_is_gone_where_others_stay(before: tuple[str, ...], after: tuple[str, ...], gone: bool) -> None:
    made = came(rows_of(*before, "Zork"), rows_of(*after))
    assert (made is not None and made.kind == "Delete") == gone


def test_what_contradicts() -> None:
    came_so = Answer("acts", "Delete", "none", "outcome")
    assert contradicts(came_so, LEADS)
    assert contradicts(came_so, Answer("acts", "Search", (), "m"))
    assert not contradicts(came_so, Answer("acts", "Erase", (), "m"))


def test_a_file_of_an_older_version_is_said(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path / "a")
    file.add(kept(zork()))
    with sqlite3.connect(tmp_path / "a") as database:
        database.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreError, match=r"an older vsac \(format 1, here 4\)") as refused:
        file.answers()
    assert refused.value.hint.startswith("move it away: what was answered is asked again")
