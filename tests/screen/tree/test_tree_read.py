"""Reading dumps: every real one, every quirk, and data that is hostile."""

import gzip

import pytest

from tests.thorough import some
from vsalang.screen.screen import TooManyRows, TreeScreen
from vsalang.screen.tree import MAX_BYTES, MAX_DEPTH, MAX_NODES, DumpError, load_dump, read_dump

NODE = '<node bounds="[0,0][100,100]"'
PLAIN = f'<hierarchy rotation="0">{NODE} text="Grüße" resource-id="a.b:id/c" class="x.y.Button"/></hierarchy>'
DECLARED = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>" + PLAIN


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        PLAIN.encode(),
        DECLARED,
        DECLARED.encode(),
        b"\xef\xbb\xbf" + DECLARED.encode(),
        DECLARED.encode("utf-16"),
        b"\xfe\xff" + DECLARED.encode("utf-16-be"),
        DECLARED.encode("utf-16-le"),
        PLAIN.encode("utf-16-be"),
        DECLARED + "UI hierchary dumped to: /dev/tty\r\n",
        "\nwindow_dump.xml:1:" + DECLARED + "\n\n",
        ("WARNING: linker\n" + DECLARED + "UI hierchary dumped to: /dev/tty\r\n").encode("utf-16"),
        PLAIN.replace("<node", "<x.y.Button").replace(' class="x.y.Button"', ""),
        PLAIN.replace("/><", "><!-- a comment --><?pi x?></node ><"),
    ],
)
def test_every_wrapping_of_a_dump_reads_the_same(data: bytes | str) -> None:
    (node,) = load_dump(data).nodes
    assert (node.text, node.id, node.resource_id, node.cls) == ("Grüße", "c", "a.b:id/c", "Button")


@pytest.mark.slow
def test_all_real_dumps_load(shared_data) -> None:
    index = (shared_data / "ui_dumps" / "index.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in index[1:]]
    assert len(rows) == 309
    for row in some(rows, 3):
        tree = read_dump(shared_data / "ui_dumps" / row[0])
        assert tree.total == int(row[6]), row[0]
        assert tree.nodes and tree.windows
        screen = TreeScreen(tree)
        for relation in screen.relations():
            screen.rows(relation)
        for node in tree.nodes:
            if node.clickable:
                assert screen.target("tap", {"node": node.node})["y"] == node.centre[1]


def test_a_second_hierarchy_is_noted() -> None:
    assert "2 hierarchies" in load_dump(PLAIN + "\n" + PLAIN).notes[0]


def test_an_empty_hierarchy_has_no_nodes() -> None:
    for data in ("<hierarchy/>", '<hierarchy rotation="0" />', "<hierarchy></hierarchy>"):
        tree = load_dump(data)
        assert (tree.nodes, tree.windows, tree.total) == ((), (), 0)


BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>' + PLAIN.replace(
    "Grüße", "&b;"
)
OUTSIDE = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + PLAIN.replace("/><", ">&a;</node><")


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        ("", "is empty", None),
        (b"", "is empty", None),
        ("hello", 'it begins "hello"', None),
        ("ERROR: null root node returned by UiTestAutomationBridge.", "ERROR: null root node", None),
        ("\x1b[31m<hierarchyx/>", "\\u{001B}", None),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(128, 255)), "not UTF-8: byte 0x89", 1),
        (b"\n\n" + PLAIN.encode("latin-1"), "not UTF-8: byte 0xfc", 3),
        (b"\xff\xfe" + "<hierarchy>".encode("utf-16-le") + b"\x00\xd8", "not UTF-16", 1),
        (PLAIN.replace("Gr", "\0"), "NUL", 1),
        ("\n" + PLAIN.replace("Gr", "&#0;"), "broken XML", 2),
        (PLAIN.replace("Gr", "\udc00"), "surrogate", 1),
        (PLAIN[:-9], "cut off", 1),
        ("\n\n<hierarchy>\n<node\n", "cut off", 4),
        ("<hierarchy>\n" + NODE + "></hierarchy>", "broken XML", 2),
        (PLAIN.replace('text="', 'text="<'), "broken XML", 1),
        (PLAIN.replace("Grüße", "&nothing;"), "broken XML", 1),
        (PLAIN.replace("/><", ">&nothing;</node><"), "broken XML", 1),
        (BOMB, "<!DOCTYPE", 1),
        (OUTSIDE, "<!DOCTYPE", 1),
        (PLAIN.replace("text=", 'text="x" text='), "broken XML", 1),
        ("<hierarchy>\n<node/></hierarchy>", "no bounds", 2),
        ('<hierarchy>\n<node bounds="[0,0][1,1"/></hierarchy>', "unreadable bounds", 2),
        ('<hierarchy><node bounds="[0,0][1e9,1]"/></hierarchy>', "unreadable bounds", 1),
        (f'<hierarchy><node bounds="[0,0][{"9" * 5000},1]"/></hierarchy>', "unreadable bounds", 1),
        ("<hierarchy>\n<hierarchy></hierarchy>", "broken XML", 2),
        ("<hierarchy>\n<hierarchy/></hierarchy>", "hierarchy inside a hierarchy", 2),
        ('<displays><display id="0"><hierarchy/></display></displays>', "--windows", None),
        ("<hierarchy>" + f"{NODE}>" * 5000 + "</node>" * 5000 + "</hierarchy>", "nested", 1),
        (
            "<hierarchy>" + f"{NODE}>" * (MAX_DEPTH + 1) + "</node>" * (MAX_DEPTH + 1) + "</hierarchy>",
            "nested",
            1,
        ),
        ("<hierarchy>" + "<node>" * 1_000_000, "cut off", 1),
        ("<hierarchy>" + f"{NODE}/>" * (MAX_NODES + 1) + "</hierarchy>", "more than", 1),
        ("<hierarchy>" + " " * MAX_BYTES + "</hierarchy>", "larger than", None),
        (b"<hierarchy>" + b" " * MAX_BYTES + b"</hierarchy>", "larger than", None),
        ("<hierarchy " + "a='' " * 200_000, "cut off", 1),
    ],
)
def test_hostile_or_broken_data_is_an_error_with_place(data, message: str, line: int | None) -> None:
    with pytest.raises(DumpError) as caught:
        load_dump(data, name="d.xml")
    assert message in caught.value.message
    assert caught.value.line == line
    assert str(caught.value).startswith(f"d.xml:{line}: " if line else "d.xml: ")
    assert len(str(caught.value)) < 400


