"""What is computed once for each object, and equal objects that stand for one another."""

from vsalang.base import once
from vsalang.base.once import EqualItems, once_each


def test_a_function_is_computed_once_for_each_object() -> None:
    asked: list[object] = []

    @once_each
    def length(item: list[int]) -> int:
        asked.append(item)
        return len(item)

    one, equal = [1, 2], [1, 2]
    assert [length(one), length(one), length(equal)] == [2, 2, 2]
    assert len(asked) == 2 and asked[0] is one and asked[1] is equal


def test_results_are_forgotten_when_there_are_too_many(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(once, "MOST", 2)
    asked: list[int] = []

    @once_each
    def first(item: list[int]) -> int:
        asked.append(item[0])
        return item[0]

    items = [[number] for number in range(5)]
    assert [first(item) for item in [*items, *items]] == [*range(5), *range(5)]
    assert len(asked) > 5


def test_an_equal_item_stands_for_another_of_its_name() -> None:
    kept: EqualItems[list[int]] = EqualItems()
    one, equal, other = [1, 2], [1, 2], [1, 3]
    assert kept.of("a", one) is one and kept.of("a", equal) is one
    assert kept.of("b", equal) is equal
    assert kept.of("a", other) is other
