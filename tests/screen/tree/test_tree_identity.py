"""Which nodes keep their numbers from one look to the next: small cases one by one, and properties of all changes."""

import random
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, Tree, hit, load_dump, read_dump, track

VIEW, TEXT, LIST = "android.view.View", "android.widget.TextView", "androidx.recyclerview.widget.RecyclerView"


def node(*kids: str, cls: str = VIEW, bounds: str = "[0,0][900,900]", **attrs: str) -> str:
    values = {"class": cls, "package": "com.app", "bounds": bounds, "enabled": "true"}
    values |= dict.fromkeys(("clickable", "long-clickable", "checkable", "scrollable"), "false")
    values |= {name.replace("_", "-"): value for name, value in attrs.items()}
    return f"<node {' '.join(f'{k}={quoteattr(v)}' for k, v in values.items())}>{''.join(kids)}</node>"


def text(said: str, **attrs: str) -> str:
    return node(cls=TEXT, text=said, **attrs)


def row(title: str, *more: str, **attrs: str) -> str:
    return node(text(title), *more, clickable="true", **attrs)


def listed(*rows: str, **attrs: str) -> str:
    return node(*rows, cls=LIST, scrollable="true", **attrs)


def tree(*windows: str) -> Tree:
    return load_dump(f"<hierarchy>{''.join(windows)}</hierarchy>")


def page(*kids: str) -> Tree:
    return tree(node(text("Page"), *kids))


def kept(before: Tree, after: Tree) -> dict[str, bool]:
    """For each label of the new tree that only one node has: whether that node has its old number."""
    old = {n.label: n.node for n in before.nodes if n.label}
    return {n.label: old.get(n.label) == n.node for n in after.nodes if n.label and n.text}


def test_an_identical_dump_has_identical_numbers_and_objects() -> None:
    made = page(listed(row("A"), row("A"), row("B")))
    again = track(made, page(listed(row("A"), row("A"), row("B"))))
    assert again.nodes == made.nodes
    assert all(one is other for one, other in zip(made.nodes, again.nodes, strict=True))
    assert again.highest == made.highest


def test_a_row_keeps_its_number_while_the_list_scrolls() -> None:
    first = page(listed(row("A"), row("B"), row("C")))
    second = track(first, page(listed(row("B"), row("C"), row("D"))))
    assert kept(first, second) == {"Page": True, "B": True, "C": True, "D": False}
    numbers = {n.node for n in first.nodes}
    new = {n.node for n in second.nodes if n.label == "D"}
    assert min(new) > max(numbers)
    third = track(second, page(listed(row("A"), row("B"), row("C"))))
    assert kept(second, third) == {"Page": True, "A": False, "B": True, "C": True}
    assert {n.node for n in third.nodes if n.label == "A"}.isdisjoint(
        numbers | {n.node for n in second.nodes}
    )


def test_order_is_where_nodes_stand() -> None:
    first = page(listed(row("B"), row("C")))
    second = track(first, page(listed(row("A"), row("B"), row("C"))))
    by_place = [n.label for n in sorted(second.nodes, key=lambda n: n.place) if n.text]
    assert by_place == ["Page", "A", "B", "C"]
    by_number = [n.label for n in sorted(second.nodes, key=lambda n: n.node) if n.text]
    assert by_number == ["Page", "B", "C", "A"]
    screen = TreeScreen(second)
    texts = [(cells["nth"], cells["text"]) for cells in screen.rows("TextIn") if cells["of"] == 1]
    assert texts == [(1, "Page"), (2, "A"), (3, "B"), (4, "C")]
    nexts = {(cells["node"], cells["next"]) for cells in screen.rows("Next")}
    rows = [n.node for n in second.nodes if n.clickable]
    assert {(rows[0], rows[1]), (rows[1], rows[2])} <= nexts


def test_a_different_row_in_the_same_place_is_new() -> None:
    first = page(listed(row("A", resource_id="a:id/row"), row("B", resource_id="a:id/row")))
    second = track(first, page(listed(row("C", resource_id="a:id/row"), row("D", resource_id="a:id/row"))))
    assert kept(first, second) == {"Page": True, "C": False, "D": False}
    one = page(listed(row("A", resource_id="a:id/row")))
    assert not kept(one, track(one, page(listed(row("B", resource_id="a:id/row")))))["B"]


