"""Whatever a reader is given: its work grows with the length, and it ends with an answer or an error of its own."""

from collections.abc import Callable

import pytest

from tests.project.growth import grows_faster
from tests.project.linear_readers import COUNTED, GENERAL, SPECIAL, texts
from tests.thorough import some

SHORT = 4 * 1024
READERS = dict(texts())


def check(reader: str, shape: str, make: Callable[[int], str]) -> None:
    found = grows_faster(READERS[reader], make, SHORT)
    assert not found, f"{reader}, {shape}: {found}"


def each_with_the_rest(text: str) -> int:
    """A loop in a loop."""
    return sum(1 for at in range(0, len(text), 16) for other in text[at:] if other == "x")


def each_with_a_copy_of_the_rest(text: str) -> int:
    """What takes the time is not Python, as in a regular expression."""
    return sum(text[at:].count("xa") for at in range(0, len(text), 2))


@pytest.mark.slow
@pytest.mark.parametrize("read", [each_with_the_rest, each_with_a_copy_of_the_rest])
def test_what_is_quadratic_is_found(read: Callable[[str], object]) -> None:
    """These tests can fail."""
    assert grows_faster(read, lambda size: "x" * size, 2 * 1024, little=0)


def one_by_one(text: str) -> int:
    """A loop."""
    return sum(1 for letter in text if letter == "x")


@pytest.mark.parametrize("read", [str.split, one_by_one, str.upper])
def test_what_is_linear_is_not(read: Callable[[str], object]) -> None:
    assert not grows_faster(read, lambda size: "x " * size, 50_000, little=0)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_readers_are_linear(reader: str) -> None:
    # each reader meets a sixth of the shapes, and each shape a sixth of the readers; before a release all
    shapes = COUNTED.get(reader) or some(list(GENERAL), 6, begin=list(READERS).index(reader))
    for shape in shapes:
        check(reader, shape, GENERAL[shape])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reader", "shape"), [(reader, shape) for reader, shapes in SPECIAL.items() for shape in shapes]
)
def test_what_was_quadratic(reader: str, shape: str) -> None:
    """The inputs that each took minutes, or crashed, once."""
    check(reader, shape, GENERAL[shape])


def test_a_doubled_key_among_many() -> None:
    assert not grows_faster(READERS["UI tree"], GENERAL["a doubled key at the end"], 64 * 1024)


def near_misses(count: int) -> str:
    """A module with unknown names, each near to many known ones."""
    known = "\n".join(
        f"define Restaurant{number:04}(a = ?a) when Node(text = ?a)." for number in range(3 * count)
    )
    wrong = "\n".join(
        f"define X{number}(a = ?a) when Restaurnt{number:04}(a = ?a)." for number in range(count)
    )
    return f"module a\n{known}\n{wrong}\n"


@pytest.mark.slow
def test_many_near_misses_of_many_names() -> None:
    from vsalang.language.semantics import load_text

    def read(text: str) -> None:
        assert len(load_text(text, file="a.vsa").diagnostics) >= text.count("define X")

    assert not grows_faster(read, near_misses, 32)


@pytest.mark.parametrize("text", ["<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<!ENTITY b 'c'>"])
def test_no_reading_of_a_dump_takes_a_declaration(text: str) -> None:
    """Neither the first one nor the one that reads only what differs."""
    from vsalang.screen.tree import DumpError, load_dump

    inside = '<node text="a" bounds="[0,0][9,9]"/>'
    before = load_dump(f"<hierarchy>{inside}</hierarchy>")
    for dump in (
        f"{text}<hierarchy>{inside}</hierarchy>",
        f"<hierarchy>{text}{inside}</hierarchy>",
        f"<hierarchy>{inside}{text}</hierarchy>",
        f"<hierarchy>{inside}</hierarchy>{text}",
    ):
        for after in (None, before):
            with pytest.raises(DumpError, match="declares nothing"):
                load_dump(dump, after=after)
