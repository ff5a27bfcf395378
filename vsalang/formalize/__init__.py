"""Makes a spec from an instruction: a language model writes it, the checker decides.

Any back end with a `name` and an `ask` can be used (`Model`); `OpenAIModel` asks every server with the chat-completions
protocol of OpenAI.

>>> from vsalang.formalize import Answer, formalize
>>> class Canned:
...     name = "canned"
...
...     def ask(self, messages):
...         return Answer('spec x\\nimport apps.opentable\\nallow Reserve(time < 19:00).\\ndone when Reserve earlier.')
>>> result = formalize("Book before seven.", ["apps.opentable"], Canned(), name="early")
>>> result.accepted
True
>>> print(result.text, end="")
spec early "Book before seven."
import apps.opentable
allow Reserve(time < 19:00).
done when Reserve earlier.
"""

from vsalang.formalize.answer_form import Form
from vsalang.formalize.app_actions import Asked, ask_for_actions
from vsalang.formalize.attempt import Check
from vsalang.formalize.choosing import ModelOptions
from vsalang.formalize.encoder import (
    Answered,
    Asking,
    Formalized,
    Listener,
    Reviewed,
    Round,
    encode,
    formalize,
)
from vsalang.formalize.experience import Experience, NotRemembered, Solved, memory_of
from vsalang.formalize.file_model import FileModel
from vsalang.formalize.json_answer import response_schema
from vsalang.formalize.ledger import Budget, BudgetUsedUp, Ledger, Spent
from vsalang.formalize.meaning import Doubt, Exchange, Meaning, Reader, Review
from vsalang.formalize.model import Answer, Backend, Message, Model, ModelError, UnusableAnswer
from vsalang.formalize.moment import Moment, MomentError
from vsalang.formalize.openai_model import OpenAIModel
from vsalang.formalize.prices import PriceError, Prices
from vsalang.formalize.problem import Problem
from vsalang.formalize.prompting import PromptError
from vsalang.formalize.recall import Recalled
from vsalang.formalize.response_format import ResponseFormat
from vsalang.formalize.task import InputError, Settings, Task, spec_name
from vsalang.formalize.trace import Trace, TraceError

__all__ = [
    "Answer",
    "Answered",
    "Asked",
    "Asking",
    "Backend",
    "Budget",
    "BudgetUsedUp",
    "Check",
    "Doubt",
    "Exchange",
    "Experience",
    "FileModel",
    "Form",
    "Formalized",
    "InputError",
    "Ledger",
    "Listener",
    "Meaning",
    "Message",
    "Model",
    "ModelError",
    "ModelOptions",
    "Moment",
    "MomentError",
    "NotRemembered",
    "OpenAIModel",
    "PriceError",
    "Prices",
    "Problem",
    "PromptError",
    "Reader",
    "Recalled",
    "ResponseFormat",
    "Review",
    "Reviewed",
    "Round",
    "Settings",
    "Solved",
    "Spent",
    "Task",
    "Trace",
    "TraceError",
    "UnusableAnswer",
    "ask_for_actions",
    "encode",
    "formalize",
    "memory_of",
    "response_schema",
    "spec_name",
]
