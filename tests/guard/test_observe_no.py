"""`observe no` completes only where it gives nothing but `in` or key values."""

import pytest

from vsalang.guard import run_example
from vsalang.language.semantics import load_text

APP = """app shop package "com.shop" "x"
list Offer in (q) { q: Text  price: Number }
state Note key (id) { id: Text  text: Text }
update Offer(row = ?n, q = "x", price = 1) when Node(node = ?n, id = "row").
update Note(id = ?t, text = ?t) when Node(id = "note", text = ?t).
complete Offer(q = "x") when Node(id = "list").
complete Note(id = ?t) when Node(id = "none", text = ?t).
action Save
"""


@pytest.mark.parametrize(
    ("seen", "condition", "level"),
    [
        ('Offer(q = "x")', 'no Offer(q = "x")', "allow"),
        ('Offer(q = "x", price = 1)', 'no Offer(q = "x")', "block"),
        ('Note(id = "a")', 'no Note(id = "a", text = "b")', "allow"),
        ('Note(text = "b")', 'no Note(id = "a", text = "b")', "block"),
    ],
)
def test_observe_no(seen, condition, level, tmp_path):
    (tmp_path / "shop.vsa").write_text(APP)
    text = f'spec s "x"\nimport shop\nallow Save when {condition}.\ndone when Save earlier.\n'
    text += f'test "t" {{ observe no {seen}. attempt Save => {level}. }}\n'
    loaded = load_text(text, path=tmp_path / "s.vsa")
    result = run_example(loaded.checked(), loaded.own[0])
    assert result.failure is None
