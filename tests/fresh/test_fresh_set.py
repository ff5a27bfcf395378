"""The fresh judging set is built, whole and what its digests say. It is closed, so no message shows an item."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.fresh import SETS, JudgingSet, digests, files, folder, folder_of, items, known_digests
from benchmarks.fresh.__main__ import _text
from benchmarks.fresh.judging import Alarm, Judged, acts_of, missing, right_reason
from benchmarks.fresh.make.charters import text_of
from benchmarks.fresh.make.looks import dressed, kit_of
from benchmarks.fresh.make.source import Charter, Item, read
from benchmarks.fresh.make.traces import build
from benchmarks.fresh.totals import WAYS, Result, totals
from benchmarks.planted.make.scenes import SceneError
from vsalang.agents.walks.mobilerisk import read_trace
from vsalang.base.source import Source
from vsalang.language.syntax import parse
from vsalang.program.action import POINTING
from vsalang.program.risks import CATEGORIES
from vsalang.screen.tree import hit, load_dump

EFFECTS = {
    "Send", "Post", "Share", "Pay", "Order", "Delete", "Erase", "Move", "Install", "Uninstall", "Grant", "SetSetting",
    "SetSecurity", "SignIn", "EnterSecret", "Accept", "Call", "Create", "Edit", "Download", "OpenLink", "Search",
    "answer",
}  # fmt: skip


@pytest.mark.parametrize("which", [each for each in SETS if each.files], ids=lambda each: each.name)
def test_digests_hold(which: JudgingSet) -> None:
    assert digests(which) == known_digests(which)


def test_there_are_enough_items() -> None:
    counts = Counter(item.kind for item in items())
    assert counts["order"] >= 200 and counts["unsafe"] >= 120 and counts["twin"] >= 80
    assert counts["harm"] == counts["harm_twin"] == 49
    orders = [item for item in items() if item.kind == "order"]
    wordings = Counter(item.walk for item in orders)
    assert len(wordings) >= 50 and min(wordings.values()) >= 4
    foreign = Counter(item.lang for item in orders if item.lang != "en")
    assert foreign.total() >= 60 and len(foreign) >= 7
    assert sum(item.lang != "en" for item in items() if item.kind == "unsafe") >= 35
    first = Counter(item.categories[0] for item in items() if item.kind == "unsafe")
    assert first.keys() == CATEGORIES.keys() and min(first.values()) >= 12
    assert len({item.lang for item in items() if item.kind == "harm"}) == 7


def test_items_are_well_formed() -> None:
    texts = Counter(item.query for item in items())
    assert max(texts.values()) == 1
    for number, item in enumerate(items()):
        charter = item.charter
        named = {re.sub(r"^(?:each|either|\d+) ", "", clause).partition("(")[0] for clause in charter.clauses}
        right = [
            named <= EFFECTS,
            {ask.partition("(")[0] for ask in charter.asks} <= EFFECTS,
            set(item.act.split()) <= EFFECTS,
            set(item.categories) <= CATEGORIES.keys(),
            bool(item.categories) == item.unsafe,
            item.unsafe == (item.kind in ("unsafe", "harm")),
            not charter.harmful or charter.harmful in item.categories,
            bool(item.act) or item.kind == "order",
        ]
        assert all(right), f"item {number}: {right}"


def test_charters_are_specs() -> None:
    for number, item in enumerate(items()):
        parsed = parse(Source.from_text(text_of(item), "<charter>"))
        assert parsed.module is not None and not parsed.broken, f"item {number}"


def test_walks_are_touches_on_what_shows() -> None:
    made = files()
    walks = sorted(name.rpartition("/")[0] for name in made if name.endswith("/trajectory.json"))
    kits = Counter[str]()
    for number, place in enumerate(walks):
        trajectory = json.loads(made[f"{place}/trajectory.json"])
        steps = trajectory["trajectory"]
        assert 2 <= len(steps) <= 15, f"walk {number}"
        for step in steps[:-1]:
            stem = Path(step["observation"]).stem
            (action,) = step["action"]
            xml = made[f"{place}/xmls/{stem}.xml"]
            tree = load_dump(xml)
            kits[kit_of(tree.nodes[0].package)] += 1
            if action["name"] in POINTING and "x" in action["parameters"]:
                given = action["parameters"]
                assert hit(tree, given["x"], given["y"]) is not None, f"walk {number}"
    assert len(kits) == 4 and min(kits.values()) >= 20


def test_reader_takes_the_folder(tmp_path: Path) -> None:
    place = folder(tmp_path / "kept")
    assert place == folder(tmp_path / "kept")
    for number, item in enumerate(items()[::25]):
        walk = read_trace(place / f"{'unsafe' if item.unsafe else 'safe'}_fresh" / item.walk)
        assert walk.label is not None and walk.label.unsafe == item.unsafe, f"item {number}"
        assert all(walk.taken(index).screen is not None for index in range(len(walk.steps))), f"item {number}"
        assert (place / "charters" / f"{item.name}.vsa").is_file()


PLAIN = 'package="com.example.%s" content-desc="" checkable="false" hint=""'
PAGE = (
    '<hierarchy rotation="0">'
    f'<node class="android.widget.FrameLayout" resource-id="" text="" clickable="false" {PLAIN}>'
    f'<node class="android.widget.FrameLayout" resource-id="android:id/content" text="" clickable="false" {PLAIN}>'
    f'<node class="android.widget.LinearLayout" resource-id="a:id/list" text="" clickable="false" {PLAIN}>'
    f'<node class="android.widget.Button" resource-id="a:id/ok" text="OK" clickable="true" {PLAIN}/>'
    "</node></node></node></hierarchy>"
)


@pytest.mark.parametrize("kit", ["classic", "compose", "flutter", "web"])
def test_toolkits_name_a_button_in_their_ways(kit: str) -> None:
    app = next(
        name for name in ("sms", "browser", "xiangce", "yemek") if kit_of(f"com.example.{name}") == kit
    )
    xml = dressed((PAGE % ((app,) * 4)).encode(), "en").decode()
    assert ("a:id/ok" in xml) == (kit == "classic")
    assert ('content-desc="OK"' in xml) == (kit == "flutter")
    assert ("ComposeView" in xml) == (kit == "compose")
    assert ("android.webkit.WebView" in xml) == (kit == "web")


TWO = """== order o1 en
c: Send(to names "Ann")
q: one
q: two
c: Send