def test_the_deepest_allowed_tree_loads() -> None:
    deep = load_dump("<hierarchy>" + f"{NODE} text='a'>" * MAX_DEPTH + "</node>" * MAX_DEPTH + "</hierarchy>")
    assert [node.parent for node in deep.nodes] == [None, *range(1, MAX_DEPTH)]


@pytest.mark.parametrize("many", [500, pytest.param(MAX_NODES, marks=pytest.mark.soak)])
def test_a_wide_tree_loads(many: int) -> None:
    """Up to the widest that is allowed."""
    wide = TreeScreen(load_dump("<hierarchy>" + f"{NODE}/>" * many + "</hierarchy>"))
    assert len(wide.rows("Node")) == len(wide.rows("Part")) == many


@pytest.mark.slow
def test_rows_are_bounded() -> None:
    chain = MAX_DEPTH - 1
    data = f"{NODE}>" * chain + f"{NODE}/>" * 3000 + "</node>" * chain
    screen = TreeScreen(load_dump(f"<hierarchy>{data}</hierarchy>"))
    with pytest.raises(TooManyRows):
        screen.rows("Part")


@pytest.mark.slow
def test_files_plain_and_packed(tmp_path) -> None:
    packed = tmp_path / "a.xml"  # the content says that it is gzip, not the name
    packed.write_bytes(gzip.compress(PLAIN.encode()))
    plain = tmp_path / "b.xml"
    plain.write_bytes(PLAIN.encode())
    assert read_dump(packed).nodes == read_dump(plain).nodes
    packed.write_bytes(gzip.compress(PLAIN.encode())[:-12])
    with pytest.raises(DumpError, match="broken gzip"):
        read_dump(packed)
    packed.write_bytes(gzip.compress(b"\0" * (MAX_BYTES * 20)))
    with pytest.raises(DumpError, match="larger than"):
        read_dump(packed)
    with pytest.raises(FileNotFoundError):
        read_dump(tmp_path / "none.xml")
