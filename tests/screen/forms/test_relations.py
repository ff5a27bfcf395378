"""The relations of `std.forms` are there, and only those that it declares."""

from tests.screen.control.making import node, page
from vsalang.program.vocabulary import NATIVE
from vsalang.screen.forms import RELATIONS
from vsalang.screen.screen import TreeScreen


def test_a_relation_is_made_for_each_that_is_declared() -> None:
    assert NATIVE["std.forms"].keys() == RELATIONS.keys()
    screen = TreeScreen(page(node("Button", text="Save", clickable="true")))
    assert RELATIONS.keys() <= screen.relations()
    for name, relation in NATIVE["std.forms"].items():
        known = {attr.name for attr in relation.attrs}
        assert all(row.keys() <= known for row in screen.rows(name))
