"""Makes a spec from an instruction: a language model writes it, the checker decides.

Any back end with a `name` and an `ask` can be used (`Model`); `OpenAIModel` asks every server with the chat-completions
protocol of OpenAI.

>>> from vsalang.models.encode import Answer, formalize
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

from vsalang.models.client.choosing import ModelOptions
from vsalang.models.client.file_model import FileModel
from vsalang.models.client.language_model import Answer, Backend, Message, Model, ModelError, UnusableAnswer
from vsalang.models.client.ledger import Budget, BudgetUsedUp, Ledger, Spending
from vsalang.models.client.openai_model import OpenAIModel
from vsalang.models.client.prices import PriceError, Prices
from vsalang.models.client.response_format import ResponseFormat
from vsalang.models.client.trace import Trace, TraceError
from vsalang.models.encode.answer_form import Form
from vsalang.models.encode.app_actions import ProposedActions, ask_for_actions
from vsalang.models.encode.attempt import Check
from vsalang.models.encode.encoder import (
    Formalization,
    Listener,
    ReviewEnd,
    Round,
    RoundEnd,
    RoundStart,
    encode,
    formalize,
)
from vsalang.models.encode.experience import Experience, NotRemembered, SolvedTask, memory_of
from vsalang.models.encode.json_answer import response_schema
from vsalang.models.encode.meaning import Doubt, Exchange, Meaning, Reader, Review
from vsalang.models.encode.moment import Moment, MomentError
from vsalang.models.encode.problem import Problem
from vsalang.models.encode.prompting import PromptError
from vsalang.models.encode.recall import Recollection
from vsalang.models.encode.task import InputError, Settings, Task, spec_name

__all__ = [
    "Answer",
    "Backend",
    "Budget",
    "BudgetUsedUp",
    "Check",
    "Doubt",
    "Exchange",
    "Experience",
    "FileModel",
    "Form",
    "Formalization",
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
    "ProposedActions",
    "Reader",
    "Recollection",
    "ResponseFormat",
    "Review",
    "ReviewEnd",
    "Round",
    "RoundEnd",
    "RoundStart",
    "Settings",
    "SolvedTask",
    "Spending",
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
