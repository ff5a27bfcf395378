"""Quick frozen dataclasses are what Python's are, method by method."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from vsalang.base.records import dataclass as quick
from vsalang.language.syntax import tree
from vsalang.program import ir


@quick(frozen=True, slots=True)
class Quick:
    """A record."""

    a: int
    b: str = "b"
    c: list[int] = dataclasses.field(default_factory=list)
    d: int = dataclasses.field(default=0, compare=False, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    """The same by Python."""

    a: int
    b: str = "b"
    c: list[int] = dataclasses.field(default_factory=list)
    d: int = dataclasses.field(default=0, compare=False, repr=False)


def test_construction_is_that_of_a_dataclass() -> None:
    for args, named in (((1,), {}), ((1, "x", [2], 3), {}), ((), {"a": 1, "c": [1], "d": 5})):
        quick_one, plain = Quick(*args, **named), Plain(*args, **named)  # type: ignore[arg-type]
        assert dataclasses.asdict(quick_one) == dataclasses.asdict(plain)
        assert repr(quick_one) == repr(plain).replace("Plain", "Quick")
    assert Quick(1).c is not Quick(1).c
    for wrong in ({}, {"a": 1, "e": 2}):
        with pytest.raises(TypeError):
            Quick(**wrong)  # type: ignore[arg-type]
    assert Quick.__match_args__ == Plain.__match_args__


def test_a_field_without_default_follows_none_with_one() -> None:
    """As in Python the class is refused, not only its first object."""

    class Wrong:
        a: int = 1
        b: int = dataclasses.field()

    for make in (quick(frozen=True, slots=True), dataclasses.dataclass(frozen=True, slots=True)):
        with pytest.raises(TypeError, match=r"b.* follows "):
            make(Wrong)


def test_equality_and_hash_are_those_of_a_dataclass() -> None:
    assert Quick(1, d=1) == Quick(1, d=2) and Quick(1) != Quick(2) and Quick(1) != Plain(1)
    assert hash(Quick(1, c=())) == hash(Plain(1, c=())) == hash(Quick(1, c=(), d=9))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hash(Quick(1))


def test_nothing_can_be_changed() -> None:
    one: Any = Quick(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'a'"):
        one.a = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.a
    with pytest.raises(AttributeError):
        one.new = 2


@pytest.mark.parametrize("same", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_are_equal(same: Any) -> None:
    one = Quick(1, "x", [1, 2], 3)
    assert same(one) == one and same(one).d == 3
    assert dataclasses.replace(one, b="y") == Quick(1, "y", [1, 2])


def test_core_and_tree_have_the_methods_of_dataclasses() -> None:
    assert ir.Const(1, ir.NUMBER) == ir.Const(1, ir.NUMBER)
    assert hash(ir.Var("x")) == hash(ir.Var("x"))
    assert [field.name for field in dataclasses.fields(tree.Module)][:2] == list(
        tree.Module.__match_args__[:2]
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        ir.Var("x").name = "y"  # type: ignore[misc]
