"""Answers ad-hoc questions to a loaded program in a state, with reasons.

>>> from vsalang.language.semantics import load_text
>>> app = 'app shop package "com.shop" "A shop"\\nview Item "What is shown" { name: Text  price: Number }'
>>> place = Place(load_text(app))
>>> state = Situation().then(place.steps('observe Item(name = "Tea", price = 3).').turns, "typed")
>>> reply = ask(place, state, place.question('Item(name = ?n, price < 5)'))
>>> reply.rows
(('Tea',),)
>>> [condition.fact for condition in reply.why(0)]
['Item(name = "Tea", price = 3)']
>>> [c.said for c in ask(place, state, place.question('Item(price > 5)')).why_not.conditions]
['price is 3, wanted > 5']
"""

from vsalang.tools.ask.answer import Clause, Condition
from vsalang.tools.ask.asking import Reply, ask
from vsalang.tools.ask.engines import AskError
from vsalang.tools.ask.fragment import Wrong
from vsalang.tools.ask.question import Place, Question
from vsalang.tools.ask.state import Situation, read_state

__all__ = [
    "AskError",
    "Clause",
    "Condition",
    "Place",
    "Question",
    "Reply",
    "Situation",
    "Wrong",
    "ask",
    "read_state",
]
