"""Questions about specs and policies that a solver answers, each answer shown by a guard before it is given.

>>> from vsalang.language.semantics import load_text
>>> from vsalang.proof.prove import equivalent
>>> one = load_text('spec s "x"\\nallow answer(text = "1").\\ndone when answer earlier.').checked()
>>> two = load_text('spec s "x"\\nallow answer(text in {"1", "2"}).\\ndone when answer earlier.').checked()
>>> found = equivalent(one, two)
>>> found.word, found.witness.old, found.witness.new
('looser', 'block', 'allow')

Z3 is imported by the first question.
"""

from vsalang.proof.prove.diff import diff, equivalent
from vsalang.proof.prove.results import Diff, Difference, Equivalence, Head, NotComparable, Open

__all__ = ["Diff", "Difference", "Equivalence", "Head", "NotComparable", "Open", "diff", "equivalent"]
