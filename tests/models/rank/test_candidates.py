"""What could be done on a screen: one candidate for each effect."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.models.rank.screens import button, compose, keys, mail_guard, node, screen_of
from vsalang.guard import Guard, Proposal, Reason
from vsalang.language.semantics import load
from vsalang.models.rank import AppChoice, Candidate, Enumeration, Situation, enumerating
from vsalang.models.rank.enumerating import MAX_APPS, apps_of, candidates
from vsalang.models.rank.judging import allowed, one_by_one
from vsalang.models.rank.situation import past_step
from vsalang.program.action import Action
from vsalang.program.example import Level
from vsalang.screen.screen import TreeScreen

PHONE = [
    "open an app",
    "wait",
    "go to the home screen",
    "go back",
    "answer the user",
    "finish: the task is done",
]


def on(screen: TreeScreen, **more) -> Enumeration:
    return candidates(Situation("do it", screen, **more))


def dropped(found: Enumeration, rule: str) -> list[str]:
    return [one.text for one in found.dropped if one.rule == rule]


def test_each_kind_of_control_has_its_gestures() -> None:
    found = on(
        screen_of(
            button("Save", 0),
            node("EditText", "[0,100][400,200]", text="Ann", clickable="true", content_desc="Name"),
            node(
                "Switch", "[0,200][400,300]", text="Wi-Fi", checkable="true", checked="true", clickable="true"
            ),
            node("SeekBar", "[0,300][400,400]", content_desc="Volume"),
        )
    )
    assert keys(found.candidates) == [
        'press "Save"',
        'type into "Name"',
        'tap "Name"',
        'switch off "Wi-Fi"',
        'slide "Volume" to the left',
        'slide "Volume" to the right',
        *PHONE,
    ]
    assert dropped(found, "no long press")[0] == 'press "Save" for long'


@pytest.mark.parametrize(
    "more, taps",
    [({}, 1), ({"long_clickable": "true"}, 0), ({"focused": "true"}, 0), ({"text": ""}, 0)],
    ids=["may open a chooser", "takes a long press as typing does", "has the focus", "empty"],
)
def test_typing_includes_what_it_begins_with(more: dict[str, str], taps: int) -> None:
    field = {"text": "Ann", "clickable": "true", "content_desc": "Name", **more}
    found = on(screen_of(node("EditText", "[0,100][400,200]", **field)))
    assert [one.kind for one in found.candidates if one.unit is not None] == ["type", "tap"][: 1 + taps]
    typing = found.candidates[0]
    clear = typing.completed("")
    assert (clear.kind, clear.action, clear.key) == (
        "clear",
        Action("clear_text", {"node": typing.node}),
        typing.key.replace("type", "clear"),
    )
    assert clear.text == 'clear "Name"' and clear.needs is None


@pytest.mark.parametrize("blocked", ["", "type", "back"])
def test_what_does_the_same_replaces_what_is_blocked(blocked: str) -> None:
    up = node("ImageButton", "[0,0][50,50]", content_desc="Navigate up", clickable="true")
    field = node(
        "EditText",
        "[0,300][400,400]",
        text="Ann",
        clickable="true",
        content_desc="Name",
        long_clickable="true",
    )
    found = on(screen_of(up, node("TextView", "[60,0][400,50]", text="New"), field))
    guard = mail_guard()
    both = ('clear "Name"', 'tap "Name"'), ('press "Navigate up"',)
    wanted = {"": (), "type": both[0], "back": both[1]}[blocked]

    def judge(proposals):
        stops = Reason("closed", "block", "never")
        names = {"type": "input_text", "back": "back"}
        return [
            _Verdict("block", (stops,)) if _name(one) == names.get(blocked) else _Verdict("allow", ())
            for one in proposals
        ]

    kept = [one.candidate.text for one in allowed(judge, guard.program, found).kept]
    assert [text for text in kept if text in (*both[0], *both[1])] == list(wanted)


def _name(proposal: Proposal) -> str:
    action = proposal.gesture or proposal.attempts[0]
    return action.name


@dataclass(frozen=True)
class _Verdict:
    level: Level
    reasons: tuple[Reason, ...]


def dialog(*buttons: str) -> TreeScreen:
    """A page behind a dialog."""
    page = node("FrameLayout", "[0,0][1080,1920]", node("TextView", "[0,0][1080,100]", text="Page"))
    inside = "".join(
        node(
            "Button",
            f"[{100 + 400 * nth},900][{450 + 400 * nth},1000]",
            text=words,
            clickable="true",
            resource_id=f"android:id/button{2 - nth}",
        )
        for nth, words in enumerate(buttons)
    )
    message = node("TextView", "[100,700][900,800]", text="Really?", resource_id="android:id/message")
    panel = node("FrameLayout", "[100,600][980,1100]", message, inside, resource_id="android:id/parentPanel")
    return screen_of(page, panel)


@pytest.mark.parametrize(
    "buttons, left",
    [
        (("Cancel", "Delete"), ["Delete"]),
        (("Discard", "Save"), ["Discard", "Save"]),
        (("No", "Yes"), ["No", "Yes"]),
    ],
)
def test_of_a_dialog_cancel_is_left_out_for_back(buttons: tuple[str, ...], left: list[str]) -> None:
    found = on(dialog(*buttons))
    assert taps(found) == left
    (back,) = [one for one in found.candidates if one.kind == "back"]
    assert len(back.same) == len(buttons) - len(left)


def test_cancel_of_a_page_is_a_candidate() -> None:
    assert taps(on(screen_of(button("Order", 0), button("Cancel", 900)))) == ["Order", "Cancel"]


def test_what_is_chosen_on_a_page_is_left_out() -> None:
    def radio(words: str, left: int, checked: str) -> str:
        return node(
            "RadioButton",
            f"[{left},500][{left + 200},600]",
            text=words,
            clickable="true",
            checkable="true",
            checked=checked,
        )

    group = radio("Small", 0, "false"), radio("Large", 300, "true")
    found = on(screen_of(node("RadioGroup", "[0,500][600,600]", *group)))
    assert taps(found) == ["Small"] and dropped(found, "chosen already") == ['choose "Large"']


def test_what_cannot_be_used_is_no_candidate() -> None:
    found = on(screen_of(button("Save", 0, enabled="false"), button("Go", 100)))
    assert keys(found.candidates) == ['press "Go"', *PHONE]
    assert dropped(found, "disabled") == ['press "Save"']


def test_an_outer_control_is_touched_where_free() -> None:
    inner = node("Button", "[100,100][300,300]", text="Inner", clickable="true")
    found = on(screen_of(node("FrameLayout", "[0,0][400,400]", inner, text="Outer", clickable="true")))
    outer, inside, *_ = found.candidates
    screen = screen_of(node("FrameLayout", "[0,0][400,400]", inner, text="Outer", clickable="true"))
    assert {"x", "y"} == set(outer.action.args)
    assert screen.target("tap", outer.action.args)["node"] == outer.node
    assert inside.action.args == {"node": inside.node}


def test_a_control_that_is_covered_is_no_candidate() -> None:
    under = node("Button", "[0,0][400,400]", text="Under", clickable="true")
    above = node("Button", "[0,0][400,400]", text="Above", clickable="true")
    found = on(screen_of(node("FrameLayout", "[0,0][400,400]", under, above)))
    assert keys(found.candidates) == ['press "Above"', *PHONE]
    assert dropped(found, "covered") == ['press "Under"']


def test_equal_words_are_told_apart() -> None:
    found = on(screen_of(button("Hotel", 0), button("Hotel", 100)))
    assert keys(found.candidates)[:2] == ['press "Hotel" (1 of 2)', 'press "Hotel" (2 of 2)']
    assert len({one.key for one in found.candidates}) == len(found.candidates)


def rows(first: int, count: int, height: int = 100) -> str:
    """A list from 0 to 400, whose first row is that high."""
    tops = [0, *(first + nth * height for nth in range(count))]
    ends = [*tops[1:], first + count * height]
    inside = "".join(
        node("TextView", f"[0,{top}][400,{end}]", text=f"Row {nth}", clickable="true")
        for nth, (top, end) in enumerate(zip(tops, ends, strict=True))
    )
    return node("RecyclerView", "[0,0][400,400]", inside, scrollable="true", resource_id="a:id/list")


@pytest.mark.parametrize(
    "first, count, ways",
    [(100, 3, ["down"]), (40, 4, ["down", "up"]), (100, 1, [])],
    ids=["at its beginning", "the first row is cut", "short"],
)
def test_a_list_is_scrolled_where_more_may_be(first: int, count: int, ways: list[str]) -> None:
    found = on(screen_of(rows(first, count)))
    assert [one.action.args["direction"] for one in found.candidates if one.kind == "scroll"] == ways


def test_scrolls_follow_the_history() -> None:
    screen = screen_of(rows(100, 3))
    (down,) = [one for one in on(screen).candidates if one.kind == "scroll"]
    moved = past_step(screen, down, effect="PartialChange")
    after = [one.key for one in on(screen, history=(moved,)).candidates if one.kind == "scroll"]
    assert after == [down.key, down.key.replace("down", "up")]
    at_end = on(screen, history=(moved, replace(moved, effect="NoChange")))
    assert [one.key for one in at_end.candidates if one.kind == "scroll"] == after[1:]


def test_apps_are_named_where_they_are_known() -> None:
    apps = (AppChoice("org.example.mail", "Mail"), AppChoice("org.example.shop"))
    found = on(compose(), apps=apps)
    opens = [one for one in found.candidates if one.kind == "open_app"]
    assert [(one.text, one.needs) for one in opens] == [('open the app "org.example.shop"', None)]
    assert dropped(found, "in the foreground") == ['open the app "Mail"']
    many = tuple(AppChoice(f"a.b{nth}") for nth in range(MAX_APPS + 1))
    assert [one.needs for one in on(compose(), apps=many).candidates if one.kind == "open_app"] == ["app"]


def test_the_apps_are_those_of_modules(tmp_path: Path) -> None:
    (tmp_path / "shop.vsa").write_text(
        'app shop package "org.shop", "org.shop.beta" "A shop"\n', encoding="utf-8"
    )
    task = 'spec buy "Buy milk"\nimport shop\nimport apps.permissions\ndone when no App.\n'
    (tmp_path / "buy.vsa").write_text(task, encoding="utf-8")
    apps = apps_of(load(str(tmp_path / "buy.vsa")).checked())
    assert [(one.package, one.name, one.about) for one in apps] == [("org.shop", "shop", "A shop")]


def test_home_is_left_out_where_apps_have_names() -> None:
    known = on(compose(), apps=(AppChoice("org.example.mail"),))
    assert dropped(known, "same effect")[-1] == "go to the home screen"
    launcher = on(compose(), apps=(AppChoice("org.example.mail"), AppChoice("com.android.launcher3")))
    many = on(compose(), apps=tuple(AppChoice(f"a.b{nth}") for nth in range(MAX_APPS + 1)))
    for found in (launcher, many, on(compose())):
        assert "home" in {one.kind for one in found.candidates}


def test_nobody_waits_for_a_screen_that_stands_still() -> None:
    save = button("Save", 0)
    bar = node("ProgressBar", "[0,200][400,220]")
    still = screen_of(save, settled=True)
    (press,) = [one for one in on(still).candidates if one.kind == "tap"]
    assert dropped(on(still), "nothing to wait for") == ["wait"]
    assert dropped(
        on(still, history=(past_step(still, press, effect="PartialChange"),)), "nothing to wait for"
    )
    waiting = [
        on(screen_of(save)),  # it may still change
        on(screen_of(save, bar, settled=True)),
        on(screen_of(settled=True)),  # nothing else can be done
        on(screen_of(button("Save", 0, enabled="false"), settled=True)),
        on(still, history=(past_step(still, press, effect="NoChange"),)),
    ]
    assert all("wait" in {one.kind for one in found.candidates} for found in waiting)


# ---------------------------------------------------------------- one touch, where the source does not tell


def poor(*nodes: str) -> TreeScreen:
    """A screen of a source that calls clickable what stands in something that takes the touch."""
    screen = screen_of(*nodes)
    return TreeScreen(replace(screen.tree, inherits=True))


def text(words: str, top: int, name: str = "", **more: str) -> str:
    return button(words, top, **({"resource_id": f"a:id/{name}"} if name else {}), **more)


def listed(cls: str, *rows: tuple[str, ...], **more: str) -> str:
    inside = "".join(
        node("RelativeLayout", f"[0,{300 * nth}][400,{300 * nth + 300}]", *row, resource_id="a:id/row")
        for nth, row in enumerate(rows)
    )
    return node(cls, "[0,0][400,3000]", inside, **more)


def taps(found: Enumeration) -> list[str]:
    return [one.unit.label or "" for one in found.candidates if one.kind == "tap" and one.unit is not None]


def test_texts_of_a_row_are_one_touch() -> None:
    rows_ = (text("a.txt", 0), text("2 kB", 100), text("", 200, content_desc="More")), (text("b.txt", 300),)
    found = on(poor(listed("RecyclerView", *rows_)))
    assert taps(found) == ["a.txt", "More", "b.txt"]
    first = next(one for one in found.candidates if one.kind == "tap")
    assert first.unit is not None and first.unit.value == "2 kB" and len(first.same) == 1
    assert dropped(found, "same effect") == ['press "2 kB" under "a.txt"']
    # where the source tells what takes a touch, each has its own
    assert len(taps(on(screen_of(listed("RecyclerView", *rows_))))) == 4


def test_what_scrolls_has_rows_if_several_are_alike() -> None:
    row = (text("Font", 0), text("Large", 100))
    other = (text("Theme", 300), text("Dark", 400))
    several = on(poor(listed("ScrollView", row, other, scrollable="true")))
    assert taps(several) == ["Font", "Theme"]
    page = on(poor(listed("ScrollView", row, scrollable="true")))
    assert taps(page) == ["Font", "Large"]


@pytest.mark.parametrize(
    "first, second, one",
    [
        ("title", "summary", True),
        ("theme_label", "theme", True),
        ("number", "number_type", True),
        ("size_label", "size_value", True),
        ("start_date", "start_time", False),
        ("button1", "button2", False),
        ("btn_label", "btn_value", False),
        ("crumb", "crumb", False),
        ("", "", False),
    ],
)
def test_ids_say_which_texts_are_parts_of_one(first: str, second: str, one: bool) -> None:
    found = on(poor(node("RelativeLayout", "[0,0][400,200]", text("A", 0, first), text("B", 100, second))))
    assert taps(found) == (["A"] if one else ["A", "B"])


def test_texts_in_a_button_are_its_touch() -> None:
    inside = text("2", 100), text("ABC", 200)
    key = node("Button", "[0,0][400,300]", *inside, clickable="true", text="Two")
    found = on(poor(key))
    (tap,) = [one for one in found.candidates if one.kind == "tap"]
    assert tap.unit is not None and tap.unit.label == "Two" and tap.unit.value == "2, ABC"
    assert len(tap.same) == 2


def test_texts_deep_in_a_button_are_its_touch() -> None:
    def key(count: int) -> TreeScreen:
        kids = node("LinearLayout", "[0,0][400,900]", *(text(f"t{nth}", 100 * nth) for nth in range(count)))
        return poor(node("Button", "[0,0][400,900]", kids, clickable="true", text="All"))

    assert taps(on(key(3))) == ["All"]
    assert len(taps(on(key(7)))) == 8  # so many are not parts of one control


def test_a_mark_is_part_of_the_button_before_it() -> None:
    icon = text("", 0, "icon", content_desc="Menu")
    marks = [text("", 100, name, content_desc="News") for name in ("notification_dot", "help")]
    assert [taps(on(poor(node("FrameLayout", "[0,0][400,300]", icon, mark)))) for mark in marks] == [
        ["Menu"],
        ["Menu", "News"],
    ]


def test_a_nameless_radio_button_is_one_with_its_text() -> None:
    row = node("RadioButton", "[0,0][100,100]", checkable="true", checked="false"), text("Dark", 100)
    found = on(poor(node("LinearLayout", "[0,0][400,200]", *row)))
    (tap,) = [one for one in found.candidates if one.kind == "tap"]
    assert tap.text == 'choose "Dark"' and len(tap.same) == 1
    assert tap.unit is not None and tap.unit.value == "off"


def test_pages_are_shown_by_their_tabs_or_move_sideways() -> None:
    def ways(*others: str) -> list[str]:
        pager = node("ScrollView", "[0,0][400,400]", scrollable="true", resource_id="a:id/view_pager")
        return [
            one.key.rpartition(".")[2] for one in on(poor(pager, *others)).candidates if one.kind == "scroll"
        ]

    assert ways() == ["right", "left"]
    tab = text("Alarm", 500, "tab_item_label")
    assert ways(node("LinearLayout", "[0,400][400,600]", tab, resource_id="a:id/main_tabs_holder")) == []


def test_without_places_the_inner_list_scrolls() -> None:
    inner = [
        node("RecyclerView", f"[0,{nth}][400,400]", scrollable="true", resource_id=f"a:id/l{nth}")
        for nth in range(2)
    ]
    outer = [
        poor(node("ScrollView", "[0,0][400,900]", *inner[:count], scrollable="true", resource_id="a:id/o"))
        for count in (1, 2)
    ]
    assert [sum(one.kind == "scroll" for one in on(screen).candidates) for screen in outer] == [1, 3]


def test_an_index_of_letters_scrolls() -> None:
    found = on(screen_of(button("A\nB\nC", 0), button("A\nBob", 100)))
    assert taps(found) == ["A\nBob"]


def test_a_screen_without_a_control() -> None:
    assert keys(on(screen_of()).candidates) == PHONE


def test_of_very_many_controls_the_first_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumerating, "MAX_CONTROLS", 2)
    found = on(screen_of(*(button(f"Row {nth}", 100 * nth) for nth in range(5))))
    assert keys(found.candidates) == ['press "Row 0"', 'press "Row 1"', *PHONE]
    assert dropped(found, "too many") == ["3 controls"]


def test_what_a_candidate_needs_is_filled_in() -> None:
    found = on(screen_of(node("EditText", "[0,0][400,100]", clickable="true", text="")))
    field = found.candidates[0]
    done = field.completed("Ann")
    assert done.needs is None and done.action.args["value"] == "Ann" and done.key == field.key
    with pytest.raises(ValueError, match="needs nothing"):
        done.completed("Bob")
    answer = next(one for one in found.candidates if one.kind == "answer").completed("8 GB")
    assert answer.proposal.attempts == (Action("answer", {"text": "8 GB"}),)


# ---------------------------------------------------------------- judged


def test_the_guard_leaves_out_what_it_blocks() -> None:
    guard = mail_guard()
    found = allowed(guard.judge_all, guard.program, candidates(Situation("", compose())))
    shown = {one.candidate.text for one in found.kept}
    assert {'type into "To"', 'switch on "Send me a copy"', "go back"} <= shown
    why = {one.text: one for one in found.dropped}
    assert why['press "Send"'].rule == "not allowed" and why['press "Send"'].rules
    assert why["finish: the task is done"].rule == "not done"
    assert why["answer the user"].rule == "not allowed"  # no clause allows one


def test_judging_one_by_one_says_the_same() -> None:
    guard = mail_guard()
    enumeration = candidates(Situation("", compose()))
    batch, single = (
        allowed(judge, guard.program, enumeration) for judge in (guard.judge_all, one_by_one(guard))
    )
    assert [one.candidate for one in batch.kept] == [one.candidate for one in single.kept]
    assert [(one.text, one.rule) for one in batch.dropped] == [(one.text, one.rule) for one in single.dropped]


def test_what_needs_a_text_is_open() -> None:
    guard = mail_guard()
    found = allowed(guard.judge_all, guard.program, candidates(Situation("", compose())))
    assert [one.candidate.needs for one in found.kept if one.open] == ["text", "text", "app"]


def test_an_internal_error_drops_the_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = mail_guard()

    def breaks(proposal: object) -> object:
        raise RuntimeError("broken")

    monkeypatch.setattr(guard.machine, "foreseen", breaks)
    found = allowed(one_by_one(guard), guard.program, candidates(Situation("", compose())))
    assert found.kept == () and "broken" in found.dropped[-1].why


def test_nothing_is_kept_once_the_session_is_over() -> None:
    guard: Guard = mail_guard()
    guard.close()
    found = allowed(guard.judge_all, guard.program, candidates(Situation("", compose())))
    assert found.kept == ()


def test_keys_stay_on_the_next_dump() -> None:
    def both(*nodes: str) -> dict[str, Candidate]:
        return {one.text: one for one in on(screen_of(*nodes)).candidates}

    before = both(button("Save", 0, resource_id="a:id/save"), button("Go", 100))
    after = both(button("Go", 0), button("Save", 200, resource_id="a:id/save"), button("New", 300))
    assert before['press "Save"'].key == after['press "Save"'].key