def test_a_row_whose_summary_changes_is_the_same_row() -> None:
    first = page(listed(row("Wi-Fi", text("Off")), row("Bluetooth", text("Off"))))
    second = track(first, page(listed(row("Wi-Fi", text("Connected")), row("Bluetooth", text("Off")))))
    rows = [[n.node for n in made.nodes if n.clickable] for made in (first, second)]
    assert rows[0] == rows[1]


def test_a_unique_id_keeps_its_number_with_new_words() -> None:
    first = page(
        text("3", resource_id="a:id/count"), node(cls="android.widget.Button", resource_id="a:id/go")
    )
    second = track(first, page(text("4", resource_id="a:id/count"), node(cls="android.widget.Button")))
    assert [n.node for n in second.nodes] == [1, 2, 3, 5]


def test_a_field_keeps_its_number_while_one_types() -> None:
    field = "android.widget.EditText"
    first = page(node(node(cls=field, text="Sear")))
    assert [n.node for n in track(first, page(node(node(cls=field, text="Search")))).nodes] == [1, 2, 3, 4]


def test_a_counter_between_its_buttons_is_the_same() -> None:
    def counter(number: str) -> Tree:
        return page(node(row("-"), text(number), row("+")))

    three, four = counter("3"), track(counter("3"), counter("4"))
    assert [n.node for n in four.nodes] == [n.node for n in three.nodes]

    def button(said: str) -> Tree:
        return page(node(row(said)))

    first = button("Cancel")
    second = track(first, button("Pay"))
    assert not {n.node for n in second.nodes if n.clickable} & {n.node for n in first.nodes}


def test_a_renamed_button_in_its_place_is_the_same() -> None:
    def buttons(left: str, right: str, edge: int) -> Tree:
        one = node(cls="android.widget.Button", text=left, clickable="true", bounds="[0,0][100,50]")
        other = node(cls="android.widget.Button", text=right, clickable="true", bounds=f"[{edge},0][300,50]")
        return page(node(one, other))

    first = buttons("Back", "Follow", 100)
    assert [n.node for n in track(first, buttons("Back", "Following", 100)).nodes] == [
        n.node for n in first.nodes
    ]
    moved = track(first, buttons("Back", "Following", 120)).nodes
    assert [n.node for n in moved[:-1]] == [n.node for n in first.nodes[:-1]] and moved[
        -1
    ].node > first.highest
    both = track(first, buttons("Cancel", "Pay", 100)).nodes
    assert not {n.node for n in both[-2:]} & {n.node for n in first.nodes}


def test_no_equal_sibling_is_taken_for_another() -> None:
    first = page(listed(row("A"), row("X"), row("X"), row("B")))
    second = track(first, page(listed(row("A"), row("X"), row("B"))))
    assert kept(first, second)["A"] and kept(first, second)["B"]
    assert not {n.node for n in second.nodes if n.label == "X"} & {n.node for n in first.nodes}
    scrolled = track(first, page(listed(row("X"), row("X"), row("B"), row("C"))))
    old = [n.node for n in first.nodes if n.label == "X"]
    assert [n.node for n in scrolled.nodes if n.label == "X"] == old


def test_reordered_siblings_keep_their_numbers() -> None:
    first = page(node(row("A"), row("B"), row("C")))
    second = track(first, page(node(row("C"), row("A"), row("B"))))
    assert all(kept(first, second).values())


def test_a_page_that_scrolls_keeps_what_still_shows() -> None:
    def form(*kids: str) -> Tree:
        return page(node(node(*kids), cls="android.widget.ScrollView", scrollable="true"))

    first = form(text("Name"), row("First", resource_id="a:id/first"), row("Last", resource_id="a:id/last"))
    second = track(
        first,
        form(row("First", resource_id="a:id/first"), row("Last", text("Miller"), resource_id="a:id/last")),
    )
    assert [n.node for n in second.nodes if n.clickable] == [n.node for n in first.nodes if n.clickable]
    assert second.nodes[3].node == first.nodes[3].node


