"""Forms: the structure round each control: the dialog it closes, the fields it sends, its row, what it costs.

from vsalang.screen.forms import forms
from vsalang.screen.tree import read_tree

on = forms(read_tree("window_dump.xml"))
for surface in on.on.all:
    print(surface.kind, surface.title)
on.roles.of          # number of a control -> what it is: commit, cancel, tab, row, ..

All is read from structure first: windows, places, states, ids; and from a few words where two buttons look alike.
Where the structure does not tell, there is nothing: no guess. Nothing here decides whether an action is allowed.
"""

from vsalang.screen.forms.relations import RELATIONS, Forms, forms, rows_of

__all__ = ["RELATIONS", "Forms", "forms", "rows_of"]
