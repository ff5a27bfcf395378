"""A contract is met by what was seen after the action, not by what was only predicted of it."""

import pytest

from vsalang.guard import run_example
from vsalang.language.semantics import load_text

APP = """\
app todo package "com.todo" "Todo"
screen Main when Node(id = "main").
list Item key (name) "what is to be done" {{ name: Text  done: Bool }}
action Tick(name: Text) "tick off"
update Item(name = ?n, done = true) when Tick(name = ?n).
expect {wanted} when Tick.
test "tick" {{
  observe screen Main.
  observe Item(name = "a", done = false, at = 1).
  observe complete Item.
  step {{ attempt Tick(name = "a"). observe screen Main{seen}. }}.
}}
"""
SEEN = """.
    observe Item(name = "a", done = true, at = 1).
    observe complete Item"""


@pytest.mark.parametrize(
    "wanted",
    [
        'Item(name = "a", done = true)',
        "every Item has (done = true)",
        "first 1 Item has (done = true)",
        "first 1 Item(done = true)",
        "count(Item(done = true)) = 1",
    ],
)
@pytest.mark.parametrize(("seen", "outcome"), [("", "inconclusive"), (SEEN, "met")], ids=["not seen", "seen"])
def test_what_is_only_predicted_meets_nothing(wanted: str, seen: str, outcome: str) -> None:
    """`first` had been met by a prediction: it was not among the kinds of conditions that need evidence."""
    loaded = load_text(APP.format(wanted=wanted, seen=seen))
    assert loaded.ok, loaded.diagnostics
    (example,) = loaded.examples
    result = run_example(loaded.checked(), example)
    found = [each.outcome for step in result.steps if step.observed for each in step.observed.contracts]
    assert found == [outcome]