@pytest.mark.parametrize("kind", ["another package", "nothing in common", "said to be replaced", "moved"])
def test_a_window_that_is_another_one_has_new_numbers(kind: str) -> None:
    first = tree(node(row("Navigate up"), row("Pay"), package="com.app"))
    other = {"another package": "com.other"}.get(kind, "com.app")
    words = ("Delete", "Sure?") if kind == "nothing in common" else ("Navigate up", "Pay all")
    bounds = "[50,50][400,400]" if kind == "moved" else "[0,0][900,900]"
    kids = [row(word) for word in words] if kind != "moved" else [row("Delete")]
    replaced = {"com.app"} if kind == "said to be replaced" else ()
    second = track(first, tree(node(*kids, package=other, bounds=bounds)), replaced=replaced)
    assert not {n.node for n in second.nodes} & {n.node for n in first.nodes}


def test_a_dialog_is_new_and_the_app_stays() -> None:
    app = node(row("Pay"), row("Cancel"))
    first = tree(app)
    second = track(first, tree(node(row("Sure?"), bounds="[100,100][500,500]"), app))
    assert [n.node for n in second.nodes if n.window == 2] == [n.node for n in first.nodes]
    assert min(n.node for n in second.nodes if n.window == 1) > first.highest
    third = track(second, first)
    assert [n.node for n in third.nodes] == [n.node for n in first.nodes]
    assert third.highest == second.highest


def test_fingerprints_do_not_tell_how_nodes_are_numbered() -> None:
    first = page(listed(row("B"), row("C")))
    now = page(listed(row("A"), row("B"), row("C")))
    tracked = track(first, now)
    assert [n.node for n in tracked.nodes] != [n.node for n in now.nodes]
    assert TreeScreen(tracked).fingerprint == TreeScreen(now).fingerprint != TreeScreen(first).fingerprint


def test_an_earlier_screens_number_is_no_node_here() -> None:
    upper, lower = "[0,0][900,90]", "[0,90][900,180]"
    first = page(listed(row("A", bounds=upper), row("B", bounds=lower)))
    second = track(first, page(listed(row("B", bounds=upper), row("C", bounds=lower))))
    (gone,) = [n.node for n in first.nodes if n.label == "A" and n.clickable]
    with pytest.raises(UnresolvedTarget, match="earlier screen"):
        TreeScreen(second).target("tap", {"node": gone})
    (still,) = [n.node for n in second.nodes if n.label == "B" and n.clickable]
    assert TreeScreen(second).target("tap", {"node": still})["label"] == "B"


# ---------------------------------------------------------------------- all changes

WORDS = st.sampled_from(["", "A", "B", "C", "D"])


@st.composite
def kids(draw: st.DrawFn, depth: int = 2) -> str:
    inner = [draw(kids(depth - 1)) for _ in range(draw(st.integers(0, 3)))] if depth else []
    attrs = {
        "text": draw(WORDS),
        "clickable": draw(st.sampled_from(["true", "false"])),
        "scrollable": draw(st.sampled_from(["false", "false", "true", ""])),
        "resource_id": draw(st.sampled_from(["", "", "a:id/x", "a:id/y"])),
        "drawing_order": str(draw(st.integers(0, 3))),
    }
    return node(*inner, cls=draw(st.sampled_from([VIEW, TEXT])), **attrs)


TREES = st.lists(kids(), min_size=0, max_size=3).map(lambda made: tree(node(*made)))


