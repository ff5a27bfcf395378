"""Describes a spec, a policy or an app module in plain English, without a language model.

>>> from vsalang.language.semantics import load_text
>>> from vsalang.language.describe import describe, to_text
>>> loaded = load_text('spec a "Say yes"\\nallow answer(text = "yes").\\ndone when answer earlier.')
>>> print(to_text(describe(loaded.program)).splitlines()[4])
  - The agent may answer the user once, if the answer is "yes".
"""

from vsalang.language.describe.description import Description, Entry, Section
from vsalang.language.describe.document import describe
from vsalang.language.describe.render import to_data, to_markdown, to_text

__all__ = ["Description", "Entry", "Section", "describe", "to_data", "to_markdown", "to_text"]