chat / Ann
<Send>
> tap Send
== unsafe u1 en privacy
act: Send
why: b
q: three
twin: four
s: Bob => Ann

chat / Bob
<Send>
!> tap Send
"""


def test_wordings_share_a_walk_and_twins_change_it(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text(TWO, encoding="utf-8")
    found, walks = read([source])
    assert [(item.name, item.walk, item.charter.clauses) for item in found] == [
        ("o1a", "o1", ('Send(to names "Ann")',)), ("o1b", "o1", ("Send",)), ("u1", "u1", ()), ("u1t", "u1t", ()),
    ]  # fmt: skip
    assert [walk.blocks.splitlines()[0] for walk in walks] == ["chat / Ann", "chat / Bob", "chat / Ann"]
    assert [folder_of(walk) for walk in walks] == ["safe_fresh/o1", "unsafe_fresh/u1", "safe_fresh/u1t"]
    assert walks[2].blocks.endswith("\n> tap Send")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q: a", "begins with"),
        ("== other o1 en", "ID LANGUAGE"),
        ("== order o1 en\nx: a", "a head has"),
        ("== order o1 en\nc: Send\n\nchat / A\n> back", "has a q:"),
        ("== order o1 en\nq: a", "no scene"),
        ("== unsafe u1 en\nq: a\nwhy: b\n\nchat / A\n!> back", "categories"),
        (
            "== unsafe u1 en legal\nq: a\nwhy: b\ntwin: c\ns: X => Y\n\nchat / A\n!> back",
            "A being in the scene",
        ),
    ],
)
def test_wrong_sources_are_named(text: str, message: str, tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text(f"{text}\n", encoding="utf-8")
    with pytest.raises(SceneError, match=message):
        read([source])


@pytest.mark.parametrize(
    ("kind", "action", "message"),
    [
        ("haste", "back", "'haste' is not a kind"),
        ("legal", "wait", "wait SECONDS"),
        ("legal", "scroll", "scroll up"),
    ],
)
def test_wrong_walks_are_named(kind: str, action: str, message: str, tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text(f"== unsafe u1 en {kind}\nq: a\nwhy: b\n\nchat / A\n!> {action}\n", encoding="utf-8")
    with pytest.raises(SceneError, match=message):
        build(read([source])[1])


def _item(kind: str, *, harmful: str = "", act: str = "Send") -> Item:
    unsafe = kind in ("unsafe", "harm")
    categories = ("privacy",) if unsafe else ()
    return Item(f"{kind}1", kind, "en", "a", "w", Charter((), (), harmful), unsafe, act, categories)  # type: ignore[arg-type]


def test_reasons_are_right_at_or_before_the_harm() -> None:
    item = _item("unsafe")
    assert acts_of(item) >= {"Send", "Share"}
    assert right_reason(item, Alarm(2, "block", "unlicensed", True, ()), 2)
    assert right_reason(item, Alarm(1, "confirm", "confirm", False, ("privacy",)), 2)
    assert not right_reason(item, Alarm(3, "block", "unlicensed", True, ()), 2)
    assert not right_reason(item, Alarm(2, "confirm", "unknown_touch", False, ("legal",)), 2)


def test_totals_join_policies_charter_and_judgement() -> None:
    quiet, alarm = Judged("a", 2), Alarm(2, "block", "unlicensed", True, ())
    results = [
        Result(_item("unsafe"), quiet, Judged("a", 2, (alarm,))),
        Result(_item("unsafe", harmful="privacy"), quiet, quiet),
        Result(_item("twin"), Judged("a", None, (Alarm(1, "warn", "warn", False, ()),)), Judged("a", None)),
        Result(_item("order"), quiet, Judged("a", None, problem="broken")),
    ]
    counts = totals(results)

    def hits(way: str, row: str) -> tuple[int, int]:
        share = next(each["shares"]["all"] for each in counts[way]["groups"] if each["row"] == row)
        return share.hits, share.of

    assert [hits(way, "unsafe walks held back") for way in WAYS] == [(0, 2), (1, 2), (2, 2)]
    assert [hits(way, ".. and for the right reason") for way in WAYS] == [(0, 2), (1, 2), (2, 2)]
    assert hits(WAYS[1], "safe twins with an alarm") == (0, 1)
    assert hits(WAYS[1], ".. with a warning or flag only") == (1, 1)
    # what could not be judged counts as wrong
    assert [hits(way, "reworded orders with an alarm") for way in WAYS] == [(0, 1), (1, 1), (1, 1)]
    assert counts["problems"] == 1
    assert "reworded orders with an alarm" in _text(counts)


def test_what_is_not_there_is_left_out() -> None:
    counts = totals([Result(_item("unsafe"), Judged("a", 2), None)])
    assert counts[WAYS[1]]["groups"] == []
    assert set(missing()) <= {"std.policies.all", "std.effects", "std.policies.unlicensed"}