@pytest.mark.slow
@given(st.lists(TREES, min_size=2, max_size=5))
def test_over_any_looks_numbers_are_never_given_twice(looks: list[Tree]) -> None:
    last: Tree | None = None
    ever: set[int] = set()
    for look in looks:
        now = track(last, look)
        numbers = [n.node for n in now.nodes]
        assert len(set(numbers)) == len(numbers) and max(numbers, default=0) <= now.highest
        shown = {n.node for n in last.nodes} if last else set()
        assert not (set(numbers) - shown) & ever  # a number that went does not come back
        ever |= set(numbers)
        for one, plain in zip(now.nodes, look.nodes, strict=True):
            assert one.place == plain.place and (one.parent is None) == (plain.parent is None)
            if one.parent is not None:
                assert one.parent < one.node
                assert now.by_number[one.parent].place == look.by_number[plain.parent or 0].place
            if last is not None and one.node in last.by_number:
                was = last.by_number[one.node]
                assert (was.package, was.cls, was.resource_id) == (one.package, one.cls, one.resource_id)
        assert TreeScreen(now).fingerprint == TreeScreen(look).fingerprint
        again = track(now, look)
        assert again.nodes == now.nodes
        last = now


@pytest.mark.slow
@given(TREES, TREES, st.integers(0, 899), st.integers(0, 899))
def test_facts_and_hits_do_not_depend_on_numbers(before: Tree, now: Tree, x: int, y: int) -> None:
    tracked = track(before, now)
    place = {n.node: n.place for n in tracked.nodes}
    one, other = TreeScreen(now), TreeScreen(tracked)
    named = ("node", "root", "parent", "of", "next", "control", "list", "leaf", "taker", "was")

    def plain(cells: dict) -> dict:
        return {name: place[value] if name in named else value for name, value in cells.items()}

    for relation in one.relations():
        assert list(one.rows(relation)) == [plain(dict(cells)) for cells in other.rows(relation)]
    found = hit(tracked, x, y)
    assert (found is None) == (hit(now, x, y) is None)
    if found is not None:
        assert dict(one.target("tap", {"x": x, "y": y})) == plain(dict(other.target("tap", {"x": x, "y": y})))


@given(st.data())
def test_no_row_with_own_words_is_taken_for_another(
    data: st.DataObject,
) -> None:
    rng = random.Random(data.draw(st.integers(0, 10**6)))
    scrolls = data.draw(st.booleans())
    ids = data.draw(st.sampled_from(["", "a:id/row", "own"]))
    names = iter(range(1000))
    rows = [next(names) for _ in range(data.draw(st.integers(1, 6)))]

    def made() -> Tree:
        named = {n: f"a:id/row{n}" if ids == "own" else ids for n in rows}
        said = [row(f"Title {n}", text(rng.choice("xyz")), resource_id=named[n]) for n in rows]
        return page(listed(*said) if scrolls else node(*said))

    last = track(None, made())
    who: dict[int, str] = {}
    for _ in range(4):
        for n in last.nodes:
            if n.clickable:
                title = next(inner.text for inner in last.inside(n) if inner.text)
                assert who.setdefault(n.node, title or "") == title
        before = {who[n.node]: n.node for n in last.nodes if n.clickable}
        change = data.draw(st.sampled_from(["insert", "remove", "shuffle", "scroll"]))
        if change == "insert":
            rows.insert(rng.randrange(len(rows) + 1), next(names))
        elif change == "remove" and len(rows) > 1:
            rows.pop(rng.randrange(len(rows)))
        elif change == "shuffle":
            rng.shuffle(rows)
        else:
            rows = [*rows[1:], next(names)]
        last = track(last, made())
        for n in last.nodes:
            if n.clickable:
                title = next(inner.text for inner in last.inside(n) if inner.text) or ""
                assert before.get(title, n.node) == n.node  # and who stayed kept its number


@pytest.mark.slow
def test_real_dumps_keep_their_numbers_and_their_facts(shared_data) -> None:
    folder = shared_data / "ui_dumps"
    previous: Tree | None = None
    for path in sorted(folder.glob("*.xml*"))[:120]:
        try:
            look = read_dump(path)
        except DumpError:
            continue
        again = track(look, read_dump(path))
        assert all(one is other for one, other in zip(look.nodes, again.nodes, strict=True))
        tracked = track(previous, look)
        assert TreeScreen(tracked).fingerprint == TreeScreen(look).fingerprint
        assert [n.place for n in tracked.nodes] == [n.node for n in look.nodes]
        previous = tracked
    assert previous is not None
