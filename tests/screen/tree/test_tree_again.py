"""A dump that is read by what differs from the one before is the dump that is read as a whole: trees, errors, facts."""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thorough import some, times
from vsalang.program.values import Value
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import MAX_DEPTH, DumpError, Tree, load_dump, read_dump, track
from vsalang.screen.tree.source import decode
from vsalang.screen.tree.xml import reread

ROWS = "".join(
    f'<node class="a.Row" bounds="[0,{n * 10}][90,{n * 10 + 10}]" clickable="true"><node class="a.TextView" '
    f'text="Row &amp; {n}" bounds="[0,{n * 10}][50,{n * 10 + 10}]"/></node>\n'
    for n in range(4)
)
DUMP = f'<?xml version="1.0"?><hierarchy rotation="0"><node bounds="[0,0][90,90]" text="Page">{ROWS}</node></hierarchy>'


def by_xml(text: str) -> Tree:
    """The tree of a text, all of which is parsed as XML."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vsalang.screen.tree.reread", lambda text, tags: None)
        return load_dump(text)


def both(before: Tree, text: str) -> Tree | None:
    """The tree of a text, read after another one, alone, and as XML; None if it is not XML. They must agree in all."""
    try:
        alone = by_xml(text)
    except DumpError as error:
        for earlier in (before, None):
            with pytest.raises(DumpError) as caught:
                load_dump(text, after=earlier)
            assert str(caught.value) == str(error)
        return None
    assert load_dump(text) == alone
    whole = track(before, alone)
    again = load_dump(text, after=before)
    assert again.nodes == whole.nodes
    assert (again.windows, again.total, again.notes, again.highest) == (
        whole.windows,
        whole.total,
        whole.notes,
        whole.highest,
    )
    assert (
        TreeScreen(again).fingerprint
        == TreeScreen(whole).fingerprint
        == TreeScreen(load_dump(text)).fingerprint
    )
    for relation in ("Node", "Part", "TextIn"):
        assert TreeScreen(again).rows(relation) == TreeScreen(whole).rows(relation)
    return again


EDITS = [
    ("Row &amp; 1", "Other"),
    ("Row &amp; 1", "&#x1F600;"),
    ("Row &amp; 1", "&nope;"),
    ("Row &amp; 1", "a<b"),
    ("Row &amp; 1", "a>b"),
    ("Row &amp; 1", "\ud800"),
    ("Row &amp; 1", "a\0b"),
    ("Row &amp; 1", 'x" text="y'),
    ("Row &amp; 1", "line\none"),
    ('text="Row &amp; 1"', "text='single \" quote'"),
    ('text="Row &amp; 1"', "text=bare"),
    ('text="Row &amp; 1"', 'a:text="namespace"'),
    ('text="Row &amp; 1"', 'xmlns="urn:x"'),
    ('text="Row &amp; 1"', 'xmlns:a="urn:x" a:text="x"'),
    ('text="Row &amp; 1"', ""),
    ("[0,10][50,20]", "[0,10]"),
    ("[0,10][50,20]", "[0,10][50,20"),
    ("[0,10][50,20]", "[500,500][510,510]"),
    ("</node>\n", "</node>"),
    ("</node>\n", "</node >"),
    ("</node>\n", "</node\n>"),
    ("</node>\n", "</NODE>"),
    ("</node>\n", ""),
    ("</node>\n", "</node></node>"),
    ("</node>\n", "</node>text between"),
    ("</node>\n", "</node>text > between"),
    ("</node>\n", "</node>a/>"),
    ("</node>\n", "</node>]]>"),
    ("</node>\n", "</node><!-- remark -->"),
    ("</node>\n", "</node><!-- <node> -->"),
    ("</node>\n", "</node><![CDATA[<node/>]]>"),
    ("</node>\n", "</node><?target data?>"),
    ("</node>\n", "</node><!DOCTYPE x>"),
    ("</node>\n", '</node><!ENTITY x "y">'),
    ("</node>\n", "</node>&undefined;"),
    ("</node>\n", "</node><hierarchy/>"),
    ("</node>\n", "</node></hierarchy><hierarchy><node bounds='[0,0][1,1]'/>"),
    ("</node>\n", '</node><other bounds="[0,0][5,5]"/>'),
    ("</node>\n", '</node><a.b.C$D bounds="[0,0][5,5]"></a.b.C$D>'),
    ("</node>\n", '</node><node bounds="[0,0][5,5]">/></node>'),
    ("</node>\n", '</node><node bounds="[0,0][5,5]"/>/>'),
    ("</node>\n", '</node><node bounds="[0,0][5,5]">a>'),
    ('clickable="true">', 'clickable="true"/>'),
    ('clickable="true">', 'clickable="true" >'),
    ('clickable="true">', 'clickable="true">\n  '),
    ("<hierarchy", "noise <hierarchy"),
    ("<hierarchy", "<displays><hierarchy"),
    ("<hierarchy", "<!-- x --><hierarchy"),
    ("<hierarchy", "<!DOCTYPE x><hierarchy"),
    ("</hierarchy>", ""),
    ("</hierarchy>", "</hierarchy> UI hierarchy dumped to: /dev/tty"),
    ('rotation="0"', 'rotation="1"'),
    ('rotation="0"', 'xmlns="urn:x"'),
]


@pytest.mark.parametrize(("old", "new"), EDITS)
@pytest.mark.parametrize("turned", [False, True])
def test_every_edit_is_read_as_it_would_be_alone(old: str, new: str, turned: bool) -> None:
    edited = DUMP.replace(old, new, 1)
    assert edited != DUMP
    first, second = (edited, DUMP) if turned else (DUMP, edited)
    try:
        before = load_dump(first)
    except DumpError:
        return
    after = both(before, second)
    both(after or before, DUMP)
    both(after or before, edited)


def test_only_what_differs_is_parsed() -> None:
    before = load_dump(DUMP)
    tags = before.memory["tags"]
    changed = DUMP.replace("Row &amp; 1", "Other")
    found = reread(changed[changed.index("<hierarchy") :], tags)
    assert found is not None
    elements, new = found
    assert len(new) == len(tags) + 1
    assert (
        sum(any(face is tag.face for tag in tags.values()) for face in elements.faces)
        == len(elements.faces) - 1
    )
    after = load_dump(changed, after=before)
    same = [n for n in after.nodes if any(n is other for other in before.nodes)]
    # the text, the row around it, and the page: what they say put together differs
    assert len(after.nodes) - len(same) <= 3


USUAL = '<node index="0" text="{}" class="a.Row" clickable="true" bounds="[0,{}][90,{}]"'
ALIKE = (
    "<hierarchy rotation='0'><node bounds='[0,0][90,90]'>"
    + "".join(USUAL.format(f"Row {n}", n * 10, n * 10 + 10) + " />" for n in range(4))
    + "</node></hierarchy>"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Row 1", "Row &lt; 1"),
        ("Row 1", "Row\t1"),
        ("Row 1", "Row\x7f\x85\u2028\ufdd0 1"),
        ("Row 1", "Row \uffff"),
        ("Row 1", "Row \x01"),
        ("Row 1", "Row \ud800"),
        ("Row 1", "xmlns='urn:x'"),
        ('text="Row 1"', 'text="Row 1" text="Row 1"'),
        ('text="Row 1"', "text='Row 1'"),
        ('text="Row 1"', 'text = "Row 1"'),
        ('text="', 'xmlns="'),
        ('text="', f'{"t" * 200}="'),
        ('text="', f'{"t" * 60_000}="'),
        ('text="', 'text="" text="'),
        ("rotation='0'", 'rotation="0" rotation="0"'),
        ("rotation='0'", 'rotation="0&amp;" xmlns="urn:x"'),
        (" />", "/>"),
        (" />", "  />"),
        (" />", " />a"),
        ("[0,10][90,20]", "[0,10][90,20"),
        ("</node></hierarchy>", "</node ></hierarchy >"),
        ("</node></hierarchy>", "</node></hierarchy\n>"),
        ("</node></hierarchy>", "</node></node></hierarchy>"),
    ],
)
@pytest.mark.parametrize("everywhere", [False, True])
def test_what_a_pattern_reads_is_what_xml_says(old: str, new: str, everywhere: bool) -> None:
    """The tags of this dump are written alike, so that one pattern reads them, also the first one."""
    dump = ALIKE.replace("<node bounds='[0,0][90,90]'>", '<node bounds="[0,0][90,90]">')
    for text in (dump, dump.replace('<node bounds="[0,0][90,90]">', USUAL.format("Page", 0, 90) + ">")):
        edited = text.replace(old, new, -1 if everywhere else 1)
        assert edited != text
        both(load_dump(text), edited)


def test_depth_is_limited_alike() -> None:
    """Also where the deepest node is closed by its own tag, and where the dump before was as deep."""
    deep = "<node bounds='[0,0][9,9]'>".replace("'", '"')
    before = None
    for depth in (MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1):
        text = f"<hierarchy>{deep * (depth - 1)}{deep[:-1]}/>{'</node>' * (depth - 1)}</hierarchy>"
        if depth > MAX_DEPTH:
            assert before is not None
            assert both(before, text) is None
        else:
            before = both(load_dump(DUMP), text)


def test_the_same_text_gives_the_same_tree() -> None:
    """But where the source is called otherwise, or apps were replaced."""
    for data in (DUMP, DUMP.encode()):
        before = load_dump(data)
        assert load_dump(data, after=before) is before
        assert load_dump(data, after=before, name="other") is not before
        assert load_dump(data, after=before, replaced={"a.b"}) is not before
        assert load_dump(f"{DUMP} ", after=before) == before
    doubtful = load_dump(DUMP.replace("[0,10][50,20]", "[500,500][510,510]"))
    assert doubtful.other is not None and load_dump(doubtful.memory["source"], after=doubtful) is not doubtful


def test_memory_of_tags_does_not_grow_without_end() -> None:
    last = load_dump(DUMP)
    for n in range(400):
        last = load_dump(DUMP.replace("Row &amp; 1", f"Other {n}"), after=last)
        assert len(last.memory["tags"]) < 300 and len(last.memory["keys"]) == len(last.nodes)


TEXT = st.text(st.sampled_from("<>/&;\"' ab=\n\0\u202e\ud800[]!?-"), max_size=6)


@pytest.mark.slow
@settings(max_examples=times(100, 300))
@given(st.data())
def test_every_damage_is_read_as_it_would_be_alone(data: st.DataObject) -> None:
    last = load_dump(DUMP)
    text = DUMP
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, min(len(text), begin + 30)))
        insert = data.draw(
            TEXT
            | st.just(text[begin:end])
            | st.sampled_from(["</node>", "<node>", '<node bounds="[0,0][9,9]"/>'])
        )
        text = text[:begin] + insert + text[end:]
        last = both(last, text) or last


def dumps(folder: Path, count: int) -> Iterator[str]:
    for path in some(sorted(folder.glob("*.xml*"))[:count], 3):
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        yield decode(raw, path.name)


@pytest.mark.slow
def test_real_dumps_after_each_other_and_changed(shared_data) -> None:
    rng = random.Random(4)
    last: Tree | None = None
    for text in dumps(shared_data / "ui_dumps", times(103, 309)):
        if last is not None:
            last = both(last, text) or last
        else:
            last = load_dump(text)
        pieces = text.split('text="')
        if len(pieces) > 3:
            at = rng.randrange(1, len(pieces))
            pieces[at] = "changed" + pieces[at][pieces[at].find('"') :]
            last = both(last, 'text="'.join(pieces)) or last
        last = both(last, text) or last
    assert last is not None


def test_unchanged_rows_are_the_same_objects(shared_data) -> None:
    path = max((shared_data / "ui_dumps").glob("*.xml*"), key=lambda p: p.stat().st_size)
    before = read_dump(path)
    screens = [TreeScreen(before)]
    for relation in ("Node", "Part"):
        screens[0].rows(relation)
    text = decode(gzip.decompress(path.read_bytes()), path.name)
    after = load_dump(text + " ", after=before)
    for relation in ("Node", "Part"):
        old: list[dict[str, Value]] = list(screens[0].rows(relation))  # type: ignore[arg-type]
        new = list(TreeScreen(after).rows(relation))
        assert all(one is other for one, other in zip(old, new, strict=True))
