"""A gesture's effect must not take away what the permission of the same control needs; other rows may go (E0417)."""

import pytest

from vsalang.language.semantics import load_text

APP = """app cart package "com.cart" "x"
state Item key (name) { name: Text  price: Number }
view Pad { text: Text  sent: Bool }
action Remove(name: Text)
action Send(text: Text)
update Item(name = ?t) when Node(id = "item", text = ?t).
update Pad(text = ?v) when input_text(id = "pad", value = ?v).
define Cheap(name = ?n) when Item(name = ?n, price < 3).
recognize Remove(name = ?n) when tap(id = "remove", desc = ?n).
recognize Send(text = ?t) when tap(id = "send") with Pad(text = ?t).
"""
GOES = 'delete Item(name = ?n) when tap(id = "remove", desc = ?n).'


@pytest.mark.parametrize(
    ("effect", "allow", "wrong"),
    [
        (GOES, 'Remove(name = "milk") when Item(name = "milk")', True),
        (GOES, "Remove(name = ?x) when Item(name = ?x, price > 3)", True),
        (GOES, "Remove(name = ?x) when Cheap(name = ?x)", True),
        (GOES, 'Remove when Item(name = "milk")', True),
        (GOES, 'Remove(name = "milk") when before Item(name = "milk")', False),
        # another row stays
        (GOES, 'Remove(name = "milk") when Item(name = "tea")', False),
        (GOES, 'Remove(name = "milk") when Item(name = ?other, price > 3)', False),
        (GOES, 'Remove(name = "milk") when Cheap(name = "tea")', False),
        # it is not this control, or the effect does not always come
        (
            'delete Item(name = "milk") when tap(id = "remove", text = "all").',
            'Remove when Item(name = "milk")',
            False,
        ),
        (
            'delete Item(name = "milk") when tap(id = "remove"), Pad(sent = true).',
            'Remove when Item(name = "milk")',
            False,
        ),
        # a cell that is erased is gone, too
        ('delete Pad when tap(id = "send").', 'Send when Pad(text = "hi")', True),
        ('update Pad(text = unknown, ..) when tap(id = "send").', 'Send when Pad(text = "hi")', True),
        ('update Pad(sent = unknown, ..) when tap(id = "send").', 'Send when Pad(text = "hi")', False),
        ('update Pad(text = unknown, ..) when tap(id = "clear").', 'Send when Pad(text = "hi")', False),
        (
            'update Item(name = "tea", price = unknown) when tap(id = "send").',
            'Send when Item(name = "milk", price = 3)',
            False,
        ),
        (
            'update Item(name = "tea", price = unknown) when tap(id = "send").',
            'Send when Item(name = "tea", price = 3)',
            True,
        ),
    ],
)
def test_what_the_permission_needs_is_still_there(tmp_path, effect, allow, wrong):
    (tmp_path / "cart.vsa").write_text(APP + effect + "\n")
    text = f'spec s "x"\nimport cart\nallow {allow}.\ndone when Pad(sent = true).\n'
    loaded = load_text(text, path=tmp_path / "s.vsa")
    codes = [d.code for d in loaded.diagnostics if d.severity.value == "error"]
    assert codes == (["E0417"] if wrong else [])
